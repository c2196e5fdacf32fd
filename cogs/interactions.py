"""Every interaction arrives here: commands, clicks, choices, forms, and what is typed into an option.

Reads it into a `Click`, has the handler of its topic do it, and has the answer given. The person is taken from the
interaction and from nothing else. Ids that are unknown, old or foreign get a polite answer.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, Protocol, cast

import discord
from discord import app_commands
from discord.ext import commands

import cogs.screens.components as ui
from cogs.clicks import Answer, Click, lacking, refused
from cogs.commands import GAMES, POLITE, Autocomplete, CommandWords, group_in, permissions_missing, slash_command
from cogs.open_hands import Hands
from cogs.rate_limit import Kind, RateLimit
from cogs.replies import AnswerCounts, add, edit, reply
from cogs.screens.formatter import Faces, formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import ButtonId, parse_id
from cogs.screens.language import translator
from cogs.screens.names import clean, escaped
from cogs.screens.refused import decline_sentence, paused_words
from cogs.topics import Command, Context, Handler, Suggest, handlers, topics
from data.models import Person, Table
from tables import Tables
from tables.snapshots import Decline, Declined, HandSnapshot

MOST_SUGGESTED: Final = 25
LONGEST_SUGGESTION: Final = 100
NOT_THERE: Final = ButtonId("", 0, 0)
_CLICKS: Final = (discord.InteractionType.component, discord.InteractionType.modal_submit)
_log = logging.getLogger(__name__)


class Client(Protocol):
    """What is needed of the bot that gets the interactions."""

    tables: Tables
    faces: Faces
    pictures: bool
    answers: AnswerCounts
    rate_limit: RateLimit | None
    hands: Hands | None
    is_serving: Callable[[], bool]
    blocked: set[int]


async def add_topics(bot: commands.AutoShardedBot) -> None:
    """Register every command and route every click.

    Raises:
        CollisionError: two topics declare the same command or verb.
    """
    await bot.tree.set_translator(CommandWords())
    for topic in topics().values():
        group = {topic.group: topic.description} if topic.group else {}
        for path in [group] if topic.top else [{name: said, **group} for name, said in GAMES.items()]:
            for command in topic.commands.values():
                group_in(bot.tree, path).add_command(_registered(command))
    bot.add_listener(on_interaction)


def _registered(command: Command) -> app_commands.Command[Any, Any, None]:
    async def respond(interaction: discord.Interaction[Any], options: Mapping[str, Any]) -> None:
        if handler := _admitted(interaction, command.handler(options), "command"):
            await answer(interaction, handler, click_of(interaction))

    suggest = {option: _autocomplete(each) for option, each in command.suggest.items()}
    return slash_command(command.name, command.description, command.act, respond, command.options, suggest)


def _autocomplete(suggest: Suggest) -> Autocomplete:
    async def found(interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        client = _client(interaction)
        limit = client.rate_limit
        if not client.is_serving() or (limit is not None and not limit.allows(interaction.user.id, "typing")):
            return []
        click = click_of(interaction)
        try:
            offered = await suggest(await Context.of(client.tables, client.faces, click), click)
        except Declined:
            return []
        fitting = [each for each in offered if typed.lower() in " ".join(each).lower()]
        return [
            app_commands.Choice(name=words[:LONGEST_SUGGESTION], value=value)
            for words, value in fitting[:MOST_SUGGESTED]
        ]

    return found


async def on_interaction(interaction: discord.Interaction[Any]) -> None:
    """Dispatch a click, a choice or a form to its verb's handler; commands come by their own way."""
    if interaction.type not in _CLICKS:
        return
    ids = parse_id(str(cast("Mapping[str, Any]", interaction.data or {}).get("custom_id", ""))) or NOT_THERE
    handler = _admitted(interaction, handlers().get(ids.verb, unknown), "click")
    if handler is None:
        return
    click = click_of(interaction, ids)
    paused = _paused_here(interaction, click)
    await answer(interaction, handler, click)
    await _tell_why_paused(interaction, click, paused)


def _admitted(interaction: discord.Interaction[Any], handler: Handler, kind: Kind) -> Handler | None:
    """What is to be done: the handler, or to refuse what comes too fast; None where not even that is worth it."""
    client = _client(interaction)
    if not client.is_serving():
        return None  # another process may be answering
    if client.rate_limit is None or client.rate_limit.allows(interaction.user.id, kind):
        return handler
    client.answers.refused += 1
    return too_fast if client.rate_limit.allows(interaction.user.id, "refusal") else None


async def unknown(_: Context, __: Click) -> Answer:
    """A button that no version of the bot knows any more."""
    raise Declined(Decline.UNKNOWN_TABLE)


def _client(interaction: discord.Interaction[Any]) -> Client:
    return cast("Client", interaction.client)


def click_of(interaction: discord.Interaction[Any], ids: ButtonId = NOT_THERE) -> Click:
    """What the interaction says."""
    data: Mapping[str, Any] = interaction.data or {}
    user = interaction.user
    rights = interaction.permissions
    return Click(
        id=interaction.id,
        user=Person(id=user.id, name=clean(user.display_name) or clean(user.name) or str(user.id)),
        guild_id=interaction.guild_id or 0,
        channel_id=interaction.channel_id or 0,
        locale=interaction.locale.value,
        guild_locale=(interaction.guild_locale or interaction.locale).value,
        ids=ids,
        values=tuple(data.get("values", ())),
        fields=dict(_fields(data.get("components", ()))),
        moderator=rights.manage_messages or rights.manage_guild or rights.administrator,
        manager=rights.manage_guild or rights.administrator,
        polite=data.get("name") == POLITE,
        lacking=tuple(permissions_missing(interaction.app_permissions, interaction.channel)),
    )


