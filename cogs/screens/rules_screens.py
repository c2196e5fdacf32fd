"""The rules of a table or a variant, with examples; the rules that can be chosen; the help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark
from cogs.screens.names import columns, escaped, fitted, isolated
from cogs.screens.rule_words import WORDINGS, changed_options, option_sentence, power_sentence, sentence_of, value_of
from cogs.screens.wording import base_rules, played_by, rank_order, variant_sentence, variant_title
from data.guild_models import HouseRule
from game.cards import Face, is_low
from game.examples import Example, of_basics, of_option, of_power
from game.rules import MANY_SEATS, MOST_SEATS, POWER_KEYS, Rules, rank_of_key
from game.validity import inert_options
from game.variants import Group, Variant, variants

_ZONES: Final = {
    (True, True): mark("Get rid of your cards: hand first, then face-up, then face-down, flipped blind."),
    (True, False): mark("Get rid of your cards: hand first, then face-up."),
    (False, True): mark("Get rid of your cards: hand first, then face-down, flipped blind."),
    (False, False): mark("Get rid of your cards."),
}
_BASIC: Final = mark("Play one card, or several of one rank, equal to or higher than the pile.")
_ITEM: Final = "- "
MOST_HOUSE_WORDS, MOST_SHORT, _MOST_TOLD = 240, 80, 1000
"""Columns of house rules: in a lobby; below a table; above the rules, which do not say what a variant has lost."""
_MILD: Final = frozenset({"at-least", "anything", "under", "named"})
"""What a card may ask without forbidding high ranks."""
_MOST_LISTS: Final = 6
"""More selects would leave the rest of the lobby's More page no room."""


def rules_screen(
    t: Formatter, name: str, rules: Rules, seats: int | None = None, saved_as: str = "", hand: str = ""
) -> ui.Screen:
    """The rules of a table: its variant's sentence, the special cards, the deal, the play.

    `name` is the id of the variant, `saved_as` the name of saved house rules, `hand` the id of the button back to the
    reader's cards. If the text is too long, first pictures of examples are left out, then examples, then house rules.
    """
    ways = [ui.button(hand, t("My hand"), ui.Style.BLURPLE)] if hand else []
    title = ui.h2(f"{t.game()} · {escaped(played_by(t, name, saved_as))}")
    origin = ui.small(origin_words(t, name, rules)) if saved_as else ""
    parts: ui.Screen = []
    for most, (each, examples) in product((_MOST_TOLD, MOST_HOUSE_WORDS), ((t, True), (t.plain(), True), (t, False))):
        parts = _rules(each, [title, origin, *summary(each, name, rules, most)], rules, seats, examples=examples)
        if ui.characters(parts) < ui.MOST_CHARACTERS:
            break
    return ui.container(ui.Accent.BLUE, [*parts, ui.divider(), ui.row(*ways, tutorial_button(t))])


def _rules(t: Formatter, head: Sequence[str], rules: Rules, seats: int | None, *, examples: bool) -> ui.Screen:
    has_up, has_down = (bool(each or rules.deal.by_seats) for each in (rules.deal.face_up, rules.deal.face_down))
    blind = t("One that does not fit is picked up with the pile.") if has_down else ""
    zones = t.sentences(t(_ZONES[has_up, has_down]), blind)
    basics = [ui.small(zones), ui.small(t(_BASIC)), _example_line(t, of_basics(rules)) if examples else ""]
    special = special_cards(t, rules, seats, examples=examples)
    loser = ui.small(t("Whoever loses is the shithead.") if rules.end.aim != "winner" and not t.polite else "")
    return [
        ui.lines(*head, *basics, ui.small(rank_order(t, rules)), loser),
        ui.divider(),
        ui.lines(ui.h3(t("Special cards")), *special) if special else ui.lines(t("There are no special cards.")),
        ui.lines(ui.h3(t("Before play")), *dealing(t, rules, seats)),
        ui.lines(ui.h3(t("In play")), *playing(t, rules, seats, examples=examples)),
    ]


