"""The gallery shows every screen, and every screen of it is one that Discord takes."""

from datetime import UTC, datetime

import pytest

from cogs.screens.components import CONTAINER
from cogs.screens.formatter import formatter
from cogs.screens.language import LANGUAGES
from sandbox.gallery import BEFORE, FOLDER, SHOWN, page
from sandbox.samples import Samples
from testkit.made import texts, within_limits

NOW = datetime(2026, 5, 1, 20, tzinfo=UTC)
MOST_BYTES = 150_000


async def drawn(language):
    samples = Samples([101, 102, 103, 104], ["Ann", "Bob", "Cy", "Dee"], NOW)
    return {name: screen async for name, screen, _ in samples.screens(formatter(language))}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_screen_of_the_gallery_is_within_discords_limits(language):
    for name, screen in (await drawn(language)).items():
        assert texts(screen).strip(), name
        if screen[0]["type"] == CONTAINER:  # the reminder has none
            within_limits(screen)


async def test_the_gallery_has_a_picture_of_every_screen_in_every_language_and_width():
    for name in await drawn("en"):
        for language in SHOWN:
            for width in (400, 1280):
                assert 0 < (FOLDER / language / f"{name}-{width}.png").stat().st_size <= MOST_BYTES


async def test_the_page_of_the_gallery_is_the_one_that_is_written():
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == page(sorted(await drawn("en")), SHOWN)
    assert all((FOLDER / "before" / f"{name}-400.png").exists() for name in BEFORE)
