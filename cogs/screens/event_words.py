"""Events in sentences: for everybody, and for the player they happen to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final, TypeAlias

import game.events as ev
from cogs.screens.formatter import Formatter, hand_order, texts_of
from cogs.screens.wording import NameOf, at_table, cards_played, cards_within, seat_name
from game.cards import SEARCH, face_rank, is_low
from tables.snapshots import HandSnapshot

PlayedFor: TypeAlias = Sequence[tuple[ev.Event, int | None]]
ACTIONS_SHOWN: Final = 2
"""How many actions the public table shows."""
MOST_SINCE: Final = 8
"""How many of the actions since the reader's last move a hand shows at most."""
_PLAYS: Final = (ev.Played, ev.Flipped, ev.Chanced, ev.Interrupted, ev.Followed, ev.Cleared)
_CHANCES: Final = (ev.Flipped, ev.Chanced)
_ACTIONS: Final = frozenset({*_PLAYS, ev.Added, ev.PickedUp, ev.Called, ev.Swapped, ev.Chosen, ev.Laid, ev.PaidTribute})
TOLD: Final[Mapping[str, Mapping[str, str | list[str]]]] = texts_of("events.toml")
"""By kind of event and by reader: the sentence, or two for one and for more. The texts are in `events.toml`."""


def sentence(t: Formatter, event: ev.Event, name: NameOf, you: int = -1, *, for_you: bool = False) -> str:
    """The sentence of an event for the player `you` if it is about them, else for everybody; may be empty.

    `for_you` says that the computer made the move for whoever it is about.
    """
    texts = TOLD[_entry_of(event)]
    if isinstance(event, ev.Skipped) and you in event.seats and {*event.seats} != {you}:
        others = tuple(seat for seat in event.seats if seat != you)
        return t.sentences(sentence(t, ev.Skipped(others), name), sentence(t, ev.Skipped((you,)), name, you))
    missing = _missing(t, event) if isinstance(event, ev.Started) else ""
    told = next((each for each in _readers(event, you, for_you=for_you) if each in texts), None)
    if told is None:
        return missing
    text, values = texts[told], _names(t, event, name, told) | _values(t, event)
    said = t(text, **values) if isinstance(text, str) else t.n(text[0], text[1], values["count"], **values)
    return t.sentences(missing, said) if missing else said


def _entry_of(event: ev.Event) -> str:
    """The entry in `events.toml` with the sentences of an event."""
    match event:
        case ev.Played() if len({face_rank(face) for face in event.faces}) > 1:
            return "played-sequence"
        case ev.Played() if is_low(event.faces[-1]):
            return "played-low"
        case ev.PickedUp(by=int()):
            return "made-to-pick-up"
        case ev.Burned(four=True):
            return "four-burned"
        case ev.Laid(card=None):
            return "laid-unseen"
        case ev.WentOut(place=1):
            return "went-out-first"
        case ev.Started():
            return f"started-{event.why}"
        case _:
            return event.name


def _readers(event: ev.Event, you: int, *, for_you: bool) -> Sequence[str]:
    """Whom the sentence that `you` read of an event may address, as `events.toml` names them; the best comes first."""
    acting, other = _parties(event)
    if you not in {acting, other} and not (isinstance(event, ev.Skipped) and set(event.seats) == {you}):
        return ("others", "everybody") if for_you else ("everybody",)
    if you == other != acting:
        return ("to_you", "everybody")
    return ("for_you", "you", "everybody") if for_you else ("you", "everybody")


def _parties(event: ev.Event) -> tuple[int | None, int | None]:
    """The seat that acted and the one it happened to, mostly the same; None for an event without a seat."""
    if isinstance(event, ev.PaidTribute):
        return event.winner, event.shithead
    return actor(event), getattr(event, "seat", None)


def _names(t: Formatter, event: ev.Event, name: NameOf, told: str) -> dict[str, Any]:
    """The names for the braces in a sentence of an event."""
    if isinstance(event, ev.Skipped):
        skipped = list(map(name, dict.fromkeys(event.seats)))
        return {"names": t.listing(skipped), "count": len(skipped)}
    acting, other = _parties(event)
    if acting is None or other is None:
        return {}
    return {"name": name(other if told in {"you", "for_you"} else acting), "other": name(other)}


def _missing(t: Formatter, event: ev.Started) -> str:
    if event.missing is None:
        return ""
    first = SEARCH.index(event.missing)
    last = SEARCH.index(event.rank) if event.rank in SEARCH else 0
    ranks = SEARCH[first : max(last, first + 1)]
    return t("Nobody has {card} in hand.", card=t.choice([t.one_card(rank) for rank in ranks]))


def last_actions(
    t: Formatter, events: Sequence[ev.Event], name: NameOf, played_for: PlayedFor = (), most: int = ACTIONS_SHOWN
) -> list[str]:
    """The last `most` actions, each with its consequences, oldest first."""
    bounds = [0, *sorted(_starts(events))[1:], len(events)]  # what precedes the first action is told with it

    def told(event: ev.Event) -> str:
        said = sentence(t, event, name, for_you=_is_in(event, played_for))
        return t.sentences(_request(t, played_for, name, None, event), said)

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
    over = {"more": f"**{t('Replay')}**"} if hand.view.table.phase == "over" else {}
    earlier = t("What happened earlier is under {more}.", **t.buttons() | over) if any(lines[:shown]) else ""
    return t.sentences(earlier, "" if drew in lines[shown:] else drew, *lines[shown:])


