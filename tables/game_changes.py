"""What may be done in a game, by people and by the clock. Pure: a table in, a transition out, or `Declined`.

None stands for nothing to do. What is decided here is stored by the doorway.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from data.models import Player, Table, TableChanges
from game.moves import IllegalMove, Move, Refusal, Timeout
from tables.gameplay import (
    Randomness,
    aborted,
    begin_game,
    computer_move,
    ended,
    make_move,
    seal_of,
    with_full_time,
)
from tables.loaded import LoadedTable, Transition
from tables.lobby_changes import next_revision, of_variant, require_host, require_lobby, unseat
from tables.match import first_standings, is_between_games, is_match_over, variant_of_next, without_leavers
from tables.snapshots import Decline, Declined, Request
from tables.timing import grace, idle, nudge_at

# -- people


def start(loaded: LoadedTable, request: Request, now: datetime, randomness: Randomness) -> Transition:
    """The host has the first game dealt."""
    table = loaded.table
    require_lobby(table, request.user.id)
    dealer = randomness.randrange(len(table.players))
    lines = first_standings(table.players) if table.match else ()
    return begin_game(loaded, next_revision(table, now, dealer=dealer, standings=lines), now)


def act(loaded: LoadedTable, request: Request, move: Move, now: datetime, randomness: Randomness) -> Transition:
    """Somebody makes a move, having seen the table at revision `request.seen`."""
    seat = _playing_seat(loaded, request)
    if not loaded.is_fresh(seat, request.seen):
        raise Declined(Decline.STALE)
    if isinstance(move, Timeout):
        raise IllegalMove(Refusal.NOT_ALLOWED)  # time is the clock's alone
    return make_move(_present(loaded, seat), seat, move, now, randomness)


def play_for(loaded: LoadedTable, request: Request, now: datetime, randomness: Randomness) -> Transition:
    """Somebody has the computer move for another whose time is up."""
    seat = _playing_seat(loaded, request)
    late = [each for each in loaded.waiting() if each != seat]
    if not late or loaded.table.deadline is None or now < loaded.table.deadline:
        raise Declined(Decline.NOT_YET)
    return computer_move(_present(loaded, seat), late[0], now, randomness)


def stop(loaded: LoadedTable, request: Request, now: datetime, randomness: Randomness) -> Transition:
    """The host and moderators stop at once, others by more than half of the people who still sit there."""
    table, user_id = loaded.table, request.user.id
    if not table.is_open:
        raise Declined(Decline.NOT_PLAYING)
    seat = table.seat_of(user_id)
    counted = next_revision(table, now)
    if not (request.moderator or (table.host_id == user_id and seat is not None)):
        counted = counted.with_player(_voting_seat(loaded, user_id), wants_stop=True)
        if counted.stop_votes * 2 <= sum(not (each.is_computer or each.left) for each in table.players):
            return Transition(loaded.but(table=counted))
    return Transition(ended(loaded.but(table=counted), now, randomness, {"status": "stopped"}))


def leave(loaded: LoadedTable, request: Request, now: datetime, randomness: Randomness) -> Transition:
    """Somebody gets up: the seat is free again in a lobby, and the computer's in a game."""
    if loaded.table.status != "playing" and not is_between_games(loaded.table):
        return Transition(loaded.but(table=unseat(loaded.table, request, now)))
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    table = next_revision(loaded.table, now).with_player(seat, left=True, away=False, wants_stop=False)
    people = [player.user_id for player in table.players if player.user_id is not None and not player.left]
    if people and table.host_id not in people:
        table = table.but(host_id=people[0])
    after = loaded.but(table=table)
    alone = not people and table.is_open
    return Transition(ended(after, now, randomness, {"status": "aborted"}) if alone else after)


