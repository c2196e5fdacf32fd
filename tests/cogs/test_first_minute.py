"""From the lobby to the first card, and from game to game: few presses, few words, one private message."""

import asyncio
import re
from datetime import timedelta

import pytest
from simcord import ResponseMessage

from cogs.responder import Responder
from cogs.screens.components import walk
from cogs.screens.formatter import formatter
from cogs.screens.ids import format_id, message_url, parse_id
from cogs.screens.lobby_screens import lobby_screen, more_screen
from data.models import Player
from game.rules import Rules
from game.variants import variants
from tables.timing import LOBBY
from testkit.channel import BEFORE, Room, ids_on, matches, together
from testkit.found import not_none
from testkit.made import labels, made_table, texts
from testkit.offline import prefer
from testkit.shortcuts import builder_of, called, can, end, play_on, press, settled

PLAYS = ("play", "call", "flip")
NO_ID = format_id("none")
TIME = re.compile(r"<t:\d+:R>")
SEEN = re.compile(r"<[^>]*>|`[^`]*`|(?:10|[2-9AJKQ])[♣♦♥♠]")
WORD = re.compile(r"\S*\w\S*")


def words(message: ResponseMessage):
    """Count the words, numbers and times on a message and its buttons; cards and the seal do not count as read."""
    said = "\n".join([texts(message.components), *labels(message.components)])
    return len(WORD.findall(SEEN.sub("", TIME.sub("in 3 minutes", said))))


async def test_three_people_need_six_presses_to_the_first_card(followed: Room):
    room, presses = followed, 0
    three = room.people[:3]
    await three[0].slash(room.channel, "shithead start", seats=3)
    await settled(room)
    for friend in three[1:]:
        await press(room, friend, "join", room.public())
        presses += 1
    for person in three:
        assert len(room.notes(person)) == 1, "the answer to opening or joining is the hand now"
        await press(room, person, "ready")
        presses += 1
    first = next(person for person in three if can(room.notes(person)[-1], *PLAYS))
    id_ = next(each for each in ids_on(room.notes(first)[-1]) if parse_id(each).verb in PLAYS)
    await first.click(room.notes(first)[-1], custom_id=id_)
    presses += 1
    assert presses <= 6
    assert (await room.tables.snapshot(room.table_id)).moves > 3


async def test_alone_it_takes_three_presses_to_the_first_card(followed: Room):
    room, ann = followed, followed.people[0]
    await ann.slash(room.channel, "shithead start")
    await settled(room)
    lobby = room.public()
    assert "Play against the computer" in labels(lobby.components)
    await press(room, ann, "alone", lobby)
    assert "Swap before play" in texts(room.notes(ann)[-1].components), "as in practice and in a rematch"
    await press(room, ann, "ready")
    for _ in range(20):
        if can(room.notes(ann)[-1], *PLAYS):
            break
        await settled(room)
    hand = room.notes(ann)[-1]
    assert can(hand, *PLAYS), texts(hand.components)
    id_ = next(each for each in ids_on(hand) if parse_id(each).verb in PLAYS)
    await ann.click(hand, custom_id=id_)
    await settled(room)
    assert len(room.notes(ann)) == 1
    table = await room.table()
    assert [player.is_computer for player in table.players] == [False, True]


async def test_a_player_who_joins_reads_few_words_before_the_first_card(followed: Room):
    room, bob = followed, followed.people[1]
    await room.open(seats=2)
    lobby, note = room.public(), room.notes(bob)[-1]
    read = {"lobby": words(lobby), "joined": words(note)}
    await press(room, room.people[0], "start", lobby)
    read["exchange"] = words(room.notes(bob)[-1])
    for person in room.people[:2]:
        await press(room, person, "ready")
    on_turn = next(each for each in room.people[:2] if can(room.notes(each)[-1], *PLAYS))
    read["hand"] = words(room.notes(on_turn)[-1])
    assert sum(read.values()) <= 85, read


async def test_a_newcomer_opens_the_tutorial_from_the_lobby_in_private(room: Room):
    lobby = await room.open(seats=2)
    before = texts(lobby.components)
    page = (await room.press(room.people[2], lobby, "tutorial")).response
    assert page.ephemeral
    assert "Step 1 of 10" in texts(page.components)
    assert texts(lobby.components) == before


