"""The public messages of a table, and messages with a picture: a step of a replay, the film and the end of a game.

A picture repeats what the text says, so it is left out if it cannot be drawn in time, or at all. A name that no
typeface covers becomes `Player 3` in the picture; the text and the picture's alt text have the name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.drawing_pool import drawn_film, drawn_picture
from cogs.drawing_work import end_picture, game_film, table_picture
from cogs.pictures.scene import FaceSet, Presence, ScenePlayer, scene_of
from cogs.pictures.scene_words import THINGS, table_in_words
from cogs.responder import Prepared
from cogs.screens.computer_words import level_words
from cogs.screens.end_screens import cards_left, end_screen, end_title, places_words
from cogs.screens.formatter import FaceEmojis, Formatter, public_formatter
from cogs.screens.joining_screens import thread_name, thread_opening_screen
from cogs.screens.match_words import crown_words, match_title, plain_line_name, ranking_words, tie_words
from cogs.screens.replay_screens import replay_screen
from cogs.screens.table_screens import begun_screen, nudge_screen, public_screen, table_screen
from cogs.screens.wording import bare_name
from data.models import Player, Table
from game.cards import ACE, JACK
from game.view import TableView
from tables.match import is_match_over
from tables.snapshots import Decline, ReplayStep, TableSnapshot, Watched, one_at_a_time

RUNNING_PICTURE: Final = "running.png"
PICTURE: Final = "table.png"
MATCH_PICTURE: Final = "match.png"
FILM: Final = "film.gif"
_filming: Final = set[int]()
"""The servers for which a film is being drawn."""


def face_set(t: Formatter) -> FaceSet:
    """How this reader's cards are drawn: with the letters of the language, in two colours or four."""
    return FaceSet(tuple(map(t.letter, range(JACK, ACE + 1))), t.faces.four_colours)


def seated(t: Formatter, table: Table) -> tuple[ScenePlayer, ...]:
    """The players of a table for a picture, in which one without a name is `Player 3`."""
    players: list[ScenePlayer] = []
    for seat, player in enumerate(table.players):
        fallback = t("Player {number}", number=seat + 1)
        level = level_words(t, player.level) if player.level else ""
        players.append(ScenePlayer(player.name or fallback, fallback, _presence(player), level))
    return tuple(players)


def _presence(player: Player) -> Presence:
    if player.is_computer:
        return "computer"
    if player.left:
        return "left"
    return "away" if player.away else "here"


async def with_picture(t: Formatter, snapshot: TableSnapshot, view: TableView, shown: int | None) -> Prepared:
    """Render the running game with its picture.

    `shown` is the fingerprint (`Prepared.shows`) of the message's picture, which stays if nothing in it has changed.
    """
    scene, faces = scene_of(view, seated(t, snapshot.table)), face_set(t)
    image, shows = ui.picture(RUNNING_PICTURE, table_in_words(t, scene)), hash((scene, faces))
    if shows == shown:
        return Prepared(table_screen(t, snapshot, view, image), shows=shows, keeps=True)
    png = await drawn_picture(partial(table_picture, scene, faces), snapshot.table.id)
    if png is None:
        return Prepared(table_screen(t, snapshot, view))
    return Prepared(table_screen(t, snapshot, view, image), {RUNNING_PICTURE: png}, shows=shows)


async def with_step_picture(t: Formatter, seen: ReplayStep, user_id: int, *, films: bool, pictures: bool) -> Prepared:
    """Render a step of a replay with a picture of the table as the chosen seat saw it, otherwise in words.

    `films` says whether this bot draws at all, `pictures` whether the server wants its tables drawn.
    """
    table, view = seen.hand.snapshot.table, seen.hand.view.seen_table
    scene = scene_of(view, seated(t, table))
    draw, wanted = partial(table_picture, scene, face_set(t)), films and pictures and not t.text
    if not wanted or (png := await drawn_picture(draw, table.id)) is None:
        return Prepared(replay_screen(t, seen, user_id, films=films))
    image = ui.picture(RUNNING_PICTURE, table_in_words(t, scene))
    return Prepared(replay_screen(t, seen, user_id, image), {RUNNING_PICTURE: png})


