"""The tea service: who may change a debt, how, until when, only once, and what its history records."""

import asyncio
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from data.errors import ConflictError, UnavailableError
from data.guild_models import Preferences
from data.models import Change, Player, Table
from data.store import Store
from game.rules import Rules
from tables.services import Tables
from tables.snapshots import Decline, Declined
from testkit.debts import new_debt
from testkit.offline import GUILD, MEMORY, Offline, People, Refused, make_house
from testkit.stored import put_preferences, stored_table

ANN, BOB, CY, DEE = 1, 2, 3, 4
CREDITORS = (ANN, BOB)
STATES = ("owed", "served", "forgiven", "cancelled")


async def owing(house: Offline, debtor=CY, creditors=CREDITORS):
    """Store a lost game; return the id of its debt."""
    number, now = house.click(), house.time()
    key = {"id": number, "guild_id": GUILD, "channel_id": number, "host_id": debtor}
    players = (Player(user_id=debtor, name="x", joined_by=1),)
    table = Table(**key, players=players, rules=Rules(), seats=6, created_at=now)
    await house.store.tables.open(table, "", number)
    after = table.but(revision=1, status="over")
    debt = new_debt(table, debtor, creditors)
    await house.store.tables.save(Change(before=table, after=after, at=now, debt=debt))
    return (await house.store.tea.of_game(table, 1)).id


class Asker:
    """Makes requests about one debt to the tea service."""

    def __init__(self, house: Offline, debt):
        self.house, self.debt = house, debt

    async def now(self):
        return await self.house.tables.tea.debt(GUILD, self.debt)

    async def serve(self, user, click=None, tables=None):
        return await (tables or self.house.tables).tea.serve(self.house.by(user, id=click), self.debt)

    async def forgive(self, user, click=None, tables: Tables | None = None):
        return await (tables or self.house.tables).tea.forgive(self.house.by(user, id=click), self.debt)

    async def withdraw(self, user):
        return await self.house.tables.tea.withdraw(self.house.by(user), self.debt)

    async def undo(self, user, click=None, seen=0):
        return await self.house.tables.tea.undo(self.house.by(user, id=click), self.debt, seen=seen)

    async def correct(self, state, user=DEE, *, click=None):
        seen = (await self.now()).changes
        return await self.house.tables.tea.correct(self.house.by(user, id=click), self.debt, state, seen=seen)

    async def remind(self, user):
        return await self.house.tables.tea.remind(self.house.by(user), self.debt)

    async def lines(self):
        return await self.house.tables.tea.history(GUILD, 1000, debt_id=self.debt)


@pytest.fixture
async def asker(house: Offline):
    return Asker(house, await owing(house))


async def test_any_creditor_can_mark_a_debt_served_and_nobody_else(asker: Asker, refused: type[Refused]):
    for other, why in ((CY, Decline.OWN_DEBT), (DEE, Decline.NOT_A_CREDITOR)):
        with refused(why):
            await asker.serve(other)
    assert (await asker.serve(BOB)).state == "served"
    with refused(Decline.ALREADY_SETTLED):
        await asker.serve(ANN)


async def test_all_creditors_must_forgive(asker: Asker, refused: type[Refused]):
    assert (await asker.forgive(ANN)).awaited == (BOB,)
    with refused(Decline.ALREADY_FORGIVEN):
        await asker.forgive(ANN)
    with refused(Decline.NOT_FORGIVEN):
        await asker.withdraw(BOB)
    assert (await asker.withdraw(ANN)).awaited == (ANN, BOB)
    await asker.forgive(BOB)
    assert (await asker.forgive(ANN)).state == "forgiven"
    with refused(Decline.ALREADY_SETTLED):
        await asker.withdraw(BOB)


async def test_a_creditor_who_undoes_a_forgiven_debt_no_longer_forgives_it(asker: Asker):
    await asker.forgive(ANN)
    await asker.forgive(BOB)
    back = await asker.undo(ANN)
    assert (back.state, back.forgiven_by, back.settled_at, back.settled_by) == ("owed", (BOB,), None, None)
    assert (await asker.forgive(ANN)).state == "forgiven"


