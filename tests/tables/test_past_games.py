"""Ended games: step by step, as a transcript, their shuffle; also statistics, people and upkeep."""

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from data.game_models import Feat, Losses, Played
from data.guild_models import GuildSettings
from data.models import Match, Person
from data.packed import Packed, packed_text
from game.fairness import Verdict, judge, parse_shuffle
from game.rules import Rules
from game.transcript import parse_transcript
from game.view import SeatView
from tables.gameplay import replayed_views
from tables.people_service import feats_of, ranked, score_of, wilson
from tables.services import Tables
from tables.snapshots import RECENT, Decline
from testkit.found import instance_of, not_none
from testkit.made import made_table
from testkit.offline import ANN, BOB, CHANNEL, CY, GUILD, Offline, People, Refused, prefer
from testkit.stored import execute, file_of, stored_table
from testkit.waiting import HANG


async def test_an_ended_game_is_seen_step_by_step_by_every_seat(house: Offline, people: People):
    table = await house.game(*people[:3])
    ended = await house.finish(table)
    first = await house.tables.past.replay_step(house.by(ANN, table), 1, 1, 0)
    assert (first.step, first.steps, len(first.hand.view.hand)) == (0, ended.moves, 3)
    last = await house.tables.past.replay_step(house.by(ANN, table), 1, 99, 10**6)
    assert (last.step, last.hand.view.seat) == (ended.moves, 2)
    whole = await house.tables.past.watched(house.by(ANN, table), 1, 99)
    assert {instance_of(SeatView, view).seat for view, _ in whole.seen} == {2}
    assert last.hand.view.table.out == ended.view.out
    assert last.hand.snapshot.recent == ended.recent
    assert [player.name for player in last.hand.snapshot.table.players] == ["Ann", "Bob", "Cy"]
    hands = {
        (await house.tables.past.replay_step(house.by(ANN, table), 1, seat, 0)).hand.view.hand for seat in range(3)
    }
    assert len(hands) == 3


async def rematch_without_cy(house: Offline, people: Sequence[Person]):
    """A table where Ann, Bob and Cy have finished a game, and Ann and Bob alone play the next."""
    table = await house.game(*people[:3])
    await house.finish(table)
    await house.tables.play.rematch(house.by(ANN, table))
    await house.tables.lobby.join(house.by(BOB, table))
    await house.tables.lobby.say_no(house.by(CY, table))
    return table


async def test_from_another_channel_an_old_game_is_seen_by_those_who_played_it_also_if_they_left_since(
    house: Offline, people: People
):
    table = await rematch_without_cy(house, people)
    await house.finish(table)
    assert len((await house.tables.snapshot(table)).table.players) == 2
    for person, sees in ((ANN, True), (CY, True), (people[3], False)):
        seen = await house.tables.past.replay_step(house.by(person, table, channel=CHANNEL + 1), 1, 0, 0)
        assert (seen is not None) is sees


async def test_a_running_game_is_never_returned(house: Offline, people: People):
    table = await house.game(*people[:2])
    assert await house.tables.past.replay_step(house.by(ANN, table), 1, 0, 0) is None
    assert await house.tables.past.transcript(house.by(ANN, table), 1) is None
    assert await house.tables.past.verification(house.by(ANN, table), 1) is None
    assert await house.tables.past.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN.id) == []


@pytest.mark.parametrize("variant", ["classic", "garfield"])
async def test_all_public_events_of_a_running_game_can_be_read(house: Offline, people: People, variant):
    table = await house.game(*people[:3], variant=variant)
    heard = {}
    for _ in range(60):
        heard |= {id(each): each for each in (await house.tables.snapshot(table)).recent}
        await house.step(table)
    heard |= {id(each): each for each in (await house.tables.snapshot(table)).recent}
    told = (await house.tables.past.with_all_events(house.by(CY, table))).recent
    assert len(told) > RECENT
    assert list(told) == list(heard.values())
    assert told[-1] is (await house.tables.snapshot(table)).recent[-1]  # `played_for` refers to events by identity
    assert (await house.another().past.with_all_events(house.by(CY, table))).recent == told


