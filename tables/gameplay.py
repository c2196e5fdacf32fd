"""A game from deal to end: each step is computed here and stored by the doorway. Pure: randomness is passed in."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import islice
from random import Random
from typing import cast

from data.game_models import DealColumns, Result, StoredGame, StoredMove, shared_rules
from data.models import Status, Table, call_by, held_by, is_posted
from data.tea_models import TeaDebt
from game.deal import full_pack
from game.events import Dealt, Drew, Event
from game.fairness import SECRET_BYTES, pack_from
from game.moves import Move, Ready, apply, format_move
from game.players import quick_player
from game.players.memory import first_memory, remember
from game.showing import redacted, seat_view, table_view
from game.state import State
from game.text.notation import format_seat_letter
from game.text.record import Record, Step
from game.view import SeatView, TableView
from tables.loaded import DamagedGameError, LoadedTable, NewGame, NotConservedError, Transition, Views, seal_of
from tables.lobby_changes import next_revision, unseat, with_host
from tables.match import is_between_games, is_voted_off, with_game_counted
from tables.snapshots import RECENT, Decline, Declined, Request
from tables.timing import kept_for, time_for


def new_secret(randomness: Random) -> str:
    """A new secret for a shuffle, in hex."""
    return randomness.randbytes(SECRET_BYTES).hex()


def carried_out(decided: Transition | NewGame | None, now: datetime) -> Transition | None:
    """Deal if that was decided; any other decision is returned as it is."""
    return _begun(decided, now) if isinstance(decided, NewGame) else decided


def _begun(decided: NewGame, now: datetime) -> Transition:
    loaded, table = decided.before, decided.table
    seats = len(table.players)
    # The order of the pack depends on the secret, the shuffle's name and all players' clicks (docs/fairness.md).
    joiners = tuple(player.joined_by for player in table.players)
    cards = full_pack(table.rules, seats)
    record = Record(
        rules=table.rules,
        seats=seats,
        dealer=table.dealer or 0,
        pack=pack_from(bytes.fromhex(loaded.secret), shuffle_name(table.id, table.game), joiners, cards),
        last_winner=table.last_winner,
        last_shithead=table.last_shithead,
    )
    players = tuple(player.but(wants_stop=False) for player in table.players)
    asking_seat = table.seat_of(decided.by_user or 0)
    if asking_seat is None:
        asking_seat = joiners.index(max(joiners))  # later clicks have larger ids
    table = table.but(status="playing", started_at=now, ended_at=None, players=players, call_id=call_by(asking_seat))
    begun = _dealt(loaded, record, table.revision)
    rules = table.rules.model_dump(mode="json", exclude_defaults=True)
    deal = cast("DealColumns", record.model_dump(mode="json", exclude={"rules", "moves"}) | {"rules": rules})
    return Transition(begun.but(table=with_full_time(table, begun.state, now)), deal=deal)


def shuffle_name(table_id: int, game: int) -> str:
    """The name of a game's shuffle, from which the order of the pack is made."""
    return f"{table_id}.{game}"


def _dealt(loaded: LoadedTable, record: Record, revision: int) -> LoadedTable:
    """The table right after a deal that led to this revision."""
    views = views_of(record.dealt())
    return LoadedTable(
        loaded.table,
        loaded.settings,
        loaded.secret,
        views,
        memory=first_memory(views.table),
        recent=(Dealt(record.dealer),),
        hands_revision=revision,
        phase_revision=revision,
        seat_revisions=(revision,) * record.seats,
    )


def views_of(state: State) -> Views:
    """The views of a state, which are built when they are first used."""
    return Views(state, table_view, seat_view)


def with_full_time(table: Table, state: State | None, now: datetime) -> Table:
    """The table with its clock set for a turn, phase, lobby or the answers to a rematch, beginning now."""
    time = time_for(table, state.frame.phase if state else "")
    since = now if table.status == "playing" or table.is_rematch_pending else None
    return table.but(turn_since=since, deadline=now + time, nudged=False, warned=False, overdue=False)


def reminded(table: Table) -> Table:
    """The table with a reminder due: a message of its own in place of the last, as an edited one notifies nobody."""
    nudge_id = held_by(table.nudge_id) if is_posted(table.nudge_id) else table.nudge_id
    return table.but(nudged=True, nudge_id=nudge_id)


def abandoned(table: Table, now: datetime) -> Table:
    """The table of a game without people: no computer plays on, and it is aborted unless somebody comes back."""
    return table.but(turn_since=None, deadline=now + kept_for(table), nudged=True, warned=True, overdue=True)


