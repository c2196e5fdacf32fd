"""The rules of one table, compiled: plain tables that the engine looks things up in (rules.md sections 3 and 4).

Owns the layout of card masks, what may be put on what, and the plays, which are made once and then shared. A zone is an int with one bit for each
physical card: bit `card * copies + copy`. Knows neither seats nor turns.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby, product
from typing import TYPE_CHECKING, Final

from game.cards import BLACK_JOKER, JACK, JOKER, KINDS, RED_JOKER, Card, Face, Rank, card_of, face_rank, is_low, make_face, parse_rank, plain
from game.moves import Play
from game.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from game.moves import Word
    from game.rules import Power
    from game.view import AskedKind

# What the pile asks, as a small code: nothing, a rank's power, a joker's, a named rank played low, a bare glass rank (R22), the duty of R46.
FREE: Final = 0
BY_RANK: Final = 1
BY_JOKER: Final = 14
BY_LOW: Final = 15
BY_BARE: Final = 28
DUTY: Final = 41
CODES: Final = 42
GLASS: Final = -1
"""The code of a transparent card: the cards beneath decide."""

FOUR: Final = 4
MOST_GROUPS: Final = 20_000
"""Groups of cards whose plays a book remembers; one pack has 208, several packs have too many to keep."""
SHORTEST_SEQUENCE: Final = 2
_NO_RANK_ASKS: Final = frozenset({"at-least", "at-most", "below", "same", "named"})


class Laid(Play):
    """A play bound to physical cards, with all it does looked up: what `Book` hands out and the engine runs on.

    `faces` go on the pile, `gone` leave the game (R46); `rank` counts for four of a kind, `JOKER` where none does; `top` is the code of what is
    asked afterwards; `reverses` and `skips` count cards (R26); `simple` says that nothing but what is asked changes.
    """

    __slots__ = ("again", "answer", "beneath", "burns", "faces", "gives", "gone", "mask", "rank", "reverses", "sequence", "simple", "skips", "top", "two_left")

    mask: int
    faces: tuple[Face, ...]
    gone: int
    rank: Rank
    top: int
    burns: bool
    reverses: int
    skips: int
    beneath: bool
    again: bool
    gives: bool
    answer: bool
    two_left: bool
    sequence: bool
    simple: bool


class _Sets(dict[int, tuple[Laid, ...]]):
    """All plays from a group of cards of one rank: its distinct subsets, a named rank with each word."""

    def __init__(self, book: Book) -> None:
        super().__init__()
        self.book = book

    def __missing__(self, group: int) -> tuple[Laid, ...]:
        if len(self) > MOST_GROUPS:
            self.clear()
            self.book.forget()
        made = self[group] = tuple(
            self.book.laid(mask, tuple(self.book.cards(mask)), word)
            for mask in self.book.subsets(group)
            for word in self.book.words(face_rank(self.book.cards(mask)[0]))
        )
        return made


class Book:
    """Rules compiled for a pack with at most `copies` of each card. Immutable but for its caches; equal arguments share one (`book_of`)."""

    def __init__(self, rules: Rules, copies: int) -> None:
        """Compile; about a millisecond."""
        self.rules = rules
        self.copies = copies
        self.powers: tuple[Power, ...] = tuple(rules.power(rank) for rank in range(JOKER + 1))
        self.wild = self.powers[JOKER].wild
        self._flags(rules)
        width = 4 * copies
        self.rank_masks = tuple(((1 << width) - 1) << rank * width for rank in range(13))
        self.joker_mask = ((1 << 2 * copies) - 1) << RED_JOKER * copies
        self.red_jacks = sum(((1 << copies) - 1) << (JACK * 4 + suit) * copies for suit in (1, 2))
        masks = (*self.rank_masks, self.joker_mask)
        self.group_of = (0, *(masks[bit // width] for bit in range(KINDS * copies)))
        """The rank's mask by the `bit_length` of a mask whose highest card is of that rank."""
        if rules.play.ace == "high":
            self.values = tuple(range(13))
        else:
            self.values = (*range(1, 13), 0)
        self.asked = tuple(self._asked(code) for code in range(CODES))
        self.fits = tuple(self._fits_mask(code) for code in range(CODES))
        self.sets = _Sets(self)
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
        self.names = tuple(power.asks == "named" for power in self.powers)
        self.usual = not (
            self.wild or any(self.names) or play.sequences or play.four_on_anything or play.combo or play.must_play or rules.deal.stacking or play.chance != "never" or self.stuck_previous
        )
        """Whether plain sets and the pick-up are all that a seat may ever choose from."""

    def forget(self) -> None:
        """Drop the plays made so far; they are made again when asked for."""
        self._made.clear()

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
        return tuple(make_face(card_of(face), rank=rank) if rank is not None and self.is_unnamed(face) else face for face in cards)

    def words(self, rank: Rank) -> tuple[Word, ...]:
        """The words a card of this rank can be played with (R44)."""
        return ("high", "low") if self.names[rank] else ("",)

    # -- what is asked

    def code(self, face: Face) -> int:
        """The code of what a face asks when it is on top; `GLASS` when the cards beneath decide."""
        rank = face_rank(face)
        if rank == JOKER:
            return GLASS if self.powers[JOKER].asks == "under" else BY_JOKER
        if self.powers[rank].asks == "under":
            return GLASS
        return BY_LOW + rank if is_low(face) and self.names[rank] else BY_RANK + rank

    def top_of(self, pile: tuple[Face, ...]) -> int:
        """The code of what a whole pile asks (R22)."""
        for face in reversed(pile):
            code = self.code(face)
            if code != GLASS:
                return code
        if pile:
            bare = self.powers[face_rank(pile[0])].bare
            if bare is not None:
                return BY_BARE + parse_rank(bare)
        return FREE

    def effective(self, pile: tuple[Face, ...]) -> Rank | None:
        """The rank of the effective card (rules.md section 1), `JOKER` included; None when there is none."""
        return next((face_rank(face) for face in reversed(pile) if self.code(face) != GLASS), None)

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
            return asks, rank  # type: ignore[return-value]
        return "at-least", rank

    def beaten(self, code: int) -> Rank | None:
        """The effective card's rank for `not_on` and `higher`; None where no card is looked at."""
        if code in {FREE, DUTY} or code >= BY_BARE:
            return None
        return code - BY_LOW if code >= BY_LOW else code - BY_RANK

    def rank_satisfies(self, code: int, rank: Rank) -> bool:
        """Whether a rank by itself is what is asked; a joker without a rank only where no rank is."""
        kind, asked = self.asked[code]
        if kind == "anything":
            return True
        if asked is None:
            return False
        if kind == "not":
            return rank != asked
        if rank == JOKER:
            return False
        mine, theirs = self.values[rank], self.values[asked]
        return {"at-least": mine >= theirs, "at-most": mine <= theirs, "below": mine < theirs, "same": mine == theirs}[kind]

    def goes_on(self, code: int, rank: Rank, power: Power) -> bool:
        """Whether a card that counts as `rank` and is put by `power.on` may go on what `code` stands for (R20, R28)."""
        if code == FREE:
            return True
        beaten = self.beaten(code)
        if self.is_barred(code, power):
            return False
        if power.on == "anything" or self.rank_satisfies(code, rank):
            return True
        return power.on == "higher" and rank != JOKER and beaten is not None and beaten != JOKER and self.values[beaten] > self.values[rank]

    def is_barred(self, code: int, power: Power) -> bool:
        """Whether `not_on` names the effective card."""
        beaten = self.beaten(code)
        return beaten is not None and any(parse_rank(key) == beaten for key in power.not_on)

    def face_fits(self, code: int, face: Face) -> bool:
        """Whether one face may go on what `code` stands for; a wild joker by its own `on` (R38)."""
        card = card_of(face)
        if code == DUTY:
            return card // 4 == JACK and card % 4 in {1, 2}
        return self.goes_on(code, face_rank(face), self.powers[card >> 2])

    def _fits_mask(self, code: int) -> int:
        if code == DUTY:
            return self.red_jacks
        fitting = sum(mask for rank, mask in enumerate(self.rank_masks) if self.goes_on(code, rank, self.powers[rank]))
        jokers = self.joker_mask if not self.wild and self.goes_on(code, JOKER, self.powers[JOKER]) else 0
        return fitting | jokers

    # -- plays

    def laid(self, mask: int, cards: tuple[Face, ...], word: Word = "") -> Laid:
        """The shared play of these physical cards; `cards` name jokers' ranks, sorted as they go on the pile."""
        key = (mask, cards, word)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._lay(mask, cards, word)
        return made

    def _lay(self, mask: int, cards: tuple[Face, ...], word: Word) -> Laid:
        laid = Laid(cards, word)
        cards = laid.cards
        ranks = [face_rank(face) for face in cards]
        powers = [self.powers[rank] for rank in ranks]
        own = [self.powers[JOKER] if card_of(face) >= RED_JOKER and self.wild else None for face in cards]
        does = [(*power.does, *(extra.does if extra else ())) for power, extra in zip(powers, own, strict=True)]
        laid.sequence = len(set(ranks)) > 1
        last = cards[-1]
        keep = [not (power.leaves or (extra is not None and extra.leaves)) for power, extra in zip(powers, own, strict=True)]
        laid.mask = mask
        laid.faces = tuple(self._face(face, word, is_last=face == last or not laid.sequence) for face, stays in zip(cards, keep, strict=True) if stays)
        laid.gone = mask & ~sum(self._bits_of(mask, cards, keep))
        laid.rank = ranks[-1] if keep[-1] else JOKER
        laid.top = self.code(self._face(last, word, is_last=True))
        laid.burns = "burn" in does[-1] or any("burn" in each for each in does if not laid.sequence)
        laid.reverses = sum(each.count("reverse") for each in does)
        laid.skips = sum(each.count("skip") for each in does)
        ending = does[-1:] if laid.sequence else does
        laid.beneath = any("skip-beneath" in each for each in ending)
        laid.again = any("again" in each for each in ending)
        laid.gives = any("give-pile" in each for each in ending)
        laid.answer = any(power.answer is not None for power in powers) or any(extra is not None and extra.answer is not None for extra in own)
        laid.two_left = any(power.two_left is not None for power in powers) or any(extra is not None and extra.two_left is not None for extra in own)
        laid.simple = not (laid.burns or laid.reverses or laid.skips or laid.beneath or laid.again or laid.gives or laid.gone or laid.top == GLASS)
        return laid

    def _face(self, face: Face, word: Word, *, is_last: bool) -> Face:
        return make_face(card_of(face), rank=face_rank(face) if face > BLACK_JOKER else None, low=True) if word == "low" and is_last else plain(face)

    def _bits_of(self, mask: int, cards: tuple[Face, ...], keep: list[bool]) -> list[int]:
        left, kept = mask, list[int]()
        for face, stays in zip(cards, keep, strict=True):
            bit = self.pick((card_of(face),), left)
            assert bit is not None, "a play names the cards of its mask"
            left &= ~bit
            if stays:
                kept.append(bit)
        return kept

    def run(self, pile: tuple[Face, ...], rank: Rank) -> int:
        """How many cards of `rank` lie on top of the pile without another between (R12, R43)."""
        count = 0
        for face in reversed(pile):
            if face_rank(face) == rank:
                count += 1
            elif not (self.through_glass and self.code(face) == GLASS):
                break
        return count


def _bits(mask: int) -> Iterable[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


@lru_cache(maxsize=64)
def _book(key: str, copies: int) -> Book:
    return Book(Rules.model_validate_json(key), copies)


def book_of(rules: Rules, *, least_copies: int = 1) -> Book:
    """The compiled book of these rules, shared between tables; `least_copies` makes room for odd positions."""
    jokers = rules.deal.jokers + rules.deal.jokers_for_six
    return _book(rules.model_dump_json(), max(rules.deal.packs, (jokers + 1) // 2, least_copies, 1))
