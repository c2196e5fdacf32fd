"""Tables to draw: of every size, in every phase, and with everything that is rare on a table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from cogs.pictures.scene import FAN, Presence, Scene, ScenePlayer, scene_of
from cogs.pictures.text import legible_or
from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES
from game.events import Event, redact
from game.moves import Move, Ready, Timeout, advance, apply, events
from game.players.quick_player import choose
from game.rules import MOST_SEATS, Rules
from game.showing import seat_view, table_view, unseen
from game.state import State
from game.text.position import rules_from, set_up
from game.view import SeatFace, TableView
from testkit.made import Game
from testkit.random_games import random_deal

NAMES: Final = ("Ann", "Bob", "Cy", "Dee", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou")
HARD_NAMES: Final = (
    "Bartholomew Featherstonehaugh",
    "さくら・ザ・シットヘッド大王",
    "نور الهدى",
    "xX_DarkLord_Xx_the_1st",
    "नमस्ते दुनिया",
    "🍵🍵🍵",
    "Z̷͓̈a̸l̶g̵o",
    "Łukasz Żółć",
)
DRAWN_LANGUAGES: Final = [code for code in LANGUAGES if legible_or(formatter(code)("The game is over"), "")]
"""The languages whose letters the typefaces have: all of Discord's but Thai."""
SEATS_PER_EXTRA_PACK: Final = 5
MANY_JOKERS: Final = {"wild": True, "on": "anything", "asks": "anything"}


def players(names: Sequence[str] = NAMES, **presences: Presence) -> tuple[ScenePlayer, ...]:
    """People by name; `Bob="away"` for those who are not just there."""
    return tuple(ScenePlayer(name, f"Player {n}", presences.get(name, "here")) for n, name in enumerate(names, 1))


def midgame(seats: int, moves: int, seed: int = 0, **deal: Any) -> TableView:
    """A table of any size after some random moves, with as many packs as it needs."""
    base = Rules(seats=(2, 12))
    tried = (base.changed_with({"deal": {"packs": packs} | deal}) for packs in range(1, 5))
    rules = next(each for each in tried if each.can_seat(seats))
    game = Game(rules, seats, seed, names=NAMES)
    for _ in range(moves):
        if not game.over:
            game.step()
    return table_view(game.state)


def busy(seats: int, seed: int = 0) -> TableView:
    """A table of any size with much to see: if possible a full fan, burned cards and a stock."""
    views = [table_view(step.state) for step in played(seats, seed)]
    return max(views, key=lambda view: (view.phase == "play", len(view.pile) >= FAN, view.burned > 0, view.stock > 0))


def written(rules: Any = "classic", **case: Any) -> TableView:
    """A position written as in a scenario."""
    return table_view(state_of(rules, **case))


def state_of(rules: Any = "classic", **case: Any) -> State:
    """The state of a position written as in a scenario."""
    return set_up(case, rules_from(rules))


def after(state: State, *moves: tuple[int, Move]) -> TableView:
    """The table after some moves."""
    for seat, move in moves:
        state = advance(state, seat, move)
    return table_view(state)


FOUR: Final = (
    "5d 2s 9c | Td As 9h | 2c Jd 6c",
    "4h 7c 7d Tc Ks | Kd Qs Jh | 3d 5c 6s",
    "9d | - | 3h 8c",
    "- | - | -",
)


def in_play() -> TableView:
    """Four seats late in a game: one plays from the hand, one has only face-down cards left, one is out."""
    view = written(seats=[*FOUR], pile="3c 4d 4c 5s 6h 7h 7s", turn="B")
    third = replace(view.seats[2], down=(1, 3))
    return replace(view, burned=18, seats=(*view.seats[:2], third, view.seats[3]))


def exchange() -> TableView:
    """Two of three are ready."""
    state = state_of(
        seats=["5d 2s 9c | Td As 9h | 2c Jd 6c", "4h 7c 7d | Kd Qs Jh | 3d 5c 6s", "9d 8h 8s | 3h 4c Ac | Jc Js Qd"],
        stock="2d 2h 3s 4d 4s 5h 5s 6d 6h 7h 7s 8c 8d",
        phase="exchange",
    )
    return after(state, (0, Ready()), (2, Ready()))


def choosing() -> TableView:
    """One of three has chosen cards that nobody sees yet."""
    seats = ["5d 2s 9c Td As 9h | - | 2c Jd 6c", "4h | Kd Qs Jh | 3d 5c 6s", "9d 8h 8s 3h 4c Ac | - | Jc Js Qd"]
    return written({"deal": {"method": "choose"}}, seats=seats, stock="2d 2h 3s", phase="exchange")


def calling() -> TableView:
    """A three is called for."""
    seats = ["3d 2s 9c | Td As 9h | 2c Jd 6c", "4h 7c 7d | Kd Qs Jh | 5d 5c 6s", "3h 8h 8s | 4d 4c Ac | Jc Js Qd"]
    return written(seats=seats, stock="2d 2h", phase="call", turn="-")


def clearing() -> TableView:
    """A pile of four waits for the flush seat."""
    seats = ["2s 9c | Td As 9h | 2c Jd 6c", "4h 7c | Kd Qs Jh | 5d 5c 6s", "8h | 4d 4c Ac | Jc Qd"]
    return written({"play": {"flush": True}}, seats=seats, pile="9s 3d 3c 3h 3s", phase="clear", flush="C", turn="A")