async def test_the_lobby_names_only_an_unusual_pace_and_more_names_any(room: Room):
    await room.open(seats=2)
    more = (await room.press(room.people[0], room.public(), "more")).response
    assert "a turn" not in texts(room.public().components)
    assert "3 minutes a turn" in texts(more.components)
    assert f"closes after {LOBBY // timedelta(minutes=1)} minutes without a change" in texts(more.components)
    assert "<t:" not in texts(more.components), "this page is not redrawn when a change extends the time"
    await room.choose(room.people[0], more, "pace", "quick")
    assert "45 seconds a turn" in texts(room.public().components)


async def test_each_time_per_turn_is_offered_once_and_those_of_the_three_paces_are_named(room: Room):
    await room.open(seats=2)
    more = (await room.press(room.people[0], room.public(), "more")).response
    (offered,) = [each["options"] for each in walk(more.components) if matches(each.get("custom_id", NO_ID), "pace")]
    assert [(each["label"], each.get("description", "")) for each in offered] == [
        ("45 seconds a turn", "Quick"),
        ("90 seconds a turn", ""),
        ("3 minutes a turn", "Normal"),
        ("6 minutes a turn", ""),
        ("12 minutes a turn", ""),
        ("24 hours a turn", "Slow"),
        ("2 days a turn", ""),
        ("4 days a turn", ""),
    ]
    for each in offered:
        await room.choose(room.people[0], more, "pace", each["value"])
        assert (each["label"] in texts(room.public().components)) is (each["value"] != "normal")  # which goes unsaid
    # A combination that only another version offers still works, and is named by its time.
    table = (await room.table()).but(pace="quick", stretch=4)
    assert "3 minutes a turn" in texts(lobby_screen(formatter(), table))
    (now,) = [
        each["label"]
        for part in walk(more_screen(formatter(), table, table.host_id, ()))
        if "options" in part
        for each in part["options"]
        if each.get("default") and "a turn" in each["label"]
    ]
    assert now == "3 minutes a turn"


async def test_known_cards_are_offered_once_there_may_be_any(followed: Room):
    room = followed
    await room.open(seats=2)
    await press(room, room.people[0], "start", room.public())
    for person in room.people[:2]:
        await press(room, person, "ready")
    first = next(each for each in room.people[:2] if can(room.notes(each)[-1], *PLAYS))
    assert "Known cards" not in labels(room.notes(first)[-1].components)
    await press(room, first, "play")
    assert "Known cards" in labels(room.notes(first)[-1].components)


async def test_with_a_second_person_in_the_lobby_nobody_can_play_alone(room: Room):
    lobby = await room.open(seats=2)
    assert "Play against the computer" not in labels(lobby.components)


async def test_opening_a_hand_again_leaves_only_one(followed: Room):
    room, ann = followed, followed.people[0]
    await room.open(seats=2)
    await press(room, ann, "start", room.public())
    await press(room, ann, "hand", room.public())
    await ann.slash(room.channel, "shithead hand")
    assert len(room.notes(ann)) == 1
    await press(room, ann, "ready")
    assert len(room.notes(ann)) == 1, "a click on the hand itself leaves it where it is"


async def test_the_answer_to_join_turns_into_the_first_cards(followed: Room):
    room, (ann, bob) = followed, followed.people[:2]
    await room.open(seats=2)
    (waiting,) = room.notes(bob)
    await press(room, ann, "start", room.public())
    (hand,) = room.notes(bob)
    assert hand.id == waiting.id
    assert can(hand, "ready")


async def open_and_lower(room: Room):
    """Open a lobby of two and post it anew, below the private messages that will become their hands."""
    await room.open(seats=2)
    await room.env.advance_time(30)
    await room.people[2].slash(room.channel, "shithead table")
    await settled(room)


async def brought_down(room: Room):
    """Deal to such a lobby; return the hand of the second player, whose message was above the table."""
    await open_and_lower(room)
    await press(room, room.people[0], "start", room.public())
    (hand,) = room.notes(room.people[1])
    return hand


