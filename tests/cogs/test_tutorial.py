"""The tutorial: ten steps by clicks, in every language, with neither a table nor stored state."""

import pytest
from simcord import ResponseMessage

from cogs.screens.components import BUTTON, Style, walk
from cogs.screens.formatter import formatter
from cogs.screens.ids import format_id, parse_id
from cogs.screens.language import LANGUAGES
from cogs.screens.lesson_screens import LAST_PAGE, STEPS, done_words, lesson_screen, refused_words
from game.lessons import LESSONS, moves_of, tap
from testkit.channel import DRAWN, Room, ids_on
from testkit.made import labels, texts, within_limits

LABEL = 34


async def begun(room: Room, command="shithead tutorial"):
    result = await room.people[0].slash(room.channel, command)
    assert result.response.ephemeral
    return result.response


SWAPS = {1: ("Td", "4c"), 2: ("Td", "Qh"), 3: ("6s", "4c")}
"""Taps in the exchange: a card of the hand, then a face-up card; the first pair is right."""


async def tapped(room: Room, page: ResponseMessage, step, nth, person=0, polite=False):
    taps = [str(nth)]
    if step == 1:
        first, second = SWAPS[nth]
        taps = [first, first + second]
    for each in taps:
        await room.people[person].click(page, custom_id=f"sh:lesson:{int(polite)}:{step}:{each}")


async def test_ten_right_taps_lead_through_the_whole_game(room: Room):
    page = await begun(room)
    for step in range(1, STEPS + 1):
        assert f"Step {step} of 10" in texts(page.components)
        await tapped(room, page, step, 1)
    said = texts(page.components)
    assert "You flipped Q♠︎. You won: you were first out.\u00a0✓" in said
    assert "## Clara is the shithead" in said
    assert "You won: you got rid of all your cards first." in said
    assert "At a real table, Clara would now owe you a cup of tea 🍵" in said, "a computer owes nothing"
    assert labels(page.components)[:2] == ["Open a table", "Play against the computer"]
    assert await room.tables.play.in_channel(room.guild.id, room.channel.id) is None


@pytest.mark.parametrize("step", range(1, STEPS + 1), ids=[each.name for each in LESSONS])
async def test_every_wrong_tap_is_refused_as_in_a_game_and_stays_on_the_page(room: Room, step):
    page = await begun(room)
    await room.people[0].click(page, custom_id="sh:lesson:0:2")
    if step != 2:
        await skip_to(room, page, step)
    for nth in range(2, len(LESSONS[step - 1].taps) + 1):
        await tapped(room, page, step, nth)
        said = texts(page.components)
        assert said.startswith("**")
        assert f"Step {step} of 10" in said
    await tapped(room, page, step, 1)
    assert f"Step {step + 1} of 10" in texts(page.components) or step == STEPS


async def skip_to(room: Room, page: ResponseMessage, step):
    at = 2
    while at != step:
        at += 1 if step > at else -1
        await room.people[0].click(page, custom_id=f"sh:lesson:0:{at}")


async def test_a_refusal_says_why_and_what_could_be_played(room: Room):
    page = await begun(room)
    for step in (2, 3):
        await room.people[0].click(page, custom_id=f"sh:lesson:0:{step}")
    await tapped(room, page, 3, 2)
    assert texts(page.components).startswith("**5♣︎ is too low.** The pile asks for 7 or higher. You could play a 9.")


async def test_back_and_skip_turn_the_pages(room: Room):
    page = await begun(room)
    assert labels(page.components)[-1:] == ["Skip this step"]
    for step in range(2, LAST_PAGE + 1):
        await room.people[0].click(page, label="Skip this step")
        assert step == LAST_PAGE or f"Step {step} of 10" in texts(page.components)
    assert texts(page.components).startswith("## Shithead: get rid of your cards\nWhoever loses is the shithead.\n")
    assert "You won" not in texts(page.components), "skipping steps wins nothing"
    await room.people[0].click(page, label="Back")
    assert "Step 10 of 10" in texts(page.components)
    await room.people[0].click(page, label="Skip this step")
    await room.people[0].click(page, label="From the beginning")
    assert "Step 1 of 10" in texts(page.components)


async def test_what_was_done_is_told_on_the_next_page(room: Room):
    page = await begun(room)
    for step in (2, 3):
        await room.people[0].click(page, custom_id=f"sh:lesson:0:{step}")
    await tapped(room, page, 3, 1)
    assert texts(page.components).startswith("-# You played a nine. You drew K♣︎. Clara played a jack.\u00a0✓")


async def test_the_tutorial_is_one_tap_from_the_rules_of_a_lobby_and_from_the_help(room: Room):
    lobby = await room.open(seats=2)
    rules = await room.press(room.people[1], lobby, "rules")
    helped = await room.people[1].slash(room.channel, "shithead help")
    for page in (rules.response, helped.response):
        before = texts(page.components)
        lesson = await room.people[1].click(page, label="Tutorial")
        assert lesson.response.ephemeral
        assert "Step 1 of 10" in texts(lesson.response.components)
        assert texts(page.components) == before


