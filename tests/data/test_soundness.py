"""The file of an SQLite database: its permissions, its place, and damage to it."""

import asyncio
import os
import shutil
import sqlite3
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from data import sqlite
from data.errors import NOT_WRITABLE, UnavailableError, UnusableError
from data.guild_models import GuildSettings, Preferences
from data.lease_rows import MovedError
from data.migrate import current
from data.store import CHECKED, Store, database_at
from testkit.stored import NEVER, put_preferences
from testkit.waiting import HANG, run_to_end

GIVES_UP = 5.0
"""Seconds after which a test no longer waits for what it wants to see."""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "x.sqlite3"


@pytest.fixture
async def damaged(file):
    """A database with a page of nonsense in the middle."""
    await (await Store.open(f"sqlite:///{file}")).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.executemany("INSERT INTO notes VALUES (0, ?, ?)", ((f"n{n}", "x" * 400) for n in range(500)))
        connection.commit()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("r+b") as raw:
        raw.seek((pages - pages // 4) * size)
        raw.write(b"\xff" * size)
    return file


async def test_a_damaged_file_is_refused_with_an_explanation(damaged):
    with pytest.raises(UnusableError) as refused:
        await Store.open(f"sqlite:///{damaged}")
    assert str(refused.value).startswith(f"the file {damaged} is damaged")
    assert "restore the newest backup" in str(refused.value)


@pytest.fixture
async def emptied(file):
    """A database in which a table has lost its rows, but its index has not."""
    await (await Store.open(f"sqlite:///{file}")).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.executemany("INSERT INTO notes VALUES (0, ?, 'x')", ((f"n{n}",) for n in range(3)))
        connection.commit()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'notes'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size)
        raw.write(b"\x0d\0\0\0\0" + size.to_bytes(2, "big") + b"\0")  # a leaf without rows
    return file


async def test_a_thorough_search_finds_rows_that_only_an_index_has(emptied):
    database = database_at(f"sqlite:///{emptied}")
    with suppress(UnusableError):  # newer versions of SQLite find them in a quick search, too
        await database.check(CHECKED)
    with pytest.raises(UnusableError, match=r"is damaged \(wrong # of entries in index"):
        await database.check(CHECKED, thorough=True)
    await database.close()


def test_f58_a_backup_of_a_damaged_database_is_kept_but_does_not_count_as_done(emptied):
    copy = emptied.parent / "copy"
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": f"sqlite:///{emptied}"}
    done = run_to_end(sys.executable, "-m", "bot", "backup", str(copy), env=environment)
    assert done.returncode == 1
    assert f"copied to {copy}, but rows may be missing, so keep older backups" in done.stderr
    assert "verified" not in done.stdout
    assert copy.exists()


async def test_a_search_that_is_stopped_ends_at_once(file, monkeypatch):
    """In a large file it goes on for minutes, and Ctrl-C would have no effect on `doctor` and `backup` till its end."""
    await (await Store.open(f"sqlite:///{file}")).close()
    database, loop = database_at(f"sqlite:///{file}"), asyncio.get_running_loop()
    begun, interrupted, seen = asyncio.Event(), threading.Event(), []

    class Large(sqlite3.Connection):
        """A connection whose search goes on until it is interrupted, or for so long that the test gives up."""

        def interrupt(self):
            super().interrupt()
            interrupted.set()

    def search():
        loop.call_soon_threadsafe(begun.set)
        seen.append(interrupted.wait(GIVES_UP))
        return not seen[-1]

    def connect(path, real=sqlite3.connect):
        connection = real(path, factory=Large)
        connection.set_progress_handler(search, 1)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect)
    checking = asyncio.create_task(database.check(HANG, thorough=True))
    await begun.wait()
    checking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await checking
    assert all(seen)
    await database.close()


