"""The tutorial: ten private steps, each of which teaches one rule by doing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, here, private
from cogs.groups import register
from cogs.screens.tutorial import LAST_PAGE, STEPS, done_words, lesson_screen, refused_words
from game.lessons import LESSONS, moves_of, tap


async def begin(ctx: Context, click: Click) -> Answer:
    """The first step, as a message of its own."""
    return private(lesson_screen(await ctx.fmt(click), click.user.name, 1))


async def show_lesson(ctx: Context, click: Click) -> Answer:
    """A step, or what came of a tap in it: the right one leads on, a wrong one is refused and stays.

    An id that another version of the bot made may name what there is not: it shows the nearest step.
    """
    fmt, name = await ctx.fmt(click), click.user.name
    step = min(max(click.ids.revision, 1), LAST_PAGE)
    chosen = click.ids.argument
    moves = dict(enumerate(moves_of(LESSONS[step - 1]), 1)) if step <= STEPS else {}
    move = moves.get(int(chosen)) if chosen.isascii() and chosen.isdecimal() else None
    if move is None:
        return here(lesson_screen(fmt, name, step))
    lesson = LESSONS[step - 1]
    tapped = tap(lesson, move)
    if tapped.refusal is not None:
        return here(lesson_screen(fmt, name, step, refused=refused_words(fmt, name, lesson, move, tapped)))
    return here(lesson_screen(fmt, name, step + 1, done_words(fmt, name, tapped)))


async def tutorial(interaction: discord.Interaction[Any]) -> None:
    """Learn the game in ten short steps."""
    await answer(interaction, begin, click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {"tutorial": begin, "lesson": show_lesson}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, tutorial=tutorial)
