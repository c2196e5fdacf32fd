"""A game as a film: an animated GIF of the table after every move, as everybody saw it or as one seat did.

For each frame only the parts that changed are drawn, and only the pixels that changed are stored.

A GIF rather than a WebP: Discord plays both in the channel, but it resizes an animated WebP of a hundred frames for
several seconds before anybody sees it, which it does not do with a GIF (discord/lilliput #217), and until 2025 it
showed only a still of a WebP (#159). Both start by themselves unless the reader has switched that off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PIL import Image, ImageChops
from PIL.GifImagePlugin import getdata

from cogs.pictures import sprites
from cogs.pictures.layout import CARD_SHAPE, GAP, MARGIN, PADDING, WIDTH, layout_of
from cogs.pictures.palette import ACCENT, PANEL, QUIET, RIM, TEXT, colours, places_in_palette
from cogs.pictures.scene import FaceSet, ScenePlayer, scene_of
from cogs.pictures.sheet import Box, Picture
from cogs.pictures.sprites import Canvas
from cogs.pictures.table_picture import PLAIN, Part, draw_felt, table_parts
from cogs.pictures.text import legible_or
from cogs.screens.components import MOST_BYTES
from cogs.screens.formatter import hand_order
from game.cards import Card
from game.view import SeatView, TableView

ACROSS: Final = 720
"""Width in pixels: what a phone shows, and small enough to load before anybody has scrolled on."""
_CAPTION, _LETTERS = 104, 37
"""Height of the caption's box, and the size of its letters."""
_PROGRESS: Final = 7
"""Height of the progress bar."""
_CARD: Final = 86
"""Width of a card of the hand that is shown below the table."""
_STEP: Final = 90
"""Distance from one card to the next if there is room."""
_MOST_IN_ROW: Final = 24
"""The most cards in a row; with more their ranks would be covered."""
_ROW: Final = 78
"""Distance from one row to the next, which leaves ranks and suits visible."""
_NAME: Final = 40
"""Height of the line with the name."""

_COLOURS: Final = 256
_CLEAR: Final = 255
"""The transparent index in the colour table, which keeps the pixel of the frame before; no colour may have it."""
_WHERE_SAME: Final = [255, *[0] * 255]
"""Lookup table that turns a difference into a mask: opaque where there is no difference."""
_STAYS: Final = 1
"""The GIF's disposal method 1: a frame stays, and the next is drawn on top of it."""
_FOR_EVER: Final = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END: Final = b";"


@dataclass(frozen=True, slots=True, repr=False)
class FilmFrame:
    """The table after a move, as everybody or one seat sees it; its caption says in a sentence or two what happened.

    A moment is shown longer than other frames and left out last. Names in the caption should have passed
    `text.legible_or`, because a caption that cannot be drawn is left out.
    """

    view: TableView | SeatView
    caption: str = ""
    is_moment: bool = False


def film(
    frames: Iterable[FilmFrame], players: Sequence[ScenePlayer], faces: FaceSet = PLAIN, across: int = ACROSS
) -> bytes:
    """Draw a GIF of at most a minute and `MOST_BYTES`, `across` pixels wide or, to stay below that size, less.

    There must be at least one frame. All are of one game, seen by everybody or all by the same seat.
    Takes about a second of processor time.
    """
    all_frames = list(frames)
    times = timed([frame.is_moment for frame in all_frames])
    setting = _FilmLayout([all_frames[nth] for nth, _ in times], players, faces)
    last = max(1, len(all_frames) - 1)
    shots = [(list(setting.parts(all_frames[nth], nth / last)), milliseconds) for nth, milliseconds in times]
    gif = _gif_of(setting, shots, across)
    while len(gif) > MOST_BYTES:
        across = across * 3 // 4
        gif = _gif_of(setting, shots, across)
    return gif


