"""Which private hands are drawn anew, and when no longer; what is sent is noted instead of sent."""

import asyncio
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from cogs import open_hands as module
from cogs.open_hands import OpenHands
from data.models import Person
from game.moves import Ready
from tables.loaded import Changed
from tables.snapshots import Decline, Declined, HandSnapshot
from testkit.offline import Offline, People
from testkit.waiting import HANG

FORGOTTEN = 14 * 60 + 1
"""Seconds after which the answer to a click is no longer edited: Discord accepts that for fifteen minutes."""


class Shown:
    """A message of somebody and what it shows; drawing waits while `go_on` is not set."""

    def __init__(self, made_by=0):
        self.id, self.made_by, self.gone, self.revisions, self.reachable = made_by, made_by, {}, [], True
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.begun, self.drawn = asyncio.Event(), asyncio.Event()

    async def redraw(self, hand: Declined | HandSnapshot):
        self.begun.set()
        await self.go_on.wait()
        self.revisions.append(hand.snapshot.table.revision)
        self.drawn.set()
        return self.reachable


class Broken:
    """A message that cannot be drawn."""

    def __init__(self):
        self.id, self.made_by, self.gone = 0, 0, {}

    async def redraw(self, _: Declined | HandSnapshot):
        raise RuntimeError("on purpose")


class Silent:
    """A `Responder` to which Discord does not answer."""

    id = 7

    def __init__(self):
        self.ended = []

    async def edit(self, _):
        await self.delete()

    async def delete(self):
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.append("cancelled")


class Followed:
    """A game of two that prepare, its hands followed; `second` is the time."""

    table: int

    def __init__(self, house: Offline):
        self.house, self.second = house, 0.0
        self.hands = OpenHands(house.tables, gap=0, monotonic=lambda: self.second)
        house.tables.listeners.append(self.hands.changed)

    async def ready(self, person: Person, number):
        snapshot = await self.house.tables.snapshot(self.table)
        await self.house.tables.play.act(
            self.house.by(person.id, self.table, id=number, seen=snapshot.table.revision), Ready()
        )
        await asyncio.sleep(0)


@pytest.fixture
async def followed(house: Offline, people: People):
    found = Followed(house)
    ann, bob, *_ = people
    found.table = (await house.tables.lobby.open(house.by(ann, id=1, channel=800, guild=900))).table.id
    await house.tables.lobby.join(house.by(bob, found.table, id=2))
    await house.tables.play.start(house.by(ann.id, found.table, id=3))
    running = asyncio.create_task(found.hands.run())
    yield found
    running.cancel()
    await asyncio.wait({running})


async def now(followed: Followed):
    return (await followed.house.tables.snapshot(followed.table)).table


async def revision(followed: Followed):
    return (await now(followed)).revision


async def test_a_hand_is_drawn_once_for_what_happened_and_not_for_what_changes_nothing(
    followed: Followed, people: People
):
    snapshot = Shown()
    followed.hands.opened(await now(followed), people[0].id, snapshot)
    await followed.hands.idle()
    assert not snapshot.revisions
    await followed.ready(people[1], 10)
    await followed.hands.idle()
    assert not snapshot.revisions, "while all prepare, what others do makes no hand old"
    await followed.ready(people[0], 11)
    await followed.hands.idle()
    assert snapshot.revisions == [await revision(followed)]


async def test_a_hand_that_a_click_has_drawn_as_it_is_now_is_not_looked_at_again(
    followed: Followed, people: People, monkeypatch
):
    async def look(*given):
        looks.append(given)
        return await hand_since(*given)

    looks, hand_since = [], followed.house.tables.play.hand_since
    monkeypatch.setattr(followed.house.tables.play, "hand_since", look)
    for _ in range(2):
        followed.hands.opened(await now(followed), people[0].id, Shown())
        await followed.hands.idle()
    assert len(looks) == 1


