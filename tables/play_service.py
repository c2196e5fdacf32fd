"""Tables in a game: deal, moves, stop, rematch; and what may be seen of it."""

from __future__ import annotations

from datetime import datetime

from data.models import Table
from game.moves import Move, Timeout
from game.refusals import IllegalMove, Refusal
from tables.doorway import Doorway
from tables.gameplay import begin_game, computer_move, ended, make_move, next_game, with_full_time
from tables.loaded import LoadedTable, Transition
from tables.lobby_changes import next_revision, require_host, require_lobby
from tables.match import first_standings
from tables.randomness import Randomness
from tables.snapshots import Decline, Declined, HandSnapshot, Request, TableSnapshot, declining


@declining
class PlayService:
    """Tables from the deal on.

    All methods raise `Declined` with UNKNOWN_TABLE where the table is not in the channel of the request, NOT_SEATED
    where the person does not sit there, and those that change something with CLOSING and SAVING_FAILED. What they
    raise besides stands at them.
    """

    def __init__(self, doorway: Doorway, randomness: Randomness) -> None:
        """Take this way in."""
        self._doorway, self._randomness = doorway, randomness

    async def start(self, request: Request) -> HandSnapshot:
        """Deal; for the host.

        Raises:
            Declined: NOT_A_LOBBY, NOT_HOST, TOO_FEW, NO_ROOM_IN_PACK.
        """

        def decide(loaded: LoadedTable, now: datetime) -> Transition:
            table = loaded.table
            require_lobby(table, request.user.id)
            dealer = self._randomness.randrange(len(table.players))
            lines = first_standings(table.players) if table.match else ()
            return begin_game(loaded, next_revision(table, now, dealer=dealer, standings=lines), now)

        return _own_hand(await self._doorway.change(request, decide), request)

    async def act(self, request: Request, move: Move) -> HandSnapshot:
        """Make a move with the seat of a person, who saw the table at revision `request.seen`.

        Raises:
            Declined: NOT_PLAYING, STALE where the message was old.
            IllegalMove: the rules refuse it; nothing changed.
        """

        def decide(loaded: LoadedTable, now: datetime) -> Transition:
            seat = _playing_seat(loaded, request)
            if not loaded.is_fresh(seat, request.seen):
                raise Declined(Decline.STALE)
            if isinstance(move, Timeout):
                raise IllegalMove(Refusal.NOT_ALLOWED)  # time is the clock's alone
            return make_move(_returned(loaded, seat), seat, move, now, self._randomness)

        return _own_hand(await self._doorway.change(request, decide), request)

    async def hand(self, request: Request) -> HandSnapshot:
        """What a seated person may see.

        Whoever was away is back by it. A seat gets its name back: it is forgotten with the end of a game, and a rematch
        may come after a restart.

        Raises:
            Declined: NOT_PLAYING where nothing was dealt yet.
        """
        loaded = await self._doorway.look(request)
        if _missed(loaded, request):
            loaded = await self._doorway.change_unasked(
                request.table_id, lambda found, now: _back(found, request, now) if _missed(found, request) else None
            )
        return _own_hand(loaded, request)

    async def hand_since(self, table_id: int, user_id: int, seen: int) -> HandSnapshot | None:
        """What a seated person may see, if a message drawn at revision `seen` does not show it any more.

        Unlike `hand` it is nobody's request: whoever is away stays so.
        """
        loaded = await self._doorway.get(table_id)
        seat = loaded.table.seat_of(user_id)
        return None if seat is None or loaded.state is None or loaded.is_fresh(seat, seen) else loaded.hand(seat)

    async def play_for(self, request: Request) -> HandSnapshot:
        """Have the computer move for somebody whose time is up; for the others at the table.

        Raises:
            Declined: NOT_PLAYING, NOT_YET where nobody's time is up.
        """

        def decide(loaded: LoadedTable, now: datetime) -> Transition:
            seat = _playing_seat(loaded, request)
            late = [each for each in loaded.waiting() if each != seat]
            if not late or loaded.table.deadline is None or now < loaded.table.deadline:
                raise Declined(Decline.NOT_YET)
            return computer_move(_returned(loaded, seat), late[0], now, self._randomness)

        return _own_hand(await self._doorway.change(request, decide), request)

    async def stop(self, request: Request) -> TableSnapshot:
        """Stop: host and moderators at once, others by more than half of the people still seated. Nobody owes then.

        Raises:
            Declined: NOT_PLAYING where the table is not in use, NOT_HOST in a lobby, ALREADY_VOTED.
        """

        def decide(loaded: LoadedTable, now: datetime) -> Transition:
            table, user_id = loaded.table, request.user.id
            if not table.is_open:
                raise Declined(Decline.NOT_PLAYING)
            seat = table.seat_of(user_id)
            counted = next_revision(table, now)
            if not (request.moderator or (table.host_id == user_id and seat is not None)):
                counted = counted.with_player(_voting_seat(loaded, user_id), wants_stop=True)
                if counted.stop_votes * 2 <= sum(not (each.is_computer or each.left) for each in table.players):
                    return Transition(loaded.but(table=counted))
            return Transition(ended(loaded.but(table=counted), now, self._randomness, {"status": "stopped"}))

        return (await self._doorway.change(request, decide)).snapshot()

    async def rematch(self, request: Request) -> HandSnapshot:
        """Deal the next game of the series to all who have not left; for anybody who sat there.

        `request.seen` is the revision of the message that was pressed: the end of an earlier game deals nothing.

        Raises:
            Declined: NOT_OVER, TOO_FEW, NO_ROOM_IN_PACK, STALE where the message was old, TABLE_IN_CHANNEL.
        """

        def decide(loaded: LoadedTable, now: datetime) -> Transition:
            table = loaded.table
            if table.status not in {"over", "stopped"} or table.started_at is None:
                raise Declined(Decline.NOT_OVER)
            if table.seat_of(request.user.id) is None:
                raise Declined(Decline.NOT_SEATED)
            if request.seen < loaded.since:
                raise Declined(Decline.STALE)
            return begin_game(loaded, next_game(loaded, request, now), now)

        return _own_hand(await self._doorway.change(request, decide), request)

    async def look(self, request: Request) -> TableSnapshot:
        """The table of a request, as everybody may see it; also for people who do not sit there."""
        return (await self._doorway.look(request)).snapshot()

    async def in_channel(self, guild_id: int, channel_id: int) -> int | None:
        """The id of the table that is in use in a channel, else of the last one there."""
        return await self._doorway.store.tables.in_channel(guild_id, channel_id)

    def paused(self, request: Request) -> Table | None:
        """The table of a request if its clock is stopped because it cannot be shown, as far as is known in memory."""
        loaded = self._doorway.peek(request.table_id)
        here = (request.guild_id, request.channel_id)
        table = loaded.table if loaded else None
        return table if table and table.paused and (table.guild_id, table.channel_id) == here else None

    async def move_to_bottom(self, request: Request) -> TableSnapshot:
        """Have the public message posted anew, below everything else; for everybody in the channel."""
        loaded = await self._doorway.look(request)
        self._doorway.publish(loaded, bottom=True)
        return loaded.snapshot()


