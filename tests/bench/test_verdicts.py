"""No bench says that all is well where nothing was tried, or where what it watches had ended."""

import asyncio
import json
import os
import sys
from contextlib import nullcontext
from shutil import disk_usage, which
from types import SimpleNamespace

import pytest

from bench import bursts, faults, scenes, trace
from bench.__main__ import main
from bench.at_table import AtTable
from bench.bursts import Burst, Crowd, edits_of
from bench.kept_alive import KeptAlive
from bench.kills import Kills
from bench.masters import Tireless, question, thinking
from bench.regulars import Balance, Notes, Regulars, until
from bench.scenes import Came, over
from testkit.sockets.server import Heard
from testkit.sockets.world import LATER_UPDATE, UPDATE
from testkit.waiting import run_to_end


def lives():
    """The lives of a bot on a Discord that nobody asks."""
    return Kills(SimpleNamespace(listeners=[], gateway=SimpleNamespace(forget=list)), "sqlite://", 1)


async def test_what_ended_a_player_early_is_raised_when_the_others_are_told_to_stop():
    async def plays(error):
        raise error

    async def plays_on():
        await asyncio.Event().wait()

    players = [asyncio.create_task(each) for each in (plays(ZeroDivisionError()), plays_on())]
    await asyncio.sleep(0)
    with pytest.raises(ZeroDivisionError):
        await over(players)
    assert players[1].cancelled()
    await over(players[1:])


async def test_a_master_without_an_answer_ends_the_measurement():
    workers = Tireless(patience=0)
    with pytest.raises(RuntimeError, match="no answer"):
        async with thinking(workers, [question(1)], 0):
            """Nobody thinks meanwhile."""
    workers.close()


async def test_how_a_bot_ends_that_is_told_to_is_known(tmp_path):
    deaf = ("sh", "-c", "trap 'exit 7' TERM; echo begun; while :; do sleep 0.02; done")
    bot = KeptAlive(SimpleNamespace(port=1), "sqlite://", tmp_path / "log", wrapper=deaf)
    await bot.begin()
    await until(bot.warnings, [])
    await bot.end()
    assert (bot.last, bot.ends) == (7, [])


@pytest.mark.parametrize(
    ("lost", "last", "status", "said"),
    [
        (0, 0, 0, "| went on |"),
        (1, 0, 1, "| went on |"),
        (0, -9, 1, "| went on; told to end: -9 |"),
        (0, None, 1, "| went on; told to end: was gone already |"),
    ],
)
def test_faults_are_survived_if_nothing_was_lost_and_the_bot_ended_as_it_was_told(
    lost, last, status, said, monkeypatch, capsys
):
    came = Came(0.1, 0.2, 1.25, 0.3, (), last, (), Balance(answered=9, lost=lost, doubled=0, orphans=0))

    async def tried(_fault, *, quick):
        return came

    monkeypatch.setattr(faults, "tried", tried)
    assert main(["faults", "--only", "kill -9"]) == status
    heading, _, row, last_line = capsys.readouterr().out.splitlines()
    assert said in row
    assert row.count("|") == heading.count("|")
    assert json.loads(last_line)["value"] == 1.2


def test_one_fault_that_was_not_survived_is_enough(monkeypatch, capsys):
    books = iter([Balance(9, 0, 0, 0), Balance(9, 0, 1, 0), Balance(9, 0, 0, 0)])

    async def tried(_fault, *, quick):
        return Came(0.1, 0.2, 1.25, 0.3, (), 0, (), next(books))

    monkeypatch.setattr(faults, "tried", tried)
    assert main(["faults", "--only", "clicks 50 ,clicks 200,clicks 500"]) == 1
    assert capsys.readouterr().out.count("| went on |") == 3


def test_where_every_fault_lacks_something_none_was_survived(monkeypatch, capsys):
    monkeypatch.setattr(faults, "bin_dir", lambda: None)
    assert main(["faults", "--only", "PostgreSQL"]) == 2
    heading, _, *rows = capsys.readouterr().out.splitlines()
    assert ["not tried: PostgreSQL is missing" in row for row in rows] == [True, True]
    assert {row.count("|") for row in rows} == {heading.count("|")}


def test_without_an_answer_nobody_waited_for_no_time():
    assert faults._waited("meanwhile", []) == "meanwhile nobody was answered"
    assert faults._waited("before", [0.01, 0.01]) == "before p50 10 ms, p99 10 ms"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_small_disk_is_as_small_as_it_is_said_and_is_taken_away(tmp_path):
    disk = tmp_path / "disk"
    with scenes._small_disk(disk):
        assert disk_usage(disk).total == 24 << 20
        (disk / "file").touch()
    assert not list(disk.iterdir())


def plays():
    """Somebody who plays at a table with the number 7, and what is noted of it."""
    notes = Notes()
    return Regulars(AtTable(SimpleNamespace(), 5, 1_000), notes, pause=0, patience=0), notes


