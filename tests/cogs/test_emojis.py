"""The faces as emojis of the application: uploaded once, then remembered; without them there are words."""

import hashlib
import json

import discord
import pytest
from discord.ext import commands
from simcord import Env

from bot import faces
from bot.faces import TOOLS, faces_that_are_up, tools_hash, upload_faces
from cogs.screens.formatter import FaceEmojis, common_faces, face_names

ROUTE = "/applications/*/emojis"
OWN = set(face_names()) - set(common_faces())
"""The faces that only some languages use."""


class Memory:
    """The note about the emojis, as a dictionary."""

    def __init__(self):
        self.kept = {}

    async def read_note(self, _):
        return json.dumps(self.kept)

    async def write_note(self, _, text):
        self.kept = {name: tuple(each) for name, each in json.loads(text).items()}


@pytest.fixture
def simcord_bot():
    return commands.Bot("!", intents=discord.Intents(guilds=True))


@pytest.fixture(autouse=True)
def drawn(monkeypatch, drawn_faces):
    """Use faces that were drawn once; drawing is tested elsewhere."""
    monkeypatch.setattr(faces, "emoji_set", lambda names: {name: drawn_faces[name] for name in names})


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def bot(simcord_env: Env, simcord_bot):
    return simcord_bot


def asked(env: Env):
    """The methods of all requests about emojis since the last call."""
    methods = [request.method for request in env.http_requests if "/emojis" in request.path]
    new = methods[vars(env).get("asked", 0) :]
    vars(env)["asked"] = len(methods)
    return new


def hash_of(png):
    return hashlib.sha256(png).hexdigest()


async def names(bot):
    return sorted(emoji.name for emoji in await bot.fetch_application_emojis())


async def test_all_faces_are_uploaded_and_remembered(bot, memory: Memory, drawn_faces):
    ids = await upload_faces(bot, memory, face_names())
    assert set(ids) == set(face_names())
    assert await names(bot) == sorted(drawn_faces)
    assert memory.kept.pop(TOOLS) == (len(drawn_faces), tools_hash())
    assert memory.kept == {name: (int(ids[name]), hash_of(png)) for name, png in drawn_faces.items()}


async def test_screens_use_the_ids(bot, memory: Memory):
    faces = FaceEmojis(await upload_faces(bot, memory, face_names()))
    emoji = next(e for e in await bot.fetch_application_emojis() if e.name == "7_clubs")
    assert faces.named("7_clubs") == str(emoji)


async def test_a_second_start_only_lists_the_emojis_once(bot, memory: Memory, simcord_env: Env, monkeypatch):
    first = await upload_faces(bot, memory, face_names())
    asked(simcord_env)
    monkeypatch.setattr(faces, "emoji_set", None)  # nothing is drawn either
    assert await upload_faces(bot, memory, face_names()) == first
    assert asked(simcord_env) == ["GET"]


async def test_only_a_face_that_has_changed_is_replaced(
    bot, memory: Memory, simcord_env: Env, monkeypatch, drawn_faces
):
    first = await upload_faces(bot, memory, face_names())
    monkeypatch.setattr(faces, "tools_hash", lambda: "another Pillow")
    changed = drawn_faces | {"7_clubs": drawn_faces["8_clubs"]}
    monkeypatch.setattr(faces, "emoji_set", lambda names: {name: changed[name] for name in names})
    asked(simcord_env)
    second = await upload_faces(bot, memory, face_names())
    assert asked(simcord_env) == ["GET", "DELETE", "POST"]
    assert {name for name in first if first[name] != second[name]} == {"7_clubs"}
    assert await names(bot) == sorted(drawn_faces)
    assert memory.kept["7_clubs"] == (int(second["7_clubs"]), hash_of(drawn_faces["8_clubs"]))


@pytest.mark.parametrize(("file", "matters"), [("shapes.py", True), ("face.otf", True), ("shapes.pyc", False)])
def test_faces_are_outdated_once_what_draws_them_or_a_typeface_is_another(tmp_path, monkeypatch, file, matters):
    monkeypatch.setattr(faces, "files", lambda _package: tmp_path)
    seen = set()
    for content in (b"one", b"two"):
        (tmp_path / file).write_bytes(content)
        seen.add(tools_hash.__wrapped__())
    assert len(seen) == 1 + matters


