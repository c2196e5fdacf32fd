"""The alt text of the picture of a table, made from the same scene as the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final, TypeAlias

from cogs.pictures.scene import Role, Scene, SceneCard, SceneSeat
from cogs.screens.components import ALT_TEXT, cut
from cogs.screens.formatter import FULL_STOPS, Formatter
from cogs.screens.names import fitted, isolated
from cogs.screens.wording import piled_words, result_words
from game.cards import Face

THINGS: Final = "; "
"""Separates one thing from the next; a screen reader pauses there."""
_COLUMNS: Final = (32, 12, 8)
"""How long names may be, at first and when the text becomes too long."""

CardsInWords: TypeAlias = Callable[[Sequence[Face]], str]


def table_in_words(t: Formatter, scene: Scene) -> str:
    """Everything that the picture shows, within Discord's limit for an alt text (`ALT_TEXT`).

    If the text is too long, first the cards are shortened, then the names; what is still too long is cut off.
    """
    text = ""
    ways: tuple[CardsInWords, ...] = (
        lambda cards: " + ".join(map(t.in_words, cards)),
        lambda cards: "+".join(map(t.card, cards)),
        t.counted,
    )
    for columns, cards in product(_COLUMNS, ways):
        text = THINGS.join(filter(None, _things(_Words(t, cards, columns), scene)))
        if len(text) <= ALT_TEXT:
            return text
    return cut(text, ALT_TEXT)


class _Words:
    """Words the cards of a slot and the names of players, as briefly as it must."""

    def __init__(self, t: Formatter, cards: CardsInWords, columns: int) -> None:
        """Word cards by `cards`, and names with at most `columns` columns."""
        self.t, self.cards, self._columns = t, cards, columns

    def name(self, seat: SceneSeat) -> str:
        return isolated(fitted(seat.player.name, self._columns))

    def name_of(self, scene: Scene, role: Role) -> str:
        return next((self.name(seat) for seat in scene.seats if seat.role == role), "")

    def pile_card(self, card: SceneCard) -> str:
        named = self.cards((card.face,))
        return self.t("{cards} high", cards=named) if card.word == "high" else named


def _things(words: _Words, scene: Scene) -> Iterator[str]:
    t = words.t
    yield _phase(words, scene)
    yield _pile(words, scene)
    yield t("Stock {count}", count=scene.stock)
    yield t("burned {count}", count=scene.burned) if scene.burned else ""
    yield from (t.enumerated(_seat(words, seat)) for seat in scene.seats)
    if scene.direction:
        yield t("Play goes clockwise.") if scene.direction == 1 else t("Play goes anticlockwise.")


def _phase(words: _Words, scene: Scene) -> str:
    t = words.t
    acts = words.name_of(scene, "acts")
    match scene.phase:
        case "tribute":
            return t("{name} may take tribute from {other}", name=acts, other=words.name_of(scene, "gives"))
        case "exchange":
            ready = sum(bool(seat.ready) for seat in scene.seats)
            return t("{ready} of {seats} ready", ready=ready, seats=len(scene.seats))
        case "call":
            return t("Who’s got {card}? First to call it starts", card=t.one_card(scene.calling or 0))
        case "clear":
            return t("{name} must clear the pile", name=acts)
        case "over":
            return result_words(t, words.name_of(scene, "shithead"), words.name_of(scene, "winner"))
        case "play":
            return ""


def _pile(words: _Words, scene: Scene) -> str:
    t = words.t
    if not scene.fan:
        return t("The pile is empty.").rstrip(FULL_STOPS) if scene.phase in {"play", "over"} else ""
    *beneath, top = (words.pile_card(card) for card in scene.fan)
    on_top = piled_words(t, scene.pile, top)
    under = t("under it {cards}", cards=t.enumerated(reversed(beneath))) if beneath else ""
    return t.enumerated((on_top, under))


def _seat(words: _Words, seat: SceneSeat) -> Iterator[str]:
    """What the alt text says about a seat, name first."""
    t, name, presence = words.t, words.name(seat), seat.player.presence
    if seat.place is not None:
        yield from (name, t("out, {place}", place=t.place(seat.place)))
        return
    yield t("{name} left: the computer plays their cards", name=name) if presence == "left" else name
    if presence == "computer":
        yield seat.player.level or t("computer")
    elif presence == "away":
        yield t("away")
    yield t("to play") if seat.role == "acts" else ""
    yield t("ready") if seat.ready else ""
    down = sum(slot.is_down for slot in seat.slots)
    hand = t("hand {hand}", hand=seat.hand)
    yield t("hand {hand}, face-down {down}", hand=seat.hand, down=down) if seat.slots else hand
    up = [words.cards(slot.cards) for slot in seat.slots if slot.cards]
    yield t("Face-up: {cards}", cards=t.enumerated(up)) if up else ""
    yield t("face-up cards not shown yet") if any(slot.unseen for slot in seat.slots) else ""
