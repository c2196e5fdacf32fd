"""The simulated server: one channel and four people, with the same ids in every run, so that kept tables match."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import discord
from simcord import ChannelHandle, Env, GuildHandle, MemberActor

from cogs.screens.formatter import formatter
from cogs.screens.language import SOURCE
from sandbox.live import set_time
from sandbox.options import locale_of
from sandbox.spoken import have_all_speak

SERVER: Final = "The Kitchen"
CHANNEL: Final = "cards"
PEOPLE: Final = ("Ann", "Bob", "Cy", "Dee")
"""Ann owns the server."""
FOUNDED: Final = datetime(2025, 6, 1, tzinfo=UTC)
"""Ids contain the time of creation and a count within it, so nothing else may be created at this moment."""


@dataclass(frozen=True, slots=True)
class World:
    """The server, the channel and the people that the page shows."""

    server: GuildHandle
    channel: ChannelHandle
    people: tuple[MemberActor, ...]
    locale: str


def found(env: Env, language: str = SOURCE) -> World:
    """Create the server as if long ago; `language` is the one that it and all people have set on Discord."""
    set_time(env, FOUNDED)
    locale = locale_of(language)
    have_all_speak(env, locale)
    users = [env.create_user(name.lower(), global_name=name) for name in PEOPLE]
    server = env.create_guild(SERVER, owner=users[0], preferred_locale=locale)
    channel = server.create_text_channel(CHANNEL, topic=first_words(language))
    people = tuple(server.add_member(user) for user in users)
    set_time(env, datetime.now(UTC))
    env.backend.edit_bot_profile("Shithead")
    return World(server, channel, people, locale)


def first_words(language: str) -> str:
    """How a table is opened, in plain text: it stands above the channel, and in it while it is empty."""
    t = formatter(language)
    at = {"command": t.typed("shithead", "start"), **t.buttons()}
    said = t("Open a table with {command}. Others press {join}, then you press {start}.", **at)
    return said.replace("*", "").replace("`", "")


@asynccontextmanager
async def online(bot: discord.Client, language: str = SOURCE) -> AsyncGenerator[tuple[Env, World]]:
    """Start the bot in a world made before it, because a server that it misses when it is ready counts as left.

    Errors of the bot go to its log and do not end the world.
    """
    env = Env(bot, check_errors=False)
    world = found(env, language)
    await env.start()
    with env.time_context():
        try:
            yield env, world
        finally:
            await env.shutdown()
