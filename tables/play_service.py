"""Tables during and after a game: deal, moves, stop, rematch, and what each person may see.

A method that changes a table has the doorway call a pure function, named like the method: `decide_act` decides what
`act` does. It takes the table and returns a transition, or None if nothing is to be done. These functions are below
the class; `decide_start` and `decide_rematch` are in `tables.rematch`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from random import Random
from typing import TypeAlias

from data.models import Table
from game.moves import IllegalMove, Move, Refusal, Timeout
from game.players.hints import Hint
from game.players.memory import Memory
from tables.doorway import Decide, Doorway
from tables.gameplay import carried_out, computer_move, ended, make_move, reminded, with_full_time
from tables.loaded import LoadedTable, Transition
from tables.lobby_changes import name_at, next_revision, require_host
from tables.match import is_between_games, is_voted_off
from tables.rematch import decide_rematch, decide_start, seat_to_show
from tables.snapshots import Decline, Declined, HandSnapshot, Ignoring, Request, TableSnapshot, declining
from tables.thinking import Thinking
from tables.timing import was_just_posted

Limit: TypeAlias = Callable[[int, int], Awaitable[None]]
"""Declines one more table in a server, for a host: `LobbyService.require_few`."""


@declining
class PlayService:
    """Tables from the deal on.

    All coroutine methods raise `Declined` with SAVING_FAILED if the store does not answer. Those with a request also
    raise UNKNOWN_TABLE if the table is not in its channel, NOT_SEATED if only somebody who sits there may ask for it,
    CLOSING if they ask for a change. The docstring of each method lists its other reasons.
    """

    def __init__(self, doorway: Doorway, randomness: Random, thinking: Thinking | None, require_few: Limit) -> None:
        self._doorway, self._randomness, self._thinking = doorway, randomness, thinking
        self._require_few = require_few

    async def _hand_after(self, request: Request, decide: Decide) -> HandSnapshot:
        return (await self._doorway.change(request, decide)).hand_of(request.user.id)

    async def _table_after(self, request: Request, decide: Decide) -> TableSnapshot:
        return (await self._doorway.change(request, decide)).snapshot()

    async def start(self, request: Request) -> HandSnapshot:
        """Deal (host only). Declined: NOT_A_LOBBY, NOT_HOST, TOO_FEW, NO_ROOM_IN_PACK, CLASHING_RULES."""
        return await self._hand_after(
            request, lambda loaded, now: carried_out(decide_start(loaded, request, now, self._randomness), now)
        )

    async def act(self, request: Request, move: Move) -> HandSnapshot:
        """Make a move for a person, who saw the table at revision `request.seen`. `IllegalMove` if the rules refuse it.

        Declined: NOT_PLAYING; STALE if the message was out of date.
        """
        return await self._hand_after(
            request, lambda loaded, now: decide_act(loaded, request, move, now, self._randomness)
        )

    async def play_for(self, request: Request) -> HandSnapshot:
        """Let the computer move for another player whose time is up.

        Declined: NOT_PLAYING, NOT_YET if nobody's time is up.
        """
        return await self._hand_after(
            request, lambda loaded, now: decide_play_for(loaded, request, now, self._randomness)
        )

    async def remind(self, request: Request) -> HandSnapshot:
        """Remind those who are not ready, once, at the request of one who is. Declined: NOT_PLAYING, ALREADY_SO."""
        return await self._hand_after(request, lambda loaded, _now: decide_remind(loaded, request))

    async def take_back(self, request: Request) -> HandSnapshot:
        """Take one's seat back after leaving: in a game, or between the games of a match.

        Declined: REMOVED, NOT_PLAYING, ALREADY_SEATED.
        """
        return await self._hand_after(request, lambda loaded, now: decide_take_back(loaded, request, now))

    async def rematch(self, request: Request) -> TableSnapshot:
        """Deal the next game of a match; otherwise ask who wants another one. Also for people who left the game.

        `request.seen` is the revision of the message with the button: that of an earlier game is declined.

        Declined: NOT_OVER, TOO_FEW, NO_ROOM_IN_PACK, CLASHING_RULES, OLD_RESULT, TABLE_IN_CHANNEL, TOO_MANY_TABLES,
        SERVER_FULL; JUST_POSTED if it was stopped right after it was posted.
        """
        async with self._doorway.lock("server", request.guild_id):
            if not (await self._doorway.look(request)).table.is_open:  # a table in use may be this one already
                await self._require_few(request.guild_id, request.user.id)
            return await self._table_after(
                request, lambda loaded, now: carried_out(decide_rematch(loaded, request, now, self._randomness), now)
            )

    async def stop(self, request: Request) -> TableSnapshot:
        """Stop: host and moderators at once, others by a majority of the people still seated. Nobody owes anything.

        Declined: NOT_PLAYING if the table is not in use, NOT_HOST in a lobby, ALREADY_VOTED.
        """
        return await self._table_after(request, lambda loaded, now: decide_stop(loaded, request, now, self._randomness))

    async def unvote(self, request: Request) -> TableSnapshot:
        """Take back one's own vote to stop. Declined: NOT_PLAYING, ALREADY_SO if there is none."""
        return await self._table_after(request, lambda loaded, now: decide_unvote(loaded, request, now))

    async def hand(self, request: Request) -> HandSnapshot:
        """What a seated person may see, and of an ended game whoever left it.

        Looking ends being away, and restores the name of the seat: the store drops names at the end of a game, and
        there may have been a restart before the rematch.

        Declined: NOT_PLAYING before the deal, UNKNOWN_TABLE also for a closed lobby, REMOVED.
        """
        loaded = await self._doorway.look(request)
        if decide_come_back(loaded, request, self._doorway.now()) is not None:  # seldom; otherwise no lock is taken
            await self._doorway.change_table(request.table_id, lambda there, now: decide_come_back(there, request, now))
            loaded = await self._doorway.look(request)
        seat = seat_to_show(loaded, request.user.id, self._doorway.now())
        return loaded.hand_of(request.user.id) if seat is None else loaded.hand(seat)

    async def hint(self, request: Request) -> tuple[HandSnapshot, Hint | None]:
        """What a seated person may see, with the move that a strong player would make.

        There is none if the host turned hints off, the game has ended, it is not their turn, or the table changed.

        Declined: as `hand`.
        """
        hand = await self.hand(request)
        loaded = await self._doorway.look(request)
        if self._thinking is None or not (loaded.table.is_open and loaded.table.hints) or loaded.memory is None:
            return hand, None
        hint = await self._thinking.explain(hand.view, loaded.memory)
        hand_now = await self.hand(request)
        return hand_now, (hint if hand_now.view == hand.view else None)

    async def known(self, request: Request) -> tuple[HandSnapshot, Memory | None]:
        """What a seated person may see, with the memory of what everybody has seen; None if the host turned hints off.

        Declined: as `hand`.
        """
        hand = await self.hand(request)
        loaded = await self._doorway.look(request)
        return hand, (loaded.memory if loaded.table.hints else None)

    async def hand_since(self, table_id: int, user_id: int, seen: int) -> HandSnapshot | TableSnapshot | None:
        """What a message drawn at revision `seen` should show a person now; None if it is up to date.

        The hand of `seat_to_show`, once cards are dealt. Whoever has no hand gets the table: during a game, and if they
        sit in a lobby, only if `seen` is below 0. Unlike `hand`, this is no request: a player who is away stays away.

        Declined: UNKNOWN_TABLE also for a closed lobby, REMOVED, NOT_SEATED.
        """
        loaded = await self._doorway.get(table_id)
        seat = seat_to_show(loaded, user_id, self._doorway.now())
        if seat is None or loaded.table.status == "lobby":
            is_news_for_all = seat is None and loaded.table.status != "playing"
            oldest = loaded.hands_revision if is_news_for_all else 0
            return loaded.snapshot() if seen < oldest else None
        return None if loaded.state is None or loaded.is_fresh(seat, seen) else loaded.hand(seat)

    async def look(self, request: Request) -> TableSnapshot:
        """The table of a request, as everybody may see it; also for people who do not sit there."""
        return (await self._doorway.look(request)).snapshot()

    async def in_channel(self, guild_id: int, channel_id: int) -> int | None:
        """The id of the table in use in a channel, otherwise of the latest; None if there is none that can be read.

        A match that can go on is still found if only lobbies have been opened and closed after it.
        """
        for dealt in (True, False):
            table_id = await self._doorway.store.tables.in_channel(guild_id, channel_id, dealt=dealt)
            with Ignoring(Decline.UNKNOWN_TABLE):
                table = (await self._doorway.get(table_id or 0, guild_id)).table
                if table.is_open or is_between_games(table) or not dealt:
                    return table.id
        return None

    async def elsewhere(self, request: Request) -> int | None:
        """The newest other table in use in the server at which somebody has or had a seat; None if there is none."""
        found = await self._doorway.store.tables.at_which_sits(request.guild_id, request.user.id)
        return next((table_id for _, table_id in reversed(found) if table_id != request.table_id), None)

    def paused_table(self, request: Request) -> Table | None:
        """The table of a request if its clock is paused because it cannot be shown. Only the cache is searched."""
        loaded = self._doorway.peek(request.table_id)
        return loaded.table if loaded and loaded.table.paused and loaded.is_at(request) else None

    async def move_to_bottom(self, request: Request) -> TableSnapshot:
        """Have the public message posted again, below everything else; anybody in the channel may.

        Declined: JUST_POSTED; then it is only drawn again, in case somebody has deleted it.
        """
        loaded = await self._doorway.look(request)
        is_there = not loaded.table.paused and was_just_posted(loaded.table, self._doorway.now())
        self._doorway.publish(loaded, bottom=not is_there)
        if is_there:
            raise Declined(Decline.JUST_POSTED, loaded.snapshot(), request.table_id)
        return loaded.snapshot()


