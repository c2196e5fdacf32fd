"""What the bot relies on inside discord.py, of which nobody promises that it stays."""

import inspect
from importlib.metadata import version

import pytest
from discord import AutoShardedClient, Client
from discord.backoff import ExponentialBackoff
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import HTTPClient
from discord.shard import Shard
from discord.state import ConnectionState

from bot.connection import ConnectOptions

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
    (HTTPClient.static_login, "MISSING", "bot/connection.py sets `connector` to it, for a new one at the next login"),
    (ConnectionState.parse_thread_delete, "_remove_thread", "bot/client.py calls it when the bot is taken out of one"),
    (HTTPClient.request, "_HTTPClient__session", "cogs/responder.py sends answers by it"),
    (HTTPClient.static_login, "_HTTPClient__session", "bot/connection.py has all its requests say which bot it is"),
]
LOGGED = [
    (Shard._handle_disconnect, "Attempting a reconnect for shard ID %s in %.2fs"),
    (Client.connect, "Attempting a reconnect in %.2fs"),
    (Client.login, "logging in using static token"),
]


@pytest.mark.parametrize(("function", "name", "why"), USED)
def test_discord_py_uses_the_names_that_the_bot_relies_on(function, name, why):
    where = f"{function.__qualname__} of discord.py {version('discord.py')}"
    assert name in function.__code__.co_names, f"{where} does not use {name} any more, but {why}"


@pytest.mark.parametrize(("function", "message"), LOGGED)
def test_discord_py_logs_the_messages_that_the_bot_shortens_or_drops(function, message):
    where = f"{function.__qualname__} of discord.py {version('discord.py')}"
    assert message in function.__code__.co_consts, f"{where} does not log {message!r} any more, see bot/logs.py"


def test_discord_py_connects_with_the_options_that_the_bot_changes():
    taken = inspect.signature(DiscordWebSocket.from_client).parameters
    missing = ConnectOptions.__annotations__.keys() - taken.keys()
    assert not missing, f"discord.py {version('discord.py')} has no such option any more, see bot/connection.py"
