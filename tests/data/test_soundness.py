"""The file of an SQLite database: whose it is, and what a damaged one leads to."""

import os
import sqlite3
from contextlib import closing

import pytest

from data.connect import Database
from data.errors import UnavailableError
from data.migrate import current
from data.store import Store


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


async def test_a_file_damaged_in_the_middle_is_refused_with_a_sentence(damaged):
    with pytest.raises(UnavailableError) as refused:
        await Store.open(f"sqlite:///{damaged}")
    assert str(refused.value).startswith(f"the file {damaged} is damaged")
    assert "restore the newest backup" in str(refused.value)


async def test_a_file_is_looked_through_only_for_so_long(damaged, monkeypatch):
    monkeypatch.setattr("data.connect._STEPS", 1)  # else so small a file may be done before anybody looks at the time
    database = Database(f"sqlite:///{damaged}")
    await database.check_sound(0)
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


async def test_whoever_only_looks_makes_no_file(file):
    database = Database(f"sqlite:///{file}")
    assert await current(database) is None
    await database.close()
    assert not file.exists()