# -- decisions


def decide_act(loaded: LoadedTable, request: Request, move: Move, now: datetime, randomness: Random) -> Transition:
    """Make a move for a person, who saw the table at revision `request.seen`."""
    seat = _playing_seat(loaded, request)
    if not loaded.is_fresh(seat, request.seen):
        raise Declined(Decline.STALE)
    if isinstance(move, Timeout):
        raise IllegalMove(Refusal.NOT_ALLOWED)  # only the clock may say that time is up
    return make_move(_not_away(loaded, seat), seat, move, now, randomness, own=True)


def decide_play_for(loaded: LoadedTable, request: Request, now: datetime, randomness: Random) -> Transition:
    """Let the computer move for a player whose time is up, at the request of another."""
    seat = _playing_seat(loaded, request)
    others = [other for other in loaded.waiting() if other != seat]
    if not others or loaded.table.deadline is None or now < loaded.table.deadline:
        raise Declined(Decline.NOT_YET)
    return computer_move(_not_away(loaded, seat), others[0], now, randomness, by_seat=seat)


def decide_stop(loaded: LoadedTable, request: Request, now: datetime, randomness: Random) -> Transition:
    """Stop the game: host and moderators at once, others by a majority of the people who are still seated."""
    table = loaded.table
    if not table.is_open:
        raise Declined(Decline.NOT_PLAYING)
    counted = next_revision(table, now)
    if stops_alone(table, request):  # then the other votes are void
        players = tuple(who.but(wants_stop=who.user_id == request.user.id) for who in table.players)
        counted = counted.but(players=players)
    else:
        counted = counted.with_player(_voting_seat(loaded, request.user.id), wants_stop=True)
        if not is_voted_off(counted):
            return Transition(loaded.but(table=counted))
    return Transition(ended(loaded.but(table=counted), now, randomness, "stopped"))


