"""The exchange: only one's own cards can be chosen, whatever the id of a button says."""

import re
from itertools import chain

import pytest

from cogs.screens.components import SELECT, walk
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import parse_id
from cogs.screens.prepare_screens import exchange_screen, stacked, tribute_screen
from cogs.screens.table_screens import public_screen
from game.cards import format_card, rank_of
from game.moves import Ready
from game.players.quick_player import best_choice, best_swap
from game.rules import Rules
from game.showing import seat_view, table_view
from game.text.notation import parse_cards
from game.text.position import set_up
from game.variants import variants
from tables.snapshots import HandSnapshot, TableSnapshot
from testkit.channel import Room, ids_on, matches
from testkit.faults import fail, the_id, view_of
from testkit.found import not_none
from testkit.made import Game, labels, made_table, pressed, texts, within_limits
from testkit.offline import prefer, request_at
from testkit.scenes import state_of
from testkit.shortcuts import play_on

FIRST = Game(seats=2, seed=4).hand(0).view
FOREIGN = next(card for card in range(52) if card not in {*FIRST.hand, *(card for slot in FIRST.up for card in slot)})


@pytest.mark.parametrize("side", ["h", "u"])
def test_a_card_that_is_not_there_cannot_be_chosen_and_is_not_named(side):
    hand = Game(seats=2, seed=4).hand(0)
    screen = exchange_screen(formatter(), hand, side + format_card(FOREIGN))
    assert screen == exchange_screen(formatter(), hand)
    assert "chosen" not in texts(screen)


def test_a_held_card_is_chosen_and_every_face_up_card_can_be_swapped_for_it():
    hand = Game(seats=2, seed=4).hand(0)
    held = format_card(hand.view.hand[0])
    swaps = [argument for verb, argument in pressed(exchange_screen(formatter(), hand, f"h{held}")) if verb == "swap"]
    assert swaps == [held + format_card(slot[0]) for slot in hand.view.up]


@pytest.mark.parametrize("side", ["h", "u"])
def test_the_question_names_the_card_to_swap_and_where_the_other_one_is(side):
    hand = Game(seats=2, seed=4).hand(0)
    card = hand.view.hand[0] if side == "h" else hand.view.up[0][0]
    said = texts(exchange_screen(formatter(), hand, side + format_card(card)))
    name = formatter().card(card)
    own, other, kind = ("Hand", "Face-up", "face-up card") if side == "h" else ("Face-up", "Hand", "hand card")
    assert f"### {own}: {name} chosen" in said
    assert f"### Swap {name} with which {kind}?" in said
    assert f"### {other}" not in said


@pytest.mark.parametrize(
    ("exchange", "told"),
    [
        ("any", "Tap a strong hand card, then one face-up"),
        ("one", "One swap: tap a strong hand card, then one face-up"),
        ("none", "Play starts when everybody is ready"),
    ],
)
def test_the_hand_says_how_to_swap_only_if_anything_can_be_swapped(exchange, told):
    rules = Rules().changed_with({"deal": {"exchange": exchange}})
    assert f"-# {told}\n" in texts(exchange_screen(formatter(), Game(rules, seats=2, seed=4).hand(0)))


@pytest.mark.parametrize(
    ("deal", "label"),
    [({"exchange": "one"}, "Best swap"), ({}, "Best three up"), ({"face_up": 1}, "Best card up")],
)
def test_the_button_that_swaps_for_you_says_how_much_it_swaps(deal, label):
    game = Game(Rules().changed_with({"deal": deal}), seats=2, seed=4)
    assert label in labels(exchange_screen(formatter(), game.hand(0)))


