"""The tea: `/tea owed`, `/tea served`, `/tea history`, and the buttons that mark it served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.shown import Decline, Declined
from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Doing, Press, here, private, public
from cogs.ui.notes import good_note
from cogs.ui.tea import board_screen, claims_screen, history_screen
from cogs.ui.wording import forfeit_words, mention

PAST: Final = 12


async def mark_game_served(desk: Desk, press: Press) -> Answer:
    """Served, on the end of a game: the debt of that game."""
    debt = (await desk.tables.shown(press.table)).debt
    if debt is None:
        raise Declined(Decline.UNKNOWN_DEBT)
    served = await desk.tables.serve(press.guild_id, debt.id, press.user.id, interaction_id=press.id)
    t = (await desk.pen(press)).t
    owed = forfeit_words(t, served.forfeit)
    return private(
        good_note(t("Served: {forfeit}. {name} owes it no more.", forfeit=owed, name=mention(t, served.debtor_id)))
    )


async def mark_served(desk: Desk, press: Press) -> Answer:
    """Served, in the list of what is owed to the reader."""
    number = int(press.ids.argument) if press.ids.argument.isdecimal() else 0
    await desk.tables.serve(press.guild_id, number, press.user.id, interaction_id=press.id)
    return await show_claims(desk, press, served=True)


async def show_claims(desk: Desk, press: Press, *, served: bool = False) -> Answer:
    """What is owed to the reader."""
    pen = await desk.pen(press)
    debts = await desk.tables.debts_to(press.guild_id, press.user.id)
    return here(claims_screen(pen, debts, pen.t("Marked as served ✓") if served else ""))


async def show_board(desk: Desk, press: Press) -> Answer:
    """Who owes how much, for everybody."""
    return public(board_screen(await desk.public_pen(press), await desk.tables.owed(press.guild_id)))


async def show_history(desk: Desk, press: Press) -> Answer:
    """The last debts and what became of them."""
    return private(history_screen(await desk.pen(press), await desk.tables.all_debts(press.guild_id, PAST)))


tea = app_commands.Group(name="tea", description="Who owes whom a cup of tea", guild_only=True)


@tea.command()
async def owed(interaction: discord.Interaction[Any]) -> None:
    """See who owes whom a cup of tea."""
    await answer(interaction, show_board, press_of(interaction))


@tea.command()
async def served(interaction: discord.Interaction[Any]) -> None:
    """Mark tea that was owed to you as served."""
    await answer(interaction, show_claims, press_of(interaction))


@tea.command()
async def history(interaction: discord.Interaction[Any]) -> None:
    """See the last lost games and what became of the tea."""
    await answer(interaction, show_history, press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {"served": mark_game_served, "serve": mark_served, "claims": show_claims}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.tree.add_command(tea, override=True)
