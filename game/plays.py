"""Plays bound to physical cards, with everything they do looked up once (rules.md section 3).

A table has few different plays, so they are made once and shared; the engine reads their fields and computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.asking import GLASS
from game.cards import JOKER, LOW, RED_JOKER, card_of, face_rank, plain
from game.moves import Play

if TYPE_CHECKING:
    from game.asking import Asking
    from game.cards import Face, Rank
    from game.moves import Word
    from game.rules import Power


class Laid(Play):
    """A play bound to physical cards, with all it does looked up: what `Book` hands out and the engine runs on.

    `shown` are all its faces; `faces` go on the pile, `gone` leave the game (R46); `rank` counts for four of a kind,
    `JOKER` where none does; `top` is the code of what is asked afterwards; `reverses` and `skips` count cards (R26);
    `simple` says that nothing but what is asked changes.
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
        "shown",
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
    shown: tuple[Face, ...]
    simple: bool


def make(asking: Asking, copies: int, mask: int, cards: tuple[Face, ...], word: Word) -> Laid:
    """A play of these physical cards with all it does looked up; `cards` name jokers' ranks."""
    laid = Laid(cards, word)
    laid.mask, cards = mask, laid.cards
    ranks = [face_rank(face) for face in cards]
    laid.sequence = len(set(ranks)) > 1
    powers = [powers_of(asking, face) for face in cards]
    stays = [not any(power.leaves for power in each) for each in powers]
    *others, last = cards
    laid.shown = (*(_face(face, "" if laid.sequence else word) for face in others), _face(last, word))
    laid.faces = tuple(face for face, stay in zip(laid.shown, stays, strict=True) if stay)
    one = (1 << copies) - 1
    leaving = {card_of(face) for face, stay in zip(cards, stays, strict=True) if not stay}
    laid.gone = mask & sum(one << card * copies for card in leaving)
    laid.rank = ranks[-1] if stays[-1] else JOKER
    laid.top = asking.code(laid.shown[-1])
    _look_up(laid, powers)
    return laid


def powers_of(asking: Asking, face: Face) -> tuple[Power, ...]:
    """What works in a card: its rank's power, and a wild joker's own (R38)."""
    power = asking.powers[face_rank(face)]
    return (power, asking.powers[JOKER]) if asking.wild and card_of(face) >= RED_JOKER else (power,)


def _look_up(laid: Laid, powers: list[tuple[Power, ...]]) -> None:
    """Note what the cards do together (R26, R34)."""
    does = [{deed for power in each for deed in power.does} for each in powers]
    ending = {deed for each in (does[-1:] if laid.sequence else does) for deed in each}
    laid.reverses = sum("reverse" in each for each in does)
    laid.skips = sum("skip" in each for each in does)
    laid.burns = "burn" in ending
    laid.beneath = "skip-beneath" in ending
    laid.again = "again" in ending
    laid.gives = "give-pile" in ending
    laid.answer = any(power.answer is not None for each in powers for power in each)
    laid.two_left = any(power.two_left is not None for each in powers for power in each)
    consequences = (laid.burns, laid.reverses, laid.skips, laid.beneath, laid.again, laid.gives, laid.gone)
    laid.simple = not any(consequences) and laid.top != GLASS


def _face(face: Face, word: Word) -> Face:
    return face | LOW if word == "low" else plain(face)
