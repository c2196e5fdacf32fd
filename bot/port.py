"""What the painter wants of Discord, and what can go wrong there, in words of its own. Knows nothing of discord.py."""

from __future__ import annotations

from typing import Any, Protocol


class Port(Protocol):
    """Public messages of a channel. Every method may raise a `PortError`."""

    async def send(self, channel_id: int, drawn: Any, *, ping: int | None = None) -> int:
        """Post a message; its id. `ping` is the one person whom it may mention."""
        ...

    async def edit(self, channel_id: int, message_id: int, drawn: Any) -> None:
        """Draw a message anew."""
        ...

    async def delete(self, channel_id: int, message_id: int) -> None:
        """Take a message away."""
        ...


class PortError(Exception):
    """Discord did not do it."""


class MessageGoneError(PortError):
    """The message was deleted."""


class ChannelGoneError(PortError):
    """The channel or the server was deleted, or the bot was removed from it."""


class ForbiddenError(PortError):
    """The bot may not; `missing` names the permissions it lacks as Discord does, empty where that is not known."""

    def __init__(self, missing: tuple[str, ...] = ()) -> None:
        """Keep what is missing."""
        super().__init__(", ".join(missing))
        self.missing = missing


class TooOldError(PortError):
    """Too many edits of a message that is older than an hour."""


class OverloadedError(PortError):
    """Discord or the way there is ill: it may work in a moment."""


class BannedError(PortError):
    """Too many requests altogether: nothing works for a while."""
