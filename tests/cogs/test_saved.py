"""The saved house rules of a server: who may save them, names, their number; played, explained, default, deleted."""

import discord
import pytest
from simcord import MemberActor, ResponseMessage

from cogs.screens import house_rule_screens
from cogs.screens.components import BUTTON, SELECT, walk
from cogs.screens.formatter import formatter
from cogs.screens.house_rule_screens import (
    confirm_reset_screen,
    houses_screen,
    name_form,
    name_taken_screen,
    saved_screen,
)
from cogs.screens.ids import format_id, parse_id
from cogs.screens.lobby_screens import more_screen
from cogs.screens.rules_screens import offers, rules_screen
from cogs.screens.settings_screens import settings_screen
from data.errors import UnavailableError
from data.guild_models import MOST_HOUSE_RULES, GuildSettings, HouseRule
from game.rules import Rules
from game.variants import variants
from testkit.channel import Room, ids_on, matches
from testkit.faults import lose_answer, unreadable_once_stored
from testkit.made import START, made_table, texts, within_limits
from testkit.offline import request_at
from testkit.shortcuts import builder_of, manager, sentence

SEVENS = "classic; deal.packs=2; powers.7.asks=at-most"


def made(number, name, rules: Rules | None = None):
    rules = rules or Rules().changed_with({"deal": {"packs": 2}})
    return HouseRule(guild_id=1, id=number, name=name, variant="classic", rules=rules, saved_by=9, saved_at=START)


async def builder(room: Room, who: MemberActor, *, rules=SEVENS):
    """Open a lobby with house rules; return it with its page of house rules."""
    await who.slash(room.channel, "shithead start")
    await room.idle()
    page = await builder_of(room, who)
    form = await room.press(who, page, "housetext")
    await who.submit_modal(form, {"rules": rules})
    return page


async def saving(room: Room, who: MemberActor, page: ResponseMessage, name):
    """Press *Save* and submit the form."""
    form = await room.press(who, page, "keep")
    result = await who.submit_modal(form, {"name": name})
    await room.idle()
    return result


async def deleting(room: Room, who: MemberActor):
    """The page that asks whether to delete the only saved rules."""
    page = (await who.slash(room.channel, "shithead settings")).response
    await room.press(who, page, "houses")
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    await room.choose(who, page, "saved", str(saved.id))
    await room.press(who, page, "unsave")
    return page


async def saved_in(room: Room):
    return [(each.name, each.rules.deal.packs) for each in await room.tables.servers.house_rules(room.guild.id)]


def default_of(message: ResponseMessage, verb, argument=None):
    """The chosen option of a select on a message."""
    found = next(
        each for each in walk(message.components) if matches(each.get("custom_id", "sh:x:1:1"), verb, argument)
    )
    return [each["value"] for each in found["options"] if each.get("default")]


async def test_a_manager_of_the_server_saves_the_rules_of_a_table_under_a_name(room: Room):
    boss = await manager(room)
    page = await builder(room, boss)
    await saving(room, boss, page, "  Friday\u202e rules ")
    assert await saved_in(room) == [("Friday rules", 2)]
    assert "Saved for this server as Friday rules." in texts(page.components)
    assert "Shithead · Friday rules" in texts(room.public().components)
    assert "Based on Classic" in texts(room.public().components)
    assert "From Classic" not in texts(room.public().components)


async def test_rules_are_saved_and_deleted_if_only_the_answer_of_the_database_was_lost(room: Room, monkeypatch):
    boss = await manager(room)
    page = await builder(room, boss)
    form = await room.press(boss, page, "keep")
    lose_answer(room.house.store, monkeypatch, "write", of="database")
    await boss.submit_modal(form, {"name": "Friday"})
    await room.idle()
    assert await saved_in(room) == [("Friday", 2)]
    assert "Saved for this server as Friday." in texts(page.components)
    assert "Shithead · Friday" in texts(room.public().components)
    page = await deleting(room, boss)
    lose_answer(room.house.store, monkeypatch, "write", of="database")
    await room.press(boss, page, "unsaved")
    assert await saved_in(room) == []
    assert "**Friday** is deleted." in texts(page.components)


async def test_rules_are_said_to_be_deleted_though_nothing_can_be_read_after_that(room: Room, monkeypatch):
    boss = await friday(room)
    page = await deleting(room, boss)
    with unreadable_once_stored(room.house.store, monkeypatch):
        await room.press(boss, page, "unsaved")
    assert texts(page.components).startswith("-# **Friday rules** is deleted.\n## Saved house rules\nNone yet.")
    assert await saved_in(room) == []


