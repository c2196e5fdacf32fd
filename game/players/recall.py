"""A recorded game gone through again, with the memory that everybody had of it at each move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from game.engine import apply, events
from game.events import redact
from game.players.memory import Memory, first_memory, remember
from game.record import parse_line
from game.views import table_view, unseen

if TYPE_CHECKING:
    from game.moves import Move
    from game.players.worlds import World
    from game.record import Record


def recalled(record: Record) -> Iterator[tuple[World, Memory, int, Move]]:
    """For each move of a record the table and the memory before it, the seat and the move."""
    state = record.dealt()
    memory = first_memory(table_view(state))
    for line in record.moves:
        seat, move = parse_line(line)
        yield state, memory, seat, move
        after = apply(state, seat, move)
        state, memory = after, remembered(memory, state, seat, move, after)


def remembered(memory: Memory, before: World, seat: int, move: Move, after: World) -> Memory:
    """The memory after a move that led from one table to another."""
    hidden = unseen(after)
    said = [redact(event, None, unseen=hidden) for event in events(before, seat, move, after)]
    return remember(memory, said, table_view(after))


def recall(record: Record) -> Memory:
    """The memory after all moves of a record."""
    memory = first_memory(table_view(record.dealt()))
    for before, known, seat, move in recalled(record):
        memory = remembered(known, before, seat, move, apply(before, seat, move))
    return memory
