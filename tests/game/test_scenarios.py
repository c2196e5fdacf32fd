"""The rules of the game as scenario files, and the behaviour of their runner."""

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from operator import attrgetter
from pathlib import Path
from time import process_time

import pytest

from game import scenarios
from game.moves import Flip, parse_move
from game.rules import OPTIONS, POWER_KEYS, POWER_OPTIONS, is_table
from game.scenarios import main, run, run_file
from game.text.position import GIVEN_KEYS, rules_from
from game.variants import variants
from testkit.waiting import HANG, run_to_end

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "scenarios").glob("*.toml"))
RULES = range(1, 53)
NOT_NUMBERED = {19}
"""docs/rules.md has no R19."""

GOOD = """
[[scenario]]
id = "two-goes-on-a-king"
seats = ["2h 5c 9d | Kd Qs Jh | 3c 4d 6s", "4h 4s 8d | Td As 9h | 2c 7d 6c"]
pile = "4c Ks"
stock = "7h 8c"
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


def test_every_preset_of_the_rules_is_played_in_a_scenario():
    rules = [case.get("rules", "classic") for case in cases()]
    played = {value.get("preset", "classic") if is_table(value) else value for value in rules}
    section = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").partition("## 5.")[2].partition("## 6.")[0]
    described = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    assert len(described) >= 26
    assert set(described) <= set(variants())
    assert set(described) <= played


@cache
def powers_and_rules():
    """All that scenarios are played by: the powers of ranks, and the rules."""
    rules = [rules_from(case.get("rules", "classic")) for case in cases()]
    return [power for each in rules for power in each.powers.values()], rules


def values_played(key):
    """The values that an option, or a part of a power, has in scenarios."""
    powers, rules = powers_and_rules()
    of_power = key.startswith("powers.")
    held = map(attrgetter(key.removeprefix("powers.")), powers if of_power else rules)
    values = {value for each in held for value in (each if isinstance(each, tuple) else (each,))}
    return values | {value.partition(":")[0] for value in values if isinstance(value, str)}  # `rank:7`


OF_TABLE = [key for key in OPTIONS if key not in {"seats", "deal.by_seats"}]
"""The options but those of numbers of players."""


@pytest.mark.parametrize("key", [*OF_TABLE, *(f"powers.{part}" for part in POWER_OPTIONS)])
def test_every_value_of_an_option_is_played_in_a_scenario(key):
    option, played = OPTIONS.get(key) or POWER_OPTIONS[key.partition(".")[2]], values_played(key)
    worded = {each for each in option.values if isinstance(each, str | bool) and each not in POWER_KEYS}
    assert worded <= played, "write a scenario for each, in tests/scenarios/ (docs/scenarios.md)"
    assert played - {option.default}, "write a scenario with another value than the default, in tests/scenarios/"


# -- the runner


def test_the_last_line_counts_the_scenarios(tmp_path, capsys):
    assert main([written(tmp_path, GOOD)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed"


def test_a_failing_scenario_is_named_with_what_was_expected_and_found(tmp_path, capsys):
    path = written(tmp_path, GOOD + 'expect.stock = "9c"\n' + GOOD.replace("two-goes", "it-goes"))
    assert main([path]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines == [f"{path}: two-goes-on-a-king: stock: expected 9c, found 8c"]
    assert last == "1 passed, 1 failed"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("expect.stock_count = 0x" + "f" * 5000, "stock_count: expected a value too long to show, found 1"),
        ('expect.stock = """\n8c\n9c"""', "stock: expected 8c 9c, found 8c"),
    ],
)
def test_a_failing_scenario_takes_one_line_whatever_it_expects(tmp_path, capsys, line, said):
    path = written(tmp_path, GOOD + line + "\n")
    assert main([path]) == 1
    assert capsys.readouterr().out.splitlines() == [f"{path}: two-goes-on-a-king: {said}", "0 passed, 1 failed"]


def test_a_refused_move_has_no_events(tmp_path, capsys):
    moves = 'do = ["A: play 2h", "A: play 5c"]'
    wanted = 'expect.refusal = "not-your-turn"\nexpect.events = []\n'
    assert main([written(tmp_path, GOOD.replace('do = ["A: play 2h"]', moves) + wanted)]) == 0, capsys.readouterr().out


def test_several_files_are_counted_together(tmp_path, capsys):
    names = [written(tmp_path, GOOD, name) for name in ("one.toml", "two.toml")]
    assert main(names) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


def test_it_is_a_command(tmp_path):
    command = [sys.executable, "-m", scenarios.__name__, written(tmp_path, GOOD)]
    found = run_to_end(*command)
    assert (found.returncode, found.stdout, found.stderr) == (0, "1 passed, 0 failed\n", "")


def test_a_closed_pipe_and_an_ascii_encoding_cause_no_traceback(tmp_path):
    path = written(tmp_path, "".join(GOOD.replace("two", f"ü{n}").replace('"B"', '"A"') for n in range(1000)))
    command = [sys.executable, "-m", scenarios.__name__, path]
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ
    ) as run:
        assert "\\xfc0-goes-on-a-king: turn: expected A, found B" in run.stdout.readline()
        run.stdout.close()
        assert (run.wait(timeout=HANG), run.stderr.read()) == (1, "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("stock =", "stick =", "two-goes-on-a-king: unknown key stick"),
        ("expect.turn", "expect.torn", "two-goes-on-a-king: unknown key expect.torn"),
        ("expect.turn", "expect.seats.Z", "two-goes-on-a-king: unknown key expect.seats.Z"),
        ("expect.turn", "expect.seats.1", "two-goes-on-a-king: unknown key expect.seats.1"),
        ("expect.turn", "expect.others.a", "two-goes-on-a-king: unknown key expect.others.a"),
        ("expect.turn", "expect.others", "bad value for expect.others: must be a table with a seat’s letter"),
        ('id = "two-goes-on-a-king"', "", "scenario 1: id is missing"),
        ('id = "two-goes-on-a-king"', "id = 2", "scenario 1: id is missing"),
        ("[[scenario]]", "[[scene]]", "-: unknown key scene"),
        ("[[scenario]]", "[scenario]", "-: scenario must be a list of tables"),
        (GOOD, "scenario = [1]", "-: scenario must be a list of tables"),
        (GOOD, GOOD + GOOD, "two-goes-on-a-king: id is used twice"),
        (GOOD, '[[scenario]]\nid = "two-goes-on-a-king"\nexpect = 1', "two-goes-on-a-king: expect must be a table"),
        ('stock = "7h 8c"', 'rules = "unheard-of"', "two-goes-on-a-king: bad value for rules"),
        ('stock = "7h 8c"', "rules = 4", "two-goes-on-a-king: bad value for rules"),
        ('stock = "7h 8c"', "rules = {play.aces = 1}", "rules.play.aces is not an option"),
        ('stock = "7h 8c"', 'rules = {play.ace = "no"}', "rules.play.ace must be 'high' or 'low'"),
        ('pile = "4c Ks"', 'pile = "4c Kx"', "two-goes-on-a-king: bad value for pile: Kx is not a card"),
        ('pile = "4c Ks"', "pile = 4", "bad value for pile"),
        (
            '"2h 5c 9d |',
            '"2h 5c 9d',
            "bad value for seats: seat A: must be `hand | face-up | face-down`, not 2h 5c 9d Kd",
        ),
        ('"2h 5c 9d |', '"2h 5c 1d |', "bad value for seats: seat A: 1d is not a card"),
        ('"4c Ks"', '"4c \u212as"', "bad value for pile: '\\u212as' is not a card"),  # the sign for kelvin
        ('id = "two-goes-on-a-king"', 'id = " "', "scenario 1: id is missing or not a line of text"),
        ("seats = [", "seats = 2 # [", "bad value for seats"),
        ("seats = [", "seats = [1, ", "bad value for seats: seat A: must be `hand | face-up | face-down`, not 1"),
        ('stock = "7h 8c"', 'stock = "7h 8x"', "bad value for stock"),
        ('stock = "7h 8c"', 'turn = "C"', "bad value for turn"),
        ('stock = "7h 8c"', 'turn = "AA"', "bad value for turn"),
        ('stock = "7h 8c"', 'turn = "-"', "bad value for turn"),
        ('stock = "7h 8c"', 'phase = "over"', "bad value for phase"),
        ('stock = "7h 8c"', 'phase = "tribute"\nturn = "-"', "bad value for phase"),
        ('stock = "7h 8c"', 'direction = "up"', "bad value for direction"),
        ('stock = "7h 8c"', "free = 1", "bad value for free"),
        ('stock = "7h 8c"', 'pack = "2c"', "bad value for pack: is given instead of `seats`"),
        ('stock = "7h 8c"', 'pack = "2c"\nplayers = 2', "bad value for pack"),
        ('do = ["A: play 2h"]', 'do = "A: play 2h"', "bad value for do"),
        ('do = ["A: play 2h"]', "do = [1]", "bad value for do"),
        ('do = ["A: play 2h"]', 'do = ["A play 2h"]', "bad value for do"),
        ('expect.turn = "B"', 'expect.stock = "B"', "bad value for expect.stock"),
        ('expect.turn = "B"', "expect.legal = [1]", "bad value for expect.legal"),
        ('expect.turn = "B"', 'expect.seats.C = "- | - | -"', "bad value for expect.seats"),
        (GOOD, "[[scenario", "cannot be read"),
    ],
)
def test_an_error_names_file_scenario_and_key(tmp_path, capsys, old, new, said):
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new))
    assert main([path]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{path}: ")
    assert said in printed.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('seats = ["2h ?? | - | -", "3c | - | -"]', "bad value for seats: seat A: ?? is not a card"),
        ('seats = ["2h 3c | - | -", "4c 3c | - | -"]', "seats: seat B: 3c occurs more often than in the pack"),
        ('seats = ["2h | 3c+3d Xr | -", "4c | - | -"]', "bad value for seats: seat A: Xr is not in the pack"),
        ('pile = "2h"', "bad value for pile: 2h occurs more often than in the pack"),
        ('stock = "2h"', "bad value for stock: 2h occurs more often than in the pack"),
        ('rules = {deal.jokers = 1}\npile = "Xb"', "bad value for pile: Xb is not in the pack"),
        ('rules = {deal.jokers = 1}\nstock = "Xr Xr"', "stock: Xr occurs more often than in the pack"),
        ('pack = "2h 2h"\nplayers = 2', "bad value for pack: 2 cards are too few for 2 players"),
        (f'pack = "{"2h " * 18}"\nplayers = 2', "bad value for pack: 2h occurs more often than in the pack"),
        ('pack = "2h"', "bad value for players: must be given with `pack`, 2 to 12"),
        ('pack = "2h"\nplayers = true', "bad value for players: must be a number, not True"),
        ('pack = "2h"\nplayers = 2.0', "bad value for players: must be a number, not 2.0"),
        ('pack = "2h"\nplayers = 13', "bad value for players: must be given with `pack`, 2 to 12"),
        ("seats = []", "bad value for seats: must be a list of 1 to 26 texts"),
        (f"seats = {['- | - | -'] * 27}", "bad value for seats: must be a list of 1 to 26 texts"),
        ("turn = 1", "bad value for turn: must be a text, not 1"),
        ("turn = 1979-05-27", "bad value for turn: must be a text, not 1979-05-27"),
        ('free = "true"', 'bad value for free: must be true or false, not the text "true"'),
        ("pile = [[[]]]", "bad value for pile: must be a text, not [[[]]]"),
        ('phase = "end"', "must be one of play, exchange, call, clear, tribute, not end"),
        ('phase = ""', 'must be one of play, exchange, call, clear, tribute, not ""'),
        ('turn = ""', 'bad value for turn: "" is not one of the 2 seats'),
        ('"" = 1', 'unknown key ""'),
        ('phase = "exchange"\nturn = "C"', "bad value for turn: C is not one of the 2 seats"),
        ('phase = "call"\nturn = "\u0131"', "bad value for turn: \u0131 is not one of the 2 seats"),  # a dotless i
        ('last_winner = "C"', "bad value for last_winner: C is not one of the 2 seats"),
        ('last_shithead = "C"', "bad value for last_shithead: C is not one of the 2 seats"),
        ('phase = "clear"\nflush = "A"', "bad value for phase: clear needs the option play.flush, and a seat that is"),
        ('phase = "clear"\nrules.play.flush = true', "bad value for phase: clear needs the option play.flush, and a"),
        (
            'rules.start.by = "lowest"\nphase = "call"',
            "bad value for phase: nobody has a card to call, or the rules",
        ),
        ('seats = ["2h | 3c+4c | -", "4c | - | -"]', "seats: seat A: cards of several ranks share a slot"),
        ('pack = "2h"\nplayers = 2\npile = "3c"', "bad value for pile: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\nstock = "3c"', "bad value for stock: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\nlast = "A"', "bad value for last: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\nflush = "A"', "bad value for flush: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\nfree = true', "bad value for free: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\ndirection = "ccw"', "bad value for direction: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\nphase = "play"', "bad value for phase: must not be given beside `pack`"),
        ('pack = "2h"\nplayers = 2\nturn = "C"', "bad value for turn: C is not one of the 2 seats"),
        ("rules = [1]", "bad value for rules: must be a preset or a table, not [1]"),
        ("rules.preset = 1", "bad value for preset: must be a text, not 1"),
        ('rules = {deal.method = "choose", start.by = "thrown"}', "bad value for rules: deal.method = choose and"),
        ("rules.play.combo = 1", "rules.play.combo must be true or false"),
        ('rules.deal.packs = "2"', "rules.deal.packs must be a whole number"),
        ("rules.seats = [2.0, 3]", "rules.seats.0 must be a whole number"),
        ("do = [[[[]]]]", "bad value for do: must be like `A: play 2h`, not [[[]]]"),
        ("expect.stock_count = true", "bad value for expect.stock_count: must be a number, not True"),
        ('expect.stock_count = "1"', 'bad value for expect.stock_count: must be a number, not the text "1"'),
        ("expect.turn = 1", "bad value for expect.turn: must be a text, not 1"),
        ("expect.seats = 3", "bad value for expect.seats: must be a table with a seat’s letter for each key, not 3"),
        ("rules.deal.by_seats = {x = 3}", "rules.deal.by_seats.x must be a whole number"),
        ('expect.out = "A"', "bad value for expect.out: must be a list of texts, not A"),
        ("expect.events = [1]", "bad value for expect.events: must be a text, not 1"),
        ('expect.legal = "play 2h"', "bad value for expect.legal: must be a list of texts, not play 2h"),
        ('expect.legal = ["shout"]', "bad value for expect.legal: shout is not a move"),
        ('expect.seats.A = "2h"', "bad value for expect.seats.A: 2h is not a seat"),
        ('expect.seats.A = "2h | 6x | 3c"', "bad value for expect.seats.A: 6x is not a card"),
        ('expect.seats.A = "2h | 3c+ | -"', 'bad value for expect.seats.A: "" is not a card'),
        ('seats = ["2h | 4d+ | -", "3c | - | -"]', 'bad value for seats: seat A: "" is not a card'),
        ('pile = "\\u001b[31m"', "bad value for pile: '\\x1b[31m' is not a card"),
        ('"a\\u202eb" = 1', "unknown key 'a\\u202eb'"),
        ("expect.seats.A = 2", "must be a text, not 2"),
        ('expect.seats.C = "- | - | -"', "bad value for expect.seats.C: C is not one of the 2 seats"),
        ('expect.pile = "Zz"', "bad value for expect.pile: Zz is not a card"),
        (f"turn = {'9' * 5000}", "cannot be read: a number has too many digits"),
        (f"turn = 0x{'9' * 5000}", "bad value for turn: must be a text, not a value too long to show"),
        (f"do = [0x{'9' * 5000}]", "bad value for do: must be like `A: play 2h`, not a value too long to show"),
        ('phase = "exchange"\nturn = 1', "bad value for turn: must be a text, not 1"),
        ("last_winner = 1", "bad value for last_winner: must be a text, not 1"),
        ("players = true", "bad value for players: must be a number, not True"),
        ('do = ["A: clear", 5]', "bad value for do: must be like `A: play 2h`, not 5"),
        ('do = ["A: clear", "A: clear"]\nexpect.turn = 5', "bad value for expect.turn: must be a text, not 5"),
        (
            f'seats = ["- | {"2h " * 17}| -", "4c | - | -"]',
            "bad value for seats: seat A: has more than 16 face-up slots",
        ),
        ('seats = ["2h | - | -"]\npack = "2h"', "bad value for pack: is given instead of `seats`, not beside them"),
        ('rules.powers."a\\nb".on = "rank"', "rules.powers has the unknown rank a b: ranks are"),
        (f"pile = {'[' * 3000}{']' * 3000}", "cannot be read: nested too deep"),
        (f'turn = "{"A" * 5000}"', f"turn: {'A' * 40}... is not one of the 2 seats"),
    ],
)
def test_a_bad_value_is_reported_in_one_line(tmp_path, capsys, line, said):
    assert said in refused_line(tmp_path, capsys, line)


@pytest.mark.parametrize("depth", [sys.getrecursionlimit() - 10, 3000])  # the newest Pythons cannot read a deeper key
@pytest.mark.parametrize("key", ["rules", "turn"])
def test_deep_nesting_is_reported_in_one_line(tmp_path, capsys, key, depth):
    printed = refused_line(tmp_path, capsys, f"{key}.{'a.' * depth}b = 1")
    # From Python 3.12 on the value of a key that can be read can be shown.
    assert "nested too deep" in printed or "bad value for turn: must be a text, not " in printed


def refused_line(tmp_path, capsys, line):
    """The error that a scenario with this bad line prints."""
    seats = "" if line.startswith(("seats", "pack")) else 'seats = ["2h 5c | - | -", "4c | - | -"]\n'
    path = written(tmp_path, f'[[scenario]]\nid = "two-goes-on-a-king"\n{seats}{line}\n')
    assert main([path]) == 2
    (printed,) = capsys.readouterr().err.splitlines()
    assert printed.startswith(f"{path}: ")
    assert len(printed) < 400
    return printed


def test_a_byte_order_mark_is_reported(tmp_path, capsys):
    path = tmp_path / "marked.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert main([str(path)]) == 2
    why = "it begins with a byte order mark: save it as UTF-8 without one"
    assert capsys.readouterr().err == f"{path}: cannot be read: {why}\n"


def test_an_id_is_a_line_of_text(tmp_path, capsys):
    path = written(tmp_path, GOOD.replace("two-goes", "two\\ngoes"))
    assert main([path]) == 2
    assert "id is missing or not a line of text" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ["-: play 5c", "C: pickup", "B: timeout", "A: timeout", "A: flip", f"A: play {'9' * 5000}"]
)
def test_an_impossible_line_is_a_malformed_move(line):
    assert not differences(do=[line], expect={"refusal": "malformed"})


def test_the_number_of_a_flip_may_have_any_length():
    assert not differences(do=[f"A: flip {'9' * 5000}"], expect={"refusal": "wrong-zone"})
    assert parse_move("flip 0000002") == Flip(2)


def test_an_unreadable_file_is_named(tmp_path, capsys):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name, why in (
        ("none.toml", "no such file or directory"),
        ("bytes.toml", "it is not text in UTF-8: save it as such"),
    ):
        assert main([str(tmp_path / name)]) == 2
        assert capsys.readouterr().err == f"{tmp_path / name}: cannot be read: {why}\n"
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "usage: python -m game.scenarios" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "usage: python -m game.scenarios" in capsys.readouterr().out


def test_two_thousand_scenarios_run_in_seconds():
    """The limit is twenty seconds of processor time, because a busy machine stretches wall-clock time."""
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


def test_expectations_ignore_case_and_extra_spaces():
    spelled = {"turn": " b", "dealer": "b", "direction": "CW", "phase": "Play", "pile": "4C  kS 2H"}
    assert not differences(do=["A: play 2h"], expect={**spelled, "events": ["Played", "Drew"]})


def test_values_that_hold_after_the_deal_may_be_given_beside_the_pack():
    cards = " ".join(rank + suit for rank in "23456789" for suit in "cdhs")
    given = {
        "pack": cards,
        "players": 2,
        "pile": "-",
        "turn": "-",
        "phase": "exchange",
        "direction": "cw",
        "free": False,
    }
    assert not run({**given, "expect": {"stock_count": 14, "phase": "exchange"}})


def test_each_difference_has_a_sentence_of_its_own():
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
        "stock: expected -, found 7h 8c",
        "turn: expected B, found A",
        "legal: expected but not found ['play 3d'], found but not expected ['pickup']",
        "others.B: expected but not found ['interrupt 4h'], found but not expected []",
        "next_dealer: expected A, found -",
    ]


def test_a_position_needs_a_seat_with_cards(tmp_path, capsys):
    text = re.sub(r"seats = .*", 'seats = ["- | - | -", "- | - | -"]', GOOD)
    assert main([written(tmp_path, text)]) == 2
    assert "bad value for seats" in capsys.readouterr().err


def test_a_call_needs_a_card_that_can_be_called(tmp_path, capsys):
    text = re.sub(
        r"seats = .*", 'rules = {deal.jokers = 1}\\nseats = ["- | Kh | -", "Xr | - | -"]\\nphase = "call"', GOOD
    )
    assert main([written(tmp_path, text)]) == 2
    assert "bad value for phase: nobody has a card to call" in capsys.readouterr().err