async def test_a_settlement_can_be_undone_for_ten_minutes(asker: Asker, house: Offline, refused: type[Refused]):
    await asker.serve(ANN)
    house.time.pass_by(minutes=10)
    await asker.undo(BOB)
    await asker.serve(ANN)
    house.time.pass_by(minutes=10, seconds=1)
    with refused(Decline.TOO_LATE):
        await asker.undo(BOB)
    with refused(Decline.OWN_DEBT):
        await asker.undo(CY)


async def test_undo_is_offered_as_long_as_it_is_possible(asker: Asker, house: Offline):
    async def offered(user):
        found = await house.tables.tea.undoable(GUILD, user)
        return found and (found.debt.id, found.until - house.time())

    assert await offered(ANN) is None
    await asker.serve(ANN)
    assert await offered(BOB) == (asker.debt, timedelta(minutes=10))
    assert await offered(CY) is None
    house.time.pass_by(minutes=10)
    assert await offered(BOB) == (asker.debt, timedelta(0))
    house.time.pass_by(seconds=1)
    assert await offered(BOB) is None


async def test_an_old_undo_button_does_not_undo_what_came_after(asker: Asker, refused: type[Refused]):
    seen = (await asker.serve(ANN)).changes
    await asker.undo(BOB, seen=seen)
    await asker.serve(BOB)
    with refused(Decline.NOTHING_TO_UNDO):
        await asker.undo(ANN, seen=seen)
    assert (await asker.now()).state == "served"


async def test_a_manager_can_correct_at_any_time_and_forgiving_starts_over(
    asker: Asker, house: Offline, refused: type[Refused]
):
    await asker.forgive(ANN)
    await asker.serve(BOB)
    house.time.pass_by(days=400)
    with refused(Decline.ALREADY_SO):
        await asker.correct("served")
    owed = await asker.correct("owed")
    assert (owed.awaited, owed.settled_by, owed.settled_at) == ((ANN, BOB), None, None)
    struck = await asker.correct("cancelled")
    assert (struck.state, struck.settled_by) == ("cancelled", DEE)
    with refused(Decline.NOTHING_TO_UNDO):
        await asker.undo(ANN)
    with refused(Decline.ALREADY_SETTLED):
        await asker.serve(ANN)


async def test_words_that_a_cancelled_debt_took_from_its_table_do_not_come_back_with_a_later_debt(
    house: Offline, people: People
):
    table = await house.game(*people[:3], forfeit="cake")
    first = Asker(house, (await house.finish(table)).debt.id)
    await house.again(table, 1)
    second = (await house.finish(table)).debt
    assert second.forfeit == "cake"
    assert (await first.correct("cancelled")).forfeit == "…"
    served = await Asker(house, second.id).serve(second.creditor_ids[0])
    assert served.forfeit == "cake"
    assert (await stored_table(house.store, table)).forfeit == "…"
    assert (await house.tables.snapshot(table)).table.forfeit == "…"
    assert (await house.again(table, 1)).table.forfeit == "…"


async def test_a_manager_can_correct_only_the_state_that_they_saw(asker: Asker, house: Offline, refused: type[Refused]):
    seen = (await asker.now()).changes
    await asker.forgive(ANN)
    with refused(Decline.DEBT_CHANGED):
        await house.tables.tea.correct(house.by(DEE), asker.debt, "cancelled", seen=seen)
    assert (await asker.now()).state == "owed"


async def test_a_redelivered_click_is_applied_once(asker: Asker, house: Offline):
    for doing in (lambda: asker.forgive(ANN, 7), lambda: asker.forgive(BOB, 8), lambda: asker.undo(BOB, 9)):
        once = await doing()
        assert await doing() == once
    assert (await asker.now()).changes == 4
    await asker.correct("served", click=10)
    twice = house.by(DEE, id=10)
    assert (await house.tables.tea.correct(twice, asker.debt, "served", seen=4)).changes == 5


async def test_a_redelivered_click_is_applied_once_even_if_it_is_possible_again(asker: Asker):
    await asker.forgive(ANN, 7)
    await asker.withdraw(ANN)
    assert (await asker.forgive(ANN, 7)).forgiven_by == ()


async def test_endless_conflicts_about_a_debt_are_declined(asker: Asker, house: Offline, refused: type[Refused]):
    async def late(*_given, **_options):
        raise ConflictError

    house.store.tea.save = late
    with refused(Decline.SAVING_FAILED):
        await asker.serve(ANN)


