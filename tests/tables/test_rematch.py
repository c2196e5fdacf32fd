"""A rematch is offered to all players; those who say yes in time are dealt to, and nobody else."""

import asyncio
import random
from collections.abc import Sequence
from datetime import timedelta

import pytest

from data.guild_models import GuildSettings
from data.models import Match, Person, Table
from game.fairness import seal
from game.rules import Rules
from tables.loaded import LoadedTable, NewGame, Transition
from tables.rematch import decide_say_no, decide_start, decide_time_to_answer_up
from tables.snapshots import Decline, Request, TableSnapshot
from tables.timing import LOBBY
from testkit.found import instance_of, not_none
from testkit.made import START, made_table
from testkit.offline import GUILD, Offline, People, Refused
from testkit.waiting import HANG

MINUTE = timedelta(minutes=1)


async def asked(house: Offline, *people, by=1, **options):
    """A rematch that one of these people asked for: its table id, the end of the game before, and its lobby."""
    table = await house.game(*people, **options)
    over = await house.finish(table)
    return table, over, (await house.tables.play.rematch(house.by(by, table))).table


def who(table: Table):
    return [player.user_id for player in table.players]


async def test_a_rematch_deals_nothing_before_the_others_have_said_yes(house: Offline, people: People):
    table, over, lobby = await asked(house, *people[:3], computers=1, by=2)
    assert (lobby.status, lobby.host_id, lobby.game) == ("lobby", 2, 2)
    assert [player.user_id for player in lobby.seated] == [2, None]
    assert [player.user_id for player in lobby.unanswered] == [1, 3]
    assert lobby.deadline == house.time() + MINUTE
    assert (await house.tables.snapshot(table)).moves == 0
    one = await house.tables.lobby.join(house.by(3, table))
    assert (one.table.status, one.table.deadline) == ("lobby", lobby.deadline)
    both = await house.tables.lobby.join(house.by(1, table))
    assert both.table.status == "playing"
    assert who(both.table) == who(over.table)
    assert both.table.dealer == over.view.shithead


async def test_a_rematch_at_a_table_whose_number_belongs_to_no_table_holds_up_nobody_in_the_server(
    house: Offline, people: People, refused: type[Refused]
):
    async with asyncio.timeout(HANG):
        with refused(Decline.UNKNOWN_TABLE):
            await house.tables.play.rematch(house.by(1, -GUILD))
        assert await house.lobby(people[0])


@pytest.mark.parametrize("together", [1, 2])
async def test_the_result_stays_readable_and_the_next_game_is_posted_below_it(house: Offline, people: People, together):
    table = await house.game(*people[:together], computers=2)
    await house.finish(table)
    await house.tables.timekeeping.place(table, message_id=55)
    again = (await house.tables.play.rematch(house.by(1, table))).table
    assert again.message_id is None


async def test_a_game_or_a_rematch_that_is_stopped_right_after_it_was_posted_is_not_begun_anew_at_once(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:2])
    for message_id in (55, 56):  # of the game, then of its rematch
        await house.tables.timekeeping.place(table, message_id=message_id)
        await house.tables.play.stop(house.by(1, table))
        house.time.pass_by(seconds=29)
        with refused(Decline.JUST_POSTED):
            await house.tables.play.rematch(house.by(1, table))
        house.time.pass_by(seconds=1)
        assert (await house.tables.play.rematch(house.by(1, table))).table.status == "lobby"


async def test_a_no_counts_where_those_who_are_in_would_get_too_many_cards_for_the_pack(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:4])
    rules = Rules().changed_with({"seats": [2, 4], "deal": {"by_seats": {3: 6}}})
    await house.tables.lobby.change(house.by(1, table), rules=rules)
    await house.tables.play.start(house.by(1, table))
    await house.finish(table)
    await house.tables.play.rematch(house.by(1, table))
    for user in (2, 3):
        await house.tables.lobby.join(house.by(user, table))
    waiting = (await house.tables.lobby.say_no(house.by(4, table))).table
    assert (waiting.status, waiting.unanswered) == ("lobby", ())
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    with refused(Decline.TOO_FEW):
        await house.tables.play.start(house.by(1, table))
    await house.tables.lobby.add_computer(house.by(1, table))
    assert (await house.tables.play.start(house.by(1, table))).snapshot.table.status == "playing"


