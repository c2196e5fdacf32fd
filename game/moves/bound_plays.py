"""Plays: cards that are put on the pile together, and everything they do, looked up once (rules.md section 3).

A table has few different plays, so they are made once for a rule book and shared: in play a move is picked, not built.
Knows what can be formed from cards; what may be played now is decided in `game.moves.play`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

from game.cards import (
    BLACK_JOKER,
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
    make_face,
    named_rank,
    parse_face,
    plain,
    rank_of,
    suit_of,
)
from game.compiled import FOUR, GLASS, RuleBook
from game.moves.move import Move, take_word
from game.rules import Power, Rules, rank_of_key

MOST_PLAYS: Final = 20_000
"""Plays that a book remembers, about a kilobyte each: one pack has some hundreds, several packs too many to keep."""
SHORTEST: Final = 2
"""Cards in the shortest sequence."""


class Play(Move):
    """Cards of one zone onto the pile: one rank, or a sequence (R6, R34).

    `cards` are faces, so that a wild joker carries the rank it was named (R38); they are kept sorted, which is the
    order they take on the pile. `word` is said with a named card.
    """

    __slots__ = ("cards", "word")
    name = "play"
    on_turn = True

    def __init__(self, cards: tuple[Face, ...], word: Word = "") -> None:
        """Sort the cards as rules.md section 6 orders them on the pile."""
        self.cards = tuple(sorted(cards, key=card_of))
        self.word: Word = word

    def __eq__(self, other: object) -> bool:
        """Two plays are equal when they name the same cards and the same word."""
        return isinstance(other, Play) and self.cards == other.cards and self.word == other.word

    def __hash__(self) -> int:
        """Hash of what is compared."""
        return hash((self.cards, self.word))

    def __repr__(self) -> str:
        """Says how many cards only: a move may end in a log (cards never leak)."""
        return f"Play({len(self.cards)} cards)"

    def is_well_formed(self, rules: Rules, _seats: int, /) -> bool:
        """One rank or a sequence, a rank for every lone wild joker (R38), a word where it belongs and nowhere else."""
        wild = rules.power(JOKER).wild
        names = {rank_of_key(key) for key, power in rules.powers.items() if power.asks == "named"}
        ranks = {face_rank(face) if wild else card_of(face) >> 2 for face in self.cards} - ({JOKER} if wild else set())
        if not ranks or (self.word and not names):
            return False
        if any(named_rank(face) is not None and not is_joker(card_of(face)) for face in self.cards):
            return False
        row = as_row(self.cards) if rules.play.sequences else None
        if len(ranks) > 1 and row is None:  # mixed ranks: well formed, and refused later by `_formed`
            return not self.word or bool(ranks & names)
        return bool(self.word) == ((face_rank(row[-1]) if row else ranks.pop()) in names)

    def is_switched_on(self, rules: Rules, /) -> bool:
        """A joker is named only if it is wild."""
        return rules.power(JOKER).wild or all(named_rank(face) is None for face in self.cards)

    def words(self) -> str:
        """`7c 7d`, `Xr=K`, `7h low`."""
        return " ".join((*map(format_face, self.cards), self.word)).strip()

    @classmethod
    def read(cls, words: list[str]) -> Self:
        """Faces, and at the end perhaps a word."""
        word = take_word(words)
        faces = tuple(map(parse_face, words))
        if any(map(is_low, faces)):
            raise NotAMoveError("play")
        return cls(faces, word)


class BoundPlay(Play):
    """A play bound to physical cards, with all it does looked up: what the engine lists and runs on.

    `mask` are the cards; `needs` is what a moment must allow for them to go (`RuleBook.fits`). `shown` are all faces;
    `faces` go on the pile, `gone` leave the game (R46); `rank` counts for four of a kind, `JOKER` if none does;
    `top` is the code of what is asked afterwards; `reverses` and `skips` count cards (R26). `burns_on` are the ranks
    that it burns on, none if any will do (R49). `simple` says that nothing but what is asked changes.
    """

    __slots__ = (
        *("again", "answer", "bare_gives", "beneath", "burns", "burns_on", "faces", "gives", "gone", "mask", "needs"),
        *("rank", "reverses", "sequence", "shown", "simple", "skips", "top", "two_left"),
    )

    def __init__(self, book: RuleBook, mask: int, cards: tuple[Face, ...], word: Word = "") -> None:
        """Look everything up; `cards` name jokers' ranks."""
        super().__init__(cards, word)
        self.mask, cards = mask, self.cards
        self.sequence = len(set(map(face_rank, cards))) > 1
        self.needs = self._needs(book)
        powers = [powers_of(book, face) for face in cards]
        stays = [not any(power.leaves for power in each) for each in powers]
        *others, last = cards
        self.shown = (*(_said(face, "" if self.sequence else word) for face in others), _said(last, word))
        self.faces = tuple(face for face, stay in zip(self.shown, stays, strict=True) if stay)
        leaving = {card_of(face) for face, stay in zip(cards, stays, strict=True) if not stay}
        self.gone = mask & sum(map(book.copies_of, leaving))
        self.rank = face_rank(last) if stays[-1] else JOKER
        self.top = book.code(self.shown[-1])
        self._look_up(powers)

    def _needs(self, book: RuleBook) -> int:
        if self.sequence:  # the first card must fit; the others go on one another
            return self.mask & -self.mask | book.in_sequence
        jokers = self.mask & book.joker_mask if book.wild else 0
        named = book.as_rank[face_rank(self.cards[0])] if jokers else 0
        return self.mask & ~jokers | named | (book.several if len(self.cards) > 1 else 0)

    def _look_up(self, powers: list[tuple[Power, ...]]) -> None:
        """Note what the cards do together: in a set all of them, in a sequence mostly the last (R26, R34)."""
        does = [{deed for power in each for deed in power.does} for each in powers]
        ending = [power for each in (powers[-1:] if self.sequence else powers) for power in each]
        self.reverses = sum("reverse" in each for each in does)
        self.skips = sum("skip" in each for each in does)
        burning = [power.burns_on for power in ending if "burn" in power.does]
        self.burns = bool(burning)
        self.burns_on = (
            frozenset(rank_of_key(key) for keys in burning for key in keys) if all(burning) else frozenset[int]()
        )
        self.beneath = any("skip-beneath" in power.does for power in ending)
        self.again = any("again" in power.does for power in ending)
        self.gives = any("give-pile" in power.does for power in ending)
        self.bare_gives = any(power.bare_gives for power in ending) and not self.sequence
        self.answer = any(power.answer is not None for each in powers for power in each)
        self.two_left = any(power.two_left is not None for each in powers for power in each)
        consequences = (self.burns, self.reverses, self.skips, self.beneath, self.again, self.gives, self.gone)
        self.simple = not (any(consequences) or self.bare_gives) and self.top != GLASS


