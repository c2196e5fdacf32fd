"""The connection to Discord: log in with retries, identify one shard after another, stay connected, handle signals."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import chain, repeat
from typing import Any, ClassVar, Final, Literal, Self, TypedDict, Unpack

import aiohttp
import discord
import structlog
from discord.backoff import ExponentialBackoff
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

from bot.config import ConfigError
from bot.paced_bot import PacedBot
from cogs.responder import connection_error_words, readable

FIRST_PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
LONGEST_PAUSE: Final = 60.0
"""Seconds between attempts to reach Discord at the start, once `FIRST_PAUSES` are used up."""
STEEPEST: Final = 4
"""How often discord.py doubles its pause between attempts to reconnect; its own limit amounts to 17 minutes."""
TO_CLOSE: Final = 2.0
"""Seconds that Discord has to confirm the end of a connection; discord.py would wait thirty."""
TO_BEGIN: Final = 30.0
"""Seconds that Discord has to greet a new connection, and to begin a session."""
RESUMES: Final = 2
"""How often in a row a shard may resume a session without hearing an event, before it begins a new one."""
MOST_FAULTS: Final = 10
"""How many unreadable messages from Discord within `FAULTS_WITHIN` seconds end the process."""
FAULTS_WITHIN: Final = 600.0
_HANDLED: Final = (ReconnectWebSocket, discord.ConnectionClosed, aiohttp.ClientError, OSError, TimeoutError)
"""Exceptions that discord.py raises on purpose and answers by reconnecting."""
_MORE_SHARDS: Final = 4011
_FATAL: Final = {
    4004: "Discord does not know this token: make a new one and set it (README, Invite it)",
    4010: "Discord does not know this shard: check SHARD_COUNT and SHARD_IDS",
    _MORE_SHARDS: "Discord wants more shards: set SHARD_COUNT to 0, or higher (docs/scaling.md)",
    4014: "Discord refuses the intents, although the bot uses only guilds: update the program, or report it",
}
_log = structlog.get_logger(__name__)


class Faults:
    """Counts the recent messages from Discord that discord.py could not read."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic, self.are_too_many = monotonic, asyncio.Event()
        self._times: deque[float] = deque(maxlen=MOST_FAULTS)

    def add(self) -> float:
        """Count one fault; returns the seconds to wait before the next attempt, 0 after the first fault."""
        now = self._monotonic()
        while self._times and self._times[0] <= now - FAULTS_WITHIN:
            self._times.popleft()
        self._times.append(now)
        if len(self._times) == MOST_FAULTS:
            self.are_too_many.set()
        pauses = (0.0, *FIRST_PAUSES, *repeat(LONGEST_PAUSE, MOST_FAULTS))
        return pauses[len(self._times) - 1]


class ConnectOptions(TypedDict, total=False):
    """The arguments with which discord.py connects a shard; `initial` is present if it was never connected."""

    initial: bool
    gateway: Any
    shard_id: int | None
    session: str | None
    sequence: int | None
    resume: bool
    encoding: str
    compress: bool


class Gateway(DiscordWebSocket):
    """The connection of a shard. An unreadable message makes it reconnect, where discord.py would end the client."""

    faults: ClassVar = Faults()
    silent: ClassVar = Counter[int | None]()
    """For each shard, how many connections in a row have ended, or are open, without an event."""
    begun = 0.0
    """When this connection was made (monotonic)."""

    @classmethod
    async def from_client(cls, client: discord.Client, **options: Unpack[ConnectOptions]) -> Self:
        """Connect. A shard that was never connected retries here in a loop, where discord.py would recurse."""
        shard = options.get("shard_id")
        silences = cls.silent[shard]
        if silences >= RESUMES:  # discord.py would keep resuming without a pause
            await asyncio.sleep(2.0 ** min(silences - RESUMES, STEEPEST))
        if silences >= RESUMES or options.get("session") is None:
            options |= ConnectOptions(resume=False, session=None, sequence=None, gateway=None)
        for pause in _pauses(longest=2.0**STEEPEST):
            try:
                if isinstance(client, PacedBot) and not options.get("resume"):
                    await client.wait_for_turn(shard, initial=options.get("initial", False))
                async with asyncio.timeout(TO_BEGIN):  # meanwhile no other shard can connect again
                    connection = await super().from_client(client, **options)
            except _HANDLED as error:
                if "initial" not in options:
                    is_closed_by_discord = isinstance(error, ReconnectWebSocket)
                    cls.silent[shard] = silences + 1 if is_closed_by_discord else silences
                    if options.get("resume") or not is_closed_by_discord:
                        raise
                    # discord.py would end the client if this exception came while it reconnects.
                    raise ConnectionError("Discord closed the connection before the session began") from error
                _log.warning("no connection to Discord, retrying", why=connection_error_words(error), seconds=pause)
                await asyncio.sleep(pause)
            else:
                connection.begun = time.monotonic()
                cls.silent[shard] = silences + 1
                return connection
        raise AssertionError  # unreachable: the pauses are endless

    async def close(self, code: int = 4000) -> None:
        """Close the connection, even if Discord does not confirm it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(TO_CLOSE):
                await super().close(code)

    async def send_heartbeat(self, data: Any) -> None:
        """Send a heartbeat, and note when. discord.py does so only later, on a busy machine after the answer."""
        if self._keep_alive is not None:
            self._keep_alive._last_send = time.perf_counter()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        await super().send_heartbeat(data)

    async def received_message(self, msg: Any, /) -> None:
        """Handle a message; if that fails, reconnect."""
        session, sequence = self.session_id, self.sequence
        try:
            await super().received_message(msg)
        except _HANDLED:
            raise
        except Exception as error:
            _log.exception("a message from Discord could not be read, reconnecting", shard=self.shard_id)
            pause = self.faults.add()
            await self.close()
            await asyncio.sleep(pause)
            self.session_id = session
            raise ReconnectWebSocket(self.shard_id, resume=True) from error
        if self.sequence != sequence:
            self.silent[self.shard_id] = 0
        elif self.session_id is None and 0 < self.begun < time.monotonic() - TO_BEGIN:
            _log.warning("Discord does not begin the session, reconnecting", shard=self.shard_id)
            await self.close()
            raise ReconnectWebSocket(self.shard_id)


def _pauses(longest: float = LONGEST_PAUSE) -> Iterator[float]:
    return chain((pause for pause in FIRST_PAUSES if pause < longest), repeat(longest))


class Backoff(ExponentialBackoff[Literal[False]]):
    """discord.py's pauses between attempts to reconnect, with a lower maximum."""

    def __init__(self) -> None:
        super().__init__()
        self._max = STEEPEST


