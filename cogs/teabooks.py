"""The books of the tea: the history for everybody, corrections for who may manage the server, a file of all debts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.shown import Decline, Declined
from cogs.desk import Answer, Desk, Doing, Press, here
from cogs.settings import for_managers
from cogs.ui.components import attached
from cogs.ui.teafile import FILE, debts_file
from cogs.ui.teahistory import (
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
from data.tea import DebtState, TeaDebt

_LONGEST: Final = 19
_MOST_PAGES: Final = 1_000_000


def numbers(argument: str) -> tuple[int, int]:
    """The two numbers of an id's argument, `12.3`; 0 for one that is missing or no number."""
    first, _, second = argument.partition(".")
    return _number(first), _number(second)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST else 0


def history_of(user_id: int) -> Doing:
    """The history from its newest line, of one person or (0) of everybody."""

    async def show(desk: Desk, press: Press) -> Answer:
        return await _history(desk, press, 0, user_id)

    return show


async def turn_history(desk: Desk, press: Press) -> Answer:
    """Another page of the history."""
    page, user = numbers(press.ids.argument)
    return await _history(desk, press, min(page, _MOST_PAGES), user)


async def _history(desk: Desk, press: Press, page: int, user: int) -> Answer:
    only = min(user, (1 << 63) - 1) or None
    lines = await desk.tables.debt_history(press.guild_id, A_PAGE + 1, skip=page * A_PAGE, user_id=only)
    return here(history_screen(await desk.pen(press), lines[:A_PAGE], page, user, more=len(lines) > A_PAGE))


async def show_debts(desk: Desk, press: Press) -> Answer:
    """All debts, to choose one to put right."""
    page = min(numbers(press.ids.argument)[0], _MOST_PAGES)
    debts = await desk.tables.all_debts(press.guild_id, A_LIST + 1, skip=page * A_LIST)
    return here(debts_screen(await desk.pen(press), debts[:A_LIST], page, more=len(debts) > A_LIST))


async def show_debt(desk: Desk, press: Press) -> Answer:
    """One debt, and what it can be set to."""
    number, _ = numbers(press.ids.argument or press.value)
    return await _debt(desk, press, await desk.tables.debt(press.guild_id, number))


async def _debt(desk: Desk, press: Press, debt: TeaDebt, notice: str = "") -> Answer:
    lines = await desk.tables.debt_history(press.guild_id, SHOWN_LINES, debt_id=debt.id)
    return here(debt_screen(await desk.pen(press), debt, lines, notice))


async def ask_to_correct(desk: Desk, press: Press) -> Answer:
    """The question before a debt is put right."""
    debt, state = await desk.tables.debt(press.guild_id, numbers(press.ids.argument)[0]), _wanted(press)
    if debt.changes != press.ids.revision:
        raise Declined(Decline.DEBT_CHANGED)
    return here(correcting_screen(await desk.pen(press), debt, state))


async def correct_debt(desk: Desk, press: Press) -> Answer:
    """A debt is put right."""
    debt = await desk.tables.correct(
        press.guild_id,
        numbers(press.ids.argument)[0],
        _wanted(press),
        user_id=press.user.id,
        moderator=press.manager,
        seen=press.ids.revision,
        interaction_id=press.id,
    )
    return await _debt(desk, press, debt, (await desk.pen(press)).t("Corrected ✓"))


def _wanted(press: Press) -> DebtState:
    """The state that the button names.

    Raises:
        Declined: it names none.
    """
    named = press.ids.argument.partition(".")[2]
    for state in EVERY_STATE:
        if state == named:
            return state
    raise Declined(Decline.UNKNOWN_DEBT)


async def give_file(desk: Desk, press: Press) -> Answer:
    """All debts of the server as a file."""
    debts = await desk.tables.all_debts(press.guild_id)
    screen = file_screen(await desk.pen(press), len(debts), attached(FILE))
    return Answer("private", screen, files=((FILE, debts_file(reversed(debts))),))


VERBS: Final[Mapping[str, Doing]] = {
    "deeds": turn_history,
    "debts": for_managers(show_debts),
    "debt": for_managers(show_debt),
    "correct": for_managers(ask_to_correct),
    "setdebt": for_managers(correct_debt),
}
