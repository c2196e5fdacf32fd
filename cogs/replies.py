"""Answers every click that is still worth answering, in time. Must not import `cogs.topics` or services of tables.

If Discord accepts no answer any more, the work is cancelled, except a change that is being stored: the table shows it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import aiohttp
import discord

from cogs.clicks import Answer, Click, refused
from cogs.responder import BAN_CODES, EDITABLE_FOR, EPHEMERAL, TOO_LATE, UNREACHABLE, First, Prepared, Responder, Sleep
from cogs.screens.formatter import formatter

DEFER_AFTER: Final = 1.0
"""Seconds of work after which Discord is asked for more time."""
ANSWERABLE: Final = 1.0
"""Seconds after its arrival in which work on a click must begin. With `DEFER_AFTER` that is two of Discord's three."""
MOST_AT_ONCE: Final = 64
"""The most clicks worked on at once, until they are done or deferred; more would only delay each other."""
QUIET_AFTER: Final = 0.03
"""Seconds without a pending click after which none is expected to follow at once."""
LONGEST_DELAY: Final = 1.0
"""The most seconds for which pending clicks hold up the drawing of public messages."""
MOST_REFUSED: Final = 1_000
"""The most refused answers that are remembered in order to be deleted; the oldest is forgotten first."""
ANSWERED, INVALID, GONE = 40060, 50035, 10008
"""Discord's error codes: answered already; a message not accepted; the edited message is gone."""
Work: TypeAlias = Callable[[], Awaitable[Answer]]
"""What a click sets off: a handler with its arguments. It answers even if it fails."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AnswerCounts:
    """Counts of answers since the start.

    `undelivered` did not arrive, `deferred` asked Discord for more time, `too_fast` clicks came too fast, whether or
    not the person was told; `dropped` ones were too old to be worked on. `took` gets each click's time to its answer.
    """

    undelivered: int = 0
    dropped: int = 0
    deferred: int = 0
    too_fast: int = 0
    took: Callable[[float], object] = lambda _seconds: None


class PendingClicks:
    """Counts the clicks that wait for an answer, so that less urgent work can let them go first."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        """Start without a pending click. `monotonic` and `sleep` are replaced in tests."""
        self.monotonic, self._sleep = monotonic, sleep
        self._waiting, self._last = 0, -QUIET_AFTER
        self._under_way = 0
        self.on_begin: Callable[[], None] = lambda: None  # called for each click that begins to wait
        self.permits = asyncio.Semaphore(MOST_AT_ONCE)

    @contextmanager
    def under_way(self) -> Generator[None]:
        """Count a click as under way inside this block, however long its work takes."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def done(self) -> None:
        """Wait until no click is under way."""
        while self._under_way:
            await self._sleep(QUIET_AFTER)

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


