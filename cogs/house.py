"""House rules before a game: the host changes any option in private, or pastes a text that says them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from discord.ext import commands

from bot.shown import Decline, Declined
from cogs.desk import Answer, Desk, Doing, Press, here
from cogs.ui.house import NotARuleError, conflicts, with_set
from cogs.ui.housepage import house_screen, text_form
from cogs.ui.housetext import BadRulesTextError, parse_rules
from cogs.ui.notes import refusal_note
from data.models import Table
from game.rules import Rules


async def lobby_of_host(desk: Desk, press: Press) -> Table:
    """The table before the deal, for its host.

    Raises:
        Declined: somebody else asks, or the game was dealt.
    """
    table = (await desk.tables.shown(press.table)).table
    if table.status != "lobby":
        raise Declined(Decline.NOT_A_LOBBY)
    if table.host_id != press.user.id:
        raise Declined(Decline.NOT_HOST)
    return table


async def builder(
    desk: Desk, press: Press, table: Table, page: str = "deal", chosen: str = "", notice: str = ""
) -> Answer:
    """A page of the builder, for who pressed."""
    return here(house_screen(await desk.pen(press), table, page, chosen, notice, manager=press.manager))


async def show_page(desk: Desk, press: Press) -> Answer:
    """A page of the builder."""
    return await builder(desk, press, await lobby_of_host(desk, press), press.ids.argument or "deal")


async def choose_rule(desk: Desk, press: Press) -> Answer:
    """Which option the second select changes."""
    return await builder(desk, press, await lobby_of_host(desk, press), press.ids.argument, press.value)


async def set_rule(desk: Desk, press: Press) -> Answer:
    """An option gets a value, unless the rules could not be played then."""
    table, pen, key = await lobby_of_host(desk, press), await desk.pen(press), press.ids.argument
    chosen = ".".join(key.split(".")[:2])
    page = "deal" if key.startswith("seats.") else key.partition(".")[0]
    try:
        rules = with_set(table.rules, key, press.values)
    except NotARuleError:
        return await builder(desk, press, table, page, chosen, pen.t("That rule is not known any more."))
    # Who asks for so many seats wants to hear why there are not so many.
    seats = rules.seats[1] if key == "seats.most" else len(table.players)
    if wrong := conflicts(pen.t, rules, seats):
        return await builder(desk, press, table, page, chosen, pen.t.sentences(*wrong))
    return await builder(desk, press, await _changed(desk, press, rules), page, chosen)


async def _changed(desk: Desk, press: Press, rules: Rules, variant: str | None = None) -> Table:
    user, number = press.user.id, press.id
    shown = await desk.tables.change(press.table, user, interaction_id=number, variant=variant, rules=rules)
    return shown.table


async def take_back(desk: Desk, press: Press) -> Answer:
    """The variant as it is."""
    table = await lobby_of_host(desk, press)
    shown = await desk.tables.change(press.table, press.user.id, interaction_id=press.id, variant=table.variant)
    return await builder(desk, press, shown.table, press.ids.argument)


async def show_text(desk: Desk, press: Press) -> Answer:
    """The rules as a text, in a form."""
    return Answer("form", form=text_form(await desk.pen(press), await lobby_of_host(desk, press)))


async def read_text(desk: Desk, press: Press) -> Answer:
    """The rules that a pasted text says."""
    table, pen = await lobby_of_host(desk, press), await desk.pen(press)
    try:
        variant, rules = parse_rules(pen.t, press.fields.get("rules", ""), len(table.players))
    except BadRulesTextError as bad:
        return Answer("private", refusal_note(str(bad)))
    return await builder(desk, press, await _changed(desk, press, rules, variant))


VERBS: Final[Mapping[str, Doing]] = {
    "house": show_page,
    "which": choose_rule,
    "set": set_rule,
    "unhouse": take_back,
    "housetext": show_text,
    "houseread": read_text,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded: the router knows the verbs, there is no command."""
