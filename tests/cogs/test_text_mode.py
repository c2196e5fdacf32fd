"""Text mode: the state comes first, everything is in words, and nothing is said by a sign, picture or colour alone."""

import re
import unicodedata
from functools import cache

import pytest

from cogs.screens.components import BUTTON, TEXT, picture, walk
from cogs.screens.formatter import FaceEmojis, formatter, hand_order
from cogs.screens.hand_screens import adding_screen, hand_screen, known_screen, with_table
from cogs.screens.language import LANGUAGES
from cogs.screens.lesson_screens import LAST_PAGE, done_words, lesson_screen
from cogs.screens.prepare_screens import exchange_screen, tribute_screen
from cogs.screens.refused import possible_moves_words
from cogs.screens.rules_screens import help_screen, rules_screen
from cogs.screens.table_screens import public_screen
from cogs.topics import help_lines
from game.cards import format_card, parse_face
from game.events import Started, Swapped
from game.lessons import LESSONS, moves_of, tap
from game.moves import PickUp, Play, Ready, advance
from game.players.memory import first_memory
from game.rules import Rules
from game.text.notation import parse_cards
from game.variants import variants
from testkit.channel import DRAWN, Room
from testkit.found import not_none
from testkit.made import Game, labels, pressed, replaced, texts, within_limits
from tests.cogs.test_tutorial import LABEL, begun, tapped

SUITS = "♣♦♥♠"
FORMATTERS = [formatter(each, text=True) for each in LANGUAGES]


def hands(rules: Rules, seats, seed, turns=120):
    """Every hand of a random game before each of its moves, each with the public snapshot."""
    game, found = Game(rules, seats, seed), []
    for _ in range(turns):
        found += [(game.snapshot(), game.hand(seat)) for seat in range(seats)]
        if game.over:
            break
        game.step()
    assert len(found) > 30
    return found


@cache
def hands_of_three(variant):
    """Those of three seats; they are the same in every language, and a hand cannot be changed."""
    return hands(variants()[variant].rules, 3, 3)


def signs(text, allowed=SUITS):
    """Characters other than letters, numbers and punctuation."""
    return {char for char in text if unicodedata.category(char) == "So" and char not in allowed}


@pytest.mark.parametrize("name", ["classic", "karma", "guarducci", "french", "superjoker"])
def test_no_hand_needs_a_sign_or_a_picture_to_be_understood(name):
    rules = variants()[name].rules
    for at, (_, hand) in enumerate(hands(rules, max(3, rules.seats[0]), 3)):
        screen = hand_screen(FORMATTERS[at % len(FORMATTERS)], hand)
        within_limits(screen)
        assert not signs(texts(screen), allowed="")
        for each in walk(screen):
            if each["type"] == BUTTON:
                assert "emoji" not in each
                assert not signs(each["label"], allowed="")
                assert not set(SUITS) & set(each["label"])


def test_in_words_what_happened_comes_before_the_cards_on_the_table_that_seldom_change():
    lasts = []
    for _, hand in hands(Rules(), 2, 4):
        for text in (True, False):
            said = texts(hand_screen(formatter(text=text), hand))
            told, lies = (said.find(words) for words in ("Bob p", "3 face-down"))
            if hand.view.seat == 0 and hand.view.table.phase == "play" and min(told, lies) >= 0:
                lasts.append((told < lies) is text)
    assert len(lasts) > 10
    assert all(lasts)


def test_in_words_whoever_starts_hears_why():
    game = Game(Rules(), 2, 4)
    while game.snapshot().view.phase != "play":
        game.step()
    game.recent = (Started(0, 1, "face-up-then-call"),)
    why = "You start: you were the first to be dealt a 3 face up."
    assert why in texts(hand_screen(formatter(text=True), game.hand(0)))
    assert why not in texts(hand_screen(formatter(), game.hand(0)))


def test_what_the_pile_asks_and_that_there_is_nothing_to_do_come_before_the_cards():
    before = []
    for _, hand in hands(Rules(), 3, 4):
        said = texts(hand_screen(formatter(text=True), hand)).splitlines()
        assert said[0].startswith("#")
        held = [at for at, line in enumerate(said) if line.startswith("### Hand")]
        if hand.view.table.phase == "play" and held and hand.view.table.turn != hand.view.seat:
            before.append(said.index("Nothing to do until your turn.") < held[0])
    assert len(before) > 30
    assert all(before)


