"""Settings of servers and preferences of people, as plain values."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, TypeAlias, TypedDict, Unpack

from pydantic import BaseModel

from game.rules import Rules

USUAL_VARIANT: Final = "classic"
"""The variant that is played if a server chose no other."""
LONGEST_NAME: Final = 30
"""Characters in the name of saved house rules."""
MOST_HOUSE_RULES: Final = 10
"""How many house rules a server may save."""
GuildFiles: TypeAlias = dict[str, list[dict[str, Any]]]
"""What is stored of a person in a server, as plain data for a file: one list for each kind of row."""


class GuildChanges(TypedDict, total=False):
    """What may change of a server's settings."""

    locale: str | None
    polite: bool
    variant: str
    four_colours: bool
    pictures: bool
    nudge_seconds: int
    left_at: datetime | None


class GuildSettings(BaseModel, frozen=True):
    """What a server chose. `locale` None follows the server's own; `polite` is the name Palace everywhere.

    `variant` may also be the key of saved house rules. With `pictures` tables are drawn, else text. Nobody is reminded
    after 0 `nudge_seconds`. `left_at` is when the bot left the server.
    """

    guild_id: int
    locale: str | None = None
    polite: bool = False
    variant: str = USUAL_VARIANT
    four_colours: bool = False
    pictures: bool = True
    nudge_seconds: int = 60
    left_at: datetime | None = None

    def but(self, **changes: Unpack[GuildChanges]) -> GuildSettings:
        """A copy with some fields changed."""
        return self.model_copy(update=changes)


def house_key(rule_id: int) -> str:
    """The key of saved house rules, used in place of a variant's id."""
    return f"house:{rule_id}"


class HouseRule(BaseModel, frozen=True):
    """House rules that a server saved under a name: the full options, and the variant that they were made from.

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
    """What may change of a person's preferences."""

    quiet: bool
    called: bool
    digest: bool
    locale: str | None
    refused_at: datetime | None
    four_colours: bool
    text_mode: bool
    uncounted: bool


class Preferences(BaseModel, frozen=True):
    """What a person chose in a server.

    `quiet` wants no reminder that mentions them, `called` to be told when cards are dealt to them, `digest` one
    direct message a day, in the language `locale`, in place of reminders of slow games; `refused_at` is when Discord
    did not let that through. `text_mode` wants no pictures, `uncounted` no statistics.
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
