"""Every interaction arrives here: commands, clicks, choices, forms, and autocomplete while an option is typed.

Parses it into a `Click`, calls the handler of its topic, and sends the answer. The person is read from the interaction
and from nothing else. Ids that are unknown, old or forged get a polite answer. Commands come through discord.py, which
parses their options; clicks arrive as raw payloads.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, cast

import discord
from discord import app_commands
from discord.ext import commands
from discord.http import HTTPClient

from cogs.clicks import Answer, Click, no_table, refused
from cogs.commands import GAMES, POLITE, CommandWords, bot_here, group_in, takes
from cogs.direct_answers import DirectAnswers
from cogs.explanations import explain_automod, explain_decline, explain_failure, explain_lost_hand, explain_pause
from cogs.open_hands import HandMessage, OpenHands, Shown
from cogs.rate_limit import Kind
from cogs.replies import AnswerCounts, PendingClicks, RefusedAnswers, Reply, message_of
from cogs.responder import UNREACHABLE, Prepared, Responder, dispatch_raw_clicks, raw_command
from cogs.screens.components import OPTION_TEXT, shortened, walk
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import POLITE_ID, ButtonId, parse_id, renew
from cogs.screens.joining_screens import asked_screen, left_screen
from cogs.screens.names import clean
from cogs.topics import Command, Context, Equipped, Handler, Suggest, commands_by_use, handlers
from data.models import Person, Table
from tables.services import Decline, Declined, HandSnapshot

Autocomplete: TypeAlias = Callable[[discord.Interaction[Any], str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]
MOST_SUGGESTED: Final = 25
NOT_THERE: Final = ButtonId("", 0, 0)
_log = logging.getLogger(__name__)


class Client(Equipped, Protocol):
    """The attributes that the bot must have. `blocked` are the ids of tables whose message AutoMod blocks."""

    answers: AnswerCounts
    pending: PendingClicks
    refused: RefusedAnswers
    allows: Callable[[int, Kind], bool]  # `RateLimit.allows`
    hands: OpenHands
    direct: DirectAnswers | None
    http: HTTPClient
    is_serving: Callable[[], bool]
    get_guild: Callable[[int], discord.Guild | None]
    blocked: set[int]
    retry_in: Callable[[int], None]  # called with the channel of each click by which the bot may post there


async def add_topics(bot: commands.AutoShardedBot) -> None:
    """Register every command and route every click. `CollisionError` if two topics declare the same one."""
    await bot.tree.set_translator(CommandWords())
    for topic, command in commands_by_use():
        group = {topic.group: topic.description} if topic.group else {}
        for path in [group] if topic.top else [{name: title, **group} for name, title in GAMES.items()]:
            group_in(bot.tree, path).add_command(_registered(command))
    client = cast("Client", bot)
    dispatch_raw_clicks(bot, lambda: client.pending.monotonic())  # noqa: PLW0108 - `pending` may be replaced
    bot.add_listener(partial(on_click, client), "on_click")
    bot.add_listener(partial(on_unreadable, client), "on_unreadable")
    bot.tree.error(partial(on_unreadable_command, client))


async def on_click(client: Client, data: Mapping[str, Any]) -> None:
    """Answer a click, a choice or a form."""
    ids = parse_id(str(data["data"].get("custom_id", ""))) or NOT_THERE
    await _respond(client, data, handlers().get(ids.verb, unknown), "click", ids)


async def on_unreadable_command(
    client: Client, _: discord.Interaction[Any], error: app_commands.AppCommandError
) -> None:
    """Answer a command that is not in the form that its code expects."""
    if isinstance(error, app_commands.CommandInvokeError):  # a bug of ours, after the answer
        _log.error("a command failed", exc_info=error)
    else:
        await on_unreadable(client, raw_command.get(), error)


async def on_unreadable(client: Client, data: Mapping[str, Any], error: Exception) -> None:
    """Answer a command that discord.py cannot read: Discord may have it in the form that an older version gave it."""
    _log.warning("a command cannot be read: error=%s", type(error).__name__)
    if data["type"] == discord.InteractionType.application_command.value:
        await _respond(client, data, outdated, "command", ButtonId("outdated", 0, 0))


async def outdated(ctx: Context, _: Click) -> Answer:
    """Decline a command that cannot be read."""
    why = ctx.t("**I do not know that command any more:** I have been updated. Restart Discord, and try again.")
    return refused(why)


def _registered(command: Command) -> app_commands.Command[Any, Any, None]:
    """Make a slash command whose options are the parameters of `command.act` after the first two."""

    async def callback(interaction: discord.Interaction[Any], **options: object) -> None:
        if not all(takes(each, options[each.name]) for each in made.parameters):
            raise app_commands.CommandSignatureMismatch(made)
        client, ids = cast("Client", interaction.client), ButtonId(command.name, 0, 0)
        await _respond(client, raw_command.get(), command.handler(options), "command", ids)

    # discord.py reads the options from the signature of the callback, so the callback gets that of `act`.
    signature = inspect.signature(command.act, eval_str=True)
    context, _, *parameters = signature.parameters.values()
    vars(callback)["__signature__"] = signature.replace(parameters=[context, *parameters])
    described = app_commands.describe(**command.options)(callback) if command.options else callback
    made: app_commands.Command[Any, Any, None]
    made = app_commands.Command(name=command.name, description=command.description, callback=described)
    for option, suggest in command.suggest.items():
        made.autocomplete(option)(_autocomplete(suggest))
    return made


def _autocomplete(suggest: Suggest) -> Autocomplete:
    async def complete(interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        client = cast("Client", interaction.client)
        if not client.is_serving() or not client.allows(interaction.user.id, "typing"):
            return []
        click = click_of(client, raw_command.get())
        try:
            offered = await suggest(await Context.of(client, click), click)
        except Declined:
            return []
        fitting = [(words, value) for words, value in offered if typed.lower() in f"{words} {value}".lower()]
        # Those that begin with what was typed come first.
        fitting.sort(key=lambda choice: not choice[0].lower().startswith(typed.lower()))
        del fitting[MOST_SUGGESTED:]
        return [app_commands.Choice(name=shortened(words, OPTION_TEXT), value=value) for words, value in fitting]

    return complete


async def _respond(client: Client, data: Mapping[str, Any], handler: Handler, kind: Kind, ids: ButtonId) -> None:
    """Answer an interaction; ignore it if somebody over the rate limit has just been told so."""
    if not client.is_serving():
        return  # another process may be answering
    click = click_of(client, data, ids)
    if not client.allows(click.user.id, kind):
        client.answers.too_fast += 1
        if not client.allows(click.user.id, "refusal"):
            return
        handler = too_fast
    await answer(client, Responder(client.http, data, client.direct), handler, click)


async def unknown(ctx: Context, _: Click) -> Answer:
    """Decline a click whose id cannot be parsed or has an unknown verb, as that of another version's button."""
    return refused(ctx.t("**This button is out of date:** I have been updated since."))