async def test_the_first_cards_come_below_a_table_that_was_moved_down(followed: Room):
    room, bob = followed, followed.people[1]
    hand = await brought_down(room)
    assert hand.id > room.public().id
    assert can(hand, "ready")
    await press(room, bob, "ready")
    assert [each.id for each in room.notes(bob)] == [hand.id], "a click on it leaves it where it is"


async def test_the_first_cards_follow_the_game_before_they_are_clicked(followed: Room):
    room, (ann, bob) = followed, followed.people[:2]
    hand = await brought_down(room)
    await room.confirm(ann, "stop")
    await settled(room)
    (stopped,) = room.notes(bob)
    assert (stopped.id, texts(stopped.components)) == (
        hand.id,
        "### Ann stopped the game\nNobody owes anything for this game.",
    )


@pytest.mark.parametrize("request_", ["add", "_remove"])
async def test_opening_a_hand_while_the_first_cards_move_down_leaves_only_one(followed: Room, monkeypatch, request_):
    room, (ann, bob) = followed, followed.people[:2]
    await open_and_lower(room)
    begun, go_on, do = asyncio.Event(), asyncio.Event(), getattr(Responder, request_)
    (waiting,) = (room.env.backend.messages[room.channel.id][each.id] for each in room.notes(bob))

    async def slow(responder, *given):
        if responder.id == int(waiting.interaction_metadata["id"]) and not begun.is_set():
            begun.set()
            await go_on.wait()
        return await do(responder, *given)

    monkeypatch.setattr(Responder, request_, slow)
    await room.press(ann, room.public(), "start")
    await begun.wait()
    pressing = asyncio.ensure_future(room.press(bob, room.public(), "hand"))
    for _ in range(100):
        await asyncio.sleep(0)
    go_on.set()
    await pressing
    await settled(room)
    (only,) = room.notes(bob)
    assert can(only, "ready")


async def test_the_rules_of_a_running_game_lead_to_ones_hand(followed: Room):
    room, (ann, bob, cy) = followed, followed.people[:3]
    await room.open(seats=2)
    await press(room, ann, "start", room.public())
    await press(room, cy, "rules", room.public())
    assert not can(room.notes(cy)[-1], "hand")
    await press(room, bob, "rules", room.public())
    await press(room, bob, "hand")
    (only,) = room.notes(bob)
    assert can(only, "ready")


async def test_pages_opened_by_more_become_the_hand_after_the_deal(followed: Room):
    room, (ann, bob, cy) = followed, followed.people[:3]
    await room.open(seats=2)
    for person in (ann, bob, cy):
        await press(room, person, "more", room.public())
    await press(room, ann, "house")
    assert "House rules" in texts(room.notes(ann)[-1].components)
    await press(room, ann, "start", room.public())
    for person in (ann, bob):
        (only,) = room.notes(person)
        assert can(only, "ready")
        assert not can(only, "leave", "house", "variant")
    assert "Press **Join**" in texts(room.notes(cy)[-1].components), "only players get a hand"


async def test_the_question_whether_to_reset_the_rules_becomes_the_hand_even_if_the_bot_was_restarted(room: Room):
    ann = room.people[0]
    await room.open(seats=2)
    page = await builder_of(room, ann)
    for rank in ("7", "8"):
        await room.press(ann, page, "chip", f"{rank}=on")
    await room.restart()
    await room.press(ann, page, "unhousing")
    assert can(page, "unhouse")
    following = asyncio.create_task(room.house.hands.run())
    await press(room, ann, "start", room.public())
    following.cancel()
    (only,) = room.notes(ann)
    assert can(only, "ready")
    assert not can(only, "unhouse")


async def test_whoever_asks_for_their_hand_in_the_lobby_gets_it_there_once_the_cards_are_dealt(followed: Room):
    room, (ann, bob) = followed, followed.people[:2]
    await room.open(seats=2)
    told = (await bob.slash(room.channel, "shithead hand")).response
    assert texts(told.components) == "### You are in\nYour cards appear here when **Ann** starts."
    await press(room, ann, "start", room.public())
    (only,) = room.notes(bob)
    assert can(only, "ready")


