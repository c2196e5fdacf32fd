"""Tables in a game: deal, moves, stop, rematch; and what may be seen of it."""

from __future__ import annotations

from data.models import Table
from game.moves import Move
from game.players.hints import Hint
from tables.doorway import Decide, Doorway
from tables.game_changes import act, come_back, play_for, rematch, start, stop
from tables.gameplay import Randomness
from tables.snapshots import HandSnapshot, Request, TableSnapshot, declining
from tables.thinking import Thinking


@declining
class PlayService:
    """Tables from the deal on.

    All methods raise `Declined` with UNKNOWN_TABLE where the table is not in the channel of the request, NOT_SEATED
    where the person does not sit there, and those that change something with CLOSING and SAVING_FAILED. Why a method
    declines besides stands at its end.
    """

    def __init__(self, doorway: Doorway, randomness: Randomness, thinking: Thinking | None) -> None:
        self._doorway, self._randomness, self._thinking = doorway, randomness, thinking

    async def _change(self, request: Request, decide: Decide) -> HandSnapshot:
        return (await self._doorway.change(request, decide)).hand_of(request.user.id)

    async def start(self, request: Request) -> HandSnapshot:
        """Deal; for the host. Declined: NOT_A_LOBBY, NOT_HOST, TOO_FEW, NO_ROOM_IN_PACK, CLASHING_RULES."""
        return await self._change(request, lambda loaded, now: start(loaded, request, now, self._randomness))

    async def act(self, request: Request, move: Move) -> HandSnapshot:
        """Make a move with the seat of a person, who saw the table at revision `request.seen`.

        Raises:
            Declined: NOT_PLAYING, STALE where the message was old.
            IllegalMove: the rules refuse it; nothing changed.
        """
        return await self._change(request, lambda loaded, now: act(loaded, request, move, now, self._randomness))

    async def play_for(self, request: Request) -> HandSnapshot:
        """Have the computer move for somebody whose time is up; for the others at the table.

        Declined: NOT_PLAYING, NOT_YET where nobody's time is up.
        """
        return await self._change(request, lambda loaded, now: play_for(loaded, request, now, self._randomness))

    async def rematch(self, request: Request) -> HandSnapshot:
        """Deal the next game of the series to all who have not left; for anybody who sat there.

        `request.seen` is the revision of the message that was pressed: the end of an earlier game deals nothing.

        Declined: NOT_OVER, TOO_FEW, NO_ROOM_IN_PACK, CLASHING_RULES, STALE where the message was old, TABLE_IN_CHANNEL.
        """
        return await self._change(request, lambda loaded, now: rematch(loaded, request, now))

    async def stop(self, request: Request) -> TableSnapshot:
        """Stop: host and moderators at once, others by more than half of the people still seated. Nobody owes then.

        Declined: NOT_PLAYING where the table is not in use, NOT_HOST in a lobby, ALREADY_VOTED.
        """
        decided = await self._doorway.change(request, lambda loaded, now: stop(loaded, request, now, self._randomness))
        return decided.snapshot()

    async def hand(self, request: Request) -> HandSnapshot:
        """What a seated person may see.

        Whoever was away is back by it. A seat gets its name back: it is forgotten with the end of a game, and a rematch
        may come after a restart.

        Declined: NOT_PLAYING where nothing was dealt yet.
        """
        loaded = await self._doorway.look(request)
        if come_back(loaded, request, self._doorway.now()) is not None:  # seldom; else no lock is taken
            loaded = await self._doorway.change_unasked(
                request.table_id, lambda found, now: come_back(found, request, now)
            )
        return loaded.hand_of(request.user.id)

    async def hint(self, request: Request) -> tuple[HandSnapshot, Hint | None]:
        """What a seated person may see, with the move that a strong player would make.

        No hint where the host wants none, it is not the person's turn, or the table changed meanwhile.

        Declined: NOT_PLAYING where nothing was dealt yet.
        """
        hand, loaded = await self.hand(request), await self._doorway.look(request)
        if self._thinking is None or not loaded.table.hints or loaded.memory is None:
            return hand, None
        hint = await self._thinking.explain(hand.view, loaded.memory)
        now = await self.hand(request)
        return now, hint if now.view == hand.view else None

    async def hand_since(self, table_id: int, user_id: int, seen: int) -> HandSnapshot | None:
        """What a seated person may see, if a message drawn at revision `seen` does not show it any more.

        Unlike `hand` it is nobody's request: whoever is away stays so.
        """
        loaded = await self._doorway.get(table_id)
        seat = loaded.table.seat_of(user_id)
        return None if seat is None or loaded.state is None or loaded.is_fresh(seat, seen) else loaded.hand(seat)

    async def look(self, request: Request) -> TableSnapshot:
        """The table of a request, as everybody may see it; also for people who do not sit there."""
        return (await self._doorway.look(request)).snapshot()

    async def in_channel(self, guild_id: int, channel_id: int) -> int | None:
        """The id of the table that is in use in a channel, else of the last one there."""
        return await self._doorway.store.tables.in_channel(guild_id, channel_id)

    def paused(self, request: Request) -> Table | None:
        """The table of a request if its clock is stopped because it cannot be shown, as far as is known in memory."""
        loaded = self._doorway.peek(request.table_id)
        return loaded.table if loaded and loaded.table.paused and loaded.is_at(request) else None

    async def move_to_bottom(self, request: Request) -> TableSnapshot:
        """Have the public message posted anew, below everything else; for everybody in the channel."""
        loaded = await self._doorway.look(request)
        self._doorway.publish(loaded, bottom=True)
        return loaded.snapshot()
