"""Matches in words: their length and scoring, the standings, who came first and last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import NBSP, Formatter, capital
from cogs.screens.names import bold, isolated
from cogs.screens.wording import NameOf, mention, variant_title
from data.models import Match, Table
from game.variants import variants
from tables.match import Ranked, can_count, counts_points, extremes, is_between_games, played, ranked_at, seat_of_line

SINGLE: Final = "single"
OFFERED: Final = (
    *(Match(target=games) for games in (2, 3, 5, 7, 10)),
    *(Match(target=games, scoring="losses") for games in (3, 5, 10)),
    *(Match(kind="first-to", target=points) for points in (10, 20, 30)),
    *(Match(kind="first-to", target=losses, scoring="losses") for losses in (2, 3, 5)),
)
MOST_PLACES: Final = 20
"""In longer matches, only the places of the latest games are shown."""
_ABSENT: Final = "–"


def match_key(match: Match | None) -> str:
    """The value of a match in the select: `games-3-order`."""
    return f"{match.kind}-{match.target}-{match.scoring}" if match else SINGLE


def match_of_key(key: str) -> Match | None:
    """The match that is offered under a key; None for a single game or an unknown key."""
    return next((match for match in OFFERED if match_key(match) == key), None)


def match_options(t: Formatter, table: Table) -> list[ui.Component]:
    """The host's choices: a single game, then matches that the rules can score; the current one is always there."""
    matches = [match for match in OFFERED if can_count(match, table.rules)]
    chosen = match_key(table.match)
    if table.match and chosen not in map(match_key, matches):
        matches.insert(0, table.match)
    single = ui.option(t("A single game"), SINGLE, default=table.match is None)
    offered = [(match_key(each), length_words(t, each), capital(scoring_words(t, each))) for each in matches]
    return [single, *(ui.option(length, key, how, default=key == chosen) for key, length, how in offered)]


def length_words(t: Formatter, match: Match) -> str:
    """`A match of 3 games`."""
    if match.kind == "games":
        return t.n("A match of {count} game", "A match of {count} games", match.target)
    if match.scoring == "order":
        return t.n("A match to {count} point", "A match to {count} points", match.target)
    return t.n("A match to {count} loss", "A match to {count} losses", match.target)


def scoring_words(t: Formatter, match: Match) -> str:
    """`points by finishing order`."""
    return t("points by finishing order") if match.scoring == "order" else t("the fewest losses win")


def match_lines(t: Formatter, match: Match | None) -> list[str]:
    """The match, as the lobby shows it; no lines for a single game."""
    if match is None:
        return []
    known = [variant_title(t, name) for name in match.variants if name in variants()]
    in_turn = ui.small(t("Played in turn: {variants}", variants=" · ".join(known))) if known else ""
    return [ui.small(length_words(t, match), scoring_words(t, match)), in_turn]


def match_progress(t: Formatter, table: Table) -> str:
    """`Game 2 of 3`, at the foot of a running game; empty if there is no match."""
    match = table.match
    if match is None:
        return ""
    game = played(table.standings) + 1
    if match.kind == "games":
        return t("Game {game} of {games}", game=game, games=match.target)
    return t("Game {game}, {goal}", game=game, goal=_goal(t, match))


def _goal(t: Formatter, match: Match) -> str:
    if match.scoring == "order":
        return t.n("first to {count} point", "first to {count} points", match.target)
    return t.n("up to {count} loss", "up to {count} losses", match.target)


def line_name(t: Formatter, table: Table, line: int) -> str:
    """The player of a line of the standings in bold; a mention if the name was forgotten."""
    name, user_id = _name(table, line), table.standings[line].user_id
    return mention(t, user_id) if not name and user_id is not None else bold(name)


def plain_line_name(t: Formatter, table: Table, line: int) -> str:
    """The player of a line where markdown is not rendered; `player 3` if the name was forgotten."""
    return isolated(_name(table, line) or t("player {number}", number=line + 1))


def _name(table: Table, line: int) -> str:
    seat = seat_of_line(table, line)
    return table.standings[line].name if seat is None else table.players[seat].name


