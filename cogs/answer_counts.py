"""How answers to clicks fared since the start, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Answers:
    """Counts of first answers.

    `late` came too late for Discord, `put_off` asked Discord for time, `refused` said that somebody clicks too fast.
    """

    late: int = 0
    put_off: int = 0
    refused: int = 0
