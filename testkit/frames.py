"""Games as the frames of a film."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.pictures.film import FilmFrame
from cogs.pictures.highlights import highlights
from cogs.screens.event_words import retold
from cogs.screens.formatter import formatter
from game.showing import seat_view, table_view
from testkit.scenes import NAMES, Step


def frames(steps: Sequence[Step], seat: int | None = None) -> list[FilmFrame]:
    """A game as the frames of a film, as everybody or one seat saw it."""
    piles = [len(step.state.pile) for step in steps]
    fmt, moments = formatter(), {each.move for each in highlights([step.told for step in steps], piles)}
    return [
        FilmFrame(
            table_view(step.state) if seat is None else seat_view(step.state, seat),
            retold(fmt, step.told, NAMES.__getitem__),
            is_moment=n in moments,
        )
        for n, step in enumerate(steps)
    ]