async def test_a_hand_that_could_not_be_read_is_drawn_once_its_owner_clicks_although_nothing_happened_meanwhile(
    followed: Followed, people: People, monkeypatch
):
    async def fail(*_):
        monkeypatch.undo()
        raise Declined(Decline.SAVING_FAILED)

    shown = Shown()
    followed.hands.opened(await now(followed), people[0].id, shown)
    await followed.hands.idle()
    monkeypatch.setattr(followed.house.tables.play, "hand_since", fail)
    followed.hands.changed(Changed(await now(followed), None, reader="everybody"))
    await followed.hands.idle()
    assert not shown.revisions
    followed.hands.opened(await now(followed), people[0].id, shown)
    await followed.hands.idle()
    assert shown.revisions == [await revision(followed)], "which message Discord got last is unclear"


async def test_that_time_is_up_is_drawn_once_in_every_hand_that_does_not_say_so(followed: Followed, people: People):
    house, shown, late = followed.house, Shown(), Shown()
    seen = await now(followed)
    followed.hands.opened(seen, people[0].id, shown)
    house.time.pass_by(minutes=5)
    await house.tables.timekeeping.time_up(followed.table)
    await followed.hands.idle()
    assert (await now(followed)).overdue
    assert shown.revisions == [seen.revision]
    followed.hands.opened(await now(followed), people[1].id, late)
    await house.tables.play.move_to_bottom(house.by(people[1].id, followed.table))
    await followed.hands.idle()
    assert (shown.revisions, late.revisions) == ([seen.revision], []), "that the table moved says nothing of the time"


async def test_a_vote_to_stop_is_drawn_and_that_it_was_taken_back(followed: Followed, people: People):
    house, shown = followed.house, Shown()
    followed.hands.opened(await now(followed), people[0].id, shown)
    bob = house.by(people[1].id, followed.table)
    for vote, drawn in ((house.tables.play.stop, 1), (house.tables.play.unvote, 2)):
        await vote(bob)
        await followed.hands.idle()
        assert len(shown.revisions) == drawn
        bob = house.by(people[1].id, followed.table)


async def test_a_turn_that_an_outage_prolongs_is_drawn_in_a_hand_that_a_click_has_not_just_drawn(
    followed: Followed, people: People
):
    house, shown, clicked = followed.house, Shown(), Shown()
    seen = await now(followed)
    followed.hands.opened(seen, people[0].id, shown)
    house.time.pass_by(seconds=40)
    await house.tables.timekeeping.extend_deadline(followed.table, timedelta(seconds=40), house.time())
    await followed.hands.idle()
    assert shown.revisions == [seen.revision]
    await followed.ready(people[1], 10)
    last = house.by(people[0].id, followed.table, id=11, seen=await revision(followed))
    after = (await house.tables.play.act(last, Ready())).snapshot.table
    followed.hands.opened(after, people[0].id, clicked)
    await followed.hands.idle()
    assert (after.deadline != seen.deadline, clicked.revisions) == (True, []), "a move that begins a turn is no delay"


async def test_a_delay_is_drawn_though_others_have_made_moves_that_the_hand_does_not_show(
    followed: Followed, people: People
):
    house, shown = followed.house, Shown()
    followed.hands.opened(await now(followed), people[0].id, shown)
    await followed.ready(people[1], 10)
    await followed.hands.idle()
    assert shown.revisions == []
    house.time.pass_by(seconds=40)
    await house.tables.timekeeping.extend_deadline(followed.table, timedelta(seconds=40), house.time())
    await followed.hands.idle()
    assert shown.revisions == [await revision(followed)]


async def test_that_somebody_is_back_is_drawn_in_their_hand_alone(followed: Followed, people: People):
    house, hands = followed.house, [Shown(), Shown()]
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    for _ in range(2):
        house.time.pass_by(minutes=3)
        await house.tables.timekeeping.time_up(followed.table)
    (away,) = [who for who in (await now(followed)).players if who.away]
    for person, shown in zip(people, hands, strict=False):
        followed.hands.opened(await now(followed), person.id, shown)
    await house.tables.play.hand(house.by(away.user_id, followed.table))
    await followed.hands.idle()
    back = [person.id for person in people[:2]].index(away.user_id)
    assert hands[back].revisions == [await revision(followed)]
    assert hands[1 - back].revisions == [], "what the other reads there, such as a hint, stays"


