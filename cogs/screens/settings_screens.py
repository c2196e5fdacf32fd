"""Settings of a server and of a person in it; statistics; what is stored about a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import orjson

import cogs.screens.components as ui
from cogs.screens.computer_words import level_words, with_robot
from cogs.screens.formatter import Formatter, capital
from cogs.screens.ids import format_id, toggle_argument
from cogs.screens.language import LANGUAGES, mark, mark_n
from cogs.screens.rules_screens import choices, more_time
from cogs.screens.wording import mention, toggle
from data.game_models import Losses
from data.guild_models import GuildFiles, GuildSettings, HouseRule, Preferences
from tables.snapshots import Score, Strength

NUDGES: Final = (0, 30, 60, 120, 300, 600)
"""Seconds before a reminder, for a server to choose from; 0 is never."""
AS_DISCORD: Final = "auto"
_OWN: Final = (
    ("text_mode", mark("Text mode"), mark("cards and buttons in words; the table as a list in your hand")),
    ("four_colours", mark("Four colours"), mark("diamonds blue and clubs green in your hand")),
    ("quiet", mark("Reminders"), mark("a mention when others wait for you")),
    ("called", mark("Game started"), mark("a mention when your cards are dealt")),
    (
        "digest",
        mark("Daily digest"),
        mark("slow games, with 24 hours a turn or more: one direct message a day, at the time when you switch it on"),
    ),
    ("uncounted", mark("Count my games"), mark("a place on the boards, and statistics that others can see")),
)
_AGAINST: Final = frozenset({"quiet", "uncounted"})
"""Preferences that are stored as opting out of something, but shown as having it on or off."""
FLAGS: Final = frozenset(name for name, _, _ in _OWN)
MOST_RANKS: Final = 10
ENOUGH: Final = 5
"""Games after which a rate begins to mean something."""
STORED_FILE: Final = "my-data.json"
_LARGEST: Final = 1 << 53
"""The largest integer that every JSON parser reads exactly."""


def settings_screen(
    t: Formatter, settings: GuildSettings, notice: str = "", saved: Sequence[HouseRule] = (), *, pictures: bool = True
) -> ui.Screen:
    """The settings of a server, with a control for each; `pictures` says whether this bot draws tables at all."""
    named = t("Name of the game: {name}", name=replace(t, polite=settings.polite).game())
    switches = [
        _switch(t, "polite", t("Polite name: Palace"), on=settings.polite),
        _switch(t, "four_colours", t("Four colours"), on=settings.four_colours),
    ]
    if pictures:
        switches.append(_switch(t, "pictures", t("Table as a picture"), on=settings.pictures))
    head = ui.lines(ui.small(notice), ui.h2(t("Settings of this server")), ui.small(named))
    spoken = ui.small(t("Public messages are in this language, private ones in their reader’s own"))
    others = ui.button(format_id("houses"), t("Saved house rules")), ui.button(format_id("me"), t("My own settings"))
    key = partial(format_id, "guild", 0, 0)
    language = ui.select(key("locale"), _languages(t, settings)[: ui.MOST_OPTIONS], t("Language of the tables"))
    variant = ui.captioned(t("Default variant"), *choices(t, partial(key, "variant"), saved, settings.variant))
    nudge = ui.select(key("nudge"), _nudges(t, settings), t("Reminder when a turn waits"))
    chosen = [ui.lines(spoken), language, ui.divider(), *variant, nudge]
    elsewhere = t("Where and by whom the commands may be used is set in Discord: Server Settings, Integrations")
    foot = ui.lines(ui.small(elsewhere))
    return ui.container(ui.Accent.BLUE, [head, ui.row(*switches), ui.divider(), *chosen, ui.row(*others), foot])


def _languages(t: Formatter, settings: GuildSettings) -> list[ui.Component]:
    first = ui.option(t("Language: as on Discord"), AS_DISCORD, default=settings.locale is None)
    named = {code: t("Language: {name}", name=each.name) for code, each in LANGUAGES.items()}
    return [first, *(ui.option(name, code, default=settings.locale == code) for code, name in named.items())]


def _nudges(t: Formatter, settings: GuildSettings) -> list[ui.Component]:
    made: list[ui.Component] = []
    for seconds in sorted({*NUDGES, settings.nudge_seconds}):
        after = t.n("Reminder after {count} second", "Reminder after {count} seconds", seconds)
        label = after if seconds else t("Reminder: never")
        made.append(ui.option(label, str(seconds), default=seconds == settings.nudge_seconds))
    return made


def _switch(t: Formatter, name: str, label: str, *, on: bool) -> ui.Component:
    return toggle(t, format_id("guild", argument=toggle_argument(name, on=on)), label, on=on)


def own_screen(t: Formatter, chosen: Preferences, notice: str = "") -> ui.Screen:
    """The settings of a person in a server."""
    parts: ui.Screen = [ui.divider()]
    stored = chosen.model_dump()
    for name, title, what in _OWN:
        is_set = bool(stored[name])
        on = not is_set if name in _AGAINST else is_set
        rarely = name == "quiet" and on and chosen.digest and chosen.refused_at is None
        more = t("in slow games only shortly before your time is up") if rarely else ""
        wish = toggle_argument(name, on=is_set)
        parts.append(ui.lines(ui.small(capital(t(what)), more)))
        parts.append(ui.row(toggle(t, format_id("mine", argument=wish), t(title), on=on)))
    if chosen.digest and chosen.refused_at is not None:
        why = t("**The digest did not arrive:** do you accept direct messages from me? I remind you here instead.")
        parts.append(ui.lines(why))
    head = ui.lines(
        ui.small(notice),
        ui.h2(t("Your settings")),
        ui.small(t("For this server; you alone see this"), t("in the language of your Discord")),
    )
    others = (
        ui.button(format_id("mystats", int(t.polite)), t("My statistics")),
        ui.button(format_id("stored"), t("My data")),
    )
    return ui.container(ui.Accent.BLUE, [head, *parts, ui.divider(), ui.lines(ui.small(more_time(t))), ui.row(*others)])


def score_screen(t: Formatter, user_id: int, score: Score | None) -> ui.Screen:
    """The statistics of one person."""
    name, head = mention(t, user_id), ui.h2(t("Statistics"))
    if score is None:
        return ui.container(ui.Accent.BLUE, [ui.lines(head, t("{name} has turned statistics off here.", name=name))])
    if not score.games:
        return ui.container(ui.Accent.BLUE, [ui.lines(head, t("{name} has not finished a game here yet.", name=name))])
    rates = ui.lines(head, *_rates(t, name, score))
    return ui.container(ui.Accent.BLUE, [rates, ui.divider(), ui.lines(*_records(t, score))])


def _rates(t: Formatter, name: str, score: Score) -> list[str]:
    games = t.n("{name} · {count} game", "{name} · {count} games", score.games, name=name)
    rate = round(100 * score.lost / score.games)
    polite = t.n("Last once ({rate}%)", "Last {count} times ({rate}%)", score.lost, rate=rate)
    rude = t.n("Shithead once ({rate}%)", "Shithead {count} times ({rate}%)", score.lost, rate=rate)
    between = t("Likely between {low}% and {high}%", low=round(100 * score.low), high=round(100 * score.high))
    return [games, f"**{polite if t.polite else rude}**", ui.small(between if score.games >= ENOUGH else "")]


def _records(t: Formatter, score: Score) -> list[str]:
    won = mark_n("Longest streak without a loss: {count} game", "Longest streak without a loss: {count} games")
    lost = mark_n("Longest losing streak: {count} game", "Longest losing streak: {count} games")
    lines = [t.n(*won, score.unbeaten), t.n(*lost, score.losing)]
    if score.most_held is not None:
        lines.append(t.n("Most cards held: {count}", "Most cards held: {count}", score.most_held))
    if score.fastest is not None:
        lines.append(t.n("Fastest out: {count} turn", "Fastest out: {count} turns", score.fastest))
    if score.to_count:
        more = t.n(
            "{count} older game is still being counted", "{count} older games are still being counted", score.to_count
        )
        lines.append(ui.small(more))
    return lines


def ranks_screen(t: Formatter, ranks: Sequence[Losses]) -> ui.Screen:
    """The leaderboard of a server: who loses least."""
    title = ui.h2(t("Leaderboard: fewest losses"))
    if not ranks:
        return ui.container(ui.Accent.BLUE, [ui.lines(title, t("No game has been finished here yet."))])
    cautious = t("Sorted cautiously, so one lucky game does not put you on top")
    has_enough = any(rank.games >= ENOUGH for rank in ranks)  # else the first may well have had one lucky game
    why = ui.small(cautious if has_enough else "", t("Games against computers count, too"))
    ways = ui.row(
        ui.button(format_id("mystats", int(t.polite)), t("My statistics")),
        ui.button(format_id("strength", int(t.polite)), t("Strength")),
    )
    # Whoever has lost as often in as many games has the same rank.
    counts = [(rank.lost, rank.games) for rank in ranks]
    listed = _listed(t, [_rank(t, 1 + counts.index((rank.lost, rank.games)), rank) for rank in ranks])
    return ui.container(ui.Accent.BLUE, [ui.lines(title, why), ui.divider(), *listed, ways])


def _listed(t: Formatter, lines: Sequence[str]) -> ui.Screen:
    """The first lines of a leaderboard, and how many more there are."""
    more = len(lines) - MOST_RANKS
    others = ui.small(t.n("and {count} more", "and {count} more", more)) if more > 0 else ""
    return [ui.lines(*lines[:MOST_RANKS]), ui.lines(others)]


def _rank(t: Formatter, nth: int, rank: Losses) -> str:
    rate = round(100 * rank.lost / rank.games)
    lost = mark_n("lost {lost} of {count} game ({rate}%)", "lost {lost} of {count} games ({rate}%)")
    return f"{nth}\\. {mention(t, rank.user_id)} · {t.n(*lost, rank.games, lost=rank.lost, rate=rate)}"


def strength_screen(t: Formatter, strengths: Sequence[Strength]) -> ui.Screen:
    """How well people and computers play, with the remaining uncertainty."""
    title = ui.h2(t("Strength"))
    counted = t("Only games without hints count: **Forbid hints** is under {more} in the lobby.", **t.buttons())
    rated = ui.small(counted)
    if not strengths:
        none = t("No game without hints has been finished here yet.")
        return ui.container(ui.Accent.BLUE, [ui.lines(title, none, rated)])
    why = t("From the order in which everybody went out, and against whom; those with few games are placed lower")
    listed = _listed(t, [_strength(t, nth, each) for nth, each in enumerate(strengths, 1)])
    return ui.container(ui.Accent.BLUE, [ui.lines(title, ui.small(why), rated), ui.divider(), *listed])


def _strength(t: Formatter, nth: int, strength: Strength) -> str:
    games = t.n("{count} game", "{count} games", strength.games)
    name = mention(t, strength.user_id) if strength.user_id else with_robot(t, level_words(t, strength.level))
    return f"{nth}\\. {name} · **{strength.points:.0f}** ± {strength.doubt:.0f} · {games}"


def stored_file(stored: Mapping[int, GuildFiles], user_id: int, now: datetime) -> tuple[str, bytes]:
    """Everything stored about a person, as JSON, zipped if it is large: the name of the file, and its content.

    Long ids are strings, because many parsers would round them.
    """
    servers = {
        str(guild_id): {kind: list(map(_safe, rows)) for kind, rows in files.items()}
        for guild_id, files in stored.items()
    }
    whole = {"person": str(user_id), "made_at": now.isoformat(timespec="seconds"), "servers": servers}
    content = orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)  # `json` takes 300 MB more
    if len(content) <= ui.MOST_BYTES:  # the moves of a thousand games take as much
        return STORED_FILE, content
    zipped = BytesIO()
    with ZipFile(zipped, "w") as archive:
        archive.writestr(ZipInfo(STORED_FILE, now.timetuple()[:6]), content, ZIP_DEFLATED)
    return f"{STORED_FILE}.zip", zipped.getvalue()


def _safe(row: Mapping[str, Any]) -> dict[str, Any]:
    # The names are of a subclass of `str`, which orjson refuses.
    return {str(name): str(value) if type(value) is int and value > _LARGEST else value for name, value in row.items()}


def stored_screen(t: Formatter, stored: Mapping[int, GuildFiles], guild_id: int) -> ui.Screen:
    """How much is stored, and what can be done about it."""
    title, others = ui.h2(t("What I store about you")), len(set(stored) - {guild_id})
    if not stored:
        return ui.container(ui.Accent.BLUE, [ui.lines(title, t("Nothing at all."))])
    what = t("Discord’s IDs for you and your clicks, and what you did in games.")
    but = ui.small(t("No messages, no e-mail address. Your name is kept only while a table is open."))
    more = t.n("Also in {count} other server", "Also in {count} other servers", others) if others else ""
    export = ui.button(format_id("export"), t("Download all"), ui.Style.BLURPLE)
    ways = ui.row(export, ui.button(format_id("erase"), t("Forget me")))
    counts = ui.lines(*_counts(t, stored.get(guild_id, {})), more)
    return ui.container(ui.Accent.BLUE, [ui.lines(title, what, but), ui.divider(), counts, ways])


def _counts(t: Formatter, here: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    many = {kind: len(rows) for kind, rows in here.items()}
    owed = sum(debt["state"] == "owed" for debt in here.get("owes", ()))
    houses = many.get("house_rules", 0)
    moves = many.get("moves", 0)  # only those made since they sat down: there may be games, but no moves
    debts = t.n("{count} debt of yours", "{count} debts of yours", many.get("owes", 0))
    return [
        t("In this server:"),
        t.n("{count} table", "{count} tables", many.get("tables", 0)),
        t.n("{count} move stored as yours", "{count} moves stored as yours", moves) if moves else "",
        t.n("{count} finished game", "{count} finished games", many.get("results", 0)),
        " · ".join(filter(None, (debts, t("{count} open", count=owed) if many.get("owes") else ""))),
        t.n("{count} debt to you", "{count} debts to you", many.get("is_owed", 0)),
        t.n("{count} saved set of house rules", "{count} saved sets of house rules", houses) if houses else "",
        t("your settings") if many.get("chosen") else "",
    ]


def export_screen(t: Formatter, file: str) -> ui.Screen:
    """The file with this name, to download."""
    what = t("Everything that is stored about you, in all servers, as JSON.")
    return ui.container(ui.Accent.BLUE, [ui.lines(what), ui.attached(file)])


def forget_screen(t: Formatter) -> ui.Screen:
    """Asks before forgetting a person."""
    what = ui.lines(
        ui.h2(t("Forget you everywhere?")),
        t("Your settings and statistics are deleted. In old games you appear as *Former player*, in all servers."),
        t("Your debts stay on the tea board, without your name."),
        t("What is owed only to you can then be settled only by a server manager."),
        ui.small(t("This cannot be undone. What is left cannot be linked to you.")),
        ui.small(t("Messages that are already in a channel may still name you; its moderators can delete them.")),
    )
    forget = ui.button(format_id("forget"), t("Forget me"), ui.Style.RED)
    return ui.container(ui.Accent.RED, [what, ui.row(forget, ui.button(format_id("stored"), t("Keep everything")))])
