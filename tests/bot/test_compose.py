"""The whole process on a make-believe Discord: made, run and ended."""

import asyncio
import shlex
import shutil
import traceback
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace

import pytest
from aiohttp import web
from discord.http import Route
from simcord import Env
from structlog.testing import capture_logs

from bot.compose import App, _serving, _shut_down, compose, resume, run, running
from bot.config import ConfigError
from bot.painter import Painter
from bot.shards import LEASE_SECONDS
from cogs.open_hands import NO_REVISION
from cogs.rate_limit import ALLOWANCES, Allowance
from cogs.replies import PendingClicks
from data.guild_models import GuildSettings
from data.lease_rows import LeaseLostError
from data.store import Store
from game.moves import Ready
from tables.snapshots import Decline, Declined
from testkit.channel import register
from testkit.found import not_none
from testkit.offline import request_at, settings_without_file
from testkit.waiting import HANG

BEFORE = datetime(2026, 1, 1, tzinfo=UTC)
"""When a make-believe Discord begins; the bot is made before it."""


class Evening:
    """A server with Ann and Bob, and the bot with its painter and clock."""

    house: App
    env: Env | None = None

    def __init__(self, url):
        self.settings = settings_without_file(database_url=url, thinking_seconds=0, shard_count=1)

    @asynccontextmanager
    async def make(self):
        async with compose(self.settings, now=self.now, gap=0) as house:
            house.bot.setup_hook = partial(register, house.bot, None)
            yield house

    def now(self):
        return self.env.now() if self.env else BEFORE

    def settle_in(self, env: Env):
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
def simcord_bot(made: Evening):
    return made.house.bot


@pytest.fixture
async def evening(simcord_env: Env, made: Evening):
    made.settle_in(simcord_env)
    async with running(made.house, stop=asyncio.Event()):
        yield made


async def test_a_command_opens_a_table_that_is_drawn_in_the_channel(evening: Evening):
    await evening.start()
    table = await evening.table()
    assert [player.name for player in table.players] == ["Ann", "Bob"]
    assert table.message_id == int(evening.message.id)
    assert await evening.house.tables.timekeeping.undrawn_tables() == ()


async def test_f30_the_bot_goes_on_after_a_restart_with_the_old_messages(evening: Evening):
    public = await evening.start()
    table = await evening.table()
    async with evening.make() as again:
        await evening.env.restart_bot(again.bot)
        async with running(again, stop=asyncio.Event()):
            evening.house = again
            await evening.ann.click(public, custom_id=evening.id_of(table, "start"))
            found = await evening.table()
            assert (found.status, found.message_id) == ("playing", table.message_id)
            with capture_logs() as logs:
                await resume(again)
            assert logs == [{"event": "took the tables over", "tables": 1, "log_level": "info"}]


async def test_servers_that_the_bot_joins_and_leaves_are_logged_without_their_names(evening: Evening):
    server = SimpleNamespace(id=5, name="secret")
    with capture_logs() as logs, evening.env._bot_scope():
        await evening.house.bot.on_guild_join(server)
        await evening.house.bot.on_guild_remove(server)
    told = [{"event": each, "guild": 5, "log_level": "info"} for each in ("joined a server", "left a server")]
    assert [each for each in logs if each in told] == told
    assert "secret" not in str(logs)


async def test_f35_f52_while_nobody_may_be_answered_no_time_passes(evening: Evening):
    await evening.start()
    before, clock = await evening.table(), evening.house.clock
    async with _serving(evening.house, asyncio.Event()) as lease:
        for is_good, seconds in ((False, 3600), (True, 0)):
            with evening.env._bot_scope():
                lease.on_change(is_good)
                lease.trouble = "the disk is full" * (not is_good)
                assert evening.house.bot.trouble() == lease.trouble
            await evening.env.settle()
            await evening.env.advance_time(seconds)
            await clock.tick()
            assert (await evening.table()).status == "lobby"
    assert not_none((await evening.table()).deadline) - not_none(before.deadline) == timedelta(
        seconds=3600 + LEASE_SECONDS
    )


async def test_f52_when_the_lease_is_lost_nothing_is_answered_and_no_table_or_hand_is_drawn(evening: Evening):
    app = evening.house
    async with _serving(app, asyncio.Event()) as lease:
        for loss in (None, LeaseLostError()):
            lease.loss = loss
            assert {part.is_serving() for part in (app.bot, app.port, app.tables)} == {loss is None}


