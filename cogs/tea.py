"""The tea: the board for everybody, what is owed to the asker, and what its buttons do. The books are in `teabooks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.shown import Decline, Declined
from cogs import teabooks
from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Doing, Press, here, private, public
from cogs.settings import for_managers
from cogs.teabooks import history_of, numbers
from cogs.ui.tea import WAYS, Claims, Way, claims_screen, reminder_screen, served_screen
from cogs.ui.teaboard import balance_screen, board_screen, tallies_screen
from cogs.ui.wording import mention


async def mark_game_served(desk: Desk, press: Press) -> Answer:
    """Served, on the end of a game: the debt of that game."""
    debt = (await desk.tables.shown(press.table)).debt
    if debt is None:
        raise Declined(Decline.UNKNOWN_DEBT)
    served = await desk.tables.serve(press.guild_id, debt.id, press.user.id, interaction_id=press.id)
    return private(served_screen(await desk.pen(press), served))


async def show_claims(desk: Desk, press: Press) -> Answer:
    """What is owed to the asker."""
    page, _, named = press.ids.argument.partition(".")
    ways: list[Way] = [each for each in WAYS if each == named] or ["serve"]
    return await _claims(desk, press, ways[0], numbers(page)[0])


async def _claims(desk: Desk, press: Press, way: Way, page: int = 0, notice: str = "") -> Answer:
    tables, user = desk.tables, press.user.id
    debts, last = await tables.debts_to(press.guild_id, user), await tables.undoable(press.guild_id, user)
    undoable, until = (last.debt, last.until) if last else (None, None)
    claims = Claims(debts, user, way, page, undoable, until)
    return here(claims_screen(await desk.pen(press), claims, notice))


def claims_by(way: Way) -> Doing:
    """What is owed to the asker, with buttons of this kind."""

    async def show(desk: Desk, press: Press) -> Answer:
        return await _claims(desk, press, way)

    return show


async def mark_served(desk: Desk, press: Press) -> Answer:
    """Served, in the list of what is owed to the asker."""
    number, page = numbers(press.ids.argument)
    await desk.tables.serve(press.guild_id, number, press.user.id, interaction_id=press.id)
    return await _claims(desk, press, "serve", page, (await desk.pen(press)).t("Marked as served ✓"))


async def forgive(desk: Desk, press: Press) -> Answer:
    """The asker forgives a debt."""
    number, page = numbers(press.ids.argument)
    debt = await desk.tables.forgive(press.guild_id, number, press.user.id, interaction_id=press.id)
    t = (await desk.pen(press)).t
    said = t("Noted. It is forgiven once all who are owed agree.") if debt.state == "owed" else t("Forgiven ✓")
    return await _claims(desk, press, "forgive", page, said)


async def withdraw(desk: Desk, press: Press) -> Answer:
    """The asker does not forgive it after all."""
    number, page = numbers(press.ids.argument)
    await desk.tables.withdraw(press.guild_id, number, press.user.id, interaction_id=press.id)
    return await _claims(desk, press, "forgive", page, (await desk.pen(press)).t("Taken back: you do not forgive it"))


async def undo(desk: Desk, press: Press) -> Answer:
    """The asker takes back what was marked served or forgiven, by them or by somebody else it was owed to."""
    number, _ = numbers(press.ids.argument)
    seen = press.ids.revision if number else 0
    debt = await desk.tables.undo(press.guild_id, press.user.id, debt_id=number, seen=seen, interaction_id=press.id)
    t = (await desk.pen(press)).t
    return await _claims(desk, press, "serve", 0, t("Undone: {name} owes it again", name=mention(t, debt.debtor_id)))


async def remind(desk: Desk, press: Press) -> Answer:
    """The bot reminds the debtor, for all to read: the only mention of the tea that reaches anybody."""
    number, _ = numbers(press.ids.argument)
    debt = await desk.tables.remind(press.guild_id, number, press.user.id, interaction_id=press.id)
    screen = reminder_screen(await desk.public_pen(press), debt, press.user.id)
    return Answer("public", screen, ping=debt.debtor_id)


async def show_board(desk: Desk, press: Press) -> Answer:
    """Who owes how much, for everybody."""
    debts, tallies = await desk.tables.owed(press.guild_id), await desk.tables.tallies(press.guild_id)
    return public(board_screen(await desk.public_pen(press), debts, tallies))


async def turn_board(desk: Desk, press: Press) -> Answer:
    """Another page of the board, for who asks."""
    debts, tallies = await desk.tables.owed(press.guild_id), await desk.tables.tallies(press.guild_id)
    return here(board_screen(await desk.pen(press), debts, tallies, numbers(press.ids.argument)[0]))


async def show_balance(desk: Desk, press: Press) -> Answer:
    """What the asker and each of the others owe one another."""
    debts, page = await desk.tables.debts_of(press.guild_id, press.user.id), numbers(press.ids.argument)[0]
    return here(balance_screen(await desk.pen(press), debts, press.user.id, page))


async def show_tallies(desk: Desk, press: Press) -> Answer:
    """What all debts of everybody came to."""
    tallies, page = await desk.tables.tallies(press.guild_id), numbers(press.ids.argument)[0]
    return here(tallies_screen(await desk.pen(press), tallies, page))


tea = app_commands.Group(name="tea", description="Who owes whom a cup of tea", guild_only=True)


@tea.command()
async def owed(interaction: discord.Interaction[Any]) -> None:
    """See who owes whom a cup of tea."""
    await answer(interaction, show_board, press_of(interaction))


@tea.command()
async def served(interaction: discord.Interaction[Any]) -> None:
    """Mark tea that was owed to you as served."""
    await answer(interaction, claims_by("serve"), press_of(interaction))


@tea.command(name="forgive")
async def forgiven(interaction: discord.Interaction[Any]) -> None:
    """Forgive what is owed to you."""
    await answer(interaction, claims_by("forgive"), press_of(interaction))


@tea.command()
@app_commands.describe(player="Whose debts; everybody's if you say nothing")
async def history(interaction: discord.Interaction[Any], player: discord.Member | None = None) -> None:
    """See what was done to the debts, by whom and when."""
    await answer(interaction, history_of(player.id if player else 0), press_of(interaction))


@tea.command()
async def correct(interaction: discord.Interaction[Any]) -> None:
    """Put a debt right; for who may manage this server."""
    await answer(interaction, for_managers(teabooks.show_debts), press_of(interaction))


@tea.command()
async def export(interaction: discord.Interaction[Any]) -> None:
    """Download all debts as a CSV file."""
    await answer(interaction, teabooks.give_file, press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {
    "served": mark_game_served,
    "serve": mark_served,
    "claims": show_claims,
    "forgive": forgive,
    "withdraw": withdraw,
    "undo": undo,
    "remind": remind,
    "board": turn_board,
    "balance": show_balance,
    "alltime": show_tallies,
    **teabooks.VERBS,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.tree.add_command(tea, override=True)