@pytest.mark.parametrize("name", ["classic", "paskahousu", "superjoker", "guarducci"])
def test_what_can_be_played_is_heard_once_from_its_buttons_and_menus(name):
    turns = 0
    for _, hand in hands_of_three(name):
        if hand.view.table.phase == "play" and hand.view.table.turn == hand.view.seat:
            screen = hand_screen(formatter(text=True), hand)
            assert not re.search(r"You could|You can only|^Or ", texts(screen), re.MULTILINE)
            offered = {verb for verb, _ in pressed(screen)} & {"play", "flip", "chance", "pickup", "adding"}
            legal = {{"pick-up": "pickup"}.get(move.name, move.name) for move in hand.view.moves}
            assert offered - {"adding"} <= legal <= offered | {"pickup"}
            turns += 1
    assert turns > 10


def test_in_words_the_pile_comes_before_what_can_be_played_on_it_and_is_said_once():
    before = []
    for _, hand in hands(Rules(), 3, 4):
        said = texts(hand_screen(formatter(text=True), hand)).splitlines()
        piles = [at for at, line in enumerate(said) if line.startswith(("-# Pile: ", "-# The pile is empty."))]
        if hand.view.table.phase == "play":
            assert sum("Pile: " in line or "The pile is empty." in line for line in said) == len(piles) == 1
            before.append(piles[0] < next(at for at, line in enumerate(said) if "Hand" in line or "Face-up" in line))
    assert len(before) > 30
    assert all(before)


def test_in_words_every_other_screen_of_a_hand_says_once_what_lies_on_the_pile():
    text, piles, adding = formatter(text=True), set(), 0
    for _, hand in hands(Rules(), 2, 11, turns=600):
        if hand.view.table.phase == "play":
            stopped = hand.snapshot.table.model_copy(update={"status": "stopped"})
            ended = replaced(hand, snapshot=replaced(hand.snapshot, table=stopped))
            others = [known_screen(text, hand, first_memory(hand.view.table))]
            if any(isinstance(move, PickUp) and move.cards for move in hand.view.moves):
                others.append(adding_screen(text, hand))
                adding += 1
            for screen in (
                hand_screen(text, ended),
                *(with_table(text, hand, each, says_pile=False) for each in others),
            ):
                within_limits(screen)
                said = re.findall(r"Pile: |The pile is empty\.", texts(screen))
                assert len(said) == 1
                piles.update(said)
    assert piles == {"Pile: ", "The pile is empty."}
    assert adding


def test_before_play_the_cards_that_can_be_swapped_are_read_out_and_not_only_on_buttons():
    hand, text = Game(Rules(), 2, 4).hand(0), formatter(text=True)
    said = texts(exchange_screen(text, hand))
    assert f"### Hand: {text.cards(sorted(hand.view.hand, key=hand_order))}\n" in said
    assert f"### Face-up: {text.cards(hand.view.up_cards)}\n" in said
    assert "### Hand\n" in texts(exchange_screen(formatter(), hand))


def test_ones_own_face_up_cards_are_told_like_those_of_the_others_and_not_as_if_they_were_counted():
    told = []
    for _, hand in hands(Rules(), 2, 4):
        view, text = hand.view, formatter(text=True)
        if view.table.phase == "play" and view.hand and view.up:
            told.append(f"-# Face-up: {text.cards(view.up_cards)}\n" in texts(hand_screen(text, hand)))
            assert f"-# **Face-up** {formatter().cards(view.up_cards)}\n" in texts(hand_screen(formatter(), hand))
    assert len(told) > 30
    assert all(told)


def test_the_cards_in_hand_are_a_heading_to_jump_to_however_many_they_are():
    held = [hand for _, hand in hands(Rules(), 3, 4) if hand.view.table.phase == "play" and hand.view.hand]
    assert max(len(hand.view.hand) for hand in held) > 12
    said = [texts(hand_screen(formatter(text=True), hand)) for hand in held]
    assert not [each for each in said if not re.search("^### Hand", each, re.MULTILINE)]


