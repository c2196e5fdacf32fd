"""Writes all card faces into a folder, to look at them: `python -m tools.faces DIR`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from cogs.pictures.card_faces import emoji_set
from game.shell import run_command


def main(arguments: Sequence[str]) -> int:
    """Write each face as NAME.png into the folder."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit("usage: python -m tools.faces DIR")
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, png in emoji_set().items():
        (folder / f"{name}.png").write_bytes(png)
    return 0


if __name__ == "__main__":
    run_command(main)
