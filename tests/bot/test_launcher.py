"""The whole process on a make-believe Discord: made, run and ended by the launcher."""

import asyncio
from datetime import UTC, datetime

import pytest
from aiohttp import web
from discord.http import Route
from simcord.backend import serializers

from bot.config import ConfigError, Settings
from bot.launcher import opened, ticking
from bot.service import run
from game.moves import Ready
from testkit.offline import request_at

BEFORE = datetime(2026, 1, 1, tzinfo=UTC)
"""When a make-believe Discord begins; the bot is made before it."""


class Evening:
    """A server with Ann and Bob, and the bot with its painter and clock."""

    def __init__(self, url):
        self.settings = Settings(database_url=url, thinking_seconds=0, shard_count=1, _env_file=None)
        self.house = self.env = None

    def make(self):
        return opened(self.settings, now=self.now, gap=0, sync="always")

    def now(self):
        return self.env.now() if self.env else BEFORE

    def settle_in(self, env):
        self.env = env
        self.guild = env.create_guild("kitchen", preferred_locale="de")
        self.channel = self.guild.create_text_channel("cards")
        self.ann = self.guild.add_member(env.create_user("ann", global_name="Ann"))
        self.bob = self.guild.add_member(env.create_user("bob", global_name="Bob"))

    @property
    def message(self):
        return self.channel.last_message

    async def table(self):
        await self.house.painter.idle()
        found = await self.house.tables.play.in_channel(int(self.guild.id), int(self.channel.id))
        return (await self.house.tables.snapshot(found)).table

    async def start(self):
        await self.ann.slash(self.channel, "shithead start")
        await self.house.painter.idle()
        public = self.message
        await self.bob.click(public, custom_id=self.id_of(await self.table(), "join"))
        await self.house.painter.idle()
        return public

    @staticmethod
    def id_of(table, verb):
        return f"sh:{verb}:{table.id}:{table.revision}"


@pytest.fixture
async def made(tmp_path, empty_database):
    file = tmp_path / "evening.sqlite3"
    file.write_bytes(empty_database.read_bytes())
    evening = Evening(f"sqlite:///{file}")
    async with evening.make() as evening.house:
        yield evening


@pytest.fixture
def simcord_bot(made):
    return made.house.bot


@pytest.fixture
async def evening(simcord_env, made):
    made.settle_in(simcord_env)
    async with ticking(made.house):
        yield made


async def test_a_command_opens_a_table_that_is_drawn_in_the_channel(evening):
    await evening.start()
    table = await evening.table()
    assert [player.name for player in table.players] == ["Ann", "Bob"]
    assert table.message_id == int(evening.message.id)
    assert await evening.house.tables.timekeeping.undrawn_tables() == ()


async def test_f30_the_bot_goes_on_after_a_restart_with_the_old_messages(evening):
    public = await evening.start()
    table = await evening.table()
    async with evening.make() as again:
        await evening.env.restart_bot(again.bot)
        async with ticking(again):
            evening.house = again
            await evening.ann.click(public, custom_id=evening.id_of(table, "start"))
            found = await evening.table()
            assert (found.status, found.message_id) == ("playing", table.message_id)


async def test_f13_getting_ready_again_begins_nothing(evening):
    await evening.start()
    before = len(evening.env.http_requests)
    for _ in range(3):
        await evening.house.bot.on_ready()
    assert len(evening.env.http_requests) == before


async def test_f23_a_deleted_channel_aborts_its_game_at_once(evening):
    await evening.start()
    table = await evening.table()
    evening.env.backend.delete_channel(evening.channel.id)
    await evening.env.settle()
    assert (await evening.house.tables.snapshot(table.id)).table.status == "aborted"


async def test_f25_a_server_that_removes_the_bot_is_marked_and_its_games_are_aborted(evening):
    await evening.start()
    table = await evening.table()
    evening.env.backend.remove_guild(evening.guild.id)
    await evening.env.settle()
    assert (await evening.house.tables.snapshot(table.id)).table.status == "aborted"
    assert (await evening.house.tables.servers.settings(table.guild_id)).left_at is not None


