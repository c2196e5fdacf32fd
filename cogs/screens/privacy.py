"""What is stored of a person: the summary, the file, and the question before it is forgotten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

from cogs.screens.components import Accent, Screen, Style, attached, button, container, divider, h2, lines, row, small
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id

Stored: TypeAlias = Mapping[int, Mapping[str, list[dict[str, Any]]]]
FILE: Final = "my-data.json"


def stored_file(stored: Stored, user_id: int, now: datetime) -> bytes:
    """Everything stored of a person, as JSON. Ids are text: they have more digits than many programs read."""
    servers = {str(guild_id): files for guild_id, files in stored.items()}
    whole = {"person": user_id, "made_at": now.isoformat(timespec="seconds"), "servers": servers}
    return json.dumps(_safe(whole), indent=1, ensure_ascii=False).encode()


def _safe(value: Any) -> Any:
    if isinstance(value, dict):
        found: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _safe(each) for key, each in found.items()}
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_safe(each) for each in items]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and value > 1 << 53 else value


def stored_screen(t: Formatter, stored: Stored, guild_id: int) -> Screen:
    """How much is stored, and what can be done about it."""
    here = stored.get(guild_id, {})
    others = len(set(stored) - {guild_id})
    said = [
        *_counts(t, here),
        t.n("Also in {count} other server", "Also in {count} other servers", others) if others else "",
    ]
    if not stored:
        return container(Accent.BLUE, [lines(h2(t("What I know of you")), t("Nothing at all."))])
    return container(
        Accent.BLUE,
        [
            lines(
                h2(t("What I know of you")),
                t("Numbers that Discord gave to you and to your clicks, and what you did at the tables."),
                small(t("No messages, no e-mail address. Your name only while a table is open.")),
            ),
            divider(),
            lines(*said),
            row(
                button(format_id("export"), t("Download all"), Style.BLURPLE),
                button(format_id("erase"), t("Forget me")),
            ),
        ],
    )


def _counts(t: Formatter, here: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    def many(kind: str) -> int:
        return len(here.get(kind, ()))

    return [
        t("In this server:"),
        t.n("{count} table", "{count} tables", many("tables")),
        t.n("{count} move", "{count} moves", many("moves")),
        t.n("{count} finished game", "{count} finished games", many("results")),
        t.n("{count} debt of yours", "{count} debts of yours", many("owes")),
        t.n("{count} debt to you", "{count} debts to you", many("is_owed")),
        t("your settings") if many("chosen") else "",
    ]


def export_screen(t: Formatter) -> Screen:
    """The file to download."""
    said = t("Everything that is stored of you, in all servers, as JSON.")
    return container(Accent.BLUE, [lines(said), attached(FILE)])


def erase_screen(t: Formatter) -> Screen:
    """The question before somebody is forgotten."""
    return container(
        Accent.RED,
        [
            lines(
                h2(t("Forget you everywhere?")),
                t("Your settings and statistics go. In old games you become *a former player*, in all servers."),
                t("What you owe and are owed stays in the books of the others, without your name."),
                small(t("This cannot be undone, and nobody can find you again in what is left.")),
            ),
            row(
                button(format_id("forget"), t("Forget me"), Style.RED),
                button(format_id("stored"), t("Keep everything")),
            ),
        ],
    )