async def test_a_database_is_named_even_if_its_folder_is_gone(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    database = database_at("sqlite:///shithead.sqlite3")
    folder.rmdir()
    assert database.place == f"the file {folder / 'shithead.sqlite3'}"
    assert not database.is_there
    with pytest.raises(UnavailableError, match=f"there is no folder {folder}"):
        await database.check()
    await database.close()


async def test_a_process_whose_folder_is_deleted_learns_that_its_file_is_gone(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    store = await Store.open("sqlite:///shithead.sqlite3")
    epoch = await store.leases.take("a", 1, (0,), 30)
    shutil.rmtree(folder)
    with pytest.raises(MovedError, match=f"the file {folder / 'shithead.sqlite3'} or its -wal file was moved"):
        await store.leases.renew("a", epoch, 30)
    await store.close()


async def test_a_file_that_is_mounted_without_its_folder_is_refused(tmp_path, monkeypatch):
    """Its -wal would be gone with the container."""
    file = tmp_path / "my cards.sqlite3"
    await (await Store.open(f"sqlite:///{file}")).close()
    mounts, point = file.with_name("mounts"), str(file).replace(" ", r"\040")
    mounts.write_text(f"36 35 98:0 / / rw - ext4 /dev/a rw\n37 36 98:0 /x {point} rw,noatime - ext4 /dev/a rw\n")
    monkeypatch.setattr(sqlite, "_MOUNTS", mounts)
    with pytest.raises(UnusableError, match="which has the newest moves: mount the folder in its place"):
        await Store.open(f"sqlite:///{file}")
    monkeypatch.setattr(sqlite, "_MOUNTS", file.with_name("none"))
    await (await Store.open(f"sqlite:///{file}")).close()


async def test_behind_a_link_the_folder_of_the_file_itself_must_be_there(file):
    file.symlink_to(file.parent / "unmounted" / "x.sqlite3")
    database = database_at(f"sqlite:///{file}")
    with pytest.raises(UnavailableError, match=f"there is no folder {file.parent / 'unmounted'}"):
        await database.check()
    await database.close()


async def test_behind_a_link_a_process_learns_that_the_wal_is_gone(file):
    link = file.with_name("link")
    link.symlink_to(file)
    store = await Store.open(f"sqlite:///{link}")
    epoch = await store.leases.take("a", 1, (0,), 30)
    file.with_name("x.sqlite3-wal").unlink()
    with pytest.raises(MovedError, match=f"the file {link} or its -wal file was moved"):
        await store.leases.renew("a", epoch, 30)
    await store.close()


async def test_the_search_for_damage_is_limited_in_time(damaged):
    database = database_at(f"sqlite:///{damaged}")
    await database.check(1e-9)
    await database.close()


async def test_the_file_belongs_to_its_owner_alone(file):
    before = os.umask(0)
    try:
        store = await Store.open(f"sqlite:///{file}")
        await store.notes.put("a", "b")
        assert {each.stat().st_mode & 0o777 for each in file.parent.iterdir()} == {0o600}
        await store.close()
    finally:
        os.umask(before)


async def test_damaged_choices_have_their_defaults_and_the_others_stay(file):
    store = await Store.open(f"sqlite:///{file}")
    settings = GuildSettings(guild_id=1)
    await store.guilds.put(settings, settings.but(polite=True, nudge_seconds=5))
    await put_preferences(store, Preferences(guild_id=1, user_id=2, quiet=True))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE guilds SET nudge_seconds = 'soon', variant = x'ff00'")
        connection.execute("UPDATE preferences SET locale = x'ff00'")
        connection.commit()
    with capture_logs() as logs:
        assert await store.guilds.get(1) == settings.but(polite=True)
        preferences = await store.people.get(1, 2)
    assert [(each["guild"], each["fields"]) for each in logs] == [(1, ["nudge_seconds", "variant"]), (1, ["locale"])]
    assert preferences == Preferences(guild_id=1, user_id=2, quiet=True)
    await store.people.put(preferences, preferences.but(quiet=False, text_mode=True), first_digest=NEVER)
    assert await store.people.get(1, 2) == Preferences(guild_id=1, user_id=2, text_mode=True)
    await store.close()
    with closing(sqlite3.connect(file)) as connection:  # perhaps a newer version can read it
        assert connection.execute("SELECT locale FROM preferences").fetchall() == [(b"\xff\x00",)]


@pytest.mark.parametrize(
    ("rows", "time"), [("guilds", "left_at"), ("preferences", "digest_at"), ("preferences", "refused_at")]
)
@pytest.mark.parametrize("damaged", ["noon", 5])
async def test_choices_are_read_though_a_time_beside_them_is_damaged(file, rows, time, damaged):
    store = await Store.open(f"sqlite:///{file}")
    settings, chosen = GuildSettings(guild_id=1), Preferences(guild_id=1, user_id=2, quiet=True)
    await store.guilds.put(settings, settings.but(polite=True))
    await put_preferences(store, chosen)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"UPDATE {rows} SET {time} = ?", (damaged,))
        connection.commit()
    assert await store.guilds.get(1) == settings.but(polite=True)
    assert (await store.people.get(1, 2)).but(refused_at=None) == chosen
    await store.close()


CURE = "make room, let the bot enter and write there, or name another in DATABASE_URL"


def full(**_options):
    return Path("/dev/full").open("wb")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none/x", "there is no folder {tmp}/none: create it, or name another in DATABASE_URL"),
        ("there", "{tmp}/there is a folder: name a file in it, in DATABASE_URL"),
        ("x", f"{{tmp}}/x cannot be used (no space left on device): {CURE}"),
        ("locked", f"{{tmp}}/locked {NOT_WRITABLE}"),
        ("there/x", f"{{tmp}}/there/x {NOT_WRITABLE}"),
    ],
)
async def test_an_unusable_place_is_explained_before_anything_is_created(tmp_path, monkeypatch, name, said):
    (tmp_path / "there").mkdir()
    (tmp_path / "locked").touch()
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    monkeypatch.setattr("os.access", lambda path, _mode: path.name not in {"there", "locked"})
    with pytest.raises(UnavailableError) as refused:
        await database_at(f"sqlite:///{tmp_path}/{name}").check()
    assert str(refused.value) == said.format(tmp=tmp_path)
    assert {each.name for each in tmp_path.rglob("*")} == {"there", "locked"}


@pytest.mark.parametrize("name", ["x", "locked", "there/x"])
async def test_what_is_only_read_needs_no_room_and_no_permission_to_write(tmp_path, monkeypatch, name):
    (tmp_path / "there").mkdir()
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    monkeypatch.setattr("os.access", lambda *_: False)
    await database_at(f"sqlite:///{tmp_path}/{name}").check(to_write=False)
    with pytest.raises(UnavailableError, match="there is no folder"):
        await database_at(f"sqlite:///{tmp_path}/none/x").check(to_write=False)


async def test_a_folder_that_may_not_be_entered_is_explained(tmp_path):
    user = os.geteuid()
    tmp_path.chmod(0)
    try:
        os.seteuid(user or 65_534)  # root may enter any folder
        with pytest.raises(UnavailableError) as refused:
            await database_at(f"sqlite:///{tmp_path}/x").check()
    finally:
        os.seteuid(user)
        tmp_path.chmod(0o700)
    assert str(refused.value) == f"{tmp_path}/x cannot be used (permission denied): {CURE}"


async def test_reading_the_schema_creates_no_file(file):
    database = database_at(f"sqlite:///{file}")
    assert await current(database) is None
    await database.close()
    assert not file.exists()
