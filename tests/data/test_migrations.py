"""The way from an empty or older database to the newest schema."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from data import migrate
from data.errors import SchemaError, UnavailableError
from data.schema import metadata, tables
from data.store import Store

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def differences(connection):
    return compare_metadata(MigrationContext.configure(connection), metadata)


async def test_steps_lead_to_the_schema_that_the_store_uses(database):
    await migrate.upgrade(database)
    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
    assert await migrate.current(database) == migrate.newest()


async def test_tables_of_before_there_were_matches_are_single_games(database):
    await migrate.upgrade(database, "0004")
    async with database.writing() as connection:
        old = await connection.run_sync(lambda sync: sa.Table("tables", sa.MetaData(), autoload_with=sync))
        kinds = {int: 1, str: "lobby", bool: False, datetime: NOW, object: {}}
        row = {column.name: kinds[column.type.python_type] for column in old.columns if not column.nullable}
        await connection.execute(sa.insert(old).values(row))
    await migrate.upgrade(database)
    async with database.reading() as connection:
        found = (await connection.execute(sa.select(tables.c.match, tables.c.standings))).one()
    assert tuple(found) == (None, [])


async def test_upgrading_again_changes_nothing(database):
    assert await migrate.current(database) is None
    await migrate.upgrade(database)
    await migrate.upgrade(database)
    assert await migrate.current(database) == migrate.newest()


def test_two_processes_may_upgrade_at_once(database_url):
    environment = {**os.environ, "DATABASE_URL": database_url}
    command = [sys.executable, "-m", "data"]
    both = [subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said == [f"the database is at schema {migrate.newest()}\n"] * 2


def test_the_command_names_a_wrong_address_in_one_line_and_exits_78():
    command = [sys.executable, "-m", "data"]
    environment = {**os.environ, "DATABASE_URL": "mysql://x"}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (78, "")
    assert done.stderr == "DATABASE_URL must begin with sqlite:/// or postgresql://\n"


async def test_a_database_of_a_newer_program_is_refused(database):
    await migrate.upgrade(database)
    async with database.writing() as connection:
        await connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaError, match="newer version"):
        await migrate.upgrade(database)


async def test_guild_id_leads_every_primary_key_and_index():
    for table in metadata.sorted_tables:
        assert next(iter(table.primary_key.columns)).name == "guild_id", table.name
        for index in table.indexes:
            assert next(iter(index.columns)).name == "guild_id", index.name
        for unique in (c for c in table.constraints if isinstance(c, sa.UniqueConstraint)):
            assert next(iter(unique.columns)).name == "guild_id", unique.name


async def test_f51_a_database_that_cannot_be_written_is_one_clear_error(tmp_path):
    with pytest.raises(UnavailableError):
        await Store.open(f"sqlite:///{tmp_path}/no/such/folder/x.sqlite3")
    assert list(tmp_path.iterdir()) == []


async def test_the_history_of_older_debts_says_what_was_done(database):
    await migrate.upgrade(database, "0005")
    async with database.writing() as connection:
        tables = sa.MetaData()
        await connection.run_sync(lambda sync: tables.reflect(sync, only=["tables", "tea_debts", "tea_history"]))
        await connection.execute(sa.insert(tables.tables["tables"]).values(older("tables", guild_id=1, id=2)))
        await connection.execute(sa.insert(tables.tables["tea_debts"]).values(older("tea_debts", guild_id=1, id=3)))
        lines = [
            older("tea_history", guild_id=1, n=n, state=state) for n, state in enumerate(("owed", "served", "owed"), 1)
        ]
        await connection.execute(sa.insert(tables.tables["tea_history"]), lines)
    await migrate.upgrade(database)
    async with database.reading() as connection:
        found = await connection.execute(sa.text("SELECT deed FROM tea_history ORDER BY n"))
        assert list(found.scalars()) == ["made", "served", "undone"]


def older(name, **values):
    """A row as it was before 0006; what is not said is empty."""
    empty = {sa.Boolean: False, sa.Text: "", sa.JSON: []}
    row = {"id": 0, "table_id": 2, "debt_id": 3}
    for column in metadata.tables[name].columns:
        if column.nullable or column.name in {"reminded_at", "deed"}:
            continue
        kind = next((value for type_, value in empty.items() if isinstance(column.type, type_)), None)
        moment = datetime(2026, 3, 1, tzinfo=UTC) if column.name in {"at", "made_at", "created_at"} else 0
        row[column.name] = values.get(column.name, row.get(column.name, moment if kind is None else kind))
    return {name_: value for name_, value in row.items() if name_ in metadata.tables[name].columns}
