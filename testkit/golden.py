"""Golden games and counts: `make golden` writes them anew, and tests compare them.

tests/transcripts/VARIANT-SEATS.txt is a whole game for people to read, with what each seat saw after every move. Two
other files hold fingerprints of each variant. tests/transcripts/lines.toml has the number of ways to make one, two,
three and four moves from three positions, and tests/game/players/scores.toml how the networks of the computer players
score its choices. A variant that nobody meant to change must not appear in a diff.
"""

import hashlib
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from game.cards import Card
from game.deal import deal, full_pack
from game.moves import Choose, Move, Ready, Timeout, advance, apply, format_move, legal_moves, turn_moves
from game.players.coach import remembered
from game.players.levels import options, policy
from game.players.memory import first_memory
from game.players.quick_player import choose
from game.players.search import rollout_player
from game.rules import Rules
from game.shell import run_command
from game.showing import seat_view, table_view
from game.state import Seat, State
from game.text.record import Record, format_line
from game.transcript import Transcript, annotated, parse_transcript
from game.variants import BadVariantError, variants

T = TypeVar("T")
FOLDER = Path(__file__).parents[1] / "tests" / "transcripts"
COUNTS = FOLDER / "lines.toml"
SCORES = FOLDER.parent / "game" / "players" / "scores.toml"
DEPTH = 4
TRIES, SHORTEST = 8, 35
"""A new golden game is the shortest of `TRIES` games with `SHORTEST` moves or more: enough to see all, few to read."""


