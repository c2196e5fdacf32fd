"""Which cards a message names, and which of them its reader may know. It reads payloads as they go to Discord."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from game.cards import Card, card_of, parse_card
from game.rules import is_list, is_table
from game.view import SeatView
from tables.snapshots import TableSnapshot

_SUITS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
_RANKS: Final = {"jack": "J", "queen": "Q", "king": "K", "ace": "A", "10": "T"}
_IN_TEXT: Final = re.compile(r"(10|[2-9JQKA])([♣♦♥♠])")
_IN_WORDS: Final = re.compile(r"(\d+|jack|queen|king|ace)(?:_| of )(clubs|diamonds|hearts|spades)")
_IN_ID: Final = re.compile(r"[2-9TJQKA][cdhs]|X[rb]")
_CARDS_OF_ID: Final = re.compile(r"sh:(?!serve:)[a-z-]+:\d+:\d+:([^:]*)")
_TABLE_OF_ID: Final = re.compile(r'"custom_id": "sh:[a-z-]+:([1-9]\d*):')


def cards_named(payload: Any) -> set[Card]:
    """Every card that a message names: in words, in pictures, in the ids of buttons, in the values of selects."""
    text = json.dumps(payload, ensure_ascii=False)
    found = {_card(rank, _SUITS[suit]) for rank, suit in _IN_TEXT.findall(text)}
    found |= {_card(rank, suit[0]) for rank, suit in _IN_WORDS.findall(text)}
    return found | cards_written(_arguments(payload))


def tables_named(payload: Any) -> set[int]:
    """The ids of the tables that the buttons and selects of a message are for."""
    return {int(number) for number in _TABLE_OF_ID.findall(json.dumps(payload))}


def _card(rank: str, suit: str) -> Card:
    return parse_card(_RANKS.get(rank, rank) + suit)


def cards_written(texts: Iterable[str]) -> set[Card]:
    """The cards in texts as ids write them."""
    return {parse_card(card) for text in texts for card in _IN_ID.findall(text)}


def _arguments(part: Any) -> Iterator[str]:
    if is_list(part):
        for each in part:
            yield from _arguments(each)
    elif is_table(part):
        if found := _CARDS_OF_ID.match(str(part.get("custom_id", ""))):
            yield found[1]
        yield from (str(option["value"]) for option in part.get("options", ()) if "value" in option)
        yield from _arguments([value for value in part.values() if isinstance(value, dict | list)])


def open_cards(snapshot: TableSnapshot) -> set[Card]:
    """The cards that lie open, or are named in events that everybody was told a moment ago."""
    view = snapshot.view
    if view is None:
        return set()
    found = {card_of(face) for face in view.pile}
    found |= {card for seat in view.seats for slot in seat.up or () for card in slot}
    for event in snapshot.recent:
        many = [face for name in ("faces", "cards") for face in getattr(event, name, ())]
        slots = [card for slot in getattr(event, "slots", ()) for card in slot]
        one = [getattr(event, name, None) for name in ("face", "laid", "taken", "given", "card")]
        found |= {card_of(face) for face in [*many, *slots, *one] if face is not None}
    return found


def own_cards(view: SeatView | None) -> set[Card]:
    """The cards that only this seat may know."""
    return set() if view is None else {*view.hand, *(card for slot in view.up for card in slot)}
