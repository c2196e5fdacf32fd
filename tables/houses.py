"""The doorway for house rules that a server saved under a name, and for finding rules by what people call them.

Who may save and delete is asked before, from what Discord says of the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from data.errors import FullError, NameTakenError
from data.models import LONGEST_NAME, HouseRule, Table
from game.rules import Rules
from game.variants import variants
from tables.asking import asking
from tables.doorway import Doorway
from tables.lobby import rules_of
from tables.snapshots import Decline, Declined

USUAL: Final = "classic"
"""What is played where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Named:
    """Rules that somebody named: `variant` is what they were made from, `title` the name if they were saved."""

    variant: str
    rules: Rules
    title: str = ""


class Houses(Doorway):
    """Saved house rules."""

    async def house_rules(self, guild_id: int) -> Sequence[HouseRule]:
        """Those of a server, the oldest first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.houses.all(guild_id)

    async def house_rule(self, guild_id: int, called: str) -> HouseRule:
        """The saved rules of this key (`house:3`) or name.

        Raises:
            Declined: there are none, or the store does not answer.
        """
        wanted = called.strip().casefold()
        for each in await self.house_rules(guild_id):
            if wanted in {each.key, each.name.casefold()}:
                return each
        raise Declined(Decline.UNKNOWN_VARIANT)

    async def named(self, guild_id: int, called: str) -> Named:
        """The rules of a variant, or of saved house rules.

        Raises:
            Declined: there are none of this name, or the store does not answer.
        """
        if called in variants():
            return Named(called, rules_of(called))
        found = await self.house_rule(guild_id, called)
        return Named(found.variant, found.rules, found.name)

    async def save_house_rule(self, table: Table, name: str, user_id: int, *, replace: bool = False) -> HouseRule:
        """Save the rules of a table for its server; `name` is cleaned.

        Raises:
            Declined: the name is taken and not to be replaced, there are as many as may be, saving failed.
        """
        if not 1 <= len(name) <= LONGEST_NAME:
            raise Declined(Decline.BAD_NAME)
        draft = HouseRule(
            guild_id=table.guild_id,
            name=name,
            variant=table.variant,
            rules=table.rules,
            saved_by=user_id,
            saved_at=self._now(),
        )
        try:
            with asking():
                return await self._store.houses.save(draft, replace=replace)
        except NameTakenError:
            raise Declined(Decline.NAME_TAKEN) from None
        except FullError:
            raise Declined(Decline.TOO_MANY_HOUSE_RULES) from None

    async def delete_house_rule(self, guild_id: int, rule_id: int) -> None:
        """Delete saved rules; tables that are played by them go on. Whose usual rules they were plays classic again.

        Raises:
            Declined: there are none any more, or saving failed.
        """
        with asking():
            found = await self._store.houses.delete(guild_id, rule_id, USUAL)
        self._settings.pop(guild_id, None)
        if not found:
            raise Declined(Decline.UNKNOWN_VARIANT)