async def test_a_pause_gives_a_rematch_its_time_again_and_does_not_end_it(house: Offline, people: People):
    table, _, lobby = await asked(house, *people[:3])
    await house.tables.timekeeping.pause(table, paused=True)
    house.time.pass_by(seconds=600)
    await house.tables.timekeeping.pause(table, paused=False)
    back = (await house.tables.snapshot(table)).table
    assert not back.paused
    assert [player.user_id for player in back.unanswered] == [player.user_id for player in lobby.unanswered]
    assert back.deadline == house.time() + MINUTE
    yes, no = (player.user_id for player in back.unanswered)
    await house.tables.lobby.join(house.by(yes, table))
    dealt = await house.tables.lobby.say_no(house.by(no, table))
    assert dealt.table.status == "playing"


@pytest.mark.parametrize("loser_plays", [True, False])
async def test_when_time_is_up_the_game_is_dealt_to_those_who_said_yes(house: Offline, people: People, loser_plays):
    table, over, lobby = await asked(house, *people[:3])
    loser = over.table.players[not_none(over.view.shithead)].user_id
    (yes,) = (player.user_id for player in lobby.unanswered if (player.user_id == loser) is loser_plays)
    await house.tables.lobby.join(house.by(yes, table))
    house.time.pass_by(seconds=MINUTE.total_seconds() - 1)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).table.status == "lobby"
    house.time.pass_by(seconds=1)
    await house.tables.timekeeping.time_up(table)
    again = (await house.tables.snapshot(table)).table
    assert (again.status, who(again)) == ("playing", sorted([1, yes]))
    if loser_plays:
        assert again.dealer == again.last_shithead == again.seat_of(loser)
    else:
        assert again.last_shithead is None


async def test_if_the_loser_says_no_the_next_player_deals(house: Offline, people: People):
    table, over, _ = await asked(house, *people[:4], variant="karma")
    loser, after_loser = (over.table.players[over.view.shithead + more].user_id for more in range(2))
    for yes in {2, 3, 4} - {loser}:
        await house.tables.lobby.join(house.by(yes, table))
    dealt = (await house.tables.lobby.say_no(house.by(loser, table))).table
    assert dealt.status == "playing"
    assert who(dealt)[not_none(dealt.dealer)] == after_loser != who(dealt)[0]


async def test_a_rematch_that_nobody_else_wants_becomes_a_lobby_open_to_all(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:2])
    house.time.pass_by(seconds=MINUTE.total_seconds())
    await house.tables.timekeeping.time_up(table)
    lobby = (await house.tables.snapshot(table)).table
    assert (lobby.status, lobby.unanswered, lobby.deadline) == ("lobby", (), house.time() + LOBBY)
    await house.tables.lobby.join(house.by(4, table))
    await house.tables.lobby.join(house.by(2, table))
    dealt = (await house.tables.play.start(house.by(1, table))).snapshot.table
    assert who(dealt) == [1, 2, 4]


async def test_once_too_few_wanted_a_rematch_nobody_is_asked_on_an_open_hand_any_more(house: Offline, people: People):
    table, _, lobby = await asked(house, *people[:2])
    assert await house.tables.play.hand_since(table, 2, lobby.revision) is None, "the question is up to date"
    house.time.pass_by(seconds=MINUTE.total_seconds())
    await house.tables.timekeeping.time_up(table)
    shown = await house.tables.play.hand_since(table, 2, lobby.revision)
    assert not instance_of(TableSnapshot, shown).table.is_rematch_pending


