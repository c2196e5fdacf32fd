"""No single wrong tap disturbs others: leaving and stopping ask first, and can be taken back."""

import asyncio
from datetime import timedelta

import pytest
from simcord import MemberActor

from cogs.responder import First, Responder
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.joining_screens import left_screen
from cogs.screens.table_screens import public_screen
from data.models import Match, MatchLine
from game.rules import Rules
from tables.lobby_service import REMOVED_FOR
from testkit.channel import Room, ids_on, matches, together
from testkit.faults import in_play, the_id
from testkit.made import START, Game, labels, made_table, texts
from testkit.offline import Offline, People
from testkit.shortcuts import can, finished, manager, play_on, press, settled
from tests.cogs.test_matches import deal, in_lobby


async def more(room: Room, person: MemberActor):
    return (await room.press(person, room.public(), "more")).response


async def left(room: Room, person: MemberActor):
    """Let somebody leave; return the private page that they see then."""
    page = await more(room, person)
    await room.press(person, page, "leaving")
    await room.press(person, page, "leave")
    return page


async def test_leaving_a_game_asks_first_and_can_be_declined(room: Room):
    await room.start(seats=3)
    bob = room.people[1]
    page = await more(room, bob)
    await room.press(bob, page, "leaving")
    assert "Leave the game?" in texts(page.components)
    assert (await room.table()).seat_of(bob.id) == 1
    await room.press(bob, page, "more")
    assert "Leave the game" in labels(page.components)


async def test_a_player_who_left_can_take_their_seat_back_and_play_on(room: Room):
    await room.start(seats=3)
    bob = room.people[1]
    page = await left(room, bob)
    assert "Take my seat back" in labels(page.components)
    assert "Take my seat back" in labels((await more(room, bob)).components)
    await room.press(bob, page, "return")
    table = await room.table()
    assert table.seat_of(bob.id) == 1
    assert "### Hand" in texts(page.components)
    assert "Bob left" not in texts(room.public().components)
    again = await room.press(bob, await more(room, bob), "leaving")
    assert again.acknowledged


async def test_my_hand_pressed_together_with_taking_the_seat_back_shows_the_hand(followed: Room):
    await in_play(followed, seats=3)
    bob, table = followed.people[1], followed.public()
    page = await left(followed, bob)
    presses = (table, "hand"), (page, "return")
    await together(followed.env, *(bob.click(on, custom_id=the_id(on, verb)) for on, verb in presses))
    await settled(followed)
    await followed.env.settle()
    assert (await followed.table()).seat_of(bob.id) == 1
    (mine,) = followed.notes(bob)
    assert "### Hand" in texts(mine.components)
    assert "You left" not in texts(mine.components)


async def test_my_hand_that_arrives_after_its_owner_has_left_makes_way_for_the_way_back(followed: Room, monkeypatch):
    await in_play(followed, seats=3)
    bob, table = followed.people[1], followed.public()
    page = await more(followed, bob)
    await followed.press(bob, page, "leaving")
    respond, has_left = Responder.respond, asyncio.Event()

    async def a_hand_is_slow(self, kind, *of):
        if kind is First.MESSAGE:
            await has_left.wait()
        await respond(self, kind, *of)
        has_left.set()

    monkeypatch.setattr(Responder, "respond", a_hand_is_slow)
    presses = (table, "hand"), (page, "leave")
    await together(followed.env, *(bob.click(on, custom_id=the_id(on, verb)) for on, verb in presses))
    await settled(followed)
    await followed.env.settle()
    (mine,) = followed.notes(bob)
    assert texts(mine.components).startswith("You left.")
    assert labels(mine.components) == ["Take my seat back"]


async def test_somebody_who_leaves_the_lobby_as_the_cards_are_dealt_is_told_how_to_come_back(room: Room):
    await room.open(seats=3)
    ann, bob = room.people[:2]
    lobby, page = room.public(), await more(room, bob)
    presses = (ann, lobby, "start"), (bob, page, "leave")
    await together(room.env, *(who.click(on, custom_id=the_id(on, verb)) for who, on, verb in presses))
    assert (await room.table()).players[1].left
    assert "Take my seat back" in labels(page.components)


