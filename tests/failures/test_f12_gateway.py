"""The connection to Discord, servers and channels come and go: F12, F13, F23, F25, F26, F41."""

from datetime import timedelta

from simcord.backend import serializers

from tests.failures.ways import in_play, pass_by, requests, shown


async def test_f12_gateway_outage_extends_deadlines(room):
    await in_play(room)
    before = await room.table()
    room.house.bot.dispatch("shard_disconnect", 0)
    await pass_by(room, minutes=30)
    during = await room.table()
    assert (during.deadline, during.overdue) == (before.deadline, False)
    room.house.bot.dispatch("shard_resumed", 0)
    await room.env.settle()
    await room.idle()
    after = await room.table()
    assert after.deadline - before.deadline == timedelta(minutes=30)
    assert not any(player.away for player in after.players)


async def test_f12_a_short_outage_extends_nothing(room):
    await in_play(room)
    before = await room.table()
    room.house.bot.dispatch("shard_disconnect", 0)
    await pass_by(room, seconds=20)
    room.house.bot.dispatch("shard_ready", 0)
    await room.env.settle()
    assert (await room.table()).deadline == before.deadline


async def test_f13_being_ready_again_begins_and_registers_nothing(room):
    await in_play(room)
    before, waiting = await shown(room), room.house.clock.waiting
    asked = len(room.env.http_requests)
    for _ in range(3):
        room.house.bot.dispatch("ready")
        await room.env.settle()
    await room.idle()
    assert await shown(room) == before
    assert room.house.clock.waiting == waiting
    assert len(room.env.http_requests) == asked


async def test_f23_a_deleted_channel_ends_its_game_without_tea(room):
    await in_play(room)
    room.env.backend.delete_channel(room.channel.id)
    await room.env.settle()
    await room.idle()
    assert (await room.table()).status == "aborted"
    assert await room.tables.owed(room.guild.id) == []


async def test_f25_a_server_that_removes_the_bot_loses_its_games_and_an_outage_none(room):
    await in_play(room)
    backend, guild = room.env.backend, room.guild.id
    backend.emit("GUILD_DELETE", {"id": str(guild), "unavailable": True})
    await room.env.settle()
    assert (await room.table()).status == "playing"
    assert (await room.tables.settings(guild)).left_at is None
    backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, backend.get_guild(guild)))
    await room.env.settle()
    backend.remove_guild(guild)
    await room.env.settle()
    assert (await room.table()).status == "aborted"
    assert (await room.tables.settings(guild)).left_at is not None


async def test_f26_a_server_that_removed_the_bot_while_it_was_away_is_noticed_at_the_start(room):
    other = room.env.create_guild()
    await in_play(room)
    guild, backend = room.guild.id, room.env.backend
    silent, backend.subscribers[:] = list(backend.subscribers), []
    backend.remove_guild(guild)
    backend.subscribers[:] = silent
    await room.restart()
    room.house.bot.dispatch("ready")
    await room.env.settle()
    await room.idle()
    assert (await room.tables.settings(guild)).left_at is not None
    assert (await room.tables.settings(other.id)).left_at is None
    assert (await room.table()).status == "aborted"


async def test_f41_commands_are_registered_when_they_changed_and_not_again(room):
    async def start():
        bot = room.house.bot
        bot._sync = "changed"
        for name in list(bot.extensions):
            await bot.unload_extension(name)
        bot.tree.clear_commands(guild=None)
        await bot.setup_hook()
        return len(requests(room, "PUT", "/commands"))

    begun = await start()
    assert await start() == begun
    await room.tables.note("commands", "those of an older program")
    assert await start() == begun + 1
    assert await start() == begun + 1
