"""The rules of one table, compiled: plain tables that the engine looks things up in (rules.md sections 3 and 4).

Owns the layout of card masks, what may be put on what, and the plays, which are made once and then shared. A zone is an
int with one bit for each physical card: bit `card * copies + copy`. Knows neither seats nor turns.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import groupby, pairwise, product
from typing import TYPE_CHECKING, Any, Final, TypeVar, TypeVarTuple

from game.asking import CODES, DUTY, GLASS, Asking
from game.cards import BLACK_JOKER, JACK, JOKER, KINDS, RED_JOKER, Card, Face, Rank, card_of, face_rank, make_face
from game.plays import Laid, make
from game.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from game.moves import Word

MOST_KEPT: Final = 2_000
"""Other answers that a book remembers."""
Asked = TypeVarTuple("Asked")
Found = TypeVar("Found")
FOUR: Final = 4
MOST_PLAYS: Final = 20_000
"""Plays that a book remembers, about a kilobyte each: one pack has some hundreds, several packs too many to keep."""


class RuleBook(Asking):
    """Rules compiled for a pack with at most `copies` of each card.

    Immutable but for its caches; equal arguments share one (`book_of`).
    """

    def __init__(self, rules: Rules, copies: int) -> None:
        """Compile; about a millisecond."""
        super().__init__(rules)
        self.rules = rules
        self.copies = copies
        self._flags(rules)
        width = 4 * copies
        self.rank_masks = tuple(((1 << width) - 1) << rank * width for rank in range(13))
        self.joker_mask = ((1 << 2 * copies) - 1) << RED_JOKER * copies
        self.red_jacks = sum(((1 << copies) - 1) << (JACK * 4 + suit) * copies for suit in (1, 2))
        masks = (*self.rank_masks, self.joker_mask)
        self.group_of = (0, *(masks[bit // width] for bit in range(KINDS * copies)))
        """The rank's mask by the `bit_length` of a mask whose highest card is of that rank."""
        self.fits = tuple(self._fits_mask(code) for code in range(CODES))
        one = (1 << copies) - 1
        self.suits = tuple(tuple(one << (rank * 4 + suit) * copies for rank in range(13)) for suit in range(4))
        self.rows_by_shift = copies == 1
        """Whether the next card of a suit is always four bits further on."""
        self.no_jokers = (1 << RED_JOKER * copies) - 1
        self.burning = tuple("burn" in power.does for power in self.powers)
        self.sets = Sets(self)
        self.rows: dict[int, tuple[Laid, ...]] = {}
        self.climbs: dict[tuple[int, int], tuple[Laid, ...]] = {}
        self.kept: dict[object, Any] = {}
        """What others worked out from nothing but this book (`by_book`)."""
        self._made: dict[tuple[int, tuple[Face, ...], str], Laid] = {}

    def _flags(self, rules: Rules) -> None:
        play = rules.play
        self.four = play.four_of_a_kind
        self.through_glass = play.runs_through_glass
        self.odd_runs = self.wild or self.through_glass
        self.follow_up = play.follow_up
        self.refills = play.refill == "always"
        self.flush = play.flush
        self.add_one = play.face_up_pickup == "add-one"
        self.stuck_previous = play.stuck == "previous"
        self.sequences = play.sequences
        self.four_on_anything = play.four_on_anything
        self.combo = play.combo
        self.must_play = play.must_play
        self.chance = play.chance
        self.burn_again = play.burn_again
        widening = (
            self.wild,
            self.sequences,
            self.four_on_anything,
            self.combo,
            self.must_play,
            self.stuck_previous,
            rules.deal.stacking,
        )
        self.usual = not any(widening) and play.chance == "never"
        """Whether plain sets and the pick-up are all that a seat may ever choose from."""

    @cached_property
    def brief(self) -> RuleBook:
        """The same rules with one play for all that differ in suits only."""
        return Brief(self.rules, self.copies)

    def forget(self) -> None:
        """Drop the plays made so far; they are made again when asked for."""
        for cache in (self._made, self.sets, self.rows, self.climbs, self.kept):
            cache.clear()

    # -- cards and masks

    def cards(self, mask: int) -> list[Card]:
        """The cards of a mask, lowest first."""
        found: list[Card] = []
        while mask:
            low = mask & -mask
            found.append((low.bit_length() - 1) // self.copies)
            mask ^= low
        return found

    def card(self, bit: int) -> Card:
        """The card of a mask with one bit."""
        return (bit.bit_length() - 1) // self.copies

    def pick(self, cards: Iterable[Card], zone: int) -> int | None:
        """The bits of `zone` that hold these cards, the lowest copies first; None when it lacks one."""
        picked = 0
        for card in cards:
            fitting = zone & ~picked & ((1 << self.copies) - 1) << card * self.copies
            if not fitting:
                return None
            picked |= fitting & -fitting
        return picked

    def spread(self, cards: Iterable[Card]) -> tuple[int, ...]:
        """One bit for each card, a further copy each time a card comes again.

        Raises:
            ValueError: there are more copies of a card than this book has room for.
        """
        seen = [0] * KINDS
        bits: list[int] = []
        for card in cards:
            if seen[card] == self.copies:
                raise ValueError("more copies of a card than the book was compiled for")
            bits.append(1 << card * self.copies + seen[card])
            seen[card] += 1
        return tuple(bits)

    def subsets(self, group: int) -> list[int]:
        """All non-empty subsets of a group that look different, smallest number of cards first."""
        runs = [list(bits) for _, bits in groupby(_bits(group), key=self.card)]
        counts = product(*(range(len(run) + 1) for run in runs))
        made = [sum(sum(run[:count]) for run, count in zip(runs, each, strict=True)) for each in counts]
        return sorted((mask for mask in made if mask), key=lambda mask: (mask.bit_count(), mask))

    def is_unnamed(self, face: Face) -> bool:
        """Whether a face is a wild joker that nobody named yet (R38)."""
        return self.wild and face in {RED_JOKER, BLACK_JOKER}

    def named(self, cards: tuple[Face, ...]) -> tuple[Face, ...]:
        """The cards with unnamed wild jokers named after the first other card of their set (R38)."""
        rank = next((face_rank(face) for face in cards if not self.is_unnamed(face)), None)
        return tuple(
            make_face(card_of(face), rank=rank) if rank is not None and self.is_unnamed(face) else face
            for face in cards
        )

    def ladders(self, zone: int) -> list[tuple[int, ...]]:
        """For each suit with two neighbours in `zone`, a bit for each rank rising, 0 where it is missing (R34)."""
        found: list[tuple[int, ...]] = []
        for suit in self.suits:
            held = [zone & mask for mask in suit]
            if any(low and high for low, high in pairwise(held)):
                found.append(tuple(bit & -bit for bit in held))
        return found

    def row(self, mask: int) -> tuple[Laid, ...]:
        """The plays of a sequence, one for each word its last card may be named with (R44)."""
        made = self.rows.get(mask)
        if made is None:
            cards = tuple(self.cards(mask))
            made = self.rows[mask] = tuple(self.laid(mask, cards, word) for word in self.words(cards[-1] >> 2))
        return made

    def words(self, rank: Rank) -> tuple[Word, ...]:
        """The words a card of this rank can be played with (R44)."""
        return ("high", "low") if self.names[rank] else ("",)

    def _fits_mask(self, code: int) -> int:
        if code == DUTY:
            return self.red_jacks
        fitting = sum(mask for rank, mask in enumerate(self.rank_masks) if self.goes_on(code, rank, rank))
        jokers = self.joker_mask if not self.wild and self.goes_on(code, JOKER, JOKER) else 0
        return fitting | jokers

    # -- plays

    def laid(self, mask: int, cards: tuple[Face, ...], word: Word = "") -> Laid:
        """The shared play of these physical cards; `cards` name jokers' ranks, sorted as they go on the pile."""
        key = (mask, cards, word)
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= MOST_PLAYS:
                self.forget()
            made = self._made[key] = make(self, self.copies, mask, cards, word)
        return made

    def run(self, pile: tuple[Face, ...], rank: Rank) -> int:
        """How many cards of `rank` lie on top of the pile without another between (R12, R43)."""
        count = 0
        for face in reversed(pile):
            if face_rank(face) == rank:
                count += 1
            elif not (self.through_glass and self.code(face) == GLASS):
                break
        return count


class Brief(RuleBook):
    """The same rules with fewer plays: of a rank one for each number of cards and jokers, whatever their suits.

    A hand of a hundred cards from several packs has more plays than anybody could look at.
    """

    def subsets(self, group: int) -> list[int]:
        """One subset for each number of cards and of jokers; red jacks go last, they may be worth keeping (R46)."""
        others = group & ~self.joker_mask
        cards = [*_bits(others & ~self.red_jacks), *_bits(others & self.red_jacks)]
        jokers = list(_bits(group & self.joker_mask))
        counts = product(range(len(cards) + 1), range(len(jokers) + 1))
        return [sum(cards[:few]) | sum(jokers[:more]) for few, more in counts][1:]


class Sets(dict[int, tuple[Laid, ...]]):
    """All plays from a group of cards of one rank: its distinct subsets, a named rank with each word."""

    def __init__(self, book: RuleBook) -> None:
        """Nothing is made before it is asked for."""
        super().__init__()
        self.book = book

    def __missing__(self, group: int) -> tuple[Laid, ...]:
        book = self.book
        words = book.words(book.card(group) >> 2)
        made = [book.laid(mask, tuple(book.cards(mask)), word) for mask in book.subsets(group) for word in words]
        self[group] = tuple(made)
        return self[group]


def by_book(work_out: Callable[[RuleBook, *Asked], Found]) -> Callable[[RuleBook, *Asked], Found]:
    """The same, each answer kept by its book until that forgets: so an answer never outlives the book."""

    def kept(book: RuleBook, *asked: *Asked) -> Found:
        key = (work_out, asked)
        found: Found | None = book.kept.get(key)
        if found is None:
            if len(book.kept) >= MOST_KEPT:
                book.kept.clear()
            found = book.kept[key] = work_out(book, *asked)
        return found

    return kept


def _bits(mask: int) -> Iterable[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


@lru_cache(maxsize=64)
def _book(key: str, copies: int) -> RuleBook:
    return RuleBook(Rules.model_validate_json(key), copies)


def book_of(rules: Rules, *, least_copies: int = 1) -> RuleBook:
    """The compiled book of these rules, shared between tables; `least_copies` makes room for odd positions."""
    jokers = rules.deal.jokers + rules.deal.jokers_for_six
    return _book(rules.model_dump_json(), max(rules.deal.packs, (jokers + 1) // 2, least_copies, 1))
