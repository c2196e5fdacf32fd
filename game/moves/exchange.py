"""Moves before play: swapping, choosing and stacking face-up cards, thrown cards, tribute (R3, R32, R33, R37, R42)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self, cast

from game.cards import Card
from game.compiled import RuleBook
from game.events import Chosen, Event, Laid, PaidTribute, Swapped, tell_draw
from game.moves.move import Move, Refusal
from game.rules import Rules
from game.state import NOBODY, Seat, State
from game.text.notation import EMPTY, format_slots, parse_slots


def split_listed(moves: Sequence[Move]) -> tuple[tuple[Move, ...], bool, tuple[Card, ...]]:
    """Split moves into all but swaps and lays, whether a swap is possible, and the cards that may be laid."""
    others = tuple(move for move in moves if type(move) is not Swap and type(move) is not Lay)
    may_swap = any(type(move) is Swap for move in moves)
    return others, may_swap, tuple(move.card for move in moves if type(move) is Lay)


# -- R3: swapping


@dataclass(frozen=True, slots=True, repr=False)
class Swap(Move):
    """Exchange a hand card with one of the seat's own face-up cards (R3)."""

    hand: Card
    up: Card

    name = "swap"
    phase = "exchange"

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.deal.exchange != "none" and rules.deal.method != "choose"


def check_swap(state: State, who: int, move: Swap) -> Refusal | None:
    book, seat = state.book, state.seats[who]
    if not state.may_prepare(who):
        return Refusal.WRONG_PHASE
    if book.rules.deal.exchange == "one" and state.frame.swapped >> who & 1:
        return Refusal.NOT_ALLOWED
    refusal = _check_zone(book, move.hand, seat.hand, seat.up) or _check_zone(book, move.up, seat.up, seat.hand)
    if refusal is None and _slot_for(book, seat, move.up, move.hand) is None:
        return Refusal.MIXED_RANKS
    return refusal


def swaps(state: State, who: int) -> Iterator[Swap]:
    book, seat = state.book, state.seats[who]
    hand, up = book.cards(seat.hand), book.cards(seat.up)
    yield from dict.fromkeys(Swap(hand_card, up_card) for hand_card in hand for up_card in up)


def _slot_for(book: RuleBook, seat: Seat, up: Card, other: Card) -> int | None:
    """The first slot with the card `up` that may take `other` in its place: a stack must stay of one rank (R33)."""
    holding = (slot for slot in seat.slots if book.pick((up,), slot) is not None)
    return next((slot for slot in holding if slot.bit_count() == 1 or other >> 2 == up >> 2), None)


def swap(state: State, who: int, move: Swap) -> State:
    book, seat = state.book, state.seats[who]
    from_hand = book.pick((move.hand,), seat.hand) or 0
    slot = _slot_for(book, seat, move.up, move.hand) or 0
    from_slot = book.pick((move.up,), slot) or 0
    after = _replace_card(seat, from_slot, from_hand).with_hand(seat.hand & ~from_hand | from_slot)
    frame = state.frame.but(swapped=state.frame.swapped | 1 << who)
    return state.but(frame=frame, seats=state.seats_with(who, after))


def tell_swap(_before: State, who: int, move: Swap, _after: State) -> list[Event]:
    return [Swapped(who, move.hand, move.up)]


# -- R32: choosing


@dataclass(frozen=True, slots=True, repr=False)
class Choose(Move):
    """Choose the face-up cards, slot by slot (R32); a slot with several cards is a stack (R33)."""

    slots: tuple[tuple[Card, ...], ...]

    name = "choose"
    phase = "exchange"

    def is_well_formed(self, rules: Rules, seats: int, /) -> bool:
        return len(self.slots) == rules.sizes_with(seats).up and all(self.slots)

    def is_switched_on(self, rules: Rules, /) -> bool:
        stacks = any(len(slot) > 1 for slot in self.slots)
        return rules.deal.method == "choose" and (rules.deal.stacking or not stacks)

    def words(self) -> str:
        return format_slots(self.slots)

    @classmethod
    def read(cls, words: list[str]) -> Self:
        return cls(parse_slots(" ".join(words)))


