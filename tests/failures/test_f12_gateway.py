"""The connection to Discord, servers and channels come and go: F12, F13, F23, F25, F26, F41."""

import json
from datetime import timedelta

import discord
import pytest
from simcord.backend import serializers
from structlog.testing import capture_logs

from bot.registering import HOW, load_commands, register
from bot.shards import shard_of
from data.errors import UnavailableError
from tables.snapshots import Decline, Declined
from testkit.channel import Room
from testkit.faults import EDIT, fail, in_play, pass_by, requests, snapshot, stored
from testkit.found import not_none
from testkit.made import texts
from testkit.stored import open_debts


async def heard(room: Room, event, *of):
    """The bot hears what happened to its connection, and has done what it does then."""
    with room.env._bot_scope():  # what is begun outside is not waited for
        room.house.bot.dispatch(event, *of)
    await room.env.settle()


async def test_f12_gateway_outage_extends_deadlines(room: Room):
    await in_play(room)
    before = await room.table()
    await heard(room, "shard_disconnect", 0)
    await pass_by(room, minutes=30)
    during = await room.table()
    assert (during.deadline, during.overdue) == (before.deadline, False)
    await heard(room, "shard_resumed", 0)
    await room.idle()
    after = await room.table()
    assert not_none(after.deadline) - not_none(before.deadline) == timedelta(minutes=30)
    assert not any(player.away for player in after.players)


async def test_f12_a_short_outage_extends_nothing(room: Room):
    await in_play(room)
    before = await room.table()
    await heard(room, "shard_disconnect", 0)
    await pass_by(room, seconds=20)
    await heard(room, "shard_ready", 0)
    assert (await room.table()).deadline == before.deadline


async def test_f13_being_ready_again_begins_and_registers_nothing(room: Room):
    await in_play(room)
    before, waiting = await snapshot(room), room.house.clock.waiting
    asked = len(room.env.http_requests)
    for _ in range(3):
        await heard(room, "ready")
    await room.idle()
    assert await snapshot(room) == before
    assert room.house.clock.waiting == waiting
    assert len(room.env.http_requests) == asked


async def test_f23_a_deleted_channel_ends_its_game_without_tea(room: Room):
    await in_play(room)
    room.env.backend.delete_channel(room.channel.id)
    await room.env.settle()
    await room.idle()
    assert (await room.table()).status == "aborted"
    assert await open_debts(room.house.store, room.guild.id) == []


async def test_f25_a_server_that_removes_the_bot_loses_its_games_and_an_outage_none(room: Room):
    await in_play(room)
    backend, guild = room.env.backend, room.guild.id
    backend.emit("GUILD_DELETE", {"id": str(guild), "unavailable": True})
    await room.env.settle()
    assert (await room.table()).status == "playing"
    assert (await room.house.store.guilds.known())[guild] is None
    backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, backend.get_guild(guild)))
    await room.env.settle()
    backend.remove_guild(guild)
    await room.env.settle()
    assert (await room.table()).status == "aborted"
    assert (await room.house.store.guilds.known())[guild] is not None


async def test_f25_an_outage_of_a_server_takes_no_time_from_anybody(room: Room):
    await in_play(room, seats=3)
    before = await room.table()
    backend, guild = room.env.backend, room.guild.id
    backend.emit("GUILD_DELETE", {"id": str(guild), "unavailable": True})
    await pass_by(room, minutes=40)
    assert await room.table() == before
    backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, backend.get_guild(guild)))
    await pass_by(room, minutes=1)
    after = await room.table()
    assert not_none(after.deadline) - not_none(before.deadline) == timedelta(minutes=40)
    assert (after.status, [player.away for player in after.players]) == ("playing", [False] * 3)


@pytest.mark.parametrize(("is_removed", "at_once"), [(True, False), (True, True), (False, False)])
async def test_f25_a_server_that_is_back_from_an_outage_as_if_it_had_invited_the_bot_has_a_clock(
    room: Room, is_removed, at_once
):
    backend, guild = room.env.backend, room.guild.id
    backend.emit("GUILD_DELETE", {"id": str(guild), "unavailable": True})
    await room.env.settle()
    if is_removed:
        backend.emit("GUILD_DELETE", {"id": str(guild)})
    if not at_once:
        await room.env.settle()
    payload = serializers.guild_create_payload(backend, backend.get_guild(guild))
    payload.pop("unavailable")  # Discord omits it where the bot was invited
    backend.emit("GUILD_CREATE", payload)
    await room.env.settle()
    await room.open()
    await pass_by(room, minutes=16)
    assert (await room.table()).status == "expired"