def decide_unvote(loaded: LoadedTable, request: Request, now: datetime) -> Transition:
    """Take back a person's vote to stop."""
    table = loaded.table
    if not table.is_open:
        raise Declined(Decline.NOT_PLAYING)
    seat = table.seat_of(request.user.id)
    if seat is None or not table.players[seat].wants_stop:
        raise Declined(Decline.ALREADY_SO)
    return Transition(loaded.but(table=next_revision(table, now).with_player(seat, wants_stop=False)))


def would_stop(table: Table, request: Request) -> bool:
    """Whether `decide_stop` would end the game for this person, rather than count a vote or decline."""
    if stops_alone(table, request):
        return table.is_open
    seat = table.seat_of(request.user.id)
    if seat is None or table.status != "playing" or table.players[seat].wants_stop:
        return False
    return is_voted_off(table.with_player(seat, wants_stop=True))


def stops_alone(table: Table, request: Request) -> bool:
    """Whether a person needs no votes to stop a game: the host, while seated, and moderators."""
    return request.moderator or (table.host_id == request.user.id and table.seat_of(request.user.id) is not None)


def decide_remind(loaded: LoadedTable, request: Request) -> Transition | None:
    """Remind the players who are not ready, at the request of one who is; None if they have been reminded."""
    seat = _playing_seat(loaded, request)
    is_exchange = loaded.state is not None and loaded.state.frame.phase == "exchange"
    if seat in loaded.waiting() or not is_exchange:
        raise Declined(Decline.ALREADY_SO)
    return None if loaded.table.nudged else Transition(loaded.but(table=reminded(loaded.table)))


