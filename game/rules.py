"""The options of a table (docs/rules.md sections 3 and 4), as people write them in TOML.

This module owns the names, defaults and values of the options. `game.compiled` decides what they do, `game.validity`
which of them exclude each other, and the screens word them. The only thing it knows about cards is the names of ranks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

Does: TypeAlias = Literal["burn", "reverse", "skip", "again", "give-pile", "skip-beneath"]
On: TypeAlias = Literal["rank", "higher", "anything"]
AskedKind: TypeAlias = Literal["anything", "at-least", "at-most", "below", "same", "not", "red-jack"]
"""What a pile may ask of the next play."""
Phase: TypeAlias = Literal["tribute", "exchange", "call", "play", "clear", "over"]
"""The parts of a game, in order; `clear` interrupts `play` (R36)."""

POWER_KEYS: Final = (*("2", "3", "4", "5", "6", "7", "8", "9", "10"), *("J", "Q", "K", "A"), "joker")
"""The ranks in order, as people write them: the keys of `powers`."""
MOST_SEATS: Final = 12
MANY_SEATS: Final = 6
ASKS: Final = ("at-least", "at-most", "below", "same", "anything", "under", "named", "not", "rank")
"""What a power may ask; the last two name a rank: `not:A`, `rank:7`."""
_ASKS: Final = re.compile(f"{'|'.join(ASKS[:-2])}|({'|'.join(ASKS[-2:])}):([2-9TJQKA]|10)")


def _rank_key(value: object) -> object:
    """Turn `8`, `"8"`, `10`, `"T"` or `"j"` into a key of `powers`."""
    key = str(value).upper()
    return "10" if key == "T" else key


RankKey: TypeAlias = Annotated[
    Literal["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"], BeforeValidator(_rank_key)
]
Switch: TypeAlias = Annotated[bool, Field(strict=True)]
Size: TypeAlias = Annotated[int, Field(ge=1, le=6, strict=True)]
OnTable: TypeAlias = Annotated[int, Field(ge=0, le=6, strict=True)]
Jokers: TypeAlias = Annotated[int, Field(ge=0, le=8, strict=True)]
Seats: TypeAlias = Annotated[int, Field(ge=2, le=MOST_SEATS, strict=True)]


def rank_of_key(key: str) -> int:
    """The rank (game.cards) that a key of `powers` names."""
    return POWER_KEYS.index(key)


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class Power(_Options):
    """What makes a rank special: what it goes on, what it asks, what it does (docs/rules.md section 3)."""

    on: On = "rank"
    not_on: tuple[RankKey, ...] = ()
    only_on: tuple[RankKey, ...] = ()
    asks: str = Field(default="at-least", examples=list(ASKS))
    does: tuple[Does, ...] = ()
    burns_on: tuple[RankKey, ...] = ()
    bare: RankKey | None = None
    bare_gives: Switch = False
    two_left: Literal["anything"] | None = None
    wild: Switch = False
    leaves: Switch = False
    answer: Literal["red-jack"] | None = None

    @field_validator("asks")
    @classmethod
    def _known(cls, value: str) -> str:
        if not _ASKS.fullmatch(value):
            raise ValueError("must be at-least, at-most, below, same, anything, under, named, not:RANK or rank:RANK")
        return value

    @property
    def goes_anywhere(self) -> bool:
        """Whether the rank goes on every pile."""
        return self.on == "anything" and not (self.not_on or self.only_on)


PLAIN = Power()
DEFAULT_POWERS: Mapping[str, Power] = {
    "2": Power(on="anything", asks="anything"),
    "10": Power(on="anything", does=("burn",)),
    "joker": Power(on="anything", asks="under", does=("reverse",)),
}


class DealOptions(_Options):
    """How the cards are dealt and prepared (R2, R3, R30, R32, R33)."""

    packs: Annotated[int, Field(ge=1, le=4, strict=True)] = 1
    pack_for_six: Switch = False
    jokers: Jokers = 0
    jokers_for_six: Jokers = 2
    face_down: OnTable = 3
    face_up: OnTable = 3
    hand: Size = 3
    by_seats: dict[int, Size] = Field(default={}, examples=[{}, {2: 6, 3: 4, 4: 3}])
    method: Literal["open", "choose"] = "open"
    stacking: Switch = False
    exchange: Literal["any", "one", "none"] = "any"


class StartOptions(_Options):
    """Who starts, and how (R4, R29, R37, R45, R47)."""

    by: Literal["face-up-then-call", "call-nearest", "most", "lowest", "left", "thrown"] = "face-up-then-call"
    rank: RankKey = "3"
    must_lead: Switch = False
    turn_up: Switch = False

    @property
    def is_by_rank(self) -> bool:
        """Whether the cards of `rank` decide, or if nobody has one those of the next."""
        return self.by not in {"lowest", "left"}


class PlayOptions(_Options):
    """What happens during play (docs/rules.md section 4)."""

    refill: Literal["always", "opening"] = "always"
    ace: Literal["high", "low"] = "high"
    stuck: Literal["self", "previous"] = "self"
    must_play: Switch = False
    burn_again: Switch = True
    four_of_a_kind: Switch = True
    four_on_anything: Switch = False
    runs_through_glass: Switch = False
    sequences: Switch = False
    chance: Literal["never", "stuck", "always"] = "never"
    lead_after_pickup: Literal["next", "previous"] = "next"
    face_up_pickup: Literal["add-one", "leave"] = "add-one"
    flush: Switch = False
    interrupt: Switch = False
    follow_up: Switch = False
    combo: Switch = False


class EndOptions(_Options):
    """How a game ends and the next one begins (R16, R42)."""

    aim: Literal["loser", "winner", "both"] = "loser"
    next_dealer: Literal["loser", "rotate"] = "loser"
    tribute: Switch = False


class Sizes(NamedTuple):
    """How many face-down, face-up and hand cards a seat is dealt."""

    down: int
    up: int
    hand: int


class Rules(_Options):
    """All options of a table; the defaults are the classic game (docs/rules.md section 2)."""

    seats: tuple[Seats, Seats] = (2, 6)
    deal: DealOptions = DealOptions()
    start: StartOptions = StartOptions()
    play: PlayOptions = PlayOptions()
    powers: dict[str, Power] = dict(DEFAULT_POWERS)
    end: EndOptions = EndOptions()

    @field_validator("powers")
    @classmethod
    def _known_ranks(cls, value: dict[str, Power]) -> dict[str, Power]:
        unknown = [key for key in value if key not in POWER_KEYS]
        if unknown:
            raise ValueError(f"has the unknown rank {unknown[0]}: ranks are {', '.join(POWER_KEYS)}")
        if any(power.wild for key, power in value.items() if key != "joker"):
            raise ValueError("makes a rank wild, but only the joker can be")
        # Without plain powers and in a fixed order, so that equal rules compare equal and have the same text.
        return {key: value[key] for key in POWER_KEYS if key in value and value[key] != PLAIN}

    @model_validator(mode="after")
    def _seats_in_order(self) -> Rules:
        if self.seats[0] > self.seats[1]:
            raise ValueError("seats must name the fewest first, then the most")
        return self

    @property
    def suits_matter(self) -> bool:
        """Whether the suits of a play matter to later plays: only where sequences may be played (R34).

        They also decide whether a jack answers a duty (R46), so of equal ranks a play that keeps red jacks is offered.
        """
        return self.play.sequences

    def power(self, rank: int) -> Power:
        """The power of a rank, `JOKER` included; `PLAIN` if it has none."""
        return self.powers.get(POWER_KEYS[rank], PLAIN)

    def going_anywhere(self) -> set[int]:
        """The ranks that go on any card (R20)."""
        return {rank_of_key(key) for key, power in self.powers.items() if power.goes_anywhere}

    def see_through(self) -> set[int]:
        """The transparent ranks (R22)."""
        return {rank_of_key(key) for key, power in self.powers.items() if power.asks == "under"}

    def jokers_with(self, seats: int) -> int:
        """How many jokers the pack has at a table of `seats`; from `MANY_SEATS` on there may be more (R30)."""
        return self.deal.jokers + (self.deal.jokers_for_six if seats >= MANY_SEATS else 0)

    def packs_with(self, seats: int) -> int:
        """How many packs a table of `seats` plays with; from `MANY_SEATS` on there may be one more (R1)."""
        return self.deal.packs + (1 if self.deal.pack_for_six and seats >= MANY_SEATS else 0)

    def cards_with(self, seats: int) -> int:
        """How many cards the pack has at a table of `seats`, jokers included."""
        return self.packs_with(seats) * 52 + self.jokers_with(seats)

    def sizes_with(self, seats: int) -> Sizes:
        """How many cards each seat is dealt at a table of `seats`; `deal.by_seats` overrides the three sizes."""
        size = self.deal.by_seats.get(seats)
        return Sizes(size, size, size) if size else Sizes(self.deal.face_down, self.deal.face_up, self.deal.hand)

    def deals_face_up(self) -> bool:
        """Whether cards are dealt face up, not chosen by the players (R32)."""
        return self.deal.method == "open" and bool(self.deal.face_up or self.deal.by_seats)

    def can_seat(self, seats: int) -> bool:
        """Whether so few can play, and the pack has enough cards to deal to `seats` (docs/rules.md section 5)."""
        return seats >= self.seats[0] and seats * sum(self.sizes_with(seats)) <= self.cards_with(seats)

    def most_seats(self) -> int:
        """The largest number of seats that both `seats` and the pack allow; 0 if there is none."""
        return max((n for n in range(self.seats[0], self.seats[1] + 1) if self.can_seat(n)), default=0)

    def changed_with(self, overrides: Mapping[str, Any]) -> Rules:
        """A copy with only the options in `overrides` changed; powers are merged too (docs/rules.md section 4).

        Raises `pydantic.ValidationError` if an option is unknown, or its value is not allowed.
        """
        return Rules.model_validate(merged(self.model_dump(), overrides))

    def differences(self, base: Rules | None = None) -> dict[str, Any]:
        """What differs from `base` (by default the classic game), as overrides for `changed_with`."""
        return _differences((base or Rules()).model_dump(mode="json"), self.model_dump(mode="json"))


def is_table(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value read from TOML or JSON is a table."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether a value read from TOML or JSON is a list."""
    return isinstance(value, list)


