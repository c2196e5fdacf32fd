"""House rules that a server saves: who may manage it saves those of a table, deletes, and chooses the usual ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.shown import Decline, Declined
from cogs.desk import Answer, Desk, Doing, Press, here, refused
from cogs.house import builder, lobby_of_host
from cogs.settings import for_managers
from cogs.ui.house import conflicts
from cogs.ui.names import bold, clean, escaped
from cogs.ui.saved import LONGEST_NAME, NAME, houses_screen, name_form, saved_screen, taken_screen
from data.models import HouseRule, Table, house_key


async def ask_name(desk: Desk, press: Press) -> Answer:
    """The form for the name."""
    table, pen = await lobby_of_host(desk, press), await desk.pen(press)
    if wrong := conflicts(pen.t, table.rules, len(table.players)):
        return refused(pen.t.sentences(*wrong))
    return Answer("form", form=name_form(pen, table))


async def save(desk: Desk, press: Press) -> Answer:
    """The rules of the table under a name; one that is taken is asked about."""
    table, name = await lobby_of_host(desk, press), clean(press.fields.get(NAME, ""), LONGEST_NAME)
    try:
        return await _saved(desk, press, table, name)
    except Declined as declined:
        if declined.why is not Decline.NAME_TAKEN:
            raise
    return here(taken_screen(await desk.pen(press), table, await desk.tables.house_rule(press.guild_id, name)))


async def save_over(desk: Desk, press: Press) -> Answer:
    """The rules of the table in place of those that have the name."""
    table, old = await lobby_of_host(desk, press), await _meant(desk, press)
    return await _saved(desk, press, table, old.name, replace=True)


async def _saved(desk: Desk, press: Press, table: Table, name: str, *, replace: bool = False) -> Answer:
    pen = await desk.pen(press)
    if wrong := conflicts(pen.t, table.rules, len(table.players)):
        return refused(pen.t.sentences(*wrong))
    saved = await desk.tables.save_house_rule(table, name, press.user.id, replace=replace)
    shown = await desk.tables.change(press.table, press.user.id, interaction_id=press.id, variant=saved.key)
    notice = pen.t("Saved for this server as {name}.", name=escaped(saved.name))
    return await builder(desk, press, shown.table, notice=notice)


async def show_all(desk: Desk, press: Press) -> Answer:
    """What the server saved."""
    return await _all(desk, press)


async def _all(desk: Desk, press: Press, notice: str = "") -> Answer:
    saved, settings = await desk.tables.house_rules(press.guild_id), await desk.tables.settings(press.guild_id)
    return here(houses_screen(await desk.pen(press), saved, settings.variant, notice))


async def show_one(desk: Desk, press: Press) -> Answer:
    """One of them."""
    saved, settings = await _meant(desk, press), await desk.tables.settings(press.guild_id)
    return here(saved_screen(await desk.pen(press), saved, settings.variant))


async def _meant(desk: Desk, press: Press) -> HouseRule:
    number = press.ids.argument or press.value
    return await desk.tables.house_rule(press.guild_id, house_key(int(number) if number.isdecimal() else 0))


async def delete(desk: Desk, press: Press) -> Answer:
    """One less."""
    saved = await _meant(desk, press)
    await desk.tables.delete_house_rule(press.guild_id, saved.id)
    return await _all(desk, press, (await desk.pen(press)).t("{name} is deleted.", name=bold(saved.name)))


async def make_usual(desk: Desk, press: Press) -> Answer:
    """What is played in this server when nobody says anything."""
    saved, settings = await _meant(desk, press), await desk.tables.settings(press.guild_id)
    await desk.tables.set_settings(settings.model_copy(update={"variant": saved.key}))
    return await show_one(desk, press)


AT_TABLE: Final[Mapping[str, Doing]] = {
    "keep": for_managers(ask_name),
    "keepas": for_managers(save),
    "keepover": for_managers(save_over),
}
VERBS: Final[Mapping[str, Doing]] = {
    "houses": for_managers(show_all),
    "saved": for_managers(show_one),
    "unsave": for_managers(delete),
    "usual": for_managers(make_usual),
}