def _fields(components: Any) -> Iterator[tuple[str, str]]:
    for each in components:
        if "value" in each and "custom_id" in each:
            yield each["custom_id"], each["value"]
        yield from _fields(each.get("components", ()))
        if "component" in each:
            yield from _fields((each["component"],))


async def answer(interaction: discord.Interaction[Any], handler: Handler, click: Click) -> None:
    """Do what was asked and say what came of it."""
    client = _client(interaction)
    work = _done(client, handler, click)
    shown = await reply(interaction, work, client.answers, click.ids.verb)
    if shown is not None and shown.follows is not None:
        _follow(interaction, click, shown.follows)
    if client.blocked:
        await _tell_of_automod(interaction, click)


async def too_fast(_: Context, __: Click) -> Answer:
    """Somebody clicks faster than people do."""
    raise Declined(Decline.TOO_FAST)


async def _done(client: Client, handler: Handler, click: Click) -> Answer:
    async def work() -> Answer:
        ctx = await Context.of(client.tables, client.faces, click, pictures=client.pictures)
        return await handler(ctx, click)

    found = await _whatever_happens(client, work, click)
    return replace(found, then=partial(_whatever_happens, client, found.then, click)) if found.then else found


async def _whatever_happens(client: Client, work: Callable[[], Awaitable[Answer]], click: Click) -> Answer:
    try:
        return await work()
    except Declined as declined:
        return await declined_answer(client.tables, click, declined)
    except Exception:  # noqa: BLE001 - a click is answered whatever happens; the log has the rest
        _log.exception("a click failed: verb=%s table=%s interaction=%s", click.ids.verb, click.ids.table, click.id)
        t = translator(click.locale)
        return refused(
            t("**Something went wrong, sorry.** Try again. If it keeps happening, report {number}.", number=click.id)
        )


async def declined_answer(tables: Tables, click: Click, declined: Declined) -> Answer:
    """The sentence for what the doorway declined, and where the table in the way is."""
    polite, host, link = click.polite, "", ""
    with suppress(Declined):
        polite = polite or (await tables.servers.settings(click.guild_id)).polite
    with suppress(Declined):
        table = (await tables.snapshot(click.table)).table
        seat = table.seat_of(table.host_id)
        host = "" if seat is None else escaped(table.players[seat].name)
    with suppress(Declined):
        link = _link((await tables.snapshot(declined.table_id or 0)).table)
    t = formatter(click.locale, polite=polite)
    start = t.command("start")
    return refused(t.sentences(decline_sentence(t, declined.why, start=start, host=host), link))


def _link(table: Table) -> str:
    """The address of a table's public message; empty where there is none."""
    place = f"{table.guild_id}/{table.channel_id}/{abs(table.message_id or 0)}"
    return f"https://discord.com/channels/{place}" if table.message_id else ""


def _follow(interaction: discord.Interaction[Any], click: Click, table: Table) -> None:
    """Have the hand that the answer shows drawn anew when the game goes on, or say that the seat is gone."""
    client = _client(interaction)

    async def redraw(found: HandSnapshot | None) -> bool:
        try:
            t = (await Context.of(client.tables, client.faces, click)).t
            gone = t("**You do not sit at this table any more.** You have left, or the host removed you.")
            await edit(interaction, Answer("here", hand_screen(t, found) if found else ui.note(ui.Accent.GREY, gone)))
        except (Declined, discord.HTTPException):
            return False  # nothing is asked twice for a message that nobody can reach
        return True

    if client.hands is not None:
        client.hands.opened(table.id, click.user.id, table.revision, redraw)


def _paused_here(interaction: discord.Interaction[Any], click: Click) -> Table | None:
    """The table that is clicked at, if its game stands still because it cannot be shown."""
    return _client(interaction).tables.play.paused(click.request)


async def _tell_why_paused(interaction: discord.Interaction[Any], click: Click, paused: Table | None) -> None:
    """Say why the game stood still to whoever clicked, and how it goes on."""
    if paused is None or not interaction.response.is_done():
        return
    with suppress(Declined, discord.HTTPException):
        if click.lacking:
            note = lacking(click)
        elif paused.message_id is None:
            note = await _deleted(interaction, click)
        else:
            return
        await add(interaction, note)


async def _deleted(interaction: discord.Interaction[Any], click: Click) -> Answer:
    """Why a game stands still whose message was deleted over and over, and how it goes on."""
    client = _client(interaction)
    t = (await Context.of(client.tables, client.faces, click)).t
    return refused(paused_words(t, t("{table} posts it anew, and the time goes on.", table=t.command("table"))))


async def _tell_of_automod(interaction: discord.Interaction[Any], click: Click) -> None:
    """Tell the host of the channel's table, once, that AutoMod keeps its message from being drawn."""
    client = _client(interaction)
    with suppress(Declined, discord.HTTPException):
        table_id = await client.tables.play.in_channel(click.guild_id, click.channel_id)
        if table_id not in client.blocked or not interaction.response.is_done():
            return
        ctx = await Context.of(client.tables, client.faces, click)
        if (await client.tables.snapshot(table_id)).table.host_id == click.user.id:
            client.blocked.discard(table_id)
            why = ctx.t("**AutoMod of this server does not let the table through**, so its message is old.")
            await add(interaction, refused(ctx.t.sentences(why, ctx.t("A name or the forfeit may be why."))))
