"""Examples of rules as a line of cards: `7♥ → 7♣ K♣ ✓ · 6♣ ×`, with drawn faces where there are any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cogs.screens.components import continued
from cogs.screens.formatter import Formatter
from game.cards import Face, is_low
from game.examples import Example


def example_line(t: Formatter, examples: Iterable[Example]) -> str:
    """A line of small print; empty where there is no example."""
    return continued(*(_example(t, each) for each in examples))


def _example(t: Formatter, example: Example) -> str:
    if t.text:
        return _in_words(t, example)
    parts: list[str] = []
    if example.goes:
        goes = _cards(t, example.goes)
        burns = t.n("{cards} burns", "{cards} burn", len(example.goes), cards=goes)
        parts.append(burns if example.burns else f"{goes} ✓")
    if example.stays:
        parts.append(f"{_cards(t, example.stays)} ×")
    said = t.enumerated(parts)
    return f"{_cards(t, example.pile)} → {said}"


def _in_words(t: Formatter, example: Example) -> str:
    pile = t.cards(example.pile)
    goes, stays = t.cards(example.goes), t.cards(example.stays)
    if not goes:
        return t("not on {pile}: {cards}", pile=pile, cards=stays)
    if example.burns:
        goes = t.n("{cards} burns", "{cards} burn", len(example.goes), cards=goes)
    if stays:
        return t("on {pile}: {cards}, but not {others}", pile=pile, cards=goes, others=stays)
    return t("on {pile}: {cards}", pile=pile, cards=goes)


def _cards(t: Formatter, faces: Sequence[Face]) -> str:
    """The drawn faces, or the text where a picture is missing or does not say all."""
    named = any(map(is_low, faces))
    return ("" if named else t.run(faces)) or t.cards(faces)
