"""`python -m tools.gallery` (`make gallery`): a picture of every screen in every language, into build/gallery.

`tools.gallery_samples` has the states, and the bot itself draws them, on the sandbox's page in a real browser. Each
screen is taken at the width of a phone, at twice the size, and at the width of a desktop. The repository holds only the
few pictures that docs/gallery shows, with those for a desktop in its folder `wide`. `--docs` takes these anew, and puts
two of them side by side for the README.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from PIL import Image
from tqdm import tqdm

from bot.paced_bot import PacedBot
from bot.port import Port
from bot.shards import Shards
from cogs.pictures.card_faces import emoji_set
from cogs.responder import Prepared
from cogs.screens.formatter import Formatter, formatter
from game.shell import run_command
from sandbox.driver import Person, browser
from sandbox.launch import upload
from sandbox.options import SPOKEN, locale_of
from sandbox.pictures import COLOURS, SCALE, Album
from sandbox.stage import on_stage
from sandbox.world import PEOPLE, World, online
from tools.gallery_samples import Samples

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "build" / "gallery"
DOCS: Final = ROOT / "docs" / "gallery"
README: Final = ("table", "hand"), ROOT / "docs" / "pictures" / "game.png"
"""The screens that the README shows side by side, and where."""
MARGIN: Final = 110
"""Device pixels left of a message."""
_HEAD: Final = """# Every screen

In a window 400 pixels wide; click for one of 1,280.
"""

Post = Callable[[Prepared], int]
Draw = Callable[[str], list[tuple[str, Prepared]]]


async def photograph(chromium: str, folder: Path, languages: Iterable[str], only: Collection[str] = ()) -> None:
    """Take every screen, or `only` those named, in these languages; each language gets a folder of its own."""
    client = PacedBot(Shards(count=1))
    drawn = await asyncio.to_thread(emoji_set)
    async with online(client) as (env, world):
        faces, assets = await upload(client, drawn)
        async with on_stage(env, world, 0, assets) as stage:
            port, loop = Port(client), asyncio.get_running_loop()

            def post(view: Prepared) -> int:
                return asyncio.run_coroutine_threadsafe(port.send(world.channel.id, view), loop).result()

            def draw(language: str) -> list[tuple[str, Prepared]]:
                fmt, stage.locale = formatter(language, faces), locale_of(language)  # the page words the times
                drawn = asyncio.run_coroutine_threadsafe(drawn_with(fmt, world), loop).result()
                return [(name, view) for name, view in drawn if not only or name in only]

            await asyncio.to_thread(take, chromium, stage.url, folder, languages, draw, post)


async def drawn_with(fmt: Formatter, world: World) -> list[tuple[str, Prepared]]:
    """All screens with their names, drawn at the current time, because some say how much time is left."""
    samples = Samples([person.id for person in world.people], PEOPLE, datetime.now(UTC))
    return [(name, Prepared(screen, files)) async for name, screen, files in samples.screens(fmt)]


def take(chromium: str, address: str, folder: Path, languages: Iterable[str], draw: Draw, post: Post) -> None:
    """Drive the browser, in a thread of its own."""
    with browser(chromium) as window:
        person = Person.arrive(window, address, PEOPLE[0], scale=SCALE)
        for language in languages:
            (folder / language).mkdir(parents=True, exist_ok=True)
            album = Album(folder / language)
            for name, drawn in tqdm(draw(language), desc=language, unit="screen", disable=None):
                message = person.page.locator(f"#channel-message-list article[data-message-id='{post(drawn)}']")
                message.wait_for()
                album.take(name, person, message)


def page(names: Iterable[str], languages: Iterable[str]) -> str:
    """The page that shows the pictures, in Markdown."""
    languages = list(languages)
    lines = [_HEAD, "| | " + " | ".join(languages) + " |", "|---" * (len(languages) + 1) + "|"]
    for name in names:
        cells = [f"[![{name}, {each}]({each}/{name}-400.png)]({each}/{name}-1280.png)" for each in languages]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def shown_in_docs() -> list[str]:
    """The names of the screens that docs/gallery shows."""
    return sorted(path.stem for path in DOCS.glob("*.png"))


def side_by_side(names: Iterable[str], place: Path) -> None:
    """Join pictures of docs/gallery into one, without the margin left of the messages."""
    found = [Image.open(DOCS / f"{name}.png").convert("RGB") for name in names]
    found = [each.crop((MARGIN, 0, each.width, each.height)) for each in found]
    size = sum(each.width for each in found), max(each.height for each in found)
    picture, at = Image.new("RGB", size, found[0].getpixel((0, found[0].height // 2))), 0
    for each in found:
        picture.paste(each, (at, 0))
        at += each.width
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(place, optimize=True)


def main() -> int:
    """Take all screens, or with `--docs` those of docs/gallery."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chromium", default="chromium", help="the browser")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--languages", nargs="+", choices=SPOKEN, default=SPOKEN)
    parser.add_argument("--docs", action="store_true", help="take only what docs/gallery shows, and put it there")
    found = parser.parse_args()
    only, languages = (shown_in_docs(), ["en"]) if found.docs else ((), found.languages)
    asyncio.run(photograph(found.chromium, found.folder, languages, only))
    for name in only:
        shutil.copy(found.folder / "en" / f"{name}-400.png", DOCS / f"{name}.png")
        shutil.copy(found.folder / "en" / f"{name}-1280.png", DOCS / "wide" / f"{name}.png")
    if found.docs:
        side_by_side(*README)
    names = sorted(path.name.removesuffix("-400.png") for path in (found.folder / languages[0]).glob("*-400.png"))
    (found.folder / "README.md").write_text(page(names, languages), encoding="utf-8")
    print(found.folder / "README.md")
    return 0


if __name__ == "__main__":
    run_command(lambda _: main())