async def test_f25_an_outage_of_discord_removes_nothing(evening):
    await evening.start()
    table = await evening.table()
    backend = evening.env.backend
    backend.emit("GUILD_DELETE", {"id": str(evening.guild.id), "unavailable": True})
    await evening.env.settle()
    backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, backend.get_guild(evening.guild.id)))
    await evening.env.settle()
    assert (await evening.house.tables.snapshot(table.id)).table.status == "lobby"
    assert (await evening.house.tables.servers.settings(table.guild_id)).left_at is None


@pytest.mark.parametrize(
    ("status", "code", "calls"), [(500, 0, 2), (503, 0, 2), (503, 130000, 2), (403, 50013, 1), (400, 50035, 1)]
)
async def test_f15_f16_f22_what_discord_answers_to_an_edit_is_understood(evening, status, code, calls):
    await evening.start()
    evening.env.inject_error("PATCH", "/channels/*/messages/*", status=status, code=code, message="no", times=1)
    evening.house.painter._brush._sleep = lambda seconds: asyncio.sleep(0)
    before = sum(each.method == "PATCH" for each in evening.env.http_requests)
    table = await evening.table()
    await evening.house.tables.lobby.change(request_at(table, evening.ann.id, id=5), pace="slow")
    await evening.house.painter.idle()
    assert sum(each.method == "PATCH" for each in evening.env.http_requests) - before == calls
    assert (evening.house.painter.trouble(table.id) is not None) == (status == 403)


async def test_f21_a_deleted_table_comes_again(evening):
    await evening.start()
    table = await evening.table()
    evening.env.backend.delete_message(evening.channel.id, evening.message.id)
    await evening.env.settle()
    await evening.house.tables.lobby.change(request_at(table, evening.ann.id, id=5), pace="slow")
    found = await evening.table()
    assert found.message_id == int(evening.message.id) != table.message_id


async def test_the_reminder_is_one_message_that_goes_when_the_turn_is_played(evening):
    public = await evening.start()
    await evening.ann.click(public, custom_id=evening.id_of(await evening.table(), "start"))
    tables, clock, table = evening.house.tables, evening.house.clock, await evening.table()
    for click, person in enumerate((evening.ann, evening.bob), start=1):
        await tables.play.act(request_at(table, person.id, id=click), Ready())
    if (await tables.snapshot(table.id)).view.phase == "call":
        await evening.env.advance_time(46)
        await clock.tick()
    await evening.env.advance_time(61)
    await clock.tick()
    found = await evening.table()
    snapshot = await tables.snapshot(table.id)
    user = found.players[snapshot.view.turn].user_id
    assert found.nudge_id == int(evening.message.id)
    assert f"<@{user}>" in str(evening.env.http_requests[-1].json)
    await evening.env.advance_time(240)
    await clock.tick()
    assert (await evening.table()).nudge_id is None
    assert int(evening.message.id) == found.message_id


@pytest.fixture
async def no_discord(monkeypatch):
    """A server in Discord's place that knows no token."""

    async def refuse(request):
        return web.json_response({"message": "401: Unauthorized", "code": 0}, status=401)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    monkeypatch.setattr(Route, "BASE", f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10")
    yield
    await runner.cleanup()


async def test_f14_a_token_that_discord_does_not_know_is_one_sentence(no_discord, tmp_path):
    settings = Settings(database_url=f"sqlite:///{tmp_path}/x.sqlite3", discord_token="wrong", _env_file=None)
    with pytest.raises(ConfigError, match="does not know this token"):
        await run(settings)


async def test_closing_answers_and_loses_nothing(evening):
    await evening.start()
    table = await evening.table()
    evening.house.tables.close()
    answer = await evening.ann.click(evening.message, custom_id=evening.id_of(table, "start"))
    assert answer.acknowledged
    assert (await evening.table()).status == "lobby"
