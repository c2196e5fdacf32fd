"""Work that is handed to the database as one transaction, on both kinds of database."""

import asyncio
import gc
import threading
import warnings

import pytest
import sqlalchemy as sa

from data.connect import Database
from data.errors import UnavailableError
from data.schema import notes
from data.store import Store


def note(name, text="x"):
    """Work that keeps a note."""
    row = {"guild_id": 0, "name": name, "text": text}
    return lambda connection: connection.execute(sa.insert(notes), row).rowcount


@pytest.fixture
async def database(store):
    return store._database


async def test_what_the_work_returns_comes_back_when_it_is_stored(store, database):
    assert await database.write(note("a", "kept")) == 1
    assert await store.notes.get("a") == "kept"


async def test_work_that_fails_leaves_nothing_behind(store, database):
    def half(connection):
        note("half")(connection)
        raise KeyError("half")

    with pytest.raises(KeyError):
        await database.write(half)
    assert await store.notes.get("half") is None
    assert await database.write(note("whole")) == 1


async def test_both_ways_of_writing_take_turns(store, database):
    async def slowly(name):
        async with database.writing() as connection:
            await connection.execute(sa.insert(notes), {"guild_id": 0, "name": name, "text": "slow"})

    both = [slowly(f"slow{n}") if n % 2 else database.write(note(f"quick{n}")) for n in range(20)]
    await asyncio.gather(*both)
    assert await store.notes.get("slow19") == "slow"
    assert await store.notes.get("quick18") == "x"


async def test_f32_work_whose_asker_has_gone_is_done_as_a_whole_or_not_at_all(store, database):
    def two(connection):
        note("first")(connection)
        note("second")(connection)

    asking = asyncio.create_task(database.write(two))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await database.write(note("after"))
    assert (await store.notes.get("first")) == (await store.notes.get("second"))


async def test_after_closing_it_connects_anew_and_leaves_no_thread(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    database = store._database
    before = threading.active_count()
    for name in ("a", "b"):
        await database.write(note(name))
        await database.close()
    assert threading.active_count() <= before
    assert await store.notes.get("b") == "x"
    await store.close()


async def test_a_folder_that_is_gone_is_said_without_what_was_to_be_written(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/nowhere/x.sqlite3")
    with pytest.raises(UnavailableError, match="cannot be opened") as refused:
        await database.write(note("a", "hidden"))
    assert "hidden" not in str(refused.value)
    await database.close()


async def test_closing_waits_for_those_who_still_read_and_leaves_no_connection_open(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always", ResourceWarning)
        async with store._database.reading() as connection:
            await connection.execute(sa.select(1))
            closing = asyncio.create_task(store.close())
            done, _ = await asyncio.wait({closing}, timeout=0.1)
            assert not done
        await closing
        del store, connection
        gc.collect()
    assert [str(each.message) for each in left_open] == []
