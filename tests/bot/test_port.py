"""What Discord answers, in the words of the painter."""

import asyncio
import errno
import re
import ssl
from dataclasses import dataclass
from types import SimpleNamespace

import aiohttp
import discord
import pytest
from aiohttp import web
from discord.http import Route

import cogs.screens.components as ui
from bot.paced_bot import PacedBot
from bot.port import (
    MOST_REQUESTS,
    BannedError,
    ChannelGoneError,
    ForbiddenError,
    MessageGoneError,
    OverloadedError,
    Port,
    PortError,
    TooOldError,
    _port_error,
    insist,
)
from bot.shards import Shards
from cogs.responder import Prepared, connection_error_words, readable
from testkit.sockets.limits import Rule, Taken
from testkit.sockets.server import Discord, _too_many, discord_on_sockets
from testkit.waiting import HANG


async def test_a_mistake_of_our_own_is_not_told_as_an_answer_that_cannot_be_read(there: "There", monkeypatch):
    def fail(*_):
        raise AttributeError

    monkeypatch.setattr("bot.port.with_pictures", fail)
    port, (channel,) = Port(there.client), there.discord.world.add_guilds(1)
    with pytest.raises(AttributeError):
        await port.send(channel, Prepared([ui.lines("a table")]))


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/", "http://localhost:1/"])
async def test_a_connection_that_nobody_takes_is_told_in_words(address):
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError) as failed:
            await session.get(address)
    assert connection_error_words(failed.value) == "no connection: connection refused"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError(), "it did not answer in time"),
        (aiohttp.ServerTimeoutError(), "it did not answer in time"),
        (aiohttp.ServerDisconnectedError(), "it closed the connection"),
        (discord.ConnectionClosed(SimpleNamespace(close_code=1006), shard_id=0), "it closed the connection"),
        (aiohttp.ClientPayloadError(), "its answer cannot be read (does something else answer in its place?)"),
        (OSError(errno.ENETUNREACH, "x"), "no connection: network is unreachable"),
        (OSError(-2, "x"), "the connection broke"),
    ],
)
def test_what_came_between_the_bot_and_discord_is_told_in_words(error, said):
    assert connection_error_words(error) == said


def test_a_certificate_that_is_not_accepted_is_told_as_what_it_is():
    with pytest.raises(aiohttp.ClientError) as failed, readable():
        raise aiohttp.ClientConnectorCertificateError(None, ssl.SSLCertVerificationError("it has expired"))
    assert connection_error_words(failed.value) == "its certificate was not accepted (is this machine's clock right?)"


@pytest.mark.parametrize(
    ("status", "code", "meant"),
    [
        (500, 0, OverloadedError), (502, 0, OverloadedError), (503, 0, OverloadedError), (504, 0, OverloadedError),
        (503, 130000, OverloadedError), (403, 130000, ForbiddenError), (429, 0, BannedError), (429, 30046, TooOldError),
        (400, 30046, TooOldError), (403, 50013, ForbiddenError), (403, 50001, ForbiddenError),
        (400, 50083, ForbiddenError), (400, 160005, ForbiddenError), (404, 10003, ChannelGoneError),
        (404, 10004, ChannelGoneError), (404, 10008, MessageGoneError), (404, 10013, ChannelGoneError),
        (404, 0, PortError), (400, 50035, PortError), (401, 0, BannedError),
        (403, 0, BannedError), (403, 40333, BannedError), (400, 130000, OverloadedError),
        (403, 50005, MessageGoneError),
    ],
)  # fmt: skip
def test_f15_to_f24_an_answer_means_one_thing(status, code, meant):
    error = _port_error(status, code)
    assert type(error) is meant
    assert re.fullmatch(r"[a-zA-Z][\w ,:]{20,}", str(error)), "the log says in words why"


def test_f19_what_discord_itself_forbids_is_a_permission_even_without_a_code():
    assert type(_port_error(403, 0, by_discord=True)) is ForbiddenError


