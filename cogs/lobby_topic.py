"""A table from its lobby to its end, except the moves: open, join, leave, start, stop, rematch, the host's options."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Final, Literal, cast, get_args

from discord import app_commands

from cogs.clicks import Answer, Click, here, no_table, no_thread, notice
from cogs.screens.ids import parse_number
from cogs.screens.joining_screens import (
    joined_screen,
    leaving_screen,
    left_screen,
    not_in_screen,
    opened_screen,
    stopping_screen,
)
from cogs.screens.lobby_screens import more_screen, running_screen
from cogs.screens.match_words import SINGLE, match_of_key
from cogs.screens.names import clean
from cogs.screens.refused import decline_sentence, paused_words
from cogs.screens.table_screens import log_screen
from cogs.topics import Context, Topic
from data.models import LevelName, Pace, Stretch, Table
from tables.match import is_between_games
from tables.play_service import stops_alone, would_stop
from tables.snapshots import Decline, Declined, Ignoring, TableSnapshot

topic = Topic()
LONGEST_FORFEIT: Final = 60
_PACES: Final[Mapping[str, Pace]] = {"quick": "quick", "normal": "normal", "slow": "slow"}
_STRETCHES: Final[Mapping[str, Stretch]] = {"": 1, "1": 1, "2": 2, "4": 4}


@topic.command(
    "start",
    "Open a table in this channel",
    suggest={"variant": Context.suggest_variants},
    variant="Which rules to play by",
    pace="Time per turn: quick 45 seconds, normal 3 minutes, slow 24 hours",
    seats="How many may join (default: as many as the variant allows); with fewer, it starts once all are in",
    forfeit="What the loser owes instead of a cup of tea, for example a cake",
    where="In this channel, or in a new thread",
)
@topic.button("open")
async def open_table(
    ctx: Context,
    click: Click,
    variant: str | None = None,
    pace: Pace = "normal",
    seats: app_commands.Range[int, 2, 12] | None = None,
    forfeit: app_commands.Range[str, 1, LONGEST_FORFEIT] = "",
    where: Literal["here", "thread"] = "here",
) -> Answer:
    """Open a lobby in this channel or in a new thread of it, if the bot may post there."""
    thread, owed = where == "thread", clean(forfeit, LONGEST_FORFEIT)
    refusal = no_thread(click) if thread else no_table(click)
    if refusal is not None:
        return refusal
    if forfeit.strip() and not owed:  # nothing in it can be seen
        raise Declined(Decline.BAD_FORFEIT)
    latest = None if thread else await ctx.tables.play.in_channel(click.guild_id, click.channel_id)
    match_waits = latest is not None and is_between_games((await ctx.tables.snapshot(latest)).table)
    opened = await ctx.tables.lobby.open(click, variant=variant, pace=pace, seats=seats, forfeit=owed, thread=thread)
    table = await ctx.open_thread(opened.table) if opened.table.lacks_thread else opened.table
    return Answer("private", opened_screen(ctx.t, table, match_waits=match_waits), hand_at=table)


@topic.command(
    "practice",
    "Play against the computer, at once",
    suggest={"variant": Context.suggest_variants},
    level="How well the computer plays",
    variant="Which rules to play by",
)
@topic.button("practise")
async def practise(ctx: Context, click: Click, level: LevelName = "fair", variant: str | None = None) -> Answer:
    """Deal a game in this channel at once, against as few computer players as the variant allows."""
    if refusal := no_table(click):
        return refusal
    table = (await ctx.tables.lobby.open(click, variant=variant, computers=level)).table
    return await _dealt(ctx, click, table, "private")


@topic.button("alone")
async def play_alone(ctx: Context, click: Click) -> Answer:
    """Add as few computer players as it takes to the host's table and deal at once."""
    return await _dealt(ctx, click, (await ctx.tables.lobby.add_computers(click, "fair")).table, "here")


async def _dealt(ctx: Context, click: Click, table: Table, kind: Literal["here", "private"]) -> Answer:
    """Deal as the second change of a click. If only that fails, the host reads that the table is open."""
    with Ignoring(Decline.SAVING_FAILED):
        return ctx.hand_answer(await ctx.tables.play.start(click.nth_request(table, 1)), kind=kind)
    return Answer(kind, opened_screen(ctx.t, table, match_waits=False), hand_at=table)


