"""The store or the machine fails: F9, F30, F32, F34 to F40, F50, F51."""

import asyncio
import os
import shlex
import sqlite3
import sys
from contextlib import ExitStack, closing, suppress
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.clock import Clock, SteadyClock
from data.errors import UnavailableError
from data.models import Person
from data.store import Store, database_at
from game.cards import make_pack
from tables.gameplay import views_of
from tables.services import Tables
from tables.snapshots import Decline, Declined
from testkit.channel import Room
from testkit.faults import (
    file_of,
    impatient,
    in_play,
    lose_answer,
    on_turn,
    pass_by,
    requests,
    revisions,
    snapshot,
    stored,
    the_id,
    unreadable_once_stored,
)
from testkit.found import instance_of, not_none
from testkit.made import START, texts
from testkit.offline import Offline, People, request_at
from testkit.shortcuts import finished, manager
from testkit.stored import execute, open_debts, stored_table
from testkit.waiting import HANG, run_to_end


async def turn_of(house: Offline, *people):
    """A game in play, with the person on turn and what that person may do."""
    table = await house.in_play(*people)
    seen = await house.tables.snapshot(table)
    user = seen.table.players[not_none(seen.view.turn)].user_id
    return table, user, (await house.tables.play.hand(house.by(user, table))).view.moves[0], seen.table.revision


async def test_f09_of_two_who_act_at_once_in_two_processes_one_is_too_late(house: Offline, people: People):
    table, user, move, seen = await turn_of(house, *people[:2])
    processes = [house.another(), house.another()]
    for each in processes:
        await each.play.hand(house.by(user, table))
    before = (await house.tables.snapshot(table)).moves
    moves = [each.play.act(house.by(user, table, seen=seen), move) for each in processes]
    done = await asyncio.gather(*moves, return_exceptions=True)
    assert [each.why for each in done if isinstance(each, Declined)] == [Decline.STALE]
    assert (await house.another().snapshot(table)).moves == before + 1


@pytest.mark.parametrize("step", ["lobby", "exchange", "play"])
async def test_f30_after_a_restart_at_any_step_the_game_is_as_it_was(room: Room, step):
    await (in_play(room) if step == "play" else room.start() if step == "exchange" else room.open())
    before = await snapshot(room)
    await room.restart()
    after = await snapshot(room)
    assert (after.view, after.moves, after.table.revision) == (before.view, before.moves, before.table.revision)
    assert not_none(after.table.deadline) >= not_none(before.table.deadline)
    assert the_id(room.public(), "more", "join", "hand")


