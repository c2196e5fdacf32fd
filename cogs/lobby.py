"""The table from lobby to end, but for the moves: open, join, leave, start, stop, rematch, and what the host sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import discord
from discord import app_commands
from discord.ext import commands

from bot.shown import Decline, Declined, TableShown
from cogs.answering import answer, desk_of, press_of
from cogs.desk import Answer, Desk, Doing, Press, following, here, lacking_answer, private, told
from cogs.groups import permissions_missing, register
from cogs.ui.hand import hand_screen
from cogs.ui.language import translator
from cogs.ui.lobby import more_screen
from cogs.ui.match import SINGLE, again_label, match_of_key
from cogs.ui.names import clean
from cogs.ui.notes import good_note
from cogs.ui.offers import offers
from cogs.ui.past import joined_screen
from cogs.ui.running import running_screen
from data.models import Pace

MOST_SUGGESTED: Final = 25
LONGEST_FORFEIT: Final = 60
Stretch: TypeAlias = Literal[1, 2, 4]
_PACES: Final[Mapping[str, Pace]] = {"quick": "quick", "normal": "normal", "slow": "slow"}
_STRETCHES: Final[Mapping[str, Stretch]] = {"": 1, "1": 1, "2": 2, "4": 4}


async def join(desk: Desk, press: Press) -> Answer:
    """Sit down; whoever did is told what the shuffle can be verified by."""
    table = (await desk.tables.join(press.table, press.user, interaction_id=press.id)).table
    return private(joined_screen(await desk.pen(press), table, press.user.id))


async def start_game(desk: Desk, press: Press) -> Answer:
    """Deal; whoever pressed sees the own hand at once."""
    await desk.tables.start(press.table, press.user.id, interaction_id=press.id)
    return await _own_hand(desk, press)


async def rematch(desk: Desk, press: Press) -> Answer:
    """Deal again to the same people; who presses when it has been dealt already sees the own hand as well."""
    try:
        await desk.tables.rematch(press.table, press.user.id, seen=press.ids.revision, interaction_id=press.id)
    except Declined as declined:
        if declined.why is not Decline.NOT_OVER or not declined.shown or declined.shown.table.status != "playing":
            raise
    await desk.tables.introduce(press.table, press.user)
    return await _own_hand(desk, press)


async def _own_hand(desk: Desk, press: Press) -> Answer:
    hand = await desk.tables.hand(press.table, press.user.id)
    return following(hand, hand_screen(await desk.pen(press), hand), anew=True)


async def more(desk: Desk, press: Press) -> Answer:
    """The private page behind More."""
    return await _more(desk, press, await desk.tables.shown(press.table))


async def _more(desk: Desk, press: Press, shown: TableShown, notice: str = "") -> Answer:
    pen = await desk.pen(press)
    if shown.table.status == "lobby":
        saved = await desk.tables.house_rules(press.guild_id)
        return here(more_screen(pen, shown.table, press.user.id, notice, saved))
    if shown.table.status == "playing":
        return here(running_screen(pen, shown, press.user.id, moderator=press.moderator, notice=notice))
    again = again_label(pen.t, shown.table)
    return told(pen.t("**The game is over.** Press {button} for another.", button=again))


async def leave_table(desk: Desk, press: Press) -> Answer:
    """Get up: a free seat in the lobby, a computer's in a game."""
    before = await desk.tables.shown(press.table)
    await desk.tables.leave(press.table, press.user.id, interaction_id=press.id)
    t = (await desk.pen(press)).t
    if before.table.status == "playing":
        return told(t("You left. The computer plays on for you, and a loss still counts."))
    if before.table.status != "lobby":
        return told(t("You left the match. The next game is dealt without you."))
    return told(t("You left the table."))


async def add_computer(desk: Desk, press: Press) -> Answer:
    """A computer player for a free seat."""
    return await _more(desk, press, await desk.tables.add_computer(press.table, press.user.id, interaction_id=press.id))


async def remove_computer(desk: Desk, press: Press) -> Answer:
    """One computer player less."""
    shown = await desk.tables.remove_computer(press.table, press.user.id, interaction_id=press.id)
    return await _more(desk, press, shown)


async def kick(desk: Desk, press: Press) -> Answer:
    """Somebody loses the seat, before the game."""
    target = int(press.value) if press.value.isdecimal() else 0
    shown = await desk.tables.kick(press.table, press.user.id, target, interaction_id=press.id)
    return await _more(desk, press, shown)


