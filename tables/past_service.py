"""Ended games: step by step, reviewed, as a transcript, and with their shuffle verified.

They are open to everybody in the channel where the game was played, and to those who played it. Of a running game only
the public events are returned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import structlog

from data.game_models import StoredGame, shared_rules
from data.guild_models import GuildSettings
from data.models import PastGame, Person, Player, Table
from game.fairness import Shuffle, judge
from game.moves import IllegalMove
from game.players.hints import Mistake
from game.showing import table_view
from game.transcript import Transcript, format_transcript
from game.variants import variants
from tables.cache import LRUCache
from tables.doorway import Doorway
from tables.gameplay import record_of, replayed, replayed_views, shuffle_name
from tables.loaded import DamagedGameError, LoadedTable, name_of, seal_of
from tables.snapshots import (
    ReplayStep,
    Request,
    Reviewed,
    TableSnapshot,
    Verification,
    Watched,
    declines,
    declining,
    one_at_a_time,
)
from tables.thinking import Thinking

T = TypeVar("T")
_REVIEWS: Final = 200
"""How many reviews are cached, so that nobody waits for the same one twice."""
_log = structlog.get_logger(__name__)


@declining
class PastService:
    """Ended games of a server. `number` is that of the game at the table of the request.

    All methods raise `Declined` with SAVING_FAILED if the store does not answer, and all that replay a game TOO_FAST
    while one does so for the same person; `with_all_events` also raises UNKNOWN_TABLE.
    """

    def __init__(self, doorway: Doorway, thinking: Thinking | None = None) -> None:
        """The doorway also supplies names that the store has dropped, for tables that are still cached."""
        self._doorway, self._thinking = doorway, thinking
        self._games = doorway.store.games
        self.latest = declines(self._games.latest)
        self._reviews: LRUCache[tuple[int, int, int], Sequence[Mistake]] = LRUCache(_REVIEWS)
        self._reviewing = asyncio.Lock()
        self._replaying = set[int]()  # the people for whom a game is being replayed

    async def replay_step(self, request: Request, number: int, seat: int | None, step: int) -> ReplayStep | None:
        """A game as a seat saw it after `step` moves; None if there is no such game.

        A `seat` or `step` out of range is replaced by the nearest one in range. Without a `seat` it is the reader's
        own, or the first one if they did not play.
        """
        return await self._computed(request, number, lambda past: _replay_step(past, request.user, seat, step))

    async def watched(self, request: Request, number: int, seat: int | None = None) -> Watched | None:
        """A whole game as everybody, or one seat, saw it (the nearest in range). None if there is no such game."""
        return await self._computed(request, number, lambda past: _watched(past, request.user, seat))

    async def reviewed(self, request: Request, number: int) -> Reviewed | None:
        """The moves that cost this person most in a game, but not those that the computer made for them.

        None if there is no such game, or it cannot be reviewed.
        """
        found = await self._computed(request, number, lambda past: (past, _watched(past, request.user, None)))
        if found is None or self._thinking is None:
            return None
        past, watched = found
        table, seat = watched.table, watched.table.seat_of(request.user.id)
        if seat is None:
            return None
        own = frozenset(step for step, made in enumerate(past.game.moves) if made.own)
        # One review at a time, so that computer players queue behind no more than one of its choices.
        async with self._reviewing:
            mistakes = self._reviews.get((table.id, number, seat))
            if mistakes is None:
                mistakes = await self._thinking.review(record_of(past.game), seat, own)
        if mistakes is None:
            return None
        self._reviews.put((table.id, number, seat), mistakes)
        return Reviewed(table, seat, mistakes, watched.told)

    async def with_all_events(self, request: Request) -> TableSnapshot:
        """The table of a request; during a game, `recent` has all public events since the deal.

        If the record cannot be read, it has only those in memory. These stay the same objects, because `played_for`
        refers to events by identity.
        """
        loaded = await self._doorway.look(request)
        if loaded.table.status != "playing":
            return loaded.snapshot()
        views = []
        try:
            stored = await self._games.with_table(loaded.table.id, request.guild_id)
            if stored and isinstance(stored.game, StoredGame) and stored.table.game == loaded.table.game:
                with one_at_a_time(request.user.id, self._replaying):
                    views = await asyncio.to_thread(replayed_views, stored.game)
        except (ValueError, DamagedGameError) as error:
            _log.error("a running game is damaged", table=loaded.table.id, error=name_of(error))
        # Not the moves that were made since `loaded` was looked at.
        told = [event for _, events in views[: loaded.moves + 1] for event in events]
        older = told[: max(0, len(told) - len(loaded.recent))]
        return replace(loaded.snapshot(), recent=(*older, *loaded.recent))

    async def transcript(self, request: Request, number: int) -> str | None:
        """A game as text, with everything that is needed to verify its shuffle. None if there is no such game."""
        return await self._computed(request, number, _written)

    async def verification(self, request: Request, number: int) -> Verification | None:
        """The shuffle of a game, repeated and verified. None if there is no such game."""
        return await self._computed(request, number, partial(_verification, reader=request.user))

    async def _computed(self, request: Request, number: int, compute: Callable[[PastGame], T]) -> T | None:
        """The result of `compute` for a game, run in a thread; None if there is no such game, or it is damaged."""
        with one_at_a_time(request.user.id, self._replaying):
            try:
                past = await self._past(request, number)
                return None if past is None else await asyncio.to_thread(compute, past)
            except (OverflowError, TypeError, ValueError, IllegalMove, DamagedGameError) as error:
                _log.error("an ended game is damaged", table=request.table_id, game=number, error=name_of(error))
                return None

    async def _past(self, request: Request, number: int) -> PastGame | None:
        past = await self._games.past(request.guild_id, request.table_id, number)
        if past is None or not _may_see(past, request):
            return None
        cached = self._doorway.peek(past.table.id)  # with names, while they are still known
        table = past.table.but(players=cached.table.players) if cached else past.table
        rules = shared_rules(past.game.deal["rules"])
        if rules != past.table.rules:  # the table has changed them since; what a stopped game played, they alone tell
            variant = next((each.id for each in variants().values() if each.rules == rules), table.variant)
            table = table.but(variant=variant, title="", rules=rules)
        return replace(past, table=table.but(variant=past.game.variant or table.variant))


def _nearest(number: int, most: int) -> int:
    """The number from 0 to `most` that is nearest to this one."""
    return max(0, min(number, most))


def _replay_step(past: PastGame, reader: Person, seat: int | None, step: int) -> ReplayStep:
    game = past.game
    steps = len(game.moves)
    step = _nearest(step, steps)
    table = _table(past, reader)
    if seat is None:
        seat = table.seat_of(reader.id) or 0
    loaded = LoadedTable(table, GuildSettings(guild_id=table.guild_id), "")
    hand = replayed(loaded, game, step).hand(_nearest(seat, game.deal["seats"] - 1))
    return ReplayStep(hand, step, steps, Watched(table, replayed_views(game)))


def _watched(past: PastGame, reader: Person, seat: int | None) -> Watched:
    nearest = None if seat is None else _nearest(seat, past.game.deal["seats"] - 1)
    return Watched(_table(past, reader), replayed_views(past.game, nearest))


def _verification(past: PastGame, reader: Person) -> Verification:
    shuffle = _shuffle(past)
    return Verification(_table(past, reader), shuffle, judge(shuffle))


def _table(past: PastGame, reader: Person) -> Table:
    """The table as it was at the end of the game; with the seal of the next one only if that is still to be dealt."""
    ended = past.table.but(players=_players(past, reader), status="over", game=past.number, deadline=None)
    return ended if past.number == past.table.game else ended.but(next_seal="")


def _players(past: PastGame, reader: Person) -> tuple[Player, ...]:
    """The players of this game by seat, whether or not they are still at the table.

    Those who left before a later game, or sat down anew for one, are identified by the result. Without one their id is
    0: they may be people or computers. Of those who left, only the name of the reader is known.
    """
    at_table = list(past.table.players)
    names = {reader.id: reader.name} | {player.user_id: player.name for player in at_table if player.user_id}
    is_anybody_missing = not {player.joined_by for player in at_table}.issuperset(past.game.joiners)
    users = _users_by_seat(past) if is_anybody_missing and past.game.places else {}
    players: list[Player] = []
    for seat, click in enumerate(past.game.joiners):
        player = next((player for player in at_table if player.joined_by == click), None)
        if player is not None:
            at_table.remove(player)  # in old games one click may have seated several, who are found one after another
            players.append(player.but(left=False, away=False))
        else:
            user = users.get(seat, None if click in past.game.joiners[:seat] else 0)  # a second seat was a computer's
            players.append(Player(user_id=user, name=names.get(user or 0, ""), joined_by=click))
    return tuple(players)


def _users_by_seat(past: PastGame) -> dict[int, int | None]:
    """The people of a finished game by seat, found by replaying who finished in which place."""
    order = table_view(record_of(past.game).end()).finishing_order
    return dict(zip(order, past.game.places, strict=False))


def _may_see(past: PastGame, request: Request) -> bool:
    user_id = request.user.id
    is_at_table = any(player.user_id == user_id for player in past.table.players)
    return past.table.channel_id == request.channel_id or is_at_table or user_id in past.game.places


def _shuffle(past: PastGame) -> Shuffle:
    """What is needed to verify the shuffle. The seal is the one that was shown, if that is still stored."""
    game, record = past.game, record_of(past.game)
    return Shuffle(
        table=shuffle_name(past.table.id, past.number),
        joiners=game.joiners,
        seal=past.table.seal if past.number == past.table.game else seal_of(game.secret),
        secret=bytes.fromhex(game.secret),
        packs=record.rules.packs_with(record.seats),
        jokers=record.rules.jokers_with(record.seats),
        pack=record.pack,
    )


def _written(past: PastGame) -> str:
    shuffle = _shuffle(past)
    tags = {
        "Table": shuffle.table,
        "Joiners": " ".join(map(str, shuffle.joiners)),
        "Seal": shuffle.seal,
        "Secret": past.game.secret,
    }
    # A stopped game has its seal opened too, so nothing need be left out.
    return format_transcript(Transcript(record_of(past.game), past.table.variant, tags))