async def test_a_pause_is_drawn_when_it_begins_and_when_it_ends(followed: Followed, people: People):
    shown, seen = Shown(), await now(followed)
    followed.hands.opened(seen, people[0].id, shown)
    for paused, drawn in ((True, 1), (True, 1), (False, 2)):
        await followed.house.tables.timekeeping.pause(followed.table, paused=paused)
        await followed.hands.idle()
        assert shown.revisions == [seen.revision] * drawn


async def test_a_hand_whose_time_is_up_is_drawn_once_nobody_else_is_there_to_have_it_played(
    followed: Followed, people: People
):
    house, shown = followed.house, Shown()
    await time_up(followed)
    followed.hands.opened(await now(followed), people[0].id, shown)
    await house.tables.lobby.leave(house.by(people[1].id, followed.table))
    await followed.hands.idle()
    assert shown.revisions == [await revision(followed)]


async def test_a_hand_whose_time_is_up_is_drawn_once_somebody_is_back_so_that_the_game_does_not_wait(
    followed: Followed, people: People
):
    house, shown = followed.house, Shown()
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    for _ in range(3):
        await time_up(followed)
    table = await now(followed)
    (there,), (back,) = table.present, [who for who in table.players if who.away]
    assert table.overdue
    followed.hands.opened(table, there.user_id, shown)
    await house.tables.play.hand(house.by(back.user_id, followed.table))
    await followed.hands.idle()
    assert shown.revisions == [await revision(followed)]


async def test_a_hand_that_was_drawn_just_before_time_was_up_is_drawn_again(followed: Followed, people: People):
    house, seen, clicked = followed.house, await now(followed), Shown()
    followed.hands.opened(seen, people[0].id, Shown())
    house.time.pass_by(minutes=5)
    await house.tables.timekeeping.time_up(followed.table)
    await followed.hands.idle()
    followed.hands.opened(seen, people[0].id, clicked)
    await followed.hands.idle()
    assert clicked.revisions == [seen.revision]


async def test_what_happened_while_the_answer_was_on_its_way_is_drawn_at_once(followed: Followed, people: People):
    seen, snapshot = await now(followed), Shown()
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    followed.hands.opened(seen, people[0].id, snapshot)
    await followed.hands.idle()
    assert snapshot.revisions == [await revision(followed)]


async def test_f52_while_another_process_may_have_the_shards_no_open_hand_is_drawn(followed: Followed, people: People):
    seen, shown, asked = await now(followed), Shown(), list[int]()

    def is_serving():
        asked.append(len(shown.revisions))
        return len(asked) == 3

    followed.house.tables.is_serving = is_serving
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    followed.hands.opened(seen, people[0].id, shown)
    await followed.hands.idle()
    assert (asked, shown.revisions) == ([0, 0, 0], [await revision(followed)])


async def test_a_hand_that_is_clicked_while_it_is_drawn_is_drawn_again_after_both(followed: Followed, people: People):
    old, new = Shown(), Shown()
    old.go_on.clear()
    followed.hands.opened(await now(followed), people[0].id, old)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await old.begun.wait()
    followed.hands.opened(await now(followed), people[0].id, new)
    old.go_on.set()
    await followed.hands.idle()
    assert new.revisions == [await revision(followed)]


async def test_a_hand_that_is_clicked_twice_while_it_is_drawn_is_drawn_again_after_all(
    followed: Followed, people: People
):
    shown = Shown()
    shown.go_on.clear()
    followed.hands.opened((await now(followed)).but(revision=0), people[0].id, shown)
    await shown.begun.wait()
    await followed.ready(people[0], number=4)
    newest = await now(followed)
    followed.hands.opened(newest, people[0].id, shown)
    shown.drawn.clear()
    shown.go_on.set()
    await shown.drawn.wait()  # perhaps after the answer to the second click, of which the bot hears only now
    followed.hands.opened(newest, people[0].id, shown)
    await followed.hands.idle()
    assert shown.revisions == [newest.revision - 1, newest.revision]


