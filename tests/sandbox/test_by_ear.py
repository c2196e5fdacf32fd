"""The page for somebody who has no mouse, hears it, enlarges it or sees it in the colours of their system."""

import re

import pytest
from playwright.sync_api import expect

from tests.sandbox.test_play import arrived, dealt, ready, seated

pytestmark = pytest.mark.browser
NAMED_BY_HEADING = "article => article.ariaLabel === article.querySelector('h1, h2, h3').innerText"
"""Asked of the page at one moment: the heading changes as the game goes on."""
FILLED_BY_MESSAGES = """() => {
    document.getElementById("channel-composer-input").scrollIntoView({ block: "nearest" });
    const { top, bottom } = document.getElementById("channel-timeline").getBoundingClientRect();
    return Math.min(innerHeight, bottom) - Math.max(0, top) > innerHeight / 2;
}"""
"""Whether messages take more than half of the window of somebody who has scrolled to where they write."""
ENLARGED = {"width": 320, "height": 256}
"""A window of 1280 by 1024 pixels at 400 %."""


def tab_to(person, label):
    """Press Tab until the button with this label has the focus."""
    for _ in range(60):
        person.page.keyboard.press("Tab")
        if person.page.evaluate("() => document.activeElement.textContent.trim()") == label:
            return
    pytest.fail(f"no Tab leads to {label}")


def news(person):
    """What a screen reader has been told."""
    return person.page.locator("#news")


def test_without_a_mouse_the_focus_stays_where_something_was_done(sandbox, window):
    ann = arrived(window, sandbox("--pause", "0").address, "Ann")
    field, keys = ann.page.locator("#channel-composer-input"), ann.page.keyboard
    field.focus()
    keys.type("/shithead start")
    expect(ann.page.get_by_role("option", name="/shithead start").first).to_be_visible()
    keys.press("Enter")
    expect(ann.page.get_by_role("listbox", name="OPTIONS")).to_be_visible()
    ann.act(lambda: keys.press("Enter"))
    expect(field).to_be_focused()
    expect(ann.button("Play against the computer", ann.public)).to_be_visible()
    ann.page.locator("#channel-timeline").focus()
    tab_to(ann, "Play against the computer")
    ann.act(lambda: keys.press("Enter"))
    expect(ann.button("Ready", ann.private.last)).to_be_visible()
    tab_to(ann, "Ready")
    ann.act(lambda: keys.press("Enter"))
    expect(ann.private.last.get_by_role("button", name="Ready")).to_have_count(0)
    expect(ann.private.last).to_be_focused()
    assert ann.private.last.evaluate(NAMED_BY_HEADING)
    keys.press("Space")
    expect(ann.private.last, "a second press of the button, or the next page").to_be_focused()
    keys.press("h")
    expect(field).to_be_focused()


def test_a_select_that_was_chosen_from_keeps_the_focus(sandbox, window):
    ann = seated(window, sandbox().address, ("Ann",))["Ann"]
    ann.press(ann.button("More", ann.public))
    pace = ann.private.last.get_by_role("combobox", name="Pace")
    pace.focus()
    ann.page.keyboard.press("Enter")
    ann.page.keyboard.press("ArrowDown")
    ann.act(lambda: ann.page.keyboard.press("Enter"))
    expect(pace).to_contain_text("6 minutes")
    expect(pace).to_be_focused()


def test_a_listener_is_told_what_is_new_and_not_the_rest_of_the_message(sandbox, window):
    people = seated(window, sandbox().address, ("Ann",))
    ann, bob = people["Ann"], arrived(window, people["Ann"].page.url, "Bob")
    expect(news(ann)).to_contain_text("Ann · host")
    expect(news(bob)).to_be_empty()
    bob.press(bob.button("Join", bob.public))
    expect(news(ann).locator("p").last).to_contain_text("2 of 6 seats")
    expect(news(ann).locator("p").last).not_to_contain_text("The loser")
    expect(ann.page.locator("#channel-timeline")).to_have_attribute("aria-live", "off")
    expect(ann.page).to_have_title("Ann · #cards")


def test_the_button_that_enlarges_the_table_says_what_lies_on_it(sandbox, window):
    people = ready(dealt(seated(window, sandbox().address, ("Ann", "Bob"), pace="slow")))
    expect(people["Ann"].public.last.get_by_role("button", name=re.compile("Bob.*hand 3, face-down 3"))).to_be_visible()


def test_buttons_have_edges_in_the_colours_of_the_system(sandbox, window):
    ann = seated(window, sandbox().address, ("Ann",))["Ann"]
    ann.page.emulate_media(forced_colors="active")
    expect(ann.button("Rules", ann.public)).to_have_css("border-top-width", "1px")


def test_an_enlarged_page_scrolls_until_the_messages_fill_the_window(sandbox, window):
    ann = seated(window, sandbox().address, ("Ann",))["Ann"]
    ann.page.set_viewport_size(ENLARGED)
    ann.page.wait_for_function("() => innerHeight === 256 && simcordPreview.ready")
    ann.page.wait_for_function(FILLED_BY_MESSAGES)