@pytest.mark.parametrize("fmt", [formatter(), formatter(text=True)], ids=["cards", "words"])
def test_possible_plays_are_listed_by_rank_and_never_too_long(fmt):
    rules = variants()["guarducci"].rules
    longest = ""
    for _, hand in hands(rules, 3, 6, turns=400):
        said = possible_moves_words(fmt, hand.view)
        longest = max(longest, said, key=len)
        assert len(re.split(", | or ", said)) <= 15
        assert not set(SUITS) & set(said)
    assert "up to " in longest


def test_the_hand_describes_the_whole_table():
    game = Game(Rules(), 3, 4)
    while not (game.snapshot().view.phase == "play" and len(game.snapshot().view.pile) > 2):
        game.step()
    view = game.snapshot().view
    reader = next(seat for seat in range(3) if seat != view.turn)
    said = texts(hand_screen(formatter(text=True), game.hand(reader)))
    assert f"Pile: {len(view.pile)} card" in said
    assert f"Stock {view.stock}" in said
    assert "Play goes" not in said
    for seat in {0, 1, 2} - {reader}:
        name, face = game.table.players[seat].name, view.seats[seat]
        on_turn = " · to play" if seat == view.turn else ""
        assert f"**{name}** · hand {face.hand}, face-down {len(face.down)}{on_turn}\n" in said
        assert f"Face-up: {formatter(text=True).slots(face.up)}" in said
    assert f"**{game.table.players[reader].name}**" not in said


def test_in_words_nobody_is_to_play_at_a_game_that_was_stopped():
    game = Game(Rules(), 3, 4)
    while game.snapshot().view.phase != "play":
        game.step()
    others = (game.hand(seat) for seat in range(3) if seat != game.snapshot().view.turn)
    for hand in others:
        stopped = replaced(hand.snapshot, table=hand.snapshot.table.but(status="stopped"))
        said = [texts(hand_screen(formatter(text=True), each)) for each in (hand, replaced(hand, snapshot=stopped))]
        assert [each.count(" · to play") for each in said] == [1, 0]


def test_before_play_the_hand_says_which_of_the_others_are_ready():
    game = Game(Rules(), 3, 4)
    game.state = advance(game.state, 1, Ready())
    said = texts(hand_screen(formatter(text=True), game.hand(0)))
    assert "**Bob** · hand 3, face-down 3 · ready\n" in said
    assert "**Cy** · hand 3, face-down 3\n" in said


@pytest.mark.parametrize("fmt", FORMATTERS, ids=LANGUAGES)
def test_no_number_stands_beside_another_because_the_ear_takes_them_for_one(fmt):
    said = texts(hand_screen(fmt, Game(Rules(), 3, 4).hand(0)))
    assert not re.search(r"\d, ?\d", said)


def test_a_swap_is_told_above_the_hand_until_its_reader_is_ready():
    game, text = Game(Rules(), 2, 4), formatter(text=True)
    hand = game.hand(0)
    game.recent = (Swapped(0, hand.view.hand[0], hand.view.up_cards[0]),)
    assert texts(hand_screen(text, game.hand(0))).startswith("-# You put the ")
    game.state = advance(game.state, 0, Ready())
    assert texts(hand_screen(text, game.hand(0))).startswith("### Waiting for Bob\n")


def test_in_words_the_direction_is_only_said_while_it_is_turned():
    told = set()
    for public, hand in hands(variants()["gultnieks"].rules, 3, 4):
        said = re.findall(r"Play goes [^.]*", texts(hand_screen(formatter(text=True), hand)).rpartition("Stock")[2])
        told.add((public.view.direction, *said))
    assert told == {(1,), (-1, "Play goes anticlockwise")}


def test_after_the_end_nobody_reads_in_which_direction_play_goes():
    game = Game(Rules(), 3, 4)
    while not game.over:
        game.step()
    said = texts(hand_screen(formatter(text=True), game.hand(0)))
    assert "Play goes" not in said
    assert "**Bob** · hand" in said


