"""The players in C (`bench/learning/twin.c`), for matches of thousands of packs by the classic rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import CDLL, POINTER, c_double, c_int, c_uint64, c_void_p
from functools import cache
from itertools import chain, count
from typing import Final, cast

from bench.learning import twin
from game.compiled import book_of
from game.players import LevelName, levels
from game.players.levels import STYLES, Style
from game.players.network import weights_of
from game.players.search import rollout_player
from game.rules import Rules

NAMES: Final = ("today", "public", *STYLES)


class TwinPlayer:
    """A player in the twin: its networks, the roll-out player of its search, and how far it trusts them."""

    def __init__(self, style: Style, seats: int) -> None:
        """As it plays at tables of so many seats."""
        book = book_of(Rules())
        self.networks = [twin.TwinLearner(weights_of(kind, book.rules, seats)) for kind in (style.weights, "critic")]
        numbers = [style.temperature, style.margin, style.remembers, *(style.budget or (0, 0))]
        trusts = (levels.BETWEEN_TWO, levels.AT_THE_END, levels.AMONG_MORE)
        self._make(rollout_player(book, seats).rows, [*numbers, *chain.from_iterable(trusts)])

    def _make(self, rows: Sequence[float], style: Sequence[float]) -> None:
        policy, critic = (each.made for each in self.networks) if self.networks else (None, None)
        numbers = [(c_double * len(each))(*each) for each in (rows, style)]
        self.made = c_void_p(library().twin_player(policy, critic, numbers[0], len(rows), numbers[1]))

    def __del__(self) -> None:
        """Give back its memory."""
        library().twin_free_player(self.made)


class TwinPublic(TwinPlayer):
    """The player by public advice (`bench.rivals`)."""

    def __init__(self) -> None:
        """It knows how much goes on what."""
        self.networks = []
        counts = [fits.bit_count() for fits in book_of(Rules()).fits]
        self._make([count / counts[0] for count in counts], [0.0] * 14)


@cache
def library() -> CDLL:
    """The twin with what plays in it."""
    found = twin.library()
    found.twin_player.restype, found.twin_pack.restype = c_void_p, c_double
    found.twin_player.argtypes = [c_void_p, c_void_p, POINTER(c_double), c_int, POINTER(c_double)]
    found.twin_pack.argtypes = [c_void_p, c_void_p, c_int, c_uint64]
    return found


def player_named(name: str, seats: int) -> TwinPlayer | None:
    """A player by its name; the baseline player is built in."""
    if name == "today":
        return None
    return TwinPublic() if name == "public" else TwinPlayer(STYLES[cast("LevelName", name)], seats)


def lost(one: str, others: str, seats: int, seed: int) -> Iterator[float]:
    """What `one` loses of one pack after another at a table of `others`; a pack is played once from each seat."""
    first, second = player_named(one, seats), player_named(others, seats)
    against = second.made if second else None
    for pack in count():
        yield float(library().twin_pack(first.made if first else None, against, seats, (seed << 32) + pack))
