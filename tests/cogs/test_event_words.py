"""The sentences for events, as everybody reads them and as the player concerned does."""

import re
from collections.abc import Sequence
from dataclasses import replace
from gettext import NullTranslations

import pytest

import game.events as ev
from cogs.screens.components import walk
from cogs.screens.event_words import MOST_SINCE, last_actions, played_for_reader, retold, since_your_turn
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import parse_id
from cogs.screens.table_screens import log_screen, public_screen
from game.cards import LOW, parse_card
from game.events import Event
from game.moves import Ready, Timeout, apply, events, parse_move
from game.rules import Rules
from game.showing import table_view
from game.text.position import rules_from, set_up
from game.view import Asked
from tables.snapshots import HandSnapshot
from testkit.found import instance_of, not_none
from testkit.made import Game, labels, replaced, texts, within_limits
from testkit.offline import Offline, People
from testkit.scenes import state_of

ANN, BOB, CY = range(3)
SEVEN, NINE = parse_card("7c"), parse_card("9d")


def since(*events, seat=ANN, played_for: Sequence[Event] = (), drew: Event | None = None):
    hand = Game(seats=3).hand(seat)
    snapshot = replace(hand.snapshot, recent=events, played_for=tuple((each, None) for each in played_for))
    return since_your_turn(formatter(), replace(hand, snapshot=snapshot, drew=drew))


def words_of(card):
    return formatter().card(card)


def test_ones_own_move_is_left_out_once_others_have_moved():
    own, other = ev.Played(ANN, (SEVEN,)), ev.Played(BOB, (NINE,))
    assert since(own) == "You played a seven."
    assert since(own, other) == "Bob played a nine."
    assert since(other, own, other, ev.PickedUp(CY, 4)) == "Bob played a nine. Cy picked up 4 cards."


def test_the_names_of_buttons_are_looked_up_only_where_one_is_told():
    class Noted(NullTranslations):
        def gettext(self, message):
            asked.append(message)
            return super().gettext(message)

    asked, hand = [], Game(seats=3).hand(ANN)
    t = replace(formatter(), catalogue=Noted())
    for actions in (1, MOST_SINCE + 1):
        assert "Rematch" not in asked
        recent = tuple(ev.PickedUp(BOB, 4) for _ in range(actions))
        told = since_your_turn(t, replace(hand, snapshot=replace(hand.snapshot, recent=recent)))
        assert ("What happened earlier is under **More**." in told) == (actions > MOST_SINCE)


@pytest.mark.parametrize(("text", "named"), [(False, words_of(SEVEN)), (True, "the 7 of clubs")])
def test_where_suits_matter_everybody_is_told_which_card_was_played(monkeypatch, text, named):
    monkeypatch.setattr(Rules, "suits_matter", True)
    game, fmt = Game(seats=3), formatter(text=text)
    game.recent = (ev.Played(BOB, (SEVEN,)),)
    assert f"Bob played {named}." in texts(public_screen(fmt, game.snapshot()))
    assert f"Bob played {named}." in texts(log_screen(fmt, game.snapshot()))
    assert since_your_turn(fmt, game.hand(ANN)) == f"Bob played {named}."
    assert since_your_turn(fmt, game.hand(BOB)) == f"You played {named}."


@pytest.mark.parametrize(("actions", "pages"), [(1, 1), (15, 1), (16, 2), (30, 2), (31, 3)])
def test_the_log_has_earlier_pages_exactly_while_something_earlier_is_left(actions, pages):
    told = tuple(ev.PickedUp(nth % 2, nth + 1) for nth in range(actions))
    snapshot, seen = replaced(Game(seats=2, seed=1).snapshot(), recent=told), []
    screen = log_screen(formatter(), snapshot, actions)
    for page in range(pages):
        screen = log_screen(formatter(), snapshot, actions - 15 * page)
        seen += re.findall(r"picked up (\d+)", texts(screen))
        (earlier,) = (each for each in walk(screen) if each.get("label") == "Earlier")
        assert earlier.get("disabled", False) == (page == pages - 1)
    assert texts(screen).startswith("### What happened\n")
    assert seen == [str(nth) for nth in range(actions, 0, -1)]


