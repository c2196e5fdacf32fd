"""Which tests `make test` runs where the coverage of game/ is measured, and leaves out of its second run.

Measuring takes several times as long as the tests themselves, so what plays long or starts processes, and covers
nothing that others do not, is left to the second run. Should `make covered` miss a line that such a test reaches, take
the test off these lists, or better write a small one.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
COVER_NOTHING_ELSE = (
    "test_a_choice_is_the_same_whatever_lies_where_its_seat_cannot_look",
    "test_a_game_by_a_preset_is_sound_to_its_end",
    "test_a_reader_that_goes_away_and_one_without_letters_see_no_traceback",
    "test_a_reader_that_goes_away_is_told_nothing",
    "test_a_variant_is_one_file",
    "test_a_world_agrees_with_all_that_its_seat_knows",
    "test_all_orders_of_a_small_pack_come_equally_often",
    "test_an_option_is_sound_for_a_whole_game",
    "test_an_option_is_sound_from_any_position",
    "test_an_option_without_effect_changes_nothing_whatever_it_says",
    "test_check_and_list_agree_whatever_an_option_is",
    "test_chi_square_tells_a_biased_shuffle",
    "test_each_result_of_a_draw_belongs_to_equally_many_words",
    "test_every_level_plays_every_variant_to_its_end",
    "test_every_move_by_any_rules_can_be_estimated",
    "test_in_every_world_the_seat_has_the_moves_that_it_sees",
    "test_it_is_a_command",
    "test_no_event_names_a_card_that_stays_hidden_from_who_hears_it",
    "test_no_game_hangs_whatever_the_rules",
    "test_rows_are_rows",
    "test_that_is_asked_of_all_that_happens",
    "test_the_baseline_always_has_a_move_and_plays_to_the_end",
    "test_the_command_prints_a_transcript_with_what_each_seat_saw",
    "test_the_computer_players_think_of_choices_as_they_did_when_they_learned",
    "test_the_lines_of_play_of_every_preset_are_still_as_many",
    "test_the_lower_levels_play_by_weights_that_learned_for_a_shorter_time_where_there_are_some",
    "test_the_master_chooses_the_same_from_the_same_numbers",
    "test_the_rule_sets_have_every_value_of_every_option",
    "test_there_are_many_scenarios",
    "test_two_games_that_differ_in_what_nobody_saw_leave_the_same_memory",
    "test_two_thousand_scenarios_run_in_seconds",
    "test_what_an_example_lets_go_goes_and_nothing_else",
    "test_what_differs_makes_one_set_of_rules_into_another",
    "test_what_is_remembered_is_true",
    "test_what_was_written_can_be_read",
    "test_with_one_pack_all_that_was_public_is_known",
)
COVER_ALL_THAT_THE_OTHERS_DO = {
    "test_a_full_disk_is_one_sentence": ("game.fairness",),
    "test_a_golden_game_is_a_transcript_that_ends": ("poytapaska-2", "reverse-second-2"),
    "test_a_golden_game_is_still_played_and_seen_as_it_was": ("choose-three-2",),
    "test_many_seats_play_to_the_end": ("11",),
    "test_without_any_output_it_ends_as_ever": ("game.transcript",),
}
"""Of tests with parameters, those that are measured."""


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE) and not can_be_spared(item):
            item.add_marker(pytest.mark.covered)


def can_be_spared(item):
    """Whether all of game/ is covered without this test."""
    enough = COVER_ALL_THAT_THE_OTHERS_DO.get(item.originalname)
    spare = item.originalname in COVER_NOTHING_ELSE or (enough and item.callspec.id not in enough)
    return spare or item.get_closest_marker("long")
