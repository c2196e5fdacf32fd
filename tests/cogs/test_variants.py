"""Everything that variants add can be done by clicks: each variant is played, and house rules are made."""

import re
from itertools import chain

import pytest

from cogs.pictures.scene import scene_of
from cogs.pictures.scene_words import table_in_words
from cogs.screens import rules_screens
from cogs.screens.components import SELECT, walk
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import parse_id
from cogs.screens.lobby_screens import more_screen
from cogs.screens.replay_screens import replay_screen
from cogs.screens.rules_screens import offers, suggested
from cogs.screens.settings_screens import settings_screen
from cogs.screens.table_screens import public_screen
from data.guild_models import GuildSettings
from game.players.quick_player import best_swap
from game.rules import Rules
from game.variants import variants
from tables.snapshots import Decline, Declined
from testkit.channel import Room, ids_on, matches
from testkit.made import Game, made_table, texts, within_limits
from testkit.offline import request_at
from testkit.scenes import NAMES, players
from testkit.shortcuts import builder_of, sentence
from tests.cogs.test_games import Player, Watch
from tests.cogs.test_past_limits import replay_step

MOVES = 25
UNWATCHED = {name for name, each in variants().items() if each.rules.deal.packs > 1}
"""With two packs an open card may look like a hidden one."""


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in variants() if name != "classic"])
async def test_a_variant_is_played_by_clicks_and_shows_nobody_a_hidden_card(room: Room, name):
    rules = variants()[name].rules
    watch = None if name in UNWATCHED else Watch(room)
    await room.start(seats=min(3, rules.seats[1]), variant=name)
    player = Player(room, len(name))
    for _ in range(MOVES):
        if (await room.tables.snapshot(room.table_id)).table.status != "playing":
            break
        await player.step()
        if watch:
            watch.look()
    assert (await room.tables.snapshot(room.table_id)).moves > 10
    assert watch is None or watch.checked > MOVES


def test_where_no_cards_are_dealt_face_down_nobody_is_told_that_there_are_none():
    game = Game(variants()["paskahousu"].rules, 3, variant="paskahousu")
    table = game.snapshot()
    in_words = texts(hand_screen(formatter(text=True), game.hand(0)))
    replay = texts(replay_screen(formatter(), replay_step(game, 0), 100))
    described = table_in_words(formatter(), scene_of(table.view, players(NAMES[:3])))
    for said in (in_words, replay, described, texts(public_screen(formatter(), table))):
        assert "hand 5" in said
        assert "face-down" not in said


async def test_three_of_six_are_chosen_with_one_select(room: Room):
    await room.start(seats=2, variant="choose-three")
    ann = room.people[0]
    hand = await room.hand(ann)
    assert "Choose 3 face-up cards" in texts(hand.components)
    (part,) = [each for each in walk(hand.components) if each["type"] == SELECT]
    chosen, options = part["custom_id"], part["options"]
    assert len(options) == 20
    await ann.select(hand, [options[7]["value"]], custom_id=chosen)
    view = (await room.tables.play.hand(request_at(await room.table(), ann.id, id=0))).view
    assert len(view.up) == 3
    assert not view.may_choose


@pytest.mark.parametrize("chosen", ["classic", "reverse-second"])
def test_what_is_special_about_the_chosen_variant_stands_above_its_select(chosen):
    for screen in (
        settings_screen(formatter(), GuildSettings(guild_id=1, variant=chosen)),
        more_screen(formatter(), made_table(variant=chosen), 100, []),
    ):
        parts = screen[0]["components"]
        nth = next(at for at, part in enumerate(parts) if chosen in default_of(part))
        assert variants()[chosen].sentence.split(".")[0] in parts[nth - 1]["content"]


def default_of(part):
    return [option["value"] for each in walk([part]) for option in each.get("options", ()) if option.get("default")]


def offering(screen):
    """The selects of variants: the text of each, and its options."""
    selects = [each for each in walk(screen) if each["type"] == SELECT and "variant" in each["custom_id"]]
    return [(each["placeholder"], [option["value"] for option in each["options"]]) for each in selects]