async def test_where_the_last_to_join_has_the_cards_dealt_nobody_reads_that_they_wait_for_the_host(followed: Room):
    room, (ann, bob, cy) = followed, followed.people[:3]
    await ann.slash(room.channel, "shithead start", seats=3)
    await settled(room)
    await press(room, bob, "join", room.public())
    (note,) = room.notes(bob)
    assert texts(note.components) == "### You are in\nYour cards appear here as soon as they are dealt."
    await press(room, cy, "join", room.public())
    assert can(note, "ready")


async def test_where_the_host_leaves_no_seat_free_the_others_read_that_they_wait_for_the_host(room: Room):
    ann, bob = room.people[:2]
    await room.open(seats=2)
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "seats", "2")
    assert "2 of 2 seats" in texts(room.public().components)
    told = (await bob.slash(room.channel, "shithead hand")).response
    assert texts(told.components) == "### You are in\nYour cards appear here when **Ann** starts."


async def test_open_rules_become_the_hand_after_the_deal(followed: Room):
    room, (ann, bob, cy) = followed, followed.people[:3]
    await room.open(seats=2)
    await press(room, bob, "rules", room.public())
    await cy.slash(room.channel, "shithead rules")
    await press(room, ann, "start", room.public())
    (only,) = room.notes(bob)
    assert can(only, "ready"), "the hand replaces the rules"
    assert "Special cards" in texts(room.notes(cy)[-1].components), "for others the rules stay open"
    await press(room, ann, "rules", room.public())
    await press(room, ann, "ready", room.notes(ann)[0])
    assert "Special cards" in texts(room.notes(ann)[-1].components), "rules opened after the deal stay open"


async def test_reading_the_rules_does_not_close_the_hosts_page_of_options(followed: Room):
    room, ann = followed, followed.people[0]
    await room.open(seats=2)
    await press(room, ann, "more", room.public())
    page = room.notes(ann)[-1]
    await press(room, ann, "rules", room.public())
    assert page.id in [each.id for each in room.notes(ann)]
    await press(room, ann, "house", page)
    await press(room, ann, "start", room.public())
    assert can(room.notes(ann)[-1], "ready"), "the hand is below the rules"


async def test_after_leaving_the_lobby_the_page_has_no_buttons(followed: Room):
    room, bob = followed, followed.people[1]
    await room.open(seats=2)
    await press(room, bob, "more", room.public())
    await press(room, bob, "leave")
    await press(room, room.people[2], "join", room.public())
    assert not ids_on(room.notes(bob)[-1])


@pytest.mark.parametrize("host_closes", [True, False])
async def test_messages_waiting_for_a_deal_say_that_the_lobby_was_closed(followed: Room, host_closes):
    room, (ann, bob, cy) = followed, followed.people[:3]
    await room.open(seats=3)
    await room.env.advance_time(14 * 60)
    await press(room, bob, "join", room.public())
    await press(room, cy, "more", room.public())
    if host_closes:
        await room.confirm(ann, "stop")
    else:
        await room.env.advance_time(61)
    await settled(room)
    assert texts(room.public().components).startswith("# Closed")
    for person in (bob, cy):
        (note,) = room.notes(person)
        assert texts(note.components) == "**This table is gone.** Open a new one with `/shithead start`."
        assert not ids_on(note)


async def test_players_who_are_not_ready_are_named_and_can_be_reminded_once(followed: Room):
    room, (ann, bob, cy, *_) = followed, followed.people
    await room.open(seats=3)
    await press(room, ann, "start", room.public())
    assert "-# Press **My hand** · 0 of 3 ready\n" in texts(room.public().components)
    await press(room, ann, "ready")
    assert "1 of 3 ready · waiting for Bob and Cy" in texts(room.public().components)
    assert "Remind them" in labels(room.notes(ann)[-1].components)
    table = room.public().id
    await press(room, ann, "poke")
    reminder = room.public()
    assert reminder.id != table
    assert texts(reminder.components).startswith(f"<@{bob.id}> and <@{cy.id}>, look at your cards")
    assert "Remind them" not in labels(room.notes(ann)[-1].components)
    for person in (bob, cy):
        await press(room, person, "ready")
    assert room.public().id == table, "the reminder is deleted when all are ready"


