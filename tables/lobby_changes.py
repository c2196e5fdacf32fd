"""What may be done at a table before the deal, and how people leave. Pure: returns a table, or raises `Declined`."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypedDict, Unpack

from data.models import LevelName, Match, Pace, Player, Stretch, Table, TableChanges
from game.rules import Rules
from game.validity import Clash, clashes
from game.variants import variants
from tables.match import can_count, pair_of
from tables.snapshots import Decline, Declined, Request
from tables.timing import LOBBY

LONGEST_FORFEIT: Final = 60
NAMES: Final = ("Clara", "Otto", "Ida", "Rex", "Mona", "Gus", "Vera", "Nils", "Lola", "Hugo", "Pia", "Finn")
"""The names of computer players, in the order in which they are seated."""


class Wishes(TypedDict, total=False):
    """Settings that a host wants changed. `title` is that of saved rules, then `variant` and `rules` are as saved."""

    variant: str
    rules: Rules
    title: str
    pace: Pace
    stretch: Stretch
    seats: int | None
    forfeit: str
    match: Match | Literal["single"]
    hints: bool


@dataclass(frozen=True, slots=True)
class NamedRules:
    """Rules asked for by name: `variant` is what they were made from, `title` their name if they were saved."""

    variant: str
    rules: Rules
    title: str = ""


def new_table(request: Request, named: NamedRules, pace: Pace, seats: int | None, forfeit: str, now: datetime) -> Table:
    """A lobby with its host; its id is the request's. It has no seal yet."""
    user = request.user
    return Table(
        id=request.id,
        guild_id=request.guild_id,
        channel_id=request.channel_id,
        host_id=user.id,
        variant=named.variant,
        title=named.title,
        rules=named.rules,
        pace=pace,
        seats=seats_for(named.rules, seats),
        forfeit=clean_forfeit(forfeit),
        polite=request.polite,
        players=(Player(user_id=user.id, name=user.name, joined_by=request.id),),
        created_at=now,
        deadline=now + LOBBY,
    ).but(**first_of_pair(named.variant, named.rules, named.title))


def rules_of(name: str) -> Rules:
    """The rules of a variant. Declined: there is no such variant."""
    variant = variants().get(name)
    if variant is None:
        raise Declined(Decline.UNKNOWN_VARIANT)
    return variant.rules


def require_playable(rules: Rules) -> None:
    """Decline rules that nobody can play: the one place where the doorway looks at how options go together.

    Declined: the pack is too small for any number of seats, or two options exclude each other.
    """
    if Clash.PACK_TOO_SMALL in (excluded := clashes(rules)):
        raise Declined(Decline.NO_ROOM_IN_PACK)
    if excluded:
        raise Declined(Decline.CLASHING_RULES)


def seats_for(rules: Rules, wanted: int | None) -> int:
    """The number of seats, as wanted or as many as possible.

    Declined: the rules or the pack do not allow so many or so few.
    """
    require_playable(rules)
    most = rules.most_seats()
    if wanted is None:
        return most
    if wanted > most:
        raise Declined(Decline.NO_ROOM_IN_PACK)
    if wanted < rules.seats[0]:
        raise Declined(Decline.TOO_FEW)
    return wanted


def clean_forfeit(text: str) -> str:
    """The forfeit on one line, without characters that are invisible or change the direction of text.

    Declined: it is too long, or nothing is left of it.
    """
    seen = "".join(" " if unicodedata.category(each) in {"Cc", "Zl", "Zp", "Zs"} else each for each in text)
    kept = "".join(each for each in seen if unicodedata.category(each) not in {"Cf", "Cs", "Co", "Cn"})
    cleaned = " ".join(unicodedata.normalize("NFC", kept).split())
    if len(cleaned) > LONGEST_FORFEIT or (text.strip() and not cleaned):
        raise Declined(Decline.BAD_FORFEIT)
    return cleaned


def require_lobby(table: Table, user_id: int | None = None) -> None:
    """Decline unless the table is a lobby, and `user_id` its host if one is given."""
    if not table.is_open:
        raise Declined(Decline.UNKNOWN_TABLE)
    if table.status != "lobby":
        raise Declined(Decline.NOT_A_LOBBY, table_id=table.id)
    if user_id is not None:
        require_host(table, user_id)


def require_host(table: Table, user_id: int) -> None:
    """Decline unless somebody is the host of the table."""
    if table.host_id != user_id:
        raise Declined(Decline.NOT_HOST)


def next_revision(table: Table, now: datetime, **changes: Unpack[TableChanges]) -> Table:
    """The table one revision on; a lobby stays open for its full time again, unless a rematch is asked for."""
    deadline = now + LOBBY if table.status == "lobby" and not table.is_asking else table.deadline
    return table.but(**(TableChanges(revision=table.revision + 1, deadline=deadline) | changes))


def seat_person(table: Table, request: Request, now: datetime) -> Table:
    """Sit down."""
    require_lobby(table)
    if table.seat_of(request.user.id) is not None:
        raise Declined(Decline.ALREADY_SEATED)
    if len(table.seated) >= table.seats:
        raise Declined(Decline.TABLE_FULL)
    after, back = next_revision(table, now), table.seat_left_by(request.user.id)
    if back is not None:
        return after.with_player(back, left=False, away=False, name=request.user.name, joined_by=request.id)
    player = Player(user_id=request.user.id, name=request.user.name, joined_by=request.id)
    return after.but(players=(*table.players, player))