def tribute() -> TableView:
    """The last winner may take a card of the last shithead."""
    seats = ["5d 2s 9c | Td As 9h | 2c Jd 6c", "4h 7c 7d | Kd Qs Jh | 3d 5c 6s", "9d 8h 8s | 3h 4c Ac | Jc Js Qd"]
    rules = {"end": {"tribute": True}}
    return written(rules, seats=seats, stock="2d", phase="tribute", last_winner="A", last_shithead="C")


def ended() -> TableView:
    """One is left with cards."""
    view = written(seats=["- | - | -", "4h 7c 7d | Kd | 3d 5c 6s", "- | - | -", "- | - | -"], pile="Qs Qh", turn="B")
    return replace(view, phase="over", turn=None, shithead=1, out=(2, 0, 3), burned=31, seats=_placed(view, (2, 0, 3)))


def _placed(view: TableView, out: tuple[int, ...]) -> tuple[SeatFace, ...]:
    return tuple(replace(seat, place=out.index(n) + 1 if n in out else None) for n, seat in enumerate(view.seats))


def stacked() -> TableView:
    """Slots with two to six equal cards, and wild jokers on the pile."""
    rules = {
        "deal": {"stacking": True, "packs": 3, "jokers": 6, "face_up": 4, "face_down": 4},
        "powers": {"joker": MANY_JOKERS},
    }
    seats = [
        "2s 9c | Jc+Js 4c+4d+4h+4s Kc Xr | 3h 8c 8s 9d",
        "4h 7c | Td+Td+Td+Tc+Th+Ts Qs Xb+Xr 9h | 5d 5c 6s 6s",
        "8h | 4d 4c Ac 2d+2h+2s | Jc Qd 3d 3c",
    ]
    return written(rules, seats=seats, pile="Kd Xr=K Xb 7s", stock="2c 2c 3c 3s 5h 5s 6c 6d 6h", turn="C")


def named() -> TableView:
    """Cards that were played high and low, and a wild joker named."""
    rules = {"powers": {"9": {"asks": "named"}, "joker": MANY_JOKERS}, "deal": {"jokers": 2}}
    seats = ["2s 9s | Td As 9h | 2c Jd 6c", "4h 7c | Kd Qs Jh | 5d 5c 6s"]
    return written(rules, seats=seats, pile="9c=high 9d=low Xb=J Xr", stock="4d", turn="A")


def long_pile() -> TableView:
    """Sixty cards on the pile."""
    pile = " ".join(f"{rank}{suit}" for rank in "3456789JQKA2468" for suit in "cdhs")
    return written({"deal": {"packs": 3}}, seats=["2s | - | 4c", "- | Kd+Kh | 5d"], pile=pile)


WRITTEN: Final = {
    each.__name__: each
    for each in (
        in_play,
        exchange,
        choosing,
        calling,
        clearing,
        tribute,
        ended,
        stacked,
        named,
        long_pile,
    )
}


class Step(NamedTuple):
    """A move of a whole game: the state after it, and what everybody was told."""

    state: State
    told: tuple[Event, ...]


def played(seats: int, seed: int = 0, rules: Rules | None = None) -> list[Step]:
    """A whole game between computer players, with the deal as its first step."""
    rules = rules or Rules(seats=(2, 12)).changed_with({"deal": {"packs": 1 + seats // SEATS_PER_EXTRA_PACK}})
    rng = random.Random(seed)
    steps = [Step(random_deal(rng, rules, seats), ())]
    while steps[-1].state.frame.phase != "over":
        state = steps[-1].state
        seat, move = _next(state, rng)
        after_it = apply(state, seat, move)
        said = (redact(event, None, unseen=unseen(after_it)) for event in events(state, seat, move, after_it))
        steps.append(Step(after_it, tuple(said)))
    return steps


def _next(state: State, rng: random.Random) -> tuple[int, Move]:
    if state.frame.phase == "call":
        return 0, Timeout()
    views = (seat_view(state, seat) for seat in range(len(state.seats)))
    view = next(view for view in views if view.moves or view.may_choose)
    return view.seat, choose(view, rng)


def _seen_at() -> dict[str, tuple[Callable[[], TableView], Sequence[str]]]:
    """For each scene, how its table is made and who sits at it."""
    found: dict[str, tuple[Callable[[], TableView], Sequence[str]]]
    found = {f"{seats}-seats": (partial(busy, seats), NAMES) for seats in range(2, MOST_SEATS + 1)}
    for word, slots in (("four", 4), ("six", 6)):
        for seats in (2, 4, 6, 8, 12):
            made = partial(midgame, seats, 14 * seats, seats, face_up=slots, face_down=slots, hand=2)
            found[f"{seats}-seats-{word}-slots"] = (made, NAMES)
    for seats in (3, 8):
        made = partial(midgame, seats, 8 * seats, seats, face_up=0, face_down=0, hand=5)
        found[f"{seats}-seats-without-table-cards"] = (made, NAMES)
    found |= {name: (make, NAMES) for name, make in WRITTEN.items()}
    return found | {"hard-names": (partial(busy, 8, 3), HARD_NAMES)}


class _Scenes(Mapping[str, Scene]):
    """Scenes by name, each made on first access, because some take a whole game."""

    def __init__(self) -> None:
        self._made_by = _seen_at()
        self._made = dict[str, Scene]()

    def __getitem__(self, name: str) -> Scene:
        if name not in self._made:
            make, names = self._made_by[name]
            view = make()
            self._made[name] = scene_of(view, _some(names)[: len(view.seats)])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)


def _some(names: Sequence[str]) -> tuple[ScenePlayer, ...]:
    return players(names, Bob="away", Cy="computer", Dee="left")


SCENES: Final = _Scenes()
"""All scenes."""
