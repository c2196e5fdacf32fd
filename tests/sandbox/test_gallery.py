"""The gallery shows every screen, and every screen of it is one that Discord takes."""

import asyncio
import re
from datetime import UTC, datetime
from functools import cache

import pytest
from PIL import Image

from cogs.screens.components import ACTION_ROW, BUTTON, CONTAINER, walk
from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES
from sandbox.pictures import save
from testkit.made import texts, within_limits
from tools.gallery import DOCS, page, photograph, shown_in_docs
from tools.gallery_samples import Samples

NOW = datetime(2026, 5, 1, 20, tzinfo=UTC)
MOST_BYTES = 150_000
SPOKEN = [each if each == "en" else pytest.param(each, marks=pytest.mark.long) for each in LANGUAGES]
"""English in `make test`, every language in `make long`: to draw all screens takes seconds."""


@cache
def drawn(language):
    """The screens by name; once for all tests, for each takes as long as many a test."""

    async def screens():
        samples = Samples([101, 102, 103, 104], ["Ann", "Bob", "Cy", "Dee"], NOW)
        return {name: screen async for name, screen, _ in samples.screens(formatter(language))}

    return asyncio.run(screens())


@pytest.mark.parametrize("language", SPOKEN)
def test_every_screen_of_the_gallery_is_within_discords_limits(language):
    screens = drawn(language)
    assert screens
    for name, screen in screens.items():
        assert texts(screen).strip(), name
        if screen[0]["type"] == CONTAINER:  # the reminder has none
            within_limits(screen)


def pixels(button):
    """About how many a button takes of a row, the gap to the next included."""
    seen = button["label"].replace("\ufe0e", "")  # it follows a suit and takes no room
    return (58 if "emoji" in button else 30) + sum(14 if ord(each) > 0x2FFF else 6.5 for each in seen)


@pytest.mark.parametrize("language", SPOKEN)
def test_a_phone_breaks_no_row_of_buttons(language):
    screens = drawn(language)
    rows = [
        (name, each["components"]) for name in screens for each in walk(screens[name]) if each["type"] == ACTION_ROW
    ]
    rows = [(name, row) for name, row in rows if row[0]["type"] == BUTTON and len(row) > 1]
    assert len(rows) > 30
    assert not [(name, [each["label"] for each in row]) for name, row in rows if sum(map(pixels, row)) > 290]


@pytest.mark.browser
async def test_pictures_are_taken_in_the_languages_and_widths_asked_for(chromium, tmp_path):
    await photograph(chromium, tmp_path, ["en", "ja"], only={"hand", "table"})
    taken = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.png")}
    widths = (400, 1280)
    assert taken == {
        f"{lang}/{name}-{width}.png" for lang in ("en", "ja") for name in ("hand", "table") for width in widths
    }
    assert all(0 < path.stat().st_size <= MOST_BYTES for path in tmp_path.rglob("*.png"))
    with Image.open(tmp_path / "en" / "hand-400.png") as narrow, Image.open(tmp_path / "ja" / "hand-400.png") as other:
        assert narrow.tobytes() != other.tobytes()


def test_docs_show_a_dozen_screens_that_there_are():
    shown = shown_in_docs()
    assert len(shown) == 12
    assert set(shown) <= set(drawn("en"))
    page = (DOCS / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(([a-z-]+)\.png\)", page)) == set(shown)
    named = {DOCS / each for each in re.findall(r"\(([a-z/-]+\.png)\)", page)}
    assert named == set(DOCS.rglob("*.png"))
    assert all(0 < each.stat().st_size <= MOST_BYTES for each in named)


def test_the_page_has_a_row_for_each_screen_and_a_column_for_each_language():
    *_, row = page(["hand"], ["en", "ja"]).splitlines()
    assert row == (
        "| hand | [![hand, en](en/hand-400.png)](en/hand-1280.png) | [![hand, ja](ja/hand-400.png)](ja/hand-1280.png) |"
    )


@pytest.mark.parametrize(("shrink", "size"), [(False, (300, 200)), (True, (150, 100))])
def test_a_picture_loses_its_empty_edge_and_what_a_screen_does_not_show(shrink, size, tmp_path):
    place = tmp_path / "noise.png"
    Image.effect_noise((500, 200), 50).convert("RGB").save(place)
    save(place.read_bytes(), tmp_path / "x.png", most=300, shrink=shrink)
    with Image.open(tmp_path / "x.png") as found:
        assert found.size == size
        assert found.mode == "P"
