"""Words: everything that the game can say, ask, refuse or allow has the right sentence."""

import importlib
import pkgutil
import re
import typing

import pytest

from cogs import screens
from cogs.screens.components import small
from cogs.screens.end_screens import out_words
from cogs.screens.event_words import TOLD, last_actions, last_names, retold, sentence
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.language import LANGUAGES
from cogs.screens.refused import decline_sentence, refusal_sentence
from cogs.screens.rule_words import WORDINGS, differences, power_sentence, value_words, values_of
from cogs.screens.table_screens import table_screen
from cogs.screens.wording import (
    asked_in_full,
    exceptions,
    played_by,
    requirement_words,
    time_words,
    turn_heading,
    variant_title,
    your_heading,
    your_time_words,
)
from game import events as ev
from game.cards import parse_card, parse_rank
from game.moves import PickUp, Play, Refusal
from game.rules import DealOptions, EndOptions, PlayOptions, Power, Rules, StartOptions
from game.variants import variants
from game.view import Asked
from tables.snapshots import Decline, Declined, TableSnapshot
from tables.timing import grace
from testkit.made import START, Game, made_table, replaced, texts, with_computer
from testkit.scenes import state_of, written

t, fmt = formatter(), formatter()
NAMES = ["Ann", "Bob", "Cy"]


def cards(text):
    return tuple(parse_card(each) for each in text.split())


@pytest.mark.parametrize(
    ("asked", "said_"),
    [
        (Asked("at-least", 5), "7 or higher"),
        (Asked("at-least", 10), "queen or higher"),
        (Asked("at-least", 12), "an ace"),
        (Asked("at-most", 5), "7 or lower"),
        (Asked("below", 7), "anything lower than 9"),
        (Asked("same", 9), "only a jack"),
        (Asked("not", 12), "anything but an ace"),
        (Asked("anything"), "anything"),
        (Asked("red-jack"), "a red jack"),
        (Asked("at-least", 1, (0,), (9, 10, 11, 12)), "anything from 3 to 10"),
        (Asked("at-least", 7, (0,), (12,)), "anything from 9 to king"),
        (Asked("at-least", 5, (0,), (8,)), "7 or higher, but not 10"),
        (Asked("at-least", 8, (0,), (9, 10, 11, 12)), "10 or higher, but not jack, queen, king or ace"),
        (Asked("anything", barred=(8,)), "anything, but not 10"),
    ],
)
def test_what_the_pile_asks_has_words(asked, said_):
    assert requirement_words(t, replaced(Game().snapshot().view, asked=asked)) == said_


def test_where_the_ace_is_low_an_ace_asks_for_itself_or_more():
    rules = {"play": {"ace": "low"}, "powers": {"8": {"not_on": ["A"]}}}
    view = written(rules, seats=["5c | - | -", "5d | - | -"], pile="Ac")
    assert asked_in_full(t, view) == "ace or higher, but not 8, or a 2 or a 10"


def test_the_heading_says_whose_turn_it_is_and_what_is_asked():
    view = Game(seats=2, seed=1).snapshot().view
    assert turn_heading(fmt, "Ann", replaced(view, pile=(1,), asked=Asked("at-least", 5))) == "Ann to play: 7 or higher"
    assert turn_heading(fmt, "Ann", replaced(view, pile=(), asked=Asked("anything"))) == "Ann starts a new pile"
    red_jack = replaced(view, pile=(1,), asked=Asked("red-jack"))
    assert turn_heading(fmt, "Ann", red_jack) == "Ann: a red jack, or pick up"
    assert your_heading(t, red_jack) == "Your turn: a red jack, or pick up"
    assert your_heading(t, replaced(view, pile=(), asked=Asked("anything"))) == "Your turn: play anything"
    assert your_heading(t, replaced(view, pile=(1,), asked=Asked("anything"))) == "Your turn: anything"
    again = your_heading(t, replaced(view, pile=(), asked=Asked("anything")), again=True)
    assert again == "You play again: anything"
    assert your_heading(t, replaced(view, started=False), parse_rank("3")) == "Your turn: start with a 3"


