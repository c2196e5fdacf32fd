"""What the public messages look like: the screens of `cogs`, in the language and look of a server."""

from __future__ import annotations

from collections.abc import Callable

from cogs.end_picture import portrayed
from cogs.replies import Prepared
from cogs.screens.formatter import Faces, Formatter, public_formatter
from cogs.screens.table_screens import nudge_screen, public_screen
from data.guild_models import GuildSettings
from tables.snapshots import TableSnapshot


class Screens:
    """The public screens of a table."""

    def __init__(self, faces: Callable[[], Faces], locale_of: Callable[[int], str]) -> None:
        """`faces` gives the faces of the moment, `locale_of` the language that a server has on Discord."""
        self._faces, self._locale_of = faces, locale_of

    def _formatter_for(self, settings: GuildSettings) -> Formatter:
        return public_formatter(settings, self._faces(), self._locale_of(settings.guild_id))

    def table(self, snapshot: TableSnapshot, settings: GuildSettings) -> Prepared:
        """The one public message of a table."""
        return Prepared(public_screen(self._formatter_for(settings), snapshot))

    async def end(self, snapshot: TableSnapshot, settings: GuildSettings) -> Prepared:
        """The end of a game with its picture."""
        screen, pictures = await portrayed(self._formatter_for(settings), snapshot)
        return Prepared(screen, pictures)

    def nudge(self, snapshot: TableSnapshot, settings: GuildSettings, user_id: int) -> Prepared:
        """The reminder for the person on turn."""
        return Prepared(nudge_screen(self._formatter_for(settings), snapshot, user_id))
