"""Copies of tables have ids of their own in the database and on their messages, and everything else as it was."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bench.table_copies import moved_message, resized, unsettled

STEP = 1 << 22


@pytest.fixture
def source(tmp_path):
    """Two tables in a server, one of them with a message, and a lease, which belongs to no table."""
    file = tmp_path / "source.sqlite3"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE tables (guild_id, id, channel_id, message_id, revision)")
        made.execute("CREATE TABLE moves (guild_id, table_id, n, interaction_id)")
        made.execute("CREATE TABLE leases (guild_id, holder)")
        made.executemany("INSERT INTO tables VALUES (?, ?, ?, ?, ?)", [(1, 10, 2, 77, 5), (1, 11, 3, None, 6)])
        made.executemany("INSERT INTO moves VALUES (?, ?, ?, ?)", [(1, 10, 0, 500), (1, 11, 0, 501)])
        made.execute("INSERT INTO leases VALUES (0, 'me')")
        made.commit()
    return file


def rows(source, tmp_path, want, question):
    target = tmp_path / "target.sqlite3"
    resized(source, target, 2, want, STEP)
    with closing(sqlite3.connect(target)) as there:
        return there.execute(question).fetchall()


def test_more_tables_are_whole_copies_a_step_on(source, tmp_path):
    found = rows(source, tmp_path, 6, "SELECT * FROM tables ORDER BY guild_id, id")
    assert found[:2] == [(1, 10, 2, 77, 5), (1, 11, 3, None, 6)]
    assert found[4] == (1 + 2 * STEP, 10 + 2 * STEP, 2 + 2 * STEP, 77 + 2 * STEP, 5)
    assert len({row[1] for row in found}) == len(found) == 6


def test_what_belongs_to_a_table_is_copied_and_nothing_else(source, tmp_path):
    assert (1 + STEP, 11 + STEP, 0, 501) in rows(source, tmp_path, 4, "SELECT * FROM moves")
    (tmp_path / "target.sqlite3").unlink()
    assert rows(source, tmp_path, 4, "SELECT * FROM leases") == [(0, "me")]


def test_fewer_tables_are_the_first_ones(source, tmp_path):
    assert rows(source, tmp_path, 1, "SELECT id FROM tables") == [(10,)]
    (tmp_path / "target.sqlite3").unlink()
    assert rows(source, tmp_path, 1, "SELECT table_id FROM moves") == [(10,)]


def test_copies_are_whole(source, tmp_path):
    with pytest.raises(ValueError, match="multiple"):
        rows(source, tmp_path, 3, "")


def test_a_message_is_moved_with_the_buttons_on_it():
    button = {"type": 2, "custom_id": "sh:hand:10:5"}
    old: dict[str, Any] = {
        "id": "77",
        "channel_id": "2",
        "content": "",
        "components": [{"type": 1, "components": [button]}],
    }
    new = moved_message(old, STEP)
    assert (new["id"], new["channel_id"]) == (str(77 + STEP), str(2 + STEP))
    assert new["components"][0]["components"][0]["custom_id"] == f"sh:hand:{10 + STEP}:5"
    assert old["components"][0]["components"][0]["custom_id"] == "sh:hand:10:5"


@pytest.mark.parametrize(
    ("drawn", "status", "nudged", "waits"),
    [(5, "playing", True, 0), (4, "playing", True, 1), (5, "playing", False, 1), (5, "over", False, 0)],
)
def test_a_table_settles_when_it_is_drawn_and_nobody_is_to_be_reminded_any_more(tmp_path, drawn, status, nudged, waits):
    file = tmp_path / "made.sqlite3"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE tables (revision, drawn, status, nudged)")
        made.execute("INSERT INTO tables VALUES (5, ?, ?, ?)", (drawn, status, nudged))
        made.commit()
    assert unsettled(file) == waits
