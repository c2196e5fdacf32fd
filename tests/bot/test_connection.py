"""The way to Discord: what cannot be read is outlived, but not for ever."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.shard import SessionStartLimits

from bot.client import CardBot
from bot.connection import (
    FAULTS_WITHIN,
    MOST_FAULTS,
    STEEPEST,
    Faults,
    Gateway,
    UnreadableError,
    pacing,
    stay_connected,
)
from data.store import Store


def test_the_first_fault_costs_no_time_and_many_end_the_process():
    now = [0.0]
    faults = Faults(lambda: now[0])
    pauses = [faults.add() for _ in range(MOST_FAULTS - 1)]
    assert pauses[0] == 0
    assert pauses == sorted(pauses)
    assert sum(pauses) > 60
    with pytest.raises(UnreadableError):
        faults.add()


def test_faults_of_long_ago_do_not_count():
    now = [0.0]
    faults = Faults(lambda: now[0])
    for _ in range(3 * MOST_FAULTS):
        assert faults.add() == 0
        now[0] += FAULTS_WITHIN


async def test_what_cannot_be_read_again_and_again_ends_with_a_sentence():
    class Broken:
        async def hold_back(self):
            pass

        async def connect(self):
            while True:  # as discord.py does it at a start, whatever it was
                with suppress(UnreadableError):
                    Gateway.faults.add()
                await asyncio.sleep(0)

    with pytest.raises(OSError, match="cannot be read"):
        await stay_connected(Broken(), asyncio.Event())


class Limited(CardBot):
    """A bot to which Discord allows so many introductions, and which answers nothing at first."""

    def __init__(self, remaining, silent=0):
        self.left = SessionStartLimits(total=1000, remaining=remaining, reset_after=3_600_000, max_concurrency=1)
        self.silent, self.connected = silent, 0

    async def fetch_session_start_limits(self):
        self.silent -= 1
        if self.silent >= 0:
            raise discord.GatewayNotFound
        return self.left

    async def connect(self, *, reconnect=True):
        self.connected += 1


@pytest.mark.parametrize(("remaining", "waits"), [(1000, []), (100, []), (90, [40]), (1, [3600]), (0, [3600])])
async def test_where_few_introductions_are_left_they_are_made_to_last(remaining, waits):
    bot, waited = Limited(remaining), []

    async def sleep(seconds):
        waited.append(seconds)

    await bot.hold_back(sleep=sleep)
    assert waited == waits
    assert bot.identifies_remaining == remaining


async def test_where_discord_does_not_say_where_to_connect_it_is_asked_again(monkeypatch):
    bot = Limited(1000, silent=2)
    monkeypatch.setattr("bot.connection.FIRST_PAUSES", (0, 0))
    await stay_connected(bot, asyncio.Event())
    assert bot.connected == 1


def test_connecting_again_is_tried_every_few_seconds_however_long_discord_was_away():
    backoff = discord.shard.ExponentialBackoff()
    assert max(backoff.delay() for _ in range(200)) <= 2**STEEPEST


@pytest.mark.parametrize("options", [{"initial": True}, {}])
async def test_a_first_connection_is_tried_again_in_place_and_another_by_discord_py(monkeypatch, options):
    tries = [ConnectionError, TimeoutError, discord.ConnectionClosed(SimpleNamespace(close_code=1006), shard_id=0)]

    async def from_client(_cls, _client, **_options):
        if tries:
            raise tries.pop(0)
        return "connected"

    monkeypatch.setattr(DiscordWebSocket, "from_client", classmethod(from_client))
    monkeypatch.setattr("bot.connection.FIRST_PAUSES", (0, 0, 0))
    if options:
        assert await Gateway.from_client(None, **options) == "connected"
    else:
        with pytest.raises(ConnectionError):
            await Gateway.from_client(None)
        assert len(tries) == 2


async def test_shards_of_one_group_introduce_themselves_one_after_another_over_all_processes(tmp_path):
    waited, store = [], await Store.open(f"sqlite:///{tmp_path}/x.sqlite3")

    async def sleep(seconds):
        waited.append(round(seconds))

    bots = [Limited(1000), Limited(1000)]
    for bot in bots:
        bot.left = SessionStartLimits(total=1000, remaining=1000, reset_after=0, max_concurrency=2)
        bot.pacing = pacing(store, sleep=sleep)
        await bot.hold_back()
    for shard in range(4):
        await bots[shard // 2].before_identify_hook(shard, initial=True)
    assert waited == [0, 0, 5, 5]
    await store.close()