async def test_events_that_happen_while_a_running_game_is_read_are_not_told_twice(
    house: Offline, people: People, monkeypatch
):
    table = await house.in_play(*people[:2])
    told = (await house.tables.past.with_all_events(house.by(ANN, table))).recent
    read = house.store.games.with_table

    async def while_others_move(*which):
        for _ in range(RECENT):
            await house.step(table)
        return await read(*which)

    monkeypatch.setattr(house.store.games, "with_table", while_others_move)
    assert (await house.tables.past.with_all_events(house.by(ANN, table))).recent == told


async def test_whoever_asks_again_while_a_running_game_is_replayed_for_them_is_too_fast(
    house: Offline, people: People, refused: type[Refused], monkeypatch
):
    table = await house.in_play(*people[:2])
    begun, asked, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

    def until_somebody_has_asked_again(game):
        if not begun.is_set():
            loop.call_soon_threadsafe(begun.set)
            asked.wait(HANG)
        return replayed_views(game)

    monkeypatch.setattr("tables.past_service.replayed_views", until_somebody_has_asked_again)
    first = asyncio.create_task(house.tables.past.with_all_events(house.by(CY, table)))
    await begun.wait()
    try:
        with refused(Decline.TOO_FAST):
            await house.tables.past.with_all_events(house.by(CY, table))
    finally:
        asked.set()
    assert (await first).recent


@pytest.mark.parametrize("damage", ["games SET pack = '2c 2c 2c'", 'tables SET rules = \'{"colour": "hidden"}\''])
async def test_f36_a_running_game_with_a_damaged_record_or_table_shows_its_recent_events(
    house: Offline, people: People, damage
):
    table = await house.in_play(*people[:2])
    await execute(house.store.database, f"UPDATE {damage}")
    snapshot = await house.tables.snapshot(table)
    assert await house.tables.past.with_all_events(house.by(ANN, table)) == snapshot


async def test_an_ended_game_has_only_its_recent_events(house: Offline, people: People):
    table = await house.game(*people[:2])
    ended = await house.finish(table)
    assert (await house.tables.past.with_all_events(house.by(ANN, table))).recent == ended.recent


