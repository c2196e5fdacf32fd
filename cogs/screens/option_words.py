"""Every option of a table (rules.md section 4) with its title and one sentence for each of its values.

The sentences are the rules as players read them and the choices of the house-rule builder; powers stand in
`rule_words`. An option is an entry in `OPTIONS`; which values it can take is known to `game.rules` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, get_args

from cogs.screens.formatter import Formatter, capital
from game.cards import SEARCH
from game.rules import POWER_KEYS, Rules, rank_of_key

Value: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class Words:
    """An option with a sentence for each value. `always`: it is told also where it is as in the classic game."""

    title: str
    values: Mapping[Value, str]
    always: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """An option that counts something: a sentence for one, one for more; `none` is said for 0."""

    title: str
    one: str
    many: str
    none: str = ""
    always: bool = False


def _switch(title: str, off: str, on: str, *, always: bool = False) -> Words:
    return Words(title, {False: off, True: on}, always)


OPTIONS: Final[Mapping[str, Words | Number]] = {
    "seats.fewest": Number("Fewest players", "{count} player at least.", "{count} players at least."),
    "seats.most": Number("Most players", "{count} player at most.", "{count} players at most."),
    "deal.packs": Number("Packs", "One pack of cards.", "{count} packs of cards."),
    "deal.jokers": Number("Jokers", "One joker in the pack.", "{count} jokers in the pack.", "No jokers in the pack."),
    "deal.jokers_for_six": Number(
        "Jokers for six",
        "One more joker from six players on.",
        "{count} more jokers from six players on.",
        "No more jokers for six players.",
    ),
    "deal.face_down": Number(
        "Face-down cards", "One face-down card each.", "{count} face-down cards each.", always=True
    ),
    "deal.face_up": Number("Face-up cards", "One face-up card each.", "{count} face-up cards each.", always=True),
    "deal.hand": Number("Hand", "One card in hand.", "{count} cards in hand.", always=True),
    "deal.by_seats": Words(
        "Fewer players, more cards",
        {
            "none": "As many cards for any number of players.",
            "more": "Two players get six of everything, three four, four three.",
        },
    ),
    "deal.method": Words(
        "Face-up cards: how",
        {
            "open": "The face-up cards are dealt open.",
            "choose": "Everybody chooses the face-up cards from all they hold, unseen.",
        },
    ),
    "deal.stacking": _switch(
        "Stacking",
        "One card in each face-up slot.",
        "Equal cards may share a face-up slot; the hand is filled up again.",
    ),
    "deal.exchange": Words(
        "Exchange",
        {
            "any": "Before play any hand cards may be exchanged for face-up ones.",
            "one": "Before play one hand card may be exchanged for a face-up one.",
            "none": "No exchange before play.",
        },
        always=True,
    ),
    "start.by": Words(
        "Who starts",
        {
            "face-up-then-call": "The first one dealt {card} face up starts; else whoever calls one first.",
            "call-nearest": "The holder of {card} nearest the dealer’s left starts.",
            "lowest": "The lowest card in hand starts.",
            "left": "The player left of the dealer starts.",
            "thrown": "{cards} are thrown on the pile before play; the player after the last one starts.",
        },
        always=True,
    ),
    "start.must_lead": _switch(
        "First lead", "The first lead may be any card.", "The card that found the starter must be led."
    ),
    "start.turn_up": _switch(
        "Turn-up", "The pile starts empty.", "A plain card from the stock is turned up to start the pile."
    ),
    "play.refill": Words(
        "Drawing",
        {
            "always": "After a play you draw until you hold {hand} again, while the stock lasts.",
            "opening": "Cards are drawn only after the opening lead.",
        },
        always=True,
    ),
    "play.ace": Words("Aces", {"high": "Aces are high, twos low.", "low": "Aces are low, below twos."}),
    "play.stuck": Words(
        "If you cannot play",
        {
            "self": "Who cannot play picks up the pile.",
            "previous": "Who cannot play makes the player before pick up the pile, and leads.",
        },
        always=True,
    ),
    "play.must_play": _switch(
        "Must you play", "You may pick up even when you could play.", "You must play when you can."
    ),
    "play.burn_again": _switch(
        "After a burn", "After a burn the next player leads.", "Who burns the pile plays again.", always=True
    ),
    "play.four_of_a_kind": _switch(
        "Four of a kind", "Four of a kind does nothing.", "Four of a kind on top of the pile burns it.", always=True
    ),
    "play.four_on_anything": _switch(
        "Four on anything",
        "Four of a kind from the hand must beat the pile.",
        "Four of a kind from the hand goes on anything.",
    ),
    "play.runs_through_glass": _switch(
        "Four through glass", "A glass card interrupts four of a kind.", "Glass cards do not interrupt four of a kind."
    ),
    "play.sequences": _switch(
        "Sequences", "Only equal cards are played together.", "Sequences in one suit may be played."
    ),
    "play.chance": Words(
        "Chance card",
        {
            "never": "The stock is never chanced.",
            "stuck": "Who cannot play may chance the top card of the stock.",
            "always": "At any turn the top card of the stock may be chanced.",
        },
    ),
    "play.lead_after_pickup": Words(
        "After a pick-up",
        {"next": "After a pick-up the next player leads.", "previous": "After a pick-up whoever played last leads."},
    ),
    "play.face_up_pickup": Words(
        "Picking up from face-up",
        {
            "add-one": "Picking up from your face-up cards, one of them goes along.",
            "leave": "Picking up from your face-up cards, you leave them all lying.",
        },
        always=True,
    ),
    "play.flush": _switch(
        "Flush", "A burned pile leaves at once.", "The first to burn is flush: later piles burn when flush clears them."
    ),
    "play.interrupt": _switch(
        "Interrupting", "Nobody plays out of turn.", "Anybody may complete four of a kind out of turn."
    ),
    "play.follow_up": _switch(
        "Following up", "Cards just drawn wait for the next turn.", "Equal cards just drawn may be added to your play."
    ),
    "play.combo": _switch(
        "Hand and face-up together",
        "The hand is played before the face-up cards.",
        "With the stock empty, the last of the hand may take equal face-up cards along.",
    ),
    "end.aim": Words(
        "Aim",
        {
            "loser": "The last with cards loses.",
            "winner": "The first without cards wins, and the game stops.",
            "both": "The first without cards wins, the last with cards loses.",
        },
        always=True,
    ),
    "end.next_dealer": Words(
        "Next dealer", {"loser": "The loser deals the next game.", "rotate": "The deal rotates."}, always=True
    ),
    "end.tribute": _switch(
        "Tribute",
        "Nobody pays tribute.",
        "From the second game on the last winner may swap a face-up card with the last loser.",
    ),
}
START_RANK: Final = "start.rank"
"""The one option that names a rank; it matters only where a card is searched for."""
SEARCHING: Final = ("face-up-then-call", "call-nearest", "thrown")
_BY_SEATS: Final = {2: 6, 3: 4, 4: 3}


def value_of(rules: Rules, key: str) -> Value:
    """The value of an option as the entries above name it."""
    if key.startswith("seats."):
        return rules.seats[0 if key.endswith("fewest") else 1]
    if key == "deal.by_seats":
        return "more" if rules.deal.by_seats else "none"
    table, _, name = key.partition(".")
    value: Value = getattr(getattr(rules, table), name)
    return value


def title_of(t: Formatter, key: str) -> str:
    """What an option is called in a list."""
    return t("Search from") if key == START_RANK else t(OPTIONS[key].title)


def values_of(key: str) -> Sequence[Value]:
    """All values an option can take."""
    if key == START_RANK:
        return [POWER_KEYS[rank] for rank in SEARCH]
    found = OPTIONS[key]
    return list(found.values) if isinstance(found, Words) else _range(key)


def _range(key: str) -> range:
    """The numbers that `game.rules` allows."""
    table, _, name = key.partition(".")
    field = Rules.model_fields[table]
    if table == "seats":
        bounds: Sequence[Any] = get_args(get_args(field.annotation)[0])[1].metadata
    else:
        bounds = getattr(field.annotation, "model_fields")[name].metadata  # noqa: B009 - a class that is not known here
    least = next(each.ge for each in bounds if hasattr(each, "ge"))
    return range(least, next(each.le for each in bounds if hasattr(each, "le")) + 1)


def said(t: Formatter, key: str, value: Value, rules: Rules) -> str:
    """The sentence of an option with this value, beside these rules."""
    if key == START_RANK:
        return capital(t("The search for a starter begins with {rank}.", rank=t.rank_name(rank_of_key(str(value)))))
    found = OPTIONS[key]
    if isinstance(found, Number):
        none = t(found.none) if found.none and not value else ""
        return capital(none or t.n(found.one, found.many, int(value), count=t.number(int(value))))
    rank, hand = rank_of_key(rules.start.rank), t.number(rules.deal.hand)
    return capital(t(found.values[value], card=t.one_card(rank), cards=t.all_cards(rank), hand=hand))


def override(key: str, value: Value) -> dict[str, Any]:
    """What `Rules.changed_with` takes to set this option; the two of `seats` are set by `rule_edits`."""
    if key == "deal.by_seats":
        return {"deal": {"by_seats": _BY_SEATS if value == "more" else {}}}
    table, _, name = key.partition(".")
    return {table: {name: value}}


def option_sentence(t: Formatter, key: str, rules: Rules) -> str:
    """What an option says in these rules."""
    if key != "deal.by_seats" or not rules.deal.by_seats:
        return said(t, key, value_of(rules, key), rules)
    each = [
        t("{cards} of everything with {seats}", cards=t.number(size), seats=t.number(seats))
        for seats, size in sorted(rules.deal.by_seats.items())
    ]
    return t("Dealt by the number of players: {sizes}.", sizes=t.listing(each))
