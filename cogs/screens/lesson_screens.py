"""The pages of the tutorial: what a lesson teaches, its position, the moves to choose from, and where it leads.

A page depends only on its step and on the last tap, and both are in the ids of its buttons. So it survives restarts
without being stored, and an old one does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import cogs.screens.components as ui
from cogs.screens.event_words import retold
from cogs.screens.formatter import FACE_DOWN, NBSP, Formatter, hand_order, texts_of
from cogs.screens.hand_parts import pick_up_size, table_card_lines
from cogs.screens.ids import format_id
from cogs.screens.prepare_screens import HAND, UP, chosen_label, swap_heading
from cogs.screens.refused import refusal_sentence
from cogs.screens.rules_screens import text_mode_words
from cogs.screens.wording import cards_within, forfeit_words, pile_words, rank_order, result_words
from data.models import Player, Table
from game.cards import RANKS, Card, card_of, format_card, rank_of
from game.events import Drew, Event, Started
from game.lessons import LEARNER, LESSONS, Lesson, Tapped, moves_of, view_of
from game.moves import Call, Flip, Move, Play, Refusal
from game.view import SeatView
from tables.snapshots import HandSnapshot, TableSnapshot

STEPS: Final = len(LESSONS)
LAST_PAGE: Final = STEPS + 1
PARTNER_NAME: Final = "Clara"
_MOST_PILE: Final = 5
TAUGHT: Final[Mapping[str, Mapping[str, str]]] = texts_of("lessons.toml")
"""The title and the text of each lesson, by its name; the texts are in `lessons.toml`."""


def page_id(t: Formatter, step: int, tap: str = "") -> str:
    """The id of a button that leads to a step, or makes a `tap` in it: the number of a move, or one or two cards."""
    return format_id("lesson", int(t.polite), step, tap)


def lesson_screen(
    t: Formatter, step: int, notice: str = "", *, refused: str = "", chosen: Card | None = None
) -> ui.Screen:
    """A step, counted from 1, or the last page after the last step.

    `notice` tells what led here, `refused` why a tap in this step was refused, `chosen` is the hand card that was
    tapped first in an exchange.
    """
    if step > STEPS:
        return _last_page(t, notice)
    lesson = LESSONS[step - 1]
    title, text = TAUGHT[lesson.name]["title"], TAUGHT[lesson.name]["text"]
    hand = _hand(lesson)
    anew = ui.continued(t("Now a new deal")) if notice else ""
    notes = [ui.lines(refused, ui.continued(notice), anew), ui.divider()] if refused or notice else []
    who = t("You play against {name}, a computer.", name=PARTNER_NAME) if lesson.name == "call" else ""
    order = rank_order(t, hand.view.table.rules) if lesson.name == "higher" else ""
    aside = ui.small(order, text_mode_words(t) if step == 1 else "")
    head = ui.lines(ui.h2(t(title, game=t.game())), _progress(t, step), t.sentences(t(text), who), aside)
    swapping = hand.view.table.phase == "exchange"
    taps = _exchange(t, hand.view, step, chosen) if swapping else ui.rows(_taps(t, lesson, step, points=bool(refused)))
    position = ui.lines(*_pile(t, hand.view), *_cards(t, hand))
    back, skip = ui.button(page_id(t, step - 1), t("Back")), ui.button(page_id(t, step + 1), t("Skip this step"))
    ways = ui.row(back, skip) if step > 1 else ui.row(skip)
    accent = ui.Accent.RED if refused else ui.Accent.BLUE
    return ui.container(accent, [*notes, head, position, *taps, ui.divider(), ways])


def _progress(t: Formatter, step: int) -> str:
    """`Step 3 of 10`, and the same as dots."""
    step_words = ui.small(t("Step {step} of {steps}", step=step, steps=STEPS))
    return step_words if t.text else f"{step_words}  {'●' * step}{'○' * (STEPS - step)}"


def done_words(t: Formatter, tapped: Tapped) -> str:
    """The consequences of the right tap, told to the reader."""
    events = [event for event in tapped.events if not isinstance(event, Started)]  # the lesson says who starts

    def told(event: Event) -> str:
        if isinstance(event, Drew) and event.seat == LEARNER:
            return t("You drew {cards}.", cards=cards_within(t, *event.cards))
        return retold(t, [event], lambda _: PARTNER_NAME, LEARNER)

    sentence = t.sentences(*map(told, events))
    return sentence if t.text else f"{sentence}{NBSP}✓"


def refused_words(t: Formatter, lesson: Lesson, move: Move, tapped: Tapped) -> str:
    """Why the rules refuse a tap, in the words of a real game."""
    if tapped.refusal is Refusal.WRONG_PHASE and lesson.name == "call":
        return t("**Nobody can play yet.** First a 3 has to be called.")
    return "" if tapped.refusal is None else refusal_sentence(t, tapped.refusal, _hand(lesson), move)


def _hand(lesson: Lesson) -> HandSnapshot:
    view = view_of(lesson)
    seated = (Player(user_id=1, name="", joined_by=0), Player(user_id=None, name=PARTNER_NAME, joined_by=0))
    nowhere = {"id": 1, "guild_id": 0, "channel_id": 0, "host_id": 0, "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    game = {"status": "playing", "rules": view.table.rules, "seats": len(seated), "players": seated}
    return HandSnapshot(TableSnapshot(Table.model_validate(nowhere | game), view.table), view)


def _pile(t: Formatter, view: SeatView) -> list[str]:
    pile = view.table.pile
    return [ui.h3(pile_words(t, pile)), ui.h1(t.emojis(pile[-_MOST_PILE:]))] if pile else []


def _cards(t: Formatter, hand: HandSnapshot) -> list[str]:
    view = hand.view
    match view.zone:
        case "face-down":
            count = len(view.table.seats[LEARNER].down)
            backs = t.faces.named(FACE_DOWN) * count
            how_many = t.n("{count} face-down, nobody knows it", "{count} face-down, nobody knows them", count)
            return [ui.h1(backs), ui.small(how_many)]
        case "face-up":
            return [*_named(t, t("Face-up"), view.up_cards), *table_card_lines(t, hand)]
        case _ if view.table.phase == "exchange":
            return []
        case _:
            return _named(t, t("Hand"), view.hand)


def _named(t: Formatter, title: str, cards: Iterable[Card]) -> list[str]:
    """Names above big faces, like the pile: faces above faces would look like a single row of cards."""
    held = sorted(cards, key=hand_order)
    return [ui.h3(t("{title}: {cards}", title=title, cards=t.cards(held))), ui.h1(t.emojis(held))]


def _exchange(t: Formatter, view: SeatView, step: int, chosen: Card | None) -> ui.Screen:
    """As in a game: tap a hand card, then a face-up card."""

    def button(card: Card, tap: str, style: ui.Style, *, disabled: bool = False) -> ui.Component:
        label = chosen_label(t, card) if card == chosen else t.label(card)
        return ui.button(page_id(t, step, tap), label, style, emoji=t.icon(card), disabled=disabled)

    hand_cards, up_cards = sorted(view.hand, key=hand_order), view.up_cards
    grey = ui.Style.GREY
    held = [button(card, format_card(card), ui.Style.GREEN if card == chosen else grey) for card in hand_cards]
    if chosen is None:
        up = [button(card, format_card(card), grey, disabled=True) for card in up_cards]
    else:
        up = [button(card, format_card(chosen) + format_card(card), ui.Style.BLURPLE) for card in up_cards]
    hand_heading = ui.h3(swap_heading(t, HAND, t("Hand"), hand_cards, tapped=HAND, card=chosen))
    up_heading = ui.h3(swap_heading(t, UP, t("Face-up"), up_cards, tapped=HAND, card=chosen))
    return [ui.lines(hand_heading), *ui.rows(held), ui.lines(up_heading), *ui.rows(up)]


def _taps(t: Formatter, lesson: Lesson, step: int, *, points: bool) -> Sequence[ui.Component]:
    """All moves of the step in the order of a hand; neither place nor colour `points` to the right one at first."""
    made: list[ui.Component] = []
    for nth, move in sorted(enumerate(moves_of(lesson), 1), key=lambda each: _place(each[1])):
        label, icon = _look(t, view_of(lesson), move)
        style = ui.Style.GREEN if points and nth == 1 else ui.Style.BLURPLE
        made.append(ui.button(page_id(t, step, str(nth)), label, style, emoji=icon))
    return made


def _place(move: Move) -> tuple[int, int]:
    return (hand_order(move.cards[0])[0], len(move.cards)) if isinstance(move, Play) else (len(RANKS), 0)


def _look(t: Formatter, view: SeatView, move: Move) -> tuple[str, ui.Component | None]:
    """The label and the emoji of a move."""
    match move:
        case Play():
            words = t("Play {cards}", cards=t.cards(move.cards))
            label = t.label(*move.cards) if view.table.phase == "play" else words
            return label, t.icon(card_of(move.cards[-1]))
        case Call():
            called = next(card for card in view.hand if rank_of(card) == view.table.calling)
            return t("Call my {card}", card=t.card(called)), None
        case Flip():
            return t("Flip a face-down card"), t.faces.icon(FACE_DOWN)
        case _:
            return t("Pick up {count}", count=pick_up_size(t, view)), None


def _last_page(t: Formatter, notice: str) -> ui.Screen:
    title = result_words(t, PARTNER_NAME)
    owed = t("At a real table, {name} would now owe you {forfeit}.", name=PARTNER_NAME, forfeit=forfeit_words(t, ""))
    told = t.sentences(t("You won: you got rid of all your cards first."), owed)
    if not notice:  # the last step was skipped, so nobody has won
        title = t(TAUGHT["swap"]["title"], game=t.game())
        told = "" if t.polite else t("Whoever loses is the shithead.")
    whole = t(
        "That’s the whole game. Variants change some rules: {rules} at each table shows what applies there.",
        **t.buttons(),
    )
    onward = ui.row(
        ui.button(format_id("open", int(t.polite)), t("Open a table"), ui.Style.GREEN),
        ui.button(format_id("practise", int(t.polite)), t("Play against the computer"), ui.Style.BLURPLE),
    )
    ways = ui.row(ui.button(page_id(t, STEPS), t("Back")), ui.button(page_id(t, 1), t("From the beginning")))
    notes = [ui.lines(ui.continued(notice)), ui.divider()] if notice else []
    return ui.container(ui.Accent.TEA, [*notes, ui.lines(ui.h2(title), told, whole), ui.divider(), onward, ways])
