"""A card in words, for buttons that are read aloud: `7 of clubs`, `joker as king`, `9 of hearts low`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.language import Translator, mark
from cogs.screens.ranks import rank_name
from game.cards import Face, card_of, is_joker, is_low, named_rank, rank_of, suit_of

_SUITED: Final = (
    mark("{rank} of clubs"),
    mark("{rank} of diamonds"),
    mark("{rank} of hearts"),
    mark("{rank} of spades"),
)


def card_in_words(t: Translator, face: Face) -> str:
    """A card as people call it, without a capital."""
    card, named = card_of(face), named_rank(face)
    rank = rank_name(t, rank_of(card))
    said = rank if is_joker(card) else t(_SUITED[suit_of(card)], rank=rank)
    if named is not None:
        said = t("{card} as {rank}", card=said, rank=rank_name(t, named))
    return t("{card} low", card=said) if is_low(face) else said


def cards_in_words(t: Translator, faces: Sequence[Face]) -> str:
    """Cards as people call them: `7 of clubs and 7 of hearts`."""
    return t.listing([card_in_words(t, face) for face in faces])
