"""The public table as a picture: what it shows, when it is drawn, and the text if it cannot be."""

import threading
from io import BytesIO

import pytest
from PIL import Image
from structlog.testing import capture_logs

from bot.compose import compose
from bot.port import ForbiddenError, PortError
from cogs import drawing_pool, picture_messages
from cogs.picture_messages import RUNNING_PICTURE, seated, with_picture
from cogs.pictures.scene import FaceSet, scene_of
from cogs.pictures.scene_words import table_in_words
from cogs.pictures.table_picture import table_picture
from cogs.screens.formatter import FaceEmojis, formatter
from cogs.screens.language import LANGUAGES
from cogs.screens.table_screens import table_screen
from tables.snapshots import TableSnapshot
from testkit.channel import Room
from testkit.faults import EDIT, fail, in_play, on_turn
from testkit.made import Game, described, labels, texts, within_limits
from testkit.shortcuts import finished, manager, play_on
from testkit.waiting import HANG

LETTERS = {"de": "BDKA", "fr": "VDRA", "sv": ("Kn", "D", "K", "E")} | dict.fromkeys(("en", "es", "it", "ja"), "JQKA")
"""The letters of the first languages; another language may have its own."""


@pytest.fixture
def drawings(monkeypatch, small_pictures):
    """The scene and the faces of every picture that was drawn."""
    drawn = []

    def noted(scene, faces):
        drawn.append((scene, faces))
        return table_picture(scene, faces)

    monkeypatch.setattr(picture_messages, "table_picture", noted)
    return drawn


@pytest.fixture
def game():
    """A game of three after some moves."""
    game = Game(seats=3, seed=4)
    for _ in range(12):
        game.step()
    return game.snapshot()


async def move(room: Room):
    """Let the person on turn play."""
    person, hand, play = await on_turn(room)
    await person.click(hand, custom_id=play)
    await room.idle()


async def test_the_table_is_a_picture_with_an_alt_text(room: Room):
    await in_play(room, seats=3)
    public = room.public()
    within_limits(public.components)
    assert room.attached() == [RUNNING_PICTURE]
    for name in ("Ann", "Bob", "Cy"):
        assert f"; {name}, " in described(public.components)
    assert "Stock " in described(public.components)
    assert "hand 3" not in texts(public.components)
    assert labels(public.components) == ["My hand", "Rules", "More"]


async def test_the_picture_changes_with_the_game(room: Room, drawings):
    await in_play(room)
    before, described_before = len(drawings), described(room.public().components)
    await move(room)
    assert len(drawings) == before + 1
    assert described(room.public().components) != described_before
    assert room.attached() == [RUNNING_PICTURE]


async def test_if_only_the_text_changes_nothing_is_drawn_again(room: Room, drawings):
    await in_play(room, seats=3)
    before, posted = len(drawings), room.env.backend.messages[room.channel.id][room.public().id].attachments
    more = (await room.press(room.people[1], room.public(), "more")).response
    await room.press(room.people[1], more, "stopping")
    assert "Bob wants to stop the game" in texts(room.public().components)
    assert len(drawings) == before
    assert room.env.backend.messages[room.channel.id][room.public().id].attachments == posted


async def test_a_table_that_is_posted_anew_has_its_picture(room: Room, drawings):
    await in_play(room)
    before, old = len(drawings), room.public().id
    await room.env.advance_time(30)
    await room.people[0].slash(room.channel, "shithead table")
    await room.idle()
    assert room.public().id != old
    assert len(drawings) == before + 1
    assert room.attached() == [RUNNING_PICTURE]


async def test_after_a_restart_the_picture_is_drawn_once(room: Room, drawings):
    await in_play(room)
    drawings.clear()
    await room.restart()
    for _ in range(2):
        room.house.painter.want(room.table_id)
        await room.idle()
    assert len(drawings) == 1
    assert room.attached() == [RUNNING_PICTURE]


