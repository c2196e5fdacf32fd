"""`python -m sandbox.gallery`: every screen in several languages, for docs/gallery, through the page in a real browser.

The states are written down (`sandbox.samples`), the drawing is the bot's own. Each screen is taken twice: in a window
as wide as a phone's, drawn twice as large, and in one as wide as a desk's. The page has one theme, the dark one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import discord
from tqdm import tqdm

from bot.discord_port import DiscordPort
from cogs.pictures.cards import emoji_set
from cogs.replies import Prepared
from cogs.screens.formatter import Formatter, formatter
from cogs.screens.language import LANGUAGES
from sandbox.driver import Person, browser
from sandbox.house import upload
from sandbox.pictures import Album
from sandbox.samples import Samples
from sandbox.stage import on_stage
from sandbox.world import PEOPLE, World, online

FOLDER: Final = Path(__file__).parents[1] / "docs" / "gallery"
SHOWN: Final = LANGUAGES
BEFORE: Final = {
    "waiting": "The clock wrapped in the middle, a call and the start it led to were told as two things.",
    "exchange": "The second line wrapped between what is asked and the clock.",
    "tea-board": "It said only what is owed: not who has never paid, nor what else than tea, nor where the history is.",
}
"""What was poor, by screen; pictures of it are in the folder `before`."""
_SCALE: Final = 2
_HEAD: Final = """# Every screen

Taken through the sandbox's page in Chromium by `python -m sandbox.gallery`, in a window 400 pixels wide (click for one
of 1,280). The states are written down in `sandbox/samples.py`, the drawing is the bot's own. The page has one theme,
the dark one. Sizes differ a little from Discord's own.
"""

Post = Callable[[Prepared], int]
Draw = Callable[[str], list[tuple[str, Prepared]]]


async def photograph(chromium: str, folder: Path, languages: Iterable[str]) -> None:
    """Take every screen in these languages; each has a folder of its own."""
    client = discord.AutoShardedClient(intents=discord.Intents(guilds=True), shard_count=1)
    drawn = await asyncio.to_thread(emoji_set)
    async with online(client) as (env, world):
        assets = await upload(client, drawn)
        async with on_stage(env, world, 0, assets) as page:
            port, loop = DiscordPort(client), asyncio.get_running_loop()

            def post(view: Prepared) -> int:
                return asyncio.run_coroutine_threadsafe(port.send(world.channel.id, view), loop).result()

            def draw(language: str) -> list[tuple[str, Prepared]]:
                fmt = formatter(language, client.faces)
                return asyncio.run_coroutine_threadsafe(drawn_with(fmt, world), loop).result()

            await asyncio.to_thread(take, chromium, page.url, folder, languages, draw, post)


async def drawn_with(fmt: Formatter, world: World) -> list[tuple[str, Prepared]]:
    """Each screen by its name, as of now: some say how much time is left."""
    samples = Samples([person.id for person in world.people], PEOPLE, datetime.now(UTC))
    return [(name, Prepared(screen, files)) async for name, screen, files in samples.screens(fmt)]


def take(chromium: str, address: str, folder: Path, languages: Iterable[str], draw: Draw, post: Post) -> None:
    """Drive the browser; it has a thread of its own."""
    with browser(chromium) as window:
        person = Person.arrive(window, address, PEOPLE[0], scale=_SCALE)
        for language in languages:
            (folder / language).mkdir(parents=True, exist_ok=True)
            album = Album(folder / language)
            for name, drawn in tqdm(draw(language), desc=language, unit="screen", disable=None):
                message = person.page.locator(f"#channel-message-list article[data-message-id='{post(drawn)}']")
                message.wait_for()
                album.take(name, person, message)


def page(names: Iterable[str], languages: Iterable[str]) -> str:
    """The page that shows them, in Markdown."""
    languages = list(languages)
    lines = [_HEAD, "| | " + " | ".join(languages) + " |", "|---" * (len(languages) + 1) + "|"]
    for name in names:
        cells = [f"[![{name}, {each}]({each}/{name}-400.png)]({each}/{name}-1280.png)" for each in languages]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "## Before and after", "", "| what was poor | before | after |", "|---|---|---|"]
    for name, why in BEFORE.items():
        cells = [f"![{name} {when}]({when}/{name}-400.png)" for when in ("before", "en")]
        lines.append(f"| {why} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Take them all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chromium", default="chromium", help="the browser")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=SHOWN)
    found = parser.parse_args()
    asyncio.run(photograph(found.chromium, found.folder, found.languages))
    taken = sorted((found.folder / found.languages[0]).glob("*-400.png"))
    names = [path.name.removesuffix("-400.png") for path in taken]
    languages = [each for each in LANGUAGES if (found.folder / each).is_dir()]
    (found.folder / "README.md").write_text(page(names, languages), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
