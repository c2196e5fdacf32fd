"""What a store holds, past the questions that the bot asks it."""

from data.game_rows import _game
from data.table_rows import game_key, read_table


async def stored_table(store, id_, guild_id=None):
    """A table as it is stored, None where there is none."""
    return await store._database.read(lambda connection: read_table(connection, id_, guild_id))


async def stored_game(store, table, number):
    """A game of a table as it is stored, None before it is dealt."""
    return await store._database.read(lambda connection: _game(connection, game_key(table, number)))