async def test_when_the_host_leaves_everybody_reads_who_is_the_host_now(room: Room):
    await room.start(seats=3)
    ann, bob = room.people[:2]
    assert "is the host" not in texts(room.public().components)
    page = await left(room, ann)
    assert "-# Ann left: the computer plays their cards\n-# Bob is the host" in texts(room.public().components)
    assert "Stop the game" in labels((await more(room, bob)).components)
    await room.press(ann, page, "return")
    assert "is the host" not in texts(room.public().components)


async def test_if_nobody_plays_any_more_no_text_says_that_the_computer_does(room: Room):
    await room.start(seats=2)
    await room.env.advance_time(3600)
    late = [player.user_id for player in (await room.table()).players if player.away]
    leaver = next(each for each in room.people[:2] if each.id not in late)
    page = await left(room, leaver)
    assert texts(page.components).startswith("You left. Nobody is playing now: the game waits")
    said = texts(room.public().components)
    assert "Nobody is playing now 💤 · the game waits until somebody comes back, and ends if nobody does" in said
    assert "the computer plays" not in said


async def test_only_a_player_who_had_a_seat_can_take_it_back(room: Room):
    await room.start(seats=2)
    stranger = room.people[4]
    page = await more(room, stranger)
    assert "Take my seat back" not in labels(page.components)


async def test_the_last_person_reads_that_the_game_ends_without_them(room: Room):
    ann = room.people[0]
    await room.press(ann, await room.open(seats=1), "alone")
    page = await more(room, ann)
    await room.press(ann, page, "leaving")
    ends = "**Leave the game? Nobody else is playing, so it ends, and nobody owes anything.**"
    assert texts(page.components) == ends
    await room.press(ann, page, "leave")
    assert texts(page.components) == (
        "You left. Nobody is left to play, so the game is stopped. Nobody owes anything for it."
    )
    assert "Take my seat back" not in labels(page.components)


@pytest.mark.parametrize("match", ["", "games-3-order"])
async def test_leaving_a_game_that_the_others_voted_to_stop_says_that_this_stops_it(room: Room, match):
    await (in_lobby(room, match, seats=4) if match else room.start(seats=4))
    if match:
        await deal(room)
    for voter in room.people[1:3]:
        await room.press(voter, await more(room, voter), "stopping")
    dee = room.people[3]
    page = await more(room, dee)
    await room.press(dee, page, "leaving")
    question = "Leave the game? Then the votes are enough to stop it, and nobody owes anything."
    assert texts(page.components) == f"**{question}**"
    await room.press(dee, page, "leave")
    assert texts(page.components) == (
        "You left. With that, the votes were enough: the game is stopped, and nobody owes anything."
    )
    assert (await room.table()).status == "stopped"


async def test_a_match_that_ends_because_people_left_says_so_and_is_not_won_by_them(room: Room):
    await in_lobby(room, "games-3-order", seats=2)
    await deal(room)
    bob = room.people[1]
    await left(room, bob)
    await play_on(room)
    said = texts(room.public().components)
    assert said.startswith("# Ann is the grand winner\n-# The match ends early, because too few players stayed.")
    assert "grand shithead" not in said
    assert "**Bob**, left" in said


async def test_a_match_that_ends_because_its_only_person_left_says_so(room: Room):
    await in_lobby(room, "games-3-order", seats=1)
    await room.press(room.people[0], room.public(), "alone")
    await play_on(room)
    await room.confirm(room.people[0], "leave")
    said = texts(room.public().components)
    assert "\n-# The match ends early, because too few players stayed.\n" in said
    assert "1st" in said.splitlines()[3], "as it stands"


