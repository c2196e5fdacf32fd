"""Draws the public messages: the screens of `cogs`, in the language and with the settings of a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogs.picture_messages import end_with_picture, with_picture
from cogs.responder import Prepared
from cogs.screens.formatter import Faces, Formatter, public_formatter
from cogs.screens.joining_screens import thread_name, thread_opening_screen
from cogs.screens.table_screens import begun_screen, nudge_screen, public_screen
from data.guild_models import GuildSettings
from data.models import Table
from tables.snapshots import TableSnapshot


class Screens:
    """The public screens of a table."""

    def __init__(
        self, faces: Callable[[], Faces], locale_of: Callable[[int], str], may_show_pictures: Callable[[int, int], bool]
    ) -> None:
        """Take functions of the bot, which are called for each drawing.

        `faces` returns the current faces, `locale_of` the language of a server on Discord, `may_show_pictures` whether
        pictures are possible in a channel of a server.
        """
        self._faces, self._locale_of, self._may_show_pictures = faces, locale_of, may_show_pictures

    def _formatter_for(self, table: Table, settings: GuildSettings) -> Formatter:
        return public_formatter(settings, self._faces(), self._locale_of(settings.guild_id), polite=table.polite)

    def table(self, snapshot: TableSnapshot, settings: GuildSettings) -> Prepared:
        """The public message of a table, all in words."""
        return Prepared(public_screen(self._formatter_for(snapshot.table, settings), snapshot))

    async def pictured(self, snapshot: TableSnapshot, settings: GuildSettings, shown: int | None) -> Prepared:
        """The public message with a picture of the game or of its end, if pictures are possible.

        `shown` identifies the content of the picture that the message already has, if any.
        """
        table, t = snapshot.table, self._formatter_for(snapshot.table, settings)
        if not (settings.pictures and self._may_show_pictures(table.guild_id, table.channel_id)):
            return self.table(snapshot, settings)
        if table.status == "over":
            return await end_with_picture(t, snapshot)
        if table.status == "playing" and snapshot.view is not None:
            return await with_picture(t, snapshot, snapshot.view, shown)
        return self.table(snapshot, settings)

    def thread(self, table: Table, settings: GuildSettings) -> tuple[str, Prepared]:
        """The name of the thread that a table waits for, and the message in the channel to which it is attached."""
        t = self._formatter_for(table, settings)
        return thread_name(t, table), Prepared(thread_opening_screen(t, table))

    def call(self, snapshot: TableSnapshot, settings: GuildSettings, user_ids: Sequence[int]) -> Prepared:
        """The message that tells these people that cards are dealt."""
        return Prepared(begun_screen(self._formatter_for(snapshot.table, settings), snapshot.table, user_ids))

    def nudge(self, snapshot: TableSnapshot, settings: GuildSettings, user_ids: Sequence[int]) -> Prepared:
        """The reminder for the people for whom the table waits."""
        return Prepared(nudge_screen(self._formatter_for(snapshot.table, settings), snapshot, user_ids))
