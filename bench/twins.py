"""The players in C (`game/players/twin.c`), for matches of thousands of packs by the classic rules."""

from __future__ import annotations

from ctypes import CDLL, POINTER, c_double, c_int, c_uint64, c_void_p
from functools import cache
from typing import Final

from game.compiled import book_of
from game.players import levels, twin
from game.players.levels import STYLES, Level, Style
from game.players.network import weights_of
from game.players.reflex import reflex
from game.rules import Rules

NAMES: Final = ("today", *(level.value for level in Level))


class TwinPlayer:
    """A player in the twin: its networks, the quick player of its search, and how far it trusts them."""

    def __init__(self, style: Style, seats: int) -> None:
        """As it plays at tables of so many seats."""
        book = book_of(Rules())
        self.brains = [twin.TwinLearner(weights_of(kind, book.rules, seats)) for kind in ("player", "critic")]
        rows = reflex(book, seats).rows
        budget = style.budget or (0, 0)
        trusts = (levels.BETWEEN_TWO, levels.AT_THE_END, levels.AMONG_MORE)
        numbers = [style.warmth, style.margin, style.remembers, *budget, *(each for trust in trusts for each in trust)]
        policy, critic = (brain.made for brain in self.brains)
        doubles = [(c_double * len(each))(*each) for each in (rows, numbers)]
        self.made = c_void_p(library().twin_player(policy, critic, doubles[0], len(rows), doubles[1]))

    def __del__(self) -> None:
        """Give back its memory."""
        library().twin_free_player(self.made)


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
    return None if name == "today" else TwinPlayer(STYLES[Level(name)], seats)


def lost(one: TwinPlayer, others: TwinPlayer | None, seats: int, seed: int) -> float:
    """What `one` loses of a pack at a table of `others`, played once from each seat."""
    return float(library().twin_pack(one.made, others.made if others else None, seats, seed))
