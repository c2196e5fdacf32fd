"""Examples for rules: cards that may go on a pile and cards that may not, found by asking the engine.

Nothing here repeats what a rule says. The functions set up a pile, try every rank on it, and keep the most telling
cards of those that go and those that do not, so an example cannot contradict the rules it is shown with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from game.cards import ACE, JOKER, RED_JOKER, Card, Face, Rank, card_of, make_face
from game.compiled import book_of
from game.moves import apply, check, play_of
from game.rules import PLAIN, Rules
from game.state import State
from game.text.notation import format_cards
from game.text.position import set_up

_CLUBS, _DIAMONDS, _HEARTS, _SPADES = range(4)
_ROW: Final = 3


@dataclass(frozen=True, slots=True)
class Example:
    """What goes on a pile and what does not.

    `pile` is listed bottom to top. Each card of `goes` may be played on it, or all as one play; none of `stays` may.
    With `burns`, what goes burns the pile.
    """

    pile: tuple[Face, ...]
    goes: tuple[Card, ...] = ()
    stays: tuple[Card, ...] = ()
    burns: bool = False


def of_basics(rules: Rules) -> Sequence[Example]:
    """What may go on a card without a power."""
    plain = _plain(rules)
    if len(plain) < _ROW:
        return ()
    return _example_on(rules, (_card(plain[len(plain) // 2], _HEARTS),), plain)


def of_power(rules: Rules, rank: Rank) -> Sequence[Example]:
    """What a special card goes on, and what goes on it; empty if words say it better."""
    power = rules.power(rank)
    if power.wild:
        return ()
    examples: list[Example] = []
    if power.on != "rank" or power.not_on or "burn" in power.does:
        examples += _examples_beneath(rules, rank)
    if power.asks != "at-least" and "burn" not in power.does and not power.leaves and power.answer is None:
        examples += _examples_on_top(rules, rank)
    return examples


def of_option(rules: Rules, key: str) -> Sequence[Example]:
    """What the option with this key allows; empty for the many that do not decide what goes on a pile."""
    make = _OPTIONS.get(key)
    return make(rules, _plain(rules)) if make else ()


def _card(rank: Rank, suit: int) -> Card:
    return RED_JOKER if rank == JOKER else rank * 4 + suit


def _ranked(rules: Rules, ranks: Iterable[Rank]) -> list[Rank]:
    return sorted(ranks, key=book_of(rules).values.__getitem__)


def _plain(rules: Rules) -> list[Rank]:
    """The ranks without a power, lowest first."""
    return _ranked(rules, (rank for rank in range(13) if rules.power(rank) == PLAIN))


def _position(rules: Rules, pile: Sequence[Face], hand: Sequence[Card]) -> State:
    used = {*map(card_of, pile), *hand}
    others = [card for card in range(RED_JOKER) if card not in used][:2]
    if RED_JOKER in used and not rules.deal.jokers:
        rules = rules.changed_with({"deal": {"jokers": 1}})
    seats = [f"{format_cards(cards)} | - | -" for cards in (hand, *([card] for card in others))]
    return set_up({"pile": format_cards(pile), "seats": seats}, rules)


def _legal(rules: Rules, pile: Sequence[Face], cards: Sequence[Card]) -> list[Card]:
    """The cards that may be played on the pile one by one."""
    state = _position(rules, pile, cards)
    return [card for card in cards if check(state, 0, play_of(rules, (card,))) is None]


def _burns(rules: Rules, pile: Sequence[Face], cards: Sequence[Card]) -> bool:
    used = {*map(card_of, pile), *cards}
    spare = next(card for card in range(RED_JOKER) if card not in used)  # so that the play does not end the game
    before = _position(rules, pile, (*cards, spare))
    return bool(apply(before, 0, play_of(rules, cards)).burned & before.held)


def _example_on(rules: Rules, pile: tuple[Face, ...], ranks: Sequence[Rank]) -> Sequence[Example]:
    """An example with the lowest and the highest rank that go, and the rank nearest to them that does not."""
    cards = [_card(rank, _CLUBS) for rank in ranks]
    goes = _legal(rules, pile, cards) if cards else []  # where every rank has a power, none may be left to try
    stays = [card for card in cards if card not in goes]
    if not goes:
        return ()
    below = [card for card in stays if cards.index(card) < cards.index(goes[0])]
    above = [card for card in stays if cards.index(card) > cards.index(goes[-1])]
    nearest = below[-1:] or above[:1] or stays  # between those that go one at most does not
    lowest_and_highest = tuple(dict.fromkeys((goes[0], goes[-1])))
    return (Example(pile, lowest_and_highest, tuple(nearest)),)


def _examples_beneath(rules: Rules, rank: Rank) -> Sequence[Example]:
    """Examples of what a rank goes on (the highest such card) and of what it does not go on, where they exist."""
    card = _card(rank, _DIAMONDS)
    plain = [each for each in _plain(rules) if each != rank]
    special = [each for each in range(13) if each != rank and each not in plain]
    goes = [top for top in plain if _legal(rules, (_card(top, _SPADES),), [card])]
    stays = [top for top in (*plain, *special) if top not in goes and not _legal(rules, (_card(top, _SPADES),), [card])]
    examples: list[Example] = []
    if goes:
        pile = (_card(goes[-1], _SPADES),)
        examples.append(Example(pile, (card,), burns=_burns(rules, pile, [card])))
    if stays:
        examples.append(Example((_card(stays[0], _SPADES),), stays=(card,)))
    return examples


def _examples_on_top(rules: Rules, rank: Rank) -> Sequence[Example]:
    """An example of what goes on a rank: a glass card lies on a plain card, a named card is played low."""
    asks, plain = rules.power(rank).asks, _plain(rules)
    face = make_face(_card(rank, _DIAMONDS), low=True) if asks == "named" else _card(rank, _DIAMONDS)
    beneath = (_card(plain[len(plain) // 2], _HEARTS),) if asks == "under" and plain else ()
    ranks = [each for each in range(13) if each in plain or (each == rank and asks not in {"under", "anything"})]
    return _example_on(rules, (*beneath, face), _ranked(rules, ranks))


# -- options


def _fours(rules: Rules, plain: Sequence[Rank]) -> Sequence[Example]:
    if not rules.play.four_of_a_kind or not plain:
        return []
    club, diamond, heart, spade = (_card(plain[len(plain) // 2], suit) for suit in range(4))
    return _together(rules, (club, diamond, heart), (spade,))


def _fours_through_glass(rules: Rules, plain: Sequence[Rank]) -> Sequence[Example]:
    glass = min(rules.see_through() - {JOKER}, default=None)
    if not rules.play.runs_through_glass or glass is None or not plain:
        return []
    club, diamond, heart, spade = (_card(plain[len(plain) // 2], suit) for suit in range(4))
    return _together(rules, (club, diamond, _card(glass, _HEARTS), heart), (spade,))


def _together(rules: Rules, pile: tuple[Face, ...], cards: tuple[Card, ...]) -> Sequence[Example]:
    legal = check(_position(rules, pile, cards), 0, play_of(rules, cards)) is None
    return [Example(pile, cards, burns=_burns(rules, pile, cards))] if legal else []


def _sequences(rules: Rules, plain: Sequence[Rank]) -> Sequence[Example]:
    rows = [row for row in zip(plain, plain[1:], plain[2:], strict=False) if row[2] - row[0] == _ROW - 1]
    if not rules.play.sequences or not rows:
        return []
    row = rows[len(rows) // 2]
    return _together(rules, (_card(row[0], _HEARTS),), tuple(_card(rank, _CLUBS) for rank in row))


def _four_on_anything(rules: Rules, plain: Sequence[Rank]) -> Sequence[Example]:
    if not rules.play.four_on_anything or len(plain) < _ROW:
        return []
    return _together(rules, (_card(plain[-1], _HEARTS),), tuple(_card(plain[1], suit) for suit in range(4)))


def _low_aces(rules: Rules, plain: Sequence[Rank]) -> Sequence[Example]:
    if rules.play.ace == "high" or ACE not in plain or len(plain) < _ROW:
        return []
    return _example_on(rules, (_card(plain[1], _HEARTS),), (ACE, plain[1], plain[-1]))


_OPTIONS: Final[Mapping[str, Callable[[Rules, Sequence[Rank]], Sequence[Example]]]] = {
    "play.ace": _low_aces,
    "play.four_of_a_kind": _fours,
    "play.four_on_anything": _four_on_anything,
    "play.runs_through_glass": _fours_through_glass,
    "play.sequences": _sequences,
}