async def test_a_face_that_somebody_deleted_is_uploaded_again(bot, memory: Memory, simcord_env: Env, drawn_faces):
    await upload_faces(bot, memory, face_names())
    await next(e for e in await bot.fetch_application_emojis() if e.name == "joker_red").delete()
    asked(simcord_env)
    ids = await upload_faces(bot, memory, face_names())
    assert asked(simcord_env) == ["GET", "POST"]
    assert set(ids) == set(drawn_faces)


async def test_an_unknown_emoji_with_the_name_of_a_face_is_replaced(bot, memory: Memory, drawn_faces):
    stranger = await bot.create_application_emoji(name="7_clubs", image=drawn_faces["8_clubs"])
    ids = await upload_faces(bot, memory, face_names())
    assert ids["7_clubs"] != str(stranger.id)
    assert await names(bot) == sorted(drawn_faces)


async def test_the_common_faces_come_first_and_are_not_uploaded_twice(
    bot, memory: Memory, simcord_env: Env, drawn_faces
):
    common = await upload_faces(bot, memory, common_faces())
    assert set(common) == set(common_faces()) < set(drawn_faces)
    asked(simcord_env)
    ids = await upload_faces(bot, memory, face_names())
    assert asked(simcord_env) == ["GET"] + ["POST"] * len(OWN)
    assert ids.items() > common.items()
    assert await faces_that_are_up(memory) == ids


async def test_faces_of_an_earlier_version_stay_and_only_new_ones_are_uploaded(bot, memory: Memory, simcord_env: Env):
    before = await upload_faces(bot, memory, common_faces())
    memory.kept[TOOLS] = (0, "an earlier program")
    assert await faces_that_are_up(memory) == {}
    asked(simcord_env)
    assert (await upload_faces(bot, memory, face_names())).items() > before.items()
    assert asked(simcord_env) == ["GET"] + ["POST"] * len(OWN)


async def test_a_failure_among_the_faces_of_a_language_leaves_the_common_ones(bot, memory: Memory, simcord_env: Env):
    common = await upload_faces(bot, memory, common_faces())
    simcord_env.inject_error("POST", ROUTE, status=400, code=30008, message="Maximum number of emojis", times=1)
    assert await upload_faces(bot, memory, face_names()) == {}
    assert await upload_faces(bot, memory, common_faces()) == common


async def test_emojis_with_other_names_are_left_alone(bot, memory: Memory, drawn_faces):
    await bot.create_application_emoji(name="my_logo", image=drawn_faces["8_clubs"])
    await upload_faces(bot, memory, face_names())
    assert "my_logo" in await names(bot)


async def test_f43_a_refused_upload_leaves_words_and_the_next_start_goes_on(
    bot, memory: Memory, simcord_env: Env, drawn_faces
):
    simcord_env.inject_error("POST", ROUTE, status=400, code=50035, message="Invalid Form Body", times=1)
    assert await upload_faces(bot, memory, face_names()) == {}
    assert FaceEmojis({}).named("7_clubs") == ""
    assert set(await upload_faces(bot, memory, face_names())) == set(drawn_faces)


async def test_f43_a_failure_half_way_uploads_nothing_twice(
    bot, memory: Memory, simcord_env: Env, monkeypatch, drawn_faces
):
    create, left = bot.create_application_emoji, 40

    async def failing(**values):
        nonlocal left
        left -= 1
        if left == 0:
            raise TimeoutError
        return await create(**values)

    monkeypatch.setattr(bot, "create_application_emoji", failing)
    assert await upload_faces(bot, memory, face_names()) == {}
    asked(simcord_env)
    assert set(await upload_faces(bot, memory, face_names())) == set(drawn_faces)
    assert asked(simcord_env) == ["GET"] + ["POST"] * (len(drawn_faces) - 39)


@pytest.mark.parametrize(("status", "code"), [(500, 0), (403, 50013), (429, 30046)])
async def test_f43_without_a_list_of_emojis_there_are_words(bot, memory: Memory, simcord_env: Env, status, code):
    simcord_env.inject_error("GET", ROUTE, status=status, code=code, message="no", times=1)
    assert await upload_faces(bot, memory, face_names()) == {}
    assert memory.kept == {}


async def test_f43_a_bot_without_an_application_uses_words(memory: Memory):
    async with discord.Client(intents=discord.Intents.none()) as client:
        assert await upload_faces(client, memory, face_names()) == {}