async def test_rules_are_said_to_be_saved_though_the_table_cannot_be_given_their_name(room: Room, monkeypatch):
    async def unavailable(_change):
        raise UnavailableError

    boss = await manager(room)
    page = await builder(room, boss)
    form = await room.press(boss, page, "keep")
    monkeypatch.setattr(room.house.store.tables, "save", unavailable)
    await boss.submit_modal(form, {"name": "Friday"})
    assert await saved_in(room) == [("Friday", 2)]
    assert "Saved for this server as Friday." in texts(page.components)
    assert "Shithead · Classic" in texts(room.public().components)


@pytest.mark.parametrize("verb", ["keep", "unsaved"])
async def test_rules_are_not_said_to_be_saved_or_deleted_if_they_are_not(room: Room, monkeypatch, verb):
    async def unavailable(*_, **__):
        raise UnavailableError

    boss = await manager(room)
    page = await builder(room, boss)
    if verb == "unsaved":
        await saving(room, boss, page, "Friday")
        page = await deleting(room, boss)
    before, form = await saved_in(room), await room.press(boss, page, verb) if verb == "keep" else None
    monkeypatch.setattr(room.house.store.database, "write", unavailable)
    result = await (boss.submit_modal(form, {"name": "Friday"}) if form else room.press(boss, page, verb))
    assert "Saving failed, nothing changed." in sentence(result)
    assert await saved_in(room) == before


async def test_saving_returns_to_the_page_from_which_the_rules_were_saved(room: Room):
    boss = await manager(room)
    page = await builder(room, boss)
    for again in ("saved", "replaced"):
        await room.press(boss, page, "house", nth=-1)  # the next page, because the first one has none before it
        result = await saving(room, boss, page, "Friday rules")
        if again == "replaced":
            asked = result.response or page
            await room.press(boss, asked, "keepover")
        assert f"## House rules: {'play' if again == 'saved' else 'the deal'}" in texts(page.components), again
        assert "Saved for this server as Friday rules." in texts(page.components), again


COPYING = "For another table, copy these rules with **As text**."


async def test_only_managers_of_the_server_have_a_button_to_save(room: Room):
    page = await builder(room, room.people[0])
    assert not [each for each in ids_on(page) if matches(each, "keep")]
    assert COPYING in texts(page.components), "the others have another way"


def test_nobody_is_told_to_copy_rules_that_are_not_changed_or_that_they_can_save():
    changed, plain = (made_table(Rules().changed_with({"deal": {"packs": packs}})) for packs in (2, 1))
    assert COPYING in texts(house_rule_screens.house_screen(formatter(), changed))
    assert COPYING not in texts(house_rule_screens.house_screen(formatter(), changed, manager=True))
    assert COPYING not in texts(house_rule_screens.house_screen(formatter(), plain))


async def test_somebody_who_no_longer_manages_the_server_is_refused_on_an_old_page(room: Room):
    boss = await manager(room)
    page = await builder(room, boss)
    form = await room.press(boss, page, "keep")
    await demoted(room)
    assert "Only people who can manage this server" in sentence(await boss.submit_modal(form, {"name": "Friday rules"}))
    assert "Only people who can manage this server" in sentence(await room.press(boss, page, "keep"))
    assert await saved_in(room) == []


async def demoted(room: Room):
    """Take the right to manage the server from everybody."""
    guild = room.house.bot.get_guild(room.guild.id)
    role = discord.utils.get(guild.roles, name="managers")
    await role.edit(permissions=discord.Permissions.none())


async def test_saving_under_a_taken_name_asks_before_replacing(room: Room):
    boss = await manager(room)
    page = await builder(room, boss)
    await saving(room, boss, page, "Friday rules")
    form = await room.press(boss, page, "housetext")
    await boss.submit_modal(form, {"rules": "classic; deal.packs=3"})
    assert "Friday rules" not in texts(room.public().components)
    await saving(room, boss, page, "FRIDAY RULES")
    assert "House rules called Friday rules are saved already." in texts(page.components)
    assert await saved_in(room) == [("Friday rules", 2)]
    await room.press(boss, page, "keepover")
    assert await saved_in(room) == [("Friday rules", 3)]
    assert "Shithead · Friday rules" in texts(room.public().components)


async def test_an_eleventh_set_of_saved_rules_is_refused_with_a_remedy(room: Room):
    boss = await manager(room)
    page = await builder(room, boss)
    table = await room.table()
    for number in range(MOST_HOUSE_RULES):
        await room.tables.servers.save_house_rule(table, f"No. {number}", boss.id)
    said = sentence(await saving(room, boss, page, "One too many"))
    assert said.startswith("**10 sets of house rules are saved already")
    assert "Delete one" in said
    assert len(await saved_in(room)) == MOST_HOUSE_RULES


