"""The rules of a table in sentences, and what of them differs from another set of rules."""

from __future__ import annotations

from typing import Final

from cogs.screens.examplewords import example_line
from cogs.screens.formatter import Formatter
from cogs.screens.options import OPTIONS, START_RANK, option_sentence, value_of
from cogs.screens.powers import power_sentence, special_keys
from game.examples import of_basics, of_option, of_power
from game.rules import PLAIN, POWER_KEYS, Rules, rank_of_key

SEARCHING: Final = ("face-up-then-call", "call-nearest", "thrown")
_ALWAYS: Final = (
    *("deal.face_down", "deal.face_up", "deal.hand", "deal.exchange", "start.by", "play.refill", "play.stuck"),
    *("play.four_of_a_kind", "play.burn_again", "play.face_up_pickup", "end.aim", "end.next_dealer"),
)


def changed_options(rules: Rules, base: Rules) -> list[str]:
    """The keys of all options that differ, powers as `powers.7`, in the order of the tables."""
    keys = [key for key in OPTIONS if value_of(rules, key) != value_of(base, key)]
    if rules.deal.by_seats != base.deal.by_seats and "deal.by_seats" not in keys:
        keys.append("deal.by_seats")
    if rules.start.rank != base.start.rank and rules.start.by in SEARCHING:
        keys.append(START_RANK)
    powers = [key for key in POWER_KEYS if rules.powers.get(key, PLAIN) != base.powers.get(key, PLAIN)]
    return keys + [f"powers.{key}" for key in powers]


def sentence_of(t: Formatter, key: str, rules: Rules) -> str:
    """The sentence of an option or a power in these rules."""
    table, _, name = key.partition(".")
    if table == "powers":
        return power_sentence(t, rank_of_key(name), rules.powers.get(name, PLAIN))
    return option_sentence(t, key, rules)


def example_of(t: Formatter, key: str, rules: Rules) -> str:
    """A line of cards for an option or a power in these rules; empty for those that are not about what goes on what."""
    table, _, name = key.partition(".")
    return example_line(t, of_power(rules, rank_of_key(name)) if table == "powers" else of_option(rules, key))


def differences(t: Formatter, rules: Rules, base: Rules) -> list[str]:
    """A sentence for each thing that differs from `base`."""
    return [sentence_of(t, key, rules) for key in changed_options(rules, base)]


def dealing(t: Formatter, rules: Rules) -> list[str]:
    """How the cards are dealt and who starts."""
    return _section(t, rules, ("deal.", "start."))


def playing(t: Formatter, rules: Rules, *, examples: bool = True) -> list[str]:
    """Lines of what holds in play, powers apart, and how it ends; sentences that have an example come last."""
    plain: list[str] = []
    snapshot: list[str] = []
    for key in _keys(rules, ("play.", "end.")):
        said = option_sentence(t, key, rules)
        example = example_of(t, key, rules) if examples else ""
        if example:
            snapshot += [said, example]
        else:
            plain.append(said)
    return [t.sentences(*plain), *snapshot]


def basic_example(t: Formatter, rules: Rules) -> str:
    """What may go on a card that nothing is special about."""
    return example_line(t, of_basics(rules))


def special_cards(t: Formatter, rules: Rules, seats: int | None = None, *, examples: bool = True) -> list[str]:
    """Lines of what each special card does, an example beneath each."""
    said: list[str] = []
    for key in special_keys(rules, seats):
        said.append(power_sentence(t, rank_of_key(key), rules.powers[key]))
        if examples:
            said.append(example_of(t, f"powers.{key}", rules))
    return [line for line in said if line]


def _section(t: Formatter, rules: Rules, tables: tuple[str, ...]) -> list[str]:
    return [option_sentence(t, key, rules) for key in _keys(rules, tables)]


def _keys(rules: Rules, tables: tuple[str, ...]) -> list[str]:
    plain = Rules()
    keys = [key for key in OPTIONS if key.startswith(tables)]
    told = [key for key in keys if key in _ALWAYS or value_of(rules, key) != value_of(plain, key)]
    if rules.deal.method == "choose":
        told = [key for key in told if key != "deal.exchange"]
    if rules.deal.by_seats:
        told = [key for key in told if key not in {"deal.face_down", "deal.face_up", "deal.hand"}]
    return told
