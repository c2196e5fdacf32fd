"""Callables that are run as one transaction each, on both kinds of database."""

import asyncio
import gc
import sqlite3
import threading
import warnings
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.util import await_only

from data.database import Database
from data.errors import UnavailableError
from data.schema import feats, notes
from data.sqlite import SLOW_READERS, SqliteDatabase
from data.sqlite_thread import SqliteThread
from data.store import Store, database_at
from testkit.waiting import HANG


def note(name, text="x"):
    """Work that stores a note."""
    row = {"guild_id": 0, "name": name, "text": text}

    def work(connection):
        connection.execute(sa.insert(notes), row)  # in a Turkish locale, an INSERT has no `rowcount` in SQLite
        return connection.execute(sa.select(sa.func.count()).where(notes.c.name == name)).scalar_one()

    return work


@pytest.fixture
async def database(store: Store):
    return store.database


async def test_write_returns_the_result_of_the_work(store: Store, database: Database):
    assert await database.write(note("a", "kept")) == 1
    assert await store.notes.get("a") == "kept"


async def test_failed_work_leaves_nothing_behind(store: Store, database: Database):
    def half(connection):
        note("half")(connection)
        raise KeyError("half")

    with pytest.raises(KeyError):
        await database.write(half)
    assert await store.notes.get("half") is None
    assert await database.write(note("whole")) == 1


async def test_a_file_to_which_another_process_writes_becomes_a_wal_file_once_that_is_done(tmp_path, monkeypatch):
    """SQLite waits for the end of whatever another process does, but not before it changes the kind of its journal."""
    file, prepare = tmp_path / "x.sqlite3", SqliteThread._prepare
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")

        def waits(statement):
            if statement.startswith("BEGIN IMMEDIATE") and other.in_transaction:
                other.execute("COMMIT")

        def watched(thread, driver, record):
            driver.set_trace_callback(waits)
            prepare(thread, driver, record)

        monkeypatch.setattr(SqliteThread, "_prepare", watched)
        async with database_at(f"sqlite:///{file}") as database:
            journal = await database.read(lambda used: used.exec_driver_sql("PRAGMA journal_mode").scalar_one())
    assert journal == "wal"


async def test_what_no_column_can_hold_is_an_error_of_the_store_on_either_kind_and_harms_nothing_beside_it(
    store: Store,
):
    too_large = store.guilds.get(2**63)
    not_utf8 = store.notes.put("half", "\ud800")
    rejected = await asyncio.gather(too_large, not_utf8, store.notes.put("whole", "x"), return_exceptions=True)
    assert [type(each) for each in rejected] == [UnavailableError, UnavailableError, type(None)]
    assert (await store.notes.get("half"), await store.notes.get("whole")) == (None, "x")


async def test_concurrent_writes_are_all_stored(store: Store, database: Database):
    await asyncio.gather(*(database.write(note(f"n{n}")) for n in range(20)))
    assert [await store.notes.get(f"n{n}") for n in range(20)] == ["x"] * 20