@pytest.mark.parametrize(
    ("chosen", "slots"),
    [
        ("7h 8c 9c", ["7h", "8c", "9c"]),
        ("7h 7d 8c 9c", ["7h 7d", "8c", "9c"]),
        ("7h 7d 8c", ["7h", "7d", "8c"]),
        ("7h 7d 7s", ["7h", "7d", "7s"]),
        ("7h 8c", None),
        ("7h 8c 9c Tc", None),
    ],
)
def test_chosen_cards_of_one_rank_share_a_place_unless_one_would_stay_empty(chosen, slots):
    filled = stacked(parse_cards(chosen), 3)
    assert filled == (slots and tuple(map(parse_cards, slots)))


def test_sharing_a_place_is_explained_to_those_who_hold_cards_of_one_rank():
    for seed in range(8):
        hand = Game(variants()["karma"].rules, 2, seed).hand(0)
        has_equal = len({rank_of(card) for card in hand.view.hand}) < len(hand.view.hand)
        assert ("cards of one rank share a place" in texts(hand_screen(formatter(), hand))) == has_equal


@pytest.mark.parametrize(
    ("held", "most"),
    [("4s 5s 6h 7h 8c 9c", 3), ("4s 4h 6h 7h 8c 9c", 4), ("4s 4h 6h 6c 8c 9c", 5), ("4s 4h 4c 4d 8c 8s", 6)],
)
def test_no_more_cards_can_be_chosen_than_have_room(held, most):
    seats = [f"{held} | - | 2c 7d 6c", "4h 8d Qc Kd Qs Jh | - | 3c 5c 6s"]
    deal = {"method": "choose", "stacking": True, "packs": 2}
    view = seat_view(state_of({"deal": deal}, seats=seats, phase="exchange"), 0)
    table = made_table(view.table.rules, status="playing")
    screen = hand_screen(formatter(), HandSnapshot(TableSnapshot(table, view.table), view))
    (select,) = (each for each in walk(screen) if each["type"] == SELECT)
    assert (select["min_values"], select["max_values"]) == (3, most)


def test_two_equal_cards_do_not_make_two_equal_choices():
    seats = ["2s 3d 3d Xr Xb 9c | - | 2c 7d 6c", "4h 8d Qc Kd Qs Jh | - | 3c 5c 6s"]
    deal = {"method": "choose", "packs": 2, "jokers": 2}
    view = seat_view(state_of({"deal": deal}, seats=seats, phase="exchange"), 0)
    table = made_table(view.table.rules, status="playing")
    screen = hand_screen(formatter(), HandSnapshot(TableSnapshot(table, view.table), view))
    (select,) = (each for each in walk(screen) if each["type"] == SELECT)
    chosen = [option["label"].replace("\ufe0e", "") for option in select["options"]]
    assert {"Joker 2♠ 3♦", "Joker Joker 2♠", "2♠ 9♣ 3♦"} < {*chosen}
    assert len(chosen) == len({*chosen})


async def test_cards_chosen_one_by_one_lie_face_up_and_more_ranks_than_places_are_refused(room: Room):
    room.chance.seed(2)  # a hand with a pair
    await room.start(seats=2, variant="karma")
    ann = room.people[0]
    hand = await room.hand(ann)
    (select,) = (each for each in walk(hand.components) if each["type"] == SELECT)
    ranks = {each["value"][0]: each["value"] for each in select["options"]}
    values = list(ranks.values())
    assert (select["min_values"], select["max_values"], len(values)) == (3, 4, 5)
    refused = await room.choose(ann, hand, "chosen", *values[:4])
    said = "**Too many different ranks:** only cards of one rank share a place."
    assert texts(refused.response.components) == said
    await room.choose(ann, hand, "chosen", *values[:3])
    seen = await room.tables.play.hand(request_at(await room.table(), ann.id, id=7))
    assert sorted(seen.view.up) == sorted(parse_cards(each) for each in values[:3])