def record_of(game: StoredGame) -> Record:
    """The record of a stored game; raises `ValueError` if its deal is damaged, but parses no moves."""
    lines = tuple(f"{format_seat_letter(each.seat)}: {each.move}" for each in game.moves)
    return Record.model_validate({**game.deal, "rules": shared_rules(game.deal["rules"]), "moves": lines})


def replayed(loaded: LoadedTable, game: StoredGame, until: int | None = None) -> LoadedTable:
    """The table with its game replayed, or its first `until` moves; raises `DamagedGameError` if that is impossible."""
    try:
        dealt_at = game.moves[0].revision - 1 if game.moves else loaded.table.revision
        record = record_of(game)
        loaded_then = _dealt(loaded, record, dealt_at)
        # `steps` replays the whole record even for a few moves, because only the whole tells how its rules were read.
        for step, made in islice(zip(record.steps(), game.moves, strict=True), until):
            loaded_then = moved(loaded_then, step, made.revision, loaded.table)
    except Exception as error:  # an error in one record must not affect other games
        raise DamagedGameError(type(error).__name__) from error
    if loaded_then.state is None or not is_complete(loaded_then.state):
        raise DamagedGameError(NotConservedError.__name__)
    return loaded_then


def replayed_views(game: StoredGame, seat: int | None = None) -> list[tuple[TableView | SeatView, tuple[Event, ...]]]:
    """A whole game as everybody, or one seat, saw it: the view after the deal and each move, with its public events.

    Raises `DamagedGameError` if the record cannot be replayed.
    """
    try:
        record = record_of(game)
        steps = record.steps()
        first = steps[0].before if steps else record.dealt()
        told: list[tuple[State, tuple[Event, ...]]] = [(first, (Dealt(record.dealer),))]
        told += [(step.after, redacted(step.events(), step.after)) for step in steps]
        return [(table_view(state) if seat is None else seat_view(state, seat), events) for state, events in told]
    except Exception as error:  # an error in one record must not affect other games
        raise DamagedGameError(type(error).__name__) from error


def moved(loaded: LoadedTable, step: Step, revision: int, table: Table) -> LoadedTable:
    """The game after a move that leads to this revision, at `table` as it then is."""
    seat = step.seat
    views = views_of(step.after)
    all_events = step.events()
    public_events = redacted(all_events, step.after)
    # What a seat drew is kept until its own next move.
    drew = {other: drawn for other, drawn in loaded.drew.items() if other != seat}
    drew |= {event.seat: event for event in all_events if isinstance(event, Drew)}
    seat_revisions = loaded.seat_revisions
    if seat is not None:
        seat_revisions = (*seat_revisions[:seat], revision, *seat_revisions[seat + 1 :])
    is_same_phase = step.before.frame.phase == step.after.frame.phase
    return loaded.but(
        table=table,
        views=views,
        memory=remember(loaded.memory, public_events, views.table) if loaded.memory else None,
        drew=drew,
        moves=loaded.moves + 1,
        recent=(*loaded.recent, *public_events)[-RECENT:],
        hands_revision=revision,
        phase_revision=loaded.phase_revision if is_same_phase else revision,
        seat_revisions=seat_revisions,
    )


def make_move(
    loaded: LoadedTable, seat: int | None, move: Move, now: datetime, randomness: Random, *, own: bool = False
) -> Transition:
    """Make a move for a seat, or for the clock (None). It is the `own` one of a player who clicked it.

    Declined: NOT_PLAYING. `IllegalMove` if the rules refuse it, `NotConservedError` if a card is missing then.
    """
    before = loaded.state
    if before is None:
        raise Declined(Decline.NOT_PLAYING)
    state = apply(before, seat or 0, move)
    if not is_complete(state):
        raise NotConservedError
    table = next_revision(loaded.table, now)
    # While everybody prepares at once, one player's move gives the others no new time.
    phase = state.frame.phase
    shares_time = phase in {"exchange", "call"} and phase == before.frame.phase
    if not shares_time or table.is_abandoned:
        table = with_full_time(table, state, now)
    after = moved(loaded, Step(before, seat, move, state), table.revision, table)
    made = Transition(after, move=StoredMove(after.moves, seat, format_move(move), table.revision, now, own))
    return _with_result(made, table_view(state), now, randomness) if phase == "over" else made


