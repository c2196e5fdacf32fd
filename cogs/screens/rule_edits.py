"""House rules: setting an option, what that replaces, conflicts, names that are taken, all options as a line of text.

The text is the variant and what differs from it, `classic; deal.packs=2; powers.8.does=reverse+skip`. If it cannot be
parsed, the error says exactly what is wrong.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from cogs.screens.formatter import Formatter
from cogs.screens.language import mark
from cogs.screens.names import escaped, fitted
from cogs.screens.rule_words import DOES, QUICK_POWERS, START_RANK, WORDINGS, override, power_words, values_of
from cogs.screens.wording import base_rules
from game.rules import ASKS, PLAIN, POWER_KEYS, POWER_OPTIONS, Power, Rules, is_table, rank_of_key
from game.validity import Clash, Idle, clashes, options_without_effect
from game.variants import variants

PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "powers": tuple(f"powers.{key}" for key in POWER_KEYS),
    "play": tuple(key for key in WORDINGS if key.startswith("play.")),
    "deal": tuple(key for key in WORDINGS if key.startswith(("seats.", "deal."))),
    "start": (*(key for key in WORDINGS if key.startswith("start.")), START_RANK),
    "end": tuple(key for key in WORDINGS if key.startswith("end.")),
}
"""The options by page of the builder; what people change first comes first."""
NONE, ON = "none", "on"
MOST_QUOTED: Final = 40
"""How many columns of what somebody typed an error repeats."""
_EXAMPLES: Final[Mapping[str, Sequence[str]]] = {
    "seats": ("2-4", "3-6"),
    "by_seats": (NONE, "2*6+3*4"),
    "asks": (*ASKS[:-2], "not:A", "rank:7"),
}
"""Values that are no single words, as people write them."""


class NotARuleError(ValueError):
    """No such option, or no such value; `args[0]` is the key, `args[1]` the value."""


def with_set(rules: Rules, key: str, values: Sequence[str]) -> Rules:
    """The rules with one option set to a select's `values`. `NotARuleError` if there is no such option or value."""
    if key.startswith("powers."):
        return _with_power(rules, key, values)
    wanted = values_of(key) if (key in WORDINGS or key == START_RANK) and values else ()
    value = next((each for each in wanted if str(each).lower() == values[0].lower()), None)
    if value is None:
        raise NotARuleError(key, " ".join(values))
    if not key.startswith("seats."):
        return rules.changed_with(override(key, value))
    seats, (fewest, most) = int(value), rules.seats
    bounds = (seats, max(most, seats)) if key == "seats.fewest" else (min(fewest, seats), seats)
    return rules.changed_with({"seats": bounds})


def with_chip(rules: Rules, rank: str, *, on: bool) -> Rules:
    """The rules with a `QUICK_POWERS` card made special, or plain again if it has just that power; else unchanged."""
    if rank not in QUICK_POWERS:
        return rules
    _, power = QUICK_POWERS[rank]
    others = {key: each for key, each in rules.powers.items() if (key, each) != (rank, power)}
    return _with_powers(rules, {**others, rank: power} if on else others)


def replaced_words(t: Formatter, rank: str, before: Rules, after: Rules) -> str:
    """What a special card does now and no longer does; empty if it had no power before, has none now, or kept it."""
    was, now = before.powers.get(rank, PLAIN), after.powers.get(rank, PLAIN)
    if PLAIN in (was, now) or was == now:
        return ""
    made = rank_of_key(rank)
    powers = {"now": power_words(t, made, now), "before": power_words(t, made, was), "cards": t.all_cards(made)}
    return t("{cards} now: {now}. No longer: {before}.", **powers)


def _with_powers(rules: Rules, powers: Mapping[str, Power]) -> Rules:
    # Not `changed_with`, which would merge a new power into the old one, nor a copy, which would not sort the powers.
    return Rules.model_validate(rules.model_dump() | {"powers": powers})


def _with_power(rules: Rules, key: str, values: Sequence[str]) -> Rules:
    _, _, rest = key.partition(".")
    rank, _, part = rest.partition(".")
    if rank not in POWER_KEYS or part not in {*POWER_OPTIONS, "of"}:
        raise NotARuleError(key, " ".join(values))
    old = rules.powers.get(rank, PLAIN)
    try:
        new = _tidied(Power.model_validate(old.model_dump() | _chosen(old, rank, part, values)))
        return _with_powers(rules, {**rules.powers, rank: new})
    except (ValidationError, IndexError, ValueError) as error:
        raise NotARuleError(key, " ".join(values)) from error


