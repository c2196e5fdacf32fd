"""Writes all card faces into a folder, to look at them: `python -m tools.faces DIR`."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from cogs.pictures.card_faces import emoji_set
from game.shell import run_command


def main(arguments: Sequence[str]) -> int:
    """Write each face as NAME.png into the folder."""
    parser = ArgumentParser(prog="python -m tools.faces", description="Write all card faces into a folder.")
    parser.add_argument("folder", metavar="DIR", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, png in emoji_set().items():
        (folder / f"{name}.png").write_bytes(png)
    return 0


if __name__ == "__main__":
    run_command(main)
