"""A cache for functions of a rule book: results are stored in the book itself and live exactly as long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple

from game.compiled import RuleBook

MOST_RESULTS: Final = 2_000
"""How many results a book caches before it drops them all. Only games with several packs get that far."""
Args = TypeVarTuple("Args")
Result = TypeVar("Result")


def by_book(function: Callable[[RuleBook, *Args], Result]) -> Callable[[RuleBook, *Args], Result]:
    """Cache the results of a function in the book it is called with, so that no result outlives its book."""

    def cached(book: RuleBook, *args: *Args) -> Result:
        key = (function, args)
        result: Result | None = book.results.get(key)
        if result is None:
            if len(book.results) >= MOST_RESULTS:
                book.results.clear()
            result = book.results[key] = function(book, *args)
        return result

    return cached
