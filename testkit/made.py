"""Tables and hands like those from the doorway, but made with the engine alone, for tests of drawing."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from cogs.screens.components import (
    BUTTON,
    CONTAINER,
    GALLERY,
    SELECT,
    TEXT,
    Screen,
    walk,
)
from data.models import Player, Table
from data.tea_models import DebtPage, Forfeits, Owing, TeaDebt
from game.deal import deal, full_pack
from game.events import Drew, Event, redact
from game.moves import Lay, Move, Swap, Timeout, apply, events, legal_moves
from game.players import LevelName
from game.players.quick_player import best_choice
from game.rules import Rules
from game.showing import seat_view, unseen
from game.view import SeatView, TableView
from tables.gameplay import views_of
from tables.loaded import Views
from tables.snapshots import RECENT, HandSnapshot, TableSnapshot
from testkit.strict.components import Components

Replaced = TypeVar("Replaced", TableSnapshot, HandSnapshot, TableView, SeatView)
TABLE = 1456074443980800007
START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = (
    "Ann",
    "Bob",
    "Cy",
    "Dee",
    "さくら・ザ・シットヘッド大王",
    "xX_DarkLord_Xx_the_1st",
    "Ed",
    "Flo",
    "Gus",
    "Hal",
    "Ida",
    "Jo",
)
LONG_NAMES = (
    "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 4,
    "*_~`|<>#[]()" * 2,
    "漢字" * 16,
    "W" * 32,
    "@everyone",
    "a\u0301" * 16,
) * 2
"""Long names, and such as Discord or Markdown would take for something else."""


def made_table(rules: Rules | None = None, seats: int = 2, names: Sequence[str] = NAMES, **changes: Any) -> Table:
    """A table with people in its seats."""
    players = tuple(Player(user_id=100 + n, name=names[n], joined_by=n) for n in range(seats))
    values: dict[str, Any] = {
        "id": TABLE,
        "guild_id": 1,
        "channel_id": 2,
        "host_id": 100,
        "rules": rules or Rules(),
        "seats": max(seats, 5),
        "players": players,
        "created_at": START,
        "deadline": START + timedelta(minutes=3),
        "seal": "9f3a77c1e04b" + "0" * 52,
        "revision": 41,
    }
    return Table(**(values | changes))


def with_computer(table: Table, seat: int, level: LevelName | None = None) -> Table:
    """A copy in which the computer plays on a seat."""
    changed = table.players[seat].model_copy(update={"user_id": None, "level": level})
    return table.but(players=(*table.players[:seat], changed, *table.players[seat + 1 :]))


def made_debt(number: int, debtor: int, *creditors: int, **changes: Any) -> TeaDebt:
    """A cup of tea that one person owes to others."""
    values: dict[str, Any] = {
        "id": number,
        "guild_id": 1,
        "table_id": TABLE,
        "debtor_id": debtor,
        "creditor_ids": creditors,
        "forfeit": "",
        "made_at": START,
    }
    return TeaDebt(**(values | changes))


def made_page(debts: Sequence[TeaDebt], page: int = 0, pages: int = 1) -> DebtPage:
    """A page of debts to somebody."""
    return DebtPage(debts, page, pages, max((debt.forfeit for debt in debts), default=""))


def made_owing(debts: Iterable[TeaDebt]) -> list[Owing]:
    """What people owe, first who owes most."""
    owing = dict[int, Owing]()
    for debt in sorted(debts, key=lambda each: (each.made_at, each.id)):
        of_debtor = owing.setdefault(debt.debtor_id, Owing(debt.debtor_id, Counter(), Counter(), debt.made_at))
        of_debtor.forfeits[debt.forfeit] += 1
        of_debtor.creditors.update(debt.creditor_ids)
    return sorted(owing.values(), key=lambda each: -each.forfeits.total())


def made_balance(debts: Iterable[TeaDebt], reader: int) -> tuple[Forfeits, Forfeits]:
    """What the others owe this person, and what the person owes each of them."""
    theirs, mine = defaultdict[int, Counter[str]](Counter), defaultdict[int, Counter[str]](Counter)
    for debt in debts:
        for creditor in debt.creditor_ids:
            if reader == debt.debtor_id:
                mine[creditor][debt.forfeit] += 1
            elif reader == creditor:
                theirs[debt.debtor_id][debt.forfeit] += 1
    return theirs, mine


class Game:
    """A game that is played at random, with the snapshots that the doorway would give of it."""

    def __init__(self, rules: Rules | None = None, seats: int = 2, seed: int = 0, **changes: Any) -> None:
        self.rules = rules or Rules()
        self.rng = random.Random(seed)
        pack = list(full_pack(self.rules, seats))
        self.rng.shuffle(pack)
        self.state = deal(self.rules, seats, tuple(pack), dealer=0)
        self.table = made_table(self.rules, seats, status="playing", started_at=START, **changes)
        self.recent: tuple[Event, ...] = ()
        self.moves = 0
        self.drew: dict[int, Drew | None] = {}
        self._seen = views_of(self.state)

    def _views(self) -> Views:
        """What everybody and each seat may see of the state; cached for each state."""
        if self._seen.state is not self.state:
            self._seen = views_of(self.state)
        return self._seen

    def snapshot(self) -> TableSnapshot:
        """The table for everybody."""
        return TableSnapshot(self.table, self._views().table, self.recent, self.moves)

    def hand(self, seat: int) -> HandSnapshot:
        """The table for one seat."""
        return HandSnapshot(self.snapshot(), self._views().seat(seat), self.drew.get(seat))

    @property
    def over(self) -> bool:
        return self.state.frame.phase == "over"

    def step(self) -> tuple[int, Move]:
        """Make a random legal move for a random seat; moves that end the preparation are preferred."""
        seats = range(len(self.state.seats))
        moves: list[tuple[int, Move]] = [(seat, move) for seat in seats for move in legal_moves(self.state, seat)]
        views = [seat_view(self.state, seat) for seat in seats if not moves]
        moves += [(view.seat, best_choice(view)) for view in views if view.may_choose]
        steps = [each for each in moves if not isinstance(each[1], Swap | Lay)] or moves
        seat, move = self.rng.choice(steps if self.rng.random() < 0.8 else moves) if moves else (0, Timeout())
        before = self.state
        self.state = apply(before, seat, move)
        hidden = unseen(self.state)
        happened = events(before, seat, move, self.state)
        self.drew = {**self.drew, seat: None} | {each.seat: each for each in happened if isinstance(each, Drew)}
        told = (redact(event, None, unseen=hidden) for event in happened)
        self.recent = (*self.recent, *told)[-RECENT:]
        self.table = self.table.model_copy(update={"revision": self.table.revision + 1})
        self.moves += 1
        return seat, move


def within_limits(screen: Screen) -> None:
    """Assert that Discord would accept this message, and that it is a single container."""
    strict = Components()
    strict.screen(screen)
    assert not strict.problems
    assert [each["type"] for each in screen] == [CONTAINER]


def texts(screen: Screen) -> str:
    """All texts of a message, one below the other."""
    return "\n".join(each["content"] for each in walk(screen) if each["type"] == TEXT)


def described(screen: Screen) -> str:
    """The alt texts of a message's pictures, one below the other."""
    return "\n".join(item["description"] for each in walk(screen) if each["type"] == GALLERY for item in each["items"])


def labels(screen: Screen) -> list[str]:
    """The labels of all buttons, in order."""
    return [each["label"] for each in walk(screen) if each["type"] == BUTTON]


def pressed(screen: Screen) -> list[tuple[str, str]]:
    """Everything that can be pressed or chosen, as (verb, argument)."""
    from cogs.screens.ids import parse_id, plain_value  # noqa: PLC0415 - only this needs them

    found: list[tuple[str, str]] = []
    for each in walk(screen):
        if each["type"] not in {BUTTON, SELECT} or (each["type"] == BUTTON and each.get("disabled")):
            continue
        ids = parse_id(each["custom_id"])
        assert ids is not None, each["custom_id"]
        if each["type"] == BUTTON:
            found.append((ids.verb, ids.argument))
        else:
            verb = "play" if ids.verb == "select" else ids.verb
            found += [(verb, plain_value(option["value"])) for option in each["options"]]
    return found


def replaced(value: Replaced, **changes: Any) -> Replaced:
    """A copy of a view, or of what holds one, with other values."""
    return replace(value, **changes)