async def test_leaving_a_match_of_two_between_games_says_that_it_is_over(room: Room):
    await in_lobby(room, "games-3-order", seats=2)
    await deal(room)
    await play_on(room)
    bob = room.people[1]
    page = (await bob.slash(room.channel, "shithead leave")).response
    question = "Leave the match? If enough players stay, the next game is dealt without you."
    assert texts(page.components) == f"**{question}**"
    await room.press(bob, page, "leave")
    assert texts(page.components) == "You left the match. Too few players are left, so it is over."
    own = texts((await bob.slash(room.channel, "shithead hand")).response.components)
    assert "(left)" in own
    assert "left before the end" not in own, "only once the game had ended"


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        (2, "You left the match. Too few players are left, so it is over."),
        (4, "You left the match. The next game is dealt without you."),
    ],
)
async def test_whoever_leaves_a_match_after_a_game_was_stopped_has_not_stopped_it(room: Room, seats, said):
    await in_lobby(room, "games-3-order", seats=seats)
    await deal(room)
    bob, *voters = room.people[1:seats]
    for voter in voters:
        await voter.slash(room.channel, "shithead stop")
    await room.confirm(bob if voters else room.people[0], "stop")
    page = (await bob.slash(room.channel, "shithead leave")).response
    await room.press(bob, page, "leave")
    assert texts(page.components) == said


async def test_an_older_result_does_not_say_that_a_game_goes_on_which_was_given_up(room: Room):
    await finished(room)
    ann, bob = room.people[:2]
    result = room.public()
    await room.again(ann)
    for person in (ann, bob):
        await room.confirm(person, "leave")
    assert (await room.table()).status == "aborted"
    told = (await room.press(bob, result, "rematch")).response
    assert texts(told.components) == "**This table is gone.** Open a new one with `/shithead start`."


@pytest.mark.parametrize("dealt", [False, True])
async def test_stopping_asks_first(room: Room, dealt):
    await (room.start(seats=2) if dealt else room.open(seats=2))
    asked = (await room.people[0].slash(room.channel, "shithead stop")).response
    stop = "Stop the game for everybody? Nobody owes anything for a stopped game."
    assert texts(asked.components) == f"**{stop if dealt else 'Close the table for everybody?'}**"
    assert (await room.table()).is_open
    await room.press(room.people[0], asked, "stop")
    assert not (await room.table()).is_open
    said = "The game is stopped. Nobody owes anything for it." if dealt else "The table was closed."
    assert texts(asked.components) == said, "older debts are not mentioned"


async def test_a_vote_that_does_not_decide_is_counted_without_a_question(room: Room):
    await room.start(seats=4)
    page = await more(room, room.people[1])
    await room.press(room.people[1], page, "stopping")
    assert (await room.table()).stop_votes == 1


def test_a_game_that_ended_because_nobody_played_on_can_be_replayed():
    game = Game(Rules(), 2, 4)
    game.table = game.table.model_copy(update={"status": "aborted", "ended_at": START})
    screen = public_screen(formatter(), game.snapshot())
    assert "Nobody owes anything for it." in texts(screen), "but perhaps for an earlier game of a match"
    assert labels(screen) == ["Replay"]


async def test_whoever_leaves_after_going_out_reads_of_cards_only_if_they_still_had_some(room: Room):
    await room.start(seats=3)
    seen = await play_on(room, lambda now: bool(now.view.out))
    winner = room.people[seen.view.out[0]]
    page = await more(room, winner)
    await room.press(winner, page, "leaving")
    assert texts(page.components).startswith("**Leave the game? If you still have cards, the computer plays them. ")
    await room.press(winner, page, "leave")
    only_then = "You left. If you still have cards, the computer plays them, and if it loses, you have lost."
    assert texts(page.components) == only_then


async def test_leaving_and_coming_back_each_leave_only_one_message(followed: Room):
    room, bob = followed, followed.people[1]
    await room.start(seats=3)
    await press(room, bob, "hand", room.public())
    await press(room, bob, "more", room.public())
    await press(room, bob, "leaving")
    await press(room, bob, "leave")
    (page,) = room.notes(bob)
    await press(room, room.people[0], "ready", room.hands[room.people[0]])
    assert "Take my seat back" in labels(page.components), "while the game goes on, the way back stays"
    await press(room, bob, "hand", room.public())
    (page,) = room.notes(bob)
    assert "Take my seat back" in labels(page.components), "the newer message replaced the older one"
    await press(room, bob, "return")
    (hand,) = room.notes(bob)
    notice, heading, *_ = texts(hand.components).splitlines()
    assert (notice, heading) == (
        "-# You are back. The computer pressed **Ready** for you.",
        "### Waiting for Cy",
    ), "a player who left does not read that their time was up"
    assert texts(hand.components).count("**Ready**") == 1


