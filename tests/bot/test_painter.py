"""The public message: latest wins, never too often, never for ever, and never on the way of a click."""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot import painter
from bot.painter import MOST_FORBIDDEN, MOST_OVERLOADS, MOST_TRIES, RETRY_EVERY, Painter
from bot.port import (
    TRIES,
    BannedError,
    BlockedError,
    ChannelGoneError,
    ForbiddenError,
    MessageGoneError,
    OverloadedError,
    PortError,
    TooOldError,
)
from bot.public_message import MOST_DELETIONS, PublicMessage
from data.errors import UnavailableError
from data.models import Person, held_by, is_posted
from game.moves import Ready
from tables.services import Tables
from tables.snapshots import Decline, Declined, TableSnapshot
from testkit.found import not_none
from testkit.offline import GUILD, Offline, People, Refused, prefer
from testkit.stored import open_debts

CHANNEL = 800


class FakePort:
    """A channel that keeps its messages and fails on demand."""

    def __init__(self):
        self.messages, self.calls, self.failures, self.pings = {}, [], [], []
        self.count, self.nonces = 1 << 60, {}
        self.unanswered: tuple[str, ...] = ()  # which kinds of messages are posted without an answer

    def _fail(self, verb):
        self.calls.append(verb)
        if self.failures and self.failures[0][0] in (verb, "any"):
            _, error = self.failures.pop(0)
            raise error

    async def send(self, channel_id, drawn: "Words", *, pings=(), nonce="", silent=False):
        self._fail("send")
        if not nonce or nonce not in self.nonces:  # else what was posted then comes back as it was, as Discord does it
            self.count += 1
            self.messages[self.count] = drawn
            self.pings.extend(pings)
            self.nonces[nonce] = self.count
        if drawn[0] in self.unanswered:
            raise OverloadedError
        return self.nonces[nonce]

    async def edit(self, channel_id, message_id, drawn: "Words"):
        self._fail("edit")
        if message_id not in self.messages:
            raise MessageGoneError
        self.messages[message_id] = drawn

    async def delete(self, channel_id, message_id):
        self._fail("delete")
        self.messages.pop(message_id, None)

    def fail(self, verb, *errors):
        self.failures += [(verb, error) for error in errors]


class Words(tuple[object, ...]):
    """A drawing without a picture, told by what it is about."""

    __slots__ = ()

    shows, keeps, is_pictured = None, False, False


class Studio:
    """A painter at work with a port, a clock and drawings of its own."""

    def __init__(self, house: Offline, tables: Tables | None = None, port=None):
        self.house, self.tables, self.port = house, tables or house.tables, port or FakePort()
        self.seconds, self.slept = 0.0, []
        self.gate: asyncio.Event | None = None
        self.public = PublicMessage(self.tables, self, self.port, self.open_thread, sleep=self.sleep, now=house.time)
        self.painter = Painter(self.tables, self.public.put, monotonic=lambda: self.seconds, sleep=self.sleep)
        self.tables.listeners.append(self.painter.changed)

    def table(self, snapshot: TableSnapshot):
        return Words((snapshot.table.status, len(snapshot.table.players), snapshot.table.revision))

    async def pictured(self, snapshot: TableSnapshot, shown):
        return self.table(snapshot)

    def call(self, snapshot: TableSnapshot, people):
        return "call", *people

    def nudge(self, snapshot: TableSnapshot, user):
        return "nudge", *user, snapshot.table.overdue

    async def open_thread(self, table):
        raise NotImplementedError

    async def sleep(self, seconds):
        self.slept.append(seconds)
        if self.gate:
            await self.gate.wait()
        self.seconds += seconds
        await asyncio.sleep(0)

    async def message(self, table):
        return self.port.messages.get((await self.tables.snapshot(table)).table.message_id)


@pytest.fixture
async def studio(house: Offline):
    studio = Studio(house)
    running = asyncio.create_task(studio.painter.run())
    yield studio
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def drawn(studio: Studio, table):
    await studio.painter.idle()
    return await studio.message(table)


