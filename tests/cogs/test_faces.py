"""The faces in a game: uploaded once in the background and used from then on; until then there are words."""

import asyncio
import re
import threading
from concurrent.futures.process import BrokenProcessPool

import pytest
from simcord import ResponseMessage
from structlog.testing import capture_logs

from bot import faces
from bot.client import CardBot
from bot.faces import NOTE, faces_that_are_up, keep_faces, uploaded_faces
from cogs.drawing_pool import drawn_rarely
from cogs.screens.components import walk
from cogs.screens.formatter import FaceEmojis, common_faces, face_names
from data.errors import UnavailableError
from tables.snapshots import declines
from testkit.channel import Room

ROUTE = "/applications/*/emojis"
OWN = set(face_names()) - set(common_faces())
"""The faces that only some languages use."""
PICTURE = re.compile(r"<:(\w+):(\d+)>")


@pytest.fixture(autouse=True)
def drawn(monkeypatch, drawn_faces):
    monkeypatch.setattr(faces, "emoji_set", lambda names: {name: drawn_faces[name] for name in names})


async def put_up_faces(bot: CardBot, **options):
    """Upload the faces as the bot does at its start."""
    bot.use_faces(await uploaded_faces(bot, bot.tables, face_names(), **options))


def pictures(message: ResponseMessage):
    """The names and ids of all emojis in the texts and on the buttons of a message."""
    parts = list(walk(message.components))
    on_buttons = {each["emoji"]["name"]: each["emoji"]["id"] for each in parts if each.get("emoji")}
    return dict(PICTURE.findall("".join(each.get("content", "") for each in parts))) | on_buttons


async def test_hand_and_table_show_the_uploaded_faces(room: Room):
    bot = room.house.bot
    await put_up_faces(bot)
    there = {emoji.name: str(emoji.id) for emoji in await bot.fetch_application_emojis()}
    assert there == bot.faces.emojis
    room.forbid(attach_files=True)
    await room.start()
    for message in (room.public(), await room.hand(room.people[0])):
        snapshot = pictures(message)
        assert len(snapshot) > 1
        assert snapshot.items() <= there.items()


async def test_if_an_upload_is_refused_cards_are_words(room: Room):
    room.env.inject_error("POST", ROUTE, status=400, code=50035, message="Invalid Form Body", times=1)
    await put_up_faces(room.house.bot)
    assert room.house.bot.faces == FaceEmojis()
    room.forbid(attach_files=True)
    await room.start()
    hand = await room.hand(room.people[0])
    assert not pictures(room.public())
    assert not pictures(hand)
    assert any("\ufe0e" in each.get("label", "") for each in walk(hand.components))


async def test_faces_are_drawn_a_few_at_a_time_because_a_slow_machine_takes_minutes_for_all(room: Room, monkeypatch):
    asked, draw = [], faces.emoji_set

    def noted(names):
        asked.append(len(names))
        return draw(names)

    monkeypatch.setattr(faces, "emoji_set", noted)
    await put_up_faces(room.house.bot)
    assert sum(asked) == len(room.house.bot.faces.emojis) == len(face_names())
    assert max(asked) <= 15


async def test_once_a_part_of_the_faces_has_failed_the_rest_is_given_up(room: Room, monkeypatch):
    """A process that dies of the first would be started once more for each of the others, and hold up films."""
    asked, is_given_up = [], threading.Event()

    def fails(names):
        asked.append(names)
        if len(asked) > 1:  # the one that begins before anybody knows of the failure
            is_given_up.wait()
        raise BrokenProcessPool("its process was ended by signal 9")

    monkeypatch.setattr(faces, "emoji_set", fails)
    await put_up_faces(room.house.bot)
    for _ in range(9):
        await asyncio.sleep(0)  # what was given up learns it
    is_given_up.set()
    await drawn_rarely(list)  # after whatever is still queued
    assert len(asked) <= 2


