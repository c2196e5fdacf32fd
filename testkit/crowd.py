"""People who do random things at many tables through the doorway, in a process that may be killed at any moment.

The crowd learns what a killed process did from the database alone. An observer is told of each request before it is
made, and of its outcome after the call to the doorway has returned.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

import structlog

from data.models import Person, Table
from data.store import Store
from game.moves import IllegalMove, PickUp, format_move, parse_move
from game.players import quick_player
from tables.services import Tables
from tables.snapshots import Declined, HandSnapshot, Request, TableSnapshot

GUILD: Final = 900
PEOPLE: Final = tuple(Person(id=number, name=f"Person {number}") for number in range(1, 13))
CHANNELS: Final = 4
AGAIN: Final = 0.05
"""The share of requests that arrive twice, as when a session is resumed."""
ODD: Final = 0.03
"""The share of requests that may not be allowed."""
WILD: Final = 0.3
"""The share of moves that are any legal one; games of nothing else would last for ages."""
GIVING_UP: Final = 0.004
OTHERS: Final = 0.8
EVEN: Final = 0.5


class Wish(NamedTuple):
    """A request that somebody wants to make: `argument` is a move, a debt or a person, `seen` the button's revision."""

    id: int
    verb: str
    table: int
    user: int
    argument: str = ""
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """A message to the observer; `kind` says whether a request is being made (`asked`), or was `done` or `refused`."""

    kind: str
    request: Wish
    revision: int = -1


class Crowd:
    """The people at all tables."""

    def __init__(self, tables: Tables, tell: Callable[[Told], None], seed: int) -> None:
        """The ids of requests begin with the seed, so that no two runs of the process use the same."""
        self._tables, self._tell = tables, tell
        self._rng = random.Random(seed)
        self._ids = count((seed + 1) << 24)

    async def at(self, channel: int) -> None:
        """Do one thing after another in a channel, for ever."""
        while True:
            table_id = await self._tables.play.in_channel(GUILD, channel)
            snapshot = await self._tables.snapshot(table_id) if table_id else None
            request = await self._next_wish(channel, snapshot)
            if request is None:
                if snapshot is not None:
                    await self._tables.timekeeping.computer_turn(snapshot.table.id)
                continue
            await self.ask(request)
            if self._rng.random() < AGAIN:
                await self.ask(request)

    async def ask(self, wish: Wish) -> None:
        """Make a request and tell the observer of it and of its outcome."""
        self._tell(Told("asked", wish))
        try:
            revision = await self._perform(wish)
        except (Declined, IllegalMove):
            self._tell(Told("refused", wish))
        else:
            self._tell(Told("done", wish, revision))

    async def _perform(self, wish: Wish) -> int:
        request = await self._request(wish)
        if wish.verb == "act":
            return (await self._tables.play.act(request, parse_move(wish.argument))).snapshot.table.revision
        if wish.verb == "serve":
            await self._tables.tea.serve(request, int(wish.argument))
            return -1
        found = await self._call(wish, request)
        return (found.snapshot if isinstance(found, HandSnapshot) else found).table.revision

    async def _request(self, wish: Wish) -> Request:
        """The request for the doorway, made from the channel of the table."""
        new = wish.verb == "open"
        channel = int(wish.argument) if new else (await self._tables.snapshot(wish.table)).table.channel_id
        return Request(wish.id, PEOPLE[wish.user - 1], GUILD, channel, wish.table, wish.seen)

    async def _call(self, wish: Wish, request: Request) -> TableSnapshot | HandSnapshot:
        lobby, play = self._tables.lobby, self._tables.play
        match wish.verb:
            case "kick":
                return await lobby.remove_person(request, int(wish.argument))
            case "change":
                return await lobby.change(request, hints=bool(wish.argument))
            case "start" | "stop" | "rematch":
                return await getattr(play, wish.verb)(request)
            case verb:
                return await getattr(lobby, verb)(request)

    async def _next_wish(self, channel: int, snapshot: TableSnapshot | None) -> Wish | None:
        """What somebody at a table wants next; None if a computer is to move."""
        if snapshot is None or not snapshot.table.is_open:
            return self._after_the_end(channel, snapshot)
        if snapshot.table.status == "lobby":
            return self._in_lobby(snapshot.table)
        return await self._in_game(snapshot)

    def _after_the_end(self, channel: int, snapshot: TableSnapshot | None) -> Wish:
        rng = self._rng
        if snapshot is not None:
            table = snapshot.table
            if snapshot.debt is not None and snapshot.debt.state == "owed" and rng.random() < EVEN:
                creditor = rng.choice(snapshot.debt.creditor_ids)
                return Wish(next(self._ids), "serve", table.id, creditor, str(snapshot.debt.id))
            if table.status in {"over", "stopped"} and rng.random() < EVEN:
                return Wish(next(self._ids), "rematch", table.id, self._sitting(table), seen=table.revision)
        number = next(self._ids)
        return Wish(number, "open", number, rng.choice(PEOPLE).id, str(channel))

    def _in_lobby(self, table: Table) -> Wish:
        rng, host = self._rng, table.host_id
        user = host if rng.random() > ODD else rng.choice(PEOPLE).id
        verb = rng.choices(
            ("join", "add_computer", "remove_computer", "leave", "kick", "change", "start"),
            (4, 2, 0.3, 0.5, 0.3, 0.5, 4 if len(table.players) > 1 else ODD),
        )[0]
        argument = ""
        if verb == "join" or (verb == "leave" and rng.random() < OTHERS):
            user = rng.choice(PEOPLE).id
        elif verb == "kick":
            argument = str(rng.choice(PEOPLE).id)
        elif verb == "change":
            argument = rng.choice(("", "hints"))
        return Wish(next(self._ids), verb, table.id, user, argument)

    async def _in_game(self, snapshot: TableSnapshot) -> Wish | None:
        table, rng = snapshot.table, self._rng
        if rng.random() < GIVING_UP:
            return Wish(next(self._ids), rng.choice(("leave", "stop")), table.id, self._sitting(table))
        seats = list(table.players)
        rng.shuffle(seats)
        for player in seats:
            if player.user_id is not None and not player.left:
                move = await self._move(table, player.user_id)
                if move:
                    number = next(self._ids)
                    return Wish(number, "act", table.id, player.user_id, move, table.revision)
        return None

    async def _move(self, table: Table, user: int) -> str:
        rng, request = self._rng, Request(0, PEOPLE[user - 1], GUILD, table.channel_id, table.id)
        view = (await self._tables.play.hand(request)).view
        if rng.random() < ODD:
            return format_move(PickUp())
        if not (view.moves or view.may_choose or view.may_lay):
            return ""
        if view.moves and rng.random() < WILD:
            return format_move(rng.choice(view.moves))
        return format_move(quick_player.choose(view, rng))

    def _sitting(self, table: Table) -> int:
        return self._rng.choice([p.user_id for p in table.players if p.user_id and not p.left] or [PEOPLE[0].id])


async def _live(url: str, seed: int, unanswered: Sequence[Wish], tell: Callable[[Told], None]) -> None:
    tables = Tables(await Store.open(url))
    crowd = Crowd(tables, tell, seed)
    for request in unanswered:  # people who got no answer press again, and Discord may deliver a click twice
        await crowd.ask(request)
    await asyncio.gather(*map(crowd.at, range(1, CHANNELS + 1)))


def live(url: str, seed: int, unanswered: Sequence[Wish], pipe: Connection) -> None:
    """Play until killed. Outcomes are written to `pipe` after the call has returned, so they were acknowledged."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    asyncio.run(_live(url, seed, unanswered, pipe.send))
