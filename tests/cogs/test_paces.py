"""The durations that texts name agree with tables/timing.py, in every language."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from cogs.lobby_topic import topic
from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES
from cogs.screens.lobby_screens import PACES
from cogs.screens.settings_screens import own_screen
from data.guild_models import Preferences
from tables.timing import LOBBY, grace, time_for
from testkit.made import made_table, texts

README = Path(__file__).parents[2] / "README.md"
UNITS = {unit: timedelta(**{f"{unit}s": 1}) for unit in ("second", "minute", "hour", "day")}
TIME = re.compile(rf"(\d+) ({'|'.join(UNITS)})s?\b")


def turn(pace, stretch=1):
    """The duration of a turn."""
    return time_for(made_table(status="playing", pace=pace, stretch=stretch), "play")


def times(words):
    """The durations named in an English text."""
    return [int(count) * UNITS[unit] for count, unit in TIME.findall(words)]


def numbers(words):
    return re.findall(r"\d+", words)


ONE_OF_EACH = [turn("quick"), turn("normal"), turn("slow")]


@pytest.mark.parametrize(("pace", "stretch"), PACES)
def test_a_pace_is_offered_as_the_time_that_it_gives(pace, stretch):
    assert times(formatter()(PACES[pace, stretch])) == [turn(pace, stretch)]


def test_the_command_and_the_readme_name_the_times_of_the_three_paces():
    assert times(topic.commands["start"].options["pace"]) == ONE_OF_EACH
    rows = re.findall(r"^\| (quick|normal|slow) \|(.*)", README.read_text(encoding="utf-8"), re.MULTILINE)
    waits = {pace: grace(made_table(status="playing", pace=pace)) for pace in ("quick", "normal", "slow")}
    assert {pace: times(told) for pace, told in rows} == {pace: [turn(pace), waits[pace]] for pace in waits}


def test_the_digest_is_described_with_the_shortest_turn_of_slow_games():
    assert times(texts(own_screen(formatter(), Preferences(guild_id=1, user_id=1)))) == [turn("slow")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_names_the_same_times(language):
    t = formatter(language)
    lobby = f"closes after {LOBBY // UNITS['minute']} minutes without a change"
    for words in (*PACES.values(), topic.commands["start"].options["pace"], lobby):
        named = numbers(words)
        assert numbers(t(words))[-len(named) :] == named, "a number for `one turn` may come first"
