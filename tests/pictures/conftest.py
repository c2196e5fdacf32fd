import pytest

from cogs.pictures import board, final
from cogs.pictures.text import width
from testkit.colours import hexadecimal


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


@pytest.fixture
def written_on(monkeypatch):
    """What is written at the end of a game: text, colour, and the colours that were there before."""
    notes = []
    write = board.write

    def note(draw, text, ink, at, *, align="left"):
        left = at[0] - {"left": 0, "right": 1, "middle": 0.5}[align] * width(text, ink)
        place = map(round, (left, at[1] - ink.size / 3, left + width(text, ink), at[1] + ink.size / 3))
        colours = draw._image.crop((*place,)).getcolors(1 << 16)
        notes.append((text, ink.colour, {hexadecimal(colour) for _, colour in colours}))
        write(draw, text, ink, at, align=align)

    for module in (board, final):
        monkeypatch.setattr(module, "write", note)
    return notes
