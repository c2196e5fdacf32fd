"""Starts the real bot in the simulated world, with its emojis and the table of the last run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import discord
from simcord import Preview

from bot.client import CardBot
from bot.compose import App, compose, running
from bot.config import Settings
from cogs.pictures.card_faces import emoji_set
from cogs.screens.formatter import FaceEmojis
from cogs.screens.language import SOURCE
from sandbox.stage import Assets, on_stage
from sandbox.world import World, online

GAP: Final = 0.2
"""Seconds between two drawings of a table: nothing limits the rate here, and a page polls twice a second."""
_PICTURES: Final = "https://cdn.simcord.invalid/emojis/{}.png"


@asynccontextmanager
async def launched(url: str, port: int, *, pause: float, language: str = SOURCE) -> AsyncGenerator[Preview]:
    """Serve the page, with the bot running behind it.

    Raises:
        StoreError: the database cannot be used.
    """
    # The environment is ignored, because its variables are meant for the bot on Discord.
    settings = Settings.model_construct(database_url=url, thinking_seconds=pause, shard_count=1)
    drawing = asyncio.create_task(asyncio.to_thread(emoji_set, small=False))
    async with compose(settings, gap=GAP) as app:
        app.bot.setup_hook = partial(register, app.bot)
        async with online(app.bot, language) as (env, world):
            app.bot.faces, assets = await upload(app.bot, await drawing)
            await show_again(app, world)
            async with on_stage(env, world, port, assets) as page, running(app, stop=asyncio.Event()):
                yield page


async def register(bot: CardBot) -> None:
    """Register the commands with the simulated Discord."""
    await bot.tree.sync()


async def upload(bot: discord.Client, drawn: Mapping[str, bytes]) -> tuple[FaceEmojis, Assets]:
    """Upload a bot's emojis; returns them also as assets for the page, because SimCord keeps no pictures."""
    made = {name: await bot.create_application_emoji(name=name, image=png) for name, png in drawn.items()}
    faces = FaceEmojis({name: str(emoji.id) for name, emoji in made.items()})
    return faces, {_PICTURES.format(emoji.id): (f"{name}.png", drawn[name]) for name, emoji in made.items()}


async def show_again(app: App, world: World) -> None:
    """Post the channel's last table again: the messages of the last run are gone, its tables are not."""
    table = await app.tables.play.in_channel(world.server.id, world.channel.id)
    if table is not None:
        await app.tables.timekeeping.place(table, message_id=None, nudge_id=None)
        app.painter.want(table)