async def test_in_sqlite_writes_do_not_wait_for_reads(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3", busy_seconds=0.1)
    is_written = threading.Event()

    def read(connection):
        connection.execute(sa.select(notes))
        return is_written.wait(HANG)

    reading = [asyncio.create_task(store.database.read(read, slow=slow)) for slow in (False, *[True] * SLOW_READERS)]
    await asyncio.sleep(0)
    assert await store.database.write(note("quick", "kept")) == 1
    is_written.set()
    assert all(await asyncio.gather(*reading))
    assert await store.notes.get("quick") == "kept"
    await store.close()


async def test_f32_work_of_a_cancelled_caller_is_done_completely_or_not_at_all(store: Store, database: Database):
    def two(connection):
        note("first")(connection)
        note("second")(connection)

    asking = asyncio.create_task(database.write(two))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await database.write(note("after"))
    assert (await store.notes.get("first")) == (await store.notes.get("second"))


def opened_in(folder):
    """The files of a folder that this process holds open."""
    held = [each.resolve() for each in Path("/proc/self/fd").glob("*")]
    return [each.name for each in held if each.parent == folder]


async def test_a_closed_database_reconnects_and_leaves_no_thread(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    database = store.database
    before = threading.active_count()
    for name in ("a", "b"):
        await database.write(note(name))
        await database.close()
        assert opened_in(tmp_path) == []
    assert threading.active_count() <= before
    assert await store.notes.get("b") == "x"
    await store.close()


async def test_where_no_thread_can_be_started_work_fails_and_closing_does_not_wait_for_it(tmp_path, monkeypatch):
    def start(_thread):
        raise RuntimeError("can't start new thread")

    database = database_at(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    with monkeypatch.context() as without_threads:
        without_threads.setattr(threading.Thread, "start", start)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            await database.write(lambda _connection: None)
        await asyncio.wait_for(database.close(), HANG)
    assert await database.write(lambda _connection: 1) == 1
    await database.close()


@pytest.mark.parametrize("first", ["move", "lease"])
async def test_unfenced_work_is_stored_although_the_fence_stops_other_work(store: Store, database: Database, first):
    def closed(_connection):
        raise UnavailableError("fenced")

    database.fence = closed
    names = sorted(["move", "lease"], key=lambda name: name != first)
    asked = [database.write(note(name), fenced=name == "move") for name in names]
    outcome = dict(zip(names, await asyncio.gather(*asked, return_exceptions=True), strict=True))
    assert str(outcome["move"]).endswith("fenced")
    assert outcome["lease"] == 1
    assert [await store.notes.get(name) for name in ("move", "lease")] == [None, "x"]


@pytest.fixture
async def file_store(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3", busy_seconds=0.1)
    yield store
    await store.close()


async def test_in_sqlite_nothing_waits_for_a_slow_read(file_store: Store):
    database, others_are_done = file_store.database, threading.Event()
    slow = asyncio.create_task(database.read(lambda _connection: others_are_done.wait(HANG), slow=True))
    await asyncio.sleep(0)
    assert await file_store.notes.get("none") is None
    assert await database.write(note("quick")) == 1
    assert await database.read(lambda connection: connection.execute(sa.select(1)).scalar_one(), slow=True) == 1
    others_are_done.set()
    assert await slow


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.tea.owing(1),
        lambda store: store.tea.between(1, 2),
        lambda store: store.people.stored(2),
        lambda store: store.scores.losses(1),
    ],
    ids=["what everybody owes", "what two owe each other", "all of a person", "all losses"],
)
async def test_no_click_waits_for_a_query_of_all_that_a_server_or_a_person_has(file_store: Store, monkeypatch, ask):
    async def noted(work, *, slow=False):
        reads.append(slow)
        return await read(work, slow=slow)

    reads, read = [], file_store.database.read
    monkeypatch.setattr(file_store.database, "read", noted)
    await ask(file_store)
    assert reads
    assert all(reads)


async def test_in_sqlite_closing_interrupts_a_very_slow_read(file_store: Store):
    forever = sa.text("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n")
    slow = asyncio.create_task(file_store.database.read(lambda connection: connection.execute(forever), slow=True))
    await asyncio.sleep(0)
    async with asyncio.timeout(HANG):
        await file_store.close()
        with pytest.raises(UnavailableError, match="INTERRUPT"):
            await slow


async def test_a_missing_folder_is_explained_without_the_data_to_be_written(tmp_path):
    database = database_at(f"sqlite:///{tmp_path}/nowhere/x.sqlite3")
    with pytest.raises(UnavailableError, match="cannot be opened") as refused:
        await database.write(note("a", "hidden"))
    assert "hidden" not in str(refused.value)
    await database.close()


async def test_closing_waits_for_running_reads_and_leaves_no_connection_open(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always", ResourceWarning)
        enough = threading.Event()
        reading = asyncio.create_task(store.database.read(lambda _connection: enough.wait(HANG)))
        await asyncio.sleep(0)
        closing = asyncio.create_task(store.close())
        done, _ = await asyncio.wait({closing}, timeout=0.1)
        assert not done
        enough.set()
        await closing
        assert await reading
        del store
        gc.collect()
    assert [str(each.message) for each in left_open] == []


async def test_work_that_comes_while_a_connection_is_closed_never_shares_it(tmp_path, monkeypatch):
    thread = SqliteThread(sa.make_url(f"sqlite:///{tmp_path}/test.sqlite3"), 1)
    closing, go_on, used = asyncio.Event(), threading.Event(), []
    loop, disconnect = asyncio.get_running_loop(), thread._disconnect

    def slowly():
        used.append(threading.get_ident())
        loop.call_soon_threadsafe(closing.set)
        assert go_on.wait(HANG)
        disconnect()

    def late(connection):
        used.append(threading.get_ident())
        return connection.exec_driver_sql("SELECT 1").scalar_one()

    assert await thread.run(late) == 1
    monkeypatch.setattr(thread, "_disconnect", slowly)
    closed = asyncio.create_task(thread.close(HANG))
    await closing.wait()
    answer = asyncio.create_task(thread.run(late))
    for _ in range(9):
        await asyncio.sleep(0)
    go_on.set()
    assert await answer == 1
    await closed
    assert len(set(used)) == 1
    assert thread._worker is thread._connection is None


async def as_a_batch(database: SqliteDatabase, works):
    """The outcomes of works that wait for the same transaction, and so become one batch."""
    ahead, *done = await asyncio.gather(*map(database.write, (note("ahead"), *works)), return_exceptions=True)
    assert ahead == 1
    return done


async def test_a_batch_shares_a_commit_and_failing_work_fails_alone(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    database, begun = store.database, []
    database.fence = lambda _connection: begun.append(1)  # called once in each writing transaction

    def half(connection):
        note("half")(connection)
        raise KeyError("half")

    works = [half if n == 3 else note(f"n{n}", "kept") for n in range(20)]
    done = await as_a_batch(database, works)
    assert (len(begun), [n for n, each in enumerate(done) if each != 1], type(done[3])) == (2, [3], KeyError)
    assert [await store.notes.get(name) for name in ("n2", "half", "n4")] == ["kept", None, "kept"]
    await store.close()


async def test_whatever_work_raises_reaches_its_caller_and_the_next_work_is_done(file_store: Store):
    class Odd(BaseException):
        pass

    def odd(_connection):
        raise Odd

    async with asyncio.timeout(HANG):
        with pytest.raises(Odd):
            await file_store.database.write(odd)
        assert await file_store.database.write(note("after")) == 1


async def test_a_full_disk_fails_the_whole_batch(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")

    def full(connection):  # on a full disk SQLite itself rolls back
        connection.exec_driver_sql("ROLLBACK")
        raise UnavailableError("the disk is full")

    done = await as_a_batch(store.database, [note("a"), full, note("b")])
    assert [str(each) for each in done] == ["the disk is full"] * 3
    assert (await store.notes.get("a"), await store.database.write(note("a"))) == (None, 1)
    await store.close()


async def test_in_sqlite_work_runs_in_another_thread(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")
    for way in (store.database.read, store.database.write):
        assert await way(lambda _connection: threading.get_ident()) != threading.get_ident()
    await store.close()


async def test_a_failed_commit_fails_its_batch_and_the_next_one_succeeds(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")

    def orphan(connection):  # breaks a foreign key, which only the commit finds
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.execute(sa.insert(feats), dict.fromkeys(feats.columns.keys(), 1))

    done = await as_a_batch(store.database, [note("a"), orphan, note("b")])
    assert [type(each) for each in done] == [UnavailableError] * 3
    assert (await store.notes.get("a"), await store.database.write(note("a"))) == (None, 1)
    await store.close()


async def test_a_fenced_off_process_writes_nothing_of_a_batch(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")

    def closed(_connection):
        raise UnavailableError("fenced")

    store.database.fence = closed
    done = await asyncio.gather(*(store.database.write(note(f"n{n}")) for n in range(3)), return_exceptions=True)
    assert [str(each) for each in done] == ["fenced"] * 3
    assert await store.notes.get("n0") is None
    await store.close()


async def test_all_statements_of_a_reading_see_the_same_moment(database: Database):
    loop = asyncio.get_running_loop()

    def write_meanwhile():
        if database.kind.startswith("SQLite"):  # the reading is in another thread
            asyncio.run_coroutine_threadsafe(database.write(note("late")), loop).result(HANG)
        else:
            await_only(database.write(note("late")))

    def read(connection):
        count = sa.select(sa.func.count()).select_from(notes)
        before = connection.execute(count).scalar_one()
        write_meanwhile()
        return before, connection.execute(count).scalar_one()

    assert await database.read(read) == (0, 0)
    assert (await database.read(lambda connection: connection.execute(sa.select(notes.c.name)).scalars().all())) == [
        "late"
    ]


async def test_a_deleted_name_does_not_stay_in_an_sqlite_file(tmp_path):
    database = database_at(f"sqlite:///{tmp_path}/x.sqlite3")

    def secure(connection):
        return connection.exec_driver_sql("PRAGMA secure_delete").scalar_one()

    assert await database.write(secure) == 1
    await database.close()


@pytest.mark.parametrize("level", ["serializable", r"repeatable\ read"])
async def test_a_server_that_isolates_strictly_by_default_refuses_no_change(postgres_url, level):
    store = await Store.open(f"{postgres_url}&options=-c default_transaction_isolation%3D{level}")
    waits = await asyncio.gather(*(store.leases.take_slot("identify", 200.0) for _ in range(8)))
    assert [round(wait / 200) for wait in sorted(waits)] == [*range(8)]
    await store.close()


async def test_on_postgresql_both_of_two_writes_are_stored_that_waited_for_each_other(postgres_url):
    store, tried, met = await Store.open(f"{postgres_url}&options=-c deadlock_timeout%3D10ms"), [], asyncio.Barrier(2)
    for name in "ab":
        await store.notes.put(name, "")
    other_is_stored = asyncio.Event()

    def added(first, second):
        def work(connection):
            tried.append(first)
            if tried.count(first) == 2:  # else it may take its row before the other wakes: a second deadlock
                await_only(other_is_stored.wait())
            for name in (first, second):
                more = {"text": notes.c.text + first}
                connection.execute(sa.update(notes).where(notes.c.name == name).values(more))
                if name == first and tried.count(first) == 1:
                    await_only(met.wait())

        return work

    async def stored(first, second):
        await store.database.write(added(first, second))
        other_is_stored.set()

    async with asyncio.timeout(HANG):
        await asyncio.gather(stored("a", "b"), stored("b", "a"))
    assert len(tried) == 3, "one of them was tried again"
    assert [sorted(await store.notes.get(name)) for name in "ab"] == [["a", "b"]] * 2
    await store.close()