def test_an_earlier_page_of_the_log_goes_on_where_the_one_before_ended_although_the_game_went_on():
    told = tuple(ev.PickedUp(nth % 2, nth + 1) for nth in range(40))
    before, after = (replaced(Game(seats=2, seed=1).snapshot(), recent=told[:many]) for many in (36, 40))
    screen = log_screen(formatter(), before)
    seen = re.findall(r"picked up (\d+)", texts(screen))
    for _ in range(2):
        earlier = next(each for each in walk(screen) if each.get("label") == "Earlier")
        screen = log_screen(formatter(), after, int(parse_id(earlier["custom_id"]).argument))
        seen += re.findall(r"picked up (\d+)", texts(screen))
    assert seen == [str(nth) for nth in range(36, 0, -1)]
    later = next(each for each in walk(screen) if each.get("label") == "Later")
    screen = log_screen(formatter(), after, int(parse_id(later["custom_id"]).argument))
    assert re.findall(r"picked up (\d+)", texts(screen)) == [str(nth) for nth in range(21, 6, -1)]


def test_where_suits_matter_a_card_that_was_named_low_is_told_to_be_so_once(monkeypatch):
    monkeypatch.setattr(Rules, "suits_matter", True)
    assert since(ev.Played(BOB, (SEVEN | LOW,))) == f"Bob played {words_of(SEVEN)}, low."


@pytest.mark.parametrize(
    ("move", "text", "played"),
    [("play Xr=3", False, "Joker=3"), ("play 6c Xr=6", False, "6♣︎ Joker=6"), ("play Xr=3", True, "the joker as 3")],
)
def test_everybody_is_told_that_a_wild_joker_was_played_and_what_it_stands_for(move, text, played):
    case = {"seats": ["Xr 6c 9c | - | -", "4h 4s | - | -", "5h 5s | - | -"], "pile": "5c"}
    before, game = set_up(case, rules_from("french")), Game(seats=3)
    after = apply(before, ANN, parse_move(move))
    told = retold(formatter(text=text), events(before, ANN, parse_move(move), after), lambda _: "Ann")
    assert told == f"Ann played {played}. Play reverses."
    game.recent = tuple(events(before, ANN, parse_move(move), after))
    assert since_your_turn(formatter(text=text), game.hand(ANN)) == f"You played {played}. Play reverses."


def test_winner_and_shithead_read_of_the_tribute_that_it_was_theirs():
    paid = ev.PaidTribute(ANN, CY, SEVEN, NINE)
    given, taken = words_of(SEVEN), words_of(NINE)
    assert since(paid, seat=ANN) == f"You took {taken} from Cy for {given}."
    assert since(paid, seat=BOB) == f"Ann took {taken} from Cy for {given}."
    assert since(paid, seat=CY) == f"Ann took {taken} from you for {given}."


def test_the_readers_draw_is_told_in_its_place_until_their_next_move():
    own, other, drawn = ev.Played(ANN, (SEVEN,)), ev.Played(BOB, (NINE,)), ev.Drew(ANN, 2, (NINE, SEVEN))
    hidden, cards = ev.Drew(ANN, 2, ()), f"You drew {words_of(SEVEN)} {words_of(NINE)}."
    assert since(own, hidden, drew=drawn) == f"You played a seven. {cards}"
    assert since(own, hidden, other, ev.Drew(BOB, 1, ()), drew=drawn) == f"{cards} Bob played a nine."
    assert since(own, hidden, other, drew=None) == "Bob played a nine."
    late = own, hidden, other, ev.Played(ANN, (NINE,)), ev.Drew(ANN, 1, ())
    told = since(*late, other, drew=ev.Drew(ANN, 1, (NINE,)), played_for=late[3:])
    assert (
        told == f"Bob played a nine. The computer played a nine for you. You drew {words_of(NINE)}. Bob played a nine."
    )


def test_what_others_did_to_the_reader_is_addressed_to_them():
    told = since(ev.Played(ANN, (SEVEN,)), ev.Played(CY, (NINE,)), ev.Skipped((ANN,)))
    assert told == "Cy played a nine. You were skipped."
    told = since(ev.Played(BOB, (SEVEN,)), ev.Skipped((CY, ANN)))
    assert told == "Bob played a seven. Cy was skipped. You were skipped."
    assert retold(formatter(), [ev.Skipped((ANN, BOB, ANN))], lambda _: "Ann") == "Ann and Ann were skipped."


