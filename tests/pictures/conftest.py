import pytest

from cogs.pictures import final
from cogs.pictures.text import width
from testkit.colours import hexadecimal


@pytest.fixture
def written(monkeypatch):
    """Every line that is written: its text, its ink, and its two ends."""
    lines = []
    write = final.write

    def note(draw, text, ink, at, *, align="left"):
        long = width(text, ink)
        left = at[0] - {"left": 0, "right": long, "middle": long / 2}[align]
        lines.append((text, ink, left, left + long, at[1]))
        write(draw, text, ink, at, align=align)

    monkeypatch.setattr(final, "write", note)
    return lines


@pytest.fixture
def written_on(monkeypatch):
    """Every line in a picture at the end: its text, its colour, and the colours beneath it."""
    notes = []
    write = final.write

    def note(draw, text, ink, at, *, align="left"):
        left = at[0] - {"left": 0, "right": 1, "middle": 0.5}[align] * width(text, ink)
        place = map(round, (left, at[1] - ink.size / 3, left + width(text, ink), at[1] + ink.size / 3))
        colours = draw._image.crop((*place,)).getcolors(1 << 16)
        notes.append((text, ink.colour, {hexadecimal(colour) for _, colour in colours}))
        write(draw, text, ink, at, align=align)

    monkeypatch.setattr(final, "write", note)
    return notes