@pytest.mark.parametrize("is_damaged", [True, False])
async def test_a_debt_is_settled_even_if_its_game_cannot_be_read_or_is_gone(asker: Asker, house: Offline, is_damaged):
    async def no_table(*_, **__):
        if is_damaged:
            raise UnavailableError

    house.store.games.with_table = no_table
    assert (await asker.serve(ANN)).state == "served"
    assert (await asker.now()).state == "served"


async def test_a_settled_debt_is_published_if_the_end_of_its_game_is_shown(asker: Asker, house: Offline):
    await asker.serve(ANN)
    assert house.heard == []
    table = (await asker.now()).table_id
    await house.tables.timekeeping.place(table, message_id=77)
    await asker.undo(ANN)
    assert [each.table.id for each in house.heard] == [table]
    assert (await house.tables.snapshot(table)).debt.state == "owed"


async def test_the_end_of_a_game_shows_the_latest_of_two_changes_although_it_hears_of_it_first(
    asker: Asker, house: Offline, monkeypatch
):
    table = (await asker.now()).table_id
    await house.tables.timekeeping.place(table, message_id=77)
    save = house.store.tea.save

    async def slow(*given, **click):
        monkeypatch.setattr(house.store.tea, "save", save)
        is_shown = await save(*given, **click)
        await asker.undo(ANN)
        return is_shown

    monkeypatch.setattr(house.store.tea, "save", slow)
    assert (await asker.serve(ANN)).state == "served"
    assert (await house.tables.snapshot(table)).debt.state == "owed"