async def test_every_variant_can_be_chosen_and_only_the_chosen_one_is_shown_as_such(room: Room):
    await room.open(seats=2)
    ann = room.people[0]
    more = (await room.press(ann, room.public(), "more")).response
    assert sorted(chain(*(values for _, values in offering(more.components)))) == sorted(variants())
    assert [name for name, _ in offering(more.components)] == [
        "More variants: Easy, Usual, Regional",  # hidden by the chosen option, so a heading repeats it
        "More variants: Unusual",
    ]
    assert "-# Variant" in texts(more.components).splitlines()
    before = None
    for name in ("superjoker", "karma", "egilsson", "classic"):
        await room.choose(ann, more, "variant", name)
        assert (await room.table()).variant == name
        selects = [each for each in walk(more.components) if each["type"] == SELECT and "variant" in each["custom_id"]]
        defaults = [option["value"] for each in selects for option in each["options"] if option.get("default")]
        assert defaults == [name]
        seen = [each["placeholder"] for each in selects if not any(one.get("default") for one in each["options"])]
        assert all(each.startswith("More variants: ") for each in seen), "two selects, but one setting"
        shown = [each["custom_id"].rpartition("~")[2] for each in selects]
        assert before is None or all(one != other for one, other in zip(shown, before, strict=True))
        before = shown


@pytest.mark.parametrize("count", [1, 2, 30, 300])
def test_variants_added_by_an_operator_are_offered_as_far_as_a_message_can_hold_them(count, monkeypatch):
    there = dict(variants())
    there |= {f"x{n}": there["karma"].model_copy(update={"id": f"x{n}"}) for n in range(count)}
    monkeypatch.setattr(rules_screens, "variants", lambda: there)
    pages = (
        more_screen(formatter(), made_table(Rules(), 3, variant="classic"), 100, ()),
        settings_screen(formatter(), GuildSettings(guild_id=1)),
    )
    for screen in pages:
        within_limits(screen)
        found = [*chain(*(values for _, values in offering(screen)))]
        assert len(set(found)) == len(found)
        assert set(found) == set(there) or (count == 300 and len(found) > 100)


async def test_best_three_up_is_one_tap(room: Room):
    await room.start(seats=2)
    ann = room.people[0]
    hand = await room.hand(ann)
    await room.press(ann, hand, "best")
    view = (await room.tables.play.hand(request_at(await room.table(), ann.id, id=0))).view
    assert best_swap(view) is None
    assert "stronger" not in texts(hand.components)
    await room.press(ann, hand, "best")
    assert texts(hand.components).startswith("-# No swap would make your face-up cards stronger.\n## Swap before play")


async def test_the_host_makes_house_rules_and_the_lobby_shows_them(room: Room):
    await room.open(seats=2)
    ann = room.people[0]
    page = await builder_of(room, ann)
    assert "House rules: special cards" in texts(page.components)
    await room.choose(ann, page, "which", "powers.7")
    asks = next(id_ for id_ in ids_on(page) if parse_id(id_).argument == "powers.7.asks")
    await ann.select(page, ["at-most"], custom_id=asks)
    await room.idle()
    assert "**Next card 7 or lower**" in texts(page.components)
    assert "House rule · Sevens: next card 7 or lower." in texts(room.public().components)
    await room.press(ann, page, "unhouse")
    assert "House rule" not in texts(room.public().components)


async def test_undoing_several_house_rules_asks_first(room: Room):
    await room.open(seats=2)
    ann = room.people[0]
    page = await builder_of(room, ann)
    for rank in ("7", "8"):
        await room.press(ann, page, "chip", f"{rank}=on")
    await room.press(ann, page, "unhousing")
    assert texts(page.components) == "**Reset all rules to Classic? That drops 2 house rules.**"
    await room.press(ann, page, "house")
    assert "From Classic · 2 rules changed" in texts(page.components)
    await room.press(ann, page, "unhousing")
    await room.press(ann, page, "unhouse")
    assert "From Classic · 0 rules changed" in texts(page.components)
    assert (await room.table()).rules == variants()["classic"].rules


