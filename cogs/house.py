"""House rules before a game: the host changes any option in private, or pastes a text that says them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from discord.ext import commands

from cogs.context import Answer, Click, Context, Handler, here
from cogs.screens.house import NotARuleError, conflicts, with_set
from cogs.screens.housepage import house_screen, text_form
from cogs.screens.housetext import BadRulesTextError, parse_rules
from cogs.screens.notes import refusal_note
from data.models import Table
from game.rules import Rules
from tables.lobby_changes import Wishes
from tables.snapshots import Decline, Declined


async def lobby_of_host(ctx: Context, click: Click) -> Table:
    """The table before the deal, for its host.

    Raises:
        Declined: somebody else asks, or the game was dealt.
    """
    table = (await ctx.tables.play.look(click.request)).table
    if table.status != "lobby":
        raise Declined(Decline.NOT_A_LOBBY)
    if table.host_id != click.user.id:
        raise Declined(Decline.NOT_HOST)
    return table


async def builder(
    ctx: Context, click: Click, table: Table, page: str = "deal", chosen: str = "", notice: str = ""
) -> Answer:
    """A page of the builder, for who pressed."""
    return here(house_screen(await ctx.fmt(click), table, page, chosen, notice, manager=click.manager))


async def show_page(ctx: Context, click: Click) -> Answer:
    """A page of the builder."""
    return await builder(ctx, click, await lobby_of_host(ctx, click), click.ids.argument or "deal")


async def choose_rule(ctx: Context, click: Click) -> Answer:
    """Which option the second select changes."""
    return await builder(ctx, click, await lobby_of_host(ctx, click), click.ids.argument, click.value)


async def set_rule(ctx: Context, click: Click) -> Answer:
    """An option gets a value, unless the rules could not be played then."""
    table, fmt, key = await lobby_of_host(ctx, click), await ctx.fmt(click), click.ids.argument
    chosen = ".".join(key.split(".")[:2])
    page = "deal" if key.startswith("seats.") else key.partition(".")[0]
    try:
        rules = with_set(table.rules, key, click.values)
    except NotARuleError:
        return await builder(ctx, click, table, page, chosen, fmt.t("That rule is not known any more."))
    # Who asks for so many seats wants to hear why there are not so many.
    seats = rules.seats[1] if key == "seats.most" else len(table.players)
    if wrong := conflicts(fmt.t, rules, seats):
        return await builder(ctx, click, table, page, chosen, fmt.t.sentences(*wrong))
    return await builder(ctx, click, await _changed(ctx, click, rules), page, chosen)


async def _changed(ctx: Context, click: Click, rules: Rules, variant: str | None = None) -> Table:
    wishes: Wishes = {"rules": rules} if variant is None else {"rules": rules, "variant": variant}
    return (await ctx.tables.lobby.change(click.request, **wishes)).table


async def take_back(ctx: Context, click: Click) -> Answer:
    """The variant as it is."""
    table = await lobby_of_host(ctx, click)
    snapshot = await ctx.tables.lobby.change(click.request, variant=table.variant)
    return await builder(ctx, click, snapshot.table, click.ids.argument)


async def show_text(ctx: Context, click: Click) -> Answer:
    """The rules as a text, in a form."""
    return Answer("form", form=text_form(await ctx.fmt(click), await lobby_of_host(ctx, click)))


async def read_text(ctx: Context, click: Click) -> Answer:
    """The rules that a pasted text says."""
    table, fmt = await lobby_of_host(ctx, click), await ctx.fmt(click)
    try:
        variant, rules = parse_rules(fmt.t, click.fields.get("rules", ""), len(table.players))
    except BadRulesTextError as bad:
        return Answer("private", refusal_note(str(bad)))
    return await builder(ctx, click, await _changed(ctx, click, rules, variant))


VERBS: Final[Mapping[str, Handler]] = {
    "house": show_page,
    "which": choose_rule,
    "set": set_rule,
    "unhouse": take_back,
    "housetext": show_text,
    "houseread": read_text,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded: the router knows the verbs, there is no command."""
