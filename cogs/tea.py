"""The tea: the board for everybody, what is owed to the asker, and what its buttons do. The books are in `teabooks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs import teabooks
from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, here, private, public
from cogs.screens.tea import WAYS, Claims, Way, claims_screen, reminder_screen, served_screen
from cogs.screens.teaboard import balance_screen, board_screen, tallies_screen
from cogs.screens.wording import mention
from cogs.settings import for_managers
from cogs.teabooks import history_of, numbers
from tables.snapshots import Decline, Declined


async def mark_game_served(ctx: Context, click: Click) -> Answer:
    """Served, on the end of a game: the debt of that game."""
    debt = (await ctx.tables.play.look(click.request)).debt
    if debt is None:
        raise Declined(Decline.UNKNOWN_DEBT)
    served = await ctx.tables.tea.serve(click.request, debt.id)
    return private(served_screen(await ctx.fmt(click), served))


async def show_claims(ctx: Context, click: Click) -> Answer:
    """What is owed to the asker."""
    page, _, named = click.ids.argument.partition(".")
    ways: list[Way] = [each for each in WAYS if each == named] or ["serve"]
    return await _claims(ctx, click, ways[0], numbers(page)[0])


async def _claims(ctx: Context, click: Click, way: Way, page: int = 0, notice: str = "") -> Answer:
    tables, user = ctx.tables, click.user.id
    debts, last = await tables.tea.owed_to(click.guild_id, user), await tables.tea.undoable(click.guild_id, user)
    undoable, until = (last.debt, last.until) if last else (None, None)
    claims = Claims(debts, user, way, page, undoable, until)
    return here(claims_screen(await ctx.fmt(click), claims, notice))


def claims_by(way: Way) -> Handler:
    """What is owed to the asker, with buttons of this kind."""

    async def show(ctx: Context, click: Click) -> Answer:
        return await _claims(ctx, click, way)

    return show


async def mark_served(ctx: Context, click: Click) -> Answer:
    """Served, in the list of what is owed to the asker."""
    number, page = numbers(click.ids.argument)
    await ctx.tables.tea.serve(click.request, number)
    return await _claims(ctx, click, "serve", page, (await ctx.fmt(click)).t("Marked as served ✓"))


async def forgive(ctx: Context, click: Click) -> Answer:
    """The asker forgives a debt."""
    number, page = numbers(click.ids.argument)
    debt = await ctx.tables.tea.forgive(click.request, number)
    t = (await ctx.fmt(click)).t
    said = t("Noted. It is forgiven once all who are owed agree.") if debt.state == "owed" else t("Forgiven ✓")
    return await _claims(ctx, click, "forgive", page, said)


async def withdraw(ctx: Context, click: Click) -> Answer:
    """The asker does not forgive it after all."""
    number, page = numbers(click.ids.argument)
    await ctx.tables.tea.withdraw(click.request, number)
    return await _claims(ctx, click, "forgive", page, (await ctx.fmt(click)).t("Taken back: you do not forgive it"))


async def undo(ctx: Context, click: Click) -> Answer:
    """The asker takes back what was marked served or forgiven, by them or by somebody else it was owed to."""
    number, _ = numbers(click.ids.argument)
    seen = click.ids.revision if number else 0
    debt = await ctx.tables.tea.undo(click.request, number, seen=seen)
    t = (await ctx.fmt(click)).t
    return await _claims(ctx, click, "serve", 0, t("Undone: {name} owes it again", name=mention(t, debt.debtor_id)))


async def remind(ctx: Context, click: Click) -> Answer:
    """The bot reminds the debtor, for all to read: the only mention of the tea that reaches anybody."""
    number, _ = numbers(click.ids.argument)
    debt = await ctx.tables.tea.remind(click.request, number)
    screen = reminder_screen(await ctx.public_fmt(click), debt, click.user.id)
    return Answer("public", screen, ping=debt.debtor_id)


async def show_board(ctx: Context, click: Click) -> Answer:
    """Who owes how much, for everybody."""
    debts, tallies = await ctx.tables.tea.owed(click.guild_id), await ctx.tables.tea.tallies(click.guild_id)
    return public(board_screen(await ctx.public_fmt(click), debts, tallies))


async def turn_board(ctx: Context, click: Click) -> Answer:
    """Another page of the board, for who asks."""
    debts, tallies = await ctx.tables.tea.owed(click.guild_id), await ctx.tables.tea.tallies(click.guild_id)
    return here(board_screen(await ctx.fmt(click), debts, tallies, numbers(click.ids.argument)[0]))


async def show_balance(ctx: Context, click: Click) -> Answer:
    """What the asker and each of the others owe one another."""
    debts, page = await ctx.tables.tea.of_person(click.guild_id, click.user.id), numbers(click.ids.argument)[0]
    return here(balance_screen(await ctx.fmt(click), debts, click.user.id, page))


async def show_tallies(ctx: Context, click: Click) -> Answer:
    """What all debts of everybody came to."""
    tallies, page = await ctx.tables.tea.tallies(click.guild_id), numbers(click.ids.argument)[0]
    return here(tallies_screen(await ctx.fmt(click), tallies, page))


tea = app_commands.Group(name="tea", description="Who owes whom a cup of tea", guild_only=True)


@tea.command()
async def owed(interaction: discord.Interaction[Any]) -> None:
    """See who owes whom a cup of tea."""
    await answer(interaction, show_board, click_of(interaction))


@tea.command()
async def served(interaction: discord.Interaction[Any]) -> None:
    """Mark tea that was owed to you as served."""
    await answer(interaction, claims_by("serve"), click_of(interaction))


@tea.command(name="forgive")
async def forgiven(interaction: discord.Interaction[Any]) -> None:
    """Forgive what is owed to you."""
    await answer(interaction, claims_by("forgive"), click_of(interaction))


@tea.command()
@app_commands.describe(player="Whose debts; everybody's if you say nothing")
async def history(interaction: discord.Interaction[Any], player: discord.Member | None = None) -> None:
    """See what was done to the debts, by whom and when."""
    await answer(interaction, history_of(player.id if player else 0), click_of(interaction))


@tea.command()
async def correct(interaction: discord.Interaction[Any]) -> None:
    """Put a debt right; for who may manage this server."""
    await answer(interaction, for_managers(teabooks.show_debts), click_of(interaction))


@tea.command()
async def export(interaction: discord.Interaction[Any]) -> None:
    """Download all debts as a CSV file."""
    await answer(interaction, teabooks.give_file, click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {
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
