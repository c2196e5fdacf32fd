"""Rules in words: uncut in every language, right for every option, and polite where the game's name is."""

import re
from gettext import NullTranslations

import pytest

from cogs.screens.components import OPTION_TEXT, option, shortened, walk
from cogs.screens.formatter import Formatter, formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.house_rule_screens import house_screen
from cogs.screens.language import LANGUAGES
from cogs.screens.lobby_screens import more_screen
from cogs.screens.refused import possible_moves_words, refusal_sentence
from cogs.screens.rule_words import (
    WORDINGS,
    differences,
    option_sentence,
    override,
    power_sentence,
    sentence_of,
    value_words,
    values_of,
)
from cogs.screens.rules_screens import house_words, rules_screen
from cogs.screens.wording import requirement_words, variant_sentence
from game.cards import JACK, parse_card
from game.deal import deal
from game.moves import Flip, IllegalMove, Play, Ready, Refusal, apply, parse_move
from game.rules import Rules, rank_of_key
from game.showing import seat_view, table_view
from game.text.position import rules_from, set_up
from game.variants import variant, variants
from game.view import Asked
from tables.snapshots import HandSnapshot
from testkit.made import Game, made_table, replaced

TITLES = ("shithead", "testa di cazzo", "cagón", "trou du cul", "シットヘッド")


def written(screen):
    return "\n".join(each["content"] for each in walk(screen) if "content" in each)


def test_more_cards_for_fewer_players_are_as_many_as_the_choice_says():
    t = formatter()
    rules = Rules().changed_with(override("deal.by_seats", "more"))
    chosen = value_words(t, "deal.by_seats", "more", rules)
    assert chosen == "Two players get six cards in each place, three get four, four get three."
    assert [rules.sizes_with(seats) for seats in (2, 3, 4)] == [(6, 6, 6), (4, 4, 4), (3, 3, 3)]


def test_sizes_by_the_number_of_players_are_told_from_few_to_many_however_they_were_written():
    rules = Rules().changed_with({"deal": {"by_seats": {4: 3, 2: 6, 3: 4}}})
    told = option_sentence(formatter(), "deal.by_seats", rules)
    assert re.findall(r"with (\w+) players", told) == ["two", "three", "four"]


@pytest.mark.parametrize(
    ("name", "changes", "seats", "is_told"),
    [
        ("palace-bga", {"hand": 5}, None, False),
        ("palace-bga", {"hand": 5}, 2, False),
        ("classic", {"hand": 5, "by_seats": {2: 6, 3: 4}}, 2, False),
        ("classic", {"hand": 5, "by_seats": {2: 6, 3: 4}}, 4, True),
        ("classic", {"hand": 5, "by_seats": {2: 6, 3: 4}}, None, True),
        ("classic", {"hand": 5, "by_seats": {5: 4}}, None, True),
    ],
)
def test_a_size_of_the_hand_is_told_only_where_the_number_of_players_does_not_decide_it(name, changes, seats, is_told):
    rules = variant(name).rules.changed_with({"deal": changes})
    assert ("\n- Five cards in hand." in written(rules_screen(formatter(), name, rules, seats))) is is_told
    if seats:
        assert (rules.sizes_with(seats).hand == changes["hand"]) is is_told


def test_where_the_number_of_players_decides_the_cards_no_other_number_is_a_house_rule():
    rules = variant("palace-bga").rules.changed_with({"deal": {"hand": 5}})
    assert not house_words(formatter(), "palace-bga", rules)
    page = written(house_screen(formatter(), made_table(variant("palace-bga").rules, variant="palace-bga"), "deal"))
    assert "six in each place with two players" in page
    assert "cards in hand" not in page


def test_other_numbers_of_cards_by_players_are_told_as_a_difference():
    base = variant("palace-bga").rules
    told = differences(formatter(), base.changed_with({"deal": {"by_seats": {2: 5}}}), base)
    assert told == ["Dealt by the number of players: five in each place with two players."]
    assert not differences(formatter(), base, base)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_rule_is_cut_off_where_it_is_chosen(language):
    t = formatter(language)
    ranks = [Rules().changed_with({"start": {"rank": rank}}) for rank in values_of("start.rank")]
    told = [value_words(t, key, value, rules) for key in WORDINGS for value in values_of(key) for rules in ranks]
    assert not {each for each in told if len(each) > OPTION_TEXT}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_tell_every_house_rule_also_a_late_one_that_takes_something_from_the_variant(language):
    changes = {
        "deal": {"packs": 2, "stacking": False, "exchange": "none"},
        "play": {"must_play": False, "sequences": True, "chance": "always", "interrupt": True},
        "powers": {"5": {"asks": "at-most"}, "J": {"does": []}},
    }
    base, t = variant("reverse-first").rules, formatter(language)
    told = differences(t, base.changed_with(changes), base)
    page = written(rules_screen(t, "reverse-first", base.changed_with(changes)))
    assert len(told) == 9
    assert not [sentence for sentence in told if sentence not in page]


