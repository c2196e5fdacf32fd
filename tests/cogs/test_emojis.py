"""The faces as emojis of the application: once up, then known; and always words to fall back on."""

import discord
import pytest
from discord.ext import commands

from cogs import emojis
from cogs.emojis import TOOLS, content_hash, tools_hash, upload_faces
from cogs.pictures.card_faces import emoji_set
from cogs.screens.formatter import Faces, face_names

ROUTE = "/applications/*/emojis"
FACES = emoji_set()


class Memory:
    """What is remembered, as a dictionary."""

    def __init__(self):
        self.kept = {}

    async def get(self):
        return dict(self.kept)

    async def put(self, name, emoji_id, content):
        self.kept[name] = (emoji_id, content)


@pytest.fixture
def simcord_bot():
    return commands.Bot("!", intents=discord.Intents(guilds=True))


@pytest.fixture(autouse=True)
def drawn(monkeypatch):
    """Drawing is tested elsewhere; here the faces are drawn once."""
    monkeypatch.setattr(emojis, "emoji_set", lambda: FACES)


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def bot(simcord_env, simcord_bot):
    return simcord_bot


def asked(env):
    """The methods of all requests about emojis since the last time."""
    methods = [request.method for request in env.http_requests if "/emojis" in request.path]
    new = methods[getattr(env, "_asked", 0) :]
    env._asked = len(methods)
    return new


async def names(bot):
    return sorted(emoji.name for emoji in await bot.fetch_application_emojis())


async def test_all_faces_are_uploaded_and_remembered(bot, memory):
    ids = await upload_faces(bot, memory)
    assert set(ids) == set(face_names())
    assert await names(bot) == sorted(FACES)
    assert memory.kept.pop(TOOLS) == (0, tools_hash())
    assert memory.kept == {name: (int(ids[name]), content_hash(png)) for name, png in FACES.items()}


async def test_the_ids_are_what_screens_draw_with(bot, memory):
    faces = Faces(await upload_faces(bot, memory))
    emoji = next(e for e in await bot.fetch_application_emojis() if e.name == "7_clubs")
    assert faces.named("7_clubs") == str(emoji)


async def test_a_second_start_asks_once_and_draws_and_uploads_nothing(bot, memory, simcord_env, monkeypatch):
    first = await upload_faces(bot, memory)
    asked(simcord_env)
    monkeypatch.setattr(emojis, "emoji_set", None)  # nothing is drawn either
    assert await upload_faces(bot, memory) == first
    assert asked(simcord_env) == ["GET"]


async def test_only_a_face_that_was_drawn_otherwise_is_replaced(bot, memory, simcord_env, monkeypatch):
    first = await upload_faces(bot, memory)
    monkeypatch.setattr(emojis, "tools_hash", lambda: "another Pillow")
    monkeypatch.setattr(emojis, "emoji_set", lambda: FACES | {"7_clubs": FACES["8_clubs"]})
    asked(simcord_env)
    second = await upload_faces(bot, memory)
    assert asked(simcord_env) == ["GET", "DELETE", "POST"]
    assert {name for name in first if first[name] != second[name]} == {"7_clubs"}
    assert await names(bot) == sorted(FACES)
    assert memory.kept["7_clubs"] == (int(second["7_clubs"]), content_hash(FACES["8_clubs"]))


async def test_a_face_that_somebody_deleted_is_uploaded_again(bot, memory, simcord_env):
    await upload_faces(bot, memory)
    await next(e for e in await bot.fetch_application_emojis() if e.name == "joker_red").delete()
    asked(simcord_env)
    ids = await upload_faces(bot, memory)
    assert asked(simcord_env) == ["GET", "POST"]
    assert set(ids) == set(FACES)


async def test_an_emoji_of_that_name_that_is_not_remembered_is_replaced(bot, memory):
    stranger = await bot.create_application_emoji(name="7_clubs", image=FACES["8_clubs"])
    ids = await upload_faces(bot, memory)
    assert ids["7_clubs"] != str(stranger.id)
    assert await names(bot) == sorted(FACES)


async def test_emojis_with_other_names_are_left_alone(bot, memory):
    await bot.create_application_emoji(name="my_logo", image=FACES["8_clubs"])
    await upload_faces(bot, memory)
    assert "my_logo" in await names(bot)


async def test_f43_a_refused_upload_leaves_words_and_the_next_start_goes_on(bot, memory, simcord_env):
    simcord_env.inject_error("POST", ROUTE, status=400, code=50035, message="Invalid Form Body", times=1)
    assert await upload_faces(bot, memory) == {}
    assert Faces({}).named("7_clubs") == ""
    assert set(await upload_faces(bot, memory)) == set(FACES)


async def test_f43_a_failure_half_way_uploads_nothing_twice(bot, memory, simcord_env, monkeypatch):
    create, left = bot.create_application_emoji, 40

    async def failing(**values):
        nonlocal left
        left -= 1
        if left == 0:
            raise TimeoutError
        return await create(**values)

    monkeypatch.setattr(bot, "create_application_emoji", failing)
    assert await upload_faces(bot, memory) == {}
    asked(simcord_env)
    assert set(await upload_faces(bot, memory)) == set(FACES)
    assert asked(simcord_env) == ["GET"] + ["POST"] * (len(FACES) - 39)


@pytest.mark.parametrize(("status", "code"), [(500, 0), (403, 50013), (429, 30046)])
async def test_f43_no_list_of_emojis_leaves_words(bot, memory, simcord_env, status, code):
    simcord_env.inject_error("GET", ROUTE, status=status, code=code, message="no", times=1)
    assert await upload_faces(bot, memory) == {}
    assert memory.kept == {}


async def test_f43_a_bot_without_an_application_uses_words(memory):
    async with discord.Client(intents=discord.Intents.none()) as client:
        assert await upload_faces(client, memory) == {}
