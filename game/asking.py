"""What a pile asks and what may be put on it: the powers of one set of rules, compiled (rules.md section 3).

Owns the codes that stand for what is asked. Knows ranks and faces, not who holds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from game.cards import JACK, JOKER, Face, Rank, card_of, face_rank, is_low, parse_rank

if TYPE_CHECKING:
    from game.rules import Power, Rules
    from game.view import AskedKind

# What the pile asks, as a small code: nothing, a rank's power, a joker's, a named rank played low, a bare glass rank
# (R22), the duty of R46.
FREE: Final = 0
BY_RANK: Final = 1
BY_JOKER: Final = 14
BY_LOW: Final = 15
BY_BARE: Final = 28
DUTY: Final = 41
CODES: Final = 42
GLASS: Final = -1
"""The code of a transparent card: the cards beneath decide."""

_NO_RANK_ASKS: Final = frozenset({"at-least", "at-most", "below", "same", "named"})
_RED: Final = frozenset({1, 2})


class Asking:
    """The powers of a set of rules by rank, and what follows from them for the next play."""

    def __init__(self, rules: Rules) -> None:
        """Compile the powers."""
        self.powers: tuple[Power, ...] = tuple(rules.power(rank) for rank in range(JOKER + 1))
        self.wild = self.powers[JOKER].wild
        self.names = tuple(power.asks == "named" for power in self.powers)
        self.values: tuple[int, ...] = tuple(range(13)) if rules.play.ace == "high" else (*range(1, 13), 0)
        """How high each rank counts (R6, `play.ace`)."""
        self.glass: tuple[bool, ...] = tuple(power.asks == "under" for power in self.powers)
        self.barred = tuple(frozenset(parse_rank(key) for key in power.not_on) for power in self.powers)
        self.asked = tuple(self._asked(code) for code in range(CODES))

    def code(self, face: Face) -> int:
        """The code of what a face asks when it is on top; `GLASS` when the cards beneath decide."""
        rank = face_rank(face)
        if rank == JOKER:
            return GLASS if self.glass[JOKER] else BY_JOKER
        if self.glass[rank]:
            return GLASS
        return BY_LOW + rank if is_low(face) and self.names[rank] else BY_RANK + rank

    def top_of(self, pile: tuple[Face, ...]) -> int:
        """The code of what a whole pile asks (R22)."""
        for face in reversed(pile):
            code = self.code(face)
            if code != GLASS:
                return code
        return self.bare_code(face_rank(pile[0])) if pile else FREE

    def bare_code(self, rank: Rank) -> int:
        """The code of a pile of transparent cards whose bottom one is of `rank` (R22)."""
        bare = self.powers[rank].bare
        return FREE if bare is None else BY_BARE + parse_rank(bare)

    def effective(self, pile: tuple[Face, ...]) -> Face | None:
        """The effective card (rules.md section 1); None when there is none."""
        return next((face for face in reversed(pile) if self.code(face) != GLASS), None)

    def _asked(self, code: int) -> tuple[AskedKind, Rank | None]:
        if code == FREE:
            return "anything", None
        if code == DUTY:
            return "red-jack", None
        if code >= BY_BARE:
            return "at-least", code - BY_BARE
        if code >= BY_LOW:
            return "at-most", code - BY_LOW
        rank = code - BY_RANK
        asks = self.powers[rank].asks
        if asks.startswith("not:"):
            return "not", parse_rank(asks[4:])
        if asks.startswith("rank:"):
            least = parse_rank(asks[5:])
            return ("at-least", least) if least else ("anything", None)
        if asks in {"anything", "under"} or (rank == JOKER and asks in _NO_RANK_ASKS):
            return "anything", None
        if asks in {"at-most", "below", "same"}:
            return cast("AskedKind", asks), rank
        return "at-least", rank

    def beaten(self, code: int) -> Rank | None:
        """The effective card's rank for `not_on` and `higher`; None where no card is looked at."""
        if code in {FREE, DUTY} or code >= BY_BARE:
            return None
        return code - BY_LOW if code >= BY_LOW else code - BY_RANK

    def rank_satisfies(self, code: int, rank: Rank) -> bool:
        """Whether a rank by itself is what is asked; a joker without a rank only where no rank is."""
        kind, asked = self.asked[code]
        if kind == "anything" or asked is None:
            return kind == "anything"
        if kind == "not":
            return rank != asked
        if rank == JOKER:
            return False
        mine, theirs = self.values[rank], self.values[asked]
        return {"at-least": mine >= theirs, "at-most": mine <= theirs, "below": mine < theirs, "same": mine == theirs}[
            kind
        ]

    def goes_on(self, code: int, rank: Rank, own: Rank) -> bool:
        """Whether a card may go on what `code` stands for (R20, R28).

        It is of rank `own` and counts as `rank`; they differ for wild jokers.
        """
        if code == FREE:
            return True
        beaten = self.beaten(code)
        power = self.powers[own]
        if self.is_barred(code, own):
            return False
        if power.on == "anything" or self.rank_satisfies(code, rank):
            return True
        return (
            power.on == "higher"
            and rank != JOKER
            and beaten is not None
            and beaten != JOKER
            and self.values[beaten] > self.values[rank]
        )

    def is_barred(self, code: int, own: Rank) -> bool:
        """Whether `not_on` of a card of rank `own` names the effective card."""
        return self.beaten(code) in self.barred[own]

    def face_fits(self, code: int, face: Face) -> bool:
        """Whether one face may go on what `code` stands for; a wild joker by its own `on` (R38)."""
        card = card_of(face)
        if code == DUTY:
            return card >> 2 == JACK and card & 3 in _RED
        return self.goes_on(code, face_rank(face), card >> 2)
