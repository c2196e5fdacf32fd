"""Nobody waits while a computer thinks, and its move is dropped if the table has changed meanwhile."""

import asyncio
from random import Random

import pytest

from bot.clock import THINKING_PARTS
from bot.workers import InProcess
from data.guild_models import GuildSettings
from game.moves import Ready, apply, format_move, parse_move
from game.players import quick_player
from game.players.hints import Hint
from game.rules import Rules
from game.text.position import set_up
from tables.gameplay import views_of
from tables.loaded import LoadedTable
from tables.services import Tables
from tables.snapshots import RECENT
from tables.thinking import Question
from testkit.found import not_none
from testkit.made import made_table, with_computer
from testkit.offline import ANN, BOB, CY, DEE, Offline
from testkit.stored import stored_game


class Pensive(InProcess):
    """Thinks until the test sets `enough`."""

    def __init__(self):
        self.asked, self.began, self.enough = [], asyncio.Event(), asyncio.Event()

    async def choose(self, question: Question, seed):
        self.asked.append(question)
        self.began.set()
        await self.enough.wait()
        return await super().choose(question, seed)


async def game(house: Offline, level):
    """A game of a person and a computer of this level, just dealt."""
    table = await house.lobby(ANN)
    await house.tables.lobby.add_computer(house.by(ANN, table), level)
    await house.tables.play.start(house.by(ANN, table))
    return table


async def until_it_thinks(house: Offline, table, pensive: Pensive):
    """Tables whose computer players think until told, and the task of the turn during which one thinks."""
    tables = Tables(house.store, randomness=house.chance, now=house.time, thinking=pensive)
    for _ in range(100):
        turn = asyncio.create_task(tables.timekeeping.computer_turn(table))
        began = asyncio.create_task(pensive.began.wait())
        await asyncio.wait({turn, began}, return_when=asyncio.FIRST_COMPLETED)
        began.cancel()
        if pensive.asked:
            return tables, turn
        await house.step(table, tables)
    raise AssertionError("the computer never had a choice")


@pytest.mark.parametrize("level", ["easy", "fair", "strong"])
async def test_computers_of_every_level_play_a_game_to_its_end(house: Offline, level):
    pensive = Pensive()
    pensive.enough.set()
    thinking = Tables(house.store, randomness=house.chance, now=house.time, thinking=pensive)
    snapshot = await house.finish(await game(house, level), thinking)
    assert snapshot.table.status == "over"
    assert all(len(question.view.moves) > 1 for question in pensive.asked), "nothing else takes thought"
    assert snapshot.table.players[1].level == level


async def test_nobody_waits_while_a_computer_thinks(house: Offline):
    pensive = Pensive()
    table = await game(house, "strong")
    tables, turn = await until_it_thinks(house, table, pensive)
    before = (await tables.snapshot(table)).table.revision
    stopped = await tables.play.stop(house.by(ANN, table))
    assert stopped.table.status == "stopped"
    pensive.enough.set()
    assert not await turn
    assert (await tables.snapshot(table)).table.revision == before + 1


async def test_a_computer_that_thinks_while_its_table_is_paused_moves_when_it_goes_on(house: Offline):
    pensive = Pensive()
    table = await game(house, "strong")
    tables, turn = await until_it_thinks(house, table, pensive)
    await tables.timekeeping.pause(table, paused=True)
    before = (await tables.snapshot(table)).moves
    pensive.enough.set()
    assert not await turn
    assert (await tables.snapshot(table)).moves == before
    await tables.timekeeping.pause(table, paused=False)
    assert await tables.timekeeping.computer_turn(table)
    assert (await tables.snapshot(table)).moves == before + 1


async def test_the_chosen_move_is_played(house: Offline):
    pensive = Pensive()
    table = await game(house, "strong")
    tables, turn = await until_it_thinks(house, table, pensive)
    pensive.enough.set()
    before = (await tables.snapshot(table)).moves
    assert await turn
    assert (await tables.snapshot(table)).moves == before + 1


async def test_no_hint_is_given_for_a_turn_that_ended_while_it_was_thought_of(house: Offline):
    class Slow(InProcess):
        async def explain(self, view, memory):
            await house.choose(table, user, tables)
            return Hint(view.moves[0], ())

    table = await house.in_play(ANN, BOB)
    tables = Tables(house.store, randomness=house.chance, now=house.time, thinking=Slow())
    snapshot = await tables.snapshot(table)
    user = snapshot.table.players[not_none(snapshot.view.turn)].user_id
    hand, hint = await tables.play.hint(house.by(user, table))
    assert (hand.snapshot.moves, hint) == (snapshot.moves + 1, None)


async def test_the_computer_plays_for_people_who_left_without_thinking(house: Offline):
    pensive = Pensive()
    table = await house.game(ANN, BOB, CY, DEE)
    tables = Tables(house.store, randomness=house.chance, now=house.time, thinking=pensive)
    for leaver in (BOB, CY, DEE):
        await tables.lobby.leave(house.by(leaver, table))
    ended = await house.finish(table, tables)
    assert not pensive.asked
    assert len(ended.played_for) == RECENT
    assert any(event is ended.played_for[-1][0] for event in ended.recent), "it is told of the latest ones"


