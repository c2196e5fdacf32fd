"""Random games by every preset and by random rule sets, watched for lost cards, for disagreement and for no end.

    python -m bench soak [--games N] [--seed S] [--every K]

Half of the games go by the presets in turn, half by rule sets drawn at random from all options and powers. After every
move the pack is counted; on every K-th state what `check`, `legal_moves` and `apply` say is compared over legal moves
and over others, and the events are compared with what changed. The seed is printed: the same seed plays the same games.
The tests of the game use the same rule sets and the same checks.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from time import perf_counter
from typing import Any, Final

from tqdm import tqdm

from game import events as told
from game.cards import JOKER, LOW, RANKS, RED_JOKER, Card, Face, card_of, face_rank, make_face
from game.deal import deal, full_pack
from game.engine import advance, apply, events
from game.legality import check, legal_moves
from game.moves import (
    Call,
    Chance,
    Choose,
    Clear,
    Flip,
    Follow,
    Interrupt,
    Lay,
    Move,
    PickUp,
    Play,
    Ready,
    Swap,
    Timeout,
    Tribute,
    Word,
)
from game.notation import format_cards, format_move, format_pile, format_seat, format_seat_letter, parse_move
from game.position import set_up
from game.refusals import IllegalMove
from game.rules import MOST_SEATS, POWER_KEYS, Rules
from game.state import NOBODY, STAND_STILL, State
from game.variants import variants

GAMES: Final = 10_000
EMPTY: Final = "- | - | -"
"""A seat that is out."""
LONGEST: Final = 100_000
"""Moves after which a game is held to be endless; R18 ends every one long before."""
KEYS: Final = POWER_KEYS[:-1]
WORDS: Final[tuple[Word, ...]] = ("", "high", "low")
ORDER: Final = (
    ("swapped", "chosen", "laid", "ready", "called", "paid-tribute", "cleared", "added"),
    ("started", "played", "flipped", "chanced", "interrupted", "followed"),
    ("burned", "picked-up"),
    ("drew",),
    ("reversed",),
    ("skipped",),
    ("went-out",),
    ("ended",),
)
"""The events in the order in which they may come, each at most once."""
PLACE: Final = {name: place for place, names in enumerate(ORDER) for name in names}


# -- rule sets


def random_rules(rng: random.Random) -> Rules:
    """Any combination of options and powers that can be dealt to at least two seats."""
    play = _some(rng, Rules().play, 0.3)
    powers: dict[str, Any] = {key: random_power(rng, key) for key in POWER_KEYS if rng.random() < 0.4}  # noqa: PLR2004
    deal_options = {
        "packs": rng.choice((1, 1, 1, 2, 3, 4)),
        "jokers": rng.choice((0, 0, 1, 2, 3, 8)),
        "jokers_for_six": rng.choice((0, 2, 8)),
        "face_down": rng.choice((1, 2, 3, 3, 3, 4, 6)),
        "face_up": rng.choice((1, 2, 3, 3, 3, 4, 6)),
        "hand": rng.choice((1, 2, 3, 3, 3, 4, 6)),
        "by_seats": rng.choice(({}, {}, {2: 6, 3: 4}, {2: 1, 5: 2})),
        "method": rng.choice(("open", "open", "choose")),
        "stacking": rng.random() < 0.3,  # noqa: PLR2004
        "exchange": rng.choice(("any", "any", "one", "none")),
    }
    start = {
        "by": rng.choice(("face-up-then-call", "face-up-then-call", "call-nearest", "lowest", "left", "thrown")),
        "rank": rng.choice(("3", "3", *KEYS)),
        "must_lead": rng.random() < 0.3,  # noqa: PLR2004
        "turn_up": rng.random() < 0.2,  # noqa: PLR2004
    }
    end = {
        "aim": rng.choice(("loser", "winner", "both")),
        "next_dealer": rng.choice(("loser", "rotate")),
        "tribute": rng.random() < 0.3,  # noqa: PLR2004
    }
    changes = {"deal": deal_options, "start": start, "play": play, "powers": powers, "end": end}
    return Rules(seats=(2, MOST_SEATS)).changed_with(changes)


def _some(rng: random.Random, options: Any, chance: float) -> dict[str, Any]:
    """Each option on its default but for a few, which take any of their values."""
    changed: dict[str, Any] = {}
    for name, field in type(options).model_fields.items():
        if rng.random() < chance:
            values = getattr(field.annotation, "__args__", (False, True))
            changed[name] = rng.choice(values)
    return changed


def random_power(rng: random.Random, key: str) -> dict[str, Any]:
    """A power of any parts; only a joker is wild."""
    asks = ("at-least", "at-most", "below", "same", "anything", "under", "under", "named")
    return {
        "on": rng.choice(("rank", "higher", "anything")),
        "not_on": rng.sample(KEYS, rng.choice((0, 0, 0, 1, 3))),
        "asks": rng.choice((*asks, f"not:{rng.choice(KEYS)}", f"rank:{rng.choice(KEYS)}")),
        "does": rng.sample(
            ("burn", "reverse", "skip", "again", "give-pile", "skip-beneath"), rng.choice((0, 0, 1, 1, 2, 3))
        ),
        "bare": rng.choice((None, None, *KEYS)),
        "two_left": rng.choice((None, "anything")),
        "wild": key == "joker" and rng.random() < 0.5,  # noqa: PLR2004
        "leaves": rng.random() < 0.1,  # noqa: PLR2004
        "answer": rng.choice((None, None, "red-jack")),
    }


def random_seats(rng: random.Random, rules: Rules) -> int:
    """A number of seats that rules and pack allow."""
    return rng.choice([seats for seats in range(rules.seats[0], rules.seats[1] + 1) if rules.has_room_for(seats)])


def random_deal(rng: random.Random, rules: Rules, seats: int) -> State:
    """A shuffled pack dealt by any dealer, after a game that some seat won and another lost."""
    pack = list(full_pack(rules, seats))
    rng.shuffle(pack)
    winner, loser = rng.sample(range(seats), 2)
    return deal(rules, seats, pack, rng.randrange(seats), winner, loser)


def random_position(rng: random.Random, rules: Rules, seats: int) -> State:
    """Any position in play, made of few ranks, so that sets, runs of four and stacks abound."""
    ranks = rng.sample(range(len(RANKS)), rng.choice((2, 3, 4)))
    pack = [card for card in full_pack(rules, seats) if card >> 2 in ranks or card >= RED_JOKER]
    rng.shuffle(pack)
    spare = [format_cards((pack.pop(),)) for _ in range(2)]
    texts = [_random_seat(rng, pack, stacking=rules.deal.stacking) for _ in range(seats)]
    texts[:2] = [f"{card} | - | -" if text == EMPTY else text for card, text in zip(spare, texts, strict=False)]
    pile = [_on_pile(rng, rules, pack.pop()) for _ in range(rng.choice((0, 1, 2, 3, 5))) if pack]
    letters = [format_seat_letter(seat) for seat in range(seats) if texts[seat] != EMPTY]
    flush = rng.choice(("-", *letters)) if rules.play.flush else "-"
    case = {
        "seats": texts,
        "pile": format_pile(pile),
        "stock": format_cards(pack[: rng.choice((0, 0, 1, 2, 5))]),
        "turn": rng.choice(letters),
        "direction": rng.choice(("cw", "ccw")),
        "last": rng.choice(("-", *letters)),
        "flush": flush,
        "phase": "clear" if flush != "-" and pile and rng.random() < 0.2 else "play",  # noqa: PLR2004
        "free": rng.random() < 0.1,  # noqa: PLR2004
    }
    return set_up(case, rules)


def _random_seat(rng: random.Random, pack: list[Card], *, stacking: bool) -> str:
    """Some of the cards, in the zones that a seat may still have."""

    def take(*numbers: int) -> list[Card]:
        return [pack.pop() for _ in range(rng.choice(numbers)) if pack]

    hand = take(1, 2, 3, 5) if rng.random() < 0.6 else []  # noqa: PLR2004
    slots: list[tuple[Card, ...]] = []
    for card in take(1, 2, 3, 5) if rng.random() < 0.7 else []:  # noqa: PLR2004
        same = [place for place, slot in enumerate(slots) if slot[0] >> 2 == card >> 2]
        if stacking and same and rng.random() < 0.6:  # noqa: PLR2004
            slots[same[0]] = (*slots[same[0]], card)
        else:
            slots.append((card,))
    return format_seat(hand, slots, take(0, 1, 3))


def _on_pile(rng: random.Random, rules: Rules, card: Card) -> Face:
    wild = rules.power(JOKER).wild and card >= RED_JOKER
    face = make_face(card, rank=rng.randrange(len(RANKS))) if wild else card
    return face | LOW if rules.power(face_rank(face)).asks == "named" and rng.random() < 0.5 else face  # noqa: PLR2004


# -- moves


def choices(state: State, who: int) -> list[Move]:
    """A few choices of face-up cards (R32), stacked ones among them; `legal_moves` does not list these."""
    book, up = state.book, state.book.rules.sizes_with(len(state.seats))[1]
    cards = book.cards(state.seats[who].hand)
    plain = Choose(tuple((card,) for card in cards[:up]))
    stacked = Choose((*((card,) for card in cards[: up - 1]), tuple(cards[up - 1 : up + 1])))
    return [move for move in (plain, stacked) if check(state, who, move) is None]


def moves_of(state: State) -> list[tuple[int, Move]]:
    """Every move that anybody may make now, the clock among them."""
    found = [(who, move) for who in range(len(state.seats)) for move in legal_moves(state, who)]
    if state.frame.phase == "exchange":
        found += [(who, move) for who in range(len(state.seats)) for move in choices(state, who)]
    if state.frame.phase == "call":
        found.append((0, Timeout()))
    return found


def random_move(rng: random.Random, state: State) -> tuple[int, Move]:
    """Any move; what is rare is not left out, and what could go on for ever before play is not often chosen."""
    found = moves_of(state)
    if state.frame.phase == "exchange" and rng.random() < 0.5:  # noqa: PLR2004
        found = [each for each in found if isinstance(each[1], Ready | Choose)] or found
    others = [each for each in found if each[0] != state.turn]
    if others and rng.random() < 0.5:  # noqa: PLR2004
        found = others
    return rng.choice(found)


def other_ideas(rng: random.Random, state: State, who: int) -> Iterator[Move]:
    """Moves that somebody may ask for, sensible ones and others."""
    book, seat = state.book, state.seats[who]
    mine = book.cards(seat.hand | seat.up)
    all_cards = [card for chair in state.seats for card in book.cards(chair.held())] or [0]
    slots = [tuple(book.cards(slot)) for slot in seat.slots]
    yield from (Ready(), Call(), Clear(), Tribute(), PickUp(), Play(()), Interrupt(()), Follow(()), Choose(()))
    yield Tribute(rng.choice(all_cards))
    yield from (Chance(word) for word in WORDS)
    yield from (Flip(number, word) for number in range(8) for word in WORDS[:: 1 + number % 2])
    yield from (PickUp(slot) for slot in slots)
    yield from (kind(sum(slots[:2], ())) for kind in (PickUp, Interrupt, Follow))
    for size in (1, 1, 1, 2, 2, 3, 4):
        cards = _some_cards(rng, mine or all_cards, all_cards, size)
        faces = tuple(_maybe_named(rng, card) for card in cards)
        yield Play(cards, rng.choice(WORDS))
        yield Play(faces, rng.choice(WORDS))
        yield from (Play(cards), PickUp(cards), Interrupt(cards), Follow(cards), Lay(cards[0]))
        yield Swap(cards[0], rng.choice(book.cards(seat.up) or all_cards))
        yield Tribute(cards[0], cards[-1])
    if mine:
        yield from (Play(cards, word) for cards in _rank_and_row(rng, mine) for word in WORDS)


def _some_cards(rng: random.Random, mine: list[int], all_cards: list[int], size: int) -> tuple[int, ...]:
    """Cards that look like a set, sometimes of one seat, sometimes of anybody."""
    first = rng.choice(mine if rng.random() < 0.8 else all_cards)  # noqa: PLR2004
    like = [card for card in (mine if rng.random() < 0.9 else all_cards) if card >> 2 == first >> 2 or card > 51]  # noqa: PLR2004
    return (first, *rng.sample(like, min(size - 1, len(like))))


def _rank_and_row(rng: random.Random, mine: list[int]) -> Iterator[tuple[int, ...]]:
    """All cards of a rank, and the cards of a suit from one card on."""
    first = rng.choice(mine)
    yield tuple(card for card in mine if card >> 2 == first >> 2)
    yield tuple(first + 4 * step for step in range(3) if first + 4 * step in mine)


def _maybe_named(rng: random.Random, card: int) -> int:
    return make_face(card, rank=rng.randrange(len(RANKS))) if card > 51 or rng.random() < 0.05 else card  # noqa: PLR2004


# -- what must hold


def count_pack(state: State) -> Counter[int]:
    """How often each card is somewhere; every physical card must be in exactly one place."""
    places = [state.held, state.burned, *state.stock]
    for seat in state.seats:
        places += [seat.hand, *seat.slots, *seat.down]
        assert seat.up == sum(seat.slots), "the face-up cards are those in slots"
        assert all(seat.slots), "an empty slot is gone"
        assert len(seat.at) == len(seat.down), "each face-down card has its place"
    assert sum(places).bit_count() == sum(place.bit_count() for place in places), "no card is in two places"
    return Counter(state.book.cards(sum(places)))


def check_state(state: State, pack: Counter[int]) -> None:
    """The pack is whole and the state agrees with itself."""
    assert count_pack(state) == pack, "no card is lost"
    assert Counter(map(card_of, state.pile)) == Counter(state.book.cards(state.held)), "the pile shows what it holds"
    frame = state.frame
    alive = sum(1 << who for who, seat in enumerate(state.seats) if not seat.is_out())
    assert alive == state.alive, "who has cards is noted"
    assert sorted(frame.out) == [who for who, seat in enumerate(state.seats) if seat.is_out()], "who is out is noted"
    assert state.idle <= STAND_STILL, "a stand-still ends the game"
    assert (state.turn == NOBODY) == (frame.phase in {"exchange", "call", "over"}), "somebody is on turn in play"
    assert state.turn == NOBODY or not state.seats[state.turn].is_out(), "nobody is on turn without cards"
    assert frame.phase == "over" or moves_of(state), "somebody can go on"


def _canonical(state: State, move: Move) -> Move:
    """The form in which `legal_moves` lists a move: wild jokers named, no word with a flip or a chance card."""
    match move:
        case Play():
            return Play(state.book.named(move.cards), move.word)
        case Flip():
            return Flip(move.number)
        case Chance():
            return Chance()
        case _:
            return move


def check_agreement(rng: random.Random, state: State) -> int:
    """`check`, `legal_moves` and `apply` say the same of every move that is tried; returns how many were."""
    tried, before, pack = 0, hash(state), count_pack(state)
    for who in range(len(state.seats)):
        listed = legal_moves(state, who)
        legal = set(listed)
        assert len(legal) == len(listed), "no move is listed twice"
        written = [parse_move(format_move(move)) for move in listed]
        assert written == listed, "a move is what is written of it"
        for move, again in zip(listed, written, strict=True):
            assert apply(state, who, move) == apply(state, who, again), f"listed and written differ: {move!r}"
        for move in [*listed, *choices(state, who), *dict.fromkeys(other_ideas(rng, state, who))]:
            _check_move(state, who, move, legal, pack)
            tried += 1
    nobody = (check(state, who, move) for who in (-1, len(state.seats)) for move in (Ready(), PickUp()))
    assert None not in nobody, "who does not sit there may do nothing"
    assert hash(state) == before, "a state does not change"
    return tried


def _check_move(state: State, who: int, move: Move, legal: set[Move], pack: Counter[int]) -> None:
    refusal = check(state, who, move)
    allowed = refusal is None
    assert isinstance(move, Choose) or allowed == (_canonical(state, move) in legal), f"check says {refusal}: {move!r}"
    try:
        after = apply(state, who, move)
    except IllegalMove as error:
        given = error.refusal
    else:
        given = None
        assert count_pack(after) == pack, f"no card is lost by {move!r}"
    assert given is refusal, f"apply says {given}, check {refusal}: {move!r}"


def check_events(before: State, who: int, move: Move, after: State) -> None:
    """The events come in their order, each at most once, and tell what changed."""
    said = events(before, who, move, after)
    names = [event.name for event in said]
    if isinstance(move, PickUp | Clear) or names[:1] == ["ready"]:
        assert len(set(names)) == len(names), names
    else:
        assert [PLACE[name] for name in names] == sorted({PLACE[name] for name in names}), names
    assert ("reversed" in names) == (before.direction != after.direction), names
    assert ("ended" in names) == (after.frame.phase == "over"), names
    assert ("went-out" in names) == (before.frame.out != after.frame.out), names
    thrown = before.frame.preparation is not None and before.frame.preparation.thrown is not None
    if not thrown and "started" not in names and after.frame.phase != "call":
        _check_counts(before, after, said)


def _check_counts(before: State, after: State, said: Sequence[told.Event]) -> None:
    """What the events say of cards is what seats, pile and stock gained and lost."""
    held = Counter({who: seat.held().bit_count() for who, seat in enumerate(before.seats)})
    pile, stock, taken = len(before.pile), len(before.stock), 0
    for event in said:
        match event:
            case told.Played() | told.Flipped() | told.Interrupted() | told.Followed() | told.Added():
                put = 1 if isinstance(event, told.Flipped) else len(_shown(event))
                held[event.seat] -= put
                pile += put
            case told.Chanced():
                stock, pile = stock - 1, pile + 1
            case told.Drew():
                held[event.seat] += event.count
                stock -= event.count
            case told.PickedUp() | told.Burned():
                taken = event.count
                held[event.seat] += event.count if isinstance(event, told.PickedUp) else 0
            case _:
                pass
    gone = 0 if any(event.name == "burned" for event in said) else (after.burned & ~before.burned).bit_count()
    assert held == Counter({who: seat.held().bit_count() for who, seat in enumerate(after.seats)}), "seats"
    assert stock == len(after.stock), "stock"
    assert len(after.pile) == (0 if taken else pile - gone), "pile"


def _shown(event: told.Played | told.Interrupted | told.Followed | told.Added) -> tuple[int, ...]:
    return event.faces if isinstance(event, told.Played) else event.cards


def step(rng: random.Random, state: State, pack: Counter[int], *, sample: bool) -> tuple[State, int]:
    """One random move, and what must hold around it; returns the next state and how many moves were tried."""
    tried = check_agreement(rng, state) if sample else 0
    who, move = random_move(rng, state)
    after = advance(state, who, move)
    check_state(after, pack)
    check_events(state, who, move, after)
    return after, tried


def soak(rng: random.Random, rules: Rules, seats: int, every: int) -> tuple[int, int]:
    """One game to its end; returns its moves and how many more were tried."""
    state = random_deal(rng, rules, seats)
    pack = Counter(full_pack(rules, seats))
    check_state(state, pack)
    tried = 0
    for moves in count():
        if state.frame.phase == "over":
            return moves, tried
        assert moves < LONGEST, "every game ends (R18)"
        state, more = step(rng, state, pack, sample=rng.randrange(every) == 0)
        tried += more
    raise AssertionError


def wander(rng: random.Random, rules: Rules, seats: int, steps: int) -> int:
    """A few moves from a random position, every one of them looked at closely; returns how many were tried."""
    state, tried = random_position(rng, rules, seats), 0
    pack = count_pack(state)
    for _ in range(steps):
        if state.frame.phase == "over":
            break
        state, more = step(rng, state, pack, sample=True)
        tried += more
    return tried


def main(argv: Sequence[str]) -> int:
    """Play many games; the last line is what they came to."""
    parser = argparse.ArgumentParser(prog="python -m bench soak", description="Many random games, watched.")
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--every", type=int, default=200, help="one state in so many is looked at closely")
    options = parser.parse_args(argv)
    print(f"seed {options.seed}")
    presets, start, moves, tried = list(variants().items()), perf_counter(), 0, 0
    for number in tqdm(range(options.games), unit="game", mininterval=1):
        rng = random.Random(f"{options.seed}:{number}")
        preset = presets[number // 2 % len(presets)] if number % 2 == 0 else None
        rules = preset[1].rules if preset else random_rules(rng)
        seats = random_seats(rng, rules)
        try:
            played, more = soak(rng, rules, seats, options.every)
        except Exception:
            print(f"game {number} of seed {options.seed}, {seats} seats, {rules.differences()}")
            raise
        moves, tried = moves + played, tried + more
    took = perf_counter() - start
    print(f"{options.games} games, {moves} moves, {tried} more tried, {took:.0f} s")
    print(json.dumps({"bench": "soak", "value": options.games, "unit": "games", "moves": moves, "tried": tried}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
