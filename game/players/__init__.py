"""The computer players, which choose moves from nothing but what their seat may see."""

from typing import Literal, TypeAlias

LevelName: TypeAlias = Literal["easy", "fair", "strong", "master"]
"""How well a computer plays."""
