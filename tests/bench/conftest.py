import pytest

from bench import bots
from testkit.forked import Forked


@pytest.fixture(autouse=True)
def forked_bots(monkeypatch):
    """The bots of benches begin in a tenth of the time: what their figures are is of no interest here."""
    monkeypatch.setattr(bots, "of_its_own", Forked.begin)