def test_a_waiting_player_reads_that_they_wait():
    game, text = Game(Rules(), 2, 4), formatter(text=True)
    seat, move = game.step()
    assert (move, game.snapshot().view.phase) == (Ready(), "exchange")
    assert not re.search("Nothing to do|could play", texts(hand_screen(text, game.hand(seat)))), "the heading says it"
    while game.snapshot().view.phase != "play":
        game.step()
    waiting = 1 - not_none(game.snapshot().view.turn)
    assert "Nothing to do until your turn." in texts(hand_screen(text, game.hand(waiting)))
    assert "Nothing to do until your turn." not in texts(hand_screen(formatter(), game.hand(waiting)))


def test_a_waiting_player_who_may_act_out_of_turn_reads_that_before_their_cards():
    rules = Rules().changed_with({"play": {"interrupt": True, "follow_up": True}})
    before = []
    for _, hand in hands(rules, 3, 0):
        if hand.view.table.phase == "play" and hand.view.table.turn != hand.view.seat and hand.view.moves:
            said = texts(hand_screen(formatter(text=True), hand)).splitlines()
            held = next(
                at for at, line in enumerate(said) if line.removeprefix("### ").startswith(("Hand", "**Face-up"))
            )
            before.append(said.index("You could play out of turn now.") < held)
            assert "You could play out of turn now." not in texts(hand_screen(formatter(), hand))
    assert before
    assert all(before)


def test_computers_absence_and_being_out_are_said_in_words():
    game = Game(Rules(), 4, 1)
    players = game.table.players
    changed = (
        players[0],
        players[1].model_copy(update={"user_id": None, "level": "strong"}),
        players[2].model_copy(update={"away": True}),
    )
    game.table = game.table.model_copy(update={"players": (*changed, players[3])})
    said = texts(hand_screen(formatter(text=True), game.hand(0)))
    assert "**Bob** · hand 3, face-down 3 · computer\n" in said, "the level, which never changes, is not heard"
    assert "**Bob** · hand 3, face-down 3 · computer, strong" in texts(public_screen(formatter(), game.snapshot()))
    assert "**Cy** · hand 3, face-down 3 · away" in said


def test_that_a_player_is_out_is_in_words():
    shown, hand = next(
        (shown, hand)
        for seed in range(50)
        for shown, hand in hands(Rules(), 3, seed, turns=2000)
        if shown.view.out and shown.view.phase == "play" and hand.view.seat not in shown.view.out
    )
    seat = shown.view.out[0]
    line = f"**{shown.table.players[seat].name}** · out, 1st"
    for of_the_winner in ({}, {"left": True}, {"away": True}):
        table = shown.table.with_player(seat, **of_the_winner)
        later = replaced(hand, snapshot=replaced(hand.snapshot, table=table))
        assert line in texts(hand_screen(formatter(text=True), later)).splitlines(), "nobody plays for them any more"


def test_buttons_are_words():
    hand = Game(Rules(), 2, 4).hand(0)
    fmt = formatter(text=True)
    first = min(hand.view.hand)
    chosen = exchange_screen(fmt, hand, f"h{format_card(first)}")
    name = formatter().in_words(first)
    assert f"{name[0].upper()}{name[1:]}, chosen" in labels(chosen)
    assert not [each for each in labels(chosen) if "✓" in each]


@pytest.mark.parametrize("name", ["classic", "karma", "garfield", "superjoker", "vandtia"])
def test_text_mode_offers_every_button_of_the_normal_mode(name):
    rules = variants()[name].rules
    for _, hand in hands(rules, max(3, rules.seats[0]), 5):
        in_words, normal = (pressed(hand_screen(formatter(text=text), hand)) for text in (True, False))
        refresh = ("refresh", "")  # words about the others may be out of date, the picture beside is not
        assert [each for each in in_words if each != refresh] == [each for each in normal if each != refresh]
        assert refresh in in_words or refresh not in normal


def test_during_the_exchange_the_table_in_words_says_that_it_must_be_refreshed():
    in_words, normal = (hand_screen(formatter(text=text), Game(seats=2).hand(0)) for text in (True, False))
    assert ("refresh", "") in pressed(in_words)
    assert SEEN in texts(in_words)
    assert SEEN not in texts(normal)


SEEN = "You see the others as of your last click: **Refresh** shows them as they are now."
HINT = "Tap a strong hand card, then one face-up"