async def test_a_hand_that_offers_to_remind_others_who_were_reminded_meanwhile_makes_way_for_the_current_one(
    followed: Room,
):
    room, (ann, bob, *_) = followed, followed.people
    await room.open(seats=2)
    await press(room, ann, "start", room.public())
    await press(room, ann, "ready")
    await room.env.advance_time(61)
    await settled(room)
    assert texts(room.public().components).startswith(f"<@{bob.id}>, look at your cards"), "the clock has reminded"
    (hand,) = room.notes(ann)
    await press(room, ann, "poke")
    assert [note.id for note in room.notes(ann)] == [hand.id]
    said = texts(hand.components)
    assert said.startswith("-# All who want reminders get one.\n### Waiting for Bob")
    assert "Remind them" not in labels(hand.components)


async def test_a_double_tap_on_remind_them_reminds_once_and_says_so_twice(followed: Room):
    room, (ann, *_) = followed, followed.people
    await room.open(seats=2)
    await press(room, ann, "start", room.public())
    await press(room, ann, "ready")
    (hand,) = room.notes(ann)
    remind = next(each for each in ids_on(hand) if matches(each, "poke"))
    await together(room.env, ann.click(hand, custom_id=remind), ann.click(hand, custom_id=remind))
    await settled(room)
    assert texts(hand.components).startswith("-# All who want reminders get one.\n### Waiting for Bob")


async def test_a_player_who_is_not_ready_cannot_remind_others(room: Room):
    await room.open(seats=2)
    hand = (await room.press(room.people[0], room.public(), "start")).response
    assert "Remind them" not in labels(hand.components)


async def test_computers_are_not_reminded(room: Room):
    ann, lobby = room.people[0], await room.open(seats=1)
    # Without `press`, after which the computer would be ready.
    hand = (await ann.click(lobby, custom_id=next(id_ for id_ in ids_on(lobby) if matches(id_, "alone")))).response
    await ann.click(hand, custom_id=next(id_ for id_ in ids_on(hand) if matches(id_, "ready")))
    assert texts(hand.components).startswith("### Waiting for Clara")
    assert labels(hand.components) == ["Refresh"]


async def test_the_end_in_the_hand_says_what_is_owed_and_asks_for_another_game(followed: Room):
    room = followed
    over = await end(room)
    loser, winner = (
        next(each for each in room.people if each.id == over.table.players[not_none(seat)].user_id)
        for seat in (over.view.shithead, 1 - not_none(over.view.shithead))
    )
    lost, won = room.notes(loser)[-1], room.notes(winner)[-1]
    assert texts(lost.components).startswith("## You are the shithead")
    assert f"You owe **{called(room, winner)}** a cup of tea 🍵" in texts(lost.components)
    assert f"## You won: first out\n-# {called(room, loser)} is the shithead" in texts(won.components)
    assert f"**{called(room, loser)}** owes you a cup of tea 🍵" in texts(won.components)
    assert labels(won.components) == ["Rematch", "Replay"]
    assert labels(lost.components) == ["Rematch", "Replay", "My costliest moves"]
    await press(room, winner, "rematch", won)
    asked = room.notes(loser)[-1]
    assert f"**{called(room, winner)}** wants a rematch" in texts(asked.components)
    assert f"**{called(room, loser)}** · no answer yet" in texts(room.public().components)
    assert f"**{called(room, loser)}** lost the last game" in texts(room.public().components)
    await press(room, loser, "join", asked)
    assert (await room.table()).status == "playing"
    assert [len(room.notes(each)) for each in (loser, winner)] == [1, 1]
    assert all(can(room.notes(each)[-1], "ready") for each in (loser, winner))
    assert room.notes(winner)[-1].id > room.public().id, "the hand is below the table, which is newer than the button"


async def test_cards_of_a_rematch_that_came_below_the_table_stay_when_they_are_clicked(followed: Room):
    room = followed
    await end(room)
    ann, bob = room.people[:2]
    await press(room, ann, "rematch")
    await press(room, bob, "join")
    (hand,) = room.notes(ann)
    assert hand.id > room.public().id
    await press(room, ann, "ready")
    assert [each.id for each in room.notes(ann)] == [hand.id]


