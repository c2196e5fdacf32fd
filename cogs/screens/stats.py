"""Statistics: what a person's games in a server come to, and who of the server loses least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.components import Accent, Component, Screen, button, container, divider, h2, lines, row, small
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.wording import mention
from tables.history import Rank, Score

MOST_RANKS: Final = 10


def share(part: float) -> str:
    """A share in whole percent."""
    return f"{round(part * 100)}"


def score_screen(t: Formatter, user_id: int, score: Score | None) -> Screen:
    """The statistics of one person."""
    name = mention(t, user_id)
    head = h2(t("Statistics"))
    if score is None:
        return container(Accent.BLUE, [lines(head, t("{name} wants no statistics here.", name=name))])
    if not score.games:
        return container(Accent.BLUE, [lines(head, t("{name} has not finished a game here yet.", name=name))])
    return container(Accent.BLUE, [lines(head, *_rates(t, name, score)), divider(), lines(*_records(t, score))])


def _rates(t: Formatter, name: str, score: Score) -> list[str]:
    games = t.n("{name} · {count} game", "{name} · {count} games", score.games, name=name)
    rate = share(score.lost / score.games)
    lost = t("Last in {lost}: {rate} %", lost=score.lost, rate=rate)
    if not t.polite:
        lost = t("Shithead in {lost}: {rate} %", lost=score.lost, rate=rate)
    between = t("Between {low} and {high} %, certain to 95 %", low=share(score.low), high=share(score.high))
    return [games, f"**{lost}**", small(between)]


def _records(t: Formatter, score: Score) -> list[str]:
    said = [
        t.n("Longest without losing: {count} game", "Longest without losing: {count} games", score.unlost),
        t.n("Longest losing: {count} game", "Longest losing: {count} games", score.losing),
    ]
    if score.most_held is not None:
        said.append(t.n("Most cards held: {count}", "Most cards held: {count}", score.most_held))
    if score.fastest is not None:
        said.append(t.n("Fastest out: {count} turn", "Fastest out: {count} turns", score.fastest))
    if score.uncounted:
        more = t.n("{count} older game is still looked at", "{count} older games are still looked at", score.uncounted)
        said.append(small(more))
    return said


def board_screen(t: Formatter, ranks: Sequence[Rank]) -> Screen:
    """Who of a server loses least."""
    if not ranks:
        return container(Accent.BLUE, [lines(h2(t("Who loses least")), t("No game has been finished here yet."))])
    why = t("In order of the rate that is nearly certain, so that one lucky game does not lead")
    parts: list[Component] = [lines(h2(t("Who loses least")), small(why)), divider()]
    parts.append(lines(*(_rank(t, nth, rank) for nth, rank in enumerate(ranks[:MOST_RANKS], 1))))
    more = len(ranks) - MOST_RANKS
    if more > 0:
        parts.append(lines(small(t.n("and {count} more", "and {count} more", more))))
    parts.append(row(button(format_id("mystats"), t("My numbers"))))
    return container(Accent.BLUE, parts)


def _rank(t: Formatter, nth: int, rank: Rank) -> str:
    games = t.n("{count} game", "{count} games", rank.games)
    lost = t(
        "lost {rate} % ({low} to {high})",
        rate=share(rank.lost / rank.games),
        low=share(rank.low),
        high=share(rank.high),
    )
    return f"{nth}\\. {mention(t, rank.user_id)} · {games} · {lost}"
