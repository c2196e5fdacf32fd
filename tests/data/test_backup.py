"""Backups are complete, can be restored into either kind of database, and are refused if they are damaged."""

import asyncio
import gzip
import hashlib
import json
import os
import re
import stat
import threading
import tracemalloc
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from data import backup, migrate
from data.backup import BackupError, back_up, restore, verify
from data.database import Database
from data.errors import UnavailableError
from data.game_models import Result, StoredMove
from data.guild_models import GuildSettings
from data.models import Change, Player, Table
from data.schema import notes
from data.store import Store, database_at
from game.rules import Rules
from testkit.debts import new_debt
from testkit.stored import execute, open_debts, stored_rows
from tests.data.test_people import begun

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


async def fill(store: Store):
    """A finished game with a debt, and a lobby."""
    players = (Player(user_id=1, name="Ann", joined_by=5), Player(user_id=2, name="Bób ✓", joined_by=6))
    table = Table(
        id=5, guild_id=9, channel_id=8, host_id=1, players=players, rules=Rules(), seats=6, created_at=NOW, forfeit="☕"
    )
    await store.tables.open(table, "ab" * 32, 5)
    await store.tables.open(table.model_copy(update={"id": 6, "channel_id": 7}), "cd" * 32, 6)
    playing = table.but(revision=1, status="playing")
    deal = {"rules": Rules().model_dump(mode="json"), "seats": 2, "dealer": 1, "pack": "2c 3c"}
    await store.tables.save(Change(before=table, after=playing, at=NOW, deal=deal))
    over = playing.but(revision=2, status="over")
    made, debt = StoredMove(1, 0, "play 2c", 2, NOW), new_debt(over, 1, (2,), "☕")
    result = Result((2, 1), shithead=2, winner=1, moves=1, levels=(None, None), variant="classic")
    change = Change(before=playing, after=over, at=NOW, move=made, result=result, debt=debt, new_secret="ef")
    await store.tables.save(change)
    await store.guilds.put(GuildSettings(guild_id=9), GuildSettings(guild_id=9, locale="de"))
    await store.guilds.set_left(9, NOW)
    await store.notes.put("commands", "x")


async def everything(database: Database):
    return {name: sorted(map(repr, rows)) for name, rows in (await stored_rows(database)).items()}


@pytest.mark.long
async def test_backup_and_restore_take_little_memory_however_large_a_table_is(
    store: Store, database: Database, tmp_path
):
    each, rows, file = 8_000, 4_000, tmp_path / "copy.gz"
    many = [{"guild_id": 0, "name": f"n{n}", "text": "x" * each} for n in range(rows)]
    await store.database.write(lambda connection: connection.execute(sa.insert(notes), many))
    tracemalloc.start()
    try:
        assert (await back_up(store.database, file))["notes"] == rows
        _, most = tracemalloc.get_traced_memory()
        await execute(database, "DELETE FROM notes")
        tracemalloc.reset_peak()
        assert (await restore(database, file))["notes"] == rows
        _, most_at_restore = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert max(most, most_at_restore) < each * rows / 2


async def test_a_long_backup_and_its_restore_say_how_far_they_are(store: Store, tmp_path, monkeypatch):
    await fill(store)
    monkeypatch.setattr(backup, "_TOLD", 20)
    file = tmp_path / "copy.gz"
    with capture_logs() as logs:
        await back_up(store.database, file)
        async with database_at(f"sqlite:///{tmp_path}/new") as new:
            await restore(new, file)
    told = [(line["event"], line["lines"]) for line in logs if "lines" in line]
    assert told == [(doing, 20) for doing in ("copying", "verifying", "verifying", "restoring")]


@pytest.mark.parametrize("is_late", [False, True])
async def test_a_restore_that_is_cancelled_rolls_back_or_succeeds(store: Store, tmp_path, monkeypatch, is_late):
    await fill(store)
    file, database, begun = tmp_path / "copy.gz", database_at(f"sqlite:///{tmp_path}/new"), asyncio.Event()
    rows, loop, go_on, inserted = await back_up(store.database, file), asyncio.get_running_loop(), threading.Event(), 0

    def pausing(connection, cancelled, **backup_file):
        inserted = real(connection, threading.Event(), **backup_file) if is_late else None
        loop.call_soon_threadsafe(begun.set)
        go_on.wait()
        return inserted or real(connection, cancelled, **backup_file)

    real = backup._insert_all
    monkeypatch.setattr(backup, "_insert_all", pausing)
    restoring = asyncio.create_task(restore(database, file))
    await begun.wait()
    for _ in range(2):
        restoring.cancel()
        await asyncio.sleep(0)
    go_on.set()
    (done,) = await asyncio.gather(restoring, return_exceptions=True)
    inserted = await database.read(lambda connection: connection.scalar(sa.text("SELECT count(*) FROM games")))
    assert (done, inserted) == (rows, 3) if is_late else isinstance(done, asyncio.CancelledError) and inserted == 0
    await database.close()


