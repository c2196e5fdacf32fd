"""The picture at the end of a game repeats the text, has an alt text, and is left out if drawing fails."""

import re
import threading
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from bot.port import ForbiddenError
from cogs import drawing_pool, end_drawing
from cogs.picture_messages import PICTURE, RUNNING_PICTURE, end_with_picture, in_words
from cogs.responder import Prepared
from cogs.screens.components import GALLERY, walk
from cogs.screens.end_screens import end_screen
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from game.rules import Rules
from game.text.notation import parse_cards
from game.variants import variants
from tables.snapshots import HandSnapshot, TableSnapshot
from testkit.channel import Room
from testkit.found import not_none
from testkit.made import START, Game, made_debt, replaced, texts, with_computer, within_limits
from testkit.scenes import DRAWN_LANGUAGES
from testkit.shortcuts import play_on
from testkit.waiting import HANG


@pytest.fixture(scope="module")
def ended():
    """A table of three that was played to the end."""
    for seed in range(50):
        game = Game(Rules(), 3, seed=seed)
        while not game.over:
            game.step()
        if game.snapshot().view.shithead is not None:
            game.table = game.table.model_copy(update={"status": "over", "ended_at": START, "secret": "x"})
            return game.snapshot()
    pytest.fail("nobody lost")


def gallery(screen):
    return next((each for each in walk(screen) if each["type"] == GALLERY), None)


@pytest.mark.parametrize("language", DRAWN_LANGUAGES)
async def test_the_end_has_a_picture_and_an_alt_text_with_all_of_it(ended: TableSnapshot, language):
    fmt = formatter(language)
    drawn = await end_with_picture(fmt, ended)
    screen, pictures = drawn.screen, drawn.pictures
    within_limits(screen)
    (item,) = gallery(screen)["items"]
    assert item == {"media": {"url": f"attachment://{PICTURE}"}, "description": in_words(fmt, ended)}
    assert Image.open(BytesIO(pictures[PICTURE])).size == (800, 500)


def test_the_alt_text_has_the_order_and_the_cards_left_without_a_sign(ended: TableSnapshot):
    view, names = ended.view, [player.name for player in ended.table.players]
    loser = view.seats[not_none(view.shithead)]
    left = loser.hand + sum(map(len, loser.up)) + len(loser.down)
    first, second = (names[seat] for seat in view.out)
    last = names[not_none(view.shithead)]
    assert in_words(formatter(), ended).partition("; Face-up")[0] == (
        f"{last} is the shithead; {first} won; 2nd {second}; {last} has {left} cards left"
    )
    assert "shithead" not in in_words(formatter(polite=True), ended)


def test_the_end_of_a_single_game_does_not_name_a_loser_who_left_as_the_next_dealer(ended: TableSnapshot):
    loser, names = not_none(ended.view.shithead), [player.name for player in ended.table.players]
    assert f"{names[loser]} deals next" in texts(end_screen(formatter(), ended))
    left = replaced(ended, table=ended.table.with_player(loser, left=True))
    assert f"{names[(loser + 1) % len(names)]} deals next" in texts(end_screen(formatter(), left))


def test_the_alt_text_names_the_face_up_cards_that_the_picture_shows(ended: TableSnapshot):
    seats = [replaced(face, up=()) for face in ended.view.seats]
    loser = not_none(ended.view.shithead)
    seats[loser] = replaced(seats[loser], hand=1, up=(parse_cards("Td Th"), parse_cards("As")), down=(2,))
    shown = replaced(ended, view=replaced(ended.view, seats=tuple(seats)))
    name = ended.table.players[loser].name
    words = f"; {name} has 5 cards left; Face-up: 10 of diamonds, 10 of hearts and ace of spades"
    assert in_words(formatter(), shown).endswith(words)


async def test_a_debt_is_in_the_picture_if_all_creditors_are_at_the_table(ended: TableSnapshot, monkeypatch):
    lines = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda title, line, rows: lines.append(line))
    people = [player.user_id for player in ended.table.players]
    for creditors in ((people[0], people[1]), (people[0], 7)):
        debt = made_debt(1, people[2], *creditors)
        await end_with_picture(formatter(), replaced(ended, debt=debt))
    assert lines == ["Owes Ann and Bob a cup of tea", ""]


@pytest.mark.parametrize(
    ("forfeit", "line"),
    [("", "Owed Ann a cup of tea: served"), ("a pizza 🍕", "Owed Ann a pizza: served"), ("🍕", "")],
)
async def test_a_forfeit_with_an_emoji_that_cannot_be_drawn_leaves_no_gap(
    ended: TableSnapshot, monkeypatch, forfeit, line
):
    lines = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda title, line, rows: lines.append(line))
    people = [player.user_id for player in ended.table.players]
    debt = made_debt(1, people[2], people[0], forfeit=forfeit, state="served")
    await end_with_picture(formatter(), replaced(ended, debt=debt))
    assert lines == [line]


