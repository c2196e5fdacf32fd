"""The parser of a bench's command line, and the kinds of arguments that benches take.

A value that is none of its kind ends a command with usage and status 2.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from math import isfinite
from typing import Final

MOST: Final = 10**9


def bench_parser(module: str, docstring: str | None) -> ArgumentParser:
    """A parser for `python -m bench NAME`, described by the first line of the bench's docstring (none with `-OO`)."""
    return ArgumentParser(
        prog=f"python -m {module.replace('.', ' ')}", description=(docstring or "").partition("\n")[0]
    )


def whole(text: str, least: int = 0) -> int:
    """A whole number from `least` to `MOST`."""
    if not text.isdecimal() or not least <= int(text) <= MOST:
        raise ArgumentTypeError(f"{text} is not a whole number from {least} to {MOST:,}")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 to `MOST`."""
    return whole(text, 1)


def positives(text: str) -> list[int]:
    """Whole numbers from 1 on, with commas between them."""
    return [positive(each.strip()) for each in text.split(",")]


def above_zero(text: str) -> float:
    """A number above 0, and not without end."""
    number = from_zero(text)
    if not number:
        raise ArgumentTypeError(f"{text} is not above 0")
    return number


def from_zero(text: str) -> float:
    """A number from 0 on, and not without end."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not isfinite(number) or number < 0:
        raise ArgumentTypeError(f"{text} is not a number from 0 on")
    return number
