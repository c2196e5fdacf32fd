"""The moments of a game that are worth showing."""

from cogs.pictures.highlights import LEAST_BURN, MOST_BURNS, Moment, highlights
from game import events as ev
from testkit.scenes import played


def found(game, *piles):
    """The moments of a game; `piles` are the cards on the pile after each move, none if they do not matter."""
    return highlights(game, piles or [0] * len(game))


def test_burns_are_moments():
    game = [[ev.Played(0, (4, 5, 6)), ev.Drew(0, 3, ())], [ev.Played(1, (32,)), ev.Burned(1, 4)]]
    assert found(game) == (Moment(1, "burned", 4),)


def test_burning_a_small_pile_is_not_a_moment():
    assert found([[ev.Played(0, (32,)), ev.Burned(0, 1)], [ev.Played(0, (33,)), ev.Burned(0, LEAST_BURN - 1)]]) == ()


def test_only_the_largest_pick_up_is_a_moment():
    game = [[ev.PickedUp(0, 3)], [ev.PickedUp(1, 9)], [ev.PickedUp(0, 9)], [ev.PickedUp(2, 4)]]
    assert found(game) == (Moment(2, "picked-up", 9),)


def test_a_blind_flip_that_fitted_saved_its_seat_from_the_pile():
    game = [[ev.Played(0, (4, 5, 6))], [ev.Flipped(1, 20)], [ev.Played(0, (24,))], [ev.Flipped(1, 28)]]
    assert found(game, 3, 4, 5, 6) == (Moment(3, "saved", 5),)


def test_a_blind_flip_that_did_not_fit_saved_nobody():
    game = [[ev.Played(0, (40,))], [ev.Flipped(1, 4), ev.PickedUp(1, 2)]]
    assert found(game, 1, 0) == (Moment(1, "picked-up", 2),)


def test_a_blind_flip_that_gave_the_pile_to_the_next_seat_saved_its_own():
    game = [[ev.Played(0, (4, 5, 6))], [ev.Flipped(1, 52), ev.PickedUp(2, 4, by=1)], [ev.Flipped(1, 20)]]
    assert found(game, 3, 0, 1) == (Moment(1, "picked-up", 4), Moment(1, "saved", 3))


def test_a_flip_onto_an_empty_pile_saved_nobody():
    assert found([[ev.Flipped(1, 20)], [ev.WentOut(1, 1)]], 1, 1) == (Moment(1, "went-out"),)


def test_a_flip_that_burned_the_pile_is_two_moments():
    game = [[ev.Played(0, (4, 5, 6))], [ev.Flipped(1, 32), ev.Burned(1, 4)]]
    assert found(game, 3, 0) == (Moment(1, "burned", 4), Moment(1, "saved", 3))


def test_the_end_is_a_moment():
    assert found([[ev.WentOut(0, 1), ev.Ended(1, None)]]) == (Moment(0, "ended"),)


def test_the_largest_of_many_burns_are_shown_in_order():
    game = [[ev.Burned(0, count)] for count in (7, 4, 11, 5, 10, 4, 9, 6, 8, 12)]
    burns = found(game)
    assert [each.cards for each in burns] == [11, 10, 12]
    assert len(burns) == MOST_BURNS


def test_a_whole_game_has_its_end_and_few_other_moments():
    steps = played(4, 4)
    moments = highlights([step.told for step in steps], [len(step.state.pile) for step in steps])
    assert moments[-1] == Moment(len(steps) - 1, "ended")
    outs = [at for at, step in enumerate(steps) if any(isinstance(each, ev.WentOut) for each in step.told)]
    assert [each.move for each in moments if each.kind in {"went-out", "ended"}] == outs
    assert 5 <= len(moments) <= MOST_BURNS + 2 + len(outs)
    assert {each.kind for each in moments} >= {"burned", "picked-up", "went-out", "ended"}


def test_everybody_who_goes_out_is_shown_however_many_piles_burn():
    burns = [[ev.Burned(0, 20)]] * 5
    moments = found([*burns, [ev.WentOut(0, 1)], *burns, [ev.WentOut(2, 2)], [ev.WentOut(1, 3), ev.Ended(3, None)]])
    assert [each.move for each in moments if each.kind != "burned"] == [5, 11, 12]
    assert sum(each.kind == "burned" for each in moments) == MOST_BURNS
