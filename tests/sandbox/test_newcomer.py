"""Somebody who read nothing finds the way from an empty server to a table, in a real browser."""

import pytest
from playwright.sync_api import expect

from sandbox.driver import browser
from sandbox.newcomer import Evening, told
from sandbox.player import heading, is_mine, look, move

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def evening(sandbox, chromium):
    with browser(chromium) as window:
        yield Evening(window, sandbox("--pause", "0").address)


def test_a_newcomer_learns_the_game_and_opens_a_match_with_few_clicks(evening):
    evening.begin()
    learning, gathering = evening.parts
    assert learning.clicks <= 13
    assert gathering.clicks <= 4
    assert "the tutorial, from the help" in "\n".join(told(evening.parts))


def test_an_open_hand_shows_by_itself_whose_turn_it_is(evening):
    ann, bob = evening.ann, evening.bob
    ann.command("/shithead start", pace="slow")
    bob.press(bob.button("Join", bob.public))
    ann.press(ann.button("Start", ann.public))
    expect(bob.private.last).to_contain_text("Best three up")
    for each in (ann, bob):
        each.press(each.button("Ready", each.private))
    waiting, playing = (ann, bob) if is_mine(bob) else (bob, ann)
    for _ in range(4):
        look(playing)
        before = heading(waiting)
        playing.press(move(playing))
        expect(waiting.private.last.locator("h1, h2, h3").first).not_to_have_text(before)
        if is_mine(waiting):
            waiting, playing = playing, waiting
