"""The tables without Discord: the doorway with a clock that stands still, and people who act through it."""

# pyright: reportPrivateUsage=false
# It looks behind the doorway, to see every card.

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Literal, Self, TypeAlias, Unpack

import pytest

import data.store
from bot.config import Settings
from data.database import Database
from data.game_models import Result
from data.guild_models import PreferenceChanges
from data.models import Person, Table
from data.store import Store
from game.cards import Card
from game.moves import Move, Ready
from game.players import quick_player
from game.rules import Phase
from tables.loaded import LoadedTable
from tables.services import Changed, Tables
from tables.snapshots import Decline, Declined, HandSnapshot, Request, TableSnapshot
from testkit.stored import stored_result

ROOM = 2 << 30
"""Bytes of memory that the databases of a run may take; a container often has far fewer."""


def in_memory() -> Path | None:
    """A folder in memory, if there is one with room, so that thousands of commits wait for no disk.

    A PostgreSQL database has three hundred files. On a disk the system takes long to find a place for each, because it
    avoids those of files that were deleted in the last minute.
    """
    place = Path("/dev/shm")
    return place if place.is_dir() and shutil.disk_usage(place).free > ROOM else None


MEMORY = in_memory()
GUILD, CHANNEL = 900, 800
ANN, BOB, CY, DEE = (Person(id=number, name=name) for number, name in ((1, "Ann"), (2, "Bob"), (3, "Cy"), (4, "Dee")))


Who: TypeAlias = Person | int
"""A person, given as such or by their id."""
People: TypeAlias = tuple[Person, ...]
"""What the fixture `people` gives."""


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def pass_by(self, **duration: float) -> None:
        self.at += timedelta(**duration)


def person(who: Who) -> Person:
    """A person, given as such or by their id."""
    known = {each.id: each for each in (ANN, BOB, CY, DEE)}
    return who if isinstance(who, Person) else known.get(who, Person(id=who, name=f"Person {who}"))


def request_at(table: Table, who: Who, *, id: int, seen: int | None = None, moderator: bool = False) -> Request:  # noqa: A002 - as the field is called
    """A person's request at a table, from its channel; they see its current revision unless `seen` is given."""
    now = table.revision if seen is None else seen
    return Request(id, person(who), table.guild_id, table.channel_id, table.id, now, moderator)


async def prefer(tables: Tables, guild_id: int, user_id: int, **changes: Unpack[PreferenceChanges]) -> None:
    """Change some preferences of a person in a server, who sees those that are stored."""
    seen = await tables.people.preferences(guild_id, user_id)
    await tables.people.choose(seen, seen.but(**changes))