async def test_at_the_end_what_is_old_is_drawn_and_nobody_holds_it_up_by_opening_a_hand(
    followed: Followed, people: People
):
    seen, old, new = await now(followed), Shown(), Shown()
    await followed.ready(people[1], 10)
    followed.hands.opened(await now(followed), people[0].id, old)
    old.go_on.clear()
    await followed.ready(people[0], 11)
    await old.begun.wait()
    ending = asyncio.create_task(followed.hands.finish())
    await asyncio.sleep(0)
    followed.hands.opened(seen, people[1].id, new)
    old.go_on.set()
    await ending
    assert old.revisions == [await revision(followed)]
    assert not new.revisions


async def test_a_hand_is_let_go_when_it_cannot_be_reached(followed: Followed, people: People):
    snapshot = Shown()
    snapshot.reachable = False
    followed.hands.opened(await now(followed), people[0].id, snapshot)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await followed.hands.idle()
    assert len(followed.hands._open) == 0


async def drawn(_: HandSnapshot):
    return None


async def time_up(followed: Followed):
    """All hands are to show that the time is up."""
    followed.house.time.pass_by(minutes=5)
    await followed.house.tables.timekeeping.time_up(followed.table)


async def test_no_hand_waits_for_one_that_discord_does_not_answer(followed: Followed, people: People):
    slow, quick = Shown(), Shown()
    slow.go_on.clear()
    for person, shown in zip(people, (slow, quick), strict=False):
        followed.hands.opened(await now(followed), person.id, shown)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await slow.begun.wait()
    async with asyncio.timeout(HANG):
        await quick.drawn.wait()
        quick.drawn.clear()
        await time_up(followed)
        await quick.drawn.wait()
    assert not slow.revisions
    slow.go_on.set()
    await followed.hands.idle()
    assert len(slow.revisions) == 2


async def test_a_hand_that_discord_does_not_answer_in_time_is_given_up_and_its_request_ended(
    followed: Followed, people: People, monkeypatch
):
    silent, table = Silent(), await now(followed)
    message = module.HandMessage(silent, people[0].id, table, drawn, made_by=0)
    followed.hands.opened(table, people[0].id, message)
    monkeypatch.setattr(module, "HAND_PATIENCE", 0.01)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await followed.hands.idle()
    assert not followed.hands.follows(followed.table, people[0].id)
    await message.delete()
    assert silent.ended == ["cancelled"] * 2


async def test_a_hand_that_cannot_be_reached_is_let_go_also_if_the_time_was_up_meanwhile(
    followed: Followed, people: People
):
    shown = Shown()
    shown.reachable = False
    shown.go_on.clear()
    followed.hands.opened(await now(followed), people[0].id, shown)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await shown.begun.wait()
    await time_up(followed)
    shown.go_on.set()
    await followed.hands.idle()
    assert (len(shown.revisions), len(followed.hands._open)) == (1, 0)


async def test_a_hand_that_is_let_go_while_it_is_drawn_stays_so_and_does_not_stop_the_others(
    followed: Followed, people: People
):
    (ann, bob, *_), old, new = people, Shown(), Shown()
    old.go_on.clear()
    followed.hands.opened(await now(followed), ann.id, old)
    await followed.ready(ann, 10)
    async with asyncio.timeout(HANG):
        await old.begun.wait()
    followed.second = FORGOTTEN
    followed.hands.opened(await now(followed), bob.id, new)
    old.go_on.set()
    async with asyncio.timeout(HANG):
        await followed.hands.idle()
    assert not followed.hands.follows(followed.table, ann.id)
    await followed.ready(bob, 11)
    await followed.hands.idle()
    assert (len(old.revisions), new.revisions) == (1, [await revision(followed)])


async def test_a_hand_is_let_go_when_discord_takes_no_more_edits(followed: Followed, people: People):
    snapshot = Shown()
    followed.hands.opened(await now(followed), people[0].id, snapshot)
    followed.second = FORGOTTEN
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await followed.hands.idle()
    assert not snapshot.revisions
    assert len(followed.hands._open) == len(followed.hands._people) == 0