async def test_three_cards_that_are_chosen_by_one_option_lie_face_up(room: Room):
    await room.start(seats=2, variant="choose-three")
    ann = room.people[0]
    hand = await room.hand(ann)
    (select,) = (each for each in walk(hand.components) if each["type"] == SELECT)
    value = select["options"][-1]["value"]
    await room.choose(ann, hand, "chosen", value)
    seen = await room.tables.play.hand(request_at(await room.table(), ann.id, id=7))
    assert sorted(map(format_card, chain(*seen.view.up))) == sorted((value[:2], value[2:4], value[4:]))


async def test_an_option_of_three_cards_puts_them_on_the_table_in_the_order_in_which_it_names_them(room: Room):
    await room.start(seats=2, variant="choose-three")
    put = []
    for person in room.people[:2]:
        hand = await room.hand(person)
        (select,) = (each for each in walk(hand.components) if each["type"] == SELECT)
        options = [each["value"] for each in select["options"]]
        value = next((each for each in options if each[0] == each[2] != each[4]), options[0])  # a pair, if there is one
        await room.choose(person, hand, "chosen", value)
        seen = await room.tables.play.hand(request_at(await room.table(), person.id, id=7))
        assert "".join(map(format_card, chain(*seen.view.up))) == value
        put.append(value)
    assert any(each[0] == each[2] for each in put)


async def test_where_cards_are_chosen_one_tap_puts_the_best_three_face_up(room: Room):
    await room.start(seats=2, variant="choose-three")
    ann = room.people[0]
    hand = await room.hand(ann)
    request = request_at(await room.table(), ann.id, id=7)
    best = best_choice((await room.tables.play.hand(request)).view)
    await room.press(ann, hand, "best")
    assert set(chain(*(await room.tables.play.hand(request)).view.up)) == set(chain(*best.slots))


async def test_one_tap_that_play_forestalls_leaves_the_swaps_made_and_shows_the_hand(room: Room, monkeypatch):
    await room.start(seats=2)
    ann, bob = room.people[:2]
    hand, play = await room.hand(ann), room.tables.play
    request = request_at(await room.table(), ann.id, id=7)
    first = best_swap((await play.hand(request)).view)
    asked, real = [], play.act

    async def forestalled(request, move):
        asked.append(move)
        if len(asked) == 2:
            for number, person in enumerate((ann, bob), 8):
                await real(request_at(await room.table(), person.id, id=number), Ready())
        return await real(request, move)

    monkeypatch.setattr(play, "act", forestalled)
    shown = (await room.press(ann, hand, "best")).response
    assert len(asked) == 2
    assert asked[0] == first
    view = (await play.hand(request)).view
    assert view.table.phase == "play"
    assert (first.hand,) in view.up
    assert texts(shown.components).startswith("## Your turn: play anything")


@pytest.mark.parametrize("verb", ["best", "poke"])
async def test_a_hand_from_before_play_is_replaced_by_the_current_one_without_a_word_on_swaps(room: Room, verb):
    await room.start(seats=2)
    ann, bob = room.people[:2]
    old = await room.hand(ann)
    if verb == "poke":
        await room.press(ann, old, "ready")
    clicked = the_id(old, verb)
    for number, person in enumerate((ann, bob), 8):
        if verb == "best" or person is bob:
            await room.tables.play.act(request_at(await room.table(), person.id, id=number), Ready())
    shown = (await ann.click(old, custom_id=clicked)).response
    assert re.match("(-# That hand was out of date.*\n)?## (Your turn|.* to play)", texts(shown.components))


@pytest.mark.parametrize("face_up", [0, 3])
def test_a_player_who_may_not_swap_sees_all_their_cards(face_up):
    rules = Rules().changed_with({"deal": {"exchange": "none", "face_up": face_up}})
    said = texts(exchange_screen(formatter(), Game(rules, seats=2, seed=4).hand(0)))
    assert "Hand: " in said
    assert "3 face-down" in said
    assert ("**Face-up**" in said) is bool(face_up)