def tutorial_button(t: Formatter) -> ui.Component:
    """Begins the tutorial."""
    return ui.button(format_id("tutorial", int(t.polite)), t("Tutorial"))


def more_time(t: Formatter) -> str:
    """Where to get more time for a turn."""
    return t("Want longer turns? The host can double or quadruple the time under {more} in the lobby.", **t.buttons())


def text_mode_words(t: Formatter) -> str:
    """Where text mode is, for those who do not have it."""
    where = mark("Using a screen reader? {me} has **Text mode**: cards and buttons in words, the table as a list.")
    return "" if t.text else t(where, me=t.command("me"))


def help_screen(t: Formatter, commands: Sequence[str]) -> ui.Screen:
    """What the bot does and how to begin; `commands` has a line for each command."""
    at = t.buttons() | {"command": t.command("start")}
    how = ui.lines(
        ui.h2(t.game()),
        t(
            "A card game for 2–{most} players, or up to {many} by house rules: get rid of your cards, or make the tea.",
            most=max(each.rules.most_seats() for each in variants().values()),
            many=MOST_SEATS,
        ),
        t("Open a table with {command}. Others press {join}, then you press {start}.", **at),
        t("{hand} shows your cards. Only you can see them. Alone here? Press {computer}.", **at),
        more_time(t),
        text_mode_words(t),
        ui.small("" if t.polite else t("`/palace` does the same, under the polite name of the game")),
    )
    return ui.container(ui.Accent.BLUE, [how, ui.row(tutorial_button(t)), ui.divider(), ui.lines(*commands)])


def dealing(t: Formatter, rules: Rules, seats: int | None) -> list[str]:
    """How the cards are dealt and who starts, as lines of a list."""
    lines = [_ITEM + option_sentence(t, key, rules) for key in _told(rules, seats, ("deal.", "start."))]
    first = t.one_card(rank_of_key(rules.start.rank))
    further = _ITEM + t("If nobody has {card}, the next rank decides, and so on.", card=first)
    return [*lines, further] if rules.start.is_by_rank else lines


def playing(t: Formatter, rules: Rules, seats: int | None, *, examples: bool = True) -> list[str]:
    """What applies in play, except powers, as lines of a list, those with examples last; then how the game ends."""
    shown = {key: example_of(t, key, rules) if examples else "" for key in _told(rules, seats, ("play.",))}
    lines: list[str] = []
    for key in sorted(shown, key=lambda each: bool(shown[each])):
        lines += [_ITEM + option_sentence(t, key, rules), shown[key]]
    return [*filter(None, lines), *(_ITEM + option_sentence(t, key, rules) for key in _told(rules, seats, ("end.",)))]


def _told(rules: Rules, seats: int | None, tables: tuple[str, ...]) -> list[str]:
    """The options with an effect that are always told, or differ from the classic game."""
    plain, most = Rules(), seats or rules.most_seats()
    told = {key for key in WORDINGS if WORDINGS[key].always_told or value_of(rules, key) != value_of(plain, key)}
    if rules.jokers_with(most) == rules.deal.jokers:
        told.discard("deal.jokers_for_six")
    elif rules.deal.jokers:  # else the sentence about jokers says that only six players have any
        told.add("deal.jokers_for_six")
    return [key for key in WORDINGS if key.startswith(tables) and key in told - inert_options(rules, most)]


