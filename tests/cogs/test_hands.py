"""An open private hand follows the game by itself, as long as Discord lets it be edited."""

import asyncio
from itertools import count

import pytest
import simcord
from simcord import MemberActor

from cogs.responder import Responder
from cogs.screens.components import walk
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import parse_cards
from game.moves import Interrupt
from game.players import quick_player
from testkit.channel import Room, ids_on, matches, together
from testkit.faults import fail, in_play, on_turn, pass_by, requests, revisions, snapshot, the_id, view_of
from testkit.found import not_none
from testkit.made import texts
from testkit.offline import request_at
from testkit.shortcuts import play_on

SEEDS_WITH_A_CALL = (3, 8, 13)
ORIGINAL = ("PATCH", "/webhooks/*/*/messages/@original")


async def play(room: Room):
    """Let the person on turn play; return the other one, whose hand was already open."""
    person, hand, move = await on_turn(room)
    other = next(each for each in room.people[:2] if each is not person)
    await room.hand(other)
    await person.click(hand, custom_id=move)
    await room.house.hands.idle()
    await room.env.settle()
    return other


async def test_a_waiting_player_sees_without_a_click_that_it_is_their_turn(followed: Room):
    await in_play(followed)
    other = await play(followed)
    while (await followed.tables.snapshot(followed.table_id)).view.turn != followed.people.index(other):
        other = await play(followed)
    said = texts(followed.hands[other].components)
    assert said.startswith("## Your turn")
    assert any(matches(each, "play") or matches(each, "pickup") for each in ids_on(followed.hands[other]))


async def test_a_hand_that_was_updated_can_be_played_from(followed: Room):
    await in_play(followed)
    for _ in range(3):
        other = await play(followed)
        while (await followed.tables.snapshot(followed.table_id)).view.turn != followed.people.index(other):
            other = await play(followed)
        hand, before = followed.hands[other], (await followed.tables.snapshot(followed.table_id)).moves
        await other.click(hand, custom_id=the_id(hand, "play", "pickup"))
        assert (await followed.tables.snapshot(followed.table_id)).moves == before + 1


async def test_refresh_says_where_there_is_nothing_new_to_see(room: Room):
    await in_play(room)
    person, hand, move = await on_turn(room)
    other = next(each for each in room.people[:2] if each is not person)
    mine, current = await room.hand(other), "-# This hand is up to date.\n"
    for _ in range(2):
        await room.press(other, mine, "refresh")
        assert texts(mine.components).startswith(current)
    mine = (await room.press(other, room.public(), "hand")).response
    assert current not in texts(mine.components), "nobody asked"
    await person.click(hand, custom_id=move)
    await room.press(other, mine, "refresh")
    assert current not in texts(mine.components)


async def test_a_card_chosen_for_the_exchange_stays_chosen_while_others_get_ready(followed: Room):
    await followed.start(seats=2)
    ann, bob = followed.people[:2]
    mine, theirs = await followed.hand(ann), await followed.hand(bob)
    await followed.press(ann, mine, "pick")
    assert "chosen" in texts(mine.components)
    await followed.press(bob, theirs, "ready")
    await followed.house.hands.idle()
    assert "chosen" in texts(mine.components)


@pytest.mark.parametrize(("status", "code"), [(401, 50027), (404, 10008), (404, 10015)])
async def test_f06_f07_a_hand_that_can_no_longer_be_edited_is_given_up(followed: Room, status, code):
    await in_play(followed)
    await followed.house.hands.idle()
    fail(followed, ORIGINAL, status, code, times=99)
    before = len(requests(followed, "PATCH", "/messages/@original"))
    person, hand, move = await on_turn(followed)
    await person.click(hand, custom_id=move)
    await followed.house.hands.idle()
    tried = [each.path for each in requests(followed, "PATCH", "/messages/@original")[before:]]
    assert tried
    assert len(tried) == len(set(tried))
    turn = not_none((await followed.tables.snapshot(followed.table_id)).view.turn)
    await followed.tables.lobby.leave(request_at(await followed.table(), followed.people[turn].id, id=77))
    await followed.idle()
    await followed.house.hands.idle()
    asked = [each.path for each in requests(followed, "PATCH", "/messages/@original")[before:]]
    assert len(asked) == len(set(asked))


