"""Faults are done to the real process, and what they break is found."""

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.cable import Cable
from bench.cluster import first_answers
from bench.faults import FAULTS, row
from bench.kept_alive import now
from bench.regulars import Notes, balance
from bench.scenes import _postgres, scene, watched
from data.store import Store
from deploy.cluster.cluster import bin_dir
from testkit.offline import Offline, People
from testkit.sockets.world import LAYOUT, World
from testkit.stored import stored_game
from tests.failures.test_chaos import TWICE

SHOWN = {"flags": LAYOUT, "components": [{"type": 10, "content": "Hello"}]}


debian_postgres = pytest.mark.skipif(bin_dir() is None, reason="there is no PostgreSQL as Debian has it")


@pytest.fixture
def postgres_folder():
    """A folder to be made, where every user may go."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "postgres"


@debian_postgres
def test_a_postgresql_to_be_killed_keeps_its_shared_memory_in_its_folder(postgres_folder):
    with _postgres(postgres_folder):
        assert list((postgres_folder / "data" / "pg_dynshmem").iterdir())


@debian_postgres
async def test_the_bot_takes_a_postgresql_to_be_killed_whatever_the_locale(postgres_folder, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    with _postgres(postgres_folder) as postgres:
        await (await Store.open(postgres.url)).close()


async def books(house: Offline, people: People, harm):
    """What is found of a table of two, of which everything was answered, after some harm."""
    table = await house.lobby(people[0])
    await house.tables.lobby.join(house.by(people[1], table, id=77))
    world, notes = World(), Notes(moves={77: 1.0})
    (channel,) = world.add_guilds(1)
    message = world.post(channel, SHOWN)
    await house.tables.timekeeping.place(table, message_id=message.id)
    notes.seen[table] = 1
    harm(world, notes, table)
    return await balance(house.store.database.url.render_as_string(), SimpleNamespace(world=world), notes)


async def test_the_books_are_even_where_nothing_is_wrong(house: Offline, people: People):
    found = await books(house, people, lambda *_: None)
    assert found.is_even
    assert found.answered == 1


@pytest.mark.parametrize(
    ("wrong", "harm"),
    [
        ("lost", lambda _world, notes, _table: notes.moves.update({78: 2.0})),
        ("lost", lambda _world, notes, table: notes.seen.update({table: 9})),
        ("lost", lambda _world, notes, table: notes.seen.update({table + 1: 0})),
        ("orphans", lambda world, _notes, _table: world.post(next(iter(world.channels)), SHOWN)),
    ],
)
async def test_what_is_lost_and_what_nobody_knows_is_found(house: Offline, people: People, wrong, harm):
    found = await books(house, people, harm)
    assert getattr(found, wrong) == 1
    assert not found.is_even


async def test_a_click_that_is_stored_twice_is_found(house: Offline, people: People):
    def twice(*_):
        with closing(sqlite3.connect(house.store.database.url.database)) as connection, connection:
            connection.execute(TWICE)

    found = await books(house, people, twice)
    assert (found.doubled, found.is_even) == (1, False)


@pytest.mark.parametrize(("moved", "lost"), [(0, 0), (5, 1)])
async def test_a_move_of_a_game_that_ended_is_found_by_the_revision_that_it_led_to(
    house: Offline, people: People, moved, lost
):
    table = await house.game(*people[:2])
    ended = await house.finish(table)
    made = (await stored_game(house.store, ended.table, 1)).moves[0]
    notes = Notes(moves={1: 1.0}, steps={1: (table, made.revision - 1 - moved, made.revision - moved)})
    url = house.store.database.url.render_as_string()
    assert (await balance(url, SimpleNamespace(world=World()), notes)).lost == lost


def test_silence_is_the_longest_time_without_an_answer():
    notes = Notes(moves={1: 10.0, 2: 11.0, 3: 14.0}, channels={5: [10.0, 14.0], 6: [11.0]})
    assert notes.silence(9.0, 15.0) == 3.0
    assert notes.first(10.5) == 0.5
    assert notes.have_gone_on(10.5)
    assert not notes.have_gone_on(12.0)


def test_what_a_node_still_answers_while_it_is_killed_does_not_count():
    world, notes = World(), Notes()
    for channel in world.add_guilds(40):
        notes.channels[channel] = [9.0, 10.2, 31.0, 33.0]
    there = SimpleNamespace(discord=SimpleNamespace(world=world), notes=notes)
    assert first_answers(there, 10.0, 10.5) == [21.0] * 4


async def test_a_cut_cable_says_nothing_and_a_mended_one_all_of_it():
    async def echo(reader, writer):
        while line := await reader.readline():
            writer.write(line)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    cable = Cable(server.sockets[0].getsockname()[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", await cable.begin())
    writer.write(b"one\n")
    assert await reader.readline() == b"one\n"
    cable.cut()
    writer.write(b"two\n")
    waiting = asyncio.ensure_future(reader.readline())
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    cable.mend()
    assert await waiting == b"two\n"
    writer.close()
    await cable.end()
    server.close()
    await server.wait_closed()


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["kill -9", "clock set forward by an hour", "PostgreSQL lost, a standby elsewhere after 20 s"]
)
async def test_a_fault_costs_no_answered_move_and_leaves_no_message_behind(name):
    fault = next(each for each in FAULTS if each.name == name)
    if fault.lacks:
        pytest.skip(f"{fault.lacks} is missing")
    begun = now()
    async with scene(fault.database, faked=fault.faked, tables=2) as there:
        came = await watched(there, lambda there: fault.do(there, fault.quick), watch=0)
    assert came.is_well
    assert came.books.answered >= 4
    assert came.ends == ((-9,) if name == "kill -9" else ())
    assert 0 < came.every < now() - begun
    assert row(name, came).endswith("| 0 | 0 | 0 |")