def _said(face: Face, word: Word) -> Face:
    return face | LOW if word == "low" else plain(face)


def powers_of(book: RuleBook, face: Face) -> tuple[Power, ...]:
    """What works in a card: its rank's power, and a wild joker's own (R38)."""
    power = book.powers[face_rank(face)]
    return (power, book.powers[JOKER]) if book.wild and card_of(face) >= RED_JOKER else (power,)


def completing(book: RuleBook, mask: int, cards: tuple[Face, ...], *, reverses: bool) -> BoundPlay:
    """These cards as they complete four of a kind out of turn: they burn, and their other powers do nothing (R39, R40).

    `reverses` lets the cards that reverse do so. No other power has to be taken from them: a pile that burns asks for
    nothing, skips nobody and is given to nobody.
    """
    play = BoundPlay(book, mask, cards)
    play.faces, play.gone = cards, 0
    play.reverses = play.reverses if reverses else 0
    play.burns, play.burns_on, play.simple = True, frozenset(), False
    return play


def as_row(cards: tuple[Face, ...]) -> tuple[Face, ...] | None:
    """The cards in rising order when they are two or more of consecutive rank in one suit (R34), else None."""
    if len(cards) < SHORTEST or any(is_joker(card_of(face)) for face in cards) or len(set(map(suit_of, cards))) != 1:
        return None
    rising = sorted(cards, key=face_rank)
    ranks = [face_rank(face) for face in rising]
    return tuple(rising) if ranks == list(range(ranks[0], ranks[0] + len(ranks))) else None


