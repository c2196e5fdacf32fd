"""Moves that turn over a card nobody has seen: a face-down card (R14), or the top card of the stock (R35)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from game.cards import ACE, DIFFERENT_CARDS, RED_JOKER, NotAMoveError, Word, face_rank, make_face
from game.events import Chanced, Event, Flipped, PickedUp
from game.moves.aftermath import lead_after_pick_up, put, take_pile, tell_end, tell_put
from game.moves.bound_plays import BoundPlay, bound_play
from game.moves.move import Move, Refusal, take_word
from game.moves.play import is_stuck
from game.rules import Rules
from game.state import Seat, State


@dataclass(frozen=True, slots=True)
class Flip(Move):
    """Turn over the n-th remaining face-down card, from 1 (R14); `word` counts only if it is a named card (R44)."""

    number: int
    word: Word = ""

    name = "flip"
    on_turn = True

    def is_well_formed(self, _rules: Rules, _seats: int, /) -> bool:
        return self.number >= 1

    def words(self) -> str:
        return f"{self.number} {self.word}".strip()

    @classmethod
    def read(cls, words: list[str]) -> Self:
        word = take_word(words)
        if len(words) != 1 or not words[0].isascii() or not words[0].isdigit():
            raise NotAMoveError("flip")
        # No seat has a card with a number of four digits, and int() refuses thousands of digits.
        return cls(int(words[0].lstrip("0")[:4] or "0"), word)


@dataclass(frozen=True, slots=True)
class Chance(Move):
    """Turn the top card of the stock onto the pile (R35)."""

    word: Word = ""

    name = "chance"
    on_turn = True

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.play.chance != "never"

    def words(self) -> str:
        return self.word

    @classmethod
    def read(cls, words: list[str]) -> Self:
        word = take_word(words)
        if words:
            raise NotAMoveError("chance")
        return cls(word)


FLIPS: Final = tuple(map(Flip, range(1, 4 * DIFFERENT_CARDS + 1)))
CHANCE: Final = (Chance(),)


def turned(state: State, bit: int, word: Word) -> BoundPlay | None:
    """The card turned over as a play, or None if it may not go on the pile.

    A wild joker counts as an ace (R38); a named card is high unless *low* was said (R44).
    """
    book = state.book
    card = book.card(bit)
    face = make_face(card, rank=ACE) if book.wild and card >= RED_JOKER else card
    if not book.face_fits(state.top, face):
        return None
    return bound_play(book, bit, (face,), (word or "high") if book.names[face_rank(face)] else "")


# -- a face-down card


def check_flip(state: State, who: int, move: Flip) -> Refusal | None:
    seat = state.seats[who]
    if seat.hand or seat.up:
        return Refusal.WRONG_ZONE
    return Refusal.NOT_HELD if move.number > len(seat.down) else None


def flips(state: State, who: int) -> tuple[Flip, ...]:
    """A flip without a word for each face-down card, if the seat has no other cards."""
    seat = state.seats[who]
    return () if seat.hand or seat.up else FLIPS[: len(seat.down)]


def flip(state: State, who: int, move: Flip) -> State:
    """Put the card on the pile or, if it does not fit, take it into the hand with the pile (R14)."""
    seat = state.seats[who]
    index = move.number - 1
    bit = seat.down[index]
    down = seat.down[:index] + seat.down[index + 1 :]
    places = seat.places[:index] + seat.places[index + 1 :]
    seats = state.seats_with(who, Seat(0, 0, (), down, places))
    if play := turned(state, bit, move.word):
        return put(state, who, play, seats, state.stock)
    after = take_pile(state, who, lead_after_pick_up(state, who), seats=seats, extra=bit)
    return after.but(frame=after.frame.but(opening=False)) if after.frame.opening else after


def tell_flip(before: State, who: int, move: Flip, after: State) -> list[Event]:
    bit = before.seats[who].down[move.number - 1]
    if play := turned(before, bit, move.word):
        return tell_put(before, who, play, after, Flipped(who, play.shown[0]))
    return [Flipped(who, before.book.card(bit)), PickedUp(who, len(before.pile) + 1), *tell_end(before, after)]


# -- the top of the stock


def check_chance(state: State, _who: int, _move: Chance) -> Refusal | None:
    if not state.stock:
        return Refusal.EMPTY_STOCK
    if state.frame.duty:
        return Refusal.NOT_ON
    return Refusal.MUST_PLAY if state.book.play.chance == "stuck" and not is_stuck(state) else None


def chances(state: State, _who: int) -> tuple[Chance, ...]:
    return () if state.book.play.chance == "never" else CHANCE


def chance(state: State, who: int, move: Chance) -> State:
    """Put the card on the pile or, if it does not fit, take it with the pile; never the opening lead (R45)."""
    bit, stock = state.stock[0], state.stock[1:]
    play = turned(state, bit, move.word)
    if play is None:
        return take_pile(state, who, lead_after_pick_up(state, who), extra=bit, stock=stock)
    after = put(state, who, play, state.seats, stock)
    return after.but(frame=after.frame.but(opening=True)) if state.frame.opening else after


def tell_chance(before: State, who: int, move: Chance, after: State) -> list[Event]:
    """The card, then the events of a play or a pick-up; turning over the card is not a draw."""
    play = turned(before, before.stock[0], move.word)
    if play is None:
        return [Chanced(who, before.book.card(before.stock[0])), PickedUp(who, len(before.pile) + 1)]
    return tell_put(before, who, play, after, Chanced(who, play.shown[0]))
