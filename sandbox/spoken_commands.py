"""Slash commands in the language of whoever types them: SimCord shows and takes the English words alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from simcord import Env

Node = Mapping[str, Any]


def speak_commands(env: Env, locale: str) -> None:
    """Have the page list the commands in a language, and the bot hear of them by their own names, as on Discord."""
    backend = env.backend
    listed = backend.visible_commands

    def visible(**place: Any) -> list[dict[str, Any]]:
        return [spoken(each, locale) for each in listed(**place)]

    vars(backend)["visible_commands"] = visible
    backend.subscribers.insert(0, partial(_hear, env, locale))  # before what passes events on to the bot


def spoken(node: Node, locale: str) -> dict[str, Any]:
    """A command, an option or a choice with the words of a language where it has any."""
    said = {key: (node.get(f"{key}_localizations") or {}).get(locale) for key in ("name", "description")}
    inside = {key: [spoken(each, locale) for each in node[key]] for key in ("options", "choices") if node.get(key)}
    return {**node, **{key: word for key, word in said.items() if word}, **inside}


def heard(data: Node, node: Node, locale: str) -> dict[str, Any]:
    """What somebody sent, with the names that a command and its options were registered by."""
    own = {spoken(each, locale)["name"]: each for each in node.get("options") or []}
    inside = [heard(each, own.get(each["name"], each), locale) for each in data.get("options") or []]
    return {**data, "name": node["name"], **({"options": inside} if "options" in data else {})}


def _hear(env: Env, locale: str, event: str, payload: dict[str, Any]) -> None:
    data = payload.get("data") or {}
    if event == "INTERACTION_CREATE" and "name" in data:
        known = next((each for each in _registered(env) if each["id"] == data.get("id")), None)
        payload["data"] = data if known is None else heard(data, known, locale)


def _registered(env: Env) -> Iterable[Node]:
    return (each for scope in env.backend.commands.values() for each in scope.values())