async def test_f25_in_a_server_that_invites_the_bot_again_no_table_looks_as_if_it_were_played(room: Room):
    await in_play(room)
    bot = room.house.bot
    fail(room, EDIT, 403, 50001, times=3)
    await bot.on_guild_remove(bot.get_guild(room.guild.id))
    for _ in range(4):  # then the painter has given up
        await room.idle()
        room.house.painter.retry()
    assert "Stopped" not in texts(room.public().components)
    await bot.on_guild_join(bot.get_guild(room.guild.id))
    await room.idle()
    assert "Stopped" in texts(room.public().components)


async def test_f25_a_lobby_that_was_closed_because_the_bot_was_removed_does_not_blame_its_people(room: Room):
    await room.open(seats=2)
    bot = room.house.bot
    await bot.on_guild_remove(bot.get_guild(room.guild.id))
    await bot.on_guild_join(bot.get_guild(room.guild.id))
    await room.idle()
    assert texts(room.public().components).startswith("# Closed\n")
    assert "Nobody played" not in texts(room.public().components)


async def test_f26_a_server_that_removed_the_bot_while_it_was_away_is_noticed_at_the_start(room: Room):
    other = room.env.create_guild()
    await in_play(room)
    guild, backend = room.guild.id, room.env.backend
    silent, backend.subscribers[:] = list(backend.subscribers), []
    backend.remove_guild(guild)
    backend.subscribers[:] = silent
    await room.restart()
    await heard(room, "ready")
    await room.idle()
    assert (await room.house.store.guilds.known())[guild] is not None
    assert other.id not in await room.house.store.guilds.known()
    assert (await room.table()).status == "aborted"


@pytest.mark.parametrize(
    ("is_listed", "is_here", "status"), [(True, True, "playing"), (False, False, "playing"), (False, True, "aborted")]
)
async def test_f26_a_new_session_ends_only_games_in_servers_of_its_shard_that_are_not_listed_any_more(
    room: Room, is_listed, is_here, status
):
    await in_play(room)
    bot, listed = room.house.bot, [{"id": str(room.guild.id), "unavailable": True}]
    ready = {
        "user": dict(serializers.user_payload(room.env.backend.bot_user)),
        "guilds": listed if is_listed else [],
        "shard": [shard_of(room.guild.id, 2) if is_here else 1 - shard_of(room.guild.id, 2), 2],
        "application": {"id": str(bot.application_id), "flags": 0},
    }
    with room.env._bot_scope():
        bot._connection.parsers["READY"](ready)
    await room.env.settle()
    assert (await room.table()).status == status


async def test_f26_what_is_stored_of_a_server_that_was_left_is_deleted_after_thirty_days(room: Room):
    other = room.env.create_guild()
    await in_play(room)
    guild = room.guild.id
    plain = await room.tables.servers.settings(other.id)
    await room.tables.servers.choose(plain, plain.but(polite=True))
    await room.tables.servers.catch_up({other.id: True}.get)
    await room.tables.servers.upkeep()
    for days, left in ((29, True), (2, False)):
        await room.env.advance_time(days * 24 * 3600)
        await room.tables.servers.upkeep()
        for table in ("tables", "games", "clicks", "guilds"):
            found = {each for (each,) in stored(room, f"SELECT guild_id FROM {table}")}
            assert (guild in found) is left or table == "clicks", table
        assert (other.id,) in stored(room, "SELECT guild_id FROM guilds")
    assert not stored(room, "SELECT 1 FROM clicks")


async def test_f26_a_server_that_comes_back_in_time_keeps_what_is_stored(room: Room):
    await in_play(room)
    await room.tables.servers.catch_up({}.get)
    await room.env.advance_time(29 * 24 * 3600)
    await room.tables.servers.joined(room.guild.id)
    await room.env.advance_time(9 * 24 * 3600)
    await room.tables.servers.upkeep()
    assert stored(room, "SELECT 1 FROM games WHERE packed IS NOT NULL")


