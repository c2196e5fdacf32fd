"""A transcript holds a whole game, can be read back, and shows no card or secret in logs."""

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from game import transcript as module
from game.cards import make_pack
from game.deal import full_pack
from game.fairness import Verdict, judge, pack_from, parse_shuffle, seal
from game.moves import Timeout, advance
from game.rules import Rules
from game.text.record import Record, format_line
from game.transcript import NotATranscriptError, Transcript, annotated, format_transcript, main, parse_transcript
from game.variants import variants
from testkit.random_games import random_move, random_rules, random_seats
from testkit.waiting import run_to_end

SECRET = bytes(range(32))
JOINERS = (111, 222)
SHUFFLE = {"Table": "t-1", "Joiners": "111 222", "Seal": seal(SECRET), "Secret": SECRET.hex()}


def played(variant="classic", seats=2, seed=0, moves=10_000, tags=None):
    """A game of random moves, perhaps not finished."""
    rules, rng = variants()[variant].rules, random.Random(seed)
    cards = make_pack(rules.packs_with(seats), rules.jokers_with(seats))
    record = Record(rules=rules, seats=seats, dealer=1, pack=pack_from(SECRET, "t-1", JOINERS, cards))
    state, lines = record.dealt(), []
    while state.frame.phase != "over" and len(lines) < moves:
        seat, move = random_move(rng, state)
        lines.append(format_line(None if isinstance(move, Timeout) else seat, move))
        state = advance(state, seat, move)
    return Transcript(record.model_copy(update={"moves": tuple(lines)}), variant, tags or {})


def swap(text, old, new):
    assert old in text
    return text.replace(old, new)


FINISHED = format_transcript(played(tags=SHUFFLE))


@pytest.mark.parametrize("variant", variants())
def test_a_transcript_survives_a_round_trip_through_text(variant):
    transcript = played(variant, tags={"Event": 'the "last" \\ of all'})
    text = format_transcript(transcript)
    assert parse_transcript(text) == transcript
    assert format_transcript(parse_transcript(text)) == text


@given(st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_any_rules_can_be_written_and_read(rng):
    rules = random_rules(rng)
    seats = random_seats(rng, rules)
    record = Record(rules=rules, seats=seats, dealer=0, pack=full_pack(rules, seats), last_winner=1, last_shithead=0)
    assert parse_transcript("\n".join(annotated(Transcript(record, "ours", {})))).record == record


def test_who_won_and_lost_the_game_before_is_written_and_read():
    record = Record(rules=Rules(), seats=3, dealer=0, pack=full_pack(Rules(), 3), last_winner=2, last_shithead=1)
    lines = [*annotated(Transcript(record, "ours", {}))]
    assert {'[LastWinner "C"]', '[LastShithead "B"]'} <= set(lines)
    assert parse_transcript("\n".join(lines)).record == record


def test_a_finished_game_is_verified_by_the_sealed_shuffle():
    assert judge(parse_shuffle(FINISHED)) is Verdict.VERIFIED
    assert parse_transcript(FINISHED).record.end().frame.phase == "over"


def test_logs_show_no_card_and_no_secret():
    transcript = played(tags=SHUFFLE)
    assert SECRET.hex() not in repr(transcript)
    with pytest.raises(ValidationError) as caught:
        Record(rules=Rules(), seats=2, dealer=0, pack="7h 2c zz", moves=())
    assert "7h" not in str(caught.value)


def test_without_a_rules_tag_the_rules_of_the_variant_apply():
    text = "\n".join(line for line in FINISHED.splitlines() if not line.startswith("[Rules "))
    assert parse_transcript(text).record.rules == Rules()
    with pytest.raises(NotATranscriptError, match="Variant"):
        parse_transcript(swap(text, "classic", "unheard-of"))


def test_case_and_spaces_do_not_matter_and_remarks_are_ignored():
    lines = FINISHED.splitlines()
    header, moves = lines[: lines.index("")], lines[lines.index("") + 1 :]
    free = [*header, "", "; a remark", *(f"  {line.partition('. ')[2].upper()}  " for line in moves), ""]
    assert parse_transcript("\ufeff" + "\r\n".join(free)) == parse_transcript(FINISHED)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('[Seats "2"]', '[Seats "two"]', "Seats"),
        ('[Seats "2"]\n', "", "Seats"),
        ('[Seats "2"]', '[Seats "1"]', "Seats"),
        ('[Seats "2"]', '[Seats "30"]', "Seats"),
        ('[Dealer "B"]', '[Dealer "C"]', "Dealer"),
        ('[Dealer "B"]', '[Dealer "?"]', "Dealer"),
        ('[Dealer "B"]', '[Dealer "B"]\n[Dealer "B"]', "Dealer"),
        ('[Pack "', '[Pack "9x ', "Pack"),
        ('[Pack "', '[Packed "', "Pack"),
        ('[Rules "{}"]', "[Rules \"{play = {ace = 'middle'}}\"]", "Rules"),
        ('[Rules "{}"]', '[Rules "{play = "]', "Rules"),
        ('[Rules "{}"]', '[Rules "[1]"]', "Rules"),
        ('[Rules "{}"]', f'[Rules "{"9" * 5000}"]', "Rules"),
        ('[Rules "{}"]', f'[Rules "{"[" * 3000}"]', "Rules"),
        ('[Rules "{}"]', f'[Rules "{{{"a." * 3000}b = 1}}"]', "Rules"),
        ("\n2. ", "\n3. ", "move 2"),
        ("\n2. A: ", "\n2. A ", "move 2"),
        ("\n2. A: ", "\n2. A: shout ", "move 2"),
    ],
)
def test_an_error_names_the_tag_or_the_move(old, new, part):
    with pytest.raises(NotATranscriptError) as caught:
        parse_transcript(swap(FINISHED.replace("\n2. B: ", "\n2. A: "), old, new))
    assert caught.value.args[0] == part


