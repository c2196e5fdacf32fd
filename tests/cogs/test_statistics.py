"""Statistics of a person and of a server: what they count, and who is on them."""

import re

import pytest

from cogs.screens.formatter import formatter
from cogs.screens.settings_screens import ranks_screen, score_screen
from data.game_models import Finish, Losses, Played
from tables.people_service import score_of
from tables.snapshots import Score
from testkit.channel import Room
from testkit.found import not_none
from testkit.made import labels, texts
from testkit.offline import prefer
from testkit.shortcuts import finished, sentence


async def test_statistics_of_a_person_and_of_the_server(room: Room):
    snapshot = await finished(room)
    loser = room.people[not_none(snapshot.view.shithead)]
    said = sentence(await room.people[5].slash(room.channel, "shithead stats", player=loser))
    assert f"<@{loser.id}> · 1 game" in said
    assert "**Shithead once (100%)**" in said
    assert "Likely" not in said, "one game tells nothing"
    assert "Longest losing streak: 1 game" in said
    board = await room.people[5].slash(room.channel, "shithead stats")
    lines = [line for line in sentence(board).splitlines() if "<@" in line]
    assert str(loser.id) in lines[1]
    assert "lost 1 of 1 game (100%)" in lines[1]
    assert "-# Games against computers count, too" in sentence(board).splitlines()
    own = await room.press(room.people[5], board.response, "mystats")
    assert "has not finished a game here yet" in sentence(own)


def test_from_five_games_on_statistics_say_how_sure_they_are():
    for games, told in ((4, False), (5, True)):
        own = texts(score_screen(formatter(), 1, Score(games, 2, 0.21, 0.9, 2, 1)))
        board = texts(ranks_screen(formatter(), [Losses(1, games, 1), Losses(2, 1, 0)]))
        assert ("Likely between 21% and 90%" in own) == told
        assert ("Sorted cautiously, so one lucky game does not put you on top · Games against" in board) == told


@pytest.mark.parametrize(("people", "rest"), [(10, ""), (11, "And 1 more"), (13, "And 3 more")])
def test_a_leaderboard_lists_ten_and_counts_the_others(people, rest):
    board = texts(ranks_screen(formatter(), [Losses(number, 1, 0) for number in range(1, people + 1)]))
    assert board.count("<@") == 10
    assert re.findall(r"And \d+ more", board) == [rest] * bool(rest)


async def test_strength_is_a_page_of_the_statistics(room: Room):
    snapshot = await finished(room)
    asker, loser = room.people[5], room.people[not_none(snapshot.view.shithead)]
    board = (await asker.slash(room.channel, "shithead stats")).response
    assert "No game without hints has been finished here yet" in sentence(await room.press(asker, board, "strength"))
    table = await room.table()
    made = [(table.players[seat].user_id, None) for seat in snapshot.view.out] + [(loser.id, None), (None, "master")]
    finishes = [Finish(table.id, 1, len(made), None, *each) for each in made]

    async def told(*_, **__):
        return finishes

    room.house.store.scores.finishes = told
    room.tables.people._strengths.drop(room.guild.id)
    lines = [line for line in sentence(await room.press(asker, board, "strength")).splitlines() if "±" in line]
    assert [str(loser.id) in line for line in lines] == [False, True, False]
    assert re.fullmatch(r"3\\. computer, master 🤖 · \*\*\d+\*\* ± \d+ · 1 game", lines[2])
    await prefer(room.tables, room.guild.id, asker.id, text_mode=True)
    assert "3\\. computer, master · **" in sentence(await room.press(asker, board, "strength"))


async def test_nobody_has_statistics_before_the_first_game(room: Room):
    assert "No game has been finished here yet" in sentence(await room.people[0].slash(room.channel, "palace stats"))


async def test_people_who_want_no_statistics_are_on_no_board(room: Room):
    await finished(room)
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    await room.press(room.people[0], page, "mine", "uncounted=on")
    assert "Count my games · off" in labels(page.components)
    assert "Saved ✓" in texts(page.components)
    asked = await room.people[1].slash(room.channel, "shithead stats", player=room.people[0])
    assert "has turned statistics off here" in sentence(asked)
    board = sentence(await room.people[1].slash(room.channel, "shithead stats"))
    assert f"<@{room.people[0].id}>" not in board
    assert f"<@{room.people[1].id}>" in board


def test_people_who_lost_as_often_in_as_many_games_have_the_same_rank():
    ranks = [Losses(1, 12, 3), Losses(2, 1, 0), Losses(3, 1, 0), Losses(4, 2, 1)]
    listed = re.findall(r"(\d)\\\. <@(\d)>", texts(ranks_screen(formatter(), ranks)))
    assert listed == [("1", "1"), ("2", "2"), ("2", "3"), ("4", "4")]


def test_whoever_has_never_lost_is_not_told_one_loss_in_french():
    never = texts(score_screen(formatter("fr"), 7, score_of([Played(lost=False, most_held=5, turns=9)] * 3)))
    assert "Shithead 0 fois" in never