@pytest.mark.parametrize("text", [False, True])
def test_a_notice_takes_the_place_of_what_the_computer_does_for_its_reader(text):
    game, notice = Game(Rules(), 2, 4), "This hand is up to date."
    away, *others = game.table.players
    game.table = game.table.model_copy(update={"players": (away.but(away=True), *others)})
    said = [texts(hand_screen(formatter(text=text), game.hand(0), above)).splitlines()[0] for above in ("", notice)]
    assert said == ["-# Your time was up: the game waits until you press a button here.", f"-# {notice}"]


def test_how_to_swap_is_heard_until_something_was_tapped_or_swapped():
    game, text = Game(Rules(), 2, 4), formatter(text=True)
    hand = game.hand(0)
    card, up = hand.view.hand[0], hand.view.up_cards[0]
    looks = [(hand, "", ""), (hand, "This hand is up to date.", ""), (hand, "", f"h{format_card(card)}")]
    game.recent = (Swapped(0, card, up),)
    looks.append((game.hand(0), "", ""))
    for fmt, told in ((text, [True, False, False, False]), (formatter(), [True] * 4)):
        said = [texts(hand_screen(fmt, *look)) for look in looks]
        assert [HINT in each for each in said] == told
        assert [SEEN in each for each in said] == [fmt is text and each for each in told]


def test_once_the_others_are_ready_nobody_hears_that_they_may_have_swapped():
    game, text = Game(Rules(), 2, 4), formatter(text=True)
    game.state = advance(game.state, 1, Ready())
    said = texts(hand_screen(text, game.hand(0)))
    assert HINT in said
    assert SEEN not in said


def test_every_picture_comes_with_words():
    with pytest.raises(ValueError, match="alt text"):
        picture("table.png", " ")


@pytest.mark.parametrize("name", ["guarducci", "vandtia"])
@pytest.mark.parametrize("fmt", FORMATTERS, ids=LANGUAGES)
def test_buttons_in_words_are_short_enough_for_a_phone(fmt, name):
    for _, hand in hands_of_three(name):
        assert max(map(len, labels(hand_screen(fmt, hand)))) <= LABEL


@pytest.mark.parametrize(
    ("face", "said"),
    [
        ("7c", "7 of clubs"),
        ("Td", "10 of diamonds"),
        ("Qh", "queen of hearts"),
        ("As", "ace of spades"),
        ("Xr", "joker"),
        ("Xb=K", "joker as king"),
        ("7h=low", "7 of hearts low"),
    ],
)
def test_a_card_is_called_as_people_call_it(face, said):
    assert formatter().in_words(parse_face(face)) == said


def test_the_pages_for_picking_up_and_for_tribute_are_in_words_too():
    played = [hand for _, hand in hands(Rules(), 2, 11, turns=600)]
    hand = next(hand for hand in played if any(isinstance(move, PickUp) and move.cards for move in hand.view.moves))
    adding = labels(adding_screen(formatter(text=True), hand))
    assert len(adding) > 1
    assert not [each for each in adding if set(SUITS) & set(each)]
    giving = labels(tribute_screen(formatter(text=True), hand, format_card(hand.view.up[0][0])))
    assert any(each.endswith(", chosen") for each in giving)
    assert not [each for each in giving if "✓" in each]


def test_the_pile_that_is_picked_up_is_listed_in_the_order_of_a_hand():
    hand = next(hand for _, hand in hands(Rules(), 2, 11, turns=600) if PickUp in map(type, hand.view.moves))
    table = replaced(hand.view.table, pile=parse_cards("Qh 3d 9c"))
    screen = adding_screen(formatter(), replaced(hand, view=replaced(hand.view, table=table)))
    assert "You take the pile: 3♦︎ 9♣︎ Q♥︎" in texts(screen)


@pytest.mark.parametrize("ups", [1, 2])
def test_the_face_up_card_to_pick_up_is_asked_for_only_if_there_are_several(ups):
    hand = next(hand for _, hand in hands(Rules(), 2, 11, turns=600) if PickUp in map(type, hand.view.moves))
    moves = (*(PickUp((card,)) for card in (7, 13)[:ups]), Play((9,)))
    screen = hand_screen(formatter(), replaced(hand, view=replaced(hand.view, moves=moves)))
    assert {verb for verb, _ in pressed(screen)} & {"adding", "pickup"} == {"pickup" if ups == 1 else "adding"}
    asked = adding_screen(formatter(), replaced(hand, view=replaced(hand.view, moves=moves)))
    assert texts(asked).startswith("## Pick up the pile plus a face-up card\n")
    assert [verb for verb, _ in pressed(asked)] == ["pickup"] * ups + ["hand"]


