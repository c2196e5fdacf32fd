"""Somebody who read nothing finds the way from an empty server to a table, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from sandbox.driver import PATIENCE
from sandbox.newcomer import Evening, told
from sandbox.options import locale_of
from sandbox.player import heading, is_mine, look, move

pytestmark = pytest.mark.browser


@pytest.fixture
def language():
    return "en"


@pytest.fixture
def evening(sandbox, window, language):
    return Evening(window, sandbox("--pause", "0", "--language", language).address, language)


@pytest.mark.parametrize("language", ["de", "ja"])
def test_a_newcomer_learns_the_game_and_opens_a_match_with_few_clicks(evening: Evening):
    evening.begin()
    learning, gathering = evening.parts
    assert learning.clicks <= 13
    assert gathering.clicks <= 4
    assert "the tutorial, from the help" in "\n".join(told(evening.parts))


@pytest.mark.parametrize(("language", "command"), [("en", "/shithead start"), ("ja", "/shithead 開始")])
def test_an_empty_channel_says_how_to_begin_and_takes_what_is_typed_anywhere(evening: Evening, language, command):
    ann = evening.ann
    expect(ann.page.locator("#channel-timeline")).to_have_attribute("lang", locale_of(language))  # to be read aloud in
    empty = ann.page.locator("#channel-empty")
    expect(empty).to_contain_text(command)
    ann.page.locator("#channel-name").click()
    ann.page.keyboard.type(command)
    ann.page.get_by_role("option", name=command).first.click()
    ann.act(ann.page.locator("#send-message").click)
    expect(empty).to_be_hidden()
    expect(ann.page.locator("#channel-topic")).to_contain_text(command)


def test_a_button_under_the_pointer_keeps_its_colour(evening: Evening):
    ann = evening.ann
    ann.command("/shithead start")
    join = ann.button("Join", ann.public)
    expect(join).to_have_css("background-color", "rgb(0, 133, 69)")
    join.hover()
    expect(join).to_have_css("background-color", "rgb(0, 108, 55)")


def test_an_open_hand_shows_by_itself_whose_turn_it_is(evening: Evening):
    ann, bob = evening.ann, evening.bob
    ann.command("/shithead start", pace="slow")
    bob.press(bob.button("Join", bob.public))
    ann.press(ann.button("Start", ann.public))
    expect(bob.private.last).to_contain_text("Best three up")
    ann.press(ann.button("Ready", ann.private))
    preparing = heading(bob)
    bob.press(bob.button("Ready", bob.private))
    expect(shown_heading(bob)).not_to_have_text(preparing)
    expect(shown_heading(ann)).not_to_have_text(re.compile("^Waiting"))
    seen = 0
    while seen < 4:
        waiting, playing = as_hands_say(ann, bob)
        look(playing)
        before, pressed = heading(waiting), move(playing)
        burns = "burn" in pressed.inner_text()
        playing.press(pressed)
        if not burns:
            expect(shown_heading(waiting)).not_to_have_text(before)
            seen += 1


def shown_heading(person):
    return person.private.last.locator("h1, h2, h3").first


def as_hands_say(ann, bob):
    """Who waits and who is to move, as soon as an open hand asks for it; both are asked to call a card of both."""
    for _ in range(10 * PATIENCE):
        mine = [each for each in (ann, bob) if is_mine(each)]
        if mine:
            return (bob, ann) if ann in mine else (ann, bob)
        ann.page.wait_for_timeout(100)
    raise AssertionError(f"{heading(ann)} | {heading(bob)}")