async def as_now(room: Room, person: MemberActor):
    """The text of a person's hand, rendered now."""
    hand = await room.tables.play.hand(request_at(await room.table(), person.id, id=0))
    return texts(hand_screen(formatter(), hand))


@pytest.mark.parametrize("unfurnished", SEEDS_WITH_A_CALL, indirect=True)
async def test_the_call_reaches_every_open_hand(followed: Room):
    await followed.start(seats=3)
    people = followed.people[:3]
    for person in people:
        await followed.press(person, await followed.hand(person), "ready")
        await followed.house.hands.idle()
        await followed.env.settle()
    view = (await followed.tables.snapshot(followed.table_id)).view
    assert view.phase == "call"
    for person in people:
        assert texts(followed.hands[person].components) == await as_now(followed, person)
    callers = [each for each in people if any(matches(id_, "call") for id_ in ids_on(followed.hands[each]))]
    assert callers
    await followed.press(callers[0], followed.hands[callers[0]], "call")
    await followed.house.hands.idle()
    await followed.env.settle()
    for person in people:
        assert texts(followed.hands[person].components) == await as_now(followed, person)


async def test_players_who_are_ready_see_how_many_are(followed: Room):
    await followed.start(seats=3)
    ann, bob, _ = followed.people[:3]
    await followed.press(ann, await followed.hand(ann), "ready")
    await followed.press(bob, await followed.hand(bob), "ready")
    await followed.house.hands.idle()
    assert texts(followed.hands[ann].components) == await as_now(followed, ann)


async def test_play_for_shows_a_late_player_their_hand_and_moves_only_if_others_press_it(room: Room):
    await in_play(room)
    late, _, _ = await on_turn(room)
    other = next(each for each in room.people[:2] if each is not late)
    before = await snapshot(room)
    await pass_by(room, minutes=3)
    reminder = room.public()
    assert "Time is up" in texts(reminder.components)
    own = await room.press(late, reminder, "playfor")
    assert texts(own.response.components) == await as_now(room, late)
    assert "ime is up, but you can still play" in texts(own.response.components)
    assert (await snapshot(room)).moves == before.moves
    await room.press(other, reminder, "playfor")
    assert (await snapshot(room)).moves == before.moves + 1


async def test_a_page_opened_before_somebodys_time_was_up_can_play_for_them_afterwards(room: Room):
    await in_play(room)
    late, _, _ = await on_turn(room)
    other = next(each for each in room.people[:2] if each is not late)
    before = await snapshot(room)
    page, soon = [(await room.press(other, room.public(), "more")).response for _ in range(2)]
    await room.press(other, soon, "playfor")
    called = before.table.players[not_none(before.table.seat_of(late.id))].name
    said = texts(soon.components) + texts(room.notes(other)[-1].components)
    assert f"**{called} can still play:** due <t:" in said
    await pass_by(room, minutes=3)
    await room.press(other, page, "playfor")
    assert (await snapshot(room)).moves == before.moves + 1


async def test_a_page_that_becomes_the_hand_replaces_an_open_hand(followed: Room):
    await in_play(followed)
    late, _, _ = await on_turn(followed)
    ann = next(each for each in followed.people[:2] if each is not late)
    old = await followed.hand(ann)
    await pass_by(followed, minutes=3, seconds=1)
    table = followed.env.backend.messages[followed.channel.id][(await followed.table()).message_id]
    page = (await followed.press(ann, simcord.ResponseMessage(followed.env, table), "more")).response
    await followed.press(ann, page, "playfor")
    await followed.house.hands.idle()
    await followed.env.settle()
    mine = [message.id for message in followed.channel.history(viewer=ann)]
    assert page.id in mine
    assert old.id not in mine
    assert texts(page.components) == await as_now(followed, ann)
    await followed.press(ann, page, "known")
    assert page.id in [message.id for message in followed.channel.history(viewer=ann)]


