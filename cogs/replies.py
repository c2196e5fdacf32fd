"""Answers every click in time, whatever happens. Must not import topics or tables.

If Discord no longer accepts a first answer, it is not retried: the change is stored, and the public message shows it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import discord

from cogs.clicks import Answer, Click, refused
from cogs.responder import EPHEMERAL, UNREACHABLE, First, Prepared, Responder
from cogs.screens.language import translator

PATIENCE: Final = 1.0
"""Seconds of work after which Discord is asked for more time."""
ANSWERABLE: Final = 1.0
"""Seconds after its arrival in which work on a click must begin. With `PATIENCE` that is two of Discord's three."""
MOST_AT_ONCE: Final = 64
"""The most clicks worked on at once, until they are done or deferred; more would only delay each other."""
QUIET_AFTER: Final = 0.03
"""Seconds without a pending click after which none is expected to follow at once."""
LONGEST_DELAY: Final = 1.0
"""The most seconds for which pending clicks hold up the drawing of public messages."""
ANSWERED, TOO_LATE = 40060, 10062
Sleep: TypeAlias = Callable[[float], Awaitable[None]]
Work: TypeAlias = Callable[[], Awaitable[Answer]]
"""What a click sets off: a handler with its arguments. It answers even if it fails."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AnswerCounts:
    """Counts of answers since the start.

    `late` came too late for Discord, `deferred` asked it for more time, `refused` told somebody that they click too
    fast; `dropped` clicks were too old to be worked on. `took` is called with each click's seconds to its answer.
    """

    late: int = 0
    dropped: int = 0
    deferred: int = 0
    refused: int = 0
    took: Callable[[float], object] = lambda _seconds: None


class PendingClicks:
    """Counts the clicks that wait for an answer, so that less urgent work can let them go first."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        """Start without a pending click. `monotonic` and `sleep` are replaced in tests."""
        self.monotonic, self._sleep = monotonic, sleep
        self._waiting, self._last = 0, -QUIET_AFTER
        self.on_begin: Callable[[], None] = lambda: None  # called for each click that begins to wait
        self.permits = asyncio.Semaphore(MOST_AT_ONCE)

    @contextmanager
    def answering(self) -> Generator[None]:
        """Count a click as waiting inside this block."""
        self._waiting += 1
        try:
            self.on_begin()
            yield
        finally:
            self._waiting -= 1
            self._last = self.monotonic()

    async def quiet(self) -> None:
        """Wait until no click has been pending for `QUIET_AFTER` seconds, but no longer than `LONGEST_DELAY`."""
        end = self.monotonic() + LONGEST_DELAY
        while True:
            now = self.monotonic()
            rest = QUIET_AFTER if self._waiting else self._last + QUIET_AFTER - now
            if rest <= 0 or now >= end:
                return
            await self._sleep(rest)


async def reply(
    responder: Responder, work: Work, counts: AnswerCounts, pending: PendingClicks, click: Click
) -> Answer | None:
    """Do the work and send its answer; return the answer if the interaction's own message shows it now, else None."""
    task = await _begin(work, counts, pending, click)
    if task is None:
        return None
    try:
        if task.done():
            return await _answer_at_once(responder, task, counts, pending, click)
        return await _answer_late(responder, task, counts, pending, click)
    except UNREACHABLE as error:
        await _give_up(task, error, counts, click)
        return None


async def _begin(work: Work, counts: AnswerCounts, pending: PendingClicks, click: Click) -> asyncio.Task[Answer] | None:
    """Begin the work and wait at most `PATIENCE` seconds for its end; None if the click is too old to be answered."""
    with pending.answering():
        async with pending.permits:
            if pending.monotonic() > click.heard_at + ANSWERABLE:
                counts.dropped += 1
                _log.debug("too late to be answered, so nothing is done: verb=%s", click.ids.verb)
                return None
            task = asyncio.ensure_future(work())
            await asyncio.wait({task}, timeout=PATIENCE)
    return task


async def _answer_at_once(
    responder: Responder, task: asyncio.Task[Answer], counts: AnswerCounts, pending: PendingClicks, click: Click
) -> Answer:
    """Send the answer of finished work as the first answer; if slow work follows, its answer replaces this one."""
    with pending.answering():
        answered = await task
        is_sent = await _send_first(_send(responder, answered))
        if not is_sent and answered.screen:
            await responder.edit(prepared(answered))
    counts.took(pending.monotonic() - click.heard_at)
    if answered.then:  # nothing else waits for slow work, and the time that it takes is not counted
        await responder.edit(prepared(await answered.then()))
    return answered


async def _answer_late(
    responder: Responder, task: asyncio.Task[Answer], counts: AnswerCounts, pending: PendingClicks, click: Click
) -> Answer | None:
    """Ask Discord for time, and send the answer of the work when it ends; if slow work follows, only its answer."""
    with pending.answering():
        counts.deferred += 1
        await _send_first(_ask_for_time(responder))
        answered = await task
        if not answered.then:
            await _send_late(responder, answered)
    counts.took(pending.monotonic() - click.heard_at)
    if answered.then:
        await _send_late(responder, await answered.then())
    return answered if _is_for_own_message(responder, answered) else None


async def _give_up(task: asyncio.Task[Answer], error: Exception, counts: AnswerCounts, click: Click) -> None:
    """Log that the answer did not arrive, and wait until the work has ended."""
    status, code = (error.status, error.code) if isinstance(error, discord.HTTPException) else (None, None)
    what = click.ids.verb, type(error).__name__, status, code
    _log.warning("an answer did not arrive: verb=%s error=%s status=%s code=%s", *what)
    if code == TOO_LATE:
        counts.late += 1
        task.cancel()  # never acknowledged; a pending commit still completes
    # Otherwise Discord has a problem: the doorway commits, and the painter shows it.
    await asyncio.wait({task})


def prepared(answered: Answer) -> Prepared:
    """The message of an answer."""
    return Prepared(answered.screen, answered.files)


async def _send_first(request: Coroutine[Any, Any, None]) -> bool:
    """Send the first answer. False if Discord already has one, because a retried request arrived twice."""
    try:
        await request
    except discord.HTTPException as error:
        if error.code != ANSWERED:
            raise
        return False
    return True


async def _ask_for_time(responder: Responder) -> None:
    # Whether the message will be private is decided here: Discord ignores the flag in later edits.
    if responder.is_private:
        await responder.respond(First.LATER_UPDATE)
    else:
        await responder.respond(First.LATER_MESSAGE, {"flags": EPHEMERAL})


async def _send(responder: Responder, answered: Answer) -> None:
    if answered.kind == "form" and answered.form is not None:
        await responder.respond(First.FORM, answered.form)
    elif answered.kind == "here" and responder.is_private:
        await responder.respond(First.UPDATE, prepared(answered).body(), answered.files)
    else:
        body = prepared(answered).body(private=answered.kind != "public", pings=answered.pings)
        await responder.respond(First.MESSAGE, body, answered.files)


async def _send_late(responder: Responder, answered: Answer) -> None:
    if answered.kind == "form":  # Discord accepts a form only as the first answer
        t = translator(responder.locale)
        answered = refused(t("**That took too long.** Press the button again."))
    if _is_for_own_message(responder, answered):
        await responder.edit(prepared(answered))
    else:
        await responder.add(prepared(answered), private=answered.kind != "public", pings=answered.pings)


def _is_for_own_message(responder: Responder, answered: Answer) -> bool:
    """Whether a late answer goes into the interaction's own message; else it is added as another message."""
    return answered.kind == "here" or not responder.is_private