# -- wild jokers and named cards


def is_unnamed(book: RuleBook, face: Face) -> bool:
    """Whether a face is a wild joker that nobody named yet (R38)."""
    return book.wild and face in {RED_JOKER, BLACK_JOKER}


def play_of(rules: Rules, cards: Sequence[Card]) -> Play:
    """The play of these cards, high if the last of them must be named (R44)."""
    return Play(tuple(cards), "high" if rules.power(rank_of(cards[-1])).asks == "named" else "")


def as_listed(book: RuleBook, move: Move) -> Move:
    """The move as lists of moves have it: a play with its wild jokers named."""
    return named(book, move) if isinstance(move, Play) else move


def named(book: RuleBook, play: Play) -> Play:
    """The play with unnamed wild jokers named after the first other card of their set (R38)."""
    rank = next((face_rank(face) for face in play.cards if not is_unnamed(book, face)), None)
    return Play(tuple(as_rank(book, face, rank) if is_unnamed(book, face) else face for face in play.cards), play.word)


def as_rank(book: RuleBook, card: Face, rank: Rank | None) -> Face:
    """A card among cards of a rank: a wild joker is named so."""
    return make_face(card, rank=rank) if book.wild and card >= RED_JOKER else card


def words_of(book: RuleBook, rank: Rank) -> tuple[Word, ...]:
    """The words a card of this rank can be played with (R44)."""
    return ("high", "low") if book.names[rank] else ("",)


# -- what can be formed


def bound_play(book: RuleBook, mask: int, cards: Sequence[Face], word: Word = "") -> BoundPlay:
    """The shared play of these physical cards; `cards` name jokers' ranks, sorted as they go on the pile."""
    key = (mask, tuple(cards), word)
    made: BoundPlay | None = book.plays.get(key)
    if made is None:
        if len(book.plays) >= MOST_PLAYS:
            book.forget()
        made = book.plays[key] = BoundPlay(book, mask, key[1], word)
    return made


# -- what they do here


def run_on_top(book: RuleBook, pile: tuple[Face, ...], rank: Rank) -> int:
    """How many cards of `rank` lie on top of the pile without another between (R12, R43)."""
    count = 0
    for face in reversed(pile):
        if face_rank(face) == rank:
            count += 1
        elif not (book.play.runs_through_glass and book.code(face) == GLASS):
            break
    return count


def completes_four(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> bool:
    """Whether the play leaves four or more of its rank on top (R12); `pile` is with the play, four cards or more."""
    rank = move.rank
    if rank == JOKER or not book.four:
        return False
    if book.odd_runs:
        return run_on_top(book, pile, rank) >= FOUR
    # The fourth from the top decides most often, so it is looked at first.
    return card_of(pile[-4]) >> 2 == rank == card_of(pile[-3]) >> 2 == card_of(pile[-2]) >> 2


def would_burn(book: RuleBook, pile: tuple[Face, ...], play: BoundPlay) -> bool:
    """Whether a play burns the pile that it is put on, by a power or as the fourth of a kind (R12, R25)."""
    if burns(book, pile, play):
        return True
    return book.four and len(pile) + len(play.faces) >= FOUR and completes_four(book, pile + play.faces, play)


def burns(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> bool:
    """Whether a power of the cards burns the pile, which may depend on what they are put on (R25, R49)."""
    if not move.burns_on:
        return move.burns
    beneath = effective_beneath(book, pile, move)
    return beneath is not None and face_rank(beneath) in move.burns_on


def gives(pile: tuple[Face, ...], move: BoundPlay) -> bool:
    """Whether the next seat must take the pile: by a power, or because the cards were put on an empty one (R50)."""
    return move.gives or (move.bare_gives and not pile)


def effective_beneath(book: RuleBook, pile: tuple[Face, ...], move: BoundPlay) -> Face | None:
    """The effective card on which the last card was put; it may be in the sequence itself."""
    return book.effective(pile + move.shown[:-1] if move.sequence else pile)