async def test_my_hand_and_a_button_of_the_old_hand_pressed_at_once_leave_one_hand(followed: Room, monkeypatch):
    await in_play(followed)
    person, old, move = await on_turn(followed)
    public, delete, respond, answered = followed.public(), Responder.delete, Responder.respond, asyncio.Event()

    async def deleted_late(self):
        await answered.wait()
        await delete(self)

    async def responded(self, *args):
        await respond(self, *args)
        if self.is_replaceable:  # the answer to the move, in the old hand
            answered.set()

    monkeypatch.setattr(Responder, "delete", deleted_late)
    monkeypatch.setattr(Responder, "respond", responded)
    opened, _ = await together(
        followed.env, person.click(public, custom_id=the_id(public, "hand")), person.click(old, custom_id=move)
    )
    await followed.house.hands.idle()
    await followed.env.settle()
    mine = {message.id for message in followed.channel.history(viewer=person)}
    assert mine == {public.id, opened.response.id}
    assert texts(opened.response.components) == await as_now(followed, person)


async def test_a_click_on_a_hand_that_goes_away_because_another_one_is_clicked_is_answered_all_the_same(
    followed: Room, monkeypatch
):
    await in_play(followed)
    person, old, move = await on_turn(followed)
    followed.house.hands._close((followed.table_id, person.id))  # as after a restart: it is not removed
    other = (await followed.press(person, followed.public(), "hand")).response
    move_of_other = the_id(other, "play", "pickup")
    newer = int(followed.env.backend.messages[followed.channel.id][other.id].interaction_metadata["id"])
    delete, respond, deleted = Responder.delete, Responder.respond, asyncio.Event()

    async def noted(self):
        await delete(self)
        deleted.set()

    async def responded(self, *args):
        if self.made_by == newer:
            await deleted.wait()
        await respond(self, *args)

    monkeypatch.setattr(Responder, "delete", noted)
    monkeypatch.setattr(Responder, "respond", responded)
    moved, late = await together(
        followed.env, person.click(old, custom_id=move), person.click(other, custom_id=move_of_other)
    )
    assert (moved.acknowledged, late.acknowledged) == (True, True)
    await followed.house.hands.idle()
    await followed.env.settle()
    (hand,) = followed.notes(person)
    assert hand.id == late.response.id
    assert hand.id not in {old.id, other.id}
    assert "That hand was out of date. Here is the current one." in texts(hand.components)
    assert revisions(hand) == {(await followed.table()).revision}


async def test_a_stopped_game_leaves_no_hand_to_play_from(followed: Room):
    await in_play(followed)
    hands = [await followed.hand(person) for person in followed.people[:2]]
    asked = (await followed.people[0].slash(followed.channel, "shithead stop")).response
    await followed.press(followed.people[0], asked, "stop")
    await followed.house.hands.idle()
    await followed.env.settle()
    for hand in hands:
        assert "stopped the game" in texts(hand.components)
        assert not ids_on(hand)


async def test_a_refusal_goes_away_with_the_next_click_of_the_person_it_is_for(followed: Room):
    room = followed
    await room.open(seats=2)
    ann, bob = room.people[:2]
    lobby = room.public()
    await room.press(bob, lobby, "start")
    assert "Only Ann, the host of the table" in texts(room.notes(bob)[-1].components)
    before = len(room.notes(bob))
    await room.press(ann, lobby, "rules")
    assert len(room.notes(bob)) == before, "a click of somebody else changes nothing"
    await room.press(bob, lobby, "start")
    assert len(room.notes(bob)) == before, "one refusal in place of another"
    await room.press(bob, lobby, "rules")
    said = [texts(each.components) for each in room.notes(bob)]
    assert said, "the rules"
    assert not [each for each in said if "Only Ann" in each]