def test_a_joker_is_no_exception_where_the_pack_has_none():
    view = replaced(Game(seats=3).snapshot().view, asked=Asked("at-least", 5, (0, 8, 13)))
    assert exceptions(t, view) == "or a 2 or a 10"
    six = replaced(Game(seats=6).snapshot().view, asked=Asked("at-least", 5, (0, 8, 13)))
    assert exceptions(t, six) == "or a 2, a 10 or a joker"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("classic", "or a 2 or a 10"),
        ("pub", "or a 2, a 3 or a 10"),
        ({"powers": {"10": {"not_on": ["3", "4"]}}}, {"3": "or a 2", "Q": "or a 2 or a 10"}),
    ],
)
def test_cards_that_go_on_anything_are_always_named(rules, said):
    seats = ["5c 9d Ks | Kd Qs Js | 3c 4d 6s", "4s 4c 8d | Td As 9s | 2c 7d 6c"]
    wanted = said if isinstance(said, dict) else {"5": said, "8": said, "Q": said, "A": said}
    found = {rank: exceptions(t, written(rules, seats=seats, pile=f"{rank}h")) for rank in wanted}
    assert found == wanted


@pytest.mark.parametrize(
    ("rules", "pile", "heading", "line"),
    [
        ("classic", "3h", "Ann to play: anything", ""),
        ("classic", "4h", "Ann to play: 4 or higher", "or a 2 or a 10"),
        ("pub", "7h", "Ann to play: 7 or lower", "or a 10"),
        ("poytapaska", "9h", "Ann to play: anything from 9 to king", "or a 2"),
    ],
)
def test_the_line_says_anything_where_all_cards_fit_and_names_no_low_card_beside_or_lower(rules, pile, heading, line):
    view = written(rules, seats=["9c | - | 3c", "4s | - | 4c"], pile=pile)
    assert turn_heading(fmt, "Ann", view) == heading
    assert exceptions(fmt, view) == line


def test_if_only_one_rank_does_not_fit_there_are_no_exceptions():
    seats = ["5c 9d Ks | Kd Qs Js | 3c 4d 6s", "4s 4c 8d | Td As 9s | 2c 7d 6c"]
    assert exceptions(t, written("reverse-second", seats=seats, pile="2s")) == ""


SAID = {
    ev.Dealt(0): "",
    ev.Swapped(0, *cards("5c Kd")): "Ann put 5♣︎ on the table and took K♦︎.",
    ev.Chosen(0, ()): "Ann chose their face-up cards.",
    ev.Laid(0, None): "Ann stacked a card.",
    ev.Readied(0): "",
    ev.Called(1, 1): "Bob starts: first to call a 3 from the hand.",
    ev.Started(1, 1, "lowest"): "Bob starts, with a 3.",
    ev.Played(0, cards("7c 7d")): "Ann played two sevens.",
    ev.Played(0, cards("4h 5h 6h")): "Ann played the sequence 4♥︎ 5♥︎ 6♥︎.",
    ev.Flipped(0, parse_card("6c")): "Ann flipped 6♣︎.",
    ev.Chanced(0, parse_card("6c")): "Ann tried a card from the stock: 6♣︎.",
    ev.PickedUp(2, 12): "Cy picked up 12 cards.",
    ev.Added(2, cards("4c")): "",
    ev.Burned(0, 4): "The pile burned.",
    ev.Cleared(0): "Ann cleared the pile.",
    ev.Drew(0, 2, ()): "",
    ev.Reversed(-1): "Play reverses.",
    ev.Skipped((1, 2)): "Bob and Cy were skipped.",
    ev.Interrupted(0, cards("9c")): "Ann interrupted with 9♣︎.",
    ev.Followed(0, cards("9c")): "Ann added 9♣︎.",
    ev.PaidTribute(0, 2, *cards("4c Ad")): "Ann took A♦︎ from Cy for 4♣︎.",
    ev.WentOut(1, 1): "Bob went out 1st.",
    ev.Ended(2, 0): "",
}


@pytest.mark.parametrize("event", SAID, ids=lambda event: type(event).__name__)
def test_an_event_has_its_sentence(event):
    assert sentence(fmt, event, NAMES.__getitem__) == SAID[event]


