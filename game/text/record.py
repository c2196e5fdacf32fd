"""The record of a game: everything needed to replay it, and nothing that could change its meaning later.

It holds the full rules and the order of the pack, not a variant's name and a seed, because variants get edited and the
shuffle may change. All replaying goes through `Record.steps`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from game.cards import Card, NotAMoveError
from game.compiled import TODAYS_READING
from game.deal import deal
from game.events import Event
from game.moves import IllegalMove, Move, Refusal, apply, events, format_move, parse_move
from game.rules import Rules
from game.state import State
from game.text.notation import EMPTY, format_cards, format_seat_letter, parse_cards, parse_seat_letter

Pack = Annotated[
    tuple[Card, ...],
    BeforeValidator(lambda value: parse_cards(value) if isinstance(value, str) else value),
    PlainSerializer(format_cards, return_type=str),
]


class Record(BaseModel):
    """A game: what it was dealt from, and its moves as lines such as `A: play 2h`; the clock's are `-: timeout`.

    `pack` is serialized as text, top card first. `last_winner` and `last_shithead` are from the previous game (R42).
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    rules: Rules
    seats: int
    dealer: int
    pack: Pack
    last_winner: int | None = None
    last_shithead: int | None = None
    moves: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Leave out the cards, so that they cannot end up in a log."""
        return f"Record({self.seats} seats)"

    __str__ = __repr__

    def dealt(self, *, reading: int = TODAYS_READING) -> State:
        """Deal; return the state right after it.

        Raises:
            NotDealableError: the pack is too small for the seats.
            ValueError: the pack holds more copies of a card than the book of the rules has room for.
        """
        of_last_game = self.last_winner, self.last_shithead
        return deal(self.rules, self.seats, self.pack, self.dealer, *of_last_game, reading=reading)

    def steps(self) -> list[Step]:
        """Replay all moves.

        Earlier versions read some rules differently (docs/decisions/0010). A game that began with one of them may have
        a move that today's reading refuses. Its whole record is then replayed with an earlier reading, the newest that
        refuses nothing (`RuleBook.reading`).

        Raises:
            ValueError: a line is not a line of a record, or the cards cannot be dealt.
            RefusedAtError: a move is not legal in any reading.
        """
        made = list(map(parse_line, self.moves))
        # A record does not say which version wrote it, so all readings are tried, today's first. If all fail, the
        # record is damaged, and the refusal by today's reading is reported.
        try:
            return _replayed(self.dealt(), made)
        except IllegalMove:
            for reading in reversed(range(TODAYS_READING)):
                with suppress(IllegalMove):
                    return _replayed(self.dealt(reading=reading), made)
            raise

    def end(self) -> State:
        """Replay all moves; return the state after them. Raises what `steps` raises."""
        steps = self.steps()
        return steps[-1].after if steps else self.dealt()


class Step(NamedTuple):
    """A move of a record, with the states before and after it. For the clock, `seat` is None."""

    before: State
    seat: int | None
    move: Move
    after: State

    def events(self) -> tuple[Event, ...]:
        """The events of the move, not redacted."""
        return events(self.before, self.seat or 0, self.move, self.after)


class RefusedAtError(IllegalMove):
    """A move of a record that the rules refuse, so the record is damaged; `number` counts moves from 1."""

    def __init__(self, refusal: Refusal, number: int) -> None:
        super().__init__(refusal)
        self.number = number


def _replayed(state: State, moves: list[tuple[int | None, Move]]) -> list[Step]:
    steps: list[Step] = []
    for number, (seat, move) in enumerate(moves, 1):
        try:
            after = apply(state, seat or 0, move)
        except IllegalMove as error:
            raise RefusedAtError(error.refusal, number) from None
        steps.append(Step(state, seat, move, after))
        state = after
    return steps


def format_line(seat: int | None, move: Move) -> str:
    """A move as a line of a record; `seat` is None for the clock."""
    return f"{format_seat_letter(seat)}: {format_move(move)}"


def parse_line(line: str) -> tuple[int | None, Move]:
    """Parse a line of a record into seat and move; the seat is None for the clock, whose only move is a timeout.

    Raises `NotAMoveError` if it is not a line of a record, and `NotACardError` if a card in it is not one.
    """
    letter, _, text = line.partition(":")
    seat = None if letter.strip() == EMPTY else parse_seat_letter(letter)
    move = parse_move(text)
    if (seat is None) != move.by_clock:
        raise NotAMoveError(line)
    return seat, move
