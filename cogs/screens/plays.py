"""The plays of a turn as things to press: one for each rank and number, not for each set of cards.

Up to eight plays are buttons of their own. With more, each rank has one button (a plain rank plays all it holds, a rank
with a power one card) and selects hold every other play: the common play is one tap, any play two.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import NBSP, Formatter, capital, hand_order
from cogs.screens.ids import Key, apart, format_button
from game.cards import JACK, Rank, card_of, face_rank, is_red, named_rank
from game.moves import Play
from game.view import SeatView

MOST_SINGLE: Final = 8
MOST_RANK_BUTTONS: Final = 15
MOST_SELECTS_BESIDE: Final = 4
MOST_SELECTS: Final = 14
_LONGEST_ARGUMENT: Final = 60


def distinct_plays(view: SeatView) -> list[Play]:
    """One play for each that differs in more than suits, in the order of the hand."""
    found: dict[Hashable, Play] = {}
    plays = [move for move in view.moves if isinstance(move, Play) and len(format_button(move)[1]) <= _LONGEST_ARGUMENT]
    for play in sorted(plays, key=_spare):
        found.setdefault(_kind(play), play)
    return sorted(found.values(), key=_place)


def _place(play: Play) -> tuple[bool, int, int, str]:
    return is_sequence(play), hand_order(play.cards[0])[0], len(play.cards), play.word


def is_sequence(play: Play) -> bool:
    """Whether the play has cards of several ranks."""
    return len({face_rank(face) for face in play.cards}) > 1


def _kind(play: Play) -> Hashable:
    if is_sequence(play):
        return play.cards
    return face_rank(play.cards[0]), len(play.cards), _wilds(play), play.word


def _wilds(play: Play) -> int:
    return sum(named_rank(face) is not None for face in play.cards)


def _spare(play: Play) -> tuple[int, tuple[int, ...]]:
    # Red jacks may be worth keeping (R46): of equal plays the one with fewest goes first.
    reds = sum(face_rank(face) == JACK and is_red(card_of(face)) for face in play.cards)
    return reds, play.cards


def play_controls(t: Formatter, view: SeatView, key: Key) -> ui.Screen:
    """Rows of buttons and selects for every play."""
    plays = distinct_plays(view)
    if len(plays) <= MOST_SINGLE:
        return ui.rows([_button(t, view, key, play, t.cards(play.cards)) for play in plays])
    first = _rank_plays(view, plays)
    rest = [play for play in plays if play not in first]
    if len(first) > MOST_RANK_BUTTONS or len(_chunks(rest)) > MOST_SELECTS_BESIDE:
        first, rest = [], plays
    buttons = ui.rows([_button(t, view, key, play, _short_label(t, play)) for play in first])
    selects = [_select(t, view, key, chunk, nth) for nth, chunk in enumerate(_chunks(rest)[:MOST_SELECTS], 1)]
    return buttons + selects


def _rank_plays(view: SeatView, plays: Sequence[Play]) -> list[Play]:
    chosen: dict[tuple[Rank, str], Play] = {}
    for play in plays:
        if is_sequence(play) or _wilds(play):
            continue
        rank = face_rank(play.cards[0])
        special = f"{rank}" if view.table.rules.power(rank).does or view.table.rules.power(rank).on != "rank" else ""
        if not special or (rank, play.word) not in chosen:
            chosen[rank, play.word] = play
    return list(chosen.values())


def _chunks(plays: Sequence[Play]) -> list[Sequence[Play]]:
    return [plays[at : at + ui.MOST_OPTIONS] for at in range(0, len(plays), ui.MOST_OPTIONS)]


def _button(t: Formatter, view: SeatView, key: Key, play: Play, label: str) -> ui.Component:
    label = _title(t, view, play) if t.text else _with_effect(t, view, play, label)
    return ui.button(key.move(play), label, ui.Style.BLURPLE, emoji=t.icon(play.cards[-1]))


def _with_effect(t: Formatter, view: SeatView, play: Play, label: str) -> str:
    if play.word == "high":
        label = t("{cards} high", cards=label)
    elif play.word == "low":
        label = t("{cards} low", cards=label)
    if play in view.burning:
        label = t.n("{cards} burns", "{cards} burn", len(play.cards), cards=label)
    return label


def _short_label(t: Formatter, play: Play) -> str:
    if len(play.cards) == 1:
        return t.card(play.cards[0])
    return f"{t.letter(face_rank(play.cards[0]))}{NBSP}×{len(play.cards)}"


def _select(t: Formatter, view: SeatView, key: Key, plays: Sequence[Play], nth: int) -> ui.Component:
    values = apart([format_button(play)[1] for play in plays])
    options = [
        ui.option(_title(t, view, play), value, t.cards(play.cards), emoji=t.icon(play.cards[-1]))
        for play, value in zip(plays, values, strict=True)
    ]
    return ui.select(key("select", str(nth)), options, _placeholder(t, plays))


def _title(t: Formatter, view: SeatView, play: Play) -> str:
    if is_sequence(play):
        said = _from_to(t, play) if t.text else t("Sequence of {count}", count=len(play.cards))
    else:
        said = capital(t.some_cards(face_rank(play.cards[0]), len(play.cards)))
    if jokers := _wilds(play):
        said = t.n("{cards} with {count} joker", "{cards} with {count} jokers", jokers, cards=said)
    return _with_effect(t, view, play, said)


def _from_to(t: Formatter, play: Play) -> str:
    first = t.rank_name(face_rank(play.cards[0]))
    return capital(t("{first} to {last}", first=first, last=t.words(play.cards[-1])))


def _placeholder(t: Formatter, plays: Sequence[Play]) -> str:
    if all(map(is_sequence, plays)):
        return t("Play a sequence")
    ranks = list(dict.fromkeys(face_rank(play.cards[0]) for play in plays if not is_sequence(play)))
    if len(ranks) == 1:
        return t("Play more or fewer: {cards}", cards=t.letter(ranks[0]))
    return t("Play more or fewer: {first} to {last}", first=t.letter(ranks[0]), last=t.letter(ranks[-1]))
