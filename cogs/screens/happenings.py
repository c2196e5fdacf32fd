"""What happened, as short sentences: every public event has one, or none where another says it already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogs.screens.formatter import Formatter
from game import events as ev
from game.cards import Face, face_rank, is_low

NameOf = Callable[[int], str]
LAST: Final = 2
"""How many doings a table tells of."""

_DOINGS: Final = (
    *(ev.Played, ev.Flipped, ev.Chanced, ev.PickedUp, ev.Interrupted, ev.Followed, ev.Cleared, ev.Called),
    *(ev.Swapped, ev.Chosen, ev.Laid, ev.PaidTribute),
)


def sentence(t: Formatter, event: ev.Event, name: NameOf) -> str:
    """What an event says to everybody; empty for those that go without saying."""
    match event:
        case ev.Played():
            return _played(t, name(event.seat), event.faces)
        case ev.PickedUp():
            return t.n(
                "{name} picked up {count} card.", "{name} picked up {count}.", event.count, name=name(event.seat)
            )
        case ev.Burned():
            return t("The pile burned.")
        case ev.Skipped():
            skipped = list(dict.fromkeys(map(name, event.seats)))
            return t.n("{names} was skipped.", "{names} were skipped.", len(skipped), names=t.listing(skipped))
        case ev.Reversed():
            return t("The direction turned.")
        case ev.WentOut():
            return t("{name} went out {place}.", name=name(event.seat), place=t.place(event.place))
        case ev.Started():
            return _started(t, event, name)
        case ev.Dealt() | ev.Drew() | ev.Readied() | ev.Ended() | ev.Added():
            return ""
        case ev.Swapped() | ev.Chosen() | ev.Laid() | ev.Called() | ev.PaidTribute():
            return _prepared(t, event, name)
        case _:
            return _seldom(t, event, name(event.seat))


def _seldom(t: Formatter, event: ev.Flipped | ev.Chanced | ev.Cleared | ev.Interrupted | ev.Followed, name: str) -> str:
    match event:
        case ev.Flipped():
            return t("{name} flipped {card}.", name=name, card=t.card(event.face))
        case ev.Chanced():
            return t("{name} chanced {card}.", name=name, card=t.card(event.face))
        case ev.Cleared():
            return t("{name} cleared the pile.", name=name)
        case ev.Interrupted():
            return t("{name} interrupted with {cards}.", name=name, cards=t.cards(event.cards))
        case ev.Followed():
            return t("{name} added {cards}.", name=name, cards=t.cards(event.cards))


def _prepared(t: Formatter, event: ev.Swapped | ev.Chosen | ev.Laid | ev.Called | ev.PaidTribute, of: NameOf) -> str:
    if isinstance(event, ev.PaidTribute):
        given, taken, name, other = t.card(event.given), t.card(event.taken), of(event.winner), of(event.shithead)
        return t("{name} took {taken} from {other} for {given}.", name=name, taken=taken, other=other, given=given)
    name = of(event.seat)
    match event:
        case ev.Swapped():
            laid, taken = t.card(event.laid), t.card(event.taken)
            return t("{name} laid {laid} for {taken}.", name=name, laid=laid, taken=taken)
        case ev.Chosen():
            return t("{name} chose the face-up cards.", name=name)
        case ev.Laid():
            card = "" if event.card is None else t.card(event.card)
            return t("{name} laid {card}.", name=name, card=card) if card else t("{name} laid a card.", name=name)
        case ev.Called():
            return t("{name} called {card}.", name=name, card=t.one_card(event.rank))


def _started(t: Formatter, event: ev.Started, name: NameOf) -> str:
    if event.rank is None:
        return t("{name} starts.", name=name(event.seat))
    return t("{name} starts: {card} decided.", name=name(event.seat), card=t.one_card(event.rank))


def _played(t: Formatter, name: str, faces: Sequence[Face]) -> str:
    if len({face_rank(face) for face in faces}) > 1:
        return t("{name} played the sequence {cards}.", name=name, cards=t.cards(faces))
    cards = t.some_cards(face_rank(faces[0]), len(faces))
    if is_low(faces[-1]):
        return t("{name} played {cards}, low.", name=name, cards=cards)
    return t("{name} played {cards}.", name=name, cards=cards)


def last_doings(t: Formatter, events: Sequence[ev.Event], name: NameOf, most: int = LAST) -> str:
    """The last doings with what they brought about, oldest first; empty before anything happened."""
    starts = [at for at, event in enumerate(events) if isinstance(event, _DOINGS)]
    first = starts[-most] if len(starts) >= most else 0
    return t.sentences(*sentences(t, events[first:], name))


def sentences(t: Formatter, events: Sequence[ev.Event], name: NameOf) -> list[str]:
    """What events say to everybody, in order; a call and the start that it decides are one sentence."""
    told: list[str] = []
    for before, event in zip((None, *events), events, strict=False):
        if isinstance(before, ev.Called) and event == ev.Started(before.seat, before.rank):
            card = t.one_card(before.rank)
            told[-1] = t("{name} called {card} and starts.", name=name(before.seat), card=card)
        else:
            told.append(sentence(t, event, name))
    return told


def last_burned(events: Sequence[ev.Event]) -> bool:
    """Whether the last doing burned the pile."""
    return any(isinstance(event, ev.Burned) for event in _last(events))


def last_picked_up(events: Sequence[ev.Event]) -> bool:
    """Whether the last doing was, or ended in, a pick-up."""
    return any(isinstance(event, ev.PickedUp) for event in _last(events))


def _last(events: Sequence[ev.Event]) -> Sequence[ev.Event]:
    starts = [
        at for at, event in enumerate(events) if isinstance(event, _DOINGS) and not isinstance(event, ev.PickedUp)
    ]
    starts += [at for at, event in enumerate(events) if isinstance(event, ev.PickedUp)]
    return events[max(starts) :] if starts else ()