@pytest.mark.parametrize("shards", ["", "1"])
async def test_shards_of_several_processes_take_turns_and_a_single_process_needs_none(
    tmp_path, empty_database, shards, monkeypatch
):
    monkeypatch.setattr("bot.shards.IDENTIFY_EVERY", HANG)  # otherwise the second turn might have come already
    file = shutil.copy(empty_database, tmp_path / "x.sqlite3")
    settings = settings_without_file(database_url=f"sqlite:///{file}", shard_count=2, shard_ids=shards)
    async with compose(settings) as app, _serving(app, asyncio.Event()):
        if shards:
            first, second = [await not_none(app.bot.take_slot)(0) for _ in range(2)]
            assert first <= 0 < second
        else:
            assert app.bot.take_slot is None


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o644, True), (0o660, True)])
async def test_a_start_warns_where_others_may_read_the_database(tmp_path, mode, warned):
    file = tmp_path / "x.sqlite3"
    url = f"sqlite:///{file}"
    await (await Store.open(url)).close()
    file.chmod(mode)
    async with compose(settings_without_file(database_url=url)) as house:
        with capture_logs() as logs:
            async with _serving(house, asyncio.Event()):
                pass
    said = [each["event"] for each in logs if each["log_level"] == "warning"]
    assert said == [f"others on this machine may read {file}, so run chmod 600 {shlex.quote(str(file))}*"] * warned


async def test_the_reminder_is_one_message_that_goes_when_the_turn_is_played(evening: Evening):
    public = await evening.start()
    await evening.ann.click(public, custom_id=evening.id_of(await evening.table(), "start"))
    tables, clock, table = evening.house.tables, evening.house.clock, await evening.table()
    for click, person in enumerate((evening.ann, evening.bob), start=1):
        await tables.play.act(request_at(table, int(person.id), id=click), Ready())
    if (await tables.snapshot(table.id)).view.phase == "call":
        await evening.env.advance_time(46)
        await clock.tick()
    await evening.env.advance_time(61)
    await clock.tick()
    found = await evening.table()
    snapshot = await tables.snapshot(table.id)
    user = found.players[not_none(snapshot.view.turn)].user_id
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


async def test_f26_a_server_that_invited_the_bot_again_while_it_was_off_is_not_forgotten(
    simcord_env: Env, made: Evening, monkeypatch
):
    made.settle_in(simcord_env)
    guild = int(made.guild.id)
    await made.house.tables.servers.choose(GuildSettings(guild_id=guild), GuildSettings(guild_id=guild, polite=True))
    await made.house.store.guilds.set_left(guild, made.house.tables.play._doorway.now() - timedelta(days=40))
    made.house.bot._caught_up = -1  # as before READY
    is_ready, here = asyncio.Event(), made.house.bot.get_guild
    monkeypatch.setattr(made.house.bot, "wait_until_ready", is_ready.wait)
    monkeypatch.setattr(made.house.bot, "get_guild", lambda guild_id: here(guild_id) if is_ready.is_set() else None)
    async with running(made.house, stop=asyncio.Event()):
        await made.house.painter.idle()
        for _ in range(50):
            await made.house.store.ping()
        is_ready.set()
        async with asyncio.timeout(HANG):
            while (await made.house.store.guilds.known())[guild] is not None:
                pass
    assert (await made.house.store.guilds.get(guild)).polite


async def test_expired_data_is_deleted_every_hour_and_a_failure_says_so(made: Evening, monkeypatch):
    def repeat(do, seconds, message):
        repeated[do] = seconds, message
        return asyncio.Event().wait()

    repeated = {}
    monkeypatch.setattr("bot.compose.repeat", repeat)
    async with running(made.house, stop=asyncio.Event()):
        pass
    told = "expired data could not be deleted, retrying in an hour"
    assert repeated[made.house.bot.upkeep] == (timedelta(hours=1).total_seconds(), told)


async def test_in_the_real_process_whoever_clicks_lets_players_rest_that_think(made: Evening):
    rested = []
    made.house.bot.prepare_for_clicks(pause_workers=lambda: rested.append(made.house.bot))
    with made.house.bot.pending.answering():
        assert rested == [made.house.bot]


