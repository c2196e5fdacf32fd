"""House rules: the builder, whose pages change one rule at a time; and the house rules that a server saved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter, capital
from cogs.screens.ids import format_id, key_of, toggle_argument
from cogs.screens.joining_screens import confirmation_screen
from cogs.screens.language import mark
from cogs.screens.names import bold, escaped
from cogs.screens.rule_edits import NONE, PAGES, format_rules
from cogs.screens.rule_words import (
    DOES,
    QUICK_POWERS,
    RANKED,
    changed_options,
    differences,
    is_off,
    sentence_of,
    title_of,
    value_of,
    value_words,
    values_of,
)
from cogs.screens.rules_screens import example_of, idle_options, origin_words
from cogs.screens.wording import base_rules, toggle, variant_title
from data.guild_models import LONGEST_NAME, HouseRule
from data.models import Table
from game.cards import JOKER, SEARCH, Rank, parse_rank
from game.rules import PLAIN, POWER_KEYS, Power, rank_of_key

NAME: Final = "name"
_MOST_REJECTED: Final = 3_000  # characters of a rejected text: it fits below any sentence that says why
_BLOCK: Final = "```"  # begins and ends a block of code
_CUT: Final = "…"
_AGAIN: Final = mark("For another table, copy these rules with **As text**.")
_TITLES: Final = {
    "deal": mark("the deal"),
    "start": mark("the start"),
    "play": mark("play"),
    "powers": mark("special cards"),
    "end": mark("the end of the game"),
}
_FLAGS: Final = {
    "two_left": mark("2 players left: anything goes"),
    "wild": mark("Wild: you name their rank"),
    "leaves": mark("Removed once played"),
    "bare_gives": mark("If led, the next player takes them"),
    "answer": mark("Can be passed on with a red jack"),
}


def house_screen(
    t: Formatter, table: Table, page: str = "", chosen: str = "", *, notice: str = "", manager: bool = False
) -> ui.Screen:
    """A page of the builder; `chosen` is the option that the second select changes. A manager can save the rules."""
    names = list(PAGES)
    page = page if page in PAGES else names[0]
    chosen = chosen if chosen in PAGES[page] else ""
    title = t("House rules: {page}", page=_title(t, chosen) if chosen else t(_TITLES[page]))
    page_words = t("page {number} of {pages}", number=names.index(page) + 1, pages=len(names))
    head = [ui.h2(title), ui.small(origin_words(t, table.variant, table.rules), page_words)]
    rule_select = _rule_select(t, table, page, chosen)
    lines = [f"**{notice}**" if notice else "", *_in_force(t, table, page, chosen)]
    if chosen:
        caption, *selects = _values(t, table, chosen)
        # The selects of a special card, each with its caption, leave no component to spare.
        parts = [rule_select, ui.lines(*lines, caption["content"]), *selects]
    else:
        chips = [_chips(t, table)] if page == "powers" else []
        again = "" if manager or table.rules == base_rules(table.variant) else t(_AGAIN)
        parts = [*chips, ui.lines(*lines, ui.small(again)), ui.divider(), rule_select]
    return ui.container(ui.Accent.BLUE, [ui.lines(*head), *parts, *_steps(t, table, page, chosen, manager=manager)])


def _chips(t: Formatter, table: Table) -> ui.Component:
    """Switches for what people change most."""
    in_force = [(rank, label, table.rules.powers.get(rank) == power) for rank, (label, power) in QUICK_POWERS.items()]
    return ui.row(*(_switch(t, table, "chip", rank, label, on=on) for rank, label, on in in_force))


def _title(t: Formatter, key: str) -> str:
    table, _, name = key.partition(".")
    return t.all_cards(rank_of_key(name)) if table == "powers" else title_of(t, key)


def _switch(t: Formatter, table: Table, verb: str, what: str, label: str, *, on: bool) -> ui.Component:
    return toggle(t, key_of(table)(verb, toggle_argument(what, on=on)), t(label), on=on)


def _in_force(t: Formatter, table: Table, page: str, chosen: str) -> list[str]:
    """The chosen rule with an example; else a sentence for each rule in force, and a line with those that are off."""
    rules, lines, off = table.rules, list[str](), list[str]()
    changed = changed_options(rules, base_rules(table.variant))
    if chosen:
        return [*_told(t, table, chosen, changed=chosen in changed, named=False), example_of(t, chosen, rules)]
    idle = idle_options(rules)
    for key in [each for each in PAGES[page] if each in changed or each not in idle]:
        if key not in changed and is_off(rules, key):
            off.append(title_of(t, key))
        elif key in changed or page != "powers" or _has_power(table, key):
            lines += _told(t, table, key, changed=key in changed)
    return [*lines, ui.small(t("Off: {rules}", rules=" · ".join(off))) if off else ""]


def _told(t: Formatter, table: Table, key: str, *, changed: bool, named: bool = True) -> list[str]:
    """The sentence of a rule in force. Of a changed one also the variant's own; of jokers also when they are dealt."""
    rules, sentence = table.rules, sentence_of(t, key, table.rules, named=named)
    late = key == "powers.joker" and rules.deal.jokers_for_six > 0 and not rules.deal.jokers
    dealt = t("Only with six players or more; add some under **{page}**.", page=t(_TITLES["deal"])) if late else ""
    if changed:
        before = sentence_of(t, key, base_rules(table.variant), named=False)
        was = t("changed · in {variant}: {sentence}", variant=variant_title(t, table.variant), sentence=before)
        return [f"**{sentence}**", dealt, ui.small(was)]
    return [t.sentences(sentence, dealt)] if named else [sentence, dealt]


