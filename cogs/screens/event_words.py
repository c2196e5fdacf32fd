"""Events in sentences: for everybody, and for the player they happen to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias

import game.events as ev
from cogs.screens.formatter import Formatter, hand_order
from cogs.screens.language import mark, mark_n, marks
from cogs.screens.wording import NameOf, at_table, cards_played, cards_within, seat_name
from game.cards import SEARCH, face_rank, is_low
from tables.snapshots import HandSnapshot

PlayedFor: TypeAlias = Sequence[tuple[ev.Event, int | None]]
_EVERYBODY, _PLAYER, _PLAYED_FOR = range(3)  # to whom a play is told, as an index of `_SET`
ACTIONS_SHOWN: Final = 2
"""How many actions the public table shows."""
MOST_SINCE: Final = 8
"""How many of the actions since the reader's last move a hand shows at most."""
_PLAYS: Final = (ev.Played, ev.Flipped, ev.Chanced, ev.Interrupted, ev.Followed, ev.Cleared)
_CHANCES: Final = (ev.Flipped, ev.Chanced)
_ACTIONS: Final = frozenset({*_PLAYS, ev.PickedUp, ev.Called, ev.Swapped, ev.Chosen, ev.Laid, ev.PaidTribute})


def sentence(t: Formatter, event: ev.Event, name: NameOf) -> str:
    """The sentence of an event for everybody; empty if it goes without saying."""
    match event:
        case ev.Played():
            return _played(t, event, _EVERYBODY, name(event.seat))
        case ev.PickedUp(seat=seat, by=by):
            forms, actor = (_TOOK, seat) if by is None else (_MADE_OTHER, by)
            return t.n(*forms, event.count, name=name(actor), other=name(seat))
        case ev.Burned():
            return t("Four of a kind: the pile burned.") if event.four else t("The pile burned.")
        case ev.Skipped():
            skipped = list(dict.fromkeys(map(name, event.seats)))
            return t.n("{names} was skipped.", "{names} were skipped.", len(skipped), names=t.listing(skipped))
        case ev.Reversed():
            return t("Play reverses.")
        case ev.Dealt() | ev.Drew() | ev.Readied() | ev.Ended() | ev.Added():
            return ""
        case ev.Started():
            return t.sentences(_missing(t, event), _started(t, event, name(event.seat)))
        case ev.Laid(card=None):
            return t("{name} stacked a card.", name=name(event.seat))
        case ev.PaidTribute(winner=winner, shithead=loser):
            told = mark("{name} took {taken} from {other} for {given}.")
            return t(told, name=name(winner), other=name(loser), **_named(t, event))
        case _:
            return t(_PLAINLY[type(event)], name=name(event.seat), **_named(t, event))


def _missing(t: Formatter, event: ev.Started) -> str:
    if event.missing is None:
        return ""
    first = SEARCH.index(event.missing)
    last = SEARCH.index(event.rank) if event.rank in SEARCH else 0
    ranks = SEARCH[first : max(last, first + 1)]
    return t("Nobody has {card} in hand.", card=t.choice([t.one_card(rank) for rank in ranks]))


def _started(t: Formatter, event: ev.Started, name: str) -> str:
    if event.why == "thrown":
        return t("{name} starts: the player before them discarded the last card onto the pile.", name=name)
    if event.rank is None:
        return t("{name} starts.", name=name)
    if event.why == "called":
        return ""  # the sentence of the call says it
    was_dealt = event.why == "face-up-then-call"
    how = mark("{name} starts: first to be dealt {card} face up.") if was_dealt else _STARTING_CARD
    return t(how, name=name, card=t.one_card(event.rank))


def _played(t: Formatter, event: ev.Played, told: int, name: str = "") -> str:
    """The sentence of a play; `told` is `_EVERYBODY`, `_PLAYER` or `_PLAYED_FOR`."""
    if len({face_rank(face) for face in event.faces}) > 1:
        words = _SEQUENCE
    else:
        words = _LOW if is_low(event.faces[-1]) else _SET
    return t(words[told], name=name, cards=cards_played(t, event.faces))


