"""Clicks and answers as plain values. Owns no Discord object and no table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import cogs.screens.components as ui
from cogs.screens.ids import ButtonId
from cogs.screens.language import translator
from data.models import Person, Table
from tables.snapshots import HandSnapshot, Request


@dataclass(frozen=True, slots=True)
class Click:
    """One interaction: a click, a choice, a filled form, a command, or what is typed into one.

    `heard_at` is when, by `PendingClicks.monotonic`. `values` are what was chosen in a select, `fields` what was filled
    into a form, by id. `moderator` may manage messages, `manager` the server. `polite` came by the command with the
    polite name. `lacking` names the permissions that the bot needs here for a table and has not, `lacking_for_thread`
    those for one in a thread of this channel; and `threads` says whether it can have any, or is one itself.
    """

    id: int
    user: Person
    guild_id: int
    channel_id: int
    locale: str
    ids: ButtonId
    heard_at: float = 0.0
    values: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    guild_locale: str = "en-US"
    moderator: bool = False
    manager: bool = False
    polite: bool = False
    lacking: tuple[str, ...] = ()
    lacking_for_thread: tuple[str, ...] = ()
    threads: Literal["possible", "inside", "impossible"] = "possible"

    @property
    def table(self) -> int:
        """The table that the button belongs to."""
        return self.ids.table

    @property
    def request(self) -> Request:
        """What the doorway is asked with."""
        at, seen = self.table, self.ids.revision
        return Request(self.id, self.user, self.guild_id, self.channel_id, at, seen, self.moderator, self.polite)

    def change(self, table: Table, nth: int) -> Request:
        """What the doorway is asked with for the nth of several changes, from 0, at a table as it is now.

        Each needs an id of its own; no click has a negative one.
        """
        return replace(self.request, id=-(self.id + nth) if nth else self.id, table_id=table.id, seen=table.revision)

    @property
    def value(self) -> str:
        """The first thing chosen in a select; empty if nothing was."""
        return self.values[0] if self.values else ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back.

    `here` replaces the private message that was clicked (or opens one), `private` opens a new one, `public` one that
    everybody sees, `form` opens a modal. `files` go along, by name. `pings` are those whom it may mention so that they
    notice. `follows` is the table that the screen shows the asker's hand at, or will: it is drawn anew when the game
    goes on. `then` is what takes long: what comes of it replaces a private answer.
    """

    kind: Literal["here", "private", "public", "form"]
    screen: ui.Screen = field(default_factory=list[ui.Component])
    form: ui.Component | None = None
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    pings: Sequence[int] = ()
    follows: Table | None = None
    then: Callable[[], Awaitable[Answer]] | None = None


def here(screen: ui.Screen, hand: HandSnapshot | None = None) -> Answer:
    """The screen in place of the private message that was clicked."""
    return Answer("here", screen, follows=hand.snapshot.table if hand else None)


def private(screen: ui.Screen, hand: HandSnapshot | None = None) -> Answer:
    """The screen as a new private message."""
    return Answer("private", screen, follows=hand.snapshot.table if hand else None)


def public(screen: ui.Screen) -> Answer:
    """The screen as a new message that everybody sees."""
    return Answer("public", screen)


def form(component: ui.Component) -> Answer:
    """A form to fill in."""
    return Answer("form", form=component)


def refused(sentence: str) -> Answer:
    """Why something was not done."""
    return private(ui.note(ui.Accent.RED, sentence))


def notice(sentence: str) -> Answer:
    """What was done or is to be known."""
    return here(ui.note(ui.Accent.GREY, sentence))


def no_table(click: Click) -> Answer | None:
    """Why there can be no table here, in Discord's own names of the permissions; None if there can."""
    if not click.lacking:
        return None
    t = translator(click.locale)
    names = t.listing([f"**{name}**" for name in click.lacking])
    return refused(t("**I cannot put a table here.** In this channel I need: {permissions}.", permissions=names))


def no_thread(click: Click) -> Answer | None:
    """Why there can be no thread for a table here; None if there can."""
    t = translator(click.locale)
    if click.threads == "inside":
        return refused(t("**You are in a thread already.** Open the table right here, or go to its channel."))
    if click.threads == "impossible":
        return refused(t("**This channel cannot have threads.** Open the table right here, or in a text channel."))
    if not click.lacking_for_thread:
        return None
    names = t.listing([f"**{name}**" for name in click.lacking_for_thread])
    return refused(t("**I cannot open a thread here.** In this channel I need: {permissions}.", permissions=names))
