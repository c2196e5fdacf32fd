"""What follows cards put on the pile: burning, turning the direction, whose turn comes, who is out, how the game ends.

One pure step from state to state, without asking whether it was legal (`game.legality` does) and without telling it
(`game.story` does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.asking import DUTY, FREE, GLASS
from game.cards import JOKER, card_of
from game.compiled import FOUR
from game.plays import powers_of
from game.state import NOBODY, STAND_STILL, Seat, State, ring_of
from game.taking import stand_still

if TYPE_CHECKING:
    from game.cards import Face
    from game.compiled import RuleBook
    from game.plays import Laid

TWO = 2
"""Seats left at which reversing does nothing and skipping gives another turn (R23, R24)."""


def put(
    state: State, who: int, laid: Laid, seats: tuple[Seat, ...], stock: tuple[int, ...], drawn: int | None = None
) -> State:
    """The state after `laid` went on the pile.

    `seats` and `stock` are as they are after the cards left the seat and it drew again; `drawn` is the mask it drew
    (R40), None where it did not play from its hand.
    """
    book = state.book
    pile = state.pile + laid.faces
    seat = seats[who]
    four = len(pile) >= FOUR and completes_four(book, pile, laid)
    idle = state.idle + 1 if stock is state.stock else 0
    has_cards = seat.hand or seat.up or seat.down
    if laid.simple and has_cards and not (four or idle >= STAND_STILL or state.frame.duty or book.follow_up):
        frame = state.frame
        if frame.opening:
            frame = frame.but(opening=False)
        ring, held = state.ring, state.held | laid.mask
        alive, direction = state.alive, state.direction
        return State(
            book, frame, seats, ring[who], ring, pile, held, laid.top, stock, state.burned, idle, who, alive, direction
        )
    return _Resolution(state, who, laid, seats, stock, four=four).state(drawn)


def completes_four(book: RuleBook, pile: tuple[Face, ...], laid: Laid) -> bool:
    """Whether the play leaves four or more of its rank on top (R12); `pile` is with the play."""
    rank = laid.rank
    if not book.four or rank == JOKER:
        return False
    if book.odd_runs:
        return book.run(pile, rank) >= FOUR
    # The fourth from the top decides most often, so it is looked at first.
    return card_of(pile[-4]) >> 2 == rank == card_of(pile[-3]) >> 2 == card_of(pile[-2]) >> 2


def direction_after(state: State, laid: Laid) -> int:
    """The direction after a play: reversed by an odd number of reversing cards, not with two seats left (R23)."""
    return -state.direction if laid.reverses & 1 and state.alive.bit_count() != TWO else state.direction


def skips_of(state: State, laid: Laid) -> int:
    """How many seats a play skips, where it skips at all (R24, `skip-beneath`)."""
    if not laid.beneath:
        return laid.skips
    pile = state.pile + laid.shown[:-1] if laid.sequence else state.pile
    beneath = state.book.effective(pile)
    skipping = beneath is not None and any("skip" in power.does for power in powers_of(state.book, beneath))
    return laid.skips + 1 + skipping


def passed_over(state: State, who: int, laid: Laid, ring: tuple[int, ...]) -> tuple[int, ...]:
    """The seats a play skips, in order; `ring` is that of the state after it."""
    skips = skips_of(state, laid)
    if not skips:
        return ()
    if state.alive.bit_count() == TWO:
        return (ring[who],)
    seats: list[int] = []
    at = who
    for _ in range(skips):
        at = ring[at]
        seats.append(at)
    return tuple(seats)


def red_jacks_to_play(book: RuleBook, seat: Seat) -> int:
    """The red jacks that give a seat the choice of R46: in its hand, else face up, in a stack too."""
    return (seat.hand or seat.up) & book.red_jacks


class _Resolution:
    """One play with consequences, field by field; apart from the quick way, so that each rule stands alone."""

    def __init__(
        self, state: State, who: int, laid: Laid, seats: tuple[Seat, ...], stock: tuple[int, ...], *, four: bool
    ) -> None:
        self.before = state
        self.book = state.book
        self.who = who
        self.laid = laid
        self.seats = seats
        self.stock = stock
        self.idle = state.idle + 1 if stock is state.stock else 0
        self.burns = four or laid.burns
        self.pile = state.pile + laid.faces
        self.held = state.held | laid.mask & ~laid.gone
        self.burned = state.burned | laid.gone
        self.direction = direction_after(state, laid)
        self.is_out = seats[who].is_out()
        self.alive = state.alive & ~(1 << who) if self.is_out else state.alive
        self.ring = ring_of(len(seats), self.alive, self.direction)
        self.changes: dict[str, object] = {}
        if state.frame.opening or state.frame.duty or state.frame.follow:
            self.changes = {"opening": False, "duty": False, "follow": None}

    def state(self, drawn: int | None) -> State:
        """The state after the play; `drawn` is what the seat drew, None where it did not play from its hand."""
        over = self._go_out()
        lies = self.burns and self._burn()
        top = FREE if self.burns else self._top()
        turn = self._turn(over=over)
        if lies and not over:
            self.changes["phase"] = "clear"
        on_duty = self.before.frame.duty
        if not self.burns and self.pile and (self.laid.gives or on_duty):
            turn, top = self._give(turn, top, on_duty=on_duty, over=over)
        if drawn is not None and self.book.follow_up and not over and not self.burns:
            self._may_follow(drawn)
        frame = self.before.frame.but(**self.changes) if self.changes else self.before.frame
        book, who, seats, pile, held, stock = self.book, self.who, self.seats, self.pile, self.held, self.stock
        ring, burned, idle, alive, direction = self.ring, self.burned, self.idle, self.alive, self.direction
        after = State(book, frame, seats, turn, ring, pile, held, top, stock, burned, idle, who, alive, direction)
        return stand_still(after) if idle >= STAND_STILL and not over else after

    def _go_out(self) -> bool:
        """Note who is out and whether that ends the game (R15, R16, `end.aim`)."""
        if not self.is_out:
            return False
        out = (*self.before.frame.out, self.who)
        self.changes["out"] = out
        aim = self.book.rules.end.aim
        left = self.alive.bit_count()
        if aim != "loser":
            self.changes["winner"] = out[0]
        if aim != "winner" and left > 1:
            return False
        self.changes["phase"] = "over"
        if aim != "winner" and left == 1:
            self.changes["shithead"] = self.alive.bit_length() - 1
        return True

    def _burn(self) -> bool:
        """Take the pile away, or leave it for the flush seat (R36); returns whether it lies."""
        if self.book.flush:
            flush = self.before.frame.flush
            if flush == NOBODY:
                self.changes["flush"] = self.who
            elif flush != self.who and self.pile:
                return True
        self.burned |= self.held
        self.pile, self.held = (), 0
        return False

    def _top(self) -> int:
        laid = self.laid
        if laid.two_left and (laid.skips or laid.beneath) and self.before.alive.bit_count() == TWO:
            return FREE
        if laid.top == GLASS or laid.gone:
            return self.book.top_of(self.pile)
        return laid.top

    def _turn(self, *, over: bool) -> int:
        following = self.ring[self.who]
        if over:
            return NOBODY
        if self.burns:
            return self.who if self.book.burn_again and not self.is_out else following
        if self.before.frame.duty:
            return following
        skipped = passed_over(self.before, self.who, self.laid, self.ring)
        if skipped:
            return self.ring[skipped[-1]] if self.before.alive.bit_count() != TWO or self.is_out else self.who
        return self.who if self.laid.again and not self.is_out else following

    def _give(self, turn: int, top: int, *, on_duty: bool, over: bool) -> tuple[int, int]:
        """Hand the pile to the next seat, or the choice of R46; returns whose turn it is and what is asked."""
        receiver = self.ring[self.who]
        if (self.laid.answer or on_duty) and red_jacks_to_play(self.book, self.seats[receiver]):
            self.changes["duty"] = not over
            return (turn, top) if over else (receiver, DUTY)
        self._hand_pile_to(receiver)
        return NOBODY if over else self.ring[receiver], FREE

    def _hand_pile_to(self, receiver: int) -> None:
        seat = self.seats[receiver]
        taken = Seat(seat.hand | self.held, seat.up, seat.slots, seat.down, seat.at)
        self.seats = (*self.seats[:receiver], taken, *self.seats[receiver + 1 :])
        self.pile, self.held = (), 0

    def _may_follow(self, drawn: int) -> None:
        """Note the cards just drawn that may be added to the set that lies on the pile (R40)."""
        faces, rank = self.laid.faces, self.laid.rank
        if faces and rank != JOKER and not self.laid.sequence and self.pile[-len(faces) :] == faces:
            self.changes["follow"] = (self.who, drawn & self.book.rank_masks[rank], rank)