async def test_a_table_is_posted_once_and_edited_afterwards(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    assert await drawn(studio, table) == ("lobby", 1, 0)
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert studio.port.calls == ["send", "edit"]
    assert await house.tables.timekeeping.undrawn_tables() == ()


@pytest.mark.parametrize("set_back", [0, 1, 24 * 365 * 30])
async def test_f39_after_the_clock_was_set_back_no_more_is_posted_than_before(
    house: Offline, people: People, studio: Studio, set_back
):
    house.time.pass_by(hours=-set_back)
    table = await house.lobby(*people[:2])
    await studio.painter.idle()
    await house.tables.play.start(house.by(1, table))
    await studio.painter.idle()
    assert studio.port.calls == ["send", "edit", "edit"]


async def test_f18_many_changes_make_few_edits_and_the_latest_wins(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.gate = asyncio.Event()
    for _ in range(50):
        await house.tables.lobby.change(house.by(1, table), pace="slow")
    studio.gate.set()
    assert await drawn(studio, table) == ("lobby", 1, 50)
    assert studio.port.calls.count("edit") <= 2


async def test_f18_edits_in_a_channel_are_a_second_apart_and_other_channels_do_not_wait(
    house: Offline, people: People, studio: Studio
):
    first = await house.lobby(people[0])
    await studio.painter.idle()
    at = studio.seconds
    await house.tables.lobby.change(house.by(1, first), pace="slow")
    await studio.painter.idle()
    assert studio.seconds - at >= 1.0
    at = studio.seconds
    await house.lobby(people[1], channel=5)
    await studio.painter.idle()
    assert studio.seconds == at


async def test_f18_no_more_tables_are_drawn_at_once_than_may_be_and_first_those_that_wait_longest(
    house: Offline, people: People, monkeypatch
):
    monkeypatch.setattr("bot.painter.AT_ONCE", 1)
    studio, begun, at_work, together = Studio(house), [], set(), set()
    tables = [await house.lobby(person, channel=nth) for nth, person in enumerate(people[:4], 1)]

    async def pictured(snapshot, shown):
        begun.append(snapshot.table.channel_id)
        at_work.add(snapshot.table.id)
        together.add(len(at_work))
        if len(begun) == 1:  # this table changes while it is drawn, so it is wanted again, after the others
            await house.tables.lobby.change(house.by(people[0], tables[0], channel=1), pace="slow")
        await house.tables.timekeeping.undrawn_tables()
        at_work.remove(snapshot.table.id)
        return studio.table(snapshot)

    studio.pictured = pictured
    running = asyncio.create_task(studio.painter.run())
    await studio.painter.idle()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert begun == [1, 2, 3, 4, 1]
    assert together == {1}
    assert [await studio.message(table) for table in tables] == [("lobby", 1, 1)] + [("lobby", 1, 0)] * 3


async def test_f50_channels_without_a_recent_edit_are_forgotten_and_the_others_keep_their_pace(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    monkeypatch.setattr("bot.painter._CHANNELS", 1)
    await house.lobby(people[0])
    await studio.painter.idle()
    studio.seconds += 2
    busy = await house.lobby(people[1], channel=5)
    await house.lobby(people[2], channel=6)
    await studio.painter.idle()
    assert studio.painter._edited_at.keys() == {5, 6}
    at = studio.seconds
    await house.tables.lobby.change(house.by(people[1], busy, channel=5), pace="slow")
    await studio.painter.idle()
    assert studio.seconds - at >= 1.0


async def test_a_click_does_not_wait_for_drawing(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.gate = asyncio.Event()
    await house.tables.lobby.change(house.by(1, table), pace="slow")
    snapshot = await house.tables.lobby.change(house.by(1, table), pace="quick")
    assert snapshot.table.pace == "quick"
    assert await studio.message(table) == ("lobby", 1, 0)
    studio.gate.set()
    await studio.painter.idle()


async def test_f21_a_deleted_message_is_posted_again(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.messages.clear()
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert studio.port.calls == ["send", "edit", "send"]


async def test_f21_a_message_deleted_three_times_pauses_the_game_until_a_click(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(*people[:2])
    for pace in ("slow", "quick", "normal"):
        await studio.painter.idle()
        studio.port.messages.clear()
        house.time.pass_by(seconds=1)
        await house.tables.lobby.change(house.by(1, table), pace=pace)
    await studio.painter.idle()
    snapshot = await house.tables.snapshot(table)
    assert snapshot.table.paused
    assert studio.painter.forbidden == 1
    assert await studio.message(table) is None
    await house.tables.lobby.change(house.by(1, table), pace="slow")
    await studio.painter.idle()
    assert await studio.message(table)
    assert studio.painter.forbidden == 0
    studio.port.messages.clear()  # the first one since
    await house.tables.lobby.change(house.by(1, table), pace="quick")
    await studio.painter.idle()
    assert await studio.message(table)
    assert not (await house.tables.snapshot(table)).table.paused


async def test_f21_a_message_deleted_once_while_the_store_was_away_does_not_pause_the_game(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    async def away(*_, **_where):
        raise Declined(Decline.SAVING_FAILED)

    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.messages.clear()
    with monkeypatch.context() as store:
        store.setattr(house.tables.timekeeping, "place", away)
        for _ in range(3):
            studio.painter.want(table)
            await studio.painter.idle()
    house.time.pass_by(seconds=1)
    studio.painter.retry()
    assert await drawn(studio, table) == ("lobby", 1, 0)
    assert not (await house.tables.snapshot(table)).table.paused


@pytest.mark.parametrize(("apart", "paused"), [(145, True), (155, False)])
async def test_f21_deletions_pause_no_game_unless_three_come_in_five_minutes(
    house: Offline, people: People, studio: Studio, apart, paused
):
    table = await house.lobby(*people[:2])
    for pace in ("slow", "quick", "normal"):
        await studio.painter.idle()
        studio.port.messages.clear()
        studio.seconds += apart
        house.time.pass_by(seconds=apart)
        await house.tables.lobby.change(house.by(1, table), pace=pace)
    await studio.painter.idle()
    assert (await house.tables.snapshot(table)).table.paused is paused
    assert len(studio.port.messages) == (not paused)


async def undrawable(house: Offline, people: Sequence[Person], studio: Studio):
    """A lobby that was drawn once, and may not be drawn any more."""
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", ForbiddenError(), ForbiddenError())
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    assert studio.painter.forbidden == 1
    return table


async def test_a_table_is_moved_to_the_bottom_though_it_changes_meanwhile_and_the_first_drawing_fails(
    house: Offline, people: People, studio: Studio
):
    table, asked = await house.lobby(people[0]), []

    async def put(snapshot, *, bottom):
        asked.append(bottom)
        if len(asked) == 1:
            raise OverloadedError
        return False

    await studio.painter.idle()
    studio.painter._put = put
    studio.painter.want(table, bottom=True)
    studio.painter.want(table)
    await studio.painter.idle()
    studio.painter.retry()
    await studio.painter.idle()
    studio.painter.want(table)
    await studio.painter.idle()
    assert asked == [True, True, False]


async def test_f22_a_table_that_was_closed_where_it_cannot_be_drawn_is_given_up(
    house: Offline, people: People, studio: Studio
):
    table = await undrawable(house, people, studio)
    studio.port.fail("edit", *[ForbiddenError()] * MOST_FORBIDDEN)
    await house.tables.play.stop(house.by(people[0], table))
    for tried in range(1, MOST_FORBIDDEN + 1):
        await studio.painter.idle()
        assert (studio.painter.behind, studio.painter.forbidden) == (int(tried < MOST_FORBIDDEN), 0)
        studio.painter.retry()
    await studio.painter.idle()
    assert studio.port.calls == ["send", *["edit"] * (1 + MOST_FORBIDDEN)]


async def test_f22_the_end_of_a_game_is_shown_once_it_may_be_again(house: Offline, people: People, studio: Studio):
    table = await house.game(*people[:2])
    await studio.painter.idle()
    studio.port.fail("edit", ForbiddenError())
    await house.tables.play.stop(house.by(people[0], table))
    await studio.painter.idle()
    studio.painter.retry()
    await studio.painter.idle()
    assert (await studio.message(table))[0] == "stopped"


async def test_f22_a_missing_permission_pauses_the_game_and_is_tried_again_on_a_click(
    house: Offline, people: People, studio: Studio
):
    table = await undrawable(house, people, studio)
    assert (await house.tables.snapshot(table)).table.paused
    studio.painter.retry()
    await studio.painter.idle()
    assert studio.port.calls == ["send", "edit"]
    await house.tables.lobby.join(house.by(people[2], table))
    await studio.painter.idle()
    assert studio.port.calls == ["send", "edit", "edit"]
    await house.tables.lobby.join(house.by(people[3], table))
    assert await drawn(studio, table) == ("lobby", 4, 3)
    assert studio.painter.forbidden == 0
    assert not (await house.tables.snapshot(table)).table.paused


async def test_f23_a_deleted_channel_aborts_its_game(house: Offline, people: People, studio: Studio):
    table = await house.game(*people[:2])
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError()] * 3, *[ChannelGoneError()] * 4)
    await house.tables.lobby.leave(house.by(2, table))
    for _ in range(3):  # Discord may fail, or be slow to know
        await studio.painter.idle()
        assert (await house.tables.snapshot(table)).table.status == "playing"
        studio.painter.retry()
    await studio.painter.idle()
    studio.seconds += RETRY_EVERY
    studio.painter.retry()
    await studio.painter.idle()
    assert (await house.tables.snapshot(table)).table.status == "aborted"
    assert await open_debts(house.store, 900) == []


async def test_f23_a_channel_that_was_only_called_gone_once_a_day_keeps_its_game(
    house: Offline, people: People, studio: Studio
):
    table = await house.game(*people[:2])
    await studio.painter.idle()
    for _ in range(2):
        studio.port.fail("edit", ChannelGoneError())
        await house.tables.lobby.leave(house.by(2, table))
        await studio.painter.idle()
        studio.painter.retry()
        await studio.painter.idle()
        assert not studio.painter.behind
        await house.tables.play.take_back(house.by(2, table))
        await studio.painter.idle()
        studio.seconds += 24 * 3600
    assert (await house.tables.snapshot(table)).table.status == "playing"


@pytest.mark.parametrize("failures", [1, 2])
async def test_f15_f16_f17_an_overload_is_tried_three_times(house: Offline, people: People, studio: Studio, failures):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError()] * failures)
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert studio.port.calls.count("edit") == failures + 1


async def test_f16_what_stays_overloaded_is_drawn_later(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError()] * 3)
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 1, 0)
    assert await house.tables.timekeeping.undrawn_tables() == (table,)
    studio.painter.retry()
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert await house.tables.timekeeping.undrawn_tables() == ()


async def test_f16_a_table_that_stays_overloaded_is_logged_once_and_another_reason_as_well(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError("busy")] * 6, PortError("wrong"))
    with capture_logs() as logged:
        for number in (1, 2, 3):
            await house.tables.lobby.join(house.by(people[number], table))
            await studio.painter.idle()
    assert [(line["event"], line["why"], line["table"], line["guild"]) for line in logged] == [
        ("Discord did not accept a table", "busy", table, GUILD),
        ("Discord did not accept a table", "wrong", table, GUILD),
    ]