PERFECT = re.compile(r"\b(hat|haben|hast|ist|bist|muss(te|ten|test)|wurde)\b|^Richtungswechsel\.$")


@pytest.mark.parametrize("event", [each for each in SAID if SAID[each]], ids=lambda event: type(event).__name__)
def test_german_uses_one_tense_for_the_reader_and_for_others(event):
    seat, german = getattr(event, "seat", 0), formatter("de")
    for tell in (
        lambda t: sentence(t, event, NAMES.__getitem__),
        lambda t: retold(t, [event], NAMES.__getitem__, seat),
    ):
        assert PERFECT.search(tell(german)) or tell(german) == tell(fmt), "German, or English if not yet translated"


def test_every_event_of_the_game_is_tested():
    assert {type(event) for event in SAID} == set(typing.get_args(ev.Event)), "SAID, above, has an example of each"


def test_without_words_of_their_own_whoever_another_move_happened_to_reads_what_everybody_does(monkeypatch):
    monkeypatch.setitem(TOLD, "made-to-pick-up", {"everybody": ["{name} made {other} pick up {count} card."] * 2})
    event = ev.PickedUp(1, 4, by=0)
    assert retold(fmt, [event], NAMES.__getitem__, 1) == sentence(fmt, event, NAMES.__getitem__) != ""


@pytest.mark.parametrize("why", typing.get_args(ev.StartedBy))
def test_everybody_and_whoever_starts_are_told_why(why):
    event = ev.Started(1, None if why in {"left", "thrown"} else 1, why)
    own = retold(fmt, [event], NAMES.__getitem__, 1)
    assert "you" in own.lower()
    assert "Bob" not in own
    assert sentence(fmt, event, NAMES.__getitem__).startswith("Bob starts") == (why != "called"), "as the call says"


def test_the_last_two_actions_are_told_with_their_effects():
    told = (
        ev.Played(2, cards("4c")),
        ev.Played(0, cards("5c")),
        ev.Drew(0, 1, ()),
        ev.Played(1, cards("Tc")),
        ev.Burned(1, 3),
    )
    said = "Ann played a five. Bob played a ten. The pile burned."
    assert fmt.sentences(*last_actions(fmt, told, NAMES.__getitem__)) == said
    assert "burned" in last_names(told)
    assert "burned" not in last_names(told[:3])


def test_a_card_that_did_not_fit_and_the_pick_up_are_one_action():
    told = (
        ev.Played(0, cards("5c")),
        ev.Flipped(1, cards("4c")[0]),
        ev.PickedUp(1, 2),
        ev.Played(0, cards("8c")),
    )
    said = "Bob flipped 4♣︎. Bob picked up 2 cards. Ann played an eight."
    assert fmt.sentences(*last_actions(fmt, told, NAMES.__getitem__)) == said
    others = (*told[:2], ev.PickedUp(0, 2), ev.Played(1, cards("8c")))
    assert fmt.sentences(*last_actions(fmt, others, NAMES.__getitem__)) == "Ann picked up 2 cards. Bob played an eight."


QUEENS = ev.Played(1, cards("Qc Qd Qh"))
FOUR = "Four of a kind: the pile burned."


@pytest.mark.parametrize(("four", "said"), [(True, FOUR), (False, "The pile burned.")])
def test_a_burn_by_four_of_a_kind_is_told_as_such(four, said):
    told = (ev.Played(0, cards("Qs")), QUEENS, ev.Burned(1, 9, four), ev.Drew(1, 1, ()))
    assert (
        fmt.sentences(*last_actions(fmt, told, NAMES.__getitem__))
        == f"Ann played a queen. Bob played three queens. {said}"
    )


def test_a_call_and_who_starts_are_told_once():
    told = (ev.Readied(1), ev.Called(1, 1), ev.Started(1, 1, "called"), ev.Played(1, cards("4c")))
    said = "Bob starts: first to call a 3 from the hand. Bob played a four."
    assert fmt.sentences(*last_actions(fmt, told, NAMES.__getitem__)) == said
    unasked = (ev.Readied(1), ev.Started(1, 1, "most"))
    assert fmt.sentences(*last_actions(fmt, unasked, NAMES.__getitem__)) == "Bob starts, with a 3."


