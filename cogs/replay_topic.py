"""Ended games: `/shithead replay` and `verify`, films, reviews, transcripts, and what to note to verify a shuffle."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

import cogs.screens.components as ui
from cogs.clicks import Answer, Click, here, private, refused
from cogs.picture_messages import FILM, film_of, with_step_picture
from cogs.screens.ids import parse_number, parse_pair
from cogs.screens.replay_screens import (
    Spot,
    fair_screen,
    film_screen,
    game_words,
    highlights_screen,
    parse_spot,
    review_screen,
    transcript_screen,
    verified_screen,
)
from cogs.topics import Context, Topic

topic = Topic()
MOST_GAMES: Final = 25
_GAME: Final = "Which game (default: your last finished one here)"


def _no_such_game(ctx: Context) -> Answer:
    return refused(ctx.t("**There is no such game here.** Pick one from the list that opens while you type."))


@topic.button("step", "eyes", "moment")
async def show_step(ctx: Context, click: Click) -> Answer:
    """Show a step of a replay; the same step as another seat saw it; or the step at which a highlight happened."""
    spot, chosen = parse_spot(click.argument), parse_number(click.value) or 0
    if click.verb == "eyes":
        spot = replace(spot, seat=chosen)
    elif click.verb == "moment":
        spot = replace(spot, step=chosen)
    return await _show(ctx, click, spot.game, spot)


async def _show(ctx: Context, click: Click, game: int, spot: Spot | None = None) -> Answer:
    """Begin a replay, seen from the reader's own seat if they played; or go on with it at a spot."""
    seat, step = (spot.seat, spot.step) if spot else (None, 0)
    seen = await ctx.tables.past.replay_step(click, game, seat, step)
    if seen is None:
        return _no_such_game(ctx)
    drawn = await with_step_picture(ctx.t, seen, click.user.id, films=ctx.pictures, pictures=ctx.settings.pictures)
    return Answer("here" if spot else "private", drawn.screen, files=drawn.pictures)


@topic.button("replay")
async def replay_table(ctx: Context, click: Click) -> Answer:
    """Begin a replay from the message that shows the end of a game."""
    return await _show(ctx, click, await _game_number(ctx, click))


async def _game_number(ctx: Context, click: Click) -> int:
    """The number of the game that a button names, otherwise of the last one at its table."""
    last = (await ctx.tables.play.look(click)).table.game
    return parse_spot(click.argument).game if click.argument else last


@topic.button("highlights")
async def show_highlights(ctx: Context, click: Click) -> Answer:
    watched = await ctx.tables.past.watched(click, await _game_number(ctx, click))
    return _no_such_game(ctx) if watched is None else private(highlights_screen(ctx.t, watched, films=ctx.pictures))


@topic.button("review")
async def show_review(ctx: Context, click: Click) -> Answer:
    """Let the coach show where the reader lost a game that they played."""
    thinking = _begun(ctx, ctx.t("The coach is looking through your game…"))
    return replace(thinking, then=lambda: _reviewed(ctx, click))


def _begun(ctx: Context, doing: str) -> Answer:
    """Say that something takes a while, and what to do if the bot is restarted meanwhile."""
    again = ctx.t("If nothing comes within a minute, press the button again.")
    return private(ui.note(ui.Accent.GREY, ctx.t.sentences(doing, again)))


async def _reviewed(ctx: Context, click: Click) -> Answer:
    reviewed = await ctx.tables.past.reviewed(click, parse_spot(click.argument).game)
    if reviewed is None:
        why = ctx.t(
            "**The coach cannot judge this game now.** "
            "It looks only at games that you played to the end. If you did, try again later."
        )
        return refused(why)
    return private(review_screen(ctx.t, reviewed))


@topic.button("film", "eyesfilm")
async def show_film(ctx: Context, click: Click) -> Answer:
    """Show a game as a film, as everybody saw it or as the chosen seat did."""
    if not ctx.pictures:
        return refused(ctx.t("**There is no film of this game.** The replay shows every move."))
    return replace(_begun(ctx, ctx.t("The film is being drawn…")), then=lambda: _filmed(ctx, click))


async def _filmed(ctx: Context, click: Click) -> Answer:
    t, spot = ctx.t, parse_spot(click.argument)
    seat = spot.seat if click.verb == "eyesfilm" else None
    watched = await ctx.tables.past.watched(click, spot.game, seat)
    if watched is None:
        return _no_such_game(ctx)
    gif = await film_of(t, watched)
    if gif is None:
        return refused(t("**The film could not be drawn.** Try again in a minute; the replay shows every move."))
    return Answer("private", film_screen(t, watched, FILM), files={FILM: gif})


@topic.button("verify")
async def verify_game(ctx: Context, click: Click) -> Answer:
    return await _verified(ctx, click, parse_spot(click.argument).game)


async def _verified(ctx: Context, click: Click, game: int) -> Answer:
    verification = await ctx.tables.past.verification(click, game)
    return _no_such_game(ctx) if verification is None else private(verified_screen(ctx.t, verification))


@topic.button("transcript")
async def give_transcript(ctx: Context, click: Click) -> Answer:
    game = parse_spot(click.argument).game
    text = await ctx.tables.past.transcript(click, game)
    if text is None:
        return _no_such_game(ctx)
    name = f"{'palace' if ctx.t.polite else 'shithead'}-{click.table_id}-{game}.txt"
    return Answer("private", transcript_screen(ctx.t, name), files={name: text.encode()})


@topic.button("fair")
async def show_fair(ctx: Context, click: Click) -> Answer:
    """Explain why the shuffle is fair, or what to note so that it can be verified later."""
    table = (await ctx.tables.play.look(click)).table
    return here(fair_screen(ctx.t, table, click.user.id, noting=click.argument == "note"))


async def suggest_games(ctx: Context, click: Click) -> Sequence[tuple[str, str]]:
    """Suggest the last games of this channel, and the person's own ones elsewhere in the server."""
    t, latest = ctx.t, ctx.tables.past.latest
    games = await latest(click.guild_id, MOST_GAMES, channel_id=click.channel_id, user_id=click.user.id)
    return [(game_words(t, one), f"{one.table_id}.{one.game}") for one in games]


async def _show_chosen(
    ctx: Context, click: Click, game: str | None, show: Callable[[Context, Click, int], Awaitable[Answer]]
) -> Answer:
    """Show the game that was chosen in a command, else the person's last finished one here, or anybody's."""
    if game is None:
        lines = await ctx.tables.past.latest(click.guild_id, MOST_GAMES, channel_id=click.channel_id)
        mine = await ctx.tables.past.latest(click.guild_id, MOST_GAMES, user_id=click.user.id)
        if not lines:
            return refused(ctx.t("**No game has ended in this channel yet.** The option `game` lists all of yours."))
        own_first = sorted(lines, key=lambda line: line not in mine)
        last = next((line for line in own_first if line.moves is not None), lines[0])  # rather not one that was stopped
        game = f"{last.table_id}.{last.game}"
    table_id, number = parse_pair(game)
    return await show(await ctx.at(table_id, click), click.about(table_id), number)


@topic.command("replay", "Replay a finished game from any player’s view", suggest={"game": suggest_games}, game=_GAME)
async def replay(ctx: Context, click: Click, game: str | None = None) -> Answer:
    return await _show_chosen(ctx, click, game, _show)


@topic.command("verify", "Check that a game’s shuffle was fair", suggest={"game": suggest_games}, game=_GAME)
async def verify(ctx: Context, click: Click, game: str | None = None) -> Answer:
    return await _show_chosen(ctx, click, game, _verified)
