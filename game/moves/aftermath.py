"""What follows when cards go on the pile (burning, reversing, the next turn, going out) or when the pile is taken.

These functions assume that the move is legal. Events are derived separately, from the states before and after the move,
so that only callers who want them pay for them.
"""

from __future__ import annotations

from game.cards import JOKER
from game.compiled import DUTY, FOUR, FREE, GLASS
from game.events import Burned, Ended, Event, PickedUp, Played, Reversed, Skipped, WentOut, tell_draw
from game.moves.bound_plays import BoundPlay, burns, completes_four, effective_beneath, gives, powers_of
from game.state import NOBODY, STAND_STILL, FrameFields, Seat, State, ring_of, seat_or_none, stacked

TWO = 2
"""With this many seats left, reversing does nothing and skipping gives another turn (R23, R24)."""


def play(state: State, who: int, move: BoundPlay) -> State:
    """Put cards from the hand or face-up cards on the pile (R6) and refill the hand from the stock (R8)."""
    seats = state.seats
    seat = seats[who]
    hand, mask, stock = seat.hand, move.mask, state.stock
    if not hand:
        return put(state, who, move, (*seats[:who], seat.without_slots(mask), *seats[who + 1 :]), stock)
    drawn = 0
    hand &= ~mask
    if stock and (state.book.refills or state.frame.opening):
        # Nearly always one card is played and one is drawn, so that case avoids the sum over a slice.
        missing = state.frame.hand_size - hand.bit_count()
        if missing == 1:
            drawn = stock[0]
            stock = stock[1:]
        elif missing > 0:
            drawn = sum(stock[:missing])
            stock = stock[missing:]
        hand |= drawn
    up, slots, down, at = seat.up, seat.slots, seat.down, seat.at
    after = seat.without_slots(mask, hand) if mask & up else Seat(hand, up, slots, down, at)
    return put(state, who, move, (*seats[:who], after, *seats[who + 1 :]), stock, drawn)


def put(
    state: State, who: int, move: BoundPlay, seats: tuple[Seat, ...], stock: tuple[int, ...], drawn: int | None = None
) -> State:
    """The state after the cards of `move` went on the pile.

    `seats` and `stock` are those after the cards left the seat and it drew again. `drawn` is the mask of the cards it
    drew (R40), or None if it did not play from its hand.
    """
    book, frame, pile = state.book, state.frame, state.pile + move.faces
    four = len(pile) >= FOUR and completes_four(book, pile, move)
    # If nothing was drawn, the stock is the same tuple, and comparing identities is cheap.
    idle = state.idle + 1 if stock is state.stock else 0
    seat = seats[who]
    has_cards = seat.hand or seat.up or seat.down
    if four or frame.duty or book.follow_up or idle >= STAND_STILL or not (move.simple and has_cards):
        return _Resolution(state, who, move, seats, stock, four=four).state(drawn)
    # Most plays change only the pile and the turn, and this fast path for them is what makes the engine fast.
    after = state.copied()
    if frame.opening:
        after.frame = frame.but(opening=False)
    after.seats, after.stock, after.idle = seats, stock, idle
    after.pile, after.held, after.last = pile, state.held | move.mask, who
    after.turn, after.top = state.ring[who], move.top
    return after


def passed_over(state: State, who: int, move: BoundPlay, ring: tuple[int, ...]) -> tuple[int, ...]:
    """The seats that a play skips, in order (R24); `ring` is the one after the play."""
    skips = move.skips
    if move.beneath:  # skip one seat, and one more if the effective card beneath skips
        beneath = effective_beneath(state.book, state.pile, move)
        skips += 1
        skips += beneath is not None and any("skip" in power.does for power in powers_of(state.book, beneath))
    if skips and state.alive.bit_count() == TWO:
        return (ring[who],)
    seats: list[int] = []
    at = who
    for _ in range(skips):
        at = ring[at]
        seats.append(at)
    return tuple(seats)