@pytest.mark.parametrize("has_clicked", [False, True])
async def test_whoever_deals_by_their_yes_has_one_hand_also_if_discord_is_slow_to_take_the_answer(
    followed: Room, monkeypatch, has_clicked
):
    room, (ann, bob) = followed, followed.people[:2]
    await room.open(seats=2)
    await press(room, ann, "start", room.public())
    if has_clicked:
        await press(room, bob, "ready")
    await play_on(room)
    await settled(room)
    await press(room, ann, "rematch")
    bring_down, respond, moved = Responder.bring_down, Responder.respond, asyncio.Event()

    async def brought_down(self, drawn):
        new = await bring_down(self, drawn)
        if room.env.backend.interactions[self.id].user_id == bob.id:
            moved.set()
        return new

    async def responded(self, *args):
        await respond(self, *args)
        await moved.wait()

    monkeypatch.setattr(Responder, "bring_down", brought_down)
    monkeypatch.setattr(Responder, "respond", responded)
    await press(room, bob, "join")
    (hand,) = room.notes(bob)
    assert hand.id > room.public().id
    await room.confirm(ann, "stop")
    await settled(room)
    assert texts(hand.components).startswith("### Ann stopped the game")


async def test_one_press_in_the_hand_shows_where_a_game_was_lost(followed: Room):
    room = followed
    over = await end(room)
    loser = next(each for each in room.people if each.id == over.table.players[not_none(over.view.shithead)].user_id)
    await press(room, loser, "review", room.notes(loser)[-1])
    assert texts(room.notes(loser)[-1].components).startswith("## Your costliest moves")


async def test_pressing_an_old_rematch_button_says_yes_to_the_rematch(followed: Room):
    room = followed
    await end(room, seats=3)
    ann, bob, cy = room.people[:3]
    old = room.public()
    await press(room, ann, "rematch", old)
    assert all(can(room.notes(each)[-1], "join") for each in (bob, cy))
    await press(room, bob, "rematch", old)
    assert [player.user_id for player in (await room.table()).seated] == [ann.id, bob.id]
    await press(room, cy, "join", room.public())
    assert (await room.table()).status == "playing"


async def test_a_rematch_button_of_an_earlier_game_is_out_of_date_and_links_to_the_table(followed: Room):
    room = followed
    await end(room, seats=2)
    ann, bob, stranger = room.people[:3]
    old = room.public()
    await press(room, ann, "rematch", old)
    await press(room, bob, "rematch", old)

    async def told(person):
        return texts((await room.press(person, old, "rematch")).response.components)

    where = f"[Go to the table]({message_url(await room.table())})"
    out_of_date = f"**This result is out of date:** another game has been dealt since. {where}"
    assert await told(stranger) == out_of_date
    assert "Swap before play" in await told(ann), "players see their hand"
    await play_on(room, lambda snapshot: snapshot.table.status != "playing")
    assert await told(bob) == out_of_date
    assert (await room.table()).status == "over"


async def without_cy(room: Room):
    """A rematch to which two of three have said yes; return the third."""
    await end(room, seats=3)
    ann, bob, cy = room.people[:3]
    await press(room, ann, "rematch", room.public())
    await press(room, bob, "join")
    return cy


async def test_a_player_who_misses_a_rematch_reads_that_and_not_that_they_were_removed(followed: Room):
    room = followed
    cy = await without_cy(room)
    await room.env.advance_time(61)
    await settled(room)
    assert (await room.table()).status == "playing"
    said = texts(room.notes(cy)[-1].components)
    assert "it goes on without you." in said
    assert "removed" not in said


async def test_a_rematch_that_nobody_joins_says_so_in_place_of_the_time(followed: Room):
    room = followed
    await end(room)
    ann, bob = room.people[:2]
    await press(room, ann, "rematch", room.public())
    asked = room.notes(bob)[-1]
    for message in (asked, room.public()):
        assert "ealt when all have answered; time to answer ends <t:" in texts(message.components)
        assert "at the latest" not in texts(message.components), "no cards are dealt to a single player"
    await room.env.advance_time(61)
    await settled(room)
    assert "1 of 6 seats · too few joined in time" in texts(room.public().components)
    assert "Start needs one more player" in texts(room.public().components)
    assert f"**{called(room, bob)}** · did not answer" in texts(room.public().components)
    assert "<t:" not in texts(room.notes(bob)[-1].components)
    await press(room, bob, "join")
    assert "in time" not in texts(room.public().components)


