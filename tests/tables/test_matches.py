"""Matches through the doorway: the host's choices, consecutive games, leaving, restarts, the next match."""

import asyncio
import random
from collections import Counter

import pytest

from data.models import Match, MatchLine
from game.rules import Rules
from game.variants import variants
from tables.match import can_count, is_between_games, is_match_over, is_reached, played, scores, staying
from tables.services import Tables
from tables.snapshots import Decline
from testkit.offline import Offline, People, Refused
from testkit.stored import open_debts, stored_table

THREE = Match(target=3)


async def in_match(house: Offline, *people, match: Match = THREE, **options):
    """A match whose first game has been dealt."""
    table = await house.lobby(*people, **options)
    await house.tables.lobby.change(house.by(people[0].id, table), match=match)
    await house.tables.play.start(house.by(people[0].id, table))
    return table


async def deal_next(house: Offline, table, user=1, tables: Tables | None = None):
    return await house.again(table, user, tables)


async def whole_match(house: Offline, table):
    """Play a match to its end."""
    while True:
        snapshot = await house.finish(table)
        if not is_between_games(snapshot.table):
            return snapshot
        await deal_next(house, table)


async def test_a_match_of_three_games_is_counted_from_the_results_and_over_after_the_third(
    house: Offline, people: People
):
    table = await in_match(house, *people[:3])
    expected, losses = dict.fromkeys((1, 2, 3), 0), []
    for game in range(1, 4):
        snapshot = await house.finish(table)
        result = await house.result(table, game)
        for place, user in enumerate(result.places, 1):
            expected[user] += 3 - place
        losses.append(result.places[-1])
        lines = snapshot.table.standings
        assert dict(zip([line.user_id for line in lines], scores(THREE, lines), strict=True)) == expected
        assert {line.user_id: len(line.lost) for line in lines} == {user: losses.count(user) for user in (1, 2, 3)}
        assert (played(lines), is_match_over(snapshot.table)) == (game, game == 3)
        assert snapshot.debt.debtor_id == losses[-1]
        if game < 3:
            after = await deal_next(house, table)
            assert after.table.dealer == snapshot.view.shithead
    assert len(await open_debts(house.store, 900)) == 3


async def test_a_rematch_after_a_match_begins_another_one_of_the_same_kind(house: Offline, people: People):
    table = await in_match(house, *people[:2], computers=1, match=Match(target=2, scoring="losses"))
    over = await whole_match(house, table)
    again = await deal_next(house, table, 2)
    assert (again.table.match, again.table.game) == (over.table.match, 3)
    assert [line.user_id for line in again.table.standings] == [1, 2, None]
    assert played(again.table.standings) == 0
    assert again.table.dealer == over.view.shithead


@pytest.mark.parametrize(
    "match", [Match(kind="first-to", target=5), Match(kind="first-to", target=2, scoring="losses")]
)
async def test_a_match_goes_on_until_somebody_has_enough(house: Offline, people: People, match):
    table = await in_match(house, *people[:3], match=match)
    lines = (await whole_match(house, table)).table.standings
    reached = scores(match, lines)
    assert max(reached) >= match.target
    if match.scoring == "order":
        earlier = [MatchLine(user_id=line.user_id, places=line.places[:-1]) for line in lines]
        assert max(scores(match, earlier)) < match.target
    else:
        assert max(reached) == match.target, "a game has one loser"


async def test_standings_are_stored_with_the_result_and_survive_a_restart(house: Offline, people: People):
    table = await in_match(house, *people[:3])
    before = await house.finish(table)
    other = house.another()
    found = (await other.snapshot(table)).table
    assert (found.match, found.standings) == (THREE, before.table.standings)
    await deal_next(house, table, 2, other)
    ended = await house.finish(table, other)
    assert played(ended.table.standings) == 2
    assert (await house.another().snapshot(table)).table.standings == ended.table.standings


async def test_people_who_press_at_once_deal_one_game(house: Offline, people: People):
    table = await in_match(house, *people[:3])
    over = await house.finish(table)
    seen = over.table.revision
    presses = [house.tables.play.rematch(house.by(user, table, seen=seen)) for user in (1, 2, 3)]
    done = await asyncio.gather(*presses, return_exceptions=True)
    assert sorted(str(getattr(each, "why", "dealt")) for each in done) == [str(Decline.NOT_OVER)] * 2 + ["dealt"]
    assert (await house.tables.snapshot(table)).table.game == 2


