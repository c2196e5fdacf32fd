"""Tables that are taken up after a restart while they are being changed."""

import asyncio
from datetime import timedelta

from testkit.offline import Offline, People


async def test_a_table_is_published_to_the_clock_while_its_message_is_recorded(house: Offline, people: People):
    table = await house.game(*people[:2])
    again, heard = house.another(), []
    again.listeners.append(heard.append)
    await again.snapshot(table)
    real, begun, stored = house.store.tables.place, asyncio.Event(), asyncio.Event()

    async def slowly(*given, **where):
        begun.set()
        await stored.wait()
        await real(*given, **where)

    house.store.tables.place = slowly
    placing = asyncio.create_task(again.timekeeping.place(table, message_id=77))
    await begun.wait()
    waking = asyncio.create_task(again.timekeeping.wake(table, least=timedelta()))
    await asyncio.sleep(0)
    stored.set()
    await asyncio.gather(placing, waking)
    assert [(each.table.message_id, each.news) for each in heard] == [(77, False)]
