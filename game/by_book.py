"""Answers that depend on the rules alone, kept in the book of the rules so that they are worked out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple

from game.compiled import RuleBook

MOST_KEPT: Final = 2_000
"""How many answers a book keeps before it drops them; only games with several packs reach it."""
Asked = TypeVarTuple("Asked")
Answer = TypeVar("Answer")


def by_book(work_out: Callable[[RuleBook, *Asked], Answer]) -> Callable[[RuleBook, *Asked], Answer]:
    """The same function with its answers kept in the book it is asked about, so that no answer outlives its book."""

    def kept(book: RuleBook, *asked: *Asked) -> Answer:
        key = (work_out, asked)
        answer: Answer | None = book.kept.get(key)
        if answer is None:
            if len(book.kept) >= MOST_KEPT:
                book.kept.clear()
            answer = book.kept[key] = work_out(book, *asked)
        return answer

    return kept
