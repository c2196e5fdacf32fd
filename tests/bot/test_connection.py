"""The way to Discord: what cannot be read is outlived, but not for ever."""

import asyncio
import gc
import time
from collections import Counter
from functools import partial
from types import SimpleNamespace

import aiohttp
import discord
import pytest
from discord.ext import commands
from discord.gateway import DiscordWebSocket, KeepAliveHandler, ReconnectWebSocket
from discord.shard import SessionStartLimits
from structlog.testing import capture_logs

from bot.connection import (
    STEEPEST,
    TO_BEGIN,
    Faults,
    Gateway,
    log_in_or_stop,
    stay_connected,
)
from bot.paced_bot import Outages, PacedBot
from bot.shards import Shards, take_slot
from data.errors import UnavailableError
from testkit.found import instance_of
from testkit.waiting import HANG


def test_the_first_fault_costs_no_time_and_many_end_the_process():
    now = [0.0]
    faults = Faults(lambda: now[0])
    pauses = [faults.add() for _ in range(9)]
    assert pauses[0] == 0
    assert pauses == sorted(pauses)
    assert sum(pauses) > 60
    assert not faults.are_too_many.is_set()
    faults.add()
    assert faults.are_too_many.is_set()


def test_faults_of_long_ago_do_not_count():
    now = [0.0]
    faults = Faults(lambda: now[0])
    for _ in range(30):
        assert faults.add() == 0
        now[0] += 600


@pytest.mark.parametrize(("apart", "too_many"), [(66, True), (67, False)])
def test_ten_faults_within_ten_minutes_end_the_process(apart, too_many):
    now = [0.0]
    faults = Faults(lambda: now[0])
    for _ in range(10):
        assert not faults.are_too_many.is_set()
        faults.add()
        now[0] += apart
    assert faults.are_too_many.is_set() is too_many


async def test_what_cannot_be_read_again_and_again_ends_with_a_sentence():
    class Broken:
        async def hold_back(self):
            pass

        async def connect(self):
            while True:  # as discord.py does it at a start, whatever it was
                Gateway.faults.add()
                await asyncio.sleep(0)

    with pytest.raises(OSError, match="cannot be read"):
        await stay_connected(Broken(), asyncio.Event())


class Limited(PacedBot):
    """A bot to which Discord allows so many introductions, and which answers nothing at first."""

    def __init__(self, remaining, *fails):
        super().__init__(Shards())
        vars(self)["http"] = SimpleNamespace(_global_over=None)  # it sends no requests
        self.left = SessionStartLimits(total=1000, remaining=remaining, reset_after=3_600_000, max_concurrency=1)
        self.fails, self.connected = list(fails), 0

    async def fetch_session_start_limits(self):
        if self.fails:
            raise self.fails.pop()
        return self.left

    async def connect(self, *, reconnect=True):
        self.connected += 1


@pytest.mark.parametrize(("remaining", "waits"), [(1000, []), (100, []), (90, [40]), (1, [3600]), (0, [3600])])
async def test_where_few_introductions_are_left_they_are_made_to_last(remaining, waits):
    bot, waited = Limited(remaining), []

    async def sleep(seconds):
        waited.append(seconds)

    bot.sleep = sleep
    await bot.hold_back()
    assert waited == waits
    assert bot.identifies_remaining == remaining


@pytest.mark.parametrize("shard", [None, 0, 1])
async def test_before_each_new_session_of_a_shard_discord_is_asked_how_many_are_left(shard):
    bot, asked = Limited(1000), []

    async def nothing(*_):
        pass

    async def ask():
        asked.append(shard)
        return bot.left

    bot.sleep, bot.fetch_session_start_limits = nothing, ask
    for sessions in (1, 2):
        for _ in range(2):  # discord.py cancels this after a minute and calls it again
            await bot.wait_for_turn(shard)
        await bot.before_identify_hook(shard)
        assert len(asked) == sessions


async def test_introductions_that_discord_has_counted_anew_are_not_told(monkeypatch):
    bot, now = Limited(1000), 500.0
    monkeypatch.setattr("bot.paced_bot.time", SimpleNamespace(monotonic=lambda: now))
    assert bot.identifies_remaining is None
    await bot.hold_back()
    now += 3599
    assert bot.identifies_remaining == 1000
    now += 1
    assert bot.identifies_remaining is None


async def test_where_discord_does_not_say_where_to_connect_it_is_asked_again(monkeypatch):
    bot = Limited(1000, discord.GatewayNotFound(), aiohttp.ServerDisconnectedError(), TimeoutError())
    monkeypatch.setattr("bot.connection.FIRST_PAUSES", (0, 0, 0))
    await stay_connected(bot, asyncio.Event())
    assert bot.connected == 1


