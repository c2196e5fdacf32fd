"""Compares the requests that were acknowledged with what a killed process left on the disk.

The observer looks at a copy, because the next process should be the one to repair the database.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from data.game_models import StoredGame
from data.guild_models import GuildSettings
from data.packed import unpack
from data.store import Store, database_at
from tables.gameplay import is_complete, replayed
from tables.loaded import DamagedGameError, LoadedTable
from testkit.crowd import Told, Wish
from testkit.stored import stored_game, stored_table

NOT_COUNTED: Final = frozenset({"serve", "act"})
"""Verbs of requests that do not change the table itself, or are counted as moves."""
StoredMove: TypeAlias = tuple[int | None, int, int, int, int]
"""The id of the interaction, None if that is stored apart; the table, its revision, the game, and the move's number."""
MOVES: Final = "SELECT interaction_id, table_id, revision, game, n FROM moves ORDER BY n"
PACKED: Final = "SELECT table_id, game, packed FROM games WHERE packed IS NOT NULL"


@dataclass(slots=True)
class Findings:
    """What is wrong: the ids of lost and doubled requests, and, by id, what is torn. The rest is for the report."""

    lost: set[int] = field(default_factory=set)
    doubled: set[int] = field(default_factory=set)
    torn: dict[int, str] = field(default_factory=dict)
    unacknowledged: set[int] = field(default_factory=set)
    tables: int = 0
    moves: int = 0

    @property
    def are_bad(self) -> bool:
        """Whether a promise was broken."""
        return bool(self.lost or self.doubled or self.torn)


def _is_playable(loaded: LoadedTable, game: StoredGame) -> bool:
    try:
        state = replayed(loaded, game).state
    except DamagedGameError:
        return False
    return state is not None and is_complete(state)


class Observer:
    """Keeps a list of all requests, and compares the database with it."""

    def __init__(self, file: Path | str) -> None:
        """Watch the database in a file."""
        self._file, self._copy = Path(file), Path(f"{file}.copy")
        self._requests: dict[int, Wish] = {}
        self._acknowledged: dict[int, int] = {}
        self._seen: dict[int, int] = {}
        self.open: dict[int, Wish] = {}
        self.findings = Findings()

    @property
    def acknowledged(self) -> int:
        """How many requests were acknowledged."""
        return len(self._acknowledged)

    def hear(self, told: Told) -> None:
        """Note a message from the process."""
        request = told.request
        if told.kind == "asked":
            self._requests[request.id] = request
            self.open[request.id] = request
            return
        self.open.pop(request.id, None)
        if told.kind == "done":
            self._acknowledged.setdefault(request.id, told.revision)

    async def look(self) -> None:
        """Compare the list with the database; call it after the process was killed and before the next one starts."""
        self._take_copy()
        with closing(sqlite3.connect(self._copy)) as connection:
            changed = self._compare(connection)
        await self._replay(changed)

    def _take_copy(self) -> None:
        """Copy the file and its write-ahead log, but not the shared memory, which is lost with the machine."""
        for end in ("", "-wal", "-shm"):
            Path(f"{self._copy}{end}").unlink(missing_ok=True)
            if end != "-shm" and Path(f"{self._file}{end}").exists():
                shutil.copyfile(f"{self._file}{end}", f"{self._copy}{end}")

    def _compare(self, connection: sqlite3.Connection) -> dict[int, int]:
        """Find what was lost, doubled or torn; returns the ids of tables that have changed, and their servers."""
        found = self.findings
        # The moves of an ended game are packed, and their clicks are stored apart.
        moves: list[StoredMove] = [
            *connection.execute(MOVES),
            *((None, table, each.revision, game, each.number)
              for table, game, text in connection.execute(PACKED) for each in unpack(text).moves),
        ]  # fmt: skip
        clicks = [each for (each,) in connection.execute("SELECT interaction_id FROM clicks")]
        tables = connection.execute("SELECT id, guild_id, revision FROM tables").fetchall()
        by_move = {number: (table, revision) for number, table, revision, _, _ in moves if number is not None}
        times = Counter([*(row[0] for row in moves if row[0] is not None), *clicks])
        found.lost |= {number for number in self._acknowledged if self._is_lost(number, times, by_move)}
        found.doubled |= {number for number, often in times.items() if often > 1}
        found.torn |= {number: "never asked" for number in times if number not in self._requests}
        found.unacknowledged |= {number for number in times if number in self.open}
        found.tables, found.moves = len(tables), len(moves)
        self._count(tables, moves, clicks)
        changed = {id_: guild for id_, guild, revision in tables if self._seen.get(id_) != revision}
        self._seen = {id_: revision for id_, _, revision in tables}
        return changed

    def _is_lost(self, number: int, times: Counter[int], by_move: dict[int, tuple[int, int]]) -> bool:
        if number not in times:
            return True
        request = self._requests[number]
        if request.verb != "act":
            return False
        if number not in by_move:  # the game of this move has ended; `_count` would find it missing there
            return False
        table, revision = by_move[number]
        return table != request.table or not 0 < revision <= self._acknowledged[number]

    def _count(self, tables: list[tuple[int, ...]], moves: list[StoredMove], clicks: list[int]) -> None:
        """Check that each revision of a table has one move or click, and that no move of a game is missing."""
        known = self._requests
        steps = Counter(table for _, table, *_ in moves)
        steps.update(
            known[number].table for number in clicks if number in known and known[number].verb not in NOT_COUNTED
        )
        for id_, _, revision in tables:
            if revision + 1 != steps[id_]:
                self.findings.torn[id_] = f"revision {revision} after {steps[id_]} changes"
        last: Counter[tuple[int, int]] = Counter()
        for _, table, _, game, n in moves:
            last[table, game] += 1
            if last[table, game] != n:
                self.findings.torn[table] = f"move {n} of game {game} follows {last[table, game] - 1}"

    async def _replay(self, changed: dict[int, int]) -> None:
        """Replay the records of changed tables; every card must be in one place."""
        store = Store(database_at(f"sqlite:///{self._copy}"))
        try:
            for id_, guild in changed.items():
                table = await stored_table(store, id_, guild)
                assert table is not None, "it was found a moment ago"
                game = await stored_game(store, table, table.game)
                if game is not None and not _is_playable(LoadedTable(table, GuildSettings(guild_id=guild), ""), game):
                    self.findings.torn[id_] = "its record cannot be replayed"
        finally:
            await store.close()
