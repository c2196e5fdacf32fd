"""Rules in words: a sentence for each value of every option, the powers of a rank, and how two sets of rules differ.

The words of the options are in `options.toml`. Players read them as the rules of a table and as the choices of the
house-rule builder. Which values an option can take is defined by `game.rules` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cogs.screens.formatter import FULL_STOPS, Formatter, capital, texts_of
from cogs.screens.language import mark
from cogs.screens.names import columns
from game.cards import JOKER, RANKS, SEARCH, Rank, parse_rank
from game.rules import OPTIONS, PLAIN, POWER_KEYS, Does, On, Power, Rules, rank_of_key

HIGH_FROM: Final = RANKS.index("3")
RANKED: Final = frozenset({"at-least", "at-most", "below", "same", "named"})
"""Values of `asks` that refer to the card's own rank. A joker has none, so with them it asks nothing (R28)."""
DOES: Final[Mapping[Does, str]] = {
    "burn": mark("burn the pile"),
    "reverse": mark("reverse direction once each"),
    "skip": mark("skip one player each"),
    "again": mark("play again"),
    "give-pile": mark("give the pile to the next player (who misses a turn)"),
    "skip-beneath": mark("skip one player more than the card below does"),
}
QUICK_POWERS: Final = {
    "7": (mark("After 7: 7 or lower"), Power(asks="at-most")),
    "8": (mark("8 skips"), Power(does=("skip",))),
    "3": (mark("3 see-through"), Power(on="anything", asks="under")),
    "J": (mark("Jack reverses"), Power(does=("reverse",))),
}
"""What people change most: cards that one press makes special, and another press plain again."""
Value: TypeAlias = str | int | bool
_LONG_RUN: Final = 3
_LONG: Final = 40
"""Columns from which an option is named by its title where room is short."""


@dataclass(frozen=True, slots=True)
class Words:
    """An option in words: a sentence for each value; for a number, sentences for `one`, `many` and `none` (0)."""

    title: str
    always_told: bool
    values: Mapping[str, str]


def _read() -> Iterator[tuple[str, Words]]:
    for table, options in texts_of("options.toml").items():
        for name, texts in options.items():
            yield f"{table}.{name}", Words(texts.pop("title"), texts.pop("always_told", False), texts)


WORDINGS: Final[Mapping[str, Words]] = dict(_read())
START_RANK: Final = "start.rank"
"""The only option with a rank as its value; it matters only if a search or discarded cards decide who starts."""
_CHOSEN_FIRST: Final = mark(
    "Of those who have chosen {card} face up, the one nearest the dealer’s left starts. "
    "If nobody has, whoever first presses Call with one in hand starts."
)
_OFF: Final = frozenset({False, "none", "never", "open"})  # and 0, which equals False
_BY_SEATS: Final = {2: 6, 3: 4, 4: 3}


def value_of(rules: Rules, key: str) -> Value:
    """The value of an option, as `options.toml` names it."""
    if key.startswith("seats."):
        return rules.seats[0 if key.endswith("fewest") else 1]
    if key == "deal.by_seats":
        return "more" if rules.deal.by_seats else "none"
    table, _, name = key.partition(".")
    value: Value = getattr(getattr(rules, table), name)
    return value


def title_of(t: Formatter, key: str) -> str:
    """The title of an option in a list."""
    return t("First rank to look for") if key == START_RANK else t(WORDINGS[key].title)


def values_of(key: str) -> Sequence[Value]:
    """All values an option can take."""
    if key == START_RANK:
        return [POWER_KEYS[rank] for rank in SEARCH]
    if key == "deal.by_seats":
        return ("none", "more")
    return OPTIONS["seats" if key.startswith("seats.") else key].values


def value_words(t: Formatter, key: str, value: Value, rules: Rules) -> str:
    """The sentence of an option with this value; the other options of `rules` fill its braces."""
    if key == START_RANK:
        return capital(t("First rank that decides who starts: {rank}.", rank=t.rank_name(rank_of_key(str(value)))))
    words = WORDINGS[key].values
    if "many" in words:
        count = int(value)
        if count == 0 and "none" in words:
            return capital(t(words["none"]))
        return capital(t.n(words["one"], words["many"], count, count=t.number(count)))
    rank, hand = rank_of_key(rules.start.rank), t.number(rules.deal.hand)
    if value == "face-up-then-call" and rules.deal.method == "choose":
        return t(_CHOSEN_FIRST, card=t.one_card(rank))
    name = str(value)
    if isinstance(value, bool):
        name = "on" if value else "off"
    return capital(t(words[name], card=t.one_card(rank), cards=t.all_cards(rank), hand=hand))


