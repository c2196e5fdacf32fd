"""Games: turns, stale messages, leaving, deadlines, the end, the next game."""

import asyncio
from datetime import timedelta

import pytest

from data.models import Person, held_by
from data.store import Store
from game.cards import make_pack
from game.events import Drew
from game.fairness import Shuffle, Verdict, judge, seal
from game.moves import Flip, IllegalMove, PickUp, Play, Ready, Refusal, Swap, Timeout
from game.text.notation import parse_cards
from tables.services import Tables
from tables.snapshots import RECENT, Decline
from testkit.found import not_none
from testkit.offline import CHANNEL, GUILD, Offline, People, Refused
from testkit.stored import file_of, held, open_debts, stored_game, stored_table


async def on_turn(house: Offline, table):
    """The user on turn and the one who is not."""
    snapshot = await house.tables.snapshot(table)
    turn = snapshot.table.players[not_none(snapshot.view.turn)].user_id
    return turn, next(p.user_id for p in snapshot.table.players if p.user_id not in (turn, None))


async def run_out(house: Offline, table):
    """Let the time of whoever is on turn run out, and the minute after the reminder that it has."""
    for minutes in (3, 1):
        house.time.pass_by(minutes=minutes)
        await house.tables.timekeeping.time_up(table)


async def test_a_deal_hides_its_secret_and_only_seated_people_have_hands(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:2])
    hand = await house.tables.play.hand(house.by(1, table))
    assert len(hand.view.hand) == 3
    assert hand.snapshot.table.secret == ""
    with refused(Decline.NOT_SEATED):
        await house.tables.play.hand(house.by(3, table))
    with refused(Decline.NOT_SEATED):
        await house.act(table, 3, Ready())


