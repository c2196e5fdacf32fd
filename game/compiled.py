"""The rules of one table, compiled into lookup tables for the engine (rules.md sections 3 and 4).

Owns the codes for what a pile asks, what may be put on what, and the caches of what follows from the rules alone. Knows
neither seats nor turns; the plays that it keeps are made in `game.moves.bound_plays`.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import product
from typing import Any, Final, cast

from game.cards import (
    JACK,
    JOKER,
    KINDS,
    RED_JOKER,
    SEARCH,
    Face,
    Layout,
    Rank,
    bits,
    card_of,
    face_rank,
    is_low,
    parse_rank,
)
from game.rules import AskedKind, PlayOptions, Rules, rank_of_key

FOUR: Final = 4
# What a pile asks is one small number, an index into `fits`, the masks of what may go on it: so "which of my cards may
# I play?" is one AND, and no power has to be read in play. Where a rank belongs to a code, it is added to the first of
# its kind; `PARTS` takes the two apart again.
FREE: Final = 0  # nothing is asked
BY_RANK: Final = 1  # a card of this rank lies on top
BY_JOKER: Final = BY_RANK + JOKER  # a joker that stands for no rank lies on top
BY_LOW: Final = BY_JOKER + 1  # a named card of this rank that was said to be low (R44)
BY_BARE: Final = BY_LOW + JOKER  # only transparent cards, of which the bottom one asks for at least this rank (R22)
DUTY: Final = BY_BARE + JOKER  # a red jack, or else the pile must be taken (R46)
_MANY: Final = {FREE: 1, BY_RANK: JOKER + 1, BY_LOW: JOKER, BY_BARE: JOKER, DUTY: 1}  # codes of each kind
PARTS: Final = tuple((first, rank) for first, count in _MANY.items() for rank in range(count))
"""Every code as the first of its kind and what was added, which is a rank where the kind has one."""
CODES: Final = len(PARTS)
GLASS: Final = -1  # a transparent card: the cards beneath decide
LISTED: Final = frozenset({
    "refill", "ace", "stuck", "must_play", "burn_again", "four_of_a_kind", "four_on_anything", "runs_through_glass",
    "sequences", "chance", "lead_after_pickup", "face_up_pickup", "flush", "interrupt", "follow_up",
    "combo",
})  # fmt: skip
"""The options of `play` that `turn_moves` can list. If another is not at its default, each listed move is checked."""


class RuleBook(Layout):
    """Rules compiled for a pack with at most `copies` of each card.

    Immutable but for its caches. Threads share a book (`book_of`), so no code may iterate over a cache.
    """

    def __init__(self, rules: Rules, copies: int, *, old_reading: bool = False) -> None:
        """Compile; about a millisecond."""
        super().__init__(copies)
        self.old_reading = old_reading
        """Whether R29 and R46 are read as in the first version, so that a game begun then can be finished."""
        self.rules, self.play = rules, rules.play
        self.powers = tuple(rules.power(rank) for rank in range(JOKER + 1))
        self.values = tuple(range(13)) if rules.play.ace == "high" else (*range(1, 13), 0)
        """How high each rank counts (R6, `play.ace`)."""
        first = SEARCH.index(rank_of_key(rules.start.rank))
        self.search_order = SEARCH[first:] + SEARCH[:first]
        """The ranks in the order in which a starter is looked for (R4, `start.rank`)."""
        self.wild = self.powers[JOKER].wild
        self.names = tuple(power.asks == "named" for power in self.powers)
        self.glass = tuple(power.asks == "under" for power in self.powers)
        self.burning = tuple("burn" in power.does for power in self.powers)
        self.four, self.follow_up = self.play.four_of_a_kind, self.play.follow_up
        self.refills, self.add_one = self.play.refill == "always", self.play.face_up_pickup == "add-one"
        self.odd_runs = self.wild or self.play.runs_through_glass
        self._barred = tuple(frozenset(map(rank_of_key, power.not_on)) for power in self.powers)
        self._only = tuple(frozenset(map(rank_of_key, power.only_on)) for power in self.powers)
        self.asked = tuple(self._asked(code) for code in range(CODES))
        self._lay_out_masks()
        self._note_what_is_ordinary(rules.play)
        self.plays: dict[Any, Any] = {}
        self.sets: dict[int, Any] = {}
        self.climbs: dict[tuple[int, int], Any] = {}
        self.kept: dict[object, Any] = {}

    def _note_what_is_ordinary(self, play: PlayOptions) -> None:
        fields = type(play).model_fields.items()
        self.checks_each = any(name not in LISTED and getattr(play, name) != field.default for name, field in fields)
        """Whether every move that is listed is checked, because of an option that is not in `LISTED`."""
        self.ordinary_plays = not (self.wild or play.sequences or play.four_on_anything or play.combo)
        """Whether single cards and plain sets are all that a seat may ever play."""
        self.asks_if_stuck = play.must_play or play.stuck != "self"
        self.ordinary_pick_up = not (self.asks_if_stuck or self.checks_each) and play.chance == "never"
        """Whether picking up is always allowed on a pile, and is the only alternative to playing."""
        self.plays_if_it_can = play.must_play and play.chance != "always"
        """Whether a seat that has a legal play can do nothing else."""

    def __eq__(self, other: object) -> bool:
        """Equal when compiled from equal rules for as many copies, in the same reading."""
        mine = self.rules, self.copies, self.old_reading
        return isinstance(other, RuleBook) and mine == (other.rules, other.copies, other.old_reading)

    def __hash__(self) -> int:
        """A hash of the fields that are cheap to compare."""
        return hash(self.copies)

    def _lay_out_masks(self) -> None:
        """Masks of cards, and above them bits for other properties of a play.

        A play needs some of these bits, a moment allows some (`fits`, `leads`), and the play is legal when it needs
        none that is not allowed.
        """
        # From the lowest bit upwards: the cards (54 kinds, `copies` bits each), a bit for each rank that a joker may be
        # named, one for each rank of which four go on anything, then `several` and `in_sequence`. A bit that a code
        # leaves out of `fits` forbids: a red jack on duty goes alone, because DUTY lacks `several`; a seat that must
        # lead a rank leads no sequence, because `leads` lack `in_sequence`.
        width = 4 * self.copies
        self.rank_masks = tuple(((1 << width) - 1) << rank * width for rank in range(13))
        self.joker_mask = ((1 << 2 * self.copies) - 1) << RED_JOKER * self.copies
        self.red_jacks = sum(self.copies_of(JACK * 4 + suit) for suit in (1, 2))
        masks = (*self.rank_masks, self.joker_mask)
        self.group_of = (0, *(masks[bit // width] for bit in range(KINDS * self.copies)))
        """The rank's mask by the `bit_length` of a mask whose highest card is of that rank."""
        above = 1 << KINDS * self.copies
        self.as_rank = tuple(above << rank for rank in range(13))
        """A wild joker named as this rank (R38)."""
        self.as_four = tuple(above << 13 + rank for rank in range(13))
        """Four or more of this rank from the hand (`play.four_on_anything`)."""
        self.several = above << 26
        """More cards than one."""
        self.in_sequence = above << 27
        self.fits = tuple(self._fits(code) for code in range(CODES))
        """What may go on a pile by the code of what it asks."""
        each = zip(self.rank_masks, self.as_rank, self.as_four, strict=True)
        self.leads = tuple(mask | named | four | self.several for mask, named, four in each)
        """What may be led if it must be of this rank (R45)."""

    def _fits(self, code: int) -> int:
        if code == DUTY:
            return self.red_jacks
        fitting = self.several | self.in_sequence | (sum(self.as_four) if self.play.four_on_anything else 0)
        for rank, (mask, named) in enumerate(zip(self.rank_masks, self.as_rank, strict=True)):
            fitting |= mask if self.goes_on(code, rank, rank) else 0
            fitting |= named if self.goes_on(code, rank, JOKER) else 0
        return fitting | (self.joker_mask if not self.wild and self.goes_on(code, JOKER, JOKER) else 0)

    @cached_property
    def brief(self) -> RuleBook:
        """The same rules, but unless suits matter, only one of several plays that differ in nothing else is listed."""
        if self.rules.suits_matter:
            return self
        return _Brief(self.rules, self.copies, old_reading=self.old_reading)

    def forget(self) -> None:
        """Drop the plays made so far; they are made again when asked for."""
        # What follows from the rules alone is kept: the plays, all sets of a group of cards, all sequences from a card
        # on, and the answers of `by_book`. With one pack these are some hundreds, with several packs there is no end to
        # them. When there are `MOST_PLAYS` plays all four are emptied, because each of them holds the same plays.
        for cache in (self.plays, self.sets, self.climbs, self.kept):
            cache.clear()

    # -- what a pile asks

    def code(self, face: Face) -> int:
        """The code of what a face asks when it is on top; `GLASS` when the cards beneath decide."""
        rank = face_rank(face)
        if self.glass[rank]:
            return GLASS
        if rank == JOKER:
            return BY_JOKER
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
        return FREE if bare is None else BY_BARE + rank_of_key(bare)

    def effective(self, pile: tuple[Face, ...]) -> Face | None:
        """The effective card (rules.md section 1); None when there is none."""
        return next((face for face in reversed(pile) if self.code(face) != GLASS), None)

    def _asked(self, code: int) -> tuple[AskedKind, Rank | None]:
        first, rank = PARTS[code]
        fixed: dict[int, tuple[AskedKind, Rank | None]] = {FREE: ("anything", None), DUTY: ("red-jack", None)}
        fixed |= {BY_BARE: ("at-least", rank), BY_LOW: ("at-most", rank)}
        if first in fixed:
            return fixed[first]
        asks, _, named = self.powers[rank].asks.partition(":")
        if asks == "not":
            return "not", parse_rank(named)
        if asks == "rank":
            least = parse_rank(named)
            return ("at-least", least) if least else ("anything", None)
        if rank == JOKER or asks in {"anything", "under"}:
            return "anything", None
        return ("at-least" if asks == "named" else cast("AskedKind", asks)), rank

    # -- what may be put on it

    def beaten(self, code: int) -> Rank | None:
        """The effective card's rank for `not_on` and `higher`; None if there is no card to compare with."""
        first, rank = PARTS[code]
        return rank if first in {BY_RANK, BY_LOW} else None

    def rank_satisfies(self, code: int, rank: Rank) -> bool:
        """Whether a rank by itself is what is asked; a joker without a rank only if no rank is."""
        kind, asked = self.asked[code]
        if asked is None:
            return kind == "anything"
        if kind == "not":
            return rank != asked
        if rank == JOKER:
            return False
        mine, theirs = self.values[rank], self.values[asked]
        holds = {"at-least": mine >= theirs, "at-most": mine <= theirs, "below": mine < theirs, "same": mine == theirs}
        return holds[kind]

    def goes_on(self, code: int, rank: Rank, own: Rank) -> bool:
        """Whether a card of rank `own` that counts as `rank` may go on what `code` stands for (R20, R28).

        The two ranks differ for wild jokers.
        """
        if code == FREE:
            return True
        if self.is_barred(code, own):
            return False
        power, beaten = self.powers[own], self.beaten(code)
        if power.on == "anything" or self.rank_satisfies(code, rank):
            return True
        if power.on == "rank" or JOKER in {rank, beaten} or beaten is None:
            return False
        return self.values[beaten] > self.values[rank]

    def is_barred(self, code: int, own: Rank) -> bool:
        """Whether `not_on` of a card of rank `own` names the effective card, or its `only_on` does not (R48)."""
        beaten, only = self.beaten(code), self._only[own]
        return beaten in self._barred[own] or (bool(only) and beaten is not None and beaten not in only)

    def face_fits(self, code: int, face: Face) -> bool:
        """Whether one face may go on what `code` stands for; a wild joker by its own `on` (R38)."""
        card, rank = card_of(face), face_rank(face)
        needed = self.as_rank[rank] if self.wild and card >= RED_JOKER and rank != JOKER else self.copies_of(card)
        return not needed & ~self.fits[code]


