"""Complete games of random legal moves, from the deal to the end, for whoever wants many of them quickly."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from game.cards import Card
from game.deal import deal, full_pack
from game.moves import Choose, Clear, Move, Ready, Timeout, advance, apply, events, turn_moves
from game.rules import Rules
from game.state import State

READY = Ready()


@dataclass(slots=True)
class Tally:
    """What a number of games came to."""

    games: int = 0
    moves: int = 0
    events: int = 0
    drawn: int = 0


Runner = Callable[[State, Callable[[], float], Tally], State]
"""Plays a game on from a state in which the opening lead is due, and counts its moves."""


def begin(rules: Rules, seats: int, pack: list[Card], rng: random.Random) -> State:
    """Deal a shuffled pack, choose face-up cards where the rules say so, be ready, let the time to call run out."""
    state = deal(rules, seats, pack, rng.randrange(seats))
    for seat in range(seats):
        if rules.deal.method == "choose":
            cards = state.book.cards(state.seats[seat].hand)
            rng.shuffle(cards)
            state = advance(state, seat, Choose(tuple((card,) for card in cards[: rules.sizes_with(seats).up])))
    for seat in range(seats):
        state = advance(state, seat, READY)
    return advance(state, 0, Timeout()) if state.frame.phase == "call" else state


def mover(state: State, move: Move) -> int:
    """Who makes a move of `turn_moves`: the seat on turn, or the flush seat when the pile waits to be cleared (R36)."""
    return state.frame.flush if isinstance(move, Clear) else state.turn


def without_events(state: State, chance: Callable[[], float], tally: Tally) -> State:
    """States only, as a search would play."""
    count = 0
    while state.turn >= 0:
        moves = turn_moves(state)
        state = advance(state, state.turn, moves[int(chance() * len(moves))])
        count += 1
    tally.moves += count
    return state


def with_events(
    state: State, chance: Callable[[], float], tally: Tally, step: Callable[[State, int, Move], State] = advance
) -> State:
    """States, and the events of every move."""
    count = told = 0
    while state.turn >= 0:
        moves = turn_moves(state)
        move = moves[int(chance() * len(moves))]
        seat = mover(state, move)
        after = step(state, seat, move)
        told += len(events(state, seat, move, after))
        state = after
        count += 1
    tally.moves += count
    tally.events += told
    return state


def checked_with_events(state: State, chance: Callable[[], float], tally: Tally) -> State:
    """Every move checked as if it came from outside, and its events: what the doorway to a table does."""
    return with_events(state, chance, tally, apply)


def play_games(rules: Rules, seats: int, runner: Runner, rng: random.Random, *, until: Callable[[], bool]) -> Tally:
    """Shuffle, deal and play whole games, at least one, until `until` says that it is enough."""
    pack, tally = list(full_pack(rules, seats)), Tally()
    while not (tally.games and until()):
        rng.shuffle(pack)
        state = runner(begin(rules, seats, pack, rng), rng.random, tally)
        assert state.frame.phase == "over", "a game that stopped before its end"
        tally.games += 1
        tally.drawn += state.frame.stands_still
    return tally
