"""In whatever order tasks are woken and the database answers, memory and store agree; a seed draws the order."""

import asyncio
import shutil
from random import Random

import pytest

from data.guild_models import GuildSettings
from data.models import Change
from data.store import Store, database_at
from tables.gameplay import new_secret
from tables.loaded import LoadedTable
from tables.services import Tables
from tables.snapshots import Declined
from testkit.debts import new_debt
from testkit.found import instance_of
from testkit.offline import ANN, BOB, CY, DEE, GUILD, Offline, Time
from testkit.shuffled import ShuffledLoop, shuffled

SEEDS = 16


def test_an_update_that_only_an_unusual_order_loses_is_lost_for_some_seeds():
    async def counted():
        counts = [0]

        async def add(after):
            for _ in range(after):
                await asyncio.sleep(0)
            seen = counts[0]
            await asyncio.sleep(0)
            counts[0] = seen + 1

        await asyncio.gather(add(0), add(3))
        return counts[0]

    assert asyncio.run(counted()) == 2
    assert {shuffled(seed, counted) for seed in range(100)} == {1, 2}


async def lost_by_ann(house: Offline):
    """A game that Ann has lost to Bob and Cy, not loaded; returns its table and the id of the debt."""
    table = (await house.tables.snapshot(await house.game(ANN, BOB, CY))).table
    owed = new_debt(table, ANN.id, (BOB.id, CY.id), at=house.time())
    after, secret = table.but(status="over", revision=table.revision + 1), new_secret(house.chance)
    change = Change(before=table, after=after, at=house.time(), new_secret=secret, debt=owed)
    debt = await house.store.tables.save(change)
    await house.tables._doorway.drop(table.id)
    house.known[table.id] = after
    return table.id, debt.id


async def at_some_time(doing):
    """Do something some turns of the loop later; None if it is declined."""
    for _ in range(instance_of(ShuffledLoop, asyncio.get_running_loop()).rng.randrange(30)):
        await asyncio.sleep(0)
    try:
        return await doing
    except Declined:
        return None


async def after_the_end(house: Offline):
    """All that people can do when a game has ended, at once."""
    table, debt = await lost_by_ann(house)
    tea, play, forget, plain = (
        house.tables.tea,
        house.tables.play,
        house.tables.people.forget,
        GuildSettings(guild_id=GUILD),
    )
    clicks = [house.by(who, table) for who in (BOB, CY, BOB, CY, BOB, CY, DEE)]
    serve, forgive, undo, serve_again, *others = clicks
    settling = tea.serve(serve, debt), tea.forgive(forgive, debt), tea.undo(undo, debt), tea.serve(serve_again, debt)
    asking = play.rematch(others[0]), play.rematch(others[1]), house.tables.lobby.join(others[2])
    choosing = house.tables.servers.choose(plain, plain.but(nudge_seconds=0))
    doing = forget(ANN.id), forget(CY.id), choosing, *settling, *asking
    ann, cy, _, *answers = await asyncio.gather(*map(at_some_time, doing))
    for click, answer in zip(clicks, answers, strict=True):
        assert answer is None or await house.store.clicks.was_applied(GUILD, click.id)
    for person, is_forgotten in ((ANN, ann), (CY, cy)):
        assert not (is_forgotten and await house.store.people.stored(person.id))
    held, stored = [stored_part(await each._doorway.get(table)) for each in (house.tables, house.another())]
    assert held == stored


def stored_part(loaded: LoadedTable):
    """What the store has of a table: no names once its game is over."""
    players = tuple(player.but(name="") for player in loaded.table.players)
    return loaded.table.but(players=players), loaded.settings, loaded.secret, loaded.state, loaded.debt


@pytest.mark.parametrize("seed", range(SEEDS))
def test_memory_and_store_agree_whatever_people_do_at_once_after_a_game(seed, empty_database, tmp_path):
    async def in_house():
        file = shutil.copy(empty_database, tmp_path / "house.sqlite3")
        chance, time, store = Random(seed), Time(), Store(database_at(f"sqlite:///{file}"))
        await after_the_end(Offline("", time, chance, store, Tables(store, randomness=chance, now=time)))
        await store.close()

    shuffled(seed, in_house)
