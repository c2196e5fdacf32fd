"""The commands in every language: nothing stays in English by mistake, and Discord accepts every word."""

import re

import discord
import pytest

from bot.client import CardBot
from bot.shards import Shards
from cogs.interactions import add_topics
from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES, SOURCE

COMPLETE = {code for code, language in LANGUAGES.items() if language.complete}
LOCALES = [each.value for each in discord.Locale if formatter(each.value).language in COMPLETE - {SOURCE}]
"""Discord's locales into which everything is translated."""
NAME = re.compile(r"[-_\w\u0900-\u097f\u0e00-\u0e7f]{1,32}")
"""What Discord accepts: letters and digits, in Devanagari and Thai also the marks that stand with them."""
SUBCOMMAND = 2
"""Options of a type up to this are commands or groups of commands."""


@pytest.fixture
async def payloads():
    """The commands as they are registered."""
    bot = CardBot(None, Shards())
    await add_topics(bot)
    return [await each.get_translated_payload(bot.tree, bot.tree.translator) for each in bot.tree.get_commands()]


def inside(payload):
    return payload.get("options", [])


def walk(payload, *, option=False):
    """Yield the payload and everything in it, each with whether it is an option of a command."""
    yield payload, option
    for each in inside(payload):
        yield from walk(each, option=each["type"] > SUBCOMMAND)


def called(payload, locale):
    return (payload.get("name_localizations") or {}).get(locale, payload["name"])


@pytest.mark.parametrize("locale", LOCALES)
async def test_discord_accepts_every_name_and_description(payloads, locale):
    for top in payloads:
        for each, _ in walk(top):
            name = called(each, locale)
            assert NAME.fullmatch(name)
            assert name == name.lower()
            assert len(each.get("description_localizations", {}).get(locale, "")) <= 100
            beside = [called(other, locale) for other in inside(each)]
            assert len(set(beside)) == len(beside)
    assert len({called(top, locale) for top in payloads}) == len(payloads)


@pytest.mark.parametrize("locale", LOCALES)
async def test_every_translated_description_reaches_discord(payloads, locale):
    described = [each for top in payloads for each, _ in walk(top)]
    told = [each for each in described if formatter(locale)(each["description"]) != each["description"]]
    assert len(told) > 50
    for each in told:
        assert each["description_localizations"][locale] == formatter(locale)(each["description"])


async def test_a_command_is_shown_in_the_words_of_its_reader(payloads):
    tea = next(each for each in payloads if each["name"] == "tea")
    owed = next(each for each in inside(tea) if each["name"] == "owed")
    assert formatter("de").typed("tea", "owed") == f"`/{called(tea, 'de')} {called(owed, 'de')}`" == "`/tee schulden`"
    assert formatter("en-GB").typed("tea", "owed") == "`/tea owed`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_the_polite_command_as_its_reader_types_it(language):
    t = formatter(language)
    assert t.typed("palace") in t("`/palace` does the same, under the polite name of the game")


async def test_discord_offers_the_everyday_commands_first_and_those_of_managers_last(payloads):
    offered = {top["name"]: [each["name"] for each in inside(top)] for top in payloads}
    everyday = ["start", "practice", "hand", "table", "rules", "tutorial", "help"]
    assert offered["shithead"][:7] == offered["palace"][:7] == everyday
    assert offered["tea"] == ["owed", "served", "forgive", "history", "export", "correct"]
