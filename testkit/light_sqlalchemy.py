"""Lets all tests of a process share the statements that SQLAlchemy has compiled.

The bot compiles each statement once, because it has one engine for writing and one for reading. Each test has engines
of its own, and would compile all of them again, which takes a tenth of the time of a test at a table.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import Engine


class _Shared(dict[Any, Any]):
    """Compiled statements by the kind of the dialect, not by the dialect of one engine."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


def share_compiled_statements() -> None:
    """From now on all engines use the same cache, whatever they were made with."""
    shared = _Shared()
    Engine._compiled_cache = property(lambda _: shared, lambda _, own: None)  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage]
