"""The table from lobby to end, but for the moves: open, join, leave, start, stop, rematch, and what the host sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, click_of, context_of
from cogs.context import Answer, Click, Context, Handler, following, here, lacking_answer, private, told
from cogs.groups import permissions_missing, register
from cogs.screens.hand import hand_screen
from cogs.screens.language import translator
from cogs.screens.lobby import more_screen
from cogs.screens.match import SINGLE, again_label, match_of_key
from cogs.screens.names import clean
from cogs.screens.notes import good_note
from cogs.screens.offers import offers
from cogs.screens.past import joined_screen
from cogs.screens.running import running_screen
from data.models import Pace, Stretch
from tables.lobby_changes import LONGEST_FORFEIT
from tables.snapshots import Decline, Declined, HandSnapshot, TableSnapshot

MOST_SUGGESTED: Final = 25
_PACES: Final[Mapping[str, Pace]] = {"quick": "quick", "normal": "normal", "slow": "slow"}
_STRETCHES: Final[Mapping[str, Stretch]] = {"": 1, "1": 1, "2": 2, "4": 4}


async def join(ctx: Context, click: Click) -> Answer:
    """Sit down; whoever did is told what the shuffle can be verified by."""
    table = (await ctx.tables.lobby.join(click.request)).table
    return private(joined_screen(await ctx.fmt(click), table, click.user.id))


async def start_game(ctx: Context, click: Click) -> Answer:
    """Deal; whoever pressed sees the own hand at once."""
    return await _dealt(ctx, click, await ctx.tables.play.start(click.request))


async def rematch(ctx: Context, click: Click) -> Answer:
    """Deal again to the same people; who presses when it has been dealt already sees the own hand as well."""
    try:
        return await _dealt(ctx, click, await ctx.tables.play.rematch(click.request))
    except Declined as declined:
        if declined.why is not Decline.NOT_OVER or not declined.snapshot or declined.snapshot.table.status != "playing":
            raise
    return await _dealt(ctx, click, await ctx.tables.play.hand(click.request))


async def _dealt(ctx: Context, click: Click, hand: HandSnapshot) -> Answer:
    return following(hand, hand_screen(await ctx.fmt(click), hand), anew=True)


async def more(ctx: Context, click: Click) -> Answer:
    """The private page behind More."""
    return await _more(ctx, click, await ctx.tables.play.look(click.request))


async def _more(ctx: Context, click: Click, snapshot: TableSnapshot, notice: str = "") -> Answer:
    fmt = await ctx.fmt(click)
    if snapshot.table.status == "lobby":
        saved = await ctx.tables.servers.house_rules(click.guild_id)
        return here(more_screen(fmt, snapshot.table, click.user.id, notice, saved))
    if snapshot.table.status == "playing":
        return here(running_screen(fmt, snapshot, click.user.id, moderator=click.moderator, notice=notice))
    again = again_label(fmt.t, snapshot.table)
    return told(fmt.t("**The game is over.** Press {button} for another.", button=again))


async def leave_table(ctx: Context, click: Click) -> Answer:
    """Get up: a free seat in the lobby, a computer's in a game."""
    before = await ctx.tables.play.look(click.request)
    await ctx.tables.lobby.leave(click.request)
    t = (await ctx.fmt(click)).t
    if before.table.status == "playing":
        return told(t("You left. The computer plays on for you, and a loss still counts."))
    if before.table.status != "lobby":
        return told(t("You left the match. The next game is dealt without you."))
    return told(t("You left the table."))


async def add_computer(ctx: Context, click: Click) -> Answer:
    """A computer player for a free seat."""
    return await _more(ctx, click, await ctx.tables.lobby.add_computer(click.request))


async def remove_computer(ctx: Context, click: Click) -> Answer:
    """One computer player less."""
    snapshot = await ctx.tables.lobby.remove_computer(click.request)
    return await _more(ctx, click, snapshot)


async def kick(ctx: Context, click: Click) -> Answer:
    """Somebody loses the seat, before the game."""
    target = int(click.value) if click.value.isdecimal() else 0
    snapshot = await ctx.tables.lobby.kick(click.request, target)
    return await _more(ctx, click, snapshot)


async def change_variant(ctx: Context, click: Click) -> Answer:
    """Another variant, without house rules."""
    snapshot = await ctx.tables.lobby.change(click.request, variant=click.value)
    return await _more(ctx, click, snapshot)


async def change_pace(ctx: Context, click: Click) -> Answer:
    """More or less time."""
    name, _, times = click.value.partition("*")
    pace, stretch = _PACES.get(name, "normal"), _STRETCHES.get(times, 1)
    snapshot = await ctx.tables.lobby.change(click.request, pace=pace, stretch=stretch)
    return await _more(ctx, click, snapshot)