def check_choose(state: State, who: int, move: Choose) -> Refusal | None:
    if (state.frame.ready | ~state.alive) >> who & 1:
        return Refusal.WRONG_PHASE
    if state.frame.chosen >> who & 1:
        return Refusal.NOT_ALLOWED
    if state.book.pick((card for slot in move.slots for card in slot), state.seats[who].hand) is None:
        return Refusal.NOT_HELD
    return Refusal.MIXED_RANKS if any(len({card >> 2 for card in slot}) > 1 for slot in move.slots) else None


def choose(state: State, who: int, move: Choose) -> State:
    """Lay the chosen cards face up and refill the hand."""
    seat = state.seats[who]
    hand = seat.hand
    slots: list[int] = []
    for cards in move.slots:
        slot = state.book.pick(cards, hand) or 0
        hand &= ~slot
        slots.append(slot)
    after = Seat(hand, sum(slots), tuple(slots), seat.down, seat.places)
    frame = state.frame.but(chosen=state.frame.chosen | 1 << who)
    return _refilled(state.but(frame=frame, seats=state.seats_with(who, after)), who)


def tell_choose(before: State, who: int, move: Choose, after: State) -> list[Event]:
    return [Chosen(who, move.slots), *tell_draw(who, after.drawn_since(before))]


# -- R33: laying on a stack


@dataclass(frozen=True, slots=True, repr=False)
class Lay(Move):
    """Lay a hand card on the first face-up slot of its rank (R33)."""

    card: Card

    name = "lay"
    phase = "exchange"

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.deal.stacking


def check_lay(state: State, who: int, move: Lay) -> Refusal | None:
    seat = state.seats[who]
    if not state.may_prepare(who):
        return Refusal.WRONG_PHASE
    refusal = _check_zone(state.book, move.card, seat.hand, seat.up)
    if refusal is None and _slot_of_rank(state.book, seat, move.card) is None:
        return Refusal.MIXED_RANKS
    return refusal


def lays(state: State, who: int) -> Iterator[Lay]:
    yield from map(Lay, dict.fromkeys(state.book.cards(state.seats[who].hand)))


def _slot_of_rank(book: RuleBook, seat: Seat, card: Card) -> int | None:
    """The index of the first slot of the same rank as `card`."""
    return next((number for number, slot in enumerate(seat.slots) if book.cards(slot)[0] >> 2 == card >> 2), None)


def lay(state: State, who: int, move: Lay) -> State:
    """Lay the card on its slot and refill the hand."""
    book, seat = state.book, state.seats[who]
    bit = book.pick((move.card,), seat.hand) or 0
    chosen = _slot_of_rank(book, seat, move.card)
    slots = tuple(slot | bit if number == chosen else slot for number, slot in enumerate(seat.slots))
    after = Seat(seat.hand & ~bit, seat.up | bit, slots, seat.down, seat.places)
    return _refilled(state.but(seats=state.seats_with(who, after)), who)


def tell_lay(before: State, who: int, move: Lay, after: State) -> list[Event]:
    return [Laid(who, move.card), *tell_draw(who, after.drawn_since(before))]


# -- R42: tribute


@dataclass(frozen=True, slots=True, repr=False)
class Tribute(Move):
    """Let the last winner swap a face-up card with one of the last shithead's (R42); both are None to decline."""

    own: Card | None = None
    theirs: Card | None = None

    name = "tribute"
    phase = "tribute"

    def is_well_formed(self, _rules: Rules, _seats: int, /) -> bool:
        return (self.own is None) == (self.theirs is None)

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.end.tribute and rules.deals_face_up()

    def words(self) -> str:
        return EMPTY if self.own is None else Move.words(self)

    @classmethod
    def read(cls, words: list[str]) -> Self:
        # `slots=True` makes the decorator create a new class, so super() without arguments would use the old one.
        return cls() if words == [EMPTY] else super(Tribute, cls).read(words)


