"""House rules that a server saves: who may manage it saves those of a table, deletes, and chooses the usual ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogs.context import Answer, Click, Context, Handler, here, refused
from cogs.house import builder, lobby_of_host
from cogs.screens.house import conflicts
from cogs.screens.names import bold, clean, escaped
from cogs.screens.saved import NAME, houses_screen, name_form, saved_screen, taken_screen
from cogs.settings import for_managers
from data.guild_models import LONGEST_NAME, HouseRule, house_key
from data.models import Table
from tables.snapshots import Decline, Declined


async def ask_name(ctx: Context, click: Click) -> Answer:
    """The form for the name."""
    table, fmt = await lobby_of_host(ctx, click), await ctx.fmt(click)
    if wrong := conflicts(fmt.t, table.rules, len(table.players)):
        return refused(fmt.t.sentences(*wrong))
    return Answer("form", form=name_form(fmt, table))


async def save(ctx: Context, click: Click) -> Answer:
    """The rules of the table under a name; one that is taken is asked about."""
    table, name = await lobby_of_host(ctx, click), clean(click.fields.get(NAME, ""), LONGEST_NAME)
    try:
        return await _saved(ctx, click, table, name)
    except Declined as declined:
        if declined.why is not Decline.NAME_TAKEN:
            raise
    return here(taken_screen(await ctx.fmt(click), table, await ctx.tables.servers.house_rule(click.guild_id, name)))


async def save_over(ctx: Context, click: Click) -> Answer:
    """The rules of the table in place of those that have the name."""
    table, old = await lobby_of_host(ctx, click), await _meant(ctx, click)
    return await _saved(ctx, click, table, old.name, replace=True)


async def _saved(ctx: Context, click: Click, table: Table, name: str, *, replace: bool = False) -> Answer:
    fmt = await ctx.fmt(click)
    if wrong := conflicts(fmt.t, table.rules, len(table.players)):
        return refused(fmt.t.sentences(*wrong))
    saved = await ctx.tables.servers.save_house_rule(table, name, click.user.id, replace=replace)
    snapshot = await ctx.tables.lobby.change(click.request, variant=saved.key)
    notice = fmt.t("Saved for this server as {name}.", name=escaped(saved.name))
    return await builder(ctx, click, snapshot.table, notice=notice)


async def show_all(ctx: Context, click: Click) -> Answer:
    """What the server saved."""
    return await _all(ctx, click)


async def _all(ctx: Context, click: Click, notice: str = "") -> Answer:
    saved, settings = (
        await ctx.tables.servers.house_rules(click.guild_id),
        await ctx.tables.servers.settings(click.guild_id),
    )
    return here(houses_screen(await ctx.fmt(click), saved, settings.variant, notice))


async def show_one(ctx: Context, click: Click) -> Answer:
    """One of them."""
    saved, settings = await _meant(ctx, click), await ctx.tables.servers.settings(click.guild_id)
    return here(saved_screen(await ctx.fmt(click), saved, settings.variant))


async def _meant(ctx: Context, click: Click) -> HouseRule:
    number = click.ids.argument or click.value
    return await ctx.tables.servers.house_rule(click.guild_id, house_key(int(number) if number.isdecimal() else 0))


async def delete(ctx: Context, click: Click) -> Answer:
    """One less."""
    saved = await _meant(ctx, click)
    await ctx.tables.servers.delete_house_rule(click.guild_id, saved.id)
    return await _all(ctx, click, (await ctx.fmt(click)).t("{name} is deleted.", name=bold(saved.name)))


async def make_usual(ctx: Context, click: Click) -> Answer:
    """What is played in this server when nobody says anything."""
    saved, settings = await _meant(ctx, click), await ctx.tables.servers.settings(click.guild_id)
    await ctx.tables.servers.choose(settings.model_copy(update={"variant": saved.key}))
    return await show_one(ctx, click)


AT_TABLE: Final[Mapping[str, Handler]] = {
    "keep": for_managers(ask_name),
    "keepas": for_managers(save),
    "keepover": for_managers(save_over),
}
VERBS: Final[Mapping[str, Handler]] = {
    "houses": for_managers(show_all),
    "saved": for_managers(show_one),
    "unsave": for_managers(delete),
    "usual": for_managers(make_usual),
}
