"""The film of an ended game, its moments, and jumping through a replay."""

import asyncio
import re
from io import BytesIO

import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile
from simcord import InteractionResult, MemberActor, ResponseMessage

from cogs.drawing_work import game_film
from cogs.picture_messages import FILM, _filming, face_set, film_of, seated
from cogs.pictures.film import LONGEST
from cogs.pictures.text import legible
from cogs.screens.components import MOST_BYTES, SELECT, walk
from cogs.screens.formatter import Formatter, formatter
from cogs.screens.ids import parse_id
from cogs.screens.replay_screens import highlights_screen
from data.models import Player
from game import events as ev
from game.cards import parse_card
from game.moves import apply, events, parse_move
from game.rules import Rules
from game.showing import table_view
from tables.snapshots import Declined, Watched
from testkit.channel import NAMES, Room, ids_on
from testkit.faults import CALLBACK
from testkit.found import instance_of, not_none
from testkit.made import Game, described, labels, made_table, replaced, texts, within_limits
from testkit.offline import request_at
from testkit.scenes import DRAWN_LANGUAGES, state_of
from testkit.shortcuts import finished, sent_file, sentence, stopped


async def replay_of(room: Room, person: MemberActor):
    snapshot = await finished(room, seats=2)
    return snapshot, (await room.press(person, room.public(), "replay")).response


async def gif_of(result: InteractionResult):
    return Image.open(BytesIO(await sent_file(result).read()))


def moments_on(page: ResponseMessage):
    """The options of the select of moments."""
    selects = [each for each in walk(page.components) if each["type"] == SELECT]
    return next((each["options"] for each in selects if parse_id(each["custom_id"]).verb == "moment"), [])


@pytest.fixture
def drawn(monkeypatch):
    """The frames and players of which films were made; nothing is really drawn."""
    made = []

    def noted(frames, players, faces):
        made.append((frames, players, faces))
        return b"GIF89a"

    monkeypatch.setattr("cogs.pictures.film.film", noted)
    return made


@pytest.mark.long
async def test_a_game_can_be_watched_as_a_film(room: Room):
    snapshot, page = await replay_of(room, room.people[0])
    result = await room.press(room.people[0], page, "film")
    assert result.response.ephemeral
    assert result.response.id != page.id
    within_limits(result.response.components)
    loser = NAMES[not_none(snapshot.view.shithead)]
    assert f"{snapshot.moves} moves. {loser} is the shithead" in described(result.response.components)
    assert sent_file(result).filename == FILM
    gif = await gif_of(result)
    assert instance_of(GifImageFile, gif).n_frames > 1
    assert sent_file(result).size <= MOST_BYTES
    assert sum(_milliseconds(gif)) <= LONGEST


def _milliseconds(gif):
    for frame in range(gif.n_frames):
        gif.seek(frame)
        yield gif.info["duration"]


async def test_the_answer_says_at_once_that_the_film_is_being_drawn(room: Room, monkeypatch):
    _, page = await replay_of(room, room.people[0])
    said = []

    def look(*_):
        said.append(texts(list(room.env.backend.messages[room.channel.id].values())[-1].components))
        return b"GIF89a"

    monkeypatch.setattr("cogs.pictures.film.film", look)
    result = await room.press(room.people[0], page, "film")
    assert said == ["The film is being drawn… If nothing comes within a minute, press the button again."]
    assert "As everybody saw it" in sentence(result)


def film_id(page: ResponseMessage):
    return next(each for each in ids_on(page) if parse_id(each).verb == "film")


async def test_the_film_of_a_seat_shows_what_that_seat_saw(room: Room, drawn):
    snapshot, page = await replay_of(room, room.people[0])
    await room.press(room.people[0], page, "film")
    await room.choose(room.people[0], page, "eyes", "1")
    result = await room.press(room.people[0], page, "eyesfilm")
    assert "Seen by **Bob**" in sentence(result)
    (everybody, _, _), (seat, players, _) = drawn
    assert len(everybody) == len(seat) == snapshot.moves + 1
    assert not any(hasattr(frame.view, "hand") for frame in everybody)
    assert {frame.view.seat for frame in seat} == {1}
    assert [each.name for each in players] == ["Ann", "Bob"]


