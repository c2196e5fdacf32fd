"""What the bot relies on inside discord.py, of which nobody promises that it stays."""

from importlib.metadata import version

import pytest
from discord import AutoShardedClient
from discord.backoff import ExponentialBackoff
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import HTTPClient
from discord.shard import Shard

USED = [
    (AutoShardedClient.launch_shard, "DiscordWebSocket", "bot/connection.py puts its own class there"),
    (Shard.reconnect, "DiscordWebSocket", "bot/connection.py puts its own class there"),
    (Shard.reidentify, "DiscordWebSocket", "bot/connection.py puts its own class there"),
    (Shard.__init__, "ExponentialBackoff", "bot/connection.py puts its own class there"),
    (ExponentialBackoff.delay, "_max", "bot/connection.py sets it, for shorter pauses"),
    (KeepAliveHandler.ack, "_last_send", "bot/connection.py sets it before a heartbeat, for the true latency"),
    (DiscordWebSocket.received_message, "_keep_alive", "bot/connection.py uses it to set `_last_send`"),
    (DiscordWebSocket.from_client.__func__, "parsers", "bot/paced_bot.py and cogs/responder.py replace some of them"),
    (HTTPClient.request, "_global_over", "cogs/responder.py sets it, so that nothing waits for a cancelled request"),
    (HTTPClient.request, "_HTTPClient__session", "cogs/responder.py sends answers by it"),
]


@pytest.mark.parametrize(("function", "name", "why"), USED)
def test_discord_py_uses_the_names_that_the_bot_relies_on(function, name, why):
    where = f"{function.__qualname__} of discord.py {version('discord.py')}"
    assert name in function.__code__.co_names, f"{where} does not use {name} any more, but {why}"
