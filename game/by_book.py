"""A cache for functions of a rule book: results are stored in the book itself and live exactly as long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple

from game.compiled import RuleBook

MOST_KEPT: Final = 2_000
"""How many results a book caches before it drops them all. Only games with several packs get that far."""
Asked = TypeVarTuple("Asked")
Answer = TypeVar("Answer")


def by_book(work_out: Callable[[RuleBook, *Asked], Answer]) -> Callable[[RuleBook, *Asked], Answer]:
    """Cache the results of a function in the book it is called with, so that no result outlives its book."""

    def kept(book: RuleBook, *asked: *Asked) -> Answer:
        key = (work_out, asked)
        answer: Answer | None = book.kept.get(key)
        if answer is None:
            if len(book.kept) >= MOST_KEPT:
                book.kept.clear()
            answer = book.kept[key] = work_out(book, *asked)
        return answer

    return kept
