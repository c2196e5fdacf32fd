"""What is known of a person: statistics, and everything that is stored, to read, to download and to have forgotten."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.wording import mention
from tables.history import Rank, Score

MOST_RANKS: Final = 10
Stored: TypeAlias = Mapping[int, Mapping[str, list[dict[str, Any]]]]
"""What is stored of a person: server → kind → rows."""
STORED_FILE: Final = "my-data.json"
_LARGEST: Final = 1 << 53
"""Up to this number every program that reads JSON reads it exactly."""


# -- statistics


def _share(part: float) -> str:
    """A share in whole percent."""
    return f"{round(part * 100)}"


def score_screen(t: Formatter, user_id: int, score: Score | None) -> ui.Screen:
    """The statistics of one person."""
    name, head = mention(t, user_id), ui.h2(t("Statistics"))
    if score is None:
        return ui.container(ui.Accent.BLUE, [ui.lines(head, t("{name} wants no statistics here.", name=name))])
    if not score.games:
        return ui.container(ui.Accent.BLUE, [ui.lines(head, t("{name} has not finished a game here yet.", name=name))])
    return ui.container(
        ui.Accent.BLUE, [ui.lines(head, *_rates(t, name, score)), ui.divider(), ui.lines(*_records(t, score))]
    )


def _rates(t: Formatter, name: str, score: Score) -> list[str]:
    games = t.n("{name} · {count} game", "{name} · {count} games", score.games, name=name)
    rate = _share(score.lost / score.games)
    polite, rude = (
        t("Last in {lost}: {rate} %", lost=score.lost, rate=rate),
        t("Shithead in {lost}: {rate} %", lost=score.lost, rate=rate),
    )
    between = t("Between {low} and {high} %, certain to 95 %", low=_share(score.low), high=_share(score.high))
    return [games, f"**{polite if t.polite else rude}**", ui.small(between)]


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
        said.append(ui.small(more))
    return said


def ranks_screen(t: Formatter, ranks: Sequence[Rank]) -> ui.Screen:
    """Who of a server loses least."""
    title, more = ui.h2(t("Who loses least")), len(ranks) - MOST_RANKS
    if not ranks:
        return ui.container(ui.Accent.BLUE, [ui.lines(title, t("No game has been finished here yet."))])
    why = t("In order of the rate that is nearly certain, so that one lucky game does not lead")
    listed = ui.lines(*(_rank(t, nth, rank) for nth, rank in enumerate(ranks[:MOST_RANKS], 1)))
    others = ui.lines(ui.small(t.n("and {count} more", "and {count} more", more)) if more > 0 else "")
    own = ui.row(ui.button(format_id("mystats"), t("My numbers")))
    return ui.container(ui.Accent.BLUE, [ui.lines(title, ui.small(why)), ui.divider(), listed, others, own])


def _rank(t: Formatter, nth: int, rank: Rank) -> str:
    games, rate = t.n("{count} game", "{count} games", rank.games), _share(rank.lost / rank.games)
    lost = t("lost {rate} % ({low} to {high})", rate=rate, low=_share(rank.low), high=_share(rank.high))
    return f"{nth}\\. {mention(t, rank.user_id)} · {games} · {lost}"


# -- what is stored


def stored_file(stored: Stored, user_id: int, now: datetime) -> bytes:
    """Everything stored of a person, as JSON. Ids are text: they have more digits than many programs read."""
    servers = {str(guild_id): files for guild_id, files in stored.items()}
    whole = {"person": user_id, "made_at": now.isoformat(timespec="seconds"), "servers": servers}
    return json.dumps(_safe(whole), indent=1, ensure_ascii=False).encode()


def _safe(value: Any) -> Any:
    if isinstance(value, dict):
        found: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _safe(each) for key, each in found.items()}
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_safe(each) for each in items]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and value > _LARGEST else value


def stored_screen(t: Formatter, stored: Stored, guild_id: int) -> ui.Screen:
    """How much is stored, and what can be done about it."""
    title, others = ui.h2(t("What I know of you")), len(set(stored) - {guild_id})
    if not stored:
        return ui.container(ui.Accent.BLUE, [ui.lines(title, t("Nothing at all."))])
    what = t("Numbers that Discord gave to you and to your clicks, and what you did at the tables.")
    but = ui.small(t("No messages, no e-mail address. Your name only while a table is open."))
    more = t.n("Also in {count} other server", "Also in {count} other servers", others) if others else ""
    ways = ui.row(
        ui.button(format_id("export"), t("Download all"), ui.Style.BLURPLE),
        ui.button(format_id("erase"), t("Forget me")),
    )
    counts = ui.lines(*_counts(t, stored.get(guild_id, {})), more)
    return ui.container(ui.Accent.BLUE, [ui.lines(title, what, but), ui.divider(), counts, ways])


def _counts(t: Formatter, here: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    many = {kind: len(rows) for kind, rows in here.items()}
    return [
        t("In this server:"),
        t.n("{count} table", "{count} tables", many.get("tables", 0)),
        t.n("{count} move", "{count} moves", many.get("moves", 0)),
        t.n("{count} finished game", "{count} finished games", many.get("results", 0)),
        t.n("{count} debt of yours", "{count} debts of yours", many.get("owes", 0)),
        t.n("{count} debt to you", "{count} debts to you", many.get("is_owed", 0)),
        t("your settings") if many.get("chosen") else "",
    ]


def export_screen(t: Formatter) -> ui.Screen:
    """The file to download."""
    said = t("Everything that is stored of you, in all servers, as JSON.")
    return ui.container(ui.Accent.BLUE, [ui.lines(said), ui.attached(STORED_FILE)])


def erase_screen(t: Formatter) -> ui.Screen:
    """The question before somebody is forgotten."""
    told = ui.lines(
        ui.h2(t("Forget you everywhere?")),
        t("Your settings and statistics go. In old games you become *a former player*, in all servers."),
        t("What you owe and are owed stays in the books of the others, without your name."),
        ui.small(t("This cannot be undone, and nobody can find you again in what is left.")),
    )
    forget = ui.button(format_id("forget"), t("Forget me"), ui.Style.RED)
    return ui.container(ui.Accent.RED, [told, ui.row(forget, ui.button(format_id("stored"), t("Keep everything")))])
