"""Shortcuts to the end of a game, to the builder of house rules, and to what somebody is told."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import discord
from simcord import InteractionResult, MemberActor, ResponseMessage

from game.players import quick_player
from tables.loaded import Changed
from tables.services import Tables
from tables.snapshots import TableSnapshot
from testkit.channel import NAMES, Room, ids_on, matches
from testkit.made import texts
from testkit.offline import request_at

MOST = 2000
"""Moves after which a game never ends."""


async def builder_of(room: Room, host: MemberActor) -> ResponseMessage:
    """Open the builder of house rules in the lobby; its first page."""
    page = (await room.press(host, room.public(), "more")).response
    assert page is not None, "no page behind More"
    await room.press(host, page, "house")
    return page


async def play_on(room: Room, until: Callable[[TableSnapshot], bool] = lambda _: False) -> TableSnapshot:
    """Play without clicks, for people and computers, to the end or until a condition holds; only then is it drawn."""
    with _unheard(room.tables):
        await _played(room, until)
    await room.idle()
    return await room.tables.snapshot(room.table_id)


async def _played(room: Room, until: Callable[[TableSnapshot], bool]) -> None:
    for _ in range(MOST):
        snapshot = await room.tables.snapshot(room.table_id)
        if snapshot.table.status != "playing" or until(snapshot):
            return
        if not await room.tables.timekeeping.computer_turn(room.table_id):
            await _move(room, snapshot)
    raise AssertionError("the game does not end")


@contextmanager
def _unheard(tables: Tables) -> Generator[None]:
    """Tell those who listen to the tables nothing but the last change of each, once it is over."""
    listeners, last = tables.listeners[:], dict[int, Changed]()
    tables.listeners[:] = [lambda changed: last.update({changed.table.id: changed})]
    try:
        yield
    finally:
        tables.listeners[:] = listeners
        for changed in last.values():
            for listener in listeners:
                listener(changed)


async def _move(room: Room, snapshot: TableSnapshot) -> None:
    """Make the move of the quick player for the first of the people who can move."""
    for player in snapshot.table.people:
        assert player.user_id is not None, "people have an id"
        request = request_at(snapshot.table, player.user_id, id=room.env.backend.snowflake())
        view = (await room.tables.play.hand(request)).view
        if view.moves or view.may_choose or view.may_swap:
            await room.tables.play.act(request, quick_player.choose(view, room.chance))
            return


async def finished(room: Room, seats: int = 2) -> TableSnapshot:
    """Start a game, and play it to its end without clicks."""
    await room.start(seats=seats)
    return await play_on(room)


async def end(room: Room, seats: int = 2) -> TableSnapshot:
    """Start a game, and play it to its end with everybody's hand open; the room is `followed`."""
    await room.open(seats=seats)
    await press(room, room.people[0], "start", room.public())
    ended = await play_on(room)
    await settled(room)
    return ended


async def stopped(room: Room) -> None:
    """Start a game, and stop it by the vote of one."""
    await room.start(seats=2)
    more = (await room.press(room.people[0], room.public(), "more")).response
    assert more is not None, "no page"
    await room.press(room.people[0], more, "stopping")
    await room.press(room.people[0], more, "stop")


async def settled(room: Room) -> None:
    """Wait until the open hands of a room that is `followed` are up to date."""
    await room.idle()
    await room.house.hands.idle()


async def press(room: Room, person: MemberActor, verb: str, on: ResponseMessage | None = None) -> None:
    """Press a button on the person's newest private message, or on another one, and wait for the open hands."""
    await room.press(person, on or room.notes(person)[-1], verb)
    await settled(room)


def can(message: ResponseMessage, *verbs: str) -> bool:
    """Whether a message has a button of one of these verbs."""
    return any(matches(id_, verb) for id_ in ids_on(message) for verb in verbs)


def called(room: Room, person: MemberActor) -> str:
    """The name of somebody in the room."""
    return NAMES[room.people.index(person)]


async def manager(room: Room) -> MemberActor:
    """A member who may manage the server."""
    role = room.guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
    return room.guild.add_member(room.env.create_user("boss", global_name="Boss"), roles=[role])


def sentence(result: InteractionResult) -> str:
    """What somebody is told in private."""
    assert result.acknowledged
    assert result.response is not None, "no message"
    assert result.response.ephemeral
    return texts(result.response.components)


def sent_file(result: InteractionResult) -> discord.Attachment:
    """The file that came with an answer."""
    assert result.response is not None, "no message"
    return next(iter(result.response.attachments))