def test_why_a_request_failed_is_told_in_words():
    assert str(_port_error(404, 10008)) == "the message was deleted, or another application posted it"
    assert str(_port_error(400, 50035)) == "it answered with status 400, code 50035"


@pytest.mark.parametrize("failures", [1, 2, 3])
async def test_what_fails_by_overload_is_tried_three_times_with_growing_pauses(failures):
    pauses, errors = [], [OverloadedError("it did not answer in time")] * failures

    async def do():
        if errors:
            raise errors.pop()
        return "done"

    async def sleep(seconds):
        pauses.append(seconds)

    if failures < 3:
        assert await insist(do, sleep, 1.5) == "done"
    else:
        with pytest.raises(OverloadedError, match="did not answer"):
            await insist(do, sleep, 1.5)
    assert pauses == [1.5, 3.0][:failures]


@dataclass
class There:
    """A Discord, and a client of the bot's that is logged in there."""

    discord: Discord
    client: PacedBot


@pytest.fixture
async def there(monkeypatch):
    """A Discord, and a client that is logged in there."""
    async with discord_on_sockets() as simulated:
        monkeypatch.setattr(Route, "BASE", f"http://127.0.0.1:{simulated.port}/api/v10")
        async with PacedBot(Shards()) as client:
            await client.login("good")
            yield There(simulated, client)


async def test_f18_no_more_requests_begin_than_discord_takes_in_a_second(there: There):
    port, at = Port(there.client), [1_000.0]

    async def sleep(seconds):
        at.append(at[-1] + seconds)

    port.monotonic, port.sleep = lambda: at[-1], sleep
    (channel,) = there.discord.world.add_guilds(1)
    there.discord.limits.is_on = False
    for _ in range(2 * MOST_REQUESTS + 1):
        with pytest.raises(MessageGoneError):
            await port.delete(channel, 5)
    assert at[1:] == pytest.approx([1_000.0] * MOST_REQUESTS + [1_000.2] * MOST_REQUESTS + [1_000.4])
    assert MOST_REQUESTS * 5 < 50


async def test_f18_a_request_that_is_given_up_during_a_global_limit_holds_up_no_other(there: There, monkeypatch):
    port, (channel,) = Port(there.client), there.discord.world.add_guilds(1)
    with monkeypatch.context() as limited:
        limited.setattr("bot.port.REQUEST_PATIENCE", 0.5)
        limited.setattr(there.discord.limits, "take", lambda *_: Taken({}, 60.0))
        with pytest.raises(OverloadedError):
            await port.delete(channel, 5)
    with pytest.raises(MessageGoneError):  # the server says so, and not the patience of the client
        await port.delete(channel, 5)


async def test_f13_a_bot_waits_only_so_long_to_hear_how_many_sessions_are_left(there: There, monkeypatch):
    monkeypatch.setattr("bot.paced_bot.TO_ASK", 0.02)
    async with PacedBot(Shards()) as bot:
        await bot.login("good")
        there.discord.trouble.silent = True
        async with asyncio.timeout(HANG / 2):  # by then aiohttp has not given up
            with pytest.raises(TimeoutError):
                await bot.hold_back()


async def test_f24_a_picture_for_an_archived_thread_arrives_whole_at_the_second_attempt(there: There):
    (channel,) = there.discord.world.add_guilds(1)
    thread, heard = there.discord.world.add_thread(channel, archived=True), []
    there.discord.listeners.append(lambda each: heard.append((each.method, each.status, each.uploaded)))
    picture = Prepared([ui.picture("table.png", "a table")], {"table.png": b"x" * 1234})
    await Port(there.client).send(thread, picture)
    assert heard == [("POST", 400, 1234), ("PATCH", 200, 0), ("POST", 200, 1234)]


