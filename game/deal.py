"""The deal: turns a pack into the first state of a game (R2, R30, R32, R37, R42)."""

from __future__ import annotations

from collections.abc import Sequence

from game.cards import Card, make_pack
from game.compiled import FIRST_READING, TODAYS_READING, RuleBook, book_of
from game.moves.exchange import throw
from game.rules import Rules
from game.state import Frame, Seat, State


class NotDealableError(ValueError):
    """The pack is too small for the seats, or there are fewer than two seats."""


def full_pack(rules: Rules, seats: int) -> tuple[Card, ...]:
    """All cards of a table with `seats` seats, in order, jokers last (R30)."""
    return make_pack(rules.packs_with(seats), rules.jokers_with(seats))


def deal(
    rules: Rules,
    seats: int,
    pack: Sequence[Card],
    dealer: int | None = None,
    last_winner: int | None = None,
    last_shithead: int | None = None,
    *,
    reading: int = TODAYS_READING,
) -> State:
    """Deal `pack`, top card first, from the dealer's left: rows of face-down cards, then face-up, then hands (R2).

    Without a `dealer`, the last seat deals. `last_winner` and `last_shithead`, from the game before in a series, matter
    only with `end.tribute` (R42). An earlier `reading` is for old records (`game.text.record`).

    Raises:
        NotDealableError: there are fewer than two seats, or the pack is too small for them.
        ValueError: the pack holds more copies of a card than the book of these rules has room for.
    """
    if seats < 2 or seats * sum(rules.sizes_with(seats)) > len(pack):  # noqa: PLR2004 - nobody plays alone
        raise NotDealableError
    book = book_of(rules, reading=reading)
    state, seen = _dealt(book, seats, book.spread(pack), seats - 1 if dealer is None else dealer)
    return with_tribute(with_thrown(state, seen), last_winner, last_shithead)


def _dealt(book: RuleBook, seats: int, bits: tuple[int, ...], dealer: int) -> tuple[State, list[tuple[int, int]]]:
    """The state before any card is thrown, and the (seat, bit) of every card not dealt face down, in deal order."""
    down, up, hand = book.rules.sizes_with(seats)
    count = down + up + hand
    face_up = 0 if book.rules.deal.method == "choose" else up  # chosen cards are dealt to the hand
    order = [(dealer + step) % seats for step in range(1, seats + 1)]
    rows = [dict(zip(order, bits[row * seats :], strict=False)) for row in range(count)]
    chairs = tuple(_seat([row[seat] for row in rows], down, face_up) for seat in range(seats))
    seen = [(seat, row[seat]) for row in rows[down:] for seat in order]
    frame = Frame("exchange", dealer, hand)
    frame.dealt = tuple((seat, book.card(bit) >> 2) for seat, bit in seen[: face_up * seats])
    return State(book, frame, chairs, alive=(1 << seats) - 1, stock=bits[seats * count :]), seen


def _seat(cards: list[int], down: int, up: int) -> Seat:
    slots = tuple(cards[down : down + up])
    return Seat(sum(cards[down + up :]), sum(slots), slots, tuple(cards[:down]), tuple(range(1, down + 1)))


def with_thrown(state: State, cards: list[tuple[int, int]]) -> State:
    """Find the rank to throw and throw all its dealt cards (R37); `cards` are (seat, bit) in deal order."""
    if state.book.rules.start.by != "thrown":
        return state
    ranks = {state.book.card(bit) >> 2 for _, bit in cards}
    thrown = next((rank for rank in state.book.search_order if rank in ranks), None)
    return throw(state.but(frame=state.frame.but(thrown=thrown)), cards)


def with_tribute(state: State, last_winner: int | None, last_shithead: int | None) -> State:
    """Let the last winner take a tribute before the exchange, if the rules have one (R42)."""
    rules = state.book.rules
    has_face_up = rules.sizes_with(len(state.seats)).up > 0 or state.book.reading == FIRST_READING
    applies = rules.end.tribute and rules.deals_face_up() and has_face_up and last_winner != last_shithead
    if not applies or last_winner is None or last_shithead is None:
        return state
    frame = state.frame.but(phase="tribute", tribute=(last_winner, last_shithead))
    return state.but(frame=frame, turn=last_winner)
