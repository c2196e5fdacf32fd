"""The inputs of a network: the facts that are true of a position and of a move, as lists of row numbers.

Every row belongs to a block. A block of cards has a row for each rank and number of cards ("two sevens in hand"), made
from the traits of the rank so that it has a meaning under any rules. A block of facts has a row for each fact.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from typing import Final

from game.cards import JOKER, card_of, face_rank
from game.compiled import GLASS
from game.moves import BoundPlay, Flip, Move, PickUp, sets_of_four, would_burn
from game.moves.aftermath import steps_to_next
from game.players.knowledge import Holding, Knowledge
from game.players.network import CARD_BLOCKS, FACT_BLOCKS, PILE_SIZES, RANK_COUNT

_SIZES: Final = {**{block: most * RANK_COUNT for block, most in CARD_BLOCKS.items()}, **FACT_BLOCKS}
START: Final = dict(zip((*_SIZES, "end"), accumulate(_SIZES.values(), initial=1), strict=True))
"""The first row of each block; row 0 stands for the options of the table and is always lit."""
ROWS: Final = START["end"]

BLOCKS: Final = ("options", *(block for block, size in _SIZES.items() for _ in range(size)))
"""By row: the block that it belongs to."""

_ZONES: Final = (
    ("hand", "face-up", "face-down", "hand size", "next hidden", "down left"),  # a seat knows its own hand
    ("next hand", "next face-up", "next face-down", "next hand size", "next hidden", "next down left"),
    ("second hand", "second face-up", "second face-down", "second hand size", "second hidden", "second down left"),
)

HAND_SIZES: Final = (0, 1, 2, 3, 5, 8, 13)
STOCK_SIZES: Final = (0, 3, 9, 17, 25)
FEWEST: Final = (2, 4, 7)
BLOCK_CHANCES: Final = (0.1, 0.3, 0.5, 0.7, 0.9, 0.999)


def state_rows(known: Knowledge) -> list[int]:
    """The rows that a position lights, before any move."""
    copies, seats, stock = known.book.copies, known.seats, known.stock
    rows = [0, START["asked"] + known.code]
    for seat, zone in zip(seats, _ZONES, strict=False):
        _seat_rows(rows, copies, seat, zone)
    others = seats[len(_ZONES) :]
    if others:
        _other_rows(rows, copies, others)
    rows += _card_rows(copies, "pile", known.lying)
    rows += _card_rows(copies, "unknown", known.unknown)
    fewest = min((seat.known | seat.up).bit_count() + seat.hidden + seat.down for seat in seats[1:])
    rows += (
        START["stock"] + bisect_left(STOCK_SIZES, stock),
        START["pile size"] + bisect_left(PILE_SIZES, len(known.pile)),
        START["seats left"] + min(len(seats) - 2, 3),
        START["turn"] + min(known.turn, 3),
        START["fewest"] + bisect_left(FEWEST, fewest),
    )
    return rows


@lru_cache(2**15)  # most zones of a table do not change from one move to the next
def _card_rows(copies: int, block: str, cards: int) -> tuple[int, ...]:
    """The row of each rank among the cards, by how many there are of it."""
    rows: list[int] = []
    start, most, width = START[block], CARD_BLOCKS[block], 4 * copies
    while cards:
        rank = (cards.bit_length() - 1) // width
        below = cards & (1 << rank * width) - 1
        rows.append(start + rank * most + min((cards ^ below).bit_count(), most) - 1)
        cards = below
    return tuple(rows)


def _seat_rows(rows: list[int], copies: int, seat: Holding, zone: tuple[str, ...]) -> None:
    hand, up, below, size, hidden, down = zone
    rows += _card_rows(copies, hand, seat.known)
    rows += _card_rows(copies, up, seat.up)
    if seat.below:
        rows += _card_rows(copies, below, seat.below)
    rows.append(START[size] + bisect_left(HAND_SIZES, seat.known.bit_count() + seat.hidden))
    rows.append(START[down] + min(seat.down, 3))
    if seat.hidden:
        rows.append(START[hidden] + min(seat.hidden, 4) - 1)


def _other_rows(rows: list[int], copies: int, others: tuple[Holding, ...]) -> None:
    """Light the rows of all seats after the next two, taken together."""
    known = up = below = 0
    for seat in others:
        known |= seat.known
        up |= seat.up
        below |= seat.below
    rows += _card_rows(copies, "other hands", known)
    rows += _card_rows(copies, "other face-up", up)
    rows += _card_rows(copies, "other face-down", below)


def move_rows(known: Knowledge, move: Move) -> list[int]:
    """The rows that a move lights in a position."""
    if isinstance(move, BoundPlay):
        return _play_rows(known, move)
    if isinstance(move, PickUp):
        added = [START["added"] + face_rank(move.cards[0])] if move.cards else []
        return [START["pick up"], *added]
    return [START["flip" if isinstance(move, Flip) else "chance"]]


def _play_rows(known: Knowledge, play: BoundPlay) -> list[int]:
    book, seat = known.book, known.seats[0]
    rank = face_rank(play.cards[0])
    rows = _rank_rows(play, rank)
    zone = seat.known or seat.up
    stays = zone & ~play.mask
    rows.append(START["stays"] + min((stays & book.group_of[play.mask.bit_length()]).bit_count(), 3))
    if not stays and not known.stock:
        rows.append(START["ends zone" if (seat.known and seat.up) or seat.down else "goes out"])
    if would_burn(known.book, known.pile, play):
        rows.append(START["burns"] + bisect_left(PILE_SIZES, len(known.pile)))
        return rows
    steps = step_after(known, play)
    if steps == 0:
        rows.append(START["again"])
        return rows
    chance = block_chance(known, play, steps)
    if chance > BLOCK_CHANCES[0] and book.play.stuck == "self":  # else this seat would get the pile
        rows.append(START["blocks"] + bisect_left(BLOCK_CHANCES, chance) - 1)
    return rows


def _rank_rows(play: BoundPlay, rank: int) -> list[int]:
    most, start = CARD_BLOCKS["play"], START["play"]
    if play.sequence:
        rows = [start + face_rank(face) * most for face in play.cards]
        rows.append(START["sequence"])
    else:
        jokers = sum(face_rank(card_of(face)) == JOKER for face in play.cards)
        rows = [start + JOKER * most + min(jokers, most) - 1] if jokers else []
        others = len(play.cards) - jokers
        if others:
            rows.append(start + rank * most + min(others, most) - 1)
    if play.word == "low":
        rows.append(START["low"])
    return rows


def step_after(known: Knowledge, play: BoundPlay) -> int:
    """The place in turn order of the seat that must answer a play; 0 if the same seat plays again."""
    return steps_to_next(known.book, known.pile, play, len(known.seats))


def block_chance(known: Knowledge, play: BoundPlay, steps: int) -> float:
    """The probability that the seat `steps` places on cannot answer a play; glass asks what was asked before (R22)."""
    return stuck_chance(known, known.seats[steps], code_after(known, play))


def code_after(known: Knowledge, play: BoundPlay) -> int:
    """The code of what the pile asks after a play that does not burn; beneath glass the cards below decide (R22)."""
    return known.book.top_of(known.pile + play.faces) if play.top == GLASS or play.gone else play.top


def stuck_chance(known: Knowledge, seat: Holding, code: int) -> float:
    """The probability that a seat has no answer to `code`, if unknown cards are equally likely to be anywhere."""
    book, fits = known.book, known.book.answers[code]
    shown = seat.known or (0 if seat.hidden else seat.up)
    if shown & fits or (book.play.four_on_anything and any(sets_of_four(book, seat.known & ~book.joker_mask))):
        return 0
    if shown and not seat.hidden:
        return 1
    if seat.below and not seat.hidden:
        return 1 - (seat.below & fits).bit_count() / seat.down
    unknown = known.unknown.bit_count()
    share = (known.unknown & fits).bit_count() / unknown if unknown else 0
    return (1 - share) ** (seat.hidden or 1)
