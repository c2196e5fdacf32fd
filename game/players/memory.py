"""What everybody at the table has seen so far.

Owns what is known beyond the table as it lies: who holds which cards that all saw it take, what burned, who took a pile
although it asked for something. All of it is public, so there is one memory for all seats; what a seat drew stands in
its own view. Built from public events and views alone, a memory cannot hold a card that nobody saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from game import events as told
from game.cards import card_of

if TYPE_CHECKING:
    from game.cards import Card
    from game.events import Event
    from game.view import Asked, TableView


@dataclass(frozen=True, slots=True, repr=False)
class Passed:
    """A seat took a pile that asked `asked`; `cards` of those hidden in its hand then are still there.

    They probably do not answer what was asked; but a seat may also pick up by choice (R9).
    """

    asked: Asked
    cards: int


@dataclass(frozen=True, slots=True, repr=False)
class Memory:
    """What all have seen up to `table`, the table as it lies.

    `held` are for each seat the cards in its hand that everybody saw it take, `passed` what it last let lie; `burned`
    are the cards that left the game, in the order they went; `last` is the seat that played last; `idle`
    counts the moves since a card left the stock, much as the stand-still does (R18).
    """

    table: TableView
    held: tuple[tuple[Card, ...], ...]
    passed: tuple[Passed | None, ...]
    burned: tuple[Card, ...] = ()
    last: int | None = None
    idle: int = 0

    def faded(self) -> Memory:
        """The memory without who holds what, as of a forgetful player; what burned stays."""
        nothing = first_memory(self.table)
        return Memory(self.table, nothing.held, nothing.passed, self.burned, self.last, self.idle)

    def hidden(self, seat: int) -> int:
        """How many cards in the hand of a seat only that seat knows."""
        return self.table.seats[seat].hand - len(self.held[seat])


def first_memory(table: TableView) -> Memory:
    """The memory of a game that was just dealt, or of one of which nothing older is known."""
    return Memory(table, ((),) * len(table.seats), (None,) * len(table.seats))


def remember(memory: Memory, events: Iterable[Event], table: TableView) -> Memory:
    """The memory after a move, from its public events and the public view of the table after it."""
    change = _Change(memory, table)
    for event in events:
        change.hear(event)
    change.settle()
    idle = memory.idle + 1 if table.stock == memory.table.stock else 0
    held = tuple(map(tuple, change.held))
    return Memory(table, held, tuple(change.passed), tuple(change.burned), change.last, idle)


class _Change:
    """A memory while one move is added to it."""

    def __init__(self, memory: Memory, table: TableView) -> None:
        self.memory, self.table = memory, table
        self.held = [list(cards) for cards in memory.held]
        self.passed = list(memory.passed)
        self.burned = list(memory.burned)
        self.last = memory.last
        self.pile = [card_of(face) for face in memory.table.pile]
        self.turned: Card | None = None
        """A card that was turned over in this move, until it is clear whether it was played."""
        self.by_choice = True
        """Whether a pick-up in this move is what the seat on turn chose, because no card was played or turned."""

    def hear(self, event: Event) -> None:
        match event:
            case told.Played(seat=seat, faces=cards) | told.Interrupted(seat, cards) | told.Followed(seat, cards):
                self._play(seat, [card_of(face) for face in cards])
            case told.Flipped(seat, face) | told.Chanced(seat, face):
                self._turn_over(seat, card_of(face), chance=isinstance(event, told.Chanced))
            case told.Added(_, cards):
                self.pile += cards
            case told.PickedUp(seat):
                self._pick_up(seat)
            case told.Burned():
                self.settle()
                self.burned += self.pile
                self.pile = []
            case told.Swapped(seat, laid, taken):
                self._leave_hand(seat, laid)
                self.held[seat].append(taken)
            case told.Laid(seat, card) if card is not None:
                self._leave_hand(seat, card)
            case _:
                pass

    def settle(self) -> None:
        """A card that was turned over and not picked up again was played."""
        if self.turned is not None:
            self.pile.remove(self.turned)
            self._put([self.turned])
            self.turned = None

    def _put(self, cards: Sequence[Card]) -> None:
        """Cards go on the pile; those that leave the game at once count as burned (R46)."""
        rules = self.table.rules
        for card in cards:
            (self.burned if rules.power(card >> 2).leaves else self.pile).append(card)

    def _play(self, seat: int, cards: Sequence[Card]) -> None:
        self._put(cards)
        self.last, self.by_choice = seat, False
        face_up = self._face_up_gone(seat)
        for card in cards:
            if card in face_up:
                face_up.remove(card)
            else:
                self._leave_hand(seat, card)

    def _face_up_gone(self, seat: int) -> list[Card]:
        """The face-up cards that a seat had before the move and has no longer."""
        before, after = (
            [card for slot in table.seats[seat].up or () for card in slot] for table in (self.memory.table, self.table)
        )
        for card in after:
            before.remove(card)
        return before

    def _leave_hand(self, seat: int, card: Card) -> None:
        passed = self.passed[seat]
        if card in self.held[seat]:
            self.held[seat].remove(card)
        elif passed:
            self.passed[seat] = Passed(passed.asked, passed.cards - 1) if passed.cards > 1 else None

    def _turn_over(self, seat: int, card: Card, *, chance: bool) -> None:
        self.pile.append(card)
        self.turned, self.last, self.by_choice = card, seat, False
        if chance and self.table.rules.play.chance == "stuck":
            self._pass(seat)

    def _pick_up(self, seat: int) -> None:
        on_turn = self.memory.table.turn
        if self.by_choice and on_turn is not None:
            self._pass(on_turn)
        elif self.turned is not None and self.last == seat:  # what it turned over did not fit, which is no play
            self.last, self.turned = self.memory.last, None
        self.settle()
        self.held[seat] += self.pile
        self.pile = []

    def _pass(self, seat: int) -> None:
        """Note that a seat did not answer what was asked, by the cards that nobody else has seen."""
        asked, hidden = self.memory.table.asked, self.memory.hidden(seat)
        if hidden and asked.kind not in {"anything", "red-jack"}:
            self.passed[seat] = Passed(asked, hidden)
