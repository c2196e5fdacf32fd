"""Marks the tests that `make test` runs while it measures the coverage of game/; its second run leaves these out.

Measuring makes tests several times slower. Tests that play long games or start processes, and that cover nothing which
others do not, are therefore left to the second run. If `make covered` misses a line that such a test reaches, take the
test off these lists or, better, write a small one.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
COVER_NOTHING_ELSE = (
    "test_a_choice_does_not_depend_on_hidden_cards",
    "test_a_closed_pipe_and_an_ascii_encoding_cause_no_traceback",
    "test_a_closed_pipe_ends_a_command_silently",
    "test_a_pile_survives_a_round_trip_through_text",
    "test_a_seat_survives_a_round_trip_through_text",
    "test_a_transcript_survives_a_round_trip_through_text",
    "test_a_variant_is_one_file",
    "test_a_world_agrees_with_all_that_its_seat_knows",
    "test_all_orders_of_a_small_pack_are_equally_frequent",
    "test_an_inert_option_changes_nothing_whatever_its_value",
    "test_an_option_is_sound_from_any_position",
    "test_any_rules_can_be_written_and_read",
    "test_check_and_list_agree_for_every_option",
    "test_chi_square_detects_a_biased_shuffle",
    "test_differences_turn_one_set_of_rules_into_another",
    "test_every_move_can_be_estimated_under_any_rules",
    "test_every_number_is_drawn_from_equally_many_words",
    "test_every_preset_has_as_many_lines_of_play_as_before",
    "test_every_row_is_in_range",
    "test_examples_agree_with_any_rules",
    "test_examples_agree_with_the_rules_of_every_variant",
    "test_games_that_differ_only_in_unseen_cards_leave_the_same_memory",
    "test_in_every_world_the_seat_has_the_moves_that_it_sees",
    "test_it_is_a_command",
    "test_no_event_names_a_card_that_stays_hidden_from_its_hearer",
    "test_no_game_hangs_whatever_the_rules",
    "test_the_quick_player_always_has_a_move_and_plays_to_the_end",
    "test_the_command_prints_a_transcript_with_what_each_seat_saw",
    "test_the_comparison_covers_all_kinds_of_events",
    "test_the_comparison_covers_all_that_decides_who_is_next",
    "test_the_computer_players_score_choices_as_when_they_were_trained",
    "test_the_lower_levels_use_the_weights_of_pupils_where_there_are_any",
    "test_the_master_makes_the_same_choice_with_the_same_random_numbers",
    "test_the_rule_sets_have_every_value_of_every_option",
    "test_there_are_many_scenarios",
    "test_they_expect_the_seat_that_is_next_whatever_the_rules",
    "test_training_looks_at_a_table_as_a_player_does",
    "test_two_thousand_scenarios_run_in_seconds",
    "test_what_is_remembered_is_true",
    "test_with_one_pack_all_that_was_public_is_known",
)
COVER_ALL_THAT_THE_OTHERS_DO = {
    "test_a_command_without_stdout_ends_as_usual": ("game.transcript",),
    "test_a_full_disk_is_reported_in_one_line": ("game.fairness",),
    "test_a_golden_game_has_not_changed": ("choose-three-2",),
    "test_a_golden_game_is_a_transcript_that_ends": ("poytapaska-2", "reverse-second-2"),
}
"""Parametrized tests with the ids that are measured; the others cover nothing new."""


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE) and not can_be_spared(item):
            item.add_marker(pytest.mark.covered)


def can_be_spared(item):
    """Whether all of game/ is covered without this test."""
    enough = COVER_ALL_THAT_THE_OTHERS_DO.get(item.originalname)
    spare = item.originalname in COVER_NOTHING_ELSE or (enough and item.callspec.id not in enough)
    return spare or item.get_closest_marker("long")