class _Resolution:
    """Works out a play with consequences, rule by rule; its fields become those of the next state."""

    def __init__(
        self, state: State, who: int, move: BoundPlay, seats: tuple[Seat, ...], stock: tuple[int, ...], *, four: bool
    ) -> None:
        self.before, self.book, self.who = state, state.book, who
        self.move, self.seats, self.stock = move, seats, stock
        self.idle = state.idle + 1 if stock is state.stock else 0
        self.burns = four or burns(state.book, state.pile, move)
        self.pile = state.pile + move.faces
        self.held = state.held | move.mask & ~move.gone
        self.burned = state.burned | move.gone
        turns = move.reverses & 1 and state.alive.bit_count() != TWO  # R23
        self.direction = -state.direction if turns else state.direction
        self.is_out = seats[who].is_out()
        self.alive = state.alive & ~(1 << who) if self.is_out else state.alive
        self.ring = ring_of(len(seats), self.alive, self.direction)
        self.changes: FrameFields = {}
        if state.frame.opening or state.frame.duty or state.frame.follow:
            self.changes = {"opening": False, "duty": False, "follow": None}

    def state(self, drawn: int | None) -> State:
        """The state after the play; `drawn` is the mask the seat drew, None if it did not play from its hand."""
        # The order of these steps is part of the rules. Going out may end the game, which overrides all the rest. A
        # burned pile asks nothing and cannot be given away. Giving the pile passes the turn on once more, so the turn
        # must be known before. Only cards that are still on the pile can be followed up (R40). Changes to the frame are
        # collected and made once at the end, because most plays change nothing there.
        if self.is_out:
            self.changes.update(going_out(self.before, self.who, self.alive))
        over = self.changes.get("phase") == "over"
        awaits_flush = self.burns and self._awaits_flush()
        if self.burns and not awaits_flush:
            self._burn()
        top = FREE if self.burns else self._top()
        turn = self._turn(over=over)
        if awaits_flush and not over:
            self.changes["phase"] = "clear"
        if not self.burns and self.pile and (gives(self.before.pile, self.move) or self.before.frame.duty):
            turn, top = self._give(turn, top, over=over)
        if drawn is not None and self.book.follow_up and not over and not self.burns:
            self._note_follow_up(drawn)
        after = self.before.copied()
        if self.changes:
            after.frame = self.before.frame.but(**self.changes)
        after.seats, after.stock, after.idle = self.seats, self.stock, self.idle
        after.pile, after.held, after.burned = self.pile, self.held, self.burned
        after.alive, after.direction, after.ring = self.alive, self.direction, self.ring
        after.turn, after.top, after.last = turn, top, self.who
        return _stand_still(after) if after.idle >= STAND_STILL and not over else after

    def _awaits_flush(self) -> bool:
        """Whether the burned pile stays until another seat, the flush seat, clears it (R36)."""
        return self.book.play.flush and self.before.frame.flush not in {NOBODY, self.who} and bool(self.pile)

    def _burn(self) -> None:
        """Take the pile out of the game; the first seat to do so becomes the flush seat (R36)."""
        if self.book.play.flush and self.before.frame.flush == NOBODY:
            self.changes["flush"] = self.who
        self.burned |= self.held
        self.pile, self.held = (), 0

    def _top(self) -> int:
        move = self.move
        if move.two_left and (move.skips or move.beneath) and self.before.alive.bit_count() == TWO:
            return FREE
        return self.book.top_of(self.pile) if move.top == GLASS or move.gone else move.top

    def _turn(self, *, over: bool) -> int:
        following = self.ring[self.who]
        if over:
            return NOBODY
        if self.burns:
            return self.who if self.book.play.burn_again and not self.is_out else following
        if self.before.frame.duty:
            return following
        skipped = passed_over(self.before, self.who, self.move, self.ring)
        if skipped:
            return self.ring[skipped[-1]] if self.before.alive.bit_count() != TWO or self.is_out else self.who
        return self.who if self.move.again and not self.is_out else following

    def _give(self, turn: int, top: int, *, over: bool) -> tuple[int, int]:
        """Give the next seat the pile, or the duty to answer (R46); return whose turn it is and what is asked."""
        receiver = self.ring[self.who]
        seat = self.seats[receiver]
        # A stack is played whole, so a jack in one is no answer; the first version counted it as one nevertheless.
        playable = seat.hand or (seat.up if self.book.old_reading else seat.up & ~stacked(seat))
        if (self.move.answer or self.before.frame.duty) and playable & self.book.red_jacks:
            self.changes["duty"] = not over
            return (turn, top) if over else (receiver, DUTY)
        taken = seat.with_hand(seat.hand | self.held)
        self.seats = (*self.seats[:receiver], taken, *self.seats[receiver + 1 :])
        self.pile, self.held = (), 0
        return NOBODY if over else self.ring[receiver], FREE

    def _note_follow_up(self, drawn: int) -> None:
        """Note which of the cards just drawn may be added to the set on the pile (R40)."""
        faces, rank = self.move.faces, self.move.rank
        if faces and rank != JOKER and not self.move.sequence and self.pile[-len(faces) :] == faces:
            self.changes["follow"] = (self.who, drawn & self.book.rank_masks[rank], rank)


