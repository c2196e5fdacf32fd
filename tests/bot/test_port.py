"""What Discord answers, in the words of the painter."""

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
)


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
    assert type(_port_error(status, code)) is meant