async def film_of(t: Formatter, watched: Watched) -> bytes | None:
    """Draw the film of a game as a GIF; None if it cannot be drawn.

    Declined: FILMING while another film is being drawn for the server.
    """
    with one_at_a_time(watched.table.guild_id, _filming, Decline.FILMING):
        return await drawn_film(partial(game_film, t, watched, seated(t, watched.table), face_set(t)), watched.table.id)


async def end_with_picture(t: Formatter, snapshot: TableSnapshot) -> Prepared:
    """Render the end of a game or a match with its picture: the places, and the cards that are left."""
    if is_match_over(snapshot.table):
        name, words = MATCH_PICTURE, match_in_words(t, snapshot.table)
    elif snapshot.view is not None:
        name, words = PICTURE, in_words(t, snapshot)
    else:
        return Prepared(end_screen(t, snapshot))
    png = await drawn_picture(partial(end_picture, t, snapshot), snapshot.table.id)
    if png is None:
        return Prepared(end_screen(t, snapshot))
    return Prepared(end_screen(t, snapshot, ui.picture(name, words)), {name: png})


def match_in_words(t: Formatter, table: Table) -> str:
    """The alt text of a match: who is first and last, and everybody's places and score."""
    name = partial(plain_line_name, t, table)
    first_and_last = match_title(t, table, name), crown_words(t, table, name)
    everybody = *ranking_words(t, table, name), tie_words(t, table)
    return THINGS.join(filter(None, (*first_and_last, *everybody)))


def in_words(t: Formatter, snapshot: TableSnapshot) -> str:
    """The alt text of a game: how it ended, the order, the cards that are left."""
    view, words, name = snapshot.view, replace(t, text=True), partial(bare_name, t, snapshot.table)
    left = list[str]()
    for seat, face in enumerate(view.seats if view else ()):
        if count := cards_left(face):
            has = t.n("{name} has {count} card left", "{name} has {count} cards left", count, name=name(seat))
            left += [has, t("Face-up: {cards}", cards=words.slots(face.up))] if face.up else [has]
    return THINGS.join((end_title(t, snapshot, name), *places_words(words, snapshot, name), *left))


class PublicScreens:
    """The public screens of a table."""

    def __init__(
        self,
        faces: Callable[[], FaceEmojis],
        locale_of: Callable[[int], str],
        may_show_pictures: Callable[[int, int], bool],
    ) -> None:
        """Take functions of the bot, which are called for each drawing.

        `faces` returns the current faces, `locale_of` the language of a server on Discord, `may_show_pictures` whether
        pictures are possible in a channel of a server.
        """
        self._faces, self._locale_of, self._may_show_pictures = faces, locale_of, may_show_pictures

    def _formatter_for(self, snapshot: TableSnapshot) -> Formatter:
        table, settings = snapshot.table, snapshot.settings
        return public_formatter(settings, self._faces(), self._locale_of(table.guild_id), polite=table.polite)

    def table(self, snapshot: TableSnapshot) -> Prepared:
        """The public message of a table, all in words."""
        return Prepared(public_screen(self._formatter_for(snapshot), snapshot))

    async def pictured(self, snapshot: TableSnapshot, shown: int | None) -> Prepared:
        """The public message with a picture of the game or of its end, if pictures are possible.

        `shown` identifies the content of the picture that the message already has, if any.
        """
        table, t = snapshot.table, self._formatter_for(snapshot)
        may_show = snapshot.settings.pictures and self._may_show_pictures(table.guild_id, table.channel_id)
        if may_show and table.status == "over":
            return await end_with_picture(t, snapshot)
        if may_show and table.status == "playing" and snapshot.view is not None:
            return await with_picture(t, snapshot, snapshot.view, shown)
        return self.table(snapshot)

    def thread(self, snapshot: TableSnapshot) -> tuple[str, Prepared]:
        """The name of the thread that a table waits for, and the message in the channel to which it is attached."""
        t = self._formatter_for(snapshot)
        return thread_name(t, snapshot.table), Prepared(thread_opening_screen(t, snapshot.table))

    def call(self, snapshot: TableSnapshot, user_ids: Sequence[int]) -> Prepared:
        """The message that tells these people that cards are dealt."""
        return Prepared(begun_screen(self._formatter_for(snapshot), snapshot.table, user_ids))

    def nudge(self, snapshot: TableSnapshot, user_ids: Sequence[int]) -> Prepared:
        """The reminder for the people for whom the table waits."""
        return Prepared(nudge_screen(self._formatter_for(snapshot), snapshot, user_ids))