@dataclass
class Offline:
    """The doorway with its clock, and the clicks that people make."""

    url: str
    time: Time
    chance: Random
    store: Store
    tables: Tables
    heard: list[Changed] = field(default_factory=list[Changed])
    known: dict[int, Table] = field(default_factory=dict[int, Table])
    clicks: count[int] = field(default_factory=lambda: count(10_000))

    def __post_init__(self) -> None:
        self.tables.listeners.extend((self.heard.append, self.learn))

    def learn(self, changed: Changed) -> None:
        """Remember the latest state of a table."""
        self.known[changed.table.id] = changed.table

    def click(self) -> int:
        """The id of an interaction that nobody has used yet."""
        return next(self.clicks)

    def by(
        self,
        who: Who,
        table: int = 0,
        *,
        id: int | None = None,  # noqa: A002 - as the field is called
        seen: int | None = None,
        moderator: bool = False,
        channel: int | None = None,
        guild: int = GUILD,
    ) -> Request:
        """A person's request at the latest revision of a table that they could know, from its channel."""
        number, known = self.click() if id is None else id, self.known.get(table)
        if known:
            request = request_at(known, who, id=number, seen=seen, moderator=moderator)
            return replace(request, channel_id=channel or known.channel_id)
        return Request(number, person(who), guild, channel or CHANNEL, table, seen or 0, moderator)

    def another(self, store: Store | None = None) -> Tables:
        """A second doorway on the same database, like that of another process."""
        tables = Tables(store or self.store, randomness=self.chance, now=self.time)
        tables.listeners.append(self.learn)
        return tables

    def loaded(self, table: int, tables: Tables | None = None) -> LoadedTable | None:
        """A table as the doorway holds it, with every card."""
        return (tables or self.tables)._doorway.peek(table)

    async def lobby(self, *people: Who, computers: int = 0, channel: int = CHANNEL, **wishes: Any) -> int:
        host, *others = people
        snapshot = await self.tables.lobby.open(self.by(host, channel=channel), **wishes)
        for person in others:
            await self.tables.lobby.join(self.by(person, snapshot.table.id))
        for _ in range(computers):
            await self.tables.lobby.add_computer(self.by(host, snapshot.table.id))
        return snapshot.table.id

    async def game(self, *people: Who, **wishes: Any) -> int:
        table = await self.lobby(*people, **wishes)
        await self.tables.play.start(self.by(people[0], table))
        return table

    async def hand(self, table: int, user: Who, tables: Tables | None = None) -> HandSnapshot:
        """The hand of somebody, as the doorway shows it."""
        return await (tables or self.tables).play.hand(self.by(user, table))

    async def ready(self, table: int, tables: Tables | None = None) -> None:
        """Make everybody ready who is not; computers do so in turns of their own."""
        snapshot = await (tables or self.tables).snapshot(table)
        for player in snapshot.table.players:
            if player.user_id and not player.left:
                hand = await self.hand(table, player.user_id, tables)
                if hand.view.may_choose:
                    hand = await self.choose(table, player.user_id, tables)
                if hand.view.table.phase == "exchange" and Ready() in hand.view.moves:
                    await self.act(table, player.user_id, Ready(), tables)

    async def in_play(self, *people: Who, **wishes: Any) -> int:
        """Start a game and bring it to the first play."""
        table = await self.game(*people, **wishes)
        await self.ready(table)
        while await self._phase(table) != "play":
            await self.step(table)
        return table

    async def _phase(self, table: int) -> Phase:
        view = (await self.tables.snapshot(table)).view
        assert view is not None, "no game is running"
        return view.phase

    async def choose(self, table: int, user: Who, tables: Tables | None = None) -> HandSnapshot:
        """Make the move that the quick player would make for somebody."""
        hand = await self.hand(table, user, tables)
        return await self.act(table, user, quick_player.choose(hand.view, self.chance), tables)

    async def act(self, table: int, user: Who, move: Move, tables: Tables | None = None) -> HandSnapshot:
        tables = tables or self.tables
        seen = (await tables.snapshot(table)).table.revision
        return await tables.play.act(self.by(user, table, seen=seen), move)

    async def step(self, table: int, tables: Tables | None = None) -> bool:
        """Make one move for somebody, for a computer if it is due; returns whether the game was still running."""
        tables = tables or self.tables
        if (await tables.snapshot(table)).table.status != "playing":
            return False
        if await tables.timekeeping.computer_turn(table):
            return True
        for player in (await tables.snapshot(table)).table.players:
            if player.user_id and not player.left:
                view = (await self.hand(table, player.user_id, tables)).view
                if view.moves or view.may_choose or view.may_swap:
                    await self.choose(table, player.user_id, tables)
                    return True
        self.time.pass_by(days=2)
        await tables.timekeeping.time_up(table)
        return True

    async def again(self, table: int, user: Who, tables: Tables | None = None, **request: Any) -> TableSnapshot:
        """Ask for another game as `user`, and accept as everybody who is asked."""
        tables = tables or self.tables
        snapshot = await tables.play.rematch(self.by(user, table, **request))
        for player in snapshot.table.unanswered:
            assert player.user_id is not None, "only people are asked"
            snapshot = await tables.lobby.join(self.by(player.user_id, table))
        return snapshot

    async def result(self, table: int, game: int = 1) -> Result | None:
        """How a game of a table ended; None while it runs or if it was stopped."""
        return await stored_result(self.store, (await self.tables.snapshot(table)).table, game)

    async def finish(self, table: int, tables: Tables | None = None) -> TableSnapshot:
        while await self.step(table, tables):
            pass
        return await (tables or self.tables).snapshot(table)


def settings_without_file(**given: Any) -> Settings:
    """The settings as given and as the environment has them, not as a file `.env` does."""
    values: dict[str, Any] = {"_env_file": None, **given}
    return Settings(**values)


async def make_house(url: str) -> Offline:
    time, chance = Time(), Random(1)
    store = await Store.open(url)
    tables = Tables(store, randomness=chance, now=time)
    return Offline(url, time, chance, store, tables)


@contextmanager
def up_to_date() -> Generator[None]:
    """Within it, a database that is opened is not compared with the schema: a copy of the empty one has it."""

    async def nothing(_: Database) -> None:
        """Upgrade nothing."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data.store, "upgrade", nothing)
        yield


@pytest.fixture
async def house(tmp_path: Path, empty_database: Path) -> AsyncGenerator[Offline]:
    shutil.copy(empty_database, tmp_path / "house.sqlite3")
    with up_to_date():
        house = await make_house(f"sqlite:///{tmp_path}/house.sqlite3")
    yield house
    await house.store.close()


class Refused:
    """A context manager that expects the doorway to decline, and checks the reason."""

    def __init__(self, why: Decline) -> None:
        self.why = why
        self.declined: Declined | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> Literal[True]:
        assert isinstance(error, Declined), f"not declined: {error!r}"
        assert error.why is self.why, error.why
        self.declined = error
        return True


@pytest.fixture
def refused() -> type[Refused]:
    return Refused


@pytest.fixture
def people() -> People:
    return ANN, BOB, CY, DEE


@pytest.fixture
def cards() -> Callable[[LoadedTable], Counter[Card]]:
    """Counts every card of a game, wherever it lies."""

    def counted(live: LoadedTable) -> Counter[Card]:
        state = live.state
        assert state is not None, "no game is running"
        places = [*state.stock, *(bit for seat in state.seats for bit in seat.down)]
        found = [card for bit in places for card in state.book.cards(bit)]
        for mask in (
            state.held,
            state.burned,
            *(seat.hand for seat in state.seats),
            *(seat.up for seat in state.seats),
        ):
            found += state.book.cards(mask)
        return Counter(found)

    return counted