def _told_to_reader(
    t: Formatter, hand: HandSnapshot, name: NameOf, drew: str, told: Sequence[ev.Event], event: ev.Event
) -> str:
    """The sentence of one of the `told` events, `drew` for what the reader drew; empty if something else tells it."""
    you, seat = hand.view.seat, actor(event)
    match event:
        case ev.Drew() if seat == you:
            return drew if _is_last(told, event) else ""
        case ev.Readied() if event is played_for_reader(hand):
            return ""  # a line above their hand says it
        case ev.Started(why="face-up-then-call") if seat == you and not t.text:
            return ""  # the table shows the usual start
        case ev.Swapped() | ev.Laid() | ev.WentOut() if seat == you:
            return ""  # their hand shows it
        case ev.Swapped() | ev.Laid() | ev.Chosen() if seat != you and hand.view.table.phase != "exchange":
            return ""  # the table shows what came of them
        case ev.Swapped() if up := [card for slot in hand.view.table.seats[event.seat].up or () for card in slot]:
            now = t("{name} swapped and now has {cards} face up.", name=name(event.seat), cards=t.cards(up))
            return now if _is_last(told, event) and not _are_undone(told, event.seat) else ""
        case _:
            return sentence(t, event, name, you, for_you=_is_in(event, hand.snapshot.played_for))


def _is_last(events: Sequence[ev.Event], event: ev.Event) -> bool:
    """Whether this one is the last of its kind by the same seat."""
    kind, seat = type(event), actor(event)
    return event is next(each for each in reversed(events) if type(each) is kind and actor(each) == seat)


def _are_undone(events: Sequence[ev.Event], seat: int) -> bool:
    """Whether the swaps of a seat leave its cards as they were."""
    swaps = [each for each in events if isinstance(each, ev.Swapped) and each.seat == seat]
    return sorted(each.laid for each in swaps) == sorted(each.taken for each in swaps)


def played_for_reader(hand: HandSnapshot) -> ev.Event | None:
    """The reader's last move, if the computer made it by itself, because they were late or had left."""
    recent, seat = hand.snapshot.recent, hand.view.seat
    last = next((recent[at] for at in _starts(recent, {*_ACTIONS, ev.Readied}) if actor(recent[at]) == seat), None)
    return last if any(each is last and by == seat for each, by in hand.snapshot.played_for) else None


def _request(t: Formatter, played_for: PlayedFor, name: NameOf, you: int | None, event: ev.Event) -> str:
    """Who had the computer make the move that begins with this event; empty if nobody did or its sentence says it."""
    by = next((by for each, by in played_for if each is event), None)
    seat = actor(event)
    if by is None or seat is None or (by == seat and (you is not None or isinstance(event, ev.Readied))):
        return ""
    if by == seat:
        return t("The computer played for {name}.", name=name(seat))
    if seat == you:
        return t("{name} had the computer play for you.", name=name(by))
    if by == you:
        return t("You had the computer play for {name}.", name=name(seat))
    return t("{name} had the computer play for {other}.", name=name(by), other=name(seat))


def _first_told(events: Sequence[ev.Event], played_for: PlayedFor, you: int) -> int:
    """The index of the first event to tell: after the reader's last own action, or that action if it is the last."""
    after = 0
    for start in _starts(events):
        action = events[start]
        if actor(action) == you and not _is_in(action, played_for):
            # Readers are told what followed, and their own action only if it was chance or nothing followed.
            return start if isinstance(action, _CHANCES) else after or start
        after = start
    return after


def _starts(events: Sequence[ev.Event], kinds: Collection[type[ev.Event]] = _ACTIONS) -> Iterator[int]:
    """Where each action of these kinds begins, from the last; a pick-up that comes of one belongs to it."""
    for nth in reversed(range(len(events))):
        if type(events[nth]) in kinds and not (nth and _comes_of(events[nth - 1], events[nth])):
            yield nth


def _comes_of(before: ev.Event, event: ev.Event) -> bool:
    """Whether the event is the pick-up of a card that did not fit or was added to it, or of a pile just given away."""
    if not isinstance(event, ev.PickedUp) or actor(before) != actor(event):
        return False
    return isinstance(before, (*_CHANCES, ev.Added) if event.by is None else _PLAYS)


def actor(event: ev.Event) -> int | None:
    """The seat that acted: `by`, if the event has one, because its `seat` is then the one it happened to."""
    by: int | None = getattr(event, "by", None)
    return getattr(event, "seat", None) if by is None else by


def _is_in(event: ev.Event, some: PlayedFor) -> bool:
    # Compared by identity, because two events can be equal.
    return any(each is event for each, _ in some)


def _values(t: Formatter, event: ev.Event) -> dict[str, Any]:
    """The other values for the braces in the sentences of an event."""
    match event:
        case ev.Played():
            return {"cards": cards_played(t, event.faces)}
        case ev.PickedUp():
            return {"count": event.count}
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
    return t.sentences(*(sentence(t, event, name, you) for event in events))


def last_names(events: Sequence[ev.Event]) -> set[str]:
    """The event names of the last action and of its consequences."""
    return {event.name for event in events[next(_starts(events), len(events)) :]}


def plays_again(hand: HandSnapshot) -> bool:
    """Whether the reader, who is on turn, also made the last play."""
    recent = hand.snapshot.recent
    last = next((recent[start] for start in _starts(recent)), None)
    return isinstance(last, _PLAYS) and actor(last) == hand.view.seat
