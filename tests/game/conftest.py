"""Which tests `make test` runs where the coverage of game/ is measured, and leaves out of its second run.

Measuring takes five times as long as the tests themselves, so what plays long and covers nothing that others do not is
left to the second run.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
COVER_NOTHING_ELSE = (
    "test_check_and_list_agree_whatever_an_option_is",
    "test_a_game_by_a_preset_is_sound_to_its_end",
    "test_an_option_is_sound_for_a_whole_game",
    "test_an_option_is_sound_from_any_position",
)


def pytest_collection_modifyitems(items):
    for item in items:
        left_out = item.get_closest_marker("long") or item.originalname in COVER_NOTHING_ELSE
        if item.path.is_relative_to(HERE) and not left_out:
            item.add_marker(pytest.mark.covered)