async def test_a_refused_command_goes_away_with_the_next_command_or_click_of_the_same_person(followed: Room):
    room = followed
    await room.start(seats=2)
    ann, cy = room.people[0], room.people[2]
    refused = None
    for _ in range(2):
        refused = not_none((await cy.slash(room.channel, "shithead hand")).response)
        assert "You do not sit at this table." in texts(refused.components)
        assert [each.id for each in room.notes(cy)] == [refused.id], "one refusal in place of another"
    await ann.slash(room.channel, "shithead hand")
    assert [each.id for each in room.notes(cy)] == [refused.id], "a command of somebody else changes nothing"
    refused = (await room.press(cy, room.public(), "hand")).response
    assert [each.id for each in room.notes(cy)] == [refused.id], "a click replaces what a command was told"
    helped = (await cy.slash(room.channel, "shithead help")).response
    assert [each.id for each in room.notes(cy)] == [helped.id]


async def test_a_refusal_that_discord_no_longer_deletes_is_left_alone(followed: Room):
    room = followed
    await room.open(seats=2)
    bob, lobby = room.people[1], room.public()
    await room.press(bob, lobby, "start")
    await room.env.advance_time(14 * 60 + 1)
    await room.press(bob, lobby, "start")
    deleted = [each for each in room.env.http_requests if each.method == "DELETE"]
    assert not [each for each in deleted if "/messages/@original" in each.path]


async def may_interrupt(room: Room):
    """Play on until somebody could complete four of a kind out of turn; their seat and the move."""
    tables, clicks = room.tables, count(10)
    for _ in range(500):
        snapshot = await tables.snapshot(room.table_id)
        requests = [request_at(snapshot.table, each.id, id=next(clicks)) for each in room.people[:4]]
        views = [(await tables.play.hand(each)).view for each in requests]
        for seat, view in enumerate(views):
            if interruption := next((move for move in view.moves if isinstance(move, Interrupt)), None):
                return seat, interruption
        seat = next(seat for seat, view in enumerate(views) if view.moves)
        await tables.play.act(requests[seat], quick_player.choose(views[seat], room.chance))
    raise AssertionError("nobody could ever interrupt")


async def test_the_public_button_interrupts_for_whoever_can_and_tells_the_others_why_not(room: Room):
    await room.open(seats=4)
    table, ann = await room.table(), room.people[0]
    rules = table.rules.changed_with({"play": {"interrupt": True}, "deal": {"packs": 2}})
    await room.tables.lobby.change(request_at(table, ann.id, id=7), rules=rules)
    await room.press(ann, room.public(), "start")
    seat, interruption = await may_interrupt(room)
    await room.idle()
    before = await view_of(room)
    other = next(each for nth, each in enumerate(room.people[:4]) if nth not in {seat, before.turn})
    for each in (other, room.people[not_none(before.turn)]):
        told = await room.press(each, room.public(), "cutin")
        assert texts(told.response.components).startswith("**You cannot interrupt now:** only on another’s turn")
    assert await view_of(room) == before
    hand = await room.press(room.people[seat], room.public(), "cutin")
    after = await view_of(room)
    assert hand.response.ephemeral
    assert after.burned == before.burned + len(before.pile) + len(interruption.cards), "four of a kind burn the pile"


async def test_a_play_chosen_from_the_lists_of_a_big_hand_is_made(room: Room):
    await room.start(seats=2, variant="pub")
    before = await play_on(
        room, lambda now: now.view.phase == "play" and now.view.seats[not_none(now.view.turn)].hand > 16
    )
    seat = not_none(before.view.turn)
    person, held = room.people[seat], before.view.seats[seat].hand
    hand = await room.hand(person)
    lists = [each for each in walk(hand.components) if matches(each.get("custom_id", "sh:x:1:1"), "select")]
    value = lists[0]["options"][0]["value"]
    assert not any(matches(each, "play", value) for each in ids_on(hand)), "it is on no button"
    await room.choose(person, hand, "select", value)
    after = await snapshot(room)
    assert (after.moves, after.view.seats[seat].hand) == (before.moves + 1, held - len(parse_cards(value)))