def standing_words(t: Formatter, table: Table) -> str:
    """`After game 2 of 3: Ann 4 · Bob 3 · Cy 1`; empty before the first game has counted."""
    match, game = table.match, played(table.standings)
    if match is None or not game:
        return ""
    scores = " · ".join(_score(t, table, each) for each in ranked_at(table))
    if match.kind == "games" and match.scoring == "order":
        return t("After game {game} of {games}: {scores}", game=game, games=match.target, scores=scores)
    if match.kind == "games":
        return t("Losses after game {game} of {games}: {scores}", game=game, games=match.target, scores=scores)
    goal = _goal(t, match)
    if match.scoring == "order":
        return t("After game {game}, {goal}: {scores}", game=game, goal=goal, scores=scores)
    return t("Losses after game {game}, {goal}: {scores}", game=game, goal=goal, scores=scores)


def _score(t: Formatter, table: Table, ranked: Ranked) -> str:
    name, count = line_name(t, table, ranked.line), ranked.score
    seat = seat_of_line(table, ranked.line)
    here = seat is not None and not table.players[seat].left
    return f"{name}{NBSP}{count}" if here else t("{name} {count} (left)", name=name, count=count)


def match_title(t: Formatter, table: Table, name_of: NameOf, reader: int | None = None) -> str:
    """How a match ended: `Cy is the grand shithead`; `reader` is the line of the player who reads it, if one does."""
    winners, losers = extremes(table)
    if losers == [reader]:
        return t("You come last in the match") if t.polite else t("You are the grand shithead")
    if losers:
        return _titled(t, [name_of(line) for line in losers])
    if winners == [reader]:
        return t("You are the grand winner")
    if len(winners) == 1:
        return t("{name} is the grand winner", name=name_of(winners[0]))
    if winners:
        return t("{names} are the grand winners", names=t.listing([name_of(line) for line in winners]))
    return t("The match is a draw")


def _titled(t: Formatter, names: Sequence[str]) -> str:
    who, one = t.listing(names), len(names) == 1
    if t.polite:
        return t("{name} comes last in the match", name=who) if one else t("{names} come last in the match", names=who)
    return t("{name} is the grand shithead", name=who) if one else t("{names} are the grand shitheads", names=who)


def crown_words(t: Formatter, table: Table, name_of: NameOf) -> str:
    """`Grand winner: Ann, 5 points`; empty if nobody lost, because then the title names the winner."""
    winners, losers = extremes(table)
    if not losers:
        return ""
    if len(winners) > 1:
        return t("Grand winners: {names}", names=t.listing([name_of(line) for line in winners]))
    name = name_of(winners[0])
    top = ranked_at(table)[0].score
    if counts_points(table):
        return t.n("Grand winner: {name}, {count} point", "Grand winner: {name}, {count} points", top, name=name)
    return t.n("Grand winner: {name}, {count} loss", "Grand winner: {name}, {count} losses", top, name=name)


def ranking_words(t: Formatter, table: Table, name_of: NameOf) -> list[str]:
    """A line for each player: `1st Ann · 5 points · finished 1st, 2nd, 1st`."""
    lines: list[str] = []
    for each in ranked_at(table):
        name = name_of(each.line)
        named = t("{place} {name}", place=t.place(each.rank), name=name) if each.rank else t("{name}, left", name=name)
        lines.append(f"{named} · {_score_words(t, table, each)} · {_finishes(t, table, each.line)}")
    return lines


def tie_words(t: Formatter, table: Table) -> str:
    """Why equal scores rank differently; empty if they do not."""
    scores = {each.rank: each.score for each in ranked_at(table) if each.rank}
    if len(set(scores.values())) == len(scores):
        return ""
    if counts_points(table):
        return t("With equal points, fewer losses rank higher, then the better place in the latest game.")
    return t("With equal losses, the better place in the latest game ranks higher.")


def _score_words(t: Formatter, table: Table, ranked: Ranked) -> str:
    """`5 points`, `2 losses`."""
    if counts_points(table):
        return t.n("{count} point", "{count} points", ranked.score)
    return t.n("{count} loss", "{count} losses", ranked.score)


def _finishes(t: Formatter, table: Table, line: int) -> str:
    """`finished 1st, 2nd, 1st`: in every game, or in the latest 20 of a long match."""
    places = table.standings[line].places
    latest = [t.place(each) if each else _ABSENT for each in places[-MOST_PLACES:]]
    if len(places) > MOST_PLACES:
        latest.insert(0, "…")
    return t("finished {places}", places=t.enumerated(latest))


def again_label(t: Formatter, table: Table) -> str:
    """The label of the button that deals again."""
    return t("Next game") if is_between_games(table) else t("Rematch")
