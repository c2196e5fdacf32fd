"""Shortcuts into the middle of a game, and ways to make things fail there."""

import sqlite3
from contextlib import closing
from pathlib import Path

from cogs.screens.ids import parse_id
from testkit.channel import ids_on, matches

CALLBACK = ("POST", "/interactions/*/*/callback")
EDIT = ("PATCH", "/channels/*/messages/*")
POST = ("POST", "/channels/*/messages")
PLAYS = ("play", "pickup", "select", "flip")


def the_id(message, *verbs):
    """The id of the first button of one of these verbs."""
    return next(each for verb in verbs for each in ids_on(message) if matches(each, verb))


def revisions(message):
    """The revisions of the table that the buttons of a message were drawn at."""
    return {parse_id(each).revision for each in ids_on(message)}


async def in_play(room, seats=2, **options):
    """Play until everybody is ready and the first turn has begun."""
    await room.start(seats=seats, **options)
    for person in room.people[:seats]:
        await room.press(person, await room.hand(person), "ready")
    while (await snapshot(room)).view.phase == "call":
        for person in room.people[:seats]:
            hand = await room.hand(person)
            if any(matches(each, "call") for each in ids_on(hand)):
                await room.press(person, hand, "call")
                break


async def snapshot(room):
    return await room.tables.snapshot(room.table_id)


async def on_turn(room):
    """The person on turn, their private hand, and the id of a button that plays or picks up."""
    person = room.people[(await snapshot(room)).view.turn]
    hand = await room.hand(person)
    return person, hand, the_id(hand, "play", "pickup")


def fail(room, request, status, code=0, times=1):
    """Make Discord refuse a request, `times` times."""
    room.env.inject_error(*request, status=status, code=code, message="on purpose", times=times)


def requests(room, method, part):
    return [each for each in room.env.http_requests if each.method == method and part in each.path]


def file_of(room):
    return Path(room.house.store.database.url.database)


def stored(room, question):
    """Query the database without the bot."""
    with closing(sqlite3.connect(file_of(room))) as connection:
        return connection.execute(question).fetchall()


def quickly(room):
    """Make the painter retry at once; returns a list that collects the seconds it would have waited."""
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    room.house.public_message._sleep = sleep
    return waits


async def pass_by(room, **duration):
    """Let simulated time pass, and do what is due."""
    seconds = sum(value * {"seconds": 1, "minutes": 60, "hours": 3600}[unit] for unit, value in duration.items())
    await room.env.advance_time(seconds)
    await room.idle()


async def impatient(room):
    """Make the store wait 20 ms for the lock of another process instead of five seconds."""
    room.house.store.database._writer._busy_seconds = 0.02
    await room.house.store.database.close()
