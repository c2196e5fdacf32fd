"""Ranks, suits, cards, the faces they show on a pile, and masks of cards (docs/rules.md sections 1 and 6).

A card is a small int, `rank * 4 + suit`, ranks 2 ... A as 0 ... 12, suits c d h s as 0 ... 3; the jokers are 52 (red)
and 53 (black). A face is a card as it lies on the pile. Its higher bits hold the rank that a wild joker was named (R38)
and the word "low" of a named card (R44), so a plain card is its own face. A mask is a set of physical cards in one int
(`MaskLayout`). Nothing here depends on the rules of a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, product
from typing import Final, Literal, TypeAlias

Card: TypeAlias = int
Rank: TypeAlias = int
Face: TypeAlias = int
Word: TypeAlias = Literal["", "high", "low"]
"""The word said with a named card (R44); empty for any other card."""

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
JOKER: Final[Rank] = 13
"""The rank of a joker that has not been named and so counts as no rank (R28)."""
RED_JOKER: Final[Card] = 52
BLACK_JOKER: Final[Card] = 53
JACK: Final[Rank] = 9
ACE: Final[Rank] = 12
DIFFERENT_CARDS: Final = 54
"""How many different cards there are, both jokers included."""

SEARCH: Final[tuple[Rank, ...]] = (*range(1, 13), 0)
"""The ranks in the order 3 4 ... K A 2, in which the starter is searched for (R4)."""

_CARD_BITS: Final = 6
_CARD_MASK: Final = 63
_RANK_MASK: Final = 15
LOW: Final = 1 << 10
"""The bit of a face that carries the word *low* (R44)."""


class NotACardError(ValueError):
    """Text that does not name a card; `args[0]` is the text."""


class NotAMoveError(ValueError):
    """Text that is not a move or a seat; `args[0]` is the text, or the name of the kind of move."""


def rank_of(card: Card) -> Rank:
    """Rank 0 (2) ... 12 (A), or `JOKER`."""
    return card >> 2


def suit_of(card: Card) -> int:
    """Suit 0 ... 3 in the order c d h s; for jokers 0 red, 1 black."""
    return card & 3


def is_joker(card: Card) -> bool:
    return card >= RED_JOKER


def is_red(card: Card) -> bool:
    """Whether the card is a diamond, a heart or the red joker."""
    return card == RED_JOKER if is_joker(card) else suit_of(card) in {1, 2}


def make_face(card: Card, *, rank: Rank | None = None, low: bool = False) -> Face:
    """The face of a card: a wild joker with the rank it was named, a named card with the word *low*."""
    return card | (0 if rank is None else (rank + 1) << _CARD_BITS) | (LOW if low else 0)


def card_of(face: Face) -> Card:
    """The card that shows this face."""
    return face & _CARD_MASK


def named_rank(face: Face) -> Rank | None:
    """The rank that a wild joker was named, None for any other face."""
    named = face >> _CARD_BITS & _RANK_MASK
    return named - 1 if named else None


def face_rank(face: Face) -> Rank:
    """The rank that counts: the named rank if there is one, else the card's own."""
    named = face >> _CARD_BITS & _RANK_MASK
    return named - 1 if named else (face & _CARD_MASK) >> 2


def is_low(face: Face) -> bool:
    """Whether the card was played with the word *low* (R44)."""
    return face >= LOW


def plain(face: Face) -> Face:
    """The face without the word *low*; a named rank stays."""
    return face & ~LOW


def format_card(card: Card) -> str:
    """`7h`, `Tc`, `Xr`, `Xb`."""
    if is_joker(card):
        return "Xr" if card == RED_JOKER else "Xb"
    return RANKS[card >> 2] + SUITS[card & 3]


def format_face(face: Face) -> str:
    """`7h`, `Xr=K`, `7h=low`, `Xr=7=low`."""
    named = named_rank(face)
    rank = "" if named is None else f"={RANKS[named]}"
    word = "=low" if is_low(face) else ""
    return format_card(card_of(face)) + rank + word


def folded(text: str) -> str:
    """ASCII text in lower case; any other text unchanged, because `lower` turns a few symbols into Latin letters."""
    return text.lower() if text.isascii() else text


def parse_rank(text: str) -> Rank:
    """Parse a rank: `2` ... `9`, `T` or `10`, `J` ... `A`, letters in either case; else raises `NotACardError`."""
    letter = "T" if text == "10" else text.upper()
    if len(letter) != 1 or letter not in RANKS:
        raise NotACardError(text)
    return RANKS.index(letter)


def parse_card(text: str) -> Card:
    """Parse a card such as `7h`, `10h`, `Th` or `Xr`, letters in either case; else raises `NotACardError`."""
    small = folded(text)
    if small in {"xr", "xb"}:
        return RED_JOKER if small == "xr" else BLACK_JOKER
    try:
        return parse_rank(small[:-1]) * 4 + SUITS.index(small[-1:])
    except ValueError:  # bad rank or bad suit
        raise NotACardError(text) from None