async def test_a_hand_has_its_own_drawn_cards_also_after_a_restart_but_no_others(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    snapshot = await house.tables.snapshot(table)
    seat = not_none(snapshot.view.turn)
    user = snapshot.table.players[seat].user_id
    before = (await house.tables.play.hand(house.by(user, table))).view
    played = next(move for move in before.moves if isinstance(move, Play))
    after = await house.act(table, user, played)
    new = set(after.view.hand) - set(before.hand)
    assert new
    assert set(after.drew.cards) == new
    for tables in (house.tables, house.another()):
        assert not any(event.cards for event in (await tables.snapshot(table)).recent if isinstance(event, Drew))
        hands = [house.loaded(table, tables).hand(each) for each in range(3)]
        assert set(hands.pop(seat).drew.cards) == new
        assert [hand.drew for hand in hands] == [None, None]


async def test_drawn_cards_stay_new_until_the_same_player_moves_again(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    first = await house.tables.snapshot(table)
    seat = first.view.turn
    drawn = []
    for _ in range(3):
        hand = house.loaded(table).hand((await house.tables.snapshot(table)).view.turn)
        user = hand.snapshot.table.players[hand.view.seat].user_id
        await house.act(table, user, next(move for move in hand.view.moves if isinstance(move, Play)))
        drawn.append(house.loaded(table).hand(seat).drew)
    assert drawn[0] == drawn[1] is not None
    assert drawn[2] != drawn[1]
    await house.finish(table)
    assert [house.loaded(table).hand(each).drew for each in range(2)] == [None, None], "the stock was used up"


async def test_there_is_no_hand_before_the_deal(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(people[0])
    with refused(Decline.NOT_PLAYING):
        await house.tables.play.hand(house.by(1, table))
    with refused(Decline.NOT_PLAYING):
        await house.act(table, 1, Ready())


async def test_f10_a_stale_message_plays_nothing(house: Offline, people: People, refused: type[Refused]):
    table = await house.in_play(*people[:2])
    user, _ = await on_turn(house, table)
    hand = await house.tables.play.hand(house.by(user, table))
    old = hand.snapshot.table.revision
    await house.choose(table, user)
    with refused(Decline.STALE) as no:
        await house.tables.play.act(house.by(user, table, seen=old), hand.view.moves[0])
    assert no.declined.snapshot.table.revision == old + 1
    with refused(Decline.STALE):
        await house.tables.play.act(house.by(user, table, seen=old + 2), hand.view.moves[0])


async def test_f8_a_double_click_plays_once(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    user, _ = await on_turn(house, table)
    hand = await house.tables.play.hand(house.by(user, table))
    move, seen = hand.view.moves[0], hand.snapshot.table.revision
    clicks = [house.tables.play.act(house.by(user, table, seen=seen), move) for _ in range(2)]
    done = await asyncio.gather(*clicks, return_exceptions=True)
    assert [getattr(each, "why", None) for each in done] == [None, Decline.STALE]
    assert (await house.tables.snapshot(table)).moves == hand.snapshot.moves + 1


async def test_f11_f55_a_move_delivered_twice_is_made_once_and_answered_with_the_hand(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    user, _ = await on_turn(house, table)
    hand = await house.tables.play.hand(house.by(user, table))
    move, seen = hand.view.moves[0], hand.snapshot.table.revision
    first = await house.tables.play.act(house.by(user, table, id=123, seen=seen), move)
    again = await house.tables.play.act(house.by(user, table, id=123, seen=seen), move)
    assert again == first


async def test_an_illegal_move_changes_nothing(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    _, other = await on_turn(house, table)
    before = await house.tables.play.hand(house.by(other, table))
    with pytest.raises(IllegalMove) as no:
        await house.act(table, other, PickUp())
    assert no.value.refusal is Refusal.NOT_YOUR_TURN
    with pytest.raises(IllegalMove):
        await house.act(table, other, Flip(99))
    assert await house.tables.play.hand(house.by(other, table)) == before


async def test_in_the_exchange_moves_of_others_make_no_message_stale(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:2])
    seen = (await house.tables.snapshot(table)).table.revision
    hand = await house.tables.play.hand(house.by(1, table))
    swap = Swap(hand.view.hand[0], hand.view.up[0][0])
    await house.tables.play.act(house.by(2, table, seen=seen), Ready())
    await house.tables.play.act(house.by(1, table, seen=seen), swap)
    with refused(Decline.STALE):
        await house.tables.play.act(house.by(1, table, seen=seen), Ready())


async def test_a_reminder_makes_no_message_stale(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    user, _ = await on_turn(house, table)
    hand = await house.tables.play.hand(house.by(user, table))
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    snapshot = await house.tables.snapshot(table)
    assert (snapshot.table.nudged, snapshot.table.revision) == (True, hand.snapshot.table.revision)
    await house.tables.play.act(house.by(user, table, seen=hand.snapshot.table.revision), hand.view.moves[0])
    assert not (await house.tables.snapshot(table)).table.nudged


async def test_a_whole_game_ends_with_a_result_a_debt_and_no_names_in_the_store(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:3], forfeit="cake")
    snapshot = await house.finish(table)
    result, debt = await house.result(table), snapshot.debt
    assert snapshot.table.status == "over"
    assert set(result.places) == {1, 2, 3}
    assert result.places[result.shithead - 1] == result.places[-1] == debt.debtor_id
    assert (set(debt.creditor_ids), debt.forfeit) == ({1, 2, 3} - {debt.debtor_id}, "cake")
    assert result.moves == snapshot.moves
    stored = await stored_table(house.store, table)
    assert {player.name for player in stored.players} == {""}
    assert {player.name for player in snapshot.table.players} == {"Ann", "Bob", "Cy"}
    with refused(Decline.NOT_PLAYING):
        await house.act(table, 1, PickUp())
    assert (await open_debts(house.store, 900)) == [debt]


async def test_a_computer_that_loses_owes_nobody(house: Offline, people: People):
    lost_by = set()
    for channel in range(12):
        table = await house.game(*people[:2], channel=channel, computers=1)
        snapshot = await house.finish(table)
        loser = snapshot.table.players[not_none(snapshot.view.shithead)]
        assert (snapshot.debt and snapshot.debt.debtor_id) == loser.user_id
        result = await house.result(table)
        assert (result.shithead, result.places[-1]) == (3, loser.user_id)
        lost_by.add(loser.is_computer)
        if len(lost_by) == 2:
            break
    assert lost_by == {True, False}


async def test_a_person_against_only_computers_owes_nobody(house: Offline, people: People):
    for channel in range(12):
        snapshot = await house.finish(await house.game(people[0], channel=channel, computers=2))
        assert snapshot.debt is None
        if snapshot.table.players[not_none(snapshot.view.shithead)].user_id == 1:
            return
    pytest.fail("the person never lost")


async def test_without_a_source_of_chance_all_bytes_of_a_secret_come_from_the_operating_system(
    house: Offline, monkeypatch
):
    monkeypatch.setattr("random._urandom", lambda count: b"\xab" * count)
    opened = await Tables(house.store).lobby.open(house.by(1))
    assert opened.table.seal == seal(b"\xab" * 32)


async def test_the_shuffle_can_be_verified_from_the_seal_and_the_joiners(house: Offline, people: People):
    table = await house.lobby(*people[:3])
    sealed = (await house.tables.snapshot(table)).table.seal
    await house.tables.play.start(house.by(1, table))
    snapshot = await house.finish(table)
    game = await stored_game(house.store, snapshot.table, 1)
    joiners = tuple(player.joined_by for player in snapshot.table.players)
    secret = bytes.fromhex(snapshot.table.secret)
    shuffle = Shuffle(f"{table}.1", joiners, sealed, secret, 1, 0, parse_cards(game.deal["pack"]))
    assert judge(shuffle) is Verdict.VERIFIED
    assert game.joiners == joiners
    assert sorted(shuffle.pack) == sorted(make_pack())


async def test_a_rematch_deals_to_those_who_stayed_and_the_shithead_deals(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:3], computers=1)
    with refused(Decline.NOT_OVER):
        await house.tables.play.rematch(house.by(1, table))
    over = await house.finish(table)
    with refused(Decline.NOT_SEATED):
        await house.tables.play.rematch(house.by(4, table))
    again = await house.again(table, 2)
    assert (again.table.game, again.table.status, again.moves) == (2, "playing", 0)
    assert [p.name for p in again.table.players] == [p.name for p in over.table.players]
    assert again.table.dealer == over.view.shithead
    assert again.table.seal == over.table.next_seal
    assert again.table.secret == ""
    assert again.table.revision == over.table.revision + 3  # asked, and two have said yes
    ended = await house.finish(table)
    assert seal(bytes.fromhex(ended.table.secret)) == again.table.seal
    assert (await house.result(table, 2)).shithead == 4


async def test_a_rematch_neither_asks_nor_deals_to_those_who_left(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:3])
    await house.tables.lobby.leave(house.by(1, table))
    await house.finish(table)
    again = await house.again(table, 2)
    assert [player.user_id for player in again.table.players] == [2, 3]
    await house.tables.lobby.leave(house.by(3, table))
    await house.finish(table)
    alone = (await house.tables.play.rematch(house.by(2, table))).table
    assert ([player.user_id for player in alone.players], alone.unanswered) == ([2], ())
    with refused(Decline.TOO_FEW):
        await house.tables.play.start(house.by(2, table))


async def test_a_rematch_waits_for_its_channel(house: Offline, people: People, refused: type[Refused]):
    table = await house.game(*people[:2])
    await house.finish(table)
    other = await house.lobby(people[2])
    with refused(Decline.TABLE_IN_CHANNEL) as no:
        await house.tables.play.rematch(house.by(1, table))
    assert no.declined.table_id == other
    assert no.declined.snapshot == await house.tables.snapshot(table)
    assert (await house.tables.snapshot(table)).table.status == "over"


async def test_f54_the_computer_plays_for_a_person_who_left_and_no_card_is_lost(house: Offline, people: People, cards):
    table = await house.in_play(*people[:3])
    snapshot = await house.tables.lobby.leave(house.by(1, table))
    assert snapshot.table.host_id == 2
    assert [player.left for player in snapshot.table.players] == [True, False, False]
    assert cards(house.loaded(table)) == dict.fromkeys(make_pack(), 1)
    ended = await house.finish(table)
    assert ended.table.status == "over"
    assert set((await house.result(table)).places) == {1, 2, 3}


async def test_a_computer_plays_for_itself_and_not_at_all_once_the_game_is_stopped(house: Offline, people: People):
    table = await house.game(people[0], computers=1)
    assert await house.tables.timekeeping.computer_turn(table)
    stopped = await house.tables.play.stop(house.by(1, table))
    assert stopped.played_for == ()
    assert house.heard[-1].due is None


async def test_a_person_who_left_can_take_the_seat_back_during_the_game(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.in_play(*people[:3])
    with refused(Decline.ALREADY_SEATED):
        await house.tables.play.take_back(house.by(1, table))
    with refused(Decline.NOT_SEATED):
        await house.tables.play.take_back(house.by(people[3], table))
    await house.tables.lobby.leave(house.by(1, table))
    assert await house.tables.play.hand_since(table, 1, 0) is None, "the message that says how to come back stays"
    hand = await house.tables.play.take_back(house.by(1, table))
    assert (hand.view.seat, hand.snapshot.table.players[0].left) == (0, False)
    await house.tables.lobby.leave(house.by(1, table))
    await house.tables.play.stop(house.by(2, table))
    with refused(Decline.NOT_PLAYING):
        await house.tables.play.take_back(house.by(1, table))


async def test_whoever_takes_a_seat_back_has_their_new_name_there(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    await house.tables.lobby.leave(house.by(1, table))
    back = await house.tables.play.take_back(house.by(Person(id=1, name="Roberta"), table))
    assert back.snapshot.table.players[0].name == "Roberta"


async def test_leaving_and_coming_back_gains_no_time(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    before = await house.tables.snapshot(table)
    user = before.table.players[not_none(before.view.turn)].user_id
    house.time.pass_by(seconds=170)
    await house.tables.lobby.leave(house.by(user, table))
    back = (await house.tables.play.take_back(house.by(user, table))).snapshot.table
    assert back.deadline == before.table.deadline
    house.time.pass_by(seconds=10)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).table.overdue
    await house.tables.lobby.leave(house.by(user, table))
    back = (await house.tables.play.take_back(house.by(user, table))).snapshot.table
    assert (back.deadline, back.overdue) == (before.table.deadline, True)


async def test_a_person_who_left_owes_if_they_lose_but_is_owed_nothing(house: Offline, people: People):
    seen = set()
    for channel in range(14):
        table = await house.in_play(*people[:3], channel=channel)
        await house.tables.lobby.leave(house.by(1, table))
        debt = (await house.finish(table)).debt
        seen.add(debt.debtor_id)
        assert 1 not in debt.creditor_ids
        if debt.debtor_id == 1:
            assert set(debt.creditor_ids) == {2, 3}
        if len(seen) > 1 and 1 in seen:
            break
    assert 1 in seen


async def test_f46_a_game_that_everybody_has_left_is_aborted_without_tea(house: Offline, people: People):
    table = await house.in_play(*people[:2], computers=1)
    await house.tables.lobby.leave(house.by(1, table))
    snapshot = await house.tables.lobby.leave(house.by(2, table))
    assert (snapshot.table.status, await house.result(table), snapshot.debt) == ("aborted", None, None)
    assert await open_debts(house.store, 900) == []


async def test_the_host_and_a_moderator_stop_at_once_and_nobody_owes(
    house: Offline, people: People, refused: type[Refused]
):
    for user, moderator in ((1, False), (99, True)):
        table = await house.in_play(*people[:2])
        seen = house.known[table].revision
        snapshot = await house.tables.play.stop(house.by(user, table, moderator=moderator))
        assert await house.tables.play.hand_since(table, 2, seen), "open hands lose their buttons"
        assert (snapshot.table.status, snapshot.debt) == ("stopped", None)
        assert seal(bytes.fromhex(snapshot.table.secret)) == snapshot.table.seal
        with refused(Decline.NOT_PLAYING):
            await house.tables.play.stop(house.by(user, table, moderator=moderator))
    assert await open_debts(house.store, 900) == []


async def test_a_game_that_is_stopped_while_it_is_paused_is_not_paused_any_more(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.tables.timekeeping.pause(table, paused=True)
    stopped = (await house.tables.play.stop(house.by(1, table))).table
    assert not stopped.paused
    asking = (await house.tables.play.rematch(house.by(1, table))).table
    assert (asking.status, asking.paused) == ("lobby", False)


async def test_a_result_is_stored_with_the_variant_that_was_played(house: Offline, people: People):
    table = await house.game(*people[:2], variant="karma")
    await house.finish(table)
    assert (await house.result(table)).variant == "karma"


async def test_others_need_a_majority_to_stop(house: Offline, people: People, refused: type[Refused]):
    table = await house.in_play(*people, computers=1)
    with refused(Decline.NOT_SEATED):
        await house.tables.play.stop(house.by(99, table))
    for voter, status in ((2, "playing"), (3, "playing"), (4, "stopped")):
        snapshot = await house.tables.play.stop(house.by(voter, table))
        assert snapshot.table.status == status
        if status == "playing":
            with refused(Decline.ALREADY_VOTED):
                await house.tables.play.stop(house.by(voter, table))


async def test_a_vote_can_be_taken_back_once_and_only_by_its_voter(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.in_play(*people)
    for voter in (2, 3):
        await house.tables.play.stop(house.by(voter, table))
    snapshot = await house.tables.play.unvote(house.by(2, table))
    assert [player.wants_stop for player in snapshot.table.players] == [False, False, True, False]
    for nobody in (2, 4, 99):
        with refused(Decline.ALREADY_SO):
            await house.tables.play.unvote(house.by(nobody, table))
    assert (await house.tables.play.stop(house.by(4, table))).table.status == "playing", "two of four are not enough"
    assert (await house.tables.play.stop(house.by(2, table))).table.status == "stopped"
    with refused(Decline.NOT_PLAYING):
        await house.tables.play.unvote(house.by(3, table))


async def test_the_vote_of_a_person_who_leaves_no_longer_counts(house: Offline, people: People):
    table = await house.in_play(*people)
    for voter in (2, 3):
        snapshot = await house.tables.play.stop(house.by(voter, table))
    assert snapshot.table.stop_votes == 2
    snapshot = await house.tables.lobby.leave(house.by(2, table))
    assert [player.wants_stop for player in snapshot.table.players] == [False, False, True, False]
    snapshot = await house.tables.play.stop(house.by(4, table))
    assert (snapshot.table.status, snapshot.table.stop_votes) == ("stopped", 2)


async def test_votes_to_stop_do_not_count_in_the_next_game(house: Offline, people: People):
    table = await house.in_play(*people)
    for voter in (2, 3, 4):
        snapshot = await house.tables.play.stop(house.by(voter, table))
    assert (snapshot.table.status, snapshot.table.stop_votes) == ("stopped", 3)
    snapshot = await house.again(table, 1)
    assert (snapshot.table.status, snapshot.table.stop_votes) == ("playing", 0)
    assert (await house.tables.play.stop(house.by(2, table))).table.status == "playing"


async def test_others_can_have_a_turn_played_only_when_its_time_is_up(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.in_play(*people[:2])
    user, other = await on_turn(house, table)
    with refused(Decline.NOT_YET):
        await house.tables.play.play_for(house.by(other, table))
    house.time.pass_by(minutes=3)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).table.overdue
    with refused(Decline.NOT_YET):
        await house.tables.play.play_for(house.by(user, table))
    with refused(Decline.NOT_SEATED):
        await house.tables.play.play_for(house.by(99, table))
    moves = (await house.tables.snapshot(table)).moves
    snapshot = (await house.tables.play.play_for(house.by(other, table))).snapshot
    assert (snapshot.moves, snapshot.table.overdue) == (moves + 1, False)
    assert [by for _, by in snapshot.played_for] == [snapshot.table.seat_of(other), None], "played and drawn"
    assert not any(player.away for player in snapshot.table.players)


async def test_after_the_grace_the_turn_is_played_and_the_player_is_away_until_a_click(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    begun = (await house.tables.snapshot(table)).moves
    user, _ = await on_turn(house, table)
    for moves in range(2):
        house.time.pass_by(minutes=3)
        await house.tables.timekeeping.time_up(table)
        house.time.pass_by(seconds=59)
        await house.tables.timekeeping.time_up(table)
        assert (await house.tables.snapshot(table)).moves == begun + moves
        house.time.pass_by(seconds=1)
        await house.tables.timekeeping.time_up(table)
    snapshot = await house.tables.snapshot(table)
    assert snapshot.table.players[not_none(snapshot.table.seat_of(user))].away
    before = snapshot.table.revision
    await house.tables.play.hand(house.by(user, table))
    snapshot = await house.tables.snapshot(table)
    assert not snapshot.table.players[not_none(snapshot.table.seat_of(user))].away
    assert snapshot.table.revision == before + 1


async def test_a_player_who_comes_back_in_their_own_turn_gets_its_full_time(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    user, other = await on_turn(house, table)
    await run_out(house, table)
    while (await on_turn(house, table))[0] != user:
        await house.choose(table, other)
    house.time.pass_by(seconds=30)
    await house.tables.play.hand(house.by(user, table))
    found = (await house.tables.snapshot(table)).table
    assert found.deadline - house.time() == timedelta(minutes=3)
    assert (found.turn_since, found.nudged, found.overdue) == (house.time(), False, False)


async def test_a_player_who_comes_back_in_another_turn_does_not_extend_it(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    user, _ = await on_turn(house, table)
    await run_out(house, table)
    assert (await on_turn(house, table))[0] != user
    before = (await house.tables.snapshot(table)).table
    house.time.pass_by(seconds=30)
    await house.tables.play.hand(house.by(user, table))
    assert (await house.tables.snapshot(table)).table.deadline == before.deadline


async def test_an_away_player_is_played_at_once(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    user, _ = await on_turn(house, table)
    house.time.pass_by(minutes=3)
    await house.tables.timekeeping.time_up(table)
    house.time.pass_by(minutes=1)
    await house.tables.timekeeping.time_up(table)
    turns = 0
    for _ in range(40):
        snapshot = await house.tables.snapshot(table)
        if snapshot.table.status != "playing":
            break
        seat = snapshot.table.players[not_none(snapshot.view.turn)]
        if seat.user_id == user:
            assert house.heard[-1].due == "away"
            assert await house.tables.timekeeping.computer_turn(table)
            turns += 1
        else:
            assert not await house.tables.timekeeping.computer_turn(table)
            await house.choose(table, seat.user_id)
    assert turns > 1


@pytest.mark.parametrize("click", ["own turn", "turn of another", "left and came back"])
async def test_an_away_player_who_clicks_is_back(house: Offline, people: People, click):
    table = await house.in_play(*people[:2])
    away, other = await on_turn(house, table)
    await run_out(house, table)
    while ((await on_turn(house, table))[0] == away) is not (click == "own turn"):
        await (house.choose(table, other) if click == "own turn" else house.tables.timekeeping.computer_turn(table))
    seat = not_none(house.known[table].seat_of(away))
    assert house.known[table].players[seat].away
    match click:
        case "own turn":
            await house.act(table, away, house.loaded(table).hand(seat).view.moves[0])
        case "turn of another":
            house.time.pass_by(minutes=3)
            await house.tables.play.play_for(house.by(away, table))
        case _:
            await house.tables.lobby.leave(house.by(away, table))
            await house.tables.play.take_back(house.by(away, table))
    assert not house.known[table].players[seat].away


async def test_an_away_player_who_looks_at_the_end_of_the_game_changes_nothing(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    away, _ = await on_turn(house, table)
    await run_out(house, table)
    ended = (await house.tables.play.stop(house.by(people[0], table))).table
    assert ended.players[not_none(ended.seat_of(away))].away
    assert (await house.hand(table, away)).snapshot.table == ended


async def test_f46_a_game_at_which_nobody_clicks_is_aborted_after_a_quarter_of_an_hour(house: Offline, people: People):
    table = await house.in_play(people[0], computers=1)
    while (await on_turn_or_none(house, table)) != 1:
        await house.tables.timekeeping.computer_turn(table)
    await run_out(house, table)
    assert house.heard[-1].due is None
    assert not await house.tables.timekeeping.computer_turn(table)
    house.time.pass_by(minutes=14)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).table.status == "playing"
    house.time.pass_by(minutes=1)
    await house.tables.timekeeping.time_up(table)
    snapshot = await house.tables.snapshot(table)
    assert (snapshot.table.status, await house.result(table)) == ("aborted", None)


async def test_f46_a_person_who_comes_back_in_time_plays_on(house: Offline, people: People):
    table = await house.in_play(people[0], computers=1)
    while (await on_turn_or_none(house, table)) != 1:
        await house.tables.timekeeping.computer_turn(table)
    for minutes in (3, 1, 14):
        house.time.pass_by(minutes=minutes)
        await house.tables.timekeeping.time_up(table)
    await house.tables.play.hand(house.by(1, table))
    house.time.pass_by(minutes=2)
    await house.tables.timekeeping.time_up(table)
    assert (await house.finish(table)).table.status == "over"


async def test_f46_the_clock_of_an_abandoned_game_runs_again_for_whoever_is_back_although_not_on_turn(
    house: Offline, people: People
):
    table = await house.in_play(*people[:2])
    while not (await house.tables.snapshot(table)).table.is_abandoned:
        house.time.pass_by(minutes=4)
        await house.tables.timekeeping.time_up(table)
    on_turn = not_none(await on_turn_or_none(house, table))
    await house.tables.play.hand(house.by(3 - on_turn, table))
    back = (await house.tables.snapshot(table)).table
    assert (back.is_abandoned, back.deadline) == (False, house.time() + timedelta(minutes=3))


async def test_f46_the_clock_of_an_abandoned_game_runs_again_for_whoever_swaps_in_a_hand_left_open(
    house: Offline, people: People
):
    table = await house.game(*people[:2])
    while not (await house.tables.snapshot(table)).table.is_abandoned:
        house.time.pass_by(minutes=4)
        await house.tables.timekeeping.time_up(table)
    (seat,) = house.loaded(table).waiting()
    view = house.loaded(table).hand(seat).view
    await house.act(table, seat + 1, Swap(view.hand[0], view.up[0][0]))
    back = house.known[table]
    assert (back.is_abandoned, back.deadline) == (False, house.time() + timedelta(minutes=5))


async def test_f46_the_clock_of_an_abandoned_game_runs_again_for_whoever_takes_their_seat_back(
    house: Offline, people: People
):
    table = await house.in_play(*people[:2])
    away = not_none(await on_turn_or_none(house, table))
    while await on_turn_or_none(house, table) == away:
        house.time.pass_by(minutes=4)
        await house.tables.timekeeping.time_up(table)
    await house.tables.lobby.leave(house.by(3 - away, table))
    assert (await house.tables.snapshot(table)).table.is_abandoned
    house.time.pass_by(minutes=4)
    back = (await house.tables.play.take_back(house.by(3 - away, table))).snapshot.table
    assert (back.is_abandoned, back.deadline) == (False, house.time() + timedelta(minutes=3))


async def on_turn_or_none(house: Offline, table):
    snapshot = await house.tables.snapshot(table)
    return snapshot.table.players[not_none(snapshot.view.turn)].user_id


async def test_players_who_are_not_ready_in_time_are_made_ready(house: Offline, people: People):
    table = await house.game(*people[:3])
    await house.act(table, 1, Ready())
    before = {user: (await house.tables.play.hand(house.by(user, table))).view.hand for user in (2, 3)}
    house.time.pass_by(minutes=5)
    await house.tables.timekeeping.time_up(table)
    house.time.pass_by(minutes=1)
    await house.tables.timekeeping.time_up(table)
    await house.tables.timekeeping.time_up(table)
    snapshot = await house.tables.snapshot(table)
    assert snapshot.view.phase != "exchange"
    assert [player.away for player in snapshot.table.players] == [False, True, True]
    for user, hand in before.items():
        assert (await house.tables.play.hand(house.by(user, table))).view.hand == hand


async def test_a_game_starts_even_if_nobody_calls(house: Offline, people: People):
    for channel in range(30):
        table = await house.game(*people[:2], channel=channel)
        await house.ready(table)
        if (await house.tables.snapshot(table)).view.phase == "call":
            house.time.pass_by(seconds=45)
            await house.tables.timekeeping.time_up(table)
            assert (await house.tables.snapshot(table)).view.phase == "play"
            return
        await house.tables.play.stop(house.by(1, table))
    pytest.fail("no deal asked for a call")


async def test_recent_events_hold_nothing_hidden(house: Offline, people: People):
    table, drawn = await house.game(*people[:2]), []
    snapshot = await house.tables.snapshot(table)
    while await house.step(table):
        snapshot = await house.tables.snapshot(table)
        assert len(snapshot.recent) <= RECENT
        drawn += [event for event in snapshot.recent if event.name == "drew"]
    assert len(snapshot.recent) == RECENT
    assert sum(event.count for event in drawn) > 20
    assert [event.cards for event in drawn if event.cards] == []


async def test_moving_the_table_down_is_published_and_changes_nothing(house: Offline, people: People):
    table = await house.lobby(people[0])
    snapshot = await house.tables.play.move_to_bottom(house.by(99, table))
    assert house.heard[-1].bottom
    assert await house.tables.snapshot(table) == snapshot


async def test_a_table_that_was_posted_just_now_is_not_posted_again(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(people[0])
    await house.tables.timekeeping.place(table, message_id=55)
    house.time.pass_by(seconds=29)
    with refused(Decline.JUST_POSTED) as no:
        await house.tables.play.move_to_bottom(house.by(people[1], table))
    assert (no.declined.table_id, house.heard[-1].bottom) == (table, False)
    house.time.pass_by(seconds=1)
    await house.tables.play.move_to_bottom(house.by(people[1], table))
    assert house.heard[-1].bottom


async def test_a_table_is_posted_again_if_its_message_seems_to_be_from_the_future(house: Offline, people: People):
    """As after the machine's clock was set back."""
    table = await house.lobby(people[0])
    await house.tables.timekeeping.place(table, message_id=55)
    house.time.pass_by(days=-2)
    await house.tables.play.move_to_bottom(house.by(people[1], table))
    assert house.heard[-1].bottom


async def test_the_place_of_the_message_is_stored(house: Offline, people: People):
    table = await house.lobby(people[0])
    await house.tables.timekeeping.place(table, message_id=55)
    assert (await house.tables.snapshot(table)).table.message_id == 55
    assert (await house.another().snapshot(table)).table == (await house.tables.snapshot(table)).table


async def test_f34_a_move_that_cannot_be_stored_is_declined_and_changes_nothing(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.in_play(*people[:2])
    user, _ = await on_turn(house, table)
    before = await house.tables.play.hand(house.by(user, table))
    impatient = await Store.open(house.url, busy_seconds=0.01)
    tables = house.another(impatient)
    with held(file_of(house.store.database)):
        with refused(Decline.SAVING_FAILED):
            await house.choose(table, user, tables)
        assert await tables.play.hand(house.by(user, table)) == before
    await house.choose(table, user, tables)
    await impatient.close()


def test_the_repr_of_a_move_names_no_card():
    assert repr(Play((20, 21))) == "Play(2 cards)"
    printed, _, _ = repr(Swap(20, 21)).partition(" at 0x")
    assert not any(map(str.isdigit, printed))


async def test_only_the_clock_can_end_the_call(house: Offline, people: People):
    for _ in range(20):
        table = await house.game(*people[:2])
        await house.ready(table)
        before = await house.tables.snapshot(table)
        if before.view.phase == "call":
            break
        await house.tables.servers.channel_gone(GUILD, CHANNEL)
    else:
        pytest.fail("no deal asked for a call")
    for person in people[:2]:
        with pytest.raises(IllegalMove, match="not-allowed"):
            await house.act(table, person.id, Timeout())
    assert await house.tables.snapshot(table) == before
    house.time.pass_by(seconds=46)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).view.phase == "play"


async def test_the_time_of_posting_is_recorded_only_for_a_posted_message(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    posted = house.time.at
    for minutes, message, since in ((0, 55, 0), (1, -1, 0), (2, None, 0), (3, 1, 3), (4, 77, 4)):
        house.time.at = posted + timedelta(minutes=minutes)
        await house.tables.timekeeping.place(table, message_id=message)
        found = (await house.tables.snapshot(table)).table
        assert (found.message_id, found.placed_at) == (message, posted + timedelta(minutes=since))


async def test_a_turn_goes_on_when_somebody_leaves_and_others_are_there(house: Offline, people: People):
    ann, bob, cy = people[:3]
    table = await house.in_play(ann, bob, cy)
    before = house.known[table]
    house.time.pass_by(seconds=20)
    waiting = [who for who in (ann, bob, cy) if before.seat_of(who.id) != house.loaded(table).state.turn]
    for who in waiting:
        await house.tables.lobby.leave(house.by(who, table))
        found = house.known[table]
        assert (found.status, found.deadline, found.overdue) == ("playing", before.deadline, False)


async def test_a_ready_player_can_have_the_others_reminded_once_and_not_later(
    house: Offline, people: People, refused: type[Refused]
):
    ann, bob = people[:2]
    table = await house.game(ann, bob)
    with refused(Decline.ALREADY_SO):
        await house.tables.play.remind(house.by(ann, table))
    await house.act(table, ann.id, Ready())
    await house.tables.play.remind(house.by(ann, table))
    after = house.known[table]
    assert after.nudged
    await house.tables.play.remind(house.by(ann, table))
    assert house.known[table] is after, "nothing has changed"
    await house.ready(table)
    while (await house.tables.snapshot(table)).view.phase != "play":
        await house.step(table)
    assert not house.known[table].nudged
    for who in (ann, bob):
        with refused(Decline.ALREADY_SO):
            await house.tables.play.remind(house.by(who, table))


async def test_a_reminder_that_a_player_asks_for_replaces_one_left_from_an_earlier_turn(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.act(table, people[0].id, Ready())
    await house.tables.timekeeping.place(table, nudge_id=77)
    await house.tables.play.remind(house.by(people[0], table))
    assert house.known[table].nudge_id == held_by(77)


async def test_a_process_that_knows_an_older_state_of_a_table_reads_it_again(house: Offline, people: People):
    table, other = await house.lobby(people[0]), house.another()
    await other.snapshot(table)
    await house.tables.lobby.join(house.by(people[1], table))
    await other.lobby.join(house.by(people[2], table))
    assert [each.user_id for each in (await other.snapshot(table)).table.players] == [each.id for each in people[:3]]