async def test_the_button_of_an_earlier_game_deals_nothing(house: Offline, people: People, refused: type[Refused]):
    table = await in_match(house, *people[:2])
    old = (await house.finish(table)).table.revision
    await deal_next(house, table)
    over = await house.finish(table)
    with refused(Decline.OLD_RESULT):
        await house.tables.play.rematch(house.by(1, table, seen=old))
    assert (await house.tables.snapshot(table)).table == over.table


async def test_a_stopped_game_does_not_count_and_the_match_goes_on(house: Offline, people: People):
    table = await in_match(house, *people[:2])
    over = await house.finish(table)
    await deal_next(house, table)
    stopped = await house.tables.play.stop(house.by(1, table))
    assert stopped.table.standings == over.table.standings
    assert is_between_games(stopped.table)
    assert stopped.table.stop_votes == 1
    assert (await deal_next(house, table)).table.stop_votes == 0
    snapshot = await house.finish(table)
    assert (snapshot.table.game, played(snapshot.table.standings)) == (3, 2)


@pytest.mark.parametrize(("stopped_in", "goes_on_in"), [(55, None), (-55, None), (0, 0), (None, None)])
async def test_the_next_game_of_a_match_goes_on_in_its_message_but_one_that_was_stopped_stays_readable(
    house: Offline, people: People, stopped_in, goes_on_in
):
    table = await in_match(house, *people[:2])
    await house.tables.timekeeping.place(table, message_id=55)
    await house.finish(table)
    assert (await deal_next(house, table)).table.message_id == 55
    await house.tables.timekeeping.place(table, message_id=stopped_in)  # 0: perhaps it was posted
    await house.tables.play.stop(house.by(1, table))
    house.time.pass_by(seconds=60)
    assert (await deal_next(house, table)).table.message_id == goes_on_in


@pytest.mark.parametrize("match", [THREE, None])
async def test_after_a_stopped_game_the_winner_of_the_game_before_it_may_take_tribute_again(
    house: Offline, people: People, match
):
    table = await house.lobby(*people[:2])
    tribute = Rules().changed_with({"end": {"tribute": True}})
    await house.tables.lobby.change(house.by(1, table), match=match, rules=tribute)
    await house.tables.play.start(house.by(1, table))
    over = await house.finish(table)
    winner, shithead = over.view.out[0], over.view.shithead
    for _ in range(2):
        dealt = await deal_next(house, table)
        assert (dealt.view.phase, dealt.view.turn, dealt.view.tribute_from) == ("tribute", winner, shithead)
        assert dealt.table.dealer == shithead
        await house.step(table)
        await house.tables.play.stop(house.by(1, table))
        house.time.pass_by(seconds=60)


async def test_a_player_who_leaves_during_a_game_is_counted_but_no_longer_dealt_to(house: Offline, people: People):
    table = await in_match(house, *people[:3])
    await house.tables.lobby.leave(house.by(1, table))
    first = await house.finish(table)
    assert not first.table.standings[0].left
    second = await deal_next(house, table, 2)
    line = second.table.standings[0]
    assert (line.user_id, line.left, line.name, line.places) == (1, True, "Ann", first.table.standings[0].places)
    assert staying(second.table.standings) == [1, 2]
    ended = await house.finish(table)
    assert ended.table.standings[0].places[-1] == 0
    stored = await stored_table(house.store, table)
    assert {line.name for line in stored.standings} == {""}


async def test_a_host_may_leave_between_games_and_another_person_becomes_host(
    house: Offline, people: People, refused: type[Refused]
):
    table = await in_match(house, *people[:3])
    await house.finish(table)
    snapshot = await house.tables.lobby.leave(house.by(1, table))
    assert (snapshot.table.status, snapshot.table.host_id, snapshot.table.players[0].left) == ("over", 2, True)
    with refused(Decline.NOT_SEATED):
        await deal_next(house, table, 1)
    after = await deal_next(house, table, 2)
    assert [player.user_id for player in after.table.players] == [2, 3]
    assert after.table.standings[0].left


@pytest.mark.parametrize(("count", "by_seats"), [(2, {}), (4, {3: 6})])
async def test_a_match_is_over_if_too_few_stay_and_then_nobody_can_leave(
    house: Offline, people: People, refused: type[Refused], count, by_seats
):
    table = await house.lobby(*people[:count])
    rules = Rules().changed_with({"deal": {"by_seats": by_seats}})
    await house.tables.lobby.change(house.by(1, table), rules=rules, match=THREE)
    await house.tables.play.start(house.by(1, table))
    await house.finish(table)
    snapshot = await house.tables.lobby.leave(house.by(1, table))
    assert is_match_over(snapshot.table)
    assert snapshot.debt is not None
    with refused(Decline.UNKNOWN_TABLE):
        await house.tables.lobby.leave(house.by(2, table))
    assert (await deal_next(house, table, 2)).table.status == "lobby"