def click_of(client: Client, data: Mapping[str, Any], ids: ButtonId = NOT_THERE) -> Click:
    """Parse the raw payload of an interaction."""
    inner = data["data"]
    member: Mapping[str, Any] = data.get("member") or {}
    user = (member or data)["user"]  # in a server or elsewhere
    shown_name = member.get("nick") or user.get("global_name") or user["username"]
    rights = discord.Permissions(int(member.get("permissions", 0)))
    entered = [each for each in walk(inner.get("components", ())) if "value" in each and "custom_id" in each]
    locale, guild_id = str(data.get("locale", "")), int(data.get("guild_id") or 0)
    return Click(
        id=int(data["id"]),
        user=Person(id=int(user["id"]), name=clean(shown_name) or clean(user["username"]) or user["id"]),
        guild_id=guild_id,
        channel_id=int(data.get("channel", {}).get("id", 0)),
        table_id=ids.table,
        seen=ids.revision,
        verb=ids.verb,
        argument=ids.argument,
        locale=locale,
        guild_locale=str(data.get("guild_locale") or locale),
        heard_at=data["heard_at"],
        values=tuple(inner.get("values", ())),
        fields={each["custom_id"]: each["value"] for each in entered},
        clicked=data.get("message", {}).get("components", ()),
        moderator=rights.manage_messages or rights.manage_guild or rights.administrator,
        manager=rights.manage_guild or rights.administrator,
        polite=inner.get("name") == POLITE or ids.table == POLITE_ID,
        **bot_here(data, client.get_guild(guild_id)),
    )


