"""What the screens of a hand share: cards, plays as buttons and selects, the whole table in words for text mode.

Plays are offered by rank and count, not for each set of cards. Up to eight have a button each. With more, a plain rank
has a button for one card and one for all (only for all, if those are too many), a rank with a power only one for one
card, and selects hold the other plays: the common play takes one tap, any play two.

In text mode nobody has to look for the public message to know how the game stands. Signs, colours and pictures say
nothing that the words do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from heapq import nsmallest
from itertools import chain
from typing import Final

import cogs.screens.components as ui
from cogs.screens.event_words import since_your_turn
from cogs.screens.formatter import CACHED, FACE_DOWN, Formatter, capital, hand_order
from cogs.screens.ids import Key, apart, format_button, key_of
from cogs.screens.wording import MOST_TOP, seat_name, seen_through, stop_words, top_run, top_words, with_word
from game.cards import JACK, SUITS, Card, Face, Rank, card_of, face_rank, is_red, named_rank
from game.moves import Follow, Interrupt, PickUp, Play, sequence_cards
from game.view import SeatFace, SeatView, TableView
from tables.snapshots import HandSnapshot, TableSnapshot

MOST_BIG: Final = 8
"""Cards that fit into one line of big faces."""
MOST_BESIDE: Final = 3
"""Small faces that fit after their names on a phone; more get a line of their own."""
MOST_LISTED: Final = 12
"""Cards that are named one by one; a larger hand is told by ranks and counts."""
MOST_OUT_OF_TURN: Final = 6
MOST_SINGLE: Final = 8
MOST_RANK_BUTTONS: Final = 15
MOST_SELECTS_BESIDE: Final = 4
MOST_SELECTS: Final = 13
"""Each takes 2 of the 40 components of a message; the rest takes up to 11, text mode 2 more, a notice 1."""
MANY: Final = 1_000
"""Of more plays only as many are looked at as selects have room for: those of the fewest jokers and cards."""
_LONGEST_NAMES: Final = 34
"""Longer names of cards do not fit on a button on a phone."""
_LONGEST_ARGUMENT: Final = 60
"""With a longer one, an id might have no room for the largest table numbers and revisions."""


def hand_lines(t: Formatter, hand: HandSnapshot) -> list[str]:
    """The cards in hand as big faces and as text; no lines for an empty hand."""
    held = sorted(hand.view.hand, key=hand_order)
    return card_lines(t, held, t("Hand")) if held else []


def card_lines(t: Formatter, held: Sequence[Face], title: str) -> list[str]:
    """Cards as text, with faces above: big ones for up to 8 cards, smaller ones for up to 12, none for more."""
    if len(held) <= MOST_LISTED:
        named = t("{title}: {cards}", title=title, cards=t.cards(held))
    else:
        named = t("{title}, {count} cards: {cards}", title=title, count=len(held), cards=t.counted(held))
    emojis = t.emojis(held)
    if not emojis or len(held) > MOST_LISTED:
        return [ui.h3(named) if t.text or len(held) <= MOST_BIG else named]
    return [ui.h1(emojis) if len(held) <= MOST_BIG else emojis, f"-# {named}"]


def pile_line(t: Formatter, hand: HandSnapshot) -> str:
    """The top of the pile, down to the card that counts; in text mode as `top_in_words`, and only during play."""
    view = hand.view.table
    if t.text:
        return ui.small(top_in_words(t, view)) if view.phase == "play" else ""
    if not view.pile:
        return ""
    drawn = view.pile[-max(seen_through(view) + 1, len(top_run(view.pile))) :]
    return f"{ui.small(top_words(t, view))} {t.emojis(drawn[-MOST_TOP:])}".rstrip()


def pick_up_size(t: Formatter, view: SeatView) -> str:
    """The size of a pick-up: `3 cards`, because a bare number would read as a rank, or `3 cards + 1 face-up`."""
    pile = t.n("{count} card", "{count} cards", len(view.table.pile))
    face_up = [len(move.cards) for move in view.moves if isinstance(move, PickUp)]
    fewest, most = min(face_up, default=0), max(face_up, default=0)
    if not most:
        return pile
    count = str(most) if fewest == most else f"{fewest}–{most}"
    return t.n("{cards} + {count} face-up", "{cards} + {count} face-up", most, cards=pile, count=count)


def table_card_lines(t: Formatter, hand: HandSnapshot) -> Sequence[str]:
    """The reader's table cards: the face-up ones as text and faces, and the number of face-down ones."""
    view = hand.view
    plays_them = view.zone == "face-up" and view.table.phase == "play" and view.table.turn == view.seat
    return _table_card_lines(t, () if plays_them else view.up, len(view.table.seats[view.seat].down))