async def test_a_removed_player_is_told_and_cannot_sit_down_again_at_once(followed: Room):
    await followed.open(seats=1)
    ann, bob = followed.people[:2]
    joined = (await followed.press(bob, followed.public(), "join")).response
    await followed.choose(ann, await more(followed, ann), "kick", str(bob.id))
    await followed.house.hands.idle()
    await followed.env.settle()
    until = int((followed.now() + REMOVED_FOR).timestamp())
    told = (
        f"**The host has removed you from the table here.** You can sit down again from <t:{until}:t>, "
        "or open your own in a thread or elsewhere."
    )
    assert texts(joined.components) == told
    await followed.env.advance_time(60)
    for asked in (
        followed.press(bob, followed.public(), "join"),
        bob.slash(followed.channel, "shithead start"),
        bob.slash(followed.channel, "shithead hand"),
    ):
        refused = (await asked).response
        assert (texts(refused.components), labels(refused.components)) == (told, []), "the time is still the same"
    await followed.env.advance_time(601)
    await followed.press(bob, followed.public(), "join")
    assert (await followed.table()).seat_of(bob.id) == 1


async def test_leaving_before_the_first_deal_says_that_one_can_sit_down_again(followed: Room):
    lobby = await followed.open(seats=2)
    ann = followed.people[0]
    page = (await followed.press(ann, lobby, "more")).response
    await followed.press(ann, page, "leave")
    await followed.house.hands.idle()
    await followed.env.settle()
    (note,) = followed.notes(ann)
    assert texts(note.components) == "**You do not sit at this table.** Press **Join** to play."


async def test_the_answer_to_join_becomes_the_hand_after_the_deal(followed: Room):
    await followed.open(seats=1)
    ann, bob = followed.people[:2]
    await followed.press(bob, followed.public(), "join")
    await followed.press(ann, followed.public(), "start")
    await followed.house.hands.idle()
    await followed.env.settle()
    (hand,) = followed.notes(bob)
    assert any(matches(each, "ready") for each in ids_on(hand))


async def test_somebody_who_has_voted_is_not_asked_again_whether_to_stop(room: Room):
    await room.start(seats=5)
    bob, cy = room.people[1:3]
    for voter in (bob, cy):
        await voter.slash(room.channel, "shithead stop")
    again = (await bob.slash(room.channel, "shithead stop")).response
    assert "You have voted already" in texts(again.components)


async def test_a_player_who_left_cannot_stop_the_game_but_is_offered_their_seat(room: Room):
    await room.start(seats=3)
    bob = room.people[1]
    await room.confirm(bob, "leave")
    told = (await bob.slash(room.channel, "shithead stop")).response
    assert "Take my seat back" in labels(told.components)
    assert (await room.table()).stop_votes == 0


async def test_opening_a_table_says_that_a_stopped_match_can_still_go_on(room: Room):
    await in_lobby(room, "games-3-order", seats=2)
    await deal(room)
    await room.confirm(room.people[0], "stop")
    await room.env.advance_time(30)  # or it would be JUST_POSTED
    match = room.public()
    stranger = (await room.press(room.people[5], match, "rematch")).response
    assert "A match is being played; once it is over you can join a rematch." in texts(stranger.components)
    told = (await room.people[0].slash(room.channel, "shithead start")).response
    assert "goes on with **Next game**" in texts(told.components)
    await room.idle()
    refused = await room.press(room.people[0], match, "rematch")
    assert "Once it is closed, the match goes on with **Next game**." in texts(refused.response.components)
    await room.confirm(room.people[0], "stop")
    await room.press(room.people[0], match, "rematch")
    assert (await room.tables.snapshot(room.opened[0])).table.status == "playing"


async def closed_between_games(room: Room):
    """The message of a match of two after its first game, and a stranger who has opened and closed a table since."""
    await in_lobby(room, "games-3-order", seats=2)
    await deal(room)
    await play_on(room)
    match, stranger = room.public(), room.people[5]
    await stranger.slash(room.channel, "shithead start")
    await room.idle()
    await room.confirm(stranger, "stop")
    return match, stranger


