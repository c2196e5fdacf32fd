"""PRIVACY.md and the schema say the same: every table, every column, and which of them lead to a person."""

import asyncio
import os
import re
import subprocess
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from data.guild_models import Preferences
from data.people_rows import PERSONAL as FORGOTTEN
from data.schema import metadata
from data.store import Store
from tables.server_service import CLICKS_KEPT, GUILD_KEPT
from testkit.stored import put_preferences

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "PRIVACY.md").read_text(encoding="utf-8")
PERSONAL = {"user_id", "host_id", "debtor_id", "settled_by", "saved_by"}
"""Columns that hold the number of a person, whatever their table."""
IMPERSONAL = {
    *("guild_id", "channel_id", "parent_id", "id", "table_id", "debt_id", "message_id", "nudge_id", "call_id"),
    *("interaction_id", "joined_by", "last", "epoch"),
}
"""All other columns with large numbers."""


def described():
    """Every row of the page's tables: (table, columns, whether they lead to a person)."""
    for section in re.split(r"^### ", PAGE.partition("## Every table")[2], flags=re.MULTILINE)[1:]:
        titled = re.findall(r"`(\w+)`", section.partition(":")[0])
        for line in section.splitlines():
            if line.startswith("| `"):
                named, _, personal = (cell.strip() for cell in line.strip("|").split(" | "))
                table, _, columns = named.rpartition(": ")
                yield table.strip("`") or titled[0], re.findall(r"`(\w+)`", columns), personal


def columns(of):
    return {(table, column) for table, named, personal in described() for column in named if of(personal)}


def test_every_column_of_the_schema_is_on_the_page_and_no_other():
    schema = {(table.name, column.name) for table in metadata.sorted_tables for column in table.columns}
    assert columns(lambda _: True) == schema, "*Every table* of PRIVACY.md describes each column, under its table"


def test_a_large_number_is_known_to_be_that_of_a_person_or_not():
    stored = [column for table in metadata.sorted_tables for column in table.columns]
    large = {column.name for column in stored if isinstance(column.type, sa.BigInteger)}
    assert large == PERSONAL | IMPERSONAL, "add it here; that of a person also to PERSONAL in data/people_rows.py"


def test_what_holds_a_persons_number_is_marked_so():
    holding = {(t, c) for t, c in columns(lambda _: True) if c in PERSONAL}
    marked = columns(lambda personal: personal == "yes")
    assert holding <= marked
    belonging = {"guild_id", "debt_id", "forgives", "table_id", "game", "place"}
    for table in ("preferences", "players", "standings"):
        belonging |= {column.name for column in metadata.tables[table].columns}
    assert {column for _, column in marked - holding} <= belonging


def test_who_is_forgotten_is_taken_out_of_every_such_column():
    forgotten = {(column.table.name, column.name) for column in FORGOTTEN}
    schema = {(t.name, c.name) for t in metadata.sorted_tables for c in t.columns if c.name in PERSONAL}
    assert schema == forgotten


def test_the_times_on_the_page_are_those_of_the_program():
    assert timedelta(days=30) == GUILD_KEPT
    assert timedelta(days=7) == CLICKS_KEPT
    assert "30 days after the bot has left" in PAGE
    assert "| 7 days |" in PAGE


async def test_what_hosting_says_deletes_a_person_who_cannot_do_so(tmp_path):
    url, chosen = f"sqlite:///{tmp_path}/it.sqlite3", Preferences(guild_id=5, user_id=1 << 60, text_mode=True)
    store = await Store.open(url)
    await put_preferences(store, chosen)
    await store.close()
    section = (ROOT / "docs/hosting.md").read_text(encoding="utf-8").partition("## Delete a person")[2]
    script = re.search(r"<<'END'\n(.*?)^END$", section, re.MULTILINE | re.DOTALL)[1]
    run = partial(subprocess.run, [sys.executable, "-", str(chosen.user_id)], check=True)
    environment = os.environ | {"DATABASE_URL": url}
    options = {"input": script, "env": environment, "cwd": ROOT, "capture_output": True, "text": True}
    for servers in (1, 0):  # the second time nothing is left
        done = await asyncio.to_thread(run, **options)
        assert done.stdout.startswith(f"deleted\nservers: {servers}, database: ")
        assert "it.sqlite3" in done.stdout
    store = await Store.open(url)
    assert not (await store.people.get(chosen.guild_id, chosen.user_id)).text_mode
    await store.close()
