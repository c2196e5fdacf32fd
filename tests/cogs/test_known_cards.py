"""Known cards: those that burned and those in other hands, on request and if the host allows hints."""

import pytest

from cogs.screens.formatter import formatter
from cogs.screens.hand_parts import top_in_words
from cogs.screens.hand_screens import hand_screen, known_screen
from cogs.screens.language import LANGUAGES
from game.cards import parse_card
from game.deal import full_pack
from game.players.memory import Memory
from game.rules import Rules
from tables.snapshots import HandSnapshot
from testkit.channel import Room, ids_on, matches
from testkit.faults import view_of
from testkit.made import Game, labels, texts, within_limits
from testkit.offline import prefer
from tests.cogs.test_hints import at_a_choice


def cards(text):
    return tuple(map(parse_card, text.split()))


def played(rules=None, seats=3):
    """The hand of the first seat in the middle of a game, in play."""
    game = Game(rules or Rules(), seats, 3)
    while game.snapshot().view.phase != "play" or not game.snapshot().view.started:
        game.step()
    return game.hand(0)


def memory(hand: HandSnapshot, burned="", **held):
    known = tuple(cards(held.get(f"seat{seat}", "")) for seat in range(len(hand.view.table.seats)))
    return Memory(hand.view.table, known, (None,) * len(known), cards(burned))


def told(hand: HandSnapshot, memory: Memory):
    return texts(known_screen(formatter("en-GB"), hand, memory)).replace("\ufe0e", "")


def test_burned_cards_and_the_known_hands_of_others_are_shown():
    hand = played()
    names = [player.name for player in hand.snapshot.table.players]
    said = told(hand, memory(hand, "Tc 4d 4h", seat0="9c", seat2="Kd 3s"))
    assert "Burned: 4♦ 4♥ 10♣" in said
    assert f"**{names[2]}** holds 3♠ K♦" in said
    assert "9♣" not in said
    assert names[1] not in said


def test_if_nothing_has_burned_the_page_says_so():
    hand = played()
    assert "No card has burned yet." in told(hand, memory(hand))


@pytest.mark.parametrize("code", LANGUAGES)
def test_all_cards_of_a_pack_fit_on_the_page(code):
    hand = played(seats=5)
    whole = full_pack(Rules(), 2)
    known = Memory(hand.view.table, ((), *[whole[at::4] for at in range(4)]), (None,) * 5, whole)
    within_limits(known_screen(formatter(code), hand, known))


async def after_a_card(room: Room):
    """Play a card; return the person who may play next, and their hand."""
    person, shown = await at_a_choice(room)
    await room.press(person, shown, "play")
    hands = {person: await room.hand(person) for person in room.people[:2]}
    return next((person, hand) for person, hand in hands.items() if any(matches(each, "play") for each in ids_on(hand)))


async def test_the_page_of_known_cards_leads_back_to_the_hand(room: Room):
    await room.start()
    person, shown = await after_a_card(room)
    asked = (await room.press(person, shown, "known")).response
    assert "Known cards" in texts(asked.components)
    back = (await room.press(person, asked, "hand")).response
    assert any(matches(each, "play") for each in ids_on(back))


async def test_in_text_mode_the_page_of_known_cards_says_what_lies_on_the_pile(room: Room):
    await room.start()
    person, _ = await after_a_card(room)
    await prefer(room.tables, room.guild.id, person.id, text_mode=True)
    asked = (await room.press(person, await room.hand(person), "known")).response
    assert f"{top_in_words(formatter(text=True), await view_of(room))}\n" in texts(asked.components)


async def test_if_the_host_forbids_hints_nobody_sees_the_known_cards(room: Room):
    await room.start()
    person, shown = await after_a_card(room)
    loaded = room.tables._doorway.peek(room.table_id)
    room.tables._doorway.adopt(loaded.but(table=loaded.table.but(hints=False)))
    asked = (await room.press(person, shown, "known")).response
    assert "Known cards" not in texts(asked.components) + str(labels(asked.components))


def test_before_the_first_play_nobody_can_open_the_known_cards_not_even_who_waits():
    game, phases = Game(Rules(), 2, 1), set()
    while not (view := game.snapshot().view).started:
        phases.add(view.phase)
        for seat in range(2):
            assert "Known cards" not in labels(hand_screen(formatter(), game.hand(seat)))
        game.step()
    assert phases >= {"exchange", "play"}
    assert "Known cards" in labels(hand_screen(formatter(), game.hand(0)))
