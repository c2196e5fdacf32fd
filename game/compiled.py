"""The rules of one table, compiled into lookup tables for the engine (docs/rules.md sections 3 and 4).

This module owns the codes for what a pile asks, the tables of what may go on what, and the caches of everything that
depends on the rules alone. It has no notion of seats or turns. `game.moves.bound_plays` makes the plays it caches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, Final, TypeVar, TypeVarTuple, cast

from game.cards import (
    DIFFERENT_CARDS,
    JACK,
    JOKER,
    RED_JOKER,
    SEARCH,
    Face,
    MaskLayout,
    Rank,
    bits,
    card_of,
    face_rank,
    has_all,
    is_low,
    parse_rank,
)
from game.rules import MOST_SEATS, AskedKind, PlayOptions, Rules, rank_of_key

FOUR: Final = 4
# What a pile asks is a small number, its code. The code is an index into `fits`, which holds a mask of what may go on
# such a pile: "which of my cards may I play?" is one AND, and no power has to be looked up during play. A code that
# depends on a rank is the first code of its kind plus the rank; `PARTS` splits it again.
FREE: Final = 0  # nothing is asked
BY_RANK: Final = 1  # a card of this rank is on top
BY_JOKER: Final = BY_RANK + JOKER  # a joker that was not named a rank is on top
BY_LOW: Final = BY_JOKER + 1  # a named card of this rank that was played low is on top (R44)
BY_BARE: Final = BY_LOW + JOKER  # only transparent cards; the bottom one asks for at least this rank (R22)
DUTY: Final = BY_BARE + JOKER  # the seat must play a red jack or pick up (R46)
_CODE_COUNTS: Final = {FREE: 1, BY_RANK: JOKER + 1, BY_LOW: JOKER, BY_BARE: JOKER, DUTY: 1}  # codes of each kind
PARTS: Final = tuple((first, rank) for first, count in _CODE_COUNTS.items() for rank in range(count))
"""Every code as a pair: the first code of its kind, and the offset from it (a rank if the kind has ranks, else 0)."""
CODES: Final = len(PARTS)
GLASS: Final = -1  # not a code: the card is transparent, so the cards beneath decide
# How the rules were read since the first version (docs/decisions/0010).
FIRST_READING: Final = 0
SECOND_READING: Final = 1
THIRD_READING: Final = 2
TODAYS_READING: Final = 3
LISTED: Final = frozenset({
    "refill", "ace", "stuck", "must_play", "burn_again", "four_of_a_kind", "four_on_anything", "runs_through_glass",
    "sequences", "chance", "lead_after_pickup", "face_up_pickup", "flush", "interrupt", "follow_up", "combo",
})  # fmt: skip
"""The options of `play` that `turn_moves` supports. If any other differs from its default, listed moves are checked."""


class RuleBook(MaskLayout):
    """Rules compiled for a pack with at most `copies` of each card.

    Immutable apart from its caches. Threads share books (`book_of`), so never iterate over a cache.
    """

    def __init__(self, rules: Rules, copies: int, *, reading: int = TODAYS_READING) -> None:
        """Compile the rules, which takes about a millisecond."""
        super().__init__(copies)
        self.reading = reading
        """Which reading applies; games that began with an earlier one are finished with it."""
        self.rules, self.play = rules, rules.play
        self.powers = tuple(rules.power(rank) for rank in range(JOKER + 1))
        self.values = tuple(range(13)) if rules.play.ace == "high" else (*range(1, 13), 0)
        """The height of each rank, 0 for the lowest (R6, `play.ace`)."""
        first = SEARCH.index(rank_of_key(rules.start.rank))
        self.search_order = SEARCH[first:] + SEARCH[:first]
        """The ranks in the order in which the starter is searched for (R4, `start.rank`)."""
        self.wild = self.powers[JOKER].wild
        self.names = tuple(power.asks == "named" for power in self.powers)  # by rank: its player says high or low (R44)
        self.glass = tuple(power.asks == "under" for power in self.powers)  # by rank: transparent (R22)
        self.burning = tuple("burn" in power.does for power in self.powers)  # by rank: can burn the pile (R25, R49)
        self.four, self.follow_up = self.play.four_of_a_kind, self.play.follow_up
        self.refills, self.add_one = self.play.refill == "always", self.play.face_up_pickup == "add-one"
        self.odd_runs = self.wild or self.play.runs_through_glass  # runs need not be equal cards on top (R38, R43)
        self._barred = tuple(frozenset(map(rank_of_key, power.not_on)) for power in self.powers)
        self._only = tuple(frozenset(map(rank_of_key, power.only_on)) for power in self.powers)
        self.asked = tuple(self._asked(code) for code in range(CODES))
        self._lay_out_masks()  # needs what is set above: `goes_on` asks all of it
        self._lay_out_answers()  # needs the masks
        self._choose_fast_paths(rules.play)
        # The caches. This module may not know the type of plays, which are built from books.
        self.plays: dict[Any, Any] = {}  # `BoundPlay` by mask, cards and word (`bound_plays.bound_play`)
        self.sets: dict[int, Any] = {}  # tuples of plays by group of cards (`play.sets_of`)
        self.climbs: dict[object, Any] = {}  # sequences by first card and end of the row (`sequences`)
        self.results: dict[object, Any] = {}  # by function and arguments (`by_book`)

    def _lay_out_answers(self) -> None:
        named = sum(self.as_rank) if self.wild else 0
        self.answers = tuple(fits | (self.joker_mask if fits & named else 0) for fits in self.fits)
        """By code: the mask of the cards that may go, a wild joker included if it may be named a rank that does."""

    def _choose_fast_paths(self, play: PlayOptions) -> None:
        fields = type(play).model_fields.items()
        self.checks_each = any(name not in LISTED and getattr(play, name) != field.default for name, field in fields)
        """Whether listed moves must be checked, because an option that is not in `LISTED` is in use."""
        self.ordinary_plays = not (self.wild or play.sequences or play.four_on_anything or play.combo)
        """Whether these rules have no other plays than single cards and plain sets."""
        self.asks_if_stuck = play.must_play or play.stuck != "self"
        self.ordinary_pick_up = not self.checks_each and play.chance == "never"
        """Whether picking up is the only alternative to playing, and no option but `must_play` keeps a hand from it."""
        self.plays_if_it_can = play.must_play and play.chance != "always"
        """Whether a seat with a legal play has no other move."""

    def __eq__(self, other: object) -> bool:
        """Compare the rules, the number of copies and the reading; a brief book equals the full one."""
        mine = self.rules, self.copies, self.reading
        return isinstance(other, RuleBook) and mine == (other.rules, other.copies, other.reading)

    def __hash__(self) -> int:
        """Hash the number of copies only: rules hold mappings, which cannot be hashed."""
        return hash(self.copies)

    def _lay_out_masks(self) -> None:
        """Assign bits to cards and, above them, to other properties of a play.

        A play needs some of these bits, and the position allows some (`fits`, `leads`). The play is legal if every bit
        it needs is allowed.
        """
        # From the lowest bit upwards: `copies` bits for each card, one for each rank that a joker may be named, one for
        # each rank of which four go on anything, then `several` and `in_sequence`. Leaving a bit out of a mask forbids
        # what needs it: a red jack on duty is played alone because `fits[DUTY]` lacks `several`, and a seat that must
        # lead a rank cannot lead a sequence because `leads` lack `in_sequence`.
        width = 4 * self.copies
        self.rank_masks = tuple(((1 << width) - 1) << rank * width for rank in range(13))
        self.joker_mask = ((1 << 2 * self.copies) - 1) << RED_JOKER * self.copies
        self.red_jacks = sum(self.copies_of(JACK * 4 + suit) for suit in (1, 2))
        self.masks = (*self.rank_masks, self.joker_mask)  # by rank, the joker included
        self.group_of = (0, *(self.masks[bit // width] for bit in range(DIFFERENT_CARDS * self.copies)))
        """Masks of whole ranks, indexed by the `bit_length` of a mask: the rank of its highest card."""
        above = 1 << DIFFERENT_CARDS * self.copies
        self.as_rank = tuple(above << rank for rank in range(13))
        """By rank: the bit of a wild joker named that rank (R38)."""
        self.as_four = tuple(above << 13 + rank for rank in range(13))
        """By rank: the bit of four or more cards of it from the hand (`play.four_on_anything`)."""
        self.several = above << 26
        """The bit of a play of more than one card."""
        self.in_sequence = above << 27
        self.fits = tuple(self._fits(code) for code in range(CODES))
        """By code: the mask of what may go on a pile that asks this."""
        each = zip(self.rank_masks, self.as_rank, self.as_four, strict=True)
        self.leads = tuple(mask | named | four | self.several for mask, named, four in each)
        """By rank: the mask of what may be led if the lead must be of that rank (R45)."""

    def _fits(self, code: int) -> int:
        if code == DUTY:
            return self.red_jacks
        fitting = self.several | self.in_sequence
        if self.play.four_on_anything:
            fitting |= sum(self.as_four)
        for rank, rank_mask in enumerate(self.rank_masks):
            if self.goes_on(code, rank, rank):
                fitting |= rank_mask
            if self.goes_on(code, rank, JOKER):
                fitting |= self.as_rank[rank]
        if not self.wild and self.goes_on(code, JOKER, JOKER):
            fitting |= self.joker_mask
        return fitting

    @cached_property
    def brief(self) -> RuleBook:
        """A book of the same rules that lists plays differing only in suits once."""
        return self if isinstance(self, _Brief) else _Brief(self.rules, self.copies, reading=self.reading)

    def clear_caches(self) -> None:
        """Empty the caches; plays are made again when they are needed."""
        # Four caches hold what depends on the rules alone: plays, the sets of a group of cards, the sequences from a
        # card on, and results of `by_book`. With one pack the first three have some hundred entries, with several packs
        # too many to keep. At `MOST_PLAYS` plays all four are emptied together, because they share the same plays.
        for cache in (self.plays, self.sets, self.climbs, self.results):
            cache.clear()

    # -- what a pile asks

    def code(self, face: Face) -> int:
        """The code of what a face on top of the pile asks; `GLASS` if it is transparent."""
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
        """The effective card of a pile (docs/rules.md section 1); None if the pile is empty or all transparent."""
        return next((face for face in reversed(pile) if self.code(face) != GLASS), None)

    def _asked(self, code: int) -> tuple[AskedKind, Rank | None]:
        first, rank = PARTS[code]
        if first == FREE:
            return "anything", None
        if first == DUTY:
            return "red-jack", None
        if first in {BY_BARE, BY_LOW}:
            return ("at-least" if first == BY_BARE else "at-most"), rank
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
        """The effective card's rank, which `not_on` and `higher` compare with; None if there is no such card."""
        first, rank = PARTS[code]
        return rank if first in {BY_RANK, BY_LOW} else None

    def rank_satisfies(self, code: int, rank: Rank) -> bool:
        """Whether a rank by itself is what a code asks; an unnamed joker meets only *anything* and *not*."""
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

    def goes_on(self, code: int, rank: Rank, card_rank: Rank) -> bool:
        """Whether a card of `card_rank` that counts as `rank` may go on a pile with this code (R20, R28).

        The two ranks differ only for wild jokers.
        """
        if code == FREE:
            return True
        if self.is_barred(code, card_rank):
            return False
        power, beaten = self.powers[card_rank], self.beaten(code)
        if power.on == "anything" or self.rank_satisfies(code, rank):
            return True
        if power.on == "rank" or JOKER in {rank, beaten} or beaten is None:
            return False
        return self.values[beaten] > self.values[rank]

    def is_barred(self, code: int, rank: Rank) -> bool:
        """Whether the `not_on` of a rank names the effective card, or its `only_on` leaves it out (R48)."""
        beaten, only = self.beaten(code), self._only[rank]
        return beaten in self._barred[rank] or (bool(only) and beaten is not None and beaten not in only)

    def face_fits(self, code: int, face: Face) -> bool:
        """Whether a single face may go on a pile with this code; for a wild joker, its own `on` counts (R38)."""
        card, rank = card_of(face), face_rank(face)
        needed = self.as_rank[rank] if card >= RED_JOKER and rank != JOKER else self.copies_of(card)
        return has_all(self.fits[code], needed)