@pytest.mark.parametrize("comes_back", [False, True])
async def test_f26_a_server_that_comes_or_goes_while_the_database_is_away_is_noticed_within_the_hour(
    room: Room, monkeypatch, comes_back
):
    async def unavailable(*_):
        raise UnavailableError

    await in_play(room)
    guild, bot = room.house.bot.get_guild(room.guild.id), room.house.bot
    if comes_back:
        await room.tables.servers.removed(guild.id)
        await room.env.advance_time(29 * 24 * 3600)
    monkeypatch.setattr(room.house.store.guilds, "set_left", unavailable)
    if comes_back:
        await bot.on_guild_join(guild)
    else:
        room.env.backend.remove_guild(guild.id)
        await room.env.settle()
    monkeypatch.undo()
    await bot.upkeep()
    is_left = (await room.house.store.guilds.known())[guild.id] is not None
    assert (is_left, (await room.table()).status) == (not comes_back, "aborted")
    await room.env.advance_time(31 * 24 * 3600)
    monkeypatch.setattr(room.tables.servers, "catch_up", None)  # there is nothing to catch up with
    await bot.upkeep()
    assert bool(stored(room, "SELECT 1 FROM games")) is comes_back


async def test_f26_a_server_that_goes_when_an_error_keeps_that_from_being_stored_is_noticed_within_the_hour(
    room: Room, monkeypatch
):
    async def broken(*_):
        raise KeyError

    await in_play(room)
    bot = room.house.bot
    here = bot.get_guild(room.guild.id)
    with monkeypatch.context() as during:
        during.setattr(room.house.store.guilds, "set_left", broken)
        with pytest.raises(KeyError):  # which discord.py logs
            await bot.on_guild_remove(here)
    monkeypatch.setattr(bot, "get_guild", lambda _guild_id: None)
    await bot.upkeep()
    assert (await room.table()).status == "aborted"


def break_at(room: Room, broken, monkeypatch):
    """From now on an error keeps it from being stored that the bot joins or leaves this server."""

    async def set_left(guild_id, at):
        if guild_id == broken:
            raise KeyError
        await store(guild_id, at)

    store = room.house.store.guilds.set_left
    monkeypatch.setattr(room.house.store.guilds, "set_left", set_left)


async def test_f26_an_error_that_stays_at_one_server_holds_up_neither_others_nor_the_deletion_of_data(
    room: Room, monkeypatch
):
    await in_play(room)
    bot, here = room.house.bot, room.house.bot.get_guild(room.guild.id)
    gone, old = (room.env.create_guild().id for _ in range(2))
    for each in (gone, old):
        plain = await room.tables.servers.settings(each)
        await room.tables.servers.choose(plain, plain.but(polite=True))
    await room.tables.servers.removed(old)
    left = room.now()
    await room.env.advance_time(31 * 24 * 3600)
    monkeypatch.setattr(bot, "get_guild", lambda _guild_id: None)
    with monkeypatch.context() as during:
        break_at(room, here.id, during)
        with capture_logs() as said:
            await bot.on_ready()
        assert await room.house.store.guilds.known() == {here.id: None, gone: room.now(), old: left}
        assert [each["guild"] for each in said if each["log_level"] == "error"] == [here.id]
        await bot.upkeep()
    assert await room.house.store.guilds.known() == {here.id: None, gone: room.now()}
    await bot.upkeep()
    assert await room.house.store.guilds.known() == {here.id: room.now(), gone: room.now()}


async def test_f26_a_server_that_is_back_is_not_forgotten_though_an_error_keeps_that_from_being_stored(
    room: Room, monkeypatch
):
    await in_play(room)
    bot, here = room.house.bot, room.house.bot.get_guild(room.guild.id)
    await room.tables.servers.removed(here.id)
    await room.env.advance_time(31 * 24 * 3600)
    break_at(room, here.id, monkeypatch)
    with pytest.raises(KeyError):  # which discord.py logs
        await bot.on_guild_join(here)
    await bot.upkeep()
    assert stored(room, "SELECT 1 FROM games")


