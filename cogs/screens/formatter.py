"""The `Formatter`: texts in one language, and cards as text (`7♥︎`), in words or as drawn faces.

The text is complete without pictures. Faces come at the end of a line, because a screen reader would otherwise begin
the line with a row of their names. U+FE0E after a suit sign keeps Discord from turning the sign into a picture. The
emojis that exist are passed in; without any, everything works as text.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from gettext import NullTranslations
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import cogs.screens.components as ui
from cogs.screens.language import LANGUAGES, SOURCE, Translator, mark_n, marks, marks_c, translator
from data.guild_models import GuildSettings
from game.cards import (
    JACK,
    JOKER,
    RANKS,
    RED_JOKER,
    Card,
    Face,
    Rank,
    card_of,
    face_rank,
    is_joker,
    is_low,
    named_rank,
    rank_of,
    suit_of,
)

FULL_STOPS: Final = ".。।"
"""What ends a sentence in Discord's languages: in most of them, in Chinese and Japanese, in Hindi."""
SUIT_SIGNS: Final = ("♣\ufe0e", "♦\ufe0e", "♥\ufe0e", "♠\ufe0e")
SUIT_WORDS: Final = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS: Final = (*(str(n) for n in range(2, 11)), "jack", "queen", "king", "ace")
CARD_BACK, FACE_DOWN, EMPTY_SLOT = "card_back", "face_down", "empty_slot"
NBSP: Final = "\u00a0"
_BLUE_OR_GREEN: Final = (0, 1)
_LETTERS: Final = marks_c("printed on the card", "J", "Q", "K", "A", "Joker")
_NAMES: Final = marks_c("rank", "jack", "queen", "king", "ace", "joker")
_ONE: Final = (
    *marks_c("one card", "a 2", "a 3", "a 4", "a 5", "a 6", "a 7", "an 8", "a 9", "a 10"),
    *marks_c("one card", "a jack", "a queen", "a king", "an ace", "a joker"),
)
_ALL: Final = (
    *marks_c("all cards of a rank", "Twos", "Threes", "Fours", "Fives", "Sixes", "Sevens", "Eights", "Nines", "Tens"),
    *marks_c("all cards of a rank", "Jacks", "Queens", "Kings", "Aces", "Jokers"),
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
_SUITED: Final = marks("{rank} of clubs", "{rank} of diamonds", "{rank} of hearts", "{rank} of spades")
_NUMBERS: Final = marks("one", "two", "three", "four", "five", "six", "seven", "eight")
_PLACES: Final = (
    *marks_c("finishing place", "1st", "2nd", "3rd", "4th", "5th", "6th"),
    *marks_c("finishing place", "7th", "8th", "9th", "10th", "11th", "12th"),
)
CACHED: Final = 4096
"""The most formatters, and texts of cards, that are cached: a few hundred for each language in use."""
_PUBLIC_BUTTONS: Final = {
    "join": "Join", "start": "Start", "more": "More", "computer": "Play against the computer",
    "hand": "My hand", "rules": "Rules", "served": "Mark served", "next": "Next game", "rematch": "Rematch",
}  # fmt: skip
_POSITIONS: Final = marks_c("position of a face-down card", "1st", "2nd", "3rd", "4th", "5th", "6th")


def face_name(face: Face, *, four_colours: bool = False, letter: str = "") -> str:
    """The name of a card's emoji, which screen readers read out: `7_clubs`, `joker_red`, `ace_clubs_4c`.

    A `letter` other than the English one is part of it: `queen_clubs_d`, `queen_clubs_d_4c`.
    """
    card = card_of(face)
    if is_joker(card):
        return "joker_red" if card == RED_JOKER else "joker_black"
    rank, suit = rank_of(card), suit_of(card)
    spelt = letter.lower() if letter.isascii() and letter.isalnum() else letter.encode().hex()  # what Discord accepts
    language = f"_{spelt}" if letter not in {"", _common_letter(rank)} else ""
    colours = "_4c" if four_colours and suit in _BLUE_OR_GREEN else ""
    return f"{RANK_WORDS[rank]}_{SUIT_WORDS[suit]}{language}{colours}"


def _common_letter(rank: Rank) -> str:
    return _LETTERS[rank - JACK] if rank >= JACK else str(rank + 2)


def common_faces() -> tuple[str, ...]:
    """The emoji names that every language can use: cards with English letters, card backs, the empty slot."""
    cards = [*range(52), RED_JOKER, RED_JOKER + 1]
    names = [face_name(card, four_colours=colours) for colours in (False, True) for card in cards]
    return (*dict.fromkeys(names), CARD_BACK, FACE_DOWN, EMPTY_SLOT)


class PrintedFace(NamedTuple):
    """A card with a suit, as some language prints it."""

    card: Card
    letter: str
    four_colours: bool


@cache
def printed_faces() -> Mapping[str, PrintedFace]:
    """All faces with a suit, in all languages, by emoji name; languages with the same letter share a face."""
    every = product(map(formatter, LANGUAGES), (False, True), range(52))
    all_faces = [PrintedFace(card, t.letter(rank_of(card)), colours) for t, colours, card in every]
    return {face_name(each.card, four_colours=each.four_colours, letter=each.letter): each for each in all_faces}


def face_names() -> tuple[str, ...]:
    """The names of all emojis for cards, those that every language can use first."""
    return tuple(dict.fromkeys((*common_faces(), *printed_faces())))


@dataclass(frozen=True, slots=True)
class FaceEmojis:
    """The emojis of drawn faces that exist, name → id; if empty, cards are shown as text alone."""

    emojis: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    four_colours: bool = False

    def coloured(self, *, four_colours: bool) -> FaceEmojis:
        """The same faces in two or in four colours."""
        return self if self.four_colours == four_colours else replace(self, four_colours=four_colours)

    def named(self, name: str) -> str:
        """The emoji with this name, for use in text; empty if it does not exist."""
        return f"<:{name}:{self.emojis[name]}>" if name in self.emojis else ""

    def icon(self, name: str) -> ui.Component | None:
        """The emoji with this name, for a button or an option; None if it does not exist."""
        return {"id": self.emojis[name], "name": name} if name in self.emojis else None


@dataclass(frozen=True, slots=True, eq=False)
class Formatter(Translator):
    """A `Translator` that also formats cards, ranks and numbers; `faces` are the emojis it can use.

    `text` is the reader's text mode: all in words, without pictures. `names_suits` says that cards of one rank are told
    one by one, because at their table suits make a difference. `public` is the translator of public messages.
    """

    faces: FaceEmojis = field(default_factory=FaceEmojis)
    text: bool = False
    names_suits: bool = False
    public: Translator | None = None

    def plain(self) -> Formatter:
        """The same formatter without pictures."""
        return replace(self, faces=FaceEmojis())

    def game(self) -> str:
        """The name of the game: `Shithead`, or its polite name `Palace`."""
        return self("Palace") if self.polite else self("Shithead")

    def command(self, *names: str) -> str:
        """A command of the game as its reader types it: `/shithead start`, or `/palace start`."""
        return self.typed("palace" if self.polite else "shithead", *names)

    def buttons(self) -> dict[str, str]:
        """The buttons of public messages that private texts name, in bold, as everybody reads them there."""
        return {key: f"**{(self.public or self)(label)}**" for key, label in _PUBLIC_BUTTONS.items()}

    def other_letters(self) -> str:
        """What public messages print on cards where the reader's language prints something else: `B = J, D = Q`."""
        if self.public is None or self.public.language == self.language:
            return ""
        pairs = [tuple(t.c("printed on the card", each) for t in (self.public, self)) for each in _LETTERS[:-1]]
        return self.enumerated(f"{theirs} = {own}" for theirs, own in pairs if theirs != own)

    # -- ranks and numbers

    def letter(self, rank: Rank) -> str:
        """A rank as this language prints it on cards: `7`, `Q`, in German `D`."""
        return _letter(self.catalogue, rank)

    def rank_name(self, rank: Rank) -> str:
        """`7`, `10`, `queen`."""
        return str(rank + 2) if rank < JACK else self.c("rank", _NAMES[rank - JACK])

    def one_card(self, rank: Rank) -> str:
        """`a 7`, `an ace`."""
        return self.c("one card", _ONE[rank])

    def all_cards(self, rank: Rank) -> str:
        """`Sevens`: the rank as a whole, at the start of a sentence about it."""
        return self.c("all cards of a rank", _ALL[rank])

    def some_cards(self, rank: Rank, count: int) -> str:
        """`a seven`, `two sevens`."""
        return self.n(*_SOME[rank], count, count=self.number(count))

    def suitless(self, cards: Sequence[Face]) -> str:
        """`three sevens`: cards of one rank, as text mode has them on buttons."""
        return self.some_cards(face_rank(cards[0]), len(cards))

    def number(self, count: int) -> str:
        """`one` to `eight`; zero and larger numbers in digits."""
        return self(_NUMBERS[count - 1]) if 0 < count <= len(_NUMBERS) else str(count)

    def place(self, nth: int) -> str:
        """`1st`, `2nd`: the place in which somebody finished."""
        return self.c("finishing place", _PLACES[nth - 1]) if nth <= len(_PLACES) else str(nth)

    def position(self, nth: int) -> str:
        """`1st`, `2nd`: the position of a face-down card."""
        return self.c("position of a face-down card", _POSITIONS[nth - 1]) if nth <= len(_POSITIONS) else str(nth)

    # -- cards

    def card(self, face: Face) -> str:
        """A card as text: `7♥︎`, `Joker`, a wild one `Joker=K`, one played low `7♥︎ low`; in text mode in words."""
        return self.in_words(face) if self.text else _card_text(self.catalogue, face)

    def in_words(self, face: Face) -> str:
        """A card in words, not capitalized: `7 of clubs`, `joker as king`, `9 of hearts low`."""
        card, named = card_of(face), named_rank(face)
        rank = self.rank_name(rank_of(card))
        name = rank if is_joker(card) else self(_SUITED[suit_of(card)], rank=rank)
        if named is not None:
            name = self("{card} as {rank}", card=name, rank=self.rank_name(named))
        return self("{card} low", card=name) if is_low(face) else name

    def cards(self, faces: Iterable[Face]) -> str:
        """Cards as text, side by side; in text mode in words, `7 of clubs and 7 of hearts`."""
        names = list(map(self.card, faces))
        return self.listing(names) if self.text else " ".join(names)

    def slots(self, slots: Iterable[Sequence[Face]]) -> str:
        """Slots as text, stacked cards joined by +; in text mode all cards as one list."""
        if self.text:
            return self.cards(card for slot in slots for card in slot)
        return " ".join("+".join(map(self.card, slot)) for slot in slots)

    def label(self, *faces: Face) -> str:
        """Cards as the whole label of a button."""
        return capital(self.cards(faces))

    def counted(self, faces: Sequence[Face]) -> str:
        """Many cards grouped by rank: `3♣︎♦︎ 4♣︎♥︎♠︎ 10♦︎`, in text mode `two threes, three fours, a ten`."""
        ranks: dict[Rank, list[Face]] = {}
        for face in faces:
            ranks.setdefault(face_rank(face), []).append(face)
        if self.text:
            return self.enumerated(self.some_cards(rank, len(alike)) for rank, alike in ranks.items())
        return " ".join(map(self._alike, ranks.values()))

    def _alike(self, faces: Sequence[Face]) -> str:
        if any(is_joker(card_of(face)) or is_low(face) for face in faces):
            return self.cards(faces)
        return self.letter(face_rank(faces[0])) + "".join(SUIT_SIGNS[suit_of(card_of(face))] for face in faces)

    # -- faces

    def emoji_name(self, face: Face) -> str:
        """The name of a card's emoji, with this language's letter if that one exists, else with the English letter."""
        translated, english = _emoji_names(self.catalogue, card_of(face), self.faces.four_colours)
        return translated if translated in self.faces.emojis else english

    def emojis(self, faces: Iterable[Face]) -> str:
        """Cards as emojis side by side; empty if any of the emojis does not exist."""
        emojis = [self.faces.named(self.emoji_name(face)) for face in faces]
        return "".join(emojis) if all(emojis) else ""

    def icon(self, face: Face) -> ui.Component | None:
        """The emoji of a card, for a button; None if it does not exist."""
        return self.faces.icon(self.emoji_name(face))


@lru_cache(CACHED)
def _letter(catalogue: NullTranslations, rank: Rank) -> str:
    common = _common_letter(rank)
    return catalogue.pgettext("printed on the card", common) if rank >= JACK else common


@lru_cache(CACHED)
def _card_text(catalogue: NullTranslations, face: Face) -> str:
    named, card = named_rank(face), card_of(face)
    text = _letter(catalogue, rank_of(card)) + ("" if is_joker(card) else SUIT_SIGNS[suit_of(card)])
    if named is not None:
        text = f"{text}={_letter(catalogue, named)}"
    return catalogue.gettext("{card} low").format(card=text) if is_low(face) else text


@lru_cache(CACHED)
def _emoji_names(catalogue: NullTranslations, card: Card, four_colours: bool) -> tuple[str, str]:  # noqa: FBT001 - private
    """The names of a card's emoji with the language's letter, and with the English one."""
    translated = face_name(card, four_colours=four_colours, letter=_letter(catalogue, rank_of(card)))
    return translated, face_name(card, four_colours=four_colours)


@lru_cache(CACHED)
def formatter(
    locale: str = SOURCE, faces: FaceEmojis | None = None, *, polite: bool = False, text: bool = False, public: str = ""
) -> Formatter:
    """The formatter for one of Discord's locales; English if there is no such language. `public` is the channel's."""
    t = translator(locale)
    channel = translator(public) if public else None
    return Formatter(t.language, t.catalogue, polite, faces or FaceEmojis(), text, public=channel)


def public_formatter(settings: GuildSettings, faces: FaceEmojis, locale: str, *, polite: bool = False) -> Formatter:
    """The formatter for public messages of a server: in the language that its settings name, or else in `locale`."""
    faces = faces.coloured(four_colours=settings.four_colours)
    return formatter(settings.locale or locale, faces, polite=settings.polite or polite)


def texts_of(file: str) -> dict[str, Any]:
    """The English texts in a TOML file of this package."""
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def hand_order(face: Face) -> tuple[int, int]:
    """The sort key for cards as people hold them: 3 to A, then 2, then jokers."""
    rank = face_rank(face)
    return (len(RANKS) if rank == 0 else rank + (rank == JOKER), face & 63)
