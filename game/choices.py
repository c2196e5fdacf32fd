"""Which moves a seat has: the enumeration that agrees with `game.legality.check`, fast for what every table knows.

`turn_moves` is what random play and computer players run on. Options that only some tables have are looked at only when
the compiled book says that they are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.cards import ACE, JOKER, card_of, face_rank, make_face
from game.compiled import FOUR, by_book
from game.moves import Call, Chance, Clear, Flip, PickUp
from game.rows import rows_in
from game.slots import stacked, unions
from game.state import NOBODY

if TYPE_CHECKING:
    from game.cards import Face, Rank
    from game.compiled import RuleBook
    from game.moves import Move, Word
    from game.plays import Laid
    from game.state import Seat, State

PICK_UP = PickUp()
CHANCE = Chance()
FLIPS = tuple(Flip(number) for number in range(1, 7))


def turn_moves(state: State) -> list[Move]:
    """All moves on turn: in play, or the flush seat's in phase `clear`, or the call (scenarios.md `legal`)."""
    frame = state.frame
    if frame.phase != "play":
        return _moves_between(state)
    book = state.book
    seat = state.seats[state.turn]
    zone = seat.hand or seat.up
    if not zone:
        moves: list[Move] = list(FLIPS[: len(seat.down)])
        if state.pile and not book.must_play:
            moves.append(PICK_UP)
        return _with_chance(state, moves, stuck=False) if book.chance == "always" else moves
    if not book.usual or frame.opening or frame.duty:
        return _special_moves(state, seat)
    moves = []
    sets, groups = book.sets, book.group_of
    fitting = zone & book.fits[state.top]
    while fitting:
        group = fitting & groups[fitting.bit_length()]
        moves += sets[group]
        fitting ^= group
    if state.pile:
        moves += _pick_ups(book, seat)
    return moves


def _pick_ups(book: RuleBook, seat: Seat) -> tuple[PickUp, ...]:
    if seat.hand or not book.add_one:
        return _PLAIN_PICK_UP
    return pick_ups_with(book, seat.slots)


_PLAIN_PICK_UP = (PICK_UP,)


@by_book
def pick_ups_with(book: RuleBook, slots: tuple[int, ...]) -> tuple[PickUp, ...]:
    """A pick-up with each slot (R13), equal ones once."""
    return tuple(dict.fromkeys(PickUp(tuple(book.cards(slot))) for slot in slots))


def _moves_between(state: State) -> list[Move]:
    if state.frame.phase == "clear":
        return [Clear()]
    return [Call()] if state.frame.phase == "call" else []


# -- tables with more to choose from


def _special_moves(state: State, seat: Seat) -> list[Move]:
    book = state.book
    plays = _special_plays(state, seat)
    moves: list[Move] = list(plays)
    if state.frame.duty:
        return [*moves, *_pick_ups(book, seat)]
    if state.pile and not (book.must_play and plays):
        passes_on = (
            book.stuck_previous
            and not plays
            and state.last not in {NOBODY, state.turn}
            and state.alive >> state.last & 1
        )
        moves += _PLAIN_PICK_UP if passes_on else _pick_ups(book, seat)
    return _with_chance(state, moves, stuck=not plays)


def _with_chance(state: State, moves: list[Move], *, stuck: bool) -> list[Move]:
    chance = state.book.chance
    if state.stock and (chance == "always" or (chance == "stuck" and stuck)):
        moves.append(CHANCE)
    return moves


def _special_plays(state: State, seat: Seat) -> list[Laid]:
    """The legal plays of the seat on turn from hand or face-up cards, with every option considered."""
    book, frame = state.book, state.frame
    zone = seat.hand or seat.up
    if frame.duty:
        return [laid for laid in _sets_in(book, seat, zone & book.red_jacks) if len(laid.cards) == 1]
    plays = _sets_in(book, seat, zone & book.fits[state.top])
    if book.wild and zone & book.joker_mask:
        plays += _wild_sets(state, seat, zone)
    if not seat.hand:
        return plays + (rows_in(state, zone & ~stacked(seat)) if book.sequences else [])
    if book.four_on_anything:
        plays += _fours(book, zone & ~book.fits[state.top])
    if book.combo and not state.stock:
        plays += _combos(state, seat)
    if book.sequences:
        plays += rows_in(state, zone)
    return _leading(state, plays) if frame.opening else plays


def must_lead_rank(state: State) -> Rank | None:
    """The rank that the opening lead must have (R45), None where any will do."""
    frame = state.frame
    if not frame.opening or not state.book.rules.start.must_lead or frame.found is None or frame.starter != state.turn:
        return None
    holds = state.seats[state.turn].hand & state.book.rank_masks[frame.found]
    return frame.found if holds else None


def _leading(state: State, plays: list[Laid]) -> list[Laid]:
    rank = must_lead_rank(state)
    return plays if rank is None else [laid for laid in plays if all(face_rank(face) == rank for face in laid.cards)]


