"""Setting up a position from its text: the Given part of a scenario (docs/scenarios.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from game.cards import NotACardError, NotAMoveError, bits, card_of
from game.compiled import FREE, RuleBook, book_of
from game.deal import NotDealableError, deal, with_thrown, with_tribute
from game.moves.move import Phase
from game.moves.opening import search_order
from game.rules import Rules, is_table
from game.state import NOBODY, Frame, Preparation, Seat, State, ring_of
from game.text.notation import parse_cards, parse_pile, parse_seat, parse_seat_letter
from game.variants import UnknownVariantError, variant

if TYPE_CHECKING:
    from game.cards import Card, Face

GIVEN_KEYS = frozenset(
    {
        "seats",
        "pile",
        "stock",
        "turn",
        "direction",
        "phase",
        "dealer",
        "last",
        "flush",
        "free",
        "last_winner",
        "last_shithead",
        "pack",
        "players",
    }
)
PHASES: tuple[Phase, ...] = ("exchange", "call", "play", "clear", "tribute")


Value = TypeVar("Value", bound=str)


class BadPositionError(Exception):
    """A value that makes no sense; `args[0]` is its key."""


class _Given:
    """The values of a scenario by key, each read once and with its default."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.case = case

    def text(self, key: str, default: str) -> str:
        value = self.case.get(key, default)
        if not isinstance(value, str):
            raise BadPositionError(key)
        return value

    def one_of(self, key: str, values: tuple[Value, ...], default: Value) -> Value:
        text = self.text(key, default)
        value = next((each for each in values if each == text), None)
        if value is None:
            raise BadPositionError(key)
        return value

    def seat(self, key: str, count: int, default: int = NOBODY) -> int:
        text = self.text(key, "-")
        if text.strip() == "-":
            return default
        try:
            seat = parse_seat_letter(text)
        except NotAMoveError as error:
            raise BadPositionError(key) from error
        if seat >= count:
            raise BadPositionError(key)
        return seat

    def cards(self, key: str) -> tuple[Card, ...]:
        try:
            return parse_cards(self.text(key, "-"))
        except NotACardError as error:
            raise BadPositionError(key) from error

    def flag(self, key: str) -> bool:
        value = self.case.get(key, False)
        if not isinstance(value, bool):
            raise BadPositionError(key)
        return value


def rules_from(value: object) -> Rules:
    """The rules that a preset id, or a table with `preset` and overrides, names.

    Raises:
        BadPositionError: the preset is unknown.
        pydantic.ValidationError: an option is unknown or its value is.
    """
    table = {"preset": value} if isinstance(value, str) else value
    if not is_table(table):
        raise BadPositionError("rules")
    name, overrides = str(table.get("preset", "classic")), {key: table[key] for key in table if key != "preset"}
    try:
        rules = variant(name).rules
    except UnknownVariantError as error:
        raise BadPositionError(f"rules: unknown preset {name}") from error
    return rules.changed_with(overrides) if overrides else rules


def set_up(case: Mapping[str, Any], rules: Rules) -> State:
    """The state that the Given part of a scenario describes.

    Raises:
        BadPositionError: a value makes no sense; `args[0]` names the key.
    """
    given = _Given(case)
    if "pack" in case:
        return _dealt(given, rules)
    texts = case.get("seats")
    if not isinstance(texts, list) or not texts:
        raise BadPositionError("seats")
    try:
        zones = [parse_seat(text) for text in cast("list[str]", texts)]
        pile = parse_pile(given.text("pile", "-"))
    except (NotACardError, NotAMoveError, AttributeError) as error:
        raise BadPositionError("seats or pile") from error
    stock = given.cards("stock")
    book, place = _spread(rules, zones, pile, stock)
    seats = tuple(_seat(place, zone) for zone in zones)
    held = sum(place.pop(card_of(face)) for face in pile)
    state = _state(given, book, seats, pile, held, tuple(place.pop(card) for card in stock))
    return _with_phase(given, state)


def _dealt(given: _Given, rules: Rules) -> State:
    players = given.case.get("players")
    if not isinstance(players, int):
        raise BadPositionError("players")
    winner, loser = (given.seat(key, players) for key in ("last_winner", "last_shithead"))
    try:
        return deal(
            rules, players, given.cards("pack"), given.seat("dealer", players, players - 1), _none(winner), _none(loser)
        )
    except NotDealableError as error:
        raise BadPositionError("pack") from error