async def test_a_rematch_that_no_other_person_wants_is_not_dealt_to_computers_alone(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:3], computers=1)
    house.time.pass_by(seconds=MINUTE.total_seconds())
    await house.tables.timekeeping.time_up(table)
    lobby = (await house.tables.snapshot(table)).table
    assert (lobby.status, who(lobby)) == ("lobby", [1, 2, 3, None])
    assert [player.user_id for player in lobby.seated] == [1, None]
    dealt = (await house.tables.play.start(house.by(1, table))).snapshot.table
    assert who(dealt) == [1, None], "the host may want just that"


@pytest.mark.parametrize(("pace", "stretch", "seconds"), [("quick", 1, 30), ("normal", 2, 120), ("slow", 1, 900)])
async def test_the_time_to_answer_a_rematch_follows_the_pace(house: Offline, people: People, pace, stretch, seconds):
    table = await house.lobby(*people[:2])
    await house.tables.lobby.change(house.by(1, table), pace=pace, stretch=stretch)
    await house.tables.play.start(house.by(1, table))
    await house.finish(table)
    lobby = (await house.tables.play.rematch(house.by(1, table))).table
    assert lobby.deadline == house.time() + timedelta(seconds=seconds)


async def test_a_rematch_against_computers_alone_is_dealt_at_once(house: Offline, people: People):
    _, _, again = await asked(house, people[0], computers=2)
    assert again.status == "playing"


async def test_a_rematch_does_not_wait_for_a_person_who_left_the_game(house: Offline, people: People):
    table = await house.game(*people[:3])
    await house.tables.lobby.leave(house.by(3, table))
    await house.finish(table)
    await house.tables.play.rematch(house.by(1, table))
    assert (await house.tables.lobby.join(house.by(2, table))).table.status == "playing"


async def test_the_host_of_a_rematch_need_not_wait(house: Offline, people: People, refused: type[Refused]):
    table, _, _ = await asked(house, *people[:3])
    with refused(Decline.TOO_FEW):
        await house.tables.play.start(house.by(1, table))
    await house.tables.lobby.join(house.by(3, table))
    assert who((await house.tables.play.start(house.by(1, table))).snapshot.table) == [1, 3]


async def test_a_host_who_left_the_last_game_may_ask_for_a_rematch(house: Offline, people: People):
    table = await house.game(*people[:3])
    await house.tables.lobby.leave(house.by(1, table))
    await house.finish(table)
    lobby = (await house.tables.play.rematch(house.by(1, table))).table
    assert (lobby.status, lobby.host_id, [each.user_id for each in lobby.seated]) == ("lobby", 1, [1])
    assert {each.user_id for each in lobby.unanswered} == {2, 3}


