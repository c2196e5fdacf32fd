"""Which tests `make test` runs where the coverage of game/ is measured, and leaves out of its second run.

Measuring takes five times as long as the tests themselves, so what plays long and covers nothing that others do not is
left to the second run.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
COVER_NOTHING_ELSE = (
    "test_a_world_agrees_with_all_that_its_seat_knows",
    "test_any_variant_can_be_learned_from",
    "test_check_and_list_agree_whatever_an_option_is",
    "test_a_game_by_a_preset_is_sound_to_its_end",
    "test_an_option_is_sound_for_a_whole_game",
    "test_an_option_is_sound_from_any_position",
    "test_every_level_plays_every_variant_to_its_end",
    "test_every_move_by_any_rules_can_be_estimated",
    "test_in_every_world_the_seat_has_the_moves_that_it_sees",
    "test_the_twin_plays_and_sees_every_game_as_the_engine_does",
    "test_two_games_that_differ_in_what_nobody_saw_leave_the_same_memory",
    "test_what_is_remembered_is_true",
    "test_with_one_pack_all_that_was_public_is_known",
)


def pytest_collection_modifyitems(items):
    for item in items:
        left_out = item.get_closest_marker("long") or item.originalname in COVER_NOTHING_ELSE
        if item.path.is_relative_to(HERE) and not left_out:
            item.add_marker(pytest.mark.covered)