@pytest.mark.parametrize("language", LANGUAGES)
def test_very_many_house_rules_cut_off_nothing_but_their_own_list(language):
    does = {"asks": "at-most", "does": ["skip", "reverse"], "not_on": ["4"]}
    rules = Rules().changed_with({"powers": dict.fromkeys("356789JQKA", does)})
    page = rules_screen(formatter(language), "classic", rules)
    assert not [each["content"] for each in walk(page) if each.get("content", "").endswith("…")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_polite_rule_names_the_loser_rudely(language):
    t = formatter(language, polite=True)
    rules = [value_words(t, key, value, Rules()) for key in WORDINGS for value in values_of(key)]
    rules += [variant_sentence(t, each) for each in variants()]
    rules += [written(rules_screen(t, each.id, each.rules)) for each in variants().values()]
    assert not [each for each in rules if any(title in each.lower() for title in TITLES)]


def test_the_rules_name_the_losers_title_if_anybody_loses():
    called = "Whoever loses is the shithead."
    assert called in written(rules_screen(formatter(), "classic", variant("classic").rules))
    assert called not in written(rules_screen(formatter(), "first-out", variant("first-out").rules))
    assert called not in written(rules_screen(formatter(polite=True), "classic", variant("classic").rules))


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        (Rules(), "Low to high: 3 4 5 6 7 8 9 10 J Q K A. Twos are special."),
        (variant("reverse-second").rules, "Low to high: A 3 4 5 6 7 8 9 10 J Q K. Twos are special."),
        (Rules().changed_with({"powers": {"2": {"on": "rank"}}}), "Low to high: 2 3 4 5 6 7 8 9 10 J Q K A.\n"),
    ],
)
def test_the_ranks_are_listed_in_the_order_of_the_rules(rules, order):
    assert order in written(rules_screen(formatter(), "classic", rules))


@pytest.mark.parametrize(
    ("name", "goes_on"),
    [
        ("classic", "If nobody has a 3, the next rank decides, and so on."),
        ("french", "If nobody has a 3, the next rank decides, and so on."),
        ("paskahousu", "If nobody has a 3, the next rank decides, and so on."),
        ("vandtia", None),
        ("shit-boot", None),
        ("reverse-first", "If nobody has a 3, the next rank decides, and so on."),
    ],
)
def test_the_rules_say_who_starts_if_nobody_has_the_first_rank(name, goes_on):
    said = written(rules_screen(formatter(), name, variant(name).rules))
    assert goes_on in said if goes_on else "the next rank" not in said


@pytest.mark.parametrize(
    ("name", "is_said"), [("garfield", True), ("paskahousu", False), ("poohead", True), ("classic", False)]
)
def test_the_rules_say_that_some_cards_are_exceptions_only_if_there_are_such_cards(name, is_said):
    said = written(rules_screen(formatter(), name, variant(name).rules))
    assert ("Cards that go on anything also go where" in said) is is_said


def test_in_text_mode_the_ranks_are_told_in_words():
    said = written(rules_screen(formatter(text=True), "paskahousu", variant("paskahousu").rules))
    assert "10 jack queen king ace" in said
    assert "Kings: only on a 7, an 8, a 9, a 10, a jack, a queen or a king, or led." in said


def test_a_joker_is_offered_nothing_that_needs_a_rank():
    screen = house_screen(formatter(), made_table(Rules(), 2, variant="classic"), "powers", "powers.joker")
    labels = [
        each["label"] for part in walk(screen) for each in part.get("options", ()) if "powers" in part["custom_id"]
    ]
    assert "Anything" in labels
    assert not [each for each in labels if "joker or" in each or "than joker" in each or "joker only" in each]
    assert "Also on any higher card" not in labels


