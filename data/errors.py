"""What the store raises. Nothing was changed where one of these comes out, except as `UnavailableError` says."""

from __future__ import annotations


class StoreError(Exception):
    """The store did not do what was asked."""


class ConflictError(StoreError):
    """The table was changed by somebody else since it was read: read it again."""


class DoubledError(StoreError):
    """This interaction was applied before."""


class ChannelTakenError(StoreError):
    """Another table is open in the channel."""


class NameTakenError(StoreError):
    """The server saved other house rules under this name."""


class FullError(StoreError):
    """The server saved as many house rules as it may."""


class UnavailableError(StoreError):
    """The database is locked, full, read-only or gone.

    If it went while committing, only reading again tells whether the change was kept.
    """


class SchemaError(StoreError):
    """The database cannot be brought to the schema of this program; `args[0]` says why in a sentence."""