@pytest.mark.parametrize("away", ["leave", "kick"])
async def test_a_person_who_takes_back_a_yes_is_not_dealt_to(house: Offline, people: People, away):
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.join(house.by(2, table))
    if away == "leave":
        await house.tables.lobby.leave(house.by(2, table))
    else:
        await house.tables.lobby.remove_person(house.by(1, table), 2)
    lobby = (await house.tables.snapshot(table)).table
    assert [player.user_id for player in lobby.unanswered] == [3]
    dealt = (await house.another().lobby.join(house.by(3, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 3])


async def test_the_last_answer_deals_also_if_it_is_a_no(house: Offline, people: People):
    table, _, lobby = await asked(house, *people[:3])
    no = (await house.tables.lobby.say_no(house.by(2, table))).table
    assert (no.status, no.deadline) == ("lobby", lobby.deadline)
    assert [player.user_id for player in no.unanswered] == [3]
    assert no.players[1].away
    dealt = (await house.tables.lobby.join(house.by(3, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 3])


async def test_with_a_computer_in_place_of_whoever_said_no_the_rematch_is_dealt_when_the_time_is_up(
    house: Offline, people: People
):
    table, _, _ = await asked(house, *people[:2])
    await house.tables.lobby.say_no(house.by(2, table))
    await house.tables.lobby.add_computer(house.by(1, table))
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    dealt = (await house.tables.snapshot(table)).table
    assert (dealt.status, who(dealt)) == ("playing", [1, None])


async def test_a_no_after_all_others_have_said_yes_deals_to_them(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.join(house.by(2, table))
    dealt = (await house.another().lobby.say_no(house.by(3, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 2])


async def test_a_no_that_leaves_too_few_deals_nothing_until_somebody_joins(house: Offline, people: People):
    table, _, lobby = await asked(house, *people[:2])
    no = (await house.tables.lobby.say_no(house.by(2, table))).table
    assert (no.status, no.unanswered, no.deadline) == ("lobby", (), lobby.deadline)
    dealt = (await house.tables.lobby.join(house.by(4, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 4])


async def test_saying_no_after_a_yes_takes_it_back(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.join(house.by(2, table))
    no = (await house.tables.lobby.say_no(house.by(2, table))).table
    assert [player.user_id for player in no.seated] == [1]
    assert [player.user_id for player in no.unanswered] == [3]


async def test_somebody_who_asked_for_a_rematch_and_says_no_hands_it_on_but_never_closes_it(
    house: Offline, people: People, refused: type[Refused]
):
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.join(house.by(2, table))
    no = (await house.tables.lobby.say_no(house.by(1, table))).table
    assert (no.status, no.host_id) == ("lobby", 2)
    with refused(Decline.ALREADY_SEATED):
        await house.tables.lobby.say_no(house.by(2, table))
    assert (await house.tables.snapshot(table)).table.status == "lobby"


async def test_whoever_is_still_asked_sees_when_the_one_who_asked_has_left(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:3])
    seen = (await house.tables.lobby.join(house.by(2, table))).table.revision
    await house.tables.lobby.leave(house.by(1, table))
    shown = await house.tables.play.hand_since(table, 3, seen)
    assert instance_of(TableSnapshot, shown).table.host_id == 2


async def test_saying_no_twice_changes_nothing(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:3])
    once = (await house.tables.lobby.say_no(house.by(2, table))).table
    assert (await house.tables.lobby.say_no(house.by(2, table))).table == once


async def test_only_somebody_who_was_asked_can_say_no(house: Offline, people: People, refused: type[Refused]):
    table, _, _ = await asked(house, *people[:3])
    with refused(Decline.NOT_SEATED):
        await house.tables.lobby.say_no(house.by(4, table))
    await house.tables.lobby.join(house.by(2, table))
    await house.tables.lobby.remove_person(house.by(1, table), 2)
    with refused(Decline.REMOVED):
        await house.tables.lobby.say_no(house.by(2, table))
    assert [player.user_id for player in (await house.tables.snapshot(table)).table.unanswered] == [3]


async def test_a_removed_person_with_an_old_button_for_their_seat_reads_that_they_were_removed(
    house: Offline, people: People, refused: type[Refused]
):
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.join(house.by(2, table))
    await house.tables.lobby.remove_person(house.by(1, table), 2)
    with refused(Decline.REMOVED):
        await house.tables.play.take_back(house.by(2, table))


async def test_a_no_after_the_deal_or_to_a_closed_table_is_declined(
    house: Offline, people: People, refused: type[Refused]
):
    table, _, _ = await asked(house, *people[:2])
    await house.tables.lobby.join(house.by(2, table))
    with refused(Decline.NOT_A_LOBBY):
        await house.tables.lobby.say_no(house.by(2, table))
    assert (await house.tables.snapshot(table)).table.seat_of(2) == 1
    other, _, _ = await asked(house, *people[:2], channel=8)
    await house.tables.play.stop(house.by(1, other))
    with refused(Decline.UNKNOWN_TABLE):
        await house.tables.lobby.say_no(house.by(2, other))


async def test_people_who_were_not_in_time_can_still_say_no(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:2])
    house.time.pass_by(seconds=MINUTE.total_seconds())
    await house.tables.timekeeping.time_up(table)
    lobby = (await house.tables.lobby.say_no(house.by(2, table))).table
    assert (lobby.status, lobby.players[1].has_not_answered) == ("lobby", False)


def test_who_said_no_is_decided_from_the_table_alone():
    lobby = made_table(None, 3, status="lobby", game=2, turn_since=START)
    asking = lobby.with_player(1, left=True).with_player(2, left=True)
    request = Request(9, Person(id=101, name="Bob"), lobby.guild_id, lobby.channel_id, lobby.id)
    loaded = LoadedTable(asking, GuildSettings(guild_id=1), "00" * 32)
    after = instance_of(Transition, decide_say_no(loaded, request, START, random.Random(1))).after
    assert after.table == asking.but(revision=asking.revision + 1).with_player(1, away=True)
    assert after.hands_revision == after.table.revision, "hands that ask are redrawn"
    assert decide_say_no(after, request, START, random.Random(1)) is None


@pytest.mark.parametrize(("out", "dealer", "winner", "shithead"), [(0, 1, 2, 1), (2, 2, 2, None), (3, 2, None, 2)])
def test_winner_and_loser_stay_who_they_were_where_somebody_else_says_no(out, dealer, winner, shithead):
    lobby = made_table(None, 4, status="lobby", game=2, turn_since=START, dealer=2, last_winner=3, last_shithead=2)
    loaded = LoadedTable(lobby.with_player(out, left=True), GuildSettings(guild_id=1), "00" * 32)
    dealt = instance_of(NewGame, decide_time_to_answer_up(loaded, START)).table
    assert [player.user_id for player in dealt.players] == [100 + seat for seat in range(4) if seat != out]
    assert (dealt.dealer, dealt.last_winner, dealt.last_shithead) == (dealer, winner, shithead)


def test_rules_that_cannot_be_played_any_more_are_not_dealt_but_leave_a_lobby_in_which_to_choose_others(
    refused: type[Refused],
):
    """As an update may leave them behind, if its rules exclude each other that could be combined before."""
    clashing = Rules().changed_with({"deal": {"method": "choose"}, "start": {"by": "thrown"}})
    asking = made_table(clashing, 2, status="lobby", game=2, turn_since=START)
    loaded = LoadedTable(asking, GuildSettings(guild_id=1), "00" * 32)
    after = instance_of(Transition, decide_time_to_answer_up(loaded, START)).after
    assert (after.table.status, after.table.is_rematch_pending) == ("lobby", False)
    request = Request(9, Person(id=asking.host_id, name="Ann"), asking.guild_id, asking.channel_id, asking.id)
    with refused(Decline.CLASHING_RULES):
        decide_start(after, request, START, random.Random(1))


@pytest.mark.parametrize("before", [["say_no"], ["join", "leave", "join", "leave"]])
async def test_a_person_who_said_no_or_took_back_a_yes_may_say_yes(house: Offline, people: People, before):
    table, _, _ = await asked(house, *people[:3])
    for answer in before:
        await getattr(house.tables.lobby, answer)(house.by(2, table))
    await house.tables.lobby.join(house.by(2, table))
    dealt = (await house.tables.lobby.join(house.by(3, table))).table
    assert (dealt.status, who(dealt), [each.away for each in dealt.players]) == ("playing", [1, 2, 3], [False] * 3)


async def test_a_rematch_does_not_wait_for_a_newcomer_who_left_again(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:2])
    await house.tables.lobby.join(house.by(4, table))
    lobby = (await house.tables.lobby.leave(house.by(4, table))).table
    assert [player.user_id for player in lobby.unanswered] == [2]
    dealt = (await house.tables.lobby.join(house.by(2, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 2])


async def test_a_computer_that_is_added_again_takes_the_seat_of_one_that_was_removed(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.tables.play.rematch(house.by(1, table))
    for _ in range(5):
        await house.tables.lobby.add_computer(house.by(1, table), "strong")
        await house.tables.lobby.remove_computer(house.by(1, table))
    lobby = await house.tables.lobby.add_computer(house.by(1, table))
    assert [(each.is_computer, each.left, each.level) for each in lobby.table.players[2:]] == [(True, False, None)]


async def test_a_computer_that_takes_a_removed_seat_leaves_everybody_else_where_they_are(
    house: Offline, people: People
):
    table = await house.game(people[0], people[1], computers=2)
    await house.finish(table)
    await house.tables.play.rematch(house.by(1, table))
    before = (await house.tables.snapshot(table)).table
    for _ in range(2):
        await house.tables.lobby.remove_computer(house.by(1, table))
    after = (await house.tables.lobby.add_computer(house.by(1, table))).table
    seats = {2, 3} - {before.last_winner, before.last_shithead}
    assert seats, "the seed decides"
    assert [seat for seat, player in enumerate(after.players) if seat > 1 and not player.left] == [max(seats)]
    assert len(after.players) == len(before.players)


async def test_a_new_computer_takes_neither_the_seat_of_the_loser_nor_of_the_winner(house: Offline, people: People):
    table = await house.game(people[0], people[1], computers=1)
    await house.finish(table)
    await house.tables.play.rematch(house.by(1, table))
    lobby = (await house.tables.snapshot(table)).table
    assert 2 in {lobby.last_winner, lobby.last_shithead}, "the seed decides"
    await house.tables.lobby.remove_computer(house.by(1, table))
    after = await house.tables.lobby.add_computer(house.by(1, table))
    assert [each.left for each in after.table.players] == [False, True, True, False]


async def test_a_rematch_survives_a_restart_while_others_are_asked(house: Offline, people: People):
    table, over, lobby = await asked(house, *people[:3])
    tables = house.another()
    await tables.timekeeping.wake(table, least=MINUTE)
    *_, again = [await tables.lobby.join(house.by(player.user_id, table)) for player in lobby.unanswered]
    assert again.table.status == "playing"
    assert again.table.seal == over.table.next_seal


async def test_another_match_after_a_whole_match_is_asked_for(house: Offline, people: People):
    table = await house.lobby(*people[:2])
    await house.tables.lobby.change(house.by(1, table), match=Match(target=2))
    await house.tables.play.start(house.by(1, table))
    await house.finish(table)
    assert (await house.tables.play.rematch(house.by(2, table))).table.status == "playing"
    await house.finish(table)
    lobby = (await house.tables.play.rematch(house.by(2, table))).table
    assert (lobby.status, lobby.standings) == ("lobby", ())
    again = (await house.tables.lobby.join(house.by(1, table))).table
    assert (again.status, [line.user_id for line in again.standings]) == ("playing", [1, 2])


async def test_the_message_of_a_closed_rematch_lobby_is_kept(house: Offline, people: People):
    table, _, lobby = await asked(house, *people[:2])
    await house.tables.play.stop(house.by(1, table))
    assert await house.store.tables.undealt_messages(lobby.model_copy(update={"id": 1})) == {}


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("closed_by", ["time", "its last person", "host"])
async def test_a_rematch_that_is_asked_for_again_is_played_to_its_end(
    house: Offline, people: People, closed_by, restarted
):
    table, _, _ = await asked(house, *people[:2])
    if closed_by == "time":
        for _ in range(2):
            house.time.pass_by(minutes=20)
            await house.tables.timekeeping.time_up(table)
    elif closed_by == "host":
        await house.tables.play.stop(house.by(1, table))
    else:
        await house.tables.lobby.leave(house.by(1, table))
    tables = house.another() if restarted else house.tables
    await tables.play.rematch(house.by(2, table))
    await tables.lobby.join(house.by(1, table))
    await house.finish(table, tables)
    over = (await tables.snapshot(table)).table
    assert (over.status, over.game, seal(bytes.fromhex(over.secret))) == ("over", 2, over.seal)


async def test_somebody_who_was_away_at_the_end_is_asked_like_the_others(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    while (await house.tables.snapshot(table)).view.turn != 1:
        await house.step(table)
    for _ in range(2):  # time is up, then the computer plays
        house.time.pass_by(days=2)
        await house.tables.timekeeping.time_up(table)
    over = (await house.finish(table)).table
    assert over.players[1].away
    lobby = (await house.tables.play.rematch(house.by(1, table))).table
    assert [player.user_id for player in lobby.unanswered] == [2]


async def closed_after_removal(house: Offline, people: Sequence[Person]):
    """The rematch of three, closed by the first of them after removing the third."""
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.join(house.by(3, table))
    await house.tables.lobby.remove_person(house.by(1, table), 3)
    await house.tables.play.stop(house.by(1, table))
    return table


async def test_somebody_removed_is_not_asked_again(house: Offline, people: People):
    table = await closed_after_removal(house, people)
    again = (await house.tables.play.rematch(house.by(1, table))).table
    assert [player.user_id for player in again.unanswered] == [2]
    assert who(again) == [1, 2]
    dealt = (await house.tables.lobby.join(house.by(2, table))).table
    assert (dealt.status, [player.user_id for player in dealt.players]) == ("playing", [1, 2])


async def test_somebody_removed_may_ask_for_a_rematch_of_their_own_once_that_table_is_closed(
    house: Offline, people: People
):
    table = await closed_after_removal(house, people)
    again = (await house.tables.play.rematch(house.by(3, table))).table
    assert (again.status, again.host_id) == ("lobby", 3)
    assert [player.user_id for player in again.unanswered] == [1, 2]


async def test_somebody_removed_longer_ago_than_that_counts_is_asked_again(house: Offline, people: People):
    table = await closed_after_removal(house, people)
    house.time.pass_by(minutes=10)
    again = (await house.tables.play.rematch(house.by(1, table))).table
    assert [player.user_id for player in again.unanswered] == [2, 3]


async def test_a_former_player_is_not_asked_again_and_nobody_waits_for_them(house: Offline, people: People):
    table, *_ = await asked(house, *people[:3])
    await house.tables.play.stop(house.by(1, table))
    assert await house.tables.people.forget(3) is None
    again = (await house.tables.play.rematch(house.by(1, table))).table
    assert [player.user_id for player in again.unanswered] == [2]
    dealt = (await house.tables.lobby.join(house.by(2, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 2])


@pytest.mark.parametrize("closed_by", ["time", "host"])
async def test_a_rematch_that_came_to_nothing_can_be_asked_for_again(
    house: Offline, people: People, refused: type[Refused], closed_by
):
    table, over, _ = await asked(house, *people[:3])
    if closed_by == "time":
        house.time.pass_by(seconds=61)
        await house.tables.timekeeping.time_up(table)
        await house.tables.lobby.say_no(house.by(2, table))
        house.time.at += LOBBY
        await house.tables.timekeeping.time_up(table)
    else:
        await house.tables.play.stop(house.by(1, table))
    assert not (await house.tables.snapshot(table)).table.is_open
    with refused(Decline.NOT_SEATED):
        await house.tables.play.rematch(house.by(4, table))  # who has not played
    again = (await house.tables.play.rematch(house.by(2, table))).table
    assert (again.status, again.host_id, again.game) == ("lobby", 2, 2)
    assert sorted(player.user_id for player in again.unanswered) == [1, 3]
    for user in (1, 3):
        await house.tables.lobby.join(house.by(user, table))
    dealt = (await house.tables.snapshot(table)).table
    assert (dealt.status, dealt.dealer) == ("playing", over.view.shithead)
    with refused(Decline.OLD_RESULT):
        await house.tables.play.rematch(house.by(4, table))  # who presses a button of the game before


async def test_a_rematch_that_is_asked_for_has_neither_end_nor_debt_nor_moves_of_the_game_before(
    house: Offline, people: People
):
    table = await house.game(*people[:2])
    over = await house.finish(table)
    assert over.table.ended_at is not None
    assert over.debt is not None
    asking = await house.tables.play.rematch(house.by(1, table))
    assert (asking.table.started_at, asking.table.ended_at, asking.debt, asking.moves) == (None, None, None, 0)


async def test_a_rematch_has_the_seal_that_its_result_promised_and_keeps_its_own_secret(house: Offline, people: People):
    _, over, lobby = await asked(house, *people[:2])
    assert over.table.secret
    assert over.table.next_seal
    assert (lobby.seal, lobby.secret, lobby.next_seal) == (over.table.next_seal, "", "")


async def test_a_computer_that_was_removed_does_not_come_back_when_a_rematch_is_asked_for_again(
    house: Offline, people: People
):
    table, _, _ = await asked(house, *people[:2], computers=1)
    await house.tables.lobby.remove_computer(house.by(1, table))
    await house.tables.play.stop(house.by(1, table))
    again = (await house.tables.play.rematch(house.by(2, table))).table
    assert who(again) == [1, 2]


async def test_only_those_who_have_played_ask_for_a_rematch_and_only_after_a_game(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.game(*people[:2])
    await house.finish(table)
    with refused(Decline.NOT_SEATED):
        await house.tables.play.rematch(house.by(3, table))
    never_dealt = await house.lobby(people[3], channel=8)
    await house.tables.play.stop(house.by(4, never_dealt))
    with refused(Decline.NOT_OVER):
        await house.tables.play.rematch(house.by(4, never_dealt))


async def test_a_seat_is_kept_for_each_person_who_is_asked_until_they_say_no(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:3])
    await house.tables.lobby.change(house.by(1, table), seats=3)
    await house.tables.play.start(house.by(1, table))
    await house.finish(table)
    await house.tables.play.rematch(house.by(1, table))
    with refused(Decline.TABLE_FULL):
        await house.tables.lobby.join(house.by(4, table))
    await house.tables.lobby.say_no(house.by(3, table))
    assert who((await house.tables.lobby.join(house.by(4, table))).table)[-1] == 4


async def test_once_more_were_asked_than_can_sit_the_game_is_dealt_when_every_seat_is_taken(
    house: Offline, people: People
):
    table, _, _ = await asked(house, *people[:3])
    await house.tables.lobby.change(house.by(1, table), seats=3)
    await house.tables.lobby.say_no(house.by(2, table))
    await house.tables.lobby.join(house.by(4, table))
    await house.tables.play.stop(house.by(1, table))
    lobby = (await house.tables.play.rematch(house.by(1, table))).table
    assert [player.user_id for player in lobby.unanswered] == [2, 3, 4]
    await house.tables.lobby.join(house.by(4, table))
    dealt = (await house.tables.lobby.join(house.by(2, table))).table
    assert (dealt.status, who(dealt)) == ("playing", [1, 2, 4])


@pytest.mark.parametrize("restarted", [False, True])
async def test_whoever_asks_for_a_rematch_has_their_new_name_in_it_as_those_who_join_have(
    house: Offline, people: People, restarted
):
    robert, roberta = Person(id=2, name="Robert"), Person(id=1, name="robert")
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.tables.play.rematch(house.by(robert, table))
    tables = house.another() if restarted else house.tables
    joined = await tables.lobby.join(house.by(roberta, table))
    assert [player.name for player in joined.table.players] == ["robert 2", "Robert"]


async def test_whoever_says_yes_under_the_same_name_keeps_it_without_a_number(house: Offline, people: People):
    table, _, _ = await asked(house, *people[:2])
    joined = await house.tables.lobby.join(house.by(people[1], table))
    assert [player.name for player in joined.table.players] == ["Ann", "Bob"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_whoever_asks_again_for_a_rematch_that_came_to_nothing_has_their_name_in_it(
    house: Offline, people: People, restarted
):
    table, _, _ = await asked(house, *people[:2])
    await house.tables.play.stop(house.by(1, table))
    tables = house.another() if restarted else house.tables
    again = (await tables.play.rematch(house.by(Person(id=2, name="Robert"), table))).table
    assert again.players[1].name == "Robert"
