import logging
import os
from pathlib import Path

import pytest
import simcord
from hypothesis import settings

pytest.register_assert_rewrite("testkit")

from testkit.channel import empty_database, room, simcord_bot, unfurnished  # noqa: E402, F401 - fixtures
from testkit.offline import cards, house, people, refused  # noqa: E402, F401 - fixtures

ROOT = Path(__file__).parents[1]

# SimCord waits 50 ms after each click for stragglers; the bot has none (its runners are awaited by name).
simcord.Env._settle_internal.__kwdefaults__["idle"] = 0.001

# ci: the same examples in every run, so that a red test is red for everyone.
# HYPOTHESIS_PROFILE=dev: go and look for more.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("dev", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def loud(caplog):
    """Errors that discord.py only writes into its log turn the test red."""
    yield
    errors = [r for r in caplog.get_records("call") if r.levelno >= logging.ERROR and r.name.startswith("discord")]
    assert not errors, [r.getMessage() for r in errors]


@pytest.fixture(scope="session")
def chromium():
    """The browser that `make test` found, for tests marked `browser`."""
    note = ROOT / ".venv" / "browser"
    path = os.environ.get("CHROMIUM") or (note.read_text().strip() if note.exists() else "none")
    if path == "none":
        pytest.fail(
            "No Chromium for the browser tests: run `tools/browser.sh`, name one with CHROMIUM=/path/to/chromium, "
            "or leave these tests out with BROWSER=none make test."
        )
    return path
