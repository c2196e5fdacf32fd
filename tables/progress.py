"""A game from deal to end: every step is computed here and stored elsewhere.

Pure but for chance, which is handed in.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from data.models import Change, Deal, DebtDraft, Player, Result, StoredMove, Table
from game.cards import Card
from game.deal import deal, full_pack
from game.moves import apply, events
from game.events import Dealt, Event, redact
from game.fairness import pack_from
from game.moves import Move
from game.text.notation import format_cards, parse_cards
from game.moves import format_move, parse_move
from game.state import State
from game.views import next_dealer, table_view, unseen
from tables.loaded import LoadedTable, Transition
from tables.lobby import following, of_variant
from tables.match import first_standings, is_match_over, variant_of_next, with_game_counted, without_leavers
from tables.randomness import Randomness, seal_of
from tables.snapshots import RECENT, Decline, Declined
from tables.timing import time_for


class NotConservedError(Exception):
    """A card is missing or doubled: the game must not go on. Names no card."""


def shuffle_name(table: Table) -> str:
    """What the shuffle of a table's game is called: part of what the pack is made from."""
    return f"{table.id}.{table.game}"


def shuffled(table: Table, secret: str) -> tuple[Card, ...]:
    """The pack of a table's game, top first (how: docs/fairness.md)."""
    joiners = tuple(player.joined_by for player in table.players)
    pack = full_pack(table.rules, len(table.players))
    return pack_from(bytes.fromhex(secret), shuffle_name(table), joiners, pack)


def state_of(found: Deal) -> State:
    """The state right after a deal."""
    pack = parse_cards(found.pack)
    return deal(found.rules, found.seats, pack, found.dealer, found.last_winner, found.last_shithead)


def begin_game(loaded: LoadedTable, table: Table, now: datetime, interaction_id: int | None) -> Transition:
    """Deal: `table` is as it will be, but for its times.

    Raises:
        Declined: too few sit there, or the pack is too small for them.
    """
    seats = len(table.players)
    if seats < table.rules.seats[0]:
        raise Declined(Decline.TOO_FEW)
    if not table.rules.has_room_for(seats) or table.dealer is None:
        raise Declined(Decline.NO_ROOM_IN_PACK)
    dealt = Deal(
        rules=table.rules,
        seats=seats,
        dealer=table.dealer,
        pack=format_cards(shuffled(table, loaded.secret)),
        joiners=tuple(player.joined_by for player in table.players),
        last_winner=table.last_winner,
        last_shithead=table.last_shithead,
    )
    state = state_of(dealt)
    times: dict[str, Any] = {"status": "playing", "started_at": now, "ended_at": None, "stop_votes": ()}
    after = _timed(table.model_copy(update=times), state, now)
    change = Change(before=loaded.table, after=after, at=now, interaction_id=interaction_id, deal=dealt)
    own = (after.revision,) * seats
    begun = LoadedTable(after, loaded.secret, state, recent=(Dealt(table.dealer),), since=after.revision, own=own)
    return Transition(begun, change)


def _timed(table: Table, state: State, now: datetime, **changes: Any) -> Table:
    """The table with a new turn begun now."""
    time = time_for(table, state.frame.phase)
    fresh = {"turn_since": now, "deadline": now + time, "nudged": False, "overdue": False}
    return table.model_copy(update={**fresh, **changes})


def moved(loaded: LoadedTable, seat: int | None, move: Move) -> LoadedTable:
    """The table after a move, with nothing changed but the game; also how a record is replayed.

    `seat` None is the clock.

    Raises:
        IllegalMove: the rules refuse it.
    """
    before = loaded.state
    if before is None:
        raise ValueError("there is no game")
    who = seat or 0
    after = apply(before, who, move)
    told = tuple(redact(each, None, unseen=unseen(after)) for each in events(before, who, move, after))
    return replace(loaded, state=after, moves=loaded.moves + 1, recent=_latest(loaded.recent, told))


def _latest(old: tuple[Event, ...], new: tuple[Event, ...]) -> tuple[Event, ...]:
    return (*old, *new)[-RECENT:]


def replayed(loaded: LoadedTable, made: StoredMove) -> LoadedTable:
    """The table after a stored move.

    Raises:
        ValueError: the text is no move.
        IllegalMove: the rules refuse it.
    """
    after = moved(loaded, made.seat, parse_move(made.move))
    return replace(after, since=made.revision, own=_own(loaded.own, made.seat, made.revision))


def _own(own: tuple[int, ...], seat: int | None, revision: int) -> tuple[int, ...]:
    return own if seat is None else (*own[:seat], revision, *own[seat + 1 :])


