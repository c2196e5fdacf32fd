"""Writes all card faces into a folder, to be looked at: `python -m tools.faces DIR`."""

import sys
from pathlib import Path

from cogs.pictures.card_faces import emoji_set


def main(folder: Path) -> None:
    """Write each face as NAME.png."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, png in emoji_set().items():
        (folder / f"{name}.png").write_bytes(png)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else sys.exit("usage: python -m tools.faces DIR")))