def going_out(state: State, who: int, alive: int) -> FrameFields:
    """The changes to the frame when a seat goes out and `alive` are left (R15, R16, `end.aim`)."""
    out = (*state.frame.out, who)
    aim, left = state.book.rules.end.aim, alive.bit_count()
    changes: FrameFields = {"out": out, "winner": NOBODY if aim == "loser" else out[0]}
    if aim == "winner" or left <= 1:
        changes["phase"] = "over"
        changes["shithead"] = NOBODY if aim == "winner" else alive.bit_length() - 1
    return changes


# -- taking the pile


def lead_after_pick_up(state: State, picker: int) -> int:
    """The seat that leads after a pick-up: the next seat, or the one that played last (`play.lead_after_pickup`)."""
    previous = state.book.play.lead_after_pickup == "previous"
    if previous and state.last not in {NOBODY, picker} and state.alive >> state.last & 1:
        return state.last
    return state.ring[picker]


def take_pile(
    state: State,
    picker: int,
    leads: int,
    *,
    seats: tuple[Seat, ...] | None = None,
    extra: int = 0,
    stock: tuple[int, ...] | None = None,
) -> State:
    """The state after `picker` took the pile and the `extra` cards; the seat `leads` is on turn.

    `seats` are given if a card has left one of them, and `stock` if a card has left it.
    """
    chairs = list(seats or state.seats)
    seat = chairs[picker]
    chairs[picker] = Seat(seat.hand | state.held | extra, seat.up, seat.slots, seat.down, seat.at)
    after = state.copied()
    if state.frame.duty or state.frame.follow:
        after.frame = state.frame.but(duty=False, follow=None)
    after.seats, after.turn, after.top = tuple(chairs), leads, FREE
    after.pile, after.held, after.idle = (), 0, state.idle + 1
    if stock is not None:
        after.stock, after.idle = stock, 0
    return _stand_still(after) if after.idle >= STAND_STILL else after


def _stand_still(state: State) -> State:
    """End the game as a draw between the seats that still have cards (R18)."""
    out = state.frame.out
    winner = out[0] if out and state.book.rules.end.aim != "loser" else NOBODY
    return state.but(frame=state.frame.but(phase="over", drawn=True, winner=winner), turn=NOBODY)


# -- telling


def tell_play(before: State, who: int, move: BoundPlay, after: State) -> list[Event]:
    return tell_put(before, who, move, after, Played(who, move.shown))


def tell_put(before: State, who: int, move: BoundPlay, after: State, first: Event) -> list[Event]:
    """The events of `put`. The caller passes the `first` one, about the cards; burning, drawing and so on follow."""
    events = [first]
    # States do not store events, so they are derived from the two states. If the pile is gone, it burned if more cards
    # left the game than those that do so by themselves (R46); otherwise a seat has it.
    burned = not after.pile and after.burned != before.burned | move.gone
    if not after.pile and (burned or before.pile or move.faces):
        count = len(before.pile) + len(move.faces)
        taken = before.held | move.mask
        four = not burns(before.book, before.pile, move)
        events.append(Burned(who, count, four) if burned else tell_taken(who, taken, after, count))
    if before.stock is not after.stock:
        events += tell_draw(who, after.drawn_since(before))
    if move.simple and before.frame is after.frame:
        return events
    if before.direction != after.direction:
        events.append(Reversed(after.direction))
    given = gives(before.pile, move) and (before.pile or move.faces)
    # `burned` is false if nothing burned but a card that leaves the game by itself, yet the burn still voids skips.
    voided = burned or burns(before.book, before.pile, move)
    if not (voided or given or before.frame.duty or after.frame.phase in {"clear", "over"}):
        skipped = passed_over(before, who, move, after.ring)
        events += [Skipped(skipped)] if skipped else []
    return events + tell_end(before, after)


def tell_taken(who: int, taken: int, after: State, count: int) -> PickedUp:
    picker = next(seat for seat, chair in enumerate(after.seats) if chair.hand & taken)
    return PickedUp(picker, count, None if picker == who else who)


def tell_end(before: State, after: State) -> list[Event]:
    events: list[Event] = []
    if len(after.frame.out) > len(before.frame.out):
        events.append(WentOut(after.frame.out[-1], len(after.frame.out)))
    if after.frame.phase == "over":
        events.append(Ended(seat_or_none(after.frame.shithead), seat_or_none(after.frame.winner)))
    return events