_SET: Final = marks("{name} played {cards}.", "You played {cards}.", "The computer played {cards} for you.")
"""A play told to everybody, to the player, and to the player for whom the computer made it."""
_LOW: Final = marks(
    "{name} played {cards}, low.", "You played {cards}, low.", "The computer played {cards} for you, low."
)
_SEQUENCE: Final = marks(
    "{name} played the sequence {cards}.",
    "You played the sequence {cards}.",
    "The computer played the sequence {cards} for you.",
)
_STARTING_CARD: Final = mark("{name} starts, with {card}.")
_YOU_START: Final[dict[ev.StartedBy, str]] = {
    "face-up-then-call": mark("You start: you were the first to be dealt {card} face up."),
    "chosen": mark("You start: of those with {card} face up, you sit nearest the dealer’s left."),
    "called": mark("That was the first call, so you start."),
    "call-nearest": mark("You start: of those who hold {card}, you sit nearest the dealer’s left."),
    "most": mark("{cards}: nobody holds more than you, so you start."),
    "lowest": mark("You start: nobody holds a lower card than yours, {card}."),
    "left": mark("You start: you sit left of the dealer."),
    "thrown": mark("You start: the player before you discarded the last card onto the pile."),
}
_PLAINLY: Final[dict[type[ev.Event], str]] = {
    ev.Flipped: mark("{name} flipped {card}."),
    ev.Chanced: mark("{name} tried a card from the stock: {card}."),
    ev.Cleared: mark("{name} cleared the pile."),
    ev.Interrupted: mark("{name} interrupted with {cards}."),
    ev.Followed: mark("{name} added {cards}."),
    ev.Called: mark("{name} starts: first to call {card} from the hand."),
    ev.Chosen: mark("{name} chose their face-up cards."),
    ev.Swapped: mark("{name} put {laid} on the table and took {taken}."),
    ev.Laid: mark("{name} stacked {card}."),
    ev.WentOut: mark("{name} went out {place}."),
}
_ADDED: Final = marks("You added {cards}.", "The computer added {cards} for you.")
_TOLD: Final[dict[type[ev.Event], Sequence[str]]] = {
    ev.Flipped: marks("You flipped {card}.", "The computer flipped {card} for you."),
    ev.Chanced: marks("You tried a card from the stock: {card}.", "The computer tried a stock card for you: {card}."),
    ev.Cleared: marks("You cleared the pile.", "The computer cleared the pile for you."),
    ev.Interrupted: _ADDED,
    ev.Followed: _ADDED,
    ev.Called: marks("You called {card}.", "The computer called {card} for you."),
    ev.Chosen: marks("You chose your face-up cards.", "The computer chose your face-up cards."),
    ev.Swapped: [mark("You put {laid} on the table and took {taken}.")] * 2,
    ev.Skipped: [mark("You were skipped.")] * 2,
    ev.WentOut: [mark("You are safe: you went out {place}.")] * 2,
}
"""Sentences for the player an event is about: for their own moves, and for those the computer made for them."""
_TOOK: Final = mark_n("{name} picked up {count} card.", "{name} picked up {count} cards.")
_YOU_TOOK: Final = mark_n("You picked up {count} card.", "You picked up {count} cards.")
_TAKEN: Final = mark_n("The computer picked up {count} card for you.", "The computer picked up {count} cards for you.")
_MADE_OTHER: Final = mark_n("{name} made {other} pick up {count} card.", "{name} made {other} pick up {count} cards.")
_YOU_MADE: Final = mark_n("You made {name} pick up {count} card.", "You made {name} pick up {count} cards.")
_MADE_YOU: Final = mark_n("{name} made you pick up {count} card.", "{name} made you pick up {count} cards.")


def last_actions(
    t: Formatter, events: Sequence[ev.Event], name: NameOf, played_for: PlayedFor = (), most: int = ACTIONS_SHOWN
) -> list[str]:
    """The last `most` actions, each with its consequences, oldest first."""
    bounds = [0, *sorted(_starts(events))[1:], len(events)]  # what precedes the first action is told with it

    def told(event: ev.Event) -> str:
        return t.sentences(_request(t, played_for, name, None, event), sentence(t, event, name))

    return [t.sentences(*map(told, events[begin:end])) for begin, end in list(pairwise(bounds))[-most:]]


