"""The house-rule builder: page by page what is in force, two selects to change it, a way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.components import (
    MOST_OPTIONS,
    Accent,
    Component,
    Screen,
    Style,
    button,
    container,
    divider,
    field,
    h2,
    lines,
    modal,
    option,
    row,
    select,
    small,
)
from cogs.screens.formatter import Formatter
from cogs.screens.house import ASKS, FLAGS, NONE, ON, PAGES
from cogs.screens.housetext import LONGEST, format_rules
from cogs.screens.ids import key_of
from cogs.screens.language import mark
from cogs.screens.options import said, title_of, value_of, values_of
from cogs.screens.powers import DOES, RANKED, asks_words, on_words
from cogs.screens.rulewords import changed_options, example_of, sentence_of
from cogs.screens.wording import base_rules, variant_title
from data.models import Table
from game.cards import JOKER, SEARCH, Rank, parse_rank
from game.rules import PLAIN, POWER_KEYS, Power, Rules, rank_of_key

_TITLES: Final = {
    "deal": mark("the deal"),
    "start": mark("the start"),
    "play": mark("play"),
    "powers": mark("special cards"),
    "end": mark("the end"),
}
_FLAG_LABELS: Final = {
    "two_left": mark("With two left anything goes"),
    "wild": mark("Wild"),
    "leaves": mark("Leaves the game"),
    "answer": mark("Red jack passes on"),
}


def house_screen(
    t: Formatter, table: Table, page: str = "deal", chosen: str = "", notice: str = "", *, manager: bool = False
) -> Screen:
    """One page; `chosen` is the option that the second select changes. A manager may save the rules."""
    names = list(PAGES)
    page = page if page in PAGES else names[0]
    chosen = chosen if chosen in PAGES[page] else ""
    base = base_rules(table.variant)
    changed = changed_options(table.rules, base)
    title = t("House rules: {page}", page=t(_TITLES[page]))
    of = t("page {number} of {pages}", number=names.index(page) + 1, pages=len(names))
    from_ = t("From {variant}", variant=variant_title(t, table.variant))
    count = t.n("{count} changed", "{count} changed", len(changed))
    head = lines(f"**{notice}**" if notice else "", h2(title), small(from_, count, of))
    controls = [_which(t, table, page, chosen), *_values(t, table, chosen)]
    parts = [head, lines(*_in_force(t, table, page, base, chosen)), divider(), *controls]
    return container(Accent.BLUE, [*parts, *_steps(t, table, page, manager=manager)])


def _in_force(t: Formatter, table: Table, page: str, base: Rules, chosen: str) -> list[str]:
    """A sentence for each rule of the page that is in force, with an example of the chosen one."""
    said_lines, changed = list[str](), changed_options(table.rules, base)
    title = variant_title(t, table.variant)
    for key in PAGES[page]:
        sentence = sentence_of(t, key, table.rules)
        if key in changed:
            said_lines.append(f"**{sentence}**")
            said_lines.append(
                small(t("changed · {variant}: {sentence}", variant=title, sentence=sentence_of(t, key, base)))
            )
        elif page != "powers" or key.partition(".")[2] in table.rules.powers:
            said_lines.append(sentence)
        if key == chosen:
            said_lines.append(example_of(t, key, table.rules))
    return said_lines


def _which(t: Formatter, table: Table, page: str, chosen: str) -> Component:
    options = [
        option(_title(t, key), key, sentence_of(t, key, table.rules), default=key == chosen) for key in PAGES[page]
    ]
    return select(key_of(table)("which", page), options, t("Which rule?"))


def _title(t: Formatter, key: str) -> str:
    return t.all_cards(rank_of_key(key.partition(".")[2])) if key.startswith("powers.") else title_of(t, key)


def _values(t: Formatter, table: Table, chosen: str) -> Screen:
    if not chosen:
        return []
    if chosen.startswith("powers."):
        return _power_controls(t, table, chosen)
    rules = table.rules
    now = value_of(rules, chosen)
    options = [option(said(t, chosen, value, rules), str(value), default=value == now) for value in values_of(chosen)]
    return [select(key_of(table)("set", chosen), options[:MOST_OPTIONS], t("What holds?"))]


def _power_controls(t: Formatter, table: Table, chosen: str) -> Screen:
    key = key_of(table)
    name = chosen.partition(".")[2]
    rank, power = rank_of_key(name), table.rules.powers.get(name, PLAIN)
    kind = power.asks.partition(":")[0]
    if rank == JOKER and kind in RANKED:
        kind = "anything"
    asks = [option(_asks_label(t, rank, each), each, default=each == kind) for each in _asks(rank)]
    on = [option(_capital(on_words(t, each)), each, default=each == power.on) for each in _on(rank)]
    does = [option(_capital(t(words)), each, default=each in power.does) for each, words in DOES.items()]
    ranks = [option(_capital(t.rank_name(other)), POWER_KEYS[other]) for other in SEARCH]
    parts = [
        select(key("set", f"{chosen}.on"), on, t("Where do they go?")),
        select(key("set", f"{chosen}.asks"), asks, t("What do they ask?")),
    ]
    if kind in {"not", "rank"}:
        named = [
            each | {"default": POWER_KEYS[parse_rank(power.asks.partition(":")[2])] == each["value"]} for each in ranks
        ]
        parts.append(select(key("set", f"{chosen}.of"), named, t("Which rank?")))
    parts.append(select(key("set", f"{chosen}.does"), does, t("What do they do?"), fewest=0, most=len(does)))
    barred = [each | {"default": each["value"] in power.not_on} for each in ranks]
    parts.append(select(key("set", f"{chosen}.not_on"), barred, t("Not on …"), fewest=0, most=len(barred)))
    return [*parts, *_seldom_controls(t, table, chosen, power, ranks)]


def _asks(rank: Rank) -> Sequence[str]:
    return [each for each in ASKS if rank != JOKER or each not in RANKED]


def _on(rank: Rank) -> Sequence[str]:
    return [each for each in ON if rank != JOKER or each != "higher"]


def _seldom_controls(t: Formatter, table: Table, chosen: str, power: Power, ranks: Sequence[Component]) -> Screen:
    """What only some powers can have: shown where it can be."""
    key, parts = key_of(table), list[Component]()
    if power.asks == "under":
        none = option(t("Nothing is asked"), NONE, default=power.bare is None)
        bare = [none, *(each | {"default": each["value"] == power.bare} for each in ranks)]
        parts.append(select(key("set", f"{chosen}.bare"), bare, t("With nothing beneath?")))
    fits = {
        "two_left": bool({"skip", "skip-beneath"} & set(power.does)),
        "wild": chosen == "powers.joker",
        "leaves": True,
        "answer": "give-pile" in power.does,
    }
    flags = [_flag(t, table, chosen, name, on=bool(getattr(power, name))) for name in FLAGS if fits[name]]
    return [*parts, row(*flags)]


def _flag(t: Formatter, table: Table, chosen: str, name: str, *, on: bool) -> Component:
    label = t(_FLAG_LABELS[name])
    style = Style.GREEN if on else Style.GREY
    return button(key_of(table)("set", f"{chosen}.{name}"), f"{label} ✓" if on else label, style)


def _asks_label(t: Formatter, rank: int, asks: str) -> str:
    if asks == "not":
        return t("Anything but one rank")
    if asks == "rank":
        return t("One rank or higher")
    return _capital(asks_words(t, rank, asks))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _steps(t: Formatter, table: Table, page: str, *, manager: bool) -> Screen:
    key, names = key_of(table), list(PAGES)
    at = names.index(page)
    title = variant_title(t, table.variant)
    keep = [button(key("keep"), t("Save for this server"))] if manager else []
    return [
        row(
            button(key("more"), t("Done"), Style.GREEN),
            button(key("house", names[at - 1]), t("Previous")),
            button(key("house", names[(at + 1) % len(names)], 2), t("Next")),
        ),
        row(
            button(key("unhouse", page), t("Back to {variant}", variant=title)),
            button(key("housetext"), t("As text")),
            *keep,
        ),
    ]


def text_form(t: Formatter, table: Table) -> Component:
    """The rules as one short text, to copy or to change."""
    key = key_of(table)
    now = format_rules(table.variant, table.rules)
    asked = field("rules", t("Copy it, or paste another"), value=now, most=LONGEST, long=True)
    return modal(key("houseread"), t("House rules as text"), asked)
