"""How a file declares the commands and buttons of one topic, and how all topics are found.

Each `cogs/*_topic.py` has a `Topic` named `topic`. What it declares is registered, routed, listed in the help and
translated; nothing else has to name it. A handler takes a `Context` (tables, settings, language) and a `Click` (who
pressed or typed what), and returns an `Answer`. Must not import discord.py.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from cogs.clicks import Answer, Click, refused
from cogs.screens.formatter import FaceEmojis, Formatter, formatter, public_formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.rules_screens import suggested
from data.guild_models import GuildSettings, Preferences
from data.models import Table
from tables.services import Decline, Declined, HandSnapshot, Tables

BY_USE: Final = (
    *("start", "practice", "hand", "table", "rules", "tutorial", "help", "leave", "stop"),
    *("replay", "stats", "verify", "me", "settings", "privacy", "tea"),
)
"""Commands and groups in the order in which Discord offers them and the help lists them; all others follow by name."""
_VERB: Final = re.compile(r"[a-z-]{1,16}")

OpenThread: TypeAlias = Callable[[Table], Awaitable[Table]]
"""Opens the thread that a table waits for; returns the table with it. Declined: NO_THREAD, THREAD_LATER."""


class Equipped(Protocol):
    """What a context takes from the bot."""

    tables: Tables
    faces: FaceEmojis
    pictures: bool
    open_thread: OpenThread


class Context(NamedTuple):
    """What a handler needs: the services of the tables, and the settings of server and reader, loaded once per click.

    `pictures` says whether this bot is configured to draw tables and games. `asked_politely` means that the click or
    its table uses the polite name.
    """

    tables: Tables
    faces: FaceEmojis
    settings: GuildSettings
    preferences: Preferences
    locale: str
    guild_locale: str
    pictures: bool
    asked_politely: bool
    open_thread: OpenThread

    @classmethod
    async def of(cls, bot: Equipped, click: Click) -> Context:
        """Load the context of a click. Declined: SAVING_FAILED."""
        settings = await bot.tables.servers.settings(click.guild_id)
        preferences = await bot.tables.people.preferences(click.guild_id, click.user.id)
        polite = click.polite or await bot.tables.is_polite(click.guild_id, click.table_id)
        languages = click.locale, click.guild_locale
        return cls(bot.tables, bot.faces, settings, preferences, *languages, bot.pictures, polite, bot.open_thread)

    async def at(self, table_id: int, click: Click) -> Context:
        """The context of the same click, now known to be about this table; at a polite one, answers are polite."""
        polite = self.asked_politely or await self.tables.is_polite(click.guild_id, table_id)
        return self._replace(asked_politely=polite)

    @property
    def t(self) -> Formatter:
        """The formatter for private answers: the reader's language and faces, the name that the game has here."""
        chosen = self.preferences
        faces = FaceEmojis() if chosen.text_mode else self.faces.coloured(four_colours=chosen.four_colours)
        polite = self.settings.polite or self.asked_politely
        public = self.settings.locale or self.guild_locale
        return formatter(self.locale, faces, polite=polite, text=chosen.text_mode, public=public)

    @property
    def public_t(self) -> Formatter:
        """The formatter for public answers: the server's language, faces and name for the game."""
        return public_formatter(self.settings, self.faces, self.guild_locale, polite=self.asked_politely)

    def hand_answer(self, hand: HandSnapshot, notice: str = "", kind: Literal["here", "private"] = "here") -> Answer:
        """The answer that shows a hand: in place of the private message that was clicked, or in a new one."""
        return Answer(kind, hand_screen(self.t, hand, notice), hand_at=hand.snapshot.table)

    async def suggest_variants(self, click: Click) -> Sequence[tuple[str, str]]:
        """Suggest rules for an option: the saved rules of the server, then the variants. Declined: SAVING_FAILED."""
        return suggested(self.t, await self.tables.servers.house_rules(click.guild_id))


Handler: TypeAlias = Callable[[Context, Click], Awaitable[Answer]]
Suggest: TypeAlias = Callable[[Context, Click], Awaitable[Sequence[tuple[str, str]]]]
"""Gives every choice for an option as (words, value); what was typed is searched for in both."""
H = TypeVar("H", bound=Callable[..., Awaitable[Answer]])


