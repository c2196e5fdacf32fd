"""Tea by commands and clicks: what people see, who may do what, and until when."""

import asyncio
import csv
import io
import re
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta

import discord
import pytest
from simcord import MemberActor, ResponseMessage, UserHandle

from cogs import replies, tea_topic
from cogs.screens.components import SELECT, divider, walk
from cogs.screens.debt_screens import (
    correcting_screen,
    debt_screen,
    debts_file,
    debts_screen,
    history_screen,
)
from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES
from cogs.screens.tea_screens import (
    EVERY_STATE,
    WAYS,
    balance_screen,
    board_screen,
    claims_screen,
    reminder_screen,
    tallies_screen,
)
from data.models import Change, Person, Player, Table
from data.tea_models import DebtLine, DebtPage, Tally, TeaDebt
from game.rules import Rules
from tables.snapshots import Request, Undoable
from testkit.channel import Room, ids_on, together
from testkit.debts import new_debt
from testkit.faults import file_of, stored
from testkit.found import not_none
from testkit.made import START, labels, made_balance, made_debt, made_owing, made_page, texts, within_limits
from testkit.offline import prefer
from testkit.shortcuts import finished, manager, play_on, sent_file, sentence
from testkit.stored import execute

FORMATTERS = [formatter(each) for each in LANGUAGES]


async def owing(room: Room, debtor: MemberActor | UserHandle, *creditors, forfeit="", guild=None):
    """Store a lost game; return its debt."""
    store, number, now = room.house.store, room.env.backend.snowflake(), discord.utils.utcnow()
    key = {"id": number, "guild_id": guild or room.guild.id, "channel_id": number, "host_id": debtor.id}
    players = (Player(user_id=debtor.id, name="x", joined_by=1),)
    table = Table(**key, players=players, rules=Rules(), seats=6, created_at=now, forfeit=forfeit)
    await store.tables.open(table, "", number)
    after = table.model_copy(update={"revision": 1, "status": "over"})
    debt = new_debt(table, debtor.id, (each.id for each in creditors), forfeit)
    await store.tables.save(Change(before=table, after=after, at=now, debt=debt))
    return await store.tea.of_game(table, 1)


def asked(room: Room, member: MemberActor, number):
    """A request about a debt, made by one person."""
    return Request(number, Person(id=member.id, name="x"), room.guild.id, room.channel.id)


async def state(room: Room, debt: TeaDebt):
    return (await room.tables.tea.debt(room.guild.id, debt.id)).state


def words(message: ResponseMessage):
    return texts(message.components)


def people(room: Room):
    return room.people[:4]


async def test_the_board_names_whose_round_it_is_and_who_has_never_paid(room: Room):
    ann, bob, cy, dee = people(room)
    for creditors in ((ann, bob), (ann,), (dee,)):
        await owing(room, cy, *creditors)
    await owing(room, bob, ann)
    paid = await owing(room, ann, bob)
    await room.tables.tea.serve(asked(room, bob, 5), paid.id)
    board = (await dee.slash(room.channel, "tea owed")).response
    assert not board.ephemeral
    said = words(board)
    assert f"**<@{cy.id}>** owes the most and makes the next round" in said
    assert f"**<@{cy.id}>** · owes 3 cups of tea 🍵🍵🍵 · has never paid\n-# To <@{ann.id}>\u00a02" in said
    assert f"**<@{bob.id}>** · owes 1 cup of tea 🍵\n-# To <@{ann.id}> · " in said, "nobody is blamed for a first cup"
    assert f"**<@{ann.id}>** · owes nothing\n-# 1 served, 0 received" in said


async def test_other_forfeits_are_named_and_not_called_tea(room: Room):
    ann, bob, _, _ = people(room)
    for forfeit in ("", "", "a pizza", "a *hug*", "a *hug*"):
        await owing(room, bob, ann, forfeit=forfeit)
    board = words((await ann.slash(room.channel, "tea owed")).response)
    assert f"**<@{bob.id}>** · owes 2 cups of tea, a \\*hug\\*\u00a0×2 and a pizza" in board
    claims = (await ann.slash(room.channel, "tea served")).response
    assert words(claims).splitlines()[0] == "## Owed to you"
    assert f"**<@{bob.id}>** · a pizza" in words(claims)


async def test_without_debts_there_is_nothing_to_settle(room: Room):
    ann, bob, *_ = people(room)
    debt = await owing(room, bob, ann)
    assert "Mark served" in labels((await ann.slash(room.channel, "tea owed")).response.components)
    await room.tables.tea.serve(asked(room, ann, 5), debt.id)
    board = (await ann.slash(room.channel, "tea owed")).response
    assert "owes nothing" in words(board)
    assert labels(board.components) == ["My balance", "History", "All time", "Refresh"]
    for command in ("tea served", "tea forgive"):
        claims = (await ann.slash(room.channel, command)).response
        assert labels(claims.components) == ["Undo last"]


async def test_the_board_is_dated_and_anybody_can_bring_it_up_to_date(room: Room):
    ann, bob, *_ = people(room)
    await owing(room, bob, ann)
    board = (await ann.slash(room.channel, "tea owed")).response
    assert re.search(r"^-# As of <t:\d+:R>$", words(board), re.MULTILINE)
    claims = (await room.press(ann, board, "claims")).response
    await room.press(ann, claims, "serve")
    await room.press(bob, board, "reboard")
    assert f"**<@{bob.id}>** · owes nothing" in words(board)
    assert room.public().id == board.id, "the message was edited"
    assert room.notes(bob) == []


