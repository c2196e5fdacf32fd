"""All queries about a server or a person use an index that begins with the server."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from data.guild_models import GuildSettings, HouseRule, Preferences
from data.schema import clicks, metadata
from data.sqlite import SqliteDatabase
from data.store import Store
from game.rules import Rules
from testkit.found import instance_of
from testkit.stored import put_preferences, stored_table

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GUILD, ANN, CHANNEL = 1, 2, 3


@pytest.fixture
async def recorded(tmp_path):
    """A store, and the list of all statements that it has run, with their parameters."""
    store, seen = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3"), []
    database = instance_of(SqliteDatabase, store.database)

    def note(_connection, _cursor, statement, parameters, *_):
        seen.append((statement, parameters))

    for thread in (database._reader, *database._slow_readers, database._writer):
        event.listen(thread.engine, "before_cursor_execute", note)
    yield store, seen
    await store.close()


async def plans_of(store: Store, seen):
    """The steps of SQLite's query plan for each statement."""
    statements, plans = [each for each in seen if each[0].split()[0] in {"SELECT", "UPDATE", "DELETE", "WITH"}], {}

    def explain(connection):
        for statement, parameters in statements:
            some = parameters[0] if isinstance(parameters, list) else parameters
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", some).all()
            plans[statement] = [row[-1] for row in rows]

    await store.database.read(explain)
    return plans


TABLES = "|".join(sorted(metadata.tables, key=len, reverse=True))


def scans(plans):
    """The steps that read a whole table or index, except the list of servers, which is short."""
    step = re.compile(rf"SCAN ({TABLES})\b")
    found = {(statement, each) for statement, steps in plans.items() for each in steps if step.match(each)}
    return {(statement, each) for statement, each in found if not each.startswith("SCAN guilds")}


async def test_a_person_is_found_exported_and_forgotten_by_index(recorded):
    store, seen = recorded
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=ANN))
    await store.people.stored(ANN)
    await store.people.forget(ANN)
    plans = await plans_of(store, seen)
    assert len(plans) > 20
    assert {scan for _, scan in scans(plans)} == {"SCAN tables USING INDEX uq_tables_open_in_channel"}  # those in use
    by_person = [each for steps in plans.values() for each in steps if "user_id=?" in each or "host_id=?" in each]
    assert len(by_person) > 10
    assert all("(guild_id=? AND" in each for each in by_person), by_person


async def test_the_moves_of_a_person_are_sought_in_their_own_tables(recorded):
    """Else each game of the server would be compared with each table of the person."""
    store, seen = recorded
    await store.guilds.put(GuildSettings(guild_id=GUILD), GuildSettings(guild_id=GUILD))
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=ANN))
    await store.people.stored(ANN)
    (steps,) = (steps for statement, steps in (await plans_of(store, seen)).items() if "games.packed," in statement)
    assert [re.sub(r" USING .* ?\(", " (", each) for each in steps] == [
        "SEARCH players (guild_id=? AND user_id=?)",
        "SEARCH games (guild_id=? AND table_id=?)",
    ]


async def test_whether_a_person_may_be_forgotten_is_sought_at_tables_in_use(recorded):
    """Every move waits for it, in all servers: not at all that the person ever had."""
    store, seen = recorded
    assert await store.people.forget(ANN, is_confirmed=False) is None
    ((statement, steps),) = (await plans_of(store, seen)).items()
    assert statement.startswith("SELECT tables.")
    assert steps[0] == "SCAN tables USING INDEX uq_tables_open_in_channel"
    sought = [each for each in steps if re.match(r"(SCAN|SEARCH) (?!tables)", each)]
    assert len(sought) == 2
    assert all("(guild_id=? AND table_id=?)" in each for each in sought), sought


async def test_a_digest_looks_only_at_tables_in_use(recorded):
    store, seen = recorded
    await store.people.slow_tables(ANN)
    ((_, scan),) = scans(await plans_of(store, seen))
    assert scan == "SCAN tables USING INDEX uq_tables_open_in_channel"


async def test_the_search_for_digests_delays_no_read_of_a_click(recorded):
    store, _ = recorded
    seen = []
    event.listen(
        instance_of(SqliteDatabase, store.database)._reader.engine,
        "before_cursor_execute",
        lambda *call: seen.append(call),
    )
    await store.people.digests_due(NOW)
    await store.people.slow_tables(ANN)
    assert not seen


async def test_past_games_and_statistics_go_by_index(recorded):
    store, seen = recorded
    await store.games.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN)
    await store.games.past(GUILD, 5, 1)
    await store.scores.losses(GUILD)
    await store.scores.played(GUILD, ANN)
    await store.scores.without_feats(GUILD, ANN, 9)
    await store.scores.put_feats(GUILD, 5, 1, [])
    assert scans(await plans_of(store, seen)) == set()


async def test_tables_and_debts_of_a_server_go_by_index(recorded):
    store, seen = recorded
    await stored_table(store, 5, GUILD)
    await store.tables.in_channel(GUILD, CHANNEL)
    await store.tables.in_channel(GUILD, CHANNEL, dealt=True)
    await store.tables.open_in(GUILD, ANN)
    await store.tables.at_which_sits(GUILD, ANN)
    await store.tea.owed_to(GUILD, ANN, page=0, most=9)
    await store.tea.between(GUILD, ANN)
    await store.tea.settled_last(GUILD, ANN)
    await store.tea.owing(GUILD)
    await store.tea.all(GUILD)
    await store.tea.newest(GUILD, 9)
    await store.tea.history(GUILD, 9, user_id=ANN)
    await store.tea.tallies(GUILD)
    await store.clicks.was_applied(GUILD, 7)
    assert scans(await plans_of(store, seen)) == set()


