"""How colours are seen: contrast as WCAG 2 defines it, and differences, also with red-green colour blindness."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_SIMULATED: Final = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
"""What linear RGB becomes, at full severity: G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-
based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (6), 2009, doi:10.1109/TVCG.2009.113."""
_TO_XYZ: Final = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE: Final = (0.9505, 1.0, 1.089)

Vector = tuple[float, ...]


def hexadecimal(colour: Iterable[int]) -> str:
    """`#RRGGBB` of red, green and blue, 0 to 255 each."""
    return "#{:02X}{:02X}{:02X}".format(*colour)


def _linear(colour: str) -> Vector:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def _times(matrix: Iterable[Vector], vector: Vector) -> Vector:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    dark, light = sorted(_times(_TO_XYZ[1:2], _linear(colour))[0] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def difference_seen(one: str, other: str, vision: str = "usual") -> float:
    """How far apart two colours look: their distance in CIELAB, where 2 can just be seen."""
    seen = (
        _lab(tuple(min(1.0, max(0.0, part)) for part in _times(_SIMULATED[vision], _linear(c)))) for c in (one, other)
    )
    return sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5


def _lab(linear: Vector) -> Vector:
    shown = tuple(min(1.0, max(0.0, part)) for part in linear)
    x, y, z = (_cube(part / white) for part, white in zip(_times(_TO_XYZ, shown), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _cube(part: float) -> float:
    edge = 6 / 29
    return part ** (1 / 3) if part > edge**3 else part / (3 * edge**2) + 4 / 29
