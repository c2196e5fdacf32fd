"""The review of a game: offered on its replay, to those who played."""

import re

import pytest
from simcord import MemberActor

from bot.workers import InProcess
from cogs.screens.components import walk
from cogs.screens.computer_words import mistake_words, move_words
from cogs.screens.formatter import formatter
from cogs.screens.ids import format_id
from cogs.screens.language import LANGUAGES
from cogs.screens.replay_screens import review_screen
from game.events import Burned, Dealt, Flipped, PickedUp, Played
from game.moves import Chance, Flip, PickUp, Play
from game.players.hints import Facts, Mistake, Reason
from game.text.notation import parse_cards
from game.text.record import Record
from tables.gameplay import record_of
from tables.snapshots import Reviewed
from testkit.channel import Room, ids_on, matches
from testkit.faults import in_play, on_turn, pass_by, snapshot
from testkit.found import not_none
from testkit.made import labels, made_table, texts, within_limits
from testkit.offline import request_at
from testkit.shortcuts import finished, play_on, sentence, stopped
from testkit.stored import stored_game
from tests.cogs.test_films import moments_on

KING, PILE = Play(parse_cards("Kd")), PickUp()
MISTAKES = [
    Mistake(30, PILE, KING, 0.31, (Reason.LARGE_PILE,), Facts(pile=7)),
    Mistake(12, KING, PILE, 0.1),
]


class Coach(InProcess):
    """A coach that finds given mistakes and records its questions."""

    def __init__(self, mistakes):
        self.mistakes, self.asked = mistakes, []

    async def review(self, record: Record, seat, own):
        self.asked.append((len(record.moves), seat))
        self.own = own
        return self.mistakes


def taught(room: Room, mistakes):
    """Give a room a coach that finds these mistakes."""
    coach = Coach(mistakes)
    room.tables.past._thinking = coach
    return coach


async def replay(room: Room, person: MemberActor):
    return (await room.press(person, room.public(), "replay")).response


async def test_a_player_reads_their_costliest_moves_in_order_and_can_go_to_each(room: Room):
    snapshot = await finished(room)
    coach, bob = taught(room, MISTAKES), room.people[1]
    page = await replay(room, bob)
    assert labels(page.components)[4:6] == ["My costliest moves", "Film: table"], (
        "the winner is offered it, too, right after the row of steps"
    )
    told = await room.press(bob, page, "review")
    said = sentence(told)
    assert "Better: **play K♦︎**. Picking up would cost you 7 cards.\n" in said
    assert "\n-# Of 100 games from there, you would lose about 31 fewer with it." in said
    assert said.count("Of 100 games") == len(MISTAKES), "one number per turn"
    assert "\n-# In the order of play, " in said
    assert said.index("**Move 13 of the replay**") < said.index("**Move 31 of the replay**")
    assert "lose it" not in said
    assert coach.asked == [(snapshot.moves, 1)]
    assert [each["label"] for each in moments_on(told.response)] == ["Move 13 of the replay", "Move 31 of the replay"]
    first, second = (each["content"] for each in walk(told.response.components) if "Better" in each.get("content", ""))
    assert ("Move 13 of the replay" in first, "Move 31 of the replay" in second) == (True, True)
    await room.choose(bob, told.response, "moment", "13")
    assert "Move 13 of" in texts(told.response.components)
    assert "seen by **Bob**" in texts(told.response.components)


async def test_a_mistake_is_described_by_what_happened_and_at_which_move(room: Room):
    await finished(room)
    bob = room.people[1]
    watched = await room.tables.past.watched(request_at(await room.table(), bob.id, id=99), 1)
    turns = [nth for nth, events in enumerate(watched.told) if isinstance(events[0], Played) and events[0].seat == 1]
    move = next(nth for nth in turns if nth - 1 not in turns and nth > turns[2])
    taught(room, [Mistake(move - 1, KING, PILE, 0.1)])
    told = await room.press(bob, await replay(room, bob), "review")
    said = sentence(told)
    assert f"**Move {move} of the replay**\n" in said
    assert re.search(r"\*\*Ann\*\* .*You played [^*]*Better: \*\*pick up the pile\*\*\.", said)
    await room.choose(bob, told.response, "moment", str(move))
    played = re.search(r"You played ([^.]*)\.", said)[1]
    assert f"**Bob** played {played}." in texts(told.response.components), "the step shows the move in question"


def test_of_two_moves_in_a_row_a_review_tells_only_the_costly_one():
    fours, king = Played(0, parse_cards("4c 4d 4h 4s")), Played(0, parse_cards("Kd"))
    told = ((Dealt(0),), (fours, Burned(0, 4)), (king,))
    said = texts(review_screen(formatter("en-GB"), Reviewed(made_table(), 0, [Mistake(1, KING, PILE, 0.1)], told)))
    assert "You played a king. Better: " in said
    assert "fours" not in said, "nobody takes the move before for the costly one"


def test_a_review_tells_a_costly_move_that_came_after_one_of_which_there_is_nothing_to_tell():
    told = ((Dealt(0),), (), (Played(0, parse_cards("Kd")),))  # no tribute was taken
    said = texts(review_screen(formatter("en-GB"), Reviewed(made_table(), 0, [Mistake(1, KING, PILE, 0.1)], told)))
    assert "You played a king. Better: " in said


