"""Sets up a position from the Given part of a scenario (docs/scenarios.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from game.cards import Card, Face, NotACardError, NotAMoveError, bits, card_of, format_card
from game.compiled import FREE, book_of
from game.deal import deal, full_pack, with_thrown, with_tribute
from game.rules import MOST_SEATS, Rules, is_list, is_table
from game.state import NOBODY, Frame, Seat, State, seat_or_none
from game.text.notation import format_seat_letter, parse_cards, parse_pile, parse_seat, parse_seat_letter
from game.validity import Clash, clashes
from game.variants import UnknownVariantError, variant

_SEATS: Final = ("turn", "dealer", "last", "flush", "last_winner", "last_shithead")
_TEXTS: Final = (*_SEATS, "pile", "stock", "direction", "phase", "pack")
GIVEN_KEYS: Final = frozenset({*_TEXTS, "seats", "free", "players"})
_AFTER_DEAL: Final = {
    **dict.fromkeys(("pile", "stock", "last", "flush"), ("-",)),
    "free": (False,),
    "direction": ("cw",),
    "phase": ("exchange", "tribute"),
}
"""The values that these keys may have beside `pack`: those that hold right after the deal."""
_SHOWN: Final = 40
_MOST_GIVEN: Final = 26
"""The most seats of a given position: each has a letter. Only a deal has fewer (R1)."""
Value = TypeVar("Value", bound="bool | int | str")


class BadValueError(ValueError):
    """A value that makes no sense; the message names the key and says why."""

    def __init__(self, key: str, why: str) -> None:
        """Combine the key and the reason, a phrase such as "must be a number"."""
        super().__init__(f"{key}: {why}")


def shown(value: object) -> str:
    """A value, or what an error says, as messages show it: on one line of printable text, cut after 40 characters.

    What an error says is a card or a seat; a letter in it that only looks like a Latin one is shown by its code.
    """
    try:
        text = " ".join(str(value).split()) or '""' if isinstance(value, str | ValueError) else str(value)
        looks_latin = isinstance(value, str) or not any(each.isalpha() and not each.isascii() for each in text)
        text = text if text.isprintable() and looks_latin else ascii(text)
    except (ValueError, RecursionError):  # a number with thousands of digits, or tables nested too deep
        return "a value too long to show"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def value_of(table: Mapping[str, Any], key: str, default: Value) -> Value:
    """The value of a key, which must have exactly the type of its default (`typed_like`)."""
    return typed_like(default, key, table.get(key, default))


def typed_like(sample: Value, key: str, value: Any) -> Value:
    """The value of a key, which must have exactly the type of the sample: a bool does not pass for an int.

    Raises `BadValueError` if the type differs.
    """
    if type(value) is not type(sample):
        said = f'the text "{shown(value)}"' if isinstance(value, str) else shown(value)
        raise BadValueError(key, f"must be {_TYPES[type(sample)]}, not {said}")
    return value


_TYPES: Final[Mapping[type, str]] = {bool: "true or false", int: "a number", str: "a text"}


def seat_of(text: str, count: int, key: str) -> int:
    """Parse a seat letter; `-` gives `NOBODY`. `key` is for the error message.

    Raises `BadValueError` if it is not the letter of one of `count` seats.
    """
    if text.strip() == "-":
        return NOBODY
    try:
        seat = parse_seat_letter(text)
    except NotAMoveError:
        seat = count
    if seat >= count:
        raise BadValueError(key, f"{shown(text)} is not one of the {count} seats")
    return seat


class _Given:
    """Reads the values of a scenario by key and keeps count of the cards it has used from the pack."""

    def __init__(self, case: Mapping[str, Any], rules: Rules, count: int) -> None:
        self.case = case
        self.count = count
        self.book = book_of(rules)
        self.pack = Counter(full_pack(rules, count))
        self.taken = Counter[Card]()
        self.turn = self.seat("turn") if "turn" in case else 0
        self.last_two = [seat_or_none(self.seat(key)) for key in ("last_winner", "last_shithead")]

    def seat(self, key: str, default: int = NOBODY) -> int:
        seat = seat_of(value_of(self.case, key, "-"), self.count, key)
        return default if seat == NOBODY else seat

    def one_of(self, key: str, *values: str) -> str:
        """The value of a key, which must be one of `values`; the first of them is the default."""
        value = value_of(self.case, key, values[0])
        if value not in values:
            raise BadValueError(key, f"must be one of {', '.join(values)}, not {shown(value)}")
        return value

    def cards(self, key: str, read: Callable[[str], tuple[Face, ...]] = parse_cards) -> tuple[Face, ...]:
        try:
            return read(value_of(self.case, key, "-"))
        except NotACardError as error:
            raise BadValueError(key, f"{shown(error)} is not a card") from error

    def take(self, cards: Iterable[Card], key: str, place: str = "") -> tuple[int, ...]:
        """Take cards from the pack as one-card masks, one for each physical copy."""
        found: list[int] = []
        for card in cards:
            if self.taken[card] == self.pack[card]:
                more = "is not in the pack" if not self.pack[card] else "occurs more often than in the pack"
                raise BadValueError(key, f"{place}{format_card(card)} {more}")
            found.append(1 << card * self.book.copies + self.taken[card])
            self.taken[card] += 1
        return tuple(found)

    def chair(self, seat: int, text: object) -> Seat:
        """Parse the cards of a seat and take them from the pack."""
        place = f"seat {format_seat_letter(seat)}: "
        try:
            hand, slots, down = parse_seat(text if isinstance(text, str) else "")
        except NotACardError as error:
            raise BadValueError("seats", f"{place}{shown(error)} is not a card") from error
        except NotAMoveError as error:
            raise BadValueError("seats", f"{place}must be `hand | face-up | face-down`, not {shown(text)}") from error
        held = sum(self.take(hand, "seats", place))
        if len(slots) > 16:  # noqa: PLR2004 - no deal has that many, and the engine tries every union of slots
            raise BadValueError("seats", f"{place}has more than 16 face-up slots")
        if any(len({card >> 2 for card in slot}) > 1 for slot in slots):
            raise BadValueError("seats", f"{place}cards of several ranks share a slot")
        ups = tuple(sum(self.take(slot, "seats", place)) for slot in slots)
        return Seat(held, sum(ups), ups, self.take(down, "seats", place), tuple(range(1, len(down) + 1)))


def rules_from(value: object) -> Rules:
    """The rules given by a preset id, or by a table with `preset` and overrides.

    Raises:
        BadValueError: the preset is unknown, or options exclude each other.
        pydantic.ValidationError: an option is unknown, or its value is not allowed.
    """
    table = {"preset": value} if isinstance(value, str) else value
    if not is_table(table):
        raise BadValueError("rules", f"must be a preset or a table, not {shown(value)}")
    name = value_of(table, "preset", "classic")
    try:
        rules = variant(name).rules.changed_with({key: table[key] for key in table if key != "preset"})
    except UnknownVariantError as error:
        raise BadValueError("rules", f"unknown preset {shown(name)}") from error
    for clash in clashes(rules):
        if clash is not Clash.PACK_TOO_SMALL:  # a position is set up without dealing
            raise BadValueError("rules", clash.value)
    return rules


def set_up(case: Mapping[str, Any], rules: Rules) -> State:
    """Set up the state that the Given part of a scenario describes. `BadValueError` if a value makes no sense."""
    for key in _TEXTS:  # check every type, even of keys that this position does not use
        value_of(case, key, "")
    value_of(case, "free", default=False)
    value_of(case, "players", 0)
    texts: object = case.get("seats")
    if "pack" in case and texts is None:
        return _dealt(case, rules)
    if not is_list(texts) or not texts or len(texts) > _MOST_GIVEN:
        raise BadValueError("seats", f"must be a list of 1 to {_MOST_GIVEN} texts, one for each seat")
    if "pack" in case:
        raise BadValueError("pack", "is given instead of `seats`, not beside them")
    given = _Given(case, rules, len(texts))
    seats = tuple(given.chair(seat, text) for seat, text in enumerate(texts))
    pile = given.cards("pile", parse_pile)
    held = sum(given.take(map(card_of, pile), "pile"))
    state = _state(given, seats, pile, held, given.take(given.cards("stock"), "stock"))
    phase = given.one_of("phase", "play", "exchange", "call", "clear", "tribute")
    if phase in {"play", "clear"}:
        return _playing(given, state, clearing=phase == "clear")
    return _calling(state) if phase == "call" else _before_play(given, state, paying=phase == "tribute")


def _dealt(case: Mapping[str, Any], rules: Rules) -> State:
    players = value_of(case, "players", 0)
    if not 2 <= players <= MOST_SEATS:  # noqa: PLR2004 - nobody plays alone
        raise BadValueError("players", f"must be given with `pack`, 2 to {MOST_SEATS}")
    for key, fitting in _AFTER_DEAL.items():
        if case.get(key, fitting[0]) not in fitting:
            raise BadValueError(key, "must not be given beside `pack`, because the game begins with the deal")
    given = _Given(case, rules, players)
    pack = given.cards("pack")
    if players * sum(rules.sizes_with(players)) > len(pack):
        raise BadValueError("pack", f"{len(pack)} cards are too few for {players} players")
    given.take(pack, "pack")
    return deal(rules, players, pack, given.seat("dealer", players - 1), *given.last_two)


def _state(given: _Given, seats: tuple[Seat, ...], pile: tuple[Face, ...], held: int, stock: tuple[int, ...]) -> State:
    book, count = given.book, given.count
    alive = sum(1 << at for at, seat in enumerate(seats) if not seat.is_out())
    if not alive:
        raise BadValueError("seats", "somebody must have cards")
    direction = 1 if given.one_of("direction", "cw", "ccw") == "cw" else -1
    frame = Frame("play", given.seat("dealer", count - 1), book.rules.sizes_with(count).hand)
    frame.out = tuple(at for at, seat in enumerate(seats) if seat.is_out())
    frame.winner = frame.out[0] if frame.out and book.rules.end.aim != "loser" else NOBODY
    frame.flush = given.seat("flush")
    top = FREE if value_of(given.case, "free", default=False) else book.top_of(pile)
    last = given.seat("last")
    return State(book, frame, seats, alive, direction, pile=pile, held=held, top=top, stock=stock, last=last)


def _playing(given: _Given, state: State, *, clearing: bool) -> State:
    if given.turn == NOBODY or not state.alive >> given.turn & 1:
        raise BadValueError("turn", "must be a seat with cards")
    if clearing:
        if not given.book.rules.play.flush or state.frame.flush == NOBODY:
            raise BadValueError("phase", "clear needs the option play.flush, and a seat that is flush")
        return state.but(frame=state.frame.but(phase="clear"), turn=given.turn, top=FREE)
    return state.but(turn=given.turn)


def _calling(state: State) -> State:
    masks = {rank: state.book.rank_masks[rank] for rank in state.book.search_order}
    held = (rank for rank, mask in masks.items() if any(seat.hand & mask for seat in state.seats))
    calling = next(held, None)
    if calling is None or state.book.rules.start.by != "face-up-then-call":
        raise BadValueError("phase", "nobody has a card to call, or the rules have no call")
    return state.but(frame=state.frame.but(phase="call", calling=calling))


def _before_play(given: _Given, state: State, *, paying: bool) -> State:
    """A position in exchange or tribute; face-up cards count as dealt slot by slot, from the dealer's left."""
    order = state.from_dealer()
    face_up: list[tuple[int, int]] = []
    for row in range(max(len(seat.slots) for seat in state.seats)):
        for who in order:
            slots = state.seats[who].slots
            face_up += [(who, bit) for bit in bits(slots[row] if row < len(slots) else 0)]
    hands = [(who, bit) for who in order for bit in bits(state.seats[who].hand)]
    dealt = tuple((who, state.book.card(bit) >> 2) for who, bit in face_up)
    chooses = state.book.rules.deal.method == "choose"
    chosen = sum(1 << who for who in order if chooses and state.seats[who].up)
    frame = state.frame.but(phase="exchange", dealt=dealt, chosen=chosen)
    state = with_thrown(state.but(frame=frame, turn=NOBODY), face_up + hands)
    if not paying:
        return state
    after = with_tribute(state, *given.last_two)
    if after is state:
        raise BadValueError("phase", "tribute needs end.tribute, a last winner and a different last shithead")
    return after