def decide_take_back(loaded: LoadedTable, request: Request, now: datetime) -> Transition:
    """Return a seat to the person who left it; the computer has played for it meanwhile."""
    table, user_id = loaded.table, request.user.id
    loaded.require_welcome(user_id, now)
    if table.status != "playing" and not is_between_games(table):
        raise Declined(Decline.NOT_PLAYING)
    if table.seat_of(user_id) is not None:
        raise Declined(Decline.ALREADY_SEATED)
    seat = table.seat_left_by(user_id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    back = next_revision(table, now).with_player(seat, left=False, name=name_at(table, request.user))
    if seat in loaded.waiting() and table.is_abandoned:
        # Otherwise time goes on, even if it is up, or leaving and coming back would gain a new turn each time.
        back = with_full_time(back, loaded.state, now)
    return Transition(loaded.but(table=back))


def decide_come_back(loaded: LoadedTable, request: Request, now: datetime) -> Transition | None:
    """Record that a person looks at their hand: they are no longer away, and their seat has its name again."""
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        return None
    player = loaded.table.players[seat]
    was_away = player.away and loaded.table.status == "playing" and loaded.state is not None
    lacks_name = not player.name and loaded.table.is_open
    if not was_away and not lacks_name:
        return None
    table = loaded.table.with_player(seat, name=player.name or name_at(loaded.table, request.user))
    if was_away:
        table = next_revision(table, now).with_player(seat, away=False)
        if seat in loaded.waiting() or not loaded.table.present:
            table = with_full_time(table, loaded.state, now)
    return Transition(loaded.but(table=table))


def _playing_seat(loaded: LoadedTable, request: Request) -> int:
    seat = loaded.seat_of(request.user.id)
    if loaded.table.status != "playing" or loaded.state is None:
        raise Declined(Decline.NOT_PLAYING)
    return seat


def _voting_seat(loaded: LoadedTable, user_id: int) -> int:
    if loaded.table.status == "lobby":
        require_host(loaded.table, user_id)
    seat = loaded.seat_of(user_id)
    if loaded.table.players[seat].wants_stop:
        raise Declined(Decline.ALREADY_VOTED)
    return seat


def _not_away(loaded: LoadedTable, seat: int) -> LoadedTable:
    """The table with the player on this seat no longer away."""
    return loaded.but(table=loaded.table.with_player(seat, away=False)) if loaded.table.players[seat].away else loaded
