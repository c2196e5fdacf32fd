"""Pages to read: the rules of a table or a variant in words made from its options, and the help."""

from __future__ import annotations

from typing import Final

from cogs.screens.commandwords import typed
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
)
from cogs.screens.faces import Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import Translator, mark
from cogs.screens.lobby import known_variant, played_by
from cogs.screens.names import escaped
from cogs.screens.offers import from_words
from cogs.screens.rulewords import basic_example, dealing, playing, special_cards
from cogs.screens.wording import game_name, small, variant_sentence
from game.cards import ACE, RANKS
from game.rules import Rules
from game.variants import Variant

TWO: Final = RANKS.index("2")
_BASICS: Final = (
    mark("Get rid of your cards: hand first, then face-up, then face-down, flipped blind."),
    mark("Play one card, or several of one rank, equal to or higher than the pile; else take the pile."),
)
_COMMANDS: Final = (
    ("start", mark("open a table here")),
    ("hand", mark("see your cards")),
    ("table", mark("bring the table to the bottom of the channel")),
    ("leave", mark("leave the table; the computer plays on for you")),
    ("stop", mark("stop the game, or vote for it; nobody owes tea then")),
    ("rules", mark("the rules of this table, or of any variant")),
    ("tutorial", mark("learn the game in ten short steps")),
    ("replay", mark("step through a finished game")),
    ("verify", mark("work the shuffle of a game out again")),
    ("stats", mark("who loses how often")),
    ("me", mark("text mode, four colours, reminders")),
    ("settings", mark("for who may manage this server")),
    ("privacy show", mark("what is stored of you, to read, keep or delete")),
)


def rules_screen(fmt: Formatter, name: str, rules: Rules, seats: int | None = None, saved_as: str = "") -> Screen:
    """The rules of a table: its variant's sentence, the special cards, the deal, the play.

    `name` is the variant, `saved_as` the name of house rules that were saved. Examples are left out where they do not
    fit, their pictures first.
    """
    for each, examples in ((fmt, True), (fmt.plain(), True)):
        screen = _rules(each, name, rules, seats, saved_as, examples=examples)
        if characters(screen) < MOST_CHARACTERS:
            return screen
    return _rules(fmt, name, rules, seats, saved_as, examples=False)


def _rules(fmt: Formatter, name: str, rules: Rules, seats: int | None, saved_as: str, *, examples: bool) -> Screen:
    t, found = fmt.t, known_variant(name)
    head = [h2(f"{game_name(fmt)} · {escaped(played_by(t, name, saved_as))}")]
    if saved_as:
        head.append(small(from_words(t, name, rules)))
    elif found:
        head.append(variant_sentence(t, found.sentence))
    special = special_cards(fmt, rules, seats, examples=examples)
    basics = [*map(small, map(t, _BASICS)), basic_example(fmt, rules) if examples else ""]
    return container(
        Accent.BLUE,
        [
            lines(*head, *basics, *map(small, _order(fmt, rules))),
            divider(),
            lines(h3(t("Special cards")), *special) if special else lines(t("No card is special.")),
            lines(h3(t("Before play")), t.sentences(*dealing(t, rules))),
            lines(h3(t("In play")), *playing(fmt, rules, examples=examples)),
            divider(),
            row(_tutorial(fmt)),
        ],
    )


def _tutorial(fmt: Formatter) -> Component:
    return button(format_id("tutorial", 0, 0), fmt.t("Tutorial"))


def _order(fmt: Formatter, rules: Rules) -> list[str]:
    """The ranks, lowest first, without twos where they go on anything; and what the loser is called."""
    twos = [] if rules.power(TWO).on == "anything" else [TWO]
    plain = list(range(TWO + 1, ACE))
    ranks = [ACE, *twos, *plain] if rules.play.ace == "low" else [*twos, *plain, ACE]
    said = [fmt.t("Low to high: {ranks}.", ranks=" ".join(map(fmt.letter, ranks)))]
    if rules.end.aim != "winner" and not fmt.polite:
        said.append(fmt.t("Whoever loses is the shithead."))
    return said


def variant_rules_screen(fmt: Formatter, found: Variant) -> Screen:
    """The rules of a variant."""
    return rules_screen(fmt, found.id, found.rules)


def more_time(t: Translator) -> str:
    """Where those who need longer find it."""
    return t("Need longer? Under **More** in the lobby the host gives everybody twice or four times the time.")


def help_screen(fmt: Formatter) -> Screen:
    """What the bot does and how to begin."""
    t = fmt.t
    listed = [f"{fmt.command(*name.split())} · {t(said)}" for name, said in _COMMANDS]
    tea = {name: typed(t, "tea", name) for name in ("owed", "served", "forgive", "history")}
    return container(
        Accent.BLUE,
        [
            lines(
                h2(game_name(fmt)),
                t("A card game for two to six: get rid of your cards, or make the others tea."),
                t("Open a table with {command}, others press **Join**, then **Start**.", command=fmt.command("start")),
                t("**My hand** shows your cards, to you alone. Alone here? Add a computer under **More**."),
                more_time(t),
            ),
            row(_tutorial(fmt)),
            divider(),
            lines(*listed, t("{owed}, {served}, {forgive}, {history} · who owes whom a cup of tea", **tea)),
        ],
    )
