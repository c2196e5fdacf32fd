"""Public words are in the server's language, private ones in the reader's."""

import re
from dataclasses import replace

import pytest
from discord import Locale
from simcord import ResponseMessage

from cogs.rate_limit import RateLimit
from cogs.screens.components import walk
from cogs.screens.formatter import FaceEmojis, common_faces, formatter
from cogs.screens.language import SOURCE
from data.guild_models import GuildSettings
from testkit.channel import DRAWN, Room
from testkit.made import labels, texts
from testkit.shortcuts import sentence

LOCALES = {formatter(each.value).language: each.value for each in Locale}
"""For each language, one of Discord's locales in which the bot answers in it."""
UNTRANSLATED = next(
    each.value for each in Locale if formatter(each.value).language == SOURCE and not each.value.startswith(SOURCE)
)


@pytest.fixture
def speak(room: Room):
    """Gives people a language each; in the simulated Discord all would speak English."""
    locales = {}

    def on(event, payload):
        if event == "INTERACTION_CREATE":
            payload["locale"] = locales.get(int((payload.get("member") or payload)["user"]["id"]), "en-US")
            if "guild_id" in payload:
                payload["guild_locale"] = room.env.backend.get_guild(int(payload["guild_id"])).preferred_locale

    room.env.backend.subscribers.insert(0, on)
    return lambda person, locale: locales.update({person.id: locale})


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("de", "Tauschen, bevor es losgeht"),
        ("fr", "Échange avant de commencer"),
        ("it", "Scambia prima di iniziare"),
        ("es-419", "Cambia antes de empezar"),
        ("ja", "始める前に交換"),
        ("sv-SE", "Byt före spelet"),
        (UNTRANSLATED, "Swap before play"),
    ],
)
async def test_at_an_english_table_a_hand_is_in_its_readers_language(room: Room, speak, locale, said):
    speak(room.people[1], locale)
    await room.start(seats=2)
    mine = await room.press(room.people[1], room.public(), "hand")
    assert said in texts(mine.response.components)
    assert "Swap before play" in texts(room.public().components)


async def test_permissions_are_named_as_in_the_readers_discord(room: Room, speak):
    room.forbid(send_messages=True)
    speak(room.people[0], "de")
    result = await room.people[0].slash(room.channel, "shithead start")
    assert "In diesem Kanal brauche ich: **Nachrichten senden**." in texts(result.response.components)


async def test_a_hand_explains_the_letters_on_the_table_that_its_readers_language_does_not_have(room: Room, speak):
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(locale="de"))
    speak(room.people[1], "de")
    await room.start(seats=2)
    english = room.hands[room.people[0]]
    german = (await room.press(room.people[1], room.public(), "hand")).response
    await room.press(room.people[0], english, "ready")
    assert texts(english.components).endswith("On the table: B = J, D = Q")
    await room.press(room.people[1], german, "ready")
    assert "Auf dem Tisch" not in texts(german.components)


@pytest.mark.parametrize("language", LOCALES)
async def test_without_a_game_in_the_channel_the_option_that_lists_ones_own_is_named_as_it_is_typed(
    room: Room, speak, language
):
    speak(room.people[0], LOCALES[language])
    said = sentence(await room.people[0].slash(room.channel, "shithead replay"))
    assert f"`{formatter(language).c('option', 'game')}`" in said


async def test_a_board_that_only_its_reader_sees_is_in_their_language(room: Room, speak):
    room.house.bot.allows = RateLimit().allows
    speak(room.people[1], "de")
    shown, own = [(await person.slash(room.channel, "tea owed")).response for person in room.people[:2]]
    assert (shown.ephemeral, own.ephemeral) == (False, True)
    assert texts(shown.components).startswith("## Tea board")
    assert texts(own.components).startswith("## Teeliste")


async def test_a_refusal_is_in_the_language_of_whoever_gets_it(room: Room, speak):
    speak(room.people[5], "de")
    await room.start(seats=2)
    refused = await room.press(room.people[5], room.public(), "hand")
    assert "Du sitzt nicht an diesem Tisch." in texts(refused.response.components)


async def test_a_private_answer_names_public_buttons_as_they_read_in_the_channel(room: Room):
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(locale="de"))
    await room.open(seats=2)
    assert "Mitspielen" in labels(room.public().components)
    (opened,) = room.notes(room.people[0])
    assert "everybody has pressed **Mitspielen**, press **Start**" in texts(opened.components)
    refused = (await room.people[5].slash(room.channel, "shithead hand")).response
    assert "Press **Mitspielen** to play." in texts(refused.components)


def faces_of(message: ResponseMessage):
    """The names of the emojis of cards in texts, and the label of each button beside its emoji."""
    parts = list(walk(message.components))
    in_texts = re.findall(r"<:(\w+):", "".join(each.get("content", "") for each in parts))
    return in_texts, {each["emoji"]["name"]: each.get("label", "") for each in parts if each.get("emoji")}


async def test_faces_have_the_servers_letters_on_the_table_and_the_readers_in_a_hand(room: Room, speak):
    room.house.bot.faces = DRAWN
    room.forbid(attach_files=True)
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(locale="fr"))
    speak(room.people[1], "de")
    await room.start(seats=6)
    table, _ = faces_of(room.public())
    assert {name.split("_")[0] for name in table if name.endswith(("_v", "_d", "_r"))} == {"jack", "queen", "king"}
    assert not [name for name in table if re.fullmatch(r"(jack|queen|king)_[a-z]+(_b)?", name)]
    mine = (await room.press(room.people[1], room.public(), "hand")).response
    _, on_buttons = faces_of(mine)
    printed = {name: label[0] for name, label in on_buttons.items() if re.match("jack|queen|king", name)}
    assert printed
    for name, letter in printed.items():
        assert name.endswith({"B": "_b", "D": "_d", "K": "s"}[letter])


@pytest.mark.parametrize(
    ("language", "faces", "name"),
    [
        ("de", DRAWN, "jack_clubs_b"),
        ("de", replace(DRAWN, four_colours=True), "jack_clubs_b_4c"),
        ("fr", DRAWN, "jack_clubs_v"),
        ("sv-SE", DRAWN, "jack_clubs_kn"),
        ("it", DRAWN, "jack_clubs"),
        ("es-419", DRAWN, "jack_clubs"),
        ("ja", DRAWN, "jack_clubs"),
        ("en-US", DRAWN, "jack_clubs"),
        ("de", FaceEmojis({name: DRAWN.emojis[name] for name in common_faces()}), "jack_clubs"),
    ],
)
def test_a_face_has_the_letter_of_the_language_or_the_common_one_until_that_is_uploaded(language, faces, name):
    jack, t = 36, formatter(language, faces)
    assert t.emojis([jack]) == faces.named(name) != ""
    assert t.icon(jack) == {"id": faces.emojis[name], "name": name}
