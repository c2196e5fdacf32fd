"""SQLite in a Turkish locale, where the small letter of I is not i.

There, before Python 3.13, its driver takes no INSERT for a change, and counts none of its rows. No machine needs that
locale to run these tests.
"""

import asyncio
import sqlite3
from sqlite3 import dbapi2

import pytest

from testkit.offline import GUILD, Offline, People
from testkit.waiting import HANG


class Cursor(sqlite3.Cursor):
    sql = ""

    def execute(self, sql, *values):
        self.sql = sql
        return super().execute(sql, *values)

    @property
    def rowcount(self):
        return -1 if self.sql.startswith("INSERT") else super().rowcount


class Connection(sqlite3.Connection):
    def cursor(self, factory=None):
        return super().cursor(factory or Cursor)

    def execute(self, sql, *values):
        return self.cursor().execute(sql, *values)


@pytest.fixture
def turkish(monkeypatch):
    """What the driver does in that locale; named before `house`, which connects."""
    connect = dbapi2.connect
    monkeypatch.setattr(dbapi2, "connect", lambda *at, **options: connect(*at, factory=Connection, **options))


@pytest.fixture
def house(turkish, house: Offline):
    return house


def test_the_driver_counts_no_inserted_rows(turkish):
    connection = dbapi2.connect(":memory:")
    connection.execute("CREATE TABLE t (a)")
    assert connection.execute("INSERT INTO t VALUES (1)").rowcount == -1
    assert connection.execute("UPDATE t SET a = 2").rowcount == 1
    connection.close()


async def test_a_game_is_played_to_its_end_and_its_cup_of_tea_is_served(house: Offline, people: People):
    async with asyncio.timeout(HANG):  # moves that are not stored would be made again and again
        table = (await house.finish(await house.in_play(*people[:2]))).table
    assert table.status == "over"
    debt = await house.store.tea.of_game(table, 1)
    served = await house.tables.tea.serve(house.by(debt.creditor_ids[0]), debt.id)
    assert (served.state, await house.store.tea.get(GUILD, debt.id)) == ("served", served)