def make_move(
    loaded: LoadedTable,
    seat: int | None,
    move: Move,
    now: datetime,
    randomness: Randomness,
    *,
    by: int | None = None,
    **flags: Any,
) -> Transition:
    """A move of a seat, or the clock's (None). `by` is the interaction; `flags` are changes of the table beside it.

    Raises:
        IllegalMove: the rules refuse it.
        NotConservedError: the pack is not complete any more.
    """
    after = moved(loaded, seat, move)
    state = after.state
    if state is None or loaded.state is None or not is_complete(state):
        raise NotConservedError
    table = following(loaded.table, now, **flags)
    if _begins_turn(loaded.state, state):
        table = _timed(table, state, now)
    made = StoredMove(number=after.moves, seat=seat, move=format_move(move), revision=table.revision)
    own = _own(loaded.own, seat, table.revision)
    after = replace(after, table=table, since=table.revision, own=own)
    change = Change(before=loaded.table, after=table, at=now, interaction_id=by, made=made)
    return _over(after, change, state, now, randomness) if state.frame.phase == "over" else Transition(after, change)


def _begins_turn(before: State, after: State) -> bool:
    """Whether somebody's time begins anew: in preparing only with the next phase, later with every move."""
    return after.frame.phase != before.frame.phase or after.frame.phase not in {"exchange", "call"}


def is_complete(state: State) -> bool:
    """Whether every card of the pack is in exactly one place."""
    seats = [seat.held() for seat in state.seats]
    parts = (*seats, state.held, state.burned, *state.stock)
    union = 0
    for part in parts:
        union |= part
    wanted = state.book.rules.cards_with(len(state.seats))
    return union.bit_count() == sum(part.bit_count() for part in parts) == wanted


def ended(table: Table, now: datetime, secret: str, randomness: Randomness, **changes: Any) -> tuple[Table, str]:
    """The table when its game is finished or stopped, the seal opened; and the secret of a rematch."""
    following_secret = randomness.secret()
    times = {"ended_at": now, "deadline": None, "turn_since": None, "nudged": False, "overdue": False, "paused": False}
    opened = {"secret": secret, "next_seal": seal_of(following_secret)}
    return table.model_copy(update={**times, **opened, **changes}), following_secret


def _over(loaded: LoadedTable, change: Change, state: State, now: datetime, randomness: Randomness) -> Transition:
    lines = with_game_counted(loaded.table.standings, table_view(state))
    table, secret = ended(loaded.table, now, loaded.secret, randomness, status="over", standings=lines)
    result, debt = _result(loaded, state, now), _debt(loaded.table, state)
    stored = {"after": table, "sealed": secret, "result": result, "debt": debt}
    after = replace(loaded, table=table, secret=secret, result=result)
    return Transition(after, change.model_copy(update=stored))


def _result(loaded: LoadedTable, state: State, now: datetime) -> Result:
    table, view = loaded.table, table_view(state)
    rest = [seat for seat in range(len(table.players)) if seat not in view.out and seat != view.shithead]
    order = [*view.out, *rest, *([] if view.shithead is None else [view.shithead])]

    def user(seat: int | None) -> int | None:
        return None if seat is None else table.players[seat].user_id

    return Result(
        table_id=table.id,
        guild_id=table.guild_id,
        game=table.game,
        variant=table.variant,
        places=tuple(user(seat) for seat in order),
        shithead_id=user(view.shithead),
        winner_id=user(view.winner),
        moves=loaded.moves,
        started_at=table.started_at or now,
        ended_at=now,
    )


def _debt(table: Table, state: State) -> DebtDraft | None:
    """A person who is the shithead owes all other people who stayed to the end; also one who left."""
    shithead = table_view(state).shithead
    debtor = None if shithead is None else table.players[shithead].user_id
    creditors = tuple(
        player.user_id for player in table.players if player.user_id not in {None, debtor} and not player.left
    )
    if debtor is None or not creditors:
        return None
    return DebtDraft(debtor_id=debtor, creditor_ids=tuple(filter(None, creditors)), forfeit=table.forfeit)


def series_of(loaded: LoadedTable, presser: int, interaction_id: int) -> dict[str, Any]:
    """What the next game takes over: who stayed, who deals, who won and lost; the presser's click shuffles.

    In a match it is the next one of it, or the first of another one.
    """
    kept = [seat for seat, player in enumerate(loaded.table.players) if not player.left]
    at = {seat: place for place, seat in enumerate(kept)}
    view = table_view(loaded.state) if loaded.state else None
    winner = None if view is None else view.out[0] if view.winner is None and view.out else view.winner
    dealer = next_dealer(loaded.state) if loaded.state and loaded.table.status == "over" else loaded.table.dealer

    def again(player: Player) -> Player:
        joined = interaction_id if player.user_id == presser else player.joined_by
        return player.model_copy(update={"away": False, "joined_by": joined})

    return {
        "players": tuple(again(loaded.table.players[seat]) for seat in kept),
        "dealer": at.get(dealer if dealer is not None else 0, 0),
        "last_winner": None if winner is None else at.get(winner),
        "last_shithead": None if view is None or view.shithead is None else at.get(view.shithead),
        **_next_of_match(loaded.table),
    }


def _next_of_match(table: Table) -> dict[str, Any]:
    """The standings that the next game begins with, and the variant where they take turns."""
    if table.match is None:
        return {}
    lines = without_leavers(table.standings, table.players)
    if is_match_over(table):
        lines = first_standings([player for player in table.players if not player.left])
    variant = variant_of_next(table.match, lines)
    return {"standings": lines} | (of_variant(variant) if variant else {})
