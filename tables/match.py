"""The standings of a match: who finished where in its games, who leads, whether it is over. Pure.

How ties are broken, and what happens when players leave, is explained in docs/decisions/0011-matches.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.models import Match, MatchLine, Player, Table
from game.rules import Rules
from game.view import TableView


@dataclass(frozen=True, slots=True)
class Ranked:
    """A player in a match: the index of the line in the standings, the rank from 1, and the `scores`.

    Equal players share a rank; those who left have rank 0.
    """

    line: int
    rank: int
    score: int


def can_count(match: Match, rules: Rules) -> bool:
    """Whether the rules give what the match counts: a game that stops when the first player is out has no shithead."""
    return match.scoring == "order" or rules.end.aim != "winner"


def counts_points(table: Table) -> bool:
    """Whether the match of a table counts points, not losses."""
    return table.match is not None and table.match.scoring == "order"


def first_standings(players: Sequence[Player]) -> tuple[MatchLine, ...]:
    """The standings before the first game, in seat order."""
    return tuple(MatchLine(user_id=player.user_id) for player in players)


def staying(lines: Sequence[MatchLine]) -> list[int]:
    """The indexes of the lines of those who have not left: the nth of them sits in the nth seat."""
    return [nth for nth, line in enumerate(lines) if not line.left]


def without_leavers(lines: Sequence[MatchLine], players: Sequence[Player]) -> tuple[MatchLine, ...]:
    """The standings for the next deal: players who left keep their lines, which from now on hold their names."""
    after = list(lines)
    for nth, player in zip(staying(lines), players, strict=True):
        if player.left:
            after[nth] = after[nth].with_departure(player.name)
    return tuple(after)


def with_game_counted(lines: Sequence[MatchLine], view: TableView) -> tuple[MatchLine, ...]:
    """The standings after a finished game; empty if there is no match.

    Players who still hold cards at the end of the game share the last place.
    """
    if not lines:
        return ()
    places = dict.fromkeys(range(len(lines)), 0)
    for seat, nth in enumerate(staying(lines)):
        places[nth] = view.out.index(seat) + 1 if seat in view.out else len(view.seats)
    loser = None if view.shithead is None else staying(lines)[view.shithead]
    return tuple(line.with_game(places[nth], lost=nth == loser) for nth, line in enumerate(lines))


def played(lines: Sequence[MatchLine]) -> int:
    """How many games have counted so far."""
    return max((len(line.places) for line in lines), default=0)


def scores(match: Match, lines: Sequence[MatchLine]) -> list[int]:
    """The points of each line (for each game, the places below its own) if the match counts them, else its losses."""
    if match.scoring != "order":
        return [len(line.lost) for line in lines]
    games = zip(*(line.places for line in lines), strict=True)
    sizes = [sum(place > 0 for place in places) for places in games]  # without those who had left: their place is 0
    return [sum(size - place for size, place in zip(sizes, line.places, strict=True) if place) for line in lines]


def ranking(match: Match, lines: Sequence[MatchLine]) -> list[Ranked]:
    """All players, the best first; those who left come last.

    They are ranked by points, then fewer losses; or by losses alone. Ties are broken by the place in the latest game;
    players who are still equal share a rank.
    """
    scored = scores(match, lines)

    def key(nth: int) -> tuple[int, ...]:
        line = lines[nth]
        return (-scored[nth] if match.scoring == "order" else 0, len(line.lost), *line.places[-1:])

    order = sorted(staying(lines), key=key)
    keys = [key(nth) for nth in order]
    ranks = [(nth, keys.index(key(nth)) + 1) for nth in order]  # equal players get the rank of the first of them
    ranks += [(nth, 0) for nth, line in enumerate(lines) if line.left]
    return [Ranked(nth, rank, scored[nth]) for nth, rank in ranks]


def is_reached(match: Match, lines: Sequence[MatchLine]) -> bool:
    """Whether all games are played, or somebody has the points or losses that end the match."""
    if match.kind == "games":
        return played(lines) >= match.target
    return max(scores(match, lines), default=0) >= match.target


def is_match_over(table: Table) -> bool:
    """Whether the match of a table that is not in use has ended or was aborted, or too few stay for another game."""
    if table.match is None or table.is_open or not table.standings:
        return False
    has_enough = bool(table.people) and table.rules.can_seat(len(table.seated))
    return not has_enough or table.status == "aborted" or is_reached(table.match, table.standings)


def ended_early(table: Table) -> bool:
    """Whether the match of a table is over before its goal was reached, because too few players stayed."""
    has_ended = is_match_over(table) and table.status != "aborted"
    return has_ended and table.match is not None and not is_reached(table.match, table.standings)


def ranked_at(table: Table) -> list[Ranked]:
    """The players in a match, the best first. Where it ended early and people stayed, those who left then rank last."""
    lines = without_leavers(table.standings, table.players) if table.people and ended_early(table) else table.standings
    return ranking(table.match, lines) if table.match else []


def is_between_games(table: Table) -> bool:
    """Whether the next game of a match may be dealt."""
    ended = table.status in {"over", "stopped"} and bool(table.standings)
    return ended and table.match is not None and not is_match_over(table)


def dealer_or_next(table: Table, due: int) -> int:
    """The seat that deals if `due` should: if its player has left, the deal passes on clockwise."""
    kept = [seat for seat, player in enumerate(table.players) if not player.left]
    return min(kept, key=lambda seat: (seat - due) % len(table.players), default=due)


def votes_needed(table: Table) -> int:
    """How many votes stop the game: more than half of the people who are still seated."""
    return len(table.people) // 2 + 1


def is_voted_off(table: Table) -> bool:
    """Whether enough people have voted to stop the game."""
    return table.stop_votes >= votes_needed(table)


def leaving_stops(table: Table, user_id: int) -> bool:
    """Whether a game that others play on stops if this person leaves, because their votes are then enough."""
    seat = table.seat_of(user_id)
    return seat is not None and is_voted_off(table.with_player(seat, left=True, wants_stop=False))


def extremes(table: Table) -> tuple[list[int], list[int]]:
    """The grand winners and the grand shitheads, as indexes of lines; several if they share a rank.

    Both are empty if all are equal; there is no shithead if the rules have none or only one player is left.
    """
    staying_ranked = [player for player in ranked_at(table) if player.rank]
    worst = max((player.rank for player in staying_ranked), default=1)
    if worst == 1 and len(staying_ranked) > 1:
        return [], []
    winners = [player.line for player in staying_ranked if player.rank == 1]
    if worst == 1 or table.rules.end.aim == "winner":
        return winners, []
    return winners, [player.line for player in staying_ranked if player.rank == worst]


def seat_of_line(table: Table, line: int) -> int | None:
    """The seat of a line, None for a player who left before the current game."""
    lines_by_seat = staying(table.standings)
    return lines_by_seat.index(line) if line in lines_by_seat else None


def variant_of_next(match: Match, lines: Sequence[MatchLine]) -> str | None:
    """The id of the variant that the next game of the match is played by; None if all have the same rules."""
    return match.variants[played(lines) % len(match.variants)] if match.variants else None