async def test_failed_uploads_are_tried_again_later(room: Room):
    room.env.inject_error("POST", ROUTE, status=400, code=50035, message="Invalid Form Body", times=2)
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    await keep_faces(room.house.bot, room.tables, room.house.bot.use_faces, sleep=sleep)
    assert waited == [60, 120]
    assert set(room.house.bot.faces.emojis) == set(face_names())


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (BrokenProcessPool("its process was ended by signal 9"), "its process was ended by signal 9"),
        (OSError("unknown file format"), "a face cannot be drawn: unknown file format"),  # as Pillow says of a typeface
    ],
    ids=["process", "typeface"],
)
async def test_faces_are_tried_again_after_they_could_not_be_drawn_and_that_is_no_error(
    room: Room, monkeypatch, error, why
):
    waited, draw = [], faces.emoji_set

    def killed(names):
        raise error

    async def sleep(seconds):
        waited.append(seconds)
        monkeypatch.setattr(faces, "emoji_set", draw)

    monkeypatch.setattr(faces, "emoji_set", killed)
    with capture_logs() as said:
        await keep_faces(room.house.bot, room.tables, room.house.bot.use_faces, sleep=sleep)
    told = {"event": "no card faces, cards are text", "why": why}
    assert said == [{**told, "log_level": "warning"}]
    assert waited == [60]
    assert set(room.house.bot.faces.emojis) == set(face_names())


@pytest.mark.parametrize("note", ["{", "7", '["7_clubs"]', '{"7_clubs": 3}', '{"7_clubs": []}'])
async def test_a_note_of_uploaded_faces_that_cannot_be_read_is_written_anew(room: Room, note):
    await room.tables.write_note(NOTE, note)
    await put_up_faces(room.house.bot)
    assert room.house.bot.faces.emojis == await faces_that_are_up(room.tables)
    assert set(await faces_that_are_up(room.tables)) == set(face_names())


async def test_the_common_faces_stand_in_while_those_of_a_language_cannot_be_uploaded(room: Room, monkeypatch):
    bot, there = room.house.bot, []
    create, full = bot.create_application_emoji, True

    async def failing(**values):
        if full and values["name"] in OWN:
            raise TimeoutError
        return await create(**values)

    async def sleep(_):
        nonlocal full
        there.append(set(bot.faces.emojis))
        full = len(there) < 2

    monkeypatch.setattr(bot, "create_application_emoji", failing)
    await keep_faces(bot, bot.tables, bot.use_faces, sleep=sleep)
    assert there == [set(common_faces())] * 2
    assert set(bot.faces.emojis) == set(face_names())


async def test_the_next_process_finds_them_uploaded(room: Room):
    await put_up_faces(room.house.bot)
    first = room.house.bot.faces
    room.house.bot.faces = FaceEmojis()
    before = len(room.env.http_requests)
    await put_up_faces(room.house.bot)
    assert room.house.bot.faces == first
    assert len(room.env.http_requests) == before + 1


async def test_a_process_without_the_first_shard_waits_for_the_one_that_has_it(room: Room):
    bot, looked = room.house.bot, []

    async def sleep(seconds):
        looked.append(seconds)
        bot.shard_ids = None
        await put_up_faces(bot)
        bot.faces, bot.shard_ids = FaceEmojis(), [1]

    bot.shard_ids = [1]
    await put_up_faces(bot, sleep=sleep)
    assert looked == [60]
    assert set(bot.faces.emojis) == set(face_names())


async def test_if_the_database_fails_there_are_words(room: Room, monkeypatch):
    async def failing(name):
        raise UnavailableError(name)

    monkeypatch.setattr(room.tables, "read_note", declines(failing))
    await put_up_faces(room.house.bot)
    assert room.house.bot.faces == FaceEmojis()


async def test_faces_that_come_during_a_game_are_used_from_then_on(room: Room):
    await room.start()
    assert not pictures(await room.hand(room.people[0]))
    await asyncio.create_task(put_up_faces(room.house.bot))
    assert pictures(await room.hand(room.people[0]))


async def test_faces_uploaded_before_a_failure_are_not_uploaded_again(room: Room, monkeypatch):
    bot, left = room.house.bot, 30
    create = bot.create_application_emoji

    async def failing(**values):
        nonlocal left
        left -= 1
        if left == 0:
            raise TimeoutError
        return await create(**values)

    monkeypatch.setattr(bot, "create_application_emoji", failing)
    await put_up_faces(bot)
    assert bot.faces == FaceEmojis()
    there = {emoji.name: emoji.id for emoji in await bot.fetch_application_emojis()}
    assert len(there) == 29
    await room.restart()
    bot = room.house.bot
    assert bot.faces == FaceEmojis()
    await put_up_faces(bot)
    assert set(bot.faces.emojis) == set(face_names())
    assert {name: int(bot.faces.emojis[name]) for name in there} == there