def test_a_refusal_names_the_host_to_others():
    said = decline_sentence(t, Declined(Decline.NOT_HOST), TableSnapshot(made_table(names=NAMES)))
    assert said == "**Only Ann, the host of the table, can do that.**"


@pytest.mark.parametrize(("status", "said"), [("lobby", "Press **Join** to play."), ("over", "Only its players")])
def test_a_stranger_reads_how_to_sit_down_where_that_is_possible(status, said):
    assert said in decline_sentence(t, Declined(Decline.NOT_SEATED), TableSnapshot(made_table(status=status)))


def test_only_who_has_no_hand_is_told_after_the_deal_to_wait_for_a_seat():
    table = made_table(status="playing", seats=3).with_player(1, left=True)
    waits = [
        "you can join before the next"
        in decline_sentence(t, Declined(Decline.NOT_A_LOBBY), TableSnapshot(table), reader)
        for reader in (100, 101, 999)
    ]
    assert waits == [False, False, True], "the second can take the seat back"


def test_a_rude_title_is_replaced_where_the_game_has_its_polite_name():
    for polite, title in ((False, "Shit Boot"), (True, "Boot")):
        assert variant_title(formatter(polite=polite), "shit-boot") == title
        assert title in played_by(formatter(polite=polite), "shit-boot", "")


@pytest.mark.parametrize("why", Decline)
def test_every_decline_has_a_sentence_that_begins_with_the_reason(why):
    assert decline_sentence(t, Declined(why)).startswith("**")


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_has_a_sentence_that_begins_with_the_reason(refusal):
    game = Game(seats=2, seed=2)
    assert refusal_sentence(fmt, refusal, game.hand(0), PickUp()).startswith("**")


def test_a_refusal_says_what_is_wrong_and_what_would_be_legal():
    game = Game(seats=2, seed=2)
    hand = game.hand(0)
    plays = tuple(Play(cards(each)) for each in ("7c", "7d", "Ts", "Ks"))
    view = replaced(hand.view, moves=plays, table=replaced(hand.view.table, asked=Asked("at-least", 5)))
    said_ = refusal_sentence(fmt, Refusal.TOO_LOW, replaced(hand, view=view), Play(cards("5c")))
    assert said_ == "**5♣︎ is too low.** The pile asks for 7 or higher. You could play a 7, a 10 or a king."


@pytest.mark.parametrize(
    ("own", "chance", "said"),
    [
        ("5c 9d | 7c | 3c", "never", "**You play from your hand now.** You could play a 9."),
        ("- | 9d | 3c", "never", "**You play your face-up cards now.** You could play a 9."),
        ("- | - | 3c", "never", "**You have to flip a face-down card now.** You could flip a face-down card."),
        ("- | - | -", "never", "**You are out already.**"),
        ("5c 4d | 7c | 3c", "never", "**You play from your hand now.** You can only pick up the pile."),
        (
            "5c 4d | 7c | 3c",
            "stuck",
            "**You play from your hand now.** You could try the top card of the stock. Or pick up the pile.",
        ),
    ],
)
def test_a_card_from_the_wrong_place_is_refused_with_the_place_and_what_can_be_done(own, chance, said):
    game = Game(seats=3)
    seats = [own, "4h | - | -", "6d | - | -"]
    turn = "B" if own == "- | - | -" else "A"
    game.state = state_of({"play": {"chance": chance}}, seats=seats, pile="8h", stock="6s 6h", turn=turn)
    assert refusal_sentence(fmt, Refusal.WRONG_ZONE, game.hand(0)) == said


def test_while_the_pile_must_be_cleared_it_is_the_flush_seats_turn():
    game = Game(seats=3, seed=1)
    hand = game.hand(0)
    view = replaced(hand.snapshot.view, phase="clear", flush=1, turn=2)
    hand = replaced(hand, snapshot=replaced(hand.snapshot, view=view))
    assert refusal_sentence(fmt, Refusal.NOT_YOUR_TURN, hand) == "**It is not your turn:** Bob is to play."


