"""The plays of a turn as things to press: one for each rank and number, not for each set of cards.

Up to eight plays are buttons of their own. With more, each rank has one button (a plain rank plays all it holds, a rank
with a power one card) and selects hold every other play: the common play is one tap, any play two.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from cogs.screens.arguments import as_pressed
from cogs.screens.components import MOST_OPTIONS, Component, Screen, Style, button, option, rows, select
from cogs.screens.faces import NBSP, Formatter, hand_order
from cogs.screens.ids import apart, format_id
from cogs.screens.ranks import rank_name, some_cards
from data.models import Table
from game.cards import JACK, Rank, card_of, face_rank, is_red, named_rank
from game.moves import Play
from game.view import SeatView

MOST_SINGLE: Final = 8
MOST_RANK_BUTTONS: Final = 15
MOST_SELECTS_BESIDE: Final = 4
MOST_SELECTS: Final = 14
_LONGEST_ARGUMENT: Final = 60


@dataclass(frozen=True, slots=True)
class Key:
    """Writes the ids of one message: the table and the revision it was drawn at."""

    table: int
    revision: int

    def __call__(self, verb: str, argument: str = "", nth: int = 1) -> str:
        """The id for a verb."""
        return format_id(verb, self.table, self.revision, argument, nth)


def key_of(table: Table) -> Key:
    """The key of a table as it is now."""
    return Key(table.id, table.revision)


def distinct_plays(view: SeatView) -> list[Play]:
    """One play for each that differs in more than suits, in the order of the hand."""
    found: dict[Hashable, Play] = {}
    plays = [move for move in view.moves if isinstance(move, Play) and len(as_pressed(move)[1]) <= _LONGEST_ARGUMENT]
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


def play_controls(fmt: Formatter, view: SeatView, key: Key) -> Screen:
    """Rows of buttons and selects for every play."""
    plays = distinct_plays(view)
    if len(plays) <= MOST_SINGLE:
        return rows([_button(fmt, view, key, play, fmt.cards(play.cards)) for play in plays])
    first = _rank_plays(view, plays)
    rest = [play for play in plays if play not in first]
    if len(first) > MOST_RANK_BUTTONS or len(_chunks(rest)) > MOST_SELECTS_BESIDE:
        first, rest = [], plays
    buttons = rows([_button(fmt, view, key, play, _short_label(fmt, play)) for play in first])
    selects = [_select(fmt, view, key, chunk, nth) for nth, chunk in enumerate(_chunks(rest)[:MOST_SELECTS], 1)]
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
    return [plays[at : at + MOST_OPTIONS] for at in range(0, len(plays), MOST_OPTIONS)]


def _button(fmt: Formatter, view: SeatView, key: Key, play: Play, label: str) -> Component:
    verb, argument = as_pressed(play)
    label = _title(fmt, view, play) if fmt.text else _with_effect(fmt, view, play, label)
    return button(key(verb, argument), label, Style.BLURPLE, emoji=fmt.icon(play.cards[-1]))


def _with_effect(fmt: Formatter, view: SeatView, play: Play, label: str) -> str:
    if play.word == "high":
        label = fmt.t("{cards} high", cards=label)
    elif play.word == "low":
        label = fmt.t("{cards} low", cards=label)
    if play in view.burning:
        label = fmt.t.n("{cards} burns", "{cards} burn", len(play.cards), cards=label)
    return label


def _short_label(fmt: Formatter, play: Play) -> str:
    if len(play.cards) == 1:
        return fmt.card(play.cards[0])
    return f"{fmt.letter(face_rank(play.cards[0]))}{NBSP}×{len(play.cards)}"


def _select(fmt: Formatter, view: SeatView, key: Key, plays: Sequence[Play], nth: int) -> Component:
    values = apart([as_pressed(play)[1] for play in plays])
    options = [
        option(_title(fmt, view, play), value, fmt.cards(play.cards), emoji=fmt.icon(play.cards[-1]))
        for play, value in zip(plays, values, strict=True)
    ]
    return select(key("select", str(nth)), options, _placeholder(fmt, plays))


def _title(fmt: Formatter, view: SeatView, play: Play) -> str:
    if is_sequence(play):
        said = _from_to(fmt, play) if fmt.text else fmt.t("Sequence of {count}", count=len(play.cards))
    else:
        said = some_cards(fmt.t, face_rank(play.cards[0]), len(play.cards))
        said = said[:1].upper() + said[1:]
    if jokers := _wilds(play):
        said = fmt.t.n("{cards} with {count} joker", "{cards} with {count} jokers", jokers, cards=said)
    return _with_effect(fmt, view, play, said)


def _from_to(fmt: Formatter, play: Play) -> str:
    first = rank_name(fmt.t, face_rank(play.cards[0]))
    said = fmt.t("{first} to {last}", first=first, last=fmt.words(play.cards[-1]))
    return said[:1].upper() + said[1:]


def _placeholder(fmt: Formatter, plays: Sequence[Play]) -> str:
    if all(map(is_sequence, plays)):
        return fmt.t("Play a sequence")
    ranks = list(dict.fromkeys(face_rank(play.cards[0]) for play in plays if not is_sequence(play)))
    if len(ranks) == 1:
        return fmt.t("Play more or fewer: {cards}", cards=fmt.letter(ranks[0]))
    return fmt.t("Play more or fewer: {first} to {last}", first=fmt.letter(ranks[0]), last=fmt.letter(ranks[-1]))
