"""Changes to a table before the deal, as pure functions that return the changed table or raise `Declined`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypedDict, Unpack

from data.models import LevelName, Match, Pace, Person, Player, Stretch, Table, TableChanges
from game.rules import Rules
from game.validity import Clash, clashes
from game.variants import variants
from tables.match import can_count
from tables.snapshots import Decline, Declined, Request
from tables.timing import LOBBY

_CUT: Final = 9
"""Characters of a name before its number, so that it is seen where little room is left for names."""
NAMES: Final = ("Clara", "Otto", "Ida", "Rex", "Mona", "Gus", "Vera", "Nils", "Lola", "Hugo", "Pia", "Finn")
"""The names of computer players, in the order in which they are seated."""

Edit: TypeAlias = Callable[[Rules], Rules]
"""Changes the rules as they are when it is called, under the table's lock; it may raise to change nothing."""


class Wishes(TypedDict, total=False):
    """What a host wants to change; None is no wish. `title` is that of rules chosen or saved by their name."""

    variant: str
    rules: Rules
    title: str
    pace: Pace
    stretch: Stretch
    seats: int | None
    match: Match | Literal["single"] | None
    hints: bool


class NamedRules(TypedDict):
    """Rules found by name: `variant` is the one they are based on, `title` the name of saved house rules."""

    variant: str
    rules: Rules
    title: str


def new_table(request: Request, named: NamedRules, pace: Pace, seats: int | None, forfeit: str, now: datetime) -> Table:
    """A new lobby with its host. Its id is the request's. It has no seal yet; the forfeit was cleaned before."""
    user = request.user
    return Table(
        id=request.id,
        guild_id=request.guild_id,
        channel_id=request.channel_id,
        host_id=user.id,
        **named,
        pace=pace,
        seats=seats_for(named["rules"], seats),
        forfeit=forfeit,
        polite=request.polite,
        players=(Player(user_id=user.id, name=user.name, joined_by=request.id),),
        created_at=now,
        deadline=now + LOBBY,
    ).but(**first_of_pair(named))


def of_variant(name: str) -> NamedRules:
    """A variant as it is. Declined: UNKNOWN_VARIANT."""
    variant = variants().get(name)
    if variant is None:
        raise Declined(Decline.UNKNOWN_VARIANT)
    return {"variant": name, "rules": variant.rules, "title": ""}


def require_playable(rules: Rules) -> None:
    """Decline rules that cannot be played; no other code of this layer checks combinations of options.

    Declined: NO_ROOM_IN_PACK if the pack is too small for any number of seats, CLASHING_RULES if options clash.
    """
    if found := clashes(rules):
        raise Declined(Decline.NO_ROOM_IN_PACK if Clash.PACK_TOO_SMALL in found else Decline.CLASHING_RULES)


def seats_for(rules: Rules, wanted: int | None) -> int:
    """The number of seats: `wanted`, or as many as the rules and the pack allow.

    Declined: NO_ROOM_IN_PACK if they have no room for so many, TOO_FEW_SEATS if the rules need more, CLASHING_RULES.
    """
    require_playable(rules)
    if wanted is None:
        return rules.most_seats()
    if not any(map(rules.can_seat, range(wanted + 1))):  # perhaps the pack has room for more only
        raise Declined(Decline.TOO_FEW_SEATS)
    if wanted > rules.most_seats() or not rules.can_seat(wanted):  # though there may be room for one more
        raise Declined(Decline.NO_ROOM_IN_PACK)
    return wanted


def require_lobby(table: Table, user_id: int | None = None) -> None:
    """Decline unless the table is a lobby and `user_id`, if given, is its host."""
    if not table.is_open:
        raise Declined(Decline.UNKNOWN_TABLE)
    if table.status != "lobby":
        raise Declined(Decline.NOT_A_LOBBY, table_id=table.id)
    if user_id is not None:
        require_host(table, user_id)


def require_host(table: Table, user_id: int) -> None:
    """Decline unless the person is the host of the table."""
    if table.host_id != user_id:
        raise Declined(Decline.NOT_HOST)