async def test_of_a_game_that_somebody_left_their_own_moves_are_reviewed_and_not_the_computers(house: Offline):
    asked = {}

    class Coach(InProcess):
        async def review(self, record, seat, own):
            asked[seat, number] = [step for step in own if record.moves[step].startswith("AB"[seat])]
            return []

    tables = house.tables
    tables.past._thinking = Coach()
    table = await house.game(ANN, BOB)
    await house.finish(table)
    await tables.play.rematch(house.by(ANN, table))
    await tables.lobby.join(house.by(BOB, table))
    own = await house.act(table, BOB, Ready())
    await tables.lobby.leave(house.by(BOB, table))
    ended = await house.finish(table)
    for number in (1, 2):
        for user in (ANN, BOB):
            assert await tables.past.reviewed(house.by(user, table), number)
    assert len(asked[1, 1]) > 2
    assert asked[1, 2] == [own.snapshot.moves - 1]
    assert set(range(ended.moves)) > set(asked[0, 2]) > set()


async def test_only_the_latest_reviews_are_kept(house: Offline, monkeypatch):
    asked = []

    class Coach(InProcess):
        async def review(self, record, seat, own):
            asked.append(seat)
            return []

    monkeypatch.setattr("tables.past_service._REVIEWS", 1)
    tables = Tables(house.store, randomness=house.chance, now=house.time, thinking=Coach())
    table = await house.game(ANN, BOB)
    await house.finish(table)
    for user in (ANN, ANN, BOB, ANN):
        assert await tables.past.reviewed(house.by(user, table), 1)
    assert asked == [0, 1, 0]


def test_how_long_a_computer_takes_tells_nothing_of_its_hand():
    table = with_computer(made_table(status="playing"), 1)
    due = set()
    for hand in ("3d 4d 5d", "2h Td Kd"):  # nothing goes on an ace, or two of three do
        state = set_up({"seats": ["7h 4s 8d | - | -", f"{hand} | - | -"], "pile": "Ac", "turn": "B"}, Rules())
        due.add(LoadedTable(table, GuildSettings(guild_id=1), "", views_of(state)).due())
    assert due == {(1, "computer")}


FOURTH_FOUR = {"seats": ["4c 4d 4h 7h | - | -", "9h | - | -", "4s Td | - | -"], "turn": "A"}
INTERRUPT = Rules().changed_with({"play": {"interrupt": True}})
ANOTHER_FOUR = {"seats": ["7h | - | -", "9h | - | -", "4d Jh Td | - | -"], "stock": "4s", "turn": "C"}


@pytest.mark.parametrize("is_allowed", [True, False])
@pytest.mark.parametrize("level", [None, "easy", "fair", "strong", "master"])
@pytest.mark.parametrize(
    ("option", "position", "play", "answer"),
    [
        ("interrupt", FOURTH_FOUR, "play 4c 4d 4h", "interrupt 4s"),
        ("follow_up", ANOTHER_FOUR, "play 4d", "follow 4s"),
    ],
)
def test_computers_interrupt_and_follow_up_but_easy_ones_overlook_it(option, position, play, answer, level, is_allowed):
    rules = Rules().changed_with({"play": {option: is_allowed}})
    before = set_up({**position, "pile": "3c"}, rules)
    state = apply(before, before.turn, parse_move(play))
    table = with_computer(made_table(status="playing", seats=3), 2, level)
    loaded = LoadedTable(table, GuildSettings(guild_id=1), "", views_of(state))
    assert (loaded.due() or (None,))[0] == (2 if is_allowed and level != "easy" else None)
    if is_allowed:
        assert format_move(quick_player.choose(loaded.views.seat(2), Random(1))) == answer


@pytest.mark.parametrize(("card", "due"), [("4s", 2), ("5s", 1)])
def test_a_computer_that_can_interrupt_comes_before_the_computer_on_turn(card, due):
    seats = [*FOURTH_FOUR["seats"][:2], f"{card} Td | - | -"]
    before = set_up({**FOURTH_FOUR, "seats": seats, "pile": "3c"}, INTERRUPT)
    state = apply(before, before.turn, parse_move("play 4c 4d 4h"))
    table = made_table(status="playing", seats=3)
    for seat in (1, 2):
        table = with_computer(table, seat, "fair")
    loaded = LoadedTable(table, GuildSettings(guild_id=1), "", views_of(state))
    assert loaded.due()[0] == due
    assert loaded.but(table=table.but(status="stopped")).due() is None


@pytest.mark.parametrize(("level", "reacts"), [("easy", False), ("fair", True)])
async def test_computers_interrupt_people_and_each_other_in_a_game(house: Offline, level, reacts):
    table = await house.lobby(ANN, BOB)
    for _ in range(2):
        await house.tables.lobby.add_computer(house.by(ANN, table), level)
    rules = Rules().changed_with({"deal": {"packs": 2}, "play": {"interrupt": True, "follow_up": True}})
    await house.tables.lobby.change(house.by(ANN, table), rules=rules)
    await house.tables.play.start(house.by(ANN, table))
    finished = await house.finish(table)
    assert finished.table.status == "over"
    game = await stored_game(house.store, finished.table, 1)
    kinds = {move.move.partition(" ")[0] for move in game.moves if move.seat in {2, 3}}
    assert "play" in kinds
    assert bool({"interrupt", "follow"} & kinds) == reacts


async def test_a_computer_takes_longer_if_it_has_more_choice(house: Offline):
    table = await game(house, "fair")
    seen = {}
    house.tables.listeners.append(lambda changed: seen.setdefault(changed.due, changed.table.revision))
    await house.finish(table)
    assert {"preparing", "obvious", "computer", "hard"} <= set(seen)
    assert THINKING_PARTS["preparing"] < THINKING_PARTS["obvious"] < THINKING_PARTS["computer"] < THINKING_PARTS["hard"]
