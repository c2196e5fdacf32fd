"""Settings of servers and preferences of people, as plain values."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, TypeAlias, TypedDict, Unpack

from pydantic import BaseModel

from game.rules import Rules

USUAL_VARIANT: Final = "classic"
"""The variant that a server plays unless it chooses another."""
HOUSE: Final = "house:"
"""How the key of saved house rules begins; a name must not, or it could be the key of others."""
LONGEST_NAME: Final = 30
"""Most characters in the name of saved house rules."""
MOST_HOUSE_RULES: Final = 10
"""How many house rules a server may save."""
GuildFiles: TypeAlias = dict[str, list[dict[str, Any]]]
"""All data stored about a person in a server, as plain values for export: one list for each kind of row."""


class GuildChanges(TypedDict, total=False):
    """The fields of `GuildSettings` that can change."""

    locale: str | None
    polite: bool
    variant: str
    four_colours: bool
    pictures: bool
    nudge_seconds: int


class GuildSettings(BaseModel, frozen=True):
    """The settings of a server. A `locale` of None follows Discord's; `polite` calls the game Palace everywhere.

    `variant` may also be the key of saved house rules. With `pictures` tables are drawn, otherwise they are text.
    A player is reminded `nudge_seconds` into their turn, or never if it is 0.
    """

    guild_id: int
    locale: str | None = None
    polite: bool = False
    variant: str = USUAL_VARIANT
    four_colours: bool = False
    pictures: bool = True
    nudge_seconds: int = 60

    def but(self, **changes: Unpack[GuildChanges]) -> GuildSettings:
        """A copy with some fields changed."""
        return self.model_copy(update=changes)


def house_key(rule_id: int) -> str:
    """The key of saved house rules, used in place of a variant's id."""
    return f"{HOUSE}{rule_id}"


class HouseRule(BaseModel, frozen=True):
    """House rules that a server saved under a name: the full options, and the variant they are based on.

    `id` is 0 until they are stored.
    """

    guild_id: int
    id: int = 0
    name: str
    variant: str
    rules: Rules
    saved_by: int
    saved_at: datetime

    @property
    def key(self) -> str:
        """The key of these rules, used in place of a variant's id."""
        return house_key(self.id)


class PreferenceChanges(TypedDict, total=False):
    """The fields of `Preferences` that can change."""

    quiet: bool
    called: bool
    digest: bool
    locale: str | None
    refused_at: datetime | None
    four_colours: bool
    text_mode: bool
    uncounted: bool


class Preferences(BaseModel, frozen=True):
    """The choices of a person in a server.

    `quiet` turns off reminders that mention the person, `called` turns on a message when cards are dealt to them.
    `digest` is one direct message a day, in the language `locale`, instead of reminders in slow games; `refused_at` is
    when Discord refused to deliver it. `text_mode` turns off pictures, `uncounted` statistics.
    """

    guild_id: int
    user_id: int
    quiet: bool = False
    called: bool = False
    digest: bool = False
    locale: str | None = None
    refused_at: datetime | None = None
    four_colours: bool = False
    text_mode: bool = False
    uncounted: bool = False

    def but(self, **changes: Unpack[PreferenceChanges]) -> Preferences:
        """A copy with some fields changed."""
        return self.model_copy(update=changes)
