"""The record of a game: everything needed to play it again, and nothing that could change its meaning later.

It holds the full rules and the order of the pack, not a variant's name and a seed: variants get edited, and no shuffle
is promised to stay.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from game.cards import Card
from game.deal import deal
from game.moves import Move, apply, format_move, parse_move
from game.rules import Rules
from game.state import State
from game.text.notation import format_cards, format_seat_letter, parse_cards, parse_seat_letter

Pack = Annotated[
    tuple[Card, ...],
    BeforeValidator(lambda value: parse_cards(value) if isinstance(value, str) else value),
    PlainSerializer(format_cards, return_type=str),
]


class Record(BaseModel):
    """A game from its deal on. `moves` are lines `A: play 2h`; the clock's are `-: timeout`."""

    model_config = ConfigDict(frozen=True)

    rules: Rules
    seats: int
    dealer: int
    pack: Pack
    moves: tuple[str, ...] = ()
    last_winner: int | None = None
    last_shithead: int | None = None

    def with_move(self, line: str) -> Record:
        """The record with one more line."""
        return self.model_copy(update={"moves": (*self.moves, line)})

    def dealt(self) -> State:
        """The state right after the deal."""
        return deal(self.rules, self.seats, self.pack, self.dealer, self.last_winner, self.last_shithead)


def format_line(seat: int | None, move: Move) -> str:
    """A move with its seat as a line of a record; None is the clock."""
    return f"{'-' if seat is None else format_seat_letter(seat)}: {format_move(move)}"


def parse_line(line: str) -> tuple[int, Move]:
    """The seat and the move of a line; the clock's moves are made in the name of seat 0.

    Raises:
        ValueError: the line is no line of a record.
    """
    seat, _, move = line.partition(":")
    return 0 if seat.strip() == "-" else parse_seat_letter(seat), parse_move(move)


def play_line(state: State, line: str) -> State:
    """The state after a line of a record.

    Raises:
        ValueError: the line is no line of a record.
        IllegalMove: the rules refuse it.
    """
    return apply(state, *parse_line(line))


def replay(record: Record) -> State:
    """The state after all moves of a record.

    Raises:
        IllegalMove: a move is not legal, so the record is damaged.
    """
    state = record.dealt()
    for line in record.moves:
        state = play_line(state, line)
    return state