@pytest.mark.parametrize("name", ["\u200b \u202e", "House:1", "ho\u200buse: 1"])
async def test_a_name_that_is_invisible_or_looks_like_a_key_is_refused(room: Room, name):
    boss = await manager(room)
    page = await builder(room, boss)
    assert "need a name" in sentence(await saving(room, boss, page, name))
    assert await saved_in(room) == []


@pytest.mark.parametrize("name", ["Classic", "VÄNDTIA", "karma"])
async def test_the_name_of_a_variant_is_refused(room: Room, name):
    boss = await manager(room)
    page = await builder(room, boss)
    assert f"**{name} is the name of a variant.**" in sentence(await saving(room, boss, page, name))
    assert await saved_in(room) == []


async def test_rules_that_cannot_be_played_are_not_saved(room: Room):
    boss = await manager(room)
    page = await builder(room, boss, rules="classic")
    form = await room.press(boss, page, "keep")
    table = await room.table()
    clash = table.rules.changed_with({"start": {"turn_up": True, "by": "thrown"}})
    await room.tables.lobby.change(request_at(await room.table(), boss.id, id=1), rules=clash)
    why = "leave out the turn-up, or change who starts."
    assert sentence(await boss.submit_modal(form, {"name": "Clash"})).endswith(why), "changed while the form was open"
    assert sentence(await room.press(boss, page, "keep")).endswith(why)
    assert await saved_in(room) == []


async def test_more_seats_than_the_pack_allows_are_refused_with_a_remedy(room: Room):
    boss = await manager(room)
    page = await builder(room, boss, rules="classic")
    for next_ in (0, 1):  # the first page has no previous one
        await room.press(boss, page, "house", nth=next_)
    await room.choose(boss, page, "which", "seats.most")
    await room.choose(boss, page, "set", "12")
    assert "need 108 cards, the pack has 54: take 3 packs, or deal at most 4 cards each." in texts(page.components)
    assert (await room.table()).rules == Rules()


async def friday(room: Room):
    """Save Friday rules at a table and close it again; return who did it."""
    boss = await manager(room)
    page = await builder(room, boss)
    await saving(room, boss, page, "Friday rules")
    await room.tables.lobby.leave(request_at(await room.table(), boss.id, id=2))
    await room.idle()
    return boss


async def test_the_match_of_a_pair_goes_on_after_its_rules_are_saved(room: Room):
    boss = await manager(room)
    await boss.slash(room.channel, "shithead start", variant="reverse-second")
    await room.idle()
    before = await room.table()
    await saving(room, boss, await builder_of(room, boss), "Ours")
    after = await room.table()
    assert (after.title, after.variant, after.rules) == ("Ours", "reverse-first", before.rules)
    assert before.match
    assert after.match == before.match


async def test_saved_rules_come_first_in_the_hosts_list_of_variants(room: Room):
    await friday(room)
    await room.open(seats=1)
    ann = room.people[0]
    page = (await room.press(ann, room.public(), "more")).response
    select = next(each for each in walk(page.components) if matches(each.get("custom_id", "sh:x:1:1"), "variant"))
    assert (select["options"][0]["label"], select["options"][0]["description"]) == (
        "Friday rules",
        "From Classic · 2 rules changed",
    )
    await room.choose(ann, page, "variant", select["options"][0]["value"])
    table = await room.table()
    assert (table.title, table.variant, table.rules.deal.packs) == ("Friday rules", "classic", 2)
    assert "Shithead · Friday rules" in texts(room.public().components)
    assert default_of(page, "variant") == [select["options"][0]["value"]]
    rules = await room.press(ann, room.public(), "rules")
    assert "Shithead · Friday rules" in sentence(rules)
    await room.choose(ann, page, "variant", "karma")
    assert "Shithead · Karma" in texts(room.public().components)


async def test_a_game_keeps_the_name_of_its_saved_rules_even_after_they_are_deleted(room: Room):
    await friday(room)
    await room.start(seats=2, variant="Friday rules")
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    await room.tables.servers.delete_house_rule(room.guild.id, saved.id)
    page = (await room.press(room.people[0], room.public(), "more")).response
    assert "Shithead · Friday rules" in texts(page.components)
    await room.press(room.people[0], page, "stopping")
    await room.press(room.people[0], page, "stop")
    await room.restart()
    assert "Friday rules" in texts(room.public().components)
    (choice,) = await room.people[0].autocomplete(room.channel, "shithead replay", "game", "friday")
    assert choice["name"].startswith("Friday rules · ")


