"""The doorway in a game: deal, moves, stop, rematch; and what may be seen of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from data.models import Change, Table
from game.moves import check
from game.moves import Move, Ready, Timeout
from game.players import baseline
from game.moves import IllegalMove, Refusal
from game.views import seat_view
from tables.asking import asking
from tables.doorway import Doorway
from tables.loaded import LoadedTable, Transition
from tables.lobby import following, require_host, require_lobby
from tables.match import first_standings
from tables.progress import begin_game, ended, make_move, series_of
from tables.randomness import seal_of
from tables.snapshots import Decline, Declined, HandSnapshot, TableSnapshot
from tables.timing import time_for


class Games(Doorway):
    """Tables from the deal on."""

    async def table_in(self, guild_id: int, channel_id: int) -> int | None:
        """The id of the table that is in use in a channel, else of the last one there.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            found = await self._store.tables.in_channel(guild_id, channel_id)
        if found is not None:
            self._cache.learn(found, guild_id)
        return found

    async def is_at(self, table_id: int, guild_id: int, channel_id: int) -> bool:
        """Whether a table is in this channel of this server.

        Raises:
            Declined: there is no such table.
        """
        table = (await self._get(table_id)).table
        return (table.guild_id, table.channel_id) == (guild_id, channel_id)

    async def start(self, table_id: int, user_id: int, *, interaction_id: int) -> TableSnapshot:
        """Deal; for the host.

        Raises:
            Declined: no such lobby, not the host, too few seated, saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition:
            require_lobby(loaded.table, user_id)
            now, seats = self._now(), len(loaded.table.players)
            dealer = self._randomness.randrange(seats) if seats else 0
            lines = first_standings(loaded.table.players) if loaded.table.match else ()
            return begin_game(loaded, following(loaded.table, now, dealer=dealer, standings=lines), now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).snapshot()

    async def act(self, table_id: int, user_id: int, move: Move, seen: int, *, interaction_id: int) -> HandSnapshot:
        """Make a move with the seat of a person, who saw the table at revision `seen`.

        Raises:
            Declined: no such game, not seated there, the message was old (STALE), saving failed.
            IllegalMove: the rules refuse it; nothing changed.
        """

        def decide(loaded: LoadedTable) -> Transition:
            seat = self._seat(loaded, user_id)
            if not loaded.is_fresh(seat, seen):
                raise Declined(Decline.STALE)
            if isinstance(move, Timeout):
                raise IllegalMove(Refusal.NOT_ALLOWED)  # time is the clock's alone
            flags = _back(loaded.table, seat)
            return make_move(loaded, seat, move, self._now(), self._randomness, by=interaction_id, **flags)

        loaded = await self._change(table_id, interaction_id, decide)
        return loaded.hand(_seat_of(loaded, user_id))

    def _seat(self, loaded: LoadedTable, user_id: int) -> int:
        if loaded.table.seat_of(user_id) is None:
            raise Declined(Decline.NOT_SEATED)
        if loaded.table.status != "playing" or loaded.state is None:
            raise Declined(Decline.NOT_PLAYING)
        return _seat_of(loaded, user_id)

    async def hand(self, table_id: int, user_id: int) -> HandSnapshot:
        """What a seated person may see; whoever was away is back by it.

        Raises:
            Declined: no such table, not seated there, nothing dealt yet.
        """
        loaded = await self._get(table_id)
        seat = loaded.table.seat_of(user_id)
        if seat is None:
            raise Declined(Decline.NOT_SEATED, loaded.snapshot())
        if loaded.state is None:
            raise Declined(Decline.NOT_PLAYING, loaded.snapshot())
        if loaded.table.status == "playing" and loaded.table.players[seat].away:
            loaded = await self._change(table_id, None, lambda found: self._returned(found, user_id))
        return loaded.hand(seat)

    async def hand_since(self, table_id: int, user_id: int, seen: int) -> HandSnapshot | None:
        """What a seated person may see, if a message drawn at revision `seen` does not show it any more.

        Unlike `hand` it is nobody's click: whoever is away stays so.

        Raises:
            Declined: there is no such table.
        """
        loaded = await self._get(table_id)
        seat = loaded.table.seat_of(user_id)
        return None if seat is None or loaded.state is None or loaded.is_fresh(seat, seen) else loaded.hand(seat)

    def _returned(self, loaded: LoadedTable, user_id: int) -> Transition | None:
        seat, state, now = loaded.table.seat_of(user_id), loaded.state, self._now()
        if seat is None or state is None or not loaded.table.players[seat].away:
            return None
        after = following(loaded.table, now, **_back(loaded.table, seat))
        if seat in loaded.waiting() or not loaded.is_attended():
            time = time_for(after, state.frame.phase)
            after = after.model_copy(
                update={"turn_since": now, "deadline": now + time, "nudged": False, "overdue": False}
            )
        return Transition(replace(loaded, table=after), Change(before=loaded.table, after=after, at=now))

    async def play_for(self, table_id: int, user_id: int, *, interaction_id: int) -> TableSnapshot:
        """Have the computer move for those whose time is up; for the others at the table.

        Raises:
            Declined: no such game, not seated there, the time is not up, saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition:
            seat, now = self._seat(loaded, user_id), self._now()
            late = [each for each in loaded.waiting() if each != seat]
            if not late or loaded.table.deadline is None or now < loaded.table.deadline:
                raise Declined(Decline.NOT_YET)
            return self._played(loaded, late[0], now, by=interaction_id)

        return (await self._change(table_id, interaction_id, decide)).snapshot()

    def _played(
        self, loaded: LoadedTable, seat: int, now: datetime, *, by: int | None = None, **flags: Any
    ) -> Transition:
        """One move of the computer with a seat. Who has not prepared in time is ready as they are."""
        if loaded.state is None:
            raise Declined(Decline.NOT_PLAYING)
        hurried = loaded.table.overdue or (loaded.table.deadline is not None and now >= loaded.table.deadline)
        if hurried and check(loaded.state, seat, Ready()) is None:
            move: Move = Ready()
        else:
            move = baseline.choose(seat_view(loaded.state, seat), self._randomness)
        return make_move(loaded, seat, move, now, self._randomness, by=by, **flags)

    async def stop(self, table_id: int, user_id: int, *, moderator: bool, interaction_id: int) -> TableSnapshot:
        """Stop: host and moderators at once, others by more than half of the people still seated. Nobody owes then.

        Raises:
            Declined: no such table in use, not seated there, voted already, saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition:
            table, now = loaded.table, self._now()
            if not table.is_open:
                raise Declined(Decline.NOT_PLAYING)
            if moderator or (table.host_id == user_id and table.seat_of(user_id) is not None):
                return self._stopped(loaded, now, interaction_id, table.stop_votes)
            return self._voted(loaded, user_id, now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).snapshot()

    def _voted(self, loaded: LoadedTable, user_id: int, now: datetime, interaction_id: int) -> Transition:
        table = loaded.table
        if table.status == "lobby":
            require_host(table, user_id)
        if table.seat_of(user_id) is None:
            raise Declined(Decline.NOT_SEATED)
        if user_id in table.stop_votes:
            raise Declined(Decline.ALREADY_VOTED)
        votes = (*table.stop_votes, user_id)
        people = sum(not (player.is_computer or player.left) for player in table.players)
        if len(votes) * 2 > people:
            return self._stopped(loaded, now, interaction_id, votes)
        after = following(table, now, stop_votes=votes)
        change = Change(before=table, after=after, at=now, interaction_id=interaction_id)
        return Transition(replace(loaded, table=after), change)

    def _stopped(self, loaded: LoadedTable, now: datetime, interaction_id: int, votes: tuple[int, ...]) -> Transition:
        counted = following(loaded.table, now, stop_votes=votes)
        after, secret = ended(counted, now, loaded.secret, self._randomness, status="stopped")
        change = Change(before=loaded.table, after=after, at=now, interaction_id=interaction_id, sealed=secret)
        return Transition(replace(loaded, table=after, secret=secret), change)

    async def rematch(
        self, table_id: int, user_id: int, *, seen: int | None = None, interaction_id: int
    ) -> TableSnapshot:
        """Deal the next game of the series to all who have not left; for anybody who sat there.

        `seen` is the revision of the message that was pressed: the end of an earlier game deals nothing.

        Raises:
            Declined: the game is not over, not seated there, too few left, the message was old (STALE), another table
                is open in the channel, saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition:
            table, now = loaded.table, self._now()
            if table.status not in {"over", "stopped"} or table.started_at is None:
                raise Declined(Decline.NOT_OVER)
            if table.seat_of(user_id) is None:
                raise Declined(Decline.NOT_SEATED)
            if seen is not None and seen < loaded.since:
                raise Declined(Decline.STALE)
            taken_over = series_of(loaded, user_id, interaction_id)
            fresh = {"game": table.game + 1, "seal": seal_of(loaded.secret), "secret": "", "next_seal": ""}
            return begin_game(loaded, following(table, now, **fresh, **taken_over), now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).snapshot()

    async def move_to_bottom(self, table_id: int) -> TableSnapshot:
        """Have the public message posted anew, below everything else.

        Raises:
            Declined: there is no such table.
        """
        loaded = await self._get(table_id)
        self._publish(loaded, bottom=True)
        return loaded.snapshot()


def _back(table: Table, seat: int) -> dict[str, Any]:
    """The change that a click makes of a player who was away; none of others."""
    if not table.players[seat].away:
        return {}
    players = list(table.players)
    players[seat] = players[seat].model_copy(update={"away": False})
    return {"players": tuple(players)}


def _seat_of(loaded: LoadedTable, user_id: int) -> int:
    seat = loaded.table.seat_of(user_id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    return seat
