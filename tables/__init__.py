"""The doorway: the one place that changes tables. Everybody else sees views.

This package alone, of all that is above the store, may name the state of a game. Knows nothing of Discord.
"""

from __future__ import annotations

from tables.archive import Archive
from tables.ledger import Ledger
from tables.loaded import Changed, Due
from tables.lobbies import Lobbies
from tables.people import People
from tables.timekeeping import Timekeeping

__all__ = ["Changed", "Due", "Tables"]


class Tables(Lobbies, Timekeeping, Ledger, Archive, People):
    """Tables from lobby to end, and the tea. Every method raises `Declined`; a change is stored before it returns."""