@pytest.mark.parametrize(
    ("asked", "cards", "reason"),
    [
        (Asked("anything"), "7c", "**7♣︎ does not go there.** You could"),
        (Asked("anything"), "7c 7d", "**7♣︎ 7♦︎ do not go there.** You could"),
        (Asked("below", 7), "Tc Td", "**10♣︎ 10♦︎ do not go there.** The pile asks for anything lower than 9."),
    ],
)
def test_a_refusal_says_what_the_pile_asks_only_if_it_asks_anything(asked, cards, reason):
    hand = Game(seats=2, seed=2).hand(0)
    play = Play(tuple(map(parse_card, cards.split())))
    view = replaced(hand.view, moves=(play,), table=replaced(hand.view.table, asked=asked))
    assert refusal_sentence(formatter(), Refusal.NOT_ON, replaced(hand, view=view), play).startswith(reason)


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("cards", ["Jh", "Jh Jd", "7c"])
def test_in_text_mode_too_a_refusal_begins_with_a_capital_letter(locale, cards):
    hand, play = Game(seats=2, seed=2).hand(0), Play(tuple(map(parse_card, cards.split())))
    t = formatter(locale, text=True)
    for asked, refusal in ((Asked("anything"), Refusal.NOT_ON), (Asked("at-least", JACK + 1), Refusal.TOO_LOW)):
        view = replaced(hand.view, moves=(play,), table=replaced(hand.view.table, asked=asked))
        said = refusal_sentence(t, refusal, replaced(hand, view=view), play)
        assert re.match(r"\*\*[^a-zäåö*]", said), said
        assert said.count("**") == 2


def test_a_card_that_may_not_go_on_the_top_card_is_named_in_heading_and_refusal():
    case = {"seats": ["Tc 9d Qh | Kd Qs Jh | 3c 4d 6s", "4h 4s 8d | Td As 9h | 2c 7d 6c"], "pile": "8c"}
    state = set_up(case, Rules().changed_with({"powers": {"10": {"not_on": ["8"]}}}))
    hand = replaced(Game(seats=2).hand(0), view=seat_view(state, 0))
    hand = replaced(hand, snapshot=replaced(hand.snapshot, view=hand.view.table))
    assert "## Your turn: 8 or higher, but not 10\n-# or a 2 ·" in written(hand_screen(formatter(), hand))
    assert "The pile asks for 8 or higher, but not 10, or a 2" in written(hand_screen(formatter(), blind(hand)))
    play = Play((parse_card("Tc"),))
    with pytest.raises(IllegalMove) as refused:
        apply(state, 0, play)
    said = refusal_sentence(formatter(), refused.value.refusal, hand, play)
    assert said == "**10♣︎ does not go there.** You could play a 9 or a queen."


def test_where_every_card_goes_a_flip_is_not_told_what_it_must_be():
    state = set_up({"seats": ["- | - | 4c", "4h | - | -"], "pile": "3h"}, Rules())
    hand = replaced(Game(seats=2).hand(0), view=seat_view(state, 0))
    said = written(hand_screen(formatter(), replaced(hand, snapshot=replaced(hand.snapshot, view=hand.view.table))))
    assert "Your turn: flip one blind" in said
    assert "The pile asks" not in said


@pytest.mark.parametrize("seat", ["4c 5c | - | -", "- | - | 4c 5c"], ids=["stuck", "flip"])
def test_a_pile_that_asks_for_one_rank_says_so_in_a_sentence(seat):
    rules = Rules().changed_with({"powers": {"9": {"asks": "same"}, "2": {"on": "rank"}, "10": {"on": "rank"}}})
    state = set_up({"seats": [seat, "4h | - | -"], "pile": "9h"}, rules)
    hand = replaced(Game(rules, seats=2).hand(0), view=seat_view(state, 0))
    said = written(hand_screen(formatter(), replaced(hand, snapshot=replaced(hand.snapshot, view=hand.view.table))))
    assert "-# The pile asks for only a 9" in said


@pytest.mark.parametrize("pile", ["9h", ""])
def test_a_flip_warns_of_taking_the_pile_only_if_there_is_one(pile):
    state = set_up({"seats": ["- | - | 4c", "4h | - | -"], "pile": pile}, Rules())
    hand = replaced(Game(seats=2).hand(0), view=seat_view(state, 0))
    said = written(hand_screen(formatter(), replaced(hand, snapshot=replaced(hand.snapshot, view=hand.view.table))))
    assert ("If it does not fit, you take the pile" in said) == bool(pile)


def test_if_only_some_cards_of_a_rank_may_be_played_they_are_named():
    seats = ["Xr 9d | - | 3c", "Jc Jh Jd Js 6d | 5h | 4d", "6c | - | -"]
    state = set_up({"seats": seats, "pile": "4h"}, rules_from("superjoker"))
    view = seat_view(apply(state, 0, Play((parse_card("Xr"),))), 1)
    assert possible_moves_words(formatter(), view) == "You could play J♦︎ J♥︎."


