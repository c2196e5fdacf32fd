"""What a click is and what is answered, in plain values: between interactions and the functions that do what was asked.

A function for a verb takes a `Desk` (the doorway and what to draw with) and a `Press` (who asks what) and gives an
`Answer`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from cogs.screens.commandwords import typed
from cogs.screens.components import Component, Screen
from cogs.screens.faces import Faces, Formatter
from cogs.screens.ids import ButtonId
from cogs.screens.language import translator
from cogs.screens.names import escaped
from cogs.screens.notes import quiet_note, refusal_note
from cogs.screens.refused import decline_sentence
from data.models import Person
from tables import Tables
from tables.snapshots import Decline, Declined, HandSnapshot, Request


@dataclass(frozen=True, slots=True)
class Click:
    """One interaction: a click, a choice, a filled form or a command."""

    id: int
    user: Person
    guild_id: int
    channel_id: int
    locale: str
    ids: ButtonId
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
    def request(self) -> Request:
        """What the doorway is asked with."""
        seen = self.ids.revision
        return Request(self.id, self.user, self.guild_id, self.channel_id, self.table, seen, self.moderator)

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
    hand: HandSnapshot | None = None


QUIET = Answer("quiet")


def here(screen: Screen) -> Answer:
    """The screen in place of the private message that was clicked."""
    return Answer("here", screen)


def following(hand: HandSnapshot, screen: Screen, *, anew: bool = False) -> Answer:
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
class Context:
    """The doorway and the faces."""

    tables: Tables
    faces: Faces = field(default_factory=Faces)

    async def fmt(self, click: Click) -> Formatter:
        """What a private answer is written with: the reader's language and faces, the server's name for the game."""
        settings, chosen = await self.tables.people.choices(click.guild_id, click.user.id)
        faces = Faces() if chosen.text_mode else replace(self.faces, four_colours=chosen.four_colours)
        return Formatter(translator(click.locale), faces, settings.polite, chosen.text_mode)

    async def public_fmt(self, click: Click) -> Formatter:
        """What a public answer is written with: the server's language, faces and name for the game."""
        settings = await self.tables.servers.settings(click.guild_id)
        faces = replace(self.faces, four_colours=settings.four_colours)
        return Formatter(translator(settings.locale or click.guild_locale), faces, settings.polite)

    async def command(self, guild_id: int) -> str:
        """The name of the commands in this server; the usual one where that is not known."""
        try:
            return "palace" if (await self.tables.servers.settings(guild_id)).polite else "shithead"
        except Declined:
            return "shithead"

    async def link_to(self, table_id: int | None) -> str:
        """The address of a table's public message; empty where there is none."""
        try:
            table = (await self.tables.snapshot(table_id or 0)).table
        except Declined:
            return ""
        place = f"{table.guild_id}/{table.channel_id}/{table.message_id}"
        return f"https://discord.com/channels/{place}" if table.message_id else ""

    async def host_of(self, table_id: int) -> str:
        """Who opened a table, for a text; empty where that is not known."""
        try:
            table = (await self.tables.snapshot(table_id)).table
        except Declined:
            return ""
        seat = table.seat_of(table.host_id)
        return "" if seat is None else escaped(table.players[seat].name)

    async def placed(self, click: Click) -> Click:
        """The same press at the table of the channel that a command was given in.

        Raises:
            Declined: there is none.
        """
        found = await self.tables.play.in_channel(click.guild_id, click.channel_id)
        if found is None:
            raise Declined(Decline.UNKNOWN_TABLE)
        return replace(click, ids=ButtonId(click.ids.verb, found, 0))


Handler: TypeAlias = Callable[[Context, Click], Awaitable[Answer]]


async def declined_answer(ctx: Context, click: Click, declined: Declined) -> Answer:
    """The sentence for what the doorway declined, and where the table in the way is."""
    t, command = translator(click.locale), await ctx.command(click.guild_id)
    why = decline_sentence(t, declined.why, start=typed(t, command, "start"), host=await ctx.host_of(click.table))
    return refused(t.sentences(why, await ctx.link_to(declined.table_id)))


def lacking_answer(click: Click, missing: Sequence[str]) -> Answer:
    """Which permissions the bot needs here; the names are Discord's own."""
    t = translator(click.locale)
    names = t.listing([f"**{name}**" for name in missing])
    return refused(t("**I cannot put a table here.** In this channel I need: {permissions}.", permissions=names))


async def deleted_answer(ctx: Context, click: Click) -> Answer:
    """Why a game stands still whose message was deleted over and over, and how it goes on."""
    fmt = await ctx.fmt(click)
    why = fmt.t("**The game was paused:** the message of the table was deleted again and again.")
    return refused(
        fmt.t.sentences(why, fmt.t("{table} posts it anew, and the time goes on.", table=fmt.command("table")))
    )
