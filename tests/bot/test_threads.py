"""A thread is opened for a table; what Discord is asked is noted instead of asked."""

from bot.threads import Threads
from cogs.picture_messages import PublicScreens
from cogs.screens.formatter import FaceEmojis
from tables.services import Tables
from testkit.offline import ANN, Offline

CHANNEL, THREAD, SHOWN = 800, 801, 55


class Slow:
    """A port to which the message of the lobby is sent; before Discord answers, another delivery of it is done."""

    def __init__(self, tables: Tables, table_id):
        self.tables, self.table_id = tables, table_id

    async def send(self, *_, **__):
        await self.tables.timekeeping.threaded(self.table_id, THREAD)
        await self.tables.timekeeping.place(self.table_id, message_id=SHOWN)
        return THREAD

    async def open_thread(self, *_, **__):
        return THREAD


async def test_the_slower_of_two_deliveries_leaves_the_table_where_the_other_has_shown_it(house: Offline):
    table = (await house.tables.lobby.open(house.by(ANN, id=7, channel=CHANNEL), thread=True)).table
    drawing = PublicScreens(FaceEmojis, lambda _guild: "en-GB", lambda *_: False)
    opened = await Threads(house.tables, drawing, Slow(house.tables, table.id)).open_now(table)
    assert (opened.channel_id, opened.message_id) == (THREAD, SHOWN)