def special_cards(t: Formatter, rules: Rules, seats: int | None, *, examples: bool) -> list[str]:
    """A line for each special card in the pack, with an example below it."""
    jokers = rules.jokers_with(seats or rules.seats[0])
    most_jokers = rules.jokers_with(seats or rules.most_seats())
    keys = [key for key in POWER_KEYS if (most_jokers if key == "joker" else key in rules.powers)]
    powers = {key: rules.power(rank_of_key(key)) for key in keys}
    lines: list[str] = []
    for key, power in powers.items():
        only_six = t("Only with six players or more.") if key == "joker" and not jokers else ""
        lines.append(t.sentences(power_sentence(t, rank_of_key(key), power), only_six))
        if examples:
            lines.append(example_of(t, f"powers.{key}", rules))
    if any({"skip", "skip-beneath"} & set(each.does) for each in powers.values()):
        lines.append(t("With two players left, whoever skips plays again, however many cards skip."))
    has_strict = any(each.asks not in _MILD for each in powers.values())
    if has_strict and any(each.goes_anywhere for each in powers.values()):
        lines.append(t("Cards that go on anything also go where another card asks for certain ranks only."))
    return [line for line in lines if line]


# -- examples: a line of cards, `7♥ → 7♣ K♣ ✓ · 6♣ ×`, with drawn faces where there are any


def _example_line(t: Formatter, examples: Iterable[Example]) -> str:
    """A line of small print; empty if there is no example."""
    return ui.continued(*(_in_words(t, each) if t.text else _in_cards(t, each) for each in examples))


def _in_cards(t: Formatter, example: Example) -> str:
    goes = _drawn(t, example.goes)
    burns = t.n("{cards} burns", "{cards} burn", len(example.goes), cards=goes)
    parts = [burns if example.burns else f"{goes} ✓"] if example.goes else []
    parts += [f"{_drawn(t, example.stays)} ×"] if example.stays else []
    return f"{_drawn(t, example.pile)} → {t.enumerated(parts)}"


def _drawn(t: Formatter, faces: Sequence[Face]) -> str:
    """The drawn faces; text if an emoji is missing, or if a card was played low, which no face shows."""
    return ("" if any(map(is_low, faces)) else t.emojis(faces)) or t.cards(faces)


def _in_words(t: Formatter, example: Example) -> str:
    pile, goes, stays = t.cards(example.pile), t.cards(example.goes), t.cards(example.stays)
    if not goes:
        return t("not on {pile}: {cards}", pile=pile, cards=stays)
    if example.burns:
        goes = t.n("{cards} burns", "{cards} burn", len(example.goes), cards=goes)
    if stays:
        return t("on {pile}: {cards}, but not {others}", pile=pile, cards=goes, others=stays)
    return t("on {pile}: {cards}", pile=pile, cards=goes)


def example_of(t: Formatter, key: str, rules: Rules) -> str:
    """A line of cards for an option or a power; empty for those that do not change what goes on what."""
    table, _, name = key.partition(".")
    return _example_line(t, of_power(rules, rank_of_key(name)) if table == "powers" else of_option(rules, key))


# -- the rules that can be chosen: those that the server saved come first, then the variants

_GROUPS: Final[Mapping[Group, str]] = {
    "easy": mark("Easy"),
    "pub": mark("Usual"),
    "regional": mark("Regional"),
    "strange": mark("Unusual"),
}
"""The groups of variants, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Rules that can be chosen. The doorway takes `key` as a variant; `title` is plain text, not escaped."""

    group: str
    title: str
    key: str
    sentence: str


def offers(t: Formatter, saved: Sequence[HouseRule]) -> list[Offer]:
    """All rules that can be chosen."""
    group = t("Saved house rules")
    own = [Offer(group, each.name, each.key, origin_words(t, each.variant, each.rules)) for each in saved]
    grouped = sorted(variants().values(), key=lambda each: list(_GROUPS).index(each.group))
    return own + [_offer(t, each) for each in grouped]


def _offer(t: Formatter, variant: Variant) -> Offer:
    """A variant: `Pub · 2–5 players`, with the group and the sentence of the variant below it."""
    group, sentence = t(_GROUPS[variant.group]), variant_sentence(t, variant.id)
    seats = t("{fewest}–{most} players", fewest=variant.rules.seats[0], most=variant.rules.most_seats())
    title = f"{variant_title(t, variant.id)} · {seats}"
    return Offer(group, title, variant.id, " · ".join(filter(None, (group, sentence))))