async def test_its_captions_say_what_happened_and_at_the_end_first_who_lost(room: Room, drawn):
    snapshot, page = await replay_of(room, room.people[0])
    await room.press(room.people[0], page, "film")
    ((frames, _, _),) = drawn
    loser = NAMES[not_none(snapshot.view.shithead)]
    assert frames[-1].caption.startswith(f"{loser} is the shithead · ")
    assert sum("played" in frame.caption for frame in frames) > len(frames) / 3
    assert frames[-1].is_moment
    assert frames[0].caption == ""


async def test_the_end_is_told_even_if_no_typeface_has_the_losers_name(room: Room, drawn):
    snapshot, _ = await replay_of(room, room.people[0])
    request = replaced(request_at(await room.table(), room.people[0].id, id=1), table_id=room.table_id)
    watched = await room.tables.past.watched(request, 1)
    arabic = [replaced_name(each) for each in watched.table.players]
    watched = replaced(watched, table=watched.table.model_copy(update={"players": tuple(arabic)}))
    await film_of(formatter(), watched)
    ((frames, _, _),) = drawn
    assert frames[-1].caption.startswith(f"Player {snapshot.view.shithead + 1} is the shithead · ")


def replaced_name(player: Player):
    return player.model_copy(update={"name": "نور الهدى"})


def test_captions_name_the_cards_in_words():
    """The typefaces have no suit symbols, so a flipped 5♦ would become a 5."""
    for language in DRAWN_LANGUAGES:
        _, *captions = [frame.caption for frame in frames_of(formatter(language))]
        assert all(captions)
        assert [re.sub("[\u00a0\u202f]", " ", each) for each in captions] == list(map(legible, captions))


def frames_of(t: Formatter, *more):
    """The frames of a game in which somebody flips a card, another one interrupts, and then each of `more` happens."""
    told = [(), (ev.Flipped(0, parse_card("5d")),), (ev.Interrupted(1, (parse_card("5c"), parse_card("5h"))),)]
    told += [(event,) for event in more]
    view, made = Game(seats=2).snapshot().view, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cogs.pictures.film.film", lambda frames, *_: made.extend(frames))
        watched = Watched(made_table(), [(view, each) for each in told])
        game_film(t, watched, seated(t, watched.table), face_set(t))
    return made


def test_where_suits_matter_captions_name_the_cards_that_were_played(monkeypatch):
    monkeypatch.setattr(Rules, "suits_matter", True)
    assert frames_of(formatter(), ev.Played(0, (parse_card("Kh"),)))[-1].caption == "Ann played the king of hearts."


def test_cards_in_captions_have_an_article():
    said = [frame.caption for frame in frames_of(formatter())]
    assert said[1:] == [
        "Ann flipped the 5 of diamonds.",
        "Bob interrupted with the 5 of clubs and the 5 of hearts.",
    ]


async def test_a_server_gets_one_film_at_a_time(room: Room, drawn):
    _, page = await replay_of(room, room.people[0])
    request = replaced(request_at(await room.table(), room.people[0].id, id=1), table_id=room.table_id)
    watched = await room.tables.past.watched(request, 1)
    first = asyncio.ensure_future(film_of(formatter(), watched))
    with pytest.raises(Declined, match="filming"):
        await asyncio.gather(film_of(formatter(), watched))
    assert await first
    _filming.add(room.guild.id)
    assert "Another film is being drawn" in sentence(await room.press(room.people[0], page, "film"))
    _filming.clear()
    assert "As everybody saw it" in sentence(await room.press(room.people[0], page, "film"))


@pytest.mark.parametrize("outcome", [OSError("no typeface"), None])
async def test_if_it_cannot_be_drawn_the_answer_says_so(room: Room, monkeypatch, outcome):
    def fail(*_):
        if outcome:
            raise outcome

    monkeypatch.setattr("cogs.pictures.film.film", fail)
    _, page = await replay_of(room, room.people[0])
    said = sentence(await room.press(room.people[0], page, "film"))
    assert said == "**The film could not be drawn.** Try again in a minute; the replay shows every move."
    assert not _filming


async def test_after_a_click_that_expired_a_film_can_be_requested_again(room: Room, drawn):
    _, page = await replay_of(room, room.people[0])
    room.env.inject_error(*CALLBACK, status=404, code=10062, message="Unknown interaction", times=1)
    await room.press(room.people[0], page, "film")
    assert not _filming
    assert "As everybody saw it" in sentence(await room.press(room.people[0], page, "film"))


