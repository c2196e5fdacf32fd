"""Which moves of a game are worth showing. Pure, without any drawing.

Moments are found in the public events and the sizes of the pile, without a view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from game import events as ev

MomentKind: TypeAlias = Literal["burned", "picked-up", "saved", "went-out", "ended"]
MOST_BURNS: Final = 3
LEAST_BURN: Final = 4
"""Burns of fewer cards are not shown; most of them are a ten on one or two cards."""
_MOST: Final[Mapping[MomentKind, int]] = {"burned": MOST_BURNS, "picked-up": 1, "saved": 1, "ended": 1}
"""How many of the largest moments of a kind count."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A move by its number, from 0; why it is shown; how many cards the pile had (0 for going out and the end)."""

    move: int
    kind: MomentKind
    cards: int = 0


def highlights(moves: Sequence[Iterable[ev.Event]], piles: Sequence[int]) -> tuple[Moment, ...]:
    """Find the moments of a game, in order; `moves` are the events of each move, `piles` the pile's cards after it.

    They are: somebody going out before the end; the largest burns (three at most, of four cards or more); the largest
    pick-up; the blind flip that saved its seat from taking the largest pile; and the end. Among equals the last one
    counts, because moves matter more towards the end.
    """
    moments = [each for each in _moments(moves, piles) if each.kind != "burned" or each.cards >= LEAST_BURN]
    end_moves = {each.move for each in moments if each.kind == "ended"}
    shown = {each for each in moments if each.kind == "went-out" and each.move not in end_moves}
    for kind, most in _MOST.items():
        shown.update(sorted((each for each in moments if each.kind == kind), key=lambda each: each.cards)[-most:])
    return tuple(sorted(shown, key=lambda each: (each.move, each.kind)))


def _moments(moves: Sequence[Iterable[ev.Event]], piles: Sequence[int]) -> Iterator[Moment]:
    for number, (events, before) in enumerate(zip(moves, (0, *piles[:-1]), strict=True)):
        flipped = False
        for event in events:
            match event:
                case ev.Flipped():
                    flipped = True
                case ev.PickedUp(count=count, by=by):
                    yield Moment(number, "picked-up", count)
                    flipped = flipped and by is not None  # a flip that fitted may make the next seat take it
                case ev.Burned(count=count):
                    yield Moment(number, "burned", count)
                case ev.WentOut() | ev.Ended():
                    yield Moment(number, "ended" if isinstance(event, ev.Ended) else "went-out")
                case _:
                    pass
        if flipped and before:
            yield Moment(number, "saved", before)
