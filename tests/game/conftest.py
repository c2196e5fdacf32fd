"""Which tests `make test` runs once, where the coverage of game/ is measured, and leaves out of its second run."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE) and not item.get_closest_marker("long"):
            item.add_marker(pytest.mark.covered)