def test_connecting_again_is_tried_every_few_seconds_however_long_discord_was_away():
    backoff = vars(discord.shard)["ExponentialBackoff"]()  # which the bot replaces there
    assert max(backoff.delay() for _ in range(200)) <= 2**STEEPEST


class Answers:
    """What Discord answers, a status each second, and what the log says."""

    def __init__(self):
        self.now = 1000.0
        self.outages = Outages(lambda: self.now)

    def said(self, *statuses):
        with capture_logs() as logs:
            for status in statuses:
                self.now += 1
                self.outages.heard(status)
        return [each["event"] for each in logs]


def test_an_outage_of_discord_is_logged_when_it_begins_and_when_it_ends():
    answers = Answers()
    assert answers.said(200, 404, 500, 502, 500) == ["Discord answers with status 500, trying again"]
    assert answers.said(*[500] * 600, 404) == []
    assert answers.said(*[200] * 8) == []
    assert answers.said(200, 200) == ["Discord works again after 602 s (603 attempts failed)"]
    assert answers.said(503, *[204] * 10) == [
        "Discord answers with status 503, trying again",
        "Discord works again after 0 s (1 attempt failed)",
    ]


def test_an_outage_is_not_over_while_some_requests_still_fail():
    answers = Answers()
    assert answers.said(*[*[500] * 9, 200] * 60) == ["Discord answers with status 500, trying again"]
    assert answers.said(*[200] * 10) == ["Discord works again after 598 s (540 attempts failed)"]


def test_outages_that_follow_each_other_are_logged_once_a_minute():
    answers = Answers()
    assert len(answers.said(*[500, *[200] * 10] * 20)) == 2 * 4  # at 0, 66, 132 and 198 seconds


@pytest.fixture
def silent(monkeypatch):
    """How often in a row a shard connected in vain."""
    monkeypatch.setattr(Gateway, "silent", Counter())
    return Gateway.silent


@pytest.mark.parametrize("options", [{"initial": True}, {}])
async def test_a_first_connection_is_tried_again_in_place_and_another_by_discord_py(monkeypatch, silent, options):
    tries = [
        ReconnectWebSocket(0),
        TimeoutError,
        discord.ConnectionClosed(SimpleNamespace(close_code=1006), shard_id=0),
    ]

    async def from_client(_cls, _client, **_options):
        if tries:
            raise tries.pop(0)
        return connected

    monkeypatch.setattr(DiscordWebSocket, "from_client", classmethod(from_client))
    connected = SimpleNamespace()
    monkeypatch.setattr("bot.connection.FIRST_PAUSES", (0, 0, 0))
    if options:
        assert await Gateway.from_client(None, **options) is connected
    else:
        with pytest.raises(ConnectionError):
            await Gateway.from_client(None)
        with pytest.raises(TimeoutError):
            await Gateway.from_client(None)
        tries[0] = ReconnectWebSocket(0)
        with pytest.raises(ReconnectWebSocket):  # to which discord.py listens where it resumes a session
            await Gateway.from_client(None, resume=True, session="one")
        assert silent[None] == 2, "Discord closed it twice, and the time that was up does not count"


@pytest.mark.parametrize("options", [{"initial": True}, {}, {"resume": True, "session": "one"}])
@pytest.mark.usefixtures("silent")
async def test_a_connection_on_which_discord_says_nothing_is_given_up(monkeypatch, options):
    async def from_client(_cls, _client, **_options):
        tries.append(options)
        if len(tries) == 1:
            await asyncio.Event().wait()
        return connected

    tries, connected = [], SimpleNamespace()
    monkeypatch.setattr(DiscordWebSocket, "from_client", classmethod(from_client))
    monkeypatch.setattr("bot.connection.FIRST_PAUSES", (0,))
    monkeypatch.setattr("bot.connection.TO_BEGIN", 0)
    if "initial" not in options:  # discord.py tries again, after another shard that waits
        with pytest.raises(TimeoutError):
            await Gateway.from_client(None, **options)
    assert await Gateway.from_client(None, **options) is connected
    assert len(tries) == 2


