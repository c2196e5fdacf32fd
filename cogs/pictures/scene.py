"""A `Scene` is what lies on a table, ready to be drawn or put into words: the picture and its alt text share it.

It is made from a `TableView`, so it cannot hold a hidden card. Must not import anything that draws or words it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal, NamedTuple, TypeAlias

from game.cards import JACK, Card, Face, Rank, Word, face_rank, is_low
from game.view import Phase, SeatFace, TableView

FAN: Final = 4
"""How many cards on top of the pile are shown: enough to see that the next one would make four of a kind."""

Presence: TypeAlias = Literal["here", "away", "left", "computer"]
Role: TypeAlias = Literal["", "acts", "gives", "shithead", "winner"]


class FaceSet(NamedTuple):
    """How faces are drawn: the letters of jack, queen, king and ace, and whether each suit has its own colour."""

    letters: tuple[str, ...] = ("J", "Q", "K", "A")
    four_colours: bool = False

    def letter(self, rank: Rank) -> str:
        """The letter or number printed on a card for its rank; jokers have none."""
        return str(rank + 2) if rank < JACK else self.letters[rank - JACK]


@dataclass(frozen=True, slots=True, repr=False)
class ScenePlayer:
    """Who plays a seat: the name, a fallback if it cannot be drawn, and whether somebody is there.

    `level` says in words how well a computer plays; empty for people, or if it is not known.
    """

    name: str
    fallback: str
    presence: Presence = "here"
    level: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class SceneCard:
    """A card of the pile; `word` is the one with which it was played, "high", "low" or none (R44)."""

    face: Face
    word: Word = ""


@dataclass(frozen=True, slots=True, repr=False)
class SceneSlot:
    """A slot of table cards: its face-up cards, several if they are stacked (R33), and whether it has a face-down one.

    `unseen` means that a face-up card has been chosen which nobody may see yet (R32).
    """

    cards: tuple[Card, ...] = ()
    is_down: bool = False
    unseen: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class SceneSeat:
    """A seat. `hand` is the number of cards, `place` the finishing place from 1; `ready` is None outside the exchange.

    `role` is `acts` for the seat whose turn it is, and `gives` for the one from whom a tribute (R42) is taken.
    """

    player: ScenePlayer
    hand: int
    slots: tuple[SceneSlot, ...]
    place: int | None = None
    role: Role = ""
    ready: bool | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Scene:
    """A table. `fan` has the top cards of the pile, the topmost last; `direction` is None where it makes no difference.

    `slot_count` is the number of slots of each seat since the deal. `swaps` says whether hand cards may be exchanged or
    chosen now. `calling` is the rank that may be called, if any.
    """

    phase: Phase
    seats: tuple[SceneSeat, ...]
    slot_count: int
    fan: tuple[SceneCard, ...]
    pile: int
    stock: int
    burned: int
    direction: int | None
    swaps: bool = False
    calling: Rank | None = None


def scene_of(view: TableView, players: Sequence[ScenePlayer]) -> Scene:
    """The table as everybody may see it; `players` in seat order."""
    slot_count = max(view.sizes.down, view.sizes.up, *(len(face.up or ()) for face in view.seats))
    is_choosing = any(face.up is None for face in view.seats)
    exchanges = view.sizes.up > 0 and view.rules.deal.method == "open" and view.rules.deal.exchange != "none"
    return Scene(
        phase=view.phase,
        seats=tuple(_seat(view, seat, player, slot_count) for seat, player in enumerate(players)),
        slot_count=slot_count,
        fan=tuple(SceneCard(face, _word(view, face)) for face in view.pile[-FAN:]),
        pile=len(view.pile),
        stock=view.stock,
        burned=view.burned,
        direction=view.direction if view.seats[2:] and view.phase in {"play", "clear"} else None,
        swaps=view.phase == "tribute" or is_choosing or (view.phase == "exchange" and exchanges),
        calling=view.calling if view.phase == "call" else None,
    )


def _seat(view: TableView, seat: int, player: ScenePlayer, slot_count: int) -> SceneSeat:
    face = view.seats[seat]
    return SceneSeat(
        player=player,
        hand=face.hand,
        slots=_slots(face, slot_count),
        place=face.place,
        role=_role(view, seat),
        ready=face.ready if view.phase == "exchange" else None,
    )


def _slots(face: SeatFace, slot_count: int) -> tuple[SceneSlot, ...]:
    """Face-up cards move up when one is gone; face-down cards keep their slots."""
    if face.place is not None:
        return ()
    unseen = face.up is None and face.chosen
    slots = zip_longest(range(1, slot_count + 1), face.up or ())
    return tuple(SceneSlot(cards or (), at in face.down, unseen=unseen) for at, cards in slots)


def _role(view: TableView, seat: int) -> Role:
    if view.phase == "over":
        ends: dict[int | None, Role] = {view.winner: "winner", view.shithead: "shithead"}
        return ends.get(seat, "")
    if view.phase == "tribute" and seat == view.tribute_from:
        return "gives"
    return "acts" if seat == view.waits_for else ""


def _word(view: TableView, face: Face) -> Word:
    if is_low(face):
        return "low"
    return "high" if view.rules.power(face_rank(face)).asks == "named" else ""
