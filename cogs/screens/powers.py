"""What makes a rank special, in one sentence made from the parts of its power (rules.md section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.formatter import Formatter
from cogs.screens.language import mark
from game.cards import JOKER, RANKS, Rank, parse_rank
from game.rules import PLAIN, POWER_KEYS, Power, Rules, rank_of_key

HIGH_FROM: Final = RANKS.index("3")
RANKED: Final = frozenset({"at-least", "at-most", "below", "same", "named"})
"""What asks for the own rank of a card: a joker has none and so asks nothing (R28)."""

DOES: Final = {
    "burn": mark("burn the pile"),
    "reverse": mark("turn the direction"),
    "skip": mark("skip a seat"),
    "again": mark("give another turn"),
    "give-pile": mark("give the pile to the next seat"),
    "skip-beneath": mark("skip one more than the card beneath"),
}


def power_sentence(t: Formatter, rank: Rank, power: Power) -> str:
    """The sentence: `Tens: go on anything, burn the pile`."""
    parts = power_parts(t, rank, power)
    said = t.enumerated(parts) if parts else t("no power")
    return t("{cards}: {parts}.", cards=t.all_cards(rank), parts=said)


def power_parts(t: Formatter, rank: Rank, power: Power) -> list[str]:
    """The parts of a power that differ from a plain card's, in words; empty for a plain card."""
    if power == PLAIN:
        return []
    parts = [*_on(t, power), *_stands_for(t, power)]
    if power.asks != "at-least":
        parts.append(asks_words(t, rank, power.asks))
    parts += [t(DOES[each]) for each in power.does]
    return parts + _further(t, power)


def _on(t: Formatter, power: Power) -> list[str]:
    parts = [on_words(t, power.on)] if power.on != "rank" else []
    if power.not_on:
        parts.append(t("not on {cards}", cards=_ranks(t, power.not_on)))
    return parts


def on_words(t: Formatter, on: str) -> str:
    """Where a card goes."""
    match on:
        case "anything":
            return t("go on anything")
        case "higher":
            return t("go where their rank does and on any higher card")
        case _:
            return t("go where their rank does")


def _stands_for(t: Formatter, power: Power) -> list[str]:
    return [t("stand for any rank you name")] if power.wild else []


def asks_words(t: Formatter, rank: Rank, asks: str) -> str:
    """What a card asks of the next play."""
    kind, _, named = ("anything" if rank == JOKER and asks in RANKED else asks).partition(":")
    said = t.rank_name(rank)
    if named:
        said = t.rank_name(parse_rank(named))
    match kind:
        case "at-most":
            return t("next card {rank} or lower", rank=said)
        case "below":
            return t("next card lower than {rank}", rank=said)
        case "same":
            return t("next card {rank} only", rank=said)
        case "not":
            return t("next card anything but {rank}", rank=said)
        case "rank" if parse_rank(named) >= HIGH_FROM:
            return t("next card {rank} or higher", rank=said)
        case "under":
            return t("glass (look beneath)")
        case "named":
            return t("you say high or low for the next card")
        case "at-least":
            return t("next card {rank} or higher", rank=said)
        case _:
            return t("anything goes next")


def _further(t: Formatter, power: Power) -> list[str]:
    parts: list[str] = []
    if power.bare:
        parts.append(t("with nothing beneath ask {rank} or higher", rank=t.rank_name(rank_of_key(power.bare))))
    if power.two_left:
        parts.append(t("with two players left anything goes next"))
    if power.leaves:
        parts.append(t("leave the game once played"))
    if power.answer:
        parts.append(t("a red jack passes it on"))
    return parts


def _ranks(t: Formatter, keys: Sequence[str]) -> str:
    return t.choice([t.one_card(rank_of_key(key)) for key in keys])


def special_keys(rules: Rules, seats: int | None = None) -> list[str]:
    """The keys of the powers of all ranks that are in the pack of these rules."""
    jokers = rules.jokers_with(seats) if seats else max(rules.deal.jokers, rules.jokers_with(rules.seats[1]))
    return [key for key in POWER_KEYS if key in rules.powers and (key != "joker" or jokers)]
