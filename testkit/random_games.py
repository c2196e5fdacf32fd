"""Random rule sets, deals, positions and moves, with which the soak and the tests of the game try the rules.

All randomness comes from the `random.Random` that is passed in, so that the same seed gives the same results.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from game.cards import JOKER, LOW, RANKS, RED_JOKER, Card, Face, Word, face_rank, make_face
from game.deal import deal, full_pack
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
    check,
)
from game.rules import ASKS, MOST_SEATS, OPTIONS, POWER_KEYS, POWER_OPTIONS, Option, Rules
from game.showing import listed_moves
from game.state import State
from game.text.notation import format_cards, format_seat, format_seat_letter
from game.text.position import set_up
from game.validity import clashes
from game.variants import variants

EMPTY: Final = "- | - | -"
"""A seat that is out."""
KEYS: Final = POWER_KEYS[:-1]
WORDS: Final[tuple[Word, ...]] = ("", "high", "low")


OFTEN: Final = 0.3
MORE_OFTEN: Final = 0.4
ALL: Final = (2, MOST_SEATS)
MOST_CHANGES: Final = 4
"""Things that house rules change."""


# -- rule sets


def random_rules(rng: random.Random) -> Rules:
    """Any combination of options and powers that can be played; most options keep their defaults."""
    while True:
        changes = [nested(key, rng.choice(option.values)) for key, option in OPTIONS.items() if rng.random() < OFTEN]
        powers = {key: random_power(rng, key) for key in POWER_KEYS if rng.random() < OFTEN}
        rules = with_all(Rules(), *(each for each in changes if "seats" not in each), {"seats": ALL, "powers": powers})
        if not clashes(rules):
            return rules


def house_rules(rng: random.Random, names: Sequence[str] = ()) -> Rules:
    """House rules as a host makes them: one of these variants, or of all, with one to four things changed."""
    rules = variants()[rng.choice(names or sorted(variants()))].rules
    while True:
        changed = with_all(rules, *(_random_change(rng) for _ in range(rng.randint(1, MOST_CHANGES))))
        if not clashes(changed):
            return changed


def _random_change(rng: random.Random) -> dict[str, Any]:
    key = rng.choice([*OPTIONS, *POWER_KEYS])
    if key in POWER_KEYS:
        return {"powers": {key: random_power(rng, key)}}
    return {} if key == "seats" else nested(key, rng.choice(OPTIONS[key].values))


def random_power(rng: random.Random, key: str) -> dict[str, Any]:
    """A power with any parts; only a joker can be wild."""
    return {
        name: random_part(rng, name, option)
        for name, option in POWER_OPTIONS.items()
        if rng.random() < MORE_OFTEN and (name != "wild" or key == "joker")
    }


def random_part(rng: random.Random, name: str, option: Option) -> Any:
    """Any value of a part of a power; a list where the part takes one, and with a rank where one must be named."""
    if isinstance(option.default, tuple):
        return rng.sample(option.values, rng.choice((1, 1, 2, 3)))
    value = rng.choice(option.values)
    return f"{value}:{rng.choice(KEYS)}" if name == "asks" and value in ASKS[-2:] else value


def nested(key: str, value: Any) -> dict[str, Any]:
    """The override that sets an option, which is named as in TOML."""
    table, _, name = key.rpartition(".")
    return {table: {name: value}} if table else {name: value}


def with_all(rules: Rules, *changes: dict[str, Any]) -> Rules:
    """The rules with all these overrides, one after another."""
    for each in changes:
        rules = rules.changed_with(each)
    return rules


def random_seats(rng: random.Random, rules: Rules, most: int = MOST_SEATS) -> int:
    """A number of seats that rules and pack allow, `most` at most: six may have room where five have none (R1)."""
    allowed = [seats for seats in range(rules.seats[0], rules.seats[1] + 1) if rules.can_seat(seats)]
    chosen = rng.choice(allowed)
    return max(seats for seats in allowed if seats <= min(chosen, most))


def random_deal(rng: random.Random, rules: Rules, seats: int) -> State:
    """A shuffled pack dealt by any dealer, after a game that some seat won and another lost."""
    pack = list(full_pack(rules, seats))
    rng.shuffle(pack)
    winner, loser = rng.sample(range(seats), 2)
    return deal(rules, seats, pack, rng.randrange(seats), winner, loser)


def random_position(
    rng: random.Random, rules: Rules, seats: int, ranks: Sequence[int] = (), sizes: Sequence[int] = (1, 2, 3, 5)
) -> State:
    """Any position in play, made of few ranks, so that sets, runs of four and stacks abound.

    `sizes` are the numbers of hand cards and face-up cards to choose from; small ones give positions near the end.
    """
    ranks = ranks or rng.sample(range(len(RANKS)), rng.choice((2, 3, 4)))
    pack = [card for card in full_pack(rules, seats) if card >> 2 in ranks or card >= RED_JOKER]
    rng.shuffle(pack)
    spare = [format_cards((pack.pop(),)) for _ in range(2)]
    texts = [_random_seat(rng, pack, sizes, stacking=rules.deal.stacking) for _ in range(seats)]
    texts[:2] = [f"{card} | - | -" if text == EMPTY else text for card, text in zip(spare, texts, strict=False)]
    pile = [_on_pile(rng, rules, pack.pop()) for _ in range(rng.choice((0, 1, 2, 3, 5))) if pack]
    letters = [format_seat_letter(seat) for seat in range(seats) if texts[seat] != EMPTY]
    flush = rng.choice(("-", *letters)) if rules.play.flush else "-"
    case = {
        "seats": texts,
        "pile": format_cards(pile),
        "stock": format_cards(pack[: rng.choice((0, 0, 1, 2, 5))]),
        "turn": rng.choice(letters),
        "direction": rng.choice(("cw", "ccw")),
        "last": rng.choice(("-", *letters)),
        "flush": flush,
        "phase": "clear" if flush != "-" and pile and rng.random() < 0.2 else "play",
        "free": rng.random() < 0.1,
    }
    return set_up(case, rules)


def _random_seat(rng: random.Random, pack: list[Card], sizes: Sequence[int], *, stacking: bool) -> str:
    """Take some cards from the pack for a seat, in zones that it may still have."""

    def take(numbers: Sequence[int]) -> list[Card]:
        return [pack.pop() for _ in range(rng.choice(numbers)) if pack]

    hand = take(sizes) if rng.random() < 0.6 else []
    slots: list[tuple[Card, ...]] = []
    for card in take(sizes) if rng.random() < 0.7 else []:
        same = [place for place, slot in enumerate(slots) if slot[0] >> 2 == card >> 2]
        if stacking and same and rng.random() < 0.6:
            slots[same[0]] = (*slots[same[0]], card)
        else:
            slots.append((card,))
    return format_seat(hand, slots, take((0, 1, 3)))


def _on_pile(rng: random.Random, rules: Rules, card: Card) -> Face:
    wild = rules.power(JOKER).wild and card >= RED_JOKER
    face = make_face(card, rank=rng.randrange(len(RANKS))) if wild else card
    return face | LOW if rules.power(face_rank(face)).asks == "named" and rng.random() < 0.5 else face


# -- moves


def choices(state: State, who: int) -> list[Move]:
    """A few choices of face-up cards (R32), stacked ones among them; `legal_moves` does not list these."""
    book, up = state.book, state.book.rules.sizes_with(len(state.seats)).up
    cards = book.cards(state.seats[who].hand)
    plain = Choose(tuple((card,) for card in cards[:up]))
    stacked = Choose((*((card,) for card in cards[: up - 1]), tuple(cards[up - 1 : up + 1])))
    return [move for move in (plain, stacked) if check(state, who, move) is None]


def moves_of(state: State) -> list[tuple[int, Move]]:
    """Every move that anybody, even the clock, may make now; for huge hands only those that a player is shown.

    Of the latest state they are known: it is mostly checked and then played on, and listing takes most of the time.
    """
    if not (_LATEST and _LATEST[0][0] is state):
        _LATEST[:] = [(state, _moves_of(state))]
    return _LATEST[0][1][:]


_LATEST: Final = list[tuple[State, list[tuple[int, Move]]]]()


def _moves_of(state: State) -> list[tuple[int, Move]]:
    found = [(who, move) for who in range(len(state.seats)) for move in listed_moves(state, who)]
    if state.frame.phase == "exchange":
        found += [(who, move) for who in range(len(state.seats)) for move in choices(state, who)]
    if state.frame.phase == "call":
        found.append((0, Timeout()))
    return found


def random_move(rng: random.Random, state: State) -> tuple[int, Move]:
    """Any move. Those out of turn are made more likely, and before play those that end the preparation, too."""
    found = moves_of(state)
    if state.frame.phase == "exchange" and rng.random() < 0.5:
        found = [each for each in found if isinstance(each[1], Ready | Choose)] or found
    others = [each for each in found if each[0] != state.turn]
    if others and rng.random() < 0.5:
        found = others
    return rng.choice(found)


def other_ideas(rng: random.Random, state: State, who: int) -> Iterator[Move]:
    """Moves that somebody may try, sensible or not."""
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


def every_idea(state: State, who: int) -> Iterator[Move]:
    """Every move in play that a seat with few cards might try, in every form that names its cards."""
    book, seat = state.book, state.seats[who]
    held = [tuple(book.cards(mask)) for mask in book.subsets(seat.hand | seat.up)]
    ups = [tuple(book.cards(mask)) for mask in book.subsets(seat.up)]
    words = WORDS if any(book.names) else WORDS[:1]
    yield from (
        Clear(),
        Ready(),
        PickUp(),
        *map(Chance, WORDS),
        *(Flip(number) for number in range(len(seat.down) + 2)),
    )
    yield from map(PickUp, ups)
    for cards in held:
        yield from (kind(cards) for kind in (Interrupt, Follow))
        ranks = range(len(RANKS)) if book.wild and cards[-1] >= RED_JOKER else ()
        named = [tuple(make_face(card, rank=rank) if card >= RED_JOKER else card for card in cards) for rank in ranks]
        yield from (Play(faces, word) for faces in (cards, *named) for word in words)


def _some_cards(rng: random.Random, mine: list[int], all_cards: list[int], size: int) -> tuple[int, ...]:
    """Cards that look like a set, mostly from one seat, sometimes from all."""
    first = rng.choice(mine if rng.random() < 0.8 else all_cards)
    like = [card for card in (mine if rng.random() < 0.9 else all_cards) if card >> 2 == first >> 2 or card > 51]
    return (first, *rng.sample(like, min(size - 1, len(like))))


def _rank_and_row(rng: random.Random, mine: list[int]) -> Iterator[tuple[int, ...]]:
    """All cards of a rank, and up to three consecutive cards of a suit."""
    first = rng.choice(mine)
    yield tuple(card for card in mine if card >> 2 == first >> 2)
    yield tuple(first + 4 * step for step in range(3) if first + 4 * step in mine)


def _maybe_named(rng: random.Random, card: int) -> int:
    return make_face(card, rank=rng.randrange(len(RANKS))) if card > 51 or rng.random() < 0.05 else card
