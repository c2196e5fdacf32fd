"""When a game is dealt, to whom and with what: the first one of a table, or another one. Pure.

In a match the next game is dealt at once, to everybody who stayed: they sat down for all of its games. After a single
game or a whole match, the others are asked whether they want a rematch. The table becomes a lobby again, in which
people who have not answered keep their seats, marked as left, so that winner, shithead and dealer can still be found.
When time is up, or everybody has answered, the game is dealt to those who said yes.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from random import Random

from data.models import Player, Table, TableChanges
from tables.loaded import LoadedTable, NewGame, Transition, seal_of
from tables.lobby_changes import name_at, next_revision, of_variant, require_lobby, require_playable, unseat
from tables.match import dealer_or_next, first_standings, is_between_games, variant_of_next, without_leavers
from tables.snapshots import Decline, Declined, Request
from tables.timing import has_enough_for_rematch, time_to_answer, was_just_posted


def decide_rematch(loaded: LoadedTable, request: Request, now: datetime, randomness: Random) -> Transition | NewGame:
    """Begin the next game of the series at a person's request: in a match deal it, otherwise ask the others."""
    table = loaded.table
    has_played = any(player.user_id == request.user.id for player in table.players)
    if has_played and table.status == "stopped" and was_just_posted(table, now):
        raise Declined(Decline.JUST_POSTED)
    if not table.is_open and table.started_at is None and table.game > 1:  # too few said yes, or it was closed
        return answered(_asking(loaded, _asked_again(loaded, request, now), request, now), randomness)
    if table.status == "playing" and not has_played:
        raise Declined(Decline.OLD_RESULT, table_id=table.id)
    if table.status not in {"over", "stopped"} or table.started_at is None:
        raise Declined(Decline.NOT_OVER)
    goes_on = is_between_games(table)  # then people return with *Take my seat back*
    if table.seat_of(request.user.id) is None and (goes_on or not has_played):
        raise Declined(Decline.NOT_SEATED)
    if request.seen < loaded.hands_revision:
        raise Declined(Decline.OLD_RESULT, table_id=table.id)
    again = _next_game(loaded, request, now)
    if goes_on:
        lines = without_leavers(table.standings, table.players)
        is_left = table.status == "stopped" and table.message_id != 0  # who stopped a game stays readable
        message_id = None if is_left else table.message_id
        return _new_game(loaded, _only_seated(again.but(standings=lines, message_id=message_id)))
    return answered(_asking(loaded, again, request, now), randomness)


def decide_start(loaded: LoadedTable, request: Request, now: datetime, randomness: Random) -> NewGame:
    """Deal to all who are seated, at the host's request. The dealer of the first game is drawn by lot."""
    require_lobby(loaded.table, request.user.id)
    return _deal(loaded, next_revision(_with_dealer(loaded.table, randomness), now), request.user.id)


def _with_dealer(table: Table, randomness: Random) -> Table:
    return table if table.dealer is not None else table.but(dealer=randomness.randrange(len(table.players)))


def decide_say_no(
    loaded: LoadedTable, request: Request, now: datetime, randomness: Random
) -> Transition | NewGame | None:
    """Note that a person does not want a rematch, or leave the lobby if they are in; None if they said so before.

    Hands of the last game, which ask for an answer, are redrawn. Deals if the table waits for nobody else. Declined:
    ALREADY_SEATED for the only person who is in, because without them the table would close for everybody.
    """
    table = loaded.table
    require_lobby(table)
    if seat_to_show(loaded, request.user.id, now) is not None:
        if len(table.people) == 1:
            raise Declined(Decline.ALREADY_SEATED)
        return Transition(loaded.but(table=unseat(table, request, now), hands_revision=table.revision + 1))
    seat = table.seat_left_by(request.user.id)
    if seat is None or table.players[seat].away:
        return None
    table = next_revision(table, now).with_player(seat, away=True)
    return answered(loaded.but(table=table, hands_revision=table.revision), randomness)


def answered(loaded: LoadedTable, randomness: Random) -> Transition | NewGame:
    """The lobby after somebody sat down or said no; a new game if it waits for nobody else.

    That is when everybody has answered to a rematch, or all seats are taken that the host wanted.
    """
    table = loaded.table
    if table.is_rematch_pending:
        complete = has_enough_for_rematch(table) and not table.unanswered
    else:
        complete = table.is_dealt_when_full and not table.free_seats()
    return _deal(loaded, _with_dealer(table, randomness)) if complete else Transition(loaded)


def decide_time_to_answer_up(loaded: LoadedTable, now: datetime) -> Transition | NewGame:
    """Deal to those who said yes. If they are too few, the table becomes a lobby, shown to everybody who was asked."""
    table = loaded.table
    if has_enough_for_rematch(table):
        with suppress(Declined):
            return _deal(loaded, next_revision(table, now))
    lobby = next_revision(table.but(turn_since=None), now)
    return Transition(loaded.but(table=lobby, hands_revision=lobby.revision))


