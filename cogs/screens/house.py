"""House rules: setting one option or one part of a power, and the combinations that cannot be played.

Each of those is refused with its reason and what would mend it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from cogs.screens.formatter import Formatter
from cogs.screens.options import OPTIONS, START_RANK, override, values_of
from cogs.screens.powers import DOES
from cogs.screens.rulewords import SEARCHING
from game.rules import PLAIN, POWER_KEYS, Power, Rules, rank_of_key

PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "deal": tuple(key for key in OPTIONS if key.startswith(("seats.", "deal."))),
    "start": (*(key for key in OPTIONS if key.startswith("start.")), START_RANK),
    "play": tuple(key for key in OPTIONS if key.startswith("play.")),
    "powers": tuple(f"powers.{key}" for key in POWER_KEYS),
    "end": tuple(key for key in OPTIONS if key.startswith("end.")),
}
ASKS: Final = ("at-least", "at-most", "below", "same", "anything", "under", "named", "not", "rank")
ON: Final = ("rank", "higher", "anything")
FLAGS: Final = ("two_left", "wild", "leaves", "answer")
NONE: Final = "none"
_PARTS: Final = 3
_MOST_PACKS: Final = 4


class NotARuleError(ValueError):
    """No such option, or no such value; `args[0]` is the key, `args[1]` the value."""


def with_set(rules: Rules, key: str, values: Sequence[str]) -> Rules:
    """The rules with one option set; values are texts, as a select sends them.

    Raises:
        NotARuleError: there is no such option or value.
    """
    if key.startswith("powers."):
        return _with_power(rules, key, values)
    wanted = values_of(key) if _known(key) and values else ()
    value = next((each for each in wanted if str(each).lower() == values[0].lower()), None)
    if value is None:
        raise NotARuleError(key, " ".join(values))
    if key.startswith("seats."):
        return _with_seats(rules, int(value), fewest=key.endswith("fewest"))
    return rules.changed_with(override(key, value))


def _known(key: str) -> bool:
    return key in OPTIONS or key == START_RANK


def _with_seats(rules: Rules, seats: int, *, fewest: bool) -> Rules:
    low, high = rules.seats
    low, high = (seats, max(high, seats)) if fewest else (min(low, seats), seats)
    return rules.changed_with({"seats": (low, high)})


def _with_power(rules: Rules, key: str, values: Sequence[str]) -> Rules:
    _, _, rest = key.partition(".")
    rank, _, part = rest.partition(".")
    if rank not in POWER_KEYS or part not in _SET:
        raise NotARuleError(key, " ".join(values))
    old = rules.powers.get(rank, PLAIN)
    try:
        new = Power.model_validate(old.model_dump() | _SET[part](old, values))
        powers = dict(rules.powers) | {rank: tidied(new)}
        return Rules.model_validate(
            rules.model_dump() | {"powers": {name: each.model_dump() for name, each in powers.items()}}
        )
    except (ValidationError, IndexError, ValueError) as error:
        raise NotARuleError(key, " ".join(values)) from error


def tidied(power: Power) -> Power:
    """Without the parts that hang on others that are gone."""
    gone: dict[str, Any] = {}
    if power.asks != "under":
        gone["bare"] = None
    if not {"skip", "skip-beneath"} & set(power.does):
        gone["two_left"] = None
    if "give-pile" not in power.does:
        gone["answer"] = None
    return power.model_copy(update=gone)


def _set_asks(power: Power, values: Sequence[str]) -> dict[str, Any]:
    kind = values[0]
    if kind in {"not", "rank"}:
        return {"asks": f"{kind}:{power.asks.partition(':')[2] or 'A'}"}
    return {"asks": kind}


def _set_of(power: Power, values: Sequence[str]) -> dict[str, Any]:
    kind = power.asks.partition(":")[0]
    return {"asks": f"{kind}:{values[0]}"} if kind in {"not", "rank"} else {}


_SET: Final[Mapping[str, Callable[[Power, Sequence[str]], dict[str, Any]]]] = {
    "on": lambda _, values: {"on": values[0]},
    "asks": _set_asks,
    "of": _set_of,
    "does": lambda _, values: {"does": tuple(each for each in DOES if each in values)},
    "not_on": lambda _, values: {"not_on": tuple(values)},
    "bare": lambda _, values: {"bare": None if values[0] == NONE else values[0]},
    "two_left": lambda power, _: {"two_left": None if power.two_left else "anything"},
    "wild": lambda power, _: {"wild": not power.wild},
    "leaves": lambda power, _: {"leaves": not power.leaves},
    "answer": lambda power, _: {"answer": None if power.answer else "red-jack"},
}
POWER_PARTS: Final = frozenset(_SET)


def conflicts(t: Formatter, rules: Rules, seats: int = 0) -> list[str]:
    """Why so many (the fewest where 0) cannot play these rules, and what would mend it; empty where they can."""
    found = _pack(t, rules, max(seats, rules.seats[0]))
    if rules.end.tribute and rules.deal.method == "choose":
        found.append(t("Tribute needs dealt face-up cards: let them be dealt open, or leave tribute out."))
    if rules.end.tribute and rules.end.aim == "winner":
        found.append(t("Tribute needs a loser: let the last with cards lose, or leave tribute out."))
    if rules.start.must_lead and rules.start.by not in (*SEARCHING, "lowest"):
        found.append(
            t("No card finds the starter, so none can have to be led: change who starts, or free the first lead.")
        )
    if rules.start.turn_up and rules.start.by == "thrown":
        found.append(t("Thrown cards already start the pile: leave out the turn-up, or change who starts."))
    for key, power in rules.powers.items():
        found += _power(t, key, power)
    return found


def _pack(t: Formatter, rules: Rules, seats: int) -> list[str]:
    if rules.has_room_for(seats):
        return []
    each, cards = sum(rules.sizes_with(seats)), rules.cards_with(seats)
    need = t(
        "{seats} players with {each} cards each need {total} cards, the pack has {cards}",
        seats=seats,
        each=each,
        total=seats * each,
        cards=cards,
    )
    packs = next((n for n in range(1, _MOST_PACKS + 1) if _roomy(rules, seats, n)), None)
    if packs is None:
        return [t("{need}: deal at most {count} cards each.", need=need, count=cards // seats)]
    return [
        t(
            "{need}: take {packs} packs, or deal at most {count} cards each.",
            need=need,
            packs=packs,
            count=cards // seats,
        )
    ]


def _roomy(rules: Rules, seats: int, packs: int) -> bool:
    return rules.changed_with({"deal": {"packs": packs}}).has_room_for(seats)


def _power(t: Formatter, key: str, power: Power) -> list[str]:
    cards, does, found = t.all_cards(rank_of_key(key)), set(power.does), list[str]()
    if "burn" in does and does - {"burn", "reverse"}:
        found.append(
            t(
                "{cards}: a burn takes the pile away, so only a turn of direction goes with it: leave out the rest.",
                cards=cards,
            )
        )
    if {"skip", "skip-beneath"} <= does:
        found.append(t("{cards}: skip one seat, or one more than the card beneath, not both.", cards=cards))
    if "again" in does and {"skip", "skip-beneath", "give-pile"} & does:
        found.append(t("{cards}: another turn and passing the turn exclude each other: leave one out.", cards=cards))
    if "skip-beneath" in does and power.asks != "under":
        found.append(t("{cards}: to look at the card beneath they must be glass.", cards=cards))
    return found
