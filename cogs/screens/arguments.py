"""Moves as the verb and argument of an id, both ways: `play` + `7c7d`, `flip` + `2.low`, `choose` + `KdJc+JsQh`.

Cards are written as in the notation, without spaces. Reading is total: what is no move gives None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from game import moves as mv
from game.cards import Card, Face, format_card, format_face, parse_card, parse_face, plain

_CARDS: Final = re.compile(r"(?:[2-9TJQKA][cdhs]|X[rb](?:=[2-9TJQKA])?)*")
_ONE: Final = re.compile(r"[2-9TJQKA][cdhs]|X[rb](?:=[2-9TJQKA])?")
_SLOTS: Final = re.compile(r"(?:[2-9TJQKAX][cdhsrb]\+?)*")
_NUMBER: Final = re.compile(r"([1-9][0-9]?)(?:\.(high|low))?")
_PAIR: Final = 2
WORDS: Final[Mapping[str, mv.Word]] = {"": "", "high": "high", "low": "low"}


def format_cards(cards: Iterable[Face]) -> str:
    """Cards without spaces: `7c7d`, `Xr=K`."""
    return "".join(format_face(plain(card)) for card in cards)


def parse_faces(text: str) -> tuple[Face, ...] | None:
    """The faces such a text names, None where it names something else."""
    return tuple(parse_face(each) for each in _ONE.findall(text)) if _CARDS.fullmatch(text) else None


def parse_cards(text: str) -> tuple[Card, ...] | None:
    """The cards such a text names, without any named rank."""
    return None if "=" in text or not _CARDS.fullmatch(text) else tuple(parse_card(each) for each in _ONE.findall(text))


def format_slots(slots: Iterable[Iterable[Card]]) -> str:
    """Slots side by side, stacked cards joined by +: `KdJc+JsQh`."""
    return "".join("+".join(map(format_card, slot)) for slot in slots)


def parse_slots(text: str) -> tuple[tuple[Card, ...], ...] | None:
    """The slots such a text names."""
    if not _SLOTS.fullmatch(text) or text.endswith("+"):
        return None
    slots: list[tuple[Card, ...]] = []
    for each in re.findall(r"(?:.{2}\+)*.{2}", text):
        cards = parse_cards(each.replace("+", ""))
        if not cards:
            return None
        slots.append(cards)
    return tuple(slots)


def as_pressed(move: mv.Move) -> tuple[str, str]:
    """The verb and the argument of a move."""
    match move:
        case mv.Play():
            return "play", format_cards(move.cards) + (f".{move.word}" if move.word else "")
        case mv.Flip():
            return "flip", f"{move.number}.{move.word}" if move.word else str(move.number)
        case mv.PickUp():
            return "pickup", format_cards(move.cards)
        case mv.Chance():
            return "chance", move.word
        case mv.Interrupt() | mv.Follow():
            return "interrupt" if isinstance(move, mv.Interrupt) else "follow", format_cards(move.cards)
        case mv.Ready() | mv.Call() | mv.Clear() | mv.Timeout():
            return type(move).__name__.lower(), ""
        case _:
            return _preparing(move)


def _preparing(move: mv.Move) -> tuple[str, str]:
    match move:
        case mv.Swap():
            return "swap", format_cards((move.hand, move.up))
        case mv.Choose():
            return "choose", format_slots(move.slots)
        case mv.Lay():
            return "lay", format_card(move.card)
        case mv.Tribute():
            return "tribute", "" if move.own is None or move.theirs is None else format_cards((move.own, move.theirs))
        case _:
            raise TypeError(move)


def as_move(verb: str, argument: str) -> mv.Move | None:
    """The move that a verb and an argument say, None where they say none."""
    read = _READ.get(verb)
    return read(argument) if read else None


def _play(text: str) -> mv.Move | None:
    names, _, word = text.partition(".")
    faces = parse_faces(names)
    return mv.Play(faces, WORDS[word]) if faces and word in WORDS else None


def _flip(text: str) -> mv.Move | None:
    found = _NUMBER.fullmatch(text)
    return mv.Flip(int(found[1]), WORDS[found[2] or ""]) if found else None


def _pick_up(text: str) -> mv.Move | None:
    cards = parse_cards(text)
    return None if cards is None else mv.PickUp(cards)


def _swap(text: str) -> mv.Move | None:
    cards = parse_cards(text)
    return mv.Swap(*cards) if cards and len(cards) == _PAIR else None


def _tribute(text: str) -> mv.Move | None:
    cards = parse_cards(text)
    if not text:
        return mv.Tribute()
    return mv.Tribute(*cards) if cards and len(cards) == _PAIR else None


def _choose(text: str) -> mv.Move | None:
    slots = parse_slots(text)
    return mv.Choose(slots) if slots else None


def _lay(text: str) -> mv.Move | None:
    cards = parse_cards(text)
    return mv.Lay(cards[0]) if cards and len(cards) == 1 else None


def _interrupt(text: str) -> mv.Move | None:
    cards = parse_cards(text)
    return mv.Interrupt(cards) if cards else None


def _follow(text: str) -> mv.Move | None:
    cards = parse_cards(text)
    return mv.Follow(cards) if cards else None


_READ: Final[Mapping[str, Callable[[str], mv.Move | None]]] = {
    "play": _play,
    "flip": _flip,
    "pickup": _pick_up,
    "chance": lambda text: mv.Chance(WORDS[text]) if text in WORDS else None,
    "swap": _swap,
    "choose": _choose,
    "lay": _lay,
    "tribute": _tribute,
    "interrupt": _interrupt,
    "follow": _follow,
    "ready": lambda text: None if text else mv.Ready(),
    "call": lambda text: None if text else mv.Call(),
    "clear": lambda text: None if text else mv.Clear(),
}
MOVES: Final = frozenset(_READ)
"""The verbs that are moves."""