@pytest.mark.parametrize("chosen", ["", "7h", "Kd"])
def test_with_two_packs_no_two_buttons_of_a_tribute_are_the_same(chosen):
    rules = Rules().changed_with({"deal": {"packs": 2}, "end": {"tribute": True}})
    seats = ["4c 5c 6c | 7h 7h Kd | 3c 4d 6s", "4h 5h 6h | 8d 8d 9h | 2c 7d 6c"]
    before = {"phase": "tribute", "last_winner": "A", "last_shithead": "B", "turn": "A"}
    view = seat_view(set_up({"seats": seats, **before}, rules), 0)
    hand = HandSnapshot(TableSnapshot(made_table(rules, status="playing"), view.table), view)
    screen = tribute_screen(formatter(), hand, chosen)
    within_limits(screen)
    assert sum(label.startswith("7") for label in labels(screen)) == 1
    assert ("### The loser’s cards: 8" in texts(screen)) is (not chosen), "then they are the buttons"


def test_a_call_says_what_to_do_to_those_who_hold_the_card_and_to_those_who_do_not():
    game = Game(seats=2)
    game.state = state_of(phase="call", seats=["3d 8c Jh | Th Qh Ks | -", "6c 9h Jd | Qc 5s Ac | -"])
    holder, other = (texts(hand_screen(formatter(), game.hand(seat))) for seat in (0, 1))
    assert holder.startswith("## You hold a 3: call it!")
    assert "If nobody calls, somebody who holds one starts." in holder
    assert "**Face-up** 10♥︎ Q♥︎ K♠︎" in holder
    assert other.startswith("### Who’s got a 3? First to call it starts\n-# Due")
    assert other.splitlines()[1].endswith(" · You have none: wait")
    assert "You have none" not in holder


@pytest.mark.parametrize(
    ("others", "title"), [("6c 9h Jd Qc 5s Ac | -", "Choose your face-up cards"), ("6c 9h Jd | Qc 5s Ac", "Ready?")]
)
def test_the_table_asks_for_face_up_cards_until_everybody_has_chosen_theirs(others, title):
    seats = ["3d 8c Jh | Th Qh Ks | 2c 7d 6s", f"{others} | 2s 7s 6d"]
    view = table_view(state_of({"deal": {"method": "choose"}}, phase="exchange", seats=seats))
    table = made_table(view.rules, status="playing")
    assert f"## {title}\n" in texts(public_screen(formatter(), TableSnapshot(table, view)))


@pytest.mark.parametrize("method", ["open", "choose"])
def test_a_call_says_that_nobody_was_dealt_the_card_face_up_only_where_cards_are_dealt_so(method):
    game = Game(seats=2)
    seats = ["3d 8c Jh | Th Qh Ks | -", "6c 9h Jd | Qc 5s Ac | -"]
    game.state = state_of({"deal": {"method": method}}, phase="call", seats=seats)
    assert ("Nobody was dealt a 3 face up." in texts(hand_screen(formatter(), game.hand(0)))) is (method == "open")


def test_buttons_for_stacking_come_with_what_stacking_is():
    game, said = Game(seats=2), "Stack: put a hand card on your face-up card of its rank, and draw another"
    for hand, stacks in (("Tc 8c Jh", ["Stack 10♣︎"]), ("9c 8c Jh", [])):
        seats = [f"{hand} | Th Qh Ks | -", "6c 9h Jd | Qc 5s Ac | -"]
        game.state = state_of({"deal": {"stacking": True}}, phase="exchange", seats=seats, stock="2c 2d")
        screen = hand_screen(formatter(), game.hand(0))
        assert [each for each in labels(screen) if "Stack" in each] == stacks
        assert (said in texts(screen)) is bool(stacks)