async def test_house_rules_that_so_many_players_need_are_kept_without_asking_whether_to_undo_them(room: Room):
    await room.open(seats=1)
    ann = room.people[0]
    page = await builder_of(room, ann)
    form = await room.press(ann, page, "housetext")
    await ann.submit_modal(form, {"rules": "classic; seats=2-8; deal.packs=2"})
    await room.idle()
    for person in room.people[1:7]:
        await room.press(person, room.public(), "join")
    told = await room.press(ann, page, "unhousing")
    assert "**That leaves 6 seats, but 7 are taken or kept.**" in texts((told.response or page).components)
    assert "Reset all rules" not in texts(page.components)


async def test_fewer_seats_than_are_taken_are_refused_on_the_page_which_is_drawn_again(room: Room):
    await room.open(seats=3)
    ann = room.people[0]
    page = await builder_of(room, ann)
    for next_ in ("play", "deal"):
        await room.press(ann, page, "house", next_)
    await room.choose(ann, page, "which", "seats.most")
    before = ids_on(page)
    await room.choose(ann, page, "set", "2")
    assert "**That leaves 2 seats, but 3 are taken or kept.**\nSix players at most." in texts(page.components)
    assert not [id_ for id_ in ids_on(page) if id_ in before and matches(id_, "set")], "it would show the choice"


async def test_a_text_with_rules_for_fewer_than_sit_there_comes_back_to_be_corrected(room: Room):
    await room.open(seats=4)
    ann = room.people[0]
    form = await room.press(ann, await builder_of(room, ann), "housetext")
    told = (await ann.submit_modal(form, {"rules": "karma; seats=2-3"})).response
    assert "That leaves 3 seats, but 4 are taken or kept." in texts(told.components)
    assert "karma; seats=2-3" in texts(told.components)
    assert (await room.table()).variant == "classic"


async def test_undoing_a_single_house_rule_does_not_ask(room: Room):
    await room.open(seats=2)
    ann = room.people[0]
    page = await builder_of(room, ann)
    await room.press(ann, page, "chip", "7=on")
    await room.press(ann, page, "unhouse")
    assert "From Classic · 0 rules changed" in texts(page.components)


async def test_rules_that_cannot_be_played_are_refused_on_the_page(room: Room):
    await room.open(seats=5)
    ann = room.people[0]
    page = await builder_of(room, ann)
    for next_ in (0, 1):  # the first page has no previous one
        await room.press(ann, page, "house", nth=next_)
    await room.choose(ann, page, "which", "deal.hand")
    await room.choose(ann, page, "set", "6")
    assert "take 2 packs, or deal at most 10 cards each" in texts(page.components)
    assert (await room.table()).rules.deal.hand == 3


async def test_a_text_of_rules_is_read_or_refused_with_the_reason(room: Room):
    await room.open(seats=2)
    ann = room.people[0]
    page = await builder_of(room, ann)
    form = await room.press(ann, page, "housetext")
    await ann.submit_modal(form, {"rules": "karma; powers.7.asks=at-most"})
    await room.idle()
    assert "From Karma · 1 rule changed" in texts(page.components)
    form = await room.press(ann, page, "housetext")
    bad = await ann.submit_modal(form, {"rules": "karma; deal.packs=9"})
    assert "**9** isn’t a value of deal.packs: it can be 1, 2, 3 or 4." in texts(bad.response.components)
    assert (await room.table()).variant == "karma"
    reason = bad.response.id
    form = await room.press(ann, page, "housetext")
    assert reason in [each.id for each in room.notes(ann)], "it stays while it is mended"
    await ann.submit_modal(form, {"rules": "karma"})
    assert reason not in [each.id for each in room.notes(ann)]


async def test_the_host_sets_variant_pace_seats_and_computers(room: Room):
    await room.open(seats=2)
    ann = room.people[0]
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "variant", "finland")
    await room.choose(ann, page, "pace", "slow*2")
    await room.choose(ann, page, "seats", "3")
    await room.choose(ann, page, "computer", "strong")
    table = await room.table()
    assert (table.variant, table.pace, table.stretch, table.seats) == ("finland", "slow", 2, 3)
    assert table.players[-1].level == "strong"
    assert "computer, strong 🤖" in texts(room.public().components)
    await room.press(ann, page, "nocomputer")
    await room.choose(ann, page, "kick", str(room.people[1].id))
    assert len((await room.table()).players) == 1