async def test_a_stopped_game_has_a_film_too(room: Room):
    await stopped(room)
    page = (await room.press(room.people[0], room.public(), "replay")).response
    assert not moments_on(page)
    gif = await gif_of(await room.press(room.people[0], page, "film"))
    assert gif.size[0] > 0


async def test_a_game_that_may_not_be_watched_has_no_film(room: Room, drawn):
    _, page = await replay_of(room, room.people[0])
    elsewhere = room.guild.create_text_channel("elsewhere")
    foreign = film_id(page)
    note = (await room.people[5].slash(elsewhere, "shithead me")).response
    room.env.backend.messages[elsewhere.id][note.id].components[0]["components"][-1]["components"][0]["custom_id"] = (
        foreign
    )
    result = await room.people[5].click(note, custom_id=foreign)
    assert "no such game here" in sentence(result)
    assert not drawn


async def test_if_the_operator_wants_text_there_are_no_films(room: Room, drawn):
    _, older = await replay_of(room, room.people[0])
    room.house.bot.pictures = False
    result = await room.press(room.people[0], older, "film")
    assert sentence(result) == "**There is no film of this game.** The replay shows every move."
    assert not drawn
    page = (await room.press(room.people[0], room.public(), "replay")).response
    assert "Film" not in str(labels(page.components))
    highlights = (await room.press(room.people[0], room.public(), "highlights")).response
    assert "Film" not in str(labels(highlights.components))


async def test_a_replay_goes_ten_moves_at_a_time_and_to_its_moments(room: Room):
    snapshot, page = await replay_of(room, room.people[0])
    within_limits(page.components)
    await room.press(room.people[0], page, "step", "1.0.10")
    assert f"Move 10 of {snapshot.moves}" in texts(page.components)
    assert {"−10", "+10", "Film: table", "Film: Ann’s cards"} <= set(labels(page.components))
    begin, *moments = moments_on(page)
    assert (begin["value"], begin["label"]) == ("0", "0 · Before play")
    assert moments[-1]["value"] == str(snapshot.moves)
    assert "the end" in moments[-1]["description"]
    await room.choose(room.people[0], page, "moment", moments[0]["value"])
    assert f"Move {moments[0]['value']} of {snapshot.moves}" in texts(page.components)
    assert [each["value"] for each in moments_on(page) if each.get("default")] == [moments[0]["value"]]


async def test_the_end_offers_the_highlights_and_they_lead_into_the_replay(room: Room):
    snapshot = await finished(room, seats=3)
    assert labels(room.public().components)[:3] == ["Rematch", "Replay", "Highlights"]
    result = await room.press(room.people[1], room.public(), "highlights")
    said, page = sentence(result), result.response
    within_limits(page.components)
    moments = moments_on(page)
    assert said.count("**") >= 2 * len(moments)
    assert "picked up" in said
    loser = snapshot.table.players[not_none(snapshot.view.shithead)].name
    assert f"The end · **{loser}** is the shithead" in said
    assert (" went out 1st." in said, "Went out" in said) == (True, False), "each event is told once"
    assert "\n-# The largest pick-up\n" in said
    assert f"**Move {snapshot.moves}** · " in said
    await room.choose(room.people[1], page, "moment", moments[0]["value"])
    assert f"Move {moments[0]['value']} of {snapshot.moves}" in texts(page.components)


@pytest.mark.parametrize(
    ("rules", "lead", "cards"),
    [
        ("classic", "4h 4s", "3 cards"),
        ({"powers": {"4": {"leaves": True}}}, "4h 4s", "1 card"),
        ("superjoker", "Xr", "1 card"),
    ],
)
def test_a_blind_flip_is_said_to_have_fitted_on_the_cards_that_lay_there(rules, lead, cards):
    state = state_of(rules, seats=[f"{lead} 9d | - | -", "5c 9h | - | -", "- | - | 7s Qd"], turn="A")
    seen = [(table_view(state), ())]
    for seat, line in enumerate((f"play {lead}", "play 5c", "flip 1")):
        move = parse_move(line)
        after = apply(state, seat, move)
        seen.append((table_view(after), events(state, seat, move, after)))
        state = after
    screen = highlights_screen(formatter(), Watched(made_table(seats=3), seen), films=False)
    assert f"A blind flip that fitted on a pile of {cards}\n" in texts(screen) + "\n"
