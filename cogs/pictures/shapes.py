"""Shapes as points: the four suits, a star, some signs, and two letters that need another form on a card than in text.

A shape is a tuple of polygons with corners from 0 to 1 in both directions, y downwards; callers stretch it to a box.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

Point: TypeAlias = tuple[float, float]
Polygon: TypeAlias = tuple[Point, ...]
Shape: TypeAlias = tuple[Polygon, ...]
Curve: TypeAlias = tuple[Point, Point, Point]
"""Two control points and the end of a cubic Bézier curve, which starts where the one before ended."""

_STEPS: Final = 24


def _curved(start: Point, *curves: Curve) -> Polygon:
    """Points along a series of cubic curves."""
    points = [start]
    for one, two, end in curves:
        begin = points[-1]
        for step in range(1, _STEPS + 1):
            t = step / _STEPS
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            x, y = (a * begin[i] + b * one[i] + c * two[i] + d * end[i] for i in (0, 1))
            points.append((x, y))
    return tuple(points)


def _mirrored(left: Polygon) -> Polygon:
    """A left half, which must begin and end on the middle line, together with its mirror image."""
    return (*left, *((1 - x, y) for x, y in reversed(left)))


def _circle(x: float, y: float, radius: float) -> Polygon:
    turns = (2 * math.pi * step / 72 for step in range(72))
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


def _star() -> Polygon:
    """A star with five points that fills the box from top to bottom."""
    turns = [math.pi * step / 5 for step in range(10)]
    radii = (1.0, 0.45) * 5  # the points, and the corners between them
    points = [(math.sin(turn) * r, -math.cos(turn) * r) for turn, r in zip(turns, radii, strict=True)]
    left, top, bottom = min(x for x, _ in points), -1.0, max(y for _, y in points)
    return tuple(((x - left) / (-2 * left), (y - top) / (bottom - top)) for x, y in points)


_STALK: Final[Polygon] = _mirrored(_curved((0.5, 0.5), ((0.45, 0.5), (0.44, 0.9), (0.29, 1.0))))

HEART: Final[Shape] = (
    _mirrored(
        _curved(
            (0.5, 0.17),
            ((0.45, 0.06), (0.37, 0.0), (0.265, 0.0)),
            ((0.11, 0.0), (0.0, 0.12), (0.0, 0.3)),
            ((0.0, 0.56), (0.3, 0.72), (0.5, 1.0)),
        )
    ),
)
SPADE: Final[Shape] = (
    _mirrored(
        _curved(
            (0.5, 0.0),
            ((0.44, 0.1), (0.0, 0.4), (0.0, 0.63)),
            ((0.0, 0.76), (0.11, 0.85), (0.24, 0.85)),
            ((0.35, 0.85), (0.44, 0.8), (0.5, 0.68)),
        )
    ),
    _STALK,
)
CLUB: Final[Shape] = (
    _circle(0.5, 0.27, 0.27),
    _circle(0.24, 0.62, 0.24),
    _circle(0.76, 0.62, 0.24),
    ((0.44, 0.35), (0.56, 0.35), (0.6, 0.72), (0.4, 0.72)),
    _STALK,
)
DIAMOND: Final[Shape] = (((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)),)
STAR: Final[Shape] = (_star(),)
JAY: Final[Shape] = (
    (
        (1.0, 0.0),
        *_curved((1.0, 0.64), ((1.0, 0.88), (0.8, 1.0), (0.47, 1.0)), ((0.28, 1.0), (0.12, 0.97), (0.0, 0.9))),
        *_curved((0.07, 0.67), ((0.2, 0.73), (0.3, 0.755), (0.4, 0.755)), ((0.54, 0.755), (0.58, 0.69), (0.58, 0.58))),
        (0.58, 0.0),
    ),
)
"""A J that stands on the baseline and has a hook; the typeface's own descends below it and has none."""
TAIL: Final[Shape] = (((0.44, 0.66), (0.7, 0.58), (1.06, 0.98), (0.76, 1.06)),)
"""Turns an O into a Q that hardly reaches below the baseline."""
FLAME: Final[Shape] = (
    (
        *_curved(
            (0.52, 0.0),
            ((0.56, 0.2), (0.98, 0.38), (0.98, 0.68)),
            ((0.98, 0.88), (0.78, 1.0), (0.5, 1.0)),
            ((0.22, 1.0), (0.02, 0.88), (0.02, 0.66)),
            ((0.02, 0.5), (0.12, 0.42), (0.18, 0.3)),
            ((0.22, 0.38), (0.27, 0.43), (0.34, 0.44)),
            ((0.32, 0.28), (0.38, 0.12), (0.52, 0.0)),
        ),
    ),
)
CROWN: Final[Shape] = (
    ((0.0, 0.18), (0.27, 0.52), (0.5, 0.0), (0.73, 0.52), (1.0, 0.18), (0.9, 0.78), (0.1, 0.78)),
    ((0.1, 0.86), (0.9, 0.86), (0.9, 1.0), (0.1, 1.0)),
)
