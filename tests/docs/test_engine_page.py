"""The script of docs/engine.md plays a game."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"


def test_the_script_plays_a_game_to_its_end_and_reads_it_again(capsys):
    (script,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    exec(script, {})
    assert re.fullmatch("the shithead is seat [012]\n", capsys.readouterr().out)
