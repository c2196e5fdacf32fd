"""Forged interactions: nothing breaks, changes without right, leaks, or stays unanswered."""

import re
import sys

import pytest

from bench.fuzz import main
from game.cards import parse_card
from testkit.card_reader import cards_named, open_cards, tables_named
from testkit.forger import _read
from testkit.offline import Offline, People
from testkit.rights import Asked, may_change
from testkit.waiting import HANG, run_to_end

COUNT = 200


@pytest.mark.long
def test_hundreds_of_forged_interactions_do_no_harm(capsys):
    assert main(["--count", str(COUNT), "--seed", "11"]) == 0
    *_, changed, last = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"interactions {COUNT}, faults 0, \d+ s", last)
    assert int(changed.split()[0]) > COUNT // 50


@pytest.mark.long
def test_forging_ends_at_the_first_fault_and_says_how_many_were_forged(monkeypatch, capsys):
    monkeypatch.setattr("bench.fuzz.wrongs", lambda *_, **__: ["a debt of somebody else"])
    assert main(["--count", "5"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("interactions 1, faults 1, ")


@pytest.mark.long
def test_forging_interactions_waits_for_a_busy_machine():
    """In a process of its own, because in this one SimCord is patient already."""
    asks = "import simcord; print(simcord.Env.__init__.__kwdefaults__['settle_timeout'])"
    forges = f"from bench.fuzz import main; main(['--count', '1']); {asks}"
    *_, seconds = run_to_end(sys.executable, "-c", forges, check=True).stdout.splitlines()
    assert float(seconds) == HANG


def test_cards_are_found_wherever_a_message_may_name_them():
    button = {"type": 2, "custom_id": "sh:play:7:1:7c7d", "label": "♠K"}
    select = {"type": 3, "custom_id": "sh:select:7:1", "options": [{"value": "Th"}]}
    tea = {"type": 2, "custom_id": "sh:serve:7:0:7c"}
    words = {"type": 10, "content": "**10♦** <:queen_hearts:1>"}
    assert cards_named([{"components": [button, select, words]}]) == {
        parse_card(each) for each in ("7c", "7d", "Th", "Td", "Qh")
    }
    assert cards_named([tea, {"content": "♠ 10 of 52"}]) == set()


def test_a_message_is_about_the_tables_that_its_buttons_name():
    button, select = {"type": 2, "custom_id": "sh:play:7:1:7c"}, {"type": 3, "custom_id": "sh:select:8:1"}
    of_none = [{"type": 2, "custom_id": "sh:tutorial:0:0"}, {"type": 10, "content": "sh:play:9:1"}]
    assert tables_named([{"components": [button, select, *of_none]}]) == {7, 8}


async def test_strangers_foreign_channels_and_old_buttons_have_no_right(house: Offline, people: People):
    table = await house.game(*people[:2])
    snapshot = await house.tables.snapshot(table)
    here = Asked(1, 900, 800, moderator=False, verb="ready", table=table, revision=snapshot.table.revision)
    assert may_change(here, snapshot)
    for wrong in ({"user": 3}, {"guild": 1}, {"channel": 1}, {"table": 5}, {"verb": "start"}, {"verb": "join"}):
        assert not may_change(Asked(**{**{n: getattr(here, n) for n in here.__slots__}, **wrong}), snapshot)
    assert len(open_cards(snapshot)) == 6


def asked_at(snapshot, verb, user, **more):
    revision = snapshot.table.revision
    known = {"guild": 900, "channel": 800, "moderator": False, "table": snapshot.table.id, "revision": revision}
    return Asked(**(known | {"verb": verb, "user": user} | more))


async def test_in_a_game_nobody_moves_for_a_revision_to_come_or_takes_back_what_they_do_not_want(
    house: Offline, people: People
):
    snapshot = await house.tables.snapshot(await house.in_play(*people[:2]))
    to_come = snapshot.table.revision + 1
    assert may_change(asked_at(snapshot, "play", 1), snapshot)
    assert not may_change(asked_at(snapshot, "play", 1, revision=to_come), snapshot)
    assert may_change(asked_at(snapshot, "best", 1), snapshot)
    assert may_change(asked_at(snapshot, "stop", 3, moderator=True), snapshot)
    assert not may_change(asked_at(snapshot, "stop", 3), snapshot)
    assert not may_change(asked_at(snapshot, "unvote", 1), snapshot)
    assert not may_change(asked_at(snapshot, "forget", 1), snapshot)


async def test_in_a_lobby_its_host_alone_sets_the_rules_and_others_may_come_and_go(house: Offline, people: People):
    snapshot = await house.tables.snapshot(await house.lobby(*people[:2]))

    def may(verb, user, **more):
        return may_change(asked_at(snapshot, verb, user, **more), snapshot)

    assert [[may(verb, user) for user in (1, 2, 3)] for verb in ("start", "join", "rematch", "leave", "stop")] == [
        [True, False, False], [False, False, True], [False, False, True], [True, True, False], [True, False, False],
    ]  # fmt: skip
    assert may("stop", 3, moderator=True)
    assert not any(may(verb, 1) for verb in ("play", "ready", "return", "forget", "unvote"))


async def test_of_an_ended_game_its_players_may_be_forgotten_and_play_again_and_nobody_else(
    house: Offline, people: People
):
    table = await house.in_play(*people[:2])
    snapshot = await house.finish(table)

    def may(verb, user):
        return may_change(asked_at(snapshot, verb, user), snapshot)

    assert [[may(verb, user) for user in (1, 2, 3)] for verb in ("rematch", "forget", "leave", "return", "play")] == [
        [True, True, False], [True, True, False], [False] * 3, [False] * 3, [False] * 3,
    ]  # fmt: skip


@pytest.mark.parametrize("mark", ["", "~2", "~0331"])
def test_an_id_with_a_mark_that_keeps_it_apart_is_read_like_any_other(mark):
    assert _read({"custom_id": f"sh:seats:7:1{mark}"}) == ("seats", 7, 1)
    assert _read({"custom_id": f"sh:play:7:1:7c{mark}"}) == ("play", 7, 1)