async def test_the_opponent_is_introduced_once_and_skip_is_labelled_as_skipping_a_step(room: Room):
    page, who, steps = await begun(room), "You play against Clara, a computer.", []
    for _ in range(STEPS):
        steps.append(who in texts(page.components))
        await room.people[0].click(page, label="Skip this step")
    assert [step for step, said in enumerate(steps, 1) if said] == [2]


async def test_the_exchange_of_the_tutorial_takes_two_taps_as_in_a_game(room: Room):
    page = await begun(room)
    assert all(each not in ids_on(page) for each in ("sh:lesson:0:1:4c", "sh:lesson:0:1:Qh")), "first a hand card"
    await room.people[0].click(page, custom_id="sh:lesson:0:1:Td")
    assert "### Hand: 10♦︎ chosen" in texts(page.components)
    assert "### Swap 10♦︎ with which face-up card?" in texts(page.components)
    assert "10♦︎ ✓" in labels(page.components)
    await room.people[0].click(page, custom_id="sh:lesson:0:1:TdQh")
    assert texts(page.components).startswith("**Put the 10 on the table and take the 4.**")
    await room.people[0].click(page, custom_id="sh:lesson:0:1:Td4c")
    assert "Step 2 of 10" in texts(page.components)


@pytest.mark.parametrize(("button", "status"), [("Open a table", "lobby"), ("Play against the computer", "playing")])
async def test_the_tutorial_leads_to_a_table(room: Room, button, status):
    page = await begun(room)
    for _ in range(STEPS):
        await room.people[0].click(page, label="Skip this step")
    await room.people[0].click(page, label=button)
    assert (await room.table()).status == status


async def test_where_a_lobby_is_open_already_the_tutorial_leads_to_a_seat_there(room: Room):
    await room.open(seats=1)
    ann, bob = room.people[:2]
    page = (await bob.slash(room.channel, "shithead tutorial")).response
    for _ in range(STEPS):
        await bob.click(page, label="Skip this step")
    told = (await bob.click(page, label="Open a table")).response
    assert "This channel already has a table." in texts(told.components)
    await bob.click(told, label="Join")
    await room.press(bob, room.public(), "more")
    assert bob.id in [player.user_id for player in (await room.table()).players]
    assert "Your cards appear here" in texts(told.components), "the answer is where the hand appears"
    refused = (await ann.slash(room.channel, "shithead start")).response
    assert labels(refused.components) == [], "Ann sits there"


async def test_a_full_lobby_that_is_in_the_way_offers_no_seat(room: Room):
    await room.open(seats=1)
    ann, bob, cy = room.people[:3]
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "seats", "3")
    for person in (bob, cy):
        assert labels((await person.slash(room.channel, "shithead start")).response.components) == ["Join"]
    await room.press(bob, room.public(), "join")
    await room.choose(ann, page, "computer", "easy")
    assert len((await room.table()).seated) == (await room.table()).seats
    assert labels((await cy.slash(room.channel, "shithead start")).response.components) == []


async def test_a_game_after_the_tutorial_begins_in_a_new_message_at_the_bottom(room: Room):
    page = await begun(room)
    await room.people[0].click(page, custom_id="sh:lesson:0:2")
    await skip_to(room, page, LAST_PAGE)
    before = texts(page.components)
    hand = (await room.people[0].click(page, label="Play against the computer")).response
    assert hand.id != page.id
    assert hand.ephemeral
    assert "Hand" in texts(hand.components)
    assert texts(page.components) == before


async def test_after_a_step_the_next_is_announced_as_a_new_deal(room: Room):
    page = await begun(room)
    assert "new deal" not in texts(page.components)
    await room.people[0].click(page, custom_id="sh:lesson:0:2")
    await skip_to(room, page, 3)
    await tapped(room, page, 3, 1)
    assert texts(page.components).splitlines()[1] == "-# Now a new deal"
    await tapped(room, page, 4, 2)
    assert "new deal" not in texts(page.components), "a wrong tap keeps the cards"


def test_neither_position_nor_colour_gives_the_right_tap_away():
    first, styles = [], set()
    for step, lesson in enumerate(LESSONS[1:], 2):
        taps = [each for each in walk(lesson_screen(formatter(), step)) if tap_in(each) is not None]
        first.append(tap_in(taps[0]) == 1)
        styles.add(len({each["style"] for each in taps}))
        assert sorted(map(tap_in, taps)) == list(range(1, len(lesson.taps) + 1))
    assert styles == {1}
    assert not all(first)


@pytest.mark.parametrize("step", range(2, STEPS), ids=[each.name for each in LESSONS[1:-1]])
async def test_after_a_wrong_tap_the_right_one_is_the_green_button(room: Room, step):
    page = await begun(room)
    await room.people[0].click(page, custom_id="sh:lesson:0:2")
    await skip_to(room, page, step)
    await tapped(room, page, step, 2)
    green = [each for each in walk(page.components) if each["type"] == BUTTON and each["style"] == Style.GREEN]
    assert list(map(tap_in, green)) == [1]


