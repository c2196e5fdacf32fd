"""Gives people a language: SimCord itself has everybody speak American English, and lists commands in it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast

from simcord import Env

Node: TypeAlias = Mapping[str, Any]
EMPTY: Final[Node] = {}


def have_all_speak(env: Env, locale: str) -> None:
    """Make every click carry a locale, and have commands listed and typed in its language, as on Discord."""
    backend = env.backend
    listed = backend.visible_commands

    def visible(**place: Any) -> list[dict[str, Any]]:
        return [spoken(each, locale) for each in listed(**place)]

    vars(backend)["visible_commands"] = visible
    backend.subscribers.insert(0, partial(_hear, env, locale))  # before the subscriber that passes events on to the bot


def spoken(node: Node, locale: str) -> dict[str, Any]:
    """A command, an option or a choice with its words in a language, as far as it has any."""
    said = {key: _part(node, f"{key}_localizations").get(locale) for key in ("name", "description")}
    inside = {key: [spoken(each, locale) for each in _parts(node, key)] for key in ("options", "choices")}
    return {
        **node,
        **{key: word for key, word in said.items() if word},
        **{key: each for key, each in inside.items() if each},
    }


def heard(data: Node, node: Node, locale: str) -> dict[str, Any]:
    """What somebody sent, with the names under which the command and its options are registered."""
    own = {spoken(each, locale)["name"]: each for each in _parts(node, "options")}
    inside = [heard(each, own.get(each["name"], each), locale) for each in _parts(data, "options")]
    return {**data, "name": node["name"], **({"options": inside} if "options" in data else {})}


def _part(node: Node, key: str) -> Node:
    """The mapping under a key; empty if there is none."""
    return node.get(key) or EMPTY


def _parts(node: Node, key: str) -> Sequence[Node]:
    """The sequence under a key; empty if there is none."""
    return node.get(key) or ()


def _hear(env: Env, locale: str, event: str, payload: Node) -> None:
    if event != "INTERACTION_CREATE":
        return
    click, data = cast("dict[str, Any]", payload), _part(payload, "data")
    click.update(locale=locale, guild_locale=locale)
    registered = (each for scope in env.backend.commands.values() for each in scope.values())
    if "name" in data and (known := next((each for each in registered if each["id"] == data.get("id")), None)):
        click["data"] = heard(data, known, locale)
