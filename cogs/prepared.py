"""Prepared component data in the clothes that discord.py's send and edit calls want.

Holds no buttons, so nothing is ever registered.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import discord

import cogs.screens.components as ui


class Prepared(discord.ui.LayoutView):
    """A message that was drawn already. Clicks on it arrive at the router by their ids."""

    def __init__(self, screen: ui.Screen, pictures: Mapping[str, bytes] | None = None) -> None:
        """Take the drawn components and the pictures they show; stopped at once, so that discord.py keeps neither."""
        super().__init__(timeout=None)
        self._screen = screen
        self._pictures = pictures or {}
        self.stop()

    def to_components(self) -> list[dict[str, Any]]:
        """The components as they were drawn."""
        return self._screen

    def files(self) -> list[discord.File]:
        """The pictures, to be sent along once."""
        return [discord.File(BytesIO(data), name) for name, data in self._pictures.items()]

    def has_components_v2(self) -> bool:
        """Always: screens are made of the second version of components."""
        return True

    def is_dispatchable(self) -> bool:
        """Never: the router takes the clicks."""
        return False


class PreparedModal(discord.ui.Modal):
    """A form that was drawn already; what is filled in arrives at the router."""

    def __init__(self, form: ui.Component) -> None:
        """Take the drawn form; stopped at once, as above."""
        super().__init__(title=form["title"], custom_id=form["custom_id"], timeout=None)
        self._fields: list[dict[str, Any]] = form["components"]
        self.stop()

    def to_components(self) -> list[dict[str, Any]]:
        """The fields as they were drawn."""
        return self._fields