def suggested(t: Formatter, saved: Sequence[HouseRule]) -> list[tuple[str, str]]:
    """All rules that can be chosen, for autocompletion: text and value of each."""
    return [(f"{isolated(each.title)} · {each.sentence}", each.key) for each in offers(t, saved)]


def choices(t: Formatter, key: Callable[[int], str], saved: Sequence[HouseRule], chosen: str) -> ui.Screen:
    """Selects of all rules, with groups kept whole, and the chosen one's sentence; `key` gives the id of the nth."""
    lists = [list[Offer]()]
    for _, group in groupby(offers(t, saved), lambda each: each.group):
        for batch in ui.batches(list(group)):
            if len(lists[-1]) + len(batch) > ui.MOST_OPTIONS:
                lists.append([])
            lists[-1] += batch
    parts: ui.Screen = []
    for nth, offered in enumerate(lists[:_MOST_LISTS]):
        options = [ui.option(each.title, each.key, each.sentence, default=each.key == chosen) for each in offered]
        groups = t.enumerated(dict.fromkeys(each.group for each in offered))
        parts += [ui.lines(ui.small(each.sentence)) for each in offered if each.key == chosen]
        parts.append(ui.select(key(nth + 1), options, t("More variants: {groups}", groups=groups)))
    return parts


def chosen_key(saved: Sequence[HouseRule], variant: str, title: str, rules: Rules) -> str:
    """The key of the rules that a table plays by; empty if they were saved, but are gone or different now."""
    if not title:
        return variant
    return next((each.key for each in saved if each.name == title and each.rules == rules), "")


def house_words(t: Formatter, variant: str, rules: Rules, most: int = MOST_HOUSE_WORDS, *, short: bool = False) -> str:
    """`House rules · …`: what differs from the variant and has an effect, cut to fit; may be empty.

    The `short` form names the rules, `3 see-through · 8 skips · and 2 more`, the other tells them in sentences.
    """
    keys, inert = changed_options(rules, base_rules(variant)), idle_options(rules)
    changed = [sentence_of(t, key, rules, short=short) for key in keys if key not in inert]
    text = _named_rules(t, changed) if short else fitted(t.sentences(*changed), most)
    return t.n("House rule · {rules}", "House rules · {rules}", len(changed), rules=text) if changed else ""


def _named_rules(t: Formatter, names: Sequence[str]) -> str:
    """As many names as fit, and how many more there are."""
    shown = list(names)
    while len(shown) > 1 and columns(" · ".join(shown)) > MOST_SHORT:
        shown.pop()
    parts = [fitted(name, MOST_SHORT) for name in shown]
    if more := len(names) - len(shown):
        parts.append(t.n("and {count} more", "and {count} more", more))
    return " · ".join(parts)


def summary(t: Formatter, variant: str, rules: Rules, most: int = MOST_HOUSE_WORDS) -> list[str]:
    """The rules in short: house rules, then the variant's sentence, which may name what they replace."""
    house, said = house_words(t, variant, rules, most), variant_sentence(t, variant)
    base = t("Based on {variant}: {sentence}", variant=variant_title(t, variant), sentence=said)
    return [house, ui.small(base if said else "")] if house else [said]


def idle_options(rules: Rules) -> set[str]:
    """The keys of options that have no effect with as many players as the rules allow."""
    for_six = {"deal.jokers_for_six", "deal.pack_for_six"}
    return inert_options(rules, rules.most_seats()) | (for_six if rules.seats[1] < MANY_SEATS else set())


def origin_words(t: Formatter, variant: str, rules: Rules) -> str:
    """`From Classic · 3 rules changed`."""
    count = len(changed_options(rules, base_rules(variant)))
    from_ = t("From {variant}", variant=variant_title(t, variant))
    return f"{from_} · {t.n('{count} rule changed', '{count} rules changed', count)}"