async def test_only_in_the_real_process_somebody_may_click_too_fast(made: Evening, monkeypatch):
    monkeypatch.setitem(ALLOWANCES, "click", Allowance(1, 0.0))
    bot = made.house.bot
    assert [bot.allows(5, "click") for _ in range(2)] == [True, True]
    bot.prepare_for_clicks(pause_workers=lambda: None)
    assert [bot.allows(5, "click") for _ in range(2)] == [True, False]


async def test_f14_a_token_that_discord_does_not_know_is_one_sentence(no_discord, tmp_path):
    settings = settings_without_file(database_url=f"sqlite:///{tmp_path}/x.sqlite3", discord_token="wrong")
    with pytest.raises(ConfigError, match="does not know this token"):
        await run(settings)


async def test_what_cannot_be_drawn_keeps_the_process_from_ending_only_for_so_long(evening: Evening, monkeypatch):
    async def never(*_, **__):
        await asyncio.Event().wait()

    await evening.start()
    table = await evening.table()
    monkeypatch.setattr(evening.house.painter, "_put", never)
    await evening.house.tables.lobby.change(request_at(table, evening.ann.id, id=5), pace="slow")
    monkeypatch.setattr("bot.compose.DRAIN", 0.05)
    await _shut_down(evening.house)
    assert evening.house.tables.is_closing
    assert evening.house.bot.is_closed()
    assert table.id in await evening.house.tables.timekeeping.undrawn_tables()


async def test_while_the_process_ends_its_clock_changes_no_table_any_more(evening: Evening, monkeypatch):
    async def time_passes():
        await evening.env.advance_time(3600)
        await evening.house.clock.tick()

    await evening.start()
    table = await evening.table()
    monkeypatch.setattr("bot.compose.LINGER", 0)
    monkeypatch.setattr(evening.house.painter, "idle", time_passes)
    await _shut_down(evening.house)
    assert (await evening.house.tables.snapshot(table.id)).table == table


@pytest.mark.parametrize("late", [0, 500])
async def test_hands_that_are_open_are_drawn_before_the_process_ends_also_once_a_late_lease_is_renewed(
    evening: Evening, monkeypatch, late
):
    await evening.ann.click(await evening.start(), custom_id=evening.id_of(await evening.table(), "start"))
    shown = []

    class Message:
        def __init__(self):
            self.id, self.made_by, self.gone = 0, 0, {}

        async def redraw(self, hand):
            for _ in range(100):
                await asyncio.sleep(0)
            shown.append(hand.snapshot.table.revision)
            return True

        async def delete(self):
            raise AssertionError("it was not opened again")

    table = await evening.table()
    answers = iter([False] * late)
    evening.house.tables.is_serving = lambda: next(answers, True)
    evening.house.hands.opened(table.but(revision=NO_REVISION), int(evening.ann.id), Message())
    monkeypatch.setattr("bot.compose.LINGER", 0)
    await _shut_down(evening.house)
    assert shown == [table.revision]


async def test_a_click_that_waits_at_the_end_is_answered_before_the_connection_is_closed(evening: Evening, monkeypatch):
    bot = evening.house.bot
    click, begun = bot.pending.answering(), asyncio.Event()
    click.__enter__()
    real = bot.pending._sleep

    async def answer_then_sleep(seconds):
        if not begun.is_set():
            assert not bot.is_closed()
            assert not bot.is_serving(), "no other click begins"
            begun.set()
            click.__exit__(None, None, None)
        await real(seconds)

    monkeypatch.setattr(bot.pending, "_sleep", answer_then_sleep)
    monkeypatch.setattr("bot.compose.LINGER", 0)
    await _shut_down(evening.house)
    assert begun.is_set()
    assert bot.is_closed()


async def test_a_click_whose_work_takes_long_is_answered_before_the_connection_is_closed(evening: Evening, monkeypatch):
    bot, rests = evening.house.bot, []
    click = bot.pending.under_way()
    click.__enter__()
    real = bot.pending._sleep

    async def finish_in_the_end(seconds):
        rests.append(bot.is_closed())
        if len(rests) == 100:
            click.__exit__(None, None, None)
        await real(0)

    monkeypatch.setattr(bot.pending, "_sleep", finish_in_the_end)
    monkeypatch.setattr("bot.compose.LINGER", 0)
    await _shut_down(evening.house)
    assert not any(rests[:100])
    assert bot.is_closed()


