"""The rules of a table in sentences and examples, what of them differs from others, which rules can be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.language import mark
from cogs.screens.option_words import OPTIONS, SEARCHING, START_RANK, option_sentence, value_of
from cogs.screens.wording import base_rules, variant_sentence, variant_title
from data.models import HouseRule
from game.cards import JOKER, RANKS, Face, Rank, is_low, parse_rank
from game.examples import Example, of_basics, of_option, of_power
from game.rules import PLAIN, POWER_KEYS, Power, Rules, rank_of_key
from game.variants import variants

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
_DEALT: Final = frozenset({"deal.face_down", "deal.face_up", "deal.hand"})


# -- options and powers


def changed_options(rules: Rules, base: Rules) -> list[str]:
    """The keys of all options that differ, powers as `powers.7`, in the order of the tables."""
    keys = [key for key in OPTIONS if value_of(rules, key) != value_of(base, key)]
    if rules.deal.by_seats != base.deal.by_seats and "deal.by_seats" not in keys:
        keys.append("deal.by_seats")
    if rules.start.rank != base.start.rank and rules.start.by in SEARCHING:
        keys.append(START_RANK)
    powers = [key for key in POWER_KEYS if rules.powers.get(key, PLAIN) != base.powers.get(key, PLAIN)]
    return keys + [f"powers.{key}" for key in powers]


def differences(t: Formatter, rules: Rules, base: Rules) -> list[str]:
    """A sentence for each thing that differs from `base`."""
    return [sentence_of(t, key, rules) for key in changed_options(rules, base)]


def sentence_of(t: Formatter, key: str, rules: Rules) -> str:
    """The sentence of an option or a power in these rules."""
    table, _, name = key.partition(".")
    if table == "powers":
        return power_sentence(t, rank_of_key(name), rules.powers.get(name, PLAIN))
    return option_sentence(t, key, rules)


def example_of(t: Formatter, key: str, rules: Rules) -> str:
    """A line of cards for an option or a power in these rules; empty for those that are not about what goes on what."""
    table, _, name = key.partition(".")
    return _example_line(t, of_power(rules, rank_of_key(name)) if table == "powers" else of_option(rules, key))


def dealing(t: Formatter, rules: Rules) -> list[str]:
    """How the cards are dealt and who starts."""
    return [option_sentence(t, key, rules) for key in _told(rules, ("deal.", "start."))]


def playing(t: Formatter, rules: Rules, *, examples: bool = True) -> list[str]:
    """Lines of what holds in play, powers apart, and how it ends; sentences that have an example come last."""
    plain: list[str] = []
    shown: list[str] = []
    for key in _told(rules, ("play.", "end.")):
        sentence = option_sentence(t, key, rules)
        example = example_of(t, key, rules) if examples else ""
        if example:
            shown += [sentence, example]
        else:
            plain.append(sentence)
    return [t.sentences(*plain), *shown]


def _told(rules: Rules, tables: tuple[str, ...]) -> list[str]:
    """The options worth telling: those that always are, and what is not as in the classic game."""
    plain = Rules()
    keys = [key for key in OPTIONS if key.startswith(tables)]
    told = [key for key in keys if OPTIONS[key].always_told or value_of(rules, key) != value_of(plain, key)]
    if rules.deal.method == "choose":
        told = [key for key in told if key != "deal.exchange"]
    return [key for key in told if key not in _DEALT] if rules.deal.by_seats else told


def special_cards(t: Formatter, rules: Rules, seats: int | None = None, *, examples: bool = True) -> list[str]:
    """Lines of what each special card does that is in the pack, an example beneath each."""
    jokers = rules.jokers_with(seats) if seats else max(rules.deal.jokers, rules.jokers_with(rules.seats[1]))
    said: list[str] = []
    for key in (key for key in POWER_KEYS if key in rules.powers and (key != "joker" or jokers)):
        said.append(power_sentence(t, rank_of_key(key), rules.powers[key]))
        if examples:
            said.append(example_of(t, f"powers.{key}", rules))
    return [line for line in said if line]


# -- powers (rules.md section 3)


def power_sentence(t: Formatter, rank: Rank, power: Power) -> str:
    """The sentence: `Tens: go on anything, burn the pile`."""
    parts = [*_where(t, power), *_asked(t, rank, power), *(t(DOES[each]) for each in power.does), *_further(t, power)]
    said = t.enumerated(parts) if parts else t("no power")
    return t("{cards}: {parts}.", cards=t.all_cards(rank), parts=said)


def _where(t: Formatter, power: Power) -> list[str]:
    parts = [on_words(t, power.on)] if power.on != "rank" else []
    if power.not_on:
        parts.append(t("not on {cards}", cards=t.choice([t.one_card(rank_of_key(key)) for key in power.not_on])))
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


def _asked(t: Formatter, rank: Rank, power: Power) -> list[str]:
    wild = [t("stand for any rank you name")] if power.wild else []
    return wild if power.asks == "at-least" else [*wild, asks_words(t, rank, power.asks)]


def asks_words(t: Formatter, rank: Rank, asks: str) -> str:
    """What a card asks of the next play."""
    kind, _, named = ("anything" if rank == JOKER and asks in RANKED else asks).partition(":")
    said = t.rank_name(parse_rank(named) if named else rank)
    match kind:
        case "at-most":
            return t("next card {rank} or lower", rank=said)
        case "below":
            return t("next card lower than {rank}", rank=said)
        case "same":
            return t("next card {rank} only", rank=said)
        case "not":
            return t("next card anything but {rank}", rank=said)
        case "under":
            return t("glass (look beneath)")
        case "named":
            return t("you say high or low for the next card")
        case "rank" | "at-least" if kind == "at-least" or parse_rank(named) >= HIGH_FROM:
            return t("next card {rank} or higher", rank=said)
        case _:
            return t("anything goes next")


def _further(t: Formatter, power: Power) -> list[str]:
    bare = t.rank_name(rank_of_key(power.bare)) if power.bare else ""
    parts = [
        t("with nothing beneath ask {rank} or higher", rank=bare) if bare else "",
        t("with two players left anything goes next") if power.two_left else "",
        t("leave the game once played") if power.leaves else "",
        t("a red jack passes it on") if power.answer else "",
    ]
    return [part for part in parts if part]


# -- examples: a line of cards, `7♥ → 7♣ K♣ ✓ · 6♣ ×`, with drawn faces where there are any


def basic_example(t: Formatter, rules: Rules) -> str:
    """What may go on a card that nothing is special about."""
    return _example_line(t, of_basics(rules))


def _example_line(t: Formatter, examples: Iterable[Example]) -> str:
    """A line of small print; empty where there is no example."""
    return ui.continued(*(_in_words(t, each) if t.text else _in_cards(t, each) for each in examples))


def _in_cards(t: Formatter, example: Example) -> str:
    goes = _drawn(t, example.goes)
    burns = t.n("{cards} burns", "{cards} burn", len(example.goes), cards=goes)
    parts = [burns if example.burns else f"{goes} ✓"] if example.goes else []
    parts += [f"{_drawn(t, example.stays)} ×"] if example.stays else []
    return f"{_drawn(t, example.pile)} → {t.enumerated(parts)}"


def _drawn(t: Formatter, faces: Sequence[Face]) -> str:
    """The drawn faces, or the text where a picture is missing or does not say all."""
    return ("" if any(map(is_low, faces)) else t.run(faces)) or t.cards(faces)


def _in_words(t: Formatter, example: Example) -> str:
    pile, goes, stays = t.cards(example.pile), t.cards(example.goes), t.cards(example.stays)
    if not goes:
        return t("not on {pile}: {cards}", pile=pile, cards=stays)
    if example.burns:
        goes = t.n("{cards} burns", "{cards} burn", len(example.goes), cards=goes)
    if stays:
        return t("on {pile}: {cards}, but not {others}", pile=pile, cards=goes, others=stays)
    return t("on {pile}: {cards}", pile=pile, cards=goes)


# -- what can be chosen to play by: what the server saved comes first, then the variants


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
    first = list(found[: ui.MOST_OPTIONS])
    late = [each for each in found[ui.MOST_OPTIONS :] if each.key == chosen]
    return first[: ui.MOST_OPTIONS - len(late)] + late


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
