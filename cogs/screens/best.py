"""The strongest cards face up, for the button that does so in one tap: advice from a player's own cards alone."""

from __future__ import annotations

from game.cards import Card, rank_of
from game.moves import Choose, Swap
from game.rules import Rules
from game.view import SeatView


def strength(card: Card, rules: Rules) -> tuple[bool, bool, int]:
    """How good a card is late in the game: those that go on anything first, then by rank."""
    rank = rank_of(card)
    power = rules.power(rank)
    low_ace = rules.play.ace == "low" and rank == rank_of(51)
    return power.on == "anything", power.on == "anything" and bool(power.does), -1 if low_ace else rank


def best_swaps(view: SeatView) -> list[Swap]:
    """The swaps that put the strongest cards face up, none where they lie there already. Stacked slots stay."""
    rules = view.table.rules
    single = [slot[0] for slot in view.up if len(slot) == 1]
    held = sorted(view.hand, key=lambda card: strength(card, rules), reverse=True)
    swaps: list[Swap] = []
    for taken, laid in zip(sorted(single, key=lambda card: strength(card, rules)), held, strict=False):
        if strength(laid, rules) > strength(taken, rules):
            swaps.append(Swap(laid, taken))
    return swaps[:1] if rules.deal.exchange == "one" else swaps


def best_choice(view: SeatView, slots: int) -> Choose:
    """The strongest cards of those held, one in each slot."""
    held = sorted(view.hand, key=lambda card: strength(card, view.table.rules), reverse=True)
    return Choose(tuple((card,) for card in held[:slots]))
