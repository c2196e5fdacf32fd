"""How long tests wait: as long as a busy machine needs, up to a limit that only a hang reaches.

This module defines that limit, and lifts those of the bot and of SimCord that a slow machine would reach.
"""

# pyright: reportPrivateUsage=false
# SimCord has no public way to wait longer.

from __future__ import annotations

import subprocess
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType
from typing import Any

from simcord import Env

from cogs.spawned import Spawned
from data.store import Store, database_at

ROOT = Path(__file__).parents[1]
HANG = 300.0
"""Seconds after which something that has not happened never will."""
NEVER = 3600.0
"""Seconds that pass in no test, except when it moves its simulated clock."""
ANSWER = "cogs.replies.DEFER_AFTER"
"""The name of the seconds after which the bot defers an answer that takes long (F2)."""
RENEWAL = "bot.shards.RENEWAL_LIMIT"
"""The name of the seconds that the renewal of a lease may take (F57)."""
BUDGETS = (
    *(ANSWER, "cogs.replies.ANSWERABLE", "bot.health.ANSWERS_WITHIN"),
    *("cogs.direct_answers._TIMEOUT", "cogs.responder.FIRST_PATIENCE", "bot.port.REQUEST_PATIENCE"),
    *(RENEWAL, "bot.compose.DRAIN"),
    *("cogs.drawing_pool.PICTURE_PATIENCE", "cogs.drawing_pool.FILM_PATIENCE", "cogs.open_hands.HAND_PATIENCE"),
)
"""Limits after which the bot stops waiting: for an answer, a picture, a request. Tests of these set their own."""
BUSY = "busy_seconds"
"""The argument that tells a store how long to wait for the lock of another process."""
IDLE = 0.001
"""Seconds that SimCord waits after each click for late tasks; the bot has none, its runners are awaited by name."""


def run_to_end(
    *command: str | Path, cwd: Path | str = ROOT, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and capture its output; one that hangs fails."""
    given: dict[str, Any] = {"capture_output": True, "timeout": HANG} | options
    return subprocess.run(command, cwd=cwd, check=check, text=True, **given)


def be_patient() -> dict[str, float]:
    """Lift the limits in `BUDGETS`, for the database and for other processes: only tests decide what is late.

    Returns the old limits, but for those of processes.
    """
    real = dict[str, float]()
    for budget in BUDGETS:
        module, _, name = budget.rpartition(".")
        real[budget] = getattr(import_module(module), name)
        setattr(import_module(module), name, NEVER)
    resolve_name("bot.workers").ONLY_WHEN_IDLE = False  # else, beside many busy tests, their turn might never come
    for opens in (database_at, Store.open.__func__):
        defaults = _defaults_of(opens)
        real[BUSY], defaults[BUSY] = defaults[BUSY], HANG
    _defaults_of(Spawned.__init__)["limit"] = HANG
    return real


def _defaults_of(function: object) -> dict[str, Any]:
    """The defaults of a function's keyword arguments, which may be changed."""
    assert isinstance(function, FunctionType)
    assert function.__kwdefaults__, f"{function} has none"
    return function.__kwdefaults__


def wait_until_settled() -> None:
    """Make SimCord wait for the bot up to `HANG` seconds instead of five."""
    settle = Env._settle_internal

    async def patiently(
        self: Env,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - SimCord's
        idle: float = IDLE,
        dispatch: str | None = None,
        _deadline: float | None = None,
    ) -> None:
        await settle(self, timeout=timeout and HANG, idle=idle, dispatch=dispatch, _deadline=_deadline)

    Env._settle_internal = patiently
    _defaults_of(Env.__init__)["settle_timeout"] = HANG
