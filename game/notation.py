"""Cards, moves and seats as text, both ways (rules.md section 6). Letters in any case, extra spaces ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.cards import Card, Face, format_card, format_face, parse_card, parse_face
from game.moves import (
    Call,
    Chance,
    Choose,
    Clear,
    Flip,
    Follow,
    Interrupt,
    Lay,
    PickUp,
    Play,
    Ready,
    Swap,
    Timeout,
    Tribute,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from game.moves import Move, Word

EMPTY = "-"


class NotAMoveError(ValueError):
    """A text that is no move, seat or list of cards; `args[0]` says which part."""


def parse_cards(text: str) -> tuple[Card, ...]:
    """A spaced list of cards; `-` is empty.

    Raises:
        NotACardError: one of them is no card.
    """
    words = text.split()
    return () if words == [EMPTY] else tuple(parse_card(word) for word in words)


def format_cards(cards: Iterable[Card]) -> str:
    """Cards with spaces between, `-` for none."""
    return " ".join(format_card(card) for card in cards) or EMPTY


def parse_pile(text: str) -> tuple[Face, ...]:
    """Faces bottom to top; `-` is empty.

    Raises:
        NotACardError: one of them is no face.
    """
    words = text.split()
    return () if words == [EMPTY] else tuple(parse_face(word) for word in words)


def format_pile(pile: Iterable[Face]) -> str:
    """Faces bottom to top, `-` for an empty pile."""
    return " ".join(format_face(face) for face in pile) or EMPTY


def parse_slots(text: str) -> tuple[tuple[Card, ...], ...]:
    """Face-up slots in order, stacked cards joined by `+`; `-` is none.

    Raises:
        NotACardError: a slot holds something that is no card.
    """
    words = text.split()
    return () if words == [EMPTY] else tuple(tuple(parse_card(card) for card in word.split("+")) for word in words)


def format_slots(slots: Iterable[tuple[Card, ...]]) -> str:
    """Slots in order, stacked cards joined by `+`."""
    return " ".join("+".join(format_card(card) for card in slot) for slot in slots) or EMPTY


def parse_seat(text: str) -> tuple[tuple[Card, ...], tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """`hand | face-up | face-down` as hand, slots and face-down cards.

    Raises:
        NotAMoveError: there are not three parts.
        NotACardError: a part holds something that is no card.
    """
    parts = text.split("|")
    if len(parts) != 3:  # noqa: PLR2004 - a seat has three zones
        raise NotAMoveError(text)
    return parse_cards(parts[0]), parse_slots(parts[1]), parse_cards(parts[2])


def format_seat(hand: Iterable[Card], slots: Iterable[tuple[Card, ...]], down: Iterable[Card]) -> str:
    """A seat as `hand | face-up | face-down`."""
    return f"{format_cards(hand)} | {format_slots(slots)} | {format_cards(down)}"


def parse_seat_letter(text: str) -> int:
    """`A` is seat 0.

    Raises:
        NotAMoveError: the text is no seat letter.
    """
    letter = text.strip().upper()
    if len(letter) != 1 or not "A" <= letter <= "L":
        raise NotAMoveError(text)
    return ord(letter) - ord("A")


def format_seat_letter(seat: int) -> str:
    """Seat 0 is `A`."""
    return chr(ord("A") + seat)


# -- moves


def _word(words: list[str]) -> Word:
    """Take the word *high* or *low* from the end, if it is there."""
    if words and words[-1] in {"high", "low"}:
        return "low" if words.pop() == "low" else "high"
    return ""


def _play(words: list[str]) -> Play:
    word = _word(words)
    faces = tuple(parse_face(each) for each in words)
    if any(face >> 10 for face in faces):
        raise NotAMoveError(words[0])
    return Play(faces, word)


def _flip(words: list[str]) -> Flip:
    word = _word(words)
    if len(words) != 1 or not words[0].isascii() or not words[0].isdigit():
        raise NotAMoveError("flip")
    return Flip(int(words[0]), word)


def _all_cards(words: list[str]) -> tuple[Card, ...]:
    return tuple(parse_card(each) for each in " ".join(words).replace("+", " ").split())


def _one_card(words: list[str]) -> Card:
    if len(words) != 1:
        raise NotAMoveError("one card")
    return parse_card(words[0])


def _two_cards(words: list[str]) -> tuple[Card, Card]:
    if len(words) != 2:  # noqa: PLR2004 - a swap has two sides
        raise NotAMoveError("two cards")
    return parse_card(words[0]), parse_card(words[1])


def _chance(words: list[str]) -> Chance:
    word = _word(words)
    if words:
        raise NotAMoveError("chance")
    return Chance(word)


def _nothing(move: Move) -> Callable[[list[str]], Move]:
    def read(words: list[str]) -> Move:
        if words:
            raise NotAMoveError(words[0])
        return move

    return read


_READERS: dict[str, Callable[[list[str]], Move]] = {
    "play": _play,
    "flip": _flip,
    "pickup": lambda words: PickUp(_all_cards(words)),
    "chance": _chance,
    "swap": lambda words: Swap(*_two_cards(words)),
    "choose": lambda words: Choose(parse_slots(" ".join(words))),
    "lay": lambda words: Lay(_one_card(words)),
    "ready": _nothing(Ready()),
    "call": _nothing(Call()),
    "clear": _nothing(Clear()),
    "timeout": _nothing(Timeout()),
    "interrupt": lambda words: Interrupt(_all_cards(words)),
    "follow": lambda words: Follow(_all_cards(words)),
    "tribute": lambda words: Tribute() if words == [EMPTY] else Tribute(*_two_cards(words)),
}


def parse_move(text: str) -> Move:
    """The move that a text names.

    Whether it makes sense is not asked here: `play` without a card is a move, a malformed one.

    Raises:
        NotAMoveError: the text is no move. NotACardError: it names something that is no card.
    """
    name, *words = text.lower().split() or [""]
    reader = _READERS.get(name)
    if reader is None:
        raise NotAMoveError(text)
    return reader(words)


def format_move(move: Move) -> str:
    """The move as text."""
    match move:
        case Play():
            return _joined("play", *map(format_face, move.cards), move.word)
        case Flip():
            return _joined("flip", str(move.number), move.word)
        case PickUp():
            return _joined("pickup", *map(format_card, move.added))
        case Chance():
            return _joined("chance", move.word)
        case Interrupt() | Follow():
            return _joined(_name(move), *map(format_card, move.cards))
        case Ready() | Call() | Clear() | Timeout():
            return _name(move)
        case _:
            return _joined(_name(move), _format_preparing(move))


def _name(move: Move) -> str:
    return type(move).__name__.lower()


def _format_preparing(move: Swap | Choose | Lay | Tribute) -> str:
    match move:
        case Swap():
            return format_cards((move.hand, move.up))
        case Choose():
            return format_slots(move.slots)
        case Lay():
            return format_card(move.card)
        case _:
            return EMPTY if move.own is None or move.theirs is None else format_cards((move.own, move.theirs))


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)