async def test_a_shard_that_connects_in_vain_does_it_ever_more_slowly_and_begins_anew(monkeypatch, silent):
    async def from_client(_cls, _client, **options):
        made.append((options["resume"], options["session"]))
        return SimpleNamespace()

    async def sleep(seconds):
        pauses.append(seconds)

    made, pauses = [], []
    monkeypatch.setattr(DiscordWebSocket, "from_client", classmethod(from_client))
    monkeypatch.setattr("bot.connection.asyncio.sleep", sleep)
    for _ in range(8):
        await Gateway.from_client(None, shard_id=3, resume=True, session="one")
    assert made == [(True, "one")] * 2 + [(False, None)] * 6
    assert pauses == [1, 2, 4, 8, 16, 16]
    silent[3] = 0
    await Gateway.from_client(None, shard_id=3, resume=True, session=None)
    assert made[-1] == (False, None), "there is nothing to resume"


async def test_a_session_that_does_not_begin_in_time_is_begun_anew(monkeypatch, silent):
    class Open:
        async def close(self, code):
            codes.append(code)

    async def received_message(gateway, said):
        gateway.sequence, gateway.session_id = said, said and "one"

    codes = []
    monkeypatch.setattr(DiscordWebSocket, "received_message", received_message)
    gateway = Gateway(Open(), loop=asyncio.get_running_loop())
    gateway.shard_id, gateway.begun, silent[3] = 3, time.monotonic() - TO_BEGIN + HANG, 2
    await gateway.received_message(None)  # a heartbeat's answer, but there is time left
    gateway.begun -= HANG
    with pytest.raises(ReconnectWebSocket):
        await gateway.received_message(None)
    assert codes
    await gateway.received_message(1)
    await gateway.received_message(1)  # however long ago it began
    assert not silent[3]


async def test_a_heartbeat_that_is_answered_before_it_is_noted_as_sent_is_not_taken_for_the_one_before(caplog):
    class Near:
        async def send_str(self, _):
            keeping.ack()  # before the thread that sends goes on

    gateway = Gateway(Near(), loop=asyncio.get_running_loop())
    gateway._max_heartbeat_timeout = 60
    gateway._keep_alive = keeping = KeepAliveHandler(ws=gateway, interval=41.25, shard_id=0)
    keeping._last_send -= 41.25
    await gateway.send_heartbeat({"op": 1})
    assert keeping.latency < 41
    assert "Can't keep up" not in caplog.text


async def test_a_connection_ends_also_where_discord_does_not_confirm_it(monkeypatch):
    class Silent:
        async def close(self, code):
            codes.append(code)
            await asyncio.Event().wait()

    codes = []
    monkeypatch.setattr("bot.connection.TO_CLOSE", 0)
    async with asyncio.timeout(HANG):
        await Gateway(Silent(), loop=asyncio.get_running_loop()).close(code=1000)
    assert codes == [1000]


def answered(status):
    kind = discord.DiscordServerError if status >= 500 else discord.HTTPException
    return kind(SimpleNamespace(status=status, reason=""), "error code: 1015")


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        *((answered(status), seconds) for status, seconds in ((429, 60), (403, 60), (502, 1))),
        *((error, 1) for error in (OSError("no route to host"), TimeoutError(), aiohttp.ServerDisconnectedError())),
    ],
)
async def test_a_login_that_is_refused_is_tried_again_but_seldom(monkeypatch, failure, seconds):
    failures = [failure]

    class Refused:
        user_agent, _HTTPClient__session = "DiscordBot (…)", SimpleNamespace(headers={})

        async def login(self, _token):
            if failures:
                raise failures.pop()

        async def close(self):
            pass

        @property
        def http(self):
            return self

    async def sleep(seconds):
        slept.append(seconds)

    slept, bot = [], Refused()
    monkeypatch.setattr("asyncio.sleep", sleep)
    assert await log_in_or_stop(bot, "token", asyncio.Event())
    assert slept == [seconds]
    assert bot._HTTPClient__session.headers == {"User-Agent": "DiscordBot (…)"}


async def test_a_login_that_fails_while_the_bot_is_stopped_leaves_no_error_behind():
    class Failing:
        async def login(self, _token):
            stop.set()
            try:
                await asyncio.Event().wait()
            finally:
                raise OSError("the connection was closed")

    stop, unread = asyncio.Event(), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unread.append(context["message"]))
    async with asyncio.timeout(HANG):
        assert not await log_in_or_stop(Failing(), "token", stop)
    gc.collect()
    assert unread == []