def _sets_in(book: RuleBook, seat: Seat, fitting: int) -> list[Laid]:
    if not seat.hand and stacked(seat):
        units = tuple(slot for slot in seat.slots if slot & fitting == slot)
        return list(_slot_sets(book, units))
    plays: list[Laid] = []
    while fitting:
        group = fitting & book.group_of[fitting.bit_length()]
        plays += book.sets[group]
        fitting ^= group
    return plays


@by_book
def _slot_sets(book: RuleBook, units: tuple[int, ...]) -> tuple[Laid, ...]:
    """All plays of whole slots of one rank; equal ones once."""
    made: dict[tuple[object, str], Laid] = {}
    for mask in unions(units):
        cards = tuple(book.cards(mask))
        if len({face_rank(card) for card in cards}) == 1:
            for word in book.words(face_rank(cards[0])):
                made.setdefault((cards, word), book.laid(mask, cards, word))
    return tuple(made.values())


def _fours(book: RuleBook, zone: int) -> list[Laid]:
    """Four or more of a rank from the hand, on anything (`play.four_on_anything`)."""
    plays: list[Laid] = []
    for mask in book.rank_masks:
        if (zone & mask).bit_count() >= FOUR:
            plays += [laid for laid in book.sets[zone & mask] if len(laid.cards) >= FOUR]
    return plays


# -- wild jokers (R38)


def _wild_sets(state: State, seat: Seat, zone: int) -> list[Laid]:
    book, four = state.book, bool(seat.hand) and state.book.four_on_anything
    fits = book.fits[state.top]
    found: list[Laid] = []
    for rank, mask in enumerate(book.rank_masks):
        joker_fits = book.goes_on(state.top, rank, JOKER)
        others_fit = bool(fits & mask)
        if not joker_fits and not four:
            continue
        for laid in _wild_plays(book, zone & (mask | book.joker_mask), rank, () if seat.hand else seat.slots):
            alone = all(card_of(face) >> 2 == JOKER for face in laid.cards)
            if (joker_fits and (alone or others_fit)) or (four and len(laid.cards) >= FOUR):
                found.append(laid)
    return found


@by_book
def _wild_plays(book: RuleBook, group: int, rank: Rank, slots: tuple[int, ...]) -> tuple[Laid, ...]:
    """Every distinct set with at least one joker named `rank`; from face-up cards whole slots only."""
    masks = book.subsets(group) if not slots else [mask for mask in unions(slots) if mask & group == mask]
    made: dict[tuple[object, str], Laid] = {}
    for mask in masks:
        if mask & book.joker_mask:
            cards = tuple(make_face(card, rank=rank) if card >> 2 == JOKER else card for card in book.cards(mask))
            for word in book.words(rank):
                made.setdefault((cards, word), book.laid(mask, cards, word))
    return tuple(made.values())


def _combos(state: State, seat: Seat) -> list[Laid]:
    """The whole hand with face-up slots of its rank (R41)."""
    book = state.book
    for_naming = seat.hand & ~book.joker_mask if book.wild else seat.hand
    ranks = {card >> 2 for card in book.cards(for_naming)}
    if len(ranks) > 1 or JOKER in ranks:
        return []
    found: dict[tuple[object, str], Laid] = {}
    for rank in ranks or range(13):
        wanted = book.rank_masks[rank] | (book.joker_mask if book.wild else 0)
        for mask in unions(tuple(slot for slot in seat.slots if slot & wanted == slot)):
            cards = tuple(
                make_face(card, rank=rank) if card >> 2 == JOKER else card for card in book.cards(seat.hand | mask)
            )
            if _may_go(state, cards, seat.hand.bit_count()):
                for word in book.words(rank):
                    found.setdefault((cards, word), book.laid(seat.hand | mask, cards, word))
    return list(found.values())


def _may_go(state: State, cards: tuple[Face, ...], in_hand: int) -> bool:
    book = state.book
    if book.four_on_anything and in_hand >= FOUR:
        return True
    return all(book.face_fits(state.top, face) for face in cards)


# -- questions about a seat


def is_stuck(state: State, who: int) -> bool:
    """Whether the seat has no legal play; a seat that can flip is not stuck (R35). Only some tables need to ask."""
    seat = state.seats[who]
    if not (seat.hand or seat.up):
        return False
    return not _special_plays(state.but(book=state.book.brief), seat)


def flip_laid(state: State, bit: int, word: Word) -> Laid | None:
    """The flipped card as a play, or None when it may not go on the pile (R14).

    A wild joker is an ace (R38), a named card high unless said (R44).
    """
    book = state.book
    card = book.card(bit)
    face = make_face(card, rank=ACE) if book.wild and card >> 2 == JOKER else card
    if not book.face_fits(state.top, face):
        return None
    said: Word = (word or "high") if book.names[face_rank(face)] else ""
    return book.laid(bit, (face,), said)


def chance_laid(state: State, word: Word) -> Laid | None:
    """The top card of the stock as a play, or None when it may not go on the pile (R35)."""
    return flip_laid(state, state.stock[0], word)
