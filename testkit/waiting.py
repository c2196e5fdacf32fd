"""How long tests wait: for what happens, however busy the machine, with a limit that only a hang reaches.

Owns that limit, and the limits of the bot and of SimCord that a busy machine would reach by being slow.
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
"""Seconds that pass in no test but by moving its make-believe clock."""
ANSWER = "cogs.replies.PATIENCE"
"""The seconds after which the bot asks Discord for time, because an answer takes long (F2)."""
BUDGETS = (
    *(ANSWER, "cogs.replies.ANSWERABLE", "bot.health.ANSWERS_WITHIN"),
    *("cogs.drawing_pool.PATIENCE", "cogs.drawing_pool.FILM_PATIENCE"),
)
"""Where the bot stops waiting: for an answer, a picture, the database. Tests of just that set them themselves."""
BUSY = "busy_seconds"
"""How a store is told how long to wait for a database that another process holds."""
IDLE = 0.001
"""Seconds that SimCord waits after each click for stragglers; the bot has none, its runners are awaited by name."""


def run_to_end(*command, cwd=ROOT, check=False, **options):
    """A command at its end, with what it said; one that hangs fails."""
    given = {"capture_output": True, "text": True, "timeout": HANG} | options
    return subprocess.run(command, cwd=cwd, check=check, **given)


def be_patient():
    """However busy the machine, nothing is late unless a test says so: no answer, picture or database; the budgets."""
    real = {}
    for budget in BUDGETS:
        module, _, name = budget.rpartition(".")
        real[budget] = getattr(import_module(module), name)
        setattr(import_module(module), name, NEVER)
    import_module("bot.workers").IS_LAST = False  # beside many busy tests their turn might never come
    for opens in (database_at, Store.open.__func__):
        real[BUSY] = opens.__kwdefaults__[BUSY]
        opens.__kwdefaults__[BUSY] = HANG
    return real


def wait_until_settled():
    """Make SimCord wait for what the bot does up to `HANG` seconds instead of five."""
    settle = simcord.Env._settle_internal

    async def patiently(self, *, timeout=None, idle=IDLE, dispatch=None, _deadline=None):  # noqa: ASYNC109 - SimCord's
        await settle(self, timeout=timeout and HANG, idle=idle, dispatch=dispatch, _deadline=_deadline)

    simcord.Env._settle_internal = patiently
    simcord.Env.__init__.__kwdefaults__["settle_timeout"] = HANG
