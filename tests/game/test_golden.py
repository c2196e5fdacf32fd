"""Golden games show what every seat saw after every move; golden counts pin how many lines of play there are."""

import shutil
import tomllib
from pathlib import Path

import pytest

from game import variants as package
from game.scenarios import main
from game.transcript import annotated, parse_transcript
from game.variants import Variant, variant, variants
from testkit import golden

GAMES = list(golden.golden_games())


@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_a_golden_game_has_not_changed(variant, seats):
    there = golden.path_of(variant, seats).read_text(encoding="utf-8")
    assert golden.text_of(variant, seats) == there, "make golden, then read the difference"


@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_a_golden_game_is_a_transcript_that_ends(variant, seats):
    text = golden.path_of(variant, seats).read_text(encoding="utf-8")
    transcript = parse_transcript(text)
    assert transcript.record.end().frame.phase == "over"
    assert transcript.record.rules == variants()[variant].rules
    assert "".join(f"{line}\n" for line in annotated(transcript)) == text


def test_every_preset_has_golden_games_with_two_numbers_of_seats_and_there_are_no_others():
    wanted = {
        golden.path_of(name, seats) for name in variants() for seats in golden.seat_counts(variants()[name].rules)
    }
    assert set(golden.FOLDER.iterdir()) == wanted | {golden.COUNTS}
    assert len(wanted) == 2 * len(variants())


def test_every_preset_has_as_many_lines_of_play_as_before():
    assert golden.counts() == tomllib.loads(golden.COUNTS.read_text(encoding="utf-8"))


def test_the_computer_players_score_choices_as_when_they_were_trained():
    there = tomllib.loads(golden.SCORES.read_text(encoding="utf-8"))
    found = golden.scores()
    assert found.keys() == there.keys()
    for name, sums in found.items():
        assert sums == pytest.approx(there[name], rel=1e-4, abs=0.01), name


def test_a_new_golden_game_gets_a_good_seed(tmp_path, monkeypatch):
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    monkeypatch.setattr(golden, "TRIES", 2)
    text = golden.text_of("french", 3)
    assert len(parse_transcript(text).record.moves) >= golden.SHORTEST


NEW = """
title = "Backyard"
sentence = "Sixes skip."
source = "D"
group = "easy"
order = 3
seats = [2, 4]
powers.6 = { does = ["skip"] }
"""


@pytest.fixture
def backyard(tmp_path, monkeypatch):
    """A variant that was added by adding its file and nothing else."""
    for path in Path(package.__file__).parent.glob("*.toml"):
        shutil.copy(path, tmp_path)
    (tmp_path / "backyard.toml").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr(package, "files", lambda _package: tmp_path)
    caches = (package._names, package.variant, package.variants)
    for each in caches:
        each.cache_clear()
    yield variant("backyard")
    for each in caches:
        each.cache_clear()


def test_a_variant_is_one_file(backyard: Variant, tmp_path, monkeypatch):
    """The variant is offered in the place its file gives, and `make golden` writes its games and counts."""
    monkeypatch.setattr(golden, "FOLDER", tmp_path / "golden")
    monkeypatch.setattr(golden, "TRIES", 2)
    assert list(variants()).index("backyard") < list(variants()).index("vandtia")
    assert ("backyard", 3) in set(golden.golden_games())
    transcript = parse_transcript(golden.text_of("backyard", 3))
    assert transcript.record.rules == backyard.rules
    assert golden.lines_of_play(golden.opening("backyard"), 1) > 1


@pytest.mark.parametrize(
    ("line", "wrong", "said"),
    [
        ('title = "Backyard"', 'title = ""', "title must not be empty"),
        ('title = "Backyard"', 'title = "Back {yard}"', "title must have no braces"),
        (
            'powers.6 = { does = ["skip"] }',
            'powers.6 = { dose = ["skip"] }',
            "powers.6.dose is not an option: do you mean powers.*.does?",
        ),
        ("order = 3", 'order = 3\nace = "low"', "ace is not an option: do you mean play.ace?"),
        ("order = 3", "order = 3\nend.order = 4", "end.order is not an option: do you mean order?"),
        ("order = 3", 'order = 3\nplay.does = ["skip"]', "play.does is not an option: do you mean powers.*.does?"),
        ('source = "D"', 'based_on = "frontyard"', "based_on names frontyard, which is not a variant"),
        ('source = "D"', 'based_on = "backyard"', "based_on must be the id of a variant"),
        ('source = "D"', "based_on = []", "based_on must be the id of a variant"),
        ('title = "Backyard"', 'title = "Caf\udce9"', "is not text in UTF-8"),
        ("order = 3", "order = ", "is no valid TOML: Invalid value (at line 6, column 9)"),
        ("seats = [2, 4]", "seats = [9, 12]", "the pack is too small for any number of seats"),
        ("order = 3", 'order = 3\nafter = "frontyard"', "after names frontyard, which is not a variant"),
        ("order = 3", 'order = 3\ndeal.method = "choose"\nstart.by = "thrown"', "deal.method = choose and start.by"),
        ("order = 3", 'order = "3"', "order must be a whole number"),
    ],
)
def test_an_error_in_the_file_of_a_variant_names_the_file(backyard, tmp_path, capsys, line, wrong, said):
    (tmp_path / "backyard.toml").write_text(NEW.replace(line, wrong), "utf-8", "surrogateescape")
    variant.cache_clear()
    scenario = tmp_path / "scenario"
    scenario.write_text('[[scenario]]\nid = "six"\nrules = "backyard"\nseats = ["6c | - | -", "4c | - | -"]\n')
    assert main([str(scenario)]) == 2
    assert capsys.readouterr().err.startswith(f"game/variants/backyard.toml: {said}")
