import pytest
from PIL import ImageChops

from cogs.pictures.sprites import Canvas
from testkit.colours import hexadecimal


@pytest.fixture
def written(monkeypatch):
    """Every line in a picture at the end: its text, its size, its two ends and its middle, in pixels."""
    lines = []
    write = Canvas.write

    def note(canvas, text, size, colour, at, *, align="left", **most):
        left = _left_of(canvas, text, size, at, align, most)
        lines.append((text, size, left, left + write(canvas, text, size, colour, at, align=align, **most), at[1]))
        return lines[-1][3] - left

    monkeypatch.setattr(Canvas, "write", note)
    return lines


@pytest.fixture
def written_on(monkeypatch):
    """Every line in a picture at the end: its text, its colour, and the colours beneath it."""
    notes = []
    write = Canvas.write

    def note(canvas, text, size, colour, at, *, align="left", **most):
        left = _left_of(canvas, text, size, at, align, most)
        right = left + canvas.width_of(text, size, **most)
        place = map(round, (left, at[1] - size / 3, right, at[1] + size / 3))
        colours = canvas.picture.crop((*place,)).getcolors(1 << 16)
        notes.append((text, colour, {hexadecimal(each) for _, each in colours}))
        return write(canvas, text, size, colour, at, align=align, **most)

    monkeypatch.setattr(Canvas, "write", note)
    return notes


@pytest.fixture
def covered(monkeypatch):
    """A function that gives the lines of a picture of which a part was drawn over later."""
    places = []
    write = Canvas.write

    def note(canvas, text, size, colour, at, *, align="left", **most):
        left = _left_of(canvas, text, size, at, align, most)
        across = write(canvas, text, size, colour, at, align=align, **most)
        edges = map(canvas.pixels, (left, at[1] - size / 2, left + across, at[1] + size / 2))
        places.append((text, canvas.picture, box := (*edges,), canvas.picture.crop(box)))
        return across

    monkeypatch.setattr(Canvas, "write", note)
    return lambda: [
        text for text, picture, box, seen in places if ImageChops.difference(seen, picture.crop(box)).getbbox()
    ]


def _left_of(canvas, text, size, at, align, most):
    return at[0] - {"left": 0, "right": 1, "middle": 0.5}[align] * canvas.width_of(text, size, **most)
