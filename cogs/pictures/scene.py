"""What lies on a table, ready to be drawn or told: the picture and its words are both made from a `Scene`.

It is made from a `TableView`, so it holds no card that somebody must not see. Knows nothing of drawing or language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal, NamedTuple, TypeAlias

from data.models import LevelName, Player
from game.cards import JACK, Card, Face, Rank, Word, face_rank, is_low
from game.rules import Rules
from game.view import Phase, SeatFace, TableView

FAN: Final = 4
"""How many cards on top of the pile are shown: enough to see that the next one would make four of a kind."""

_PAIR: Final = 2
"""So many seats take turns, whichever way round."""

Presence: TypeAlias = Literal["here", "away", "left", "computer"]
Role: TypeAlias = Literal["", "acts", "gives", "shithead", "winner"]


class FaceSet(NamedTuple):
    """How faces are drawn: the letters of jack, queen, king and ace, and whether each suit has its own colour."""

    letters: tuple[str, str, str, str] = ("J", "Q", "K", "A")
    four_colours: bool = False

    def letter(self, rank: Rank) -> str:
        """What stands on a card for its rank, a joker's not among them."""
        return str(rank + 2) if rank < JACK else self.letters[rank - JACK]


@dataclass(frozen=True, slots=True, repr=False)
class ScenePlayer:
    """Who plays a seat: the name, what stands for it if it cannot be drawn, and whether somebody is there.

    `level` says that a computer plays, and how well; empty if that is not known, and for people.
    """

    name: str
    fallback: str
    presence: Presence = "here"
    level: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class SceneCard:
    """A card of the pile as it lies there; `word` is the one it was played with (R44)."""

    face: Face
    word: Word = ""


@dataclass(frozen=True, slots=True, repr=False)
class SceneSlot:
    """A place of table cards: several equal cards if they are stacked (R33), and whether one lies face down.

    `unseen` marks a place with a chosen card that nobody sees yet (R32).
    """

    cards: tuple[Card, ...] = ()
    is_down: bool = False
    unseen: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class SceneSeat:
    """A seat. `place` is the finishing place from 1; `ready` is None except during the exchange.

    `role` is `acts` for the one whose turn it is, and `gives` for the one whose cards a tribute (R42) is taken from.
    """

    player: ScenePlayer
    hand: int
    slots: tuple[SceneSlot, ...]
    place: int | None = None
    role: Role = ""
    ready: bool | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Scene:
    """A table. `fan` are the top cards of the pile, the topmost last; `direction` is None if it makes no difference.

    `places` is how many slots a seat has had from the deal on.
    """

    phase: Phase
    seats: tuple[SceneSeat, ...]
    places: int
    fan: tuple[SceneCard, ...]
    pile: int
    stock: int
    burned: int
    direction: int | None
    calling: Rank | None = None


def players_of(
    players: Iterable[Player], fallback: Callable[[int], str], level: Callable[[LevelName], str] = str
) -> tuple[ScenePlayer, ...]:
    """Who sits at a table; `fallback` is what stands for the name of a seat that has none, or one not to be drawn.

    `level` has the words for how well a computer plays.
    """
    seated = (
        (player, fallback(seat), level(player.level) if player.level else "") for seat, player in enumerate(players)
    )
    return tuple(ScenePlayer(player.name or other, other, _presence(player), how) for player, other, how in seated)


def _presence(player: Player) -> Presence:
    if player.is_computer:
        return "computer"
    return "left" if player.left else "away" if player.away else "here"


def scene_of(view: TableView, players: Sequence[ScenePlayer]) -> Scene:
    """The table as everybody may see it; `players` in seat order."""
    places = max(*view.rules.sizes_with(len(view.seats))[:2], *(len(face.up or ()) for face in view.seats))
    return Scene(
        phase=view.phase,
        seats=tuple(_seat(view, seat, player, places) for seat, player in enumerate(players)),
        places=places,
        fan=tuple(SceneCard(face, _word(view.rules, face)) for face in view.pile[-FAN:]),
        pile=len(view.pile),
        stock=view.stock,
        burned=view.burned,
        direction=view.direction if len(view.seats) > _PAIR and view.phase in {"play", "clear"} else None,
        calling=view.calling if view.phase == "call" else None,
    )


def _seat(view: TableView, seat: int, player: ScenePlayer, places: int) -> SceneSeat:
    face = view.seats[seat]
    return SceneSeat(
        player=player,
        hand=face.hand,
        slots=_slots(face, places),
        place=face.place,
        role=_role(view, seat),
        # The others need not wait for a seat that has chosen (R32), or has said that it is ready (R3).
        ready=(face.chosen if face.up is None else face.ready) if view.phase == "exchange" else None,
    )


def _slots(face: SeatFace, places: int) -> tuple[SceneSlot, ...]:
    """Face-up cards close ranks when one is gone; face-down ones keep their places."""
    if face.place is not None:
        return ()
    up = [slot for slot in face.up or () if slot]
    return tuple(
        SceneSlot(cards or (), at in face.down, unseen=face.up is None and face.chosen)
        for at, cards in zip_longest(range(1, places + 1), up)
    )


def _role(view: TableView, seat: int) -> Role:
    if view.phase == "over":
        return "shithead" if seat == view.shithead else "winner" if seat == view.winner else ""
    if view.phase == "tribute" and seat == view.tribute_from:
        return "gives"
    return "acts" if seat == view.waits_for else ""


def _word(rules: Rules, face: Face) -> Word:
    if is_low(face):
        return "low"
    return "high" if rules.power(face_rank(face)).asks == "named" else ""
