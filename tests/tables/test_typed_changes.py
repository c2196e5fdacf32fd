"""Changes to models are typed: the type checker rejects a misspelt or mistyped field."""

import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from data.guild_models import GuildChanges, GuildSettings, PreferenceChanges, Preferences
from data.models import Placement, Player, PlayerChanges, Table, TableChanges
from data.tea_models import DebtChanges, TeaDebt
from tables.loaded import LoadedChanges, LoadedTable
from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[2]
CONSTANT = {
    (Table, TableChanges): {"id", "guild_id", "created_at", "polite"},
    (Player, PlayerChanges): {"user_id"},
    (TeaDebt, DebtChanges): {"id", "guild_id", "table_id", "debtor_id", "creditor_ids", "made_at"},
    (GuildSettings, GuildChanges): {"guild_id"},
    (Preferences, PreferenceChanges): {"guild_id", "user_id"},
    (LoadedTable, LoadedChanges): set(),
}
RIGHT = 'table.but(status="over", deadline=None)'
SNIPPET = """
from data.models import Table
from tables.loaded import LoadedTable

def change(table: Table, loaded: LoadedTable) -> object:
    return {change}
"""


@pytest.mark.parametrize(("record", "changes"), CONSTANT, ids=lambda each: each.__name__)
def test_changes_have_the_names_and_types_of_the_model(record, changes):
    names = [each.name for each in fields(record)] if record is LoadedTable else list(record.model_fields)
    types = {name: kind for name, kind in get_type_hints(record).items() if name in names}
    assert get_type_hints(changes) == {name: types[name] for name in names if name not in CONSTANT[record, changes]}


def test_placement_is_part_of_the_changes_of_a_table():
    assert get_type_hints(Placement).items() <= get_type_hints(TableChanges).items()


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """The messages of the strict type checker, by change; all come from one run, as a run takes seconds."""
    folder = tmp_path_factory.mktemp("snippets")
    changes = [RIGHT, *(each for each, _ in WRONG)]
    for number, change in enumerate(changes):
        (folder / f"snippet{number}.py").write_text(SNIPPET.replace("{change}", change), encoding="utf-8")
    paths = {"venvPath": str(ROOT), "venv": ".venv", "extraPaths": [str(ROOT)]}
    config = {"include": ["."], "typeCheckingMode": "strict", "pythonVersion": "3.11", **paths}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(folder)]
    done = run_to_end(*command)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {
        change: [each["message"] for each in found if Path(each["file"]).name == f"snippet{number}.py"]
        for number, change in enumerate(changes)
    }


def test_the_type_checker_accepts_a_correct_change(complaints):
    assert complaints[RIGHT] == []


WRONG = [
    ('table.but(stauts="over")', "stauts"),
    ('table.but(seats="many")', '"seats"'),
    ('table.but(status="finished")', '"status"'),
    ("table.with_player(0, gone=True)", "gone"),
    ('loaded.but(secrets="")', "secrets"),
    ("loaded.but(table=None)", '"table"'),
]


@pytest.mark.parametrize(("change", "named"), WRONG)
def test_the_type_checker_rejects_a_misspelt_or_mistyped_field(complaints, change, named):
    assert complaints[change], change
    assert any(named in each for each in complaints[change])


@pytest.mark.parametrize("room", ["data", "tables"])
def test_no_model_is_copied_with_unchecked_names(room):
    modules = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / room).glob("*.py")}
    assert len(modules) > 10
    assert [name for name, text in modules.items() if "model_copy(update={" in text or "**changes: Any" in text] == []