async def test_the_debt_of_an_earlier_game_does_not_affect_the_next_one(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.ready(table)
    debt = (await house.finish(table)).debt
    await house.again(table, people[0].id)
    heard = len(house.heard)
    await house.tables.tea.serve(house.by(debt.creditor_ids[0]), debt.id)
    assert house.heard[heard:] == []
    assert (await house.tables.snapshot(table)).debt is None


@pytest.mark.parametrize(
    ("forfeit", "is_lobby", "redrawn"), [("", True, 0), ("cake", True, 1), ("", False, 0), ("cake", False, 0)]
)
async def test_a_later_message_is_redrawn_for_a_cancelled_debt_only_if_it_shows_the_words_that_are_deleted(
    house: Offline, people: People, forfeit, is_lobby, redrawn
):
    table = await house.game(*people[:2], forfeit=forfeit)
    await house.ready(table)
    debt = (await house.finish(table)).debt
    rematch = house.tables.play.rematch(house.by(1, table)) if is_lobby else house.again(table, 1)
    assert (await rematch).table.status == ("lobby" if is_lobby else "playing")
    await house.tables.timekeeping.place(table, message_id=77)
    heard = len(house.heard)
    await house.tables.tea.correct(house.by(DEE), debt.id, "cancelled", seen=debt.changes)
    assert len(house.heard) - heard == redrawn


async def test_concurrent_creditors_in_two_processes_are_each_counted_once(house: Offline):
    everybody = tuple(range(1, 12))
    asker = Asker(house, await owing(house, 99, everybody))
    store = await Store.open(house.url)
    other = house.another(store)
    doing = [asker.forgive(user, tables=(house.tables, other)[user % 2]) for user in everybody]
    found = await asyncio.gather(*doing)
    await store.close()
    assert [each.state for each in found].count("forgiven") == 1
    debt = await asker.now()
    assert (debt.state, debt.forgiven_by, debt.changes) == ("forgiven", everybody, 12)


async def test_serving_and_forgiving_at_once_succeeds_only_for_one(house: Offline):
    asker = Asker(house, await owing(house, CY, (ANN,)))
    found = await asyncio.gather(asker.serve(ANN), asker.forgive(ANN), return_exceptions=True)
    assert [type(each) for each in found].count(Declined) == 1
    assert (await asker.now()).changes == 2


async def test_reminders_are_once_a_day_and_only_for_open_debts(asker: Asker, house: Offline, refused: type[Refused]):
    with refused(Decline.OWN_DEBT):
        await asker.remind(CY)
    assert (await asker.remind(ANN)).reminded_at == house.time()
    house.time.pass_by(hours=23, minutes=59)
    with refused(Decline.REMINDED_ALREADY):
        await asker.remind(BOB)
    house.time.pass_by(minutes=1)
    await asker.remind(BOB)
    await asker.serve(ANN)
    house.time.pass_by(days=2)
    with refused(Decline.ALREADY_SETTLED):
        await asker.remind(BOB)


async def test_a_debt_whose_last_reminder_seems_to_be_in_the_future_can_be_reminded_of(
    asker: Asker, house: Offline, refused: type[Refused]
):
    """As after the machine's clock was set back."""
    await asker.remind(ANN)
    house.time.pass_by(hours=-23, minutes=-59)
    with refused(Decline.REMINDED_ALREADY):
        await asker.remind(BOB)
    house.time.pass_by(minutes=-1)
    assert (await asker.remind(BOB)).reminded_at == house.time()
    with refused(Decline.REMINDED_ALREADY):
        await asker.remind(ANN)


async def test_nobody_is_reminded_who_opted_out_or_was_forgotten(asker: Asker, house: Offline, refused: type[Refused]):
    await put_preferences(house.store, Preferences(guild_id=GUILD, user_id=CY, quiet=True))
    with refused(Decline.WANTS_NO_REMINDER):
        await asker.remind(ANN)
    await house.store.people.forget(CY)
    with refused(Decline.NOBODY_TO_REMIND):
        await asker.remind(ANN)


async def test_of_two_reminders_at_once_one_is_declined(asker: Asker):
    found = await asyncio.gather(asker.remind(ANN), asker.remind(BOB), return_exceptions=True)
    assert [type(each) for each in found].count(Declined) == 1


async def test_forgiving_does_not_wait_for_a_former_player(asker: Asker, house: Offline):
    await asker.forgive(ANN)
    await house.store.people.forget(BOB)
    assert (await asker.forgive(ANN)).state == "forgiven"


async def test_a_former_player_has_no_tally(asker: Asker, house: Offline):
    await asker.serve(ANN)
    await house.store.people.forget(BOB)
    assert {each.user_id for each in await house.tables.tea.tallies(GUILD)} == {ANN, CY}


def forgotten_before_storing(house: Offline, user):
    """Forget a person right before the next change of a debt is stored, after it was decided."""
    save, forgetting = house.store.tea.save, [user]

    async def slowly(*given, **options):
        if forgetting:
            assert await house.tables.people.forget(forgetting.pop()) is None
        return await save(*given, **options)

    house.store.tea.save = slowly


@pytest.mark.parametrize("user", [CY, BOB])
async def test_the_end_of_a_game_does_not_name_somebody_who_is_forgotten_while_its_debt_is_served(
    asker: Asker, house: Offline, user
):
    table = (await asker.now()).table_id
    assert (await house.tables.snapshot(table)).debt
    forgotten_before_storing(house, user)
    await asker.serve(ANN)
    shown = (await house.tables.snapshot(table)).debt
    assert shown == await asker.now()
    assert user not in {shown.debtor_id, *shown.creditor_ids}


async def test_somebody_who_is_forgotten_meanwhile_is_not_written_down_again(
    asker: Asker, house: Offline, refused: type[Refused]
):
    forgotten_before_storing(house, ANN)
    with refused(Decline.NOT_A_CREDITOR):
        await asker.serve(ANN)
    assert not await house.store.people.stored(ANN)


async def test_an_impossible_debt_id_is_declined(house: Offline, refused: type[Refused]):
    for number in (0, 5, -3, 1 << 63, 10**40):
        with refused(Decline.UNKNOWN_DEBT):
            await house.tables.tea.serve(house.by(ANN), number)


async def test_changes_are_declined_while_the_bot_closes(asker: Asker, house: Offline, refused: type[Refused]):
    house.tables.close()
    for doing in (asker.serve, asker.remind):
        with refused(Decline.CLOSING):
            await doing(ANN)


async def test_a_change_that_is_being_stored_survives_cancellation(asker: Asker, house: Offline):
    gate, begun, save = asyncio.Event(), asyncio.Event(), house.store.tea.save

    async def slowly(*given, **options):
        begun.set()
        await gate.wait()
        return await save(*given, **options)

    house.store.tea.save = slowly
    serving = asyncio.create_task(asker.serve(ANN))
    await begun.wait()
    serving.cancel()
    gate.set()
    assert isinstance((await asyncio.gather(serving, return_exceptions=True))[0], asyncio.CancelledError)
    assert (await asker.now()).state == "served"


def replayed(lines):
    """The state of a debt and the creditors who forgive it, from its history alone."""
    state, forgivers = None, set()
    for line in lines:
        if line.deed == "forgiven":
            forgivers.add(line.user_id)
        if line.deed == "withdrawn" or (line.deed == "undone" and state == "forgiven"):
            forgivers.discard(line.user_id)
        if line.deed == "corrected":
            forgivers.clear()
        state = line.state
    return state, forgivers


class Books(RuleBasedStateMachine):
    """People press arbitrary buttons, and the books stay right."""

    people = st.sampled_from((ANN, BOB, CY, DEE))
    empty: Path

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory(dir=MEMORY)
        shutil.copy(self.empty, Path(self.folder.name) / "house.sqlite3")
        self.runner = asyncio.Runner()
        self.house = self.run(make_house(f"sqlite:///{self.folder.name}/house.sqlite3"))
        self.asker = Asker(self.house, self.run(owing(self.house)))
        self.settled_at = None

    def run(self, doing):
        return self.runner.run(doing)

    def press(self, doing, *, allowed):
        """Make a request, which must change the debt if it is allowed, and be declined otherwise."""
        before = self.run(self.asker.now())
        try:
            self.run(doing)
        except Declined:
            assert not allowed
            assert self.run(self.asker.now()) == before
        else:
            assert allowed
            assert self.run(self.asker.now()).changes == before.changes + 1

    def debt(self):
        return self.run(self.asker.now())

    @rule(user=people)
    def serve(self, user):
        self.press(self.asker.serve(user), allowed=user in CREDITORS and self.debt().state == "owed")
        self.note()

    @rule(user=people)
    def forgive(self, user):
        debt = self.debt()
        allowed = user in CREDITORS and debt.state == "owed" and user not in debt.forgiven_by
        self.press(self.asker.forgive(user), allowed=allowed)
        self.note()

    @rule(user=people)
    def withdraw(self, user):
        debt = self.debt()
        self.press(self.asker.withdraw(user), allowed=debt.state == "owed" and user in debt.forgiven_by)

    @rule(user=people)
    def undo(self, user):
        in_time = self.settled_at is not None and self.house.time() - self.settled_at <= timedelta(minutes=10)
        self.press(self.asker.undo(user), allowed=user in CREDITORS and in_time)
        self.note()

    @rule(user=people, state=st.sampled_from(STATES))
    def correct(self, user, state):
        allowed = self.debt().state != state
        self.press(self.asker.correct(state, user), allowed=allowed)
        if allowed:
            self.settled_at = None

    @rule(minutes=st.sampled_from((1, 5, 11)))
    def wait(self, minutes):
        self.house.time.pass_by(minutes=minutes)

    def note(self):
        """Remember when creditors settled the debt: None while it is owed, or if a manager decided last."""
        debt = self.debt()
        if debt.state == "owed":
            self.settled_at = None
        elif debt.deed in {"served", "forgiven"}:
            self.settled_at = debt.settled_at

    @invariant()
    def history_tells_all(self):
        lines = self.run(self.asker.lines())[::-1]
        debt = self.debt()
        assert [each.number for each in lines] == list(range(1, debt.changes + 1))
        assert replayed(lines) == (debt.state, set(debt.forgiven_by))
        assert all(each.user_id in CREDITORS for each in lines if each.deed not in {"made", "corrected"})
        assert (debt.settled_by is None) == (debt.state == "owed")

    def teardown(self):
        if hasattr(self, "house"):
            self.run(self.house.store.close())
            self.runner.close()
            self.folder.cleanup()


@pytest.mark.long
def test_the_history_agrees_with_the_debt_whatever_is_pressed(empty_database):
    machine = type("TheBooks", (Books,), {"empty": empty_database})
    slowly = settings(
        max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    run_state_machine_as_test(machine, settings=slowly)


async def test_a_reminder_that_is_delivered_twice_is_one(asker: Asker, house: Offline):
    request = house.by(ANN)
    first = await house.tables.tea.remind(request, asker.debt)
    assert await house.tables.tea.remind(request, asker.debt) == first
