"""What is asked, who is on turn, when time is up, what happened: the sentences that several screens share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final, TypeAlias

import cogs.screens.components as ui
import game.events as ev
from cogs.screens.formatter import Formatter
from cogs.screens.names import bold, escaped, fitted
from data.models import Player, Table
from game.cards import ACE, JOKER, Face, Rank, face_rank, is_low
from game.rules import Rules
from game.variants import Variant, variants
from game.view import Asked, TableView
from tables.snapshots import TableSnapshot

NameOf: TypeAlias = Callable[[int], str]
"""What a seat is called."""
MOST_TOP: Final = 8
WIDE_NAME, NARROW_NAME = 16, 12
MOST_WIDE_SEATS = 4
LAST: Final = 2
"""How many doings a table tells of."""
_DOINGS: Final = (
    *(ev.Played, ev.Flipped, ev.Chanced, ev.PickedUp, ev.Interrupted, ev.Followed, ev.Cleared, ev.Called),
    *(ev.Swapped, ev.Chosen, ev.Laid, ev.PaidTribute),
)


def asked_words(t: Formatter, asked: Asked) -> str:
    """`7 or higher`."""
    rank = "" if asked.rank is None else t.rank_name(asked.rank)
    match asked.kind:
        case "at-least":
            return t.c("what is asked", "an ace") if asked.rank == ACE else t("{rank} or higher", rank=rank)
        case "at-most":
            return t("{rank} or lower", rank=rank)
        case "below":
            return t("lower than {rank}", rank=rank)
        case "same":
            return t("{rank} only", rank=rank)
        case "not":
            return t("anything but {rank}", rank=rank)
        case "red-jack":
            return t("a red jack")
        case "anything":
            return t("anything")


def exceptions(t: Formatter, view: TableView) -> str:
    """`or a 2, or a 10`; empty where nothing else goes."""
    jokers = view.rules.jokers_with(len(view.seats))
    ranks = [rank for rank in view.asked.also if rank != JOKER or jokers]
    return t.enumerated(t("or {card}", card=t.one_card(rank)) for rank in ranks)


def asked_in_full(t: Formatter, view: TableView) -> str:
    """`7 or higher, or a 2, or a 10`."""
    also, asked = exceptions(t, view), asked_words(t, view.asked)
    return t("{asked}, {exceptions}", asked=asked, exceptions=also) if also else asked


def turn_heading(t: Formatter, name: str, view: TableView) -> str:
    """`Ann to play: 7 or higher`, `Ann leads`: for everybody."""
    if view.asked.kind == "red-jack":
        return t("{name}: a red jack, or pick up", name=name)
    if not view.pile and view.asked.kind == "anything":
        return t("{name} leads", name=name)
    return t("{name} to play: {asked}", name=name, asked=asked_words(t, view.asked))


def your_heading(t: Formatter, view: TableView, lead: Rank | None = None) -> str:
    """`Your turn: 7 or higher`: for who is on turn."""
    if lead is not None and not view.started:
        return t("Your turn: lead {card}", card=t.one_card(lead))
    if not view.pile and view.asked.kind == "anything":
        return t("Your turn: lead anything")
    return t("Your turn: {asked}", asked=asked_words(t, view.asked))


def phase_heading(t: Formatter, view: TableView, name_of: NameOf) -> str:
    """What a table in any phase but the exchange waits for: for everybody."""
    who = view.flush if view.phase == "clear" else view.turn
    name = "" if who is None else name_of(who)
    match view.phase:
        case "tribute":
            return t("{name} may take tribute", name=name)
        case "call":
            card = "" if view.calling is None else t.one_card(view.calling)
            return t("Who’s got {card}? First to call it starts", card=card)
        case "clear":
            return t("{name} must clear the pile", name=name)
        case "play":
            return turn_heading(t, name, view)
        case _:
            return t("The game is over")


def top_run(pile: Sequence[Face]) -> Sequence[Face]:
    """The cards of one rank on top of the pile."""
    same = sum(1 for _ in takewhile(lambda face: face_rank(face) == face_rank(pile[-1]), reversed(pile)))
    return pile[-same:]


def pile_words(t: Formatter, pile: Sequence[Face]) -> str:
    """`Pile 12, on top 7♥ 7♠`; of many equal cards the last ones."""
    return t("Pile {count}, on top {cards}", count=len(pile), cards=t.cards(top_run(pile)[-MOST_TOP:]))


def counts_words(t: Formatter, view: TableView) -> str:
    """`Stock 14 · burned 8 · clockwise`."""
    burned = t("burned {count}", count=view.burned) if view.burned else ""
    turning = t("clockwise ↻") if view.direction == 1 else t("anticlockwise ↺")
    return ui.small(t("Stock {count}", count=view.stock), burned, turning)


def time_words(t: Formatter, snapshot: TableSnapshot) -> str:
    """`turn ends in 2 minutes`, right before and after that time: Discord counts on; empty where no clock runs."""
    table, view = snapshot.table, snapshot.view
    if table.deadline is None or table.paused:
        return ""
    when = ui.stamp(table.deadline)
    if table.overdue:  # without a turn nobody plays any more
        return t("time is up") if table.turn_since else t("the game closes {when}", when=when)
    if view is not None and view.phase in {"exchange", "call"}:
        return t("ends {when}", when=when)
    return t("turn ends {when}", when=when)


def player_name(t: Formatter, player: Player, seat: int) -> str:
    """What a player is called, unescaped; `player 3` where the name is forgotten."""
    return player.name or t("player {number}", number=seat + 1)


def mention(t: Formatter, user_id: int) -> str:
    """A person in a text, as Discord shows them to the reader; ids below 0 are of people who were forgotten."""
    return f"<@{user_id}>" if user_id > 0 else t("a former player")


def seat_name(t: Formatter, table: Table, seat: int, most: int | None = None) -> str:
    """The name of a seat, cut to `most` columns (as many as the table's size allows where None) and escaped."""
    room = most or (WIDE_NAME if len(table.players) <= MOST_WIDE_SEATS else NARROW_NAME)
    return escaped(fitted(player_name(t, table.players[seat], seat), room))


def person_name(t: Formatter, table: Table, seat: int) -> str:
    """The player of a seat in bold; mentioned where the name is forgotten."""
    player = table.players[seat]
    if not player.name and player.user_id is not None:
        return mention(t, player.user_id)
    return bold(player_name(t, player, seat))


def forfeit_words(t: Formatter, forfeit: str) -> str:
    """What a loser owes: free text, or a cup of tea."""
    return escaped(forfeit) if forfeit else t("a cup of tea 🍵")


def known_variant(name: str) -> Variant | None:
    """The variant of this id, None where there is none any more."""
    return variants().get(name)


def base_rules(name: str) -> Rules:
    """What house rules are compared with that were made from this variant; the classic game where it is gone."""
    found = known_variant(name)
    return found.rules if found else Rules()


def variant_title(t: Formatter, name: str) -> str:
    """What the variant of this id is called, as its file says; the id where there is none any more."""
    found = known_variant(name)
    return t.c("variant", (t.polite and found.polite) or found.title) if found else name


def variant_sentence(t: Formatter, name: str) -> str:
    """What makes the variant of this id, in one or two sentences; empty where nothing is to say."""
    found = known_variant(name)
    return t(found.sentence) if found and found.sentence else ""


def played_by(t: Formatter, variant: str, title: str) -> str:
    """The name of saved house rules, or else the title of the variant; plain text."""
    return title or variant_title(t, variant)


# -- what happened: every public event has a short sentence, or none where another says it already


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
            return t("Play reverses.")
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
            return t("{name} tried the top card: {card}.", name=name, card=t.card(event.face))
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
            return t("{name} put {laid} on the table and took {taken}.", name=name, laid=laid, taken=taken)
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
    return t("{name} starts, thanks to {card}.", name=name(event.seat), card=t.one_card(event.rank))


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
    starts = [at for at, event in enumerate(events) if isinstance(event, _DOINGS)]
    return events[starts[-1] :] if starts else ()
