"""Debts for the forger to attack, and a second opinion on who may change one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from data.models import Change, Player, Table
from data.store import Store
from data.tea_models import TeaDebt
from game.rules import Rules
from testkit.made import made_debt
from testkit.rights import Asked

Debts: TypeAlias = Mapping[tuple[int, int], TeaDebt]

MANY: Final = 9
SETTLING: Final = frozenset({"serve", "served", "forgive", "withdraw", "undo"})
VERBS: Final = SETTLING - {"served"} | {"remind", "correct", "setdebt", "debt", "claims", "deeds", "balance"}
_WORDS: Final = ("0", "1", "owed", "served", "forgiven", "cancelled", "serve", "remind", "")


async def lend(store: Store, guild_id: int, people: Sequence[int], rng: random.Random) -> None:
    """Create debts between people, from games that nobody played."""
    for number in range(1, MANY + 1):
        debtor, *creditors = rng.sample(list(people), rng.randint(2, len(people)))
        players = (Player(user_id=debtor, name="", joined_by=number),)
        key = {"id": guild_id % 10**15 * 100 + number, "guild_id": guild_id, "channel_id": number, "host_id": debtor}
        table = Table.model_validate(
            {**key, "players": players, "rules": Rules(), "seats": 6, "created_at": datetime.now(UTC)}
        )
        await store.tables.open(table, "", table.id)
        after = table.but(revision=1, status="aborted")
        debt = new_debt(table, debtor, creditors, rng.choice(("", "=1+1", "*hug*")))
        await store.tables.save(Change(before=table, after=after, at=table.created_at, debt=debt))


def new_debt(
    table: Table, debtor: int, creditors: Iterable[int], forfeit: str = "", at: datetime | None = None
) -> TeaDebt:
    """The debt of a game that is lost at a table, not stored yet."""
    where = {"guild_id": table.guild_id, "table_id": table.id}
    return made_debt(0, debtor, *creditors, **where, forfeit=forfeit, made_at=at or table.created_at)


def id_at_a_debt(verb: str, rng: random.Random) -> str:
    """The id of a button about a debt that is likely to exist."""
    argument = f"{rng.randint(1, MANY + 2)}.{rng.choice(_WORDS)}"
    table_id = rng.choice((0, 0, 0, rng.randrange(1 << 40)))  # a button that names another table changes nothing
    return f"sh:{verb}:{table_id}:{rng.choice((0, 1, 2, 3))}:{argument}"


def wrongs(before: Debts, after: Debts, asked: Asked, *, again: bool) -> list[str]:
    """Changes to debts that the person had no right to make; nobody here may manage a server."""
    found: list[str] = []
    for key, old in before.items():
        new = after[key]
        if (old.changes, old.reminded_at) == (new.changes, new.reminded_at):
            continue  # unchanged, or somebody in it was forgotten, which settles nothing
        verbs = SETTLING if old.changes != new.changes else {"remind"}
        mine = asked.guild == old.guild_id and asked.user in old.creditor_ids and asked.verb in verbs
        if again or not mine or new.changes - old.changes > 1:
            found.append(f"debt {key} from {old.state} to {new.state}")
    return found
