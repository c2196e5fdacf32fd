"""Debts and settings: the contract of the store, on both kinds of database."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from data.errors import ConflictError, DoubledError
from data.models import Change, DebtDraft, GuildSettings, Player, Table
from data.schema import metadata, tea_history
from game.rules import Rules

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GUILD, ANN, BOB, CY = 11, 33, 44, 55


async def debt(store, debtor, creditors, *, channel=1, guild=GUILD, at=NOW, interaction=None):
    players = (Player(user_id=debtor, name="x", joined_by=1),)
    interaction = interaction or channel + debtor * 100 + guild * 10000
    table = Table(
        id=interaction,
        guild_id=guild,
        channel_id=channel,
        host_id=debtor,
        players=players,
        rules=Rules(),
        seats=6,
        created_at=at,
    )
    await store.tables.open(table, "", interaction)
    after = table.model_copy(update={"revision": 1, "status": "over"})
    draft = DebtDraft(debtor_id=debtor, creditor_ids=creditors, forfeit="")
    await store.tables.save(Change(before=table, after=after, at=at, debt=draft))
    return await store.tea.of_game(table, 1)


async def test_debts_are_numbered_and_found_by_who_is_owed(store):
    first = await debt(store, ANN, (BOB, CY))
    second = await debt(store, BOB, (CY,), channel=2)
    await debt(store, BOB, (CY,), guild=12)
    assert (first.id, second.id) == (1, 2)
    assert await store.tea.owed(GUILD) == [first, second]
    assert await store.tea.owed_to(GUILD, BOB) == [first]
    assert await store.tea.owed_to(GUILD, CY) == [first, second]
    assert await store.tea.owed_to(GUILD, ANN) == []
    assert await store.tea.get(GUILD, 2) == second
    assert await store.tea.get(GUILD, 3) is None


async def test_serving_settles_a_debt_once(store):
    made = await debt(store, ANN, (BOB, CY))
    later = NOW + timedelta(hours=1)
    served = await store.tea.settle(made, "served", BOB, later, interaction_id=900)
    assert (served.state, served.settled_by, served.settled_at) == ("served", BOB, later)
    assert await store.tea.get(GUILD, made.id) == served
    assert await store.tea.owed(GUILD) == []
    with pytest.raises(ConflictError):
        await store.tea.settle(made, "served", CY, later, interaction_id=901)
    with pytest.raises(DoubledError):
        await store.tea.settle(served, "owed", BOB, later, interaction_id=900)
    assert not await store.tables.was_applied(GUILD, 901)


async def test_of_two_who_serve_at_once_one_does(store):
    made = await debt(store, ANN, (BOB, CY))
    tries = [store.tea.settle(made, "served", who, NOW, interaction_id=who) for who in (BOB, CY)]
    done = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["ConflictError", "TeaDebt"]


async def test_every_change_of_a_debt_is_in_its_history(store):
    made = await debt(store, ANN, (BOB,))
    served = await store.tea.settle(made, "served", BOB, NOW, interaction_id=1)
    back = await store.tea.settle(served, "owed", BOB, NOW, interaction_id=2)
    assert back == made
    async with store._database.reading() as connection:
        rows = await connection.execute(sa.select(tea_history.c.n, tea_history.c.state).order_by(tea_history.c.n))
        assert [tuple(row) for row in rows] == [(1, "owed"), (2, "served"), (3, "owed")]


async def test_the_latest_changes_come_first(store):
    first = await debt(store, ANN, (BOB,))
    second = await debt(store, BOB, (CY,), channel=2, at=NOW + timedelta(minutes=1))
    assert [each.id for each in await store.tea.latest(GUILD, 9)] == [second.id, first.id]
    await store.tea.settle(first, "served", BOB, NOW + timedelta(minutes=2), interaction_id=1)
    assert [each.id for each in await store.tea.latest(GUILD, 9)] == [first.id, second.id]
    assert len(await store.tea.latest(GUILD, 1)) == 1


async def test_settings_are_the_defaults_until_they_are_chosen(store):
    assert await store.guilds.get(GUILD) == GuildSettings(guild_id=GUILD)
    chosen = GuildSettings(guild_id=GUILD, locale="de", polite=True, variant="karma", nudge_seconds=0)
    await store.guilds.put(chosen)
    await store.guilds.put(chosen.model_copy(update={"polite": False}))
    assert await store.guilds.get(GUILD) == chosen.model_copy(update={"polite": False})


async def test_forgetting_a_server_leaves_no_row_of_it_and_all_of_others(store):
    await debt(store, ANN, (BOB,))
    kept = await debt(store, ANN, (BOB,), guild=12)
    await store.guilds.put(GuildSettings(guild_id=GUILD, left_at=NOW))
    assert await store.guilds.left_before(NOW) == ()
    assert await store.guilds.left_before(NOW + timedelta(seconds=1)) == (GUILD,)
    await store.guilds.forget(GUILD)
    async with store._database.reading() as connection:
        for table in metadata.sorted_tables:
            rows = await connection.execute(sa.select(sa.func.count()).where(table.c.guild_id == GUILD))
            assert rows.scalar_one() == 0, table.name
    assert await store.tea.owed(12) == [kept]


async def test_ids_of_clicks_are_forgotten_after_a_while(store):
    await debt(store, ANN, (BOB,), interaction=7)
    assert await store.guilds.forget_clicks(NOW) == 0
    assert await store.guilds.forget_clicks(NOW + timedelta(seconds=1)) == 1
    assert not await store.tables.was_applied(GUILD, 7)
