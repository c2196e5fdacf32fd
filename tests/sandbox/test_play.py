"""A game in a real browser, and what the others see of it."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import discord
import pytest
from playwright.sync_api import expect
from simcord import Env

from data.models import Person as Player
from sandbox.driver import Person
from sandbox.page import ELSEWHERE, FORGOTTEN, FULL, IN_VAIN
from sandbox.player import controls, look, move, play_on
from sandbox.words import words_in
from sandbox.world import found
from testkit.offline import make_house

pytestmark = pytest.mark.browser
NAMES = ("Ann", "Bob", "Cy")
SMALL = {"width": 420, "height": 700}
NEARLY_OUT = 2
"""Cards."""
LIKE_SAFARI = """() => {
    const empty = Element.prototype.replaceChildren;
    Element.prototype.replaceChildren = function (...children) {
        empty.apply(this, children);
        document.body.getBoundingClientRect();
    };
}"""
"""Lays the page out while a message that is being redrawn is empty."""
LATE = """() => {
    const whenDrawn = window.requestAnimationFrame;
    window.requestAnimationFrame = (draw) => whenDrawn(() => {
        document.getElementById("channel-timeline").dispatchEvent(new Event("scroll"));
        draw();
    });
}"""
"""Tells the page late that it has scrolled by itself: when it already draws the next change."""
LASTING = """() => {
    const later = window.setTimeout;
    window.setTimeout = (doing, after, ...rest) => after > 5000 ? 0 : later(doing, after, ...rest);
}"""
"""Has a note that the page shows for some seconds stay until somebody has read it."""


def arrived(window, address, name):
    """In a window no larger than a phone's, which is quicker to draw."""
    return Person.arrive(window, address, name, window=SMALL)


def seated(window, address, names, **options):
    """People before their pages, at a table that the first of them opened."""
    people = {name: arrived(window, address, name) for name in names}
    host, *guests = people.values()
    host.command("/shithead start", **options)
    for guest in guests:
        guest.press(guest.button("Join", guest.public))
    return people


def dealt(people):
    """The same people with their hands open, before the exchange."""
    host, *guests = people.values()
    host.press(host.button("Start", host.public))
    for guest in guests:
        guest.press(guest.button("My hand", guest.public))
    return people


def ready(people):
    """The same people with the game begun."""
    for each in people.values():
        each.press(each.button("Ready", each.private))
    for each in people.values():  # what the others do is on its way to the page
        expect(each.private.last.locator("h1, h2, h3").first).not_to_have_text(re.compile("^Waiting"))
    return people


def labels(locator):
    return [each.strip() for each in locator.all_inner_texts()]


def test_three_people_play_a_game_to_its_end_and_the_tea_is_served(sandbox, window, tmp_path):
    play_until_somebody_is_nearly_out(tmp_path / "tables.sqlite3")
    address = sandbox("--pause", "0").address
    people = {name: arrived(window, address, name) for name in NAMES}
    play_on(people)
    ann = people["Ann"]
    expect(ann.public.last).to_contain_text("is the shithead")
    loser = next(name for name in NAMES if f"{name} is the shithead" in ann.public.last.inner_text())
    winner = people[next(name for name in NAMES if name != loser)]
    expect(winner.public.last).to_contain_text("a cup of tea")
    expect(tea_board(winner)).to_contain_text(f"{loser} · owes")
    winner.command("/tea served")
    winner.press(winner.button("Served", winner.private))
    expect(tea_board(winner)).to_contain_text(f"{loser} · owes nothing")


def test_a_hand_is_opened_however_long_the_page_takes_to_be_clicked(sandbox, window, tmp_path, monkeypatch):
    play_until_somebody_is_nearly_out(tmp_path / "tables.sqlite3")
    monkeypatch.setattr("sandbox.player._GONE", 1)
    assert look(arrived(window, sandbox("--pause", "0").address, "Ann"))


def play_until_somebody_is_nearly_out(file):
    """Leave a game of all three to be kept, begun without a page: each press is drawn for everybody before one."""
    world = found(Env(discord.Client(intents=discord.Intents.default())))

    async def play():
        house = await make_house(f"sqlite:///{file}")
        house.time.at = datetime.now(UTC)
        ann, *guests = (Player(id=each.id, name=name) for name, each in zip(NAMES, world.people, strict=False))
        request = house.by(ann, guild=world.server.id, channel=world.channel.id)
        table = (await house.tables.lobby.open(request, pace="slow")).table.id
        for guest in guests:
            await house.tables.lobby.join(house.by(guest, table))
        await house.tables.play.start(house.by(ann, table))
        while fewest_cards(await house.tables.snapshot(table)) > NEARLY_OUT:
            await house.step(table)
        await house.store.close()

    with ThreadPoolExecutor() as beside:  # in this thread the loop of the browser is running
        beside.submit(asyncio.run, play()).result()