def since_your_turn(t: Formatter, hand: HandSnapshot) -> str:
    """What happened since the reader's last move, told to them; that move itself if nothing has happened since.

    A move whose outcome was chance, such as a flip, is told as well, because they did not know it when they pressed.
    """
    t = at_table(t, hand.view.table.rules)
    you, recent, played_for = hand.view.seat, hand.snapshot.recent, hand.snapshot.played_for
    name = partial(seat_name, t, hand.snapshot.table)
    drew = t("You drew {cards}.", cards=cards_within(t, *sorted(hand.drew.cards, key=hand_order))) if hand.drew else ""
    told = recent[_first_told(recent, played_for, you) :]
    lines = [
        t.sentences(_request(t, played_for, name, you, each), _told_to_reader(t, hand, name, drew, told, each))
        for each in told
    ]
    starts = sorted(_starts(told))
    shown = starts[-MOST_SINCE] if len(starts) > MOST_SINCE else 0
    more = f"**{t('Replay')}**" if hand.view.table.phase == "over" else t.buttons()["more"]
    earlier = t("What happened earlier is under {more}.", more=more) if any(lines[:shown]) else ""
    return t.sentences(earlier, "" if drew in lines[shown:] else drew, *lines[shown:])


def _told_to_reader(
    t: Formatter, hand: HandSnapshot, name: NameOf, drew: str, told: Sequence[ev.Event], event: ev.Event
) -> str:
    """The sentence of one of the `told` events; empty if something else tells it."""
    you, seat = hand.view.seat, actor(event)

    def is_last() -> bool:
        """Whether none of the events after it is of the same kind and by the same seat."""
        return event is next(each for each in reversed(told) if type(each) is type(event) and actor(each) == seat)

    match event:
        case ev.Drew() if seat == you:
            return drew if is_last() else ""
        case ev.Swapped() | ev.WentOut() | ev.Started(why="face-up-then-call") if seat == you:
            return ""  # their hand shows the first two, the table the usual start
        case ev.Swapped() | ev.Laid() | ev.Chosen() if seat != you and hand.view.table.phase != "exchange":
            return ""  # the table shows what came of them
        case ev.Swapped() if up := [card for slot in hand.view.table.seats[event.seat].up or () for card in slot]:
            now = t("{name} swapped and now has {cards} face up.", name=name(event.seat), cards=t.cards(up))
            return now if is_last() and not _are_undone(told, event.seat) else ""
        case _:
            return _yours(t, event, name, you, for_you=_is_in(event, hand.snapshot.played_for))


def _are_undone(events: Sequence[ev.Event], seat: int) -> bool:
    """Whether the swaps of a seat leave its cards as they were."""
    swaps = [each for each in events if isinstance(each, ev.Swapped) and each.seat == seat]
    return sorted(each.laid for each in swaps) == sorted(each.taken for each in swaps)


def played_for_reader(hand: HandSnapshot) -> ev.Event | None:
    """The reader's last move, if the computer made it by itself, because they were late or had left."""
    for event in reversed(hand.snapshot.recent):
        if actor(event) == hand.view.seat and isinstance(event, (*_ACTIONS, ev.Readied)):
            asked = {None, hand.view.seat}
            return event if any(each is event and by in asked for each, by in hand.snapshot.played_for) else None
    return None


def _request(t: Formatter, played_for: PlayedFor, name: NameOf, you: int | None, event: ev.Event) -> str:
    """Who had the computer make the move that begins with this event; in hands empty if nobody did."""
    by = next((by for each, by in played_for if each is event), None)
    seat = actor(event)
    if by is None or seat is None:
        return ""
    if by == seat:
        return "" if you is not None else t("The computer played for {name}.", name=name(seat))
    if seat == you:
        return t("{name} had the computer play for you.", name=name(by))
    if by == you:
        return t("You had the computer play for {name}.", name=name(seat))
    return t("{name} had the computer play for {other}.", name=name(by), other=name(seat))


def _first_told(events: Sequence[ev.Event], played_for: PlayedFor, you: int) -> int:
    """The index of the first event to tell: after the reader's last own action, or that action if it is the last."""
    starts, after = _starts(events), 0
    for start in starts:
        action = events[start]
        if actor(action) == you and not _is_in(action, played_for):
            before = next(starts, None)
            # A flip that did not fit is two actions: the flip, and right after it the pick-up.
            if before is not None and _is_miss(events[before], action) and not _is_in(events[before], played_for):
                return before
            # Readers are told what followed, and their own action only if it was chance or nothing followed.
            return start if isinstance(action, _CHANCES) else after or start
        after = start
    return after


