"""A card as text (`7♥︎`) and, where drawn faces were uploaded, as an emoji.

The text is complete without pictures; faces come last. Suit signs are followed by U+FE0E, or Discord turns them into
pictures. Which emojis there are is handed in: without any, everything works as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cogs.screens.cardwords import cards_in_words
from cogs.screens.commandwords import typed
from cogs.screens.components import Component
from cogs.screens.language import SOURCE, Translator, mark_c, translator
from data.models import GuildSettings
from game.cards import (
    JACK,
    JOKER,
    RANKS,
    RED_JOKER,
    Face,
    Rank,
    card_of,
    face_rank,
    format_rank,
    is_joker,
    is_low,
    named_rank,
    rank_of,
    suit_of,
)

SUIT_SIGNS: Final = ("♣\ufe0e", "♦\ufe0e", "♥\ufe0e", "♠\ufe0e")
SUIT_WORDS: Final = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS: Final = (*(str(n) for n in range(2, 11)), "jack", "queen", "king", "ace")
LETTERS: Final = (
    *(str(n) for n in range(2, 11)),
    mark_c("printed on the card", "J"),
    mark_c("printed on the card", "Q"),
    mark_c("printed on the card", "K"),
    mark_c("printed on the card", "A"),
)
CARD_BACK, FACE_DOWN, EMPTY_SLOT = "card_back", "face_down", "empty_slot"
NBSP: Final = "\u00a0"
_BLUE_OR_GREEN: Final = (0, 1)


def face_name(face: Face, *, four_colours: bool = False) -> str:
    """The name of a card's emoji, which screen readers read out: `7_clubs`, `joker_red`, `ace_clubs_4c`."""
    card = card_of(face)
    if is_joker(card):
        return "joker_red" if card == RED_JOKER else "joker_black"
    suit = suit_of(card)
    return f"{RANK_WORDS[rank_of(card)]}_{SUIT_WORDS[suit]}" + (
        "_4c" if four_colours and suit in _BLUE_OR_GREEN else ""
    )


def face_names() -> tuple[str, ...]:
    """The names of all emojis that faces can use."""
    cards = [*range(52), RED_JOKER, RED_JOKER + 1]
    both = [face_name(card, four_colours=colours) for colours in (False, True) for card in cards]
    return (*dict.fromkeys(both), CARD_BACK, FACE_DOWN, EMPTY_SLOT)


@dataclass(frozen=True, slots=True)
class Faces:
    """The drawn faces there are: emoji name → id. None: text alone."""

    emojis: Mapping[str, str] = field(default_factory=dict[str, str])
    four_colours: bool = False

    def named(self, name: str) -> str:
        """The emoji of this name for a text; empty where there is none."""
        return f"<:{name}:{self.emojis[name]}>" if name in self.emojis else ""

    def shown(self, face: Face) -> str:
        """The emoji of a card for a text."""
        return self.named(face_name(face, four_colours=self.four_colours))

    def icon(self, name: str) -> Component | None:
        """The emoji of this name for a button or an option."""
        return {"id": self.emojis[name], "name": name} if name in self.emojis else None


@dataclass(frozen=True, slots=True)
class Formatter(Translator):
    """What a screen is written with: a `Translator` that also knows the faces there are.

    `text` is the reader's text mode: everything in words, without pictures.
    """

    faces: Faces = field(default_factory=Faces)
    text: bool = False

    def plain(self) -> Formatter:
        """The same without pictures."""
        return replace(self, faces=Faces())

    def command(self, *names: str) -> str:
        """A command of the game as its reader types it, under the name that the game has here."""
        return typed(self, "palace" if self.polite else "shithead", *names)

    def letter(self, rank: Rank) -> str:
        """A rank as this country's cards print it."""
        if rank == JOKER:
            return self.c("printed on the card", "Joker")
        return self.c("printed on the card", LETTERS[rank]) if rank >= JACK else LETTERS[rank]

    def card(self, face: Face) -> str:
        """A card in text: `7♥︎`, `Joker`, a wild one `Joker=K`, a named one `7♥︎ low`."""
        named = named_rank(face)
        card = card_of(face)
        text = self.letter(rank_of(card)) + ("" if is_joker(card) else SUIT_SIGNS[suit_of(card)])
        if named is not None:
            text = f"{text}={self.letter(named)}"
        return self("{card} low", card=text) if is_low(face) else text

    def cards(self, faces: Iterable[Face]) -> str:
        """Cards in text, side by side."""
        return " ".join(map(self.card, faces))

    def label(self, *faces: Face) -> str:
        """Cards as the whole of a button: side by side, in text mode in words."""
        said = self.words(*faces)
        return said[:1].upper() + said[1:]

    def words(self, *faces: Face) -> str:
        """Cards within the words of a button: side by side, in text mode in words."""
        return cards_in_words(self, faces) if self.text else self.cards(faces)

    def slots(self, slots: Iterable[Sequence[Face]]) -> str:
        """Slots in text, stacked cards joined by +."""
        return " ".join("+".join(map(self.card, slot)) for slot in slots)

    def run(self, faces: Iterable[Face]) -> str:
        """Emojis side by side; empty where a picture is missing."""
        shown = [self.faces.shown(face) for face in faces]
        return "".join(shown) if all(shown) else ""

    def grouped(self, faces: Sequence[Face]) -> str:
        """Emojis with a space between ranks, for many cards."""
        ranks = dict.fromkeys(map(face_rank, faces))
        return " ".join(self.run([face for face in faces if face_rank(face) == rank]) for rank in ranks).strip()

    def icon(self, face: Face) -> Component | None:
        """The emoji of a card for a button."""
        return self.faces.icon(face_name(face, four_colours=self.faces.four_colours))

    def counted(self, faces: Sequence[Face]) -> str:
        """Ranks with their counts, for many cards: `3 ×2 · 4 ×3 · 10♦︎`."""
        counts = Counter(map(face_rank, faces))
        return " · ".join(
            f"{self.letter(rank)}{NBSP}×{count}"
            if count > 1
            else self.card(next(f for f in faces if face_rank(f) == rank))
            for rank, count in counts.items()
        )


def formatter(
    locale: str = SOURCE, faces: Faces | None = None, *, polite: bool = False, text: bool = False
) -> Formatter:
    """What is written with in one of Discord's locales; English where there is no such language."""
    t = translator(locale)
    return Formatter(t.language, t.catalogue, polite, faces or Faces(), text)


def public_formatter(settings: GuildSettings, faces: Faces, locale: str) -> Formatter:
    """What public messages of a server are written with; `locale` is its language on Discord."""
    faces = replace(faces, four_colours=settings.four_colours)
    return formatter(settings.locale or locale, faces, polite=settings.polite)


def hand_order(face: Face) -> tuple[int, int]:
    """Sorts as people hold cards: 3 ... A, then 2, then jokers."""
    rank = face_rank(face)
    return (len(RANKS) if rank == 0 else rank + (rank == JOKER), face & 63)


def letters(ranks: Iterable[Rank]) -> str:
    """Ranks in the notation, for ids and values."""
    return "".join(map(format_rank, ranks))
