"""The rules of the game as scenario files, and the contract of their runner."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from time import process_time

import pytest

from game import scenarios
from game.rules import is_table
from game.scenarios import main, run, run_file
from game.text.position import GIVEN_KEYS
from game.variants import variants

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "scenarios").glob("*.toml"))
RULES = range(1, 48)
NOT_NUMBERED = {19}
"""rules.md goes on from R18 with R20."""

GOOD = """
[[scenario]]
id = "two-goes-on-a-king"
seats = ["2h 5c 9d | Kd Qs Jh | 3c 4d 6s", "4h 4s 8d | Td As 9h | 2c 7d 6c"]
pile = "4c Ks"
stock = "7h 8d"
do = ["A: play 2h"]
expect.pile = "4c Ks 2h"
expect.turn = "B"
"""


def cases():
    return [case for path in FILES for case in tomllib.loads(path.read_text(encoding="utf-8"))["scenario"]]


def written(tmp_path, text, name="some.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_game_is_played_as_the_scenarios_say(path):
    passed, failures = run_file(path)
    assert not failures
    assert passed


def test_there_are_many_scenarios():
    assert len(cases()) >= 250


def test_every_rule_is_cited_by_a_scenario_file():
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    cited = {int(number) for number in re.findall(r"\bR([0-9]+)\b", text)}
    for first, last in re.findall(r"\bR([0-9]+)[-–]R?([0-9]+)\b", text):
        cited |= set(range(int(first), int(last) + 1))
    assert set(RULES) - NOT_NUMBERED <= cited


def test_every_preset_is_played_in_a_scenario():
    rules = [case.get("rules", "classic") for case in cases()]
    played = {value.get("preset", "classic") if is_table(value) else value for value in rules}
    assert set(variants()) <= played


# -- the runner


def test_it_counts_last_and_alone_on_a_line(tmp_path, capsys):
    assert main([written(tmp_path, GOOD)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed"


def test_a_failing_scenario_is_named_with_what_was_expected_and_found(tmp_path, capsys):
    path = written(tmp_path, GOOD + 'expect.stock = "9c"\n' + GOOD.replace("two-goes", "it-goes"))
    assert main([path]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines == [f"{path}: two-goes-on-a-king: stock: expected 9c, found 8d"]
    assert last == "1 passed, 1 failed"


def test_several_files_are_counted_together(tmp_path, capsys):
    names = [written(tmp_path, GOOD, name) for name in ("one.toml", "two.toml")]
    assert main(names) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


def test_it_is_a_command(tmp_path):
    command = [sys.executable, "-m", scenarios.__name__, written(tmp_path, GOOD)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "1 passed, 0 failed\n", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("stock =", "stick =", "two-goes-on-a-king: unknown key stick"),
        ("expect.turn", "expect.torn", "two-goes-on-a-king: unknown key expect.torn"),
        ("expect.turn", "expect.seats.Z", "two-goes-on-a-king: unknown key expect.seats"),
        ("expect.turn", "expect.others", "two-goes-on-a-king: unknown key expect.others"),
        ('id = "two-goes-on-a-king"', "", "-: id is missing"),
        ('id = "two-goes-on-a-king"', "id = 2", "-: id is missing"),
        ("[[scenario]]", "[[scene]]", "-: unknown key scene"),
        ("[[scenario]]", "[scenario]", "-: scenario must be a list of tables"),
        (GOOD, "scenario = [1]", "-: scenario must be a list of tables"),
        (GOOD, GOOD + GOOD, "two-goes-on-a-king: id comes twice"),
        (GOOD, '[[scenario]]\nid = "two-goes-on-a-king"\nexpect = 1', "two-goes-on-a-king: expect must be a table"),
        ('stock = "7h 8d"', 'rules = "unheard-of"', "two-goes-on-a-king: bad value for rules"),
        ('stock = "7h 8d"', "rules = 4", "two-goes-on-a-king: bad value for rules"),
        ('stock = "7h 8d"', "rules = {play.aces = 1}", "unknown or bad key rules.play.aces"),
        ('stock = "7h 8d"', 'rules = {play.ace = "no"}', "unknown or bad key rules.play.ace"),
        ('pile = "4c Ks"', 'pile = "4c Kx"', "two-goes-on-a-king: bad value for seats or pile"),
        ('pile = "4c Ks"', "pile = 4", "bad value for pile"),
        ('"2h 5c 9d |', '"2h 5c 9d', "bad value for seats or pile"),
        ('"2h 5c 9d |', '"2h 5c 1d |', "bad value for seats or pile"),
        ("seats = [", "seats = 2 # [", "bad value for seats"),
        ("seats = [", "seats = [1, ", "bad value for seats or pile"),
        ('stock = "7h 8d"', 'stock = "7h 8x"', "bad value for stock"),
        ('stock = "7h 8d"', 'turn = "C"', "bad value for turn"),
        ('stock = "7h 8d"', 'turn = "AA"', "bad value for turn"),
        ('stock = "7h 8d"', 'turn = "-"', "bad value for turn"),
        ('stock = "7h 8d"', 'phase = "over"', "bad value for phase"),
        ('stock = "7h 8d"', 'phase = "tribute"\nturn = "-"', "bad value for phase"),
        ('stock = "7h 8d"', 'direction = "up"', "bad value for direction"),
        ('stock = "7h 8d"', "free = 1", "bad value for free"),
        ('stock = "7h 8d"', 'pack = "2c"', "bad value for players"),
        ('stock = "7h 8d"', 'pack = "2c"\nplayers = 2', "bad value for pack"),
        ('do = ["A: play 2h"]', 'do = "A: play 2h"', "bad value for do"),
        ('do = ["A: play 2h"]', "do = [1]", "bad value for do"),
        ('do = ["A: play 2h"]', 'do = ["A play 2h"]', "bad value for do"),
        ('expect.turn = "B"', 'expect.stock = "B"', "bad value for expect.stock"),
        ('expect.turn = "B"', "expect.legal = [1]", "bad value for expect.legal"),
        ('expect.turn = "B"', 'expect.seats.C = "- | - | -"', "bad value for expect.seats"),
        (GOOD, "[[scenario", "cannot be read"),
    ],
)
def test_what_cannot_be_run_names_file_scenario_and_key(tmp_path, capsys, old, new, said):
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new))
    assert main([path]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{path}: ")
    assert said in printed.err


def test_what_cannot_be_read_at_all_is_named(tmp_path, capsys):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name in ("none.toml", "bytes.toml"):
        assert main([str(tmp_path / name)]) == 2
        assert f"{tmp_path / name}: cannot be read" in capsys.readouterr().err
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_two_thousand_scenarios_run_in_seconds(tmp_path):
    """Twenty seconds are allowed: of the processor, not of the clock, which a busy machine would stretch."""
    some = [case for case in cases() if case.get("rules", "classic") == "classic" and "do" in case][:10]
    begin = process_time()
    for number in range(2000):
        run(some[number % len(some)])
    assert process_time() - begin < 20


# -- the position


def case(**keys):
    good = tomllib.loads(GOOD)["scenario"][0]
    return {**good, "do": [], "expect": {}} | keys


def differences(**keys):
    return run(case(**keys))


def test_every_key_of_the_position_is_known():
    assert {"seats", "pack", "players", "flush", "free", "last", "dealer", "direction"} <= GIVEN_KEYS


def test_a_refused_move_that_nobody_expects_is_a_failure():
    assert differences(do=["A: play 5c", "B: play 2c"]) == ["do 1 (A: play 5c): expected to be accepted, found too-low"]
    assert differences(do=["A: shout"]) == ["do 1 (A: shout): expected to be accepted, found malformed"]
    expected = {"refusal": "too-low"}
    assert differences(do=["A: play 5c", "B: play 2c"], expect=expected) == [
        "do 1 (A: play 5c): expected to be accepted, found too-low"
    ]
    assert not differences(do=["A: play 5c"], expect=expected)
    assert differences(do=["A: play 2h"], expect=expected) == ["refusal: expected too-low, found accepted"]


def test_each_thing_that_differs_has_its_sentence():
    wrong = {
        "seats": {"A": "2h | Kd Qs Jh | 3c 4d 6s"},
        "pile": "-",
        "stock": "-",
        "turn": "B",
        "legal": ["play 2h", "play 3d"],
        "others": {"B": ["interrupt 4h"]},
        "next_dealer": "A",
    }
    assert differences(expect=wrong) == [
        "seats.A: expected 2h | Kd Qs Jh | 3c 4d 6s, found 2h 5c 9d | Kd Qs Jh | 3c 4d 6s",
        "pile: expected -, found 4c Ks",
        "stock: expected -, found 7h 8d",
        "turn: expected B, found A",
        "legal: expected but not found ['play 3d'], found but not expected ['pickup']",
        "others.B: expected but not found ['interrupt 4h'], found but not expected []",
        "next_dealer: expected A, found -",
    ]


def test_all_seats_empty_make_no_position(tmp_path, capsys):
    text = re.sub(r"seats = .*", 'seats = ["- | - | -", "- | - | -"]', GOOD)
    assert main([written(tmp_path, text)]) == 2
    assert "bad value for seats" in capsys.readouterr().err


def test_a_call_without_anything_to_call_is_no_position(tmp_path, capsys):
    text = re.sub(r"seats = .*", 'seats = ["- | Kd | -", "Xr | - | -"]\\nphase = "call"', GOOD)
    assert main([written(tmp_path, text)]) == 2
    assert "bad value for phase" in capsys.readouterr().err
