"""What follows when cards go on the pile (burning, reversing, the next turn, going out) or when the pile is taken.

These functions assume that the move is legal. Events are derived separately, from the states before and after the move,
so that only callers who want them pay for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from game.cards import JOKER, Face
from game.compiled import DUTY, FIRST_READING, FREE, GLASS, RuleBook
from game.events import Burned, Ended, Event, PickedUp, Played, Reversed, Skipped, WentOut, tell_draw
from game.moves.bound_plays import BoundPlay, BurnCause, burn_cause, gives, seats_skipped, turn_is_fixed
from game.state import NOBODY, STAND_STILL, FollowUp, FrameFields, Seat, State, ring_of, seat_or_none, stacked

LAST_TWO = 2
"""With this many seats left, reversing does nothing and skipping gives another turn (R23, R24)."""
PileFate: TypeAlias = Literal["stays", "burns", "waits", "offered", "taken"]
"""What becomes of the pile after a play.

It stays; burns; burns, but waits for the flush seat to clear it (R36); is offered to the next seat, which may answer
with a red jack (R46); or is taken by that seat (R46, R50).
"""


def play(state: State, who: int, move: BoundPlay) -> State:
    """Put cards from the hand or face-up cards on the pile (R6) and refill the hand from the stock (R8)."""
    seats = list(state.seats)  # copying a list is the fastest way to replace a seat
    seat = seats[who]
    hand, mask, stock = seat.hand, move.mask, state.stock
    if not hand:
        seats[who] = seat.without_slots(mask)
        return put(state, who, move, tuple(seats), stock)
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
    if mask & seat.up:  # a combo
        seats[who] = seat.without_slots(mask, hand)
    else:
        seats[who] = Seat(hand, seat.up, seat.slots, seat.down, seat.places)
    return put(state, who, move, tuple(seats), stock, drawn)


def put(
    state: State, who: int, move: BoundPlay, seats: tuple[Seat, ...], stock: tuple[int, ...], drawn: int | None = None
) -> State:
    """The state after the cards of `move` went on the pile.

    `seats` and `stock` are those after the cards left the seat and it drew again. `drawn` is the mask of the cards it
    drew (R40), or None if it did not play from its hand.
    """
    book, frame, pile = state.book, state.frame, state.pile + move.faces
    cause = burn_cause(book, state.pile, move, pile)
    # If nothing was drawn, the stock is the same tuple, and comparing identities is cheap.
    idle = state.idle + 1 if stock is state.stock else 0
    after = state.copied()
    after.seats, after.stock, after.idle, after.pile = seats, stock, idle, pile
    after.held, after.last = state.held | move.mask, who
    if cause or not _passes_on(state, who, move, after):
        return _Resolution(state, who, move, after, cause).next_state(drawn)
    # This short path for most plays is what makes the engine fast.
    if frame.opening:
        after.frame = frame.but(opening=False)
    after.turn, after.top = state.ring[who], move.top if move.top != GLASS else book.top_of(pile)
    return after


def _passes_on(before: State, who: int, move: BoundPlay, after: State) -> bool:
    """Whether a play that does not burn changes only the pile and the turn, as most do.

    Used for both the next state and the events. Of `after`, only the cards of the seat and `idle` must be final.
    """
    seat = after.seats[who]
    is_out = not (seat.hand or seat.up or seat.down)
    return move.simple and not (is_out or before.frame.duty or before.book.follow_up or after.idle >= STAND_STILL)


def steps_to_next(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay, left: int) -> int:
    """How many seats on the next turn is, of `left` seats in the old direction; 0 if the same seat has another turn.

    Used for the next state and by the computer players. It holds if the pile stays and the seat that plays keeps cards.
    """
    if move.simple:
        return 1
    skips = seats_skipped(book, pile, move)
    if (skips and left == LAST_TWO) or (move.again and not skips and not turn_is_fixed(book, pile, move)):
        return 0
    direction = -1 if move.reverses % 2 else 1
    return (skips + 1) * direction % left


def next_after(state: State, who: int, move: BoundPlay) -> int:
    """The seat that is next, as far as `steps_to_next` tells."""
    if move.simple:
        return state.ring[who]
    seat = who
    for _ in range(steps_to_next(state.book, state.pile, move, state.alive.bit_count())):
        seat = state.ring[seat]
    return seat


def passed_over(state: State, who: int, move: BoundPlay, ring: tuple[int, ...]) -> tuple[int, ...]:
    """The seats that a play skips, in order; `ring` is the one after the play."""
    skips = seats_skipped(state.book, state.pile, move)
    if skips and state.alive.bit_count() == LAST_TWO:
        return (ring[who],)
    seats = [who]
    for _ in range(skips):
        seats.append(ring[seats[-1]])
    return tuple(seats[1:])


def pile_fate(state: State, who: int, move: BoundPlay, cause: BurnCause | None, receiver: int) -> PileFate:
    """What becomes of the pile of `state` and what a play puts on it; `receiver` is the next seat."""
    has_pile = bool(state.pile or move.faces)  # nothing does if all cards of a lead leave the game (R46)
    if cause:
        cleared_by_another = state.book.play.flush and state.frame.flush not in {NOBODY, who}
        return "waits" if has_pile and cleared_by_another else "burns"
    if not has_pile or not (gives(state.pile, move) or state.frame.duty):
        return "stays"
    seat = state.seats[receiver]
    # A stack is played whole, so a jack in one is no answer; the first version counted it as one nevertheless.
    playable = seat.hand or (seat.up if state.book.reading == FIRST_READING else seat.up & ~stacked(seat))
    can_answer = (move.answer or state.frame.duty) and playable & state.book.red_jacks
    return "offered" if can_answer else "taken"


class _Resolution:
    """Works out a play with consequences, rule by rule.

    `after` is the copy that becomes the next state (`State.copied`), so its fields are set until it is returned.
    """

    def __init__(self, before: State, who: int, move: BoundPlay, after: State, cause: BurnCause | None) -> None:
        """Take `after`, in which the cards have left the seat and lie on the pile."""
        self.before, self.who, self.move, self.after = before, who, move, after
        self.book = before.book
        self.cause: BurnCause | None = cause
        self.is_out = after.seats[who].is_out()
        self.receiver = NOBODY  # the next seat, once it is known who is left and in which direction
        self.changes: FrameFields = {}

    def next_state(self, drawn: int | None) -> State:
        """The state after the play; `drawn` is the mask the seat drew, None if it did not play from its hand."""
        # The order of these steps is part of the rules. Only cards that are still on the pile can be followed up (R40).
        # Changes to the frame are collected and made once at the end, because most plays change nothing there.
        after = self.after
        self._begin()
        fate = pile_fate(self.before, self.who, self.move, self.cause, self.receiver)
        self._settle_pile(fate)
        if self.is_out:
            self.changes.update(going_out(self.before, self.who, after.alive))
        if self.changes.get("phase") == "over":  # nobody is on turn, and nobody is asked for an answer
            return after.but(turn=NOBODY, frame=self.before.frame.but(**self.changes))
        self._pass_turn(fate)
        if drawn is not None and self.book.follow_up and not self.cause:
            self._note_follow_up(drawn)
        if self.changes:
            after.frame = self.before.frame.but(**self.changes)
        return _stand_still(after) if after.idle >= STAND_STILL else after

    def _begin(self) -> None:
        """Remove cards that leave the game, turn the direction, drop a seat that is out; end opening and duty."""
        before, move, after = self.before, self.move, self.after
        after.held &= ~move.gone
        after.burned |= move.gone
        if move.reverses & 1 and before.alive.bit_count() != LAST_TWO:  # R23
            after.direction = -before.direction
        if self.is_out:
            after.alive &= ~(1 << self.who)
        after.ring = ring_of(len(after.seats), after.alive, after.direction)
        self.receiver = after.ring[self.who]
        if before.frame.opening or before.frame.duty or before.frame.follow:
            self.changes = {"opening": False, "duty": False, "follow": None}

    def _settle_pile(self, fate: PileFate) -> None:
        """Take the pile away if it does not stay; what is asked then."""
        after = self.after
        after.top = self._asked_next() if fate in {"stays", "offered"} else FREE
        if fate == "burns":
            after.burned |= after.held
            if self.book.play.flush and self.before.frame.flush == NOBODY:
                self.changes["flush"] = self.who  # the first seat to burn a pile (R36)
        if fate == "taken":
            seat = after.seats[self.receiver]
            after.seats = after.seats_with(self.receiver, seat.with_hand(seat.hand | after.held))
        if fate in {"burns", "taken"}:
            after.pile, after.held = (), 0

    def _pass_turn(self, fate: PileFate) -> None:
        """Whose turn it is in a game that goes on, and whether something else is asked of that seat."""
        after = self.after
        match fate:
            case "burns" | "waits":
                if fate == "waits":  # at the end of a case, Python 3.11.2 would not tell coverage of its way out
                    self.changes["phase"] = "clear"
                after.turn = self.who if self.book.play.burn_again and not self.is_out else self.receiver
            case "offered":
                self.changes["duty"] = True
                after.turn, after.top = self.receiver, DUTY
            case "taken":
                after.turn = after.ring[self.receiver]
            case _ if self.is_out:  # the pile stays, and the seats it skips are counted without it
                skipped = passed_over(self.before, self.who, self.move, after.ring)
                after.turn = after.ring[skipped[-1] if skipped else self.who]
            case _:  # it stays
                after.turn = next_after(self.before, self.who, self.move)

    def _asked_next(self) -> int:
        """The code of what the pile asks after the play."""
        move = self.move
        if move.two_left and (move.skips or move.skips_beneath) and self.before.alive.bit_count() == LAST_TWO:
            return FREE
        cards_beneath_decide = move.top == GLASS or move.gone
        return self.book.top_of(self.after.pile) if cards_beneath_decide else move.top

    def _note_follow_up(self, drawn: int) -> None:
        """Note which of the cards just drawn may be added to the set on the pile (R40)."""
        faces, rank = self.move.faces, self.move.rank
        is_set = faces and rank != JOKER and not self.move.sequence
        if is_set and self.after.pile[-len(faces) :] == faces:
            self.changes["follow"] = FollowUp(self.who, drawn & self.book.rank_masks[rank], rank)


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
    seats_after = list(seats or state.seats)
    seat = seats_after[picker]
    seats_after[picker] = Seat(seat.hand | state.held | extra, seat.up, seat.slots, seat.down, seat.places)
    after = state.copied()
    if state.frame.duty or state.frame.follow:
        after.frame = state.frame.but(duty=False, follow=None)
    after.seats = tuple(seats_after)
    after.turn = leads
    after.pile, after.held, after.top = (), 0, FREE
    after.stock = state.stock if stock is None else stock
    after.idle = state.idle + 1 if stock is None else 0
    return _stand_still(after) if after.idle >= STAND_STILL else after


def _stand_still(state: State) -> State:
    """End the game as a draw between the seats that still have cards (R18)."""
    return state.but(frame=state.frame.but(phase="over", stands_still=True), turn=NOBODY)


# -- telling


def tell_play(before: State, who: int, move: BoundPlay, after: State) -> list[Event]:
    return tell_put(before, who, move, after, Played(who, move.shown), tell_drawn(before, who, after))


def tell_put(
    before: State, who: int, move: BoundPlay, after: State, first: Event, drew: Sequence[Event] = ()
) -> list[Event]:
    """The events of `put`. The caller passes the `first` one, about the cards, and what the seat `drew`."""
    # States store no events, so what decided the next state is computed again here. A simple play that burned has no
    # pile left; a burned pile that waits to be cleared is no event.
    if after.pile and _passes_on(before, who, move, after):
        return [first, *drew]
    events = [first]
    count = len(before.pile) + len(move.faces)
    receiver = after.ring[who]
    cause = burn_cause(before.book, before.pile, move, before.pile + move.faces)
    fate = pile_fate(before, who, move, cause, receiver)
    if cause and fate == "burns" and count:
        events.append(Burned(who, count, four=cause == "four"))
    elif fate == "taken":
        events.append(PickedUp(receiver, count, who))
    events += drew
    if before.direction != after.direction:
        events.append(Reversed(after.direction))
    if fate == "stays" and after.frame.phase != "over":
        skipped = passed_over(before, who, move, after.ring)
        if skipped:
            events.append(Skipped(skipped))
    return events + tell_end(before, after)


def tell_drawn(before: State, who: int, after: State) -> list[Event]:
    """The event of drawing, for moves in which all that left the stock went to the hand."""
    return [] if before.stock is after.stock else tell_draw(who, after.drawn_since(before))


def tell_end(before: State, after: State) -> list[Event]:
    events: list[Event] = []
    if len(after.frame.out) > len(before.frame.out):
        events.append(WentOut(after.frame.out[-1], len(after.frame.out)))
    if after.frame.phase == "over":
        events.append(Ended(seat_or_none(after.frame.shithead), seat_or_none(after.frame.winner)))
    return events