def test_a_wild_joker_is_named_as_one_and_not_as_each_rank_it_may_stand_for():
    seats = ["6c 6d Kd Xr Xb | - | 3c", "4h | - | -"]
    view = seat_view(set_up({"seats": seats, "pile": "Ks"}, rules_from("french")), 0)
    assert possible_moves_words(formatter(), view) == "You could play up to three kings or up to two jokers."


def test_equal_cards_of_several_packs_are_counted_like_others_of_their_rank():
    state = set_up({"seats": ["7c 7c 9h 9h 9h | - | -", "4h | - | -"]}, Rules().changed_with({"deal": {"packs": 3}}))
    said = "You could play up to two sevens or up to three nines."
    assert possible_moves_words(formatter(), seat_view(state, 0)) == said


@pytest.mark.parametrize(
    ("option", "seat", "pile", "said"),
    [
        ({"play": {"four_on_anything": True}}, "5c 5d 5h 5s Kd | - | -", "Qh", "You could play four fives or a king."),
        ({"deal": {"stacking": True}}, "- | 9c+9d Kd | 3c", "5h", "You could play two nines or a king."),
        ({"deal": {"stacking": True}}, "- | 9c+9d 9h Kd | 3c", "5h", "You could play up to three nines or a king."),
    ],
)
def test_only_a_number_of_cards_that_may_be_played_is_named(option, seat, pile, said):
    state = set_up({"seats": [seat, "4h | - | -"], "pile": pile}, Rules().changed_with(option))
    assert possible_moves_words(formatter(), seat_view(state, 0)) == said


def blind(hand: HandSnapshot):
    """The hand as if only a flip were possible."""
    return replaced(hand, view=replaced(hand.view, moves=(Flip(1),)))


def test_one_joker_is_worded_like_several():
    assert value_words(formatter(), "deal.jokers", 1, Rules()) == "One joker in the pack."
    assert value_words(formatter(), "deal.jokers", 2, Rules()) == "Two jokers in the pack."


