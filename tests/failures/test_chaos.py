"""A playing process is killed again and again; what it acknowledged is there, once."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest

from bench.chaos import main
from data.models import Person
from game.moves import Ready
from testkit.crowd import Told, Wish
from testkit.observer import Observer
from testkit.offline import Offline, People

POINTS = 100
NUMBER = 77
TWICE = """
    INSERT INTO moves (guild_id, table_id, game, n, seat, move, revision, interaction_id, made_at)
    SELECT guild_id, id, 1, 1, 0, 'ready', 2, 77, created_at FROM tables
"""


@pytest.mark.long
def test_f30_f32_kill_9_at_random_points_loses_and_doubles_nothing(capsys):
    assert main(["--points", str(POINTS), "--seed", "7"]) == 0
    *_, stored, last = capsys.readouterr().out.splitlines()
    found = re.fullmatch(r"acknowledged (\d+), lost 0, doubled 0", last)
    assert int(found[1]) > POINTS
    # Some of the kills fell between commit and acknowledgement, or there would be nothing to prove.
    assert int(stored.split()[0]) > 0


async def watched(house: Offline, people: Sequence[Person]):
    """A table of two after one click, and an observer that was told so."""
    table = await house.lobby(people[0])
    await house.tables.lobby.join(house.by(people[1], table, id=NUMBER))
    observer = Observer(house.store.database.url.database)
    for number, verb in ((table, "open"), (NUMBER, "join")):
        observer.hear(Told("asked", Wish(number, verb, table, 1)))
        observer.hear(Told("done", Wish(number, verb, table, 1), 1))
    return table, observer


async def test_the_observer_finds_nothing_where_nothing_is_wrong(house: Offline, people: People):
    _, observer = await watched(house, people)
    await observer.look()
    assert not observer.findings.are_bad
    assert observer.acknowledged == 2


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        ("DELETE FROM clicks WHERE interaction_id = 77", "lost"),
        (TWICE, "doubled"),
        ("UPDATE tables SET revision = revision + 1", "torn"),
        ("INSERT INTO clicks SELECT guild_id, 5, made_at FROM clicks LIMIT 1", "torn"),
    ],
)
async def test_the_observer_finds_what_is_lost_doubled_or_half_done(house: Offline, people: People, harm, found):
    _, observer = await watched(house, people)
    with closing(sqlite3.connect(house.store.database.url.database)) as connection:
        connection.execute(harm)
        connection.commit()
    await observer.look()
    assert getattr(observer.findings, found)
    assert observer.findings.are_bad


async def test_the_observer_finds_a_record_that_cannot_be_replayed(house: Offline, people: People):
    table, observer = await watched(house, people)
    await house.tables.play.start(house.by(1, table, id=78))
    observer.hear(Told("asked", Wish(78, "start", table, 1)))
    with closing(sqlite3.connect(house.store.database.url.database)) as connection:
        connection.execute("UPDATE games SET pack = substr(pack, 4) WHERE pack IS NOT NULL")
        connection.commit()
    await observer.look()
    assert "replayed" in observer.findings.torn[table]


async def test_the_observer_finds_a_card_that_is_in_no_place_or_in_two(house: Offline, people: People, monkeypatch):
    table, observer = await watched(house, people)
    await house.tables.play.start(house.by(1, table, id=78))
    observer.hear(Told("asked", Wish(78, "start", table, 1)))
    monkeypatch.setattr("testkit.observer.is_complete", lambda state: False)
    await observer.look()
    assert "replayed" in observer.findings.torn[table]


async def test_the_observer_finds_nothing_wrong_with_a_game_that_goes_on(house: Offline, people: People):
    table, observer = await watched(house, people)
    observer.hear(Told("asked", Wish(78, "start", table, 1)))
    await house.tables.play.start(house.by(1, table, id=78))
    await observer.look()
    assert not observer.findings.are_bad
    assert observer.findings.unacknowledged == {78}


@pytest.mark.parametrize(
    ("elsewhere", "earlier", "lost"),
    [(0, 0, set()), (0, 1, {79}), (1, 0, {79})],
    ids=["the same", "a later change", "at another table"],
)
async def test_the_observer_looks_for_the_very_move_that_was_acknowledged(
    house: Offline, people: People, elsewhere, earlier, lost
):
    table, observer = await watched(house, people)
    move = Wish(79, "act", table + elsewhere, 1)
    for each in (Wish(78, "start", table, 1), move):
        observer.hear(Told("asked", each))
    await house.tables.play.start(house.by(1, table, id=78))
    await house.tables.play.act(house.by(1, table, id=79), Ready())
    revision = (await house.tables.snapshot(table)).table.revision
    observer.hear(Told("done", move, revision - earlier))
    await observer.look()
    assert observer.findings.lost == lost


async def test_the_observer_finds_that_a_move_is_missing_between_others(house: Offline, people: People):
    table, observer = await watched(house, people)
    await house.tables.play.start(house.by(1, table, id=78))
    await house.ready(table)
    with closing(sqlite3.connect(house.store.database.url.database)) as connection:
        connection.execute("UPDATE moves SET n = n + 1 WHERE n = (SELECT max(n) FROM moves)")
        connection.commit()
    await observer.look()
    assert observer.findings.torn[table] == "move 3 of game 1 follows 1"
