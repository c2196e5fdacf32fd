"""Writes as text what each seat saw after a move.

It is given views and redacted events, never a state, so the line of a seat cannot show what the seat did not see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, Final

from game.cards import JOKER, RANKS, Rank, format_card, format_face
from game.events import Event
from game.text.notation import format_cards, format_slots
from game.text.notation import format_seat_letter as _letter
from game.view import Asked, SeatFace, SeatView, TableView

UNSEEN: Final = "??"


def format_sight(public: Sequence[Event], seats: Sequence[tuple[SeatView, Sequence[Event]]]) -> str:
    """What everybody sees and was told, then a line for each seat: its own cards and counts of the others'.

    `public` are the events redacted for everybody; each view comes with the same events redacted for its seat.
    """
    any_view, _ = seats[0]
    lines = [_table(any_view.table)]
    if public:
        lines.append(f"told: {_joined(public)}")
    for view, own in seats:
        only_to_it = _joined(event for event, known in zip(own, public, strict=True) if event != known)
        lines.append(f"{_seats(view)}; told: {only_to_it}" if only_to_it else _seats(view))
    return "\n".join(lines)


def _table(view: TableView) -> str:
    parts = [
        f"{view.phase}, {_letter(view.turn)} on turn",
        _direction(view.direction),
        f"pile {format_cards(view.pile)}",
        f"asked {_asked(view.asked)}",
        f"stock {view.stock}",
        f"burned {view.burned}",
        f"dealer {_letter(view.dealer)}",
    ]
    named = {"flush": view.flush, "tribute from": view.tribute_from, "shithead": view.shithead, "winner": view.winner}
    parts += [f"{name} {_letter(seat)}" for name, seat in named.items() if seat is not None]
    if view.calling is not None:
        parts.append(f"calling {_rank(view.calling)}")
    if view.out:
        parts.append(f"out {_letters(view.out)}")
    if view.next_dealer is not None:
        parts.append(f"next dealer {_letter(view.next_dealer)}")
    if view.stands_still:
        parts.append("drawn")
    return ", ".join(parts)


def _asked(asked: Asked) -> str:
    rank = "" if asked.rank is None else f" {_rank(asked.rank)}"
    also = "".join(f" or {_rank(each)}" for each in asked.also)
    barred = "".join(f" not {_rank(each)}" for each in asked.barred)
    return f"{asked.kind}{rank}{also}{barred}"


def _seats(view: SeatView) -> str:
    others = [
        f"{_letter(seat)} {face.hand} | {UNSEEN if face.up is None else format_slots(face.up)} | {_places(face)}"
        for seat, face in enumerate(view.table.seats)
        if seat != view.seat
    ]
    mine = f"{format_cards(view.hand)} | {format_slots(view.up)} | {_places(view.table.seats[view.seat])}"
    may = [move.name for move in view.moves]
    may += ["burn" for _ in view.burning]
    may += ["swap"] if view.may_swap else []
    may += ["choose"] if view.may_choose else []
    may += [f"lay {format_card(card)}" for card in view.may_lay]
    may += [f"lead {_rank(view.lead)}"] if view.lead is not None else []
    counted = ", ".join(f"{name} {may.count(name)}" if may.count(name) > 1 else name for name in dict.fromkeys(may))
    return f"{_letter(view.seat)} sees {mine}; {', '.join(others)}{f'; may {counted}' if may else ''}"


def _places(face: SeatFace) -> str:
    chosen = " chosen" if face.chosen else ""
    return ("".join(map(str, face.down)) or "-") + (" ready" if face.ready else chosen)


# -- words


def _letters(seats: Iterable[int]) -> str:
    return "".join(map(_letter, seats))


def _rank(rank: Rank | None) -> str:
    if rank is None:
        return "-"
    return "joker" if rank == JOKER else RANKS[rank]


def _direction(direction: int) -> str:
    return "cw" if direction == 1 else "ccw"


def _card(card: int | None) -> str:
    return UNSEEN if card is None else format_face(card)


_WORDS: Final[dict[str, Callable[[Any], str]]] = {
    "seat": _letter, "dealer": _letter, "winner": _letter, "shithead": _letter, "seats": _letters, "rank": _rank,
    "direction": _direction, "faces": format_cards, "cards": format_cards, "slots": format_slots,
    "face": _card, "card": _card, "laid": _card, "taken": _card, "given": _card, "count": str, "place": str,
}  # fmt: skip
"""How to write each field of an event. `by`, `four`, `why` and `missing` are left out: the rest implies them."""


def _joined(said: Iterable[Event]) -> str:
    return ", ".join(" ".join((event.name, *_written(event))) for event in said)


def _written(event: Event) -> list[str]:
    names = (each.name for each in fields(event) if each.name not in {"by", "four", "why", "missing"})
    return [_WORDS[name](getattr(event, name)) for name in names]