def is_off(rules: Rules, key: str) -> bool:
    """Whether an option is off and need not be mentioned; some options are told even then."""
    return key in WORDINGS and not WORDINGS[key].always_told and value_of(rules, key) in _OFF


def override(key: str, value: object) -> dict[str, Any]:
    """The argument for `Rules.changed_with` that sets this option or part of a power; `seats` only as a pair."""
    if key == "deal.by_seats" and value in values_of(key):
        value = _BY_SEATS if value == "more" else {}
    first, _, rest = key.partition(".")
    return {first: override(rest, value) if rest else value}


def option_sentence(t: Formatter, key: str, rules: Rules) -> str:
    """The sentence of an option in these rules."""
    if key == "play.refill" and rules.deal.by_seats and rules.play.refill == "always":
        return t("After a play you draw until you hold as many cards as at the start, while the stock lasts.")
    if key != "deal.by_seats" or not rules.deal.by_seats:
        return value_words(t, key, value_of(rules, key), rules)
    each = [
        t("{cards} in each place with {seats} players", cards=t.number(size), seats=t.number(seats))
        for seats, size in sorted(rules.deal.by_seats.items())
    ]
    return t("Dealt by the number of players: {sizes}.", sizes=t.listing(each))


# -- powers (rules.md section 3)

_ON: Final[Mapping[On, str]] = {
    "rank": mark("must fit the pile"),
    "higher": mark("also go on any higher card"),
    "anything": mark("go on anything"),
}
"""What a card may be played on."""
_ASKS: Final = {
    "at-most": mark("next card {rank} or lower"),
    "below": mark("next card lower than {rank}"),
    "same": mark("next card {rank} only"),
    "not": mark("next card anything but {rank}"),
    "under": mark("are see-through (the card below counts)"),
    "named": mark("you say high or low for the next card"),
}
"""What a card asks of the next play, except a rank or higher, and anything."""


def power_sentence(t: Formatter, rank: Rank, power: Power) -> str:
    """The power of a rank as a sentence, `Tens: go on anything, burn the pile.`, with its full stop."""
    return t("{cards}: {parts}.", cards=t.all_cards(rank), parts=power_words(t, rank, power))


def power_words(t: Formatter, rank: Rank, power: Power) -> str:
    """The power of a rank that is named beside it: `go on anything, burn the pile`."""
    wild = [t("stand for any rank you name (played blind, for an ace)")] if power.wild else []
    parts = [*_where(t, rank, power), *wild, *_asked(t, rank, power), *_done(t, power), *_further(t, power)]
    return t.enumerated(parts) if parts else t("no power")


def _asked(t: Formatter, rank: Rank, power: Power) -> list[str]:
    # A wild joker asks what its rank asks (R38), a card that leaves the game what the card below asks (R46). The pile
    # asks nothing if it goes as well. A joker without a rank asks nothing even where it says nothing (R28).
    is_gone = "give-pile" in power.does or ("burn" in power.does and not power.burns_on)
    if is_gone or (power.wild and not power.leaves):
        return []
    asks = "under" if power.leaves else power.asks
    return [] if asks == "at-least" and rank != JOKER else [asks_words(t, rank, asks)]


def _where(t: Formatter, rank: Rank, power: Power) -> list[str]:
    # "Must fit the pile" is said only of ranks that go on anything in the classic game.
    is_usual = power.on == "rank" and (power == PLAIN or Rules().power(rank).on == "rank")
    parts = [] if is_usual else [t(_ON[power.on])]
    if power.not_on and power.on == "anything":
        parts = [t("go on anything but {cards}", cards=_choice(t, power.not_on))]
    elif power.not_on:
        parts.append(t("not on {cards}", cards=_choice(t, power.not_on)))
    if power.only_on:
        parts.append(t("only on {cards}, or led", cards=_choice(t, power.only_on)))
    return parts