def _has_power(table: Table, key: str) -> bool:
    rank = key.partition(".")[2]
    return rank in table.rules.powers and (rank != "joker" or table.rules.jokers_with(table.seat_limit) > 0)


def _rule_select(t: Formatter, table: Table, page: str, chosen: str) -> ui.Component:
    options: list[ui.Component] = []
    for key in PAGES[page]:
        title, wanted, sentence = _title(t, key), key, sentence_of(t, key, table.rules, named=False)
        if is_off(table.rules, key) and value_of(table.rules, key) is False:  # to choose it is to turn it on
            title, wanted = f"{title} · {t('off')}", f"{key}={True}"
            sentence = value_words(t, key, value=True, rules=table.rules)
        options.append(ui.option(title, wanted, sentence, default=key == chosen))
    return ui.select(key_of(table)("which", page), options, t("Change a rule…"))


def _values(t: Formatter, table: Table, chosen: str) -> ui.Screen:
    if chosen.startswith("powers."):
        return _power_controls(t, table, chosen)
    rules, now = table.rules, value_of(table.rules, chosen)
    others = [each for each in values_of(chosen) if each != now]
    options = [ui.option(value_words(t, chosen, each, rules), str(each)) for each in others]
    return ui.captioned(t("Change it to"), ui.select(key_of(table)("set", chosen), options, t("Choose…")))


def _power_controls(t: Formatter, table: Table, chosen: str) -> ui.Screen:
    name = chosen.partition(".")[2]
    rank, power = rank_of_key(name), table.rules.powers.get(name, PLAIN)
    kind, _, named = power.asks.partition(":")  # `rank:7` names a rank

    def control(part: str, options: Sequence[ui.Component], title: str, none: str = "") -> ui.Screen:
        """A select for one answer, or for any number if `none` words the lack of any; screen readers hear its title."""
        id_ = key_of(table)("set", f"{chosen}.{part}")
        fewest, most, words = (0, len(options), f"{none} · {title}") if none else (1, 1, title)
        return ui.captioned(title, ui.select(id_, options, words, fewest=fewest, most=most))

    parts = control("on", _on_options(t, rank, power.on), t("Where may they be played?"))
    parts += control("asks", _asks_options(t, rank, kind), t("What must the next card be?"))
    if named:
        parts += control("of", _rank_options(t, {POWER_KEYS[parse_rank(named)]}), t("Which rank?"))
    if power.asks == "under":
        anything = ui.option(t("Anything"), NONE, default=power.bare is None)
        ranks = _rank_options(t, {power.bare}, higher=True)
        parts += control("bare", [anything, *ranks], t("And with no card below them?"))
    does = [ui.option(capital(t(words)), each, default=each in power.does) for each, words in DOES.items()]
    parts += control("does", does, t("What else do they do?"), t("Nothing"))
    if "burn" in power.does:
        parts += control("burns_on", _rank_options(t, power.burns_on), t("Do they burn only on some cards?"), t("No"))
    parts += control("not_on", _rank_options(t, power.not_on), t("Are there cards they may not go on?"), t("No"))
    parts += control("only_on", _rank_options(t, power.only_on), t("May they go on some cards only?"), t("No"))
    return [*parts, _flags(t, table, chosen, power)]


