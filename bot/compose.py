"""The composition root: assembles the bot and runs it.

`compose` creates all parts; `running` runs painter, clock and the other background tasks while the bot is connected.
These tasks belong to this module, never to the bot, so that tests and the sandbox can connect it to another Discord.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, Final, Literal

import structlog

from bot import __version__
from bot.client import CardBot
from bot.clock import AFTER_FAILURE, Clock, SteadyClock
from bot.config import Settings
from bot.connection import log_in, log_in_or_stop, stay_connected, stopped_by_signals
from bot.digests import SECONDS_BETWEEN_ROUNDS, send_due_digests
from bot.faces import keep_faces
from bot.painter import GAP, Painter
from bot.port import Port
from bot.public_message import PublicMessage
from bot.registering import load_commands, register, unregister
from bot.shards import LAST_REQUEST_SECONDS, LEASE_SECONDS, Lease, Shards, leased, take_slot
from bot.systemd import supervised
from bot.threads import Threads
from bot.workers import InProcess, Workers
from cogs.drawing_pool import drawing_in_processes
from cogs.interactions import add_topics
from cogs.open_hands import OpenHands
from cogs.picture_messages import PublicScreens
from cogs.responder import Sleep, readable
from data.errors import UnavailableError
from data.migrate import NEWEST
from data.store import Store
from tables.services import Declined, Tables, Thinking

DRAIN: Final = 7.0
"""Seconds that the last drawings may take at the end. The steps after that have limits of their own."""
LINGER: Final = 0.3
"""Seconds to wait for the answers to the last clicks."""
UPKEEP_EVERY: Final = 3600.0
"""Seconds between two deletions of expired data (PRIVACY.md)."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that makes up the bot."""

    settings: Settings
    store: Store
    tables: Tables
    port: Port
    painter: Painter
    hands: OpenHands
    clock: Clock
    bot: CardBot
    shards: Shards


async def run(settings: Settings, *, sync: Literal["changed", "never"] = "never") -> None:
    """Run the bot until SIGTERM or SIGINT; with `sync="changed"`, register the commands first if they differ.

    Raises:
        ConfigError: Discord refuses the token, the intents or the shards; restarting would not help.
        StoreError: the database cannot be used, or another process runs these shards or has taken them.
        OSError: the health port is taken, or a part of the bot failed.
    """
    token, stop = settings.token(), asyncio.Event()
    with drawing_in_processes(), closing(Workers()) as workers:
        async with (
            compose(settings, thinking=workers) as app,
            stopped_by_signals(stop),  # only now, so that a signal ends a start that waits for its database at once
            supervised(stop),
            _serving(app, stop) as lease,
            app.bot,
        ):
            app.bot.prepare_for_clicks(pause_workers=workers.rest)
            app.bot.setup_hook = partial(load_commands, app.bot, app.tables, sync)  # called before it connects
            gc.collect()
            gc.freeze()  # a full collection that included all modules would block everything for 60 ms
            if await log_in_or_stop(app.bot, token, stop):
                async with running(app, keep_faces(app.bot, app.tables, app.bot.use_faces), stop=stop):
                    await stay_connected(app.bot, stop)
                    if lease.loss is None:  # without its lease the process can neither store nor draw
                        await _shut_down(app)
            else:
                _log.info("stopping")
    _log.info("stopped")


async def sync(
    settings: Settings, guild_id: int | None = None, *, force: bool = False, remove: bool = False
) -> dict[str, str]:
    """Register the commands, globally or in one server, if they differ from Discord's or with `force`; the differences.

    With `remove`, remove the commands that were registered in this server alone.

    Raises:
        ConfigError: the token is wrong.
        StoreError: the database cannot be used.
        OSError, aiohttp.ClientError, discord.HTTPException: Discord cannot be reached, or refuses the commands.
    """
    token = settings.token()
    async with compose(settings) as app, app.bot:
        await log_in(app.bot, token)
        try:
            with readable():
                if remove and guild_id is not None:
                    return await unregister(app.bot, guild_id)
                return await register(app.bot, app.tables, guild_id, force=force)
        except Declined as declined:
            raise UnavailableError(declined.words) from None


