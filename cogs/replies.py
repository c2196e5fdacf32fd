"""Gives an answer to Discord in time, whatever happens, as prepared component data. Knows neither topics nor tables.

A first answer that Discord no longer takes is not retried: the change is stored, and the public message shows it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import discord

from cogs.asker import EPHEMERAL, FORM, LATER_MESSAGE, LATER_UPDATE, MESSAGE, UNREACHABLE, UPDATE, Asker, Prepared
from cogs.clicks import Answer, Click, refused
from cogs.screens.language import translator

PATIENCE: Final = 1.0
"""Seconds after which Discord is told to wait."""
ANSWERABLE: Final = 1.0
"""Seconds from when a click is heard in which its work must begin: with `PATIENCE` two of the three of Discord."""
PLACES: Final = 64
"""So many clicks are worked on at once, until they are done or put off: more would only make one another late."""
IDLE_AFTER: Final = 0.03
"""Seconds without anybody waiting after which nobody is expected to click at once."""
LONGEST_DELAY: Final = 1.0
"""Seconds by which the tables that are to be drawn next are put off at most."""
ANSWERED, TOO_LATE = 40060, 10062
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AnswerCounts:
    """How answers fared since the start.

    `late` came too late for Discord, `put_off` asked Discord for time, `refused` said that somebody clicks too fast;
    `dropped` clicks were too old to be worked on. `took` is told after how many seconds each was given.
    """

    late: int = 0
    dropped: int = 0
    put_off: int = 0
    refused: int = 0
    took: Callable[[float], object] = lambda _seconds: None


class PendingClicks:
    """Counts who waits for an answer, so that work that can wait lets them go first."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Nobody waits."""
        self.monotonic, self._sleep = monotonic, sleep
        self._waiting, self._last = 0, -IDLE_AFTER
        self.on_begin: Callable[[], None] = lambda: None  # called when somebody begins to wait
        self.places = asyncio.Semaphore(PLACES)

    @contextmanager
    def answering(self) -> Generator[None]:
        """Somebody waits meanwhile."""
        self._waiting += 1
        try:
            self.on_begin()
            yield
        finally:
            self._waiting -= 1
            self._last = self.monotonic()

    async def idle(self) -> None:
        """Wait until nobody has waited for `IDLE_AFTER` seconds, but for `LONGEST_DELAY` at most."""
        end = self.monotonic() + LONGEST_DELAY
        while True:
            now = self.monotonic()
            rest = IDLE_AFTER if self._waiting else self._last + IDLE_AFTER - now
            if rest <= 0 or now >= end:
                return
            await self._sleep(rest)


async def reply(
    asker: Asker, work: Callable[[], Awaitable[Answer]], counts: AnswerCounts, pending: PendingClicks, click: Click
) -> Answer | None:
    """Do the work and send what comes of it; the answer, if the interaction's own message shows it now."""
    with pending.answering():
        async with pending.places:
            if pending.monotonic() > click.heard_at + ANSWERABLE:
                counts.dropped += 1
                _log.debug("too late to be answered, so nothing is done: verb=%s", click.ids.verb)
                return None
            task = asyncio.ensure_future(work())
            await asyncio.wait({task}, timeout=PATIENCE)
    try:
        answered, is_late = await _given(asker, task, counts, pending)
        counts.took(pending.monotonic() - click.heard_at)
        if answered.then:
            later = await answered.then()
            await (_give_late(asker, later) if is_late else asker.edit(prepared(later)))
    except UNREACHABLE as error:
        status, code = (error.status, error.code) if isinstance(error, discord.HTTPException) else (None, None)
        what = click.ids.verb, type(error).__name__, status, code
        _log.warning("an answer did not arrive: verb=%s error=%s status=%s code=%s", *what)
        if code == TOO_LATE:
            counts.late += 1
            task.cancel()  # never acknowledged; a pending commit still completes
        # Else Discord is ill: the doorway has committed or will, the painter draws.
        await asyncio.wait({task})
        return None
    return None if is_late and answered.kind != "here" and asker.is_private else answered


async def _given(
    asker: Asker, task: asyncio.Task[Answer], counts: AnswerCounts, pending: PendingClicks
) -> tuple[Answer, bool]:
    """What came of the work, after it was given, and whether that was late; what takes long is not waited for."""
    done = task.done()
    with pending.answering():
        if not done:
            counts.put_off += 1
            await _first(_ask_for_time(asker))
        answered = await task
        if not done and not answered.then:
            await _give_late(asker, answered)
        elif done and not await _first(_give(asker, answered)) and answered.screen:
            await asker.edit(prepared(answered))
    return answered, not done


def prepared(answered: Answer) -> Prepared:
    """An answer as a message."""
    return Prepared(answered.screen, answered.files)


async def _first(request: Coroutine[Any, Any, None]) -> bool:
    """Make the first answer; False if Discord already has a response (retried request)."""
    try:
        await request
    except discord.HTTPException as error:
        if error.code != ANSWERED:
            raise
        return False
    return True


async def _ask_for_time(asker: Asker) -> None:
    # Whether the message to come is private is decided here: Discord ignores what is said later.
    if asker.is_private:
        await asker.respond(LATER_UPDATE)
    else:
        await asker.respond(LATER_MESSAGE, {"flags": EPHEMERAL})


async def _give(asker: Asker, answered: Answer) -> None:
    if answered.kind == "form" and answered.form is not None:
        await asker.respond(FORM, answered.form)
    elif answered.kind == "here" and asker.is_private:
        await asker.respond(UPDATE, prepared(answered).body(), answered.files)
    else:
        body = prepared(answered).body(private=answered.kind != "public", pings=answered.pings)
        await asker.respond(MESSAGE, body, answered.files)


async def _give_late(asker: Asker, answered: Answer) -> None:
    if answered.kind == "form":  # a form is possible as the first answer only
        t = translator(asker.locale)
        answered = refused(t("**That took too long.** Press the button again."))
    if answered.kind == "here" or not asker.is_private:
        await asker.edit(prepared(answered))
    else:
        await asker.add(prepared(answered), private=answered.kind != "public", pings=answered.pings)