def _choice(t: Formatter, keys: Sequence[str]) -> str:
    """`a 7 or an ace`; `7–K` for more than `_LONG_RUN` in a row, except in text mode."""
    ranks = sorted(map(rank_of_key, keys))
    if not t.text and len(ranks) > _LONG_RUN and ranks[-1] - ranks[0] == len(ranks) - 1:
        return f"{t.letter(ranks[0])}–{t.letter(ranks[-1])}"
    return t.choice([t.one_card(rank) for rank in ranks])


def _done(t: Formatter, power: Power) -> list[str]:
    if not power.burns_on:
        return [t(DOES[each]) for each in power.does]
    burn = t("burn the pile only on {cards}", cards=_choice(t, power.burns_on))
    return [burn, *(t(DOES[each]) for each in power.does if each != "burn")]


def asks_words(t: Formatter, rank: Rank, asks: str) -> str:
    """What a card asks of the next play."""
    if rank == JOKER and asks in RANKED:
        asks = "anything"
    kind, _, named = asks.partition(":")
    name = t.rank_name(parse_rank(named) if named else rank)
    if kind in _ASKS:
        return t(_ASKS[kind], rank=name)
    is_high = kind == "at-least" or (kind == "rank" and parse_rank(named) >= HIGH_FROM)
    return t("next card {rank} or higher", rank=name) if is_high else t("anything goes next")


def _further(t: Formatter, power: Power) -> list[str]:
    # Each is named only where it has an effect (docs/rules.md, section 3).
    is_glass = power.asks == "under" and not (power.wild or power.leaves)
    bare = t.rank_name(rank_of_key(power.bare)) if power.bare and is_glass else ""
    skips, gives = not {"skip", "skip-beneath"}.isdisjoint(power.does), "give-pile" in power.does or power.bare_gives
    parts = [
        t("when led they go to the next player, who misses a turn") if power.bare_gives else "",
        t("with nothing below they need {rank} or higher", rank=bare) if bare else "",
        t("with two players left anything goes next") if power.two_left and skips else "",
        t("are out of the game once played") if power.leaves else "",
        t("can be passed on with a red jack") if power.answer and gives else "",
    ]
    return [part for part in parts if part]


def changed_options(rules: Rules, base: Rules) -> list[str]:
    """The keys of all options that differ, in the order of `options.toml`, then of all powers, as `powers.7`."""
    keys = [key for key in WORDINGS if value_of(rules, key) != value_of(base, key)]
    if rules.deal.by_seats != base.deal.by_seats and "deal.by_seats" not in keys:
        keys.append("deal.by_seats")
    if rules.start.rank != base.start.rank and rules.start.is_by_rank:
        keys.append(START_RANK)
    powers = [key for key in POWER_KEYS if rules.powers.get(key, PLAIN) != base.powers.get(key, PLAIN)]
    return keys + [f"powers.{key}" for key in powers]


def differences(t: Formatter, rules: Rules, base: Rules) -> list[str]:
    """A sentence for each thing that differs from `base`."""
    return [sentence_of(t, key, rules) for key in changed_options(rules, base)]


def sentence_of(t: Formatter, key: str, rules: Rules, *, named: bool = True, short: bool = False) -> str:
    """The sentence of an option or a power in these rules; that of a power begins with its cards only if `named`.

    The `short` form is what people call it, `8 skips`; or the sentence without its full stop; or, for an option that is
    on and has a long sentence, its title.
    """
    table, _, name = key.partition(".")
    if short:
        label, quick = QUICK_POWERS.get(name, ("", None))
        if label and rules.powers.get(name) == quick:
            return t(label)
        sentence = sentence_of(t, key, rules).rstrip(FULL_STOPS)
        is_on = table != "powers" and value_of(rules, key) is True
        return title_of(t, key) if is_on and columns(sentence) > _LONG else sentence
    if table == "powers":
        rank, power = rank_of_key(name), rules.powers.get(name, PLAIN)
        return power_sentence(t, rank, power) if named else capital(power_words(t, rank, power))
    return option_sentence(t, key, rules)
