"""Sends forged interactions at live tables: nothing may break, change without right, leak, or stay unanswered.

    python -m bench fuzz [--count N] [--seed S]

Ids of any shape, foreign people and servers, old and future revisions, huge and odd strings, forms and commands go over
a make-believe Discord's gateway into the real bot with a real SQLite file, while games go on. After each of them: no
error was logged; at most one table changed, and that by somebody with the right, in its own server and channel; at most
one debt did, and that by one of those it is owed to; no message that was sent names a card its reader may not know; the
interaction was answered. The seed is printed: the same seed forges the same interactions.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from typing import Any, Final

from simcord.backend import serializers
from structlog.testing import capture_logs
from tqdm import tqdm

from bench.arguments import bench_parser, positive
from tables.snapshots import Declined, TableSnapshot
from testkit.card_reader import cards_named, cards_written, open_cards, own_cards, tables_named
from testkit.debts import Debts, wrongs
from testkit.forger import TYPING, Forged, Stage, staged
from testkit.offline import request_at
from testkit.rights import may_change
from testkit.waiting import wait_until_settled

COUNT: Final = 20_000
TWICE: Final = 0.03
GOING_ON: Final = 0.3
LESSONS: Final = frozenset({"tutorial", "lesson", "rules"})
"""Answers to these show cards for an example, which are nobody's."""


class Errors(logging.Handler):
    """Keeps what is logged as an error, by the bot's own log and by that of the libraries."""

    def __init__(self, own: list[MutableMapping[str, Any]]) -> None:
        """Listen to errors alone; `own` is where the bot's log is captured."""
        super().__init__(logging.ERROR)
        self.said: list[str] = []
        self._own = own

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        self.said.append(f"{record.name}: {record.getMessage()} {record.exc_info and record.exc_info[1]!r}")

    def taken(self) -> list[str]:
        """What was said since the last time."""
        said = [*self.said, *(str(each) for each in self._own if each["log_level"] in {"error", "critical"})]
        self.said.clear()
        self._own.clear()
        return said


class Judge:
    """Looks at everything that was sent and changed."""

    def __init__(self, stage: Stage, errors: Errors) -> None:
        """Note every version of every message."""
        self._stage, self._errors = stage, errors
        self._sent: list[tuple[Any, Any]] = []
        self.faults: list[str] = []
        self.judged = 0
        self.changes: Counter[str] = Counter()
        backend = stage.env.backend
        backend.commit_message = self._noting(backend.commit_message)
        backend.edit_message = self._noting(backend.edit_message)

    def _noting(self, send: Callable[..., Any]) -> Callable[..., Any]:
        def sent(*given: Any, **options: Any) -> Any:
            message = send(*given, **options)
            self._sent.append((message, serializers.message_payload(self._stage.env.backend, message)))
            return message

        return sent

    def forget(self) -> None:
        """What was sent until now is nobody's fault."""
        self._sent.clear()

    async def judge(self, forged: Forged, before: dict[int, TableSnapshot], debts: Debts, *, again: bool) -> None:
        """Everything about one interaction."""
        self.judged += 1
        where = f"{forged.asked} {forged.texts!r:.200}"
        self.faults += [f"error: {each} after {where}" for each in self._errors.taken()]
        self.faults += [f"error: {each!r} after {where}" for each in self._stage.env.errors]
        self._stage.env.errors.clear()
        if not forged.record.responded:
            self.faults.append(f"not answered: {where}")
        await self._judge_changes(forged, before, where, again=again)
        done = wrongs(debts, now := await self._stage.debts(), forged.asked, again=again)
        self.faults += [f"changed without right, says testkit/debts.py: {each}, {where}" for each in done]
        self.changes[f"debt {forged.asked.verb}"] += any(debts[key] != now[key] for key in debts)
        await self._stage.house.painter.idle()
        await self._judge_messages(forged, where)  # before a computer moves on: what was drawn is what is
        await self._stage.settled()
        self.forget()

    async def _judge_changes(
        self, forged: Forged, before: dict[int, TableSnapshot], where: str, *, again: bool
    ) -> None:
        asked = forged.asked
        for table_id, snapshot in before.items():
            now = (await self._stage.house.tables.snapshot(table_id)).table.revision
            if now == snapshot.table.revision:
                continue
            self.changes[asked.verb] += 1
            here = (asked.guild, asked.channel) == (snapshot.table.guild_id, snapshot.table.channel_id)
            command = forged.payload["type"] not in {3, 5} and here and asked.verb in {"leave", "stop"}
            if again or not (command or may_change(asked, snapshot)):
                self.faults.append(f"changed without right, says testkit/rights.py: {where} at {snapshot.table.status}")

    async def _judge_messages(self, forged: Forged, where: str) -> None:
        if forged.asked.verb in LESSONS:
            return
        asked_for = cards_written(forged.texts)
        for message, payload in self._sent:
            if message.is_ephemeral and await self._has_ended(forged.asked.table, message.channel_id):
                continue  # it is about a game in which nothing is hidden any more
            for table_id in await self._tables_in(message.channel_id, payload):
                reader = forged.asked.user if message.is_ephemeral else 0
                known = asked_for | await self._known(table_id, reader, remembered=forged.asked.verb == "known")
                if leaked := cards_named(payload) - known:
                    self.faults.append(f"leaked {len(leaked)} cards of {table_id} to {reader or 'all'}: {where}")

    async def _tables_in(self, channel_id: int, payload: Any) -> list[int]:
        """The tables in play whose cards a message may be about: those of its buttons, else that of its channel.

        A message of an ended game names its own cards, also if another game is going on in its channel.
        """
        of_channel = [table for (_, channel), table in self._stage.at.items() if channel == channel_id]
        playing = list[int]()
        for table_id in tables_named(payload) or of_channel:
            with suppress(Declined):
                if (await self._stage.house.tables.snapshot(table_id)).table.status == "playing":
                    playing.append(table_id)
        return playing

    async def _has_ended(self, table_id: int, channel_id: int) -> bool:
        with suppress(Declined):
            table = (await self._stage.house.tables.snapshot(table_id)).table
            return table.channel_id == channel_id and not table.is_open
        return False

    async def _known(self, table_id: int, reader: int, *, remembered: bool) -> set[int]:
        """The cards that a message may name: what lies open, the reader's own and, where asked, what all have seen."""
        tables = self._stage.house.tables
        snapshot = await tables.snapshot(table_id)
        if snapshot.table.seat_of(reader) is None:
            return open_cards(snapshot)
        hand, memory = await tables.play.known(request_at(snapshot.table, reader, id=0))
        # That a memory holds nothing but what everybody saw is held by a test of its own: it permutes the unseen cards.
        seen = (memory.burned, *memory.held) if memory and remembered else ()
        return open_cards(snapshot) | own_cards(hand.view) | {card for cards in seen for card in cards}


