"""Groups and options of slash commands, their words in every language, the permissions that a table takes.

Must not import topics or tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, TypedDict

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Place

from cogs.screens.language import mark, translator

POLITE: Final = "palace"
GAMES: Final = {"shithead": "The card game Shithead", POLITE: "The card game Palace"}
"""The top-level names, each with all commands below it; the second is for polite company."""
_SERVERS: Final = app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False)
_ADDED: Final = app_commands.AppInstallationType(guild=True, user=False)
"""To servers, not to the account of a person, who would have the commands in servers that the bot is not in."""
_Threads: TypeAlias = Literal["possible", "inside", "impossible"]
_THREADS: Final[Mapping[Any, _Threads]] = {0: "possible", 5: "possible", 10: "inside", 11: "inside", 12: "inside"}
"""By Discord's type of a channel: whether it can have threads, or is one. All other types make it impossible."""
_PRIVATE: Final = 12
_VOICE: Final = (2, 13)  # voice and stage channels: without Connect nobody sees their messages
PERMISSIONS: Final = {
    "view_channel": mark("View Channel"),
    "connect": mark("Connect"),
    "send_messages": mark("Send Messages"),
    "read_message_history": mark("Read Message History"),
    "create_public_threads": mark("Create Public Threads"),
    "send_messages_in_threads": mark("Send Messages in Threads"),
    "manage_threads": mark("Manage Threads"),
}
"""The name of each permission in Discord's settings."""
FOR_THREAD: Final = tuple(each for each in PERMISSIONS if each not in {"connect", "manage_threads"})
"""The permissions that the bot needs in a channel to open a table in a thread of it."""
_TIMED_OUT: Final = mark("a moderator to end my timeout")
_NOT_INVITED: Final = mark("a server manager to invite me")  # the server may have the commands alone
_TYPES: Final = {discord.AppCommandOptionType.string: str, discord.AppCommandOptionType.integer: int}
CONTEXTS: Final = {
    Place.command_name: "command",
    Place.group_name: "command",
    Place.parameter_name: "option",
    Place.choice_name: "choice",
}
"""The gettext context (`msgctxt`) of each kind of word; descriptions have none."""


def group_in(tree: app_commands.CommandTree[Any], path: Mapping[str, str]) -> app_commands.Group:
    """The group at the end of a path of names, each with a description; groups that are missing are created."""
    parent: app_commands.CommandTree[Any] | app_commands.Group = tree
    for name, description in path.items():
        child = parent.get_command(name)
        if not isinstance(child, app_commands.Group):
            child = app_commands.Group(
                name=name, description=description, guild_only=True, allowed_contexts=_SERVERS, allowed_installs=_ADDED
            )
            parent.add_command(child)
        parent = child
    if isinstance(parent, app_commands.Group):
        return parent
    raise ValueError("a command must be in a group")


def takes(option: app_commands.Parameter, value: object) -> bool:
    """Whether an option takes a value: Discord may have the command as another version of the bot registered it."""
    if option.choices:
        return value in [option.default, *(each.value for each in option.choices)]
    return value == option.default or option.type not in _TYPES or isinstance(value, _TYPES[option.type])


class CommandWords(app_commands.Translator):
    """Translates commands from the catalogues. Discord falls back on English for words that are the same in both."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """The words in this language; None if they are the same as in English."""
        t, english = translator(locale.value), string.message
        kind = CONTEXTS.get(context.location)
        translated = t.c(kind, english) if kind else t(english)
        return None if translated == english else translated


class Here(TypedDict):
    """What the bot may do in a channel; the keys are fields of `Click`."""

    lacking: tuple[str, ...]
    lacking_for_thread: tuple[str, ...]
    threads: _Threads
    outside: bool | None


def bot_here(data: Mapping[str, Any], guild: discord.Guild | None) -> Here:
    """What the bot may do in the channel of an interaction, by its raw payload; nothing if it is not in a server."""
    permissions = int(data.get("app_permissions", 0))
    channel = data.get("channel", {})
    known = None if guild is None or guild.unavailable else guild
    thread, has = channel.get("thread_metadata", {}), discord.Permissions(permissions)
    may_be_hidden = channel.get("type") == _PRIVATE and not has.manage_threads
    # discord.py knows the threads that the bot can see, unless they are archived.
    is_unseen = may_be_hidden and known is not None and known.get_thread(int(channel["id"])) is None
    # A timeout takes nothing from an administrator, not even if the bot has become one since it began.
    timed_out = (_TIMED_OUT,) if known and known.me and known.me.is_timed_out() and not has.administrator else ()
    barred = timed_out if guild else (_NOT_INVITED,)
    return {
        "lacking": barred or _missing(permissions, tuple(_for_table(channel))),
        "lacking_for_thread": barred or _missing(permissions, FOR_THREAD),
        "threads": _THREADS.get(channel.get("type"), "impossible"),
        "outside": None if is_unseen and thread.get("archived") else is_unseen,
    }


def _for_table(channel: Mapping[str, Any]) -> Iterator[str]:
    """The permissions that a table needs in this channel."""
    is_thread = _THREADS.get(channel.get("type")) == "inside"
    yield from ("view_channel", "send_messages_in_threads" if is_thread else "send_messages")
    if channel.get("type") in _VOICE:
        yield "connect"
    if is_thread and channel.get("thread_metadata", {}).get("locked"):
        yield "manage_threads"


@lru_cache
def _missing(permissions: int, needed: tuple[str, ...]) -> tuple[str, ...]:
    """The needed permissions that the bot does not have, as Discord's settings name them."""
    had = discord.Permissions(permissions)
    return tuple(PERMISSIONS[name] for name in needed if not getattr(had, name))