async def test_a_variant_with_too_few_seats_is_refused_on_a_page_that_shows_what_is_played(room: Room):
    ann, lobby = room.people[0], await room.open(seats=4)
    page = (await room.press(ann, lobby, "more")).response
    before = [id_ for id_ in ids_on(page) if matches(id_, "variant")]
    await room.choose(ann, page, "variant", "poytapaska")
    assert "**That leaves 3 seats, but 4 are taken or kept.**" in texts(page.components)
    after = [id_ for id_ in ids_on(page) if matches(id_, "variant")]
    assert not set(before) & set(after), "clients keep showing a choice as long as the id stays the same"


async def test_what_the_host_chooses_too_late_is_refused_on_the_page_which_no_longer_offers_it(room: Room):
    ann, _, cy = room.people[:3]
    lobby = await room.open(seats=3)
    page = (await room.press(ann, lobby, "more")).response
    await room.press(cy, (await room.press(cy, lobby, "more")).response, "leave")
    await room.choose(ann, page, "kick", str(cy.id))
    assert "**Already done.** Nothing changed." in texts(page.components)
    assert str(cy.id) not in str(page.components)
    for _ in range(3):
        await room.choose(ann, page, "computer", "strong")
    await room.press(cy, room.public(), "join")
    await room.choose(ann, page, "computer", "fair")
    assert "**Every seat is taken.**" in texts(page.components)
    assert not any(matches(id_, "computer") for id_ in ids_on(page))
    assert str(cy.id) in str(page.components)


def test_variants_are_offered_by_group():
    found = offers(formatter(), ())
    kinds = [each.sentence.partition(" · ")[0] for each in found]
    assert list(dict.fromkeys(kinds)) == ["Easy", "Usual", "Regional", "Unusual"]
    assert kinds == sorted(kinds, key=["Easy", "Usual", "Regional", "Unusual"].index)
    assert "pub" in [each.key for each, kind in zip(found, kinds, strict=True) if kind == "Usual"]


@pytest.mark.parametrize(("name", "seats"), [("classic", "2–6"), ("pub", "2–5"), ("paskahousu", "3–6")])
def test_the_list_of_variants_shows_the_number_of_players_of_each(name, seats):
    title = next(each.title for each in offers(formatter(), []) if each.key == name)
    assert title.endswith(f" · {seats} players")


async def test_a_suggestion_that_is_too_long_ends_with_a_sentence_or_a_whole_word(room: Room):
    found = await room.people[0].autocomplete(room.channel, "shithead start", "variant", "")
    whole = {key: words for words, key in suggested(formatter(), [])}
    for each in found:
        if each["name"] != whole[each["value"]]:
            assert whole[each["value"]].startswith(each["name"].removesuffix("…"))
            assert re.match(r"\W", whole[each["value"]].removeprefix(each["name"].removesuffix("…")))
    assert any(each["name"].endswith("…") for each in found)


@pytest.mark.parametrize(("polite", "title"), [(False, "Shit Boot"), (True, "Boot")])
async def test_the_list_of_variants_is_as_polite_as_the_server(room: Room, polite, title):
    settings = await room.tables.servers.settings(room.guild.id)
    await room.tables.servers.choose(settings, settings.but(polite=polite))
    game = "palace" if polite else "shithead"
    (found,) = await room.people[0].autocomplete(room.channel, f"{game} start", "variant", "shit-boot")
    assert found["name"].startswith(f"{title} · ")
    said = sentence(await room.people[0].slash(room.channel, f"{game} rules", variant="shit-boot"))
    assert said.startswith(f"## {'Palace' if polite else 'Shithead'} · {title}\n")


async def test_while_the_database_does_not_answer_nothing_is_suggested(room: Room, monkeypatch):
    async def away(_guild_id):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables.servers, "house_rules", away)
    assert await room.people[0].autocomplete(room.channel, "shithead start", "variant", "") == []


async def test_variants_that_begin_with_what_was_typed_come_first(room: Room):
    found = await room.people[0].autocomplete(room.channel, "shithead start", "variant", "PA")
    begins = [each["name"].startswith("Pa") for each in found]
    assert True in begins
    assert False in begins  # such as those whose sentence says "pass"
    assert begins == sorted(begins, reverse=True)