async def test_whoever_left_a_match_that_then_ended_early_asks_for_another_and_does_not_revive_it(
    house: Offline, people: People
):
    table = await in_match(house, *people[:2])
    await house.tables.lobby.leave(house.by(1, table))
    ended = await house.finish(table)
    assert is_match_over(ended.table)
    asked = (await house.tables.play.rematch(house.by(1, table))).table
    assert (asked.status, asked.standings) == ("lobby", ())
    assert [player.user_id for player in asked.unanswered] == [2]
    dealt = (await house.tables.lobby.join(house.by(2, table))).table
    assert [line.places for line in dealt.standings] == [(), ()]


async def test_the_last_person_to_leave_between_games_ends_the_match_as_it_stands(house: Offline, people: People):
    table = await in_match(house, people[0], computers=2)
    over = (await house.finish(table)).table
    snapshot = await house.tables.lobby.leave(house.by(1, table))
    assert is_match_over(snapshot.table)
    found = (await house.another().snapshot(table)).table
    assert (found.status, found.secret, found.standings) == ("over", over.secret, over.standings)


async def test_a_person_forgotten_between_games_has_a_nameless_line_and_no_cards(
    house: Offline, people: People, refused: type[Refused]
):
    table = await in_match(house, *people[:3])
    before = (await house.finish(table)).table.standings
    assert await house.tables.people.forget(1) is None
    with refused(Decline.NOT_SEATED):
        await deal_next(house, table, 1)
    after = (await deal_next(house, table, 2)).table
    assert [player.user_id for player in after.players] == [2, 3]
    former = after.standings[0]
    assert (former.user_id < 0, former.left, former.places) == (True, True, before[0].places)
    assert (await house.tables.people.forget(2)).id == table


async def test_a_single_game_cannot_be_left_after_its_end(house: Offline, people: People, refused: type[Refused]):
    table = await house.game(*people[:2])
    await house.finish(table)
    with refused(Decline.UNKNOWN_TABLE):
        await house.tables.lobby.leave(house.by(1, table))
    again = await deal_next(house, table)
    assert (again.table.match, again.table.standings) == (None, ())