async def test_pages_of_a_long_board_are_private(room: Room):
    ann = room.people[0]
    for number in range(9):
        await owing(room, room.env.create_user(f"u{number}"), ann)
    board = (await ann.slash(room.channel, "tea owed")).response
    assert words(board).count("owes 1") == 8
    page = await room.press(ann, board, "board", "1")
    assert page.response.ephemeral
    assert words(page.response).count("owes 1") == 1
    assert "reboard" not in str(ids_on(page.response))
    await room.press(ann, page.response, "board", "0")
    assert words(page.response).count("owes 1") == 8
    totals = (await room.press(ann, board, "alltime")).response
    await room.press(ann, totals, "alltime", "1")
    assert words(totals).count("lost") == 1


@pytest.mark.parametrize(("command", "way"), [("tea served", "serve"), ("tea forgive", "forgive")])
async def test_what_is_owed_to_somebody_is_listed_by_pages_and_the_oldest_come_first(room: Room, command, way):
    ann, bob, *_ = people(room)
    debts = [await owing(room, bob, ann) for _ in range(7)]
    page = (await ann.slash(room.channel, command)).response
    for turned, shown in ((None, debts[:5]), (1, debts[5:]), (0, debts[:5])):
        if turned is not None:
            await room.press(ann, page, "claims", f"{turned}.{way}")
        assert [debt for debt in debts if f"debt {debt.id}\n" in f"{words(page)}\n"] == shown


async def test_among_those_who_are_owed_the_reader_comes_first(room: Room):
    ann, bob, cy, _ = people(room)
    await owing(room, cy, ann, bob)
    for reader, other in ((ann, bob), (bob, ann)):
        assert f"To you and <@{other.id}>" in words((await reader.slash(room.channel, "tea served")).response)


async def test_a_debt_is_forgiven_when_all_creditors_agree(room: Room):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    page = (await ann.slash(room.channel, "tea forgive")).response
    await room.press(ann, page, "forgive")
    assert "Noted. It’s forgiven when everybody who is owed agrees." in words(page)
    assert f"<@{ann.id}> forgives; <@{bob.id}> has not yet" in words(page)
    assert "-# Forgiven if all who are owed agree; a server manager can do it if one is gone" in words(page)
    assert await state(room, debt) == "owed"
    other = (await bob.slash(room.channel, "tea forgive")).response
    await room.press(bob, other, "forgive")
    assert "Forgiven ✓" in words(other)
    assert await state(room, debt) == "forgiven"
    history = sentence(await cy.slash(room.channel, "tea history"))
    assert f"**<@{bob.id}>** forgave <@{cy.id}> a cup of tea 🍵: forgiven by all" in history
    assert f"**<@{ann.id}>** forgives <@{cy.id}> a cup of tea 🍵; not all do yet" in history


async def test_forgiving_can_be_taken_back_until_all_agree(room: Room):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    page = (await ann.slash(room.channel, "tea forgive")).response
    await room.press(ann, page, "forgive")
    await room.press(ann, page, "withdraw")
    assert "Taken back: you no longer forgive it" in words(page)
    assert "forgives" not in words(page)
    other = (await bob.slash(room.channel, "tea forgive")).response
    await room.press(bob, other, "forgive")
    assert await state(room, debt) == "owed"


async def test_any_creditor_can_undo_served_within_ten_minutes(room: Room):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    page = (await ann.slash(room.channel, "tea served")).response
    assert "**Served** settles a debt for everybody who is owed" in words(page)
    await room.press(ann, page, "serve")
    assert "Marked as served ✓" in words(page)
    assert f"Last: a cup of tea 🍵 from <@{cy.id}>, served · undo until" in words(page)
    await room.env.advance_time(599)
    other = (await bob.slash(room.channel, "tea served")).response
    await room.press(bob, other, "undo")
    assert f"Undone: <@{cy.id}> owes it again" in words(other)
    assert await state(room, debt) == "owed"
    assert "undid that" in sentence(await cy.slash(room.channel, "tea history"))


