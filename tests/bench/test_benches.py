"""Every bench that can be made small runs, and ends with the line that others read."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from itertools import count
from math import inf
from multiprocessing.context import SpawnProcess
from shutil import which
from xml.etree import ElementTree as ET

import pytest

from bench import doorway_rate, honesty, players
from bench.__main__ import benches, main
from bench.chart import bar_chart
from bench.rivals import PLAYERS
from bench.tail import p99
from game.rules import Rules
from game.shell import INTERRUPTED
from game.showing import seat_view
from game.validity import clashes
from testkit.waiting import HANG, ROOT

KEYS = {"bench", "value", "unit", "baseline", "ratio"}
COUNTING = {"kills"}
"""Benches that count what went wrong, and compare with nothing."""
TINY = {name: module.TINY for name in benches() if hasattr(module := import_module(f"bench.{name}"), "TINY")}
NEVER_SMALL = {"chaos", "cluster", "faults", "fuzz", "slow_disk", "soak"}
"""What they do is tested elsewhere: tests/failures, tests/deploy/test_cluster.py, test_faults.py, tests/game, below."""

slowed = pytest.mark.skipif(
    which("cc") is None, reason="what slows the disk down is written in C, and there is no compiler cc"
)


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


CHARTS = {
    "clicks": ["1 at a time, p50", "1 at a time, p99", "1 at a time, CPU"],
    "tables": ["2 tables, p50", "4 tables, p50", "2 tables, p99", "4 tables, p99"],
    "doorway_rate": ["1 at once", "2 at once"],
}
"""The bars of the charts that benches draw, run as small as `TINY` says."""


@pytest.mark.parametrize("name", TINY)
def test_bench_ends_with_its_result_as_json_and_draws_its_chart(name, tmp_path, capsys):
    """A bench says by `TINY` how it is run so small that only its form is tested."""
    picture = tmp_path / "found.svg"
    assert main([name, *TINY[name], *(("--picture", str(picture)) if name in CHARTS else ())]) == 0
    if name in CHARTS:
        shown = [text.strip() for text in ET.fromstring(picture.read_text()).itertext() if text.strip()]
        assert shown[4::2] == CHARTS[name], "after title, style, heading and mark: a name, a value, a name ..."
    result = last_line(capsys)
    assert result.keys() == KEYS - ({"baseline", "ratio"} if name in COUNTING else set())
    assert result["bench"] == name
    assert result.get("ratio", 1) > 0


def test_what_is_asked_for_beside_quick_counts(capsys):
    assert main(["doorway_rate", "--quick", "--tables", "1", "--moves", "2"]) == 0
    first, _heading, row, _last = capsys.readouterr().out.splitlines()
    assert first.startswith("2 moves a block, 3 rounds, ")
    assert row.split()[0] == "1"


def test_the_rates_of_several_processes_are_those_of_all_together(capsys):
    assert main(["doorway_rate", *doorway_rate.TINY, "--processes", "2"]) == 0
    assert last_line(capsys)["value"] > 0


@pytest.mark.parametrize("nth", [0, 1])
def test_a_process_that_is_killed_ends_the_measuring_of_rates_and_the_others(nth, monkeypatch):
    """Left alone, each of the others would wait for ever until all are ready."""
    started, start = [], SpawnProcess.start

    def start_or_die(process):
        start(process)
        started.append(process)
        if len(started) == nth + 1:
            process.kill()

    monkeypatch.setattr(SpawnProcess, "start", start_or_die)
    with pytest.raises(RuntimeError, match="a process has failed"):
        main(["doorway_rate", *doorway_rate.TINY, "--processes", "2"])
    assert [process.is_alive() for process in started] == [False, False]


def test_every_other_bench_is_known():
    assert benches().keys() - TINY.keys() == NEVER_SMALL
    assert TINY.keys() < benches().keys()


def test_engine_measures_every_variant_and_draws_a_chart(tmp_path, capsys):
    picture = tmp_path / "variants.svg"
    options = ["--rounds", "1", "--seconds", "0.001", "--variants", "--profile", "--picture", str(picture)]
    assert main(["engine", *options]) == 0
    said = capsys.readouterr().out
    assert json.loads(said.splitlines()[-1])["bench"] == "engine"
    assert [said.count(f"({runner})") for runner in ("without_events", "with_events")] == [1, 1]
    texts = [node.text for node in ET.fromstring(picture.read_text()).iter() if node.text]
    assert "reverse-second" in texts


def test_engine_plays_a_game_of_each_kind_in_however_short_a_time(capsys):
    assert main(["engine", "--rounds", "1", "--seconds", "1e-9"]) == 0
    assert last_line(capsys)["ratio"] > 0


@slowed
def test_a_bench_on_a_slow_disk_waits_for_each_commit(capfd, tmp_path, monkeypatch):
    (folder := tmp_path / "in two words").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert main(["slow_disk", "--ms", "30", "doorway_rate", "--tables", "1", "--moves", "2", "--rounds", "1"]) == 0
    *_, row, last = capfd.readouterr().out.splitlines()
    assert json.loads(last)["bench"] == "doorway_rate"
    _tables, *_, move, bare, _ratio = row.split()
    assert float(move) >= 30
    assert float(bare) >= 30


@pytest.mark.skipif(which("cc") is None, reason="the twin is written in C, and there is no compiler cc")
def test_players_are_measured_in_the_twin_where_it_knows_them(capsys):
    options = ["--packs", "2", "--seats", "2", "--pairs", "strong:today", "cheapest:today"]
    assert main(["players", "--twin", *options]) == 0
    rows = capsys.readouterr().out
    assert "strong at a table of today" in rows
    assert "master at a table of public" in rows
    assert "cheapest" not in rows


@pytest.mark.parametrize(
    ("compiler", "options", "said"), [("c", [], "no C compiler cc"), ("cc", ["--seats", "2", "6"], "play with 2 to 5")]
)
def test_the_twin_refuses_what_it_cannot_play(compiler, options, said, tmp_path, monkeypatch, capsys):
    (tmp_path / compiler).touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="2"):
        main(["players", "--twin", *options])
    assert said in capsys.readouterr().err


def test_with_house_rules_each_pack_is_played_by_others(monkeypatch):
    played = list[Rules]()

    def one_pack(match, packs, _seed):
        played.append(match.rules)
        return players.Tally([0.5] * packs, games=match.seats)

    monkeypatch.setattr(players.Match, "play", one_pack)
    tally = players.house_tally(5, PLAYERS["today"], PLAYERS["today"], 30, 1, inf)
    assert (len(tally.shares), tally.games) == (30, 150)
    assert len({rules.model_dump_json() for rules in played}) > 25
    assert not any(clashes(rules) for rules in played)
    assert all(rules.seats[0] <= 5 <= rules.most_seats() for rules in played)


def test_a_player_whose_choice_changes_with_the_cards_it_cannot_see_is_found(monkeypatch, capsys):
    numbers = count()  # in place of such cards: what is asked the second time is answered otherwise
    monkeypatch.setattr(honesty, "choose", lambda view, *_: view.moves[next(numbers) % len(view.moves)])
    assert main(["honesty", "--choices", "3", "--levels", "fair", "--seats", "2"]) == 1
    assert last_line(capsys)["value"] < 3


def test_a_player_who_peeks_at_cards_it_cannot_see_is_found(monkeypatch, capsys):
    seen = []

    def peeking(state, seat):
        seen[:] = (*state.stock, *(each.hand for each in state.seats))
        return seat_view(state, seat)

    monkeypatch.setattr(players, "seat_view", peeking)
    monkeypatch.setattr(honesty, "seat_view", peeking)
    monkeypatch.setattr(honesty, "choose", lambda view, *_: view.moves[hash(tuple(seen)) % len(view.moves)])
    assert main(["honesty", "--choices", "6", "--levels", "fair", "--seats", "2"]) == 1
    found = last_line(capsys)
    assert found["value"] < found["baseline"] == 6


def test_chart_escapes_what_it_is_told():
    drawn = ET.fromstring(bar_chart("a < b", {"x & y": 2.0, "z": 1.0}, unit="<>", mark=("half", 1.0)))
    assert [node.text for node in drawn.iter() if node.text and "&" in node.text] == ["x & y"]


def test_without_a_name_the_names_are_listed(capsys):
    assert main([]) == 0
    assert "engine" in capsys.readouterr().out


def test_unknown_name_is_refused_with_those_that_exist(capsys):
    assert main(["engines"]) == main(["--quick"]) == 2
    assert "engine" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "soak --games -1",
        "chaos --points 0",
        "engine --seconds nan",
        "clicks --people 1,x",
        "faults --only nosuch",
        "mutants --layers nosuch",
        "players --pairs master:nobody",
        "honesty --levels nosuch",
        "honesty --rules nosuch",
        "honesty --seats 1",
        "players --rules west-kent --seats 6",
        "engine --rounds 1000000001",
        "endurance --hours inf",
        "masters --apart 0",
        "masters --pause -1",
        "bursts --channels 150",
        "tables --sizes 10,150",
        "tables --depth -1",
        "mutants --tests nosuch",
    ],
)
def test_a_bench_refuses_what_it_cannot_measure(line, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    assert line.split()[-2] in capsys.readouterr().err


@pytest.mark.parametrize(("samples", "tail"), [([7.0], 7.0), ([1.0, 3.0], 2.98), (range(101), 99), ([5.0] * 9, 5.0)])
def test_one_in_a_hundred_exceeds_the_tail_and_one_sample_is_enough(samples, tail):
    assert p99(samples) == tail


def test_ctrl_c_ends_a_bench_that_never_waits():
    command = [sys.executable, "-m", "bench", "servers", "1000000"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as bench:
        bench.stderr.read(len("servers:"))
        bench.send_signal(signal.SIGINT)
        try:
            assert bench.wait(HANG) == INTERRUPTED
        finally:
            bench.kill()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("clicks --people 1 --tables 2", signal.SIGTERM),
        pytest.param("slow_disk --ms 1 clicks --people 1 --tables 2", signal.SIGINT, marks=slowed),
    ],
)
def test_a_bench_that_is_told_to_end_ends_its_bots_and_takes_its_files_away(line, told, tmp_path):
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-m", "bench", *line.split()], cwd=ROOT, env=env) as bench:
        try:
            while not list(tmp_path.glob("clicks*/real.sqlite3")):
                with suppress(subprocess.TimeoutExpired):
                    pytest.fail(f"it ended with {bench.wait(0.1)}")
            bench.send_signal(told)
            assert bench.wait(HANG) == INTERRUPTED
        finally:
            bench.kill()
    assert list(tmp_path.iterdir()) == []


def test_trace_sees_what_a_click_costs(capsys):
    assert main(["trace", "--calls"]) == 0
    said = capsys.readouterr().out
    calls = [line for line in said.splitlines() if re.match(r"\w+/[\w/]+\.py: ", line)]
    assert "game/showing.py: table_view" in calls
    assert f"{len(calls)} calls in" in said
