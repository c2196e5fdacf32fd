"""Processes that are forked from one that has loaded the bot."""

import asyncio
import os

from testkit.forked import Forked
from testkit.waiting import HANG

MUCH = 1 << 20
"""Bytes, more than fit into a pipe and what is read ahead of it by itself."""


async def test_one_that_says_much_ends_though_nobody_asks_what_it_says():
    process = await Forked.begin(f"import sys; print('x' * {MUCH}, file=sys.stderr)", env=os.environ)
    async with asyncio.timeout(HANG):
        await asyncio.shield(process._over)
    assert process.returncode == 0
    assert await process.communicate() == [b"", b"x" * MUCH + b"\n"]


async def test_none_of_its_processes_comes_last():
    process = await Forked.begin("import bot.workers; print(bot.workers.ONLY_WHEN_IDLE)", env=os.environ)
    assert (await process.communicate())[0] == b"False\n"
