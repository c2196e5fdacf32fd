"""How long tests wait: as long as a busy machine needs, up to a limit that only a hang reaches.

This module defines that limit, and lifts those of the bot and of SimCord that a slow machine would reach.
"""

import subprocess
from importlib import import_module
from pathlib import Path

import simcord

from data.store import Store, database_at

ROOT = Path(__file__).parents[1]
HANG = 120.0
"""Seconds after which something that has not happened never will."""
NEVER = 3600.0
"""Seconds that pass in no test, except when it moves its simulated clock."""
ANSWER = "cogs.replies.DEFER_AFTER"
"""The name of the seconds after which the bot defers an answer that takes long (F2)."""
BUDGETS = (
    *(ANSWER, "cogs.replies.ANSWERABLE", "bot.health.ANSWERS_WITHIN"),
    *("cogs.drawing_pool.PICTURE_PATIENCE", "cogs.drawing_pool.FILM_PATIENCE", "cogs.open_hands.HAND_PATIENCE"),
)
"""Limits after which the bot stops waiting: for an answer, a picture, the database. Tests of these set their own."""
BUSY = "busy_seconds"
"""The argument that tells a store how long to wait for the lock of another process."""
IDLE = 0.001
"""Seconds that SimCord waits after each click for late tasks; the bot has none, its runners are awaited by name."""


def run_to_end(*command, cwd=ROOT, check=False, **options):
    """Run a command to its end and capture its output; one that hangs fails."""
    given = {"capture_output": True, "text": True, "timeout": HANG} | options
    return subprocess.run(command, cwd=cwd, check=check, **given)


def be_patient():
    """Lift the limits in `BUDGETS` and for the database: only tests decide what is late. Returns the old limits."""
    real = {}
    for budget in BUDGETS:
        module, _, name = budget.rpartition(".")
        real[budget] = getattr(import_module(module), name)
        setattr(import_module(module), name, NEVER)
    import_module("bot.workers").IS_LAST = False  # else, beside many busy tests, their turn might never come
    for opens in (database_at, Store.open.__func__):
        real[BUSY] = opens.__kwdefaults__[BUSY]
        opens.__kwdefaults__[BUSY] = HANG
    return real


def wait_until_settled():
    """Make SimCord wait for the bot up to `HANG` seconds instead of five."""
    settle = simcord.Env._settle_internal

    async def patiently(self, *, timeout=None, idle=IDLE, dispatch=None, _deadline=None):  # noqa: ASYNC109 - SimCord's
        await settle(self, timeout=timeout and HANG, idle=idle, dispatch=dispatch, _deadline=_deadline)

    simcord.Env._settle_internal = patiently
    simcord.Env.__init__.__kwdefaults__["settle_timeout"] = HANG
