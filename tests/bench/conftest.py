import pytest

from bench import bots
from testkit.forked import Forked


@pytest.fixture(autouse=True)
def forked_bots(monkeypatch, request):
    """The bots of benches but one begin in a tenth of the time: what their figures are is of no interest here."""
    if "clicks" not in request.node.name:
        monkeypatch.setattr(bots, "of_its_own", Forked.begin)