async def change_variant(desk: Desk, press: Press) -> Answer:
    """Another variant, without house rules."""
    shown = await desk.tables.change(press.table, press.user.id, interaction_id=press.id, variant=press.value)
    return await _more(desk, press, shown)


async def change_pace(desk: Desk, press: Press) -> Answer:
    """More or less time."""
    name, _, times = press.value.partition("*")
    pace, stretch = _PACES.get(name, "normal"), _STRETCHES.get(times, 1)
    user, number = press.user.id, press.id
    shown = await desk.tables.change(press.table, user, interaction_id=number, pace=pace, stretch=stretch)
    return await _more(desk, press, shown)


async def change_match(desk: Desk, press: Press) -> Answer:
    """A match of several games, or a single one."""
    wanted = None if press.value == SINGLE else match_of_key(press.value)
    if wanted is None and press.value != SINGLE:
        return await _more(desk, press, await desk.tables.shown(press.table))
    user, number = press.user.id, press.id
    shown = await desk.tables.change(press.table, user, interaction_id=number, match=wanted or "single")
    return await _more(desk, press, shown)


async def change_seats(desk: Desk, press: Press) -> Answer:
    """More or fewer seats."""
    seats = int(press.value) if press.value.isdecimal() else None
    shown = await desk.tables.change(press.table, press.user.id, interaction_id=press.id, seats=seats)
    return await _more(desk, press, shown)


async def stop_game(desk: Desk, press: Press) -> Answer:
    """Stop at once, or vote for it."""
    user, number = press.user.id, press.id
    shown = await desk.tables.stop(press.table, user, moderator=press.moderator, interaction_id=number)
    t = (await desk.pen(press)).t
    if shown.table.status != "playing":
        return told(t("Stopped. Nobody owes anything."))
    return await _more(desk, press, shown, t("Your vote is counted."))


async def move_down(desk: Desk, press: Press) -> Answer:
    """The table as the last message of the channel."""
    paused, t = desk.tables.paused(press.table), (await desk.pen(press)).t
    await desk.tables.move_to_bottom(press.table)
    if paused is not None and paused.message_id is None:
        why = t("**The game was paused:** the message of the table was deleted again and again.")
        return told(t.sentences(why, t("It is posted anew, and the time goes on.")))
    return told(t("The table moves to the bottom of the channel."))


def at_channel(doing: Doing) -> Doing:
    """The same for the table of the channel a command was given in."""

    async def found(desk: Desk, press: Press) -> Answer:
        return await doing(desk, await desk.placed(press))

    return found


def opening(variant: str | None, pace: Pace, seats: int | None, forfeit: str) -> Doing:
    """Opens a table as the command says."""

    async def open_table(desk: Desk, press: Press) -> Answer:
        settings = await desk.tables.settings(press.guild_id)
        await desk.tables.open(
            press.guild_id,
            press.channel_id,
            press.user,
            variant=variant or settings.variant,
            pace=pace,
            seats=seats,
            forfeit=clean(forfeit, LONGEST_FORFEIT),
            interaction_id=press.id,
        )
        t = (await desk.pen(press)).t
        return private(good_note(t("Your table is open. When everybody has pressed **Join**, press **Start**.")))

    return open_table


def lacking(missing: list[str]) -> Doing:
    """Says what the bot may not do here."""

    async def say(desk: Desk, press: Press) -> Answer:  # noqa: ARG001 - as all that do something
        return lacking_answer(press, missing)

    return say


async def suggest(interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
    """What the server saved and variants whose title or sentence has what was typed."""
    t, desk = translator(interaction.locale.value), desk_of(interaction)
    try:
        t = (await desk.pen(press_of(interaction))).t
        saved = await desk.tables.house_rules(interaction.guild_id or 0)
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
    doing = lacking(missing) if missing else opening(variant, pace, seats, forfeit)
    await answer(interaction, doing, press_of(interaction))


async def table(interaction: discord.Interaction[Any]) -> None:
    """Bring the table to the bottom of the channel."""
    await answer(interaction, at_channel(move_down), press_of(interaction))


async def leave(interaction: discord.Interaction[Any]) -> None:
    """Leave the table; the computer plays on for you."""
    await answer(interaction, at_channel(leave_table), press_of(interaction))


async def stop(interaction: discord.Interaction[Any]) -> None:
    """Stop the game, or vote for it; nobody owes tea then."""
    await answer(interaction, at_channel(stop_game), press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {
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