def _chosen(power: Power, rank: str, part: str, values: Sequence[str]) -> dict[str, Any]:
    """What a select's values change in a power; `of` is the rank that `asks` names. The last parts are switches."""
    kind, _, named = power.asks.partition(":")
    match part:
        case "asks" if values[0] in {"not", "rank"}:  # of the card's own rank, until another one is chosen
            return {part: f"{values[0]}:{named or rank.replace('joker', '3')}"}
        case "of":
            return {"asks": f"{kind}:{values[0]}"} if named else {}
        case "on" | "asks":
            return {part: values[0]}
        case "bare":
            return {part: None if values[0] == NONE else values[0]}
        case "does":
            return {part: tuple(each for each in DOES if each in values)}
        case "not_on" | "only_on" | "burns_on":
            return {part: tuple(values)}
        case _:
            off = POWER_OPTIONS[part].default
            on = next(each for each in POWER_OPTIONS[part].values if each != off)
            return {part: on if ON in values else off}


def _tidied(power: Power) -> Power:
    """Drop the parts that depend on other parts which are gone."""
    gone = {
        "bare": power.asks != "under",
        "two_left": not {"skip", "skip-beneath"} & set(power.does),
        "burns_on": "burn" not in power.does,
        "answer": "give-pile" not in power.does,
    }
    return power.model_copy(update={part: POWER_OPTIONS[part].default for part, is_gone in gone.items() if is_gone})


def conflicts(t: Formatter, rules: Rules, seats: int = 0) -> list[str]:
    """Why `seats` players (0: the fewest) cannot play these rules, and what would help; empty if they can."""
    sentences = _pack(t, rules, max(seats, rules.seats[0]))
    sentences += [t(_CLASH[each]) for each in clashes(rules) if each is not Clash.PACK_TOO_SMALL]
    idle = options_without_effect(rules)
    return sentences + [t(_IDLE[each], cards=t.all_cards(rank_of_key(key)) if key else "") for each, key in idle]


