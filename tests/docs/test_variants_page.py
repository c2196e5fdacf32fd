"""docs/variants.md is written from the variants, and its TOML is what they are."""

import re
import tomllib
from pathlib import Path

import pytest

from cogs.screens.formatter import formatter
from cogs.screens.refused import decline_sentence
from game.rules import Rules
from game.variants import variants
from tables.snapshots import Decline, Declined
from tools.variants_page import NUMBERS, PAGE, page, section

DOCS = Path(__file__).parents[2] / "docs"


def test_committed_page_is_what_would_be_written():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.variants_page writes it anew"


@pytest.mark.parametrize("path", NUMBERS, ids=lambda path: path.name)
def test_committed_number_of_variants_is_how_many_there_are(path):
    text = path.read_text(encoding="utf-8")
    assert NUMBERS[path].findall(text) == [str(len(variants()))], "python -m tools.variants_page writes it anew"


@pytest.mark.parametrize("name", variants())
def test_toml_of_a_variant_makes_its_rules(name):
    block = re.search(r"```toml\n(.*?)```", section(variants()[name]), re.DOTALL)
    options = tomllib.loads(block[1]) if block else {}
    assert Rules().changed_with(options) == variants()[name].rules


@pytest.mark.parametrize("name", ["Twisted Shithead", "Mukava", "Piina"])
def test_games_named_without_rules_are_wanted(name):
    assert name in page().partition("## Rules wanted")[2]


@pytest.mark.parametrize("name", variants())
def test_every_variant_is_in_the_table_of_presets(name):
    presets = (DOCS / "rules.md").read_text(encoding="utf-8").partition("## 5. Presets")[2]
    fewest, most = variants()[name].rules.seats
    assert f"| `{name}` | {fewest}–{most} |" in presets


def test_the_one_variant_for_more_than_six_is_named_wherever_the_most_players_are():
    larger = [f"{each.title}: {each.rules.seats[1]}" for each in variants().values() if each.rules.seats[1] > 6]
    assert larger == ["Smeghead: 8"], "change README.md (first paragraph), NO_ROOM_IN_PACK in refused.py, and this test"
    assert "up to 8 in one variant" in (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "(Smeghead: 8)" in decline_sentence(formatter(), Declined(Decline.NO_ROOM_IN_PACK))