def test_a_pack_too_small_for_the_seats_is_named():
    with pytest.raises(NotATranscriptError, match="Pack"):
        list(annotated(Transcript(Record(rules=Rules(), seats=5, dealer=0, pack=(1, 2, 3)), "classic", {})))


def test_a_pack_with_a_repeated_card_is_named():
    with pytest.raises(NotATranscriptError, match="Pack"):
        list(annotated(Transcript(Record(rules=Rules(), seats=2, dealer=0, pack=(*range(18), 0)), "classic", {})))


# -- the command


def test_the_command_prints_a_transcript_with_what_each_seat_saw(tmp_path, capsys):
    path = tmp_path / "game.txt"
    path.write_text(FINISHED, encoding="utf-8")
    assert main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert parse_transcript(printed) == parse_transcript(FINISHED)
    moves = len(parse_transcript(FINISHED).record.moves)
    assert printed.count("; A sees ") == printed.count("; B sees ") == moves + 1
    assert "\n".join(line for line in printed.splitlines() if not line.startswith(";")) + "\n" == FINISHED


def test_the_command_says_which_move_is_refused(tmp_path, capsys):
    path = tmp_path / "game.txt"
    path.write_text(FINISHED + f"{FINISHED.count(': ') + 1}. A: ready\n", encoding="utf-8")
    assert main([str(path)]) == 1
    assert "(A: ready): game-over" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", 2, "cannot be read: tag Seats is missing, repeated or malformed"),
        (FINISHED + "1. A: ready\n", 2, " is not a move, or its number is wrong"),
        (
            FINISHED.replace('[Pack "', '[Pack "2c '),
            1,
            ": Pack has too few cards for these rules, or one of them too often",
        ),
    ],
)
def test_the_command_says_in_a_sentence_what_is_wrong_with_a_transcript(tmp_path, capsys, text, status, said):
    path = tmp_path / "game.txt"
    path.write_text(text, encoding="utf-8")
    assert main([str(path)]) == status
    assert said in capsys.readouterr().err


def test_the_command_says_what_cannot_be_read(tmp_path, capsys):
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    (tmp_path / "empty.txt").write_text("")
    for name in ("none.txt", "bad.txt", "empty.txt"):
        assert main([str(tmp_path / name)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"{tmp_path / name}: cannot be read: ")
        assert "Errno" not in line
    for words, status in (([], 2), (["a", "b"], 2), (["--help"], 0)):
        with pytest.raises(SystemExit, match=str(status)):
            main(words)
        told = capsys.readouterr()
        assert "usage: python -m game.transcript" in (told.err if status else told.out)


def test_it_is_a_command(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(FINISHED, encoding="utf-8")
    found = run_to_end(sys.executable, "-m", module.__name__, path)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith('[Game "Shithead"]\n')
