"""House rules before a game: the host changes any option in private, or pastes a text that says them all.

Those who may manage the server save the rules of a table, delete saved ones, and choose the usual ones.
"""

from __future__ import annotations

from typing import Unpack

from cogs.clicks import Answer, Click, form, here, refused
from cogs.screens.house_rule_screens import (
    NAME,
    house_screen,
    houses_screen,
    name_form,
    name_taken_screen,
    saved_screen,
    text_form,
    unhousing_screen,
)
from cogs.screens.ids import parse_number
from cogs.screens.names import bold, clean, escaped
from cogs.screens.rule_edits import ON, BadRulesTextError, NotARuleError, conflicts, parse_rules, with_chip, with_set
from cogs.screens.rule_words import replaced_words
from cogs.topics import Context, Topic
from data.guild_models import LONGEST_NAME, HouseRule, house_key
from data.models import Table
from game.rules import Rules
from tables.lobby_changes import Wishes, require_lobby
from tables.snapshots import Decline, Declined

topic = Topic()


async def _lobby_of_host(ctx: Context, click: Click) -> Table:
    """The table before the deal, for its host.

    Raises:
        Declined: somebody else asks, or the game was dealt.
    """
    snapshot = await ctx.tables.play.look(click.request)
    if not snapshot.table.is_open:
        raise Declined(Decline.UNKNOWN_TABLE, snapshot)
    require_lobby(snapshot.table, click.user.id)
    return snapshot.table


def _page(ctx: Context, click: Click, table: Table, page: str = "", chosen: str = "", notice: str = "") -> Answer:
    screen = house_screen(ctx.t, table, page, chosen, notice, manager=click.manager)
    return Answer("here", screen, follows=table)  # once cards are dealt it shows the hand


@topic.button("house")
async def show_page(ctx: Context, click: Click) -> Answer:
    """A page of the builder."""
    return _page(ctx, click, await _lobby_of_host(ctx, click), click.ids.argument)


@topic.button("which")
async def choose_rule(ctx: Context, click: Click) -> Answer:
    """Which option the second select changes."""
    return _page(ctx, click, await _lobby_of_host(ctx, click), click.ids.argument, click.value)


@topic.button("set")
async def set_rule(ctx: Context, click: Click) -> Answer:
    """An option gets a value, unless the rules could not be played then."""
    table, t, (key, _, switched) = await _lobby_of_host(ctx, click), ctx.t, click.ids.argument.partition("=")
    chosen = ".".join(key.split(".")[:2])
    page = "deal" if key.startswith("seats.") else key.partition(".")[0]
    try:
        rules = with_set(table.rules, key, [switched] if switched else click.values)
    except NotARuleError:
        return _page(ctx, click, table, page, chosen, t("That rule no longer exists."))
    return await _set(ctx, click, table, rules, (page, chosen, ""))


@topic.button("chip")
async def set_chip(ctx: Context, click: Click) -> Answer:
    """A special card that one press makes so, or plain again."""
    table, (rank, _, switched) = await _lobby_of_host(ctx, click), click.ids.argument.partition("=")
    rules = with_chip(table.rules, rank, on=switched == ON)
    return await _set(ctx, click, table, rules, ("powers", "", replaced_words(ctx.t, rank, table.rules, rules)))


async def _set(ctx: Context, click: Click, table: Table, rules: Rules, where: tuple[str, str, str]) -> Answer:
    """The page with these rules, or why they cannot be played."""
    t, key = ctx.t, click.ids.argument
    # A host who asks for so many seats should hear why there are fewer.
    seats = rules.seats[1] if key == "seats.most" else len(table.seated)
    if wrong := conflicts(t, rules, seats):
        return _page(ctx, click, table, *where[:2], t.sentences(*wrong))
    return _page(ctx, click, await _changed(ctx, click, rules=rules), *where)


async def _changed(ctx: Context, click: Click, **wishes: Unpack[Wishes]) -> Table:
    return (await ctx.tables.lobby.change(click.request, **wishes)).table


@topic.button("unhousing")
async def ask_to_reset(ctx: Context, click: Click) -> Answer:
    """The question whether several house rules shall go."""
    table = await _lobby_of_host(ctx, click)
    return Answer("here", unhousing_screen(ctx.t, table, click.ids.argument), follows=table)