def computer_move(
    loaded: LoadedTable, seat: int, now: datetime, randomness: Random, by_seat: int | None = None
) -> Transition:
    """Make one quick move for a seat, at the request of seat `by_seat` if given. In an overdue exchange, get ready.

    Raises what `make_move` does.
    """
    view = loaded.hand(seat).view
    hurried = loaded.table.overdue or (loaded.table.deadline is not None and now >= loaded.table.deadline)
    move = Ready() if hurried and Ready() in view.moves else quick_player.choose(view, randomness)
    made = make_move(loaded, seat, move, now, randomness)
    if loaded.table.players[seat].is_computer:
        return made
    return replace(made, after=made.after.as_played_for(loaded, seat if by_seat is None else by_seat))


def is_complete(state: State) -> bool:
    """Whether every card of the pack is in exactly one place."""
    parts = (*(seat.held() for seat in state.seats), state.held, state.burned, *state.stock)
    union = 0
    for part in parts:
        union |= part
    # A card that is in two parts counts once in the union, but twice in the sum.
    return union == sum(parts) and union.bit_count() == state.book.rules.cards_with(len(state.seats))


def ended(loaded: LoadedTable, now: datetime, randomness: Random, status: Status) -> LoadedTable:
    """End a game with this status: open its secret, draw a new one, and have open hands redrawn.

    A lobby keeps its secret, because the rematch that it was for may be asked for again.
    """
    table = loaded.table.but(status=status, ended_at=now, deadline=None, turn_since=None)
    table = table.but(nudged=False, warned=False, overdue=False, paused=False)
    if table.started_at is not None:
        secret = new_secret(randomness)
        table = table.but(secret=loaded.secret, next_seal=seal_of(secret))
        loaded = loaded.but(secret=secret)
    return loaded.but(table=table, hands_revision=table.revision)


def aborted(loaded: LoadedTable, now: datetime, randomness: Random) -> Transition:
    """End a table without a result."""
    counted = loaded.but(table=loaded.table.but(revision=loaded.table.revision + 1))
    return Transition(ended(counted, now, randomness, "aborted"))


def _with_result(made: Transition, view: TableView, now: datetime, randomness: Random) -> Transition:
    loaded, table = made.after, made.after.table
    counted = loaded.but(table=table.but(standings=with_game_counted(table.standings, view)))
    after = ended(counted, now, randomness, "over")
    return Transition(after, move=made.move, result=_result(table, view, loaded.moves), debt=_debt(table, view, now))


def _result(table: Table, view: TableView, moves: int) -> Result:
    order = view.finishing_order
    ranked = [table.players[seat] for seat in order]

    def place_of(seat: int | None) -> int | None:
        return None if seat is None else order.index(seat) + 1

    return Result(
        places=tuple(player.user_id for player in ranked),
        shithead=place_of(view.shithead),
        winner=place_of(view.winner),
        moves=moves,
        levels=tuple(player.level for player in ranked),
        variant=table.variant,
    )


def _debt(table: Table, view: TableView, now: datetime) -> TeaDebt | None:
    """The shithead, even one who has left, owes all other people who stayed to the end; computers owe nothing."""
    debtor = None if view.shithead is None else table.players[view.shithead].user_id
    stayed = [player.user_id for player in table.players if not player.left]
    creditors = tuple(sorted(user for user in stayed if user is not None and user != debtor))
    if debtor is None or not creditors:
        return None
    return TeaDebt(
        id=0,
        guild_id=table.guild_id,
        table_id=table.id,
        debtor_id=debtor,
        creditor_ids=creditors,
        forfeit=table.forfeit,
        made_at=now,
    )


def decide_leave(loaded: LoadedTable, request: Request, now: datetime, randomness: Random) -> Transition:
    """Let a person leave: in a lobby the seat becomes free, in a game the computer plays on."""
    if loaded.table.status != "playing" and not is_between_games(loaded.table):
        lobby = unseat(loaded.table, request, now)
        return Transition(loaded.but(table=lobby, hands_revision=lobby.revision))
    seat = loaded.seat_of(request.user.id)
    table = with_host(next_revision(loaded.table, now).with_player(seat, left=True, away=False, wants_stop=False))
    after = loaded.but(table=table)
    if table.status != "playing":
        return Transition(after)
    if not table.people:
        return Transition(ended(after, now, randomness, "aborted"))
    if is_voted_off(table):  # with one person fewer, fewer votes are needed
        return Transition(ended(after, now, randomness, "stopped"))
    return Transition(after if after.table.present else after.but(table=abandoned(table, now)))