@pytest.mark.parametrize("kind", ["same", "other"])
async def test_a_restored_database_equals_the_one_backed_up(store: Store, database_url, tmp_path, request, kind):
    await fill(store)
    file = tmp_path / "copy.gz"
    rows = await back_up(store.database, file)
    assert (rows["games"], rows["moves"]) == (3, 0)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.glob("*.part")] == []
    if (kind == "other") == database_url.startswith("sqlite"):
        server = request.getfixturevalue("postgres")
        name = f"r{abs(hash(request.node.nodeid))}"
        server.psql(f'CREATE DATABASE "{name}"')
        url = sa.make_url(server.get_uri()).set(drivername="postgresql", database=name).render_as_string(False)
    else:
        url = f"sqlite:///{tmp_path}/restored.sqlite3"
    target = database_at(url)
    assert await restore(target, file) == rows
    assert await everything(target) == await everything(store.database)
    await target.close()
    again = await Store.open(url)
    assert (await open_debts(again, 9))[0].debtor_id == 1
    await again.close()


async def add_a_table_of_another_program(database: Database):
    await execute(database, "CREATE TABLE other (guild_id INTEGER)", "INSERT INTO other VALUES (1)")


async def test_tables_of_other_programs_are_not_backed_up(store: Store, tmp_path):
    await fill(store)
    await add_a_table_of_another_program(store.database)
    assert "other" not in await back_up(store.database, tmp_path / "copy.gz")
    target = database_at(f"sqlite:///{tmp_path}/restored.sqlite3")
    await restore(target, tmp_path / "copy.gz")
    assert await everything(target) == await everything(store.database)
    await target.close()


async def test_tables_of_other_programs_in_a_backup_are_not_restored(store: Store, tmp_path, monkeypatch):
    await fill(store)
    await add_a_table_of_another_program(store.database)
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "KNOWN_SCHEMAS", frozenset())
        assert (await back_up(store.database, tmp_path / "copy.gz"))["other"] == 1
    target = database_at(f"sqlite:///{tmp_path}/restored.sqlite3")
    assert "other" not in await restore(target, tmp_path / "copy.gz")
    assert await everything(target) == await everything(store.database)
    await target.close()


async def test_a_backup_to_a_full_disk_is_explained_and_leaves_nothing(store: Store, tmp_path, monkeypatch):
    file, really_open = tmp_path / "copy.gz", os.open

    def opened(path, *how):
        is_copy = str(path) == f"{file}.part"
        return really_open("/dev/full", os.O_WRONLY) if is_copy else really_open(path, *how)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(BackupError) as wrong:
        await back_up(store.database, file)
    assert str(wrong.value) == f"{file} cannot be written: no space left on device"
    assert not list(tmp_path.glob("copy.gz*"))


async def test_a_backup_that_fails_verification_is_not_kept(store: Store, tmp_path, monkeypatch):
    async def damaged(_file):
        raise BackupError("is damaged")

    monkeypatch.setattr("data.backup.verify", damaged)
    with pytest.raises(BackupError, match="is damaged"):
        await back_up(store.database, tmp_path / "copy.gz")
    assert not list(tmp_path.glob("copy.gz*"))


async def test_a_backup_whose_database_cannot_be_searched_for_damage_is_kept_and_named(
    store: Store, tmp_path, monkeypatch
):
    async def closed(*_, **_options):
        raise UnavailableError("the database closed the connection")

    monkeypatch.setattr(type(store.database), "check", closed)
    with pytest.raises(BackupError, match=r"^copied to .*, but rows may be missing.*: the database closed"):
        await back_up(store.database, tmp_path / "x")
    await verify(tmp_path / "x")
    assert [each.name for each in tmp_path.glob("x*")] == ["x"]


