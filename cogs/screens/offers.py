"""What can be chosen to play by: what the server saved comes first, then the variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cogs.screens.components import MOST_OPTIONS
from cogs.screens.formatter import Formatter
from cogs.screens.rulewords import changed_options
from cogs.screens.wording import base_rules, variant_sentence, variant_title
from data.models import HouseRule
from game.rules import Rules
from game.variants import variants


@dataclass(frozen=True, slots=True)
class Offer:
    """Rules to choose: `key` is what the doorway takes as a variant; `title` is plain text, not escaped."""

    title: str
    key: str
    sentence: str


def offers(t: Formatter, saved: Sequence[HouseRule]) -> list[Offer]:
    """All there are."""
    own = [Offer(each.name, each.key, from_words(t, each.variant, each.rules)) for each in saved]
    return own + [Offer(variant_title(t, each), each, variant_sentence(t, each)) for each in variants()]


def suggested(t: Formatter, saved: Sequence[HouseRule]) -> list[tuple[str, str]]:
    """All there are, as a list that opens while somebody types: words and value."""
    return [(f"{each.title} · {each.sentence}", each.key) for each in offers(t, saved)]


def within(found: Sequence[Offer], chosen: str) -> list[Offer]:
    """As many as a select takes, the chosen one among them."""
    first = list(found[:MOST_OPTIONS])
    late = [each for each in found[MOST_OPTIONS:] if each.key == chosen]
    return first[: MOST_OPTIONS - len(late)] + late


def chosen_key(saved: Sequence[HouseRule], variant: str, title: str, rules: Rules) -> str:
    """The key of what a table is played by; empty where the saved rules are gone or different by now."""
    if not title:
        return variant
    return next((each.key for each in saved if each.name == title and each.rules == rules), "")


def from_words(t: Formatter, variant: str, rules: Rules) -> str:
    """`From Classic · 3 changed`."""
    count = len(changed_options(rules, base_rules(variant)))
    from_ = t("From {variant}", variant=variant_title(t, variant))
    changed = t.n("{count} changed", "{count} changed", count)
    return f"{from_} · {changed}"