def tap_in(component):
    """The number of the move that a button makes; None for any other button."""
    ids = parse_id(component.get("custom_id", ""))
    return int(ids.argument) if ids and ids.argument.isdecimal() else None


def test_the_right_tap_is_the_one_that_the_lesson_describes():
    right = []
    for step in range(2, STEPS + 1):
        made = walk(lesson_screen(formatter(), step))
        right.append(next(each["label"] for each in made if tap_in(each) == 1))
    assert right == [
        "Call my 3♦︎",
        "9♦︎",
        "8♣︎ 8♦︎",
        "2♥︎",
        "10♣︎",
        "9♠︎",
        "Pick up 3 cards",
        "Q♠︎",
        "Flip a face-down card",
    ]


async def test_a_page_outlives_a_restart_and_an_old_one_harms_nothing(room: Room):
    page, other = await begun(room), await begun(room)
    await tapped(room, page, 1, 1)
    await room.restart()
    await tapped(room, page, 2, 1)
    assert "Step 3 of 10" in texts(page.components)
    await tapped(room, other, 1, 1)
    assert "Step 2 of 10" in texts(other.components)


async def test_several_people_learn_at_once(room: Room):
    page = await begun(room)
    other = (await room.people[1].slash(room.channel, "palace tutorial")).response
    await tapped(room, page, 1, 1)
    await tapped(room, other, 1, 1, person=1, polite=True)
    for each in (page, other):
        assert texts(each.components).startswith("-# You put 10♦︎ on the table and took 4♣︎.")


async def test_in_a_polite_server_the_game_is_called_palace_to_the_end(room: Room):
    settings = await room.tables.servers.settings(room.guild.id)
    await room.tables.servers.choose(settings, settings.but(polite=True))
    page = await begun(room, "palace tutorial")
    assert "## Palace: get rid of your cards" in texts(page.components)
    for step in range(1, STEPS + 1):
        await tapped(room, page, step, 1, polite=True)
    assert "Clara comes last" in texts(page.components)
    assert "shithead" not in texts(page.components).lower()


async def test_a_tutorial_under_the_polite_name_stays_polite_and_so_does_its_table(room: Room):
    page = await begun(room, "palace tutorial")
    for _ in range(STEPS):
        await room.people[0].click(page, label="Skip this step")
    assert "That’s the whole game" in texts(page.components)
    assert "shithead" not in texts(page.components).lower()
    await room.people[0].click(page, label="Open a table")
    await room.idle()
    lobby = room.public()
    assert texts(lobby.components).startswith("## Palace · Classic")
    from_lobby = (await room.press(room.people[1], lobby, "tutorial")).response
    assert texts(from_lobby.components).startswith("## Palace: get rid of your cards")


async def test_cards_are_emojis_if_there_are_faces(room: Room):
    room.house.bot.faces = DRAWN
    page = await begun(room)
    assert sum("emoji" in each for each in walk(page.components)) == 6
    await tapped(room, page, 1, 1)
    assert "<:3_diamonds:" in texts(page.components)


@pytest.mark.parametrize("argument", ["", "99", "x", "²", "7c7d"])
@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "Step 1 of 10"), (5, "Step 5 of 10"), (12, "That’s the whole game"), (999, "That’s the whole game")],
)
async def test_a_button_of_another_version_shows_the_nearest_page(room: Room, number, shown, argument):
    page = await begun(room)
    await room.people[0].click(page, custom_id="sh:lesson:0:2")
    stored = room.env.backend.messages[room.channel.id][page.id]
    button = next(each for each in walk(stored.components) if each["type"] == BUTTON)
    button["custom_id"] = format_id("lesson", 0, number, argument)
    assert (await room.people[0].click(page, custom_id=button["custom_id"])).acknowledged
    assert shown in texts(page.components)
    within_limits(page.components)


@pytest.mark.parametrize("faces", [formatter().faces, DRAWN], ids=["text", "drawn"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_within_the_limits(language, faces):
    fmt = formatter(language, faces)
    for step in range(1, LAST_PAGE + 1):
        within_limits(lesson_screen(fmt, step, "x" * 300))
    for step, lesson in enumerate(LESSONS, 1):
        for move in moves_of(lesson):
            result = tap(lesson, move)
            refused = refused_words(fmt, lesson, move, result)
            assert bool(refused) == bool(result.refusal)
            screen = lesson_screen(fmt, step, refused=refused)
            within_limits(screen)
            assert max(map(len, labels(screen))) <= LABEL
            if not refused:
                assert done_words(fmt, result).endswith("✓")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_number_of_the_step_is_before_the_dots(language):
    for step in range(1, STEPS + 1):
        line = next(each for each in texts(lesson_screen(formatter(language), step)).splitlines() if "●" in each)
        before = line.partition("●")[0]
        assert str(step) in before
        assert str(STEPS) in before


async def test_playing_before_a_call_is_refused_with_what_comes_first(room: Room):
    page = await begun(room)
    await room.people[0].click(page, custom_id="sh:lesson:0:2")
    await tapped(room, page, 2, 2)
    assert "First a 3 has to be called." in texts(page.components)