class _Brief(RuleBook):
    """The same rules with fewer plays: of a rank one for each number of cards and jokers, whatever their suits.

    A hand of a hundred cards has more plays than anybody could look at. Equal to the full book on purpose: what is kept
    by book elsewhere (`network`, `reflex`) reads its masks, never its plays.
    """

    def subsets(self, group: int) -> list[int]:
        """One subset for each number of cards and of jokers; red jacks go last, they may be worth keeping (R46)."""
        others = group & ~self.joker_mask
        cards = [*bits(others & ~self.red_jacks), *bits(others & self.red_jacks)]
        jokers = list(bits(group & self.joker_mask))
        counts = product(range(len(cards) + 1), range(len(jokers) + 1))
        return [sum(cards[:few]) | sum(jokers[:more]) for few, more in counts][1:]


# By the text of the rules, because rules hold mappings and cannot be hashed. Compiling costs a millisecond and fills
# the caches of plays anew, so tables with the same rules share a book.
@lru_cache(maxsize=64)
def _book(key: str, copies: int, old_reading: bool) -> RuleBook:  # noqa: FBT001 - called here only
    return RuleBook(Rules.model_validate_json(key), copies, old_reading=old_reading)


def book_of(rules: Rules, *, old_reading: bool = False) -> RuleBook:
    """The compiled book of these rules, shared between tables."""
    jokers = rules.deal.jokers + rules.deal.jokers_for_six
    return _book(rules.model_dump_json(), max(rules.deal.packs, (jokers + 1) // 2), old_reading)
