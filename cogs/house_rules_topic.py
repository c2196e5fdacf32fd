"""House rules before a game: the host changes options one by one in private, or pastes all of them as a text.

People who may manage the server can save a table's rules, delete saved rules, and choose the server's default.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cogs.clicks import Answer, Click, form, here, refused
from cogs.screens.house_rule_screens import (
    NAME,
    confirm_reset_screen,
    house_screen,
    houses_screen,
    name_form,
    name_taken_screen,
    rejected_text,
    rejected_text_screen,
    saved_screen,
    text_form,
)
from cogs.screens.ids import parse_number
from cogs.screens.names import bold, clean, escaped
from cogs.screens.rule_edits import (
    ON,
    BadRulesError,
    NotARuleError,
    conflicts,
    is_variant_title,
    parse_rules,
    replaced_words,
    with_chip,
    with_set,
)
from cogs.screens.wording import base_rules
from cogs.topics import Context, Topic
from data.guild_models import LONGEST_NAME, HouseRule, house_key
from data.models import Table
from game.rules import Rules
from tables.lobby_changes import Edit, require_lobby
from tables.snapshots import Decline, Declined, Ignoring

topic = Topic()


async def _lobby_of_host(ctx: Context, click: Click) -> Table:
    """The table before the deal, for its host. Declined: UNKNOWN_TABLE, NOT_HOST, NOT_A_LOBBY."""
    snapshot = await ctx.tables.play.look(click)
    if not snapshot.table.is_open:
        raise Declined(Decline.UNKNOWN_TABLE, snapshot)
    require_lobby(snapshot.table, click.user.id)
    return snapshot.table


def _page(ctx: Context, click: Click, table: Table, page: str = "", chosen: str = "", *, notice: str = "") -> Answer:
    screen = house_screen(ctx.t, table, page, chosen, notice=notice, manager=click.manager)
    return Answer("here", screen, hand_at=table)  # becomes the hand once cards are dealt


@topic.button("house", "which")
async def show_page(ctx: Context, click: Click) -> Answer:
    """Show a page of the builder with the selects for a chosen option; one that was off is turned on first."""
    key, _, switched = click.value.partition("=")
    if switched:
        return await _set(ctx, click, key, [switched])
    return _page(ctx, click, await _lobby_of_host(ctx, click), click.argument, key)


@topic.button("set")
async def set_rule(ctx: Context, click: Click) -> Answer:
    """Give an option the chosen value, or one that the button names."""
    key, _, switched = click.argument.partition("=")
    return await _set(ctx, click, key, [switched] if switched else click.values)


async def _set(ctx: Context, click: Click, key: str, values: Sequence[str]) -> Answer:
    """Give an option a value, unless the rules could not be played with it, and show it."""
    table = await _lobby_of_host(ctx, click)
    chosen = ".".join(key.split(".")[:2])
    page = "deal" if key.startswith("seats.") else key.partition(".")[0]
    return await _apply(ctx, click, partial(with_set, key=key, values=values), table, page, chosen)


@topic.button("chip")
async def set_chip(ctx: Context, click: Click) -> Answer:
    """Switch a popular power of a rank on or off."""
    table = await _lobby_of_host(ctx, click)
    rank, _, switched = click.argument.partition("=")
    edit = partial(with_chip, rank=rank, on=switched == ON)
    replaced = replaced_words(ctx.t, rank, table.rules, edit(table.rules))
    return await _apply(ctx, click, edit, table, "powers", notice=replaced)


async def _apply(
    ctx: Context, click: Click, edit: Edit, table: Table, page: str, chosen: str = "", *, notice: str = ""
) -> Answer:
    """Change the rules, and show this page of the builder; if they cannot be played, the page only says why."""

    def checked(rules: Rules) -> Rules:
        edited = edit(rules)
        # A host who asks for more seats than the rules allow should be told why.
        seats = max(table.seats_needed, edited.seats[1] if click.argument == "seats.most" else 0)
        if wrong := conflicts(ctx.t, edited, seats):
            raise BadRulesError(ctx.t.sentences(*wrong))
        return edited

    try:
        table = (await ctx.tables.lobby.edit_rules(click, checked)).table
    except NotARuleError:
        notice = ctx.t("That rule no longer exists.")
    except BadRulesError as bad:
        notice = str(bad)
    return _page(ctx, click, table, page, chosen, notice=notice)


@topic.button("unhousing")
async def ask_to_reset(ctx: Context, click: Click) -> Answer:
    """Ask whether to undo several house rules at once, unless that is refused because too many are seated."""
    table = await _lobby_of_host(ctx, click)
    if base_rules(table.variant).most_seats() < table.seats_needed:
        return await reset(ctx, click)
    return Answer("here", confirm_reset_screen(ctx.t, table, click.argument), hand_at=table)


@topic.button("unhouse")
async def reset(ctx: Context, click: Click) -> Answer:
    """Undo all house rules."""
    table = await _lobby_of_host(ctx, click)
    after = await ctx.tables.lobby.change(click, variant=table.variant, rules=base_rules(table.variant))
    return _page(ctx, click, after.table, click.argument)


@topic.button("housetext")
async def show_text(ctx: Context, click: Click) -> Answer:
    """Show the rules as a text in a form, to copy or to replace; or the rejected text, to correct it."""
    rules_form = text_form(ctx.t, await _lobby_of_host(ctx, click), rejected_text(click.clicked))
    return form(rules_form) if rules_form else refused(ctx.t("**These rules are too long for one text.**"))


@topic.button("houseread")
async def read_text(ctx: Context, click: Click) -> Answer:
    """Take the rules from a pasted text."""
    table = await _lobby_of_host(ctx, click)
    text = click.fields.get("rules", "")
    try:
        variant, rules = parse_rules(ctx.t, text, table.seats_needed)
    except BadRulesError as bad:
        return Answer("refused", rejected_text_screen(ctx.t, table, str(bad), text))
    after = await ctx.tables.lobby.change(click, rules=rules, variant=variant)
    return _page(ctx, click, after.table)


@topic.button("keep", managers=True)
async def ask_name(ctx: Context, click: Click) -> Answer:
    """Ask in a form for the name under which to save the table's rules."""
    table = await _lobby_of_host(ctx, click)
    if wrong := conflicts(ctx.t, table.rules, len(table.seated)):
        return refused(ctx.t.sentences(*wrong))
    return form(name_form(ctx.t, table, click.argument))