def fewest_cards(snapshot):
    return min(seat.hand + sum(map(len, seat.up)) + len(seat.down) for seat in snapshot.view.seats)


def tea_board(person):
    person.command("/tea owed")
    return person.messages.last


def test_enter_picks_a_command_then_sends_it_and_an_arrow_picks_an_option(sandbox, window):
    ann = arrived(window, sandbox().address, "Ann")
    field, keys = ann.page.locator("#channel-composer-input"), ann.page.keyboard
    field.press_sequentially("/shithead start")
    expect(ann.page.get_by_role("option", name="/shithead start").first).to_be_visible()
    keys.press("Enter")
    expect(ann.page.locator(".command-chip")).to_have_text("/shithead start")
    expect(ann.page.get_by_role("option", name=re.compile("^variant"))).to_be_visible()
    ann.act(lambda: keys.press("Enter"))
    expect(ann.public.last).to_contain_text("Ann · host")
    field.press_sequentially("/shithead start")
    expect(ann.page.get_by_role("option", name="/shithead start").first).to_be_visible()
    keys.press("Enter")
    expect(ann.page.get_by_role("option", name=re.compile("^variant"))).to_be_visible()
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(ann.page.locator(".command-pill-label")).to_have_text("variant")


def test_options_say_what_they_are_for_and_list_their_choices_before_a_letter_is_typed(sandbox, window):
    ann = arrived(window, sandbox().address, "Ann")
    ann.page.locator("#channel-composer-input").press_sequentially("/shithead start")
    ann.page.get_by_role("option", name="/shithead start").first.click()
    expect(ann.page.get_by_role("option", name="forfeit")).to_contain_text("What the loser owes")
    ann.page.get_by_role("option", name=re.compile("^variant")).click()
    expect(ann.page.get_by_role("option", name="Choose three · 2–6 players")).to_be_visible()
    ann.page.locator(".command-option-input[data-option=variant]").press_sequentially("castle")
    expect(ann.page.get_by_role("option", name="Choose three")).to_have_count(0)
    expect(ann.page.get_by_role("option", name="Castle · 2–5 players")).to_be_visible()


def test_the_answer_to_a_command_is_in_sight_wherever_the_page_was_scrolled_to(sandbox, window):
    ann = seated(window, sandbox().address, ("Ann",))["Ann"]
    ann.command("/shithead help")
    ann.public.first.scroll_into_view_if_needed()
    ann.command("/shithead rules")
    expect(ann.messages.last.get_by_role("button", name="Tutorial")).to_be_in_viewport()


@pytest.mark.parametrize("way", [LIKE_SAFARI, LATE], ids=["like Safari", "late"])
def test_whoever_is_at_the_end_of_the_channel_stays_there_in_any_browser(sandbox, window, way):
    ann = seated(window, sandbox().address, ("Ann",))["Ann"]
    ann.command("/shithead help")
    ann.page.evaluate(way)
    ann.command("/shithead tutorial")
    skip = ann.button("Skip this step", ann.private)
    expect(skip).to_be_in_viewport()
    ann.act(skip.click)
    expect(ann.private.last).to_contain_text("Step 2 of 10")
    expect(ann.button("Skip this step", ann.private)).to_be_in_viewport()


def test_what_one_does_shows_on_the_page_of_another_by_itself(sandbox, window):
    people = seated(window, sandbox().address, ("Ann",))
    bob = arrived(window, people["Ann"].page.url, "Bob")
    bob.press(bob.button("Join", bob.public))
    expect(people["Ann"].public.last).to_contain_text("Bob")
    bob.command("/shithead leave")
    expect(people["Ann"].public.last).not_to_contain_text("Bob")


