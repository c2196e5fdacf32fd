"""Shortcuts into the middle of a game, and ways to make things fail there."""

# pyright: reportPrivateUsage=false
# It reaches into what it makes fail.

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from simcord import HttpLogEntry, MemberActor, ResponseMessage

from bot.public_message import PublicMessage
from data.errors import UnavailableError
from data.sqlite import SqliteDatabase
from data.store import Store
from game.view import TableView
from tables.snapshots import TableSnapshot
from testkit.channel import Room, ids_on, matches, parsed

CALLBACK = ("POST", "/interactions/*/*/callback")
EDIT = ("PATCH", "/channels/*/messages/*")
POST = ("POST", "/channels/*/messages")
PLAYS = ("play", "pickup", "select", "flip")


def the_id(message: ResponseMessage, *verbs: str) -> str:
    """The id of the first button of one of these verbs."""
    return next(each for verb in verbs for each in ids_on(message) if matches(each, verb))


def revisions(message: ResponseMessage) -> set[int]:
    """The revisions of the table that the buttons of a message were drawn at."""
    return {parsed(each).revision for each in ids_on(message)}


async def in_play(room: Room, seats: int = 2, **options: Any) -> None:
    """Play until everybody is ready and the first turn has begun."""
    await room.start(seats=seats, **options)
    for person in room.people[:seats]:
        await room.press(person, await room.hand(person), "ready")
    while (await view_of(room)).phase == "call":
        for person in room.people[:seats]:
            hand = await room.hand(person)
            if any(matches(each, "call") for each in ids_on(hand)):
                await room.press(person, hand, "call")
                break


async def snapshot(room: Room) -> TableSnapshot:
    return await room.tables.snapshot(room.table_id)


async def view_of(room: Room) -> TableView:
    """What everybody sees of the game that is running."""
    view = (await snapshot(room)).view
    assert view is not None, "no game is running"
    return view


async def on_turn(room: Room) -> tuple[MemberActor, ResponseMessage, str]:
    """The person on turn, their private hand, and the id of a button that plays or picks up."""
    turn = (await view_of(room)).turn
    assert turn is not None, "nobody is on turn"
    person = room.people[turn]
    hand = await room.hand(person)
    return person, hand, the_id(hand, "play", "pickup")


async def pause(room: Room, request: tuple[str, str] = EDIT, code: int = 50013, times: int = 2) -> MemberActor:
    """Have a running game paused: Discord forbids to draw a move. Returns the person who made it."""
    fail(room, request, 403, code, times)
    person, hand, play = await on_turn(room)
    await person.click(hand, custom_id=play)
    await room.idle()
    assert (await room.table()).paused
    return person


def fail(room: Room, request: tuple[str, str], status: int, code: int = 0, times: int = 1) -> None:
    """Make Discord refuse a request, `times` times."""
    room.env.inject_error(*request, status=status, code=code, message="on purpose", times=times)


def requests(room: Room, method: str, part: str) -> list[HttpLogEntry]:
    return [each for each in room.env.http_requests if each.method == method and part in each.path]


def file_of(room: Room) -> Path:
    place = room.house.store.database.url.database
    assert place is not None, "it is in memory"
    return Path(place)


def stored(room: Room, question: str) -> list[Any]:
    """Query the database without the bot."""
    with closing(sqlite3.connect(file_of(room))) as connection:
        return connection.execute(question).fetchall()


def public_message(room: Room) -> PublicMessage:
    """What draws and posts the tables, which only the painter knows."""
    put: Any = room.house.painter._put
    found: PublicMessage = put.__self__
    return found


def quickly(room: Room) -> list[float]:
    """Make the painter retry at once; returns a list that collects the seconds it would have waited."""
    waits = list[float]()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    public_message(room)._sleep = sleep
    return waits


async def pass_by(room: Room, **duration: float) -> None:
    """Let simulated time pass, and do what is due."""
    seconds = sum(value * {"seconds": 1, "minutes": 60, "hours": 3600}[unit] for unit, value in duration.items())
    await room.env.advance_time(seconds)
    await room.idle()


async def impatient(room: Room) -> None:
    """Make the store wait 20 ms for the lock of another process instead of five seconds."""
    database = room.house.store.database
    assert isinstance(database, SqliteDatabase)
    database._writer._busy_seconds = 0.02
    await database.close()


async def _unavailable(*_: object, **__: object) -> None:
    raise UnavailableError


def lose_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch, kind: str = "save", *, of: str = "tables", readable: bool = True
) -> None:
    """Have the database store the next change of a table, and break the connection before it says so.

    `kind` is the method of the store: a change, the opening or the removal of a table, or something `of` other rows;
    with `write` of its `database`, it is the next change of anything.
    Unless it is `readable`, nobody can find out then, until this is undone.
    """
    rows = getattr(store, of)
    change = getattr(rows, kind)

    async def unanswered(*arguments: Any, **options: Any) -> None:
        monkeypatch.setattr(rows, kind, change)
        await change(*arguments, **options)
        if not readable:
            monkeypatch.setattr(store.database, "read", _unavailable)
        raise UnavailableError

    monkeypatch.setattr(rows, kind, unanswered)


@contextmanager
def unreadable_once_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Have the database store the changes within the block, and say so, but go away for reading after the first."""
    database = store.database
    write = database.write

    async def last(*work: Any, **options: Any) -> Any:
        done = await write(*work, **options)
        broken.setattr(database, "read", _unavailable)
        return done

    with monkeypatch.context() as broken:
        broken.setattr(database, "write", last)
        yield