async def run(count: int, seed: int, folder: str, own: list[MutableMapping[str, Any]]) -> Judge:
    """Forge so many interactions."""
    errors = Errors(own)
    logging.getLogger().addHandler(errors)
    try:
        async with staged(f"sqlite:///{folder}/fuzz.sqlite3", seed) as stage:
            painting = asyncio.create_task(stage.house.painter.run())
            judge = Judge(stage, errors)
            for _ in tqdm(range(count), desc="fuzz", unit="click", disable=None):
                await _one(stage, judge)
                if judge.faults:
                    break
            painting.cancel()
            await asyncio.gather(painting, return_exceptions=True)
            return judge
    finally:
        logging.getLogger().removeHandler(errors)


async def _one(stage: Stage, judge: Judge) -> None:
    tables = await stage.tables()
    if stage.rng.random() < GOING_ON:
        await stage.go_on(stage.rng.choice(tables))
    judge.forget()
    tables = [(await stage.house.tables.snapshot(table.id)).table for table in tables]
    again = stage.last is not None and stage.last.payload["type"] != TYPING and stage.rng.random() < TWICE
    forged = stage.last if again and stage.last else await stage.forge(tables)
    snapshot = dict[int, TableSnapshot]()
    for table_id in {forged.asked.table, *(table.id for table in tables)}:
        with suppress(Declined):
            snapshot[table_id] = await stage.house.tables.snapshot(table_id)
    debts = await stage.debts()
    await stage.send(forged)
    await judge.judge(forged, snapshot, debts, again=again)


def main(argv: Sequence[str] = ()) -> int:
    """Run and report; 1 at the first fault."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--count", type=positive, default=COUNT)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    print(f"seed {options.seed}, {options.count} interactions")
    begun = time.perf_counter()
    wait_until_settled()
    with capture_logs() as own, tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        judge = asyncio.run(run(options.count, options.seed, folder, own))
    for fault in judge.faults:
        print(fault)
    counted = {what: count for what, count in judge.changes.most_common() if count}
    print(f"{sum(counted.values())} changed something: {counted}")
    print(f"interactions {judge.judged}, faults {len(judge.faults)}, {time.perf_counter() - begun:.0f} s")
    return 1 if judge.faults else 0
