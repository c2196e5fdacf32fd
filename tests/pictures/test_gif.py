"""The writer of animated GIFs, checked by reading its files with Pillow."""

from io import BytesIO

from PIL import Image, ImageSequence

from cogs.pictures.film import GifWriter
from testkit.found import instance_of

COLOURS = bytes(range(30))
"""Ten colours: (0, 1, 2), (3, 4, 5) and so on."""


def plain(size, place):
    return Image.new("L", size, place)


def read(writer: GifWriter):
    picture = Image.open(BytesIO(writer.finished()))
    return [(each.convert("RGB"), each.info["duration"]) for each in ImageSequence.Iterator(picture)]


def colour(place):
    return tuple(COLOURS[3 * place : 3 * place + 3])


def test_parts_are_shown_on_top_of_the_frame_before():
    writer = GifWriter((6, 4), COLOURS)
    writer.add(plain((6, 4), 1), (0, 0), 500)
    writer.add(plain((2, 2), 5), (3, 1), 700)
    (first, begin), (second, then) = read(writer)
    assert (begin, then) == (500, 700)
    assert first.size == second.size == (6, 4)
    assert {first.getpixel((x, y)) for x in range(6) for y in range(4)} == {colour(1)}
    assert second.getpixel((3, 1)) == second.getpixel((4, 2)) == colour(5)
    assert second.getpixel((2, 1)) == second.getpixel((5, 3)) == colour(1)


def test_a_frame_without_changes_keeps_its_duration():
    writer = GifWriter((6, 4), COLOURS)
    for _ in range(2):
        writer.add(plain((6, 4), 1), (0, 0), 300)
    writer.add(plain((6, 4), 2), (0, 0), 400)
    shown = read(writer)
    assert sum(time for _, time in shown) == 1000
    assert shown[-1][0].getpixel((0, 0)) == colour(2)


def test_right_behind_the_256_colours_comes_the_block_that_makes_it_repeat():
    """Pillow reads a file with something in between; others need not."""
    assert GifWriter((6, 4), COLOURS).finished()[13 + 3 * 256 :].startswith(b"\x21\xff\x0bNETSCAPE2.0")


def test_only_changes_are_stored():
    noisy = Image.frombytes("L", (100, 100), bytes(n * n // 7 % 10 for n in range(10_000)))
    writer = GifWriter((100, 100), COLOURS)
    writer.add(noisy, (0, 0), 100)
    once = len(writer.finished())
    changed = noisy.copy()
    changed.putpixel((50, 50), 9 - instance_of(int, noisy.getpixel((50, 50))))
    writer.add(changed, (0, 0), 100)
    assert len(writer.finished()) - once < 40
