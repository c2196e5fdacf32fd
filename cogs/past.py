"""Ended games: `/shithead replay`, `/shithead verify`, the transcript, and what to note for the fair shuffle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.past import Which
from bot.shown import Declined
from cogs.answering import answer, desk_of, press_of
from cogs.desk import Answer, Desk, Doing, Press, here, private, refused
from cogs.groups import register
from cogs.ui.ids import Pressed
from cogs.ui.language import translator
from cogs.ui.lobby import played_by
from cogs.ui.past import (
    Spot,
    fair_screen,
    game_words,
    replay_screen,
    spot_of,
    transcript_screen,
    verified_screen,
)
from data.past import GameLine

MOST_SUGGESTED: Final = 25
_LONGEST_ID: Final = 19


def which(press: Press, game: int) -> Which:
    """The game of the table that the press names."""
    return Which(press.guild_id, press.channel_id, press.user.id, press.table, game)


def _no_such_game(press: Press) -> Answer:
    t = translator(press.locale)
    return refused(t("**There is no such game here.** Pick one from the list that opens while you type."))


async def show_step(desk: Desk, press: Press) -> Answer:
    """A step of a replay."""
    return await _seen(desk, press, spot_of(press.ids.argument))


async def change_eyes(desk: Desk, press: Press) -> Answer:
    """The same step with the eyes of another seat."""
    seat = int(press.value) if press.value.isascii() and press.value.isdecimal() else 0
    return await _seen(desk, press, replace(spot_of(press.ids.argument), seat=min(seat, MOST_SUGGESTED)))


async def _seen(desk: Desk, press: Press, spot: Spot) -> Answer:
    seen = await desk.tables.rewound(which(press, spot.game), spot.seat, spot.step)
    if seen is None:
        return _no_such_game(press)
    return here(replay_screen(await desk.pen(press), seen, press.user.id))


async def _begin(desk: Desk, press: Press, game: int) -> Answer:
    """The beginning of a replay, with the asker's own eyes where they played."""
    seen = await desk.tables.rewound(which(press, game), 0, 0)
    if seen is None:
        return _no_such_game(press)
    users = [player.user_id for player in seen.hand.shown.table.players]
    seat = users.index(press.user.id) if press.user.id in users else 0
    seen = await desk.tables.rewound(which(press, game), seat, 0) or seen
    return private(replay_screen(await desk.pen(press), seen, press.user.id))


async def replay_table(desk: Desk, press: Press) -> Answer:
    """Replay, on the end of a game: the game that ended last at this table."""
    return await _begin(desk, press, (await desk.tables.shown(press.table)).table.game)


async def verify_game(desk: Desk, press: Press) -> Answer:
    """The shuffle of a game, worked out again."""
    game = spot_of(press.ids.argument).game
    checked = await desk.tables.checked(which(press, game))
    if checked is None:
        return _no_such_game(press)
    return private(verified_screen(await desk.pen(press), (press.table, game), checked))


async def give_transcript(desk: Desk, press: Press) -> Answer:
    """The transcript of a game, as a file."""
    game = spot_of(press.ids.argument).game
    text = await desk.tables.transcript(which(press, game))
    if text is None:
        return _no_such_game(press)
    pen = await desk.pen(press)
    name = f"{'palace' if pen.polite else 'shithead'}-{press.table}-{game}.txt"
    return Answer("private", transcript_screen(pen, name), files=((name, text.encode()),))


async def show_fair(desk: Desk, press: Press) -> Answer:
    """What to note so that the shuffle can be verified later."""
    table = (await desk.tables.shown(press.table)).table
    return here(fair_screen(await desk.pen(press), table, press.user.id))


def game_of(value: str) -> tuple[int, int] | None:
    """Table and game from what stands behind a suggestion; None for anything else."""
    table, _, game = value.partition(".")
    sensible = all(part.isascii() and part.isdecimal() and len(part) <= _LONGEST_ID for part in (table, game))
    return (int(table), spot_of(game).game) if sensible else None


def at_game(value: str | None, doing: Doing) -> Doing:
    """The same for a game that was chosen in a command, or for the last one of the channel."""

    async def found(desk: Desk, press: Press) -> Answer:
        chosen = await _last(desk, press) if value is None else game_of(value)
        if chosen is None:
            t = translator(press.locale)
            none = t("**No game has ended here yet.** The secret of a shuffle is opened at its end.")
            return refused(none) if value is None else _no_such_game(press)
        table, game = chosen
        return await doing(desk, replace(press, ids=Pressed(press.ids.verb, table, 0, str(game))))

    return found


async def _last(desk: Desk, press: Press) -> tuple[int, int] | None:
    lines = await _games(desk, press)
    here_first = sorted(lines, key=lambda line: line.channel_id != press.channel_id)
    return (here_first[0].table_id, here_first[0].game) if here_first else None


async def _games(desk: Desk, press: Press) -> Sequence[GameLine]:
    return await desk.tables.past_games(press.guild_id, press.channel_id, press.user.id, MOST_SUGGESTED)


async def begin_replay(desk: Desk, press: Press) -> Answer:
    """A replay from its beginning, for the command."""
    return await _begin(desk, press, spot_of(press.ids.argument).game)


async def suggest_games(interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
    """The last games of this channel, and the own ones elsewhere in the server."""
    press, desk = press_of(interaction), desk_of(interaction)
    try:
        t, lines = (await desk.pen(press)).t, await _games(desk, press)
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
    await answer(interaction, at_game(game, begin_replay), press_of(interaction))


@app_commands.describe(game="Which game; the last one here if you say nothing")
@app_commands.autocomplete(game=suggest_games)
async def verify(interaction: discord.Interaction[Any], game: str | None = None) -> None:
    """Work the shuffle of a game out again from its opened secret."""
    await answer(interaction, at_game(game, verify_game), press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {
    "replay": replay_table,
    "step": show_step,
    "eyes": change_eyes,
    "verify": verify_game,
    "transcript": give_transcript,
}
AT_TABLE: Final[Mapping[str, Doing]] = {"fair": show_fair}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, replay=replay, verify=verify)
