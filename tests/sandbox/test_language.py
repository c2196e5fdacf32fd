"""A sandbox in which everybody has a language, and somebody who finds their way in it by its words."""

import discord
import pytest
from discord.ext import commands

from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES
from sandbox import options, words
from sandbox.options import SPOKEN, locale_of
from sandbox.spoken import heard, spoken
from sandbox.words import shape, words_in
from sandbox.world import online


@pytest.fixture
def accepted():
    """This bot is not ours, and sends messages of another kind."""


async def speak(interaction: discord.Interaction):
    spoken = (interaction.locale, interaction.guild_locale, interaction.guild.preferred_locale)
    await interaction.response.send_message(" ".join(each.value for each in spoken))


async def ring(interaction: discord.Interaction):
    """Is not what was typed."""
    await interaction.response.send_message("dong")


class Bot(commands.AutoShardedBot):
    def __init__(self):
        super().__init__("!", intents=discord.Intents(guilds=True), shard_count=1)

    async def setup_hook(self):
        self.tree.command(name="ring", description="Ring")(ring)
        self.tree.command(name="speak", description="Speak")(speak)
        await self.tree.sync()


@pytest.mark.parametrize(("language", "locale"), [("en", "en-US"), ("de", "de"), ("ja", "ja"), ("es", "es-419")])
async def test_server_and_people_have_the_language_that_was_asked_for(language, locale):
    async with online(Bot(), language) as (_, world):
        for person in world.people:
            said = await person.slash(world.channel, "speak")
            assert said.response.content == " ".join([locale] * 3)
        assert world.locale == locale


REGISTERED = {
    "name": "shithead",
    "description": "The card game",
    "options": [
        {
            "name": "start",
            "name_localizations": {"de": "starten", "ja": "開始"},
            "description": "Open a table",
            "description_localizations": {"de": "Einen Tisch aufmachen"},
            "options": [
                {
                    "name": "pace",
                    "name_localizations": {"de": "tempo"},
                    "description": "",
                    "choices": [{"name": "slow", "name_localizations": {"de": "langsam"}, "value": "slow"}],
                }
            ],
        }
    ],
}


def test_a_command_is_listed_in_a_language_and_heard_by_its_own_names():
    (start,) = spoken(REGISTERED, "de")["options"]
    (pace,) = start["options"]
    assert (start["name"], start["description"]) == ("starten", "Einen Tisch aufmachen")
    assert (pace["name"], pace["choices"][0]["name"], pace["choices"][0]["value"]) == ("tempo", "langsam", "slow")
    assert spoken(REGISTERED, "fr") == REGISTERED
    typed = {"name": "shithead", "options": [{"name": "starten", "options": [{"name": "tempo", "value": "slow"}]}]}
    own = {"name": "shithead", "options": [{"name": "start", "options": [{"name": "pace", "value": "slow"}]}]}
    assert heard(typed, REGISTERED, "de") == own


@pytest.mark.parametrize("language", SPOKEN)
def test_each_sandbox_language_is_one_that_the_bot_answers_in(language):
    assert formatter(locale_of(language)).language == language


def test_a_language_of_a_region_leaves_the_other_regions_to_the_common_one(monkeypatch):
    answered = {"es-419": "es-419", "fr": "fr", "es-ES": "es"}
    monkeypatch.setattr(options, "_ANSWERED", answered)
    assert list(map(locale_of, ("es", "es-419"))) == ["es-ES", "es-419"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_headings_are_read_in_each_language(language):
    t, read = formatter(language), words_in(language)
    mine = t("Your turn: {asked}", asked=t("{rank} or higher", rank="7"))
    stuck = t("Your turn: nothing fits")
    for heading in (mine, stuck):
        assert read.mine.match(heading)
        assert not read.over.match(heading)
    theirs = t("{name} to play: {asked}", name="Bob", asked="7")
    assert not read.mine.match(theirs)
    assert [found["name"] for each in read.others if (found := each.match(theirs))] == ["Bob"]
    assert read.over.match(t("{name} is the shithead", name="Bob"))
    assert read.rank.match(f"{t.letter(9)}♥︎")[0] == t.letter(9)
    assert not read.rank.match(t.letter(13))


def test_every_text_that_is_looked_for_is_one_that_the_screens_say():
    t = formatter("ja")
    looked_for = (*words._MINE, *words._OTHERS, *words._OVER, *words._NO_MOVES)
    assert not [each for each in looked_for if t.catalogue.gettext(each) == each]


def test_what_stands_in_braces_may_be_anything_or_what_is_known():
    t = formatter("en")
    assert shape(t, "Step {step} of {steps}", steps="10") == r"Step\ .+\ of\ 10"