@topic.button("unhouse")
async def reset(ctx: Context, click: Click) -> Answer:
    """The variant as it is."""
    table = await _lobby_of_host(ctx, click)
    return _page(ctx, click, await _changed(ctx, click, variant=table.variant), click.ids.argument)


@topic.button("housetext")
async def show_text(ctx: Context, click: Click) -> Answer:
    """The rules as a text, in a form."""
    made = text_form(ctx.t, await _lobby_of_host(ctx, click))
    return form(made) if made else refused(ctx.t("**These rules are too long for one text.**"))


@topic.button("houseread")
async def read_text(ctx: Context, click: Click) -> Answer:
    """The rules that a pasted text says."""
    table = await _lobby_of_host(ctx, click)
    try:
        variant, rules = parse_rules(ctx.t, click.fields.get("rules", ""), len(table.seated))
    except BadRulesTextError as bad:
        return refused(str(bad))
    return _page(ctx, click, await _changed(ctx, click, rules=rules, variant=variant))


@topic.button("keep", managers=True)
async def ask_name(ctx: Context, click: Click) -> Answer:
    """The form for the name to save the rules of a table under."""
    table = await _lobby_of_host(ctx, click)
    if wrong := conflicts(ctx.t, table.rules, len(table.seated)):
        return refused(ctx.t.sentences(*wrong))
    return form(name_form(ctx.t, table, click.ids.argument))


@topic.button("keepas", managers=True)
async def save(ctx: Context, click: Click) -> Answer:
    """The rules of the table under a name; one that is taken is asked about."""
    table, name = await _lobby_of_host(ctx, click), clean(click.fields.get(NAME, ""), LONGEST_NAME)
    try:
        return await _saved(ctx, click, table, name)
    except Declined as declined:
        if declined.why is not Decline.NAME_TAKEN:
            raise
    taken = await ctx.tables.servers.house_rule(click.guild_id, name)
    return here(name_taken_screen(ctx.t, table, taken, click.ids.argument))


@topic.button("keepover", managers=True)
async def save_over(ctx: Context, click: Click) -> Answer:
    """The rules of the table in place of those that have the name."""
    table, old = await _lobby_of_host(ctx, click), await _meant(ctx, click)
    return await _saved(ctx, click, table, old.name, replace=True)


async def _saved(ctx: Context, click: Click, table: Table, name: str, *, replace: bool = False) -> Answer:
    t = ctx.t
    if wrong := conflicts(t, table.rules, len(table.seated)):
        return refused(t.sentences(*wrong))
    saved = await ctx.tables.servers.save_house_rule(table, name, click.user.id, replace=replace)
    notice = t("Saved for this server as {name}.", name=escaped(saved.name))
    page = click.ids.argument.rpartition("=")[2]
    return _page(ctx, click, await _changed(ctx, click, variant=saved.key), page, notice=notice)


@topic.button("houses", managers=True)
async def show_all(ctx: Context, click: Click, notice: str = "") -> Answer:
    """What the server saved."""
    saved = await ctx.tables.servers.house_rules(click.guild_id)
    return here(houses_screen(ctx.t, saved, ctx.settings.variant, notice))


@topic.button("saved", managers=True)
async def show_one(ctx: Context, click: Click) -> Answer:
    """One of them."""
    return here(saved_screen(ctx.t, await _meant(ctx, click), ctx.settings.variant))


async def _meant(ctx: Context, click: Click) -> HouseRule:
    number = parse_number(click.ids.argument.partition("=")[0] or click.value) or 0
    return await ctx.tables.servers.house_rule(click.guild_id, house_key(number))


@topic.button("unsave", managers=True)
async def delete(ctx: Context, click: Click) -> Answer:
    """One less; if it was the usual one, classic is played again."""
    saved = await _meant(ctx, click)
    await ctx.tables.servers.delete_house_rule(click.guild_id, saved.id)
    return await show_all(ctx, click, ctx.t("{name} is deleted.", name=bold(saved.name)))


@topic.button("usual", managers=True)
async def make_usual(ctx: Context, click: Click) -> Answer:
    """What is played in this server when nobody says anything."""
    saved = await _meant(ctx, click)
    await ctx.tables.servers.choose(ctx.settings, ctx.settings.but(variant=saved.key))
    return here(saved_screen(ctx.t, saved, saved.key))
