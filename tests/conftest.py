import gc
import logging
import os
import re
import signal
from pathlib import Path

import pytest
import structlog
from hypothesis import Phase, settings

gc.disable()  # until all is collected: of that nothing is garbage
pytest.register_assert_rewrite("testkit")

from testkit.channel import (  # noqa: E402, F401 - fixtures
    commands,
    empty_database,
    followed,
    room,
    simcord_bot,
    small_pictures,
    unfurnished,
)
from testkit.light_commands import share_commands  # noqa: E402
from testkit.light_simcord import lighten  # noqa: E402
from testkit.light_sqlalchemy import share_compiled_statements  # noqa: E402
from testkit.offline import MEMORY, cards, house, people, refused  # noqa: E402, F401 - fixtures
from testkit.strict.requests import Strict, overhear  # noqa: E402
from testkit.waiting import be_patient, wait_until_settled  # noqa: E402

ROOT = Path(__file__).parents[1]
LONG = ("bench", "extending")
"""Folders of which all tests are long."""
LOUD = ("discord", "cogs.interactions")
"""Loggers of which no test may leave an error; one that provokes it clears the log."""

if MEMORY and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:  # some tests start scripts that they have written
    # There `tmp_path` waits for no disk, for which thousands of commits to databases would wait.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell’s background; children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
lighten()
share_commands()
share_compiled_statements()
wait_until_settled()
REAL_BUDGETS = be_patient()
STRICT = Strict()
overhear(STRICT)

# Where rich is installed, structlog would draw every logged exception with all local variables, which takes seconds.
RENDERER = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
DEAF = []
"""The listeners of tables that failed: the doorway only logs that."""


def note_deaf(_logger, _method, event):
    """A processor that notes a listener that failed; a test that provokes it captures the logs."""
    if event["event"] == "a listener failed":
        DEAF.append(event)
    return event


structlog.configure(processors=[note_deaf, RENDERER])

# ci: the same examples in every run, so that a red test is red for everyone.
# HYPOTHESIS_PROFILE=dev: go and look for more.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("dev", max_examples=500, deadline=None)
# first-failure: no search for a smaller example; one that fails is enough (bench/mutants.py).
settings.register_profile(
    "first-failure", derandomize=True, deadline=None, database=None, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_ignore_collect(collection_path, config):
    """Leave out files of which no test will run: each worker would load them all, for seconds.

    A test is marked in its own file, by the marker's name, or below.
    """
    long, wanted = collection_path.parent.name in LONG, config.option.markexpr.strip()
    if wanted in {"not long", "not covered and not long"}:
        return long or None
    if wanted in {"long", "long and not browser"} and collection_path.suffix == ".py" and not long:
        return not re.search(r"\bmark\.(long|browser)\b", collection_path.read_text(encoding="utf-8")) or None
    return None


def pytest_collection_modifyitems(items):
    """Mark what `make test` leaves to `make long`; begin with what takes minutes, or everything else would wait for it.

    That is, besides what is marked where it stands: the browser, the benchmarks, and extending a copy of the tree.
    """
    for item in items:
        if item.get_closest_marker("browser") or item.path.parent.name in LONG:
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.path.name != "test_cluster.py")


def pytest_collection_finish():
    """What was collected stays: the garbage collector does not look through it, and seldom through the rest."""
    gc.freeze()
    gc.set_threshold(10_000, 50, 1000)
    gc.enable()


@pytest.fixture(autouse=True)
def loud(caplog):
    """Errors that discord.py only writes into its log turn the test red, and so does a click that fails.

    Otherwise a test that only asserts what an answer does not say would pass with the apology for the error. A listener
    of tables that fails, or asserts in vain, turns the test red too.
    """
    DEAF.clear()
    yield
    assert not DEAF
    errors = [r for r in caplog.get_records("call") if r.levelno >= logging.ERROR and r.name.startswith(LOUD)]
    assert not errors, [r.getMessage() for r in errors]


@pytest.fixture(autouse=True)
def heard():
    """A test that leaves other handlers of logs behind turns red: `caplog` and later tests would hear nothing."""
    before = logging.getLogger().handlers[:]
    yield
    assert logging.getLogger().handlers == before


@pytest.fixture(autouse=True)
def accepted():
    """A request that Discord would refuse turns the test red, although SimCord accepts it."""
    STRICT.problems.clear()
    yield
    assert not STRICT.problems


@pytest.fixture(scope="session")
def real_budgets():
    """The seconds after which the bot really stops waiting, by where they stand."""
    return REAL_BUDGETS


@pytest.fixture(scope="session")
def chromium():
    """The browser that `make long` found, for tests marked `browser`."""
    note = ROOT / ".venv" / "browser"
    path = os.environ.get("CHROMIUM") or (note.read_text().strip() if note.exists() else "none")
    if path == "none":
        pytest.fail(
            "No Chromium for the browser tests: run `tools/browser.sh`, name one with CHROMIUM=/path/to/chromium, "
            "or leave these tests out with BROWSER=none make long."
        )
    return path