async def test_with_a_winner_too_it_is_still_the_shithead_who_owes(ended: TableSnapshot, monkeypatch):
    lines = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda title, line, rows: lines.append(line))
    both = Rules().changed_with({"end": {"aim": "both"}})
    view = replaced(ended.view, rules=both, shithead=2, winner=0)
    crowned = replaced(ended, view=view, debt=made_debt(1, 102, 100, 101))
    await end_with_picture(formatter(), crowned)
    assert lines == ["Owes Ann and Bob a cup of tea"]
    said = texts(end_screen(formatter(), crowned))
    assert "# Cy is the shithead\nOwes **Ann** and **Bob** a cup of tea 🍵" in said
    assert said.count("Ann** won") == 1


@pytest.mark.parametrize("shithead", [None, 2])
def test_computers_are_not_given_as_the_reason_for_no_debt_where_nobody_can_lose(ended: TableSnapshot, shithead):
    table = with_computer(ended.table, 0, "fair")
    view = replaced(ended.view, shithead=shithead, winner=1)
    said = texts(end_screen(formatter(), replaced(ended, table=table, view=view)))
    why = "Nobody owes anything: computers neither pay nor collect."
    assert ("Nobody owes anything for this game." if shithead is None else why) in said


@pytest.mark.parametrize(("language", "letters"), [("en", ["", ""]), ("de", ["_b", "_d"]), ("fr", ["_v", "_d"])])
async def test_the_cards_that_are_left_have_the_letters_of_the_language(
    ended: TableSnapshot, monkeypatch, language, letters
):
    drawn = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda title, line, rows: drawn.append(rows[-1].cards))
    seats = list(ended.view.seats)
    seats[not_none(ended.view.shithead)] = replace(
        seats[not_none(ended.view.shithead)], hand=0, up=((36,), (42, 47)), down=()
    )
    await end_with_picture(formatter(language), replaced(ended, view=replace(ended.view, seats=tuple(seats))))
    jack, queen = letters
    assert drawn == [(f"jack_clubs{jack}", f"queen_hearts{queen}", f"king_spades{'_r' if language == 'fr' else ''}")]


@pytest.mark.parametrize(("name", "in_alt"), [("نور", "\u2068نور\u2069"), ("🍵🎉", "🍵🎉")])
async def test_a_name_that_cannot_be_drawn_becomes_a_number_and_the_alt_text_has_it(
    ended: TableSnapshot, monkeypatch, name, in_alt
):
    drawn = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda *made: drawn.append(made) or b"")
    people = list(ended.table.players)
    people[not_none(ended.view.shithead)] = people[not_none(ended.view.shithead)].model_copy(update={"name": name})
    named = replaced(ended, table=ended.table.model_copy(update={"players": tuple(people)}))
    debt = made_debt(1, people[2].user_id, people[0].user_id, forfeit="شاي")
    screen = (await end_with_picture(formatter(), replaced(named, debt=debt))).screen
    ((title, line, rows),) = drawn
    number = f"Player {ended.view.shithead + 1}"
    assert title == f"{number} is the shithead"
    assert line == ""
    assert rows[-1].name == number
    assert {row.name for row in rows[:-1]} < {"Ann", "Bob", "Cy"}
    assert f"{in_alt} is the shithead" in gallery(screen)["items"][0]["description"]


def test_of_a_title_that_is_too_long_only_the_name_is_cut(ended: TableSnapshot, monkeypatch):
    drawn = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda *made: drawn.append(made))
    named = ended.table.with_player(ended.view.shithead, name="Bartholomew Featherstonehaugh")
    end_drawing.drawn_end(formatter(), replaced(ended, table=named))
    ((title, _, rows),) = drawn
    assert re.fullmatch(r"Bartholomew F.*… is the shithead", title)
    assert rows[-1].name == "Bartholomew Featherstonehaugh"


@pytest.mark.parametrize("outcome", [None, OSError("no typeface")])
async def test_if_it_cannot_be_drawn_there_is_only_text(ended: TableSnapshot, monkeypatch, outcome):
    def draw(*_):
        if outcome:
            raise outcome

    monkeypatch.setattr(end_drawing, "final_picture", draw)
    assert await end_with_picture(formatter(), ended) == Prepared(end_screen(formatter(), ended))


async def test_if_it_takes_too_long_there_is_only_text(ended: TableSnapshot, monkeypatch):
    drawn = threading.Event()
    monkeypatch.setattr(end_drawing, "final_picture", lambda *_: drawn.wait(HANG))
    monkeypatch.setattr(drawing_pool, "PICTURE_PATIENCE", 0)
    assert await end_with_picture(formatter(), ended) == Prepared(end_screen(formatter(), ended))
    drawn.set()


