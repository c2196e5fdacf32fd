"""Pages to read: the rules of a table or of a variant, made from the options, and the help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.components import (
    MOST_CHARACTERS,
    Accent,
    Component,
    Screen,
    button,
    characters,
    container,
    divider,
    h2,
    h3,
    lines,
    row,
    small,
)
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark
from cogs.screens.names import escaped
from cogs.screens.rule_words import basic_example, dealing, from_words, playing, special_cards
from cogs.screens.wording import played_by, variant_sentence
from game.cards import ACE, RANKS
from game.rules import Rules

TWO: Final = RANKS.index("2")
_BASICS: Final = (
    mark("Get rid of your cards: hand first, then face-up, then face-down, flipped blind."),
    mark("Play one card, or several of one rank, equal to or higher than the pile; else take the pile."),
)


def rules_screen(t: Formatter, name: str, rules: Rules, seats: int | None = None, saved_as: str = "") -> Screen:
    """The rules of a table: its variant's sentence, the special cards, the deal, the play.

    `name` is the variant, `saved_as` the name of house rules that were saved. Examples are left out where they do not
    fit, their pictures first.
    """
    for each, examples in ((t, True), (t.plain(), True)):
        screen = _rules(each, name, rules, seats, saved_as, examples=examples)
        if characters(screen) < MOST_CHARACTERS:
            return screen
    return _rules(t, name, rules, seats, saved_as, examples=False)


def _rules(t: Formatter, name: str, rules: Rules, seats: int | None, saved_as: str, *, examples: bool) -> Screen:
    title = h2(f"{t.game()} · {escaped(played_by(t, name, saved_as))}")
    origin = small(from_words(t, name, rules)) if saved_as else variant_sentence(t, name)
    basics = [*map(small, map(t, _BASICS)), basic_example(t, rules) if examples else ""]
    special = special_cards(t, rules, seats, examples=examples)
    parts = [
        lines(title, origin, *basics, *map(small, _order(t, rules))),
        divider(),
        lines(h3(t("Special cards")), *special) if special else lines(t("No card is special.")),
        lines(h3(t("Before play")), t.sentences(*dealing(t, rules))),
        lines(h3(t("In play")), *playing(t, rules, examples=examples)),
    ]
    return container(Accent.BLUE, [*parts, divider(), row(_tutorial(t))])


def _tutorial(t: Formatter) -> Component:
    return button(format_id("tutorial"), t("Tutorial"))


def _order(t: Formatter, rules: Rules) -> list[str]:
    """The ranks, lowest first, without twos where they go on anything; and what the loser is called."""
    twos = [] if rules.power(TWO).on == "anything" else [TWO]
    plain = list(range(TWO + 1, ACE))
    ranks = [ACE, *twos, *plain] if rules.play.ace == "low" else [*twos, *plain, ACE]
    said = [t("Low to high: {ranks}.", ranks=" ".join(map(t.letter, ranks)))]
    if rules.end.aim != "winner" and not t.polite:
        said.append(t("Whoever loses is the shithead."))
    return said


def more_time(t: Formatter) -> str:
    """Where those who need longer find it."""
    return t("Need longer? Under **More** in the lobby the host gives everybody twice or four times the time.")


def help_screen(t: Formatter, commands: Sequence[str]) -> Screen:
    """What the bot does and how to begin; `commands` is a line for each."""
    told = lines(
        h2(t.game()),
        t("A card game for two to six: get rid of your cards, or make the others tea."),
        t("Open a table with {command}, others press **Join**, then **Start**.", command=t.command("start")),
        t("**My hand** shows your cards, to you alone. Alone here? Add a computer under **More**."),
        more_time(t),
    )
    return container(Accent.BLUE, [told, row(_tutorial(t)), divider(), lines(*commands)])