async def test_saved_rules_are_suggested_while_somebody_types(room: Room):
    await friday(room)
    for command in ("shithead start", "shithead practice", "palace rules"):
        first, *_ = await room.people[0].autocomplete(room.channel, command, "variant", "")
        assert first["name"] == "Friday rules · From Classic · 2 rules changed"
        (only,) = await room.people[0].autocomplete(room.channel, command, "variant", "frid")
        assert only["value"] == first["value"]


async def test_saved_rules_are_explained_in_the_readers_language(room: Room):
    await friday(room)
    key = (await room.tables.servers.house_rules(room.guild.id))[0].key
    said = sentence(await room.people[0].slash(room.channel, "shithead rules", variant=key))
    assert "Shithead · Friday rules" in said
    assert "Sevens: next card 7 or lower." in said
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    german = texts(rules_screen(formatter("de"), saved.variant, saved.rules, saved_as=saved.name))
    assert "Friday rules" in german
    assert "Sevens" not in german
    assert "Siebenen: nächste Karte 7 oder niedriger." in german


async def test_the_servers_default_rules_are_played_if_none_are_named(room: Room):
    boss = await friday(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, page, "houses")
    assert "**Friday rules** · From Classic · 2 rules changed" in texts(page.components)
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    await room.choose(boss, page, "saved", str(saved.id))
    assert "Sevens: next card 7 or lower." in texts(page.components)
    await room.press(boss, page, "usual")
    await room.press(boss, page, "houses")
    assert "2 rules changed · default" in texts(page.components)
    await room.open(seats=1)
    assert "Shithead · Friday rules" in texts(room.public().components)
    elsewhere = room.guild.create_text_channel("elsewhere")
    assert "Friday rules" in sentence(await room.people[0].slash(elsewhere, "palace rules"))


async def test_the_default_rules_can_be_chosen_in_the_settings_too(room: Room):
    boss = await friday(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    id_ = next(each for each in ids_on(page) if matches(each, "guild", "variant"))
    await boss.select(page, [saved.key], custom_id=id_)
    assert (await room.tables.servers.settings(room.guild.id)).variant == saved.key
    assert default_of(page, "guild", "variant") == [saved.key]


async def test_after_deleting_the_default_rules_classic_is_the_default_again(room: Room):
    boss = await friday(room)
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(variant=saved.key))
    page = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, page, "houses")
    await room.choose(boss, page, "saved", str(saved.id))
    await room.press(boss, page, "unsave")
    assert "Delete them for the whole server?" in texts(page.components)
    await room.press(boss, page, "saved")
    await room.press(boss, page, "unsave")
    await room.press(boss, page, "unsaved")
    assert texts(page.components).startswith("-# **Friday rules** is deleted.\n## Saved house rules\n")
    assert "None yet." in texts(page.components)
    assert (await room.tables.servers.settings(room.guild.id)).variant == "classic"
    refused = await room.people[0].slash(room.channel, "shithead start", variant=saved.key)
    assert "There is no such variant" in sentence(refused)


@pytest.mark.parametrize("verb", ["unsave", "unsaved", "usual"])
async def test_a_page_of_rules_that_another_manager_has_deleted_makes_way_for_the_list(room: Room, verb):
    boss = await friday(room)
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    page = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, page, "houses")
    await room.choose(boss, page, "saved", str(saved.id))
    if verb == "unsaved":
        await room.press(boss, page, "unsave")
    await room.tables.servers.delete_house_rule(room.guild.id, saved.id)
    shown = len(room.notes(boss))
    await room.press(boss, page, verb)
    assert texts(page.components).startswith("-# These rules no longer exist.\n## Saved house rules\nNone yet.")
    assert len(room.notes(boss)) == shown
    assert (await room.tables.servers.settings(room.guild.id)).variant == "classic"


async def test_whoever_saved_house_rules_reads_that_among_what_is_stored(room: Room):
    boss = await friday(room)
    assert "1 saved set of house rules" in sentence(await boss.slash(room.channel, "shithead privacy show"))


async def test_saved_rules_do_not_exist_in_another_server(room: Room):
    await friday(room)
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    other = room.env.create_guild()
    channel, user = other.create_text_channel("there"), room.env.create_user("zoe", global_name="Zoe")
    zoe = other.add_member(user)
    assert "no such variant" in sentence(await zoe.slash(channel, "shithead rules", variant=saved.key))
    assert await zoe.autocomplete(channel, "shithead rules", "variant", "friday") == []


