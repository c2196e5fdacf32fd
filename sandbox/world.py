"""The make-believe server: one channel, four people, and the same ids each time, so that what was kept finds them."""

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
from sandbox.spoken import have_all_speak

SERVER: Final = "The Kitchen"
CHANNEL: Final = "cards"
PEOPLE: Final = ("Ann", "Bob", "Cy", "Dee")
"""Ann owns the server."""
FOUNDED: Final = datetime(2025, 6, 1, tzinfo=UTC)
"""Ids say when something was made and count within that moment, so nothing else may be made at this one."""


@dataclass(frozen=True, slots=True)
class World:
    """What the page shows."""

    server: GuildHandle
    channel: ChannelHandle
    people: tuple[MemberActor, ...]
    locale: str


def found(env: Env, language: str = SOURCE) -> World:
    """Make the server, as if it had long been there; this is the language that it and all people have on Discord."""
    set_time(env, FOUNDED)
    locale = next(each.value for each in discord.Locale if language in {each.value, each.value.partition("-")[0]})
    have_all_speak(env, locale)
    users = [env.create_user(name.lower(), global_name=name) for name in PEOPLE]
    server = env.create_guild(SERVER, owner=users[0], preferred_locale=locale)
    channel = server.create_text_channel(CHANNEL, topic=formatter(language).typed("shithead", "start").strip("`"))
    people = tuple(server.add_member(user) for user in users)
    set_time(env, datetime.now(UTC))
    env.backend.edit_bot_profile("Shithead")
    return World(server, channel, people, locale)


@asynccontextmanager
async def online(bot: discord.Client, language: str = SOURCE) -> AsyncGenerator[tuple[Env, World]]:
    """The bot in the world, which was there before it: a server it does not find when it is ready it takes for left.

    What goes wrong in the bot is in its log; it does not end the world.
    """
    env = Env(bot, check_errors=False)
    world = found(env, language)
    await env.start()
    with env.time_context():
        try:
            yield env, world
        finally:
            await env.shutdown()
