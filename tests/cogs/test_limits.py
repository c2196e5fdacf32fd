"""Discord accepts every screen, whatever the hand, rules, seats and language, and every play is offered."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.screens.components import MOST_CHARACTERS, MOST_OPTIONS, Accent, characters, container, cut, lines
from cogs.screens.formatter import FaceEmojis, Formatter, face_names, formatter
from cogs.screens.hand_parts import MANY, MOST_SELECTS, _kind, distinct_plays, out_of_turn, play_controls
from cogs.screens.hand_screens import adding_screen, hand_screen, hinted_screen
from cogs.screens.ids import Key, parse_button
from cogs.screens.language import LANGUAGES
from cogs.screens.table_screens import public_screen
from game.cards import rank_of
from game.deal import deal, full_pack
from game.moves import Chance, PickUp, Play
from game.players.hints import Facts, Hint
from game.rules import Power, Rules
from game.showing import seat_view
from game.text.notation import format_cards, parse_cards
from game.text.position import set_up
from game.variants import variants
from game.view import Asked, SeatFace
from tables.snapshots import HandSnapshot, TableSnapshot
from testkit.made import LONG_NAMES, NAMES, Game, labels, made_table, pressed, replaced, texts, within_limits

VARIANTS = [name if name == "classic" else pytest.param(name, marks=pytest.mark.long) for name in variants()]
"""A whole game of one of them in `make test`, of each in `make long`."""
FORMATTERS = [
    *(formatter(each, FaceEmojis(dict.fromkeys(face_names(), "1456074443980800006"))) for each in LANGUAGES),
    formatter(),
    *(formatter(each, text=True) for each in LANGUAGES),
]


def some_seats(game: Game, step):
    """The seat on turn, and another one."""
    return {game.snapshot().view.turn or 0, step % len(game.table.players)}


def all_screens(fmt: Formatter, game: Game, seats):
    yield public_screen(fmt, game.snapshot())
    for seat in seats:
        yield from private_screens(fmt, game.hand(seat))


def private_screens(fmt: Formatter, hand: HandSnapshot):
    yield hand_screen(fmt, hand, "A notice")
    if any(isinstance(move, PickUp) and move.cards for move in hand.view.moves):
        yield adding_screen(fmt, hand)
    if play := next((move for move in hand.view.moves if isinstance(move, Play)), None):
        yield hinted_screen(fmt, hand, Hint(play, (), Facts()))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_screens_of_a_random_game_are_within_discords_limits_and_offer_every_play(name):
    rules = variants()[name].rules
    for seed in range(2):
        seats = random.Random(seed).randint(rules.seats[0], rules.most_seats())
        game = Game(rules, seats, seed, names=LONG_NAMES if seed else NAMES)
        for turn in range(160):
            if turn % 2 == seed or game.over:
                every_screen_is_right(game, turn)
            if game.over:
                break
            game.step()


def every_screen_is_right(game: Game, turn):
    fmt = FORMATTERS[turn % len(FORMATTERS)]
    within_limits(public_screen(fmt, game.snapshot()))
    for hand in map(game.hand, some_seats(game, turn)):
        screens = [*private_screens(fmt, hand)]
        for screen in screens:
            within_limits(screen)
        offers_every_play(hand, screens[0])


def offers_every_play(hand: HandSnapshot, screen):
    offered = {parse_button(*each) for each in pressed(screen)}
    if not any(isinstance(move, Play) for move in offered):
        assert not any(isinstance(move, Play) for move in hand.view.moves) or hand.view.table.turn != hand.view.seat
        return
    kinds = {_kind(move) for move in offered if isinstance(move, Play)}
    assert kinds == {_kind(move) for move in hand.view.moves if isinstance(move, Play)}


LARGE = "3d 3h 7d 7h 8h 9d 9s Js Kd"


@pytest.mark.parametrize(
    ("sequences", "more", "fives"),
    [
        (False, "6c", ["5c", "5c 5d", "5c 5d 5h"]),
        (True, "8d", ["5c", "5c 5d", "5c 5d 5h"]),
        (True, "6c", ["5d", "5c", "5d 5h", "5c 5d", "5c 5d 5h"]),
        (True, "6c 4d", ["5h", "5c", "5d", "5c 5h", "5d 5h", "5c 5d", "5c 5d 5h"]),
        (True, f"6c {LARGE}", ["5d", "5d 5h", "5c 5d 5h"]),
    ],
)
def test_of_plays_that_differ_in_suits_alone_there_is_one_for_each_way_to_keep_sequences(sequences, more, fives):
    rules = Rules().changed_with({"play": {"sequences": sequences}})
    view = seat_view(set_up({"seats": [f"5c 5d 5h {more} | - | -", "4h | - | -"]}, rules), 0)
    shown = [play.cards for play in distinct_plays(view) if {rank_of(card) for card in play.cards} == {3}]
    assert sorted(shown) == sorted(map(parse_cards, fives))


@pytest.mark.parametrize("more", ["", "9c Tc Jd Qh Ks"])
def test_a_sequence_can_be_played_high_and_low_where_its_last_card_can(more):
    rules = Rules().changed_with({"play": {"sequences": True}, "powers": {"8": {"asks": "named"}}})
    view = seat_view(set_up({"seats": [f"7c 8c {more} | - | -", "4h | - | -"]}, rules), 0)
    offered = pressed(play_controls(formatter(), view, Key(1, 1)))
    assert {("play", "7c8c.high"), ("play", "7c8c.low")} <= set(offered)
    assert {"7♣︎ 8♣︎ high", "7♣︎ 8♣︎ low"} <= set(titles(play_controls(formatter(), view, Key(1, 1))))


def test_a_card_that_no_card_can_follow_is_kept_for_no_sequence():
    rules = Rules().changed_with({"play": {"sequences": True}})
    view = seat_view(set_up({"seats": ["Tc Td Jc 3h | - | -", "4h | - | -"]}, rules), 0)
    assert labels(play_controls(formatter(), view, Key(1, 1))) == ["3♥︎", "10♣︎ burns", "10♣︎ 10♦︎ burn", "J♣︎"]


def test_the_button_of_a_rank_plays_the_card_that_breaks_no_sequence_and_sequences_have_a_select():
    rules = Rules().changed_with({"play": {"sequences": True}})
    held = "Jc Qc Qd Qh Qs Kc Kd Kh Ac 3d 3h 4s"
    view = seat_view(set_up({"seats": [f"{held} | - | -", "4h | - | -"], "pile": "6s"}, rules), 0)
    screen = play_controls(formatter(), view, Key(1, 1))
    assert labels(screen)[:3] == ["J♣︎", "Q♠︎", "Q♣︎ Q♦︎ Q♥︎ Q♠︎ burn"]
    ranks, sequences = (row["components"][0] for row in screen if "placeholder" in row["components"][0])
    assert ranks["placeholder"].startswith("Choose how many: Q, ")
    assert sequences["placeholder"] == "Play a sequence"
    shown = [(option["label"], option["description"]) for option in sequences["options"]]
    assert shown[0] == ("J♣︎ Q♣︎", "Sequence of 2")
    assert ("J♣︎ Q♣︎ K♣︎ A♣︎", "Sequence of 4") in shown


def titles(screen):
    """What is written on everything that can be pressed or chosen."""
    return labels(screen) + [
        option["label"] for row in screen for each in row["components"] for option in each.get("options", ())
    ]


@pytest.mark.parametrize("fmt", FORMATTERS)
@pytest.mark.parametrize(
    ("rules", "hand"),
    [
        ("classic", "5c 5d 5h 6c"),
        ("classic", "Tc Td Th Ts 9c 9d"),
        ("french", "5c 5d 5h 6c Xr"),
        ("french", "5c 5d 5h 5s 6h Xr"),
    ],
)
def test_where_suits_matter_no_two_plays_look_the_same(fmt, rules, hand):
    changed = variants()[rules].rules.changed_with({"play": {"sequences": True}})
    view = seat_view(set_up({"seats": [f"{hand} | - | -", "4h | - | -"]}, changed), 0)
    named = titles(play_controls(fmt, view, Key(1, 1)))
    assert len(set(named)) == len(named) == len(distinct_plays(view))
    assert not [title for title in named if "with 1 joker" in title and ("♦" in title or "of diamonds" in title)]


def test_of_many_plays_a_card_that_does_something_has_a_button_for_one_also_if_it_must_fit():
    rules = Rules().changed_with({"powers": {"8": {"does": ["skip"]}}})
    case = {"seats": ["7c 7d 8c 8d 9c 9d Jc Jd Kc | - | -", "4h | - | -"], "pile": "3s"}
    shown = labels(play_controls(formatter(), seat_view(set_up(case, rules), 0), Key(1, 1)))
    assert shown == ["7♣︎", "7♣︎ 7♦︎", "8♣︎", "9♣︎", "9♣︎ 9♦︎", "J♣︎", "J♣︎ J♦︎", "K♣︎"]


def test_a_rank_is_offered_with_and_without_wild_jokers():
    view = seat_view(set_up({"seats": ["7c 7d Xr | - | -", "4h | - | -"]}, variants()["french"].rules), 0)
    sevens = {"7♣︎", "7♣︎ 7♦︎", "Joker as 7", "Two sevens with 1 joker", "Three sevens with 1 joker"}
    assert sevens <= set(titles(play_controls(formatter(), view, Key(1, 1))))


def test_the_plays_of_a_hand_are_compared_once_however_many_there_are(monkeypatch):
    compared, compare = [], distinct_plays
    monkeypatch.setattr("cogs.screens.hand_parts.distinct_plays", lambda view: compared.append(1) or compare(view))
    rules = Rules().changed_with({"play": {"sequences": True}})
    held = " ".join(f"{rank}{suit}" for rank in "3456789TJ" for suit in "cdhs")
    view = seat_view(set_up({"seats": [f"{held} | - | -", "Ah | - | -"]}, rules), 0)
    assert play_controls(FORMATTERS[0], view, Key(1, 1))
    assert len(compared) == 1


def test_of_more_plays_than_there_is_room_for_those_without_jokers_are_offered_first():
    powers = {"joker": {"wild": True, "on": "anything", "asks": "under"}}
    rules = Rules(seats=(2, 12)).changed_with({"deal": {"packs": 4, "jokers": 8}, "powers": powers})
    held = format_cards(full_pack(rules, 2)[1:])
    view = seat_view(set_up({"seats": [f"{held} | - | -", "2c | - | -"]}, rules), 0)
    assert len(view.moves) > MANY
    assert len(distinct_plays(view)) <= MOST_OPTIONS * MOST_SELECTS
    assert {("play", "3c"), ("play", "AcAcAcAc")} <= set(pressed(play_controls(formatter(), view, Key(1, 1))))


def test_a_hint_in_the_fullest_hand_is_within_discords_limits():
    powers = {"7": {"asks": "named"}, "joker": {"wild": True, "asks": "at-least"}}
    rules = Rules().changed_with({"deal": {"packs": 4, "jokers": 2}, "powers": powers})
    held = "Xr 3d Ts Js 8h 4s 8s Jd 2d Qd Kh 7h Tc Ts Jc 3s 7d Qd 7h 8h Qc 8c Qh Ac Js Kc Kc Kd Td Ks Kh 7h"
    view = seat_view(set_up({"seats": [f"{held} | - | -", "4h | - | -"], "pile": "7c"}, rules), 0)
    hand = replaced(Game(rules).hand(0), view=view)
    play = next(move for move in view.moves if isinstance(move, Play))
    for fmt in FORMATTERS:
        within_limits(hinted_screen(fmt, hand, Hint(play, (), Facts())))


def test_text_mode_names_the_cards_of_plays_that_differ_in_suits_alone():
    rules = Rules().changed_with({"play": {"sequences": True}})
    view = seat_view(set_up({"seats": ["9c 9d 9h Th 4s 4d | - | -", "4h | - | -"]}, rules), 0)
    screen = play_controls(formatter(text=True), view, Key(1, 1))
    assert titles(screen) == [
        "A four", "Two fours", "9 of clubs", "Three nines", "A ten burns",
        "9 of hearts", "9 of clubs and 9 of diamonds", "9 of clubs and 9 of hearts", "9 to 10 of hearts burn",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [(False, ["Interrupt: 3♣︎ 3♦︎ 3♦︎", "Interrupt: J♣︎ J♠︎"]), (True, ["Interrupt: three threes", "Interrupt: two jacks"])],
)
def test_interrupts_that_differ_in_suits_alone_have_one_button_which_keeps_red_jacks(text, said):
    powers = {"3": {"asks": "under"}}
    rules = Rules().changed_with(
        {"deal": {"packs": 2}, "play": {"interrupt": True, "runs_through_glass": True}, "powers": powers}
    )
    seats = ["4c | - | -", "3c 3d 3d 3h 3s Jc Jd Jh Js | - | -"]
    view = seat_view(set_up({"seats": seats, "pile": "Jc Js 3c"}, rules), 1)
    hand = HandSnapshot(TableSnapshot(made_table(rules, 2, status="playing"), view.table), view)
    assert labels(out_of_turn(formatter(text=text), hand)) == said


def test_where_suits_matter_text_mode_names_the_cards_of_an_interrupt(monkeypatch):
    monkeypatch.setattr(Rules, "suits_matter", True)
    rules = Rules().changed_with({"play": {"interrupt": True}})
    view = seat_view(set_up({"seats": ["5c | - | -", "9c 9d Kh | - | -"], "pile": "4c 9h 9s"}, rules), 1)
    hand = HandSnapshot(TableSnapshot(made_table(rules, 2, status="playing"), view.table), view)
    assert labels(out_of_turn(formatter(text=True), hand)) == ["Interrupt: 9 of clubs and 9 of diamonds"]


def big_hand(cards, rules: Rules, pile=()):
    by_rank = {}
    for card in sorted(cards):
        by_rank.setdefault(rank_of(card), []).append(card)
    plays = tuple(Play(tuple(same[:n])) for same in by_rank.values() for n in range(1, len(same) + 1))
    seats = tuple(
        SeatFace(len(cards), ((1,), (2,), (3,)), (1, 2, 3), ready=True, chosen=True, place=None) for _ in range(2)
    )
    begun = seat_view(deal(rules, 2, full_pack(rules, 2), 1), 0)
    asked = Asked("at-least", 5, (0, 8))
    lies = {"pile": pile, "stock": 0, "burned": 9, "seats": seats, "asked": asked}
    view = replaced(begun.table, phase="play", started=True, turn=0, **lies)
    table = made_table(rules, 2, status="playing")
    moves = (*plays, PickUp()) if cards else (PickUp(),)
    mine = {"hand": tuple(cards), "up": ((1,), (2,), (3,)), "moves": moves, "may_swap": False}
    return HandSnapshot(
        TableSnapshot(table, view), replaced(begun, table=view, burning=frozenset(plays), may_lay=(), **mine)
    )


@given(st.integers(0, 208), st.randoms(use_true_random=False), st.sampled_from(FORMATTERS))
@settings(max_examples=120)
def test_a_hand_of_any_size_is_within_discords_limits_and_keeps_every_play(size, rng, fmt):
    packs = 1 if size <= 52 else 4
    cards = rng.sample([card for card in range(52) for _ in range(packs)], size)
    hand = big_hand(cards, Rules())
    screen = hand_screen(fmt, hand)
    within_limits(screen)
    offers_every_play(hand, screen)


def test_a_whole_pack_in_hand_is_two_selects_and_thirteen_buttons():
    hand = big_hand(list(range(52)), Rules())
    screen = hand_screen(formatter(), hand)
    offered = pressed(screen)
    assert len([each for each in offered if each[0] == "play"]) == 52
    within_limits(screen)


def test_named_cards_of_every_rank_fit():
    rules = Rules(powers={key: Power(asks="named") for key in ("3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A")})
    words = ("high", "low")
    cards = tuple(range(52))
    hand = big_hand(cards, rules)
    named = tuple(Play(move.cards, word) for move in hand.view.moves if isinstance(move, Play) for word in words)
    view = replaced(hand.view, hand=cards, up=(), moves=named, burning=frozenset())
    screen = hand_screen(FORMATTERS[0], HandSnapshot(hand.snapshot, view))
    within_limits(screen)
    offers_every_play(HandSnapshot(hand.snapshot, view), screen)


@pytest.mark.parametrize("size", [12, 13, 156])
def test_the_pile_to_pick_up_with_a_card_is_shown_whole_or_in_words(size):
    hand = big_hand([7], Rules(), pile=tuple(range(52)) * 3)
    view = replaced(hand.view, moves=(PickUp((7,)),), table=replaced(hand.view.table, pile=hand.view.table.pile[:size]))
    screen = adding_screen(FORMATTERS[0], replaced(hand, view=view))
    within_limits(screen)
    said = texts(screen)
    assert said.count("<:") == said.count(">") == (size if size == 12 else 0)
    assert "…" not in said


def test_a_hand_of_more_than_twelve_cards_is_listed_once_as_text():
    for size in (12, 13, 26):
        said = texts(hand_screen(FORMATTERS[0], big_hand(list(range(size)), Rules(), pile=(51,))))
        assert said.count("<:3_") == (4 if size == 12 else 0), "up to 12 as text and faces, more only as text"
        assert said.count("3♣︎♦︎♥︎♠︎" if size > 12 else "3♣︎ 3♦︎ 3♥︎ 3♠︎") == 1


def test_cut_texts_never_end_within_an_emoji_a_mention_or_a_time():
    for whole in ("<:queen_hearts:1456074443980800006>", "<@1456074443980800006>", "<t:1767225780:R>"):
        said = f"a {whole} {whole}"
        for most in range(2, len(said)):
            assert cut(said, most) in {"a…", f"a {whole}…"}
    assert cut("1 < 2 and more", 9) == "1 < 2 an…"


@pytest.mark.parametrize("fmt", FORMATTERS)
def test_a_hand_with_everything_at_once_fits(fmt):
    rules = Rules(powers={"3": Power(asks="named")})
    hand = big_hand(range(52), rules, pile=(8, 12))
    sequences = [Play((low, high)) for low in range(20) for high in range(20, 52)]
    moves = (*sequences, Chance("high"), Chance("low"), PickUp())
    screen = hand_screen(fmt, replaced(hand, view=replaced(hand.view, moves=moves)), "That hand was out of date.")
    within_limits(screen)
    assert texts(screen).startswith("-# That hand was out of date.")
    verbs = {verb for verb, _ in pressed(screen)}
    assert {"chance", "pickup", "hint", "known"} <= verbs


def test_twelve_seats_of_six_are_drawn_within_the_limits_with_pictures():
    rules = Rules(seats=(2, 12), deal={"packs": 4, "jokers": 8, "face_down": 6, "face_up": 6, "hand": 6})
    game = Game(rules, 12, 1, names=LONG_NAMES)
    for fmt in FORMATTERS:
        for screen in all_screens(fmt, game, range(12)):
            within_limits(screen)


def test_of_a_message_that_is_too_long_the_longest_text_is_cut_and_all_others_stay():
    screen = container(Accent.BLUE, [lines("begin"), lines("x " * 2500), lines("y " * 500), lines("end")])
    within_limits(screen)
    begin, longest, other, end = texts(screen).splitlines()
    assert (begin, other.split(), end) == ("begin", ["y"] * 500, "end")
    assert longest.endswith("…")
    assert characters(screen) > MOST_CHARACTERS - 10, "no more is cut than has to be"


def test_of_plays_that_differ_in_suits_alone_the_one_that_keeps_most_red_jacks_is_offered():
    view = seat_view(set_up({"seats": ["Jd Jh Js 5c | - | -", "4h | - | -"], "pile": "4c"}, Rules()), 0)
    offered = [play.cards for play in distinct_plays(view)]
    assert offered == [parse_cards(each) for each in ("5c", "Js", "Jd Js", "Jd Jh Js")]