class _Brief(RuleBook):
    """The same rules with fewer plays: for each rank, one play for each number of cards and jokers, suits aside.

    A hand of a hundred cards has more plays than anybody could look at. A brief book has the tables of the full one and
    equals it, so players compiled for either (`network`, `rollout_player`) serve both; only its own caches differ.
    """

    def subsets(self, group: int) -> list[int]:
        """One subset for each number of cards and of jokers; red jacks are used last, as a duty may need them (R46)."""
        others = group & ~self.joker_mask
        cards = [*bits(others & ~self.red_jacks), *bits(others & self.red_jacks)]
        jokers = list(bits(group & self.joker_mask))
        counts = product(range(len(cards) + 1), range(len(jokers) + 1))
        subsets = [sum(cards[:card_count]) | sum(jokers[:joker_count]) for card_count, joker_count in counts]
        return subsets[1:]  # the first is empty


# Keyed by the rules as text, because rules hold mappings and cannot be hashed. Compiling takes a millisecond, and a new
# book starts with empty caches, so tables with the same rules share a book.
@lru_cache(maxsize=64)
def _book(key: str, copies: int, reading: int) -> RuleBook:
    return RuleBook(Rules.model_validate_json(key), copies, reading=reading)


def book_of(rules: Rules, *, reading: int = TODAYS_READING) -> RuleBook:
    """The compiled book of these rules, shared between tables."""
    copies = max(rules.packs_with(MOST_SEATS), (rules.jokers_with(MOST_SEATS) + 1) // 2)
    return _book(rules.model_dump_json(), copies, reading)


# -- a cache for functions of a book

MOST_RESULTS: Final = 2_000
"""How many results a book caches before it drops them all. With one pack that takes some hundred games."""
Args = TypeVarTuple("Args")
Result = TypeVar("Result")


def by_book(function: Callable[[RuleBook, *Args], Result]) -> Callable[[RuleBook, *Args], Result]:
    """Cache the results of a function in the book it is called with, so that no result outlives its book."""

    def cached(book: RuleBook, *args: *Args) -> Result:
        key = (function, args)
        result: Result | None = book.results.get(key)
        if result is None:
            if len(book.results) >= MOST_RESULTS:
                book.results.clear()
            result = book.results[key] = function(book, *args)
        return result

    return cached