def test_the_result_of_a_blind_flip_is_told_even_after_others_have_moved():
    other = ev.Played(BOB, (NINE,))
    flip = ev.Flipped(ANN, SEVEN)
    assert (
        since(other, flip, ev.PickedUp(ANN, 5), other)
        == f"You flipped {words_of(SEVEN)}. You picked up 5 cards. Bob played a nine."
    )
    assert since(other, flip, other) == f"You flipped {words_of(SEVEN)}. Bob played a nine."
    assert since(flip, other, ev.PickedUp(ANN, 2), other) == "Bob played a nine."


def test_a_move_by_the_bot_is_attributed_to_the_bot():
    away = ev.Played(ANN, (SEVEN,))
    told = since(ev.Played(ANN, (SEVEN,)), ev.Played(BOB, (NINE,)), away, ev.Played(BOB, (NINE,)), played_for=(away,))
    assert told == "Bob played a nine. The computer played a seven for you. Bob played a nine."


@pytest.mark.parametrize(
    ("faces", "words"),
    [
        ((SEVEN | LOW,), "a seven{end}, low."),
        ((SEVEN, SEVEN + 4), f"the sequence {words_of(SEVEN)} {words_of(SEVEN + 4)}{{end}}."),
    ],
    ids=["low", "sequence"],
)
def test_a_player_reads_of_their_own_play_what_the_others_read_of_it(faces, words):
    own, other = ev.Played(ANN, faces), ev.Played(BOB, (NINE,))
    assert since(own) == f"You played {words.format(end='')}"
    assert since(own, seat=BOB) == f"Ann played {words.format(end='')}"
    told = since(ev.Played(ANN, (SEVEN,)), other, own, played_for=(own,))
    assert told == f"Bob played a nine. The computer played {words.format(end=' for you')}"


