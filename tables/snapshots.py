"""What the doorway hands to whoever draws: a table as everybody may see it, and as one player may.

Holds views, never the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from data.models import Result, Table
from data.tea import TeaDebt
from game.events import Event
from game.view import SeatView, TableView

RECENT: Final = 12
"""How many of the last public events a shown table carries."""


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table as everybody may see it.

    `view` is None in the lobby; `recent` are the last public events, oldest first; `result` and `debt` belong to an
    ended game (`debt` None where nobody owes); `moves` counts the moves of the game so far.
    """

    table: Table
    view: TableView | None = None
    recent: tuple[Event, ...] = ()
    moves: int = 0
    result: Result | None = None
    debt: TeaDebt | None = None


@dataclass(frozen=True, slots=True)
class HandSnapshot:
    """A table as one seated player may see it."""

    snapshot: TableSnapshot
    view: SeatView


class Decline(Enum):
    """Why the doorway does not do what was asked; what the rules refuse is in `game.refusals`."""

    UNKNOWN_TABLE = "unknown-table"
    UNKNOWN_VARIANT = "unknown-variant"
    TABLE_IN_CHANNEL = "table-in-channel"
    TOO_MANY_TABLES = "too-many-tables"
    NOT_A_LOBBY = "not-a-lobby"
    NOT_PLAYING = "not-playing"
    NOT_OVER = "not-over"
    TABLE_FULL = "table-full"
    ALREADY_SEATED = "already-seated"
    NOT_SEATED = "not-seated"
    NOT_HOST = "not-host"
    TOO_FEW = "too-few"
    NO_ROOM_IN_PACK = "no-room-in-pack"
    NO_COMPUTER = "no-computer"
    NO_SHITHEAD = "no-shithead"
    STALE = "stale"
    NOT_YET = "not-yet"
    NOT_A_CREDITOR = "not-a-creditor"
    UNKNOWN_DEBT = "unknown-debt"
    ALREADY_SETTLED = "already-settled"
    ALREADY_FORGIVEN = "already-forgiven"
    NOT_FORGIVEN = "not-forgiven"
    NOTHING_TO_UNDO = "nothing-to-undo"
    TOO_LATE = "too-late"
    NOT_A_MODERATOR = "not-a-moderator"
    DEBT_CHANGED = "debt-changed"
    ALREADY_SO = "already-so"
    REMINDED_ALREADY = "reminded-already"
    WANTS_NO_REMINDER = "wants-no-reminder"
    NOBODY_TO_REMIND = "nobody-to-remind"
    ALREADY_VOTED = "already-voted"
    BAD_FORFEIT = "bad-forfeit"
    BAD_NAME = "bad-name"
    NAME_TAKEN = "name-taken"
    TOO_MANY_HOUSE_RULES = "too-many-house-rules"
    TOO_FAST = "too-fast"
    SAVING_FAILED = "saving-failed"
    CLOSING = "closing"


class Declined(Exception):  # noqa: N818 - it is no error of the program: somebody asked for what cannot be had
    """The doorway declined; nothing changed.

    `shown` is the table as it is now where there is one, `table_id` another table in the way.
    """

    def __init__(self, why: Decline, snapshot: TableSnapshot | None = None, table_id: int | None = None) -> None:
        """Keep the reason and what helps to word it."""
        super().__init__(why.value)
        self.why = why
        self.snapshot = snapshot
        self.table_id = table_id
