"""From records to rows and back. Owns how a record is written down; asks nothing of the database.

A table that is no longer in use is written without names (PRIVACY.md): who played is kept by id only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from data.models import Deal, GuildSettings, MatchLine, Player, Result, Table
from data.schema import tables

Row: TypeAlias = Mapping[Any, Any]

_COLUMNS = frozenset(column.name for column in tables.columns) - {"guild_id", "id", "drawn"}


def table_values(table: Table) -> dict[str, Any]:
    """The columns of a table except its key and `drawn`."""
    values: dict[str, Any] = {name: getattr(table, name) for name in _COLUMNS}
    values["rules"] = table.rules.model_dump(mode="json")
    return values | _as_json(table)


def changed_values(before: Table, after: Table) -> dict[str, Any]:
    """Only the columns in which two states of a table differ."""
    if before.rules is after.rules:
        after_values, before_values = _without_rules(after), _without_rules(before)
    else:
        after_values, before_values = table_values(after), table_values(before)
    return {name: value for name, value in after_values.items() if value != before_values[name]}


def _without_rules(table: Table) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(table, name) for name in _COLUMNS - {"rules"}}
    return values | _as_json(table)


def _as_json(table: Table) -> dict[str, Any]:
    return {
        "match": table.match and table.match.model_dump(mode="json"),
        "players": [_written(player, named=table.is_open) for player in table.players],
        "standings": [_written(line, named=table.is_open) for line in table.standings],
        "stop_votes": list(table.stop_votes),
    }


def _written(who: Player | MatchLine, *, named: bool) -> dict[str, Any]:
    written = who.model_dump(mode="json")
    if not named and who.user_id is not None:
        written["name"] = ""
    return written


def read_table(row: Row) -> Table:
    """The table in a row of `tables`.

    Raises:
        pydantic.ValidationError: the row is damaged.
    """
    return Table.model_validate(dict(row))


def read_deal(row: Row) -> Deal:
    """The deal in a row of `games` that was dealt.

    Raises:
        pydantic.ValidationError: the row is damaged.
    """
    return Deal.model_validate({name: row[name] for name in Deal.model_fields})


def read_settings(row: Row) -> GuildSettings:
    """The settings in a row of `guilds`."""
    return GuildSettings.model_validate(dict(row))


def read_result(row: Row, places: tuple[int | None, ...]) -> Result:
    """The result in a row of `results`, with the places that stand in rows of their own."""
    values = dict(row)
    shithead, winner = values.pop("shithead"), values.pop("winner")
    return Result.model_validate(
        {
            **values,
            "places": places,
            "shithead_id": places[shithead - 1] if shithead else None,
            "winner_id": places[winner - 1] if winner else None,
        }
    )


def result_values(result: Result) -> dict[str, Any]:
    """The columns of a result; shithead and winner are written as places, counted from 1."""

    def place_of(user_id: int | None) -> int | None:
        return None if user_id is None else result.places.index(user_id) + 1

    return {
        "guild_id": result.guild_id,
        "table_id": result.table_id,
        "game": result.game,
        "variant": result.variant,
        "shithead": place_of(result.shithead_id),
        "winner": place_of(result.winner_id),
        "moves": result.moves,
        "started_at": result.started_at,
        "ended_at": result.ended_at,
    }
