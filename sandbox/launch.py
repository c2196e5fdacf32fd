"""The real bot in the make-believe world: with its faces, and the table of the last time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from simcord import Preview

from bot.client import CardBot
from bot.compose import App, compose, running
from bot.config import Settings
from cogs.pictures.card_faces import emoji_set
from cogs.screens.formatter import Faces
from cogs.screens.language import SOURCE
from sandbox.stage import Assets, on_stage
from sandbox.world import World, online

GAP: Final = 0.2
"""Seconds between two drawings of a table: nobody limits them here, and a page asks for news twice a second."""
_PICTURES: Final = "https://cdn.simcord.invalid/emojis/{}.png"


@asynccontextmanager
async def launched(url: str, port: int, *, pause: float, language: str = SOURCE) -> AsyncGenerator[Preview]:
    """The page, with the bot at work behind it.

    Raises:
        StoreError: the database cannot be used.
    """
    # Built without the environment: what is set there is meant for the bot on Discord.
    settings = Settings.model_construct(database_url=url, thinking_seconds=pause, shard_count=1)
    drawing = asyncio.create_task(asyncio.to_thread(emoji_set, small=False))
    async with compose(settings, gap=GAP, sync="always") as app, online(app.bot, language) as (env, world):
        assets = await upload(app.bot, await drawing)
        await show_again(app, world)
        async with on_stage(env, world, port, assets) as page, running(app):
            yield page


async def upload(bot: CardBot, drawn: Mapping[str, bytes]) -> Assets:
    """Give the bot its faces; they come back as the page looks for them, as SimCord keeps no picture."""
    made = {name: await bot.create_application_emoji(name=name, image=png) for name, png in drawn.items()}
    bot.faces = Faces({name: str(emoji.id) for name, emoji in made.items()})
    return {_PICTURES.format(emoji.id): (f"{name}.png", drawn[name]) for name, emoji in made.items()}


async def show_again(app: App, world: World) -> None:
    """Post the channel's last table: the messages of the last time are gone, the tables are not."""
    table = await app.tables.play.in_channel(world.server.id, world.channel.id)
    if table is not None:
        await app.tables.timekeeping.placed(table, None)
        await app.tables.timekeeping.nudge_placed(table, None)
        app.painter.want(table)
