"""Gives an answer to Discord in time, whatever happens, as prepared component data. Knows neither topics nor tables.

A first answer that Discord no longer takes is not retried: what was done is done, and the public message shows it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import discord

import cogs.screens.components as ui
from cogs.clicks import Answer, refused
from cogs.screens.language import translator

PATIENCE: Final = 1.0
"""Seconds after which Discord is told to wait; its own patience is three."""
ANSWERED, TOO_LATE = 40060, 10062
SILENT: Final = discord.AllowedMentions.none()
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AnswerCounts:
    """How answers fared since the start.

    `late` came too late for Discord, `put_off` asked Discord for time, `refused` said that somebody clicks too fast.
    `took` is told after how many seconds each was given.
    """

    late: int = 0
    put_off: int = 0
    refused: int = 0
    took: Callable[[float], object] = lambda _seconds: None


async def reply(
    interaction: discord.Interaction[Any], work: Coroutine[Any, Any, Answer], counts: AnswerCounts, verb: str
) -> Answer | None:
    """Do the work and send what comes of it; the answer, where the interaction's own message shows it now.

    `verb` is what the log calls it where Discord does not take the answer.
    """
    begun, task = time.perf_counter(), asyncio.ensure_future(work)
    done, _ = await asyncio.wait({task}, timeout=PATIENCE)
    try:
        if not done:
            counts.put_off += 1
            await _first(_ask_for_time(interaction))
            found = await task
            await _give_late(interaction, await found.then() if found.then else found)
        elif not await _first(_give(interaction, found := await task)) and found.screen:
            await edit(interaction, found)
        if done and found.then:
            await edit(interaction, await found.then())
    except discord.HTTPException as error:
        _log.warning("an answer did not arrive: verb=%s code=%s status=%s", verb, error.code, error.status)
        if error.code == TOO_LATE:
            counts.late += 1
            task.cancel()  # never acknowledged; a pending commit still completes
        # Else Discord is ill: the doorway has committed or will, the painter draws.
        await asyncio.wait({task})
        return None
    counts.took(time.perf_counter() - begun)
    return found if done or found.kind == "here" or not is_private(interaction) else None


async def edit(interaction: discord.Interaction[Any], answer: Answer) -> None:
    """Have the interaction's own message show an answer."""
    view = Prepared(answer.screen, answer.files)
    await interaction.edit_original_response(view=view, attachments=view.files(), allowed_mentions=SILENT)


async def add(interaction: discord.Interaction[Any], answer: Answer) -> None:
    """Show one more private message after the answer."""
    await interaction.followup.send(view=Prepared(answer.screen), ephemeral=True, allowed_mentions=SILENT)


async def _first(request: Coroutine[Any, Any, None]) -> bool:
    """Make the first answer; False if Discord already has a response (retried request)."""
    try:
        await request
    except discord.HTTPException as error:
        if error.code != ANSWERED:
            raise
        return False
    return True


def is_private(interaction: discord.Interaction[Any]) -> bool:
    """Whether what was clicked is a private message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def _ask_for_time(interaction: discord.Interaction[Any]) -> None:
    # Whether the message to come is private is decided here: Discord ignores what is said later.
    if is_private(interaction):
        await interaction.response.defer()
    else:
        await interaction.response.defer(ephemeral=True, thinking=True)


async def _give(interaction: discord.Interaction[Any], found: Answer) -> None:
    if found.kind == "form" and found.form is not None:
        await interaction.response.send_modal(PreparedModal(found.form))
    elif found.kind == "quiet":
        await interaction.response.defer()
    elif found.kind == "here" and is_private(interaction):
        await interaction.response.edit_message(view=Prepared(found.screen), allowed_mentions=SILENT)
    else:
        await _send(interaction.response.send_message, found)


async def _give_late(interaction: discord.Interaction[Any], found: Answer) -> None:
    if found.kind == "form":  # a form is possible as the first answer only
        t = translator(interaction.locale.value)
        found = refused(t("**That took too long.** Press the button again."))
    if found.kind == "quiet":
        if not is_private(interaction):
            await interaction.delete_original_response()
    elif found.kind == "here" or not is_private(interaction):
        await edit(interaction, found)
    else:
        await _send(interaction.followup.send, found)


async def _send(send: Any, found: Answer) -> None:
    view = Prepared(found.screen, found.files)
    mentions = SILENT if found.ping is None else discord.AllowedMentions(users=[discord.Object(found.ping)])
    await send(view=view, files=view.files(), ephemeral=found.kind != "public", allowed_mentions=mentions)


class Prepared(discord.ui.LayoutView):
    """A message that was drawn already. Clicks on it arrive at the router by their ids."""

    def __init__(
        self,
        screen: ui.Screen,
        pictures: Mapping[str, bytes] | None = None,
        *,
        shows: int | None = None,
        keeps: bool = False,
    ) -> None:
        """Take the drawn components and the pictures they show; stopped at once, so that discord.py keeps neither.

        `shows` is the same for pictures that show the same. With `keeps` the message keeps the pictures that it has.
        """
        super().__init__(timeout=None)
        self._screen = screen
        self.pictures = pictures or {}
        self.shows, self.keeps = shows, keeps
        self.stop()

    def to_components(self) -> list[dict[str, Any]]:
        """The components as they were drawn."""
        return self._screen

    def files(self) -> list[discord.File]:
        """The pictures, to be sent along once."""
        return [discord.File(BytesIO(data), name) for name, data in self.pictures.items()]

    @property
    def is_pictured(self) -> bool:
        """Whether it shows a picture."""
        return self.keeps or bool(self.pictures)

    def has_components_v2(self) -> bool:
        """Always: screens are made of the second version of components."""
        return True

    def is_dispatchable(self) -> bool:
        """Never: the router takes the clicks."""
        return False


class PreparedModal(discord.ui.Modal):
    """A form that was drawn already; what is filled in arrives at the router."""

    def __init__(self, form: ui.Component) -> None:
        """Take the drawn form; stopped at once, as above."""
        super().__init__(title=form["title"], custom_id=form["custom_id"], timeout=None)
        self._fields: list[dict[str, Any]] = form["components"]
        self.stop()

    def to_components(self) -> list[dict[str, Any]]:
        """The fields as they were drawn."""
        return self._fields
