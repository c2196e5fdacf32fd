import pytest

from cogs.pictures import board, final
from cogs.pictures.text import width


@pytest.fixture
def written(monkeypatch):
    """What is written: text, ink, and the ends of the line."""
    lines = []
    write = board.write

    def note(draw, text, ink, at, *, align="left"):
        long = width(text, ink)
        left = at[0] - {"left": 0, "right": long, "middle": long / 2}[align]
        lines.append((text, ink, left, left + long, at[1]))
        write(draw, text, ink, at, align=align)

    for module in (board, final):
        monkeypatch.setattr(module, "write", note)
    return lines