@pytest.mark.parametrize("error", [KeyError, asyncio.CancelledError])
@pytest.mark.parametrize("part", ["painter", "hands", "clock"])
async def test_a_part_that_fails_or_is_cancelled_by_mistake_ends_the_process_with_a_sentence(
    made: Evening, monkeypatch, part, error
):
    async def broken():
        raise error

    stop = asyncio.Event()
    monkeypatch.setattr(getattr(made.house, part), "run", broken)
    with capture_logs() as logs, pytest.raises(OSError, match="a part of the bot failed"):
        async with asyncio.timeout(HANG), running(made.house, stop=stop):
            await stop.wait()
    (logged,) = (each["exc_info"] for each in logs if each["event"].startswith("a part of the bot failed"))
    assert traceback.extract_tb(logged.__traceback__)[-1].name == "broken"


async def test_what_fails_while_the_process_ends_anyway_is_logged_but_is_no_failure(made: Evening):
    async def broken():
        await stop.wait()
        raise KeyError

    stop = asyncio.Event()
    with capture_logs() as logs:
        async with running(made.house, broken(), stop=stop):
            stop.set()
            await asyncio.sleep(0)
    (told,) = [each for each in logs if each["event"].startswith("a part of the bot failed")]
    assert isinstance(told["exc_info"], KeyError)


async def test_a_part_whose_request_is_cancelled_because_the_connection_closes_is_no_error(made: Evening):
    """As by aiohttp, which cancels the look-up of an address when it is closed."""

    async def in_a_request():
        await stop.wait()
        raise asyncio.CancelledError

    stop = asyncio.Event()
    with capture_logs() as logs:
        async with running(made.house, in_a_request(), stop=stop):
            stop.set()
            await asyncio.sleep(0)
    assert not [each for each in logs if each["event"].startswith("a part of the bot failed")]


async def test_the_end_does_not_wait_for_a_store_that_hangs(made: Evening, monkeypatch):
    async def hangs(_drawn):
        await asyncio.Event().wait()

    monkeypatch.setattr("bot.compose.LAST_REQUEST_SECONDS", 0)
    monkeypatch.setattr(made.house.tables.timekeeping, "mark_drawn", hangs)
    made.house.painter._drawn[1] = SimpleNamespace(lacks_thread=False)
    async with asyncio.timeout(HANG), running(made.house, stop=asyncio.Event()):
        await asyncio.sleep(0)


async def test_f34_what_the_last_process_left_is_taken_up_once_the_store_answers(made: Evening, monkeypatch):
    def after_two_tries(do):
        tries = [Declined(Decline.SAVING_FAILED), KeyError()]

        async def tried():
            if tries:
                raise tries.pop()
            done.append(await do())

        return tried

    async def sleep(seconds):
        waits.append(seconds)

    waits, done, app = [], [], made.house
    monkeypatch.setattr(app.clock, "start", after_two_tries(app.clock.start))
    monkeypatch.setattr(app.painter, "reconcile", after_two_tries(app.painter.reconcile))
    await resume(app, sleep=sleep)
    assert (len(done), waits) == (2, [5.0] * 4)


async def test_closing_answers_and_loses_nothing(evening: Evening):
    await evening.start()
    table = await evening.table()
    evening.house.tables.close()
    answer = await evening.ann.click(evening.message, custom_id=evening.id_of(table, "start"))
    assert answer.acknowledged
    assert (await evening.table()).status == "lobby"


async def test_no_table_is_drawn_while_a_click_waits_for_its_answer(tmp_path, empty_database, monkeypatch):
    async def work(_painter, table_id):
        begun.set_result(table_id)

    quiet, begun = asyncio.Event(), asyncio.get_running_loop().create_future()
    monkeypatch.setattr(PendingClicks, "quiet", lambda _clicks: quiet.wait())
    monkeypatch.setattr(Painter, "_work", work)
    url = f"sqlite:///{shutil.copy(empty_database, tmp_path)}"
    async with compose(settings_without_file(database_url=url, shard_count=1)) as app:
        app.painter.want(7)
        painting = asyncio.create_task(app.painter.run())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not begun.done()
        quiet.set()
        assert await asyncio.wait_for(begun, HANG) == 7
        painting.cancel()