@pytest.mark.parametrize(
    ("away", "said"),
    [
        (ev.Chanced(ANN, SEVEN), f"The computer tried a stock card for you: {words_of(SEVEN)}."),
        (ev.Called(ANN, 1), "The computer called a 3 for you."),
        (ev.Chosen(ANN, ()), "The computer chose your face-up cards."),
        (ev.Cleared(ANN), "The computer cleared the pile for you."),
        (ev.Followed(ANN, (SEVEN,)), f"The computer added {words_of(SEVEN)} for you."),
        (ev.PickedUp(ANN, 7), "The computer picked up 7 cards for you."),
        (ev.PickedUp(CY, 7, ANN), "The computer made Cy pick up 7 cards."),
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_no_move_by_the_bot_is_attributed_to_the_reader(away, said):
    other = ev.Played(BOB, (NINE,))
    assert since(ev.Played(ANN, (SEVEN,)), other, away, played_for=(away,)) == f"Bob played a nine. {said}"


def test_three_readers_each_read_who_made_whom_pick_up():
    """The player before them picks up, or is given the pile."""
    told = ev.Played(BOB, (NINE,)), ev.PickedUp(ANN, 7, CY)
    assert since(ev.Played(ANN, (SEVEN,)), *told) == "Bob played a nine. Cy made you pick up 7 cards."
    told = ev.Played(BOB, (NINE,)), ev.PickedUp(BOB, 1, ANN)
    assert since(ev.Played(CY, (SEVEN,)), *told) == "You made Bob pick up 1 card."
    assert since(ev.Played(ANN, (SEVEN,)), ev.PickedUp(BOB, 7, CY)) == "Cy made Bob pick up 7 cards."
    told = since(ev.Played(ANN, (SEVEN,)), ev.PickedUp(BOB, 7, ANN))
    assert told == "You played a seven. You made Bob pick up 7 cards."


PICK_UPS = (
    (ev.Added(ANN, (SEVEN,)), ev.PickedUp(ANN, 5), "Ann picked up 5 cards."),
    (ev.Flipped(ANN, SEVEN), ev.PickedUp(ANN, 5), f"Ann flipped {words_of(SEVEN)}. Ann picked up 5 cards."),
    (ev.Played(ANN, (SEVEN,)), ev.PickedUp(BOB, 5, ANN), "Ann played a seven. Ann made Bob pick up 5 cards."),
)


@pytest.mark.parametrize(("first", "picked_up", "said"), PICK_UPS, ids=["added", "flipped", "given"])
def test_a_pick_up_is_told_with_the_move_that_led_to_it_and_so_is_who_asked_for_it(first, picked_up, said):
    hand, other = Game(seats=3).hand(ANN), ev.Played(BOB, (NINE,))
    for by, asked in ((ANN, "The computer played for Ann."), (CY, "Cy had the computer play for Ann.")):
        played_for = ((first, by), (picked_up, None))
        lines = last_actions(formatter(), (other, first, picked_up), ["Ann", "Bob", "Cy"].__getitem__, played_for)
        assert lines == ["Bob played a nine.", f"{asked} {said}"]
        snapshot = replace(hand.snapshot, recent=(other, first, picked_up), played_for=played_for)
        assert played_for_reader(replace(hand, snapshot=snapshot)) == (first if by == ANN else None)
    assert since_your_turn(formatter(), replace(hand, snapshot=snapshot)).startswith("Bob played a nine. Cy had the")


def test_after_a_long_absence_only_the_last_actions_are_told_and_where_the_others_are():
    plays, more = [ev.Played(BOB, (NINE,)) for _ in range(MOST_SINCE + 1)], "What happened earlier is under **More**."
    told = since(ev.Played(ANN, (SEVEN,)), *plays)
    assert told.count("Bob played") == MOST_SINCE
    assert told.startswith(f"{more} Bob played a nine.")
    assert more not in since(ev.Played(ANN, (SEVEN,)), *plays[1:])
    swaps = [ev.Swapped(BOB, SEVEN, NINE), ev.Swapped(BOB, NINE, SEVEN)] * MOST_SINCE
    assert more not in since(*swaps), "nothing of it would be told"


def test_after_the_end_a_hand_leads_to_its_replay_because_its_table_has_no_more():
    game = Game(seats=3)
    while not game.over:
        game.step()
    hand = game.hand(ANN)
    events = ev.Played(ANN, (SEVEN,)), *(ev.Played(CY, (NINE,)) for _ in range(MOST_SINCE + 1))
    shown = hand_screen(formatter("de"), replace(hand, snapshot=replace(hand.snapshot, recent=events)))
    assert "Was vorher geschah, steht unter **Spiel ansehen**." in texts(shown)
    assert "Spiel ansehen" in labels(shown)


@pytest.mark.parametrize(
    "event",
    [
        *(ev.Played(ANN, (SEVEN,)), ev.PickedUp(ANN, 1), ev.PickedUp(ANN, 7), ev.Flipped(ANN, SEVEN)),
        *(ev.Chanced(ANN, SEVEN), ev.Cleared(ANN), ev.Interrupted(ANN, (SEVEN,)), ev.Followed(ANN, (SEVEN,))),
        *(ev.Called(ANN, 1), ev.Chosen(ANN, ())),
    ],
    ids=lambda event: event.name,
)
def test_every_event_addresses_the_reader_who_caused_it(event):
    assert since(event).startswith("You ")


@pytest.mark.parametrize(("place", "said"), [(1, "You won: first out"), (2, "You are safe: out 2nd")])
def test_a_hand_says_once_that_its_reader_is_out_and_so_does_the_replay(place, said):
    game = Game(seats=3)
    while game.state.frame.phase != "play":
        game.step()
    out, told = ev.WentOut(ANN, place), ev.Played(ANN, (SEVEN,))
    hand = game.hand(ANN)
    seats = (replace(hand.view.table.seats[ANN], place=place), *hand.view.table.seats[1:])
    view = replace(hand.view, hand=(), up=(), moves=(), table=replace(hand.view.table, seats=seats, turn=BOB))
    hand = replace(hand, view=view, snapshot=replace(hand.snapshot, recent=(told, out)))
    written = texts(hand_screen(formatter(), hand))
    assert written.startswith(f"### {said}\n-# Bob starts a new pile"), "the headline, before what goes on at the table"
    assert written.count(said) == 1
    assert written.endswith("You played a seven.")
    assert retold(formatter(), (told, out), ["Ann", "Bob"].__getitem__, ANN).startswith("You played a seven. You ")


def test_ones_own_swaps_and_stacks_are_told_only_by_the_face_up_cards():
    game = Game(seats=3)
    up = [slot[0] for slot in game.hand(ANN).view.up]
    swaps, other = [ev.Swapped(ANN, card, SEVEN) for card in up[:2]], ev.Played(BOB, (NINE,))
    assert since(*swaps) == ""
    assert since(*swaps, ev.Readied(ANN), other) == "Bob played a nine."
    assert since(ev.Laid(ANN, SEVEN), ev.Laid(ANN, None), ev.Readied(ANN)) == ""
    assert since(*swaps, ev.Played(ANN, (SEVEN,)), other) == "Bob played a nine."
    while not game.hand(ANN).view.table.seats[ANN].ready:
        game.step()
    waiting = texts(hand_screen(formatter(), game.hand(ANN)))
    assert waiting.count(" ".join(words_of(slot[0]) for slot in game.hand(ANN).view.up)) == 1


def test_without_face_up_cards_each_swap_is_told():
    hand = Game(seats=3).hand(ANN)
    seats = list(hand.view.table.seats)
    seats[BOB] = replace(seats[BOB], up=((), (), ()))
    swaps = (ev.Swapped(BOB, SEVEN, NINE), ev.Swapped(BOB, NINE, SEVEN))
    shown = replace(hand, view=replace(hand.view, table=replace(hand.view.table, seats=tuple(seats))))
    shown = replace(shown, snapshot=replace(hand.snapshot, recent=swaps))
    first, second = words_of(SEVEN), words_of(NINE)
    assert since_your_turn(formatter(), shown) == (
        f"Bob put {first} on the table and took {second}. Bob put {second} on the table and took {first}."
    )


def test_the_swaps_of_others_are_told_as_their_resulting_face_up_cards():
    seats = Game(seats=3).hand(ANN).view.table.seats
    bob, cy = (" ".join(words_of(slot[0]) for slot in seats[seat].up) for seat in (BOB, CY))
    swaps = [ev.Swapped(seat, card, card + 1) for card in (8, 20) for seat in (BOB, CY)]
    told = f"Bob swapped and now has {bob} face up. Cy swapped and now has {cy} face up."
    assert since(*swaps) == told
    undone = [ev.Swapped(BOB, each.taken, each.laid) for each in swaps if each.seat == BOB]
    assert since(*swaps, *undone) == f"Cy swapped and now has {cy} face up."
    assert since(swaps[0], ev.Swapped(ANN, SEVEN, NINE), undone[0]) == f"Bob swapped and now has {bob} face up."
    game = Game(seats=3)
    while game.state.frame.phase != "play":
        game.step()
    shown = game.hand(ANN)
    shown = replace(shown, snapshot=replace(shown.snapshot, recent=(*swaps, ev.Played(CY, (NINE,)))))
    assert since_your_turn(formatter(), shown) == "Cy played a nine.", "the table shows the cards"
    assert since(*swaps[::2], ev.Readied(BOB), ev.Played(ANN, (SEVEN,)), ev.Played(CY, (NINE,))) == "Cy played a nine."


def test_a_caller_reads_of_their_own_call():
    told = since(ev.Called(ANN, 1), ev.Started(ANN, 1, "called"))
    assert told == "You called a 3. That was the first call, so you start."


THREES = "3c 9d 9h | Kd Qs Jh | 4c 4d 6s", "3h 3s 8d | Td As 9s | 2c 7d 6c"
FOURS = "4h 9d 9h | Kd Qs Jh | 5c 5d 6s", "5h 5s 8d | Td As 9s | 2c 7d 6c"
NONE = ("Xb | Xr | 4c", "Xr | Xb | 5c")
LOWEST = "You start: with threes lowest and twos highest, nobody holds a lower card than yours, a"


@pytest.mark.parametrize(
    ("by", "seats", "said"),
    [
        ("face-up-then-call", THREES, "You start: of those who hold a 3, you sit nearest the dealer’s left."),
        ("call-nearest", THREES, "You start: of those who hold a 3, you sit nearest the dealer’s left."),
        ("most", THREES, "Threes: nobody holds more than you, so you start."),
        ("lowest", THREES, f"{LOWEST} 3."),
        ("left", THREES, "You start: you sit left of the dealer."),
        ("lowest", NONE, "You start: you sit left of the dealer."),
        ("thrown", THREES, "You start: the player before you discarded the last card onto the pile."),
        ("thrown", NONE, "You start: you sit left of the dealer."),
        (
            "call-nearest",
            FOURS,
            "\n-# Nobody has a 3 in hand. You start: of those who hold a 4, you sit nearest the dealer’s left.",
        ),
        ("most", FOURS, "\n-# Nobody has a 3 in hand. Fours: nobody holds more than you, so you start."),
        ("lowest", FOURS, f"\n-# {LOWEST} 4."),
    ],
)
def test_whoever_leads_first_reads_why_and_the_others_read_that_they_do(by, seats, said):
    game = Game(seats=2)
    game.state = state_of({"deal": {"jokers": 4}, "start": {"by": by}}, seats=list(seats), phase="exchange")
    for seat, move in ((ANN, Ready()), (BOB, Ready()), (ANN, Timeout())):
        if game.state.frame.phase != "play":
            before, game.state = game.state, apply(game.state, seat, move)
            game.recent += events(before, seat, move, game.state)
    starter = game.state.turn
    assert texts(hand_screen(formatter(), game.hand(starter))).endswith(said)
    assert texts(hand_screen(formatter(), game.hand(1 - starter))).rfind(f"{['Ann', 'Bob'][starter]} starts") > 0


def test_where_aces_are_low_the_lowest_card_that_starts_is_named_with_the_order_that_decided():
    game = Game(seats=2)
    rules = {"start": {"by": "lowest"}, "play": {"ace": "low"}}
    seats = ["3c 9d 9h | Kd Qs Jh | 4c 4d 6s", "Ah 2s 8d | Td As 9s | 2c 7d 6c"]
    game.state = state_of(rules, seats=seats, phase="exchange")
    for seat in (ANN, BOB):
        before, game.state = game.state, apply(game.state, seat, Ready())
        game.recent += events(before, seat, Ready(), game.state)
    assert game.state.turn == ANN, "although Bob holds an ace, which is lower in play"
    assert texts(hand_screen(formatter(), game.hand(ANN))).endswith(f"{LOWEST} 3.")


def test_everybody_reads_why_the_discards_before_play_decided_who_starts():
    told = since(ev.Readied(BOB), ev.Started(BOB, None, "thrown"))
    assert told == "Bob starts: the player before them discarded the last card onto the pile."


def test_choosing_counts_as_simultaneous_so_nobody_is_named_first():
    game = Game(seats=2)
    rules = {"deal": {"method": "choose"}}
    threes = ("3c 9d 9h 6h Jd Qc | - | 4c 4d 6s", "3h 3s 8d 5c 7h 8h | - | 2c 7d 6c")
    game.state = state_of(rules, seats=list(threes), phase="exchange")
    for seat, cards in ((ANN, "3c 9d 9h"), (BOB, "3h 3s 8d")):
        for move in (parse_move(f"choose {cards}"), Ready()):
            before, game.state = game.state, apply(game.state, seat, move)
            game.recent += events(before, seat, move, game.state)
    starter = game.state.turn
    said = "You start: of those with a 3 face up, you sit nearest the dealer’s left."
    assert said in texts(hand_screen(formatter(), game.hand(starter)))
    assert f"{['Ann', 'Bob'][starter]} starts, with a 3." in texts(hand_screen(formatter(), game.hand(1 - starter)))


def test_the_table_and_the_replay_say_who_was_dealt_the_starting_card():
    told = ev.Readied(BOB), ev.Started(ANN, 1, "face-up-then-call")
    assert since(*told) == ""
    assert since(*told, seat=BOB) == "Ann starts: first to be dealt a 3 face up."
    assert (
        retold(formatter(), told, ["Ann", "Bob"].__getitem__, ANN)
        == "You start: you were the first to be dealt a 3 face up."
    )


def test_if_nobody_has_the_usual_starting_card_the_deciding_one_is_named():
    dealt = ev.Readied(BOB), ev.Started(ANN, 2, "face-up-then-call", missing=1)
    assert since(*dealt) == "", "the table says so"
    you = "Nobody has a 3 in hand. You start: you were the first to be dealt a 4 face up."
    assert retold(formatter(), dealt, ["Ann", "Bob"].__getitem__, ANN) == you
    assert since(*dealt, seat=BOB) == "Nobody has a 3 in hand. Ann starts: first to be dealt a 4 face up."
    called = ev.Called(ANN, 2), ev.Started(ANN, 2, "called", missing=1)
    assert since(*called, seat=BOB) == "Ann starts: first to call a 4 from the hand. Nobody has a 3 in hand."
    assert since(*called) == "You called a 4. Nobody has a 3 in hand. That was the first call, so you start."


@pytest.mark.parametrize(
    ("told", "heading"),
    [
        ((ev.Played(ANN, (SEVEN,)), ev.Burned(ANN, 4)), "You play again: anything"),
        ((ev.Played(BOB, (SEVEN,)), ev.Burned(BOB, 4), ev.WentOut(BOB, 1)), "Your turn: play anything"),
    ],
)
def test_after_a_burn_the_hand_says_that_its_player_plays_again(told, heading):
    game = Game(seats=3)
    while game.state.frame.phase != "play":
        game.step()
    hand = game.hand(game.state.turn)
    events = [replaced(each, seat={ANN: hand.view.seat}.get(each.seat, (hand.view.seat + 1) % 3)) for each in told]
    table = replaced(hand.view.table, pile=(), started=True, asked=Asked("anything"))
    view, snapshot = replaced(hand.view, table=table, lead=None), replaced(hand.snapshot, recent=tuple(events))
    assert texts(hand_screen(formatter(), replaced(hand, view=view, snapshot=snapshot))).startswith(f"## {heading}")


async def test_a_player_who_was_away_reads_of_a_move_by_the_clock(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    snapshot = await house.tables.snapshot(table)
    late = snapshot.table.players[not_none(snapshot.view.turn)].user_id
    for _ in range(3):
        house.time.pass_by(minutes=4)
        await house.tables.timekeeping.time_up(table)
    hand = await house.hand(table, late)
    assert "The computer " in since_your_turn(formatter(), hand)
    assert " for you" in since_your_turn(formatter(), hand)


async def test_whoever_was_away_reads_why_the_computer_played_and_how_to_play_on(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    snapshot = await house.tables.snapshot(table)
    late = snapshot.table.players[not_none(snapshot.view.turn)].user_id

    def notice(hand):
        return texts(hand_screen(formatter(), hand)).splitlines()[0]

    house.time.pass_by(minutes=4)
    for _ in range(2):
        assert not notice(await house.tables.play.hand_since(table, late, -1)).startswith("-#")
        await house.tables.timekeeping.time_up(table)
    followed = instance_of(HandSnapshot, await house.tables.play.hand_since(table, late, -1))
    plays = "-# Your time was up: the computer plays for you until you press a button here."
    waits = "-# Your time was up: the game waits until you press a button here."
    assert notice(followed) == plays
    assert "I’m back" in labels(hand_screen(formatter(), followed))
    assert "Nothing to do" not in texts(hand_screen(formatter(text=True), followed)), "a press ends the wait"
    alone = replaced(followed.snapshot, table=followed.snapshot.table.but(turn_since=None))
    assert notice(replaced(followed, snapshot=alone)) == waits
    paused = replaced(followed.snapshot, table=followed.snapshot.table.but(paused=True))
    assert not notice(replaced(followed, snapshot=paused)).startswith("-#"), "nobody plays for them then"
    opened = await house.hand(table, late)
    assert notice(opened) == "-# You are back. The computer played for you."
    while (await house.tables.snapshot(table)).view.turn != opened.view.seat:
        await house.step(table)
    await house.choose(table, late)
    assert "The computer played for you" not in texts(hand_screen(formatter(), await house.hand(table, late)))


async def test_whoever_another_player_had_the_computer_play_for_before_play_reads_what_it_did(
    house: Offline, people: People
):
    table = await house.game(*people[:3])
    house.time.pass_by(minutes=6)
    await house.tables.play.act(house.by(2, table), Ready())
    await house.tables.timekeeping.time_up(table)
    await house.tables.play.play_for(house.by(2, table))
    told = texts(hand_screen(formatter(), house.loaded(table).hand(0)))
    assert told.endswith("\n-# Bob had the computer play for you. The computer pressed **Ready** for you.")
    public = texts(public_screen(formatter(), await house.tables.snapshot(table)))
    assert "Bob had the computer play for Ann. The computer pressed **Ready** for Ann." in public
    assert "You had the computer play for Ann. The computer pressed **Ready** for Ann." in texts(
        hand_screen(formatter(), house.loaded(table).hand(1))
    )


def test_a_ready_that_nobody_asked_for_is_told_once():
    swapped, readied = ev.Swapped(BOB, SEVEN, NINE), ev.Readied(ANN)
    told = last_actions(formatter(), (swapped, readied), ["Ann", "Bob"].__getitem__, [(readied, ANN)])
    assert told[-1].endswith(". The computer pressed **Ready** for Ann.")
    assert told[-1].count("computer") == 1


async def test_a_move_requested_by_another_player_names_them(house: Offline, people: People):
    table = await house.in_play(*people[:3])
    before = await house.tables.snapshot(table)
    late, wishing, other = ((before.view.turn + step) % 3 for step in range(3))
    of = [player.name for player in before.table.players]
    house.time.pass_by(minutes=4)
    await house.tables.timekeeping.time_up(table)
    await house.tables.play.play_for(house.by(before.table.players[wishing].user_id, table))
    after = await house.tables.snapshot(table)
    assert f"{of[wishing]} had the computer play for {of[late]}. {of[late]} " in texts(
        public_screen(formatter(), after)
    )
    told = {seat: texts(hand_screen(formatter(), house.loaded(table).hand(seat))) for seat in range(3)}
    assert f"{of[wishing]} had the computer play for you. The computer " in told[late]
    assert "You are back" not in told[late], "they may still be away"
    assert f"You had the computer play for {of[late]}. {of[late]} " in told[wishing]
    assert f"{of[wishing]} had the computer play for {of[late]}. {of[late]} " in told[other]
    assert "had the computer" not in texts(public_screen(formatter(), await house.another().snapshot(table)))


@pytest.mark.parametrize("left", [False, True])
async def test_the_log_says_for_whom_the_computer_played_by_itself_as_the_table_does_only_meanwhile(
    house: Offline, people: People, left
):
    table = await house.in_play(*people[:3])
    before = await house.tables.snapshot(table)
    turn = not_none(before.view.turn)
    gone, present = before.table.players[turn], (turn + 1) % 3
    if left:
        await house.tables.lobby.leave(house.by(gone.user_id, table))
        await house.tables.timekeeping.computer_turn(table)
    else:
        for minutes in (4, 2):
            house.time.pass_by(minutes=minutes)
            await house.tables.timekeeping.time_up(table)
    after = await house.tables.snapshot(table)
    said = f"The computer played for {gone.name}."
    assert f"{said} {gone.name} " in texts(log_screen(formatter(), after))
    assert said not in texts(public_screen(formatter(), after))
    assert said not in texts(hand_screen(formatter(), house.loaded(table).hand(present)))


def test_at_a_large_table_seats_far_from_the_turn_take_one_line_each():
    game = Game(Rules(seats=(2, 12)).changed_with({"deal": {"packs": 3}}), seats=12)
    while game.state.frame.phase != "play":
        game.step()
    screen = public_screen(formatter(), game.snapshot())
    within_limits(screen)
    seats = [each["content"] for each in screen[0]["components"] if " face-down" in each.get("content", "")]
    assert [len(each.splitlines()) for each in seats].count(1) == 12 - 5
    turn = game.snapshot().view.turn
    assert all(len(seats[(turn + step) % 12].splitlines()) == 2 for step in range(-2, 3))


def test_a_waiting_player_reads_everything_that_goes_on_the_pile():
    game = Game(seats=2)
    while not (game.state.frame.phase == "play" and table_view(game.state).asked.also):
        game.step()
    waiting, on_turn = (game.hand(seat) for seat in (1 - game.state.turn, game.state.turn))
    (also,) = (line for line in texts(hand_screen(formatter(), waiting)).splitlines() if line.startswith("-# or a"))
    assert f"{also} · due <t:" in texts(hand_screen(formatter(), on_turn))