@lru_cache(CACHED)
def _table_card_lines(t: Formatter, up: Sequence[Sequence[Card]], down: int) -> Sequence[str]:
    backs = t.faces.named(FACE_DOWN) * down
    face_down = f"{ui.small(t.n('{count} face-down', '{count} face-down', down))}  {backs}".rstrip() if down else ""
    if not up:
        return (face_down,) if down else ()
    named = t("Face-up: {cards}", cards=t.slots(up)) if t.text else t("**Face-up** {cards}", cards=t.slots(up))
    cards = tuple(chain(*up))
    shown = [f"{named}  {t.emojis(cards)}".rstrip()] if len(cards) <= MOST_BESIDE else [named, t.emojis(cards)]
    return (*map(ui.continued, shown), face_down)


def last_lines(t: Formatter, hand: HandSnapshot, cards: Sequence[str] = ()) -> list[str]:
    """What happened since the reader's last move, who wants to stop the game, and other letters, in small print.

    Before that `cards`, the lines of cards on the table; in text mode after it, so that what is new is heard first.
    """
    letters = t.other_letters() if hand.snapshot.table.is_open and not t.text else ""
    other = ui.small(t("On the table: {letters}", letters=letters)) if letters else ""
    last = [ui.continued(since_your_turn(t, hand)), stop_words(t, hand.snapshot.table), other]
    return [*last, *cards] if t.text else [*cards, *last]