async def test_a_lobby_that_was_closed_between_the_games_of_a_match_does_not_hide_the_match(room: Room):
    match, stranger = await closed_between_games(room)
    hand = (await room.people[0].slash(room.channel, "shithead hand")).response
    assert "Next game" in labels(hand.components)
    told = (await stranger.slash(room.channel, "shithead start")).response
    assert "goes on with **Next game**" in texts(told.components)
    await room.confirm(stranger, "stop")
    await room.env.advance_time(30)  # or it would be JUST_POSTED
    await stranger.slash(room.channel, "shithead table")
    await room.idle()
    assert labels(room.public().components) == labels(match.components), "the match is at the bottom again"
    await room.confirm(room.people[0], "leave")
    assert "The match ends early" in texts(room.public().components), "one can leave the match"


async def test_the_next_game_of_a_match_replaces_the_message_of_a_lobby_that_was_closed_meanwhile(room: Room):
    match, _ = await closed_between_games(room)
    assert "Closed" in texts(room.public().components)
    await room.press(room.people[1], match, "rematch")
    assert "Game 2 of 3" in texts(room.public().components), "nothing stands below the game"


async def test_the_next_game_replaces_it_too_if_somebody_was_ready_before_the_deal_was_drawn(room: Room):
    match, _ = await closed_between_games(room)
    await room.rest()
    dealt = await room.people[1].click(match, custom_id=the_id(match, "rematch"))
    await room.people[1].click(dealt.response, custom_id=the_id(dealt.response, "ready"))
    room.painting = asyncio.create_task(room.house.painter.run())
    await room.idle()
    assert (await room.tables.snapshot(room.opened[0])).moves == 1
    assert "Game 2 of 3" in texts(room.public().components), "nothing stands below the game"


async def test_the_end_of_a_match_leaves_the_message_of_a_lobby_that_was_closed_before(room: Room):
    match, stranger = await closed_between_games(room)
    await room.press(room.people[1], match, "rematch")
    await room.confirm(room.people[0], "stop")
    await stranger.slash(room.channel, "shithead start")
    await room.idle()
    await room.confirm(stranger, "stop")
    closed = room.public()
    await room.confirm(room.people[0], "leave")
    assert "The match ends early" in texts(match.components)
    assert room.public().id == closed.id
    assert "Closed" in texts(closed.components)


async def test_a_rematch_that_was_called_off_does_not_bring_an_older_table_back(room: Room):
    ann = room.people[0]
    await room.start(seats=2)
    await room.confirm(ann, "stop")
    await room.start(seats=2)
    await play_on(room)
    await room.press(ann, room.public(), "rematch")
    await room.confirm(ann, "stop")
    first, second = room.opened
    assert (await room.tables.snapshot(second)).table.game == 2
    await room.env.advance_time(30)  # or it would be JUST_POSTED
    await ann.slash(room.channel, "shithead table")
    await room.idle()
    found = await room.tables.play.in_channel(room.guild.id, room.channel.id)
    assert (found, first) == (second, first)


async def test_a_lobby_that_was_closed_is_found_also_where_another_table_was_played_before(room: Room):
    await room.start(seats=2)
    await room.confirm(room.people[0], "stop")
    await room.env.advance_time(30)
    await room.open(seats=2)
    await room.confirm(room.people[0], "stop")
    assert await room.tables.play.in_channel(room.guild.id, room.channel.id) == room.opened[-1]
    assert len(room.opened) == 2


async def test_opening_a_table_after_a_single_game_speaks_of_no_match(room: Room):
    await room.start(seats=2)
    await room.confirm(room.people[0], "stop")
    told = (await room.people[0].slash(room.channel, "shithead start")).response
    assert "Next game" not in texts(told.components)


@pytest.mark.parametrize("verb", ["leaving", "stopping", "unvote"])
async def test_a_page_that_outlives_its_game_is_replaced_by_a_note(room: Room, verb):
    await room.start(seats=3)
    bob = room.people[1]
    page = await more(room, bob)
    if verb == "unvote":
        await room.press(bob, page, "stopping")
    await room.confirm(room.people[0], "stop")
    shown = len(room.notes(bob))
    await room.press(bob, page, verb)
    assert texts(page.components) == "**The game is over.** Press **Rematch** for another."
    assert not ids_on(page)
    assert len(room.notes(bob)) == shown