def _on_options(t: Formatter, rank: Rank, on: str) -> list[ui.Component]:
    """What a card may be played on; for a joker no card is higher."""
    higher = {} if rank == JOKER else {"higher": t("Also on any higher card")}
    places = {"rank": t("Where they fit, as usual"), **higher, "anything": t("On anything")}
    return [ui.option(place, each, default=each == on) for each, place in places.items()]


def _asks_options(t: Formatter, rank: Rank, kind: str) -> list[ui.Component]:
    """What a card may ask of the next one; a joker has no rank of its own to ask for."""
    own = t.rank_name(rank)
    if rank == JOKER and kind in RANKED:
        kind = "anything"
    labels = {
        "at-least": t("{rank} or higher", rank=own),
        "at-most": t("{rank} or lower", rank=own),
        "below": t("Lower than {rank}", rank=own),
        "same": t("{rank} only", rank=own),
        "anything": t("Anything"),
        "under": t("What the card below asks for"),
        "named": t("High or low, as you say"),
        "not": t("Anything but a rank of your choice"),
        "rank": t("A rank of your choice or higher"),
    }
    fitting = [each for each in labels if rank != JOKER or each not in RANKED]
    return [ui.option(capital(labels[each]), each, default=each == kind) for each in fitting]


def _rank_options(t: Formatter, chosen: Collection[str | None], *, higher: bool = False) -> list[ui.Component]:
    names = [(POWER_KEYS[rank], t.rank_name(rank)) for rank in SEARCH]
    labels = [(key, t("{rank} or higher", rank=name) if higher else name) for key, name in names]
    return [ui.option(capital(name), key, default=key in chosen) for key, name in labels]


def _flags(t: Formatter, table: Table, chosen: str, power: Power) -> ui.Component:
    """Switches for what only some powers can have."""
    skips = bool({"skip", "skip-beneath"} & set(power.does))
    applies = {"two_left": skips, "wild": chosen == "powers.joker", "answer": "give-pile" in power.does}
    shown = [(name, label) for name, label in _FLAGS.items() if applies.get(name, True)]
    now = power.model_dump()
    return ui.row(*(_switch(t, table, "set", f"{chosen}.{name}", label, on=bool(now[name])) for name, label in shown))


def _steps(t: Formatter, table: Table, page: str, chosen: str, *, manager: bool) -> ui.Screen:
    key, pages = key_of(table), list(PAGES)
    number = pages.index(page)
    before, after = pages[max(number - 1, 0)], pages[min(number + 1, len(pages) - 1)]
    ways = [
        ui.button(key("house", before), t("Previous"), disabled=before == page),
        ui.button(key("house", after, 2), t("Next"), disabled=after == page),
    ]
    if chosen:
        ways = [ui.button(key("house", page), t("Back"))]
    keep = [ui.button(key("keep", page), t("Save for this server"))] if manager else []
    plain = t("Reset all rules to {variant}", variant=variant_title(t, table.variant))
    changed = len(changed_options(table.rules, base_rules(table.variant)))
    verb = "unhousing" if changed > 1 else "unhouse"  # of one rule, it is not asked first
    reset = [ui.button(key(verb, page), plain)] if table.rules != base_rules(table.variant) else []
    return [
        ui.row(ui.button(key("more"), t("Done"), ui.Style.GREEN), *ways),
        ui.row(*reset, ui.button(key("housetext"), t("As text")), *keep),
    ]


def confirm_reset_screen(t: Formatter, table: Table, page: str) -> ui.Screen:
    """Asks before dropping several house rules."""
    page = page if page in PAGES else ""  # what an id of somebody else's making names may be too long for one of ours
    title, count = variant_title(t, table.variant), len(changed_options(table.rules, base_rules(table.variant)))
    question = t("Reset all rules to {variant}? That drops {count} house rules.", variant=title, count=count)
    return confirmation_screen(t, table, question, t("Drop the house rules"), verb="unhouse", back="house", page=page)


def text_form(t: Formatter, table: Table, rejected: str = "") -> ui.Component | None:
    """A form with a rejected text, by default with the table's rules as one line; None if they are too long for it."""
    now = rejected or format_rules(table.variant, table.rules)
    if len(now) > ui.MOST_CHARACTERS:
        return None
    asked = ui.field("rules", t("Copy it, or paste another"), value=now, long=True)
    return ui.form(key_of(table)("houseread"), t("House rules as text"), asked)