async def test_the_host_chooses_a_match_and_takes_it_back(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(*people[:2])
    with refused(Decline.NOT_HOST):
        await house.tables.lobby.change(house.by(2, table), match=THREE)
    snapshot = await house.tables.lobby.change(house.by(1, table), match=THREE)
    assert snapshot.table.match == THREE
    snapshot = await house.tables.lobby.change(house.by(1, table), pace="quick")
    assert snapshot.table.match == THREE
    snapshot = await house.tables.lobby.change(house.by(1, table), match=None)  # one that is not offered any more
    assert snapshot.table.match == THREE
    snapshot = await house.tables.lobby.change(house.by(1, table), match="single")
    assert snapshot.table.match is None


async def test_losses_cannot_be_counted_if_the_rules_have_no_shithead(
    house: Offline, people: People, refused: type[Refused]
):
    losses = Match(target=3, scoring="losses")
    table = await house.lobby(*people[:2], variant="first-out")
    with refused(Decline.NO_SHITHEAD):
        await house.tables.lobby.change(house.by(1, table), match=losses)
    await house.tables.lobby.change(house.by(1, table), variant="classic", match=losses)
    snapshot = await house.tables.lobby.change(house.by(1, table), variant="first-out")
    assert snapshot.table.match is None
    await house.tables.lobby.change(house.by(1, table), match=THREE)
    await house.tables.play.start(house.by(1, table))
    lines = (await whole_match(house, table)).table.standings
    assert sum(scores(THREE, lines)) == 3
    assert not any(line.lost for line in lines)


async def test_the_reverse_game_is_a_match_of_two_with_different_rules(house: Offline, people: People):
    table = await house.lobby(*people[:3], variant="reverse-second")
    snapshot = await house.tables.snapshot(table)
    assert (snapshot.table.variant, snapshot.table.match.target) == ("reverse-first", 2)
    assert snapshot.table.rules == variants()["reverse-first"].rules
    await house.tables.play.start(house.by(1, table))
    for game, variant in enumerate(("reverse-first", "reverse-second", "reverse-first"), 1):
        snapshot = await house.finish(table)
        assert snapshot.table.variant == variant
        assert snapshot.table.rules == variants()[variant].rules
        assert is_match_over(snapshot.table) == (game == 2)
        await deal_next(house, table)


async def test_a_pair_of_games_that_ended_after_the_first_begins_with_it_again(house: Offline, people: People):
    table = await house.lobby(*people[:2], variant="reverse-second")
    await house.tables.play.start(house.by(1, table))
    await house.finish(table)
    assert is_match_over((await house.tables.lobby.leave(house.by(2, table))).table)
    assert (await house.tables.play.rematch(house.by(1, table))).table.variant == "reverse-first"


async def test_the_reverse_game_can_be_chosen_and_left_and_played_alone(house: Offline, people: People):
    table = await house.lobby(*people[:3])

    async def change(**wishes):
        return (await house.tables.lobby.change(house.by(1, table), **wishes)).table

    pair = await change(variant="reverse-second")
    assert (pair.variant, pair.match.variants, pair.seats) == ("reverse-first", ("reverse-first", "reverse-second"), 5)
    slower = await change(pace="slow")
    assert (slower.variant, slower.match) == (pair.variant, pair.match)
    longer = await change(match=Match(target=10))
    assert (longer.match.target, longer.match.variants) == (10, pair.match.variants)
    alone = await change(match="single")
    assert (alone.variant, alone.match, alone.rules) == ("reverse-second", None, variants()["reverse-second"].rules)
    await change(variant="reverse-second")
    classic = await change(variant="classic")
    assert (classic.variant, classic.match) == ("classic", None)
    rules = pair.rules.changed_with({"play": {"must_play": False}})
    first = {"variant": "reverse-first"}
    for wishes in (first, {"rules": rules}, {**first, "rules": rules}):
        await change(variant="reverse-second")
        assert (await change(**wishes)).match is None


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
async def test_the_standings_of_a_random_match_agree_with_its_results(house: Offline, people: People, seed):
    rng = random.Random(seed)
    match = rng.choice([Match(target=4), Match(kind="first-to", target=6), Match(target=3, scoring="losses")])
    fitting = [name for name, each in variants().items() if can_count(match, each.rules) and each.rules.seats[1] > 3]
    table = await house.lobby(*people, variant=rng.choice(fitting))
    await house.tables.lobby.change(house.by(1, table), match=match)
    await house.tables.play.start(house.by(1, table))
    gained, lost, counted = Counter(), Counter(), 0
    while True:
        tables = house.another() if rng.random() < 0.3 else house.tables
        for _ in range(rng.randrange(30)):
            await house.step(table, tables)
        await perhaps_leave(house, tables, table, rng)
        if rng.random() < 0.2:
            snapshot = await tables.snapshot(table)
            if snapshot.table.status == "playing":
                await tables.play.stop(house.by(99, table, moderator=True))
        snapshot = await house.finish(table, tables)
        if snapshot.table.status == "over":
            result, out, n = await house.result(table, snapshot.table.game), out_of(snapshot), len(snapshot.view.seats)
            assert all(user in {None, out[nth]} for nth, user in enumerate(result.places[: len(out)]))
            lost.update([result.places[result.shithead - 1]] if result.shithead else [])
            gained.update({user: n - 1 - nth for nth, user in enumerate(out)})
            counted += 1
        await perhaps_leave(house, tables, table, rng)
        snapshot = await tables.snapshot(table)
        lines = snapshot.table.standings
        assert {
            line.user_id: score for line, score in zip(lines, scores(THREE, lines), strict=True) if score
        } == +gained
        assert {line.user_id: len(line.lost) for line in lines if line.lost} == lost
        assert played(lines) == counted
        await house.tables._doorway.drop(table)
        if not is_between_games(snapshot.table):
            break
        user = next(player.user_id for player in snapshot.table.players if not player.left)
        await deal_next(house, table, user)
    there = sum(not player.left for player in snapshot.table.players)
    assert snapshot.table.status == "aborted" or is_reached(match, lines) or there < snapshot.table.rules.seats[0]
    assert is_match_over(snapshot.table)
    assert counted or snapshot.table.status == "aborted"


def out_of(snapshot):
    return [snapshot.table.players[seat].user_id for seat in snapshot.view.out]


async def perhaps_leave(house: Offline, tables: Tables, table, rng):
    """Let somebody leave now and then, where that is possible."""
    snapshot = (await tables.snapshot(table)).table
    there = [player.user_id for player in snapshot.players if not player.left]
    if rng.random() < 0.15 and len(there) > 2 and (snapshot.is_open or is_between_games(snapshot)):
        await tables.lobby.leave(house.by(rng.choice(there), table))