def test_places_and_positions_have_separate_words():
    italian = formatter("it")
    assert (formatter().place(1), formatter().position(1)) == ("1st", "1st")
    assert italian.place(1) != italian.position(1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_description_of_a_variant_in_a_select_is_whole_sentences(language):
    t = formatter(language)
    screen = more_screen(t, made_table(Rules(), 1, variant="classic"), 100, ())
    options = [each for part in walk(screen) for each in part.get("options", ()) if each["value"] in variants()]
    assert {each["value"] for each in options} == set(variants())
    for each in options:
        group, _, sentence = each["description"].partition(" · ")
        assert len(each["description"]) <= OPTION_TEXT
        assert group
        assert re.search(r" · \D*\d+\D+\d+\D*$", each["label"])
        assert sentence
        assert variant_sentence(t, each["value"]).startswith(sentence.removesuffix("…"))
    cut = {each["value"] for each in options if each["description"].endswith("…")}
    assert not cut, "cut inside a sentence: end one before, or shorten the first"


@pytest.mark.parametrize("stop", [".", "。", "।"])
def test_a_short_rule_has_no_full_stop(stop):
    class Stopped(NullTranslations):
        def gettext(self, message):
            return message.replace(".", stop)

    rules = Rules().changed_with({"deal": {"exchange": "one"}})
    assert sentence_of(Formatter("hi", Stopped()), "deal.exchange", rules)[-1] == stop
    assert sentence_of(Formatter("hi", Stopped()), "deal.exchange", rules, short=True)[-1] != stop


def test_texts_that_are_too_long_are_cut_after_a_sentence_or_between_words():
    assert shortened("One. Two.", 20) == "One. Two."
    assert shortened("The first sentence. The second one is long.", 30) == "The first sentence."
    assert shortened("One. A second sentence that is far too long.", 30) == "One. A second sentence that…"
    assert shortened("पहला वाक्य। दूसरा वाक्य बहुत लंबा है।", 20) == "पहला वाक्य।"
    assert shortened("語" * 30, 20) == "語" * 19 + "…"
    assert option("a", "a", "word " * 40)["description"].endswith("word…")


@pytest.mark.parametrize(
    ("power", "words"),
    [
        ({"answer": "red-jack"}, "red jack"),
        ({"bare": "9"}, "with nothing below"),
        ({"two_left": "anything"}, "with two players left"),
    ],
)
def test_a_part_of_a_power_that_has_no_effect_is_not_told(power, words):
    effective = {"answer": {"does": ["give-pile"]}, "bare": {"asks": "under"}, "two_left": {"does": ["skip"]}}
    for more, is_told in (({}, False), (effective[next(iter(power))], True)):
        rules = Rules().changed_with({"powers": {"8": {**more, **power}}})
        assert (words in " ".join(differences(formatter(), rules, Rules()))) is is_told


@pytest.mark.parametrize(
    ("power", "words", "is_told"),
    [
        ({"asks": "under", "bare": "9", "leaves": True}, "with nothing below", False),
        ({"bare_gives": True, "answer": "red-jack"}, "passed on with a red jack", True),
    ],
)
def test_a_power_tells_of_what_its_other_parts_lead_to(power, words, is_told):
    rules = Rules().changed_with({"powers": {"8": power}})
    assert (words in " ".join(differences(formatter(), rules, Rules()))) is is_told


def test_the_pile_of_a_stuck_player_goes_to_whoever_played_last_even_if_somebody_was_skipped():
    assert "whoever played last picks up" in variant_sentence(formatter(), "reverse-second")
    rules = variant("reverse-second").rules
    assert "whoever played last picks up the pile and you start a new one" in value_words(
        formatter(), "play.stuck", "previous", rules
    )
    case = {"seats": ["Jc 9c | - | -", "Qc 9d | - | -", "4c 9h | - | -"], "pile": "5c"}
    stuck = apply(set_up(case, rules), 0, parse_move("play Jc"))
    assert (stuck.turn, seat_view(stuck, 2).taker) == (2, 0)


@pytest.mark.parametrize("changes", [{"play": {"ace": "low"}}, {"powers": {"2": {"on": "rank", "asks": "at-least"}}}])
def test_the_lowest_card_that_starts_is_a_three_whatever_is_low_in_play(changes):
    rules = Rules().changed_with({"start": {"by": "lowest"}, **changes})
    said = "The lowest card in hand starts: threes are lowest, twos highest."
    assert said in written(rules_screen(formatter(), "classic", rules))
    cards = "4h 5h 4d 5d 4c 5c 6h 7h 6d 7d 6c 7c As 3s 2s 8s Ah 8h"
    state = deal(rules, 2, tuple(map(parse_card, cards.split())), 0)
    for seat in (0, 1):
        state = apply(state, seat, Ready())
    assert parse_card("3s") in seat_view(state, state.turn).hand


@pytest.mark.parametrize(
    ("does", "move", "turn", "said"),
    [
        ("reverse", "play 8c", 2, "reverse direction once each"),
        ("reverse", "play 8c 8d", 1, "reverse direction once each"),
        ("give-pile", "play 8c", 2, "give the pile to the next player (who misses a turn)"),
    ],
)
def test_a_power_says_whose_turn_it_makes_it(does, move, turn, said):
    rules = Rules().changed_with({"powers": {"8": {"does": [does]}}, "play": {"lead_after_pickup": "previous"}})
    assert said in power_sentence(formatter(), rank_of_key("8"), rules.powers["8"])
    case = {"seats": ["8c 8d Kc | - | -", "4h 4s | - | -", "5h 5s | - | -"], "pile": "5c"}
    assert apply(set_up(case, rules), 0, parse_move(move)).turn == turn


@pytest.mark.parametrize(("name", "is_said"), [("pub", True), ("reverse-first", True), ("gultnieks", False)])
def test_the_rules_say_that_with_two_players_left_any_number_of_skips_gives_another_turn(name, is_said):
    rules = variant(name).rules
    assert ("With two players left, whoever skips" in written(rules_screen(formatter(), name, rules))) is is_said
    case = {"seats": ["8c 8d Kc | - | -", "4h 4s | - | -"], "pile": "5c"}
    assert apply(set_up(case, variant("pub").rules), 0, parse_move("play 8c 8d")).turn == 0


@pytest.mark.parametrize("by", ["call-nearest", "most", "lowest"])
def test_the_rules_say_that_only_cards_in_hand_decide_who_starts(by):
    rules = Rules().changed_with({"start": {"by": by}, "deal": {"face_down": 0, "face_up": 1, "hand": 1}})
    assert " in hand" in value_words(formatter(), "start.by", by, rules)
    state = deal(rules, 2, tuple(map(parse_card, ["3h", "5h", "9d", "3d"])))
    for seat in (0, 1):
        state = apply(state, seat, Ready())
    assert state.turn == 1


@pytest.mark.parametrize(("hands", "lead"), [("3c 5h 9d 4s", None), ("3c 5h 3d 4s", "3")])
def test_the_rules_say_that_the_first_lead_is_fixed_only_if_the_starter_holds_such_a_card(hands, lead):
    rules = Rules().changed_with({"start": {"must_lead": True}, "deal": {"face_down": 0, "face_up": 1, "hand": 1}})
    said = "Whoever starts must begin with a card of the rank that decided it, if one is in their hand."
    assert said in written(rules_screen(formatter(), "classic", rules))
    state = deal(rules, 2, tuple(map(parse_card, hands.split())))
    for seat in (0, 1):
        state = apply(state, seat, Ready())
    assert (state.turn, seat_view(state, 0).lead) == (0, rank_of_key(lead) if lead else None)


@pytest.mark.parametrize(
    ("option", "refused", "said"),
    [
        ({"deal": {"stacking": True}}, "play 9c", "Equal cards may share a face-up slot, and are played together"),
        ({"play": {"sequences": True}}, "play 6h 8h", "Consecutive cards of one suit, rising, are one play."),
    ],
)
def test_the_rules_say_which_cards_go_together(option, refused, said):
    rules = Rules().changed_with(option)
    assert said in written(rules_screen(formatter(), "classic", rules))
    hand = "6h 7h 8h" if "play" in option else "-"
    up = "9c Kd" if "play" in option else "9c+9d Kd"
    state = set_up({"seats": [f"{hand} | {up} | 3c", "4h 4s | - | 2d"], "pile": "5c"}, rules)
    with pytest.raises(IllegalMove):
        apply(state, 0, parse_move(refused))


def test_the_rules_say_what_a_wild_joker_stands_for_if_it_is_flipped():
    rules = variant("french").rules
    assert "(played blind, for an ace)" in written(rules_screen(formatter(), "french", rules))
    state = apply(set_up({"seats": ["- | - | Xr 4c", "4h 4s | - | 2d"], "pile": "5c"}, rules), 0, parse_move("flip 1"))
    assert requirement_words(formatter(), table_view(state)) == "an ace"


@pytest.mark.parametrize(
    ("rank", "power", "said"),
    [
        (
            "joker",
            {"wild": True},
            "Jokers: go on anything, stand for any rank you name (played blind, for an ace), reverse",
        ),
        ("joker", {"asks": "at-least"}, "Jokers: go on anything, anything goes next, reverse direction once each."),
        ("2", {"leaves": True}, "Twos: go on anything, are see-through (the card below counts), are out of the game"),
        (
            "8",
            {"leaves": True, "asks": "below"},
            "Eights: are see-through (the card below counts), are out of the game",
        ),
        ("10", {"asks": "below"}, "Tens: go on anything, burn the pile."),
        (
            "10",
            {"asks": "below", "burns_on": ["9"]},
            "Tens: go on anything, next card lower than 10, burn the pile only on a 9.",
        ),
        ("joker", {"leaves": True, "does": ["give-pile"]}, "Jokers: go on anything, give the pile to the next player"),
        (
            "joker",
            {"wild": True, "leaves": True},
            "Jokers: go on anything, stand for any rank you name (played blind, for an ace), are see-through",
        ),
    ],
)
def test_a_power_says_what_the_next_card_must_be_only_if_the_card_decides_that(rank, power, said):
    rules = Rules().changed_with({"powers": {rank: power}})
    assert power_sentence(formatter(), rank_of_key(rank), rules.powers[rank]).startswith(said)


@pytest.mark.parametrize(
    ("power", "move", "asked"),
    [
        ({"joker": {"wild": True}}, "play Xr=9", "9 or higher"),
        ({"joker": {"asks": "at-least"}}, "play Xr", "anything"),
        ({"8": {"leaves": True, "asks": "below"}}, "play 8c", "5 or higher"),
        ({"2": {"leaves": True}}, "play 2c", "5 or higher"),
    ],
)
def test_the_heading_after_a_card_agrees_with_what_its_power_says(power, move, asked):
    case = {"seats": ["Xr 8c 2c Kc | - | 3c", "4h 4s | - | 2d"], "pile": "5c"}
    state = set_up(case, Rules().changed_with({"deal": {"jokers": 1}, "powers": power}))
    assert requirement_words(formatter(), table_view(apply(state, 0, parse_move(move)))) == asked