def _none(seat: int) -> int | None:
    return None if seat == NOBODY else seat


class _Place:
    """Hands out the physical copies of cards, one after another."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self.used: Counter[Card] = Counter()

    def pop(self, card: Card) -> int:
        bit = 1 << card * self.book.copies + self.used[card]
        self.used[card] += 1
        return bit


def _spread(
    rules: Rules, zones: list[tuple[Any, ...]], pile: tuple[Face, ...], stock: tuple[Card, ...]
) -> tuple[RuleBook, _Place]:
    counted = Counter(map(card_of, pile)) + Counter(stock)
    for hand, slots, down in zones:
        counted += Counter(hand) + Counter(card for slot in slots for card in slot) + Counter(down)
    book = book_of(rules, least_copies=max(counted.values(), default=1))
    return book, _Place(book)


def _seat(place: _Place, zones: tuple[Any, ...]) -> Seat:
    hand, slots, down = zones
    masks = tuple(sum(place.pop(card) for card in slot) for slot in slots)
    return Seat(
        sum(map(place.pop, hand)), sum(masks), masks, tuple(map(place.pop, down)), tuple(range(1, len(down) + 1))
    )


def _state(
    given: _Given, book: RuleBook, seats: tuple[Seat, ...], pile: tuple[Face, ...], held: int, stock: tuple[int, ...]
) -> State:
    count = len(seats)
    alive = sum(1 << at for at, seat in enumerate(seats) if not seat.is_out())
    if not alive:
        raise BadPositionError("seats")
    direction = 1 if given.one_of("direction", ("cw", "ccw"), "cw") == "cw" else -1
    frame = Frame("play", given.seat("dealer", count, count - 1), book.rules.sizes_with(count)[2])
    frame.out = tuple(at for at, seat in enumerate(seats) if seat.is_out())
    frame.flush = given.seat("flush", count)
    top = FREE if given.flag("free") else book.top_of(pile)
    last = given.seat("last", count)
    return State(
        book,
        frame,
        seats,
        NOBODY,
        ring_of(count, alive, direction),
        pile,
        held,
        top,
        stock,
        0,
        0,
        last,
        alive,
        direction,
    )


def _with_phase(given: _Given, state: State) -> State:
    phase: Phase = given.one_of("phase", PHASES, "play")
    count = len(state.seats)
    if phase in {"play", "clear"}:
        turn = given.seat("turn", count, NOBODY) if "turn" in given.case else 0
        if turn == NOBODY or not state.alive >> turn & 1:
            raise BadPositionError("turn")
        return state.but(frame=state.frame.but(phase=phase), turn=turn, top=FREE if phase == "clear" else state.top)
    if phase == "call":
        ranks = (
            rank
            for rank in search_order(state.book)
            if any(seat.hand & state.book.rank_masks[rank] for seat in state.seats)
        )
        calling = next(ranks, None)
        if calling is None:
            raise BadPositionError("phase")
        return state.but(frame=state.frame.but(phase="call", calling=calling))
    return _before_play(given, state, phase)


def _before_play(given: _Given, state: State, phase: str) -> State:
    """A position in exchange or tribute: face-up cards count as dealt, slot by slot, from the dealer's left."""
    count = len(state.seats)
    order = state.from_dealer()
    shown = list[tuple[int, int]]()
    for row in range(max((len(seat.slots) for seat in state.seats), default=0)):
        for at in order:
            slots = state.seats[at].slots
            shown += [(at, bit) for bit in bits(slots[row] if row < len(slots) else 0)]
    hands = [(at, bit) for at in order for bit in bits(state.seats[at].hand)]
    prepared = Preparation(tuple((seat, state.book.card(bit) >> 2) for seat, bit in shown))
    if state.book.rules.deal.method == "choose":
        prepared.chosen = sum(1 << at for at, seat in enumerate(state.seats) if seat.up)
    frame = state.frame.but(phase="exchange", preparation=prepared)
    state = with_thrown(state.but(frame=frame, turn=NOBODY), shown + hands)
    if phase == "exchange":
        return state
    after = with_tribute(state, _none(given.seat("last_winner", count)), _none(given.seat("last_shithead", count)))
    if after.preparing().tribute is None:
        raise BadPositionError("phase")
    return after