def check_tribute(state: State, who: int, move: Tribute) -> Refusal | None:
    last_winner, last_shithead = cast("tuple[int, int]", state.frame.tribute)
    if who != last_winner:
        return Refusal.NOT_YOUR_TURN
    if move.own is None or move.theirs is None:
        return None
    book, winner, loser = state.book, state.seats[last_winner], state.seats[last_shithead]
    refusal = _check_zone(book, move.own, winner.up, winner.hand) or _check_zone(book, move.theirs, loser.up)
    slots = _slot_for(book, winner, move.own, move.theirs), _slot_for(book, loser, move.theirs, move.own)
    return refusal or (Refusal.MIXED_RANKS if None in slots else None)


def tributes(state: State, _who: int) -> Iterator[Tribute]:
    yield Tribute()
    last_winner, last_shithead = cast("tuple[int, int]", state.frame.tribute)
    own_cards = state.book.cards(state.seats[last_winner].up)
    their_cards = state.book.cards(state.seats[last_shithead].up)
    yield from dict.fromkeys(Tribute(own, theirs) for own in own_cards for theirs in their_cards)


def pay_tribute(state: State, who: int, move: Tribute) -> State:
    """Swap the two cards, if there are any, and go on to the exchange."""
    after = state.but(frame=state.frame.but(phase="exchange", tribute=None), turn=NOBODY)
    if move.own is None or move.theirs is None:
        return after
    _, loser = cast("tuple[int, int]", state.frame.tribute)
    mine = state.book.pick((move.own,), state.seats[who].up) or 0
    theirs = state.book.pick((move.theirs,), state.seats[loser].up) or 0
    after = after.but(seats=after.seats_with(who, _replace_card(state.seats[who], mine, theirs)))
    return after.but(seats=after.seats_with(loser, _replace_card(state.seats[loser], theirs, mine)))


def tell_tribute(before: State, _who: int, move: Tribute, _after: State) -> list[Event]:
    if move.own is None or move.theirs is None:
        return []
    return [PaidTribute(*cast("tuple[int, int]", before.frame.tribute), move.own, move.theirs)]


# -- what they have in common


def _check_zone(book: RuleBook, card: Card, zone: int, other: int = 0) -> Refusal | None:
    """Why a card cannot be taken from a zone, or None; it may be in the `other` one instead."""
    if book.pick((card,), zone) is not None:
        return None
    return Refusal.WRONG_ZONE if book.pick((card,), other) is not None else Refusal.NOT_HELD


def _refilled(state: State, who: int) -> State:
    """Refill the hand of a seat (R33), throwing drawn cards of the thrown rank as they come (R37)."""
    while state.stock and state.seats[who].hand.bit_count() < state.frame.hand_size:
        seat, bit = state.seats[who], state.stock[0]
        drawn = seat.with_hand(seat.hand | bit)
        state = throw(state.but(seats=state.seats_with(who, drawn), stock=state.stock[1:]), [(who, bit)])
    return state


def throw(state: State, cards: list[tuple[int, int]]) -> State:
    """Throw those of `cards`, (seat, bit) in deal order, that have the thrown rank, and replace them (R37)."""
    rank, book = state.frame.thrown, state.book
    for who, first in cards:
        bit = first
        while bit and book.card(bit) >> 2 == rank:  # a card drawn instead may have the rank, too
            drawn = state.stock[0] if state.stock else 0
            state = state.but(
                seats=state.seats_with(who, _replace_card(state.seats[who], bit, drawn)),
                stock=state.stock[1:],
                pile=(*state.pile, book.card(bit)),
                held=state.held | bit,
                frame=state.frame.but(thrower=who),
            )
            bit = drawn
    return state


def _replace_card(seat: Seat, old: int, new: int) -> Seat:
    """The seat with the card `old`, in its hand or a slot, replaced by `new`; with `new` 0, `old` is removed."""
    if seat.hand & old:
        return seat.with_hand(seat.hand & ~old | new)
    slots = (slot & ~old | new if slot & old else slot for slot in seat.slots)
    return Seat(seat.hand, seat.up & ~old | new, tuple(filter(None, slots)), seat.down, seat.places)
