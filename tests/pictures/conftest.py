import pytest
from PIL import ImageChops

from cogs.pictures.sprites import Canvas
from testkit.colours import hexadecimal


def watch_writing(monkeypatch, *, before=None, after=None):
    """Call these with each line of a picture: its canvas, text, size, colour, and its left and right end and middle."""
    write = Canvas.write

    def watched(canvas, text, size, colour, at, *, align="left", **most):
        across = canvas.width_of(text, size, **most)
        left = at[0] - {"left": 0, "right": 1, "middle": 0.5}[align] * across
        line = (canvas, text, size, colour, (left, left + across, at[1]))
        if before:
            before(*line)
        written = write(canvas, text, size, colour, at, align=align, **most)
        if after:
            after(*line)
        return written

    monkeypatch.setattr(Canvas, "write", watched)


@pytest.fixture
def written(monkeypatch):
    """Every line in a picture at the end: its text, its size, its two ends and its middle, in pixels."""
    lines = []
    watch_writing(monkeypatch, after=lambda _canvas, text, size, _colour, place: lines.append((text, size, *place)))
    return lines


@pytest.fixture
def written_on(monkeypatch):
    """Every line in a picture at the end: its text, its colour, and the colours beneath it."""
    notes = []

    def note(canvas, text, size, colour, place):
        left, right, middle = place
        box = map(round, (left, middle - size / 3, right, middle + size / 3))
        colours = canvas.picture.crop((*box,)).getcolors(1 << 16)
        notes.append((text, colour, {hexadecimal(each) for _, each in colours}))

    watch_writing(monkeypatch, before=note)
    return notes


@pytest.fixture
def covered(monkeypatch):
    """A function that gives the lines of a picture of which a part was drawn over later."""
    places = []

    def note(canvas, text, size, _colour, place):
        left, right, middle = place
        box = (*map(canvas.pixels, (left, middle - size / 2, right, middle + size / 2)),)
        places.append((text, canvas.picture, box, canvas.picture.crop(box)))

    watch_writing(monkeypatch, after=note)
    return lambda: [
        text for text, picture, box, seen in places if ImageChops.difference(seen, picture.crop(box)).getbbox()
    ]