async def test_a_moderator_whose_page_outlives_a_game_of_others_is_not_asked_for_a_rematch(room: Room):
    boss = await manager(room)
    await room.start(seats=2)
    page = await more(room, boss)
    before = texts(page.components)
    await room.confirm(room.people[0], "stop")
    told = await room.press(boss, page, "stopping")
    assert texts(page.components) == before
    assert "**The game is over.**" not in texts(told.response.components)
    assert texts(told.response.components).startswith("**")


async def test_an_onlooker_whose_page_outlives_the_game_is_not_told_to_press_rematch(room: Room):
    await room.start(seats=2)
    page = await more(room, room.people[3])
    await room.confirm(room.people[0], "stop")
    told = await room.press(room.people[3], page, "log")
    assert texts(told.response.components) == "**No game is being played at this table.**"


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        (2, "**The game is over.** Press **Rematch** for another."),
        (1, "**No game is being played at this table.**"),
    ],
)
async def test_an_old_hand_of_somebody_whose_leaving_ended_the_game_says_that_it_is_over(room: Room, seats, said):
    ann = room.people[0]
    await room.open(seats=seats)
    hand = (await room.press(ann, room.public(), "start" if seats > 1 else "alone")).response
    ready = next(id_ for id_ in ids_on(hand) if matches(id_, "ready"))
    await room.restart()  # now the bot no longer knows which hands are open
    if seats > 1:
        await room.people[1].slash(room.channel, "shithead stop")  # a vote
    await room.confirm(ann, "leave")
    told = await ann.click(hand, custom_id=ready)
    assert texts((told.response or hand).components) == said


