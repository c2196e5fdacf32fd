"""Short private answers: a refusal, a quiet confirmation, somebody else's button."""

from __future__ import annotations

from cogs.screens.components import Accent, Screen, container, lines


def refusal_note(sentence: str) -> Screen:
    """Why something was not done."""
    return container(Accent.RED, [lines(sentence)])


def quiet_note(sentence: str) -> Screen:
    """What was done, or what there is to know."""
    return container(Accent.GREY, [lines(sentence)])


def good_note(sentence: str) -> Screen:
    """What was done, and now somebody can act."""
    return container(Accent.GREEN, [lines(sentence)])
