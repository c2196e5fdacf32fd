"""Screens show what is true at this table and offer what can be done there."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from cogs.screens.components import ACTION_ROW, BUTTON, SELECT, Accent, Style, walk
from cogs.screens.end_screens import end_screen, your_end_screen
from cogs.screens.formatter import FaceEmojis, face_names, formatter
from cogs.screens.hand_parts import table_words
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import parse_id
from cogs.screens.language import LANGUAGES
from cogs.screens.lobby_screens import lobby_screen, more_screen, running_screen
from cogs.screens.rules_screens import help_screen, rules_screen
from cogs.screens.table_screens import nudge_screen, public_screen
from cogs.screens.tea_screens import served_screen
from game.cards import parse_card
from game.events import Burned, Ended, PickedUp, Played
from game.moves import Chance, Flip, PickUp, Play, Ready, advance, parse_move
from game.rules import MOST_SEATS, Rules
from game.showing import seat_view
from game.text.notation import parse_cards
from game.text.position import set_up
from game.variants import variants
from testkit.channel import DRAWN, Room
from testkit.made import START, Game, labels, made_debt, made_table, replaced, texts, with_computer
from testkit.scenes import state_of
from testkit.shortcuts import play_on, sentence

ROOT = Path(__file__).parents[2]
t = formatter()


def on_turn(game: Game):
    """The hand of the seat on turn."""
    while game.state.frame.phase != "play":
        game.step()
    return game.hand(game.state.turn)


def selects(screen):
    """The options of each select, by its placeholder."""
    found = [each for each in walk(screen) if each["type"] == SELECT]
    return {each["placeholder"]: [option["label"] for option in each["options"]] for each in found}


def wide(label):
    """The approximate width of a button in pixels: its letters, its edges and the gap to the next one."""
    return 30 + sum(14 if ord(letter) > 0x2FFF else 7 for letter in label)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_row_of_lobby_and_end_breaks_on_a_phone(language):
    fmt, over = formatter(language), Game(seats=3, seed=1)
    over.table = over.table.model_copy(update={"status": "over"})
    ended = replaced(over.snapshot(), debt=made_debt(1, 100, 101))
    screens = [
        lobby_screen(fmt, made_table(seats=1)),
        lobby_screen(fmt, made_table(seats=3)),
        lobby_screen(fmt, made_table(seats=3, status="lobby", game=2, turn_since=START).with_player(2, left=True)),
        end_screen(fmt, ended),
    ]
    rows = [each["components"] for screen in screens for each in walk(screen) if each["type"] == ACTION_ROW]
    buttons = [[part["label"] for part in row] for row in rows if row[0]["type"] == BUTTON]
    assert len(buttons) > 3
    assert not [row for row in buttons if len(row) > 1 and sum(map(wide, row)) > 283]


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(0.2, "1 minute"), (119, "119 minutes"), (150, "2 hours"), (47 * 60, "47 hours"), (14 * 24 * 60 + 90, "14 days")],
)
def test_the_end_tells_the_length_of_a_game_in_a_unit_that_people_can_grasp(minutes, told):
    over = Game(seats=3, seed=1)
    ended_at = START + timedelta(minutes=minutes)
    over.table = over.table.model_copy(update={"status": "over", "started_at": START, "ended_at": ended_at})
    assert re.search(rf"moves? in {told}\b", texts(end_screen(formatter(), over.snapshot())))


@pytest.mark.parametrize(("state", "told"), [("owed", True), ("served", False)])
@pytest.mark.parametrize(
    ("owed_to", "words"),
    [
        ((101,), "Once the debt is paid, whoever is owed presses **Mark served**"),
        ((101, 102), "Once the debt is paid, one of those who are owed presses **Mark served**, for all of them"),
    ],
)
def test_the_end_says_above_mark_served_who_may_press_it_while_it_can_be_pressed(owed_to, words, state, told):
    over = Game(seats=3, seed=1)
    over.table = over.table.but(status="over")
    screen = end_screen(t, replaced(over.snapshot(), debt=made_debt(1, 100, *owed_to, state=state)))
    assert ("Mark served" in labels(screen)) == told
    parts = [each.get("content", each["type"]) for each in walk(screen)]
    assert (f"-# {words}" in parts) == told
    assert not told or parts[parts.index(f"-# {words}") + 1] == ACTION_ROW


def test_marking_served_says_for_whom_else_it_is_settled_and_how_to_undo_it():
    debt = made_debt(1, 100, 101, 102, 103, state="served", settled_by=102)
    said = texts(served_screen(t, debt))
    assert said.startswith("**<@100>** · a cup of tea 🍵: served ✓\nYou settled it for <@101> and <@103>, too.\n-# ")
    pizza = made_debt(2, 100, 101, state="served", settled_by=101, forfeit="a pizza")
    assert texts(served_screen(t, pizza)).startswith("**<@100>** · a pizza: served ✓\n-# Too early?")
    assert "**Undo last** takes it back within 10 minutes" in said


@pytest.mark.parametrize(
    ("state", "to_debtor", "to_creditor", "to_others"),
    [
        ("owed", "You owe {them} {tea}", "**Ann** owes you {tea}", "**Ann** owes {them} {tea}"),
        (
            "served",
            "You owed {them} {tea}: served ✓",
            "**Ann** owed you {tea}: served ✓",
            "**Ann** owed {them} {tea}: ",
        ),
        ("forgiven", "You owed {them} {tea}: forgiven ✓", "owed you {tea}: forgiven ✓", "owed {them} {tea}: forgiven"),
        ("cancelled", "You owed {them} {tea}: cancelled", "owed you {tea}: cancelled", "owed {them} {tea}: cancelled"),
    ],
)
def test_the_end_in_a_hand_says_who_owes_what_from_the_readers_side(state, to_debtor, to_creditor, to_others):
    over = Game(seats=4, seed=1)
    over.table = over.table.but(status="over")
    for seat, said in enumerate((to_debtor, to_creditor, to_creditor, to_others)):
        hand = over.hand(seat)
        hand = replaced(hand, snapshot=replaced(hand.snapshot, debt=made_debt(1, 100, 101, 102, state=state)))
        shown = said.format(them="**Bob** and **Cy**", tea="a cup of tea 🍵")
        assert shown in texts(your_end_screen(t, hand))


def test_the_end_in_a_hand_tells_the_last_move():
    hand = Game(seats=2, seed=1).hand(0)
    view = replaced(hand.view, table=replaced(hand.view.table, phase="over", shithead=0))
    snapshot = replaced(hand.snapshot, recent=(Played(1, parse_cards("4c")), Ended(0, 1)))
    assert "Bob played a four." in texts(hand_screen(formatter(), replaced(hand, snapshot=snapshot, view=view)))


AWAITED = {
    "en": "1 of 3 ready · waiting for Ann and you",
    "de": "warten auf Ann und dich",
    "es": "en espera: Ann y tú",
    "fi": "odotetaan: Ann ja sinä",
    "fr": "en attente\u202f: Ann et toi",
    "it": "in attesa di Ann e te",
    "ja": "Annとあなたを待っています",
    "sv": "väntar på Ann och dig",
}


@pytest.mark.parametrize("language", AWAITED)
def test_the_hand_of_a_player_who_is_not_ready_says_so_without_their_name(language):
    game, fmt = Game(seats=3, seed=1), formatter(language)
    game.state = advance(game.state, 2, Ready())
    said = texts(hand_screen(fmt, game.hand(1)))
    assert AWAITED[language] in said
    assert "Bob" not in said
    assert "Bob" in texts(public_screen(fmt, game.snapshot()))


@pytest.mark.parametrize(
    ("last", "bob", "label"),
    [
        ("B", "9c 9d | - | -", "Bob takes 1 card"),
        ("C", "9c 9d | - | -", "Cy takes 1 card"),
        ("B", "- | - | -", "Pick up 1 card"),
        (None, "9c 9d | - | -", "Pick up 1 card"),
    ],
)
def test_whoever_is_stuck_reads_who_takes_the_pile(last, bob, label):
    rules, game = Rules().changed_with({"play": {"stuck": "previous"}}), Game(seats=3)
    given = {"seats": ["3c 4d 5h | - | -", bob, "8c 8d | - | -"], "pile": "Kc"} | ({"last": last} if last else {})
    game.state = set_up(given, rules)
    assert labels(hand_screen(formatter(), game.hand(0)))[0] == label
    after = advance(game.state, 0, parse_move("pickup"))
    assert (after.seats[0].hand.bit_count() == 4) is label.startswith("Pick up")


@pytest.mark.parametrize("language", [code for code, each in LANGUAGES.items() if each.complete])
@pytest.mark.parametrize("up", ["10d 10s 10h", "10d 10s Qh Kd"])
def test_on_a_phone_no_small_face_is_alone_on_a_line(language, up):
    fmt = formatter(language, FaceEmojis(dict.fromkeys(face_names(), "1456074443980800006")))
    hand, cards = on_turn(Game(seats=2, seed=1)), parse_cards(up.replace("10", "T"))
    said = texts(hand_screen(fmt, replaced(hand, view=replaced(hand.view, up=tuple((each,) for each in cards)))))
    (named,) = [line for line in said.splitlines() if line.startswith("-# **")]
    words, faces = re.sub(r"<[^>]*>|\*|-# |\ufe0e", "", named).strip(), named.count("<")
    # Small print in a window of 400 pixels: a letter takes about 8, a suit or a Japanese one 13, a face 20.
    assert sum(13 if letter > "◿" or letter in "♣♦♥♠" else 8 for letter in words) + 20 * faces + 8 <= 275
    below = said.splitlines()[said.splitlines().index(named) + 1]
    assert faces + below.count("<:") * (len(cards) > 3) == len(cards)


def test_a_wild_joker_has_a_place_of_its_own_among_many_plays():
    wild = parse_card("Xr")
    found = 0
    for seed in range(60):
        game = Game(variants()["french"].rules, 3, seed)
        for _ in range(120):
            if game.over:
                break
            hand = game.hand(game.state.turn) if game.state.frame.phase == "play" else None
            if hand and any(isinstance(move, Play) and move.cards[0] & 63 >= wild for move in hand.view.moves):
                there = selects(hand_screen(t, hand))
                if there:
                    assert all("joker" in each.lower() for each in there["Play a joker as…"])
                    found += any(each.startswith("Joker as ") for each in there["Play a joker as…"])
                    others = [each for words, lines in there.items() if "joker" not in words for each in lines]
                    assert not [each for each in others if "joker" in each.lower()]
            game.step()
    assert found > 5


@pytest.mark.parametrize(
    ("moves", "left", "style"),
    [
        ((PickUp(),), ["Pick up 2 cards"], Style.RED),
        ((Chance(),), ["Try a card from the stock"], Style.BLURPLE),
        ((Chance(), PickUp()), ["Try a card from the stock", "Pick up 2 cards"], Style.GREY),
    ],
)
def test_a_player_who_cannot_play_reads_that_it_is_their_turn_and_all_that_is_left_to_do(moves, left, style):
    hand = on_turn(Game(variants()["egilsson"].rules, 2, 1))
    pile = (parse_card("Kc"), parse_card("Kd"))
    hand = replaced(hand, view=replaced(hand.view, moves=moves, table=replaced(hand.view.table, pile=pile)))
    screen = hand_screen(t, hand)
    assert texts(screen).splitlines()[0] == "## Your turn: nothing fits"
    buttons = [each for each in walk(screen) if each.get("label", "Hint") not in {"Hint", "Known cards"}]
    assert [each["label"] for each in buttons] == left
    assert buttons[-1]["style"] == style


@pytest.mark.parametrize(
    ("asks", "title", "offered"),
    [
        ("at-least", "8 or higher", ["8♦︎", "J♣︎", "Add 8♦︎", "Pick up 2 cards"]),
        ("below", "nothing fits", ["Add 8♦︎", "Pick up 2 cards"]),
    ],
)
def test_whoever_is_on_turn_again_at_once_can_also_add_a_card_just_drawn(asks, title, offered):
    rules = {"play": {"follow_up": True}, "powers": {"8": {"does": ["skip"], "asks": asks}}}
    game = Game(seats=2)
    before = state_of(rules, seats=["8c Jc | - | -", "4s | - | -"], stock="8d", pile="3c")
    game.state = advance(before, 0, parse_move("play 8c"))
    screen = hand_screen(t, game.hand(0))
    assert texts(screen).splitlines()[0] == f"## Your turn: {title}"
    assert [label for label in labels(screen) if label not in {"Hint", "Known cards"}] == offered


@pytest.mark.parametrize(
    ("along", "count"),
    [
        (["4h"], "2 cards + 1 face-up"),  # R13: one face-up card is picked up with the pile
        (["4h", "5h"], "2 cards + 1 face-up"),
        (["4h", "5h 5d"], "2 cards + 1–2 face-up"),  # stacked cards go together
    ],
)
def test_picking_up_with_a_face_up_card_says_how_many_cards_that_is(along, count):
    ups = [PickUp(parse_cards(cards)) for cards in along]
    hand = on_turn(Game(seats=2, seed=1))
    table = replaced(hand.view.table, pile=parse_cards("Ac Ad"))
    held = replaced(hand, view=replaced(hand.view, hand=(), moves=tuple(ups), table=table))
    assert f"Pick up {count}" in labels(hand_screen(t, held))
    could = replaced(held, view=replaced(held.view, moves=(Play(parse_cards("2h")), *ups)))
    assert f"Pick up {count}" in labels(hand_screen(t, could))


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("en", "Pick up 12 cards"),
        ("de", "12 Karten aufnehmen"),
        ("fr", "Ramasser 12 cartes"),
        ("es", "Recoger 12 cartas"),
        ("it", "Raccogli 12 carte"),
        ("ja", "12枚取る"),
        ("sv", "Plocka upp 12 kort"),
    ],
)
def test_the_button_for_the_pile_counts_cards_and_leaves_room_for_another_on_a_phone(language, label):
    fmt, hand = formatter(language), on_turn(Game(seats=2, seed=1))
    pile = (parse_card("Kc"),) * 12
    hand = replaced(hand, view=replaced(hand.view, moves=(PickUp(),), table=replaced(hand.view.table, pile=pile)))
    screen = hand_screen(fmt, hand)
    rows = [[part.get("label") for part in each["components"]] for each in walk(screen) if each["type"] == ACTION_ROW]
    row = next(each for each in rows if label in each)
    assert sum(map(wide, row)) <= 283
    assert wide(label) + wide(fmt("Hint")) <= 283


def test_rules_mention_jokers_only_if_anybody_may_hold_one():
    rules = Rules()
    assert "Jokers" not in texts(rules_screen(t, "classic", rules, 3))
    assert "Only with six" not in texts(rules_screen(t, "classic", rules, 6))
    assert "Jokers" in texts(rules_screen(t, "classic", rules, 6))
    assert "Only with six players or more." in texts(rules_screen(t, "classic", rules))
    for name in ("superjoker", "french"):
        assert "xtra jokers" not in texts(rules_screen(t, name, variants()[name].rules))


def test_rules_mention_a_pack_that_is_added_for_six_only_if_one_is():
    rules = Rules().changed_with({"deal": {"pack_for_six": True}})
    assert "\n- With six players or more, one pack is added.\n" in texts(rules_screen(t, "classic", rules))
    assert "xtra pack" not in texts(rules_screen(t, "classic", Rules(), 6))


def test_house_rules_are_shown_at_the_table_and_above_its_rules():
    told = "House rule · Sevens: next card 7 or lower."
    rules = Rules().changed_with({"powers": {"7": {"asks": "at-most"}}})
    assert "-# House rule · After 7: 7 or lower" in texts(public_screen(t, Game(rules).snapshot())).splitlines()
    for screen in (rules_screen(t, "classic", rules), lobby_screen(t, made_table(rules=rules))):
        lines = texts(screen).splitlines()
        assert lines[lines.index(told) + 1].startswith("-# Based on Classic: Match or beat the pile")
    for screen in (public_screen(t, Game().snapshot()), rules_screen(t, "classic", Rules())):
        assert "House rule" not in texts(screen)


def test_the_table_names_house_rules_as_the_buttons_that_switch_them_on():
    rules = Rules().changed_with({"deal": {"hand": 4}, "powers": {"8": {"does": ["skip"]}, "J": {"does": ["reverse"]}}})
    told = "-# House rules · Four cards in hand · 8 skips · Jack reverses"
    assert told in texts(public_screen(t, Game(rules).snapshot())).splitlines()


def test_below_the_table_long_house_rules_have_their_titles_and_a_number_tells_of_those_that_do_not_fit():
    rules = variants()["superjoker"].rules
    told = "-# House rules · Five players at most · One joker in the pack · 8 skips · and 3 more"
    assert told in texts(public_screen(t, Game(rules).snapshot())).splitlines()
    flush = Rules().changed_with({"play": {"flush": True}})
    assert "-# House rule · First burner clears" in texts(public_screen(t, Game(flush).snapshot())).splitlines()


def test_below_the_table_a_rule_that_is_switched_off_is_not_named_as_if_it_were_on():
    rules = variants()["garfield"].rules.changed_with({"play": {"four_on_anything": False}})
    game = Game(rules)
    table = game.table.but(variant="garfield")
    said = texts(public_screen(t, replaced(game.snapshot(), table=table)))
    assert "House rule · Four of a kind from the hand must fit the pile like any other cards" in said


def test_the_table_shows_as_many_house_rules_as_fit_into_two_lines():
    rules = Rules().changed_with({"powers": {rank: {"does": ["skip"]} for rank in "3456789"}})
    (told,) = [line for line in texts(public_screen(t, Game(rules).snapshot())).splitlines() if "House rules" in line]
    assert len(told) < 105
    assert told.endswith(" · and 5 more")


def page(**changes):
    """The rules page of the classic game with some options changed."""
    return texts(rules_screen(t, "classic", Rules().changed_with(changes)))


NO_TABLE_CARDS = {"face_up": 0, "face_down": 0}
NO_BURN = {"2": {"on": "rank"}, "10": {"on": "rank", "does": []}}


@pytest.mark.parametrize(
    ("changes", "left_out"),
    [
        ({"end": {"aim": "winner"}}, "The loser deals"),
        ({"end": {"aim": "winner", "tribute": True}}, "swap a face-up card with the last loser"),
        ({"deal": NO_TABLE_CARDS}, "playing face-up cards"),
        ({"deal": NO_TABLE_CARDS}, "exchanged for face-up ones"),
        ({"deal": NO_TABLE_CARDS}, "then face-up, then face-down"),
        ({"deal": {"face_down": 0}}, "then face-down"),
        ({"deal": {"face_down": 0}}, "One that does not fit"),
        ({"deal": {"face_up": 0}}, "then face-up"),
        ({"deal": NO_TABLE_CARDS | {"stacking": True}, "play": {"combo": True}}, "face-up slot"),
        ({"deal": NO_TABLE_CARDS, "play": {"combo": True}}, "equal face-up cards"),
        ({"play": {"four_of_a_kind": False}, "powers": NO_BURN}, "If you burn the pile"),
        ({"play": {"four_of_a_kind": False, "flush": True}, "powers": NO_BURN}, "sweeper"),
        ({"play": {"runs_through_glass": True}, "seats": (2, 5)}, "break up four of a kind"),
        ({"seats": (2, 5)}, "breaks up four of a kind"),
        ({"start": {"by": "left", "must_lead": True}}, "must begin with"),
        ({"deal": {"hand": 6}}, "Jokers"),
        ({"deal": {"jokers": 2}, "seats": (2, 5)}, "jokers are added"),
        ({}, "jokers are added"),
        ({"deal": {"by_seats": {2: 6}}}, "until you hold three again"),
    ],
)
def test_the_rules_leave_out_what_has_no_effect(changes, left_out):
    assert left_out not in page(**changes)


def test_the_rules_say_that_a_card_is_turned_up_to_start():
    assert "turned up from the stock" in page(start={"by": "thrown", "turn_up": True})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "then face-up, then face-down, flipped blind. One that does not fit is picked up with the pile."),
        ({"deal": NO_TABLE_CARDS}, "Get rid of your cards."),
        ({"deal": {"face_down": 0}}, "hand first, then face-up."),
        ({"deal": {"face_up": 0}}, "hand first, then face-down, flipped blind."),
        ({"deal": {"by_seats": {2: 6}}}, "until you hold as many cards as at the start"),
        ({"play": {"four_of_a_kind": False, "interrupt": True}, "powers": NO_BURN}, "If you burn the pile"),
        ({"play": {"runs_through_glass": True}, "powers": {"3": {"asks": "under"}}}, "do not break up four of a kind"),
        ({}, "If you pick up in your turn, the next player starts a new pile."),
        ({"play": {"four_of_a_kind": False, "interrupt": True}}, "out of turn; that always burns the pile."),
        ({"powers": {"3": {"asks": "under"}}}, "A see-through card breaks up four of a kind."),
        (
            {"deal": {"jokers": 2}, "powers": {"joker": {"on": "rank", "asks": "at-least", "does": []}}},
            "Jokers: anything goes next.",
        ),
        ({"deal": {"jokers": 2}}, "Two jokers in the pack.\n- With six players or more, two jokers are added."),
    ],
)
def test_the_rules_mention_what_has_an_effect(changes, told):
    assert told in page(**changes)


async def test_the_rules_of_a_lobby_with_fewer_than_six_seats_do_not_mention_jokers(room: Room):
    await room.open(seats=2)
    assert "Jokers" in texts((await room.press(room.people[0], room.public(), "rules")).response.components)
    more = (await room.press(room.people[0], room.public(), "more")).response
    await room.choose(room.people[0], more, "seats", "4")
    assert "Jokers" not in texts((await room.press(room.people[0], room.public(), "rules")).response.components)


@pytest.mark.parametrize(("must", "told"), [(False, "You may pick up even when"), (True, "You must play when you can")])
def test_rules_always_say_whether_one_may_pick_up_by_choice(must, told):
    rules = Rules().changed_with({"play": {"must_play": must}})
    assert told in texts(rules_screen(t, "classic", rules))


def test_the_page_behind_more_stays_true_whatever_happens_at_the_table():
    game = Game(seats=3, seed=1)
    host, other = (game.table.players[seat].user_id for seat in (0, 1))
    for reader, moderator in ((host, False), (other, False), (other, True)):
        shown = set()
        for _ in range(30):
            for overdue in (False, True):
                table = game.table.model_copy(update={"overdue": overdue}).with_player(2, wants_stop=overdue)
                screen = running_screen(t, table, reader, moderator=moderator)
                shown.add((texts(screen), *labels(screen)))
                assert not any(each.get("disabled") for each in walk(screen))
            game.step()
        assert len(shown) == 1, "the page is never redrawn"
        assert "<t:" not in str(shown)


def test_the_lobby_says_from_which_variant_rules_with_a_name_of_their_own_come():
    for title, is_said in (("Friday rules", True), ("", False)):
        lobby = made_table(status="lobby", started_at=None, title=title)
        assert ("From Classic" in texts(lobby_screen(formatter(), lobby))) == is_said


def test_the_page_behind_more_counts_changed_rules_before_and_during_a_game():
    plain = Game(seats=3, seed=1).table
    powers = {"7": {"asks": "at-most"}, "8": {"does": ["skip"]}}
    changed = plain.but(variant="classic", rules=Rules().changed_with({"powers": powers}))
    for table, said in ((changed, "\n-# From Classic · 2 rules changed"), (changed.but(rules=Rules()), "")):
        for screen in (
            running_screen(t, table, table.host_id, moderator=False),
            running_screen(t, table, 999, moderator=False),
            more_screen(t, table.but(status="lobby"), table.host_id, ()),
        ):
            assert texts(screen).startswith(f"### Shithead · Classic{said}")
            assert ("changed" in texts(screen)) is bool(said)


def test_the_page_behind_more_of_a_lobby_stays_true_when_somebody_sits_down():
    one, three = (made_table(seats=seats, variant="classic", status="lobby") for seats in (1, 3))
    assert texts(more_screen(t, one, 999, ())) == texts(more_screen(t, three, 999, ()))


def test_every_select_behind_more_says_what_it_is_for():
    page = more_screen(t, made_table(seats=3, variant="classic", status="lobby"), 100, ())[0]["components"]
    above, said = {}, ""
    for each in page:
        said = each.get("content", "").splitlines()[-1:] or said
        for select in each.get("components", []):
            if select["type"] == SELECT:
                shows = [option for option in select["options"] if option.get("default")]
                above[parse_id(select["custom_id"]).verb] = said[-1] if shows else select["placeholder"]
    assert above == {
        "computer": "Add a computer",
        "variant": "More variants: Unusual",
        "pace": "-# Pace",
        "match": "-# Match",
        "seats": "-# Seats",
        "kick": "Remove a player",
    }
    assert "Changes apply at once" in texts(page)


def test_a_host_who_has_left_is_offered_their_seat_and_not_to_stop_the_game():
    table = Game(seats=3, seed=1).table.with_player(0, left=True)
    page = labels(running_screen(t, table, table.host_id, moderator=False))
    assert (page[0], "Stop the game" in page, "Vote to stop" in page) == ("Take my seat back", False, False)
    assert "Stop the game" in labels(running_screen(t, table, table.host_id, moderator=True))


def test_nobody_is_asked_to_play_for_computers():
    table = Game(seats=2, seed=1).table
    alone = with_computer(table, 1, "fair")
    reader = table.players[0].user_id
    page = running_screen(t, table, reader, moderator=False)
    assert "Play for whoever is late" in labels(page)
    assert "No move can be undone, nobody removed; the computer plays for whoever stays away" in texts(page)
    assert "Play for whoever is late" not in labels(running_screen(t, alone, reader, moderator=False))


def test_with_nobody_left_the_table_says_when_it_closes_and_not_who_is_played_for():
    game = Game(seats=2, seed=1, overdue=True)
    away = game.table.with_player(0, away=True)
    with_others, alone = (
        texts(public_screen(t, replaced(game.snapshot(), table=table)))
        for table in (away.but(turn_since=away.created_at), away)
    )
    assert "is away 💤 · the computer plays for them" in with_others
    assert "the computer plays" not in alone
    assert "Unless somebody comes back, the game ends <t:" in alone


@pytest.mark.parametrize("gone", [{"away": True}, {"left": True}])
def test_no_text_says_that_a_player_who_is_out_is_played_for(gone):
    game = Game(seats=3, seed=1)
    table = game.table.with_player(0, **gone).but(turn_since=game.table.created_at)
    view = game.snapshot().view
    out = replaced(view, seats=(replaced(view.seats[0], place=1), *view.seats[1:]))
    said = [texts(public_screen(t, replaced(game.snapshot(), table=table, view=each))) for each in (view, out)]
    assert ["the computer plays" in each for each in said] == [True, False]


def test_a_player_against_computers_is_not_offered_to_be_played_for():
    game = Game(seats=3, seed=1, overdue=True)
    late = on_turn(game).view.seat
    people = {seat for seat in range(3) if seat != late}
    for gone in ({"user_id": None}, {"left": True}):
        table = game.table
        for seat in people:
            table = table.with_player(seat, **gone)
        snapshot = replaced(game.snapshot(), table=table)
        assert labels(nudge_screen(t, snapshot, [table.players[late].user_id])) == ["My hand", "Don’t ping me"]


def test_while_several_are_late_nobody_in_particular_is_offered_to_be_played_for():
    game = Game(seats=3, seed=1, overdue=True)
    people = [player.user_id for player in game.table.players]
    assert labels(nudge_screen(t, game.snapshot(), people[:2])) == ["My hand", "Don’t ping me"]


def test_whoever_waits_sees_the_face_up_cards_that_come_next():
    game = Game(seats=2)
    game.state = state_of("classic", seats=["4c 9c | - | -", "- | Kd Qs | -"], pile="5c")
    assert "**Face-up** K" in texts(hand_screen(t, game.hand(1)))


def test_face_up_cards_that_were_drawn_as_text_get_their_faces_once_those_are_uploaded():
    game = Game(seats=2)
    game.state = state_of("classic", seats=["4c 9c | - | -", "- | Kd Qs | -"], pile="5c")
    drawn = [
        texts(hand_screen(formatter(faces=faces, text=text), game.hand(1)))
        for faces, text in (
            (FaceEmojis(), False),
            (DRAWN, False),
            (replace(DRAWN, four_colours=True), False),
            (None, True),
        )
    ]
    king = ["<:king_diamonds:" in each for each in drawn], ["<:king_diamonds_4c:" in each for each in drawn]
    assert king == ([False, True, False, False], [False, False, True, False])
    assert ["king of diamonds" in each for each in drawn] == [False, False, False, True]


@pytest.mark.parametrize(
    ("away", "said", "auf_deutsch"),
    [
        (1, "You are next", "Du bist als Nächstes dran"),
        (2, "2 turns until yours", "Du bist in 2 Zügen dran"),
        (3, "3 turns until yours", "Du bist in 3 Zügen dran"),
    ],
)
def test_a_waiting_player_reads_for_how_many_turns(away, said, auf_deutsch):
    game = Game(seats=4, seed=1)
    hand = on_turn(game)
    waiting = game.hand((hand.view.seat + hand.view.table.direction * away) % 4)
    assert said in texts(hand_screen(t, waiting))
    assert auf_deutsch in texts(hand_screen(formatter("de"), waiting))


def test_while_the_pile_must_be_cleared_nobody_reads_for_how_many_turns():
    game = Game(seats=3)
    given = {"seats": ["2s 9c | - | -", "4h 7c | - | -", "8h | - | -"], "pile": "9s 3d 3c 3h 3s", "flush": "C"}
    game.state = set_up({**given, "phase": "clear", "turn": "A"}, Rules().changed_with({"play": {"flush": True}}))
    said = texts(hand_screen(t, game.hand(1)))
    assert "until yours" not in said
    assert "You are next" not in said


def test_while_the_pile_must_be_cleared_the_flush_seat_is_played_for():
    game = Game(seats=3, seed=1, overdue=True)
    snapshot = replaced(game.snapshot(), view=replaced(game.snapshot().view, phase="clear", flush=1, turn=2))
    assert "Computer plays for Bob" in labels(nudge_screen(t, snapshot, [game.table.players[1].user_id]))


@pytest.mark.parametrize(
    ("told", "accent"),
    [
        ((), Accent.GREY),
        ((Played(0, parse_cards("7c")),), Accent.GREY),
        ((PickedUp(0, 3),), Accent.RED),
        ((PickedUp(0, 3), Played(1, parse_cards("7c"))), Accent.GREY),
        ((Played(0, parse_cards("Tc")), Burned(0, 4)), Accent.GOLD),
    ],
)
def test_the_table_is_red_after_the_pile_was_picked_up_and_gold_after_it_burned(told, accent):
    (shown,) = public_screen(t, replaced(Game(seats=2, seed=1).snapshot(), recent=told))
    assert shown["accent_color"] == int(accent)


def test_a_player_whose_first_lead_does_not_fit_on_the_turned_up_card_reads_which_card_it_must_be():
    start = {"turn_up": True, "must_lead": True, "by": "lowest"}
    hand = on_turn(Game(Rules().changed_with({"start": start}), 2, seed=0))
    head = texts(hand_screen(t, hand)).splitlines()
    assert head[:2] == ["## Your turn: nothing fits", "-# You must play a 3 first, and it does not go here"]
    assert {"-# Pile: 1 card, on top K♣︎", "### Hand: 3♣︎ 7♣︎ A♠︎"} < set(head), "an ace would go on a king"


def test_nobody_reads_that_anything_goes_while_the_first_lead_may_be_bound_to_a_rank():
    game = Game(variants()["poohead"].rules, seats=3, seed=3)
    hand = on_turn(game)
    assert texts(hand_screen(t, hand)).startswith("## Your turn: start with a 3")
    assert "Anything goes" not in texts(public_screen(t, hand.snapshot))
    game.state = state_of("poohead", seats=["9c | - | 3c", "4s | - | 4c"])
    assert "Anything goes" in texts(public_screen(t, game.snapshot()))


@pytest.mark.parametrize(
    ("pile", "head"), [("", "## Ann starts a new pile\n-# Anything goes\n"), ("3h", "## Ann to play: anything\n")]
)
def test_the_table_says_once_that_anything_goes(pile, head):
    game = Game(seats=2)
    game.state = state_of("classic", seats=["9c | - | 3c", "4s | - | 4c"], pile=pile)
    game.table = game.table.but(deadline=None)
    said = texts(public_screen(t, game.snapshot()))
    assert said.startswith(head)
    assert said.lower().count("anything") == 1


def test_the_table_in_words_says_that_the_pile_is_empty_once_somebody_has_led():
    game = Game(seats=2)
    game.state = state_of("classic", seats=["9c 9d | - | 3c", "4s 5s | - | 4h"])
    dealt = game.state.but(frame=game.state.frame.but(opening=True))
    taken, burned = advance(advance(dealt, 0, parse_move("play 9c")), 1, PickUp()), dealt.but(burned=0b1111)
    for game.state, is_said in ((dealt, False), (taken, True), (burned, False)):
        assert ("The pile is empty." in texts(public_screen(t, game.snapshot()))) is is_said


@pytest.mark.parametrize(
    ("pile", "told"), [("4c 5h 6d 6s", ["-# under it 5♥︎ 4♣︎"]), ("4c 6s", ["-# under it 4♣︎"]), ("6d 6s", []), ("", [])]
)
def test_the_table_in_words_names_the_cards_under_the_top_of_the_pile(pile, told):
    game = Game(seats=2)
    game.state = state_of("classic", seats=["9c | - | 3c", "4s | - | 4h"], pile=pile)
    assert [each for each in texts(public_screen(t, game.snapshot())).splitlines() if "under it" in each] == told


def test_whoever_burned_first_is_asked_to_clear_the_pile_and_nobody_else():
    game = Game(seats=3)
    seats = ["2s 9c | Td As 9h | 2c Jd 6c", "4h 7c | Kd Qs Jh | 5d 5c 6s", "8h | 4d 4c Ac | Jc Qd"]
    before = {"pile": "9s 3d 3c 3h 3s", "phase": "clear", "flush": "C", "turn": "A"}
    game.state = state_of({"play": {"flush": True}}, seats=seats, **before)
    hands = [hand_screen(t, game.hand(seat)) for seat in range(3)]
    assert texts(hands[2]).startswith("## You burned first: clear the pile")
    assert ["Clear 5 cards" in labels(each) for each in hands] == [False, False, True]
    public = texts(public_screen(t, game.snapshot()))
    assert public.startswith("## Cy must clear the pile")
    assert [line for line in public.splitlines() if "▸" in line] == ["**▸ Cy** · hand 1, face-down 2"], "as its picture"
    of_others = table_words(t, game.snapshot(), game.snapshot().view, range(3))
    assert [line for line in of_others if "to play" in line] == ["**Cy** · hand 1, face-down 2 · to play"]


@pytest.mark.parametrize(
    ("deal", "heading"), [({}, "Swap before play"), ({"face_up": 0}, "Ready?"), ({"exchange": "none"}, "Ready?")]
)
def test_nobody_is_told_to_swap_where_nothing_can_be_swapped(deal, heading):
    game = Game(Rules().changed_with({"deal": deal}), 3)
    assert texts(public_screen(t, game.snapshot())).startswith(f"## {heading}\n")
    assert game.hand(0).view.may_swap == (heading == "Swap before play")


def test_a_button_shows_a_name_as_it_is_written():
    game = Game(seats=2, seed=1)
    hand = on_turn(game)
    table = game.table.model_copy(update={"overdue": True}).with_player(hand.view.seat, name="the_card_@_guy")
    snapshot = replaced(game.snapshot(), table=table)
    screen = nudge_screen(t, snapshot, [table.players[hand.view.seat].user_id])
    assert "Computer plays for the_card_@_guy" in labels(screen)


@pytest.mark.parametrize(("phase", "until"), [("exchange", "when you are ready"), ("play", "when you play")])
def test_a_reminder_says_when_it_disappears(phase, until):
    game = Game(seats=2, seed=1)
    snapshot = replaced(game.snapshot(), view=replaced(game.snapshot().view, phase=phase))
    assert f"disappears {until}" in texts(nudge_screen(t, snapshot, [game.table.players[0].user_id]))


def test_a_reminder_names_what_goes_on_the_pile_besides_what_is_asked():
    game = Game(seats=2)
    game.state = state_of("classic", seats=["2c 4d | - | -", "4h | - | -"], pile="Ac")
    said = texts(nudge_screen(formatter(), game.snapshot(), [game.table.players[0].user_id]))
    assert "your turn: **an ace, or a 2 or a 10**" in said


def test_a_play_is_called_the_same_in_a_small_hand_and_in_a_large_one():
    hand = on_turn(Game(seats=2, seed=1))
    fours = [parse_card(each) for each in ("4c", "4d", "4h", "4s")]
    sets = [Play(tuple(fours[:count])) for count in range(1, 5)]
    singles = [Play((parse_card(each),)) for each in ("5c", "6c", "7c", "8c", "9c")]
    small, shown = (
        hand_screen(t, replaced(hand, view=replaced(hand.view, moves=moves)))
        for moves in ((*sets, singles[0]), (*sets, *singles))
    )
    assert set(labels(shown)[:7]) - set(labels(small)) == {"6♣︎", "7♣︎", "8♣︎", "9♣︎"}
    assert {"4♣︎", "4♣︎ 4♦︎ 4♥︎ 4♠︎"} < set(labels(shown))
    assert selects(small) == {}
    assert selects(shown) == {"Choose how many: 4": ["Two fours", "Three fours"]}


def test_a_select_of_plays_names_every_rank_it_holds():
    hand = on_turn(Game(seats=2, seed=1))
    ranks = ["9", "J", "Q", "K", "A", "2"]
    shown = hand_screen(t, replaced(hand, view=replaced(hand.view, moves=plays_of(ranks, "cdh"))))
    assert list(selects(shown)) == ["Choose how many: 9, J, Q, K, A, 2"]


def plays_of(ranks, suits):
    """All plays of ranks that are each held in these suits."""
    sets = [[parse_card(f"{rank}{suit}") for suit in suits] for rank in ranks]
    return tuple(Play(tuple(cards[:count])) for cards in sets for count in range(1, len(suits) + 1))


def test_in_a_large_hand_each_plain_rank_has_a_button_for_one_card_while_there_is_room():
    hand = on_turn(Game(seats=2, seed=1))
    shown = hand_screen(t, replaced(hand, view=replaced(hand.view, moves=plays_of("789T2", "cd"))))
    both = [f"{name}♣︎{more}" for name in "789" for more in ("", f" {name}♦︎")]
    assert labels(shown)[:8] == [*both, "10♣︎", "2♣︎"]
    assert list(selects(shown)) == ["Choose how many: 10, 2"]
    crowded = hand_screen(t, replaced(hand, view=replaced(hand.view, moves=plays_of("3456789T2", "cd"))))
    assert labels(crowded)[:9] == [*(f"{name}♣︎ {name}♦︎" for name in "3456789"), "10♣︎", "2♣︎"]
    assert list(selects(crowded)) == ["Choose how many: 3, 4, 5, 6, 7, 8, 9, 10, 2"]


@pytest.mark.parametrize(
    ("pile", "said"),
    [
        ("4c As Xr Xb", "on top Joker Joker · A♠︎ below counts"),
        ("4c As 3c Xb", "on top Joker · A♠︎ below counts"),
        ("4c As", "on top A♠︎"),
        ("3c Xb", "on top Joker"),
    ],
)
def test_a_hand_names_and_draws_the_card_that_counts_below_see_through_ones(pile, said):
    rules = Rules().changed_with({"deal": {"jokers": 2}, "powers": {"3": {"on": "anything", "asks": "under"}}})
    state = set_up({"seats": ["5c 6c | - | -", "4h | - | -"], "pile": pile}, rules)
    hand = replaced(Game(rules).hand(0), view=seat_view(state, 0))
    held, count = formatter(faces=DRAWN), len(pile.split())
    (line,) = [each for each in texts(hand_screen(held, hand)).splitlines() if "Pile" in each]
    assert line.startswith(f"-# Pile: {count} cards, {said}")
    assert ("ace_spades" in line) is ("A♠︎" in said)
    aloud = texts(hand_screen(formatter(text=True), hand))
    assert ("the ace of spades below counts" in aloud) is ("below counts" in said)


@pytest.mark.parametrize(
    ("variant", "pile", "play", "said"),
    [
        ("superjoker", "9c Xr", "Jh", "on top J♥︎"),  # now only a red jack counts
        ("guarducci", "9c", "Xr", "on top Joker"),  # with two players left, anything goes on a joker
        ("reverse-second", "9c", "Xr", "on top Joker · 9♣︎ below counts"),
        ("gultnieks", "7c", "8c", "on top 8♣︎ · 7♣︎ below counts"),
        ("guarducci", "7c Xr", "", "on top Joker · 7♣︎ below counts"),  # a pile of see-through cards alone
    ],
)
def test_a_hand_names_the_card_below_only_if_it_decides_what_goes_on_the_pile(variant, pile, play, said):
    rules = variants()[variant].rules
    others = ["Jd 6c | - | -"] if variant == "superjoker" or not play else []
    state = set_up({"seats": [f"{play} 5c | - | -", "4h 9d | - | -", *others], "pile": pile}, rules)
    state = advance(state, 0, parse_move(f"play {play}")) if play else state
    hand = replaced(Game(rules).hand(0), view=seat_view(state, 0))
    assert f"cards, {said}\n" in texts(hand_screen(formatter(), hand)) + "\n"


def test_whoever_may_answer_a_joker_reads_what_a_red_jack_does_and_what_happens_otherwise():
    rules = variants()["superjoker"].rules
    state = set_up({"seats": ["Xr 5c | - | -", "Jd 9d | - | -", "4d 6c | - | -"], "pile": "9c"}, rules)
    state = advance(state, 0, parse_move("play Xr"))
    hand = replaced(Game(rules, seats=3).hand(1), view=seat_view(state, 1))
    heading, line, *_ = texts(hand_screen(formatter(), hand)).splitlines()
    assert heading == "## Your turn: a red jack, or pick up"
    assert line.startswith("-# a red jack passes the pile to the next player · due ")


def test_the_lobby_says_when_the_number_of_players_adds_jokers():
    def said(seats):
        return "jokers are added" in texts(lobby_screen(t, made_table(Rules(), seats, status="lobby", started_at=None)))

    assert [seats for seats in range(2, 7) if said(seats)] == [6]
    assert "-# With 6 players, 2 jokers are added" in texts(lobby_screen(t, made_table(Rules(), 6, status="lobby")))


def test_many_cards_are_listed_by_rank_with_their_suits():
    held = [parse_card(each) for each in ("3c", "3d", "4h", "Tc", "Th", "Ts", "Xr", "Xb")]
    assert t.counted(held) == "3♣︎♦︎ 4♥︎ 10♣︎♥︎♠︎ Joker Joker"
    assert formatter(text=True).counted(held) == "two threes, a four, three tens, two jokers"


def test_face_down_cards_look_the_same_everywhere():
    fmt, game = formatter(faces=DRAWN), Game(seats=2, seed=2)
    hand = on_turn(game)
    while not any(isinstance(move, Flip) for move in hand.view.moves):
        game.step()
        hand = on_turn(game)
    mine, table = str(hand_screen(fmt, hand)), str(public_screen(fmt, game.snapshot()))
    assert "flip one blind" in mine
    assert "face_down" in mine
    assert "face_down" in table
    assert "card_back" not in mine + table


def test_the_table_and_the_lobby_show_a_computers_level():
    game = Game(seats=2)
    bob = game.table.players[1].model_copy(update={"user_id": None, "level": "strong"})
    game.table = game.table.model_copy(update={"players": (game.table.players[0], bob)})
    lobby = game.table.model_copy(update={"status": "lobby", "started_at": None})
    for screen in (public_screen(t, game.snapshot()), lobby_screen(t, lobby)):
        assert "· computer, strong 🤖" in texts(screen)


def test_help_and_readme_agree_on_the_number_of_players():
    most = max(each.rules.most_seats() for each in variants().values())
    assert f"2–{most} players, or up to {MOST_SEATS} by house rules" in texts(help_screen(t, []))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    usual = Rules().most_seats()
    assert sum(each.rules.most_seats() > usual for each in variants().values()) == 1
    assert f"2–{usual} players (up to {most} in one variant, up to {MOST_SEATS} by house rules)" in readme


async def test_a_command_with_the_polite_name_is_answered_politely(room: Room):
    ann = room.people[0]
    for command, title, other in (("palace", "Palace", "Shithead"), ("shithead", "Shithead", "Palace")):
        answer = (await ann.slash(room.channel, f"{command} rules")).response
        assert texts(answer.components).startswith(f"## {title} ")
        gone = (await ann.slash(room.channel, f"{command} hand")).response
        assert f"`/{command} start`" in texts(gone.components)
        assert other.lower() not in texts(gone.components).lower()
        assert labels(answer.components) == ["Tutorial"]


async def test_a_table_that_was_opened_politely_is_polite_to_everybody(room: Room):
    await room.people[0].slash(room.channel, "palace start")
    await room.idle()
    lobby = room.public()
    assert texts(lobby.components).startswith("## Palace · ")
    await room.press(room.people[1], lobby, "join")
    hand = (await room.press(room.people[0], lobby, "start")).response
    refresh = await room.press(room.people[1], room.public(), "more")
    for message in (lobby, hand, refresh.response):
        assert "shithead" not in texts(message.components).lower()
    for command in ("hand", "table", "rules", "stop"):
        answer = (await room.people[1].slash(room.channel, f"shithead {command}")).response
        assert "shithead" not in texts(answer.components).lower(), command
    await room.restart()
    rules = await room.press(room.people[1], room.public(), "rules")
    assert texts(rules.response.components).startswith("## Palace · "), "before anything else has loaded the table"


async def test_a_stranger_is_refused_by_the_polite_name_at_a_table_that_was_opened_politely(room: Room):
    ann, bob, stranger = room.people[:3]
    await ann.slash(room.channel, "palace start")
    await room.idle()
    await room.press(bob, room.public(), "join")
    await room.press(ann, room.public(), "start")
    await play_on(room)
    pressed = sentence(await room.press(stranger, room.public(), "rematch"))
    typed = sentence(await stranger.slash(room.channel, "shithead hand"))
    for refused in (pressed, typed):
        assert refused.endswith("Open your own with `/palace start`.")


async def test_a_hand_opened_by_the_other_name_ends_as_politely_as_its_table(followed: Room):
    ann, bob = followed.people[:2]
    await ann.slash(followed.channel, "palace start")
    await followed.idle()
    await followed.press(bob, followed.public(), "join")
    await followed.press(ann, followed.public(), "start")
    for person in (ann, bob):
        await person.slash(followed.channel, "shithead hand")
    await play_on(followed)
    for person in (ann, bob):
        (hand,) = followed.notes(person)
        assert "Rematch" in labels(hand.components)
        assert "shithead" not in texts(hand.components).lower()
    for command in ("replay", "verify"):
        answer = (await ann.slash(followed.channel, f"shithead {command}")).response
        assert "shithead" not in texts(answer.components).lower(), command


@pytest.mark.parametrize(("taken", "seats", "told"), [(2, 3, True), (3, 3, False), (3, 6, False)])
def test_a_lobby_promises_to_deal_when_full_only_while_somebody_is_missing(taken, seats, told):
    lobby = texts(lobby_screen(formatter(), made_table(seats=taken).but(seats=seats)))
    assert f"{taken} of {seats} seats" in lobby
    assert ("dealt when full" in lobby) is told


async def test_a_command_with_the_polite_name_is_answered_politely_at_a_table_without_it(room: Room):
    await room.start(seats=2)
    for command, is_polite in (("shithead", False), ("palace", True)):
        said = texts((await room.people[0].slash(room.channel, f"{command} rules")).response.components)
        assert ("shithead" not in said.lower()) is is_polite
