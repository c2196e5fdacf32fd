"""What everybody at the table has seen so far.

A memory has what the table no longer shows: the cards that everybody saw a seat take into its hand, what burned, and
who took a pile that asked for something. All of it is public, so one memory serves all seats; what a seat drew is in
its own view. A memory is built from public events and views alone, so it cannot hold a card that was not seen by all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from game import events as told
from game.cards import Card, Face, card_of, face_rank
from game.events import Event
from game.view import Asked, TableView, value


@value
class Passed:
    """A seat did not answer a pile that asked `asked`; of the hidden cards in its hand then, it still has `cards`.

    Those cards probably are no answer, but a seat may also pick up by choice (R9).
    """

    asked: Asked
    cards: int


@value
class Memory:
    """What everybody has seen so far; `table` is the latest view.

    For each seat, `held` has the cards in its hand that everybody saw it take, and `passed` what it last failed to
    answer. `burned` are the cards that left the game, in that order. `last` is the seat that played last. `idle` counts
    the moves since a card left the stock, much as the stand-still does (R18).
    """

    table: TableView
    held: tuple[tuple[Card, ...], ...]
    passed: tuple[Passed | None, ...]
    burned: tuple[Card, ...] = ()
    last: int | None = None
    idle: int = 0

    def faded(self) -> Memory:
        """The memory of a forgetful player, who knows what burned but not who holds what."""
        nothing = first_memory(self.table)
        return Memory(self.table, nothing.held, nothing.passed, self.burned, self.last, self.idle)

    def hidden(self, seat: int) -> int:
        """How many cards in its hand only the seat itself has seen."""
        return self.table.seats[seat].hand - len(self.held[seat])


def first_memory(table: TableView) -> Memory:
    """The memory at the beginning of a game, or of a game whose past is not known."""
    return Memory(table, ((),) * len(table.seats), (None,) * len(table.seats))


def remember(memory: Memory, events: Iterable[Event], table: TableView) -> Memory:
    """The memory after a move, given its public events and the public view of the table after it."""
    change = _Change(memory, table)
    for event in events:
        change.hear(event)
    change.settle()
    idle = memory.idle + 1 if table.stock == memory.table.stock else 0
    held = tuple(map(tuple, change.held))
    return Memory(table, held, tuple(change.passed), tuple(change.burned), change.last, idle)


class _Change:
    """A mutable copy of a memory, to which the events of one move are added."""

    def __init__(self, memory: Memory, table: TableView) -> None:
        self.memory, self.table = memory, table
        self.held = [list(cards) for cards in memory.held]
        self.passed = list(memory.passed)
        self.burned = list(memory.burned)
        self.last = memory.last
        self.pile = [card_of(face) for face in memory.table.pile]
        self.turned: Face | None = None
        """The card turned over in this move, until it is clear whether it was played."""
        self.by_choice = True
        """Whether a pick-up in this move is the move itself, because no card was played or turned over before it."""

    def hear(self, event: Event) -> None:
        match event:
            case told.Played(seat=seat, faces=faces) | told.Interrupted(seat, faces) | told.Followed(seat, faces):
                self._play(seat, faces)
            case told.Flipped(seat, face) | told.Chanced(seat, face):
                self._turn_over(seat, face, chance=isinstance(event, told.Chanced))
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
        """Count a card that was turned over as played: it was not picked up."""
        if self.turned is not None:
            self.pile.remove(card_of(self.turned))
            self._put([self.turned])
            self.turned = None

    def _put(self, faces: Sequence[Face]) -> None:
        """Put cards on the pile; those that leave the game at once count as burned (R46)."""
        for face in faces:
            ranks = card_of(face) >> 2, face_rank(face)  # a wild joker leaves if its own power or the named rank's does
            leaves = any(self.table.rules.power(rank).leaves for rank in ranks)
            (self.burned if leaves else self.pile).append(card_of(face))

    def _play(self, seat: int, faces: Sequence[Face]) -> None:
        self._put(faces)
        self.last, self.by_choice = seat, False
        for face in faces:  # face-up cards go with the last card of the hand or after it, when nothing of it is left
            self._leave_hand(seat, card_of(face))

    def _leave_hand(self, seat: int, card: Card) -> None:
        passed = self.passed[seat]
        if card in self.held[seat]:
            self.held[seat].remove(card)
        elif passed:
            self.passed[seat] = Passed(passed.asked, passed.cards - 1) if passed.cards > 1 else None

    def _turn_over(self, seat: int, face: Face, *, chance: bool) -> None:
        self.pile.append(card_of(face))
        self.turned, self.last, self.by_choice = face, seat, False
        if chance and self.table.rules.play.chance == "stuck":
            self._pass(seat)

    def _pick_up(self, seat: int) -> None:
        on_turn = self.memory.table.turn
        if self.by_choice and on_turn is not None:
            self._pass(on_turn)
        elif self.turned is not None and self.last == seat:  # the card turned over did not fit, so it was not played
            self.last, self.turned = self.memory.last, None
        self.settle()
        self.held[seat] += self.pile
        self.pile = []

    def _pass(self, seat: int) -> None:
        """Note that a seat did not answer what was asked with the cards that only it has seen."""
        asked, hidden = self.memory.table.asked, self.memory.hidden(seat)
        if hidden and asked.kind not in {"anything", "red-jack"}:
            self.passed[seat] = Passed(asked, hidden)