class Line:
    """Two processes that take the same slots, by a clock on which only their waiting takes time."""

    def __init__(self):
        self.now, self.free, self.done = 0.0, {}, []
        self.leases = self
        self.bots = [Limited(1000), Limited(1000)]
        for bot in self.bots:
            bot.left = SessionStartLimits(total=1000, remaining=1000, reset_after=0, max_concurrency=2)
            bot.take_slot, bot.sleep = partial(take_slot, self), self.sleep

    async def take_slot(self, kind, apart):
        begins = max(self.now, self.free.get(kind, 0))
        self.free[kind] = begins + apart
        return begins - self.now

    async def sleep(self, seconds):
        self.now += seconds

    async def connect(self, bot: Limited, shard, **options):
        """When the shard connected and when it introduced itself."""
        Gateway.silent.clear()  # there were events meanwhile
        await Gateway.from_client(bot, shard_id=shard, **options)
        return tuple(round(when, 1) for when in self.done.pop())


@pytest.fixture
def line(monkeypatch):
    line = Line()

    async def from_client(_cls, client, **options):
        connected = line.now
        if not options.get("resume"):
            await client.before_identify_hook(options["shard_id"], initial=options.get("initial", False))
        line.done.append((connected, line.now))
        return SimpleNamespace()

    monkeypatch.setattr(DiscordWebSocket, "from_client", classmethod(from_client))
    monkeypatch.setattr("bot.paced_bot.time", SimpleNamespace(monotonic=lambda: line.now))
    return line


async def test_shards_of_one_group_introduce_themselves_one_after_another_over_all_processes(line: Line):
    for bot in line.bots:
        await bot.hold_back()
    when = [await line.connect(line.bots[shard // 2], shard, initial=True) for shard in range(4)]
    assert [introduced for _, introduced in when] == [0, 0, 5.1, 5.1]


async def test_a_shard_waits_without_a_connection_which_nobody_would_listen_to(line: Line):
    for slot in range(20):
        line.free["identify"] = slot * 5.1
    assert await line.connect(line.bots[1], 2) == (94.9, 96.9)
    assert await line.connect(line.bots[1], 2, resume=True, session="one") == (96.9, 96.9)
    line.bots[1].take_slot = None
    assert await line.connect(line.bots[1], 2) == (100.0, 102.0)
    assert await line.connect(line.bots[1], 2, initial=True) == (102.0, 102.0)


async def test_a_shard_for_which_discord_py_loses_patience_keeps_its_place(line: Line):
    line.free["identify"] = 100.0
    bot, may = line.bots[1], asyncio.Event()

    async def sleep(seconds):
        await may.wait()
        line.now += seconds

    bot.sleep = sleep
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(line.connect(bot, 2), timeout=0.01)
    may.set()
    assert await line.connect(bot, 2) == (98.0, 100.0)
    assert line.free["identify"] == 105.1


async def test_a_shard_holds_back_once_for_an_introduction_even_if_its_moment_passes(line: Line):
    bot = line.bots[1]
    bot.left = SessionStartLimits(total=1000, remaining=50, reset_after=3_600_000, max_concurrency=2)
    await bot.wait_for_turn(2)  # while discord.py was elsewhere
    assert line.now == 72
    assert await line.connect(bot, 2) == (75.1, 77.1)
    assert (await line.connect(bot, 2))[0] > 140


async def test_a_turn_that_fails_while_nobody_waits_is_no_error_of_its_own(line: Line, caplog):
    async def away(kind, apart):
        await is_alone.wait()
        raise UnavailableError("the database is away")

    line.take_slot, is_alone = away, asyncio.Event()
    waiting = asyncio.ensure_future(line.bots[0].wait_for_turn(1))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    is_alone.set()
    await asyncio.wait(line.bots[0]._turns.values())
    del waiting  # the frame that it was cancelled in knows the turn
    line.bots[0]._turns.clear()
    gc.collect()
    assert caplog.text == ""


async def test_at_the_end_no_shard_waits_for_its_turn_any_more(line: Line, monkeypatch):
    async def closed(_bot):
        pass

    async def sleep(_seconds):
        await asyncio.Event().wait()

    monkeypatch.setattr(commands.AutoShardedBot, "close", closed)
    bot = line.bots[0]
    bot.sleep = sleep
    waiting = asyncio.ensure_future(bot.wait_for_turn(1))
    await asyncio.sleep(0)
    (turn,) = bot._turns.values()
    await bot.close()
    assert instance_of(asyncio.Task, turn).cancelling()
    await asyncio.wait({waiting})
    assert waiting.cancelled()


async def test_while_the_database_is_away_discord_py_tries_again(line: Line):
    async def away(kind, apart):
        raise UnavailableError("the database is away")

    line.take_slot = away
    with pytest.raises(ConnectionError, match="the database is away"):
        await line.bots[0].wait_for_turn(1)  # so no connection is opened
    with pytest.raises(ConnectionError, match="the database is away"):
        await line.connect(line.bots[0], 1)
    assert line.done == []
