"""A hint: the move that a strong player would make, and why, unless the host forbids hints."""

from unittest.mock import ANY

import pytest

from cogs.screens.components import ACTION_ROW, Style, walk
from cogs.screens.computer_words import hint_words
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen, hinted_screen
from cogs.screens.ids import key_of
from game.moves import Chance, PickUp, Play
from game.players.hints import Facts, Hint, Reason
from game.rules import Rules
from game.showing import seat_view
from game.text.notation import parse_cards
from game.text.position import set_up
from testkit.channel import Room, ids_on, matches
from testkit.made import Game, labels, replaced, texts
from testkit.offline import request_at
from testkit.scenes import state_of


async def at_a_choice(room: Room):
    """Play on until somebody has a choice; return that person and their hand."""
    for person in room.people[:2]:
        await room.press(person, await room.hand(person), "ready")
    if (await room.tables.snapshot(room.table_id)).view.phase == "call":
        await room.press(room.people[0], room.public(), "call")
    for _ in range(40):
        for person in room.people[:2]:
            shown = await room.hand(person)
            if any(matches(each, "hint") for each in ids_on(shown)):
                return person, shown
            move = next((each for each in ids_on(shown) if matches(each, "play") or matches(each, "pickup")), None)
            if move:
                await person.click(shown, custom_id=move)
                await room.idle()
    raise AssertionError("nobody had a choice")


async def test_a_hint_is_a_move_that_can_be_made(room: Room):
    await room.start()
    person, shown = await at_a_choice(room)
    asked = await room.press(person, shown, "hint")
    (container,) = asked.response.components
    kinds = [each["type"] for each in container["components"]]
    above = container["components"][kinds.index(ACTION_ROW) - 1]
    assert above["content"].startswith("-# Hint: "), "right above the buttons"
    assert texts(asked.response.components).startswith("## Your turn")
    assert any(matches(each, "play") for each in ids_on(asked.response))


@pytest.mark.parametrize(("leavers", "verb"), [(1, "stop"), (2, "leave")], ids=["stopped", "given up"])
async def test_a_game_that_was_broken_off_has_no_hint(room: Room, leavers, verb):
    await room.start()
    person, _ = await at_a_choice(room)
    for leaver in sorted(room.people[:leavers], key=lambda each: each is person):
        await room.confirm(leaver, verb)
    hand, hint = await room.tables.play.hint(request_at(await room.table(), person.id, id=7))
    assert hand.view.moves, "it was their turn"
    assert hint is None


@pytest.mark.parametrize(
    ("pile", "said"), [("4c", "Hint: pick up the pile, although you could play."), ("Ac", "Hint: pick up the pile.")]
)
def test_advice_to_pick_up_says_so_if_there_is_a_play(pile, said):
    state = set_up({"seats": ["5c 6d | - | -", "4h | - | -"], "pile": pile}, Rules())
    hand = replaced(Game().hand(0), view=seat_view(state, 0))
    assert f"-# {said}" in texts(hinted_screen(formatter(), hand, Hint(PickUp(), (), Facts()))).splitlines()


def test_in_text_mode_a_hint_has_the_words_of_the_button():
    game, t = Game(seats=2), formatter(text=True)
    game.state = state_of("classic", seats=["7c 7d Kc | - | 3c 4d 6s", "4h 4s 8h | Td As 9h | 2c 5c 6c"], pile="6h")
    screen = hinted_screen(t, game.hand(0), Hint(Play(parse_cards("7c 7d")), ()))
    assert "-# Hint: play two sevens." in texts(screen)
    assert "Two sevens" in labels(screen)


@pytest.mark.parametrize(("advised", "has_one"), [("7c 7d", False), ("7c", True), ("Kc", True)])
def test_the_move_of_a_hint_is_one_green_button(advised, has_one):
    game = Game(seats=2)
    seats = ["7c 7d 7h 8c 8d 9c 9d Tc Th Jc Jd Qc Qd Kc | - | 3c 4d 6s", "4h 4s 8h | Td As 9h | 2c 5c 6c"]
    game.state = state_of("classic", seats=seats, pile="6h")
    hand, move = game.hand(0), Play(parse_cards(advised))
    plain, hinted = hand_screen(formatter(), hand), hinted_screen(formatter(), hand, Hint(move, ()))
    wanted = key_of(hand.snapshot.table).move(move)
    assert [each for each in walk(plain) if each.get("custom_id") == wanted] == [ANY] * has_one
    (button,) = [each for each in walk(hinted) if each.get("custom_id") == wanted]
    assert button["style"] == Style.GREEN
    assert [each["custom_id"] for each in walk(hinted) if each.get("style") == Style.GREEN] == [wanted]


def test_an_advised_pick_up_is_green_even_if_a_face_up_card_is_still_to_be_chosen():
    game = Game(seats=2)
    game.state = state_of("classic", seats=["- | 4h 5h 9d | 3c 4d 6s", "4s 8h | Td As 9h | 2c 5c 6c"], pile="7h")
    screen = hinted_screen(formatter(), game.hand(0), Hint(PickUp(parse_cards("4h")), (), Facts()))
    assert [each["label"] for each in walk(screen) if each.get("style") == Style.GREEN] == [
        "Pick up 1 card + 1 face-up"
    ]