async def test_a_rematch_says_that_it_deals_itself_when_all_have_answered(followed: Room):
    room = followed
    cy = await without_cy(room)
    assert "ealt when all have answered, at the latest <t:" in texts(room.public().components)
    assert "ealt when all have answered; time to answer ends <t:" in texts(room.notes(cy)[-1].components)
    await press(room, cy, "join")
    assert (await room.table()).status == "playing"


async def test_the_host_of_a_rematch_that_only_a_computer_joined_reads_how_to_begin(followed: Room):
    room = followed
    await end(room)
    ann, bob = room.people[:2]
    await press(room, ann, "rematch", room.public())
    assert "If too few join in time, the table waits until you press **Start**." in texts(
        room.notes(ann)[-1].components
    )
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "computer", "easy")
    await room.env.advance_time(61)
    await settled(room)
    lobby = texts(room.public().components)
    assert "2 of 6 seats · too few joined in time" in lobby
    assert f"**{called(room, ann)}** · host, can start" in lobby
    assert "**Start** deals without those who have not answered" in lobby
    assert f"**{called(room, bob)}** · did not answer" in lobby
    await press(room, ann, "start", room.public())
    assert [player.user_id for player in (await room.table()).players] == [ann.id, None]


@pytest.mark.parametrize(("people", "said"), [(2, "**Ann** · host, can start"), (1, "**Ann** · host")])
def test_a_lobby_that_can_start_says_who_presses_start(people, said):
    assert said in texts(lobby_screen(formatter(), made_table(None, people, status="lobby")))


@pytest.mark.parametrize(
    ("seats", "needs"), [(3, "a larger pack, or fewer cards for each player"), (5, "one more player")]
)
def test_a_lobby_in_which_the_pack_has_no_room_for_all_says_what_it_needs_and_cannot_start(seats, needs):
    rules = Rules().changed_with({"deal": {"by_seats": {3: 6}}})
    lobby = lobby_screen(formatter(), made_table(rules, 3, status="lobby").but(seats=seats))
    assert f"Start needs {needs}" in texts(lobby)
    assert next(each for each in walk(lobby) if matches(each.get("custom_id", "sh:x:1:1"), "start"))["disabled"]


def test_a_host_may_choose_as_many_seats_as_the_pack_has_room_for_though_not_for_one_fewer():
    rules = Rules().changed_with({"deal": {"hand": 5, "pack_for_six": True}})  # 5 * 11 cards are more than one pack
    page = more_screen(formatter(), made_table(rules, 2, status="lobby"), 100, ())
    select = next(each for each in walk(page) if matches(each.get("custom_id", "sh:x:1:1"), "seats"))
    assert [option["value"] for option in select["options"]] == ["2", "3", "4", "6"]


def test_a_lobby_of_rules_without_a_loser_promises_nobody_any_tea():
    lobby = texts(lobby_screen(formatter(), made_table(variants()["first-out"].rules, status="lobby")))
    assert "There is no loser, so nobody owes anything" in lobby
    assert "tea" not in lobby


@pytest.mark.parametrize(
    ("left", "away", "pending", "said"),
    [(True, False, False, True), (True, False, True, False), (True, True, False, False), (False, False, False, False)],
)
def test_the_lobby_of_a_rematch_says_that_start_deals_without_some_if_some_have_not_answered(left, away, pending, said):
    table = made_table(None, 3, status="lobby").but(game=2, turn_since=BEFORE if pending else None)
    late = table.players[2].but(left=left, away=away)
    lobby = texts(lobby_screen(formatter(), table.but(players=(*table.players[:2], late))))
    assert ("**Start** deals without those who have not answered" in lobby) == said
    waits, missed = "no answer yet" in lobby, "did not answer" in lobby
    assert (waits, missed) == (left and not away and pending, left and not away and not pending)


def test_a_rematch_that_nobody_is_left_to_answer_says_that_it_waits_for_more_to_join():
    rules = variants()["paskahousu"].rules
    table = made_table(rules, 2, status="lobby").but(game=2, turn_since=BEFORE, deadline=BEFORE)
    assert "2 of 5 seats · dealt as soon as enough have joined\n" in texts(lobby_screen(formatter(), table))


