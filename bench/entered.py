"""A pytest plugin that notes which functions of the project each test enters: `-p bench.entered`.

`ENTERED` names the file to write to, one line of JSON for each test that passes. Only calls are traced and no lines,
so this costs little, where coverage with a context for each test takes several times as long as the tests.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest

ROOT: Final = f"{Path(__file__).parents[1]}{os.sep}"
LAYERS: Final = ("game/", "data/", "tables/", "cogs/", "bot/")
_entered: Final[dict[int, CodeType]] = {}
"""By identity, as a code object would be hashed by all it holds."""

_failed: Final[set[pytest.Item]] = set()


def _note(frame: FrameType, _event: str, _argument: Any) -> None:
    _entered[id(frame.f_code)] = frame.f_code


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Trace the calls of a test with its fixtures."""
    _entered.clear()
    began = time.process_time()
    threading.settrace(_note)
    sys.settrace(_note)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)
        if item not in _failed:
            _write(item.nodeid, time.process_time() - began)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether any part of a test failed or was left out."""
    report = yield
    if not report.passed:
        _failed.add(item)
    return report


def _write(test: str, seconds: float) -> None:
    functions = defaultdict[str, set[str]](set)
    for code in list(_entered.values()):  # at once: threads may still be adding to them
        path = code.co_filename.removeprefix(ROOT)
        if path.startswith(LAYERS):
            functions[path].add(code.co_qualname)
    found = {path: sorted(names) for path, names in functions.items()}
    line = json.dumps({"test": test, "seconds": round(seconds, 4), "entered": found}) + "\n"
    with Path(os.environ["ENTERED"]).open("a", encoding="utf-8") as file:
        file.write(line)  # in one piece: several workers write at the same time