async def test_a_game_is_open_to_its_channel_and_its_players_alone(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    assert await house.tables.past.verification(house.by(CY, table), 1)
    assert await house.tables.past.verification(house.by(ANN, table, channel=CHANNEL + 1), 1)
    assert await house.tables.past.verification(house.by(CY, table, channel=CHANNEL + 1), 1) is None
    assert await house.tables.past.verification(replace(house.by(ANN, table), guild_id=GUILD + 1), 1) is None
    assert await house.tables.past.verification(house.by(ANN, table), 2) is None
    assert await house.tables.past.verification(house.by(ANN, -1), -1) is None
    assert await house.tables.past.verification(house.by(ANN, table), -(2**70)) is None


async def test_a_game_that_was_stopped_is_open_to_those_who_sat_at_it_from_everywhere(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.tables.play.stop(house.by(ANN, table))
    for person, is_open in ((BOB, True), (CY, False)):
        found = await house.tables.past.verification(house.by(person, table, channel=CHANNEL + 1), 1)
        assert (found is not None) == is_open


async def test_one_game_at_a_time_is_replayed_for_a_person(house: Offline, people: People, refused: type[Refused]):
    table = await house.game(*people[:2])
    await house.finish(table)
    past = house.tables.past
    first = asyncio.ensure_future(past.replay_step(house.by(ANN, table), 1, None, 0))
    await asyncio.sleep(0)
    for another in (past.watched(house.by(ANN, table), 1), past.transcript(house.by(ANN, table), 1)):
        with refused(Decline.TOO_FAST):
            await another
    assert await past.watched(house.by(BOB, table), 1)
    assert await first
    assert await past.watched(house.by(ANN, table), 1)


async def test_only_the_latest_game_tells_the_seal_of_the_next_one(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.again(table, 1)
    latest = (await house.finish(table)).table
    first, second = [await house.tables.past.verification(house.by(ANN, table), number) for number in (1, 2)]
    assert (first.table.next_seal, second.table.next_seal) == ("", latest.next_seal)


async def test_a_transcript_can_be_verified_and_has_every_move(house: Offline, people: People):
    table = await house.game(*people[:2], computers=1)
    ended = await house.finish(table)
    text = await house.tables.past.transcript(house.by(ANN, table), 1)
    assert judge(parse_shuffle(text)) is Verdict.VERIFIED
    assert len(parse_transcript(text).record.moves) == ended.moves
    verification = await house.tables.past.verification(house.by(ANN, table), 1)
    shuffle = verification.shuffle
    assert (verification.verdict, shuffle) == (Verdict.VERIFIED, parse_shuffle(text))
    assert (len(shuffle.joiners), len(shuffle.pack)) == (len(verification.table.players), 52)
    assert (shuffle.seal, shuffle.secret.hex()) == (ended.table.seal, ended.table.secret)


async def test_a_stopped_game_can_be_verified_too(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.ready(table)
    await house.tables.play.stop(house.by(ANN, table))
    told = await house.tables.past.transcript(house.by(ANN, table), 1)
    assert judge(parse_shuffle(told)) is Verdict.VERIFIED
    assert (await house.tables.past.verification(house.by(ANN, table), 1)).verdict is Verdict.VERIFIED
    assert (await house.tables.past.latest(GUILD, 9, channel_id=CHANNEL, user_id=CY.id))[0].moves is None


@pytest.mark.parametrize(("seats", "cards"), [(5, 52), (6, 2 * 52 + 2)])
async def test_a_game_to_which_a_pack_is_added_for_six_can_be_verified(house: Offline, people: People, seats, cards):
    table = await house.lobby(*people[:2], computers=seats - 2)
    more = {"deal": {"pack_for_six": True}}
    await house.tables.lobby.edit_rules(house.by(ANN, table), lambda rules: rules.changed_with(more))
    await house.tables.play.start(house.by(ANN, table))
    await house.tables.play.stop(house.by(ANN, table))
    shuffle = parse_shuffle(await house.tables.past.transcript(house.by(ANN, table), 1))
    assert (judge(shuffle), len(shuffle.pack)) == (Verdict.VERIFIED, cards)


async def test_another_secret_or_another_pack_does_not_verify(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    past = await house.store.games.past(GUILD, table, 1)

    async def tampered(**changes):
        house.store.games.past = lambda *_, **__: later(replace(past, game=replace(past.game, **changes)))
        return (await house.tables.past.verification(house.by(ANN, table), 1)).verdict

    async def later(value):
        return value

    assert await tampered(secret="ab" * 32) is Verdict.SEAL_DIFFERS
    turned = {**past.game.deal, "pack": " ".join(reversed(past.game.deal["pack"].split()))}
    assert await tampered(deal=turned) is Verdict.PACK_DIFFERS


async def test_the_players_of_an_earlier_game_of_a_series_are_still_known(house: Offline, people: People):
    table = await house.game(*people[:3])
    await house.finish(table)
    await house.again(table, ANN)
    await house.tables.lobby.leave(house.by(BOB, table))
    await house.finish(table)
    await house.again(table, CY)
    seen = await house.tables.past.replay_step(house.by(ANN, table), 1, 0, 5)
    assert [player.user_id for player in seen.hand.snapshot.table.players] == [ANN.id, BOB.id, CY.id]
    listed = await house.tables.past.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN.id)
    assert [(line.game, line.seats) for line in listed] == [(2, 3), (1, 3)]


async def test_an_earlier_game_keeps_its_variant_when_the_table_plays_another(house: Offline, people: People):
    table = await house.game(*people[:2], variant="pub")
    await house.finish(table)
    await house.tables.play.rematch(house.by(ANN, table))
    await house.tables.lobby.change(house.by(ANN, table), variant="karma")
    await house.tables.lobby.join(house.by(BOB, table))
    await house.finish(table)
    listed = await house.tables.past.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN.id)
    assert [(line.game, line.variant) for line in listed] == [(2, "karma"), (1, "pub")]
    text = await house.tables.past.transcript(house.by(ANN, table), 1)
    assert parse_transcript(text).variant == "pub"
    assert (await house.tables.past.watched(house.by(ANN, table), 1)).table.variant == "pub"


async def test_a_stopped_game_keeps_its_variant_when_the_table_plays_another(house: Offline, people: People):
    table = await house.game(*people[:2], variant="pub")
    await house.tables.play.stop(house.by(ANN, table))
    await house.tables.play.rematch(house.by(ANN, table))
    await house.tables.lobby.change(house.by(ANN, table), variant="karma")
    assert (await house.tables.past.watched(house.by(ANN, table), 1)).table.variant == "pub"
    assert parse_transcript(await house.tables.past.transcript(house.by(ANN, table), 1)).variant == "pub"


async def test_names_are_gone_after_a_restart_and_ids_stay(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    seen = await house.another().past.replay_step(house.by(ANN, table), 1, 0, 5)
    assert [(player.user_id, player.name) for player in seen.hand.snapshot.table.players] == [(1, ""), (2, "")]


async def test_names_are_restored_in_the_next_game_after_a_restart(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:2])
    await house.tables.lobby.change(house.by(ANN, table), match=Match(target=2))
    await house.tables.play.start(house.by(ANN, table))
    await house.finish(table)
    tables = house.another()
    await tables.play.rematch(house.by(ANN, table))
    before = (await tables.snapshot(table)).table
    assert [player.name for player in before.players] == ["Ann", ""]
    await tables.play.hand(house.by(BOB, table))
    with refused(Decline.NOT_SEATED):
        await tables.play.hand(house.by(CY, table))
    after = (await tables.snapshot(table)).table
    assert [player.name for player in after.players] == ["Ann", "Bob"]
    assert after.revision == before.revision
    assert [player.name for player in (await house.another().snapshot(table)).table.players] == ["Ann", "Bob"]


async def test_statistics_count_the_games_of_a_person(house: Offline, people: People):
    losers, table = [], await house.game(*people[:2])
    for game in range(1, 6):
        losers.append((await house.finish(table)).debt.debtor_id)
        if game < 5:
            await house.again(table, ANN)
    assert set(losers) == {ANN.id, BOB.id}
    runs = {user: max(len(list(run)) for who, run in groupby(losers) if who == user) for user in (ANN.id, BOB.id)}
    score = await house.tables.people.score(GUILD, ANN.id)
    assert (score.games, score.lost, score.to_count) == (5, losers.count(ANN.id), 0)
    assert (score.low, score.high) == wilson(losers.count(ANN.id), 5)
    assert (score.losing, score.unbeaten) == (runs[ANN.id], runs[BOB.id])
    assert score.most_held > 3
    assert 6 < not_none(score.fastest) < 60
    assert (await house.tables.people.score(GUILD, CY.id)).games == 0
    ranks = await house.tables.people.leaderboard(GUILD)
    assert {rank.user_id: (rank.games, rank.lost) for rank in ranks} == {
        user: (5, losers.count(user)) for user in (ANN.id, BOB.id)
    }
    assert ranks[0].lost < ranks[1].lost


async def test_one_request_replays_only_so_many_games_and_says_how_many_are_left(
    house: Offline, people: People, monkeypatch
):
    table = await house.game(*people[:2])
    await house.finish(table)
    for _ in range(2):
        await house.again(table, ANN)
        await house.finish(table)
    monkeypatch.setattr("tables.people_service.MOST_COUNTED", 2)
    assert [(await house.tables.people.score(GUILD, ANN.id)).to_count for _ in range(2)] == [1, 0]


async def test_a_person_who_opted_out_has_no_statistics(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    await prefer(house.tables, GUILD, ANN.id, uncounted=True)
    assert await house.tables.people.score(GUILD, ANN.id) is None
    assert [rank.user_id for rank in await house.tables.people.leaderboard(GUILD)] == [BOB.id]


async def test_feats_are_counted_for_each_seat(house: Offline, people: People):
    table = await house.game(*people[:2])
    ended = await house.finish(table)
    past = await house.store.games.past(GUILD, table, 1)
    feats = feats_of(past)
    assert [each.place for each in feats] == [1, 2]
    turns = Counter(made.seat for made in past.game.moves if made.move.split()[0] in {"play", "pickup", "flip"})
    assert sorted(each.turns for each in feats) == sorted(turns.values())
    assert turns.total() < ended.moves
    assert min(each.most_held for each in feats) >= 3
    damaged = replace(past, game=replace(past.game, moves=past.game.moves[:1] * 2))
    assert feats_of(damaged) == [Feat(1, 0, 0), Feat(2, 0, 0)]


async def test_moves_out_of_turn_are_no_turns(house: Offline, people: People):
    table = await house.lobby(*people[:3])
    rules = Rules().changed_with({"deal": {"packs": 2}, "play": {"follow_up": True, "interrupt": True}})
    await house.tables.lobby.change(house.by(ANN, table), rules=rules)
    await house.tables.play.start(house.by(ANN, table))
    await house.finish(table)
    past = await house.store.games.past(GUILD, table, 1)
    made = [(each.seat, each.move.split()[0]) for each in past.game.moves]
    assert {"follow", "interrupt"} <= {kind for _, kind in made}
    turns = Counter(seat for seat, kind in made if kind in {"play", "pickup", "flip"})
    assert sorted(each.turns for each in feats_of(past)) == sorted(turns.values())


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (1, 100, 0.0018, 0.0545)],
)
def test_the_interval_is_wilsons(part, whole, low, high):
    assert wilson(part, whole) == pytest.approx((low, high), abs=1e-4)


def test_streaks_and_records_are_the_longest():
    games = [Played(lost, held, turns) for lost, held, turns in [(0, 9, 30), (0, 20, 12), (1, 31, 5), (0, None, None)]]
    score = score_of([*games, Played(lost=True, most_held=4, turns=50), Played(lost=True, most_held=4, turns=50)])
    assert (score.games, score.lost, score.unbeaten, score.losing) == (6, 3, 2, 2)
    assert (score.most_held, score.fastest, score.to_count) == (31, 12, 1)


def test_one_lucky_game_does_not_lead_the_board():
    assert [rank.user_id for rank in ranked([Losses(1, 1, 0), Losses(2, 50, 5), Losses(3, 4, 4)])] == [2, 1, 3]


def test_of_those_who_lost_every_game_whoever_played_most_comes_first():
    # Their bound is 1; without rounding it is sometimes a little less.
    lost_all = [Losses(games, games, games) for games in range(1, 12)]
    assert [rank.games for rank in ranked(lost_all)] == [*range(11, 0, -1)]


async def test_a_forgotten_person_is_dropped_from_memory_and_the_message_redrawn(house: Offline, people: People):
    table = await house.game(*people[:2])
    ended = await house.finish(table)
    house.heard.clear()
    assert await house.tables.people.forget(ANN.id) is None
    assert [changed.table.id for changed in house.heard] == [table]
    after = await house.tables.snapshot(table)
    assert [player.user_id for player in after.table.players] == [-1, BOB.id]
    assert "Ann" not in str(after.table.players)
    assert after.debt.state == "owed"
    assert ended.debt.id == after.debt.id
    assert ANN.id not in await house.tables.people.stored(ANN.id)


async def test_nobody_is_forgotten_in_a_game(house: Offline, people: People):
    table = await house.game(*people[:2])
    assert (await house.tables.people.forget(BOB.id)).id == table
    assert (await house.tables.snapshot(table)).table.players[1].name == "Bob"


async def test_a_former_player_is_not_dealt_to(house: Offline, people: People, refused: type[Refused]):
    table = await house.game(*people[:3])
    await house.finish(table)
    await house.tables.people.forget(ANN.id)
    again = await house.again(table, BOB)
    assert [player.user_id for player in again.table.players] == [BOB.id, CY.id]
    with refused(Decline.NOT_SEATED):
        await house.tables.play.hand(house.by(ANN, table))


async def test_f25_a_server_is_forgotten_thirty_days_after_the_bot_left(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=29, hours=23)
    await house.tables.servers.upkeep()
    assert (await house.store.guilds.known())[GUILD]
    house.time.pass_by(hours=2)
    await house.tables.servers.upkeep()
    assert await house.store.guilds.get(GUILD) == GuildSettings(guild_id=GUILD)
    assert await stored_table(house.store, table) is None
    assert await house.store.guilds.known() == {}


async def test_what_was_deleted_is_not_left_beside_the_database_for_long(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)  # which deletes names
    file = file_of(house.store.database)
    log = file.with_name(file.name + "-wal")
    assert log.stat().st_size > 0
    await house.tables.servers.upkeep()
    assert log.stat().st_size == 0


async def test_a_forgotten_server_is_dropped_from_memory_but_no_other(house: Offline, people: People):
    gone = await house.game(*people[:2])
    await house.finish(gone)
    other = (await house.tables.lobby.open(house.by(ANN, guild=GUILD + 1, channel=7))).table.id
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=30, minutes=1)
    await house.tables.servers.upkeep()
    assert house.loaded(gone) is None
    assert house.loaded(other) is not None


async def test_a_process_marks_as_left_only_servers_that_it_serves(house: Offline):
    ours, theirs, gone = [
        (await house.tables.lobby.open(house.by(ANN, guild=each, channel=each))).table
        for each in range(GUILD, GUILD + 3)
    ]
    process = Tables(house.store, now=house.time, serves=lambda guild_id: guild_id != theirs.guild_id)
    await process.servers.catch_up({ours.guild_id: True}.get)
    assert list((await house.store.guilds.known()).values()) == [None, None, house.time()]
    statuses = [(await process.snapshot(each.id)).table.status for each in (ours, theirs, gone)]
    assert statuses == ["lobby", "lobby", "aborted"]


async def test_a_server_that_invites_the_bot_again_is_kept(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=20)
    await house.tables.servers.joined(GUILD)
    house.time.pass_by(days=20)
    await house.tables.servers.upkeep()
    assert await stored_table(house.store, table)


async def test_clicks_are_forgotten_after_a_week(house: Offline, people: People):
    table = await house.lobby(people[0])
    assert await house.store.clicks.was_applied(GUILD, table)
    house.time.pass_by(days=7, minutes=1)
    await house.tables.servers.upkeep()
    assert not await house.store.clicks.was_applied(GUILD, table)


async def test_every_request_is_declined_while_the_store_is_unavailable(house: Offline, refused: type[Refused]):
    away, folder = await taken_away(house)
    for asked in (
        house.tables.past.latest(GUILD, 1, channel_id=CHANNEL, user_id=1),
        house.tables.past.verification(house.by(ANN, 1), 1),
        house.tables.people.preferences(GUILD, 1),
        house.tables.people.leaderboard(GUILD),
        house.tables.people.stored(1),
        house.tables.people.forget(1),
        house.tables.servers.upkeep(),
        house.tables.servers.settings(GUILD),
        house.tables.servers.house_rules(GUILD),
        house.tables.timekeeping.undealt_messages(made_table()),
        house.tables.tea.owing(GUILD),
        house.tables.tea.owed_to(GUILD, 1, page=0, most=1),
        house.tables.tea.between(GUILD, 1),
        house.tables.tea.tallies(GUILD),
        house.tables.tea.newest(GUILD, 1),
        house.tables.tea.all(GUILD),
        house.tables.tea.history(GUILD, 1),
    ):
        with refused(Decline.SAVING_FAILED):
            await asked
    assert not await house.another().is_polite(GUILD, 1)  # a click must not fail because of a name
    away.rename(folder)


async def taken_away(house: Offline):
    """Move the folder of the database away; return where it is now and where it was."""
    await house.store.close()
    folder = Path(house.url.removeprefix("sqlite:///")).parent
    return folder.rename(folder.with_name("away")), folder


async def test_upkeep_goes_on_after_a_failure(house: Offline):
    from bot.compose import UPKEEP_EVERY, repeat  # noqa: PLC0415 - only this needs it

    rounds = []

    class EnoughError(Exception):
        pass

    async def sleep(seconds):
        rounds.append(timedelta(seconds=seconds))
        if len(rounds) == 2:
            raise EnoughError
        moved.append(await taken_away(house))

    moved = []
    with pytest.raises(EnoughError), capture_logs() as said:
        await repeat(house.tables.servers.upkeep, UPKEEP_EVERY, "retrying in an hour", sleep)
    moved[0][0].rename(moved[0][1])
    assert rounds == [timedelta(hours=1)] * 2
    (why,) = [each["why"] for each in said if "retrying in an hour" in each["event"]]
    assert why.startswith(
        f"saving-failed: the file {file_of(house.store.database)} cannot be opened: check its permissions"
    )


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ('games SET rules = \'{"colour": "hidden"}\'', "...."),
        ("games SET pack = '2c 3c'", "..xx"),
        ("games SET pack = 'nonsense'", "...."),
        ("games SET secret = 'ab'", "xxx."),
        ("moves SET move = 'play 2c'", "..xx"),
        ("moves SET move = 'hidden'", "..xx"),
        ("moves SET seat = 'hidden'", "...."),
        ("moves SET seat = 9000000000000000000", "...."),
        ("games SET joiners = '5'", "...."),
    ],
)
async def test_f36_a_damaged_ended_game_is_shown_as_far_as_possible(house: Offline, people: People, damage, told):
    table = await house.game(*people[:2])
    await house.ready(table)
    await execute(house.store.database, f"UPDATE {damage} WHERE table_id = {table}")
    await house.another().servers.channel_gone(GUILD, CHANNEL)
    past, request = house.tables.past, house.by(ANN, table)
    with capture_logs() as logs:
        asked = (past.replay_step(request, 1, 0, 0), past.watched(request, 1), past.transcript(request, 1))
        found = [await each for each in (*asked, past.verification(request, 1))]
    assert "".join("." if each is None else "x" for each in found) == told
    assert len([each for each in logs if each["log_level"] == "error"]) == told.count(".")
    assert "hidden" not in str(logs)