def next_revision(table: Table, now: datetime, **changes: Unpack[TableChanges]) -> Table:
    """The table with changes and the next revision. A lobby gets its full time again, unless a rematch is asked for."""
    deadline = now + LOBBY if table.status == "lobby" and not table.is_rematch_pending else table.deadline
    return table.but(**(TableChanges(revision=table.revision + 1, deadline=deadline) | changes))


def name_at(table: Table, person: Person) -> str:
    """A person's name; if somebody else at the table has the same one, it is cut and a number follows it."""
    taken = {_compared(player.name) for player in table.players if player.user_id != person.id}
    cut = person.name[:_CUT].rstrip(" \u200d")
    numbered = (f"{cut} {number}" for number in range(2, len(taken) + 3))
    return next(name for name in (person.name, *numbered) if _compared(name) not in taken)


def _compared(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def seat_person(table: Table, request: Request, now: datetime) -> Table:
    """Seat the person, where they sat before if they come back."""
    require_lobby(table)
    if table.seat_of(request.user.id) is not None:
        raise Declined(Decline.ALREADY_SEATED)
    if not table.free_seats(request.user.id):
        raise Declined(Decline.TABLE_FULL)
    after, name = next_revision(table, now), name_at(table, request.user)
    former_seat = table.seat_left_by(request.user.id)
    if former_seat is not None:
        return after.with_player(former_seat, left=False, away=False, name=name, joined_by=request.id)
    return after.but(players=(*table.players, Player(user_id=request.user.id, name=name, joined_by=request.id)))


def _without_seat(table: Table, seat: int) -> tuple[Player, ...]:
    """The players without one. Before a rematch the seat stays, marked as left, so that all others keep their seats."""
    if table.game > 1:
        return table.with_player(seat, left=True, away=True).players
    return (*table.players[:seat], *table.players[seat + 1 :])


def _without_person(table: Table, seat: int, now: datetime) -> Table:
    """The lobby without the person on this seat; without people it closes."""
    after = next_revision(table, now, players=_without_seat(table, seat))
    return with_host(after) if after.people else after.but(status="stopped", ended_at=now, deadline=None)


def with_host(table: Table) -> Table:
    """The table with another person as its host if the host has left; unchanged if nobody else is there."""
    people = [person.user_id for person in table.people if person.user_id is not None]
    return table if table.host_id in people or not people else table.but(host_id=people[0])


def unseat(table: Table, request: Request, now: datetime) -> Table:
    """Remove the person before the deal."""
    if (seat := table.seat_of(request.user.id)) is None:
        raise Declined(Decline.NOT_SEATED)
    require_lobby(table)
    return _without_person(table, seat, now)


def unseat_other(table: Table, request: Request, target_id: int, now: datetime) -> Table:
    """Remove another person, at the host's request."""
    require_lobby(table, request.user.id)
    if (seat := table.seat_of(target_id)) is None:
        raise Declined(Decline.ALREADY_SO)
    return _without_person(table, seat, now)


def seat_computer(table: Table, request: Request, level: LevelName | None, now: datetime) -> Table:
    """Seat a computer player, at the host's request."""
    require_lobby(table, request.user.id)
    if not table.free_seats():
        raise Declined(Decline.TABLE_FULL)
    # Before a rematch, removed computers stay in the list (`_without_seat`). Their seats are taken again, so that the
    # list does not grow with every other click; but those of the last winner and shithead are still needed.
    needed = {table.last_winner, table.last_shithead}
    removed = [seat for seat, player in enumerate(table.players) if player.is_computer and player.left]
    seat = max({*removed} - needed, default=len(table.players))
    seated = (*table.players[:seat], new_computer(table, request, level), *table.players[seat + 1 :])
    return next_revision(table, now, players=seated)


def new_computer(table: Table, request: Request, level: LevelName | None) -> Player:
    """A computer player with a name that nobody at the table has."""
    taken = {_compared(player.name) for player in table.seated}
    name = next((name for name in NAMES if _compared(name) not in taken), NAMES[0])
    return Player(user_id=None, name=name, level=level, joined_by=request.id)


def with_computers(table: Table, request: Request, level: LevelName | None) -> Table:
    """The table with as many computers of a level as it takes to start."""
    for _ in range(len(table.seated), table.rules.seats[0]):
        # One click seats them all, but `joined_by` later tells who sat where, so it must differ.
        one = new_computer(table, request, level).but(joined_by=request.id + len(table.players))
        table = table.but(players=(*table.players, one))
    return table


def unseat_computer(table: Table, request: Request, now: datetime) -> Table:
    """Remove the last computer player, at the host's request."""
    require_lobby(table, request.user.id)
    computers = [seat for seat, player in enumerate(table.players) if player.is_computer and not player.left]
    if not computers:
        raise Declined(Decline.NO_COMPUTER)
    return next_revision(table, now, players=_without_seat(table, computers[-1]))


def with_wishes(table: Table, request: Request, wishes: Wishes, now: datetime) -> Table:
    """Apply the settings that the host wants, a variant with its rules. Edited rules lose their saved title.

    The host's limit of seats stays, also where new rules allow fewer, unless they need more; then all seats are free.
    """
    require_lobby(table, request.user.id)
    chosen = {name: wish for name, wish in wishes.items() if name in {"pace", "stretch", "hints"}}
    after = Table.model_validate(dict(next_revision(table, now)) | chosen)  # with an unknown pace nobody could read it
    after = after.but(**_rule_changes(table, wishes))
    after = after.but(**_match_changes(table, wishes, after.rules))
    wanted = wishes.get("seats")
    if wanted is None and after.rules == table.rules:
        return after
    seats, is_limited = seats_for(after.rules, wanted), table.seats != table.rules.most_seats()
    is_kept = wanted is None and is_limited and after.rules.seats[0] <= table.seats
    after = after.but(seats=table.seats if is_kept else seats)
    if after.seat_limit < table.seats_needed:
        raise Declined(Decline.NO_ROOM_IN_PACK, seats=after.seat_limit)
    return after


def _rule_changes(table: Table, wishes: Wishes) -> TableChanges:
    variant, rules, title = wishes.get("variant"), wishes.get("rules", table.rules), wishes.get("title", "")
    if variant is None and rules == table.rules and not title:
        return {}
    return {"variant": variant or table.variant, "rules": rules, "title": title}


def _match_changes(table: Table, wishes: Wishes, rules: Rules) -> TableChanges:
    """The changes to the match that the host's wishes lead to, with the variant that it begins with.

    A match that cannot be counted by new rules becomes a single game.

    Declined: NO_SHITHEAD if the wanted match cannot be counted by the rules.
    """
    match = table.match
    wanted = wishes.get("match")
    no_match: TableChanges = {"match": None}
    if wanted == "single":
        # A pair of variants (`pair_of`) is left for its second one: the variant that the host chose.
        return {**no_match, **of_variant(match.variants[-1])} if match and match.variants else no_match
    if wanted is not None:
        if not can_count(wanted, rules):
            raise Declined(Decline.NO_SHITHEAD)
        pair = match.variants if match else ()
        return {"match": Match(kind=wanted.kind, target=wanted.target, scoring=wanted.scoring, variants=pair)}
    if "variant" in wishes and "title" in wishes:  # not the base of rules that came with it
        first = first_of_pair({"variant": wishes["variant"], "rules": rules, "title": wishes["title"]})
        if first:
            return first
    is_unchanged = "variant" not in wishes and rules == table.rules
    if match is None or is_unchanged:
        return {}
    return no_match if match.variants or not can_count(match, rules) else {}


def pair_of(variant: str) -> Match | None:
    """The match of two games that belongs to a variant which is played after another one; None for other variants."""
    second = variants().get(variant)
    return Match(target=2, variants=(second.after, second.id)) if second and second.after else None


def first_of_pair(named: NamedRules) -> TableChanges:
    """The changes that begin a match of two variants; empty for a variant without such a match or changed rules."""
    match = pair_of(named["variant"])
    if match is None or named != of_variant(named["variant"]):
        return {}
    return {"match": match, **of_variant(match.variants[0])}