@asynccontextmanager
async def compose(
    settings: Settings,
    *,
    now: Callable[[], datetime] | None = None,
    randomness: Random | None = None,
    gap: float = GAP,
    thinking: Thinking | None = None,
) -> AsyncGenerator[App]:
    """Create and wire up all parts, without running them; close the store at the end.

    `thinking`, by default in this process, chooses moves. Raises `StoreError` if the database cannot be used.
    """
    store = await Store.open(settings.database_url)
    async with store.database:
        steady = SteadyClock()
        now, settle = (now, timedelta) if now else (steady, steady.settle)
        shards = Shards(settings.shard_count, settings.shards())
        tables = Tables(store, randomness=randomness, now=now, serves=shards.serves, thinking=thinking or InProcess())
        bot = CardBot(tables, shards, pictures=settings.tables_as == "picture")
        await add_topics(bot)
        port, painter, hands = _drawing(tables, bot, now, gap)
        clock = Clock(tables, now=now, settle=settle, thinking=settings.thinking_seconds, shard_of=bot.shard_of)
        yield _wired(App(settings, store, tables, port, painter, hands, clock, bot, shards))


def _drawing(tables: Tables, bot: CardBot, now: Callable[[], datetime], gap: float) -> tuple[Port, Painter, OpenHands]:
    port = Port(bot)  # a single one, because it enforces Discord's limit for all public requests
    screens = PublicScreens(lambda: bot.faces, bot.locale_of, bot.may_show_pictures)
    hands = OpenHands(tables, gap=gap)
    threads = Threads(tables, screens, port)
    bot.open_thread = threads.open_now
    message = PublicMessage(tables, screens, port, threads.open, now=now, follows=hands.follows)
    painter = Painter(tables, message.put, gap=gap, until_quiet=bot.pending.quiet if gap else None)
    threads.later = painter.want
    return port, painter, hands


def _wired(app: App) -> App:
    """Subscribe the parts to each other's events: changed tables, lost connections, a late lease."""
    app.tables.listeners += [app.painter.changed, app.clock.changed, app.hands.changed]
    app.bot.hands, app.bot.blocked, app.bot.retry_in = app.hands, app.painter.blocked, app.painter.retry_in
    app.bot.add_listener(app.clock.lost, "on_shard_disconnect")
    app.bot.add_listener(app.clock.lost, "on_server_lost")
    app.bot.add_listener(partial(app.clock.lost, ago=LEASE_SECONDS), "on_lease_late")
    for event in ("on_shard_ready", "on_shard_resumed", "on_server_back", "on_lease_renewed"):
        app.bot.add_listener(app.clock.back, event)
    return app


@asynccontextmanager
async def running(app: App, *others: Coroutine[Any, Any, None], stop: asyncio.Event) -> AsyncGenerator[None]:
    """Run painter, hands, clock and `others` in the background; at the end, store what has been drawn.

    Enter this only when requests to Discord are possible. If a task fails, `stop` is set, and the end of the block
    raises `OSError`.
    """
    send_digests = partial(send_due_digests, app.tables, app.port)
    sent = repeat(send_digests, SECONDS_BETWEEN_ROUNDS, "no digests were sent")
    kept_up = repeat(app.bot.upkeep, UPKEEP_EVERY, "expired data could not be deleted, retrying in an hour")
    runners = (app.painter.run(), app.hands.run(), app.clock.run(), resume(app), kept_up, sent)
    tasks = [asyncio.create_task(each) for each in (*runners, *others)]
    failures: list[BaseException] = []
    for task in tasks:
        task.add_done_callback(partial(_stop_on_failure, stop, failures))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=LAST_REQUEST_SECONDS)
    if failures:
        raise OSError("a part of the bot failed: the log says which") from failures[0]


