"""Plays bound to physical cards, with everything they do looked up once (rules.md section 3).

A table has few different plays, so they are made once and shared; the engine reads their fields and computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game.asking import GLASS
from game.cards import BLACK_JOKER, JOKER, RED_JOKER, card_of, face_rank, make_face, plain
from game.moves import Play

if TYPE_CHECKING:
    from game.book import Book
    from game.cards import Face, Rank
    from game.moves import Word

MOST_GROUPS: Final = 20_000
"""Groups of cards whose plays a book remembers; one pack has 208, several packs have too many to keep."""


class Laid(Play):
    """A play bound to physical cards, with all it does looked up: what `Book` hands out and the engine runs on.

    `faces` go on the pile, `gone` leave the game (R46); `rank` counts for four of a kind, `JOKER` where none does;
    `top` is the code of what is asked afterwards; `reverses` and `skips` count cards (R26); `simple` says that nothing
    but what is asked changes.
    """

    __slots__ = (
        "again",
        "answer",
        "beneath",
        "burns",
        "faces",
        "gives",
        "gone",
        "mask",
        "rank",
        "reverses",
        "sequence",
        "simple",
        "skips",
        "top",
        "two_left",
    )

    mask: int
    faces: tuple[Face, ...]
    gone: int
    rank: Rank
    top: int
    burns: bool
    reverses: int
    skips: int
    beneath: bool
    again: bool
    gives: bool
    answer: bool
    two_left: bool
    sequence: bool
    simple: bool


class Sets(dict[int, tuple[Laid, ...]]):
    """All plays from a group of cards of one rank: its distinct subsets, a named rank with each word."""

    def __init__(self, book: Book) -> None:
        """Nothing is made before it is asked for."""
        super().__init__()
        self.book = book

    def __missing__(self, group: int) -> tuple[Laid, ...]:
        if len(self) > MOST_GROUPS:
            self.clear()
            self.book.forget()
        made = self[group] = tuple(
            self.book.laid(mask, tuple(self.book.cards(mask)), word)
            for mask in self.book.subsets(group)
            for word in self.book.words(face_rank(self.book.cards(mask)[0]))
        )
        return made


def make(book: Book, mask: int, cards: tuple[Face, ...], word: Word) -> Laid:
    """A play of these physical cards with all it does looked up; `cards` name jokers' ranks."""
    laid = Laid(cards, word)
    cards = laid.cards
    ranks = [face_rank(face) for face in cards]
    powers = [book.powers[rank] for rank in ranks]
    own = [book.powers[JOKER] if card_of(face) >= RED_JOKER and book.wild else None for face in cards]
    does = [(*power.does, *(extra.does if extra else ())) for power, extra in zip(powers, own, strict=True)]
    laid.sequence = len(set(ranks)) > 1
    last = cards[-1]
    keep = [
        not (power.leaves or (extra is not None and extra.leaves)) for power, extra in zip(powers, own, strict=True)
    ]
    laid.mask = mask
    laid.faces = tuple(
        _face(face, word, is_last=face == last or not laid.sequence)
        for face, stays in zip(cards, keep, strict=True)
        if stays
    )
    laid.gone = mask & ~sum(_bits_of(book, mask, cards, keep))
    laid.rank = ranks[-1] if keep[-1] else JOKER
    laid.top = book.code(_face(last, word, is_last=True))
    laid.burns = "burn" in does[-1] or any("burn" in each for each in does if not laid.sequence)
    laid.reverses = sum(each.count("reverse") for each in does)
    laid.skips = sum(each.count("skip") for each in does)
    ending = does[-1:] if laid.sequence else does
    laid.beneath = any("skip-beneath" in each for each in ending)
    laid.again = any("again" in each for each in ending)
    laid.gives = any("give-pile" in each for each in ending)
    laid.answer = any(power.answer is not None for power in powers) or any(
        extra is not None and extra.answer is not None for extra in own
    )
    laid.two_left = any(power.two_left is not None for power in powers) or any(
        extra is not None and extra.two_left is not None for extra in own
    )
    laid.simple = not (
        laid.burns
        or laid.reverses
        or laid.skips
        or laid.beneath
        or laid.again
        or laid.gives
        or laid.gone
        or laid.top == GLASS
    )
    return laid


def _face(face: Face, word: Word, *, is_last: bool) -> Face:
    return (
        make_face(card_of(face), rank=face_rank(face) if face > BLACK_JOKER else None, low=True)
        if word == "low" and is_last
        else plain(face)
    )


def _bits_of(book: Book, mask: int, cards: tuple[Face, ...], keep: list[bool]) -> list[int]:
    left, kept = mask, list[int]()
    for face, stays in zip(cards, keep, strict=True):
        bit = book.pick((card_of(face),), left)
        assert bit is not None, "a play names the cards of its mask"
        left &= ~bit
        if stays:
            kept.append(bit)
    return kept