def out_of_turn(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    """Buttons for the interrupts and follow-ups that are possible; for those that differ only in suits, one."""
    key, suits_matter = key_of(hand.snapshot.table), hand.view.table.rules.suits_matter
    buttons: dict[Hashable, ui.Component] = {}
    for move in sorted((each for each in hand.view.moves if isinstance(each, Interrupt | Follow)), key=_red_jacks_last):
        cards = t.suitless(move.cards) if t.text and not suits_matter else t.cards(move.cards)
        label = t("Interrupt: {cards}", cards=cards) if isinstance(move, Interrupt) else t("Add {cards}", cards=cards)
        made = ui.button(key.move(move), label, ui.Style.GREEN, emoji=t.icon(move.cards[-1]))
        seen = move.cards if suits_matter else (face_rank(move.cards[0]), len(move.cards))
        buttons.setdefault((move.name, seen), made)
    return ui.rows([*buttons.values()][:MOST_OUT_OF_TURN])


def distinct_plays(view: SeatView) -> list[Play]:
    """The plays in the order of the hand; of those that differ only in suits, one.

    Where sequences are allowed, cards that could be part of one are worth keeping, so plays that spend different ones
    are not alike. In a hand of more than `MOST_LISTED` cards they are; the one that spends the fewest is offered.
    """
    plays = [move for move in view.moves if isinstance(move, Play)]
    if len(plays) > MANY:
        plays = nsmallest(MOST_SELECTS * ui.MOST_OPTIONS, plays, lambda play: (_wilds(play), len(play.cards)))
    plays = [play for play in plays if len(format_button(play)[1]) <= _LONGEST_ARGUMENT]
    rules, held = view.table.rules, view.hand or tuple(chain(*view.up))
    worth_keeping = sequence_cards(rules, held) if rules.suits_matter else frozenset[Card]()
    spent = {play: worth_keeping.intersection(play.cards) for play in plays}
    offered: dict[Hashable, Play] = {}
    for play in sorted(plays, key=lambda play: (len(spent[play]), _red_jacks_last(play))):
        alike = _kind(play), spent[play] if len(held) <= MOST_LISTED else None
        offered.setdefault(alike, play)
    return sorted(
        offered.values(), key=lambda play: (is_sequence(play), hand_order(play.cards[0])[0], len(play.cards), play.word)
    )


def is_sequence(play: Play) -> bool:
    """Whether the play has cards of several ranks."""
    return len({face_rank(face) for face in play.cards}) > 1


def _kind(play: Play) -> Hashable:
    """What plays that differ only in suits have in common."""
    if is_sequence(play):
        return play.cards, play.word
    return face_rank(play.cards[0]), len(play.cards), _wilds(play), play.word


def kinds_with_several(plays: Iterable[Play]) -> frozenset[Hashable]:
    """The kinds of which there are several plays, so that their cards must be named to tell them apart."""
    return frozenset(kind for kind, count in Counter(map(_kind, plays)).items() if count > 1)


def _wilds(play: Play) -> int:
    return sum(named_rank(face) is not None for face in play.cards)


def _red_jacks_last(play: Play | Interrupt | Follow) -> tuple[int, tuple[int, ...]]:
    # Red jacks may be worth keeping (R46), so of equal plays the one with the fewest comes first.
    reds = sum(face_rank(face) == JACK and is_red(card_of(face)) for face in play.cards)
    return reds, play.cards


def play_controls(t: Formatter, view: SeatView, key: Key) -> ui.Screen:
    """Rows of buttons and selects for every play."""
    plays = distinct_plays(view)
    several = kinds_with_several(plays)
    if len(plays) <= MOST_SINGLE:
        return ui.rows([play_button(t, view, key, play, several) for play in plays])
    with_button = _rank_plays(view, plays)
    in_selects = _chunks([play for play in plays if play not in with_button])
    if len(with_button) > MOST_RANK_BUTTONS or len(in_selects) > MOST_SELECTS_BESIDE:
        with_button, in_selects = [], _chunks(plays)
    buttons = ui.rows([play_button(t, view, key, play, several) for play in with_button])
    selects = [_select(t, view, key, chunk, nth, several) for nth, chunk in enumerate(in_selects[:MOST_SELECTS], 1)]
    return buttons + selects


def _rank_plays(view: SeatView, plays: Sequence[Play]) -> list[Play]:
    """The plays that have a button of their own if there are many: see the top of this module."""
    by_rank: dict[tuple[Rank, str], list[Play]] = {}
    for play in plays:
        if not (is_sequence(play) or _wilds(play)):
            by_rank.setdefault((face_rank(play.cards[0]), play.word), []).append(play)
    offered: list[list[Play]] = []
    for (rank, _), (one, *more) in by_rank.items():
        power = view.table.rules.power(rank)
        is_special = power.does or power.on != "rank"
        offered.append([one] if is_special else [one, *more[-1:]])
    ones_and_alls = list(chain(*offered))
    return ones_and_alls if len(ones_and_alls) <= MOST_RANK_BUTTONS else [of_rank[-1] for of_rank in offered]


def _chunks(plays: Sequence[Play]) -> list[Sequence[Play]]:
    """The plays, divided among selects; wild jokers and sequences get selects of their own, easier to find."""
    wild = [play for play in plays if _wilds(play)]
    plain = [play for play in plays if not (_wilds(play) or is_sequence(play))]
    sequences = [play for play in plays if is_sequence(play)]
    return [*ui.batches(wild), *ui.batches(plain), *ui.batches(sequences)]


def play_button(t: Formatter, view: SeatView, key: Key, play: Play, several: frozenset[Hashable]) -> ui.Component:
    """A button that plays these cards, labelled with what they do. `several`: see `kinds_with_several`."""
    is_short = len(play.cards) <= len(SUITS) or is_sequence(play)
    named = t.cards(play.cards) if is_short else _set_words(t, play, several)
    label = _title(t, view, play, several) if t.text else _with_effect(t, view, play, named)
    return ui.button(key.move(play), label, ui.Style.BLURPLE, emoji=t.icon(play.cards[-1]))


def _with_effect(t: Formatter, view: SeatView, play: Play, label: str) -> str:
    label = with_word(t, label, play.word)
    return t.n("{cards} burns", "{cards} burn", len(play.cards), cards=label) if play in view.burning else label


def _set_words(t: Formatter, play: Play, several: frozenset[Hashable]) -> str:
    """`Four fours`; if that could be another play, too, each card, by signs if there is no room for the words."""
    if _kind(play) not in several:
        return capital(t.suitless(play.cards))
    words = t.label(*play.cards)
    return words if len(words) <= _LONGEST_NAMES else replace(t, text=False).cards(play.cards)


def _select(
    t: Formatter, view: SeatView, key: Key, plays: Sequence[Play], nth: int, several: frozenset[Hashable]
) -> ui.Component:
    values = apart([format_button(play)[1] for play in plays])
    options: list[ui.Component] = []
    for play, value in zip(plays, values, strict=True):
        below = t("Sequence of {count}", count=len(play.cards)) if is_sequence(play) else t.cards(play.cards)
        options.append(ui.option(_title(t, view, play, several), value, below, emoji=t.icon(play.cards[-1])))
    return ui.select(key("select", str(nth)), options, _placeholder(t, plays))


def _title(t: Formatter, view: SeatView, play: Play, several: frozenset[Hashable]) -> str:
    jokers = _wilds(play)
    title = _set_words(t, play, several)
    if is_sequence(play) and t.text:
        first = t.rank_name(face_rank(play.cards[0]))
        title = capital(t("{first} to {last}", first=first, last=t.card(play.cards[-1])))
    elif is_sequence(play):
        title = t.cards(play.cards)
    elif jokers and len(play.cards) == 1:
        title = capital(t.in_words(play.cards[0]))
    elif jokers and _kind(play) not in several:  # else each card is named
        title = t.n("{cards} with {count} joker", "{cards} with {count} jokers", jokers, cards=title)
    return _with_effect(t, view, play, title)


def _placeholder(t: Formatter, plays: Sequence[Play]) -> str:
    if all(map(is_sequence, plays)):
        return t("Play a sequence")
    if _wilds(plays[0]):
        return t("Play a joker as…")
    ranks = dict.fromkeys(face_rank(play.cards[0]) for play in plays)
    return t("Choose how many: {cards}", cards=t.enumerated(map(t.rank_name if t.text else t.letter, ranks)))


# -- text mode


def may_words(t: Formatter, hand: HandSnapshot) -> str:
    """What somebody who waits may do, as a sentence; empty if the heading says it, or out of text mode."""
    view = hand.view
    if not t.text or view.table.phase != "play" or hand.snapshot.table.players[view.seat].away:
        return ""
    if view.moves:
        return t("You could play out of turn now.")
    # An interrupt may become possible at any time, and is then offered.
    return t("Nothing to do now.") if view.table.rules.play.interrupt else t("Nothing to do until your turn.")


def table_words(t: Formatter, snapshot: TableSnapshot, view: TableView, seats: Iterable[int]) -> list[str]:
    """The stock, these seats and, of more than two while it is turned, the direction; without signs."""
    is_turned = view.direction == -1 and view.seats[2:] and view.phase != "over"
    return [
        t("Stock {count}", count=view.stock),
        t.n("{count} card burned.", "{count} cards burned.", view.burned) if view.burned else "",
        *(line for seat in seats for line in _seat(t, snapshot, view, seat)),
        t("Play goes anticlockwise.") if is_turned else "",
    ]


def top_in_words(t: Formatter, view: TableView) -> str:
    """The top of the pile, or during play that there is no pile."""
    empty = t("The pile is empty.") if view.phase in {"play", "clear"} else ""
    return top_words(t, view) if view.pile else empty


def held_words(t: Formatter, view: TableView, face: SeatFace) -> str:
    """`hand 5, face-down 3`; `hand 5` where no cards are dealt face down."""
    if not view.sizes.down:
        return t("hand {hand}", hand=face.hand)
    return t("hand {hand}, face-down {down}", hand=face.hand, down=len(face.down))


def _seat(t: Formatter, snapshot: TableSnapshot, view: TableView, seat: int) -> list[str]:
    face, player = view.seats[seat], snapshot.table.players[seat]
    what = [
        f"**{seat_name(t, snapshot.table, seat)}**",
        held_words(t, view, face) if face.place is None else "",
        t("out, {place}", place=t.place(face.place)) if face.place is not None else "",
        t("to play") if view.waits_for == seat and snapshot.table.status in {"playing", "over"} else "",
        t("ready") if view.phase == "exchange" and face.ready else "",
        t("computer") if player.is_computer or (player.left and face.place is None) else "",  # its level is public
        t("away") if snapshot.table.is_open and player.away and not player.left and face.place is None else "",
    ]
    return [" · ".join(filter(None, what)), t("Face-up: {cards}", cards=t.slots(face.up)) if face.up else ""]
