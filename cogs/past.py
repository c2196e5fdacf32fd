"""Ended games: `/shithead replay`, `/shithead verify`, the transcript, and what to note for the fair shuffle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, click_of, context_of
from cogs.context import Answer, Click, Context, Handler, here, private, refused
from cogs.groups import register
from cogs.screens.ids import ButtonId
from cogs.screens.language import translator
from cogs.screens.lobby import played_by
from cogs.screens.past import (
    Spot,
    fair_screen,
    game_words,
    replay_screen,
    spot_of,
    transcript_screen,
    verified_screen,
)
from data.game_models import GameLine
from tables.snapshots import Declined

MOST_SUGGESTED: Final = 25
_LONGEST_ID: Final = 19


def _no_such_game(click: Click) -> Answer:
    t = translator(click.locale)
    return refused(t("**There is no such game here.** Pick one from the list that opens while you type."))


async def show_step(ctx: Context, click: Click) -> Answer:
    """A step of a replay."""
    return await _seen(ctx, click, spot_of(click.ids.argument))


async def change_eyes(ctx: Context, click: Click) -> Answer:
    """The same step with the eyes of another seat."""
    seat = int(click.value) if click.value.isascii() and click.value.isdecimal() else 0
    return await _seen(ctx, click, replace(spot_of(click.ids.argument), seat=min(seat, MOST_SUGGESTED)))


async def _seen(ctx: Context, click: Click, spot: Spot) -> Answer:
    seen = await ctx.tables.past.rewound(click.request, spot.game, spot.seat, spot.step)
    if seen is None:
        return _no_such_game(click)
    return here(replay_screen(await ctx.fmt(click), seen, click.user.id))


async def _begin(ctx: Context, click: Click, game: int) -> Answer:
    """The beginning of a replay, with the asker's own eyes where they played."""
    seen = await ctx.tables.past.rewound(click.request, game, 0, 0)
    if seen is None:
        return _no_such_game(click)
    users = [player.user_id for player in seen.hand.snapshot.table.players]
    seat = users.index(click.user.id) if click.user.id in users else 0
    seen = await ctx.tables.past.rewound(click.request, game, seat, 0) or seen
    return private(replay_screen(await ctx.fmt(click), seen, click.user.id))


async def replay_table(ctx: Context, click: Click) -> Answer:
    """Replay, on the end of a game: the game that ended last at this table."""
    return await _begin(ctx, click, (await ctx.tables.play.look(click.request)).table.game)


async def verify_game(ctx: Context, click: Click) -> Answer:
    """The shuffle of a game, worked out again."""
    game = spot_of(click.ids.argument).game
    checked = await ctx.tables.past.checked(click.request, game)
    if checked is None:
        return _no_such_game(click)
    return private(verified_screen(await ctx.fmt(click), (click.table, game), checked))


async def give_transcript(ctx: Context, click: Click) -> Answer:
    """The transcript of a game, as a file."""
    game = spot_of(click.ids.argument).game
    text = await ctx.tables.past.transcript(click.request, game)
    if text is None:
        return _no_such_game(click)
    fmt = await ctx.fmt(click)
    name = f"{'palace' if fmt.polite else 'shithead'}-{click.table}-{game}.txt"
    return Answer("private", transcript_screen(fmt, name), files=((name, text.encode()),))


async def show_fair(ctx: Context, click: Click) -> Answer:
    """What to note so that the shuffle can be verified later."""
    table = (await ctx.tables.play.look(click.request)).table
    return here(fair_screen(await ctx.fmt(click), table, click.user.id))


def game_of(value: str) -> tuple[int, int] | None:
    """Table and game from what stands behind a suggestion; None for anything else."""
    table, _, game = value.partition(".")
    sensible = all(part.isascii() and part.isdecimal() and len(part) <= _LONGEST_ID for part in (table, game))
    return (int(table), spot_of(game).game) if sensible else None


def at_game(value: str | None, handler: Handler) -> Handler:
    """The same for a game that was chosen in a command, or for the last one of the channel."""

    async def found(ctx: Context, click: Click) -> Answer:
        chosen = await _last(ctx, click) if value is None else game_of(value)
        if chosen is None:
            t = translator(click.locale)
            none = t("**No game has ended here yet.** The secret of a shuffle is opened at its end.")
            return refused(none) if value is None else _no_such_game(click)
        table, game = chosen
        return await handler(ctx, replace(click, ids=ButtonId(click.ids.verb, table, 0, str(game))))

    return found


async def _last(ctx: Context, click: Click) -> tuple[int, int] | None:
    lines = await _games(ctx, click)
    here_first = sorted(lines, key=lambda line: line.channel_id != click.channel_id)
    return (here_first[0].table_id, here_first[0].game) if here_first else None


async def _games(ctx: Context, click: Click) -> Sequence[GameLine]:
    return await ctx.tables.past.latest(click.guild_id, click.channel_id, click.user.id, MOST_SUGGESTED)


async def begin_replay(ctx: Context, click: Click) -> Answer:
    """A replay from its beginning, for the command."""
    return await _begin(ctx, click, spot_of(click.ids.argument).game)


async def suggest_games(interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
    """The last games of this channel, and the own ones elsewhere in the server."""
    click, ctx = click_of(interaction), context_of(interaction)
    try:
        t, lines = (await ctx.fmt(click)).t, await _games(ctx, click)
    except Declined:
        return []
    said = [
        (game_words(t, played_by(t, each.variant, each.title), each), f"{each.table_id}.{each.game}") for each in lines
    ]
    found = [each for each in said if typed.lower() in each[0].lower()]
    return [app_commands.Choice(name=words[:100], value=value) for words, value in found]


@app_commands.describe(game="Which game; the last one here if you say nothing")
@app_commands.autocomplete(game=suggest_games)
async def replay(interaction: discord.Interaction[Any], game: str | None = None) -> None:
    """Step through a finished game and see what each seat saw."""
    await answer(interaction, at_game(game, begin_replay), click_of(interaction))


@app_commands.describe(game="Which game; the last one here if you say nothing")
@app_commands.autocomplete(game=suggest_games)
async def verify(interaction: discord.Interaction[Any], game: str | None = None) -> None:
    """Work the shuffle of a game out again from its opened secret."""
    await answer(interaction, at_game(game, verify_game), click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {
    "replay": replay_table,
    "step": show_step,
    "eyes": change_eyes,
    "verify": verify_game,
    "transcript": give_transcript,
}
AT_TABLE: Final[Mapping[str, Handler]] = {"fair": show_fair}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, replay=replay, verify=verify)
