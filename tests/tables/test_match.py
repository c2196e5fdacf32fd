"""Points, losses and ranks of a match, for any games of any number of players."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from data.models import Match, MatchLine, Player, Table
from game.deal import deal, full_pack
from game.rules import Rules
from game.showing import table_view
from game.variants import variants
from game.view import SeatFace
from tables.lobby_changes import pair_of
from tables.match import (
    can_count,
    dealer_or_next,
    ended_early,
    extremes,
    first_standings,
    is_between_games,
    is_match_over,
    is_reached,
    leaving_stops,
    played,
    ranked_at,
    ranking,
    scores,
    seat_of_line,
    staying,
    variant_of_next,
    with_game_counted,
    without_leavers,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
RULES = Rules()
FACE = SeatFace(0, (), (), ready=True, chosen=True, place=None)
BY_ORDER, BY_LOSSES = Match(target=3), Match(target=3, scoring="losses")


def ended(seats, out, shithead=None, *, stands_still=False):
    """The view of a game that ended like this."""
    begun = table_view(deal(RULES, 2, full_pack(RULES, 2), 0))
    ending = {"out": tuple(out), "shithead": shithead, "stands_still": stands_still}
    return replace(begun, phase="over", seats=(FACE,) * seats, **ending)


def people(count, left=()):
    return [Player(user_id=n + 1, name=f"P{n}", joined_by=n, left=n in left) for n in range(count)]


def after(games, seats=3):
    """The standings after games, each given as a finishing order of seats, the shithead last."""
    lines = first_standings(people(seats))
    for order in games:
        lines = with_game_counted(lines, ended(seats, order[:-1], order[-1]))
    return lines


def ranked(match: Match, lines: Sequence[MatchLine]):
    points, found = scores(BY_ORDER, lines), ranking(match, lines)
    losses = [len(line.lost) for line in lines]
    assert [each.score for each in found] == [(points if match == BY_ORDER else losses)[each.line] for each in found]
    return [(each.line, each.rank, points[each.line], losses[each.line]) for each in found]


def table(lines, match: Match | None = BY_ORDER, players: Sequence[Player] | None = None, status="over", **changes):
    values = {"id": 1, "guild_id": 1, "channel_id": 1, "host_id": 1, "rules": RULES, "seats": 6, "created_at": START}
    players = people(len(lines)) if players is None else players
    return Table(**values | changes, status=status, match=match, standings=lines, players=tuple(players))


def test_everyone_gets_a_point_for_each_place_above_the_last():
    lines = after([(2, 0, 1), (2, 1, 0)])
    assert scores(BY_ORDER, lines) == [1, 1, 4]
    assert [line.places for line in lines] == [(2, 3), (3, 2), (1, 1)]
    assert [line.lost for line in lines] == [(2,), (1,), ()]


def test_equal_points_go_by_fewer_losses_then_by_the_latest_game():
    assert ranked(BY_ORDER, after([(0, 1, 2), (2, 1, 0)])) == [(1, 1, 2, 0), (2, 2, 2, 1), (0, 3, 2, 1)]


def test_where_losses_count_the_fewest_win_and_points_do_not_matter():
    lines = after([(0, 1, 2), (0, 2, 1), (1, 2, 0), (2, 1, 0)])
    assert ranked(BY_LOSSES, lines) == [(2, 1, 4, 1), (1, 2, 4, 1), (0, 3, 4, 2)]
    lines = after([(0, 2, 1), (2, 1, 0)])
    assert [line for line, *_ in ranked(BY_LOSSES, lines)] == [2, 1, 0]


def test_players_who_are_equal_in_everything_share_a_rank():
    lines = with_game_counted(first_standings(people(4)), ended(4, (2,), stands_still=True))
    assert ranked(BY_ORDER, lines) == [(2, 1, 3, 0), (0, 2, 0, 0), (1, 2, 0, 0), (3, 2, 0, 0)]
    assert extremes(table(lines)) == ([2], [0, 1, 3])


def test_a_draw_counts_as_a_game_in_which_those_left_share_the_last_place_and_nobody_loses():
    lines = with_game_counted(first_standings(people(3)), ended(3, (), stands_still=True))
    assert (played(lines), scores(BY_ORDER, lines)) == (1, [0, 0, 0])
    assert extremes(table(lines)) == ([], [])
    assert [line.lost for line in lines] == [(), (), ()]


def test_where_the_first_out_ends_the_game_only_the_winner_gets_points_and_there_is_no_shithead():
    rules = variants()["first-out"].rules
    lines = with_game_counted(first_standings(people(3)), ended(3, (1,)))
    assert scores(BY_ORDER, lines) == [0, 2, 0]
    assert extremes(table(lines, rules=rules)) == ([1], [])
    assert can_count(BY_ORDER, rules)
    assert not can_count(BY_LOSSES, rules)


def test_a_player_who_left_between_games_keeps_the_line_without_a_rank():
    lines = after([(0, 1, 2)])
    lines = without_leavers(lines, people(3, left=(0,)))
    lines = with_game_counted(lines, ended(2, (1,), 0))
    assert [(line.left, line.name, line.places, line.lost) for line in lines] == [
        (True, "P0", (1, 0), ()),
        (False, "", (2, 2), (2,)),
        (False, "", (3, 1), (1,)),
    ]
    assert ranked(BY_ORDER, lines) == [(2, 1, 1, 1), (1, 2, 1, 1), (0, 0, 2, 0)]
    assert extremes(table(lines, players=people(3)[1:])) == ([2], [1])
    assert [seat_of_line(table(lines), line) for line in range(3)] == [None, 0, 1]


def test_whoever_leaves_after_others_have_left_is_the_one_whose_line_gets_a_name():
    lines = without_leavers(after([(0, 1, 2, 3)], seats=4), people(4, left=(0,)))
    lines = without_leavers(lines, people(4, left=(2,))[1:])
    assert [(line.left, line.name) for line in lines] == [(True, "P0"), (False, ""), (True, "P2"), (False, "")]


def test_a_player_who_left_during_the_last_game_is_still_ranked():
    lines = after([(0, 1), (0, 1), (0, 1)], seats=2)
    assert extremes(table(lines, players=people(2, left=(1,)))) == ([0], [1])


@pytest.mark.parametrize(
    ("match", "reached"),
    [
        (Match(target=2), 2),
        (Match(target=3), 3),
        (Match(kind="first-to", target=3), 2),
        (Match(kind="first-to", target=5), 3),
        (Match(kind="first-to", target=2, scoring="losses"), 2),
        (Match(kind="first-to", target=4, scoring="losses"), 4),
    ],
)
def test_a_match_ends_with_its_games_points_or_losses(match, reached):
    for count in range(6):
        lines = after([(0, 1, 2)] * count)
        assert is_reached(match, lines) == (count >= reached), count


@pytest.mark.parametrize(("target", "can_be"), [(1, False), (2, True), (100, True), (101, False)])
def test_the_target_of_a_match_is_2_to_100(target, can_be):
    with nullcontext() if can_be else pytest.raises(ValidationError):
        assert Match(target=target).target == target


def test_a_match_ends_with_its_standings_if_too_few_stay():
    lines = after([(0, 1)], seats=2)
    assert is_between_games(table(lines))
    gone = table(lines, players=people(2, left=(0,)))
    assert (is_between_games(gone), is_match_over(gone)) == (False, True)
    assert ended_early(gone)
    assert extremes(gone) == ([1], [])  # whoever stays wins, although the other was first
    assert [(each.line, each.rank) for each in ranked_at(gone)] == [(1, 1), (0, 0)]


def test_while_a_game_runs_those_who_left_it_keep_their_place_though_too_few_stay():
    running = table(after([(0, 1)], seats=2), players=people(2, left=(0,)), status="playing")
    assert (is_match_over(running), ended_early(running)) == (False, False)
    assert [(each.line, each.rank) for each in ranked_at(running)] == [(0, 1), (1, 2)]


def test_a_match_that_reached_its_goal_ends_as_it_stands_even_if_somebody_has_just_left():
    lines = after([(0, 1)] * 3, seats=2)
    gone = table(lines, players=people(2, left=(0,)))
    assert (is_match_over(gone), ended_early(gone)) == (True, False)
    assert extremes(gone) == ([0], [1])


def test_a_match_ends_if_only_computers_stay():
    computers = [Player(user_id=None, name=name, joined_by=9) for name in ("Clara", "Otto")]
    lines = after([(0, 1, 2)])
    assert is_between_games(table(lines, players=[*people(1), *computers]))
    gone = table(lines, players=[*people(1, left=(0,)), *computers])
    assert is_match_over(gone)
    assert ended_early(gone)
    assert extremes(gone) == ([0], [2]), "whoever left just then stays in the running, because nobody stayed"


def test_a_match_ends_if_the_pack_is_too_small_for_those_who_stay():
    rules = Rules().changed_with({"deal": {"pack_for_six": True, "face_down": 4, "face_up": 4, "hand": 4}})
    lines = after([tuple(range(6))], seats=6)
    assert is_between_games(table(lines, rules=rules))
    gone = table(lines, rules=rules, players=people(6, left=(5,)))
    assert (is_between_games(gone), ended_early(gone)) == (False, True), "five places of twelve cards need two packs"


def test_a_stopped_game_leaves_the_match_as_it_was_and_an_aborted_one_ends_it():
    lines = after([(0, 1, 2)])
    assert is_between_games(table(lines, status="stopped"))
    assert is_match_over(table(lines, status="aborted"))
    for status in ("lobby", "playing"):
        assert not is_match_over(table(lines, status=status))
        assert not is_between_games(table(lines, status=status))


def test_an_aborted_match_has_not_ended_early_and_keeps_everybody_in_the_ranking():
    aborted = table(after([(0, 1, 2)]), players=people(3, left=(0,)), status="aborted")
    assert (is_match_over(aborted), ended_early(aborted)) == (True, False)
    assert [(each.line, each.rank) for each in ranked_at(aborted)] == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize(("left", "due", "deals"), [((), 1, 1), ((1,), 1, 2), ((1, 2), 1, 3), ((2, 3), 2, 0)])
def test_if_the_one_who_should_deal_has_left_the_next_one_clockwise_deals(left, due, deals):
    assert dealer_or_next(table(after([(0, 1, 2, 3)], seats=4), players=people(4, left)), due) == deals


def test_a_vote_to_stop_goes_with_its_player_and_may_also_become_enough_when_another_leaves():
    seats = [player.but(wants_stop=nth < 2) for nth, player in enumerate(people(4))]
    running = table((), match=None, players=seats, status="playing")
    assert not leaving_stops(running, 1), "one vote of three people is left"
    assert leaving_stops(running, 3), "two votes of three people"


def test_a_single_game_is_no_match():
    single = table((), match=None)
    assert (is_match_over(single), is_between_games(single), extremes(single)) == (False, False, ([], []))
    assert with_game_counted((), ended(3, (0, 1), 2)) == ()


def test_the_reverse_game_is_played_after_its_first_half():
    match = pair_of("reverse-second")
    assert match == Match(target=2, variants=("reverse-first", "reverse-second"))
    lines = first_standings(people(2))
    assert variant_of_next(match, lines) == "reverse-first"
    assert variant_of_next(match, with_game_counted(lines, ended(2, (0,), 1))) == "reverse-second"
    assert variant_of_next(BY_ORDER, lines) is None
    assert pair_of("classic") is None


@st.composite
def matches(draw):
    """Standings of games among people who leave one by one; each game is lost, drawn, or ends with the first out."""
    seats = draw(st.integers(2, 8))
    lines = first_standings(people(seats))
    for _ in range(draw(st.integers(1, 8))):
        there = staying(lines)
        leaving = draw(st.sets(st.integers(0, len(there) - 1), max_size=len(there) - 2))
        lines = without_leavers(lines, people(len(there), left=leaving))
        count = len(staying(lines))
        order = draw(st.permutations(range(count)))
        out = draw(st.integers(0, count - 1))
        lost = out == count - 1
        lines = with_game_counted(lines, ended(count, order[:out], order[-1] if lost else None, stands_still=not lost))
    return lines


@given(matches(), st.sampled_from([BY_ORDER, BY_LOSSES]))
def test_the_ranking_has_all_players_and_follows_the_score(lines, match):
    order = ranking(match, lines)
    assert sorted(each.line for each in order) == list(range(len(lines)))
    here, gone = [each for each in order if each.rank], [each for each in order if not each.rank]
    assert order == [*here, *gone]
    assert [each.line for each in gone] == [nth for nth, line in enumerate(lines) if line.left]
    assert here[0].rank == 1
    for place, (better, worse) in enumerate(pairwise(here), 2):
        if match.scoring == "order":
            assert better.score >= worse.score
        else:
            assert better.score <= worse.score
        assert worse.rank in {better.rank, place}
    best, last = extremes(table(lines, match, people(len(here))))
    assert not set(best) & set(last)
    assert all(not lines[each].left for each in [*best, *last])


@given(matches())
def test_points_are_the_players_one_is_ahead_of_and_a_game_has_at_most_one_shithead(lines):
    games = range(played(lines))
    ahead = [
        sum(0 < line.places[game] < other.places[game] for game in games for other in lines if line.places[game])
        for line in lines
    ]
    assert scores(BY_ORDER, lines) == ahead
    for game in games:
        losers = [line for line in lines if game + 1 in line.lost]
        assert len(losers) <= 1
        assert all(line.places[game] == sum(other.places[game] > 0 for other in lines) for line in losers)
