"""What Discord answers, in the words of the painter."""

import errno
import re

import aiohttp
import pytest

from bot.port import (
    BannedError,
    ChannelGoneError,
    ForbiddenError,
    MessageGoneError,
    OverloadedError,
    PortError,
    TooOldError,
    _port_error,
    insist,
)
from cogs.asker import what_happened


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/", "http://localhost:1/"])
async def test_a_connection_that_nobody_takes_is_told_in_words(address):
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError) as failed:
            await session.get(address)
    assert what_happened(failed.value) == "no connection: connection refused"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError(), "it did not answer in time"),
        (aiohttp.ServerTimeoutError(), "it did not answer in time"),
        (aiohttp.ServerDisconnectedError(), "it closed the connection"),
        (aiohttp.ClientPayloadError(), "its answer cannot be read (does something else answer in its place?)"),
        (OSError(errno.ENETUNREACH, "x"), "no connection: network is unreachable"),
    ],
)
def test_what_came_between_the_bot_and_discord_is_told_in_words(error, said):
    assert what_happened(error) == said


@pytest.mark.parametrize(
    ("status", "code", "meant"),
    [
        (500, 0, OverloadedError), (502, 0, OverloadedError), (503, 0, OverloadedError), (504, 0, OverloadedError),
        (503, 130000, OverloadedError), (403, 130000, ForbiddenError), (429, 0, BannedError), (429, 30046, TooOldError),
        (400, 30046, TooOldError), (403, 50013, ForbiddenError), (403, 50001, ForbiddenError),
        (400, 50083, ForbiddenError), (400, 160005, ForbiddenError), (404, 10003, ChannelGoneError),
        (404, 10004, ChannelGoneError), (404, 10008, MessageGoneError), (404, 0, ChannelGoneError),
        (400, 50035, PortError),
    ],
)  # fmt: skip
def test_f15_to_f24_an_answer_means_one_thing(status, code, meant):
    error = _port_error(status, code)
    assert type(error) is meant
    assert re.fullmatch(r"[a-zA-Z][\w ,:]{20,}", str(error)), "the log says in words why"


def test_why_a_request_failed_is_told_in_words():
    assert str(_port_error(404, 10008)) == "the message was deleted"
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