class Dice(Random):
    """Random numbers that follow from a word, the same on every machine and with every Python."""

    def __init__(self, word: str) -> None:
        super().__init__(0)
        self.word = word
        self.count = 0

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """A number below `start`; only this form is used."""
        assert (stop, step) == (None, 1)
        self.count += 1
        return int.from_bytes(hashlib.sha256(f"{self.word}:{self.count}".encode()).digest()[:8], "big") % start

    def pick(self, things: Sequence[T]) -> T:
        return things[self.randrange(len(things))]

    def shuffled(self, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        left = list(cards)
        return tuple(left.pop(self.randrange(len(left))) for _ in cards)


# -- games


def seat_counts(rules: Rules) -> tuple[int, int]:
    """The fewest seats and one more; for the classic game six, because the sixth seat adds jokers."""
    fewest = rules.seats[0]
    return (fewest, 6) if rules == Rules() else (fewest, fewest + 1)


def next_move(state: State, dice: Dice) -> tuple[int, Move]:
    """Mostly what the quick player would do, now and then any legal move; the clock if nobody calls."""
    seats = [seat for seat in range(len(state.seats)) if legal_moves(state, seat) or seat_view(state, seat).may_choose]
    if state.frame.phase == "call" and dice.randrange(2):
        return 0, Timeout()
    seat = dice.pick(seats)
    moves = sorted(legal_moves(state, seat), key=format_move)
    if moves and dice.randrange(3) == 0:
        return seat, dice.pick(moves)
    return seat, choose(seat_view(state, seat), dice)


def play(variant: str, seats: int, seed: int) -> Transcript:
    """Play the game that variant, seats and seed determine."""
    dice, rules = Dice(f"{variant} {seats} {seed}"), variants()[variant].rules
    pack = dice.shuffled(full_pack(rules, seats))
    dealer, lines = dice.randrange(seats), list[str]()
    state = Record(rules=rules, seats=seats, dealer=dealer, pack=pack).dealt()
    while state.frame.phase != "over":
        seat, move = next_move(state, dice)
        lines.append(format_line(None if isinstance(move, Timeout) else seat, move))
        state = apply(state, seat, move)
    record = Record(rules=rules, seats=seats, dealer=dealer, pack=pack, moves=tuple(lines))
    return Transcript(record, variant, {"Seed": str(seed)})


def good_seed(variant: str, seats: int) -> int:
    """The seed of the shortest game that is long enough."""
    lengths = {seed: len(play(variant, seats, seed).record.moves) for seed in range(TRIES)}
    return min((seed for seed in lengths if lengths[seed] >= SHORTEST), key=lengths.__getitem__)


def path_of(variant: str, seats: int) -> Path:
    return FOLDER / f"{variant}-{seats}.txt"


def golden_games() -> Iterator[tuple[str, int]]:
    """The variants and numbers of seats of which there must be golden games."""
    for name, variant in variants().items():
        for seats in seat_counts(variant.rules):
            yield name, seats


def text_of(variant: str, seats: int) -> str:
    """The golden game as it is played now, with the seed of the stored one."""
    return "".join(f"{line}\n" for line in annotated(play(variant, seats, seed_of(variant, seats))))


def seed_of(variant: str, seats: int) -> int:
    """The seed of the stored golden game, or a good one for a new game."""
    path = path_of(variant, seats)
    if path.exists():
        return int(parse_transcript(path.read_text(encoding="utf-8")).tags["Seed"])
    return good_seed(variant, seats)


# -- counts


def opening(variant: str) -> State:
    """A fixed position of a variant: dealt from a fixed pack, everybody ready, the seat that starts about to lead."""
    rules, seats = variants()[variant].rules, 3
    state = deal(rules, seats, Dice(variant).shuffled(full_pack(rules, seats)))
    for seat in range(seats):
        if rules.deal.method == "choose":
            cards = state.book.cards(state.seats[seat].hand)
            state = advance(state, seat, Choose(tuple((card,) for card in cards[: rules.sizes_with(seats).up])))
    for seat in range(seats):
        state = advance(state, seat, Ready())
    return advance(state, 0, Timeout()) if state.frame.phase == "call" else state


def crowded(state: State) -> State:
    """The position with four more cards in each hand."""
    hands = [sum(state.stock[4 * seat : 4 * seat + 4]) for seat in range(len(state.seats))]
    return _with_hands(state, [seat.hand | more for seat, more in zip(state.seats, hands, strict=True)])


def late(state: State) -> State:
    """The position without hands, so that the table cards are played."""
    return _with_hands(state, [0 for _ in state.seats])


def _with_hands(state: State, hands: list[int]) -> State:
    pairs = zip(state.seats, hands, strict=True)
    seats = tuple(Seat(hand, seat.up, seat.slots, seat.down, seat.places) for seat, hand in pairs)
    return state.but(seats=seats, stock=state.stock[4 * len(hands) : 4 * len(hands) + 3])


def lines_of_play(state: State, depth: int) -> int:
    """How many sequences of `depth` moves there are, in and out of turn."""
    if depth == 0:
        return 1
    found = [(seat, move) for seat in range(len(state.seats)) for move in legal_moves(state, seat)]
    return sum(lines_of_play(advance(state, seat, move), depth - 1) for seat, move in found)


def counts() -> dict[str, dict[str, list[int]]]:
    """For each variant, the number of sequences of 1 to 4 moves from three positions."""
    found: dict[str, dict[str, list[int]]] = {}
    for name in variants():
        start = opening(name)
        positions = {"opening": start, "crowded": crowded(start), "late": late(start)}
        found[name] = {
            position: [lines_of_play(state, depth) for depth in range(1, DEPTH + 1)]
            for position, state in positions.items()
        }
    return found


def table_of(rows: dict[str, dict[str, Any]]) -> str:
    """The rows as TOML, a line with an inline table for each."""
    cells = {name: ", ".join(f"{key} = {value}" for key, value in row.items()) for name, row in rows.items()}
    return "".join(f"{name} = {{ {cell} }}\n" for name, cell in cells.items())


def counts_text() -> str:
    return (
        "# In how many ways 1, 2, 3 and 4 moves can be made: from the opening, with four more cards in each hand, and\n"
        "# late, without hands. The first number of a row that changes says after how many moves a change shows.\n"
    ) + table_of(counts())


# -- scores


def scores() -> dict[str, dict[str, float]]:
    """How the players' networks and the roll-out player score the choices in one game of each variant, summed up.

    The weights were learned from the inputs as they are. A change of an input would make every player weaker without
    breaking a rule, so only these sums show it.
    """
    return {f"{name}-{seats}": _scores(play(name, seats, seed_of(name, seats)).record) for name, seats in scored()}


def scored() -> Iterator[tuple[str, int]]:
    """One game of each variant."""
    for name, variant in variants().items():
        yield name, seat_counts(variant.rules)[0]


def _scores(record: Record) -> dict[str, float]:
    memory, sums = first_memory(table_view(record.dealt())), dict.fromkeys(("player", "pupil", "rollout"), 0.0)
    for step in record.steps():
        view = seat_view(step.before, max(step.before.turn, 0))
        moves = options(view)
        if len(moves) > 1:
            thought = (
                *(policy(view, memory, moves, weights) for weights in ("player", "player-pupil")),
                rollout_player(step.before.book, record.seats).scores(step.before, turn_moves(step.before)),
            )
            for who, found in zip(sums, thought, strict=True):
                sums[who] += sum(nth * score for nth, score in enumerate(found, 1))
        memory = remembered(memory, step)
    return {who: round(each, 3) for who, each in sums.items()}


def scores_text() -> str:
    return (
        "# What the networks of player and pupil, and the roll-out player, make of all choices of a game.\n"
        "# Where this changes and the game does not, they look at something other than what they learned from.\n"
    ) + table_of(scores())


def main(argv: Sequence[str] = ()) -> int:
    """Write all golden files, and delete the games of variants that no longer exist."""
    ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args(argv)
    FOLDER.mkdir(exist_ok=True)
    wanted = {path_of(*each): text_of(*each) for each in golden_games()} | {COUNTS: counts_text()}
    for path in sorted(set(FOLDER.iterdir()) - set(wanted)):
        path.unlink()
    for path, text in (wanted | {SCORES: scores_text()}).items():
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(wanted)} golden files in {FOLDER.name}/\n")
    return 0


if __name__ == "__main__":
    try:
        run_command(main)
    except BadVariantError as error:
        sys.exit(str(error))