async def test_what_the_computer_played_for_somebody_who_was_away_is_no_move_of_theirs(room: Room):
    await in_play(room)
    coach, (late, _, _) = taught(room, []), await on_turn(room)
    seat, theirs = room.people.index(late), {(await snapshot(room)).moves}
    await pass_by(room, minutes=3)
    await room.press(room.people[1 - seat], room.public(), "playfor")
    before = await play_on(room, until=lambda now: now.moves > min(theirs) + 1 and now.view.turn == seat)
    await pass_by(room, minutes=4, seconds=1)  # now the computer plays unasked
    assert (await snapshot(room)).moves > before.moves
    theirs.add(before.moves)
    await play_on(room)
    for person in room.people[:2]:
        await room.press(person, await replay(room, person), "review")
        assert set(await steps_of(room, person)) - coach.own == (theirs if person is late else set())


async def test_a_player_who_left_reviews_the_moves_that_they_made_until_then(room: Room):
    await in_play(room)
    coach, (late, _, _) = taught(room, []), await on_turn(room)
    left_at = (await snapshot(room)).moves
    await room.confirm(late, "leave")
    await play_on(room)
    told = await room.press(late, await replay(room, late), "review")
    assert "Your costliest moves" in sentence(told)
    assert {step for step in coach.own if step >= left_at}.isdisjoint(await steps_of(room, late))
    assert coach.own.issuperset(step for step in await steps_of(room, late) if step < left_at)


async def steps_of(room: Room, person: MemberActor):
    game = await stored_game(room.house.store, await room.table(), 1)
    return [made.number - 1 for made in game.moves if made.seat == room.people.index(person)]


async def test_a_second_review_is_answered_from_the_first(room: Room):
    await finished(room)
    coach, ann = taught(room, MISTAKES), room.people[0]
    page = await replay(room, ann)
    first = sentence(await room.press(ann, page, "review"))
    assert sentence(await room.press(ann, page, "review")) == first
    assert len(coach.asked) == 1


async def test_without_a_costly_move_the_review_says_so(room: Room):
    await finished(room)
    taught(room, [])
    told = await room.press(room.people[0], await replay(room, room.people[0]), "review")
    assert "None of your moves cost you much" in sentence(told)
    assert not moments_on(told.response)


async def test_the_coach_is_only_for_people_who_played(room: Room):
    await finished(room)
    coach, stranger = taught(room, MISTAKES), room.people[5]
    page = await replay(room, stranger)
    assert "My costliest moves" not in labels(page.components)
    anns = await replay(room, room.people[0])
    id_ = next(each for each in ids_on(anns) if matches(each, "review"))
    assert id_ == format_id("review", room.table_id, argument="1.0.0")
    asked = request_at(await room.table(), stranger.id, id=99)
    assert await room.tables.past.reviewed(asked, 1) is None
    assert await room.tables.past.reviewed(asked, 7) is None
    assert coach.asked == []


async def test_the_excuse_of_the_coach_goes_away_with_the_next_click(followed: Room):
    await finished(followed)
    taught(followed, None)
    ann = followed.people[0]
    await followed.press(ann, await replay(followed, ann), "review")
    assert [each for each in followed.notes(ann) if "cannot judge" in texts(each.components)]
    await followed.press(ann, followed.public(), "replay")
    assert not [each for each in followed.notes(ann) if "cannot judge" in texts(each.components)]


async def test_without_an_answer_of_the_coach_there_is_an_excuse(room: Room):
    await finished(room)
    taught(room, None)
    told = await room.press(room.people[0], await replay(room, room.people[0]), "review")
    assert "The coach cannot judge this game" in sentence(told)


async def test_a_stopped_game_has_no_review(room: Room):
    await stopped(room)
    page = await replay(room, room.people[0])
    assert "Fair shuffle" in labels(page.components)
    assert "My costliest moves" not in labels(page.components)


@pytest.mark.long
async def test_the_real_coach_reviews_a_game(room: Room):
    loser = not_none((await finished(room)).view.shithead)
    game = await stored_game(room.house.store, await room.table(), 1)
    asked = request_at(await room.table(), room.people[loser].id, id=99)
    reviewed = await room.tables.past.reviewed(asked, 1)
    assert reviewed.mistakes == await InProcess().review(record_of(game), loser, range(len(game.moves)))
    told = [reviewed.told[each.step + 1][0] for each in reviewed.mistakes]
    assert {each.seat if isinstance(each, Played | PickedUp) else None for each in told} == {loser}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_review_fits_in_every_language(code):
    t, told = formatter(code), ((Flipped(0, 0), PickedUp(0, 40)),) * 101
    screen = review_screen(t, Reviewed(made_table(), 0, [*MISTAKES, MISTAKES[0]._replace(step=99)], told))
    within_limits(screen)


@pytest.mark.parametrize("move", [Flip(1), Chance(), PickUp(parse_cards("4d")), Play(parse_cards("7c"), "low")])
def test_every_kind_of_better_move_has_words(move):
    t = formatter("en-GB")
    assert mistake_words(t, MISTAKES[0]._replace(better=move)).startswith(f"Better: **{move_words(t, move)}**.")