async def test_somebody_who_no_longer_manages_the_server_deletes_nothing(room: Room):
    boss = await friday(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, page, "houses")
    (saved,) = await room.tables.servers.house_rules(room.guild.id)
    await room.choose(boss, page, "saved", str(saved.id))
    await room.press(boss, page, "unsave")
    delete = next(each for each in ids_on(page) if matches(each, "unsaved"))
    await demoted(room)
    assert "Only people who can manage" in sentence(await boss.click(page, custom_id=delete))
    assert await saved_in(room) == [("Friday rules", 2)]


FULL = [
    made(number, "W" * 30, each.rules) for number, each in enumerate(list(variants().values())[:MOST_HOUSE_RULES], 1)
]


def test_selects_stay_within_discords_limit_and_show_what_is_chosen():
    last = list(variants())[-1]
    for variant, title, default in ((last, "", last), ("classic", "W" * 30, "house:1")):
        table = made_table(Rules() if title else variants()[last].rules, variant=variant, title=title)
        screen = more_screen(formatter(), table, 100, FULL)
        within_limits(screen)
        selects = [each for each in walk(screen) if matches(each.get("custom_id", "sh:x:1:1"), "variant")]
        options = [each for select in selects for each in select["options"]]
        assert len(selects) == 2
        assert [each["value"] for each in options[:MOST_HOUSE_RULES]] == [each.key for each in FULL]
        assert {each["value"] for each in options[MOST_HOUSE_RULES:]} == set(variants())
        assert [each["value"] for each in options if each.get("default")] == [default]
    for usual in (last, "house:3", "house:99"):
        screen = settings_screen(formatter(), GuildSettings(guild_id=1, variant=usual), saved=FULL)
        within_limits(screen)


def test_all_screens_of_saved_rules_are_within_limits():
    within_limits(houses_screen(formatter(), FULL, "house:2", "Saved"))
    within_limits(houses_screen(formatter(), [], "classic"))
    for each in FULL:
        within_limits(saved_screen(formatter(), each, "house:2"))
        within_limits(rules_screen(formatter(), each.variant, each.rules, saved_as=each.name))
        within_limits(name_taken_screen(formatter(), made_table(), each, "powers"))


@pytest.mark.parametrize("page", ["9" * 80, "dance", ""])
def test_questions_that_name_no_page_of_the_builder_lead_back_to_its_first(page):
    table = made_table(id=(1 << 63) - 1, revision=10**6)
    for screen in (
        confirm_reset_screen(formatter(), table, page),
        name_taken_screen(formatter(), table, FULL[0], page),
    ):
        within_limits(screen)
        named = [parse_id(each["custom_id"]) for each in walk(screen) if each["type"] == BUTTON]
        assert [each.argument for each in named if each.verb == "house"] == [""]
    assert name_form(formatter(), table, page)["custom_id"] == format_id("keepas", table.id, table.revision)


def test_the_form_for_a_name_says_how_long_it_may_be(monkeypatch):
    monkeypatch.setattr(house_rule_screens, "LONGEST_NAME", 40)
    (field,) = [each for each in walk([name_form(formatter(), made_table(), "")]) if "label" in each]
    assert field["label"] == "Name, up to 40 characters"
    assert field["component"]["max_length"] == 40


def test_of_saved_rules_only_the_others_can_be_made_the_default():
    usual, other = (saved_screen(formatter(), made(number, "Friday"), "house:2") for number in (2, 1))
    first = [next(each for each in walk(screen) if each["type"] == BUTTON) for screen in (usual, other)]
    assert [(each["label"], each.get("disabled", False)) for each in first] == [
        ("Default ✓", True),
        ("Make default", False),
    ]


def test_a_name_with_markdown_stays_a_name():
    named = made(1, "**x** [y](http://z) @everyone")
    said = texts(saved_screen(formatter(), named, "classic")) + texts(houses_screen(formatter(), [named], "classic"))
    assert "](http" not in said
    assert "@everyone" not in said
    assert offers(formatter(), [named])[0].title == named.name


def test_saved_rules_stay_the_same_when_the_variant_is_edited():
    """All options are stored; the variant contributes only its title."""
    kept = made(1, "Friday rules", variants()["karma"].rules)
    again = HouseRule.model_validate_json(kept.model_dump_json())
    assert again.rules == variants()["karma"].rules
    gone = again.model_copy(update={"variant": "gone"})
    assert "Friday rules" in texts(rules_screen(formatter(), gone.variant, gone.rules, saved_as=gone.name))
    assert SELECT not in [each["type"] for each in walk(saved_screen(formatter(), gone, "classic"))]
