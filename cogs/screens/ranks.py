"""Ranks and numbers in words."""

from __future__ import annotations

from typing import Final

from cogs.screens.language import Translator, mark, mark_c, mark_n
from game.cards import JACK, Rank

_NAMES: Final = (
    mark_c("rank", "jack"),
    mark_c("rank", "queen"),
    mark_c("rank", "king"),
    mark_c("rank", "ace"),
    mark_c("rank", "joker"),
)
_ONE: Final = (
    mark_c("one card", "a 2"),
    mark_c("one card", "a 3"),
    mark_c("one card", "a 4"),
    mark_c("one card", "a 5"),
    mark_c("one card", "a 6"),
    mark_c("one card", "a 7"),
    mark_c("one card", "an 8"),
    mark_c("one card", "a 9"),
    mark_c("one card", "a 10"),
    mark_c("one card", "a jack"),
    mark_c("one card", "a queen"),
    mark_c("one card", "a king"),
    mark_c("one card", "an ace"),
    mark_c("one card", "a joker"),
)
_ALL: Final = (
    mark_c("all cards of a rank", "Twos"),
    mark_c("all cards of a rank", "Threes"),
    mark_c("all cards of a rank", "Fours"),
    mark_c("all cards of a rank", "Fives"),
    mark_c("all cards of a rank", "Sixes"),
    mark_c("all cards of a rank", "Sevens"),
    mark_c("all cards of a rank", "Eights"),
    mark_c("all cards of a rank", "Nines"),
    mark_c("all cards of a rank", "Tens"),
    mark_c("all cards of a rank", "Jacks"),
    mark_c("all cards of a rank", "Queens"),
    mark_c("all cards of a rank", "Kings"),
    mark_c("all cards of a rank", "Aces"),
    mark_c("all cards of a rank", "Jokers"),
)
_SOME: Final = (
    mark_n("a two", "{count} twos"),
    mark_n("a three", "{count} threes"),
    mark_n("a four", "{count} fours"),
    mark_n("a five", "{count} fives"),
    mark_n("a six", "{count} sixes"),
    mark_n("a seven", "{count} sevens"),
    mark_n("an eight", "{count} eights"),
    mark_n("a nine", "{count} nines"),
    mark_n("a ten", "{count} tens"),
    mark_n("a jack", "{count} jacks"),
    mark_n("a queen", "{count} queens"),
    mark_n("a king", "{count} kings"),
    mark_n("an ace", "{count} aces"),
    mark_n("a joker", "{count} jokers"),
)
_NUMBERS: Final = (
    "",
    mark("one"),
    mark("two"),
    mark("three"),
    mark("four"),
    mark("five"),
    mark("six"),
    mark("seven"),
    mark("eight"),
)
_PLACES: Final = (
    mark_c("finishing place", "1st"),
    mark_c("finishing place", "2nd"),
    mark_c("finishing place", "3rd"),
    mark_c("finishing place", "4th"),
    mark_c("finishing place", "5th"),
    mark_c("finishing place", "6th"),
    mark_c("finishing place", "7th"),
    mark_c("finishing place", "8th"),
    mark_c("finishing place", "9th"),
    mark_c("finishing place", "10th"),
    mark_c("finishing place", "11th"),
    mark_c("finishing place", "12th"),
)
_POSITIONS: Final = (
    mark_c("position of a face-down card", "1st"),
    mark_c("position of a face-down card", "2nd"),
    mark_c("position of a face-down card", "3rd"),
    mark_c("position of a face-down card", "4th"),
    mark_c("position of a face-down card", "5th"),
    mark_c("position of a face-down card", "6th"),
)


def rank_name(t: Translator, rank: Rank) -> str:
    """`7`, `10`, `queen`."""
    return str(rank + 2) if rank < JACK else t.c("rank", _NAMES[rank - JACK])


def one_card(t: Translator, rank: Rank) -> str:
    """`a 7`, `an ace`."""
    return t.c("one card", _ONE[rank])


def all_cards(t: Translator, rank: Rank) -> str:
    """`Sevens`: the rank as a whole, at the head of a sentence about it."""
    return t.c("all cards of a rank", _ALL[rank])


def some_cards(t: Translator, rank: Rank, count: int) -> str:
    """`a seven`, `two sevens`."""
    return t.n(*_SOME[rank], count, count=number(t, count))


def number(t: Translator, count: int) -> str:
    """`one` ... `eight`, larger ones in digits."""
    return t(_NUMBERS[count]) if 0 <= count < len(_NUMBERS) and _NUMBERS[count] else str(count)


def place(t: Translator, nth: int) -> str:
    """`1st`, `2nd`: in which somebody came out."""
    return t.c("finishing place", _PLACES[nth - 1]) if nth <= len(_PLACES) else str(nth)


def position(t: Translator, nth: int) -> str:
    """`1st`, `2nd`: of the face-down cards."""
    return t.c("position of a face-down card", _POSITIONS[nth - 1]) if nth <= len(_POSITIONS) else str(nth)
