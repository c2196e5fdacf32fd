"""Which moves of a game are worth being shown: found in what everybody was told, without a picture or a view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from game import events as ev

MomentKind: TypeAlias = Literal["burned", "picked-up", "saved", "ended"]
MOST_BURNS: Final = 8
_ONCE: Final[tuple[MomentKind, ...]] = ("picked-up", "saved", "ended")
"""Of these the largest alone."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A move, by its number from 0, why it is shown, and how many cards of the pile it was about (0 at the end)."""

    move: int
    kind: MomentKind
    cards: int = 0


def highlights(moves: Sequence[Iterable[ev.Event]]) -> tuple[Moment, ...]:
    """The moments of a game in their order; `moves` are the events of each move.

    They are the largest burns (eight at most), the largest pick-up, the blind flip that fitted on the largest pile and
    so saved its seat from taking it, and the end. Of equal ones the last counts, as they matter more towards the end.
    """
    found = list(_moments(moves))
    burns = sorted((each for each in found if each.kind == "burned"), key=_weight)[-MOST_BURNS:]
    best = [max((each for each in found if each.kind == kind), key=_weight, default=None) for kind in _ONCE]
    return tuple(sorted({*burns, *filter(None, best)}, key=lambda each: (each.move, each.kind)))


def _weight(moment: Moment) -> tuple[int, int]:
    return moment.cards, moment.move


def _moments(moves: Sequence[Iterable[ev.Event]]) -> Iterator[Moment]:
    pile = 0
    for number, told in enumerate(moves):
        before, flipped = pile, False
        for event in told:
            match event:
                case ev.Played(faces=cards) | ev.Interrupted(cards=cards) | ev.Followed(cards=cards):
                    pile += len(cards)
                case ev.Flipped():
                    flipped, pile = True, pile + 1
                case ev.Chanced():
                    pile += 1
                case ev.PickedUp(count=count):
                    yield Moment(number, "picked-up", count)
                    flipped, pile = False, 0
                case ev.Burned(count=count):
                    yield Moment(number, "burned", count)
                    pile = 0
                case ev.Ended():
                    yield Moment(number, "ended")
                case _:
                    pass
        if flipped and before:
            yield Moment(number, "saved", before)