async def answer(client: Client, responder: Responder, handler: Handler, click: Click) -> None:
    """Handle a click or a command and send the answer; then say what else there is to say, and tidy up."""
    paused = client.tables.play.paused_table(click)
    reply = Reply(responder, click, client.answers, client.pending)
    with client.pending.under_way():
        shown = await reply.send(partial(_run, client, handler, click))
    if responder.is_answered:
        took = client.pending.monotonic() - click.heard_at
        _log.debug("answered: name=%s table=%s milliseconds=%.0f", click.verb, click.table_id, 1000 * took)
    if shown is not None and shown.hand_at is not None:
        click = click.about(shown.hand_at.id)  # a command named no table
        paused = paused or client.tables.play.paused_table(click)
        await _keep_hand_current(client, responder, click, shown, shown.hand_at)
    if not (click.lacking or click.outside):
        client.retry_in(click.channel_id)
    if client.blocked and responder.is_answered:
        await _tell_of_automod(client, responder, click)
    if paused is not None and responder.is_answered and not (shown and shown.tells_pause):
        await _tell_why_paused(client, responder, click, paused)
    kind = "" if shown is None else shown.kind
    if kind != "form":  # what was refused may be why a form is opened again
        taken_over = responder.made_by if kind == "here" else 0
        # Without an answer of its own, this was a second delivery, and the first one's answer stays.
        is_shown = kind == "refused" and responder.is_answered
        await client.refused.replace(click, responder if is_shown else None, taken_over)


async def too_fast(_: Context, __: Click) -> Answer:
    """Decline a click that comes faster than people click by hand."""
    raise Declined(Decline.TOO_FAST)


async def _run(client: Client, handler: Handler, click: Click) -> Answer:
    async def work() -> Answer:
        made = await handler(await Context.of(client, click), click)
        if made.kind == "public" and not (made.pings or client.allows(click.channel_id, "public")):
            return replace(made, kind="private", screen=made.private_screen or made.screen)
        return made

    first = await _answer_or_apology(client, work, click)
    return replace(first, then=partial(_answer_or_apology, client, first.then, click)) if first.then else first


async def _answer_or_apology(client: Client, work: Callable[[], Awaitable[Answer]], click: Click) -> Answer:
    try:
        try:
            made = await work()
        except Declined as declined:
            if declined.why is Decline.SAVING_FAILED:
                _log.warning("a click could not be carried out: verb=%s why=%s", click.verb, declined.words)
            made = await explain_decline(client.tables, click, declined)
        renew(made.screen, click.id)
    except Exception:  # noqa: BLE001 - every click is answered; the log has the traceback
        _log.exception("a click failed: verb=%s table=%s interaction=%s", click.verb, click.table_id, click.id)
        return explain_failure(click)
    return made


async def _keep_hand_current(client: Client, responder: Responder, click: Click, shown: Answer, table: Table) -> None:
    """Keep the hand that the answer shows up to date from now on, and delete an older message of the same hand."""
    made_by = responder.made_by if shown.kind == "here" and responder.is_replaceable else responder.id
    message = HandMessage(responder, click.user.id, table, partial(_draw_hand, client, click), made_by=made_by)
    if older := client.hands.opened(table, click.user.id, message):
        await older.delete()


async def _draw_hand(client: Client, click: Click, now: Shown) -> Prepared:
    """A hand as it is now, or a note on why there is none any more. Declined: the store does not answer."""
    t, reader = (await Context.of(client, click)).t, click.user.id
    if isinstance(now, HandSnapshot):
        return Prepared(hand_screen(t, now))
    if isinstance(now, Declined):
        return Prepared(explain_lost_hand(t, now, reader))
    screen = asked_screen if now.table.status == "lobby" else left_screen
    return Prepared(screen(t, now.table, reader))


async def _tell_why_paused(client: Client, responder: Responder, click: Click, paused: Table) -> None:
    """Have a paused table go on after a click there, if it can; tell them why it was paused and how it goes on."""
    with suppress(Declined, *UNREACHABLE):
        may_draw = paused.message_id and not (click.lacking or click.outside)  # perhaps, in an archived thread
        if may_draw and client.tables.play.paused_table(click) is paused:  # only a move would, and perhaps nobody can
            await client.tables.play.move_to_bottom(click)
        if not (await client.tables.snapshot(paused.id)).table.is_open:  # the click ended it
            return
        # None if archived: from inside, a bot that lacks nothing would mostly have reopened it.
        is_outside = not click.lacking if click.outside is None else click.outside
        why = no_table(replace(click, outside=is_outside), is_paused=True)
        await responder.add(message_of(why or explain_pause((await Context.of(client, click)).t, paused)))


async def _tell_of_automod(client: Client, responder: Responder, click: Click) -> None:
    """Tell the host of the channel's table, once, that AutoMod keeps its message from being updated."""
    with suppress(Declined, *UNREACHABLE):
        table_id = await client.tables.play.in_channel(click.guild_id, click.channel_id)
        if table_id not in client.blocked:
            return
        if (await client.tables.snapshot(table_id)).table.host_id == click.user.id:
            t = (await Context.of(client, click)).t
            await responder.add(message_of(explain_automod(t)))
            client.blocked.discard(table_id)