@pytest.mark.parametrize(("refusals", "shown"), [(1, True), (2, False)])
async def test_that_a_table_lacks_its_picture_is_logged_only_if_it_is_shown(room: Room, refusals, shown):
    await in_play(room)
    fail(room, EDIT, 403, code=50013, times=refusals)
    with capture_logs() as logged:
        await move(room)
    last = "a table is shown without its picture" if shown else "Discord did not accept a table"
    assert [line["event"] for line in logged if line["log_level"] in {"info", "warning"}] == [last]


async def test_where_no_files_may_be_attached_the_table_is_text_and_nothing_is_drawn(room: Room, drawings):
    room.forbid(attach_files=True)
    await in_play(room)
    assert not drawings
    assert not room.attached()
    assert "hand 3, face-down 3" in texts(room.public().components)
    assert not (await room.table()).paused


async def test_a_server_chooses_between_picture_and_text(room: Room):
    await in_play(room)
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    for switch, attached in (("off", []), ("on", [RUNNING_PICTURE])):
        await room.press(boss, page, "guild", f"pictures={switch}")
        assert room.attached() == attached
        assert ("hand 3, face-down 3" in texts(room.public().components)) == (not attached)
    assert "Table as a picture · on" in labels(page.components)


async def test_an_operator_who_wants_text_has_it_everywhere(room: Room, drawings):
    room.house.bot.pictures = False
    await in_play(room)
    assert not room.attached()
    page = (await (await manager(room)).slash(room.channel, "shithead settings")).response
    assert "Table as a picture" not in "".join(labels(page.components))
    await play_on(room)
    assert "is the shithead" in texts(room.public().components)
    assert not room.attached()
    assert not drawings


@pytest.mark.parametrize("refusal", [ForbiddenError, PortError])
async def test_if_discord_refuses_the_picture_the_table_is_text(room: Room, monkeypatch, refusal):
    port = room.house.port
    edit = port.edit

    async def wary(channel_id, message_id, drawn):
        if drawn.is_pictured:
            raise refusal
        await edit(channel_id, message_id, drawn)

    monkeypatch.setattr(port, "edit", wary)
    await in_play(room)
    assert "hand 3, face-down 3" in texts(room.public().components)
    assert not room.attached()
    assert not (await room.table()).paused
    monkeypatch.setattr(port, "edit", edit)
    await move(room)
    assert room.attached() == [RUNNING_PICTURE]


async def test_a_picture_that_discord_did_not_keep_is_drawn_again(room: Room, drawings):
    await in_play(room)
    before = len(drawings)
    fail(room, EDIT, 400, 50035)
    for attached in ([], [RUNNING_PICTURE]):
        room.house.painter.want(room.table_id)
        await room.idle()
        assert room.attached() == attached
    assert len(drawings) == before + 1


async def test_if_drawing_fails_the_table_is_text(game: TableSnapshot, monkeypatch):
    def fail(*_):
        raise OSError("no typeface")

    monkeypatch.setattr(picture_messages, "table_picture", fail)
    t = formatter()
    made = await with_picture(t, game, game.view, None)
    assert made.screen == table_screen(t, game, game.view)
    assert (made.pictures, made.is_pictured, made.shows) == ({}, False, None)


async def test_if_drawing_takes_too_long_the_table_is_text(game: TableSnapshot, monkeypatch):
    late = threading.Event()
    monkeypatch.setattr(picture_messages, "table_picture", lambda *_: late.wait(HANG))
    monkeypatch.setattr(drawing_pool, "PICTURE_PATIENCE", 0)
    made = await with_picture(formatter(), game, game.view, None)
    late.set()
    assert made.screen == table_screen(formatter(), game, game.view)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_picture_has_the_letters_of_the_language_and_the_colours_of_the_server(
    game: TableSnapshot, drawings, language
):
    t = formatter(language, FaceEmojis(four_colours=True))
    made = await with_picture(t, game, game.view, None)
    within_limits(made.screen)
    (picture,) = made.pictures.values()
    assert Image.open(BytesIO(picture)).width == 1000
    (_, faces) = drawings[-1]
    assert faces == FaceSet(tuple(LETTERS.get(language, faces.letters)), four_colours=True)