async def change_match(ctx: Context, click: Click) -> Answer:
    """A match of several games, or a single one."""
    wanted = None if click.value == SINGLE else match_of_key(click.value)
    if wanted is None and click.value != SINGLE:
        return await _more(ctx, click, await ctx.tables.play.look(click.request))
    snapshot = await ctx.tables.lobby.change(click.request, match=wanted or "single")
    return await _more(ctx, click, snapshot)


async def change_seats(ctx: Context, click: Click) -> Answer:
    """More or fewer seats."""
    seats = int(click.value) if click.value.isdecimal() else None
    snapshot = await ctx.tables.lobby.change(click.request, seats=seats)
    return await _more(ctx, click, snapshot)


async def stop_game(ctx: Context, click: Click) -> Answer:
    """Stop at once, or vote for it."""
    snapshot = await ctx.tables.play.stop(click.request)
    t = (await ctx.fmt(click)).t
    if snapshot.table.status != "playing":
        return told(t("Stopped. Nobody owes anything."))
    return await _more(ctx, click, snapshot, t("Your vote is counted."))


async def move_down(ctx: Context, click: Click) -> Answer:
    """The table as the last message of the channel."""
    paused, t = ctx.tables.play.paused(click.request), (await ctx.fmt(click)).t
    await ctx.tables.play.move_to_bottom(click.request)
    if paused is not None and paused.message_id is None:
        why = t("**The game was paused:** the message of the table was deleted again and again.")
        return told(t.sentences(why, t("It is posted anew, and the time goes on.")))
    return told(t("The table moves to the bottom of the channel."))


def at_channel(handler: Handler) -> Handler:
    """The same for the table of the channel a command was given in."""

    async def found(ctx: Context, click: Click) -> Answer:
        return await handler(ctx, await ctx.placed(click))

    return found


def opening(variant: str | None, pace: Pace, seats: int | None, forfeit: str) -> Handler:
    """Opens a table as the command says."""

    async def open_table(ctx: Context, click: Click) -> Answer:
        owed = clean(forfeit, LONGEST_FORFEIT)
        await ctx.tables.lobby.open(click.request, variant=variant or None, pace=pace, seats=seats, forfeit=owed)
        t = (await ctx.fmt(click)).t
        return private(good_note(t("Your table is open. When everybody has pressed **Join**, press **Start**.")))

    return open_table


def lacking(missing: list[str]) -> Handler:
    """Says what the bot may not do here."""

    async def say(ctx: Context, click: Click) -> Answer:  # noqa: ARG001 - as all that do something
        return lacking_answer(click, missing)

    return say


async def suggest(interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
    """What the server saved and variants whose title or sentence has what was typed."""
    t, ctx = translator(interaction.locale.value), context_of(interaction)
    try:
        t = (await ctx.fmt(click_of(interaction))).t
        saved = await ctx.tables.servers.house_rules(interaction.guild_id or 0)
    except Declined:
        saved = ()
    said = [(f"{each.title} · {each.sentence}", each.key) for each in offers(t, saved)]
    found = [each for each in said if typed.lower() in " ".join(each).lower()]
    return [app_commands.Choice(name=words[:100], value=key) for words, key in found[:MOST_SUGGESTED]]


@app_commands.describe(
    variant="Which rules to play by",
    pace="How much time there is for a turn",
    seats="How many may play",
    forfeit="What the loser owes instead of a cup of tea",
)
@app_commands.autocomplete(variant=suggest)
async def start(
    interaction: discord.Interaction[Any],
    variant: str | None = None,
    pace: Pace = "normal",
    seats: app_commands.Range[int, 2, 12] | None = None,
    forfeit: app_commands.Range[str, 1, 60] = "",
) -> None:
    """Open a table in this channel."""
    missing = permissions_missing(interaction)
    handler = lacking(missing) if missing else opening(variant, pace, seats, forfeit)
    await answer(interaction, handler, click_of(interaction))


async def table(interaction: discord.Interaction[Any]) -> None:
    """Bring the table to the bottom of the channel."""
    await answer(interaction, at_channel(move_down), click_of(interaction))


async def leave(interaction: discord.Interaction[Any]) -> None:
    """Leave the table; the computer plays on for you."""
    await answer(interaction, at_channel(leave_table), click_of(interaction))


async def stop(interaction: discord.Interaction[Any]) -> None:
    """Stop the game, or vote for it; nobody owes tea then."""
    await answer(interaction, at_channel(stop_game), click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {
    "join": join,
    "start": start_game,
    "rematch": rematch,
    "more": more,
    "leave": leave_table,
    "computer": add_computer,
    "nocomputer": remove_computer,
    "kick": kick,
    "variant": change_variant,
    "pace": change_pace,
    "match": change_match,
    "seats": change_seats,
    "stop": stop_game,
    "down": move_down,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, start=start, table=table, leave=leave, stop=stop)
