"""Discord's side of an answer: reads an interaction into a `Press`, has it done, answers in time whatever happens.

A first answer that Discord no longer takes is not retried: what was done is done, and the public message shows it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any, Final

import discord

from cogs.answer_counts import Answers
from cogs.context import Answer, Click, Context, Handler, declined_answer, deleted_answer, lacking_answer, refused
from cogs.groups import permissions_missing
from cogs.open_hands import Hands
from cogs.prepared import Prepared, PreparedModal
from cogs.rate_limit import RateLimit
from cogs.screens.faces import Faces
from cogs.screens.hand import hand_screen
from cogs.screens.ids import ButtonId, parse_id
from cogs.screens.language import translator
from cogs.screens.names import clean
from data.models import Person, Table
from tables.snapshots import Decline, Declined, HandSnapshot

PATIENCE: Final = 1.0
"""Seconds after which Discord is told to wait; its own patience is three."""
ANSWERED, TOO_LATE = 40060, 10062
NOT_THERE: Final = ButtonId("", 0, 0)
_SILENT: Final = discord.AllowedMentions.none()
_log = logging.getLogger(__name__)


def context_of(interaction: discord.Interaction[Any]) -> Context:
    """The desk of the bot that got the interaction."""
    return Context(interaction.client.tables, getattr(interaction.client, "faces", Faces()))


def click_of(interaction: discord.Interaction[Any], ids: ButtonId = NOT_THERE) -> Click:
    """What the interaction says; the person is taken from it and from nothing else."""
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
    )


def _fields(components: Any) -> Iterator[tuple[str, str]]:
    for each in components:
        if "value" in each and "custom_id" in each:
            yield each["custom_id"], each["value"]
        yield from _fields(each.get("components", ()))
        if "component" in each:
            yield from _fields((each["component"],))


def ids_of(interaction: discord.Interaction[Any]) -> ButtonId | None:
    """What the id of the clicked thing says, None where it is no id of ours."""
    data: Mapping[str, Any] = interaction.data or {}
    return parse_id(str(data.get("custom_id", "")))


async def answer(interaction: discord.Interaction[Any], handler: Handler, click: Click) -> None:
    """Do what was asked and say what came of it."""
    if not _may_click(interaction):
        handler = decline_flood
    task = asyncio.ensure_future(_outcome(context_of(interaction), handler, click))
    done, _ = await asyncio.wait({task}, timeout=PATIENCE)
    try:
        if not done:
            _answers(interaction).put_off += 1
            await _first(_ask_for_time(interaction))
            await _give_late(interaction, found := await task)
        elif not await _first(_give(interaction, found := await task)) and found.screen:
            await interaction.edit_original_response(view=Prepared(found.screen), allowed_mentions=_SILENT)
        if found.hand is not None and (done or found.kind == "here" or not _is_private(interaction)):
            _follow(interaction, click, found.hand)
    except discord.HTTPException as error:
        _log.warning("an answer did not arrive: verb=%s code=%s status=%s", click.ids.verb, error.code, error.status)
        if error.code == TOO_LATE:
            _answers(interaction).late += 1
            task.cancel()  # nobody was told to wait for it; what is being stored is stored nevertheless
        # Else Discord is ill: the doorway has committed or will, the painter draws.
        await asyncio.wait({task})


def _follow(interaction: discord.Interaction[Any], click: Click, hand: HandSnapshot) -> None:
    """Have the hand that the answer shows drawn anew when the game goes on."""

    async def redraw(found: HandSnapshot) -> bool:
        try:
            screen = hand_screen(await context_of(interaction).fmt(click), found)
            await interaction.edit_original_response(view=Prepared(screen), allowed_mentions=_SILENT)
        except (Declined, discord.HTTPException):
            return False  # nothing is asked twice for a message that nobody can reach
        return True

    hands: Hands | None = interaction.client.hands
    if hands is not None:
        hands.opened(hand.snapshot.table.id, click.user.id, hand.snapshot.table.revision, redraw)


def _answers(interaction: discord.Interaction[Any]) -> Answers:
    return interaction.client.answers


def _may_click(interaction: discord.Interaction[Any]) -> bool:
    rate_limit: RateLimit | None = interaction.client.rate_limit
    command = interaction.type is discord.InteractionType.application_command
    if rate_limit is None or rate_limit.allows(interaction.user.id, command=command):
        return True
    _answers(interaction).refused += 1
    return False


async def decline_flood(ctx: Context, click: Click) -> Answer:  # noqa: ARG001 - as all that do something
    """Somebody clicks faster than people do."""
    raise Declined(Decline.TOO_FAST)


def paused_at(interaction: discord.Interaction[Any], click: Click) -> Table | None:
    """The table that is clicked at, if its game stands still because it cannot be shown."""
    return context_of(interaction).tables.play.paused(click.request)


async def tell_why_paused(interaction: discord.Interaction[Any], click: Click, paused: Table | None) -> None:
    """Say why the game stood still to whoever clicked, and how it goes on."""
    if paused is None or not interaction.response.is_done():
        return
    with suppress(Declined, discord.HTTPException):
        if missing := permissions_missing(interaction):
            note = lacking_answer(click, missing)
        elif paused.message_id is None:
            note = await deleted_answer(context_of(interaction), click)
        else:
            return
        await interaction.followup.send(view=Prepared(note.screen), ephemeral=True, allowed_mentions=_SILENT)


async def _first(request: Coroutine[Any, Any, None]) -> bool:
    """Make the first answer; False where Discord has one: it had arrived, and was sent again for want of an echo."""
    try:
        await request
    except discord.HTTPException as error:
        if error.code != ANSWERED:
            raise
        return False
    return True


async def _outcome(ctx: Context, handler: Handler, click: Click) -> Answer:
    try:
        return await handler(ctx, click)
    except Declined as declined:
        return await declined_answer(ctx, click, declined)
    except Exception:  # noqa: BLE001 - a click is answered whatever happens; the log has the rest
        _log.exception("a click failed: verb=%s table=%s interaction=%s", click.ids.verb, click.ids.table, click.id)
        t = translator(click.locale)
        return refused(
            t("**Something went wrong, sorry.** Press the button again; note {number} if it stays.", number=click.id)
        )


def _is_private(interaction: discord.Interaction[Any]) -> bool:
    return interaction.message is not None and interaction.message.flags.ephemeral


async def _ask_for_time(interaction: discord.Interaction[Any]) -> None:
    if _is_private(interaction):
        await interaction.response.defer()
    else:
        await interaction.response.defer(ephemeral=True, thinking=True)


async def _give(interaction: discord.Interaction[Any], found: Answer) -> None:
    if found.kind == "form" and found.form is not None:
        await interaction.response.send_modal(PreparedModal(found.form))
    elif found.kind == "quiet":
        await interaction.response.defer()
    elif found.kind == "here" and _is_private(interaction):
        await interaction.response.edit_message(view=Prepared(found.screen), allowed_mentions=_SILENT)
    else:
        hidden = found.kind != "public"
        await interaction.response.send_message(
            view=Prepared(found.screen), files=_files(found), ephemeral=hidden, allowed_mentions=_mentions(found)
        )


def _mentions(found: Answer) -> discord.AllowedMentions:
    return _SILENT if found.ping is None else discord.AllowedMentions(users=[discord.Object(found.ping)])


def _files(found: Answer) -> list[discord.File]:
    return [discord.File(BytesIO(data), name) for name, data in found.files]


async def _give_late(interaction: discord.Interaction[Any], found: Answer) -> None:
    if found.kind == "form":
        t = translator(interaction.locale.value)
        found = refused(t("**That took too long.** Press the button again."))
    if found.kind == "quiet":
        if not _is_private(interaction):
            await interaction.delete_original_response()
    elif found.kind == "here" or not _is_private(interaction):
        await interaction.edit_original_response(
            view=Prepared(found.screen), attachments=_files(found), allowed_mentions=_SILENT
        )
    else:
        hidden = found.kind != "public"
        await interaction.followup.send(
            view=Prepared(found.screen), files=_files(found), ephemeral=hidden, allowed_mentions=_mentions(found)
        )