async def test_f16_what_failed_is_drawn_within_a_minute_also_while_other_tables_go_on(
    house: Offline, people: People, studio: Studio
):
    table, busy = await house.lobby(people[0]), await house.lobby(people[1], channel=5)
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError()] * 3)
    await house.tables.lobby.join(house.by(people[2], table))
    assert await drawn(studio, table) == ("lobby", 1, 0)
    for pace in ("slow", "quick", "slow"):
        studio.seconds += 20
        await house.tables.lobby.change(house.by(people[1], busy, channel=5), pace=pace)
        await studio.painter.idle()
    assert await studio.message(table) == ("lobby", 2, 1)


async def test_f23_a_table_that_failed_and_then_lost_its_channel_is_not_asked_for_any_more(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError()] * 3, ChannelGoneError(), ChannelGoneError())
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    for edits, behind in ((3, 1), (4, 1), (5, 0), (5, 0)):
        assert (studio.port.calls.count("edit"), studio.painter.behind) == (edits, behind)
        studio.seconds += RETRY_EVERY
        studio.painter.retry()
        await studio.painter.idle()


async def test_a_table_that_failed_and_is_gone_is_not_asked_for_any_more(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.messages.clear()
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    studio.port.fail("edit", BlockedError())
    await house.tables.lobby.join(house.by(people[2], table))
    await studio.painter.idle()
    assert (studio.painter.behind, studio.painter.blocked) == (1, {table})
    await house.tables.timekeeping.remove_unopened((await house.tables.snapshot(table)).table)
    studio.painter.retry()
    await studio.painter.idle()
    assert (studio.painter.behind, studio.painter.blocked) == (0, set())
    assert not studio.painter._trouble


async def test_what_failed_is_drawn_again_after_a_minute_though_nothing_else_happens(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    async def wait_for(event, seconds):
        if is_alone.is_set() and not event.is_set():
            waited.append(seconds)
            studio.seconds += seconds
            is_alone.clear()
        else:
            await event.wait()

    is_alone, waited = asyncio.Event(), []
    monkeypatch.setattr(painter, "wait_for", wait_for)
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", PortError("status 400"))
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    assert studio.painter.behind == 1
    is_alone.set()
    studio.painter._wake.set()
    for _ in range(20):
        await asyncio.sleep(0)
    await studio.painter.idle()
    assert (studio.painter.behind, len(waited)) == (0, 1)
    assert waited[0] <= RETRY_EVERY


async def closed(house: Offline, people: Sequence[Person], studio: Studio, *errors):
    """A closed table whose message Discord no longer accepts, drawn until it is given up."""
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *errors)
    await house.tables.lobby.leave(house.by(1, table))
    await studio.painter.idle()
    for _ in errors:
        studio.painter.retry()
        await studio.painter.idle()
    return table


@pytest.mark.parametrize("error", [BlockedError(), PortError("status 400")], ids=["AutoMod", "other"])
async def test_a_closed_table_that_discord_never_accepts_is_given_up_also_after_a_restart(
    house: Offline, people: People, studio: Studio, error
):
    await closed(house, people, studio, *[error] * (MOST_TRIES + 5))
    assert studio.port.calls.count("edit") == MOST_TRIES
    assert (studio.painter.behind, studio.painter.blocked) == (0, set())
    await studio.painter.reconcile(apart=0)
    await studio.painter.idle()
    assert studio.port.calls.count("edit") == MOST_TRIES


REFUSED, OVERLOADED, FORBIDDEN = PortError("status 400"), OverloadedError(), ForbiddenError()


@pytest.mark.parametrize(
    "errors",
    [
        [REFUSED] * (MOST_TRIES - 1),
        [OVERLOADED] * 3 * (MOST_TRIES + 2),
        [*[REFUSED] * 2, *[FORBIDDEN] * (MOST_FORBIDDEN - 1), *[OVERLOADED] * 6],
    ],
    ids=["refused", "overloaded for long", "now this, now that"],
)
async def test_a_closed_table_that_discord_accepts_at_last_is_shown(
    house: Offline, people: People, studio: Studio, errors
):
    table = await closed(house, people, studio, *errors)
    assert await studio.message(table) == ("stopped", 0, 1)


async def test_an_end_that_was_shown_after_failures_is_tried_as_often_when_its_debt_is_settled(
    house: Offline, people: People, studio: Studio
):
    errors = [REFUSED] * (MOST_TRIES - 1)
    table = await closed(house, people, studio, *errors)
    studio.port.fail("edit", *errors)
    studio.painter.want(table)
    await studio.painter.idle()
    for _ in errors:
        studio.painter.retry()
        await studio.painter.idle()
    assert (studio.port.calls.count("edit"), studio.painter.behind) == (2 * MOST_TRIES, 0)


async def test_a_closed_table_is_drawn_no_more_after_a_day_of_overloads_and_again_after_the_next_start(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    monkeypatch.setitem(painter._LIMITS, OverloadedError, 2)
    await closed(house, people, studio, *[OVERLOADED] * 6)
    assert (studio.port.calls.count("edit"), studio.painter.behind) == (6, 0)
    await studio.painter.reconcile(apart=0)
    await studio.painter.idle()
    assert (studio.port.calls.count("edit"), MOST_OVERLOADS * RETRY_EVERY) == (7, 24 * 3600)


async def test_failures_of_a_running_game_do_not_count_for_its_end(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[BlockedError()] * (MOST_TRIES + 2))
    await house.tables.lobby.join(house.by(people[1], table))
    for _ in range(MOST_TRIES + 1):
        await studio.painter.idle()
        studio.painter.retry()
    await house.tables.play.stop(house.by(people[0], table))
    for _ in range(2):
        await studio.painter.idle()
        studio.painter.retry()
    assert (await studio.message(table))[0] == "stopped"


async def test_f23_a_table_whose_channel_is_gone_is_not_drawn_after_a_restart(
    house: Offline, people: People, studio: Studio
):
    await closed(house, people, studio, ChannelGoneError())
    studio.seconds += RETRY_EVERY
    for _ in range(2):
        await studio.painter.reconcile(apart=0)
        await studio.painter.idle()
    assert studio.port.calls.count("edit") == 2


async def test_the_host_is_to_be_told_of_automod_once_whatever_failed_before(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[OverloadedError()] * 3, BlockedError(), BlockedError())
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    studio.painter.retry()
    await studio.painter.idle()
    assert studio.painter.blocked == {table}
    studio.painter.blocked.discard(table)  # told
    studio.painter.retry()
    await studio.painter.idle()
    assert studio.painter.blocked == set()


async def test_the_host_is_not_told_of_automod_once_the_table_is_drawn_all_the_same(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", BlockedError())
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    assert studio.painter.blocked == {table}
    await house.tables.lobby.join(house.by(people[2], table))
    await studio.painter.idle()
    assert studio.painter.blocked == set()


async def test_a_change_during_a_drawing_that_fails_is_drawn_at_once(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    table = await house.lobby(people[0])
    await studio.painter.idle()

    async def dying(_snapshot, _shown):
        monkeypatch.undo()
        await house.tables.lobby.join(house.by(people[1], table))
        raise RuntimeError("the process that draws died")

    monkeypatch.setattr(studio, "pictured", dying)
    await house.tables.lobby.change(house.by(1, table), pace="slow")
    await studio.painter.idle()
    assert await studio.message(table) == ("lobby", 2, (await house.tables.snapshot(table)).table.revision)


async def test_f22_a_table_that_is_closed_and_may_not_be_shown_is_no_trouble(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", *[ForbiddenError()] * MOST_FORBIDDEN)
    await house.tables.lobby.leave(house.by(1, table))
    for _ in range(2 * MOST_FORBIDDEN):
        await studio.painter.idle()
        studio.painter.retry()
    assert studio.port.calls == ["send", *["edit"] * MOST_FORBIDDEN]
    assert (studio.painter.behind, studio.painter.forbidden) == (0, 0)
    await studio.painter.reconcile(apart=0)  # by now it may be allowed again
    await studio.painter.idle()
    assert studio.port.calls == ["send", *["edit"] * (MOST_FORBIDDEN + 1)]


async def test_f50_of_the_ends_that_may_not_be_shown_only_the_latest_are_drawn_after_a_click(
    house: Offline, people: People, monkeypatch
):
    monkeypatch.setattr("bot.painter._CHANNELS", 2)
    studio = Studio(house)
    running = asyncio.create_task(studio.painter.run())
    for channel in (5, 6, 7):
        table = await house.lobby(people[0], channel=channel)
        await studio.painter.idle()
        studio.port.fail("edit", *[ForbiddenError()] * MOST_FORBIDDEN)
        await house.tables.lobby.leave(house.by(1, table, channel=channel))
        for _ in range(MOST_FORBIDDEN):
            await studio.painter.idle()
            studio.painter.retry()
    edits = studio.port.calls.count("edit")
    for channel in (5, 6, 7, 7):
        studio.painter.retry_in(channel)
        await studio.painter.idle()
    running.cancel()
    assert studio.port.calls.count("edit") - edits == 2


async def test_f34_what_could_not_be_drawn_while_the_store_was_away_is_drawn_later(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    async def away(_table_id):
        raise Declined(Decline.SAVING_FAILED)

    table = await house.lobby(people[0])
    await studio.painter.idle()
    with monkeypatch.context() as store, capture_logs() as logs:
        store.setattr(house.tables, "snapshot", away)
        await house.tables.lobby.join(house.by(people[1], table))
        await studio.painter.idle()
        assert studio.painter.behind == 1
    assert [each["log_level"] for each in logs] == ["warning"], "no traceback: the code is not to blame"
    studio.painter.retry()
    assert await drawn(studio, table) == ("lobby", 2, 1)


async def test_f34_a_game_that_could_not_be_let_go_on_is_let_go_on_later(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    async def away(_table_id, *, paused):
        raise Declined(Decline.SAVING_FAILED)

    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", ForbiddenError())
    await house.tables.lobby.join(house.by(people[1], table))
    await studio.painter.idle()
    with monkeypatch.context() as store:
        store.setattr(house.tables.timekeeping, "pause", away)
        await house.tables.lobby.join(house.by(people[2], table))
        assert await drawn(studio, table) == ("lobby", 3, 2)
    assert (await house.tables.snapshot(table)).table.paused
    studio.painter.retry()
    await studio.painter.idle()
    assert not (await house.tables.snapshot(table)).table.paused
    assert (studio.painter.behind, studio.painter.forbidden) == (0, 0)


async def test_f30_a_game_that_the_last_process_paused_goes_on_once_it_is_drawn(house: Offline, people: People):
    table = await house.lobby(people[0])
    await house.tables.timekeeping.pause(table, paused=True)
    again = Studio(house, house.another())
    await painted(again)
    assert not (await again.tables.snapshot(table)).table.paused


async def test_f19_when_discord_refuses_everything_nothing_is_asked_for_a_minute(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("edit", BannedError())
    at = studio.seconds
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert studio.seconds - at >= 60
    assert not studio.painter.is_refused


async def test_f52_while_another_process_may_have_the_shards_nothing_is_drawn(
    house: Offline, people: People, studio: Studio
):
    answers = [False] * 3
    house.tables.is_serving = lambda: not answers or answers.pop()
    table = await house.lobby(people[0])
    assert await drawn(studio, table) == ("lobby", 1, 0)
    assert studio.slept == [1, 1, 1]


async def test_f20_an_old_message_is_posted_anew_before_an_hour(house: Offline, people: People, studio: Studio):
    table = await house.game(*people[:2], pace="slow")
    await studio.painter.idle()
    first = (await house.tables.snapshot(table)).table.message_id
    house.time.pass_by(minutes=56)
    await house.ready(table)
    await studio.painter.idle()
    assert (await house.tables.snapshot(table)).table.message_id != first
    assert first not in studio.port.messages
    assert len(studio.port.messages) == 1


async def test_f20_where_edits_are_refused_for_age_it_is_posted_anew(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    first = (await house.tables.snapshot(table)).table.message_id
    studio.port.fail("edit", TooOldError())
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert first not in studio.port.messages


async def test_the_table_moves_to_the_bottom_on_demand(house: Offline, people: People, studio: Studio):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    first = (await house.tables.snapshot(table)).table.message_id
    studio.port.fail("delete", PortError())
    house.time.pass_by(seconds=30)
    await house.tables.play.move_to_bottom(house.by(99, table))
    assert await drawn(studio, table) == ("lobby", 1, 0)
    assert (await house.tables.snapshot(table)).table.message_id != first


async def test_a_message_that_was_deleted_right_after_it_was_posted_is_posted_again_on_demand(
    house: Offline, people: People, studio: Studio, refused: type[Refused]
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.messages.clear()
    with refused(Decline.JUST_POSTED):
        await house.tables.play.move_to_bottom(house.by(99, table))
    assert await drawn(studio, table) == ("lobby", 1, 0)


@pytest.mark.parametrize(("error", "told"), [(MessageGoneError(), 0), (ForbiddenError(), 1)])
async def test_an_old_message_that_is_gone_already_is_not_said_to_stay(
    house: Offline, people: People, studio: Studio, error, told
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.fail("delete", error)
    house.time.pass_by(seconds=30)
    with capture_logs() as logged:
        await house.tables.play.move_to_bottom(house.by(99, table))
        await studio.painter.idle()
    assert [line["event"] for line in logged] == ["an old message stays"] * told


async def left_over(house: Offline, people: Sequence[Person], studio: Studio, *errors):
    """The message before that of a lobby, which Discord failed to delete when the lobby was posted anew."""
    table = await house.lobby(people[0])
    await studio.painter.idle()
    (old,) = studio.port.messages
    studio.port.fail("delete", *errors)
    house.time.pass_by(seconds=30)
    await house.tables.play.move_to_bottom(house.by(99, table))
    await studio.painter.idle()
    return old


@pytest.mark.parametrize("error", [OverloadedError(), BannedError(), PortError("status 404")])
async def test_f16_an_old_message_that_discord_failed_to_delete_is_deleted_later(
    house: Offline, people: People, studio: Studio, error
):
    old = await left_over(house, people, studio, error, error)
    for is_left in (True, True, False, False):
        assert (old in studio.port.messages, studio.painter.behind) == (is_left, is_left)
        studio.painter.retry()
        await studio.painter.idle()
    assert (studio.port.calls.count("delete"), studio.public._undeleted) == (3, {})
    assert await house.tables.timekeeping.undrawn_tables() == ()


@pytest.mark.parametrize("error", [MessageGoneError(), ForbiddenError()])
async def test_f16_a_message_that_is_gone_or_may_not_be_deleted_is_not_asked_for_again(
    house: Offline, people: People, studio: Studio, error
):
    await left_over(house, people, studio, OverloadedError(), error)
    for _ in range(2):
        studio.painter.retry()
        await studio.painter.idle()
    assert (studio.port.calls.count("delete"), studio.painter.behind, studio.public._undeleted) == (2, 0, {})


async def test_f16_a_message_that_discord_never_deletes_is_left_where_it_is(
    house: Offline, people: People, studio: Studio
):
    await left_over(house, people, studio, *[OverloadedError()] * 2 * MOST_DELETIONS)
    with capture_logs() as logged:
        for _ in range(2 * MOST_DELETIONS):
            studio.painter.retry()
            await studio.painter.idle()
    assert studio.port.calls.count("delete") == MOST_DELETIONS
    assert (studio.painter.behind, studio.public._undeleted) == (0, {})
    assert [line["event"] for line in logged] == ["an old message stays"]


async def test_f16_an_old_message_is_deleted_later_also_if_the_table_is_shown_no_more(
    house: Offline, people: People, studio: Studio
):
    old = await left_over(house, people, studio, *[OverloadedError()] * 2)
    await house.tables.lobby.leave(house.by(1, 10_000))
    await studio.painter.idle()
    shown = (await house.tables.snapshot(10_000)).table.message_id
    del studio.port.messages[shown]  # by a moderator
    for _ in range(3):
        studio.painter.retry()
        await studio.painter.idle()
    assert old not in studio.port.messages


async def test_f16_a_drawing_elsewhere_deletes_no_message_of_this_channel(
    house: Offline, people: People, studio: Studio
):
    old = await left_over(house, people, studio, OverloadedError())
    await house.lobby(people[1], channel=5)
    await studio.painter.idle()
    assert old in studio.port.messages


async def test_one_reminder_that_goes_when_the_turn_is_played(house: Offline, people: People, studio: Studio):
    table = await house.in_play(*people[:2])
    snapshot = await house.tables.snapshot(table)
    user = snapshot.table.players[not_none(snapshot.view.turn)].user_id
    for seconds, overdue in ((61, False), (120, True)):
        house.time.pass_by(seconds=seconds)
        await house.tables.timekeeping.time_up(table)
        await studio.painter.idle()
        nudge = (await house.tables.snapshot(table)).table.nudge_id
        assert studio.port.messages[nudge] == ("nudge", user, overdue)
    assert studio.port.pings == [user]
    await house.choose(table, user)
    await studio.painter.idle()
    assert (await house.tables.snapshot(table)).table.nudge_id is None
    assert nudge not in studio.port.messages


async def test_a_reminder_that_discord_refuses_is_posted_later(house: Offline, people: People, studio: Studio):
    table = await house.in_play(*people[:2])
    await studio.painter.idle()
    studio.port.fail("send", PortError("status 404"))
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    assert (studio.port.pings, studio.painter.behind) == ([], 1)
    studio.painter.retry()
    await studio.painter.idle()
    nudge = (await house.tables.snapshot(table)).table.nudge_id
    assert studio.port.messages[nudge] == ("nudge", *studio.port.pings, False)
    assert studio.painter.behind == 0


async def test_f16_a_reminder_that_discord_posted_without_an_answer_goes_when_the_turn_is_played(
    house: Offline, people: People, studio: Studio
):
    table = await house.in_play(*people[:2])
    await studio.painter.idle()
    studio.port.unanswered = ("nudge",)
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    assert sorted(each[0] for each in studio.port.messages.values()) == ["nudge", "playing"]
    await house.choose(table, *studio.port.pings)
    await studio.painter.idle()
    assert [each[0] for each in studio.port.messages.values()] == ["playing"]


async def test_a_reminder_that_was_posted_before_everything_was_refused_goes_when_the_turn_is_played(
    house: Offline, people: People, studio: Studio
):
    table = await house.in_play(*people[:2])
    await studio.painter.idle()
    send = studio.port.send

    async def unanswered(channel_id, drawn, **more):
        studio.port.send = send
        await send(channel_id, drawn, **more)
        await house.choose(table, *studio.port.pings)
        raise BannedError

    studio.port.send = unanswered
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    assert [each[0] for each in studio.port.messages.values()] == ["playing"]


@pytest.mark.parametrize("refusals", [(), (PortError("status 400"),)])
async def test_f16_a_message_that_discord_posted_without_an_answer_shows_what_happened_since(
    house: Offline, people: People, studio: Studio, refusals
):
    studio.port.unanswered = ("lobby",)
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.unanswered = ()
    studio.port.fail("send", *refusals)
    for _ in refusals:
        studio.painter.retry()
        await studio.painter.idle()
    await house.tables.lobby.join(house.by(people[1], table))
    assert await drawn(studio, table) == ("lobby", 2, 1)
    assert list(studio.port.messages.values()) == [("lobby", 2, 1)]


async def test_f16_a_lobby_that_was_posted_without_an_answer_and_then_refused_goes_once_it_is_closed(
    house: Offline, people: People, studio: Studio
):
    send = studio.port.send

    async def unanswered(*given, **more):
        studio.port.send = send
        await send(*given, **more)
        studio.port.fail("send", BlockedError())
        raise OverloadedError

    studio.port.send = unanswered
    table = await house.lobby(people[0])
    await studio.painter.idle()
    assert len(studio.port.messages) == 1
    await house.tables.lobby.leave(house.by(people[0], table))
    await studio.painter.idle()
    assert studio.port.messages == {}


async def test_a_message_that_was_posted_before_everything_was_refused_shows_what_happened_since(
    house: Offline, people: People, studio: Studio
):
    # discord.py repeats a post without an answer (500, 502), and the second time Cloudflare may refuse everything.
    send = studio.port.send

    async def unanswered(channel_id, drawn, **more):
        studio.port.send = send
        await send(channel_id, drawn, **more)
        [table] = house.known
        await house.tables.lobby.join(house.by(people[1], table))
        raise BannedError

    studio.port.send = unanswered
    await house.lobby(people[0])
    await studio.painter.idle()
    assert list(studio.port.messages.values()) == [("lobby", 2, 1)]


async def test_f16_the_lobby_of_a_rematch_takes_the_place_of_a_message_that_discord_posted_without_an_answer(
    house: Offline, people: People, studio: Studio
):
    table = await house.in_play(*people[:2])
    await studio.painter.idle()
    studio.port.messages.clear()  # deleted, so that it is posted anew
    studio.port.unanswered = ("playing", "over")
    await house.finish(table)
    await studio.painter.idle()
    await house.tables.play.rematch(house.by(people[0], table))
    studio.port.unanswered = ()
    await studio.painter.idle()
    assert [each[0] for each in studio.port.messages.values()] == ["lobby"]
    assert (await studio.message(table))[0] == "lobby"


@pytest.mark.parametrize("is_posted", [True, False])
async def test_f16_a_lobby_whose_first_message_discord_did_not_answer_is_not_shown_once_it_is_closed(
    house: Offline, people: People, studio: Studio, is_posted
):
    if is_posted:
        studio.port.unanswered = ("lobby",)
    else:
        studio.port.fail("send", *[OverloadedError()] * TRIES)
    table = await house.lobby(people[0])
    await studio.painter.idle()
    studio.port.unanswered = ()
    await house.tables.lobby.leave(house.by(1, table))
    await studio.painter.idle()
    studio.painter.retry()
    await studio.painter.idle()
    assert (studio.port.messages, (await house.tables.snapshot(table)).table.message_id) == ({}, None)
    assert await house.tables.timekeeping.undrawn_tables() == ()


@pytest.mark.parametrize("error", [ForbiddenError(), BlockedError(), PortError("status 400")], ids=type)
async def test_a_lobby_that_discord_refused_is_not_shown_once_it_is_closed(
    house: Offline, people: People, studio: Studio, error
):
    studio.port.fail("send", error)
    table = await house.lobby(people[0])
    await studio.painter.idle()
    asked = len(studio.port.calls)
    await house.tables.lobby.leave(house.by(1, table))
    await studio.painter.idle()
    studio.painter.retry()
    await studio.painter.idle()
    assert (studio.port.messages, len(studio.port.calls)) == ({}, asked)
    assert (await house.tables.snapshot(table)).table.message_id is None


async def test_a_message_that_could_not_be_moved_is_still_known_and_deleted_when_it_is(
    house: Offline, people: People, studio: Studio
):
    table = await house.lobby(people[0])
    await studio.painter.idle()
    house.time.pass_by(minutes=1)
    studio.port.fail("send", PortError("status 400"))
    await house.tables.play.move_to_bottom(house.by(99, table))
    await studio.painter.idle()
    assert len(studio.port.messages) == 1
    studio.painter.retry()
    await studio.painter.idle()
    assert (list(studio.port.messages), studio.port.calls[-2:]) == (
        [(await house.tables.snapshot(table)).table.message_id],
        ["delete", "edit"],
    )


async def test_who_asked_for_a_deal_is_not_told_of_it_where_discord_failed_at_first(
    house: Offline, people: People, studio: Studio
):
    for person in people[:2]:
        await prefer(house.tables, GUILD, person.id, called=True)
    table = await house.lobby(*people[:2])
    await studio.painter.idle()
    studio.port.fail("send", *[OverloadedError()] * TRIES)
    await house.tables.play.start(house.by(people[0], table))
    await studio.painter.idle()
    assert studio.port.pings == []
    studio.painter.retry()
    await studio.painter.idle()
    assert studio.port.pings == [people[1].id]


async def test_those_who_left_are_not_reminded_with_the_others(house: Offline, people: People, studio: Studio):
    table = await house.game(*people[:3])
    await house.tables.lobby.leave(house.by(people[2], table))
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    assert len((await house.tables.snapshot(table)).awaited) == 3, "the computer is not ready for them yet"
    assert studio.port.pings == [people[0].id, people[1].id]


async def test_a_reminder_before_play_names_only_those_who_are_not_ready(
    house: Offline, people: People, studio: Studio
):
    table = await house.game(*people[:3])
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    nudge = (await house.tables.snapshot(table)).table.nudge_id
    assert studio.port.messages[nudge] == ("nudge", *(each.id for each in people[:3]), False)
    await house.act(table, people[0], Ready())
    await studio.painter.idle()
    assert studio.port.messages[nudge] == ("nudge", people[1].id, people[2].id, False)
    assert studio.port.pings == [each.id for each in people[:3]], "nobody is mentioned again"
    edits = studio.port.calls.count("edit")
    await house.tables.play.stop(house.by(people[1], table))  # a vote
    await studio.painter.idle()
    assert studio.port.calls.count("edit") == edits + 1, "only the table is edited where the reminder stays as it is"


async def test_a_reminder_of_a_turn_that_an_outage_prolongs_gets_the_new_time_and_notifies_nobody_again(
    house: Offline, people: People, studio: Studio
):
    table = await house.in_play(*people[:2])
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    edits = studio.port.calls.count("edit")
    house.time.pass_by(seconds=40)
    await house.tables.timekeeping.extend_deadline(table, timedelta(seconds=40), house.time())
    await studio.painter.idle()
    assert studio.port.calls.count("edit") == edits + 2, "the table and its reminder"
    assert len(studio.port.pings) == 1


async def test_nothing_is_remembered_of_a_reminder_whose_channel_was_deleted(
    house: Offline, people: People, studio: Studio
):
    table = await house.in_play(*people[:2])
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    await studio.painter.idle()
    assert len(studio.port.pings) == 1
    studio.port.fail("edit", ChannelGoneError())
    await house.tables.servers.channel_gone(900, CHANNEL)
    await studio.painter.idle()
    collections = (each for each in vars(studio.public).values() if isinstance(each, dict | set))
    assert not any(table in each for each in collections)


async def slowly_reminded(house: Offline, people: Sequence[Person]):
    """A slow game in which somebody is to be reminded for the first time, and a function that lets hours pass."""
    table = await house.in_play(*people[:2], pace="slow")

    async def wait(hours):
        house.time.pass_by(hours=hours)
        await house.tables.timekeeping.time_up(table)

    await wait(2)
    return table, wait


async def test_the_last_reminder_of_a_slow_turn_is_posted_anew_because_an_edit_notifies_nobody(
    house: Offline, people: People, studio: Studio
):
    table, wait = await slowly_reminded(house, people)
    await studio.painter.idle()
    first = (await house.tables.snapshot(table)).table.nudge_id
    await wait(19)
    now = (await house.tables.snapshot(table)).table
    for _ in range(3):  # once, however often the table is drawn
        await studio.painter.idle()
        now = (await house.tables.snapshot(table)).table
        assert (now.warned, now.overdue, set(studio.port.messages)) == (True, False, {now.message_id, now.nudge_id})
        studio.painter.want(table)
    assert (first == now.nudge_id, studio.port.pings) == (False, [studio.port.pings[0]] * 2)


async def test_the_last_reminder_that_nobody_wants_any_more_is_not_posted(house: Offline, people: People):
    table, wait = await slowly_reminded(house, people)
    studio = Studio(house)
    await painted(studio)
    asked = studio.port.calls.count("send")
    await prefer(house.tables, 900, studio.port.pings[0], quiet=True)
    await wait(19)
    await painted(studio)
    now = (await house.tables.snapshot(table)).table
    sent = studio.port.calls.count("send") - asked
    assert (sent, list(studio.port.messages)) == (1, [now.message_id]), "only the table, whose message is old"


@pytest.mark.parametrize("is_next_reminded", [False, True])
async def test_the_first_reminder_goes_if_its_last_one_was_not_posted_before_the_turn_was_played(
    house: Offline, people: People, is_next_reminded
):
    table, wait = await slowly_reminded(house, people)
    studio = Studio(house)
    await painted(studio)
    await wait(19)
    await house.choose(table, studio.port.pings[0])
    if is_next_reminded:
        await wait(2)
    await painted(studio)
    now = (await house.tables.snapshot(table)).table
    assert (now.nudge_id is None) is not is_next_reminded
    assert set(studio.port.messages) == {now.message_id, now.nudge_id} - {None}
    assert len(set(studio.port.pings)) == len(studio.port.pings) == 1 + is_next_reminded


async def overdue(house: Offline, table):
    """The time of the turn is up, after its reminder."""
    house.time.pass_by(seconds=120)
    await house.tables.timekeeping.time_up(table)


async def test_f21_a_reminder_that_somebody_deleted_moves_no_table_and_notifies_nobody_again(
    house: Offline, people: People, studio: Studio
):
    table = await reminded(house, people)
    await studio.painter.idle()
    before = (await house.tables.snapshot(table)).table
    del studio.port.messages[before.nudge_id]
    await overdue(house, table)
    for _ in range(4):
        await studio.painter.idle()
        studio.painter.want(table)
    await studio.painter.idle()
    after = (await house.tables.snapshot(table)).table
    assert (after.paused, after.message_id, list(studio.port.messages)) == (
        False,
        before.message_id,
        [after.message_id],
    )
    assert len(studio.port.pings) == 1
    await house.choose(table, studio.port.pings[0])
    await studio.painter.idle()
    assert (await house.tables.snapshot(table)).table.nudge_id is None


async def test_f20_a_reminder_that_is_too_old_to_be_edited_keeps_no_table_from_being_drawn(
    house: Offline, people: People, studio: Studio
):
    table = await reminded(house, people)
    await studio.painter.idle()
    await overdue(house, table)
    edit = studio.port.edit

    async def too_old(channel_id, message_id, drawn):
        if drawn[0] == "nudge":
            raise TooOldError
        await edit(channel_id, message_id, drawn)

    studio.port.edit = too_old
    await studio.painter.idle()
    assert (studio.painter.behind, await house.tables.timekeeping.undrawn_tables()) == (0, ())


async def test_f31_what_was_not_drawn_when_the_process_died_is_drawn_by_the_next(house: Offline, people: People):
    table = await house.lobby(*people[:2])
    fine = Studio(house, house.another())
    assert await fine.tables.timekeeping.undrawn_tables() == (table,)
    running = asyncio.create_task(fine.painter.run())
    await fine.painter.reconcile(apart=0.5)
    await fine.painter.idle()
    assert await fine.message(table) == ("lobby", 2, 1)
    assert 0.5 in fine.slept
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert await fine.tables.timekeeping.undrawn_tables() == ()


async def test_f31_what_was_drawn_before_the_process_ended_is_not_drawn_again_by_the_next(
    house: Offline, people: People
):
    studio, begun, drawn_at_last = Studio(house), asyncio.Event(), asyncio.Event()
    slow = await house.lobby(people[0], channel=5)

    async def put(snapshot, *, bottom):
        if snapshot.table.id == slow:
            begun.set()
            await asyncio.Event().wait()
        drawn_at_last.set()
        return False

    studio.painter._put = put
    running = asyncio.create_task(studio.painter.run())
    await begun.wait()
    await house.lobby(people[1])
    await drawn_at_last.wait()
    studio.painter.want(slow)  # so that its task does not end as the last one
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert await house.tables.timekeeping.undrawn_tables() == (slow,)


async def test_f31_what_was_drawn_while_another_drawing_was_being_stored_is_stored_as_well(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    mark_drawn, table, begun = house.tables.timekeeping.mark_drawn, studio.table, asyncio.Event()

    def drawing(snapshot):
        if snapshot.table.channel_id == 5:
            begun.set()
        return table(snapshot)

    async def slowly(tables: Tables):
        if len(house.known) == 1:
            await house.lobby(people[1], channel=5)
            await begun.wait()
            await asyncio.wait(set(studio.painter._working.values()) - {asyncio.current_task()})
        await mark_drawn(tables)

    monkeypatch.setattr(house.tables.timekeeping, "mark_drawn", slowly)
    studio.table = drawing
    await house.lobby(people[0])
    await studio.painter.idle()
    assert await house.tables.timekeeping.undrawn_tables() == ()


async def painted(studio: Studio):
    """All that is not up to date is drawn, as after a start."""
    running = asyncio.create_task(studio.painter.run())
    await studio.painter.reconcile(apart=0)
    await studio.painter.idle()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def dies(studio: Studio, noting):
    """The process dies after it posted a message, and before it notes which; its Discord."""
    real = studio.tables.timekeeping.place

    async def die(table_id, **where):
        if is_posted(where.get(noting)):
            raise KeyError
        await real(table_id, **where)

    studio.tables.timekeeping.place = die
    await painted(studio)
    return studio.port


async def test_f30_a_first_message_that_was_posted_and_not_noted_is_found_again(house: Offline, people: People):
    table = await house.lobby(people[0])
    port = await dies(Studio(house, house.another()), "message_id")
    assert len(port.messages) == 1
    house.time.pass_by(seconds=2)
    await house.tables.lobby.join(house.by(people[1], table))
    second = Studio(house, house.another(), port)
    await painted(second)
    assert list(port.messages.values()) == [("lobby", 2, 1)]
    assert await second.message(table) == ("lobby", 2, 1)


async def unnoted(studio: Studio, fails, kind, noting):
    """Messages of a kind are posted and not noted, because the process dies or Discord does not answer; the Discord."""
    if fails == "process":
        return await dies(studio, noting)
    studio.port.unanswered = (kind,)
    await painted(studio)
    studio.port.unanswered = ()
    return studio.port


@pytest.mark.parametrize("fails", ["process", "discord"])
async def test_f30_a_lobby_that_was_posted_and_not_noted_is_not_shown_once_it_is_closed(
    house: Offline, people: People, fails
):
    table = await house.lobby(people[0])
    port = await unnoted(Studio(house, house.another()), fails, "lobby", "message_id")
    assert list(port.messages.values()) == [("lobby", 1, 0)]
    house.time.pass_by(seconds=2)
    second = Studio(house, house.another(), port)
    await house.tables.lobby.leave(house.by(1, table))
    await painted(second)
    assert port.messages == {}
    assert await second.tables.timekeeping.undrawn_tables() == ()


async def test_f30_a_closed_lobby_whose_message_was_replaced_is_not_posted_again_by_the_next_process(
    house: Offline, people: People
):
    table, first = await house.lobby(people[0]), Studio(house, house.another())
    await painted(first)
    await first.tables.lobby.leave(house.by(1, table))
    await first.tables.timekeeping.place(table, message_id=None)  # as the first message of the next table does it
    house.time.pass_by(seconds=2)
    second = Studio(house, house.another(), first.port)
    asked = len(second.port.calls)
    await painted(second)
    assert second.port.calls[asked:] == []


async def test_f16_a_first_message_replaces_a_closed_one_also_where_discord_failed_at_first(
    house: Offline, people: People, studio: Studio
):
    closed = await house.lobby(people[0])
    await studio.painter.idle()
    await house.tables.lobby.leave(house.by(people[0], closed))
    await studio.painter.idle()
    assert len(studio.port.messages) == 1
    studio.port.fail("send", *[OverloadedError()] * TRIES)
    table = await house.lobby(people[1])
    await studio.painter.idle()
    studio.painter.retry()
    await studio.painter.idle()
    assert list(studio.port.messages) == [(await house.tables.snapshot(table)).table.message_id]


async def test_f30_a_first_message_replaces_a_closed_one_whose_own_replacement_was_not_posted(
    house: Offline, people: People, studio: Studio
):
    closed = await house.lobby(people[0])
    await studio.painter.idle()
    await house.tables.lobby.leave(house.by(people[0], closed))
    await studio.painter.idle()
    (old,) = studio.port.messages
    await house.tables.timekeeping.place(closed, message_id=held_by(old))
    table = await house.lobby(people[1])
    await studio.painter.idle()
    assert list(studio.port.messages) == [(await house.tables.snapshot(table)).table.message_id]


async def test_f30_of_a_lobby_that_was_closed_before_it_was_posted_the_next_process_posts_nothing(
    house: Offline, people: People
):
    table = await house.lobby(people[0])
    await house.tables.lobby.leave(house.by(people[0], table))
    house.time.pass_by(seconds=2)
    studio = Studio(house, house.another())
    await painted(studio)
    assert studio.port.calls == []
    assert await studio.tables.timekeeping.undrawn_tables() == ()


@pytest.mark.parametrize("harm", ["deleted", "old", "bottom"])
async def test_f30_a_message_that_was_posted_anew_and_not_noted_is_found_again(house: Offline, people: People, harm):
    table = await house.lobby(people[0])
    first = Studio(house, house.another())
    await painted(first)
    port, tables = first.port, first.tables
    house.time.pass_by(minutes=56 if harm == "old" else 1)
    if harm == "deleted":
        port.messages.clear()
    second = Studio(house, tables, port)
    if harm == "bottom":
        await tables.play.move_to_bottom(house.by(99, table))
        second.painter.want(table, bottom=True)
    else:
        await tables.lobby.join(house.by(people[1], table))
    port.calls.clear()
    await dies(second, "message_id")
    assert "send" in port.calls
    house.time.pass_by(seconds=2)
    last = Studio(house, house.another(), port)
    await painted(last)
    seats = 1 if harm == "bottom" else 2
    assert list(port.messages.values()) == [("lobby", seats, seats - 1)]
    assert await last.message(table) == ("lobby", seats, seats - 1)


async def called(house: Offline, people: Sequence[Person]):
    """A game whose second player wants to be told that cards are dealt."""
    await prefer(house.tables, GUILD, people[1].id, called=True)
    return await house.game(*people[:2])


async def test_f19_a_call_is_posted_after_all_that_discord_refused_everything_for_a_while(
    house: Offline, people: People, studio: Studio
):
    await prefer(house.tables, GUILD, people[1].id, called=True)
    table = await house.lobby(*people[:2])
    await studio.painter.idle()
    studio.port.fail("send", BannedError())
    await house.tables.play.start(house.by(people[0], table))
    await studio.painter.idle()
    assert studio.port.pings == [people[1].id]


@pytest.mark.parametrize("fails", ["process", "discord"])
@pytest.mark.parametrize("ready", [False, True])
async def test_f30_a_call_that_was_posted_and_not_noted_is_found_again_or_deleted(
    house: Offline, people: People, ready, fails
):
    table, first = await called(house, people), Studio(house, house.another())
    port = await unnoted(first, fails, "call", "call_id")
    assert sorted(each[0] for each in port.messages.values()) == ["call", "playing"]
    last = first if fails == "discord" else Studio(house, house.another(), port)
    if ready:
        await house.act(table, people[1], Ready(), last.tables)
    await painted(last)
    now = (await last.tables.snapshot(table)).table
    assert set(port.messages) == {now.message_id} | (set() if ready else {now.call_id})
    assert port.pings == [people[1].id], "neither again, nor the one who asked for the deal"


@pytest.mark.parametrize("errors", [[OverloadedError()] * TRIES, [OverloadedError(), BlockedError()]])
async def test_f16_a_table_is_not_posted_twice_because_its_call_was_not_posted(house: Offline, people: People, errors):
    table, studio = await called(house, people), Studio(house)
    send = studio.port.send

    async def the_last_one(*given, **more):
        studio.port.send = send
        message_id = await send(*given, **more)
        studio.port.fail("send", *errors)
        return message_id

    studio.port.send = the_last_one
    await painted(studio)
    studio.port.nonces.clear()  # some minutes later
    studio.painter.retry()
    await painted(studio)
    assert [each[0] for each in studio.port.messages.values()].count("playing") == 1
    assert (await studio.message(table))[0] == "playing"


async def test_f30_a_message_that_was_found_again_is_brought_up_to_date_where_discord_fails_once(
    house: Offline, people: People
):
    table = await house.lobby(people[0])
    port = await dies(Studio(house, house.another()), "message_id")
    await house.tables.lobby.join(house.by(people[1], table))
    port.fail("edit", OverloadedError())
    await painted(Studio(house, house.another(), port))
    assert list(port.messages.values()) == [("lobby", 2, 1)]


async def reminded(house: Offline, people: Sequence[Person]):
    """A game in which somebody is to be reminded."""
    table = await house.in_play(*people[:2])
    house.time.pass_by(seconds=61)
    await house.tables.timekeeping.time_up(table)
    return table


@pytest.mark.parametrize("played", [False, True])
async def test_f30_a_reminder_that_was_posted_and_not_noted_is_found_again_or_deleted(
    house: Offline, people: People, played
):
    table = await reminded(house, people)
    port = await dies(Studio(house, house.another()), "nudge_id")
    assert sorted(each[0] for each in port.messages.values()) == ["nudge", "playing"]
    last = Studio(house, house.another(), port)
    if played:
        view = (await last.tables.snapshot(table)).view
        user = (await last.tables.snapshot(table)).table.players[not_none(view.turn)].user_id
        await house.choose(table, user, last.tables)
    await painted(last)
    assert sorted(each[0] for each in port.messages.values()) == ["nudge"] * (not played) + ["playing"]
    nudge = (await last.tables.snapshot(table)).table.nudge_id
    assert (nudge is None) is played
    assert len(port.pings) == 1


@pytest.mark.parametrize("played", [False, True])
async def test_f30_a_last_reminder_that_was_posted_and_not_noted_is_found_again_or_deleted(
    house: Offline, people: People, played
):
    table, wait = await slowly_reminded(house, people)
    first = Studio(house)
    await painted(first)
    await wait(19)
    port = await dies(Studio(house, house.another(), first.port), "nudge_id")
    last = Studio(house, house.another(), port)
    if played:
        await house.choose(table, port.pings[0], last.tables)
    await painted(last)
    now = (await last.tables.snapshot(table)).table
    assert set(port.messages) == {now.message_id} | (set() if played else {now.nudge_id})
    assert (now.nudge_id is None, len(port.pings)) == (played, 2)


async def test_f44_a_drawing_that_fails_stops_no_other_table(house: Offline, people: People, studio: Studio):
    def broken(snapshot):
        if snapshot.table.channel_id == 5:
            raise ValueError("cannot be drawn")
        return Words(["fine"])

    studio.table = broken
    bad, good = await house.lobby(people[0], channel=5), await house.lobby(people[1], channel=6)
    await studio.painter.idle()
    assert await studio.message(good) == ("fine",)
    assert await studio.message(bad) is None
    assert await house.tables.timekeeping.undrawn_tables() == (bad,)


async def test_f44_a_table_is_drawn_again_also_after_what_was_drawn_could_not_be_noted(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    async def broken(_tables):
        raise KeyError

    table = await house.lobby(people[0])
    await studio.painter.idle()
    with monkeypatch.context() as store:
        store.setattr(house.tables.timekeeping, "mark_drawn", broken)
        await house.tables.lobby.join(house.by(people[1], table))
        assert await drawn(studio, table) == ("lobby", 2, 1)
    await house.tables.lobby.join(house.by(people[2], table))
    assert await drawn(studio, table) == ("lobby", 3, 2)
    assert await house.tables.timekeeping.undrawn_tables() == ()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            UnavailableError("the database x does not answer"),
            {"log_level": "warning", "error": "the database x does not answer"},
        ),
        (KeyError(), {"log_level": "error", "exc_info": True}),
    ],
    ids=["unavailable", "an error of the program"],
)
async def test_f44_what_was_drawn_and_could_not_be_noted_is_drawn_again_after_a_restart(
    house: Offline, people: People, studio: Studio, monkeypatch, error, told
):
    async def broken(_tables):
        raise error

    table = await house.lobby(people[0])
    with monkeypatch.context() as store, capture_logs() as logs:
        store.setattr(house.store.tables, "mark_drawn", broken)
        await studio.painter.idle()
    assert logs == [{"event": "could not record what was drawn", "tables": 1} | told]
    assert await drawn(studio, table) == ("lobby", 1, 0)
    assert await house.tables.timekeeping.undrawn_tables() == (table,)
    await studio.painter.reconcile()
    await studio.painter.idle()
    assert await house.tables.timekeeping.undrawn_tables() == ()


async def test_f50_nothing_is_kept_of_tables_that_were_drawn(
    house: Offline, people: People, studio: Studio, monkeypatch
):
    monkeypatch.setattr(Words, "shows", 5)  # as if each had a picture
    for channel in range(3):
        table = await house.lobby(people[0], channel=channel)
        await studio.painter.idle()
        await house.tables.lobby.leave(house.by(1, table))
        await studio.painter.idle()
    painter = studio.painter
    assert not painter._wanted
    assert not painter._working
    assert not painter._trouble
    assert not painter._drawn
    assert not studio.public._shown