WORDLESS = {"_SETTLED": {"owed"}, "_WHY": {"went-out"}}
"""Values that need no words, by the dict that has those of the others: an open debt has buttons, a moment its event."""


def dicts_of_words():
    """Every dict in cogs/screens/ whose type lists its keys, a `Literal`: (where it is, those keys, those it has)."""
    for found in pkgutil.iter_modules(screens.__path__, f"{screens.__name__}."):
        module = importlib.import_module(found.name)
        for name, written_type in module.__annotations__.items():
            if re.match(r"Final\[(dict|Mapping)\[", written_type):
                (kind,) = typing.get_args(eval(written_type, vars(module)))
                key = typing.get_args(kind)[0]
                if typing.get_origin(key) is typing.Literal:
                    yield f"{found.name}.{name}", set(typing.get_args(key)), set(getattr(module, name))


def test_every_value_of_a_word_list_has_its_words():
    assert len([*dicts_of_words()]) > 5
    for where, keys, worded in dicts_of_words():
        lost = keys - worded - WORDLESS.get(where.rpartition(".")[2], set())
        assert not lost, f"{where} has no words for these; a screen that needs them fails"


def test_every_option_has_a_sentence_for_every_value():
    names = {f"{table}.{field}" for table, model in TABLES.items() for field in model.model_fields}
    worded = {key for key in WORDINGS if not key.startswith("seats.")}
    assert names - {"start.rank"} == worded, "cogs/screens/options.toml has one section for each option"
    words = [(key, value) for key in WORDINGS for value in values_of(key) if isinstance(value, str)]
    lost = [f"[{key}] {value}" for key, value in words if value not in WORDINGS[key].values]
    assert not lost, "cogs/screens/options.toml has a sentence for each value"
    for key in [*WORDINGS, "start.rank"]:
        sentences = [value_words(t, key, value, Rules()) for value in values_of(key)]
        assert len(set(sentences)) == len(sentences)
        assert all(each.endswith(".") and "{" not in each for each in sentences)


TABLES = {"deal": DealOptions, "start": StartOptions, "play": PlayOptions, "end": EndOptions}


def test_every_part_of_a_power_changes_its_sentence():
    plain = power_sentence(t, 5, Power())
    changed = {
        "on": "anything",
        "not_on": ("8",),
        "only_on": ("8",),
        "burns_on": ("8",),
        "bare_gives": True,
        "asks": "below",
        "does": ("reverse", "skip", "again", "give-pile", "skip-beneath", "burn"),
        "bare": "7",
        "two_left": "anything",
        "wild": True,
        "leaves": True,
        "answer": "red-jack",
    }
    assert set(changed) == set(Power.model_fields)
    assert plain == "Sevens: no power."
    needs = {"bare": {"asks": "under"}, "two_left": {"does": ("skip",)}, "answer": {"does": ("give-pile",)}}
    said = set()
    for key, value in changed.items():
        base = needs.get(key, {})
        said.add(power_sentence(t, 5, Power(**base, **{key: value})))
        assert power_sentence(t, 5, Power(**base)) not in said
    assert len(said | {plain}) == len(changed) + 1


@pytest.mark.parametrize("name", [name for name in variants() if name != "classic"])
def test_every_variant_differs_from_the_classic_game_in_words(name):
    assert differences(t, variants()[name].rules, Rules()) or variants()[name].rules.seats != (2, 6)


def test_small_print_is_one_line_with_dots_between():
    assert small("time is up", "", "now") == "-# Time is up · now"
    assert small("", "") == ""


_BEFORE_A_TIME = {
    "en": ("due ", "unless somebody comes back, the game ends "),
    "de": ("fällig ", "kommt niemand zurück, Ende des Spiels "),
    "fr": ("échéance ", "si personne ne revient, fin de la partie "),
    "es": ("fin del plazo ", "si nadie vuelve, fin de la partida "),
    "fi": ("aikaraja ", "jos kukaan ei palaa, peli päättyy "),
    "it": ("scadenza ", "se non torna nessuno, fine della partita "),
    "ja": ("期限：", "誰も戻らなければ終了："),
    "sv": ("tidsgräns ", "kommer ingen tillbaka, spelslut "),
}
"""Texts that read well before `in 2 minutes` and `2 minutes ago`, since they have no tense and no colon."""