def test_a_computer_plays_alone_with_one_and_its_moves_show_by_themselves(sandbox, window):
    people = seated(window, sandbox("--pause", "0.5").address, ("Ann",), pace="slow")
    ann, dee = people["Ann"], arrived(window, people["Ann"].page.url, "Dee")
    ann.press(ann.button("More", ann.public))
    ann.choose("Add a computer", "Computer, fair", ann.private)
    expect(dee.public.last).to_contain_text("computer")
    ready(dealt(people))
    for _ in range(3):
        before = {page: picture(page).get_attribute("alt") for page in (ann, dee)}
        pass_on(ann)
        moved = re.compile(r"Ann (to play|starts a new pile).*Clara", re.DOTALL)
        for page, words in before.items():
            expect(picture(page)).not_to_have_attribute("alt", words)
            expect(page.public.last).to_contain_text(moved)


def hold(mouse, button):
    """Press a button and hold it; again where the page has moved it in between, as when a message comes below."""
    while True:
        button.hover()
        mouse.down()
        if button.evaluate("each => each.matches(':active')"):
            return
        mouse.move(0, 0)
        mouse.up()


def test_a_press_that_ends_on_the_next_drawing_of_its_button_counts_and_one_that_finds_none_says_so(sandbox, window):
    people = seated(window, sandbox().address, ("Ann",))
    ann, bob = people["Ann"], arrived(window, people["Ann"].page.url, "Bob")
    mouse = ann.page.mouse
    ann.page.evaluate(LASTING)
    hold(mouse, ann.button("Rules", ann.public))
    bob.press(bob.button("Join", bob.public))
    expect(ann.public.last).to_contain_text("Bob")
    ann.act(mouse.up)
    expect(ann.private.last).to_contain_text("Special cards")
    told = ann.page.locator("#in-vain")
    expect(told).to_have_text("")
    hold(mouse, ann.button("Start", ann.public))
    bob.command("/shithead leave")
    expect(ann.public.last).not_to_contain_text("Bob")
    mouse.up()
    expect(told).to_have_text(IN_VAIN)
    start, words = ann.button("Start", ann.public).bounding_box(), told.bounding_box()
    assert abs(start["y"] - words["y"] - words["height"]) < 60, "it stands where the eye is"


def test_a_press_that_a_busy_page_does_not_tell_of_in_time_is_not_made_again(sandbox, window, monkeypatch):
    ann = seated(window, sandbox().address, ("Ann",))["Ann"]
    monkeypatch.setattr("sandbox.driver._REACTION", 1)
    ann.press(ann.button("Rules", ann.public))
    expect(ann.private.last).to_contain_text("Special cards")
    expect(ann.private, "what answered her command, and the rules").to_have_count(2)


def test_a_press_that_ends_on_the_next_drawing_of_a_listed_command_picks_it(sandbox, window):
    people = seated(window, sandbox().address, ("Ann",))
    ann, bob = people["Ann"], arrived(window, people["Ann"].page.url, "Bob")
    ann.page.locator("#channel-composer-input").press_sequentially("/shithead help")
    listed = ann.page.get_by_role("option", name="/shithead help")
    listed.hover()
    before = listed.element_handle()
    ann.page.mouse.down()
    bob.press(bob.button("Join", bob.public))
    ann.page.wait_for_function("before => !before.isConnected", arg=before)
    ann.page.mouse.up()
    expect(ann.page.locator(".command-context-name")).to_have_text("/shithead help")


def pass_on(ann):
    """Play until it is the turn of the computer, which may play before anybody could see that."""
    goes_on = True
    while goes_on:
        expect(ann.private.last.locator("h1, h2, h3").first).to_have_text(words_in("en").mine)
        pressed = move(ann)
        goes_on = re.search("burn|Call", pressed.inner_text())
        ann.press(pressed)


def picture(person):
    """The picture of the table, whose description changes with every move."""
    return person.public.last.locator("figure img")


def test_nobody_elses_page_is_ever_sent_a_private_card(sandbox, window):
    people = seated(window, sandbox().address, ("Ann", "Bob"), pace="slow")
    ann, bob = people.values()
    by_bob, by_ann = noted(bob), noted(ann)
    ann.press(ann.button("Start", ann.public))
    held = in_hand(ann)
    expect(bob.public.last).to_contain_text("ready")
    sent, own = sent_in(by_bob), sent_in(by_ann)
    for card in held:
        assert card in own
        assert card in ann.page.content()
        assert card not in sent
        assert card not in bob.page.content()


def in_hand(person):
    """The cards of an open hand before the exchange: what lies face up comes after them."""
    cards = controls(person)
    expect(cards.nth(5)).to_be_visible()
    return labels(cards)[:3]


