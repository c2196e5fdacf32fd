import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from data.schema import tables, versions
from data.store import Store
from sandbox.kept import NoPlaceError, forget, kept
from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[2]


def write(place, word, *names):
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for table in names or (versions.name, tables.name):
            connection.execute(f"CREATE TABLE {table} (word TEXT)")
            connection.execute(f"INSERT INTO {table} VALUES (?)", (word,))
    connection.close()


def words(place):
    with sqlite3.connect(place) as connection:
        found = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    connection.close()
    return found


def test_what_was_written_is_there_the_next_time(tmp_path):
    place = tmp_path / "new" / "folder" / "tables.sqlite3"
    with kept(place, fresh=False) as found:
        assert (found.path, found.is_kept, found.url) == (place, True, f"sqlite:///{place}")
        write(place, "kept")
    with kept(place, fresh=False):
        assert words(place) == (2,)


@pytest.mark.parametrize("name", ["my%20cards", "50%", "what?", "is it #1? 'yes'", "Käse"])
async def test_tables_are_kept_in_a_folder_of_any_name(tmp_path, name):
    place = tmp_path / name / "tables.sqlite3"
    with kept(place, fresh=False) as found:
        store = await Store.open(found.url)
        await store.close()
        assert place.exists()


def test_somebody_without_a_home_plays_in_a_checkout():
    code = "import pwd; pwd.getpwuid = {}.__getitem__; from sandbox.kept import PLACE; print(PLACE)"
    environment = {"PATH": os.environ["PATH"]}
    done = run_to_end(sys.executable, "-c", code, cwd=ROOT, env=environment, check=True)
    assert done.stdout.strip() == str(ROOT / "var" / "sandbox.sqlite3")


def test_somebody_without_a_home_is_told_so_where_there_is_no_checkout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoPlaceError, match="there is no home folder"), kept(Path("~/.local/share/x"), fresh=False):
        pass
    assert not list(tmp_path.iterdir())


def test_fresh_forgets_it_with_all_that_stands_beside(tmp_path):
    place = tmp_path / "tables.sqlite3"
    write(place, "old")
    (tmp_path / "tables.sqlite3-wal").write_bytes(b"left over")
    with kept(place, fresh=True):
        assert not list(tmp_path.glob("tables.sqlite3-[!c]*"))
        assert not place.exists()


def test_what_is_forgotten_is_the_database_with_all_that_stands_beside_and_no_other(tmp_path):
    place, other = tmp_path / "tables.sqlite3", tmp_path / "others.sqlite3-wal"
    for end in ("", "-wal", "-shm", "-journal"):
        (tmp_path / f"tables.sqlite3{end}").write_bytes(b"left over")
    other.touch()
    forget(place)
    assert list(tmp_path.iterdir()) == [other]


def test_a_second_sandbox_gets_a_file_of_its_own_and_forgets_nobodys_tables(tmp_path):
    place = tmp_path / "tables.sqlite3"
    with kept(place, fresh=False):
        write(place, "ours")
        with kept(place, fresh=True) as other:
            assert not other.is_kept
            assert other.path != place
            write(other.path, "theirs")
        assert not other.path.exists()
        assert words(place) == (2,)
    with kept(place, fresh=False) as again:
        assert again.is_kept


@pytest.mark.parametrize("fresh", [False, True])
def test_a_file_that_is_no_database_is_neither_used_nor_deleted(tmp_path, fresh):
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk")
    with pytest.raises(NoPlaceError, match="is not an SQLite database"), kept(notes, fresh=fresh):
        pass
    assert notes.read_text() == "buy milk"


@pytest.mark.parametrize("fresh", [False, True])
# Alembic makes the second of these tables for many programs, and any may have one called like the third.
@pytest.mark.parametrize("names", [["places"], ["places", versions.name], ["places", tables.name]])
def test_the_database_of_another_program_is_neither_used_nor_deleted(tmp_path, fresh, names):
    place = tmp_path / "holidays 100%.sqlite3"
    write(place, "Naples", *names)
    content = place.read_bytes()
    with pytest.raises(NoPlaceError, match="is the database of another program"), kept(place, fresh=fresh):
        pass
    assert (place.read_bytes(), list(tmp_path.iterdir())) == (content, [place])


@pytest.mark.parametrize("fresh", [False, True])
def test_a_database_that_another_program_has_locked_is_neither_used_nor_deleted(tmp_path, monkeypatch, fresh):
    place, connect = tmp_path / "tables.sqlite3", sqlite3.connect
    write(place, "Naples", "places")
    monkeypatch.setattr("sqlite3.connect", lambda *given, **options: connect(*given, **options | {"timeout": 0}))
    with closing(connect(place)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("DELETE FROM places")
        with pytest.raises(NoPlaceError, match="cannot be read: database is locked"), kept(place, fresh=fresh):
            pass
    assert place.exists()


def test_tables_that_may_not_be_deleted_are_said_so(tmp_path, monkeypatch):
    place = tmp_path / "tables.sqlite3"
    write(place, "old")

    def unlink(_self, **_how):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.unlink", unlink)
    with pytest.raises(NoPlaceError, match="Permission denied"), kept(place, fresh=True):
        pass


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(NoPlaceError, match="file"), kept(blocked / "tables.sqlite3", fresh=False):
        pass
