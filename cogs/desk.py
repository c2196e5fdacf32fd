"""What a click is and what is answered, in plain values: between interactions and the functions that do what was asked.

A function for a verb takes a `Desk` (the doorway and what to draw with) and a `Press` (who asks what) and gives an
`Answer`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from bot.shown import Decline, Declined, HandShown
from bot.tables import Tables
from cogs.ui.commandwords import typed
from cogs.ui.components import Component, Screen
from cogs.ui.faces import Faces, Pen
from cogs.ui.ids import Pressed
from cogs.ui.language import translator
from cogs.ui.names import escaped
from cogs.ui.notes import quiet_note, refusal_note
from cogs.ui.refused import decline_sentence
from data.models import Person


@dataclass(frozen=True, slots=True)
class Press:
    """One interaction: a click, a choice, a filled form or a command."""

    id: int
    user: Person
    guild_id: int
    channel_id: int
    locale: str
    ids: Pressed
    values: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    guild_locale: str = "en-US"
    moderator: bool = False
    manager: bool = False

    @property
    def table(self) -> int:
        """The table that the button belongs to."""
        return self.ids.table

    @property
    def value(self) -> str:
        """The first thing chosen in a select."""
        return self.values[0] if self.values else ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back.

    `here` replaces the private message that was clicked (or opens one), `private` opens a new one, `public` one that
    everybody sees, `quiet` only acknowledges (the public message changes by itself), `form` opens a modal.
    `files` go along, by name. `ping` is the one person whom it may mention so that they notice. `hand` is the hand that
    the screen shows: it is drawn anew when the game goes on.
    """

    kind: Literal["here", "private", "public", "quiet", "form"]
    screen: Screen = field(default_factory=list[Component])
    form: Component | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    ping: int | None = None
    hand: HandShown | None = None


QUIET = Answer("quiet")


def here(screen: Screen) -> Answer:
    """The screen in place of the private message that was clicked."""
    return Answer("here", screen)


def following(hand: HandShown, screen: Screen, *, anew: bool = False) -> Answer:
    """A screen of a hand, which follows the game from now on; `anew` opens a message of its own."""
    return Answer("private" if anew else "here", screen, hand=hand)


def private(screen: Screen) -> Answer:
    """The screen as a new private message."""
    return Answer("private", screen)


def public(screen: Screen) -> Answer:
    """The screen as a new message that everybody sees."""
    return Answer("public", screen)


def refused(sentence: str) -> Answer:
    """Why something was not done."""
    return private(refusal_note(sentence))


def told(sentence: str) -> Answer:
    """What was done or is to be known."""
    return here(quiet_note(sentence))


@dataclass(frozen=True, slots=True)
class Desk:
    """The doorway and the faces."""

    tables: Tables
    faces: Faces = field(default_factory=Faces)

    async def pen(self, press: Press) -> Pen:
        """What a private answer is written with: the reader's language and faces, the server's name for the game."""
        settings = await self.tables.settings(press.guild_id)
        chosen = await self.tables.preferences(press.guild_id, press.user.id)
        faces = Faces() if chosen.text_mode else replace(self.faces, four_colours=chosen.four_colours)
        return Pen(translator(press.locale), faces, settings.polite, chosen.text_mode)

    async def public_pen(self, press: Press) -> Pen:
        """What a public answer is written with: the server's language, faces and name for the game."""
        settings = await self.tables.settings(press.guild_id)
        faces = replace(self.faces, four_colours=settings.four_colours)
        return Pen(translator(settings.locale or press.guild_locale), faces, settings.polite)

    async def command(self, guild_id: int) -> str:
        """The name of the commands in this server; the usual one where that is not known."""
        try:
            return "palace" if (await self.tables.settings(guild_id)).polite else "shithead"
        except Declined:
            return "shithead"

    async def link_to(self, table_id: int | None) -> str:
        """The address of a table's public message; empty where there is none."""
        try:
            table = (await self.tables.shown(table_id or 0)).table
        except Declined:
            return ""
        place = f"{table.guild_id}/{table.channel_id}/{table.message_id}"
        return f"https://discord.com/channels/{place}" if table.message_id else ""

    async def host_of(self, table_id: int) -> str:
        """Who opened a table, for a text; empty where that is not known."""
        try:
            table = (await self.tables.shown(table_id)).table
        except Declined:
            return ""
        seat = table.seat_of(table.host_id)
        return "" if seat is None else escaped(table.players[seat].name)

    async def placed(self, press: Press) -> Press:
        """The same press at the table of the channel that a command was given in.

        Raises:
            Declined: there is none.
        """
        found = await self.tables.table_in(press.guild_id, press.channel_id)
        if found is None:
            raise Declined(Decline.UNKNOWN_TABLE)
        return replace(press, ids=Pressed(press.ids.verb, found, 0))


Doing: TypeAlias = Callable[[Desk, Press], Awaitable[Answer]]


def at_its_table(doing: Doing) -> Doing:
    """The same, but only in the server and channel of the table that the button names."""

    async def checked(desk: Desk, press: Press) -> Answer:
        if not await desk.tables.is_at(press.table, press.guild_id, press.channel_id):
            raise Declined(Decline.UNKNOWN_TABLE)
        return await doing(desk, press)

    return checked


async def declined_answer(desk: Desk, press: Press, declined: Declined) -> Answer:
    """The sentence for what the doorway declined, and where the table in the way is."""
    t, command = translator(press.locale), await desk.command(press.guild_id)
    why = decline_sentence(t, declined.why, start=typed(t, command, "start"), host=await desk.host_of(press.table))
    return refused(t.sentences(why, await desk.link_to(declined.table_id)))


def lacking_answer(press: Press, missing: Sequence[str]) -> Answer:
    """Which permissions the bot needs here; the names are Discord's own."""
    t = translator(press.locale)
    names = t.listing([f"**{name}**" for name in missing])
    return refused(t("**I cannot put a table here.** In this channel I need: {permissions}.", permissions=names))


async def deleted_answer(desk: Desk, press: Press) -> Answer:
    """Why a game stands still whose message was deleted over and over, and how it goes on."""
    pen = await desk.pen(press)
    why = pen.t("**The game was paused:** the message of the table was deleted again and again.")
    return refused(
        pen.t.sentences(why, pen.t("{table} posts it anew, and the time goes on.", table=pen.command("table")))
    )
