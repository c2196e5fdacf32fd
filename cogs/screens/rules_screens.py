"""Pages to read: the rules of a table or of a variant, made from the options, and the help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cogs.screens.components as ui
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


def rules_screen(t: Formatter, name: str, rules: Rules, seats: int | None = None, saved_as: str = "") -> ui.Screen:
    """The rules of a table: its variant's sentence, the special cards, the deal, the play.

    `name` is the variant, `saved_as` the name of house rules that were saved. Examples are left out where they do not
    fit, their pictures first.
    """
    for each, examples in ((t, True), (t.plain(), True)):
        screen = _rules(each, name, rules, seats, saved_as, examples=examples)
        if ui.characters(screen) < ui.MOST_CHARACTERS:
            return screen
    return _rules(t, name, rules, seats, saved_as, examples=False)


def _rules(t: Formatter, name: str, rules: Rules, seats: int | None, saved_as: str, *, examples: bool) -> ui.Screen:
    title = ui.h2(f"{t.game()} · {escaped(played_by(t, name, saved_as))}")
    origin = ui.small(from_words(t, name, rules)) if saved_as else variant_sentence(t, name)
    basics = [*map(ui.small, map(t, _BASICS)), basic_example(t, rules) if examples else ""]
    special = special_cards(t, rules, seats, examples=examples)
    parts = [
        ui.lines(title, origin, *basics, *map(ui.small, _order(t, rules))),
        ui.divider(),
        ui.lines(ui.h3(t("Special cards")), *special) if special else ui.lines(t("No card is special.")),
        ui.lines(ui.h3(t("Before play")), t.sentences(*dealing(t, rules))),
        ui.lines(ui.h3(t("In play")), *playing(t, rules, examples=examples)),
    ]
    return ui.container(ui.Accent.BLUE, [*parts, ui.divider(), ui.row(_tutorial(t))])


def _tutorial(t: Formatter) -> ui.Component:
    return ui.button(format_id("tutorial"), t("Tutorial"))


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


def help_screen(t: Formatter, commands: Sequence[str]) -> ui.Screen:
    """What the bot does and how to begin; `commands` is a line for each."""
    told = ui.lines(
        ui.h2(t.game()),
        t("A card game for two to six: get rid of your cards, or make the others tea."),
        t("Open a table with {command}, others press **Join**, then **Start**.", command=t.command("start")),
        t("**My hand** shows your cards, to you alone. Alone here? Add a computer under **More**."),
        more_time(t),
    )
    return ui.container(ui.Accent.BLUE, [told, ui.row(_tutorial(t)), ui.divider(), ui.lines(*commands)])