def _pack(t: Formatter, rules: Rules, seats: int) -> list[str]:
    if rules.can_seat(seats):
        few = t("That leaves {seats} seats, but {count} are taken or kept.", seats=rules.most_seats(), count=seats)
        return [few] if rules.seats[1] < seats else []
    each, cards = sum(rules.sizes_with(seats)), rules.cards_with(seats)
    too_few = mark("{seats} players with {each} cards each need {total} cards, the pack has {cards}")
    need = t(too_few, seats=seats, each=each, total=seats * each, cards=cards)
    larger = [(packs, rules.changed_with({"deal": {"packs": packs}})) for packs in values_of("deal.packs")]
    packs = next((packs for packs, each in larger if each.can_seat(seats)), None)
    if packs is None:
        packs, largest = larger[-1]
        most = largest.cards_with(seats) // seats
        return [t("{need}: with {packs} packs, deal at most {count} cards each.", need=need, packs=packs, count=most)]
    advice = mark("{need}: take {packs} packs, or deal at most {count} cards each.")
    return [t(advice, need=need, packs=packs, count=cards // seats)]


_CLASH: Final = {
    Clash.CHOOSE_AND_THROWN: mark(
        "Once cards are discarded, too few might be left to choose from: deal the face-up cards, or change who starts."
    ),
    Clash.CHOOSE_FROM_NONE: mark("There are no face-up cards to choose: add some, or have them dealt."),
}
"""Why rules cannot be played, and what would help; `_pack` words `PACK_TOO_SMALL`."""
_IDLE: Final = {
    Idle.TRIBUTE_WITHOUT_DEALT_CARDS: mark("Tribute needs dealt face-up cards: have them dealt, or turn tribute off."),
    Idle.TRIBUTE_WITHOUT_SHITHEAD: mark("Tribute needs a loser: let the last with cards lose, or turn tribute off."),
    Idle.MUST_LEAD_WITHOUT_SEARCH: mark(
        "No card decides who starts, so there is none that must be led: change who starts, or let any card be led."
    ),
    Idle.TURN_UP_ON_THROWN: mark(
        "Discarded cards already start the pile: leave out the turn-up, or change who starts."
    ),
    Idle.BURN_WITH_MORE: mark(
        "{cards}: a burn removes the pile, so only a change of direction can go with it: leave out the rest."
    ),
    Idle.SKIP_TWICE: mark("{cards}: skip one player, or one more than the card below does, not both."),
    Idle.AGAIN_AND_PASSING: mark("{cards}: they cannot both give another turn and pass the turn on: leave one out."),
    Idle.BENEATH_WITHOUT_GLASS: mark("{cards}: to look at the card below they must be see-through."),
    Idle.BURNS_ON_WITHOUT_BURN: mark(
        "{cards}: you chose on which cards they burn, but not that they burn: let them burn."
    ),
}
"""What has no effect, and what would help; `{cards}` are the cards of the rank whose power it is about."""


def is_variant_title(t: Formatter, name: str) -> bool:
    """Whether a variant has this name, in English or in the reader's language; case does not matter."""
    titles = [each for variant in variants().values() for each in (variant.id, variant.title, variant.polite) if each]
    return any(name.casefold() in {title.casefold(), t.c("variant", title).casefold()} for title in titles)


class BadRulesError(ValueError):
    """These rules cannot be played, or their text cannot be parsed; `args[0]` is the reason, worded for the host."""


def format_rules(variant: str, rules: Rules) -> str:
    """The variant and what differs from it, as one line of text."""
    return "; ".join([variant, *_flat(rules.differences(base_rules(variant)))])


def _flat(changed: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in changed.items():
        key = f"{above}.{name}" if above else name
        if name == "by_seats":
            yield f"{key}={'+'.join(f'{seats}*{size}' for seats, size in value.items()) or NONE}"
        elif is_table(value):
            yield from _flat(value, key)
        elif name == "seats":
            yield f"{key}={value[0]}-{value[1]}"
        elif isinstance(value, list | tuple):
            yield f"{key}={'+'.join(map(str, value)) or NONE}"  # pyright: ignore[reportUnknownArgumentType] - JSON
        else:
            yield f"{key}={_written(value)}"


def parse_rules(t: Formatter, text: str, seats: int = 0) -> tuple[str, Rules]:
    """Parse the text into the id of a variant and the rules, which `seats` players (0: the fewest) must be able to use.

    Raises `BadRulesError` if the text cannot be parsed, or the rules cannot be played.
    """
    name, *parts = [part.strip() for part in re.split(r"[;\n]", text)]
    variant = variants().get(name.lower())
    if variant is None:
        hint = _hint(t, name, variants()) or t("The text must begin with the variant: {word}.", word="`classic; …`")
        raise BadRulesError(t("**{word}** isn’t a variant. {hint}", word=_quoted(name) or "—", hint=hint))
    rules = variant.rules
    for part in filter(None, parts):
        rules = _with_part(t, rules, part)
    if wrong := conflicts(t, rules, seats):
        raise BadRulesError(t.sentences(*wrong))
    return variant.id, rules


def _with_part(t: Formatter, rules: Rules, part: str) -> Rules:
    key, equals, value = (each.strip(" \t\"'") for each in part.partition("="))  # quotes: as files of rules have them
    if not equals or not value:
        raise BadRulesError(t("**{part}** isn’t a rule. Write: {example}", part=_quoted(part), example="deal.packs=2"))
    of_powers = [f"{power}.{part}" for power in PAGES["powers"] for part in POWER_OPTIONS]
    known = ["seats", START_RANK, *(key for key in WORDINGS if not key.startswith("seats.")), *of_powers]
    if key not in known:
        sentence = t("**{word}** isn’t an option. {hint}", word=_quoted(key), hint=_hint(t, key, known))
        raise BadRulesError(sentence.rstrip())
    try:
        return rules.changed_with(override(key, _read(key, value)))
    except (ValidationError, ValueError) as error:
        raise BadRulesError(_bad_value(t, key, value)) from error


def _read(key: str, value: str) -> object:
    """The value of an option, parsed; raises `ValueError` for what is not even in the form of one."""
    name = key.rpartition(".")[2]
    if name == "seats":
        low, high = re.findall(r"[0-9]{1,3}", value)  # `2-5`, also as a file of rules has it: `[2, 5]`
        return int(low), int(high)
    if name == "by_seats":
        pairs = [] if value == NONE else [each.split("*") for each in value.split("+")]
        return {int(seats): int(size) for seats, size in pairs}
    if name in {"does", "not_on", "only_on", "burns_on"}:
        return () if value == NONE else tuple(value.split("+"))
    known = values_of(key) if key in WORDINGS else (True, False, None)
    return next((each for each in known if _written(each) == value), value)


def _hint(t: Formatter, word: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(word.lower(), known, n=1)
    return t("Did you mean {word}?", word=f"**{near[0]}**") if near else ""


def _bad_value(t: Formatter, key: str, value: str) -> str:
    given, values = _quoted(value), t.choice(_known_values(key))
    if key.rpartition(".")[2] in _EXAMPLES:
        return t("**{value}** isn’t a value of {key}. Write it like {values}.", value=given, key=key, values=values)
    return t("**{value}** isn’t a value of {key}: it can be {values}.", value=given, key=key, values=values)


def _quoted(text: str) -> str:
    """What somebody typed, as an error repeats it: the beginning of it."""
    return escaped(fitted(text, MOST_QUOTED))


def _known_values(key: str) -> Sequence[str]:
    """The values of an option as people write them, or examples if there are too many."""
    part = key.rpartition(".")[2]
    if part in _EXAMPLES:
        return _EXAMPLES[part]
    if not key.startswith("powers."):
        return [_written(each) for each in values_of(key)]
    values = [_written(each) for each in POWER_OPTIONS[part].values]
    is_list = POWER_OPTIONS[part].default == ()
    return [NONE, *values, "+".join(values[:2])] if is_list else values


def _written(value: object) -> str:
    if value is None:
        return NONE
    return str(value).lower() if isinstance(value, bool) else str(value)
