"""What one click costs: a card is played in a running game, and every call in the project is counted until the answer.

    python -m bench trace [--calls]

A bot on a make-believe Discord, a game of two with everybody ready, a click on a play in the open hand. A call is the
first entry into a function, method or lambda of game/, data/, tables/, cogs/ or bot/; a coroutine that goes on is not
counted again, nor is a comprehension. The count ends where the first answer is sent. Painter, clock
and open hands stand still meanwhile, so that all that is counted is done for the click. `--calls` prints each call.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import simcord

from bench.arguments import bench_parser
from testkit.channel import Room
from testkit.faults import in_play, on_turn
from testkit.waiting import wait_until_settled

ROOT: Final = Path(__file__).parents[1]
LAYERS: Final = ("game", "data", "tables", "cogs", "bot")
BEFORE: Final = 575
"""Calls before the answer, in 50 files, in the version that this bench was written beside."""
TINY: Final = ()
ANSWER: Final = "respond"
"""The function that sends the first answer."""
WATCHED: Final = {
    "views of the table made": ("game", {"table_view"}),
    "views of a seat made": ("game", {"seat_view"}),
    "settings and preferences asked": ("tables", {"settings", "preferences", "choices"}),
    "transactions": ("data/sqlite.py", {"read", "write"}),
}
LOCKS: Final = "locks of a table taken"


class Trace:
    """Counts calls of the project between `begin` and the answer."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.is_answered = False
        self.files: Counter[str] = Counter()
        self.watched: Counter[str] = Counter(dict.fromkeys((*WATCHED, LOCKS), 0))
        self._entered = set[FrameType]()
        self._places: dict[CodeType, str] = {}

    def begin(self) -> None:
        """Count from now on, in this thread."""
        sys.setprofile(self._heard)

    def _heard(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or frame in self._entered:
            return
        self._entered.add(frame)  # kept, or a later frame could be taken for this one
        name = frame.f_code.co_name
        if name == ANSWER:
            self.is_answered = True
            sys.setprofile(None)
        elif name == "acquire" and frame.f_code is asyncio.Lock.acquire.__code__:
            self.watched[LOCKS] += self._is_tables(frame)
        elif name == "<lambda>" or not name.startswith("<"):
            self._count(self._place(frame.f_code), frame.f_code.co_qualname)

    def _place(self, code: CodeType) -> str:
        """The file in the project, empty for any other."""
        if code not in self._places:
            path = Path(code.co_filename)
            place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
            self._places[code] = place if place.partition("/")[0] in LAYERS else ""
        return self._places[code]

    def _count(self, place: str, function: str) -> None:
        if not place:
            return
        self.calls.append(f"{place}: {function}")
        self.files[place] += 1
        for what, (where, names) in WATCHED.items():
            self.watched[what] += place.startswith(where) and function.rpartition(".")[2] in names

    def _is_tables(self, frame: FrameType) -> bool:
        caller = frame.f_back and frame.f_back.f_back  # between them stands the lock's own `async with`
        return caller is not None and self._place(caller.f_code).startswith("tables/")


async def traced(folder: str) -> Trace:
    """One play, traced."""
    room, trace = Room(f"sqlite:///{folder}/trace.sqlite3"), Trace()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(room.houses)
        await room.build()
        env = simcord.Env(room.house.bot)
        await env.start()
        stack.push_async_callback(env.shutdown)
        stack.enter_context(env.time_context())
        room.furnish(env)
        await in_play(room)
        person, hand, play = await on_turn(room)
        before = (await room.tables.snapshot(room.table_id)).moves
        await room.rest()
        trace.begin()
        try:
            result = await person.click(hand, custom_id=play)
        finally:
            sys.setprofile(None)
        assert result.acknowledged
        assert (await room.tables.snapshot(room.table_id)).moves == before + 1
    assert trace.is_answered, f"no function is called {ANSWER} any more"
    unseen = [what for what, number in trace.watched.items() if not number]
    assert not unseen, f"WATCHED names nothing any more: {unseen}"
    return trace


def main(argv: Sequence[str] = ()) -> int:
    """Trace one click; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--calls", action="store_true", help="print each call, in its order")
    options = parser.parse_args(argv)
    wait_until_settled()
    with tempfile.TemporaryDirectory(prefix="trace") as folder:
        trace = asyncio.run(traced(folder))
    if options.calls:
        print(*trace.calls, sep="\n")
    for place, number in trace.files.most_common():
        print(f"{number:5} {place}")
    for what, number in trace.watched.items():
        print(f"{number:5} {what}")
    calls = sum(trace.files.values())
    print(f"{calls} calls in {len(trace.files)} files before the answer")
    result = {"bench": "trace", "value": calls, "unit": "calls before the answer", "baseline": BEFORE}
    print(json.dumps({**result, "ratio": round(calls / BEFORE, 3)}))
    return 0
