"""The record of a game: everything needed to play it again, and nothing that could change its meaning later.

It holds the full rules and the order of the pack, not a variant's name and a seed: variants get edited, and no shuffle
is promised to stay. Plain data, so that a store can keep it without knowing the engine; `game.replay` plays it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, PlainSerializer

from game.cards import Card, format_card, parse_card
from game.rules import Rules


def _parse_pack(value: object) -> object:
    return tuple(parse_card(word) for word in value.split()) if isinstance(value, str) else value


def _format_pack(pack: tuple[Card, ...]) -> str:
    return " ".join(format_card(card) for card in pack)


Pack = Annotated[tuple[Card, ...], BeforeValidator(_parse_pack), PlainSerializer(_format_pack, return_type=str)]


class Record(BaseModel, frozen=True):
    """A game from its deal on. `moves` are lines `A: play 2h`; the clock's are `-: timeout`. Shows no card as text."""

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

    def __repr__(self) -> str:
        """Names no card."""
        return f"Record({self.seats} seats, {len(self.moves)} moves)"

    __str__ = __repr__
