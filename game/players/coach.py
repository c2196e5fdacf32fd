"""The coach: explains what a strong player would do, and where a game was lost.

Each reason belongs to a group of the network's rows. It is given if those rows favour a move over the next best one and
if people can also see it on the table, so that hints can be trusted. Reasons are an enum; `cogs.screens` words them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from game.cards import ACE, card_of
from game.moves import BoundPlay, Chance, Flip, Move, PickUp, Play, would_burn
from game.moves.bound_plays import gives
from game.players.hints import Facts, Hint, Mistake, Reason
from game.players.inputs import BLOCKS, block_chance, code_after, move_rows, state_rows, step_after
from game.players.knowledge import Knowledge, bound_move, knowledge_of
from game.players.levels import burns_and_goes_out, candidates, estimate, goes_out, look_key, options, policy
from game.players.memory import Memory, first_memory, remember
from game.players.network import network, softmax
from game.players.quick_player import worth
from game.players.search import Budget, average_costs, holding_out
from game.showing import redacted, seat_view, table_view
from game.text.record import Record, Step
from game.view import SeatView

GROUPS: Final = {
    Reason.ENDS_ZONE: {"ends zone"},
    Reason.BURNS: {"burns"},
    Reason.PLAYS_AGAIN: {"again"},
    Reason.BLOCKS: {"blocks"},
    Reason.HARDER: {"play", "blocks"},
    Reason.SAVES_BETTER: {"play", "added"},
    Reason.LEADS_LOW: {"play", "added"},
    Reason.SHEDS_MORE: {"play", "stays"},
    Reason.KEEPS_SET: {"play", "stays"},
    Reason.GOOD_PILE: {"pile"},
    Reason.SMALL_PILE: {"pile size"},
    Reason.LARGE_PILE: {"pile", "pile size"},
}
"""The blocks of rows that belong to each reason."""

MOST_REASONS: Final = 2
GOOD: Final = 10
"""The worth of a queen (`worth`); most special cards are worth more."""
SMALL: Final = 3  # cards in a small pile
LIKELY: Final = 0.5  # the probability of a block worth a word
PICK_UP_PAYS: Final = (Reason.SAVES_BETTER, Reason.GOOD_PILE)


def explain(view: SeatView, memory: Memory) -> Hint | None:
    """The move that the network rates best, and why; None if `options` is empty. A forced move has a reason, too."""
    moves = candidates(view)
    if len(moves) < 2:  # noqa: PLR2004 - one move needs no reason
        return _forced(view, memory, moves[0]) if moves else None
    best, *others = _ranked(view, memory, moves, policy(view, memory, moves))
    second = next((move for move in others if isinstance(move, BoundPlay)), others[0])  # people compare with a play
    weight, facts = _reasons_and_facts(view, memory, best, second)
    if isinstance(best, PickUp) and isinstance(second, BoundPlay):
        return Hint(best, PICK_UP_PAYS, facts)
    if Reason.BLOCKS in weight and second not in holding_out(view, memory, moves):  # the network may not know why
        return Hint(best, (Reason.BLOCKS,), facts)
    reasons = [reason for reason in weight if weight[reason] > 0]
    if Reason.BLOCKS in reasons and Reason.HARDER in reasons:
        reasons.remove(Reason.HARDER)  # it says the same in weaker words
    chosen = tuple(reasons[:MOST_REASONS])
    if not chosen and isinstance(best, Flip | Chance):
        chosen = (Reason.ODDS,)
    elif not chosen and [move for move in moves if isinstance(move, BoundPlay)] == [best]:
        chosen = (Reason.ONLY_FIT,)
    return Hint(best, chosen or (Reason.OVERALL,), facts)


def _forced(view: SeatView, memory: Memory, move: Move) -> Hint:
    """The hint where a player considers a single move."""
    if goes_out(view, move):
        return Hint(move, (Reason.GOES_OUT,))
    if burns_and_goes_out(view, move):
        burns_some = view.table.pile or not isinstance(move, BoundPlay) or move.faces  # else all cards leave the game
        return Hint(move, (Reason.BURNS if burns_some else Reason.PLAYS_AGAIN,))
    if len(options(view)) == 1:
        return Hint(move, (Reason.ONLY_MOVE,))
    if isinstance(move, Flip | Chance):
        return Hint(move, (Reason.ODDS,), _facts(knowledge_of(view, memory), view, move, move))
    return Hint(move, (Reason.ONLY_FIT,))


def _ranked(view: SeatView, memory: Memory, moves: Sequence[Move], scores: Sequence[float]) -> list[Move]:
    """Sort moves best first, then those that lose at once (`holding_out`).

    Picking up comes before plays only if it saves a good card and gains another.
    """
    ranked = [move for _, move in sorted(zip(scores, moves, strict=True), key=lambda each: -each[0])]
    plays = [move for move in ranked if isinstance(move, BoundPlay)]
    if plays and not all(_is_true_of_pick_up(reason, view, plays[0]) for reason in PICK_UP_PAYS):
        ranked.sort(key=lambda move: isinstance(move, PickUp))
    kept = holding_out(view, memory, ranked)
    return [*kept, *(move for move in ranked if move not in kept)]


def _reasons_and_facts(view: SeatView, memory: Memory, best: Move, second: Move) -> tuple[dict[Reason, float], Facts]:
    """The true reasons for `best` rather than `second` with their weights, heaviest first; and their facts."""
    known = knowledge_of(view, memory)
    best, second = bound_move(known, best), bound_move(known, second)
    reasons = (reason for reason in GROUPS if is_true(reason, known, view, best, second))
    weight = {reason: _weight(reason, known, view, best, second) for reason in reasons}
    return dict(sorted(weight.items(), key=lambda each: -each[1])), _facts(known, view, best, second)


def _facts(known: Knowledge, view: SeatView, best: Move, second: Move) -> Facts:
    rules, pile = view.table.rules, view.table.pile
    cards_of_best = best.cards if isinstance(best, BoundPlay) else ()
    cards_of_second = second.cards if isinstance(second, BoundPlay) else ()
    worths = {face: worth(rules, card_of(face)) for face in pile}
    dearest = sorted(pile, key=lambda face: -worths[face])[:4]
    may_try = rules.play.chance != "never" and view.table.stock > 0  # a card from the stock may answer
    is_sure = isinstance(best, BoundPlay) and not may_try and block_chance(known, best, step_after(known, best)) == 1
    return Facts(
        saved=tuple((Counter(cards_of_second) - Counter(cards_of_best)).elements()),
        gained=tuple(face for face in dearest if worths[face] >= GOOD),
        pile=len(pile),
        played=len(cards_of_best),
        answers=0 if is_sure else _answers(known, best),
        unseen=known.unknown.bit_count(),
        from_hand=bool(view.hand),
        others=_answers(known, second),
        instead=cards_of_second,
    )


def _answers(known: Knowledge, move: Move) -> int:
    """How many of the cards that the seat has not seen go on the pile after the move."""
    if isinstance(move, BoundPlay):
        return (known.unknown & known.book.answers[code_after(known, move)]).bit_count()
    book = known.book  # a wild joker that is turned over is an ace (R38)
    jokers = book.joker_mask if book.wild and book.fits[known.code] & book.as_rank[ACE] else 0
    return (known.unknown & (book.fits[known.code] | jokers)).bit_count()


def _weight(reason: Reason, known: Knowledge, view: SeatView, best: Move, second: Move) -> float:
    """How much the rows of a reason contribute to the difference between the scores of two moves."""

    def without_reason(rows: list[int]) -> list[int]:
        return [row for row in rows if BLOCKS[row] not in GROUPS[reason]]

    brain = network("player", known.book, len(view.table.seats))
    position, moves = state_rows(known), [move_rows(known, best), move_rows(known, second)]
    score_of_best, score_of_second = brain.scores(position, moves)
    rest_of_best, rest_of_second = brain.scores(without_reason(position), map(without_reason, moves))
    return (score_of_best - score_of_second) - (rest_of_best - rest_of_second)


def is_true(reason: Reason, known: Knowledge, view: SeatView, best: Move, second: Move) -> bool:
    """Whether people can see on the table that a reason for `best` rather than `second` is true."""
    if isinstance(best, PickUp):
        return _is_true_of_pick_up(reason, view, second)
    return isinstance(best, BoundPlay) and _is_true_of_play(reason, known, view, best, second)


def _is_true_of_pick_up(reason: Reason, view: SeatView, second: Move) -> bool:
    rules, pile = view.table.rules, view.table.pile
    gets_pile = rules.play.stuck == "self" or any(isinstance(move, Play) for move in view.moves)
    match reason:
        case Reason.GOOD_PILE:
            return gets_pile and any(worth(rules, card_of(face)) >= GOOD for face in pile)
        case Reason.SMALL_PILE:
            return gets_pile and len(pile) <= SMALL
        case Reason.SAVES_BETTER:
            return isinstance(second, BoundPlay) and _dearest(view, second) >= GOOD
        case _:
            return False


def _is_true_of_play(reason: Reason, known: Knowledge, view: SeatView, best: BoundPlay, second: Move) -> bool:
    own, burns = known.seats[0], would_burn(known.book, known.pile, best)
    if reason in {Reason.BLOCKS, Reason.HARDER} and view.table.rules.play.stuck == "previous":
        return False  # this seat would get the pile
    match reason:
        case Reason.ENDS_ZONE:
            has_another_zone = bool((own.known and own.up) or own.down)
            return known.stock == 0 and (own.known or own.up) == best.mask and has_another_zone
        case Reason.BURNS:
            return burns and bool(known.pile or best.faces)
        case Reason.PLAYS_AGAIN:
            return not burns and step_after(known, best) == 0
        case Reason.BLOCKS:
            steps = step_after(known, best)
            return not burns and not gives(known.pile, best) and steps > 0 and block_chance(known, best, steps) > LIKELY
        case Reason.HARDER:
            return isinstance(second, BoundPlay) and _is_harder(known, best, second)
        case Reason.LARGE_PILE:
            return isinstance(second, PickUp) and len(view.table.pile) > SMALL
        case _:
            return isinstance(second, BoundPlay) and _is_true_of_two(reason, known, view, best, second)


def _is_harder(known: Knowledge, best: BoundPlay, second: BoundPlay) -> bool:
    """Whether `best` is harder to answer, though not impossible."""
    if any(would_burn(known.book, known.pile, each) or gives(known.pile, each) for each in (best, second)):
        return False  # nobody answers it
    steps, second_steps = step_after(known, best), step_after(known, second)
    if min(steps, second_steps) == 0 or _answers(known, best) >= _answers(known, second):
        return False
    return 1 > block_chance(known, best, steps) > block_chance(known, second, second_steps)


def _is_true_of_two(reason: Reason, known: Knowledge, view: SeatView, best: BoundPlay, second: BoundPlay) -> bool:
    same = best.rank == second.rank
    match reason:
        case Reason.SAVES_BETTER:
            return not same and _dearest(view, second) > max(_dearest(view, best), GOOD - 1)
        case Reason.LEADS_LOW:
            return not same and GOOD > _dearest(view, second) > _dearest(view, best)
        case Reason.SHEDS_MORE:
            return _cards_left(known, view, best) < _cards_left(known, view, second)
        case Reason.KEEPS_SET:
            return same and len(best.cards) < len(second.cards)
        case _:
            return False


def _cards_left(known: Knowledge, view: SeatView, play: BoundPlay) -> int:
    """How many cards are left in the zone the seat plays from, after a play and the draw that follows."""
    own, most = known.seats[0], view.table.sizes.hand
    left = (own.known or own.up).bit_count() - len(play.cards)
    return max(left, min(left + known.stock, most))


def _dearest(view: SeatView, play: BoundPlay) -> int:
    return max(worth(view.table.rules, card_of(face)) for face in play.cards)


# -- after the game

QUICK: Final = Budget(1200, 10)
"""For the first look at every choice of a game."""
THOROUGH: Final = Budget(6000, 10)
"""For a second look at the choices that seem to have cost most."""
TO_THE_END: Final = Budget(24_000, 150)
"""For a last look at two moves, in eighty worlds to the end: the critic, asked after ten moves, blames too many."""
PLAIN_COST: Final = 0.05
"""The least cost of a mistake, as a share of a game; a smaller one may be noise."""
MOST_MISTAKES: Final = 3
MOST_JUDGED: Final = 40


class Position(NamedTuple):
    """A choice in a recorded game; `step` is the line of its move, from 0, and `move` what was played."""

    step: int
    view: SeatView
    memory: Memory
    move: Move


def choices(steps: Sequence[Step], seat: int) -> Iterator[Position]:
    """Yield the turns at which a seat had a choice, each with only what it could know then."""
    for number, (step, memory) in enumerate(recalled(steps)):
        if step.seat == seat == step.before.turn:
            view = seat_view(step.before, seat)
            if len(options(view)) > 1:
                yield Position(number, view, memory, step.move)


def doubtful(record: Record, seat: int, own: Container[int]) -> list[Position]:
    """The choices of a seat, in order, at which the network was least likely to make the same move.

    Only steps in `own` are judged: at the others the computer moved for the player. Choices at which a hint would have
    advised the same move are left out. At most `MOST_JUDGED` are returned, so that the review of a very long game takes
    no longer than any other.
    """
    positions = [position for position in choices(record.steps(), seat) if position.step in own]
    likelihoods = {position.step: _likelihood(position) for position in positions}
    doubted = [position for position in positions if likelihoods[position.step] < 1]
    doubted.sort(key=lambda position: likelihoods[position.step])
    return sorted(doubted[:MOST_JUDGED], key=lambda position: position.step)


def _likelihood(position: Position) -> float:
    """The probability that the network makes the same move; 1 if a hint would advise it."""
    view, memory = position.view, position.memory
    made, thought = look_key(position.move), candidates(view)
    if made == look_key(_ranked(view, memory, thought, policy(view, memory, thought))[0]):
        return 1.0
    moves = options(view)
    return dict(zip(map(look_key, moves), softmax(policy(view, memory, moves)), strict=True)).get(made, 1.0)


def judge(position: Position, budget: Budget, seed: int) -> Mistake:
    """Estimate what a move cost compared with the best one: 0 if it was the best or is not an option.

    If a thorough look finds a mistake, both moves are also played on to the end, and the smaller of the costs counts.
    """
    step, view, memory, move = position
    estimates = estimate(view, memory, Random(seed), budget)  # noqa: S311 - nothing secret
    best = estimates[0]
    played = next((each for each in estimates if look_key(each.move) == look_key(move)), best)
    cost = played.cost - best.cost
    if budget == THOROUGH and cost >= PLAIN_COST:
        rng, costs = Random(seed), [0.0, 0.0]  # noqa: S311 - nothing secret
        if TO_THE_END.where(view.table) == TO_THE_END:  # else it would take too long, and nobody is blamed
            costs = average_costs(view, memory, [played.move, best.move], TO_THE_END, rng)
        cost = min(cost, costs[0] - costs[1])
    reasons, facts = _reasons_and_facts(view, memory, best.move, best.move if played is best else move)
    return Mistake(step, move, best.move, cost, tuple(reasons)[:1], facts)


def worst_mistakes(mistakes: Iterable[Mistake], most: int) -> list[Mistake]:
    """The `most` mistakes that cost most, worst first; a move that cost nothing is no mistake."""
    return sorted((each for each in mistakes if each.cost > 0), key=lambda each: -each.cost)[:most]


def plain(mistakes: Iterable[Mistake]) -> list[Mistake]:
    """The worst mistakes, without those that may be noise."""
    return [each for each in worst_mistakes(mistakes, MOST_MISTAKES) if each.cost >= PLAIN_COST]


def recalled(steps: Iterable[Step]) -> Iterator[tuple[Step, Memory]]:
    """Yield each move of a game, from the deal on, with the memory before it."""
    memory = None
    for step in steps:
        memory = memory or first_memory(table_view(step.before))
        yield step, memory
        memory = remembered(memory, step)


def remembered(memory: Memory, step: Step) -> Memory:
    return remember(memory, redacted(step.events(), step.after), table_view(step.after))