class _FilmLayout:
    """The layout of every frame: the table; below it the hand, if the film is one seat's; then the caption."""

    def __init__(self, frames: Sequence[FilmFrame], players: Sequence[ScenePlayer], faces: FaceSet) -> None:
        """Make room for everything that these frames show."""
        self._players, self._faces = players, faces
        scene = scene_of(_table(frames[0].view), players)
        self.layout = layout_of(len(scene.seats), scene.slot_count)
        down = self.layout.height
        hands = [len(frame.view.hand) for frame in frames if isinstance(frame.view, SeatView)]
        high = _CARD * CARD_SHAPE + (_rows(max(hands, default=0)) - 1) * _ROW + _NAME + PADDING
        self._hand: Box = (MARGIN, down, WIDTH - 2 * MARGIN, high)
        if hands:
            down += self._hand[3] + GAP
        self._caption: Box = (0, down, WIDTH, _CAPTION)
        self.whole: Box = (0, 0, WIDTH, down + _CAPTION)

    def parts(self, frame: FilmFrame, progress: float) -> Iterator[Part]:
        """The parts of a frame; `progress` is how much of the game is over, from 0 to 1."""
        view = frame.view
        yield from table_parts(scene_of(_table(view), self._players), self.layout, self._faces)
        if isinstance(view, SeatView):
            player, cards = self._players[view.seat], sorted(view.hand, key=hand_order)
            owner = legible_or(player.name, player.fallback)
            draw = partial(_draw_hand, owner=owner, cards=cards, box=self._hand, faces=self._faces)
            yield Part(self._hand, RIM, cards, draw)
        caption = legible_or(frame.caption, "")
        draw = partial(_draw_caption, text=caption, progress=progress, box=self._caption)
        yield Part(self._caption, RIM, (caption, progress), draw)


def _table(view: TableView | SeatView) -> TableView:
    return view if isinstance(view, TableView) else view.seen_table


