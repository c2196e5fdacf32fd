"""Tea: what people owe one another, the public board, the history of all debts, and corrections by managers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import discord

import cogs.screens.components as ui
from cogs.clicks import Answer, Click, here, private
from cogs.screens.debt_screens import (
    DEBTS_LISTED,
    HISTORY_PAGE,
    SHOWN_LINES,
    TEA_FILE,
    correcting_screen,
    debt_screen,
    debts_file,
    debts_screen,
    file_screen,
    history_screen,
)
from cogs.screens.formatter import Formatter
from cogs.screens.ids import parse_pair
from cogs.screens.refused import decline_sentence
from cogs.screens.tea_screens import (
    DEBTS_PER_PAGE,
    EVERY_STATE,
    WAYS,
    Way,
    balance_screen,
    board_screen,
    claims_screen,
    reminder_screen,
    served_screen,
    tallies_screen,
)
from cogs.screens.wording import mention
from cogs.topics import Context, Topic
from data.tea_models import DebtState, TeaDebt
from tables.snapshots import Decline, Declined, Ignoring

topic = Topic("tea", "See who owes whom a cup of tea", top=True)
_MOST_PAGES: Final = 1_000_000
_LARGEST: Final = (1 << 63) - 1


@topic.command("owed", "See who owes whom a cup of tea")
async def show_board(ctx: Context, click: Click) -> Answer:
    """Post the board of who owes how much, for everybody to see."""
    board = await _board(ctx, click)
    return Answer("public", board(ctx.public_t), private_screen=board(ctx.t))


@topic.button("reboard")
async def redraw_board(ctx: Context, click: Click) -> Answer:
    board = await _board(ctx, click)
    return Answer("redrawn", board(ctx.public_t))


async def _board(ctx: Context, click: Click, page: int = 0) -> Callable[[Formatter], ui.Screen]:
    owing, tallies = await ctx.tables.tea.owing(click.guild_id), await ctx.tables.tea.tallies(click.guild_id)
    return lambda t: board_screen(t, owing, tallies, page, discord.utils.snowflake_time(click.id))


@topic.button("board")
async def turn_board(ctx: Context, click: Click) -> Answer:
    """Show another page of the board, in private."""
    board = await _board(ctx, click, parse_pair(click.argument)[0])
    return here(board(ctx.t))


@topic.button("balance")
async def show_balance(ctx: Context, click: Click) -> Answer:
    """Show what this person and each of the others owe one another."""
    theirs, mine = await ctx.tables.tea.between(click.guild_id, click.user.id)
    return here(balance_screen(ctx.t, theirs, mine, parse_pair(click.argument)[0]))


@topic.button("alltime")
async def show_tallies(ctx: Context, click: Click) -> Answer:
    tallies, page = await ctx.tables.tea.tallies(click.guild_id), parse_pair(click.argument)[0]
    return here(tallies_screen(ctx.t, tallies, page))


@topic.button("served")
async def mark_game_served(ctx: Context, click: Click) -> Answer:
    """Mark the debt served that the button at the end of a game names."""
    return private(served_screen(ctx.t, await ctx.tables.tea.serve(click, parse_pair(click.argument)[0])))


async def _claims(ctx: Context, click: Click, way: Way, page: int = 0, notice: str = "") -> Answer:
    tea, user = ctx.tables.tea, click.user.id
    owed = await tea.owed_to(click.guild_id, user, page=page, most=DEBTS_PER_PAGE)
    return here(claims_screen(ctx.t, owed, user, way, await tea.undoable(click.guild_id, user), notice))


@topic.command("served", "Mark tea that was owed to you as served")
@topic.button("claims")
async def show_claims(ctx: Context, click: Click) -> Answer:
    """Show what is owed to this person, with buttons to mark it served, unless the clicked one names another way."""
    page, _, named = click.argument.partition(".")
    ways: list[Way] = [each for each in WAYS if each == named] or ["serve"]
    return await _claims(ctx, click, ways[0], parse_pair(page)[0])


@topic.command("forgive", "Forgive what is owed to you")
async def show_claims_to_forgive(ctx: Context, click: Click) -> Answer:
    return await _claims(ctx, click, "forgive")


@topic.button("serve", "forgive", "withdraw", "undo")
async def settle(ctx: Context, click: Click) -> Answer:
    """Settle a debt, or take that back, and show the list of what is owed to this person with what was said to it.

    Also if it is refused to a creditor: another one may have settled what their list shows.
    """
    number, page = parse_pair(click.argument)
    try:
        notice = await _settled(ctx, click, number)
    except Declined as declined:
        if declined.why in {Decline.SAVING_FAILED, Decline.OWN_DEBT, Decline.NOT_A_CREDITOR, Decline.UNKNOWN_DEBT}:
            raise
        notice = decline_sentence(ctx.t, declined)
    with Ignoring(Decline.SAVING_FAILED):  # what was said is true, though the list cannot be read
        return await _claims(ctx, click, "serve" if click.verb in {"serve", "undo"} else "forgive", page, notice)
    return here(ui.note(ui.Accent.GREY, notice))


async def _settled(ctx: Context, click: Click, number: int) -> str:
    """Change a debt as the verb says; return what the person is told."""
    t, tea = ctx.t, ctx.tables.tea
    match click.verb:
        case "serve":
            await tea.serve(click, number)
            return t("Marked as served ✓")
        case "withdraw":
            await tea.withdraw(click, number)
            return t("Taken back: you no longer forgive it")
        case "undo":  # even if another creditor settled it
            debt = await tea.undo(click, number, seen=click.seen)
            return t("Undone: {name} owes it again", name=mention(t, debt.debtor_id))
        case _:
            debt = await tea.forgive(click, number)
            noted = t("Noted. It’s forgiven when everybody who is owed agrees.")
            return noted if debt.state == "owed" else t("Forgiven ✓")


@topic.button("remind")
async def remind(ctx: Context, click: Click) -> Answer:
    """Remind the debtor in public. Nothing else about tea notifies anybody."""
    debt = await ctx.tables.tea.remind(click, parse_pair(click.argument)[0])
    return Answer("public", reminder_screen(ctx.public_t, debt, click.user.id), pings=(debt.debtor_id,))


@topic.command("history", "See who changed which debt, and when", player="Whose debts (default: everybody’s)")
async def show_history(ctx: Context, click: Click, player: discord.User | None = None) -> Answer:
    return await _history(ctx, click, 0, player.id if player else 0)


@topic.button("deeds")
async def turn_history(ctx: Context, click: Click) -> Answer:
    page, user = parse_pair(click.argument)
    return await _history(ctx, click, min(page, _MOST_PAGES), user)


async def _history(ctx: Context, click: Click, page: int, user: int) -> Answer:
    only = min(user, _LARGEST) or None
    lines = await ctx.tables.tea.history(click.guild_id, HISTORY_PAGE + 1, skip=page * HISTORY_PAGE, user_id=only)
    return here(history_screen(ctx.t, lines[:HISTORY_PAGE], page, user, more=len(lines) > HISTORY_PAGE))


@topic.command("export", "Download all debts as a CSV file", in_help="")
async def give_file(ctx: Context, click: Click) -> Answer:
    debts = await ctx.tables.tea.all(click.guild_id)
    file = await asyncio.to_thread(debts_file, debts)  # thousands of debts would hold up the clicks of everybody
    return Answer("private", file_screen(ctx.t, len(debts), ui.attached(TEA_FILE)), files={TEA_FILE: file})


@topic.command("correct", "Correct a debt (server managers only)", in_help="", managers=True)
@topic.button("debts", managers=True)
async def show_debts(ctx: Context, click: Click) -> Answer:
    page = min(parse_pair(click.argument)[0], _MOST_PAGES)
    debts = await ctx.tables.tea.newest(click.guild_id, DEBTS_LISTED + 1, skip=page * DEBTS_LISTED)
    return here(debts_screen(ctx.t, debts[:DEBTS_LISTED], page, more=len(debts) > DEBTS_LISTED))


@topic.button("debt", managers=True)
async def show_debt(ctx: Context, click: Click) -> Answer:
    """Show one debt, its latest history, and what it can be corrected to."""
    number, _ = parse_pair(click.argument or click.value)
    return await _debt(ctx, click, await ctx.tables.tea.debt(click.guild_id, number))


async def _debt(ctx: Context, click: Click, debt: TeaDebt, notice: str = "") -> Answer:
    lines = await ctx.tables.tea.history(click.guild_id, SHOWN_LINES, debt_id=debt.id)
    return here(debt_screen(ctx.t, debt, lines, notice))


@topic.button("correct", managers=True)
async def ask_to_correct(ctx: Context, click: Click) -> Answer:
    number, state = _correction(click)
    debt = await ctx.tables.tea.debt(click.guild_id, number)
    if debt.changes != click.seen:
        raise Declined(Decline.DEBT_CHANGED)
    return here(correcting_screen(ctx.t, debt, state))


@topic.button("setdebt", managers=True)
async def correct_debt(ctx: Context, click: Click) -> Answer:
    number, state = _correction(click)
    debt, done = await ctx.tables.tea.correct(click, number, state, seen=click.seen), ctx.t("Corrected ✓")
    with Ignoring(Decline.SAVING_FAILED):  # it is corrected, though its history cannot be read
        return await _debt(ctx, click, debt, done)
    return here(debt_screen(ctx.t, debt, (), done))


def _correction(click: Click) -> tuple[int, DebtState]:
    """The debt and the state that the button names. Declined: UNKNOWN_DEBT if it names no state."""
    number, _, named = click.argument.partition(".")
    for state in EVERY_STATE:
        if state == named:
            return parse_pair(number)[0], state
    raise Declined(Decline.UNKNOWN_DEBT)