class CollisionError(ValueError):
    """Raised where two topics, or two places in one, declare the same name."""


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command. `act` takes context, click and the options; without `in_help` the help does not list it."""

    name: str
    description: str
    act: Callable[..., Awaitable[Answer]]
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    suggest: Mapping[str, Suggest] = field(default_factory=dict[str, Suggest])
    in_help: str = ""
    at_table: bool = False
    managers: bool = False

    def handler(self, options: Mapping[str, Any]) -> Handler:
        """The command as a handler, with these options filled in."""

        async def handle(ctx: Context, click: Click) -> Answer:
            if self.at_table:
                table_id = await ctx.tables.play.in_channel(click.guild_id, click.channel_id)
                if table_id is None:
                    raise Declined(Decline.NO_TABLE)
                ctx, click = await ctx.at(table_id, click), click.about(table_id)
            return await self.act(ctx, click, **options)

        return for_managers(handle) if self.managers else handle


class Topic:
    """The commands and buttons of one file.

    `Topic()` puts its commands under the names of the game (`/shithead stats`), `Topic("privacy", "…")` into a group
    there (`/shithead privacy show`), and with `top` the group is at the top level (`/tea owed`).
    """

    def __init__(self, group: str = "", description: str = "", *, top: bool = False) -> None:
        self.group, self.description, self.top = group, description, top
        self.commands: dict[str, Command] = {}
        self.handlers: dict[str, Handler] = {}

    def command(
        self,
        name: str,
        description: str,
        /,
        *,
        in_help: str | None = None,
        at_table: bool = False,
        managers: bool = False,
        suggest: Mapping[str, Suggest] | None = None,
        **options: str,
    ) -> Callable[[H], H]:
        """Declare a slash command; its options are the parameters of the handler after the first two.

        `options` describes each of them, `suggest` has functions that suggest values while one is typed. The help lists
        the command with `in_help`, by default with its description, and not at all if `in_help` is empty. With
        `at_table` the click is about the table of the channel; with `managers` the command is only for people who can
        manage the server. Raises `CollisionError` if the name is taken.
        """
        listed = description if in_help is None else in_help

        def declare(act: H) -> H:
            self._require_free(name, self.commands)
            self.commands[name] = Command(name, description, act, options, suggest or {}, listed, at_table, managers)
            return act

        return declare

    def button(self, *verbs: str, managers: bool = False) -> Callable[[H], H]:
        """Declare the handler of buttons, selects and forms whose id has one of these verbs.

        `click` names the table in the id; the doorway accepts it only in the table's own channel. With
        `managers` the button is only for people who can manage the server. Raises `CollisionError` if a verb is taken,
        `ValueError` if it is not 1 to 16 lower-case letters or hyphens.
        """

        def declare(act: H) -> H:
            for verb in verbs:
                if not _VERB.fullmatch(verb):
                    raise ValueError(f"a verb has 1 to 16 lower-case letters or hyphens, and {verb!r} does not")
                self._require_free(verb, self.handlers)
                self.handlers[verb] = for_managers(act) if managers else act
            return act

        return declare

    def typed(self, t: Formatter, name: str) -> str:
        """A command of this topic, as the reader types it in their language."""
        path = (self.group, name) if self.group else (name,)
        return t.typed(*path) if self.top else t.command(*path)

    def _require_free(self, name: str, taken: Iterable[str]) -> None:
        if name in taken:
            raise CollisionError(f"{name!r} is declared twice in one topic: take another name")


def for_managers(handler: Handler) -> Handler:
    """Let only people who can manage the server reach the handler, even if Discord has not checked it."""

    async def checked(ctx: Context, click: Click) -> Answer:
        if click.manager:
            return await handler(ctx, click)
        return refused(ctx.t("**Only people who can manage this server can do that.** Ask one of them."))

    return checked


@cache
def topics() -> Mapping[str, Topic]:
    """The topics of this package, by module. `AttributeError` if a `*_topic` has none; as `require_distinct`."""
    files = [each.name for each in pkgutil.iter_modules([str(Path(__file__).parent)]) if each.name.endswith("_topic")]
    by_name: dict[str, Topic] = {name: pkgutil.resolve_name(f"{__package__}.{name}:topic") for name in files}
    require_distinct(by_name)
    return by_name


@cache
def handlers() -> Mapping[str, Handler]:
    """The handlers of all topics, by verb."""
    return {verb: handler for topic in topics().values() for verb, handler in topic.handlers.items()}


def require_distinct(by_name: Mapping[str, Topic]) -> None:
    """Check that no two topics declare the same command or verb. `CollisionError`, with both files, if they do."""
    owners: dict[str, str] = {}
    for file, topic in by_name.items():
        verbs = [f"the button {verb!r}" for verb in topic.handlers]
        commands = [f"the command {' '.join(filter(None, (topic.group, name)))!r}" for name in topic.commands]
        for name in (*verbs, *commands):
            if name in owners:
                raise CollisionError(f"{name} is declared in {owners[name]}.py and in {file}.py: rename one of them")
            owners[name] = file


def help_lines(t: Formatter) -> list[str]:
    """The lines of the help, one for each command that it lists."""
    listed = [(topic, command) for topic, command in commands_by_use() if command.in_help]
    return [f"{topic.typed(t, command.name)} · {t(command.in_help)}" for topic, command in listed]


def commands_by_use() -> list[tuple[Topic, Command]]:
    """Every command with its topic, ordered by `BY_USE`; within a group in the order of declaration."""
    pairs = [(topic, each) for topic in topics().values() for each in topic.commands.values()]
    return sorted(pairs, key=lambda pair: _by_use(pair[0].group or pair[1].name))


def _by_use(name: str) -> tuple[int, str]:
    return BY_USE.index(name) if name in BY_USE else len(BY_USE), name