def test_texts_about_a_time_are_right_before_and_after_it():
    snapshot = Game(seats=2, seed=1).snapshot()
    when = f"<t:{int(snapshot.table.deadline.timestamp())}:R>"
    assert time_words(fmt, snapshot) == f"due {when}", "`due in 2 minutes`, `due 2 minutes ago`"
    assert _BEFORE_A_TIME.keys() == {code for code, language in LANGUAGES.items() if language.complete}
    for code, words in _BEFORE_A_TIME.items():
        for closes in (False, True):
            table = snapshot.table.but(overdue=closes, turn_since=None)
            assert time_words(formatter(code), replaced(snapshot, table=table)) == f"{words[closes]}{when}"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"overdue": True, "turn_since": START}, "time is up, but they can still play · the computer plays <t:"),
        ({"overdue": True}, "unless somebody comes back, the game ends <t:"),
        ({"paused": True}, ""),
    ],
)
def test_a_time_that_has_passed_is_not_shown_as_running(changes, words):
    snapshot = Game(seats=2, seed=1).snapshot()
    assert time_words(fmt, replaced(snapshot, table=snapshot.table.but(**changes)))[: len(words) or None] == words


def placed(place, *, stands_still=False, winner=None):
    """A view in which the first seat went out in this place."""
    view = Game().snapshot().view
    seats = (replaced(view.seats[0], place=place), *view.seats[1:])
    return replaced(view, seats=seats, stands_still=stands_still, winner=winner)


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (placed(None), ""),
        (placed(1), "You won: first out"),
        (placed(2), "You are safe: out 2nd"),
        (placed(1, stands_still=True), "You are safe: out 1st"),
        (placed(1, stands_still=True, winner=0), "You won: first out"),
    ],
)
def test_the_first_player_out_has_won_and_the_others_who_are_out_are_safe(view, told):
    assert out_words(formatter(), view, 0) == told


def test_whoever_finds_no_seat_reads_that_it_is_kept_only_if_somebody_has_yet_to_answer():
    full = made_table(status="lobby", game=2, turn_since=START)
    for table, is_kept in ((full, False), (full.with_player(1, left=True), True)):
        said = decline_sentence(formatter(), Declined(Decline.TABLE_FULL), TableSnapshot(table))
        assert ("yet to answer" in said) == is_kept


@pytest.mark.parametrize("pace", ["quick", "normal", "slow"])
def test_once_time_is_up_all_read_what_comes_next_and_the_late_player_that_they_can_still_play(pace):
    game = Game(seats=3, seed=1, overdue=True, pace=pace, turn_since=START)
    while game.hand(0).view.table.phase != "play":
        game.step()
    snapshot = game.snapshot()
    turn = snapshot.view.turn
    at = int((snapshot.table.deadline + grace(snapshot.table)).timestamp())
    computer = f" · the computer plays <t:{at}:R>"
    assert time_words(fmt, snapshot) == f"time is up, but they can still play{computer}"
    for seat in range(3):
        who = "you" if seat == turn else "they"
        assert your_time_words(fmt, game.hand(seat)) == f"time is up, but {who} can still play{computer}"
    left = snapshot.table.but(
        players=tuple(each.but(left=seat != turn) for seat, each in enumerate(snapshot.table.players))
    )
    alone = replaced(snapshot, table=left)
    assert time_words(fmt, alone, yours=True) == "time is up, but you can still play", "no others: the game waits"
    for seat in {0, 1, 2} - {turn}:
        left = with_computer(left.with_player(seat, left=False), seat)
    assert time_words(fmt, replaced(snapshot, table=left), yours=True) == "time is up, but you can still play"
    shown = " ".join([texts(table_screen(fmt, snapshot, snapshot.view)), texts(hand_screen(fmt, game.hand(turn)))])
    assert "ime is up, but they can still play" in shown
    assert "ime is up, but you can still play" in shown
