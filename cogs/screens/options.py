"""Every option of a table (rules.md section 4) with its title and one sentence for each of its values.

The sentences are the rules as players read them and the choices of the house-rule builder; powers stand apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cogs.screens.formatter import Formatter
from cogs.screens.language import mark, mark_n
from game.cards import SEARCH
from game.rules import MOST_SEATS, POWER_KEYS, Rules, rank_of_key

Value: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class Words:
    """An option with a sentence for each value."""

    title: str
    values: Mapping[Value, str]


@dataclass(frozen=True, slots=True)
class Number:
    """An option that counts something; `none` is said for 0."""

    title: str
    said: tuple[str, str]
    least: int
    most: int
    none: str = ""


def _switch(title: str, off: str, on: str) -> Words:
    return Words(title, {False: off, True: on})


OPTIONS: Final[Mapping[str, Words | Number]] = {
    "seats.fewest": Number(
        mark("Fewest players"), mark_n("{count} player at least.", "{count} players at least."), 2, MOST_SEATS
    ),
    "seats.most": Number(
        mark("Most players"), mark_n("{count} player at most.", "{count} players at most."), 2, MOST_SEATS
    ),
    "deal.packs": Number(mark("Packs"), mark_n("One pack of cards.", "{count} packs of cards."), 1, 4),
    "deal.jokers": Number(
        mark("Jokers"),
        mark_n("One joker in the pack.", "{count} jokers in the pack."),
        0,
        8,
        mark("No jokers in the pack."),
    ),
    "deal.jokers_for_six": Number(
        mark("Jokers for six"),
        mark_n("One more joker from six players on.", "{count} more jokers from six players on."),
        0,
        8,
        mark("No more jokers for six players."),
    ),
    "deal.face_down": Number(
        mark("Face-down cards"), mark_n("One face-down card each.", "{count} face-down cards each."), 1, 6
    ),
    "deal.face_up": Number(
        mark("Face-up cards"), mark_n("One face-up card each.", "{count} face-up cards each."), 1, 6
    ),
    "deal.hand": Number(mark("Hand"), mark_n("One card in hand.", "{count} cards in hand."), 1, 6),
    "deal.by_seats": Words(
        mark("Fewer players, more cards"),
        {
            "none": mark("As many cards for any number of players."),
            "more": mark("Two players get six of everything, three four, four three."),
        },
    ),
    "deal.method": Words(
        mark("Face-up cards: how"),
        {
            "open": mark("The face-up cards are dealt open."),
            "choose": mark("Everybody chooses the face-up cards from all they hold, unseen."),
        },
    ),
    "deal.stacking": _switch(
        mark("Stacking"),
        mark("One card in each face-up slot."),
        mark("Equal cards may share a face-up slot; the hand is filled up again."),
    ),
    "deal.exchange": Words(
        mark("Exchange"),
        {
            "any": mark("Before play any hand cards may be exchanged for face-up ones."),
            "one": mark("Before play one hand card may be exchanged for a face-up one."),
            "none": mark("No exchange before play."),
        },
    ),
    "start.by": Words(
        mark("Who starts"),
        {
            "face-up-then-call": mark("The first one dealt {card} face up starts; else whoever calls one first."),
            "call-nearest": mark("The holder of {card} nearest the dealer’s left starts."),
            "lowest": mark("The lowest card in hand starts."),
            "left": mark("The player left of the dealer starts."),
            "thrown": mark("{cards} are thrown on the pile before play; the player after the last one starts."),
        },
    ),
    "start.must_lead": _switch(
        mark("First lead"),
        mark("The first lead may be any card."),
        mark("The card that found the starter must be led."),
    ),
    "start.turn_up": _switch(
        mark("Turn-up"),
        mark("The pile starts empty."),
        mark("A plain card from the stock is turned up to start the pile."),
    ),
    "play.refill": Words(
        mark("Drawing"),
        {
            "always": mark("After a play you draw until you hold {hand} again, while the stock lasts."),
            "opening": mark("Cards are drawn only after the opening lead."),
        },
    ),
    "play.ace": Words(
        mark("Aces"), {"high": mark("Aces are high, twos low."), "low": mark("Aces are low, below twos.")}
    ),
    "play.stuck": Words(
        mark("If you cannot play"),
        {
            "self": mark("Who cannot play picks up the pile."),
            "previous": mark("Who cannot play makes the player before pick up the pile, and leads."),
        },
    ),
    "play.must_play": _switch(
        mark("Must you play"), mark("You may pick up even when you could play."), mark("You must play when you can.")
    ),
    "play.burn_again": _switch(
        mark("After a burn"), mark("After a burn the next player leads."), mark("Who burns the pile plays again.")
    ),
    "play.four_of_a_kind": _switch(
        mark("Four of a kind"),
        mark("Four of a kind does nothing."),
        mark("Four of a kind on top of the pile burns it."),
    ),
    "play.four_on_anything": _switch(
        mark("Four on anything"),
        mark("Four of a kind from the hand must beat the pile."),
        mark("Four of a kind from the hand goes on anything."),
    ),
    "play.runs_through_glass": _switch(
        mark("Four through glass"),
        mark("A glass card interrupts four of a kind."),
        mark("Glass cards do not interrupt four of a kind."),
    ),
    "play.sequences": _switch(
        mark("Sequences"), mark("Only equal cards are played together."), mark("Sequences in one suit may be played.")
    ),
    "play.chance": Words(
        mark("Chance card"),
        {
            "never": mark("The stock is never chanced."),
            "stuck": mark("Who cannot play may chance the top card of the stock."),
            "always": mark("At any turn the top card of the stock may be chanced."),
        },
    ),
    "play.lead_after_pickup": Words(
        mark("After a pick-up"),
        {
            "next": mark("After a pick-up the next player leads."),
            "previous": mark("After a pick-up whoever played last leads."),
        },
    ),
    "play.face_up_pickup": Words(
        mark("Picking up from face-up"),
        {
            "add-one": mark("Picking up from your face-up cards, one of them goes along."),
            "leave": mark("Picking up from your face-up cards, you leave them all lying."),
        },
    ),
    "play.flush": _switch(
        mark("Flush"),
        mark("A burned pile leaves at once."),
        mark("The first to burn is flush: later piles burn when flush clears them."),
    ),
    "play.interrupt": _switch(
        mark("Interrupting"),
        mark("Nobody plays out of turn."),
        mark("Anybody may complete four of a kind out of turn."),
    ),
    "play.follow_up": _switch(
        mark("Following up"),
        mark("Cards just drawn wait for the next turn."),
        mark("Equal cards just drawn may be added to your play."),
    ),
    "play.combo": _switch(
        mark("Hand and face-up together"),
        mark("The hand is played before the face-up cards."),
        mark("With the stock empty, the last of the hand may take equal face-up cards along."),
    ),
    "end.aim": Words(
        mark("Aim"),
        {
            "loser": mark("The last with cards loses."),
            "winner": mark("The first without cards wins, and the game stops."),
            "both": mark("The first without cards wins, the last with cards loses."),
        },
    ),
    "end.next_dealer": Words(
        mark("Next dealer"), {"loser": mark("The loser deals the next game."), "rotate": mark("The deal rotates.")}
    ),
    "end.tribute": _switch(
        mark("Tribute"),
        mark("Nobody pays tribute."),
        mark("From the second game on the last winner may swap a face-up card with the last loser."),
    ),
}
START_RANK: Final = "start.rank"


def value_of(rules: Rules, key: str) -> Value:
    """The value of an option as the tables above name it."""
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


def values_of(key: str) -> list[Value]:
    """All values an option can take."""
    if key == START_RANK:
        return [POWER_KEYS[rank] for rank in SEARCH]
    found = OPTIONS[key]
    return list(found.values) if isinstance(found, Words) else list(range(found.least, found.most + 1))


def said(t: Formatter, key: str, value: Value, rules: Rules) -> str:
    """The sentence of an option with this value, beside these rules."""
    sentence = _said(t, key, value, rules)
    return sentence[:1].upper() + sentence[1:]


def _said(t: Formatter, key: str, value: Value, rules: Rules) -> str:
    if key == START_RANK:
        return t("The search for a starter begins with {rank}.", rank=t.rank_name(rank_of_key(str(value))))
    found = OPTIONS[key]
    if isinstance(found, Number):
        return t.n(*found.said, int(value), count=t.number(int(value))) if value or not found.none else t(found.none)
    rank = rank_of_key(rules.start.rank)
    return t(found.values[value], card=t.one_card(rank), cards=t.all_cards(rank), hand=t.number(rules.deal.hand))


def override(key: str, value: Value) -> dict[str, Any]:
    """What `Rules.changed_with` takes to set this option; the two of `seats` are set by `house`."""
    if key == "deal.by_seats":
        return {"deal": {"by_seats": {2: 6, 3: 4, 4: 3} if value == "more" else {}}}
    table, _, name = key.partition(".")
    return {table: {name: value}}


def option_sentence(t: Formatter, key: str, rules: Rules) -> str:
    """What an option says in these rules."""
    if key == "deal.by_seats" and rules.deal.by_seats:
        return _sizes(t, rules)
    return said(t, key, value_of(rules, key), rules)


def _sizes(t: Formatter, rules: Rules) -> str:
    each = [
        t("{cards} of everything with {seats}", cards=t.number(size), seats=t.number(seats))
        for seats, size in sorted(rules.deal.by_seats.items())
    ]
    return t("Dealt by the number of players: {sizes}.", sizes=t.listing(each))