async def test_the_host_may_forbid_hints(room: Room):
    lobby = await room.open()
    page = (await room.press(room.people[0], lobby, "more")).response
    await room.press(room.people[0], page, "hints", "off")
    assert not (await room.table()).hints
    assert "no hints" in texts(page.components).lower()
    await room.press(room.people[0], room.public(), "start")
    with pytest.raises(AssertionError, match="nobody had a choice"):
        await at_a_choice(room)


async def test_a_host_who_forbade_hints_may_allow_them_again(room: Room):
    page = (await room.press(room.people[0], await room.open(), "more")).response
    for value, offered in (("off", "Allow hints"), ("on", "Forbid hints")):
        await room.press(room.people[0], page, "hints", value)
        assert [each for each in labels(page.components) if each.endswith(" hints")] == [offered]
    assert (await room.table()).hints


async def test_an_old_button_gives_no_forbidden_hint(room: Room):
    await room.start()
    person, shown = await at_a_choice(room)
    loaded = room.tables._doorway.peek(room.table_id)
    room.tables._doorway.adopt(loaded.but(table=loaded.table.but(hints=False)))
    asked = await room.press(person, shown, "hint")
    assert texts(asked.response.components).startswith("-# There is no hint now.")


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence(reason):
    said = hint_words(formatter("en-GB"), Hint(PickUp(), (reason,)))
    assert said.startswith("Hint: pick up the pile. ")
    assert said.endswith(".")


FACTS = Facts(
    parse_cards("Ah Kd"), parse_cards("Qc 2s"), pile=1, played=2, answers=1, unseen=24, instead=parse_cards("3d")
)


@pytest.mark.parametrize(
    ("reason", "facts", "said"),
    [
        (Reason.SAVES_BETTER, FACTS, "It keeps A♥ K♦ for later."),
        (Reason.LEADS_LOW, FACTS, "Your better cards stay for later."),
        (Reason.KEEPS_SET, FACTS, "It keeps A♥ K♦ for later."),
        (Reason.GOOD_PILE, FACTS._replace(pile=5), "You take 5 cards, among them Q♣ 2♠."),
        (Reason.OVERALL, FACTS, "There is no simple reason: the computer rates it a little better than the rest."),
        (Reason.SMALL_PILE, FACTS, "It costs you only 1 card."),
        (Reason.SMALL_PILE, FACTS._replace(pile=3), "It costs you only 3 cards."),
        (Reason.LARGE_PILE, FACTS._replace(pile=8), "Picking up would cost you 8 cards."),
        (Reason.LARGE_PILE, FACTS, "Picking up would cost you 1 card."),
        (
            Reason.HARDER,
            FACTS._replace(answers=5, others=9),
            "It is harder to answer: of the 24 cards you have not seen, 5 would do, but 9 on 3♦.",
        ),
        (
            Reason.HARDER,
            FACTS._replace(others=2),
            "It is harder to answer: of the 24 cards you have not seen, 1 would do, but 2 on 3♦.",
        ),
        (Reason.SHEDS_MORE, FACTS, "It gets rid of 2 cards instead of 1."),
        (Reason.BLOCKS, FACTS._replace(answers=0), "The next player cannot answer it."),
        (
            Reason.BLOCKS,
            FACTS,
            "The next player probably cannot answer it: of the 24 cards you have not seen, 1 would do.",
        ),
        (Reason.ENDS_ZONE, FACTS._replace(from_hand=True), "Then your hand is empty."),
        (Reason.ENDS_ZONE, FACTS._replace(from_hand=False), "Then only your face-down cards are left."),
        (Reason.ODDS, FACTS._replace(answers=7), "Cards you have not seen that fit: 7 of 24."),
    ],
)
def test_a_reason_names_what_it_is_about(reason, facts, said):
    told = hint_words(formatter("en-GB"), Hint(PickUp(), (reason,), facts)).replace("\ufe0e", "")
    assert told == f"Hint: pick up the pile. {said}"


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (Play(parse_cards("7c 7d")), "Hint: play 7♣ 7♦."),
        (Play(parse_cards("7c"), "low"), "Hint: play 7♣ low."),
        (Play(parse_cards("7c"), "high"), "Hint: play 7♣ high."),
        (PickUp(parse_cards("4d")), "Hint: pick up the pile with 4♦."),
        (Chance(), "Hint: try the top card of the stock."),
    ],
)
def test_a_move_is_told_in_words(move, said):
    assert hint_words(formatter("en-GB"), Hint(move, ())).replace("\ufe0e", "") == said


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (Play(parse_cards("7c 7d")), "Hint: play the 7 of clubs and the 7 of diamonds. It keeps the 10 of spades"),
        (PickUp(parse_cards("4d")), "Hint: pick up the pile with the 4 of diamonds. It keeps the 10 of spades"),
    ],
)
def test_in_text_mode_an_advised_card_has_its_article(move, said):
    hint = Hint(move, (Reason.SAVES_BETTER,), Facts(saved=parse_cards("Ts")))
    assert hint_words(formatter("en-GB", text=True), hint) == f"{said} for later."