def take_back(loaded: LoadedTable, request: Request, now: datetime) -> Transition:
    """Somebody who left plays the own cards again, which the computer has played meanwhile."""
    table, user_id = loaded.table, request.user.id
    if table.status != "playing" and not is_between_games(table):
        raise Declined(Decline.NOT_PLAYING)
    if table.seat_of(user_id) is not None:
        raise Declined(Decline.ALREADY_SEATED)
    seat = table.seat_left_by(user_id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    name = table.players[seat].name or request.user.name
    back = next_revision(table, now).with_player(seat, left=False, name=name)
    return Transition(loaded.but(table=with_full_time(back, loaded.state, now) if seat in loaded.waiting() else back))


def rematch(loaded: LoadedTable, request: Request, now: datetime) -> Transition:
    """Somebody has the next game of the series dealt."""
    table = loaded.table
    if table.status not in {"over", "stopped"} or table.started_at is None:
        raise Declined(Decline.NOT_OVER)
    if table.seat_of(request.user.id) is None:
        raise Declined(Decline.NOT_SEATED)
    if request.seen < loaded.since:
        raise Declined(Decline.STALE)
    return begin_game(loaded, _next_game(loaded, request, now), now)


def _next_game(loaded: LoadedTable, request: Request, now: datetime) -> Table:
    """The table for the next game: those who stayed, who deals, who won and lost. The click of the request shuffles."""
    table = loaded.table
    kept = [seat for seat, player in enumerate(table.players) if not player.left]
    at = {seat: place for place, seat in enumerate(kept)}
    view = loaded.views.table if loaded.views else None
    winner = None if view is None else view.out[0] if view.winner is None and view.out else view.winner
    dealer = view.next_dealer if view and table.status == "over" else table.dealer

    def again(player: Player) -> Player:
        if player.user_id != request.user.id:
            return player.but(away=False)
        return player.but(away=False, joined_by=request.id, name=player.name or request.user.name)

    fresh = next_revision(table, now, game=table.game + 1, seal=seal_of(loaded.secret), secret="", next_seal="")
    return fresh.but(**_next_of_match(table)).but(
        players=tuple(again(table.players[seat]) for seat in kept),
        dealer=at.get(dealer if dealer is not None else 0, 0),
        last_winner=None if winner is None else at.get(winner),
        last_shithead=None if view is None or view.shithead is None else at.get(view.shithead),
    )


def _next_of_match(table: Table) -> TableChanges:
    """Standings and variant for the next game; after the end of a match those of another one."""
    if table.match is None:
        return {}
    lines = without_leavers(table.standings, table.players)
    if is_match_over(table):
        lines = first_standings([player for player in table.players if not player.left])
    changes: TableChanges = {"standings": lines}
    variant = variant_of_next(table.match, lines)
    return changes | of_variant(variant) if variant else changes


def come_back(loaded: LoadedTable, request: Request, now: datetime) -> Transition | None:
    """Somebody looks at the own hand: nobody is away by that, and a seat without a name has it again."""
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        return None
    player = loaded.table.players[seat]
    away = player.away and loaded.table.status == "playing" and loaded.state is not None
    if not away and (player.name or not loaded.table.is_open):
        return None
    table = loaded.table.with_player(seat, name=player.name or request.user.name)
    if away:
        table = next_revision(table, now).with_player(seat, away=False)
        if seat in loaded.waiting() or not loaded.is_attended():
            table = with_full_time(table, loaded.state, now)
    return Transition(loaded.but(table=table))


def _playing_seat(loaded: LoadedTable, request: Request) -> int:
    seat = loaded.table.seat_of(request.user.id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    if loaded.table.status != "playing" or loaded.state is None:
        raise Declined(Decline.NOT_PLAYING)
    return seat


def _voting_seat(loaded: LoadedTable, user_id: int) -> int:
    if loaded.table.status == "lobby":
        require_host(loaded.table, user_id)
    seat = loaded.table.seat_of(user_id)
    if seat is None:
        raise Declined(Decline.NOT_SEATED)
    if loaded.table.players[seat].wants_stop:
        raise Declined(Decline.ALREADY_VOTED)
    return seat


def _present(loaded: LoadedTable, seat: int) -> LoadedTable:
    """The same, but nobody is away who asks for something."""
    return loaded.but(table=loaded.table.with_player(seat, away=False)) if loaded.table.players[seat].away else loaded


# -- the clock


def computer_turn(loaded: LoadedTable, now: datetime, randomness: Randomness) -> Transition | None:
    """One move of a seat that moves automatically."""
    due = loaded.due()
    return computer_move(loaded, due[0], now, randomness) if due else None


def wake(loaded: LoadedTable, least: timedelta, now: datetime) -> Transition | None:
    """The deadline is at least so far away, as after a restart."""
    table = loaded.table
    if not table.is_open or table.deadline is None or table.deadline >= now + least:
        return None
    return Transition(loaded.but(table=table.but(deadline=now + least, overdue=False)))


def put_off(loaded: LoadedTable, by: timedelta) -> Transition | None:
    """The turn began later, and ends later."""
    table = loaded.table
    if not table.is_open or table.deadline is None:
        return None
    since = table.turn_since + by if table.turn_since else None
    return Transition(loaded.but(table=table.but(deadline=table.deadline + by, turn_since=since)))


def pause(loaded: LoadedTable, now: datetime, *, paused: bool) -> Transition | None:
    """The clock stops, or runs again with a full turn."""
    table = loaded.table
    if not table.is_open or table.paused == paused:
        return None
    table = table.but(paused=paused)
    return Transition(loaded.but(table=table if paused else with_full_time(table, loaded.state, now)))


def time_up(loaded: LoadedTable, now: datetime, randomness: Randomness) -> Transition | None:
    """What an expired deadline demands: close a lobby, remind, allow others to play, play, end an abandoned game."""
    table = loaded.table
    if not table.is_open or table.paused or table.deadline is None:
        return None
    if now < table.deadline:
        nudge = nudge_at(table, loaded.settings.nudge_seconds)
        is_due = nudge is not None and nudge <= now and loaded.is_attended()
        return Transition(loaded.but(table=table.but(nudged=True))) if is_due else None
    if table.status == "lobby":
        return Transition(loaded.but(table=next_revision(table, now, status="expired", ended_at=now, deadline=None)))
    if not loaded.is_attended() or loaded.state is None:
        return aborted(loaded, now, randomness)
    return _late(loaded, now, table.deadline, randomness)


def _late(loaded: LoadedTable, now: datetime, deadline: datetime, randomness: Randomness) -> Transition | None:
    """The deadline of a running game has passed."""
    table = loaded.table
    if loaded.state is not None and loaded.state.frame.phase == "call":
        return make_move(loaded, None, Timeout(), now, randomness)
    if not loaded.waiting():
        return None
    if not table.overdue:
        return Transition(loaded.but(table=table.but(nudged=True, overdue=True)))
    if now < deadline + grace(table):
        return None
    seat = loaded.waiting()[0]
    left_alone = loaded.but(table=table.with_player(seat, away=not table.players[seat].is_computer))
    step = computer_move(left_alone, seat, now, randomness)
    return step if step.after.is_attended() or not step.after.table.is_open else _abandoned(step, now)


def _abandoned(step: Transition, now: datetime) -> Transition:
    """Give a game at which nobody plays any more its idle deadline: it ends unless somebody comes back in time."""
    table = step.after.table
    table = table.but(turn_since=None, deadline=now + idle(table), nudged=True, overdue=True)
    return Transition(step.after.but(table=table), move=step.move)