async def test_f26_a_server_that_goes_right_after_the_bot_caught_up_is_noticed_though_the_database_is_away(
    room: Room, monkeypatch
):
    async def catch_up(guild_of):
        await real(guild_of)
        with monkeypatch.context() as away:
            away.setattr(room.house.store.guilds, "set_left", unavailable)
            room.env.backend.remove_guild(room.guild.id)
            await room.env.settle()

    async def unavailable(*_):
        raise UnavailableError

    await in_play(room)
    real = room.tables.servers.catch_up
    monkeypatch.setattr(room.tables.servers, "catch_up", catch_up)
    await room.house.bot.on_ready()
    monkeypatch.undo()
    assert (await room.table()).status == "playing"
    await room.house.bot.upkeep()
    assert (await room.table()).status == "aborted"


async def test_f26_a_server_that_invites_the_bot_while_it_catches_up_keeps_its_table(room: Room, monkeypatch):
    async def open_ids():
        found = await look()
        other = room.env.create_guild()
        channel, zoe = other.create_text_channel("table"), other.add_member(room.env.create_user("zoe"))
        await room.env.settle()
        await zoe.slash(channel, "shithead start")
        return found

    look = room.house.store.tables.open_ids
    monkeypatch.setattr(room.house.store.tables, "open_ids", open_ids)
    await room.house.bot.on_ready()
    assert (await room.table()).status == "lobby"
    assert set((await room.house.store.guilds.known()).values()) == {None}


def put(room: Room):
    """How often commands were registered."""
    return len(requests(room, "PUT", "/commands"))


async def started(room: Room):
    """The bot starts as on Discord; whether it said that its commands are others."""
    room.at_start = lambda bot, commands: load_commands(bot, room.house.tables, "never")
    with capture_logs() as said:
        await room.restart()
    return any(each.get("what_to_do") == HOW for each in said)


async def test_f41_a_start_compares_the_commands_and_only_the_host_registers_them(room: Room):
    begun = put(room)
    assert await started(room)
    assert put(room) == begun
    found = await register(room.house.bot, room.tables)
    assert found.items() >= dict.fromkeys(("shithead", "palace", "tea"), "changed").items()
    assert put(room) == begun + 1
    assert not await started(room)
    assert not await register(room.house.bot, room.tables)
    assert put(room) == begun + 1


@pytest.mark.parametrize("changed", [True, False])
async def test_f41_a_start_that_is_to_register_commands_does_so_if_they_changed(room: Room, changed):
    if not changed:
        await register(room.house.bot, room.tables)
    begun = put(room)
    with capture_logs() as said:
        await load_commands(room.house.bot, room.tables, "changed")
    assert put(room) - begun == changed
    assert [each["event"] for each in said] == ["the commands were registered"] * changed


@pytest.mark.parametrize("sync", ["changed", "never"])
async def test_f41_a_start_goes_on_where_the_database_does_not_say_what_was_registered(room: Room, monkeypatch, sync):
    async def unavailable(*_):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables, "read_note", unavailable)
    with capture_logs() as said:
        await load_commands(room.house.bot, room.tables, sync)
    assert [(each["event"], each["what_to_do"]) for each in said] == [
        ("the commands could not be compared or registered", HOW)
    ]


async def test_f41_what_changed_since_is_named(room: Room):
    bot = room.house.bot
    bot.tree.remove_command("tea")
    bot.tree.add_command(discord.app_commands.Group(name="older", description="What there was"))
    await register(bot, room.tables)
    known = json.loads(await room.tables.read_note("commands"))
    known["shithead"][0] = "otherwise"
    await room.tables.write_note("commands", json.dumps(known))
    assert await started(room)
    found = await register(room.house.bot, room.tables)
    assert list(found.items()) == [("tea", "new"), ("shithead", "changed"), ("older", "gone")]


async def test_f41_commands_can_be_registered_in_one_server(room: Room):
    begun = put(room)
    assert "new" in (await register(room.house.bot, room.tables, room.guild.id)).values()
    assert put(room) == begun + 1
    assert f"/guilds/{room.guild.id}/commands" in requests(room, "PUT", "/commands")[-1].path
    assert not await register(room.house.bot, room.tables, room.guild.id)
    assert await started(room)


async def test_f41_commands_that_discord_refuses_are_not_noted_as_registered(room: Room):
    await register(room.house.bot, room.tables)
    await room.tables.write_note("commands", "a digest of an older program")
    fail(room, ("PUT", "/applications/*/commands"), 400, 50035)
    with pytest.raises(discord.HTTPException):
        await register(room.house.bot, room.tables)
    assert await register(room.house.bot, room.tables)
