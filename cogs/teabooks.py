"""The books of the tea: the history for everybody, corrections for who may manage the server, a file of all debts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from cogs.context import Answer, Click, Context, Handler, here
from cogs.screens.components import attached
from cogs.screens.teafile import FILE, debts_file
from cogs.screens.teahistory import (
    A_LIST,
    A_PAGE,
    EVERY_STATE,
    SHOWN_LINES,
    correcting_screen,
    debt_screen,
    debts_screen,
    file_screen,
    history_screen,
)
from cogs.settings import for_managers
from data.tea_models import DebtState, TeaDebt
from tables.snapshots import Decline, Declined

_LONGEST: Final = 19
_MOST_PAGES: Final = 1_000_000


def numbers(argument: str) -> tuple[int, int]:
    """The two numbers of an id's argument, `12.3`; 0 for one that is missing or no number."""
    first, _, second = argument.partition(".")
    return _number(first), _number(second)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST else 0


def history_of(user_id: int) -> Handler:
    """The history from its newest line, of one person or (0) of everybody."""

    async def show(ctx: Context, click: Click) -> Answer:
        return await _history(ctx, click, 0, user_id)

    return show


async def turn_history(ctx: Context, click: Click) -> Answer:
    """Another page of the history."""
    page, user = numbers(click.ids.argument)
    return await _history(ctx, click, min(page, _MOST_PAGES), user)


async def _history(ctx: Context, click: Click, page: int, user: int) -> Answer:
    only = min(user, (1 << 63) - 1) or None
    lines = await ctx.tables.tea.history(click.guild_id, A_PAGE + 1, skip=page * A_PAGE, user_id=only)
    return here(history_screen(await ctx.fmt(click), lines[:A_PAGE], page, user, more=len(lines) > A_PAGE))


async def show_debts(ctx: Context, click: Click) -> Answer:
    """All debts, to choose one to put right."""
    page = min(numbers(click.ids.argument)[0], _MOST_PAGES)
    debts = await ctx.tables.tea.newest(click.guild_id, A_LIST + 1, skip=page * A_LIST)
    return here(debts_screen(await ctx.fmt(click), debts[:A_LIST], page, more=len(debts) > A_LIST))


async def show_debt(ctx: Context, click: Click) -> Answer:
    """One debt, and what it can be set to."""
    number, _ = numbers(click.ids.argument or click.value)
    return await _debt(ctx, click, await ctx.tables.tea.debt(click.guild_id, number))


async def _debt(ctx: Context, click: Click, debt: TeaDebt, notice: str = "") -> Answer:
    lines = await ctx.tables.tea.history(click.guild_id, SHOWN_LINES, debt_id=debt.id)
    return here(debt_screen(await ctx.fmt(click), debt, lines, notice))


async def ask_to_correct(ctx: Context, click: Click) -> Answer:
    """The question before a debt is put right."""
    debt, state = await ctx.tables.tea.debt(click.guild_id, numbers(click.ids.argument)[0]), _wanted(click)
    if debt.changes != click.ids.revision:
        raise Declined(Decline.DEBT_CHANGED)
    return here(correcting_screen(await ctx.fmt(click), debt, state))


async def correct_debt(ctx: Context, click: Click) -> Answer:
    """A debt is put right."""
    number, request = numbers(click.ids.argument)[0], replace(click.request, moderator=click.manager)
    debt = await ctx.tables.tea.correct(request, number, _wanted(click), seen=click.ids.revision)
    return await _debt(ctx, click, debt, (await ctx.fmt(click)).t("Corrected ✓"))


def _wanted(click: Click) -> DebtState:
    """The state that the button names.

    Raises:
        Declined: it names none.
    """
    named = click.ids.argument.partition(".")[2]
    for state in EVERY_STATE:
        if state == named:
            return state
    raise Declined(Decline.UNKNOWN_DEBT)


async def give_file(ctx: Context, click: Click) -> Answer:
    """All debts of the server as a file."""
    debts = await ctx.tables.tea.newest(click.guild_id)
    screen = file_screen(await ctx.fmt(click), len(debts), attached(FILE))
    return Answer("private", screen, files=((FILE, debts_file(reversed(debts))),))


VERBS: Final[Mapping[str, Handler]] = {
    "deeds": turn_history,
    "debts": for_managers(show_debts),
    "debt": for_managers(show_debt),
    "correct": for_managers(ask_to_correct),
    "setdebt": for_managers(correct_debt),
}