@topic.button("join")
async def join(ctx: Context, click: Click) -> Answer:
    """Sit down; people who already sit there are told what comes next, or see their hand if cards are dealt."""
    try:
        there = await ctx.tables.lobby.join(click)
    except Declined as declined:
        there = declined.snapshot
        if there is None or declined.why not in {Decline.ALREADY_SEATED, Decline.NOT_A_LOBBY}:
            raise
    return await _seated(ctx, click, there)


async def _seated(ctx: Context, click: Click, snapshot: TableSnapshot) -> Answer:
    """Show the hand if this person was the last one missing, otherwise a message that will become it."""
    if snapshot.table.status == "playing":
        return ctx.hand_answer(await ctx.tables.play.hand(click))
    return Answer("here", joined_screen(ctx.t, snapshot.table, click.user.id), hand_at=snapshot.table)


@topic.button("sayno")
async def say_no(ctx: Context, click: Click) -> Answer:
    """Say no to a rematch, so that nobody waits; until the deal people can still join."""
    table = (await ctx.tables.lobby.say_no(click)).table
    if table.status != "lobby":
        return notice(ctx.t("**You are not in this game:** it goes on without you."))
    return Answer("here", not_in_screen(ctx.t, table, click.user.id), hand_at=table)


@topic.button("start")
async def start_game(ctx: Context, click: Click) -> Answer:
    return ctx.hand_answer(await ctx.tables.play.start(click))


@topic.button("rematch")
async def rematch(ctx: Context, click: Click) -> Answer:
    """Ask the others for another game, or say yes if somebody has already asked; in a match, deal the next game."""
    if refusal := no_table(click):
        return refusal
    with Ignoring(Decline.NOT_OVER):
        return await _seated(ctx, click, await ctx.tables.play.rematch(click))
    return await join(ctx, click)  # or shows the hand of a game that is on


@topic.button("more")
async def show_more(ctx: Context, click: Click) -> Answer:
    return await _more(ctx, click, await ctx.tables.play.look(click))


async def _changed(ctx: Context, click: Click, change: Awaitable[TableSnapshot]) -> Answer:
    """Change a table, and show the page again even if that is refused: otherwise it would still show the choice."""
    try:
        return await _more(ctx, click, await change)
    except Declined as declined:
        found = declined.snapshot
        if found is None or found.table.status != "lobby" or found.table.host_id != click.user.id:
            raise
        return await _more(ctx, click, found, decline_sentence(ctx.t, declined, found))


async def _more(ctx: Context, click: Click, snapshot: TableSnapshot, refusal: str = "") -> Answer:
    if snapshot.table.status == "lobby":
        saved = ()
        with Ignoring(Decline.SAVING_FAILED):  # the page may show a change that is stored
            saved = await ctx.tables.servers.house_rules(click.guild_id)
        becomes_hand = None if snapshot.table.seat_of(click.user.id) is None else snapshot.table
        page = more_screen(ctx.t, snapshot.table, click.user.id, saved, refusal, moderator=click.moderator)
        return Answer("here", page, hand_at=becomes_hand)
    if snapshot.table.status == "playing":
        return here(running_screen(ctx.t, snapshot.table, click.user.id, moderator=click.moderator))
    if snapshot.table.started_at is None or snapshot.table.status == "aborted":
        raise Declined(Decline.UNKNOWN_TABLE)
    raise Declined(Decline.NOT_PLAYING, snapshot)  # players are told how to begin another


@topic.button("log")
async def show_log(ctx: Context, click: Click) -> Answer:
    snapshot = await ctx.tables.past.with_all_events(click)
    if snapshot.table.status != "playing":
        return await _more(ctx, click, snapshot)
    return here(log_screen(ctx.t, snapshot, parse_number(click.argument)))


@topic.command("leave", "Leave the table; the computer plays your cards", at_table=True)
@topic.button("leaving")
async def ask_to_leave(ctx: Context, click: Click) -> Answer:
    """Ask before leaving a game or a match; in a lobby, leave at once."""
    table = (await ctx.tables.play.look(click)).table
    if table.seat_of(click.user.id) is None or not (table.status == "playing" or is_between_games(table)):
        return await leave(ctx, click)
    return here(leaving_screen(ctx.t, table, click.user.id))


@topic.button("leave")
async def leave(ctx: Context, click: Click) -> Answer:
    """Leave the table. In a lobby the seat becomes free; in a game the computer plays it until it is taken back."""
    was_playing = (await ctx.tables.play.look(click)).table.status == "playing"
    after = (await ctx.tables.lobby.leave(click)).table
    if after.started_at is None:
        return notice(ctx.t("You left the table."))
    return Answer("here", left_screen(ctx.t, after, click.user.id, was_playing=was_playing), hand_at=after)