def rejected_text_screen(t: Formatter, table: Table, why: str, text: str) -> ui.Screen:
    """Why rules as text were rejected, with the text to correct: Discord keeps nothing of a form that was sent."""
    rejected = text.replace("`", "").strip()
    if len(rejected) > _MOST_REJECTED:
        rejected = rejected[:_MOST_REJECTED] + _CUT  # between any two characters: a code block has no markup
    shown = f"{t('Your text:')}\n{_BLOCK}\n{rejected}\n{_BLOCK}" if rejected else ""
    again = ui.button(key_of(table)("housetext"), t("Correct it"))
    return ui.container(ui.Accent.RED, [ui.lines(why, shown), ui.row(again)])


def rejected_text(screen: Iterable[ui.Component]) -> str:
    """The text that `rejected_text_screen` shows; empty if it shows only a part, or if this is another screen."""
    shown = next((each["content"] for each in ui.walk(screen) if _BLOCK in each.get("content", "")), "")
    text = shown.partition(_BLOCK)[2].rpartition(_BLOCK)[0].strip()
    return "" if text.endswith(_CUT) else text


def houses_screen(t: Formatter, saved: Sequence[HouseRule], usual: str, notice: str = "") -> ui.Screen:
    """All house rules that a server saved; `usual` is the key of its default variant or house rules."""
    lines: list[str] = []
    for each in saved:
        line = t("{name} · {origin}", name=bold(each.name), origin=origin_words(t, each.variant, each.rules))
        lines.append(t("{rules} · default", rules=line) if each.key == usual else line)
    empty = t(
        "None yet. Open a table, change its rules under {more}, **House rules**, then press **Save for this server**.",
        **t.buttons(),
    )
    parts = [ui.lines(ui.small(notice), ui.h2(t("Saved house rules")), *(lines or [empty])), ui.divider()]
    if saved:
        each_one = [ui.option(each.name, str(each.id), origin_words(t, each.variant, each.rules)) for each in saved]
        parts.append(ui.select(format_id("saved"), each_one, t("Choose…")))
    settings = ui.button(format_id("settings"), t("Settings of this server"))
    return ui.container(ui.Accent.BLUE, [*parts, ui.row(settings)])


def saved_screen(t: Formatter, saved: HouseRule, usual: str, *, is_asked: bool = False) -> ui.Screen:
    """Saved house rules with what differs from their variant, and buttons to make them the default or delete them.

    With `is_asked` it asks whether to delete them.
    """
    number, is_usual = str(saved.id), saved.key == usual
    label = t("Default ✓") if is_usual else t("Make default")
    ways = ui.row(
        ui.button(format_id("usual", argument=number), label, ui.Style.GREEN, disabled=is_usual),
        ui.button(format_id("unsave", argument=number), t("Delete"), ui.Style.RED),
        ui.button(format_id("houses"), t("Back")),
    )
    head = ui.lines(ui.h2(escaped(saved.name)), ui.small(origin_words(t, saved.variant, saved.rules)))
    changed = ui.lines(*differences(t, saved.rules, base_rules(saved.variant)))
    if not is_asked:
        return ui.container(ui.Accent.BLUE, [head, changed, ui.divider(), ways])
    delete = ui.button(format_id("unsaved", argument=number), t("Delete"), ui.Style.RED)
    question = ui.lines(f"**{t('Delete them for the whole server?')}**")
    answers = ui.row(delete, ui.button(format_id("saved", argument=number), t("Back")))
    return ui.container(ui.Accent.RED, [head, changed, question, answers])


def name_form(t: Formatter, table: Table, page: str) -> ui.Component:
    """Asks for the name under which to save a table's rules; `page` is the page to return to."""
    page = page if page in PAGES else ""
    name = ui.field(NAME, t("Name, up to {count} characters", count=LONGEST_NAME), value=table.title, most=LONGEST_NAME)
    return ui.form(key_of(table)("keepas", page), t("Save for this server"), name)


def name_taken_screen(t: Formatter, table: Table, saved: HouseRule, page: str) -> ui.Screen:
    """Asks whether to replace the house rules that already have the name."""
    key = key_of(table)
    page = page if page in PAGES else ""
    question = ui.lines(
        t("**House rules called {name} are saved already.**", name=escaped(saved.name)),
        ui.small(origin_words(t, saved.variant, saved.rules)),
        t("Replace them with the rules of this table?"),
    )
    ways = ui.row(
        ui.button(key("keepover", f"{saved.id}={page}"), t("Replace"), ui.Style.RED),
        ui.button(key("keep", page), t("Choose another name")),
        ui.button(key("house", page), t("Back")),
    )
    return ui.container(ui.Accent.RED, [question, ways])