async def test_a_table_without_a_view_has_no_picture(ended: TableSnapshot):
    assert (await end_with_picture(formatter(), replaced(ended, view=None))).pictures == {}


async def test_the_public_end_keeps_its_picture_when_another_game_begins(room: Room):
    await room.start(seats=2)
    await play_on(room)
    end = room.public()
    assert gallery(end.components)
    assert room.attached() == [PICTURE]
    await room.again(room.people[0])
    assert room.public().id != end.id
    assert room.attached() == [RUNNING_PICTURE]
    assert [each["filename"] for each in room.env.backend.messages[room.channel.id][end.id].attachments] == [PICTURE]


async def test_where_no_files_may_be_attached_the_end_has_no_picture(room: Room, monkeypatch):
    port = room.house.port
    edit = port.edit

    async def wary(channel_id, message_id, drawn):
        if drawn.pictures:
            raise ForbiddenError
        await edit(channel_id, message_id, drawn)

    monkeypatch.setattr(port, "edit", wary)
    await room.start(seats=2)
    await play_on(room)
    assert "is the shithead" in texts(room.public().components)
    assert not gallery(room.public().components)
    assert not (await room.table()).paused


@pytest.mark.parametrize(
    ("winner", "shithead", "title", "order"),
    [
        (None, 2, "Cy is the shithead", "**Ann** won 🏆 · 2nd **Bob**"),
        (0, 2, "Cy is the shithead", "**Ann** won 🏆 · 2nd **Bob**"),
        (0, None, "Ann wins", ""),
    ],
)
def test_the_end_says_only_once_who_won_and_who_lost(ended: TableSnapshot, winner, shithead, title, order):
    out = (0, 1) if shithead else (0,)
    view = replaced(ended.view, out=out, shithead=shithead, winner=winner)
    said = texts(end_screen(formatter(), replaced(ended, view=view, debt=None)))
    assert order in said
    assert said.startswith(f"# {title}\n")
    assert (said.count("Ann"), said.count("**Cy**")) == (1, 0)


@pytest.mark.parametrize(
    ("stands_still", "why"),
    [(True, "The game is stuck. Nobody owes anything for it."), (False, "Nobody owes anything for this game.")],
)
def test_a_draw_says_that_nobody_owes_anything_and_whether_the_game_was_stuck(ended: TableSnapshot, stands_still, why):
    view = replaced(ended.view, shithead=None, winner=None, stands_still=stands_still)
    assert why in texts(end_screen(formatter(), replaced(ended, view=view, debt=None))).splitlines()


def test_a_hand_says_who_won_if_that_counts_and_only_once_to_the_winner(ended: TableSnapshot):
    view = replaced(ended.view, out=(0, 1), shithead=2, winner=0)
    places = tuple(replaced(seat, place=place) for seat, place in zip(view.seats, (1, 2, None), strict=True))
    view = replaced(view, seats=places)
    game = Game(seats=3)
    heads = []
    for seat in range(3):
        own = replaced(game.hand(seat).view, table=view)
        heads.append(texts(hand_screen(formatter(), HandSnapshot(replaced(ended, view=view, debt=None), own))))
    first, second, loser = heads
    assert first.startswith("## You won: first out\n-# Cy is the shithead\n")
    assert second.startswith("## You are safe: out 2nd\n-# Cy is the shithead · Ann won\n")
    assert loser.startswith("## You are the shithead\n-# Ann won\n")
    assert first.count("won") == second.count("won") == loser.count("won") == 1


@pytest.mark.parametrize(("stands_still", "places"), [(False, [1, 2, 3]), (True, [1, 0, 0])])
async def test_a_draw_has_no_places_for_those_who_are_still_in(ended: TableSnapshot, monkeypatch, stands_still, places):
    found = []
    monkeypatch.setattr(end_drawing, "final_picture", lambda title, line, rows: found.extend(rows))
    shithead = None if stands_still else ended.view.shithead
    view = replaced(ended.view, out=(1,), stands_still=stands_still, shithead=shithead)
    await end_with_picture(formatter(), replaced(ended, view=view))
    assert [row.place for row in found] == places


def test_where_only_the_first_one_out_counts_the_picture_ranks_nobody_else():
    snapshot = None
    for seed in range(9):
        game = Game(variants()["first-out"].rules, 3, seed=seed)
        while not game.over:
            game.step()
        if game.snapshot().view.winner is not None:
            snapshot = game.snapshot()
    assert snapshot is not None
    assert [row.place for row in end_drawing._rows(formatter(), snapshot, snapshot.view)] == [1, 0, 0]