async def test_f32_a_move_is_on_the_disk_before_anybody_is_answered(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    seen, edit = [], room.env.backend.edit_message

    def looking(*args, **options):
        seen.append(stored(room, "SELECT max(revision) FROM moves")[0][0])
        return edit(*args, **options)

    room.env.backend.edit_message = looking
    before = await room.table()
    await person.click(hand, custom_id=play)
    assert seen[0] == before.revision + 1


async def test_f34_while_another_process_holds_the_database_nothing_is_played_and_it_is_said(room: Room):
    await in_play(room)
    await impatient(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    with closing(sqlite3.connect(file_of(room), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        result = await person.click(hand, custom_id=play)
        other.execute("ROLLBACK")
    assert "Saving failed, nothing changed." in texts(result.response.components)
    assert await snapshot(room) == before
    assert (await person.click(hand, custom_id=play)).acknowledged
    assert (await snapshot(room)).moves == before.moves + 1


async def test_f34_a_move_counts_and_is_shown_if_only_the_answer_of_the_database_was_lost(room: Room, monkeypatch):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    lose_answer(room.house.store, monkeypatch)
    result = await person.click(hand, custom_id=play)
    assert "Saving failed" not in texts(result.response.components)
    await room.idle()
    assert (await snapshot(room)).moves == before.moves + 1
    assert revisions(room.public()) == {before.table.revision + 1}


async def test_f34_a_stored_move_is_answered_as_made_and_drawn_though_a_part_that_hears_of_it_fails(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)

    def fail(_changed):
        raise ZeroDivisionError

    room.house.tables.listeners.insert(0, fail)
    with capture_logs() as logs:
        result = await person.click(hand, custom_id=play)
    await room.idle()
    assert "Something went wrong" not in texts(result.response.components)
    assert revisions(result.response) == {before.table.revision + 1}
    assert (await snapshot(room)).moves == before.moves + 1
    assert revisions(room.public()) == {before.table.revision + 1}
    assert [each["log_level"] for each in logs if each["event"] == "a listener failed"] == ["error"]


async def test_f34_a_move_of_which_nobody_knew_whether_it_was_stored_is_shown_at_the_next_look(room: Room, monkeypatch):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    lose_answer(room.house.store, monkeypatch, readable=False)
    result = await person.click(hand, custom_id=play)
    assert "Saving failed" in texts(result.response.components)
    monkeypatch.undo()
    await room.press(person, room.public(), "hand")
    assert (await snapshot(room)).moves == before.moves + 1
    assert revisions(room.public()) == {before.table.revision + 1}


@pytest.mark.parametrize(
    ("command", "verb", "said", "shown"),
    [("served", "serve", "Marked as served ✓", "served ✓"), ("forgive", "forgive", "Forgiven ✓", "forgiven ✓")],
)
async def test_f34_a_settled_debt_is_answered_as_settled_and_shown_if_only_the_answer_of_the_database_was_lost(
    room: Room, monkeypatch, command, verb, said, shown
):
    debt = (await finished(room)).debt
    creditor = next(each for each in room.people if each.id in debt.creditor_ids)
    page = (await creditor.slash(room.channel, f"tea {command}")).response
    lose_answer(room.house.store, monkeypatch, of="tea")
    await room.press(creditor, page, verb)
    assert said in texts(page.components)
    assert shown in texts(room.public().components)
    assert stored(room, "SELECT deed FROM tea_history ORDER BY n") == [("made",), (shown.split()[0],)]


async def test_f34_a_reminder_of_a_debt_is_posted_if_only_the_answer_of_the_database_was_lost(room: Room, monkeypatch):
    debt = (await finished(room)).debt
    creditor = next(each for each in room.people if each.id in debt.creditor_ids)
    page = (await creditor.slash(room.channel, "tea served")).response
    await room.press(creditor, page, "claims", "0.remind")
    lose_answer(room.house.store, monkeypatch, "remind", of="tea")
    sent = await room.press(creditor, page, "remind")
    assert f"<@{debt.debtor_id}>, you still owe <@{creditor.id}>" in texts(sent.response.components)
    again = await room.press(creditor, page, "remind")
    assert "already been reminded" in texts(again.response.components)


@pytest.mark.parametrize(
    ("command", "verb", "switch", "question"),
    [
        ("settings", "guild", "polite=on", "SELECT polite FROM guilds"),
        ("me", "mine", "digest=on", "SELECT digest FROM preferences"),
    ],
)
async def test_f34_a_setting_is_said_to_be_saved_if_only_the_answer_of_the_database_was_lost(
    room: Room, monkeypatch, command, verb, switch, question
):
    await room.open()
    boss = await manager(room)
    page = (await boss.slash(room.channel, f"shithead {command}")).response
    lose_answer(room.house.store, monkeypatch, "write", of="database")
    await room.press(boss, page, verb, switch)
    assert "Saved ✓" in texts(page.components)
    assert stored(room, question) == [(1,)]
    assert ("Palace" in texts(room.public().components)) == (command == "settings")


@pytest.mark.parametrize(
    ("command", "verb", "switch"), [("settings", "guild", "polite=on"), ("me", "mine", "quiet=on")]
)
async def test_f34_a_setting_that_was_not_stored_is_not_said_to_be_saved(
    room: Room, monkeypatch, command, verb, switch
):
    boss = await manager(room)
    page = (await boss.slash(room.channel, f"shithead {command}")).response

    async def unavailable(*_, **__):
        raise UnavailableError

    with monkeypatch.context() as broken:
        broken.setattr(room.house.store.database, "write", unavailable)
        result = await room.press(boss, page, verb, switch)
    assert "Saving failed, nothing changed." in texts(result.response.components)
    assert not (await room.tables.servers.settings(room.guild.id)).polite
    assert not (await room.tables.people.preferences(room.guild.id, boss.id)).quiet


async def test_f34_a_setting_counts_as_saved_though_another_one_was_chosen_at_the_same_time(room: Room, monkeypatch):
    guilds, people, me = room.house.store.guilds, room.house.store.people, room.people[0].id
    settings, own = await guilds.get(room.guild.id), await people.get(room.guild.id, me)
    await guilds.put(settings, settings.but(polite=True))
    lose_answer(room.house.store, monkeypatch, "write", of="database")
    await guilds.put(settings, settings.but(nudge_seconds=0))
    assert await guilds.get(room.guild.id) == settings.but(polite=True, nudge_seconds=0)
    await people.put(own, own.but(quiet=True), first_digest=START)
    lose_answer(room.house.store, monkeypatch, "write", of="database")
    await people.put(own, own.but(text_mode=True), first_digest=START)
    assert await people.get(room.guild.id, me) == own.but(quiet=True, text_mode=True)


async def test_f34_who_is_forgotten_is_told_and_named_no_more_if_only_the_answer_of_the_database_was_lost(
    room: Room, monkeypatch
):
    loser = room.people[not_none((await finished(room)).view.shithead)]
    page = (await loser.slash(room.channel, "shithead privacy delete")).response
    lose_answer(room.house.store, monkeypatch, "write", of="database")
    await room.press(loser, page, "forget")
    assert "Done. Nothing stored here" in texts(page.components)
    assert "Former player is the shithead" in texts(room.public().components)


async def test_f34_who_was_forgotten_though_nobody_knew_is_named_no_more_once_they_ask_again(room: Room, monkeypatch):
    loser, forget = room.people[not_none((await finished(room)).view.shithead)], room.house.store.people.forget
    page = (await loser.slash(room.channel, "shithead privacy delete")).response

    async def unanswered(*who, **options):
        await forget(*who, **options)
        raise UnavailableError

    with monkeypatch.context() as broken:
        broken.setattr(room.house.store.people, "forget", unanswered)
        result = await room.press(loser, page, "forget")
    assert "Saving failed" in texts(result.response.components)
    await room.press(loser, page, "forget")
    assert "Done. Nothing stored here" in texts(page.components)
    assert "Former player is the shithead" in texts(room.public().components)


def fail_from(store: Store, monkeypatch, nth):
    """Have the database store no change of a table from the nth on, counted from 1."""
    save, left = store.tables.save, [None] * (nth - 1)

    async def failing(change):
        if not left:
            raise UnavailableError
        left.pop()
        return await save(change)

    monkeypatch.setattr(store.tables, "save", failing)


@pytest.mark.parametrize("verb", ["practice", "alone"])
async def test_f34_who_plays_at_once_is_told_that_the_table_is_open_if_only_the_deal_fails(
    room: Room, monkeypatch, verb
):
    ann, store = room.people[0], room.house.store
    if verb == "alone":
        await room.open(seats=1)
    with monkeypatch.context() as broken:
        fail_from(store, broken, 1 if verb == "practice" else 2)
        command = verb == "practice" and ann.slash(room.channel, "shithead practice")
        result = await (command or room.press(ann, room.public(), verb))
    await room.idle()
    assert "Your table is open." in texts(result.response.components)
    assert [player.is_computer for player in (await room.table()).seated] == [False, True]
    await room.press(ann, room.public(), "start")
    assert (await room.table()).status == "playing"


@pytest.mark.parametrize("nth", [1, 2])
async def test_f34_of_several_swaps_of_one_click_those_that_were_stored_are_shown(room: Room, monkeypatch, nth):
    await room.start()
    hand, before = await room.hand(room.people[0]), await snapshot(room)
    fail_from(room.house.store, monkeypatch, nth)
    result = await room.press(room.people[0], hand, "best")
    assert ("Saving failed" in texts(result.response.components)) == (nth == 1)
    assert (await snapshot(room)).moves == before.moves + nth - 1
    if nth > 1:
        assert revisions(hand) == {before.table.revision + 1}


async def test_f34_settings_are_said_to_be_saved_and_are_shown_though_nothing_can_be_read_after_that(
    room: Room, monkeypatch
):
    await room.open()
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    with unreadable_once_stored(room.house.store, monkeypatch):
        await room.press(boss, page, "guild", "polite=on")
    assert "Saved ✓" in texts(page.components)
    await room.idle()
    assert "Palace" in texts(room.public().components)


async def test_f34_a_debt_that_was_not_stored_as_settled_is_not_said_to_be(room: Room, monkeypatch):
    debt = (await finished(room)).debt
    creditor = next(each for each in room.people if each.id in debt.creditor_ids)
    page = (await creditor.slash(room.channel, "tea served")).response

    async def unavailable(*_, **__):
        raise UnavailableError

    monkeypatch.setattr(room.house.store.tea, "save", unavailable)
    result = await room.press(creditor, page, "serve")
    assert "Saving failed, nothing changed." in texts(result.response.components)
    assert stored(room, "SELECT state FROM tea_debts") == [("owed",)]


@pytest.mark.parametrize(
    ("verb", "said", "state"), [("serve", "Marked as served ✓", "served"), ("forgive", "Forgiven ✓", "forgiven")]
)
async def test_f34_a_debt_is_said_to_be_settled_though_nothing_can_be_read_after_that(
    room: Room, monkeypatch, verb, said, state
):
    debt = (await finished(room)).debt
    creditor = next(each for each in room.people if each.id in debt.creditor_ids)
    page = (await creditor.slash(room.channel, "tea served" if verb == "serve" else "tea forgive")).response
    with unreadable_once_stored(room.house.store, monkeypatch):
        await room.press(creditor, page, verb)
    assert texts(page.components) == said
    assert stored(room, "SELECT state FROM tea_debts") == [(state,)]


async def test_f34_a_change_in_the_lobby_is_shown_though_nothing_can_be_read_after_that(room: Room, monkeypatch):
    await room.open()
    host = room.people[0]
    page = (await room.press(host, room.public(), "more")).response
    with unreadable_once_stored(room.house.store, monkeypatch):
        shown = await room.choose(host, page, "computer", "easy")
    assert "Saving failed" not in texts(shown.response.components)
    assert "easy" in texts(page.components)
    assert [player.level for player in (await room.table()).players] == [None, None, "easy"]


async def test_f34_a_debt_is_said_to_be_corrected_though_nothing_can_be_read_after_that(room: Room, monkeypatch):
    debt, boss = (await finished(room)).debt, await manager(room)
    page = (await boss.slash(room.channel, "tea correct")).response
    await room.choose(boss, page, "debt", str(debt.id))
    await room.press(boss, page, "correct", f"{debt.id}.cancelled")
    with unreadable_once_stored(room.house.store, monkeypatch):
        await room.press(boss, page, "setdebt")
    assert texts(page.components).startswith(f"-# Corrected ✓\n## Debt {debt.id}")
    assert stored(room, "SELECT state FROM tea_debts") == [("cancelled",)]


@pytest.mark.parametrize("command", ["start", "practice"])
async def test_f34_a_table_is_open_and_shown_at_once_if_only_the_answer_of_the_database_was_lost(
    room: Room, monkeypatch, command
):
    ann = room.people[0]
    lose_answer(room.house.store, monkeypatch, "open")
    result = await ann.slash(room.channel, f"shithead {command}")
    await room.idle()
    assert "Saving failed" not in texts(result.response.components)
    assert [player.name for player in (await room.table()).people] == ["Ann"]
    assert (await room.table()).message_id == room.public().id


async def test_f34_a_table_is_said_to_be_open_though_settings_chosen_meanwhile_cannot_be_read(room: Room, monkeypatch):
    rows, shown = room.house.store.tables, await room.tables.servers.settings(room.guild.id)
    store = rows.open

    async def late(*table):
        await room.tables.servers.choose(shown, shown.but(polite=True))
        broken.enter_context(unreadable_once_stored(room.house.store, monkeypatch))
        await store(*table)

    monkeypatch.setattr(rows, "open", late)
    with ExitStack() as broken:
        result = await room.people[0].slash(room.channel, "shithead start")
    assert texts(result.response.components).startswith("Your table is open.")


async def test_f34_a_lobby_of_which_nobody_knew_whether_it_was_stored_is_shown_to_who_asks_again(
    room: Room, monkeypatch
):
    lose_answer(room.house.store, monkeypatch, "open", readable=False)
    result = await room.people[0].slash(room.channel, "shithead start")
    assert "Saving failed" in texts(result.response.components)
    monkeypatch.undo()
    await room.people[1].slash(room.channel, "shithead start")
    await room.idle()
    await room.press(room.people[1], room.public(), "join")
    assert [player.user_id for player in (await room.table()).players] == [each.id for each in room.people[:2]]


async def test_f34_a_lobby_of_which_nobody_knew_whether_it_was_stored_is_shown_though_nobody_asks_again(
    room: Room, monkeypatch
):
    lose_answer(room.house.store, monkeypatch, "open", readable=False)
    await room.people[0].slash(room.channel, "shithead start")
    monkeypatch.undo()
    await pass_by(room, minutes=1)
    await room.press(room.people[1], room.public(), "join")
    assert [player.user_id for player in (await room.table()).players] == [each.id for each in room.people[:2]]
    await pass_by(room, minutes=15)
    assert stored(room, "SELECT status FROM tables") == [("expired",)]
    assert room.house.clock.table_count == 0


async def test_f34_a_lobby_in_a_thread_of_which_nobody_knew_whether_it_was_stored_is_shown_though_nobody_asks_again(
    room: Room, monkeypatch
):
    lose_answer(room.house.store, monkeypatch, "open", readable=False)
    await room.people[0].slash(room.channel, "shithead start", where="thread")
    monkeypatch.undo()
    await pass_by(room, minutes=1)
    ((thread_id, message_id),) = stored(room, "SELECT channel_id, message_id FROM tables")
    assert message_id in room.env.backend.messages[thread_id]
    assert await room.tables.timekeeping.undrawn_tables() == ()


async def test_f34_a_lobby_that_was_not_stored_is_counted_for_a_minute_at_most(room: Room, monkeypatch):
    async def unavailable(*_):
        raise UnavailableError

    monkeypatch.setattr(room.house.store.tables, "open", unavailable)
    await room.people[0].slash(room.channel, "shithead start")
    monkeypatch.undo()
    await pass_by(room, minutes=1)
    assert (room.house.clock.table_count, room.house.clock.waiting) == (0, 0)


async def test_f35_who_cannot_even_look_because_of_the_database_is_in_the_log_with_what_to_do(room: Room, caplog):
    await in_play(room)
    stranger, file = room.people[5], file_of(room)
    await room.house.store.database.close()
    sound = file.read_bytes()
    file.write_bytes(b"not a database")
    said = texts((await room.press(stranger, room.public(), "hand")).response.components)
    await room.house.store.database.close()
    file.write_bytes(sound)
    assert "Saving failed, nothing changed." in said
    (told,) = [each.getMessage() for each in caplog.records if each.name == "cogs.interactions"]
    assert "could not be carried out: verb=hand" in told
    assert "is not an SQLite database: check DATABASE_URL, or restore the newest backup" in told


async def test_f35_where_not_even_the_settings_of_the_server_can_be_read_it_is_said(room: Room, monkeypatch):
    async def unavailable(_guild_id):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables.servers, "settings", unavailable)
    result = await room.people[0].slash(room.channel, "shithead hand")
    assert "Saving failed, nothing changed." in texts(result.response.components)


async def test_f52_while_another_process_may_have_the_shards_no_click_is_answered(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    room.house.bot.is_serving = lambda: False
    assert not (await person.click(hand, custom_id=play)).acknowledged
    assert not await person.autocomplete(room.channel, "shithead start", "variant", "")
    assert await snapshot(room) == before
    room.house.bot.is_serving = lambda: True
    assert await person.autocomplete(room.channel, "shithead start", "variant", "")
    assert (await person.click(hand, custom_id=play)).acknowledged
    assert (await snapshot(room)).moves == before.moves + 1


async def test_f35_on_a_full_disk_no_table_is_opened_and_it_is_said(room: Room):
    await in_play(room)
    ((pages,),) = stored(room, "PRAGMA page_count")
    no_larger = f"PRAGMA max_page_count = {pages}"
    await room.house.store.database.write(lambda connection: connection.exec_driver_sql(no_larger).close())
    before, said, left = await snapshot(room), "", 9
    channel = room.channel
    while "Saving failed, nothing changed." not in said:
        channel = room.guild.create_text_channel(f"other{left}")
        result = await room.people[left % 4 + 3].slash(
            channel, "shithead start", variant="poytapaska", forfeit="x" * 60
        )
        said, left = texts(result.response.components), left - 1
        assert left
    await room.idle()
    assert channel.last_message is None
    assert await room.tables.play.in_channel(room.guild.id, channel.id) is None
    assert await room.tables.snapshot(before.table.id) == before


async def test_f36_in_a_channel_whose_table_cannot_be_read_another_can_be_opened(room: Room):
    await room.open(seats=2)
    unreadable = room.table_id
    await execute(room.house.store.database, f"UPDATE tables SET pace = 'never' WHERE id = {unreadable}")
    await room.restart()
    cy = room.people[2]
    assert "no table in this channel" in texts((await cy.slash(room.channel, "shithead table")).response.components)
    assert "Classic" in texts((await cy.slash(room.channel, "shithead rules")).response.components)
    await cy.slash(room.channel, "shithead start")
    await room.idle()
    assert room.table_id != unreadable
    assert "Cy" in texts(room.public().components)


@pytest.mark.parametrize("harm", ["UPDATE moves SET move = 'nonsense'", "UPDATE games SET pack = 'Ah Ah'"])
async def test_f36_a_record_that_cannot_be_read_stops_this_game_only_and_it_can_be_ended(
    house: Offline, people: People, harm
):
    bad, *_ = await turn_of(house, *people[:2])
    good = await house.game(*people[:2], channel=5)
    await execute(house.store.database, f"{harm} WHERE table_id = {bad}")
    after = house.another()
    assert (await after.snapshot(bad)).view is None
    assert (await after.snapshot(good)).view is not None
    stopped = await after.play.stop(house.by(people[0], bad))
    assert stopped.table.status == "stopped"
    assert await open_debts(after, 900) == []


@pytest.mark.parametrize("cut", [lambda stock: stock[:-1], lambda stock: (*stock, stock[0])], ids=["none", "two"])
async def test_f37_a_game_in_which_there_is_not_one_of_each_card_is_aborted_without_tea(
    house: Offline, people: People, cards, cut
):
    table, user, move, seen = await turn_of(house, *people[:2])
    live = house.loaded(table)
    assert cards(live) == dict.fromkeys(make_pack(), 1)
    broken = copy(live.state)
    broken.stock = cut(broken.stock)
    house.tables._doorway.adopt(live.but(views=views_of(broken)))
    await house.tables.play.act(house.by(user, table, seen=seen), move)
    snapshot = await house.tables.snapshot(table)
    assert (snapshot.table.status, snapshot.debt) == ("aborted", None)


@pytest.mark.parametrize("first", ["move", "time"])
async def test_f38_a_move_and_the_end_of_its_time_at_the_same_instant_are_one_move(
    house: Offline, people: People, first
):
    table, user, move, seen = await turn_of(house, *people[:2])
    before = (await house.tables.snapshot(table)).moves
    house.time.pass_by(minutes=3)
    await house.tables.timekeeping.time_up(table)
    house.time.pass_by(minutes=1)
    both = [
        house.tables.play.act(house.by(user, table, seen=seen), move),
        house.another().timekeeping.time_up(table),
    ]
    done = await asyncio.gather(*(both if first == "move" else both[::-1]), return_exceptions=True)
    assert all(
        each is None or not isinstance(each, Exception) or instance_of(Declined, each).why is Decline.STALE
        for each in done
    )
    assert (await house.another().snapshot(table)).moves == before + 1


@dataclass
class Machine:
    """A machine whose clock can be set; its doorway and its clock of the tables."""

    house: Any
    ran: float = 0.0

    def __post_init__(self):
        self.steady = SteadyClock(self.house.time, lambda: self.ran)
        self.tables = Tables(self.house.store, randomness=self.house.chance, now=self.steady)
        self.clock = Clock(self.tables, now=self.steady, settle=self.steady.settle, thinking=1.2)
        self.tables.listeners.append(self.clock.changed)

    async def set_clock(self, **forward):
        self.house.time.pass_by(**forward)
        await self.clock.tick()

    async def pass_by(self, seconds):
        self.ran += seconds
        self.house.time.pass_by(seconds=seconds)
        await self.clock.tick()

    async def left(self, table):
        """How long there is still time, by the clock on the wall and by what the next process will read."""
        stored = await stored_table(self.house.store, table)
        assert stored == (await self.tables.snapshot(table)).table
        assert stored.deadline.utcoffset() == timedelta()
        return stored.deadline - self.house.time()


@pytest.mark.parametrize("hours", [5, 24 * 400, -1, -5])
async def test_f39_a_clock_that_is_set_takes_no_time_from_anybody_and_stops_nothing(
    house: Offline, people: People, hours
):
    machine = Machine(house)
    table, *_ = await turn_of(house, *people[:2])
    await machine.clock.start()
    before = await machine.left(table)
    await machine.pass_by(10)
    await machine.set_clock(hours=hours)
    assert await machine.left(table) == before - timedelta(seconds=10)
    await machine.pass_by(60)
    snapshot = await machine.tables.snapshot(table)
    assert (snapshot.table.overdue, [player.away for player in snapshot.table.players]) == (False, [False, False])
    await machine.pass_by((before - timedelta(seconds=69)).total_seconds())
    assert (await machine.tables.snapshot(table)).table.overdue
    await machine.pass_by(61)
    assert (await machine.tables.snapshot(table)).moves == snapshot.moves + 1


@pytest.mark.parametrize("hours", [5, -5])
async def test_f39_a_computer_thinks_as_long_as_ever_when_the_clock_is_set(house: Offline, people: People, hours):
    machine = Machine(house)
    table = await house.game(people[0], computers=1)
    await machine.clock.start()
    await machine.set_clock(hours=hours)
    assert (await machine.tables.snapshot(table)).moves == 0
    await machine.pass_by(2)
    assert (await machine.tables.snapshot(table)).moves > 0


async def test_f39_a_slight_correction_moves_no_deadline(house: Offline, people: People):
    machine = Machine(house)
    table, *_ = await turn_of(house, *people[:2])
    await machine.clock.start()
    before = await stored_table(house.store, table)
    for seconds in (20, -25):
        await machine.set_clock(seconds=seconds)
    assert await stored_table(house.store, table) == before


async def test_f39_a_move_between_the_setting_and_the_next_tick_has_its_usual_time(house: Offline, people: People):
    machine = Machine(house)
    table, user, move, seen = await turn_of(house, *people[:2])
    await machine.clock.start()
    house.time.pass_by(hours=5)
    await machine.tables.play.act(house.by(user, table, seen=seen), move)
    await machine.clock.tick()
    assert await machine.left(table) == timedelta(minutes=3)


@pytest.mark.parametrize("failures", [1, 3, 5])
async def test_f39_a_database_that_is_not_back_yet_when_the_machine_wakes_up_costs_nobody_time(
    house: Offline, people: People, monkeypatch, failures
):
    machine, save = Machine(house), house.store.tables.save
    tables = [await house.game(*people[:2], channel=channel) for channel in range(3)]
    await machine.clock.start()
    before = [await machine.left(table) for table in tables]

    async def connected_again_later(change):
        if errors:
            raise errors.pop()
        return await save(change)

    errors = [UnavailableError("it closed the connection") for _ in range(failures)]
    monkeypatch.setattr(house.store.tables, "save", connected_again_later)
    await machine.set_clock(hours=8)
    for _ in range(4):
        await machine.pass_by(6)
    assert not errors
    assert [await machine.left(table) for table in tables] == [each - timedelta(seconds=24) for each in before]


@pytest.mark.parametrize("slow", [3, 48, 24 * 365 * 56])
async def test_f39_after_a_start_by_a_clock_that_was_slow_nobody_has_much_more_than_a_full_turn(
    house: Offline, people: People, slow
):
    """As on a machine without a battery: it starts in the past, until it is told the time."""
    table, *_ = await turn_of(house, *people[:2])
    lobby = await house.lobby(people[2], channel=5)
    slow_lobby = await house.lobby(people[3], channel=6, pace="slow")
    house.time.pass_by(hours=-slow)
    machine = Machine(house)
    await machine.clock.start()
    await machine.pass_by(20)
    await machine.set_clock(hours=slow)
    assert await machine.left(table) == timedelta(minutes=3 + 1, seconds=-20)
    assert await machine.left(lobby) == timedelta(minutes=15 + 1, seconds=-20)
    assert await machine.left(slow_lobby) <= timedelta(hours=6, minutes=15)


@pytest.mark.parametrize("fast", [3, 48, 24 * 365 * 30])
async def test_f39_what_was_stored_by_a_clock_that_was_fast_does_not_wait_until_then(
    house: Offline, people: People, fast
):
    house.time.pass_by(hours=fast)
    tables = [await house.in_play(*people[:2]), await house.game(people[0], computers=1, channel=6)]
    lobbies = [await house.lobby(people[2], channel=5), await house.lobby(people[3], channel=8, pace="slow")]
    house.time.pass_by(hours=-fast)
    abandoned = await house.game(*people[:2], channel=7)
    house.time.pass_by(hours=fast)
    while not (await house.tables.snapshot(abandoned)).table.is_abandoned:
        house.time.pass_by(minutes=4)
        await house.tables.timekeeping.time_up(abandoned)
    house.time.pass_by(hours=-fast)
    machine = Machine(house)
    await machine.clock.start()
    assert await machine.left(abandoned) == timedelta(minutes=15 + 1)
    most = {"quick": timedelta(minutes=1), "normal": timedelta(minutes=6)}
    for table in tables:
        found = (await machine.tables.snapshot(table)).table
        assert timedelta(minutes=1) <= await machine.left(table) <= most[found.pace]
    assert await machine.left(lobbies[0]) == timedelta(minutes=15 + 1)
    assert await machine.left(lobbies[1]) <= timedelta(hours=6, minutes=15)


@pytest.mark.parametrize("hours", [5, -5])
@pytest.mark.parametrize("meanwhile", ["move", "join"])
async def test_f39_what_begins_while_deadlines_are_shifted_has_its_usual_time(
    house: Offline, people: People, monkeypatch, hours, meanwhile
):
    machine = Machine(house)
    table, user, move, seen = await turn_of(house, *people[:2])
    lobby = await house.lobby(people[2], channel=5)
    await machine.clock.start()
    extend_deadline, before = machine.tables.timekeeping.extend_deadline, await machine.tables.snapshot(table)

    async def extend_later(*shift):
        if meanwhile == "move":
            with suppress(Declined):  # at the second table it is too late
                await machine.tables.play.act(house.by(user, table, seen=seen), move)
        else:
            await machine.tables.lobby.join(house.by(people[3], lobby, id=77))
        await extend_deadline(*shift)

    monkeypatch.setattr(machine.tables.timekeeping, "extend_deadline", extend_later)
    await machine.set_clock(hours=hours)
    after = await machine.tables.snapshot(table)
    assert (after.moves - before.moves, await machine.left(table)) == (meanwhile == "move", timedelta(minutes=3))
    assert not any(player.away for player in after.table.players)
    assert await machine.left(lobby) == timedelta(minutes=15)


@pytest.mark.long
async def test_f40_two_hundred_servers_at_once_lose_no_change_though_few_tables_are_held(house: Offline):
    tables = Tables(house.store, randomness=house.chance, now=house.time, cached=3)

    async def evening(guild):
        host, guest = Person(id=guild * 10, name="Ann"), Person(id=guild * 10 + 1, name="Bob")
        table = (await tables.lobby.open(house.by(host, channel=guild, guild=guild))).table
        await asyncio.gather(
            tables.lobby.join(request_at(table, guest, id=house.click())),
            tables.lobby.change(request_at(table, host, id=house.click()), pace="slow"),
            tables.lobby.add_computer(request_at(table, host, id=house.click())),
        )
        return table.id

    opened = await asyncio.gather(*map(evening, range(1, 201)))
    for table in opened:
        found = (await tables.snapshot(table)).table
        assert (found.revision, len(found.players), found.pace) == (3, 3, "slow")
    assert not tables._doorway._locks


async def test_f50_nothing_is_kept_of_clicks_and_finished_tables(room: Room):
    for _ in range(3):
        await in_play(room)
        await room.confirm(room.people[0], "stop")
        room.hands.clear()
    connection = room.house.bot._connection
    assert not any(connection._view_store._views.values())
    assert not connection._view_store._modals
    assert not room.tables._doorway._locks
    assert not room.house.painter._wanted | room.house.painter._working
    assert room.house.clock.waiting == 0
    assert requests(room, "POST", "/callback")


@pytest.mark.parametrize("place", ["/proc/tables.sqlite3", "nowhere/tables.sqlite3"])
def test_f51_a_database_that_cannot_be_written_is_one_line_and_an_end(tmp_path, place):
    url = f"sqlite:///{place if place.startswith('/') else tmp_path / place}"
    done = begin(url)
    assert done.returncode
    assert len(done.stderr.splitlines()) == 1
    assert "the database cannot be used" in done.stderr


def test_f51_a_full_disk_at_the_start_is_one_line_and_the_next_start_is_clean(tmp_path):
    url = f"sqlite:///{tmp_path}/tables.sqlite3"
    done = begin(url, "ulimit -f 8; ")
    assert done.returncode
    assert len(done.stderr.splitlines()) == 1
    assert "the database cannot be used" in done.stderr
    made = run_to_end(sys.executable, "-m", "bot", "migrate", env={**os.environ, "DATABASE_URL": url})
    assert made.returncode == 0, made.stderr


def begin(url, before=""):
    """Start the bot as a person would; a limit of what it may write is not to cut its modules' bytecode."""
    env = {"PATH": os.environ["PATH"], "DATABASE_URL": url, "DISCORD_TOKEN": "a.b.c", "LOG_LEVEL": "ERROR"}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    command = ["/bin/sh", "-c", f"{before}exec {shlex.quote(sys.executable)} -m bot"]
    return run_to_end(*command, env=env)


async def test_f35_the_end_does_not_wait_for_a_database_that_was_cut_off(monkeypatch):
    class CutOff:
        sync_engine = SimpleNamespace(dispose=lambda close: None)

        async def dispose(self):
            await asyncio.Event().wait()

    monkeypatch.setattr("data.postgres._FAREWELL", 0)
    database = database_at("postgresql://me@127.0.0.1/cards")
    monkeypatch.setattr(database, "engine", CutOff())
    async with asyncio.timeout(HANG):
        await database.close()