async def test_newest_deeds_are_looked_up_for_the_debts_of_a_page_and_no_others(recorded):
    """PostgreSQL would join all debts to their history before it took those of the page."""
    store, seen = recorded
    await store.tea.newest(GUILD, 9)
    (steps,) = (steps for statement, steps in (await plans_of(store, seen)).items() if "tea_history" in statement)
    joined = steps[: steps.index(next(each for each in steps if each.startswith("CORRELATED")))]
    assert [each.split()[1] for each in joined] == ["tea_debts"]


async def test_settings_and_house_rules_of_a_server_go_by_index(recorded):
    store, seen = recorded
    await store.guilds.put(GuildSettings(guild_id=GUILD), GuildSettings(guild_id=GUILD, polite=True))
    await store.guilds.get(GUILD)
    draft = HouseRule(guild_id=GUILD, name="A", variant="classic", rules=Rules(), saved_by=ANN, saved_at=NOW)
    await store.house_rules.save(draft)
    await store.house_rules.all(GUILD)
    await store.guilds.set_left(GUILD, NOW)
    assert await store.guilds.forget(GUILD, NOW + timedelta(1))
    await store.leases.take("a", 1, (0,), 30)
    plans = await plans_of(store, seen)
    assert scans(plans) == set()


async def test_clicks_are_forgotten_by_time_over_all_servers(recorded):
    """Old ones are found by reading them all, for which no move waits, and deleted by their keys, in parts.

    Every move waits for each part, and after a day without the bot a hundred thousand may be old.
    """
    store, seen = recorded
    rows = [{"guild_id": GUILD, "interaction_id": n, "made_at": NOW - timedelta(days=n % 2)} for n in range(3_000)]
    await store.database.write(lambda connection: connection.execute(sa.insert(clicks), rows).close())
    await store.clicks.forget(NOW)
    plans = await plans_of(store, seen)
    ((statement, _),) = scans(plans)
    assert statement.startswith("SELECT clicks.")
    (steps,) = (each for statement, each in plans.items() if statement.startswith("DELETE FROM clicks"))
    assert "(guild_id=? AND interaction_id=?)" in steps[0]
    parts = [len(parameters) for statement, parameters in seen if statement.startswith("DELETE FROM clicks")]
    assert sum(parts) == 1_500
    assert max(parts) <= 250


async def test_tables_in_use_are_found_however_many_there_were(recorded):
    """A server's history grows for years; queries that most clicks make must not read all of it."""
    store, seen = recorded
    await store.tables.in_channel(GUILD, CHANNEL)
    await store.tables.open_in(GUILD)
    await store.tables.open_in(GUILD, ANN)
    await store.tables.open_ids()
    await store.tables.resting(NOW)
    await store.tables.undrawn_ids()
    plans = [each for steps in (await plans_of(store, seen)).values() for each in steps]
    assert not [each for each in plans if "TEMP B-TREE" in each]
    few = ("uq_tables_open_in_channel", "ix_tables_undrawn")
    found = [each for each in plans if re.match(r"(SCAN|SEARCH) tables\b", each)]
    many = [each for each in found if not any(f"INDEX {name}" in each for name in few)]
    assert [re.sub(r".* INDEX ", "", each) for each in many] == ["ix_tables_channel (guild_id=? AND channel_id=?)"]
    assert len(found) == 6


async def test_creditors_are_read_for_the_debts_of_a_page_and_no_others(recorded):
    """In the order of people SQLite would read the creditors of all debts of the server, for each page."""
    store, seen = recorded
    await store.tea.newest(GUILD, 9)
    (steps,) = (each for statement, each in (await plans_of(store, seen)).items() if "FROM tea_creditors" in statement)
    assert "(guild_id=? AND debt_id=?)" in steps[0]


async def test_whether_a_person_sits_at_a_table_is_sought_at_the_table(recorded):
    """For each table SQLite would otherwise go through all seats that the person ever had."""
    store, seen = recorded
    await store.tables.at_which_sits(GUILD, ANN)
    await store.people.slow_tables(ANN)
    await store.guilds.put(GuildSettings(guild_id=GUILD), GuildSettings(guild_id=GUILD))
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=ANN))
    await store.people.stored(ANN)
    plans = await plans_of(store, seen)
    wanted = [steps for text, steps in plans.items() if text.startswith(("SELECT tables.", "SELECT moves."))]
    seats = [[each for each in steps if " players " in each][-1] for steps in wanted]
    assert len(seats) == 4
    assert all("(guild_id=? AND table_id=?)" in each for each in seats), seats


async def test_the_latest_games_are_looked_for_at_some_tables(recorded):
    """Each letter that is typed asks for them: neither all games of the server nor all of a channel are sorted."""
    store, seen = recorded
    await store.games.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN)
    ((_, steps),) = (await plans_of(store, seen)).items()
    assert not [each for each in steps if re.match(r"SEARCH (games|players|places)\b.*\(guild_id=\?\)", each)], steps