def noted(person):
    """The requests of a page from now on, as soon as they are answered."""
    requests = []

    def note(request):
        requests.append(request)

    person.page.on("requestfinished", note)
    return requests


def sent_in(requests):
    """What a page was sent, but for pictures, as somebody reads it: on the way letters beyond ASCII are escaped."""
    answers = [each.response().json() for each in requests if re.search("/api/(?!assets/)", each.url)]
    assert answers
    return json.dumps(answers, ensure_ascii=False)


def test_a_kept_game_goes_on_after_a_restart_and_fresh_forgets_it(sandbox, window):
    first = sandbox()
    people = dealt(seated(window, first.address, ("Ann", "Bob"), pace="slow"))
    exchange(people["Ann"])
    people["Bob"].press(people["Bob"].button("Best three up", people["Bob"].private))
    before = labels(controls(people["Ann"]))
    first.stop()
    second = sandbox()
    people = {name: arrived(window, second.address, name) for name in people}
    for each in people.values():
        table = each.public.filter(has_text="Swap before play")  # after a minute, a reminder may be below it
        expect(table).to_have_count(1)
        each.press(each.button("My hand", table))
    expect(controls(people["Ann"])).to_have_text(before, use_inner_text=True)
    ready(people)
    look(people["Ann"])
    asked = people["Ann"].private.last.locator("h1, h2, h3").first  # it may still be on its way to the page
    expect(asked).to_have_text(re.compile("^(Your turn|Bob|You hold|Who’s got)"))
    second.stop()
    third = sandbox("--fresh")
    ann = arrived(window, third.address, "Ann")
    expect(ann.messages).to_have_count(0)


def test_a_tab_of_an_earlier_run_says_what_to_do_instead_of_staying_empty(sandbox, window):
    first = sandbox()
    ann = arrived(window, first.address, "Ann")
    first.stop()
    second = sandbox("--port", str(first.port))
    assert second.port == first.port
    alone = ann.page.locator("#preview-empty")
    expect(alone).to_have_text(FORGOTTEN)
    ann.page.reload()
    expect(alone).to_have_text(ELSEWHERE)
    expect(alone).to_be_in_viewport()


def test_a_press_on_a_tab_of_an_earlier_run_says_the_same_before_the_tab_has_asked_for_news(sandbox, window):
    first = sandbox()
    ann = arrived(window, first.address, "Ann")
    ann.command("/shithead start")
    expect(ann.button("Join", ann.public)).to_be_visible()
    ann.page.route("**/api/**", lambda asked: asked.abort() if asked.request.method == "GET" else asked.continue_())
    first.stop()
    sandbox("--port", str(first.port))
    ann.button("Join", ann.public).click()
    expect(ann.page.locator("#preview-empty")).to_have_text(FORGOTTEN)


def test_one_tab_too_many_is_said_to_be_so(sandbox, window):
    address = sandbox().address
    page = window.new_page()
    page.route("**/api/pages", lambda asked: asked.fulfill(status=400, json={}))  # as the page does then
    page.goto(address)
    expect(page.locator("#preview-empty")).to_have_text(FULL)


def test_it_can_be_played_where_no_page_may_store_anything(sandbox, window):
    page = window.new_page()
    page.add_init_script("Object.defineProperty(window, 'sessionStorage', { get() { throw new Error(); } })")
    page.goto(sandbox().address)
    expect(page).to_have_title("Ann · #cards")


def test_a_tab_that_is_reloaded_shows_the_same_person(sandbox, window):
    bob = arrived(window, sandbox().address, "Bob")
    shown = bob.page.get_by_label("Viewing as").locator("option:checked")
    bob.page.reload()
    expect(bob.page).to_have_title("Bob · #cards")
    expect(shown).to_have_text("Bob")


def test_an_address_that_was_typed_without_its_end_says_so(sandbox, window):
    page = window.new_page()
    page.goto(sandbox().address.partition("#")[0])
    expect(page.locator("#preview-empty")).to_have_text(ELSEWHERE)


def exchange(person):
    """Tap a card of the hand, then one that lies face up."""
    cards = controls(person)
    expect(cards.nth(5)).to_be_visible()
    held, _, _, up, *_ = labels(cards)
    person.press(cards.nth(0))
    expect(person.private.last).to_contain_text(f"{held} chosen")
    person.press(cards.nth(3))
    expect(person.private.last).not_to_contain_text(f"{held} chosen")
    now = labels(cards)
    assert held in now[3:6]
    assert up in now[:3]
