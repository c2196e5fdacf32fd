"""Draws the public messages: the screens of `cogs`, in the language and with the settings of a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogs.asker import Prepared
from cogs.screens.formatter import Faces, Formatter, public_formatter
from cogs.screens.joining_screens import doorpost_screen, thread_name
from cogs.screens.table_screens import call_screen, nudge_screen, public_screen
from cogs.table_pictures import portrayed, with_picture
from data.guild_models import GuildSettings
from data.models import Table
from tables.snapshots import TableSnapshot


class Screens:
    """The public screens of a table."""

    def __init__(
        self, faces: Callable[[], Faces], locale_of: Callable[[int], str], may_show_pictures: Callable[[int, int], bool]
    ) -> None:
        """Ask the bot for what it knows of a server.

        `faces` gives the faces of the moment, `locale_of` the language that a server has on Discord,
        `may_show_pictures` whether there may be pictures in a channel of it.
        """
        self._faces, self._locale_of, self._may_show_pictures = faces, locale_of, may_show_pictures

    def _formatter_for(self, table: Table, settings: GuildSettings) -> Formatter:
        return public_formatter(settings, self._faces(), self._locale_of(settings.guild_id), polite=table.polite)

    def table(self, snapshot: TableSnapshot, settings: GuildSettings) -> Prepared:
        """The one public message of a table, all in words."""
        return Prepared(public_screen(self._formatter_for(snapshot.table, settings), snapshot))

    async def pictured(self, snapshot: TableSnapshot, settings: GuildSettings, shown: int | None) -> Prepared:
        """The same with a picture of the game or of its end, if there may be one.

        `shown` is what the picture shows that the message has, if it has any.
        """
        table, t = snapshot.table, self._formatter_for(snapshot.table, settings)
        if not (settings.pictures and self._may_show_pictures(table.guild_id, table.channel_id)):
            return self.table(snapshot, settings)
        if table.status == "over":
            return await portrayed(t, snapshot)
        if table.status == "playing" and snapshot.view is not None:
            return await with_picture(t, snapshot, snapshot.view, shown)
        return self.table(snapshot, settings)

    def thread(self, table: Table, settings: GuildSettings) -> tuple[str, Prepared]:
        """The name of the thread that a table waits for, and the message in the channel that it hangs on."""
        t = self._formatter_for(table, settings)
        return thread_name(t, table), Prepared(doorpost_screen(t, table))

    def call(self, snapshot: TableSnapshot, settings: GuildSettings, user_ids: Sequence[int]) -> Prepared:
        """What tells them that cards are dealt."""
        return Prepared(call_screen(self._formatter_for(snapshot.table, settings), snapshot.table, user_ids))

    def nudge(self, snapshot: TableSnapshot, settings: GuildSettings, user_ids: Sequence[int]) -> Prepared:
        """The reminder for those whom the table waits for."""
        return Prepared(nudge_screen(self._formatter_for(snapshot.table, settings), snapshot, user_ids))
