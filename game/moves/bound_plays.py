"""Plays: cards that are put on the pile together, with all their effects looked up once (docs/rules.md section 3).

There are few different plays, so each is built once for a rule book and shared; the engine only selects them. This
module looks up what a play does; `game.moves.play` decides what cards form one, and which plays are legal now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, Literal, Self, TypeAlias

from game.cards import (
    JOKER,
    LOW,
    RED_JOKER,
    Card,
    Face,
    NotAMoveError,
    Rank,
    Word,
    card_of,
    face_rank,
    format_face,
    is_joker,
    is_low,
    lowest,
    make_face,
    named_rank,
    parse_face,
    plain,
    rank_of,
    suit_of,
)
from game.compiled import FOUR, GLASS, SECOND_READING, THIRD_READING, RuleBook
from game.moves.move import Move, take_word
from game.rules import Power, Rules, rank_of_key

BurnCause: TypeAlias = Literal["power", "four"]
"""Why a pile burns: by a power of the cards (R25), or as four of a kind (R12, R39)."""
MOST_PLAYS: Final = 5_000
"""The plays that a book caches, about a kilobyte each. One pack has some hundreds, four packs some thousands."""
SHORTEST: Final = 2
"""The number of cards in the shortest sequence."""


class Play(Move):
    """Put cards on the pile: a set or a sequence (R6, R34), from one zone except in a combo (R41).

    `cards` are faces, so that a wild joker carries the rank it was named (R38). They are sorted, which is also their
    order on the pile. `word` is said with a named card (R44).
    """

    __slots__ = ("cards", "word")
    name = "play"
    on_turn = True

    def __init__(self, cards: tuple[Face, ...], word: Word = "") -> None:
        """Sort the cards in their order on the pile (docs/rules.md section 6)."""
        self.cards = tuple(sorted(cards, key=card_of))
        self.word: Word = word

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Play) and self.cards == other.cards and self.word == other.word

    def __hash__(self) -> int:
        return hash((self.cards, self.word))

    def __repr__(self) -> str:
        """Show only the number of cards: a move may end up in a log, where no card belongs."""
        return f"Play({len(self.cards)} cards)"

    def is_well_formed(self, rules: Rules, _seats: int, /) -> bool:
        """Whether there are cards, a lone wild joker is named (R38), and a word is said only where it must be (R44)."""
        if rules.power(JOKER).wild:
            ranks = set(map(face_rank, self.cards)) - {JOKER}
        else:
            ranks = {card_of(face) >> 2 for face in self.cards}
        if not ranks:  # no cards, or only wild jokers without a rank
            return False
        if any(named_rank(face) is not None and not is_joker(card_of(face)) for face in self.cards):
            return False
        row = as_row(self.cards) if rules.play.sequences else None
        if len(ranks) > 1 and row is None:
            # Mixed ranks are refused later, by `_form_play`; here only a word without any named card is malformed.
            return not self.word or any(rules.power(rank).asks == "named" for rank in ranks)
        last_rank = face_rank(row[-1]) if row else ranks.pop()
        return bool(self.word) == (rules.power(last_rank).asks == "named")

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.power(JOKER).wild or all(named_rank(face) is None for face in self.cards)

    def words(self) -> str:
        return " ".join((*map(format_face, self.cards), self.word)).strip()

    @classmethod
    def read(cls, words: list[str]) -> Self:
        word = take_word(words)
        faces = tuple(map(parse_face, words))
        if any(map(is_low, faces)):
            raise NotAMoveError("play")
        return cls(faces, word)


class BoundPlay(Play):
    """A play bound to physical cards, with all its effects looked up: what the engine lists and works with.

    - `mask`: the cards; `needs`: the bits that must be allowed for them to go (`RuleBook.fits`).
    - `shown`: all faces; `faces`: those that go on the pile; `gone`: the mask of those that leave the game (R46).
    - `rank`: what counts for four of a kind, `JOKER` if nothing does; `top`: the code of what is asked next.
    - `reverses`, `skips`: how many of the cards do that (R26).
    - `burns`: why the play burns, None if it does not; `burns_on`: the ranks that it burns on, empty for all (R49).
    - `simple`: whether the play has no effect of its own. Unless it completes four of a kind (R12), it then only
      decides what is asked, or leaves it as it was (R22), and passes the turn.
    """

    __slots__ = (
        *("again", "answer", "bare_gives", "burns", "burns_on", "faces", "gives", "gone", "mask", "needs", "rank"),
        *("reverses", "sequence", "shown", "simple", "skips", "skips_beneath", "top", "two_left"),
    )

    def __init__(self, book: RuleBook, mask: int, cards: tuple[Face, ...], word: Word = "") -> None:
        """Look up all effects. Wild jokers among `cards` must be named."""
        super().__init__(cards, word)
        self.mask = mask
        self.sequence = len(set(map(face_rank, self.cards))) > 1
        self.needs = self._needs(book)
        *others, last = self.cards
        word_of_others: Word = "" if self.sequence else word  # of a sequence only the last card is named (R44)
        self.shown = (*(_with_word(face, word_of_others) for face in others), _with_word(last, word))
        self.top = book.code(self.shown[-1])
        powers = [powers_of(book, face) for face in self.cards]
        self._look_up_leaving(book, powers)
        self._look_up(powers)
        consequences = (self.burns, self.reverses, self.skips, self.skips_beneath, self.again, self.gives, self.gone)
        self.simple = not (any(consequences) or self.bare_gives)

    def _needs(self, book: RuleBook) -> int:
        if self.sequence:  # only the first card goes on the pile as it is; `climb` checks the others
            return lowest(self.mask) | book.in_sequence
        jokers = self.mask & book.joker_mask if book.wild else 0
        as_named = book.as_rank[face_rank(self.cards[0])] if jokers else 0
        several = book.several if len(self.cards) > 1 else 0
        return (self.mask & ~jokers) | as_named | several

    def _look_up_leaving(self, book: RuleBook, powers: list[tuple[Power, ...]]) -> None:
        """Tell the cards that leave the game (R46) from those that stay on the pile and count for four of a kind."""
        leaving = [any(power.leaves for power in powers_of_card) for powers_of_card in powers]
        self.faces = tuple(face for face, leaves in zip(self.shown, leaving, strict=True) if not leaves)
        cards_gone = {card_of(face) for face, leaves in zip(self.cards, leaving, strict=True) if leaves}
        self.gone = self.mask & sum(map(book.copies_of, cards_gone))
        # The cards of a set have one rank, which counts as long as one of them stays; earlier it was the last card's.
        by_last = self.sequence or book.reading <= THIRD_READING
        has_left = leaving[-1] if by_last else all(leaving)
        self.rank = JOKER if has_left else face_rank(self.cards[-1])

    def _look_up(self, powers: list[tuple[Power, ...]]) -> None:
        """Combine the powers of the cards: in a set those of all, in a sequence mostly those of the last (R26, R34)."""
        deeds_by_card = [{deed for power in powers_of_card for deed in power.does} for powers_of_card in powers]
        self.reverses = sum("reverse" in deeds for deeds in deeds_by_card)
        self.skips = sum("skip" in deeds for deeds in deeds_by_card)
        every = list(chain(*powers))
        self.answer = any(power.answer is not None for power in every)
        self.two_left = any(power.two_left is not None for power in every)
        deciding = powers[-1] if self.sequence else every
        deeds = {deed for power in deciding for deed in power.does}
        self.skips_beneath = "skip-beneath" in deeds
        self.again = "again" in deeds
        self.gives = "give-pile" in deeds
        self.burns: BurnCause | None = "power" if "burn" in deeds else None
        self.burns_on = _burned_ranks(deciding)
        self.bare_gives = not self.sequence and any(power.bare_gives for power in deciding)


def _burned_ranks(powers: Iterable[Power]) -> frozenset[Rank]:
    """The ranks on which cards with these powers burn; empty if on all, or if none burns (R49)."""
    lists = [power.burns_on for power in powers if "burn" in power.does]
    if not all(lists):  # one that burns on everything is enough
        return frozenset()
    return frozenset(rank_of_key(key) for keys in lists for key in keys)


def _with_word(face: Face, word: Word) -> Face:
    return face | LOW if word == "low" else plain(face)


def powers_of(book: RuleBook, face: Face) -> tuple[Power, ...]:
    """The powers of a card: that of its rank and, for a wild joker, also its own (R38)."""
    power = book.powers[face_rank(face)]
    return (power, book.powers[JOKER]) if book.wild and card_of(face) >= RED_JOKER else (power,)


def completing(book: RuleBook, mask: int, cards: tuple[Face, ...], *, reverses: bool) -> BoundPlay:
    """A play that completes four of a kind out of turn: it burns, and its other powers do nothing (R39, R40).

    With `reverses`, cards that reverse still do. The other powers need not be removed: a pile that burns asks nothing,
    skips nobody and is given to nobody.
    """
    play = BoundPlay(book, mask, cards)
    play.faces, play.gone = cards, 0  # nothing leaves the game before the pile burns
    if not reverses:
        play.reverses = 0
    play.burns, play.burns_on = "four", frozenset()
    play.simple = False
    return play


def as_row(cards: tuple[Face, ...]) -> tuple[Face, ...] | None:
    """The cards in rising order if they are two or more consecutive ranks of one suit (R34), else None."""
    if len(cards) < SHORTEST or any(is_joker(card_of(face)) for face in cards) or len(set(map(suit_of, cards))) != 1:
        return None
    rising = sorted(cards, key=face_rank)
    ranks = [face_rank(face) for face in rising]
    return tuple(rising) if ranks == list(range(ranks[0], ranks[0] + len(ranks))) else None


# -- wild jokers and named cards


def play_of(rules: Rules, cards: Sequence[Card]) -> Play:
    """The play of these cards; if the last of them must be named, it is played high (R44)."""
    return Play(tuple(cards), "high" if rules.power(rank_of(cards[-1])).asks == "named" else "")


def as_listed(book: RuleBook, move: Move) -> Move:
    """The move as it is in lists of moves: a play with its wild jokers named."""
    return named(book, move) if isinstance(move, Play) else move


def named(book: RuleBook, play: Play) -> Play:
    """The play with its unnamed wild jokers named the rank of the first other card (R38)."""
    if not book.wild:
        return play
    rank = next((face_rank(face) for face in play.cards if face_rank(face) != JOKER), None)
    return Play(tuple(as_rank(book, face, rank) for face in play.cards), play.word)


def as_rank(book: RuleBook, face: Face, rank: Rank | None) -> Face:
    """The face of a card played among cards of `rank`: a wild joker that was not named a rank is named this one."""
    return make_face(face, rank=rank) if book.wild and face_rank(face) == JOKER else face


def words_of(book: RuleBook, rank: Rank) -> tuple[Word, ...]:
    """The words that can be said with a card of this rank (R44)."""
    return ("high", "low") if book.names[rank] else ("",)


# -- the cache of plays


def bound_play(book: RuleBook, mask: int, cards: Sequence[Face], word: Word = "") -> BoundPlay:
    """The shared play of these physical cards; wild jokers among `cards` are named, and `cards` are sorted."""
    key = (mask, tuple(cards), word)
    made: BoundPlay | None = book.plays.get(key)
    if made is None:
        if len(book.plays) >= MOST_PLAYS:
            book.clear_caches()
        made = book.plays[key] = BoundPlay(book, mask, key[1], word)
    return made


# -- effects that depend on the pile


def run_on_top(book: RuleBook, pile: tuple[Face, ...], rank: Rank) -> int:
    """The length of the run of `rank` on top of the pile (R12); glass may be in between if the rules say so (R43)."""
    count = 0
    for face in reversed(pile):
        if face_rank(face) == rank:
            count += 1
        elif not (book.play.runs_through_glass and book.code(face) == GLASS):
            break
    return count


def burn_cause(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay, after: tuple[Face, ...]) -> BurnCause | None:
    """Why a play burns the pile, or None if it does not; `pile` is without the play, `after` with it.

    Nothing else decides this; the next state and the events both use it. A power comes before four of a kind.
    """
    if move.burns and _burns_on(book, pile, move):
        return move.burns
    rank = move.rank
    if len(after) < FOUR or rank == JOKER or not book.four:
        return None
    if book.odd_runs:
        return "four" if run_on_top(book, after, rank) >= FOUR else None
    # The fourth card from the top is the likeliest to differ, so it is compared first.
    is_four = card_of(after[-4]) >> 2 == rank == card_of(after[-3]) >> 2 == card_of(after[-2]) >> 2
    return "four" if is_four else None


def _burns_on(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> bool:
    """Whether cards that can burn do so on this pile (R49)."""
    if not move.burns_on:
        return True
    beneath = effective_beneath(book, pile, move)
    return beneath is not None and face_rank(beneath) in move.burns_on


def would_burn(book: RuleBook, pile: tuple[Face, ...], play: BoundPlay) -> bool:
    """Whether a play would burn the pile, by a power or by completing four of a kind (R12, R25)."""
    return burn_cause(book, pile, play, pile + play.faces) is not None


def gives(pile: tuple[Face, ...], move: BoundPlay) -> bool:
    """Whether the play gives the pile to the next seat: always, or because it was put on an empty pile (R50)."""
    return move.gives or (move.bare_gives and not pile)


def turn_is_fixed(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> bool:
    """Whether skipping and another turn have no effect, as the play gives, even if there is nothing to give (R46)."""
    return gives(pile, move) and book.reading > SECOND_READING  # earlier they had one if there was nothing to give


def effective_beneath(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> Face | None:
    """The effective card beneath the last card of the play, which in a sequence may be part of the play."""
    return book.effective(pile + move.shown[:-1] if move.sequence else pile)


def seats_skipped(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> int:
    """How many seats a play skips if the pile stays (R24), for the next state, the events and the computer players."""
    if turn_is_fixed(book, pile, move):
        return 0
    if not move.skips_beneath:
        return move.skips
    # One seat, and one more if the effective card beneath skips.
    beneath = effective_beneath(book, pile, move)
    beneath_skips = beneath is not None and any("skip" in power.does for power in powers_of(book, beneath))
    return move.skips + (2 if beneath_skips else 1)