async def test_a_hand_that_is_clicked_again_and_again_keeps_no_older_ones(followed: Followed, people: People):
    table = await now(followed)
    for person, second in ((people[0], 0), (people[1], 0), (people[0], FORGOTTEN - 1), (people[2], FORGOTTEN)):
        followed.second = second
        followed.hands.opened(table, person.id, Shown())
    assert [user_id for _, user_id in followed.hands._open] == [people[0].id, people[2].id]


async def test_hands_of_tables_where_nothing_happens_any_more_are_let_go_too(followed: Followed, people: People):
    shown, table = Shown(), await now(followed)
    followed.hands.opened(table, people[0].id, shown)
    followed.second = FORGOTTEN
    followed.hands.opened(table.model_copy(update={"id": table.id + 1}), people[1].id, shown)
    assert len(followed.hands._open) == 1
    assert not followed.hands.follows(followed.table, people[0].id)


async def test_one_hand_that_cannot_be_drawn_does_not_stop_the_others_and_the_log_says_where_it_failed(
    followed: Followed, people: People
):
    snapshot = Shown()

    followed.hands.opened(await now(followed), people[1].id, Broken())
    followed.hands.opened(await now(followed), people[0].id, snapshot)
    with capture_logs() as logs:
        for number, person in enumerate(people[:2], 10):
            await followed.ready(person, number)
        await followed.hands.idle()
    assert snapshot.revisions[-1] == await revision(followed)
    assert [(each["event"], each.get("exc_info")) for each in logs] == [("a hand could not be drawn", True)]


async def test_one_whose_seat_is_gone_and_that_cannot_be_drawn_does_not_stop_the_others(
    followed: Followed, people: People
):
    shown, left = Shown(), people[2]

    followed.hands.opened(await now(followed), left.id, Broken())
    followed.hands.opened(await now(followed), people[0].id, shown)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await followed.hands.idle()
    assert shown.revisions[-1] == await revision(followed)
    assert not followed.hands.follows(followed.table, left.id)


async def test_no_more_hands_are_followed_than_fit_and_the_oldest_goes_first(
    followed: Followed, people: People, monkeypatch
):
    monkeypatch.setattr(module, "MOST_HANDS", 1)
    first, second = Shown(), Shown()
    followed.hands.opened(await now(followed), people[0].id, first)
    followed.hands.opened(await now(followed), people[1].id, second)
    for number, person in enumerate(people[:2], 10):
        await followed.ready(person, number)
    await followed.hands.idle()
    assert not first.revisions
    assert second.revisions[-1] == await revision(followed)


async def test_a_hand_that_is_opened_again_gives_back_the_message_before(followed: Followed, people: People):
    old, new, unknown = Shown(), Shown(2), Shown()
    where = (await now(followed), people[0].id)
    assert followed.hands.opened(*where, old) is None
    assert followed.hands.opened(*where, new) is old
    assert followed.hands.opened(*where, new) is None, "the same message"
    assert followed.hands.opened(*where, unknown) is None, "it may be the same"
    followed.second = FORGOTTEN
    assert followed.hands.opened(*where, Shown(3)) is None, "nothing reaches it any more"


async def test_a_click_on_a_hand_that_was_replaced_brings_it_back_no_more_even_if_new_ones_were_clicked(
    followed: Followed, people: People
):
    where = (await now(followed), people[0].id)
    first, second, late = Shown(1), Shown(2), Shown(1)
    followed.hands.opened(*where, first)
    assert followed.hands.opened(*where, second) is first
    assert followed.hands.opened(*where, Shown(2)) is None, "a click on the new one"
    assert followed.hands.opened(*where, late) is late
    assert followed.hands.opened(*where, Shown(3)).made_by == 2
    assert followed.hands.opened(*where, late) is late


async def test_of_a_hand_that_is_opened_again_and_again_only_the_last_messages_are_remembered(
    followed: Followed, people: People
):
    where = (await now(followed), people[0].id)
    for number in range(1, 500):
        followed.hands.opened(*where, Shown(number))
    shown = Shown(500)
    followed.hands.opened(*where, shown)
    assert len(shown.gone) <= 100
    late = Shown(499)
    assert followed.hands.opened(*where, late) is late, "a click on the one before comes too late"
