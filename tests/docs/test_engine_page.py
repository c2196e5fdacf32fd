"""The scripts of docs/engine.md, docs/computer-players.md and docs/without-discord.md play games."""

import re
from pathlib import Path

from data.store import Store
from tables.services import Tables

DOCS = Path(__file__).parents[2] / "docs"


def run_script(page):
    """Run the only script on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    exec(script, {})


def test_the_script_plays_a_game_to_its_end_and_reads_it_again(capsys):
    run_script("engine.md")
    assert re.fullmatch("the shithead is seat [012]\n", capsys.readouterr().out)


def test_the_script_has_a_player_of_ones_own_play_against_the_levels(capsys):
    run_script("computer-players.md")
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"[01]\.\d{3}", "N", line) for line in lines] == [
        f"loses N ± N against {level}" for level in ("easy", "fair", "strong")
    ]


def test_the_script_plays_a_game_at_a_table_without_discord(capsys):
    run_script("without-discord.md")
    assert capsys.readouterr().out == "refused: wrong-phase\ndeclined: unknown-table\n"


async def test_every_call_that_the_page_on_other_front_ends_names_exists(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/tables.sqlite3")
    tables = Tables(store)
    page = (DOCS / "without-discord.md").read_text(encoding="utf-8")
    calls = {*re.findall(r"(?:`|tables\.)(lobby|play|tea|timekeeping|servers)\.([a-z_]+)", page)}
    assert ("play", "hand_since") in calls
    assert [call for service, call in sorted(calls) if not hasattr(getattr(tables, service), call)] == []
    await store.close()