async def test_after_ten_minutes_it_is_too_late_to_undo(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    page = (await ann.slash(room.channel, "tea served")).response
    await room.press(ann, page, "serve")
    old = (await ann.slash(room.channel, "tea served")).response
    await room.env.advance_time(601)
    await room.press(ann, old, "undo")
    assert "too late to undo:** 10 minutes have passed. A server manager can correct it." in words(old)
    fresh = (await ann.slash(room.channel, "tea served")).response
    for shown in (old, fresh):
        assert "undo until" not in words(shown)
        assert "Undo last" not in labels(shown.components)
    assert await state(room, debt) == "served"


async def test_if_nothing_was_settled_there_is_nothing_to_undo(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    for person in (ann, cy):
        page = (await person.slash(room.channel, "tea served")).response
        assert "Undo last" not in labels(page.components)
    assert "There is nothing to undo" in sentence(await press_as(room, ann, f"sh:undo:0:0:{debt.id}"))
    assert "There is no such debt" in sentence(await press_as(room, ann, "sh:undo:0:0:"))


async def test_a_second_undo_is_told_that_somebody_was_faster(room: Room):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    await room.tables.tea.serve(asked(room, ann, 5), debt.id)
    pages = [(await person.slash(room.channel, "tea served")).response for person in (ann, bob)]
    await room.press(ann, pages[0], "undo")
    await room.press(bob, pages[1], "undo")
    assert "Already undone" in words(pages[1])
    assert "Served" in labels(pages[1].components), "it is owed again"


@pytest.mark.parametrize("verb", ["serve", "forgive", "withdraw"])
async def test_a_debt_that_another_creditor_has_settled_leaves_the_list_in_which_it_is_pressed(room: Room, verb):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    page = (await bob.slash(room.channel, "tea served" if verb == "serve" else "tea forgive")).response
    if verb == "withdraw":
        await room.press(bob, page, "forgive")
    await room.tables.tea.serve(asked(room, ann, 5), debt.id)
    shown = len(room.notes(bob))
    await room.press(bob, page, verb)
    assert words(page).startswith("-# **That debt is settled already.**\n")
    assert "Nobody owes you anything." in words(page)
    assert len(room.notes(bob)) == shown


@pytest.mark.parametrize("verb", ["serve", "forgive", "remind", "setdebt"])
async def test_after_a_return_to_an_older_copy_an_old_button_is_not_for_the_debt_that_now_has_its_number(
    room: Room, verb
):
    ann, bob, cy, _ = people(room)
    old = await owing(room, bob, ann)
    boss = await manager(room)
    if verb == "setdebt":
        presser, page = boss, (await boss.slash(room.channel, "tea correct")).response
        await room.choose(boss, page, "debt", str(old.id))
        await room.press(boss, page, "correct", f"{old.id}.cancelled")
    else:
        presser, page = ann, (await ann.slash(room.channel, "tea served")).response
        if verb != "serve":
            await room.press(ann, page, "claims", f"0.{verb}")
    lost = ("tea_history", "tea_creditors", "tea_debts", "counters")
    await execute(room.house.store.database, *(f"DELETE FROM {each}" for each in lost))
    new = await owing(room, cy, ann, forfeit="pizza")
    assert new.id == old.id
    assert "There is no such debt" in sentence(await room.press(presser, page, verb))
    assert await room.tables.tea.debt(room.guild.id, new.id) == new


async def test_only_creditors_can_use_old_or_borrowed_buttons(room: Room):
    ann, bob, cy, dee = people(room)
    debt = await owing(room, cy, ann, bob)
    page = (await ann.slash(room.channel, "tea served")).response
    for verb in ("serve", "forgive", "withdraw", "remind", "undo"):
        button = next(each for each in walk(room.env.backend.messages[room.channel.id][page.id].components)
                      if str(each.get("custom_id", "")).startswith("sh:"))  # fmt: skip
        button["custom_id"] = f"sh:{verb}:{debt.table_id}:0:{debt.id}.0"
        for number in (debt.id, 999, 0, "x", 10**18):
            button["custom_id"] = f"sh:{verb}:{debt.table_id}:0:{number}.0"
            result = await press_as(room, dee, button["custom_id"])
            assert sentence(result).startswith("**"), (verb, number)
    assert await room.tables.tea.debt(room.guild.id, debt.id) == debt


async def press_as(room: Room, person: MemberActor, custom_id):
    """Let somebody press a button that is not theirs, put onto a public message."""
    board = (await person.slash(room.channel, "tea owed")).response
    stored = room.env.backend.messages[room.channel.id][board.id]
    next(each for each in walk(stored.components) if "custom_id" in each)["custom_id"] = custom_id
    return await person.click(board, custom_id=custom_id)


async def test_a_double_click_forgives_once(room: Room):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    page = (await ann.slash(room.channel, "tea forgive")).response
    id_ = next(each for each in ids_on(page) if each.startswith("sh:forgive"))
    results = await together(room.env, ann.click(page, custom_id=id_), ann.click(page, custom_id=id_))
    assert all(result.acknowledged for result in results)
    assert (await room.tables.tea.debt(room.guild.id, debt.id)).changes == 2


async def test_the_end_of_a_game_shows_the_state_of_its_debt(room: Room):
    snapshot = await finished(room)
    loser, winner = room.people[not_none(snapshot.view.shithead)], room.people[1 - not_none(snapshot.view.shithead)]
    served = await room.press(winner, room.public(), "served")
    said = sentence(served)
    assert f"**<@{loser.id}>** · a cup of tea 🍵: served ✓\n-# Too early? **Undo last** takes it back within 10" in said
    assert "You settled it for" not in said, "there are no other creditors"
    assert f"Owed **{winner.name.title()}** a cup of tea 🍵: served ✓" in words(room.public())
    await room.press(winner, served.response, "undo")
    assert "Owes **" in words(room.public())
    page = (await winner.slash(room.channel, "tea forgive")).response
    await room.press(winner, page, "forgive")
    assert "forgiven ✓" in words(room.public())
    assert "Mark served" not in labels(room.public().components)
    boss = await manager(room)
    await corrected(room, boss, "cancelled")
    assert "cancelled" in words(room.public())
    assert loser.name.title() in words(room.public())


async def test_the_end_of_a_game_shows_the_state_of_its_debt_after_a_restart(room: Room):
    snapshot = await finished(room)
    winner = room.people[1 - not_none(snapshot.view.shithead)]
    await room.restart()
    page = (await winner.slash(room.channel, "tea served")).response
    await room.press(winner, page, "serve")
    end = next(m for m in room.env.backend.messages[room.channel.id].values() if "shithead" in str(m.components))
    assert "served ✓" in texts(end.components)


async def corrected(room: Room, boss: MemberActor, state_):
    """Let a manager correct the last debt, by clicks."""
    page = (await boss.slash(room.channel, "tea correct")).response
    newest = next(each for each in walk(page.components) if each["type"] == SELECT)["options"][0]["value"]
    await room.choose(boss, page, "debt", newest)
    await room.press(boss, page, "correct", f"{newest}.{state_}")
    await room.press(boss, page, "setdebt")
    return page


async def test_a_manager_can_correct_a_debt_at_any_time_and_the_history_says_who(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    await room.tables.tea.serve(asked(room, ann, 5), debt.id)
    await room.env.advance_time(3600)
    boss = await manager(room)
    page = await corrected(room, boss, "owed")
    assert "Corrected ✓" in words(page)
    assert await state(room, debt) == "owed"
    history = sentence(await cy.slash(room.channel, "tea history"))
    assert f"**<@{boss.id}>**, a server manager, set a cup of tea 🍵 from <@{cy.id}> to: owed" in history


async def test_a_correction_asks_first_and_can_be_declined(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    boss = await manager(room)
    page = (await boss.slash(room.channel, "tea correct")).response
    await room.choose(boss, page, "debt", str(debt.id))
    await room.press(boss, page, "correct", f"{debt.id}.cancelled")
    assert f"**Set debt {debt.id} from owed to cancelled?**" in words(page)
    await room.press(boss, page, "debt")
    assert f"## Debt {debt.id}" in words(page)
    assert await state(room, debt) == "owed"


async def test_a_forfeit_of_sixty_characters_is_taken_whole(room: Room):
    await room.open(forfeit="w" * 60)
    assert f"The loser owes the others: {'w' * 60}" in words(room.public())


async def test_what_was_typed_as_the_forfeit_of_a_cancelled_debt_is_found_nowhere_any_more(room: Room):
    typed = "the phone number of Bob"
    await room.start(seats=2, forfeit=typed)
    ended = await play_on(room)
    boss = await manager(room)
    page = (await boss.slash(room.channel, "tea correct")).response
    await room.choose(boss, page, "debt", str(ended.debt.id))
    await room.press(boss, page, "correct", f"{ended.debt.id}.cancelled")
    assert "What was typed as the forfeit is deleted for good." in words(page)
    await room.press(boss, page, "setdebt")
    await room.idle()
    history = sentence(await boss.slash(room.channel, "tea history"))
    assert f"set … from <@{ended.debt.debtor_id}> to: cancelled" in history
    loser = next(each for each in room.people if each.id == ended.debt.debtor_id)
    file = await sent_file(await boss.slash(room.channel, "tea export")).read()
    own = await sent_file(await loser.slash(room.channel, "shithead privacy export")).read()
    shown = "".join((history, words(page), words(room.public()), file.decode(), own.decode()))
    assert typed not in shown
    assert ": cancelled" in words(room.public())
    rows = [row for name in ("tables", "tea_debts", "tea_history") for row in stored(room, f"SELECT * FROM {name}")]
    assert typed not in str(rows)
    await room.press(loser, room.public(), "rematch")
    await room.idle()
    assert "The loser owes the others: …" in words(room.public())
    assert typed not in words(room.public())


async def test_the_lobby_of_a_rematch_no_longer_shows_the_forfeit_of_a_cancelled_debt(room: Room):
    await room.start(seats=2, forfeit="the phone number of Bob")
    ended = await play_on(room)
    loser = next(each for each in room.people if each.id == ended.debt.debtor_id)
    await room.press(loser, room.public(), "rematch")
    await room.idle()
    assert "The loser owes the others: the phone number of Bob" in words(room.public())
    boss = await manager(room)
    page = await corrected(room, boss, "cancelled")
    assert "the phone number of Bob" not in words(page)
    await room.idle()
    assert "The loser owes the others: …" in words(room.public())


async def test_a_debt_that_is_corrected_otherwise_keeps_what_was_typed(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann, forfeit="a pizza")
    boss = await manager(room)
    for state_ in ("served", "owed"):
        await corrected(room, boss, state_)
    assert (await room.tables.tea.debt(room.guild.id, debt.id)).forfeit == "a pizza"
    assert stored(room, "SELECT forfeit FROM tables") == [("a pizza",)]


@pytest.mark.parametrize(
    ("state_", "forfeit", "is_told"),
    [("cancelled", "a pizza", True), ("cancelled", "", False), ("served", "a pizza", False)],
)
def test_a_manager_is_asked_first_where_a_correction_deletes_what_was_typed(state_, forfeit, is_told):
    asking = correcting_screen(formatter(), made_debt(1, 100, 101, forfeit=forfeit), state_)
    assert ("What was typed as the forfeit is deleted for good." in texts(asking)) is is_told


@pytest.mark.parametrize("fmt", FORMATTERS, ids=LANGUAGES)
def test_what_a_debt_can_be_set_to_is_called_on_its_button_as_in_the_question(fmt):
    debt = made_debt(1, 100, 101)
    buttons = labels(debt_screen(fmt, debt, []))[: len(EVERY_STATE)]
    questions = [texts(correcting_screen(fmt, debt, each)).splitlines()[0] for each in EVERY_STATE]
    assert [label.lower() in question for label, question in zip(buttons, questions, strict=True)] == [True] * 4


def test_between_a_debt_and_what_it_can_be_set_to_is_one_divider_if_its_history_cannot_be_read():
    (page,) = debt_screen(formatter(), made_debt(1, 100, 101), [])
    assert page["components"].count(divider()) == 1


async def test_a_correction_says_that_forgivers_are_asked_again_only_where_they_are(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    boss = await manager(room)
    page = await corrected(room, boss, "forgiven")
    for forgiven, is_told in ((False, False), (True, True)):
        if forgiven:
            await corrected(room, boss, "owed")
            await room.tables.tea.forgive(asked(room, ann, 5), debt.id)
        page = (await boss.slash(room.channel, "tea correct")).response
        await room.choose(boss, page, "debt", str(debt.id))
        await room.press(boss, page, "correct", f"{debt.id}.owed")
        assert ("asked again" in words(page)) is is_told


async def test_creditors_cannot_undo_a_correction(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    await corrected(room, await manager(room), "served")
    page = (await ann.slash(room.channel, "tea served")).response
    assert "Undo last" not in labels(page.components)
    assert "There is nothing to undo" in sentence(await press_as(room, ann, f"sh:undo:0:0:{debt.id}"))
    assert await state(room, debt) == "served"


async def test_a_debt_that_changed_meanwhile_is_not_corrected(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    boss = await manager(room)
    page = (await boss.slash(room.channel, "tea correct")).response
    await room.choose(boss, page, "debt", str(debt.id))
    await room.press(boss, page, "correct", f"{debt.id}.cancelled")
    await room.tables.tea.serve(asked(room, ann, 5), debt.id)
    assert "changed just now" in sentence(await room.press(boss, page, "setdebt"))
    assert await state(room, debt) == "served"


async def test_corrections_are_only_for_managers_of_the_server(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    assert "Only people who can manage this server" in sentence(await ann.slash(room.channel, "tea correct"))
    for verb, argument in (("debts", "0"), ("debt", "1"), ("correct", "1.served"), ("setdebt", "1.served")):
        result = await press_as(room, ann, f"sh:{verb}:1:1:{argument}")
        assert "Only people who can manage this server" in sentence(result)
    assert await room.tables.tea.debt(room.guild.id, debt.id) == debt


async def test_old_and_forged_buttons_for_corrections_change_nothing(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    boss = await manager(room)
    for revision, argument, why in (
        (9, "served", "changed just now"),
        (1, "drunk", "no such debt"),
        (1, "owed", "Already done"),
    ):
        for verb in ("correct", "setdebt"):
            if (verb, argument) == ("correct", "owed"):
                continue
            result = await press_as(room, boss, f"sh:{verb}:{debt.table_id}:{revision}:{debt.id}.{argument}")
            assert why in sentence(result), (verb, argument)
    assert await room.tables.tea.debt(room.guild.id, debt.id) == debt


async def test_marking_served_without_a_debt_is_refused(room: Room):
    ann, _, cy, _ = people(room)
    await owing(room, cy, ann)
    await room.open(seats=2)
    result = await press_as(room, ann, f"sh:served:{room.table_id}:0")
    assert "There is no such debt" in sentence(result)


async def test_the_list_of_debts_to_correct_has_pages(room: Room):
    ann, _, cy, _ = people(room)
    made = [await owing(room, cy, ann) for _ in range(27)]
    boss = await manager(room)
    page = (await boss.slash(room.channel, "tea correct")).response
    listed = next(each for each in walk(page.components) if each["type"] == SELECT)["options"]
    assert [each["value"] for each in listed] == [str(each.id) for each in made[:1:-1]]
    await room.press(boss, page, "debts", "1")
    listed = next(each for each in walk(page.components) if each["type"] == SELECT)["options"]
    assert [each["value"] for each in listed] == [str(each.id) for each in made[1::-1]]


async def test_whoever_is_owed_what_another_marked_as_served_reads_who_can_put_that_right(room: Room):
    ann, bob, cy, _ = people(room)
    empty = words((await bob.slash(room.channel, "tea history")).response)
    debt = await owing(room, cy, ann, bob)
    await room.tables.tea.serve(asked(room, ann, 5), debt.id)
    ask = "-# If a debt is wrong, a server manager can correct it with `/tea correct`"
    for command in ("tea served", "tea forgive", "tea history"):
        assert ask in words((await bob.slash(room.channel, command)).response)
    assert ask not in empty


async def test_the_history_has_pages_and_can_be_of_one_person(room: Room):
    ann, bob, cy, _ = people(room)
    for _ in range(9):
        await owing(room, cy, ann)
    await owing(room, bob, ann)
    page = (await ann.slash(room.channel, "tea history")).response
    assert words(page).count("lost and owes") == 8
    await room.press(ann, page, "deeds", "1")
    assert words(page).count("lost and owes") == 2
    only = (await ann.slash(room.channel, "tea history", player=bob)).response
    assert f"Only <@{bob.id}>" in words(only)
    assert words(only).count("lost and owes") == 1
    nobody = f"{10**19 - 1}"  # more than a column holds
    assert f"Only <@{nobody}>" in sentence(await press_as(room, ann, f"sh:deeds:0:0:0.{nobody}"))


async def test_the_balance_is_shown_and_settles_nothing(room: Room):
    ann, bob, cy, _ = people(room)
    made = [
        await owing(room, bob, ann, cy),
        await owing(room, bob, ann),
        await owing(room, ann, bob),
        await owing(room, ann, cy, forfeit="a pizza"),
    ]
    board = (await cy.slash(room.channel, "tea owed")).response
    mine = (await room.press(ann, board, "balance")).response
    assert mine.ephemeral
    assert f"**<@{bob.id}>** owes you 2 cups of tea, you owe 1 cup of tea" in words(mine)
    assert f"-# Overall, <@{bob.id}> owes you 1 cup of tea" in words(mine)
    assert f"You owe **<@{cy.id}>** a pizza" in words(mine)
    his = (await room.press(bob, board, "balance")).response
    assert f"-# Overall, you owe <@{ann.id}> 1 cup of tea" in words(his)
    assert [await state(room, each) for each in made] == ["owed"] * 4
    stranger = (await room.press(room.people[5], board, "balance")).response
    assert "You owe nothing, and nobody owes you anything." in words(stranger)


@pytest.mark.parametrize(
    ("theirs", "mine", "said"),
    [
        (["", ""], [""], "-# Overall, <@2> owes you 1 cup of tea"),
        ([""], ["", ""], "-# Overall, you owe <@2> 1 cup of tea"),
        ([""], [""], "-# Overall, nobody owes anything"),
        (["", "a pie"], ["", "cake"], "-# Overall, <@2> owes you a pie, and you owe <@2> cake"),
        (["a pie"], ["cake"], "**<@2>** owes you a pie, you owe cake"),
    ],
)
def test_the_balance_compares_only_equal_forfeits(theirs, mine, said):
    debts = [long_debt(n, 2, creditor_ids=(1, 3), forfeit=each) for n, each in enumerate(theirs)]
    debts += [long_debt(n, 1, creditor_ids=(2, 3), forfeit=each) for n, each in enumerate(mine, 9)]
    snapshot = texts(balance_screen(formatter(), *made_balance(debts, 1)))
    assert said in snapshot
    assert ("Overall," in snapshot) == bool(set(theirs) & set(mine))


def test_the_balance_keeps_its_order_among_people_who_owe_equally_much():
    owing = (2**60 + 7, 30, 3, 20, 10)  # a page that is turned must not show anybody twice or leave anybody out
    debts = [long_debt(n, each, creditor_ids=(1,)) for n, each in enumerate(owing, 1)]
    snapshot = texts(balance_screen(formatter(), *made_balance(debts, 1)))
    assert re.findall(r"<@(\d+)>", snapshot) == [str(each) for each in sorted(owing)]


@pytest.mark.parametrize(("way", "word"), [("serve", "Served"), ("forgive", "Forgive"), ("remind", "Remind")])
def test_a_screen_reader_hears_which_of_several_debts_a_button_is_for(way, word):
    debts = [made_debt(number, 1, 2) for number in (7, 12)]
    both, one = (claims_screen(formatter(), made_page(owed), 2, way) for owed in (debts, debts[1:]))
    assert labels(both)[:2] == [f"{word} #7", f"{word} #12"]
    assert "· debt 7\n" in texts(both)
    assert labels(one)[0] == word
    assert "debt 12" not in texts(one)


async def test_in_text_mode_no_cup_is_drawn(room: Room):
    ann, bob, _, _ = people(room)
    for _ in range(2):
        await owing(room, bob, ann)
    await prefer(room.tables, room.guild.id, ann.id, text_mode=True)
    board = (await ann.slash(room.channel, "tea owed")).response
    mine = (await room.press(ann, board, "balance")).response
    assert f"**<@{bob.id}>** owes you 2 cups of tea" in words(mine)
    claims = (await ann.slash(room.channel, "tea served")).response
    assert f"**<@{bob.id}>** · a cup of tea" in words(claims)
    history = (await ann.slash(room.channel, "tea history")).response
    assert f"**<@{bob.id}>** lost and owes <@{ann.id}> a cup of tea" in words(history)
    assert "🍵" not in words(mine) + words(claims) + words(history)


async def test_all_time_counts_lost_served_forgiven_and_open(room: Room):
    ann, bob, cy, _ = people(room)
    made = [await owing(room, cy, ann) for _ in range(4)]
    await room.tables.tea.serve(asked(room, ann, 1), made[0].id)
    await room.tables.tea.forgive(asked(room, ann, 2), made[1].id)
    await corrected(room, await manager(room), "cancelled")
    board = (await bob.slash(room.channel, "tea owed")).response
    page = (await room.press(bob, board, "alltime")).response
    assert f"**<@{cy.id}>** · lost 3\n-# 1 served · 1 forgiven · 1 open · 0 received" in words(page)
    assert f"**<@{ann.id}>** · lost 0\n-# 0 served · 0 forgiven · 0 open · 1 received" in words(page)
    assert f"<@{bob.id}>" not in words(page)
    for each in (ann, cy):
        await prefer(room.tables, room.guild.id, each.id, uncounted=True)
    page = (await room.press(bob, board, "alltime")).response
    assert "Nothing to count. People who were forgotten, or turned statistics off, are left out." in words(page)


def test_all_time_lists_first_who_lost_most_and_nobody_without_a_debt():
    tallies = [Tally(1, received=1), Tally(2, served=1), Tally(3), Tally(4, owed=1, forgiven=1), Tally(5, owed=1)]
    said = texts(tallies_screen(formatter(), tallies))
    assert re.findall(r"<@(\d)>.* lost (\d)", said) == [("4", "2"), ("5", "1"), ("2", "1"), ("1", "0")]


async def test_the_history_of_somebody_without_debts_speaks_of_them_alone(room: Room):
    ann, bob, cy, _ = people(room)
    await owing(room, cy, ann)
    page = (await ann.slash(room.channel, "tea history", player=bob)).response
    assert words(page).endswith(f"Only <@{bob.id}>\nNo debts and no payments yet.")


async def test_a_reminder_mentions_only_the_debtor_and_only_once_a_day(room: Room):
    ann, bob, cy, _ = people(room)
    await owing(room, cy, ann, bob)
    page = (await ann.slash(room.channel, "tea served")).response
    await room.press(ann, page, "claims", "0.remind")
    assert "at most once a day for each debt" in words(page)
    sent = await room.press(ann, page, "remind")
    assert not sent.response.ephemeral
    assert f"<@{cy.id}>, you still owe <@{ann.id}> and <@{bob.id}> a cup of tea 🍵" in words(sent.response)
    callback = [each.json for each in room.env.http_requests if "callback" in each.path][-1]
    assert callback["data"]["allowed_mentions"]["users"] in ([cy.id], [str(cy.id)])
    assert not callback["data"]["allowed_mentions"].get("parse")
    other = (await bob.slash(room.channel, "tea served")).response
    await room.press(bob, other, "claims", "0.remind")
    assert "reminded <t:" in words(other).lower()
    assert "already been reminded of it" in sentence(await room.press(bob, other, "remind"))
    await room.env.advance_time(24 * 3600)
    again = (await bob.slash(room.channel, "tea served")).response
    await room.press(bob, again, "claims", "0.remind")
    assert not (await room.press(bob, again, "remind")).response.ephemeral


async def test_under_a_reminder_the_debtor_can_turn_reminders_off(room: Room):
    ann, _, cy, _ = people(room)
    await owing(room, cy, ann)
    await owing(room, cy, ann)
    page = (await ann.slash(room.channel, "tea served")).response
    await room.press(ann, page, "claims", "0.remind")
    sent = (await room.press(ann, page, "remind")).response
    told = (await room.press(cy, sent, "noping")).response
    assert "You won’t be reminded here any more." in words(told)
    assert "They have turned reminders off here." in sentence(await room.press(ann, page, "remind", nth=1))


async def test_a_reminder_that_takes_long_is_public_too(room: Room, monkeypatch):
    ann, _, cy, _ = people(room)
    await owing(room, cy, ann)
    page = (await ann.slash(room.channel, "tea served")).response
    await room.press(ann, page, "claims", "0.remind")
    real = room.tables.tea.remind

    async def slowly(*given, **options):
        await asyncio.sleep(600)
        return await real(*given, **options)

    monkeypatch.setattr(replies, "DEFER_AFTER", 0.02)
    monkeypatch.setattr(room.tables.tea, "remind", slowly)
    result = await room.press(ann, page, "remind")
    await room.env.advance_time(600)
    sent = result.followups[-1]
    assert not sent.ephemeral
    posted = [each.json for each in room.env.http_requests if each.path.startswith("/webhooks/")][-1]
    assert [*map(int, posted["allowed_mentions"]["users"])] == [cy.id]
    assert f"<@{cy.id}>, you still owe <@{ann.id}>" in texts(sent.components)


async def test_debtors_who_want_no_reminders_get_none(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    await prefer(room.tables, room.guild.id, cy.id, quiet=True)
    page = (await ann.slash(room.channel, "tea served")).response
    await room.press(ann, page, "claims", "0.remind")
    assert "They have turned reminders off here." in sentence(await room.press(ann, page, "remind"))
    assert (await room.tables.tea.debt(room.guild.id, debt.id)).reminded_at is None


async def test_a_forgotten_debtor_is_a_former_player_everywhere_and_still_owes(room: Room):
    ann, bob, cy, _ = people(room)
    debt = await owing(room, cy, ann, bob)
    await room.tables.people.forget(cy.id)
    board = (await ann.slash(room.channel, "tea owed")).response
    assert "**Former player** · owes 1" in words(board)
    page = (await ann.slash(room.channel, "tea forgive")).response
    await room.press(ann, page, "claims", "0.remind")
    assert not [each for each in ids_on(page) if each.startswith("sh:remind")]
    await room.tables.people.forget(bob.id)
    await room.press(ann, page, "claims", "0.serve")
    await room.press(ann, page, "claims", "0.forgive")
    await room.press(ann, page, "forgive")
    assert await state(room, debt) == "forgiven"
    seen = words(page) + sentence(await ann.slash(room.channel, "tea history"))
    assert f"<@{cy.id}>" not in seen
    assert f"<@{bob.id}>" not in seen


def test_if_all_other_creditors_were_forgotten_the_last_one_can_forgive():
    debt = long_debt(creditor_ids=(-1, 5), forgiven_by=(5,), forfeit="")
    page = claims_screen(formatter(), made_page([debt]), 5, "forgive")
    assert "-# <@5> forgives" in texts(page).splitlines()
    assert "Forgive" in labels(page)


async def test_the_file_has_a_row_for_each_debt_and_no_formula(room: Room):
    ann, bob, cy, _ = people(room)
    first = await owing(room, cy, ann, bob)
    await owing(room, cy, ann, forfeit='=HYPERLINK("x"), "and"')
    await owing(room, bob, ann, forfeit="@all")
    await room.tables.tea.serve(asked(room, ann, 5), first.id)
    await room.tables.people.forget(bob.id)
    sent = await room.people[5].slash(room.channel, "tea export")
    assert "3 debts, as a table for a spreadsheet." in sentence(sent)
    data = await sent_file(sent).read()
    assert data.startswith(b"\xef\xbb\xbfid,date,debtor,")
    assert data.count(b"\r\n") == 4
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert [row["id"] for row in rows] == ["1", "2", "3"]
    assert [row["forfeit"] for row in rows] == ["tea", '\'=HYPERLINK("x"), "and"', "'@all"]
    assert [row["state"] for row in rows] == ["served", "owed", "owed"]
    assert (rows[0]["debtor"], rows[0]["creditors"]) == (str(cy.id), f"former-1 {ann.id}")
    assert (rows[0]["settled_by"], rows[2]["debtor"]) == (str(ann.id), "former-1")
    assert "Cy" not in data.decode()


def double(room: Room):
    """Set all debts to a state that only a newer version knows."""
    with closing(sqlite3.connect(file_of(room))) as connection, connection:
        connection.execute("UPDATE tea_debts SET state = 'doubled'")


async def test_a_debt_in_a_state_of_a_newer_version_is_in_the_file_and_can_be_corrected(room: Room):
    ann, _, cy, _ = people(room)
    debt = await owing(room, cy, ann)
    double(room)
    data = await sent_file(await ann.slash(room.channel, "tea export")).read()
    assert [row["state"] for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))] == ["doubled"]
    page = await corrected(room, await manager(room), "served")
    assert "Corrected ✓" in words(page)
    assert await state(room, debt) == "served"


async def test_a_game_whose_debt_is_in_a_state_of_a_newer_version_can_be_played_again(room: Room):
    await room.start(seats=2)
    await play_on(room)
    double(room)
    await room.restart()
    await room.people[0].slash(room.channel, "shithead table")
    await room.idle()
    assert "\nOwed <@" in words(room.public())
    await room.press(room.people[0], room.public(), "rematch")
    await room.idle()
    assert "-# Rematch · 1 of 6 seats" in words(room.public())


async def test_the_file_is_written_beside_the_clicks(room: Room, monkeypatch):
    ann, _, cy, _ = people(room)
    await owing(room, cy, ann)
    written_in = []

    def noted(debts):
        written_in.append(threading.current_thread())
        return debts_file(debts)

    monkeypatch.setattr(tea_topic, "debts_file", noted)
    assert sent_file(await ann.slash(room.channel, "tea export"))
    assert written_in
    assert threading.main_thread() not in written_in


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_in_the_file_begins_like_a_formula(start):
    data = debts_file([long_debt(forfeit=f"{start}1+1")]).decode("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(data, newline="")))["forfeit"] == f"'{start}1+1"


async def test_debts_of_another_server_are_not_seen_or_changed(room: Room):
    ann, _, cy, _ = people(room)
    other = room.env.create_guild()
    await owing(room, cy, ann, guild=other.id)
    debt = await owing(room, cy, ann, guild=other.id)  # each server counts its own debts, so that none here has its id
    assert "Nobody owes anything" in words((await ann.slash(room.channel, "tea owed")).response)
    await owing(room, cy, ann)  # so that there is a board with buttons
    result = await press_as(room, ann, f"sh:serve:{debt.table_id}:0:{debt.id}.0")
    assert "There is no such debt" in sentence(result)
    assert (await room.tables.tea.debt(other.id, debt.id)).state == "owed"


def long_debt(number=1, debtor=10**18, **changes):
    """A debt with a long forfeit and as many creditors as there can be."""
    many = range(2 * 10**18, 2 * 10**18 + 11)
    whole = {
        "forfeit": f"{number} *_~`|<>#[]() " + "W" * 40,
        "settled_at": START + timedelta(hours=1),
        "settled_by": many[0],
        "forgiven_by": tuple(many[:8]),
        "reminded_at": START,
    }
    return made_debt(number, debtor, *many, **(whole | changes))


@pytest.mark.parametrize("fmt", FORMATTERS, ids=LANGUAGES)
def test_every_screen_of_many_long_debts_is_within_discords_limits(fmt):
    debts = [long_debt(n, 10**18 + n % 13) for n in range(1, 80)]
    reader = debts[0].creditor_ids[0]
    tallies = [Tally(10**18 + n, 9, 9, 9, 9) for n in range(30)]
    for page in (0, 1, 99):
        within_limits(board_screen(fmt, made_owing(debts), tallies, page, START))
        within_limits(tallies_screen(fmt, tallies, page))
        within_limits(balance_screen(fmt, *made_balance([*debts, long_debt(90, reader)], reader), page))
        for way in WAYS:
            owed, last = made_page(debts[:5], min(page, 2), 3), Undoable(debts[0], START)
            within_limits(claims_screen(fmt, owed, reader, way, last, "Done ✓"))
    for debt in debts[:3]:
        lines = [line_of(debt, deed) for deed in ("made", "served", "forgiven", "withdrawn", "undone", "corrected")]
        within_limits(history_screen(fmt, [*lines, *lines][:8], 3, reader, more=True))
        within_limits(debt_screen(fmt, debt, lines, "Done ✓"))
        for each in EVERY_STATE:
            within_limits(correcting_screen(fmt, debt, each))
        assert len(texts(reminder_screen(fmt, debt, reader))) < 2000
    within_limits(debts_screen(fmt, debts[:25], 1, more=True))
    within_limits(balance_screen(fmt, {}, {}))
    for each in (board_screen(fmt, [], [], 0, START), tallies_screen(fmt, []), history_screen(fmt, [], 0, 0)):
        within_limits(each)
    within_limits(claims_screen(fmt, DebtPage(), 1, "serve"))
    within_limits(debts_screen(fmt, []))


def line_of(debt: TeaDebt, deed):
    return DebtLine(debt.id, 2, debt.debtor_id, debt.creditor_ids, debt.forfeit, deed, "forgiven", 10**18, START)


@pytest.mark.parametrize(("owed", "said"), [(8, f"owes 8 cups of tea {'🍵' * 8}\n"), (12, "owes 12 cups of tea\n")])
def test_the_board_says_in_words_what_is_owed_however_much_it_is(owed, said):
    debts = [made_debt(number, 1, 2) for number in range(owed)]
    assert f"**<@1>** · {said}" in texts(board_screen(formatter(), made_owing(debts), [], 0, START))


def test_of_those_who_owe_nothing_the_board_lists_first_who_has_served_most():
    tallies = [Tally(1, served=1), Tally(2, served=1, received=2), Tally(3, served=4), Tally(4, forgiven=1)]
    tallies.append(Tally(5, owed=1, served=9))
    board = board_screen(formatter(), made_owing([made_debt(1, 5, 6)]), tallies, 0, START)
    told = re.findall(r"<@(\d)>\*\* · (owes \w+)", texts(board))
    assert told == [("5", "owes 1"), *((each, "owes nothing") for each in "321")]


async def test_marking_served_updates_every_open_hand(followed: Room):
    snapshot, room = await finished(followed), followed
    debtor, *_ = (each for each in room.people if each.id == snapshot.debt.debtor_id)
    creditor, *_ = (each for each in room.people if each.id in snapshot.debt.creditor_ids)
    hand = (await debtor.slash(room.channel, "shithead hand")).response
    assert "You owe " in texts(hand.components)
    await room.press(creditor, room.public(), "served")
    await room.house.hands.idle()
    await room.env.settle()
    assert f"You owed **{creditor.name.title()}** a cup of tea 🍵: served ✓" in texts(hand.components)
    assert "You owe " not in texts(hand.components)


async def test_the_tea_board_is_public_and_its_button_shows_ones_own_claims(room: Room):
    snapshot = await finished(room)
    loser, winner = room.people[not_none(snapshot.view.shithead)], room.people[1 - not_none(snapshot.view.shithead)]
    board = (await loser.slash(room.channel, "tea owed")).response
    assert not board.ephemeral
    assert f"<@{loser.id}>** owes the most and makes the next round" in texts(board.components)
    claims = await room.press(winner, board, "claims")
    assert claims.response.ephemeral
    await room.press(winner, claims.response, "serve")
    assert "Marked as served" in texts(claims.response.components)
    mine = await room.press(loser, board, "claims")
    assert "Nobody owes you anything" in texts(mine.response.components)