@topic.button("return")
async def take_seat_back(ctx: Context, click: Click) -> Answer:
    return ctx.hand_answer(await ctx.tables.play.take_back(click))


@topic.button("computer")
async def add_computer(ctx: Context, click: Click) -> Answer:
    """Seat a computer of the level that was chosen; `fair` if there is none, as for a button of an older version."""
    level = cast("LevelName", click.value) if click.value in get_args(LevelName) else "fair"
    return await _changed(ctx, click, ctx.tables.lobby.add_computer(click, level))


@topic.button("nocomputer")
async def remove_computer(ctx: Context, click: Click) -> Answer:
    return await _changed(ctx, click, ctx.tables.lobby.remove_computer(click))


@topic.button("hints")
async def allow_hints(ctx: Context, click: Click) -> Answer:
    return await _changed(ctx, click, ctx.tables.lobby.change(click, hints=click.argument == "on"))


@topic.button("kick")
async def remove_person(ctx: Context, click: Click) -> Answer:
    return await _changed(ctx, click, ctx.tables.lobby.remove_person(click, parse_number(click.value) or 0))


@topic.button("variant")
async def change_variant(ctx: Context, click: Click) -> Answer:
    """Switch to another variant; this undoes all house rules."""
    return await _changed(ctx, click, ctx.tables.lobby.change(click, variant=click.value))


@topic.button("pace")
async def change_pace(ctx: Context, click: Click) -> Answer:
    name, _, times = click.value.partition("*")
    pace, stretch = _PACES.get(name, "normal"), _STRETCHES.get(times, 1)
    return await _changed(ctx, click, ctx.tables.lobby.change(click, pace=pace, stretch=stretch))


@topic.button("match")
async def change_match(ctx: Context, click: Click) -> Answer:
    wanted = "single" if click.value == SINGLE else match_of_key(click.value)
    return await _changed(ctx, click, ctx.tables.lobby.change(click, match=wanted))


@topic.button("seats")
async def change_seats(ctx: Context, click: Click) -> Answer:
    return await _changed(ctx, click, ctx.tables.lobby.change(click, seats=parse_number(click.value)))


@topic.command("stop", "Stop a game (host, moderators) or vote to stop it; nobody owes anything then", at_table=True)
@topic.button("stopping")
async def ask_to_stop(ctx: Context, click: Click) -> Answer:
    """Ask first if this click would stop the game; a vote that does not decide is counted at once."""
    table = (await ctx.tables.play.look(click)).table
    if not would_stop(table, click):
        return await stop_game(ctx, click)
    return here(stopping_screen(ctx.t, table, by_vote=not stops_alone(table, click)))


@topic.button("stop")
async def stop_game(ctx: Context, click: Click) -> Answer:
    """Stop at once, or vote for it."""
    snapshot = await ctx.tables.play.stop(click)
    t = ctx.t
    if snapshot.table.status == "playing":
        return await _more(ctx, click, snapshot)
    lobby = snapshot.table.started_at is None
    return notice(t("The table was closed.") if lobby else t("The game is stopped. Nobody owes anything for it."))


@topic.button("unvote")
async def take_vote_back(ctx: Context, click: Click) -> Answer:
    with Ignoring(Decline.ALREADY_SO):
        await ctx.tables.play.unvote(click)
    return await show_more(ctx, click)


@topic.command("table", "Bring the table to the bottom of the channel", at_table=True)
@topic.button("down")
async def move_down(ctx: Context, click: Click) -> Answer:
    """Post the table anew at the bottom of the channel; a table that is paused because its message is gone goes on."""
    paused, t = ctx.tables.play.paused_table(click), ctx.t
    # a message may be there, and Discord lets the bot edit it
    if refusal := no_table(click, is_paused=paused is not None):
        return refusal
    moved = (await ctx.tables.play.move_to_bottom(click)).table
    if paused is not None:
        return replace(notice(paused_words(t, paused, is_tried=True)), tells_pause=True)
    plays = moved.status == "playing" and moved.seat_of(click.user.id) is not None
    below = t("Press {hand} at the table to open your cards below it.", **t.buttons()) if plays else ""
    return notice(t.sentences(t("Table moved to the bottom of the channel."), below))