async def test_no_file_and_no_database_is_overwritten(store: Store, tmp_path):
    file = tmp_path / "copy.gz"
    await store.notes.put("commands", "x")
    await back_up(store.database, file)
    with pytest.raises(BackupError, match="exists already"):
        await back_up(store.database, file)
    with pytest.raises(BackupError) as refused:
        await restore(store.database, file)
    is_file = store.database.url.drivername == "sqlite"
    cure = "stop the bot and move it and its -wal and -shm away, or " if is_file else ""
    assert str(refused.value).endswith(
        f"is not empty (has the bot started on it?): {cure}name a new database in DATABASE_URL"
    )


async def test_a_folder_is_no_file_to_copy_to(store: Store, tmp_path):
    await store.notes.put("commands", "x")
    with pytest.raises(BackupError, match="is a folder: name a new file"):
        await back_up(store.database, tmp_path)


async def test_a_restore_over_a_damaged_file_says_to_move_it_away(store: Store, tmp_path):
    await store.notes.put("commands", "x")
    await back_up(store.database, tmp_path / "copy.gz")
    (tmp_path / "damaged.sqlite3").write_bytes(b"x" * 8192)
    with pytest.raises(BackupError, match="is damaged: stop the bot and move it and its -wal and -shm away, or name"):
        await restore(database_at(f"sqlite:///{tmp_path}/damaged.sqlite3"), tmp_path / "copy.gz")


async def test_a_copy_of_an_sqlite_file_is_told_from_a_backup(tmp_path):
    file = tmp_path / "copy.sqlite3"
    await (await Store.open(f"sqlite:///{file}")).close()
    with pytest.raises(BackupError) as refused:
        await verify(file)
    what = "is an SQLite database, not a backup: stop the bot and put it in place of the database file"
    assert str(refused.value) == f"{file} {what} (docs/hosting.md, Backups)"


async def test_a_backup_leaves_the_draft_of_another_one_alone(store: Store, tmp_path):
    await store.notes.put("commands", "x")
    draft = tmp_path / "backup.jsonl.gz.part"
    draft.write_text("half")
    with pytest.raises(BackupError, match="another backup is running; if not, delete that file"):
        await back_up(store.database, tmp_path / "backup.jsonl.gz")
    assert draft.read_text() == "half"


async def test_a_database_with_a_schema_but_no_rows_counts_as_empty(store: Store, tmp_path):
    await fill(store)
    file = tmp_path / "copy.gz"
    await back_up(store.database, file)
    made = await Store.open(f"sqlite:///{tmp_path}/made.sqlite3")
    await restore(made.database, file)
    assert await everything(made.database) == await everything(store.database)
    with pytest.raises(BackupError, match="not empty"):
        await restore(made.database, file)
    await made.close()


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("BEFORE INSERT ON notes BEGIN SELECT RAISE(IGNORE); END", 0),
        ("AFTER INSERT ON notes WHEN NEW.name = 'commands' BEGIN INSERT INTO notes VALUES (0, 'another', 'x'); END", 2),
    ],
    ids=["lost", "added"],
)
async def test_a_restore_after_which_other_rows_are_there_is_undone_and_explained(store: Store, tmp_path, told, found):
    await fill(store)
    await back_up(store.database, tmp_path / "copy.gz")
    made = await Store.open(f"sqlite:///{tmp_path}/made.sqlite3")
    await execute(made.database, f"CREATE TRIGGER changing {told}")
    with pytest.raises(BackupError) as undone:
        await restore(made.database, tmp_path / "copy.gz")
    assert str(undone.value) == f"{found} instead of 1 rows of notes: does anything else write to it?"
    assert not any((await everything(made.database)).values())
    await made.close()


async def test_an_empty_database_has_nothing_to_back_up(database: Database, tmp_path):
    with pytest.raises(BackupError, match="has no data of this program"):
        await back_up(database, tmp_path / "copy.gz")
    assert not (tmp_path / "copy.gz").exists()