async def test_the_job_of_a_drawing_process_is_the_scene_with_the_readers_faces(game: TableSnapshot):
    t = formatter("de", FaceEmojis(four_colours=True))
    made = await with_picture(t, game, game.view, None)
    scene = scene_of(game.view, seated(t, game.table))
    assert made.pictures == {RUNNING_PICTURE: table_picture(scene, FaceSet(tuple(LETTERS["de"]), four_colours=True))}


async def test_an_answer_does_not_wait_for_the_picture(room: Room, monkeypatch):
    await in_play(room)
    hold, was_held = threading.Event(), []
    monkeypatch.setattr(picture_messages, "table_picture", lambda *_: was_held.append(hold.wait(HANG)))
    person, hand, play = await on_turn(room)
    before = (await room.table()).revision
    assert (await person.click(hand, custom_id=play)).acknowledged
    assert (await room.table()).revision > before
    hold.set()
    await room.idle()
    assert was_held == [True], "the answer came first"


@pytest.mark.parametrize("tables_as", ["picture", "text"])
async def test_the_operators_setting_reaches_the_bot(unfurnished: Room, tables_as):
    async with compose(unfurnished.settings.model_copy(update={"tables_as": tables_as})) as app:
        assert app.bot.pictures == (tables_as == "picture")
        assert app.bot.may_show_pictures(1, 2) == (tables_as == "picture")


async def test_every_step_of_a_replay_shows_the_table_as_it_was_then(room: Room, drawings):
    snapshot = await finished(room)
    page = (await room.press(room.people[0], room.public(), "replay")).response
    for step in range(3):
        scene, _ = drawings[-1]
        assert described(page.components) == table_in_words(formatter("en-US"), scene)
        assert [each.filename for each in page.attachments] == [RUNNING_PICTURE]
        assert f"Move {step} of {snapshot.moves}" in texts(page.components)
        assert "Stock" not in texts(page.components), "the picture and its alt text say it"
        assert "Hand: " in texts(page.components)
        within_limits(page.components)
        await room.press(room.people[0], page, "step", nth=2 * (step > 0))  # one on, behind ten and one back
    assert len({scene for scene, _ in drawings[-3:]}) > 1


async def test_if_no_picture_can_be_drawn_a_step_of_a_replay_is_text(room: Room, monkeypatch):
    await finished(room)
    page = (await room.press(room.people[0], room.public(), "replay")).response
    monkeypatch.setattr(picture_messages, "table_picture", lambda *_: 1 / 0)
    await room.press(room.people[0], page, "step")
    assert described(page.components) == ""
    assert "\nStock " in texts(page.components)
    assert page.attachments == [], "the picture of the last step is removed"


async def test_if_the_server_wants_no_pictures_a_replay_is_text(room: Room, drawings):
    await finished(room)
    boss = await manager(room)
    settings = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, settings, "guild", "pictures=off")
    drawings.clear()
    page = (await room.press(room.people[0], room.public(), "replay")).response
    assert (drawings, page.attachments) == ([], [])
    assert "\nStock " in texts(page.components)
    assert any("Film" in each for each in labels(page.components)), "people see a film only on request"


async def test_a_replay_shows_players_as_present_even_if_they_have_left_since(room: Room, drawings):
    await finished(room)
    page = (await room.press(room.people[0], room.public(), "replay")).response
    await room.press(room.people[0], room.public(), "rematch")
    assert (await room.table()).unanswered
    await room.press(room.people[0], page, "step")
    scene, _ = drawings[-1]
    assert {seat.player.presence for seat in scene.seats} == {"here"}