async def test_f36_a_game_with_a_damaged_move_can_be_ended(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.ready(table)
    await execute(house.store.database, "UPDATE moves SET revision = ''")
    await house.another().servers.channel_gone(GUILD, CHANNEL)
    assert (await stored_table(house.store, table)).status == "aborted"


async def test_f36_damaged_rules_that_had_a_name_are_no_game(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.tables.play.stop(house.by(ANN, table))
    damage = 'UPDATE games SET packed = NULL, rules = \'{"colour": "hidden"}\''
    await execute(house.store.database, damage, "UPDATE tables SET title = 'Ours'")
    assert await house.tables.past.watched(house.by(ANN, table), 1) is None


async def test_f36_a_game_whose_moves_do_not_fit_its_pack_is_none_though_a_player_has_left_since(
    house: Offline, people: People
):
    table = await rematch_without_cy(house, people)
    past = await house.store.games.past(GUILD, table, 1)
    turned = " ".join(reversed(past.game.deal["pack"].split()))
    packed = packed_text(Packed(past.game.deal["rules"], turned, past.game.moves))
    await execute(house.store.database, f"UPDATE games SET packed = '{packed}' WHERE game = 1")
    request = house.by(ANN, table)
    assert await house.tables.past.replay_step(request, 1, 0, 0) is None
    assert await house.tables.past.verification(request, 1) is None


@pytest.mark.parametrize("damage", ["packed = 'nonsense'", "joiners = '5'"])
async def test_f36_the_feats_of_a_damaged_game_are_stored_as_zeros_once(house: Offline, people: People, damage):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.again(table, ANN)
    await house.finish(table)
    await execute(house.store.database, f"UPDATE games SET {damage} WHERE game = 1")
    for user in (ANN, BOB):
        score = await house.tables.people.score(GUILD, user.id)
        assert (score.games, score.to_count) == (2, 0)
        assert score.most_held > 3
        damaged, _ = await house.store.scores.played(GUILD, user.id)
        assert (damaged.most_held, damaged.turns) == (0, 0)
        assert await house.store.scores.without_feats(GUILD, user.id, 9) == []


async def test_a_computer_that_was_removed_since_has_no_name_in_the_games_before(house: Offline, people: People):
    table = await house.game(*people[:2], computers=1)
    await house.finish(table)
    await house.tables.play.rematch(house.by(ANN, table))
    await house.tables.lobby.remove_computer(house.by(ANN, table))
    await house.tables.lobby.join(house.by(BOB, table))
    watched = await house.tables.past.watched(house.by(ANN, table), 1)
    assert [player.name for player in watched.table.players] == ["Ann", "Bob", ""]


async def test_the_fastest_way_out_counts_only_games_in_which_somebody_was_out(house: Offline):
    table = await house.game(ANN, BOB, variant="first-out")
    ended = await house.finish(table)
    loser = next(each.user_id for seat, each in enumerate(ended.table.players) if seat != ended.view.winner)
    assert (await house.tables.people.score(GUILD, loser)).fastest is None


async def test_a_past_game_keeps_the_name_of_the_house_rules_that_it_was_played_by(house: Offline):
    table = await house.lobby(ANN, BOB)
    lobby = (await house.tables.snapshot(table)).table
    longer = lobby.but(rules=lobby.rules.changed_with({"deal": {"hand": 4}}))
    saved = await house.tables.servers.save_house_rule(longer, "Our four", ANN.id)
    await house.tables.lobby.change(house.by(ANN, table), variant=saved.key)
    await house.tables.play.start(house.by(ANN, table))
    await house.finish(table)
    past = (await house.tables.past.replay_step(house.by(ANN, table), 1, 0, 0)).hand.snapshot.table
    assert (past.title, past.rules.deal.hand) == ("Our four", 4)


async def test_a_past_game_is_not_called_by_the_name_of_later_house_rules(house: Offline):
    table = await house.game(ANN, BOB)
    await house.finish(table)
    lobby = (await house.tables.play.rematch(house.by(ANN, table))).table
    longer = lobby.but(rules=lobby.rules.changed_with({"deal": {"hand": 4}}))
    saved = await house.tables.servers.save_house_rule(longer, "Our four", ANN.id)
    await house.tables.lobby.change(house.by(ANN, table), variant=saved.key)
    past = (await house.tables.past.replay_step(house.by(ANN, table), 1, 0, 0)).hand.snapshot.table
    assert (past.title, past.rules.deal.hand) == ("", 3)