@pytest.mark.parametrize("fmt", FORMATTERS, ids=LANGUAGES)
def test_rules_help_and_tutorial_need_no_signs_either(fmt):
    for each in variants().values():
        screen = rules_screen(fmt, each.id, each.rules)
        within_limits(screen)
        assert not {*signs(texts(screen), allowed=""), *(set("→×") & set(texts(screen)))}
    assert not signs(texts(help_screen(fmt, help_lines(fmt))))
    for step in range(1, LAST_PAGE):
        screen = lesson_screen(fmt, step)
        assert not signs(texts(screen), allowed="")
        assert not [each for each in labels(screen) if set(SUITS) & set(each)]
        assert not signs(done_words(fmt, tap(LESSONS[step - 1], moves_of(LESSONS[step - 1])[0])))


def test_the_tutorial_names_drawn_cards_as_a_game_does():
    fmt = formatter(text=True)
    said = [done_words(fmt, tap(lesson, moves_of(lesson)[0])) for lesson in LESSONS]
    assert sum("You drew the king of clubs" in each for each in said) > 3
    assert not [each for each in said if re.search(r"You drew (?!the )", each)]


def test_an_example_is_a_sentence():
    said = texts(rules_screen(formatter(text=True), "gultnieks", variants()["gultnieks"].rules))
    assert "-# on 7 of diamonds: 3 of clubs and 7 of clubs, but not 9 of clubs" in said
    assert "-# on ace of spades: 10 of diamonds burns" in said


async def test_text_mode_changes_only_the_hand_and_tutorial_of_those_who_chose_it(room: Room):
    room.house.bot.faces = DRAWN
    await room.start(seats=2)
    ann, bob = room.people[:2]
    page = (await ann.slash(room.channel, "shithead me")).response
    assert "Cards and buttons in words; the table as a list in your hand" in texts(page.components)
    await room.press(ann, page, "mine", "text_mode=on")
    mine = (await room.press(ann, room.public(), "hand")).response
    assert "**Bob** · hand 3, face-down 3" in texts(mine.components)
    assert any(" of " in each for each in labels(mine.components))
    await room.press(ann, mine, "pick")
    assert any(each.endswith(", chosen") for each in labels(mine.components))
    assert "**Bob** · hand 3, face-down 3" in texts(mine.components)
    his = (await room.press(bob, room.public(), "hand")).response
    assert "**Ann** · hand 3, face-down 3" not in texts(his.components)
    lesson = await begun(room)
    assert "10 of diamonds" in labels(lesson.components)
    await tapped(room, lesson, 1, 1)
    assert texts(lesson.components).startswith("-# You put the 10 of diamonds on the table and took the 4 of clubs.\n")


def test_the_public_table_says_in_a_word_which_seats_are_ready():
    game = Game(Rules(), 2, 4)
    while not any(seat.ready for seat in game.snapshot().view.seats):
        game.step()
    assert " · ready ✓" in texts(public_screen(formatter(), game.snapshot()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_complete_without_its_pictures(language):
    drawn, plain = formatter(language, DRAWN), formatter(language, FaceEmojis())
    game = Game(Rules(), 3, 4)
    for _ in range(40):
        game.step()
    for seat in range(3):
        with_pictures, without = (hand_screen(fmt, game.hand(seat)) for fmt in (drawn, plain))
        named = [each["content"] for each in walk(without) if each["type"] == TEXT]
        for line in "\n".join(named).replace("### ", "").replace("-# ", "").splitlines():
            assert line in texts(with_pictures)


def test_help_and_tutorial_tell_those_without_text_mode_where_it_is():
    for fmt in (formatter(), formatter(text=True)):
        shown = [texts(help_screen(fmt, help_lines(fmt))), texts(lesson_screen(fmt, 1))]
        assert all(("`/shithead me` has **Text mode**" in each) != fmt.text for each in shown)
    assert "Text mode" not in texts(lesson_screen(formatter(), 2))
