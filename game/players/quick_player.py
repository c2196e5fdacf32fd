"""The quick player: lays its best cards face up, plays its lowest set, saves special cards, and avoids picking up.

It is given a `SeatView` and nothing else, so it cannot cheat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from game.cards import ACE, Card, card_of, face_rank
from game.moves import Call, Chance, Choose, Clear, Flip, Follow, Interrupt, Lay, PickUp, Play, Ready, Swap, Tribute
from game.moves.move import Move
from game.rules import PLAIN, Rules
from game.view import SeatView


def choose(view: SeatView, rng: Random) -> Move:
    """Choose the move of the seat; raises `ValueError` if it has none now."""
    if view.may_choose:
        return best_choice(view)
    if view.may_lay:
        return Lay(view.may_lay[0])
    swap = best_swap(view) if view.may_swap else None
    if swap is not None:
        return swap
    for kind in (Call, Clear, Interrupt, Follow):
        if offered := next((move for move in view.moves if isinstance(move, kind)), None):
            return offered
    if tributes := [move for move in view.moves if isinstance(move, Tribute)]:
        return _tribute(view, tributes)
    return Ready() if Ready() in view.moves else _on_turn(view, rng)


def worth(rules: Rules, card: Card) -> int:
    """How much a card is worth keeping: its height (0 to 13) and, if it is special, a bonus of 3 to 30."""
    rank = card >> 2
    power = rules.power(rank)
    height = 0 if rank == ACE and rules.play.ace == "low" else rank
    if power == PLAIN:
        return height
    if_it_burns, otherwise = (30, 20) if power.on == "anything" else (10, 3)
    return height + (if_it_burns if "burn" in power.does else otherwise)


def best_choice(view: SeatView) -> Choose:
    """The choice of the best cards of the hand, one for each place, to lie face up."""
    rules = view.table.rules
    best_first = sorted(view.hand, key=lambda card: (-worth(rules, card), card))
    return Choose(tuple((card,) for card in best_first[: view.table.sizes.up]))


def best_swap(view: SeatView) -> Swap | None:
    """The swap that improves the face-up cards most; None if no swap improves them."""
    rules = view.table.rules
    single = [slot[0] for slot in view.up if len(slot) == 1]
    if not view.hand or not single:
        return None
    best = max(view.hand, key=lambda card: worth(rules, card))
    least = min(single, key=lambda card: worth(rules, card))
    return Swap(best, least) if worth(rules, best) > worth(rules, least) else None


def _tribute(view: SeatView, tributes: Sequence[Tribute]) -> Tribute:
    rules = view.table.rules

    def gain(move: Tribute) -> int:
        return 0 if move.own is None or move.theirs is None else worth(rules, move.theirs) - worth(rules, move.own)

    return max(tributes, key=gain)


def _on_turn(view: SeatView, rng: Random) -> Move:
    if plays := [move for move in view.moves if isinstance(move, Play)]:
        return min(plays, key=_cost(view))
    if flips := [move for move in view.moves if isinstance(move, Flip)]:
        return flips[rng.randrange(len(flips))]
    chance = next((move for move in view.moves if isinstance(move, Chance)), None)
    if chance is not None:
        return chance
    rules = view.table.rules
    pick_ups = [move for move in view.moves if isinstance(move, PickUp)]
    if not pick_ups:
        raise ValueError("this seat has nothing to do")
    return min(pick_ups, key=lambda move: sum(worth(rules, card) for card in move.cards))


def _cost(view: SeatView) -> Callable[[Play], tuple[int, int, tuple[int, ...]]]:
    """The cost of a play: the worth of its best card, less a bonus if it burns a pile of more than three cards.

    If two plays cost the same, more cards are better if they are plain, fewer if any is special.
    """
    rules = view.table.rules

    def cost(move: Play) -> tuple[int, int, tuple[int, ...]]:
        dearest = max(worth(rules, card_of(face)) for face in move.cards)
        special = any(rules.power(face_rank(face)) != PLAIN for face in move.cards)
        burns = move in view.burning and len(view.table.pile) > 3  # noqa: PLR2004 - a pile worth a good card
        return (dearest - (12 if burns else 0), len(move.cards) if special else -len(move.cards), move.cards)

    return cost