class Reply:
    """The reply to one click: its work, and the messages that answer it.

    Work that takes longer than `DEFER_AFTER` is deferred: while it goes on, Discord is asked for more time.
    """

    def __init__(self, responder: Responder, click: Click, counts: AnswerCounts, pending: PendingClicks) -> None:
        self._responder, self._click, self._counts, self._pending = responder, click, counts, pending
        self._worker: asyncio.Task[Any] | None = None  # while it works
        self._deferring: asyncio.Task[None] | None = None
        self._is_given_up = False

    async def send(self, work: Work) -> Answer | None:
        """Do the work and send its answer; return it if a message shows it that the responder can edit, else None."""
        try:
            with self._pending.answering():
                answer = await self._do(work)
                if self._deferring is not None:
                    with suppress(aiohttp.ClientError, OSError):  # it may have arrived; if not, what follows is refused
                        await self._deferring  # raises if Discord gave no more time
                if answer is None:
                    return None
                if self._deferring is None:
                    await self._send_at_once(answer)
                elif not answer.then:  # else only the answer after its slow work is sent
                    answer = await self._send_late(answer)
            self._counts.took(self._pending.monotonic() - self._click.heard_at)
            if answer.then:  # nothing else waits for slow work, and the time that it takes is not counted
                answer = await self._send_late(await answer.then())
        except UNREACHABLE as error:
            self._note_failure(error)
            is_banned = isinstance(error, discord.Forbidden) and error.code in BAN_CODES
            if isinstance(error, discord.HTTPException) and error.status in {400, 403, 413} and not is_banned:
                await self._apologize()
            return None
        return answer if answer.hand_at is not None or self._is_for_own_message(answer) else None

    async def _do(self, work: Work) -> Answer | None:
        """Do the work, and defer it if it takes long; None if the click is too old, or becomes so meanwhile.

        A task of its own for the work would cost every click four turns of the event loop.
        """
        await self._pending.permits.acquire()
        timer = asyncio.get_running_loop().call_later(DEFER_AFTER, self._defer)
        self._worker = asyncio.current_task()
        try:
            if self._pending.monotonic() > self._click.heard_at + ANSWERABLE:
                self._counts.dropped += 1
                _log.debug("too late to be answered, so nothing is done: verb=%s", self._click.verb)
                return None
            return await work()
        except asyncio.CancelledError:
            only_given_up = self._is_given_up and self._worker is not None and self._worker.uncancel() == 0
            if not only_given_up:  # somebody else wants the task to end
                raise
            return None
        finally:
            timer.cancel()
            self._worker = None
            if self._deferring is None:  # else `_defer` has done so
                self._pending.permits.release()

    def _defer(self) -> None:
        """Ask Discord for more time, and let another click begin."""
        self._pending.permits.release()
        self._counts.deferred += 1
        self._deferring = asyncio.create_task(self._ask_for_time())
        self._deferring.add_done_callback(self._give_up_if_too_late)

    def _give_up_if_too_late(self, deferring: asyncio.Task[None]) -> None:
        if self._worker and not deferring.cancelled() and _code_of(deferring.exception()) == TOO_LATE:
            self._is_given_up = True
            self._worker.cancel()  # never acknowledged; a pending commit still completes

    def _note_failure(self, error: Exception) -> None:
        """Note that the answer did not arrive. The painter shows what the work has changed."""
        status = error.status if isinstance(error, discord.HTTPException) else None
        code = _code_of(error)
        what = self._click.verb, self._click.table_id, type(error).__name__, status, code
        _log.warning("an answer did not arrive: verb=%s table=%s error=%s status=%s code=%s", *what)
        is_unasked = self._deferring is not None and not self._responder.is_answered
        is_dismissed = isinstance(error, discord.NotFound) and code not in {0, TOO_LATE} and not is_unasked
        self._counts.undelivered += not is_dismissed

    async def _send_at_once(self, answer: Answer) -> None:
        # A click may be delivered twice, and the second delivery be refused for being too fast.
        if not await self._send_first(answer) and answer.screen and answer.kind != "refused":
            await self._responder.edit(message_of(answer))

    async def _send_first(self, answer: Answer) -> bool:
        """Send an answer as the first one. False if Discord already has one."""
        if answer.kind == "form" and answer.form is not None:
            return await self._respond(First.FORM, answer.form)
        if answer.kind == "redrawn" or (answer.kind == "here" and self._responder.is_replaceable):
            return await self._respond(First.UPDATE, message_of(answer).body(), answer.files)
        body = message_of(answer).body(private=answer.kind != "public", pings=answer.pings)
        return await self._respond(First.MESSAGE, body, answer.files)

    async def _ask_for_time(self) -> None:
        # Whether the message will be private is decided here: Discord ignores the flag in later edits.
        if self._responder.is_replaceable:
            await self._respond(First.DEFER_UPDATE)
        else:
            await self._respond(First.DEFER_MESSAGE, {"flags": EPHEMERAL})

    async def _respond(
        self, kind: First, body: dict[str, Any] | None = None, files: Mapping[str, bytes] | None = None
    ) -> bool:
        """Send the first answer. False if Discord already has one, because a retried request arrived twice."""
        try:
            await self._responder.respond(kind, body, files)
        except discord.HTTPException as error:
            if error.code == ANSWERED:
                return False
            if error.code == GONE and kind is First.UPDATE and body:
                self._responder.is_replaceable = False  # gone, so this and all later answers are messages of their own
                return await self._respond(First.MESSAGE, body | {"flags": body["flags"] | EPHEMERAL}, files)
            plain = json.loads(json.dumps(body), object_hook=_without_emoji) if error.code == INVALID else body
            if plain == body:
                raise
            is_first = await self._respond(kind, plain, files)  # somebody may have deleted the faces of cards
            _log.warning("an answer was accepted only without emojis: verb=%s", self._click.verb)
            return is_first
        return True

    async def _apologize(self) -> None:
        """Say that the answer cannot be shown."""
        t = formatter(self._click.locale, public=self._click.guild_locale)
        sorry = t("**My answer cannot be shown, sorry.** If you made a move, it counts. Press {hand}.", **t.buttons())
        with suppress(*UNREACHABLE):
            is_first = not self._responder.is_answered and await self._send_first(refused(sorry))
            if not is_first and (self._responder.is_answered or self._deferring):  # else the answer has arrived
                await self._send_late(refused(sorry))

    async def _send_late(self, answer: Answer) -> Answer:
        """Send an answer after the first one, or after time was asked for; return what was sent."""
        if answer.kind == "form":  # Discord accepts a form only as the first answer
            t = formatter(self._click.locale)
            answer = refused(t("**That took too long.** Press the button again."))
        if self._is_for_own_message(answer):
            await self._responder.edit(message_of(answer))
        elif answer.hand_at is not None:
            await self._responder.begin_another(message_of(answer))
        else:
            await self._responder.add(message_of(answer), private=answer.kind != "public", pings=answer.pings)
        return answer

    def _is_for_own_message(self, answer: Answer) -> bool:
        """Whether an answer goes into the interaction's own message; a late one may have to be another message."""
        return self._deferring is None or answer.kind == "here" or not self._responder.is_replaceable


def _without_emoji(made: dict[str, Any]) -> dict[str, Any]:
    """A button or an option without its emoji; each has a label, too."""
    return {key: value for key, value in made.items() if key != "emoji"}


def _code_of(error: BaseException | None) -> int | None:
    return error.code if isinstance(error, discord.HTTPException) else None


def message_of(answer: Answer) -> Prepared:
    return Prepared(answer.screen, answer.files)


class RefusedAnswers:
    """The last refused answer to each person in each channel: what they do next there deletes or replaces it."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, int], Responder] = {}

    async def replace(self, click: Click, shown: Responder | None, taken_over: int) -> None:
        """Remember the answer to this click, if it was refused, and delete the one before while Discord allows it.

        `taken_over` is the message in whose place the answer stands, 0 if there is none: that one is not deleted.
        """
        where = (click.user.id, click.channel_id)
        before = self._last.pop(where, None)
        if before is not None and before.id > click.id:  # refused since this click, whose work took longer
            self._last[where], before = before, shown
        elif shown is not None:
            self._last[where] = shown
        if len(self._last) > MOST_REFUSED:
            del self._last[next(iter(self._last))]
        if before is None or before.id == taken_over:
            return
        if (click.id - before.id) >> 22 < EDITABLE_FOR * 1000:  # ids hold milliseconds
            with suppress(*UNREACHABLE):
                await before.delete()