# discord.py looks the classes up here for every new connection, and has no official way to replace them.
discord.shard.DiscordWebSocket = Gateway  # pyright: ignore[reportPrivateImportUsage]
discord.shard.ExponentialBackoff = Backoff  # pyright: ignore[reportPrivateImportUsage]


@asynccontextmanager
async def stopped_by_signals(stop: asyncio.Event) -> AsyncGenerator[None]:
    """Within the block, SIGTERM and SIGINT set the event."""
    loop = asyncio.get_running_loop()

    def handle(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(stop.set)

    # `loop.add_signal_handler` does not exist on Windows.
    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def log_in(bot: discord.Client, token: str) -> None:
    """Log in, which checks the token. From then on all requests say which program makes them, as Discord demands.

    Raises:
        ConfigError: Discord does not know the token.
        OSError, TimeoutError, aiohttp.ClientError, discord.HTTPException: Discord cannot be reached, or refuses.
    """
    try:
        with readable():
            await bot.login(token)
    except discord.LoginFailure:
        raise ConfigError([_FATAL[4004]]) from None
    session: aiohttp.ClientSession = getattr(bot.http, "_HTTPClient__session")  # noqa: B009 - a private one
    session.headers["User-Agent"] = bot.http.user_agent  # discord.py leaves it out of answers to interactions


async def log_in_or_stop(bot: discord.Client, token: str, stop: asyncio.Event) -> bool:
    """Retry login until it succeeds; False if stopped first. `ConfigError` if Discord does not know the token."""
    pauses = _pauses()
    while not stop.is_set():
        try:
            return await _run_unless(stop, log_in(bot, token))
        except (OSError, TimeoutError, aiohttp.ClientError, discord.HTTPException) as error:
            # Discord, and Cloudflare in front of it, extend a refusal if requests continue.
            is_refused = isinstance(error, discord.HTTPException) and not isinstance(error, discord.DiscordServerError)
            pause = LONGEST_PAUSE if is_refused else next(pauses)
            _log.warning("Discord cannot be reached, retrying", why=connection_error_words(error), seconds=pause)
            await bot.http.close()
            bot.http.connector = discord.utils.MISSING  # closed with it; the next try makes a new one
            await _run_unless(stop, asyncio.sleep(pause))
    return False


async def stay_connected(bot: PacedBot, stop: asyncio.Event) -> None:
    """Stay connected until told to stop. The connection stays open even then, so that the last clicks are answered.

    Raises:
        ConfigError: Discord has closed the connection for good.
        OSError: too many messages from Discord cannot be read, or a new start would take as many shards as it wants.
    """
    faults = Gateway.faults = Faults()
    Gateway.silent = Counter()
    connection = asyncio.gather(_connect(bot), return_exceptions=True)  # it may end when nobody awaits it any more
    reasons_to_end = {asyncio.create_task(event.wait()) for event in (stop, faults.are_too_many)}
    await asyncio.wait({connection, *reasons_to_end}, return_when=asyncio.FIRST_COMPLETED)
    for reason in reasons_to_end:
        reason.cancel()
    if faults.are_too_many.is_set():
        connection.cancel()
        await asyncio.gather(connection, return_exceptions=True)
        raise OSError("too many messages from Discord cannot be read: update the program")
    error = connection.result()[0] if connection.done() else None
    if isinstance(error, discord.PrivilegedIntentsRequired):
        raise ConfigError([_FATAL[4014]])
    if isinstance(error, discord.ConnectionClosed):
        if error.code == _MORE_SHARDS and bot.takes_all_shards:
            raise OSError("Discord wants more shards: a new start asks how many")
        unknown = f"Discord closed the connection ({error.code}): update the program"
        raise ConfigError([_FATAL.get(error.code, unknown)])
    if error is not None:
        raise error


async def _connect(bot: PacedBot) -> None:
    """Connect once Discord has sent the gateway's address and limits; retried until it does."""
    for pause in _pauses():
        try:
            await bot.hold_back()
            return await bot.connect()
        except (discord.GatewayNotFound, aiohttp.ClientError, TimeoutError) as error:
            _log.warning("Discord did not send the gateway's address, retrying", why=connection_error_words(error))
            await asyncio.sleep(pause)
    return None


async def _run_unless(stop: asyncio.Event, doing: Coroutine[Any, Any, None]) -> bool:
    """Await `doing` unless `stop` is set first, which cancels it; whether it finished."""
    task, stopping = asyncio.ensure_future(doing), asyncio.ensure_future(stop.wait())
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if task.done():
        await task
        return True
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return False