def sound(lines):
    """A backup of these lines, with a footer that fits them."""
    text = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in lines)
    foot = {"rows": {}, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    return gzip.compress(f"{text}{json.dumps(foot)}\n".encode())


@pytest.mark.parametrize("damage", ["cut", "row", "name", "count", "foot", "text", "nothing", "twice", "other", "deep"])
async def test_a_damaged_backup_is_refused_and_changes_nothing(tmp_path, damage):
    store, file = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3"), tmp_path / "copy.gz"
    await fill(store)
    await back_up(store.database, file)
    await store.close()
    lines = gzip.decompress(file.read_bytes()).decode().splitlines(keepends=True)
    file.write_bytes(
        {
            "cut": file.read_bytes()[:-200],
            "row": gzip.compress("".join([*lines[:3], *lines[4:]]).encode()),
            "name": gzip.compress("".join(lines).replace("Ann", "Ben").encode()),
            "count": gzip.compress("".join([*lines[:-1], lines[-1].replace('"tables":2', '"tables":3')]).encode()),
            "foot": gzip.compress("".join(lines[:-1]).encode()),
            "text": b"hello",
            "nothing": b"",
            "twice": file.read_bytes() * 2,
            "deep": gzip.compress(f"{lines[0]}{'[' * 100_000}\n".encode()),
            "other": sound([{"format": "a backup of something else", "schema": migrate.NEWEST}]),
        }[damage]
    )
    target = database_at(f"sqlite:///{tmp_path}/restored.sqlite3")
    with pytest.raises(BackupError):
        await restore(target, file)
    assert await migrate.current(target) is None
    await target.close()


async def test_a_backup_that_is_damaged_anywhere_is_refused(tmp_path):
    store, file = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3"), tmp_path / "copy.gz"
    await fill(store)
    await back_up(store.database, file)
    await store.close()
    sound, damaged = file.read_bytes(), tmp_path / "damaged.gz"
    for at in range(12, len(sound) - 12, 7):  # beyond the header, whose time nobody checks, and before the trailer
        damaged.write_bytes(sound[:at] + bytes([sound[at] ^ 0xFF]) + sound[at + 1 :])
        with suppress(EOFError, gzip.BadGzipFile, zlib.error):
            if gzip.decompress(damaged.read_bytes()) == gzip.decompress(sound):
                continue  # repeated text is packed as a reference, and this one now leads to another equal text
        with pytest.raises(BackupError, match=r"damaged\.gz is "):
            await verify(damaged)


async def test_a_backup_of_a_newer_program_is_refused(store: Store, tmp_path):
    file = tmp_path / "copy.gz"
    await execute(store.database, "UPDATE alembic_version SET version_num = '9999'")
    await back_up(store.database, file)
    target = database_at(f"sqlite:///{tmp_path}/new.sqlite3")
    with pytest.raises(
        BackupError, match=r"copy\.gz cannot be restored: schema 9999 is of a newer version \(update this one\)"
    ):
        await restore(target, file)
    await target.close()


async def test_a_database_of_another_program_is_not_backed_up(tmp_path):
    database = database_at(f"sqlite:///{tmp_path}/theirs.sqlite3")
    await execute(database, "CREATE TABLE users (id INTEGER)")
    with pytest.raises(BackupError, match="has no data of this program"):
        await back_up(database, tmp_path / "copy.gz")
    await execute(
        database,
        "CREATE TABLE alembic_version (version_num VARCHAR)",
        "INSERT INTO alembic_version VALUES ('ae1027a6acf')",
    )
    with pytest.raises(BackupError, match="the database belongs to another program: name this one's in DATABASE_URL"):
        await back_up(database, tmp_path / "copy.gz")
    await database.close()
    assert not list(tmp_path.glob("copy*"))


async def test_after_a_restore_the_messages_of_open_tables_are_drawn_again(store: Store, tmp_path):
    opened = await begun(store)
    await store.tables.mark_drawn([opened])
    assert await store.tables.undrawn_ids() == ()
    await back_up(store.database, tmp_path / "copy.gz")
    other = await Store.open(f"sqlite:///{tmp_path}/other.sqlite3")
    await restore(other.database, tmp_path / "copy.gz")
    assert await other.tables.undrawn_ids() == ((opened.guild_id, opened.id),)
    await other.close()


async def test_the_statement_for_hosts_has_the_messages_of_open_tables_drawn_again(store: Store):
    """For a copy that was put in place without `restore`."""
    page = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text(encoding="utf-8")
    section = page.partition("\n### What a restore brings back\n")[2].partition("\n### ")[0]
    (statement,) = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
    opened = await begun(store)
    await store.tables.mark_drawn([opened])
    await execute(store.database, statement)
    assert await store.tables.undrawn_ids() == ((opened.guild_id, opened.id),)
