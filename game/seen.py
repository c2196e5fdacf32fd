"""What everybody has seen: which cards must lie in whose hand, and which have burned.

A card that was face up, on the pile or turned blind is known when it comes to a hand, until it is played from there.
Made from public things alone, views of the table and redacted events, so that no secret can come in: replay a record
with it and nobody knows more than the people at the table could have noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from game.cards import Card, Face, card_of, face_rank
from game.events import Added, Chanced, Event, Flipped, Followed, Interrupted, Laid, PickedUp, Played, Swapped
from game.rules import Rules
from game.view import TableView


@dataclass(frozen=True, slots=True, repr=False)
class Seen:
    """For each seat the cards that are known to be in its hand, and the cards that left the game; each list sorted.

    Of equal cards in a hand as many are known as were seen to come, less those that were played since: which of two
    equal cards was played nobody can tell.
    """

    hands: tuple[tuple[Card, ...], ...]
    burned: tuple[Card, ...] = ()

    def after(self, before: TableView, said: Sequence[Event], after: TableView) -> Seen:
        """What is known after a move that was seen as these redacted events, from one table to the next."""
        hands = [Counter(hand) for hand in self.hands]
        put = [face for event in said for face in _put(event)]
        pile = [*before.pile, *put]
        gone = Counter(map(card_of, pile)) - Counter(map(card_of, after.pile))
        for event in said:
            match event:
                case Swapped():
                    hands[event.seat] = hands[event.seat] - Counter([event.laid]) + Counter([event.taken])
                case Laid(card=card) if card is not None:
                    hands[event.seat] -= Counter([card])
                case Played() | Interrupted() | Followed() if before.seats[event.seat].hand:
                    hands[event.seat] -= Counter(map(card_of, _put(event)))
                case PickedUp():  # all of it, or all but what left the game when it was played
                    left = [face for face in put if event.count < len(pile) and _leaves(before.rules, face)]
                    hands[event.seat] += gone - Counter(map(card_of, left))
                    gone = Counter(map(card_of, left))
                case _:
                    pass
        known = (hand if face.hand else Counter[Card]() for hand, face in zip(hands, after.seats, strict=True))
        burned = (*self.burned, *gone.elements())
        return Seen(tuple(tuple(sorted(hand.elements())) for hand in known), tuple(sorted(burned)))


def nothing_seen(seats: int) -> Seen:
    """Before the deal."""
    return Seen(((),) * seats)


def _put(event: Event) -> tuple[Face, ...]:
    """The cards that an event puts on the pile, or shows on their way there."""
    match event:
        case Played():
            return event.faces
        case Flipped() | Chanced():
            return (event.face,)
        case Interrupted() | Followed() | Added():
            return event.cards
        case _:
            return ()


def _leaves(rules: Rules, face: Face) -> bool:
    """Whether a card leaves the game when it is played (R46), by its rank's power or a wild joker's own."""
    powers = (rules.power(face_rank(face)), rules.power(card_of(face) >> 2))
    return any(power.leaves for power in powers)