def redrawn(revision):
    """An answer with a hand that shows this revision of the table."""
    hand = {"components": [{"type": 2, "custom_id": f"sh:play:7:{revision}:9"}]}
    answered = SimpleNamespace(result=lambda: ({"data": hand}, 1.0))
    asked = SimpleNamespace(id=revision, channel=5, answered=answered)
    return SimpleNamespace(kind=UPDATE, asked=asked, heard_at=1.0, seconds=0.1)


def test_the_newest_that_was_seen_of_a_table_is_noted_in_whatever_order_answers_come():
    person, notes = plays()
    assert person._note("sh:play:7:3:9", redrawn(9))
    assert person._note("sh:play:7:3:9", redrawn(8))
    assert (notes.seen, list(notes.moves)) == ({7: 9}, [9, 8])
    assert not person._note("sh:play:7:9:9", redrawn(9)), "one more page"


def test_an_answer_that_was_only_put_off_is_noted_as_no_move():
    person, notes = plays()
    assert not person._note("sh:play:7:3:9", SimpleNamespace(kind=LATER_UPDATE))
    assert notes.moves == {}


@pytest.mark.parametrize("kill", [True, False])
async def test_a_bot_that_ended_by_itself_is_not_taken_for_killed(kill):
    process = SimpleNamespace(exitcode=3, kill=list, terminate=list, join=list, close=list)
    with pytest.raises(RuntimeError, match="by itself, with 3"):
        await lives().end(process, kill=kill)


@pytest.mark.parametrize(("status", "told"), [(-9, True), (1, False)])
async def test_only_a_bot_that_is_killed_may_end_with_a_status(status, told):
    process = SimpleNamespace(exitcode=None, close=list)
    process.kill = process.terminate = lambda: setattr(process, "exitcode", status)
    process.join = list
    with nullcontext() if told else pytest.raises(RuntimeError, match="told to end, and did so with 1"):
        await lives().end(process, kill=told)


@pytest.mark.skipif(which("cc") is None, reason="the clock is written in C, and there is no compiler cc")
async def test_a_clock_that_the_bot_does_not_go_by_is_not_set(monkeypatch):
    monkeypatch.setattr(scenes, "preloaded", lambda *_, **settings: settings)
    with pytest.raises(RuntimeError, match="clock of the machine"):
        async with scenes.scene("sqlite", faked=True, tables=1):
            pytest.fail("the scene was set")


@pytest.mark.parametrize(("status", "are_taken"), [(200, True), (204, True), (400, False), (404, False), (429, False)])
def test_an_edit_that_discord_refused_draws_nothing(status, are_taken):
    edit = Heard(0.0, "PATCH", "/channels/{channel}/messages/{message}", {}, status)
    assert bool(edits_of([edit])) is are_taken


@pytest.mark.parametrize(("is_shown", "status"), [(True, 0), (False, 1)])
def test_a_burst_of_which_the_last_state_is_not_shown_fails(is_shown, status, monkeypatch):
    async def burst(*_):
        return Burst(moves=2, seconds=1.0, edits=[0.0], is_shown=is_shown, refused=0)

    async def crowd(*_):
        return Crowd(waited=[1.0], busiest=1, refused=0)

    monkeypatch.setattr(bursts, "burst", burst)
    monkeypatch.setattr(bursts, "crowd", crowd)
    assert main(["bursts", *bursts.TINY]) == status


def test_a_click_is_counted_up_to_its_answer_and_not_on(monkeypatch):
    monkeypatch.setattr(trace, "ANSWER", "respond_by_another_name")
    with pytest.raises(AssertionError, match="respond_by_another_name"):
        main(["trace"])


def test_a_call_is_counted_once_however_often_it_goes_on_and_none_after_the_answer():
    made = (
        "def small(): return 1\n"
        "def goes_on():\n    yield small()\n    yield (lambda: [small() for _ in 'ab'])()\n"
        "def respond(): small()\n"
    )
    known = {}
    exec(compile(made, str(trace.ROOT / "game" / "made.py"), "exec"), known)
    found = trace.Trace()
    found.begin()
    list(known["goes_on"]())
    before = found.is_answered
    known["respond"]()
    known["small"]()
    names = ("goes_on", "small", "goes_on.<locals>.<lambda>", "small", "small")
    assert found.calls == [f"game/made.py: {name}" for name in names]
    assert (before, found.is_answered, found.files) == (False, True, {"game/made.py": 5})


def test_without_assertions_random_games_are_not_watched():
    ended = run_to_end(sys.executable, "-O", "-m", "bench", "soak", "--games", "1")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "nothing would be watched" in ended.stderr


def test_tables_of_one_size_are_not_compared_with_themselves(capsys):
    small = ("--moves", "1", "--rounds", "1", "--depth", "0", "--patience", "0.5")
    assert main(["tables", "--sizes", "2,2", *small]) == 0
    *_, row, last_line = capsys.readouterr().out.splitlines()
    assert row.split()[0] == "2"
    assert json.loads(last_line).keys() == {"bench", "value", "unit"}