def _stop_on_failure(stop: asyncio.Event, failures: list[BaseException], task: asyncio.Task[None]) -> None:
    """End the process if a part has failed: the bot would only seem to run, and a restart may fix it."""
    try:
        task.result()
    except BaseException as error:  # noqa: BLE001 - also if it was cancelled, but not by `running`
        if task.cancelled() and (task.cancelling() or stop.is_set()):  # as by aiohttp when the connection closes
            return
        _log.error("a part of the bot failed, so the process ends", exc_info=error)
        if not stop.is_set():
            failures.append(error)
            stop.set()


@asynccontextmanager
async def _serving(app: App, stop: asyncio.Event) -> AsyncGenerator[Lease]:
    """Serve the health pages, and hold the lease once no other process has it.

    Without the lease this process must not answer a single click.
    """
    shards, database = app.shards, app.store.database
    ids = f"{list(shards.ids)} of {shards.count}" if shards.ids else "all"
    _log.info("starting", version=__version__, database=database.place, schema=NEWEST, shards=ids)
    for warning in filter(None, (database.exposure_warning, *app.settings.exposure_warnings())):
        _log.warning(warning)
    async with AsyncExitStack() as stack:
        if app.settings.health_port:
            from bot.health import Health, served  # noqa: PLC0415 - imports a web server of 2 MB

            health = Health(app.store, app.tables, app.painter, app.clock, app.bot, app.bot.answers)
            await stack.enter_async_context(served(health, app.settings.health_port, app.settings.health_host))
        app.bot.is_serving = lambda: False  # until it has its lease
        wait = app.settings.lease_wait_seconds
        lease = await stack.enter_async_context(leased(app.store, app.shards, stop=stop, wait=wait))
        app.bot.is_serving = app.tables.is_serving = app.port.is_serving = lambda: lease.is_good
        app.bot.trouble = lambda: lease.trouble
        lease.on_change = lambda is_good: app.bot.dispatch("lease_renewed" if is_good else "lease_late")
        if app.shards.ids:  # a single process needs no pacing: discord.py connects its shards one after another
            app.bot.take_slot = partial(take_slot, app.store)
        yield lease


async def resume(app: App, *, sleep: Sleep = asyncio.sleep) -> None:
    """Resume where the last process ended; retried until the store answers."""
    for step in (app.clock.start, app.painter.reconcile):
        while not await _attempt(step, "could not resume after the start, retrying"):
            await sleep(AFTER_FAILURE.total_seconds())
    if app.clock.table_count:
        _log.info("took the tables over", tables=app.clock.table_count)


async def repeat(do: Callable[[], Awaitable[None]], seconds: float, message: str, sleep: Sleep = asyncio.sleep) -> None:
    """Do something forever, every so many seconds; a failure is logged with `message`."""
    while True:
        await _attempt(do, message)
        await sleep(seconds)


async def _attempt(do: Callable[[], Awaitable[None]], message: str) -> bool:
    """Whether a step succeeded; a failure is logged with `message`."""
    try:
        await do()
    except Declined as declined:
        _log.warning(message, why=declined.words)
    except Exception:  # noqa: BLE001 - the next attempt may succeed
        _log.exception(message)
    else:
        return True
    return False


async def _shut_down(app: App) -> None:
    """Shut down: answer clicks but begin nothing new, and finish answers, tables and open hands within `DRAIN` seconds.

    Tables that are not drawn by then stay marked for the next process.
    """
    _log.info("stopping")
    app.tables.close()
    app.clock.stop()
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN):
            await asyncio.gather(app.painter.idle(), app.hands.finish(), app.bot.pending.done())
            await asyncio.sleep(LINGER)
    app.bot.is_serving = lambda: False  # a click from now on could not be answered any more
    await app.bot.pending.quiet()
    await app.bot.close()