def _without_seat(table: Table, seat: int) -> tuple[Player, ...]:
    """The players without one; before a rematch the seat stays, so that all keep theirs, but nobody is asked for it."""
    if table.game > 1:
        return table.with_player(seat, left=True, away=True).players
    return (*table.players[:seat], *table.players[seat + 1 :])


def without(table: Table, user_id: int, now: datetime) -> Table:
    """The lobby without one person; the host passes on, and without any person the lobby is closed."""
    seat = table.seat_of(user_id)
    players = table.players if seat is None else _without_seat(table, seat)
    people = [player.user_id for player in players if player.user_id is not None and not player.left]
    if not people:
        return next_revision(table, now, players=players, status="stopped", ended_at=now, deadline=None)
    host = table.host_id if table.host_id in people else people[0]
    return next_revision(table, now, players=players, host_id=host)


def unseat(table: Table, request: Request, now: datetime) -> Table:
    """Get up before the deal."""
    require_lobby(table)
    if table.seat_of(request.user.id) is None:
        raise Declined(Decline.NOT_SEATED)
    return without(table, request.user.id, now)


def unseat_other(table: Table, request: Request, target_id: int, now: datetime) -> Table:
    """The host takes somebody's seat away."""
    require_lobby(table, request.user.id)
    if table.seat_of(target_id) is None:
        raise Declined(Decline.NOT_SEATED)
    return without(table, target_id, now)


def seat_computer(table: Table, request: Request, level: LevelName | None, now: datetime) -> Table:
    """The host seats a computer player."""
    require_lobby(table, request.user.id)
    if len(table.seated) >= table.seats:
        raise Declined(Decline.TABLE_FULL)
    return next_revision(table, now, players=(*table.players, computer(table, request, level)))


def computer(table: Table, request: Request, level: LevelName | None) -> Player:
    """A computer player with a name that nobody at the table has."""
    taken = {player.name for player in table.seated}
    name = next((name for name in NAMES if name not in taken), NAMES[0])
    return Player(user_id=None, name=name, level=level, joined_by=request.id)


def with_computers(table: Table, request: Request, level: LevelName) -> Table:
    """The table with computers of a level on as many seats as it takes to start."""
    while (seat := len(table.players)) < table.rules.seats[0]:
        # One click seats them all, but who sat where is later found by `joined_by`: so each has its own.
        one = computer(table, request, level).but(joined_by=request.id + seat)
        table = table.but(players=(*table.players, one))
    return table


def unseat_computer(table: Table, request: Request, now: datetime) -> Table:
    """The host sends the last computer player away."""
    require_lobby(table, request.user.id)
    last = max((at for at, each in enumerate(table.players) if each.is_computer and not each.left), default=None)
    if last is None:
        raise Declined(Decline.NO_COMPUTER)
    return next_revision(table, now, players=_without_seat(table, last))


def granted(table: Table, request: Request, wishes: Wishes, now: datetime) -> Table:
    """Apply the host's settings; new rules reset the seat limit. Edited rules lose their saved title."""
    require_lobby(table, request.user.id)
    after = next_revision(table, now)
    if "pace" in wishes:
        after = after.but(pace=wishes["pace"])
    if "stretch" in wishes:
        after = after.but(stretch=wishes["stretch"])
    if "hints" in wishes:
        after = after.but(hints=wishes["hints"])
    if "forfeit" in wishes:
        after = after.but(forfeit=clean_forfeit(wishes["forfeit"]))
    after = after.but(**_rules(table, wishes))
    after = after.but(**_match(table, wishes, after.rules))
    seats = wishes.get("seats")
    if after.rules == table.rules and seats is None:
        return after
    if seats_for(after.rules, seats) < len(table.seated):
        raise Declined(Decline.NO_ROOM_IN_PACK)
    return after.but(seats=seats_for(after.rules, seats))


def _rules(table: Table, wishes: Wishes) -> TableChanges:
    variant = wishes.get("variant")
    rules = wishes.get("rules") or (table.rules if variant is None else rules_of(variant))
    if variant is None and rules == table.rules:
        return {}
    return {"variant": variant or table.variant, "rules": rules, "title": wishes.get("title", "")}


def _match(table: Table, wishes: Wishes, rules: Rules) -> TableChanges:
    """The match after the host's wishes, and the variant that it begins with.

    A match that the new rules cannot count becomes a single game.

    Declined: a match is wanted that the rules cannot count.
    """
    match, wanted = table.match, wishes.get("match")
    if wanted == "single":
        single: TableChanges = {"match": None}
        return single | of_variant(match.variants[-1]) if match and match.variants else single
    if wanted is not None:
        if not can_count(wanted, rules):
            raise Declined(Decline.NO_SHITHEAD)
        return {"match": wanted.with_variants(match.variants if match else ())}
    if "variant" in wishes and (pair := first_of_pair(wishes["variant"], rules, wishes.get("title", ""))):
        return pair
    if match is None or (rules == table.rules and "variant" not in wishes):
        return {}
    return {"match": None} if match.variants or not can_count(match, rules) else {}


def first_of_pair(variant: str, rules: Rules, title: str) -> TableChanges:
    """What makes a table the first game of a match of two variants; nothing for other variants and changed rules."""
    match = pair_of(variant)
    if match is None or title or rules != rules_of(variant):
        return {}
    changes: TableChanges = {"match": match}
    return changes | of_variant(match.variants[0])


def of_variant(name: str) -> TableChanges:
    """What makes a table play a variant as it is."""
    return {"variant": name, "rules": rules_of(name), "title": ""}
