"""What a test goes on with must be there, and of the right kind; otherwise it fails with a sentence."""

from typing import TypeVar

T = TypeVar("T")


def not_none(thing: T | None) -> T:
    """What must be there."""
    assert thing is not None, "there is nothing"
    return thing


def instance_of(kind: type[T], thing: object) -> T:
    """What must be of a kind."""
    assert isinstance(thing, kind), f"no {kind.__name__}: {thing!r}"
    return thing
