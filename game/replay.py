"""Playing a record again, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from game.deal import deal
from game.engine import apply
from game.moves import Move
from game.notation import format_move, format_seat_letter, parse_move, parse_seat_letter
from game.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game.record import Record


class Step(NamedTuple):
    """A move of a record: the state before it, whose it is (None: the clock's), and the state after it."""

    before: State
    seat: int | None
    move: Move
    after: State


def format_line(seat: int | None, move: Move) -> str:
    """A move with its seat as a line of a record; None is the clock."""
    return f"{'-' if seat is None else format_seat_letter(seat)}: {format_move(move)}"


def parse_line(line: str) -> tuple[int | None, Move]:
    """The seat (None is the clock) and the move of a line.

    Raises:
        ValueError: the line is no line of a record.
    """
    seat, _, move = line.partition(":")
    return None if seat.strip() == "-" else parse_seat_letter(seat), parse_move(move)


def dealt(record: Record) -> State:
    """The state right after the deal.

    Raises:
        NotDealableError: the pack does not suffice.
    """
    return deal(record.rules, record.seats, record.pack, record.dealer, record.last_winner, record.last_shithead)


def steps(record: Record) -> Iterator[Step]:
    """The moves of a record, one after another; the clock's are made in the name of seat 0.

    Raises:
        ValueError: a line is no line of a record.
        IllegalMove: a move is not legal, so the record is damaged.
    """
    state = dealt(record)
    for line in record.moves:
        seat, move = parse_line(line)
        before, state = state, apply(state, seat or 0, move)
        yield Step(before, seat, move, state)


def replay(record: Record) -> State:
    """The state after all moves of a record.

    Raises:
        IllegalMove: a move is not legal, so the record is damaged.
    """
    state = dealt(record)
    for step in steps(record):
        state = step.after
    return state
