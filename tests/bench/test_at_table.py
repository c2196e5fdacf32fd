"""Two people and the real process on a Discord made of sockets: a game that goes on through a broken connection."""

import asyncio
from copy import deepcopy

import pytest

from bench.at_table import opened
from bench.bots import Process, real_bot
from bench.regulars import Notes, Regulars
from testkit.sockets.gateway import RECONNECT
from testkit.sockets.server import Discord, discord_on_sockets
from testkit.sockets.world import UPDATE
from testkit.waiting import HANG


@pytest.fixture
async def discord():
    async with discord_on_sockets() as discord:
        discord.world.add_guilds(1)
        discord.limits.is_on = False  # or the uploads of the faces would take a second
        yield discord


@pytest.fixture
async def bot(discord: Discord, tmp_path):
    bot = real_bot(discord, f"sqlite:///{tmp_path}/tables.sqlite3")
    await bot.begin()
    yield bot
    await bot.end()


async def test_a_move_during_a_broken_connection_is_made_when_the_session_is_resumed(discord: Discord, bot):
    gateway = discord.gateway
    (table,) = await opened(discord, list(discord.world.channels))
    turn = await table.turn()
    gateway.cut()
    moving = asyncio.create_task(turn.made())
    async with asyncio.timeout(HANG):
        answered = await moving
    assert gateway.seen["resume"] == gateway.seen["identify"] == 1
    assert answered.kind == UPDATE
    assert turn.move not in answered.message.ids()


async def test_a_press_that_comes_too_late_is_noted_as_no_move(discord: Discord, bot):
    (table,) = await opened(discord, list(discord.world.channels))
    notes = Notes()
    regulars = Regulars(table, notes, pause=0, patience=HANG)
    turn = await table.turn()
    old = deepcopy(turn.hand)
    made = await turn.made()
    regulars._note(turn.move, made)
    late = await turn.person.press(old, turn.move)
    regulars._note(turn.move, late)
    assert made.kind == late.kind == UPDATE
    assert list(notes.moves) == [made.asked.id]


async def test_a_bot_that_is_told_to_reconnect_does_so_and_its_processor_time_goes_on(discord: Discord, bot):
    spent, held = bot.processor(), bot.memory()
    await discord.gateway.order(RECONNECT)
    async with asyncio.timeout(HANG):
        await discord.until(lambda: discord.gateway.seen["resume"])
    assert bot.processor() > spent > 0
    assert held > 10 << 20


async def test_a_bot_that_ends_before_it_connects_is_not_waited_for(discord: Discord):
    with pytest.raises(RuntimeError, match="status is 3"):
        await Process(discord, "raise SystemExit(3)").begin()
