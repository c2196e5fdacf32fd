"""One click costs one lock, one transaction, and one view of the table and of each seat that looks."""

from collections import Counter

import pytest

from data.errors import ConflictError, UnavailableError, UnusableError
from game.moves import IllegalMove, PickUp, Ready
from tables import gameplay
from tables.snapshots import Decline, Declined, declining
from testkit.found import not_none
from testkit.offline import Offline, People, Refused


@pytest.fixture
def counted(house: Offline, monkeypatch):
    """A counter of views built, locks taken, and reads and writes of the database."""
    found = Counter()

    def count(owner, name, label):
        real = getattr(owner, name)

        def counting(*args, **options):
            found[label] += 1
            return real(*args, **options)

        monkeypatch.setattr(owner, name, counting)

    count(gameplay, "table_view", "table view")
    count(gameplay, "seat_view", "seat view")
    count(house.tables._doorway, "lock", "lock")
    count(house.store.database, "read", "reading")
    count(house.store.database, "write", "writing")
    return found


async def in_play(house: Offline, *people):
    table = await house.in_play(*people)
    snapshot = await house.tables.snapshot(table)
    return table, snapshot.table.players[not_none(snapshot.view.turn)].user_id


async def test_a_move_takes_one_lock_and_one_transaction_and_views_the_table_once(
    house: Offline, people: People, counted
):
    table, user = await in_play(house, *people[:3])
    move = (await house.hand(table, user)).view.moves[0]
    request = house.by(user, table)
    counted.clear()
    hand = await house.tables.play.act(request, move)
    assert counted == {"lock": 1, "writing": 1, "table view": 1, "seat view": 1}
    assert hand.snapshot.view is hand.view.table


async def test_the_views_of_a_revision_are_built_once_and_shared(house: Offline, people: People, counted):
    table, user = await in_play(house, *people[:3])
    hand = await house.choose(table, user)
    counted.clear()
    for person in people[:3]:
        for _ in range(2):
            shown = await house.tables.play.hand(house.by(person, table))
            assert shown.snapshot.view is hand.snapshot.view
    assert (await house.tables.snapshot(table)).view is hand.snapshot.view
    assert counted == {"seat view": 2}


async def test_a_reminder_leaves_the_views_as_they_are(house: Offline, people: People, counted):
    table, user = await in_play(house, *people[:2])
    before = await house.hand(table, user)
    house.time.pass_by(seconds=61)
    counted.clear()
    await house.tables.timekeeping.time_up(table)
    after = await house.hand(table, user)
    assert (before.snapshot.table.nudged, after.snapshot.table.nudged) == (False, True)
    assert after.view is before.view
    assert counted["table view"] == counted["seat view"] == 0


async def test_a_move_in_the_exchange_also_views_the_table_once(house: Offline, people: People, counted):
    table = await house.game(*people[:3])
    request = house.by(people[0], table)
    counted.clear()
    await house.tables.play.act(request, Ready())
    assert counted == {"lock": 1, "writing": 1, "table view": 1, "seat view": 1}


async def test_a_snapshot_has_its_servers_settings_without_reading_them_again(house: Offline, people: People, counted):
    table = await house.lobby(people[0])
    before = await house.tables.servers.settings(900)
    await house.tables.servers.choose(before, before.but(locale="de", nudge_seconds=30))
    counted.clear()
    snapshot = await house.tables.snapshot(table)
    assert (snapshot.settings.locale, snapshot.settings.nudge_seconds) == ("de", 30)
    assert not counted
    assert (await house.another().snapshot(table)).settings == snapshot.settings


async def test_f11_a_click_that_would_be_accepted_twice_is_applied_once_and_answered_with_the_table(
    house: Offline, people: People
):
    table = await house.lobby(people[0])
    click = house.by(people[0], table)
    seated = await house.tables.lobby.add_computer(click)
    again = await house.tables.lobby.add_computer(click)
    assert [player.name for player in again.table.players] == ["Ann", "Clara"]
    assert again.table == seated.table


async def test_a_change_that_others_forestall_again_and_again_is_declined_and_not_made(
    house: Offline, people: People, refused: type[Refused], monkeypatch
):
    async def changed_meanwhile(_change):
        raise ConflictError

    table = await house.lobby(people[0])
    with monkeypatch.context() as store, refused(Decline.SAVING_FAILED):
        store.setattr(house.store.tables, "save", changed_meanwhile)
        await house.tables.lobby.join(house.by(people[1], table))
    assert [player.name for player in (await house.tables.snapshot(table)).table.players] == ["Ann"]
    joined = await house.tables.lobby.join(house.by(people[1], table))
    assert [player.name for player in joined.table.players] == ["Ann", "Bob"]


async def test_a_refusal_stands_if_the_store_cannot_tell_whether_the_click_was_applied(
    house: Offline, people: People, monkeypatch
):
    async def unavailable(*_):
        raise UnavailableError

    table, user = await in_play(house, *people[:3])
    other = next(each for each in people[:3] if each.id != user)
    monkeypatch.setattr(house.store.clicks, "was_applied", unavailable)
    with pytest.raises(IllegalMove):
        await house.tables.play.act(house.by(other, table), PickUp())


async def test_a_damaged_database_is_answered_as_one_that_does_not_answer():
    @declining
    class Service:
        async def ask(self):
            raise UnusableError("the file x is damaged")

    with pytest.raises(Declined) as declined:
        await Service().ask()
    assert declined.value.why is Decline.SAVING_FAILED
    assert declined.value.words == "saving-failed: the file x is damaged"
