"""docs/rules.md tells every rule, option, refusal and move; docs/scenarios.md every key and every event."""

import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from cogs.screens.formatter import formatter
from cogs.screens.rule_edits import format_rules, parse_rules
from game.events import Event
from game.fairness import Verdict, judge, parse_shuffle
from game.moves import KINDS, Refusal, parse_move
from game.rules import OPTIONS, POWER_KEYS, Does, On, Power, Rules
from game.scenarios import run
from game.text.expectations import EXPECT_KEYS
from game.text.position import GIVEN_KEYS
from game.transcript import format_transcript, parse_transcript

DOCS = Path(__file__).parents[2] / "docs"
RULES = (DOCS / "rules.md").read_text(encoding="utf-8")
SCENARIOS = (DOCS / "scenarios.md").read_text(encoding="utf-8")
TOLD = [int(number) for number in re.findall(r"^- \*\*R(\d+)\b", RULES, re.MULTILINE)]
NUMBERS = [number for number in range(1, max(TOLD) + 1) if number != 19]


def option_keys(model=Rules, prefix=""):
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from option_keys(field.annotation, f"{name}.")
        else:
            yield f"{prefix}{name}"


def values_of(key):
    """The words an option may have, where it has words."""
    table, _, name = key.partition(".")
    field = getattr(Rules(), table).__class__.model_fields.get(name) if name else None
    values = get_args(field.annotation) if field else ()
    return [value for value in values if isinstance(value, str) and value not in POWER_KEYS]


@pytest.mark.parametrize("number", NUMBERS)
def test_every_rule_is_told_once(number):
    assert TOLD.count(number) == 1


@pytest.mark.parametrize("path", sorted((DOCS.parent / "game").rglob("*.py")), ids=lambda path: path.name)
def test_rules_cited_by_code_exist(path):
    cited = {int(number) for number in re.findall(r"\bR([1-9][0-9]?)\b", path.read_text(encoding="utf-8"))}
    assert cited <= set(NUMBERS)


@pytest.mark.parametrize("key", list(option_keys()))
def test_every_option_is_told_with_its_values(key):
    row = re.search(rf"^\| `{re.escape(key if key != 'powers' else 'powers.*')}` \|.*$", RULES, re.MULTILINE)
    assert row, "section 4 of docs/rules.md has a row for each option"
    untold = [value for value in values_of(key) if f"`{value}`" not in row[0]]
    assert not untold, "its row in section 4 of docs/rules.md tells each value"


@pytest.mark.parametrize("key", [key for key in OPTIONS if key != "deal.by_seats"])
def test_every_option_has_the_default_that_is_told(key):
    # Databases hold rules without it: with another default, running games and saved house rules would change.
    default = OPTIONS[key].default
    told = default if isinstance(default, str) else json.dumps(default)
    assert f"| `{key}` | `{told}` |" in RULES, "section 4 of docs/rules.md tells the default, which never changes"


CALLED = re.findall(
    r"^\| .* \| `([a-z].*=[^`]*)`",
    RULES.partition("### What rules are called elsewhere")[2].partition("\n### ")[0],
    re.MULTILINE,
)


@pytest.mark.parametrize("pasted", CALLED)
def test_what_rules_are_called_elsewhere_can_be_pasted_as_text(pasted):
    text = pasted if pasted.startswith("classic; ") else f"classic; {pasted}"
    variant, rules = parse_rules(formatter(), text)
    assert sorted(format_rules(variant, rules).split("; ")) == sorted(text.split("; "))


def test_many_words_for_rules_are_told():
    assert len(CALLED) >= 20


@pytest.mark.parametrize("word", [*Power.model_fields, *get_args(Does), *get_args(On)])
def test_every_part_of_a_power_is_told(word):
    is_told = f"`{word}`" in RULES or f"`{word} = " in RULES
    assert is_told, "section 3 of docs/rules.md tells what it does"


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_is_told(refusal):
    told = set(re.findall(r"`([\w-]+)`", RULES.partition("### Why a move is refused")[2]))
    assert refusal.value in told, "*Why a move is refused* of docs/rules.md has a line for each"


def test_every_move_is_told_as_text():
    written = re.findall(r"^\| (`[^|]*`) \|", RULES.partition("**Moves**")[2], re.MULTILINE)
    moves = [parse_move(text) for cell in written for text in re.findall(r"`([^`]+)`", cell)]
    assert {type(move) for move in moves} == set(KINDS), "*Moves* of docs/rules.md has a row for each"


@pytest.mark.parametrize("event", [each.name for each in get_args(Event)])
def test_every_event_is_told(event):
    told = set(re.findall(r"`([\w-]+)`", SCENARIOS.partition("## Events")[2]))
    assert event in told, "*Events* of docs/scenarios.md lists each, in its place"


@pytest.mark.parametrize("key", ["id", "rules", *sorted(GIVEN_KEYS)])
def test_every_key_of_a_position_is_told(key):
    told = SCENARIOS.partition("## The position")[2].partition("## The moves")[0]
    assert f"`{key}`" in told, "*The position* of docs/scenarios.md has a row for each"


@pytest.mark.parametrize("key", sorted(EXPECT_KEYS))
def test_every_key_of_what_is_expected_is_told(key):
    told = re.search(rf"`{key}(\.A)?`", SCENARIOS.partition("## What must hold")[2])
    assert told, "*What must hold* of docs/scenarios.md has a row for each"


def test_examples_of_scenarios_pass():
    blocks = re.findall(r"```toml\n(.*?)```", SCENARIOS, re.DOTALL)
    cases = [case for block in blocks for case in tomllib.loads(block)["scenario"]]
    assert cases
    assert [run(case) for case in cases] == [[]] * len(cases)


def test_the_transcript_on_the_page_is_one_as_the_bot_writes_it_and_its_tags_are_told():
    (text,) = re.findall(r'^```text\n(\[Game "Shithead"\]\n.*?)^```$', RULES, re.DOTALL | re.MULTILINE)
    transcript = parse_transcript(text)
    assert format_transcript(transcript) == text
    assert len(transcript.record.steps()) == len(transcript.record.moves)
    assert judge(parse_shuffle(text)) is Verdict.VERIFIED
    tags = re.findall(r"^\[(\w+) ", text, re.MULTILINE)
    told = re.findall(r"`(\w+)`", RULES.partition(text)[2])
    assert set(tags[: tags.index("Table") + 1]) <= set(told)


@pytest.mark.parametrize("written", ["deal.by_seats=2*6+3*4", "powers.10.does=none", "powers.10.not_on=7+8"])
def test_lists_and_sizes_are_pasted_as_the_page_writes_them(written):
    rules = parse_rules(formatter(), f"classic; {written}")[1]
    assert written in format_rules("classic", rules)