async def test_f18_f19_a_limit_of_discord_is_met_for_a_moment_and_what_stands_before_it_refuses_for_long(
    there: There, monkeypatch
):
    port, (channel,) = Port(there.client), there.discord.world.add_guilds(1)
    there.discord.trouble.fails.append(("DELETE", "/messages/", 429, 0))
    with pytest.raises(BannedError):
        await port.delete(channel, 5)
    monkeypatch.setattr("testkit.sockets.server.ALTOGETHER", Rule(0, 0.01))
    with pytest.raises(OverloadedError, match="status 429"):
        await port.delete(channel, 5)
    assert there.discord.limits.refused["all"] == 5


@pytest.mark.parametrize(
    ("method", "verb", "meant"),
    [("PATCH", "edit", TooOldError), ("POST", "send", OverloadedError), ("DELETE", "delete", OverloadedError)],
)
async def test_f20_only_an_edit_that_is_limited_for_long_is_given_up_for_good(
    there: There, monkeypatch, method, verb, meant
):
    port, (channel,), drawn = Port(there.client), there.discord.world.add_guilds(1), Prepared([ui.lines("a table")])
    message, real = await port.send(channel, drawn), there.discord._limited

    def limited(request, *rest):  # as it does edits of a published message: the headers speak of another limit
        headers, refusal = real(request, *rest)
        return headers, _too_many(Taken(headers, 1163.097), is_global=False) if request.method == method else refusal

    monkeypatch.setattr(there.discord, "_limited", limited)
    monkeypatch.setattr("bot.port.REQUEST_PATIENCE", 0.5)
    asked = {"send": (channel, drawn), "edit": (channel, message, drawn), "delete": (channel, message)}[verb]
    with pytest.raises(meant):
        await getattr(port, verb)(*asked)
    assert there.client.discord_errors == {429: 1}


async def test_f15_an_edit_that_nobody_answers_is_tried_again_though_another_request_is_limited(
    there: There, monkeypatch
):
    port, (channel,), drawn = Port(there.client), there.discord.world.add_guilds(1), Prepared([ui.lines("a table")])
    message, real = await port.send(channel, drawn), there.discord._limited

    def limited(request, *rest):
        headers, refusal = real(request, *rest)
        return headers, _too_many(Taken(headers, 60.0), is_global=False) if request.method == "POST" else refusal

    monkeypatch.setattr(there.discord, "_limited", limited)
    monkeypatch.setattr("bot.port.REQUEST_PATIENCE", 0.5)
    there.discord.listeners.append(lambda heard: setattr(there.discord.trouble, "silent", heard.method == "PATCH"))
    both = port.edit(channel, message, drawn), port.send(channel, drawn)
    failed = await asyncio.gather(*both, return_exceptions=True)
    assert [type(each) for each in failed] == [OverloadedError, OverloadedError]
    assert there.client.discord_errors == {429: 1}


async def test_f18_an_edit_that_waits_for_the_end_of_a_global_limit_is_tried_again(there: There, monkeypatch):
    port, (channel,), drawn = Port(there.client), there.discord.world.add_guilds(1), Prepared([ui.lines("a table")])
    message = await port.send(channel, drawn)
    monkeypatch.setattr("bot.port.REQUEST_PATIENCE", 0.5)
    monkeypatch.setattr(there.discord.limits, "take", lambda *_: Taken({}, 60.0))
    with pytest.raises(OverloadedError):
        await port.edit(channel, message, drawn)


@pytest.mark.parametrize("verb", ["send", "edit", "delete"])
@pytest.mark.parametrize(
    ("body", "kind"), [(b"", "application/json"), (b'{"id": "1', "application/json"), (b"<p>ok</p>", "text/html")]
)
async def test_f16_an_answer_that_cannot_be_read_counts_as_none(there: There, monkeypatch, verb, body, kind):
    monkeypatch.setattr(there.discord, "_answer", lambda *_: web.Response(body=body, content_type=kind))
    port, (channel,), drawn = Port(there.client), there.discord.world.add_guilds(1), Prepared([ui.lines("a table")])
    asked = {"send": (channel, drawn), "edit": (channel, 5, drawn), "delete": (channel, 5)}[verb]
    with pytest.raises(OverloadedError, match="its answer cannot be read"):
        await getattr(port, verb)(*asked)
