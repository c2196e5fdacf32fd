"""The doorway in a game: deal, moves, stop, rematch; and what may be seen of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from bot import paces, standing
from bot.chance import seal_of
from bot.shown import Decline, Declined, HandShown, TableShown
from bot.tables.asking import asking
from bot.tables.doorway import Doorway
from bot.tables.live import Live, Step
from bot.tables.lobby import following, require_host, require_lobby
from bot.tables.match import begin_game, ended, make_move, series_of
from data.models import Change, Table
from game.legality import check
from game.moves import Move, Ready, Timeout
from game.players import baseline
from game.refusals import IllegalMove, Refusal
from game.views import seat_view


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
            self._lives.learn(found, guild_id)
        return found

    async def is_at(self, table_id: int, guild_id: int, channel_id: int) -> bool:
        """Whether a table is in this channel of this server.

        Raises:
            Declined: there is no such table.
        """
        table = (await self._get(table_id)).table
        return (table.guild_id, table.channel_id) == (guild_id, channel_id)

    async def start(self, table_id: int, user_id: int, *, interaction_id: int) -> TableShown:
        """Deal; for the host.

        Raises:
            Declined: no such lobby, not the host, too few seated, saving failed.
        """

        def decide(live: Live) -> Step:
            require_lobby(live.table, user_id)
            now, seats = self._now(), len(live.table.players)
            dealer = self._chance.randrange(seats) if seats else 0
            lines = standing.begun(live.table.players) if live.table.match else ()
            return begin_game(live, following(live.table, now, dealer=dealer, standings=lines), now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).shown()

    async def act(self, table_id: int, user_id: int, move: Move, seen: int, *, interaction_id: int) -> HandShown:
        """Make a move with the seat of a person, who saw the table at revision `seen`.

        Raises:
            Declined: no such game, not seated there, the message was old (STALE), saving failed.
            IllegalMove: the rules refuse it; nothing changed.
        """

        def decide(live: Live) -> Step:
            seat = self._seat(live, user_id)
            if not live.is_fresh(seat, seen):
                raise Declined(Decline.STALE)
            if isinstance(move, Timeout):
                raise IllegalMove(Refusal.NOT_ALLOWED)  # time is the clock's alone
            flags = _back(live.table, seat)
            return make_move(live, seat, move, self._now(), self._chance, by=interaction_id, **flags)

        live = await self._change(table_id, interaction_id, decide)
        return live.hand(_seat_of(live, user_id))

    def _seat(self, live: Live, user_id: int) -> int:
        if live.table.seat_of(user_id) is None:
            raise Declined(Decline.NOT_SEATED)
        if live.table.status != "playing" or live.state is None:
            raise Declined(Decline.NOT_PLAYING)
        return _seat_of(live, user_id)

    async def hand(self, table_id: int, user_id: int) -> HandShown:
        """What a seated person may see; whoever was away is back by it.

        Raises:
            Declined: no such table, not seated there, nothing dealt yet.
        """
        live = await self._get(table_id)
        seat = live.table.seat_of(user_id)
        if seat is None:
            raise Declined(Decline.NOT_SEATED, live.shown())
        if live.state is None:
            raise Declined(Decline.NOT_PLAYING, live.shown())
        if live.table.status == "playing" and live.table.players[seat].away:
            live = await self._change(table_id, None, lambda found: self._returned(found, user_id))
        return live.hand(seat)

    async def hand_since(self, table_id: int, user_id: int, seen: int) -> HandShown | None:
        """What a seated person may see, if a message drawn at revision `seen` does not show it any more.

        Unlike `hand` it is nobody's click: whoever is away stays so.

        Raises:
            Declined: there is no such table.
        """
        live = await self._get(table_id)
        seat = live.table.seat_of(user_id)
        return None if seat is None or live.state is None or live.is_fresh(seat, seen) else live.hand(seat)

    def _returned(self, live: Live, user_id: int) -> Step | None:
        seat, state, now = live.table.seat_of(user_id), live.state, self._now()
        if seat is None or state is None or not live.table.players[seat].away:
            return None
        after = following(live.table, now, **_back(live.table, seat))
        if seat in live.waiting() or not live.is_attended():
            time = paces.time_for(after, state.frame.phase)
            after = after.model_copy(
                update={"turn_since": now, "deadline": now + time, "nudged": False, "overdue": False}
            )
        return Step(replace(live, table=after), Change(before=live.table, after=after, at=now))

    async def play_for(self, table_id: int, user_id: int, *, interaction_id: int) -> TableShown:
        """Have the computer move for those whose time is up; for the others at the table.

        Raises:
            Declined: no such game, not seated there, the time is not up, saving failed.
        """

        def decide(live: Live) -> Step:
            seat, now = self._seat(live, user_id), self._now()
            late = [each for each in live.waiting() if each != seat]
            if not late or live.table.deadline is None or now < live.table.deadline:
                raise Declined(Decline.NOT_YET)
            return self._played(live, late[0], now, by=interaction_id)

        return (await self._change(table_id, interaction_id, decide)).shown()

    def _played(self, live: Live, seat: int, now: datetime, *, by: int | None = None, **flags: Any) -> Step:
        """One move of the computer with a seat. Who has not prepared in time is ready as they are."""
        if live.state is None:
            raise Declined(Decline.NOT_PLAYING)
        hurried = live.table.overdue or (live.table.deadline is not None and now >= live.table.deadline)
        if hurried and check(live.state, seat, Ready()) is None:
            move: Move = Ready()
        else:
            move = baseline.choose(seat_view(live.state, seat), self._chance)
        return make_move(live, seat, move, now, self._chance, by=by, **flags)

    async def stop(self, table_id: int, user_id: int, *, moderator: bool, interaction_id: int) -> TableShown:
        """Stop: host and moderators at once, others by more than half of the people still seated. Nobody owes then.

        Raises:
            Declined: no such table in use, not seated there, voted already, saving failed.
        """

        def decide(live: Live) -> Step:
            table, now = live.table, self._now()
            if not table.is_open:
                raise Declined(Decline.NOT_PLAYING)
            if moderator or (table.host_id == user_id and table.seat_of(user_id) is not None):
                return self._stopped(live, now, interaction_id, table.stop_votes)
            return self._voted(live, user_id, now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).shown()

    def _voted(self, live: Live, user_id: int, now: datetime, interaction_id: int) -> Step:
        table = live.table
        if table.status == "lobby":
            require_host(table, user_id)
        if table.seat_of(user_id) is None:
            raise Declined(Decline.NOT_SEATED)
        if user_id in table.stop_votes:
            raise Declined(Decline.ALREADY_VOTED)
        votes = (*table.stop_votes, user_id)
        people = sum(not (player.is_computer or player.left) for player in table.players)
        if len(votes) * 2 > people:
            return self._stopped(live, now, interaction_id, votes)
        after = following(table, now, stop_votes=votes)
        change = Change(before=table, after=after, at=now, interaction_id=interaction_id)
        return Step(replace(live, table=after), change)

    def _stopped(self, live: Live, now: datetime, interaction_id: int, votes: tuple[int, ...]) -> Step:
        counted = following(live.table, now, stop_votes=votes)
        after, secret = ended(counted, now, live.secret, self._chance, status="stopped")
        change = Change(before=live.table, after=after, at=now, interaction_id=interaction_id, sealed=secret)
        return Step(replace(live, table=after, secret=secret), change)

    async def rematch(self, table_id: int, user_id: int, *, seen: int | None = None, interaction_id: int) -> TableShown:
        """Deal the next game of the series to all who have not left; for anybody who sat there.

        `seen` is the revision of the message that was pressed: the end of an earlier game deals nothing.

        Raises:
            Declined: the game is not over, not seated there, too few left, the message was old (STALE), another table
                is open in the channel, saving failed.
        """

        def decide(live: Live) -> Step:
            table, now = live.table, self._now()
            if table.status not in {"over", "stopped"} or table.started_at is None:
                raise Declined(Decline.NOT_OVER)
            if table.seat_of(user_id) is None:
                raise Declined(Decline.NOT_SEATED)
            if seen is not None and seen < live.since:
                raise Declined(Decline.STALE)
            taken_over = series_of(live, user_id, interaction_id)
            fresh = {"game": table.game + 1, "seal": seal_of(live.secret), "secret": "", "next_seal": ""}
            return begin_game(live, following(table, now, **fresh, **taken_over), now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).shown()

    async def move_to_bottom(self, table_id: int) -> TableShown:
        """Have the public message posted anew, below everything else.

        Raises:
            Declined: there is no such table.
        """
        live = await self._get(table_id)
        self._publish(live, bottom=True)
        return live.shown()


def _back(table: Table, seat: int) -> dict[str, Any]:
    """The change that a click makes of a player who was away; none of others."""
    if not table.players[seat].away:
        return {}
    players = list(table.players)
    players[seat] = players[seat].model_copy(update={"away": False})
    return {"players": tuple(players)}


def _seat_of(live: Live, user_id: int) -> int:
    seat = live.table.seat_of(user_id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    return seat