def _rows(cards: int) -> int:
    return max(1, -(-cards // _MOST_IN_ROW))


def _draw_hand(canvas: Canvas, owner: str, cards: Sequence[Card], box: Box, faces: FaceSet) -> None:
    """Draw the cards in rows below the name, each overlapping the next if there are many."""
    left, top, across, _ = box
    canvas.panel(box, 18, PANEL)
    canvas.write(owner, 28, QUIET, (left + PADDING + 4, top + _NAME / 2), most=across - 2 * PADDING)
    rows = _rows(len(cards))
    in_row = max(1, -(-len(cards) // rows))
    step = min(_STEP, (across - 2 * PADDING - _CARD) / max(1, in_row - 1))
    for n, card in enumerate(cards):
        row, nth = divmod(n, in_row)
        count = min(in_row, len(cards) - row * in_row)
        start = left + (across - _CARD - (count - 1) * step) / 2
        sprite = sprites.pile_card(card, "", faces, canvas.pixels(_CARD))
        canvas.lay(sprite, start + nth * step, top + _NAME + row * _ROW)


def _draw_caption(canvas: Canvas, text: str, progress: float, box: Box) -> None:
    left, top, across, down = box
    canvas.fill((left, top + down - _PROGRESS, across * progress, _PROGRESS), ACCENT)
    if text:
        middle = (left + across / 2, top + (down - _PROGRESS) / 2)
        canvas.write_wrapped(text, _LETTERS, TEXT, middle, most=across - 4 * MARGIN)


def _gif_of(setting: _FilmLayout, shots: Sequence[tuple[list[Part], int]], across: int) -> bytes:
    canvas = Canvas(across, setting.whole[3], RIM)
    draw_felt(canvas, setting.layout)
    writer = GifWriter(canvas.picture.size, colours())
    parts_before = [None] * len(shots[0][0])
    changed = [setting.whole]
    for parts, milliseconds in shots:
        # Parts do not overlap and have the same boxes in every frame, so a part that shows the same need not be drawn.
        for part, before in zip(parts, parts_before, strict=True):
            if before is None or part.shows != before.shows:
                canvas.fill(part.box, part.ground)
                part.draw(canvas)
                changed.append(part.box)
        picture, corner = canvas.part(changed or [setting.whole])
        writer.add(places_in_palette(picture), corner, milliseconds)
        parts_before, changed = parts, []
    return writer.finished()


class GifWriter:
    """Writes a GIF that repeats for ever, from pictures of mode L whose values are indices into the colour table.

    Pillow saves a list of whole frames; this takes parts of frames one by one and keeps only the last frame in memory.
    """

    def __init__(self, size: tuple[int, int], colours: bytes) -> None:
        """`colours` is the colour table: up to 255 colours of three bytes each."""
        sides = b"".join(side.to_bytes(2, "little") for side in size)
        self._parts = [b"GIF89a", sides, b"\xf7\0\0", colours.ljust(3 * _COLOURS, b"\0"), _FOR_EVER]
        self._shown = Image.new("L", size, _CLEAR)

    def add(self, part: Picture, corner: tuple[int, int], milliseconds: int) -> None:
        """Add a frame in which only `part` changes, with its upper left corner at `corner`."""
        # By comparison with the last frame this one shrinks to the box of the pixels that changed. Unchanged pixels in
        # that box become transparent, because runs of one value take next to no bytes. A frame without any change is
        # one pixel, for the sake of its duration.
        left, top = corner
        before = self._shown.crop((left, top, left + part.width, top + part.height))
        self._shown.paste(part, corner)
        changed = ImageChops.difference(before, part)
        bounds = changed.getbbox() or (0, 0, 1, 1)
        frame, changed = part.crop(bounds), changed.crop(bounds)
        same = changed.point(_WHERE_SAME)  # pyright: ignore[reportUnknownMemberType] - Pillow's types mention numpy's
        frame.paste(_CLEAR, mask=same)
        place = (left + bounds[0], top + bounds[1])
        self._parts += getdata(frame, place, duration=milliseconds, disposal=_STAYS, transparency=_CLEAR)

    def finished(self) -> bytes:
        """The bytes of the whole file."""
        return b"".join([*self._parts, _END])


# -- how long each frame is shown

MOST_FRAMES: Final = 120
LONGEST: Final = 60_000
"""The longest that a film may last, in milliseconds."""
ORDINARY: Final = 1100
"""Milliseconds for which a short film shows an ordinary frame; a long film shows it for less."""
LAST_FRAME: Final = 5000
"""Milliseconds for which the last frame is shown."""
_MOMENT: Final = 2
"""How many times longer than an ordinary frame a moment is shown."""


def timed(moments: Sequence[bool]) -> list[tuple[int, int]]:
    """Choose the frames to show, by number, each with its milliseconds; `moments` says which frames are moments.

    At most `MOST_FRAMES` are shown: always the first and the last, then moments, then ordinary frames. If there are too
    many of these they are thinned out evenly.
    """
    shown = _chosen(moments)
    weights = [_MOMENT if moments[at] else 1 for at in shown[:-1]]
    each = min(ORDINARY, (LONGEST - LAST_FRAME) / max(1, sum(weights)))
    times = [int(each * weight) // 10 * 10 for weight in weights]
    return list(zip(shown, [*times, LAST_FRAME], strict=True))


def _chosen(moments: Sequence[bool]) -> list[int]:
    count = len(moments)
    if count <= MOST_FRAMES:
        return list(range(count))
    inner = range(1, count - 1)
    lively = _spread([at for at in inner if moments[at]], MOST_FRAMES - 2)
    quiet = _spread([at for at in inner if not moments[at]], MOST_FRAMES - 2 - len(lively))
    return sorted([0, *lively, *quiet, count - 1])


def _spread(items: Sequence[int], most: int) -> list[int]:
    """At most `most` of the items, spread evenly: the last one of each of as many equal runs."""
    count = min(most, len(items))
    return [items[(n + 1) * len(items) // count - 1] for n in range(count)]