@topic.button("keepas", managers=True)
async def save(ctx: Context, click: Click) -> Answer:
    """Save the table's rules under a name; if it is taken, ask whether to replace those."""
    table = await _lobby_of_host(ctx, click)
    name = clean(click.fields.get(NAME, ""), LONGEST_NAME)
    if is_variant_title(ctx.t, name):
        return refused(ctx.t("**{name} is the name of a variant.** Choose another name.", name=escaped(name)))
    with Ignoring(Decline.NAME_TAKEN):
        return await _saved(ctx, click, table, name)
    taken = await ctx.tables.servers.house_rule(click.guild_id, name)
    return here(name_taken_screen(ctx.t, table, taken, click.argument))


@topic.button("keepover", managers=True)
async def save_over(ctx: Context, click: Click) -> Answer:
    table, old = await _lobby_of_host(ctx, click), await _saved_rules(ctx, click)
    return await _saved(ctx, click, table, old.name, replace=True)


async def _saved(ctx: Context, click: Click, table: Table, name: str, *, replace: bool = False) -> Answer:
    t = ctx.t
    if wrong := conflicts(t, table.rules, len(table.seated)):
        return refused(t.sentences(*wrong))
    saved = await ctx.tables.servers.save_house_rule(table, name, click.user.id, replace=replace)
    notice = t("Saved for this server as {name}.", name=escaped(saved.name))
    page = click.argument.rpartition("=")[2]
    with Ignoring(Decline.SAVING_FAILED):  # the rules are saved, though the table does not bear their name
        table = (await ctx.tables.lobby.change(click, rules=saved.rules, title=saved.name)).table
    return _page(ctx, click, table, page, notice=notice)


@topic.button("houses", managers=True)
async def show_all(ctx: Context, click: Click, notice: str = "") -> Answer:
    saved = await ctx.tables.servers.house_rules(click.guild_id)
    return here(houses_screen(ctx.t, saved, ctx.settings.variant, notice))


@topic.button("saved", "unsave", "unsaved", "usual", managers=True)
async def manage_one(ctx: Context, click: Click) -> Answer:
    """Show saved rules, ask whether to delete them, delete them, or make them the server's default."""
    with Ignoring(Decline.UNKNOWN_VARIANT):
        saved = await _saved_rules(ctx, click)
        match click.verb:
            case "unsaved":
                return await _deleted(ctx, click, saved)
            case "usual":
                await ctx.tables.servers.choose(ctx.settings, ctx.settings.but(variant=saved.key))
                return here(saved_screen(ctx.t, saved, saved.key))
            case verb:
                return here(saved_screen(ctx.t, saved, ctx.settings.variant, is_asked=verb == "unsave"))
    return await show_all(ctx, click, ctx.t("These rules no longer exist."))


async def _deleted(ctx: Context, click: Click, saved: HouseRule) -> Answer:
    """Delete saved rules. If they were the default, the classic variant takes their place."""
    all_saved = await ctx.tables.servers.house_rules(click.guild_id)  # read first, because it may fail
    await ctx.tables.servers.delete_house_rule(click.guild_id, saved.id)
    left = [each for each in all_saved if each.id != saved.id]
    return here(houses_screen(ctx.t, left, ctx.settings.variant, ctx.t("{name} is deleted.", name=bold(saved.name))))


async def _saved_rules(ctx: Context, click: Click) -> HouseRule:
    number = parse_number(click.argument.partition("=")[0] or click.value) or 0
    return await ctx.tables.servers.house_rule(click.guild_id, house_key(number))