@pytest.mark.parametrize(
    ("variant", "level", "said"), [("paskahousu", None, True), ("classic", None, False), ("classic", "fair", True)]
)
def test_a_rematch_that_only_one_person_joined_or_fewer_players_than_the_rules_need_says_so(variant, level, said):
    table = made_table(variants()[variant].rules, 2, status="lobby").but(game=2, turn_since=None)
    if level:
        table = table.but(players=(table.players[0], Player(user_id=None, name="Clara", level=level, joined_by=1)))
    assert ("too few joined in time" in texts(lobby_screen(formatter(), table))) == said


async def test_a_player_removed_before_a_rematch_reads_that_and_not_that_they_are_in(followed: Room):
    room = followed
    await end(room, seats=3)
    ann, bob, _ = room.people[:3]
    await press(room, ann, "rematch", room.public())
    await press(room, bob, "join")
    assert "You are in" in texts(room.notes(bob)[-1].components)
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "kick", str(bob.id))
    await settled(room)
    assert "The host has removed you" in texts(room.notes(bob)[-1].components)
    assert not ids_on(room.notes(bob)[-1])


async def test_the_log_has_the_public_events_newest_first(followed: Room):
    room = followed
    await room.start(seats=2)
    page = (await room.press(room.people[0], room.public(), "more")).response
    await room.press(room.people[0], page, "log")
    assert "Nothing yet." in texts(page.components)
    assert "-# Newest first · **Refresh** adds what is new" in texts(page.components)
    assert "Refresh" in labels(page.components)
    await play_on(room, lambda snapshot: snapshot.moves > 30)
    page = (await room.press(room.people[4], room.public(), "more")).response
    await room.press(room.people[4], page, "log")
    told = [line for line in texts(page.components).splitlines() if line.startswith("- ")]
    assert len(told) == 15
    newest, older = (line.removeprefix("- ") for line in told[:2])
    assert f"-# {older} {newest}" in texts(room.public().components)
    assert "drew" not in " ".join(told)
    await room.press(room.people[4], page, "more")
    assert "What happened" in labels(page.components)


async def test_the_log_has_pages_back_to_the_start_of_the_game(followed: Room):
    room = followed
    await room.start(seats=2)
    await play_on(room, lambda snapshot: snapshot.moves > 70)
    page = (await room.press(room.people[4], room.public(), "more")).response
    await room.press(room.people[4], page, "log")
    pages = [texts(page.components)]
    assert "Later" not in labels(page.components)
    while any(each.get("label") == "Earlier" and not each.get("disabled") for each in walk(page.components)):
        await room.press(room.people[4], page, "log")  # the first of its buttons with that verb is *Earlier*
        pages.append(texts(page.components))
    told = [line for each in pages for line in each.splitlines() if line.startswith("- ")]
    assert [each.count("\n- ") for each in pages[:-1]] == [15] * (len(pages) - 1)
    assert 60 < len(told) <= 71, "each action is listed once; some moves, such as Ready, are not actions"
    assert " on the table and took " in told[-1]
    assert "drew" not in " ".join(told)
    await room.press(room.people[4], page, "log")  # here *Later* is the only one
    assert texts(page.components) == pages[-2]
    await play_on(room)
    told = await room.press(room.people[4], page, "log")
    assert texts(told.response.components) == "**No game is being played at this table.**", "they cannot ask for one"


async def test_the_page_that_adds_computers_lists_them_with_their_levels(room: Room):
    await room.open(seats=1)
    page = (await room.press(room.people[0], room.public(), "more")).response
    assert "Remove computer" not in labels(page.components)
    for level in ("easy", "master"):
        await room.choose(room.people[0], page, "computer", level)
    assert "Remove computer" in labels(page.components)
    names = [player.name for player in (await room.table()).players if player.is_computer]
    assert f"**{names[0]}** · computer, easy 🤖\n**{names[1]}** · computer, master 🤖" in texts(page.components)
    await prefer(room.tables, room.guild.id, room.people[0].id, text_mode=True)
    await room.press(room.people[0], page, "nocomputer")
    assert f"**{names[0]}** · computer, easy\n" in texts(page.components)
    assert names[1] not in texts(page.components)