@pytest.mark.parametrize(
    ("chosen", "swaps"),
    [("h9c", ["9cQh"]), ("hJh", ["JhQh", "JhJc", "JhJd"]), ("uJc", ["JhJc"]), ("uQh", ["9cQh", "JhQh"])],
)
def test_a_stacked_card_is_swapped_only_for_one_of_its_rank(chosen, swaps):
    game, seats = Game(seats=2), ["9c Jh | Qh Jc+Jd | -", "6c 9h | Qc 5s | -"]
    game.state = state_of({"deal": {"stacking": True}}, phase="exchange", seats=seats)
    offered = pressed(exchange_screen(formatter(), game.hand(0), chosen))
    assert [argument for verb, argument in offered if verb == "swap"] == swaps
    assert sum(verb in {"swap", "pick", "hand"} for verb, _ in offered) == 5, "any other card can be tapped instead"


async def test_in_text_mode_the_first_line_says_what_was_swapped(room: Room):
    await room.start(seats=2)
    ann, t = room.people[0], formatter(text=True)
    for person in room.people[:2]:
        await prefer(room.tables, room.guild.id, person.id, text_mode=True)
    hand = await room.hand(ann)
    assert texts(hand.components).startswith("## Swap before play")
    held = next(each for each in ids_on(hand) if matches(each, "pick"))
    await ann.click(hand, custom_id=held)
    swap = next(each for each in ids_on(hand) if matches(each, "swap"))
    laid, taken = parse_cards(f"{parse_id(swap).argument[:2]} {parse_id(swap).argument[2:4]}")
    await ann.click(hand, custom_id=swap)
    first, *_ = texts(hand.components).splitlines()
    assert first == f"-# You put the {t.card(laid)} on the table and took the {t.card(taken)}."
    await ann.click(hand, custom_id=the_id(hand, "refresh"))
    again, *_ = texts(hand.components).splitlines()
    assert again == f"-# This hand is up to date. {first.removeprefix('-# ')}"
    bob = await room.hand(room.people[1])
    assert texts(bob.components).startswith("## Swap before play")
    for person, there in zip(room.people, (hand, bob), strict=False):
        await person.click(there, custom_id=next(each for each in ids_on(there) if matches(each, "ready")))
    assert "You put" not in texts((await room.hand(ann)).components).splitlines()[0]


async def test_a_card_tapped_on_an_old_hand_after_getting_ready_is_not_asked_about(room: Room):
    await room.start(seats=2)
    ann = room.people[0]
    old = await room.hand(ann)
    fail(room, ("DELETE", "/webhooks/*/*/messages/*"), 403)  # so that the old hand stays beside the new one
    await room.press(ann, (await ann.slash(room.channel, "shithead hand")).response, "ready")
    await room.press(ann, old, "pick")
    assert texts(old.components).startswith("### Waiting")
    assert not [each for each in ids_on(old) if matches(each, "pick")]


async def test_the_last_winner_swaps_a_card_with_the_last_shithead_by_two_taps(room: Room):
    await room.open(seats=2)
    table = await room.table()
    request = request_at(table, room.people[0].id, id=7)
    await room.tables.lobby.change(request, rules=table.rules.changed_with({"end": {"tribute": True}}))
    await room.idle()
    await room.press(room.people[0], room.public(), "start")
    await play_on(room)
    await room.again(room.people[0])
    before = await view_of(room)
    winner, loser = room.people[not_none(before.turn)], room.people[1 - not_none(before.turn)]
    assert texts(room.public().components).startswith(f"## {winner.name.title()} may take tribute")
    hand = await room.hand(winner)
    assert texts(hand.components).startswith("## You won the last game: swap a card with the loser?")
    assert not [each for each in ids_on(await room.hand(loser)) if matches(each, "give")]
    own, theirs = (before.seats[room.people.index(each)].up[0][0] for each in (winner, loser))
    await room.press(winner, hand, "give", format_card(own))
    await room.press(winner, hand, "tribute", f"{format_card(own)}{format_card(theirs)}")
    after = await view_of(room)
    assert (
        after.phase,
        after.seats[not_none(before.turn)].up[0][0],
        after.seats[1 - not_none(before.turn)].up[0][0],
    ) == (
        "exchange",
        theirs,
        own,
    )
