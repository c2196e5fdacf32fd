"""The kinds of arguments that benches take; a value that is none of its kind ends a command with usage and status 2."""

from __future__ import annotations

from argparse import ArgumentTypeError
from math import isnan


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)


def positives(text: str) -> list[int]:
    """Whole numbers from 1 on, with commas between them."""
    return [positive(each.strip()) for each in text.split(",")]


def above_zero(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if isnan(number) or number <= 0:
        raise ArgumentTypeError(f"{text} is not a number above 0")
    return number