def parse_face(text: str) -> Face:
    """Parse a face such as `7h`, `7h=low`, `7h=high`, `Xr=K` or `Xr=7=low`.

    Raises `NotACardError` if the text is not a face, or it names a rank for a card that is not a joker.
    """
    name, *words = text.split("=")
    card = parse_card(name)
    rank: Rank | None = None
    low = False
    for position, word in enumerate(words):
        if word.lower() in {"low", "high"} and position == len(words) - 1:
            low = word.lower() == "low"
        elif is_joker(card) and rank is None:
            rank = parse_rank(word)
        else:
            raise NotACardError(text)
    return make_face(card, rank=rank, low=low)


def make_pack(packs: int = 1, jokers: int = 0) -> tuple[Card, ...]:
    """All cards of `packs` packs in order, then `jokers` jokers, alternately red and black."""
    plain_cards = tuple(card for card in range(RED_JOKER) for _ in range(packs))
    return plain_cards + tuple(RED_JOKER + number % 2 for number in range(jokers))


# -- masks
#
# Hands, face-up cards, the pile and what was burned are each one int with a bit for every physical card, so that "which
# of these do I hold?" is one AND. With two packs there are two sevens of hearts, so a card has a bit for each copy.
# Players never tell copies apart: a move names cards, and `MaskLayout.pick` takes the lowest copies it finds.


def lowest(mask: int) -> int:
    """The lowest bit of a mask; of cards, the lowest card."""
    return mask & -mask


def bits(mask: int) -> Iterator[int]:
    """Yield the bits of a mask as masks of one card each, lowest first."""
    while mask:
        yield lowest(mask)
        mask &= mask - 1


def has_all(mask: int, wanted: int) -> bool:
    """Whether a mask has every bit of another."""
    return mask & wanted == wanted


def unions(slots: Iterable[int]) -> list[int]:
    """The union of every choice of one or more slots, in ascending order."""
    masks = [0]
    for slot in slots:
        masks += [union | slot for union in masks]
    return sorted(masks[1:])


class MaskLayout:
    """The mapping between cards and the bits of a mask: bit `card * copies + copy`.

    The copies of a card are adjacent, and so are the cards of a rank, so one AND finds every card of a rank or every
    copy of a card. With one copy of each card, the next card of a suit is four bits higher.
    """

    def __init__(self, copies: int) -> None:
        """Lay out masks with room for `copies` of each card."""
        self.copies = copies
        self.one = (1 << copies) - 1
        """The mask of all copies of card 0; shift it by `card * copies` to get those of another card."""

    def cards(self, mask: int) -> list[Card]:
        """The cards of a mask, lowest first."""
        cards: list[Card] = []
        while mask:
            low = mask & -mask  # as `lowest` does: every view lists some thirty cards
            cards.append((low.bit_length() - 1) // self.copies)
            mask ^= low
        return cards

    def card(self, bit: int) -> Card:
        """The card of a mask with one bit."""
        return (bit.bit_length() - 1) // self.copies

    def copies_of(self, card: Card) -> int:
        return self.one << card * self.copies

    def pick(self, cards: Iterable[Card], zone: int) -> int | None:
        """The bits of these cards in the mask `zone`, the lowest copies first; None if a card is missing.

        With a fixed order, a move means the same whether it was picked from a list or read from text.
        """
        one, copies, left = self.one, self.copies, zone
        for card in cards:
            fitting = left & one << card * copies
            if not fitting:
                return None
            left ^= lowest(fitting)
        return zone ^ left

    def pick_slots(self, slots: Sequence[int], cards: Iterable[Card]) -> int | None:
        """The union of whole slots that together hold exactly these cards; None if no slots do."""
        wanted = sorted(cards)
        return next((union for union in unions(slots) if self.cards(union) == wanted), None)

    def spread(self, cards: Iterable[Card]) -> tuple[int, ...]:
        """One bit for each card; a card that occurs again gets the bit of its next copy.

        Raises `ValueError` if a card occurs more often than the layout has room for.
        """
        seen = Counter[Card]()
        spread: list[int] = []
        for card in cards:
            if seen[card] == self.copies:
                raise ValueError("more copies of a card than the book was compiled for")
            spread.append(1 << card * self.copies + seen[card])
            seen[card] += 1
        return tuple(spread)

    def subsets(self, group: int) -> list[int]:
        """All non-empty subsets of a group, smallest first; of subsets that look the same, only one."""
        # Of equal cards, the lowest copies are taken: none, the first, the first two and so on.
        choices = [list(accumulate(copies, initial=0)) for _, copies in groupby(bits(group), key=self.card)]
        masks = [sum(choice) for choice in product(*choices)]
        return sorted(filter(None, masks), key=lambda mask: (mask.bit_count(), mask))