def merged(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Merge `overrides` into a copy of `base`, tables key by key; only `by_seats` is replaced as a whole."""
    result = dict(base)
    for key, value in overrides.items():
        old = result.get(key, {})
        result[key] = merged(old, value) if is_table(old) and is_table(value) and key != "by_seats" else value
    return result


def _differences(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    differences: dict[str, Any] = {}
    plain = PLAIN.model_dump(mode="json")
    for key in [*base, *(key for key in other if key not in base)]:
        absent = plain if key in POWER_KEYS else None
        old, new = base.get(key, absent), other.get(key, absent)
        if old != new:
            is_part = is_table(old) and is_table(new) and key != "by_seats"
            differences[key] = _differences(old, new) if is_part else new
    return differences


# -- the options as a list, for code that goes through all of them; a new field appears in it by itself


class Option(NamedTuple):
    """An option's default, and every value that it may take, in order.

    For a list such as `does`, these are the values of its items; `seats` is a pair of them. The last two values of
    `asks` need a rank (`ASKS`). `deal.by_seats` accepts any table of sizes, and the values are those worth offering.
    """

    default: Any
    values: tuple[Any, ...]


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """Every value that a JSON schema accepts; for a list, every value of its items."""
    match schema:
        case {"examples": values} | {"enum": values}:
            return values
        case {"const": value}:
            return [value]
        case {"anyOf": kinds}:
            return [value for kind in kinds for value in _values(kind)]
        case {"items": kind} | {"prefixItems": [kind, *_]}:
            return _values(kind)
        case {"minimum": least, "maximum": most}:
            return list(range(least, most + 1))
        case {"type": "boolean"}:
            return [False, True]
        case _:
            return [None]


def _options(model: type[BaseModel], prefix: str = "") -> dict[str, Option]:
    schemas = model.model_json_schema()["properties"]
    fields = model.model_fields.items()
    return {prefix + name: Option(field.default, tuple(_values(schemas[name]))) for name, field in fields}


POWER_OPTIONS: Final[Mapping[str, Option]] = _options(Power)
"""The parts of a power."""
OPTIONS: Final[Mapping[str, Option]] = {
    "seats": _options(Rules)["seats"],
    **_options(DealOptions, "deal."),
    **_options(StartOptions, "start."),
    **_options(PlayOptions, "play."),
    **_options(EndOptions, "end."),
}
"""All options except the powers, by their keys in TOML."""
