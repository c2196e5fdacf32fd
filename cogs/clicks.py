"""Clicks and answers as plain values, without objects of discord.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import cogs.screens.components as ui
from cogs.screens.language import mark, translator
from data.models import Table
from game.view import value
from tables.snapshots import HandSnapshot, Request


@value
class Click(Request):
    """One interaction: a click, a choice, a submitted form, a command, or an option that is being typed.

    It is a request to the doorway, with what handlers and answers need besides. Where a button belongs to no table,
    `table_id` is 0 or `POLITE_ID`.
    """

    verb: str = ""  # with `argument`, what the id of a button, select or form says; of a command, the name
    argument: str = ""
    locale: str = "en-US"
    guild_locale: str = "en-US"
    heard_at: float = 0.0  # when it arrived, in seconds by `PendingClicks.monotonic`
    values: tuple[str, ...] = ()  # the choices made in a select
    fields: Mapping[str, str] = field(default_factory=dict[str, str])  # the texts entered in a form, by id
    clicked: Sequence[ui.Component] = ()  # the components of the message that was clicked, as Discord returns them
    lacking: tuple[str, ...] = ()  # what the bot lacks for a table here: permissions, or what bars it
    lacking_for_thread: tuple[str, ...] = ()  # the same for a table in a thread of this channel
    threads: Literal["possible", "inside", "impossible"] = "possible"  # here; `inside`: this is a thread
    outside: bool | None = False  # this is a private thread that the bot cannot see; None: perhaps, it is archived
    manager: bool = False  # the person may manage the whole server

    def about(self, table_id: int) -> Click:
        """The same click, about this table."""
        return self if table_id == self.table_id else replace(self, table_id=table_id)

    def nth_request(self, table: Table, nth: int) -> Click:
        """The request for the nth of several changes that one click makes, from 0, to a table as it is now.

        Each needs an id of its own, or the doorway drops it as a repetition; Discord has no negative ids.
        """
        request_id = self.id if nth == 0 else -(self.id + nth)
        return replace(self, id=request_id, table_id=table.id, seen=table.revision)

    @property
    def value(self) -> str:
        """The first choice made in a select; empty if there is none."""
        return self.values[0] if self.values else ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a click, of one of these kinds.

    - `here`: replaces the private message that was clicked, or opens one;
    - `redrawn`: replaces the public message that was clicked, for everybody; if it is late, a private one is opened;
    - `private`: opens a new private message;
    - `refused`: the same, but the person's next click or command deletes it, unless it only opens a form;
    - `public`: a message that everybody sees; if a command's answer is late, only that person;
    - `form`: opens a form.
    """

    kind: Literal["here", "redrawn", "private", "refused", "public", "form"]
    screen: ui.Screen = field(default_factory=list[ui.Component])
    form: ui.Component | None = None
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])  # attached, by name
    pings: Sequence[int] = ()  # ids of the users whom it notifies
    private_screen: ui.Screen | None = None  # in its place, if so many are public in the channel that it is private
    hand_at: Table | None = None  # the table whose hand the screen shows, or will show: it is kept up to date
    then: Callable[[], Awaitable[Answer]] | None = None  # slow work after a private answer; its own replaces that
    tells_pause: bool = False  # whether it says why a paused table was paused


def here(screen: ui.Screen, hand: HandSnapshot | None = None) -> Answer:
    """Show the screen in place of the private message that was clicked."""
    return Answer("here", screen, hand_at=hand.snapshot.table if hand else None)


def private(screen: ui.Screen) -> Answer:
    """Show the screen as a new private message."""
    return Answer("private", screen)


def form(component: ui.Component) -> Answer:
    """Open a form to fill in."""
    return Answer("form", form=component)


def refused(sentence: str) -> Answer:
    """Say in a new private message why nothing was done."""
    return Answer("refused", ui.note(ui.Accent.RED, sentence))


def notice(sentence: str) -> Answer:
    """Say one sentence in place of the private message that was clicked."""
    return here(ui.note(ui.Accent.GREY, sentence))


def no_table(click: Click, *, is_paused: bool = False) -> Answer | None:
    """Refuse a table where the bot is not, or lacks permissions, named as Discord names them; None if neither."""
    posting = mark("**I cannot post a table here.** In this channel I need: {permissions}.")
    paused = mark("**The table is paused: I cannot show it.** In this channel I need: {permissions}.")
    return _lacking(click, paused if is_paused else posting, click.lacking)


def no_thread(click: Click) -> Answer | None:
    """Refuse a table in a thread if there can be no thread here; None if there can."""
    t = translator(click.locale)
    if click.threads == "inside":
        return refused(t("**You are in a thread already.** Open the table right here, or go to its channel."))
    if click.threads == "impossible":
        return refused(t("**This channel cannot have threads.** Open the table right here, or in a text channel."))
    words = mark("**I cannot open a thread here.** In this channel I need: {permissions}.")
    return _lacking(click, words, click.lacking_for_thread)


def _lacking(click: Click, words: str, permissions: Sequence[str]) -> Answer | None:
    t = translator(click.locale)
    lacking = t(words, permissions=t.listing([f"**{t(name)}**" for name in permissions])) if permissions else ""
    said = t("**I am not in this private thread.** Mention me here, and try again.") if click.outside else lacking
    return replace(refused(said), tells_pause=True) if said else None
