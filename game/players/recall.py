"""Rebuilds the memory that everybody had at each move of a recorded game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from game.events import redact
from game.players.memory import Memory, first_memory, remember
from game.showing import table_view, unseen
from game.text.record import Step


def recalled(steps: Iterable[Step]) -> Iterator[tuple[Step, Memory]]:
    """Yield each move of a game, from the deal on, with the memory before it."""
    memory = None
    for step in steps:
        memory = memory or first_memory(table_view(step.before))
        yield step, memory
        memory = remembered(memory, step)


def remembered(memory: Memory, step: Step) -> Memory:
    """The memory after a move."""
    hidden = unseen(step.after)
    events = [redact(event, None, unseen=hidden) for event in step.events()]
    return remember(memory, events, table_view(step.after))