def _deal(loaded: LoadedTable, table: Table, by_user: int | None = None) -> NewGame:
    table = _only_seated(table)
    standings = first_standings(table.players) if table.match else ()
    return _new_game(loaded, table.but(standings=standings), by_user)


def _new_game(loaded: LoadedTable, table: Table, by_user: int | None = None) -> NewGame:
    """Decide to deal to everybody at the table. Declined: TOO_FEW, NO_ROOM_IN_PACK, CLASHING_RULES."""
    require_playable(table.rules)
    seats = len(table.players)
    if not table.rules.can_seat(seats):  # more may get fewer cards or a larger pack
        raise Declined(Decline.TOO_FEW if seats < table.seat_limit else Decline.NO_ROOM_IN_PACK)
    return NewGame(loaded, table, by_user)


def _only_seated(table: Table) -> Table:
    """The table with only those who have not left; dealer, winner and shithead are renumbered with the seats."""
    kept = [seat for seat, player in enumerate(table.players) if not player.left]
    new_seats: dict[int | None, int] = {seat: new_seat for new_seat, seat in enumerate(kept)}
    return table.but(
        players=table.seated,
        dealer=new_seats.get(dealer_or_next(table, table.dealer or 0), 0),
        last_winner=new_seats.get(table.last_winner),
        last_shithead=new_seats.get(table.last_shithead),
    )


def _asking(loaded: LoadedTable, again: Table, request: Request, now: datetime) -> LoadedTable:
    """The lobby of a rematch that one person wants: the computers are in, all others have yet to answer."""
    again = _only_seated(again)
    players = (who.but(left=who.user_id not in {None, request.user.id}, wants_stop=False) for who in again.players)
    table = again.but(
        status="lobby",
        message_id=0 if again.message_id == 0 else None,  # the result stays readable; 0: nobody knows if it is there
        host_id=request.user.id,
        players=tuple(players),
        standings=(),
        started_at=None,
        ended_at=None,
        turn_since=now,
        deadline=now + time_to_answer(again),
    )
    cleared = loaded.but(views=None, memory=None, recent=(), played_for=(), moves=0, debt=None)
    return cleared.but(table=table, hands_revision=table.revision)


def _asked_again(loaded: LoadedTable, request: Request, now: datetime) -> Table:
    """The lobby of a rematch that came to nothing, with all who were asked but those removed, and former players.

    Declined: NOT_SEATED.
    """
    removed = {user_id for user_id, until in loaded.removed.items() if now < until} - {request.user.id}

    def before_asking(player: Player) -> Player:
        is_removed = player.user_id in removed or (player.user_id or 0) < 0
        return player.but(left=is_removed or (player.is_computer and player.left), away=is_removed)

    table = next_revision(loaded.table, now, players=tuple(map(before_asking, loaded.table.players)))
    seat = table.seat_of(request.user.id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    return table.with_player(seat, joined_by=request.id, name=name_at(table, request.user))


def _next_game(loaded: LoadedTable, request: Request, now: datetime) -> Table:
    """The table for the next game: who deals, who last won and lost. The click becomes part of the shuffle."""
    table = loaded.table
    dealer, winner, shithead = table.dealer, table.last_winner, table.last_shithead
    if loaded.views and table.status == "over":  # a stopped game does not count
        view = loaded.views.table
        dealer, shithead = view.next_dealer, view.shithead
        winner = view.out[0] if view.winner is None and view.out else view.winner  # or whoever went out first

    def seated_again(player: Player) -> Player:
        if player.user_id != request.user.id:
            return player.but(away=False)
        return player.but(away=False, left=False, joined_by=request.id, name=name_at(table, request.user))

    fresh = next_revision(table, now, game=table.game + 1, seal=seal_of(loaded.secret), secret="", next_seal="")
    players = tuple(map(seated_again, table.players))
    again = fresh.but(players=players, dealer=dealer or 0, last_winner=winner, last_shithead=shithead)
    return again.but(**_next_variant(table))


def _next_variant(table: Table) -> TableChanges:
    """The changes that give a table the variant of its next game, or of the first one of another match; may be none."""
    if table.match is None:
        return {}
    variant = variant_of_next(table.match, table.standings if is_between_games(table) else ())
    return {**of_variant(variant)} if variant else {}


def seat_to_show(loaded: LoadedTable, user_id: int, now: datetime) -> int | None:
    """The seat whose hand a person may see; None if they are asked for a rematch, or are out and may come back.

    Declined: UNKNOWN_TABLE for a closed lobby, REMOVED, NOT_SEATED.
    """
    table = loaded.table
    if table.started_at is None and not table.is_open:
        raise Declined(Decline.UNKNOWN_TABLE, loaded.snapshot())
    seat = table.seat_of(user_id)
    if seat is not None:
        return seat
    loaded.require_welcome(user_id, now)
    seat_left = table.seat_left_by(user_id)
    if seat_left is None:
        raise Declined(Decline.NOT_SEATED, loaded.snapshot())
    may_come_back = table.is_open or is_between_games(table)
    return None if may_come_back else seat_left  # those who left may see how it ended