def _starts(events: Sequence[ev.Event]) -> Iterator[int]:
    """Where each action begins, from the last; a pick-up after a card that did not fit belongs to that card's."""
    for nth in reversed(range(len(events))):
        if type(events[nth]) in _ACTIONS and not (nth and _is_miss(events[nth - 1], events[nth])):
            yield nth


def _is_miss(before: ev.Event, event: ev.Event) -> bool:
    """Whether the event is the pick-up after a flipped or tried card that did not fit."""
    return isinstance(event, ev.PickedUp) and isinstance(before, _CHANCES) and actor(before) == actor(event)


def actor(event: ev.Event) -> int | None:
    """The seat that acted: `by`, if the event has one, because its `seat` is then the one it happened to."""
    by: int | None = getattr(event, "by", None)
    return getattr(event, "seat", None) if by is None else by


def _is_about(event: ev.Event, seat: int) -> bool:
    if isinstance(event, ev.PaidTribute):
        return seat in {event.winner, event.shithead}
    return seat in {actor(event), getattr(event, "seat", None)} or set(getattr(event, "seats", ())) == {seat}


def _is_in(event: ev.Event, some: PlayedFor) -> bool:
    # Compared by identity, because two events can be equal.
    return any(each is event for each, _ in some)


def _yours(t: Formatter, event: ev.Event, name: NameOf, you: int, *, for_you: bool = False) -> str:
    """The sentence of an event for one player: their own if it is about them, else the one for everybody."""
    if not _is_about(event, you):
        return sentence(t, event, name)
    match event:
        case ev.Played():
            return _played(t, event, _PLAYED_FOR if for_you else _PLAYER)
        case ev.PickedUp(by=None):
            return t.n(*(_TAKEN if for_you else _YOU_TOOK), event.count)
        case ev.PickedUp(by=by) if by is not None and event.seat == you:
            return t.n(*_MADE_YOU, event.count, name=name(by))
        case ev.PickedUp() if not for_you:
            return t.n(*_YOU_MADE, event.count, name=name(event.seat))
        case ev.WentOut(place=1):
            return t("You won: you were first out.")
        case ev.PaidTribute(winner=winner, shithead=loser) if winner == you:
            return t("You took {taken} from {name} for {given}.", name=name(loser), **_named(t, event))
        case ev.PaidTribute(winner=winner):
            return t("{name} took {taken} from you for {given}.", name=name(winner), **_named(t, event))
        case ev.Started():
            return t.sentences(_missing(t, event), t(_YOU_START[event.why], **_named(t, event)))
        case _:
            own = _TOLD.get(type(event))
            return t(own[1 if for_you else 0], **_named(t, event)) if own else sentence(t, event, name)


def _named(t: Formatter, event: ev.Event) -> dict[str, str]:
    """The values for the braces in the sentence of an event."""
    match event:
        case ev.Interrupted() | ev.Followed():
            return {"cards": cards_within(t, *event.cards)}
        case ev.Flipped(face=card) | ev.Laid(card=int(card)):
            return {"card": cards_within(t, card)}
        case ev.Chanced():
            return {"card": t.card(event.face)}
        case ev.Called() | ev.Started() if event.rank is not None:
            return {"card": t.one_card(event.rank), "cards": t.all_cards(event.rank)}
        case ev.WentOut():
            return {"place": t.place(event.place)}
        case ev.Swapped():
            return {"laid": cards_within(t, event.laid), "taken": cards_within(t, event.taken)}
        case ev.PaidTribute():
            return {"given": cards_within(t, event.given), "taken": cards_within(t, event.taken)}
        case _:
            return {}


def retold(t: Formatter, events: Sequence[ev.Event], name: NameOf, you: int = -1) -> str:
    """Events in one text, told to the player of the seat `you`, by default to everybody."""
    return t.sentences(*(_yours(t, event, name, you) for event in events))


def last_names(events: Sequence[ev.Event]) -> set[str]:
    """The event names of the last action and of its consequences."""
    return {event.name for event in events[next(_starts(events), len(events)) :]}


def plays_again(hand: HandSnapshot) -> bool:
    """Whether the reader, who is on turn, also made the last play."""
    recent = hand.snapshot.recent
    last = next((recent[start] for start in _starts(recent)), None)
    return isinstance(last, _PLAYS) and actor(last) == hand.view.seat