async def test_a_player_who_left_sees_the_end_like_everybody_else(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    await house.tables.lobby.leave(house.by(3, table))
    assert await house.tables.play.hand_since(table, 3, 0) is None, "the page that says how to come back stays"
    await house.finish(table)
    shown = hand_screen(formatter(), await house.tables.play.hand_since(table, 3, -1))
    assert labels(shown)[:2] == ["Rematch", "Replay"]
    assert "shithead" in texts(shown).partition("\n")[0]
    assert "the computer plays them" not in texts(shown)


async def test_if_all_creditors_left_the_end_says_why_nobody_owes_anything(house: Offline, people: People):
    for channel in range(10):
        table = await house.in_play(*people[:2], channel=channel)
        await house.tables.lobby.leave(house.by(1, table))
        ended = await house.finish(table)
        if ended.view.shithead == 1:
            why = "Nobody owes anything: whoever leaves a game collects nothing."
            assert why in texts(public_screen(formatter(), ended))
            return
    pytest.fail("the computer never won")


async def test_a_player_who_left_and_lost_is_offered_a_review_of_their_own_moves(house: Offline, people: People):
    for channel in range(10):
        table = await house.in_play(*people[:3], channel=channel)
        await house.tables.lobby.leave(house.by(1, table))
        if (await house.finish(table)).view.shithead == 0:
            mine = hand_screen(formatter(), await house.tables.play.hand_since(table, 1, -1))
            assert "You are the shithead" in texts(mine)
            assert "My costliest moves" in labels(mine)
            return
    pytest.fail("the computer never lost")


async def test_a_player_who_left_a_match_reads_that_the_next_game_is_dealt_without_them(followed: Room):
    room, bob = followed, followed.people[1]
    await in_lobby(room, "games-3-order")
    await deal(room)
    page = await left(room, bob)
    assert texts(page.components).startswith("You left. If you still have cards, the computer plays them")
    await room.confirm(room.people[0], "stop")
    await room.house.hands.idle()
    await room.env.settle()
    assert texts(page.components) == "You left the match. The next game is dealt without you."
    assert labels(page.components) == ["Take my seat back"]


@pytest.mark.parametrize(("seat", "lost"), [(0, "You lost the last game. "), (1, "")])
async def test_whoever_left_a_game_of_a_match_reads_between_games_whether_they_lost_it(followed: Room, seat, lost):
    room, leaver = followed, followed.people[seat]
    await in_lobby(room, "games-3-order")
    await deal(room)
    page = await left(room, leaver)
    ended = await play_on(room)
    assert (ended.view.shithead == seat) is bool(lost), "with this shuffle"
    await settled(room)
    said = f"{lost}You left the match. The next game is dealt without you."
    assert texts(page.components) == said
    assert labels(page.components) == ["Take my seat back"]
    assert texts((await leaver.slash(room.channel, "shithead hand")).response.components) == said


@pytest.mark.parametrize(
    ("status", "lost", "said"), [("over", (2,), True), ("over", (1,), False), ("stopped", (2,), False)]
)
def test_only_a_loss_of_the_game_that_has_just_ended_is_told_to_whoever_left_the_match(status, lost, said):
    lines = tuple(MatchLine(user_id=100 + n, places=(1, 1), lost=() if n else lost) for n in range(3))
    table = made_table(seats=3, status=status, match=Match(target=5), standings=lines, started_at=START)
    assert texts(left_screen(formatter(), table, 100)).startswith("You lost the last game.") is said


async def test_a_player_who_left_and_asks_for_their_hand_is_offered_their_seat(room: Room):
    await room.start(seats=3)
    bob = room.people[1]
    await left(room, bob)
    told = (await room.press(bob, room.public(), "hand")).response
    assert told.ephemeral
    assert texts(told.components).startswith("You left. If you still have cards, the computer plays them")
    assert labels(told.components) == ["Take my seat back"]
    await room.press(bob, told, "return")
    assert bob.id in [player.user_id for player in (await room.table()).seated]
    stranger = (await room.press(room.people[3], room.public(), "hand")).response
    assert "You do not sit at this table." in texts(stranger.components)


async def test_a_player_who_left_and_lost_reads_in_their_hand_what_they_owe(room: Room):
    await in_play(room, seats=3)
    await room.confirm(room.people[1], "leave")
    ended = await play_on(room)
    assert ended.view.shithead == 1, "with this shuffle"
    told = (await room.people[1].slash(room.channel, "shithead hand")).response
    said = texts(told.components)
    assert said.startswith("## You are the shithead\n-# You left before the end")
    assert "You owe **Ann** and **Cy** a cup of tea" in said


async def test_whoever_asks_for_their_hand_at_a_closed_lobby_reads_how_to_open_another(room: Room):
    await room.open(seats=2)
    await room.confirm(room.people[0], "stop")
    told = (await room.people[1].slash(room.channel, "shithead hand")).response
    assert texts(told.components) == "**This table is gone.** Open a new one with `/shithead start`."


async def test_a_removed_player_reads_when_to_sit_down_only_as_long_as_that_is_possible(room: Room):
    await room.open(seats=3)
    ann, bob = room.people[:2]
    await room.choose(ann, await more(room, ann), "kick", str(bob.id))
    lobby = room.public()
    clicks = (each.click(lobby, custom_id=the_id(lobby, verb)) for each, verb in ((ann, "start"), (bob, "join")))
    _, pressed = await together(room.env, *clicks)
    said = texts(pressed.response.components)
    assert said.endswith("A game is on; you can join before the next one.")
    assert texts((await bob.slash(room.channel, "shithead hand")).response.components) == said


async def test_a_removed_player_is_not_told_to_wait_for_a_lobby_that_was_closed_meanwhile(room: Room):
    await room.open(seats=3)
    ann, bob = room.people[:2]
    await room.choose(ann, await more(room, ann), "kick", str(bob.id))
    lobby, page = room.public(), (await ann.slash(room.channel, "shithead stop")).response
    clicks = (
        each.click(shown, custom_id=the_id(shown, verb))
        for each, shown, verb in ((ann, page, "stop"), (bob, lobby, "join"))
    )
    _, pressed = await together(room.env, *clicks)
    assert texts(pressed.response.components) == "**This table is gone.** Open a new one with `/shithead start`."


@pytest.mark.parametrize(("match", "when"), [("", "before the next one."), ("games-3-order", "join a rematch.")])
async def test_a_join_that_comes_after_the_deal_is_told_when_there_will_be_a_seat(room: Room, match, when):
    ann, bob, stranger = room.people[:3]
    await (in_lobby(room, match, seats=2) if match else room.open(seats=2))
    lobby = room.public()
    clicks = [(ann, "start"), (bob, "join"), (stranger, "join")]
    told = await together(room.env, *(each.click(lobby, custom_id=the_id(lobby, verb)) for each, verb in clicks))
    _, hand, said = (each.response for each in told)
    assert can(hand, "ready"), "whoever sits there gets their cards"
    assert texts(said.components).startswith("**You do not sit at this table.**")
    assert texts(said.components).endswith(when)


async def test_a_player_who_left_keeps_the_result_and_can_join_the_rematch(followed: Room):
    room = followed
    await room.start(seats=3)
    out = (await play_on(room, lambda snapshot: snapshot.view.out)).view.out[0]
    leaver, (ann, bob) = room.people[out], (each for each in room.people[:3] if each is not room.people[out])
    page = await left(room, leaver)
    await play_on(room)
    result = texts(page.components)
    head, how, owed = result.splitlines()[:3]
    assert head == "## You won: first out"
    loser, left_early = how.removeprefix("-# ").split(" is the shithead · ")
    assert left_early == "you left before the end"
    assert owed.startswith(f"**{loser}** owes **"), "after the line about the reader everybody else is named"
    await press(room, ann, "rematch", room.public())
    assert texts(page.components) == result
    await press(room, leaver, "rematch", page)
    await press(room, bob, "join", room.public())
    assert leaver.id in [player.user_id for player in (await room.table()).players]
    assert (await room.table()).status == "playing"


@pytest.mark.parametrize("now", ["dealt", "over", "closed"])
@pytest.mark.parametrize("verb", ["variant", "chip", "housetext", "more"])
async def test_an_outdated_page_of_the_lobby_says_what_to_do_instead(room: Room, verb, now):
    await room.open(seats=2)
    ann = room.people[0]
    old = await more(room, ann)
    if verb != "variant":
        await room.press(ann, old, "house")
    pressed = next(id_ for id_ in ids_on(old) if matches(id_, verb))
    await room.restart()  # now the bot no longer knows which pages are open, so it does not update them
    if now != "closed":
        await room.press(ann, room.public(), "start")
    if now != "dealt":
        await room.confirm(ann, "stop")
    result = await (
        ann.select(old, ["pub"], custom_id=pressed) if verb == "variant" else ann.click(old, custom_id=pressed)
    )
    shown = (result.response or old).components
    where = {
        "dealt": "Stop the game" if verb == "more" else "Press **My hand**, or wait",
        "over": "Press **Rematch**",
        "closed": "Open a new one with",
    }
    assert where[now] in texts(shown) + str(labels(shown))


async def test_alone_one_gets_as_many_computers_as_the_variant_needs(room: Room):
    ann = room.people[0]
    await room.press(ann, await room.open(seats=1, variant="paskahousu"), "alone")
    table = await room.table()
    assert (table.status, [player.is_computer for player in table.players]) == ("playing", [False, True, True])


async def test_a_moderator_can_close_a_lobby_of_others_by_a_button(room: Room):
    boss = await manager(room)
    await room.open(seats=2)
    assert "Close the table" not in labels((await more(room, room.people[1])).components)
    page = await more(room, boss)
    assert labels(page.components) == ["Close the table"]
    await room.press(boss, page, "stopping")
    await room.press(boss, page, "stop")
    assert "The table was closed." in texts(page.components)
    assert (await room.table()).status == "stopped"


async def test_whoever_becomes_the_host_of_a_lobby_reads_that_they_can_start(followed: Room):
    await followed.open(seats=1)
    ann, bob, cy = followed.people[:3]
    joined = [(await followed.press(person, followed.public(), "join")).response for person in (bob, cy)]
    rules = (await followed.press(cy, followed.public(), "rules")).response
    await followed.press(ann, (await followed.press(ann, followed.public(), "more")).response, "leave")
    await settled(followed)
    await followed.env.settle()
    said = texts(joined[0].components)
    assert said.endswith("Your table is open. When everybody has pressed **Join**, press **Start**.")
    assert "## " in texts(rules.components), "nothing changes for somebody who reads something else"
    page = (await followed.press(bob, followed.public(), "more")).response
    now = (await followed.table()).deadline
    await followed.tables.timekeeping.extend_deadline(followed.table_id, timedelta(minutes=1), now)
    await followed.tables.timekeeping.pause(followed.table_id, paused=True)
    await settled(followed)
    assert "Forbid hints" in labels(page.components), "no clock is shown there"