def _own_hand(loaded: LoadedTable, request: Request) -> HandSnapshot:
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED, loaded.snapshot())
    if loaded.views is None:
        raise Declined(Decline.NOT_PLAYING, loaded.snapshot())
    return loaded.hand(seat)


def _playing_seat(loaded: LoadedTable, request: Request) -> int:
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    if loaded.table.status != "playing" or loaded.state is None:
        raise Declined(Decline.NOT_PLAYING)
    return seat


def _voting_seat(loaded: LoadedTable, user_id: int) -> int:
    if loaded.table.status == "lobby":
        require_host(loaded.table, user_id)
    seat = loaded.table.seat_of(user_id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    if loaded.table.players[seat].wants_stop:
        raise Declined(Decline.ALREADY_VOTED)
    return seat


def _returned(loaded: LoadedTable, seat: int) -> LoadedTable:
    """The same, but nobody is away who makes a request."""
    return loaded.but(table=loaded.table.with_player(seat, away=False)) if loaded.table.players[seat].away else loaded


def _missed(loaded: LoadedTable, request: Request) -> bool:
    """Whether somebody who looks at the own hand was away, or sits there without a name."""
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        return False
    player, playing = loaded.table.players[seat], loaded.table.status == "playing" and loaded.state is not None
    return (player.away and playing) or (loaded.table.is_open and not player.name)


def _back(loaded: LoadedTable, request: Request, now: datetime) -> Transition:
    table, seat = loaded.table, loaded.table.seat_of(request.user.id) or 0
    table = table.with_player(seat, name=table.players[seat].name or request.user.name)
    if table.players[seat].away:
        table = next_revision(table, now).with_player(seat, away=False)
        if seat in loaded.waiting() or not loaded.is_attended():
            table = with_full_time(table, loaded.state, now)
    return Transition(loaded.but(table=table))
