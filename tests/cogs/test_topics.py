"""Topics: everything that a file declares is found, and two equal declarations are an error that names them."""

from dataclasses import replace
from inspect import signature
from types import SimpleNamespace

import pytest

from cogs.clicks import Click, here
from cogs.screens.formatter import formatter
from cogs.screens.ids import format_id, parse_id
from cogs.screens.refused import decline_sentence
from cogs.topics import CollisionError, Topic, handlers, help_lines, require_distinct, topics
from data.models import Person
from game.rules import MOST_SEATS
from tables.snapshots import Decline, Declined
from testkit.made import texts

CLICK = Click(7, Person(id=1, name="Ann"), 2, 3, 9, 1, verb="greet", locale="de")


async def greet(ctx: "Ctx", click: Click, whom=""):
    """A handler."""
    return here([{"said": f"{click.table_id} {whom}"}])


class Play:
    """A service with one table in one channel."""

    async def in_channel(self, guild_id, channel_id):
        return 9 if (guild_id, channel_id) == (2, 3) else None


class Tables:
    play = Play()


class Ctx:
    tables = Tables()

    async def at(self, table_id, click: Click):
        return self


def test_a_click_that_names_its_table_is_not_copied_to_be_about_it():
    assert CLICK.about(CLICK.table_id) is CLICK
    assert CLICK.about(8).table_id == 8


def test_every_topic_file_is_found():
    assert {"lobby_topic", "hand_topic", "stats_topic"} <= set(topics())
    assert all(name.endswith("_topic") for name in topics())


def test_every_verb_of_every_topic_fits_into_an_id():
    for verb in handlers():
        assert parse_id(format_id(verb, 1, 2)).verb == verb


def test_a_function_can_be_command_and_button_at_once():
    topic = Topic()
    assert topic.command("greet", "Say hello")(topic.button("greet", "wave")(greet)) is greet
    assert set(topic.handlers) == {"greet", "wave"}
    assert topic.commands["greet"].in_help == "Say hello"


def test_the_help_says_of_each_command_what_it_does():
    lines = help_lines(formatter())
    assert [line for line in lines if line.startswith("`/tea")] == [
        "`/tea owed` · See who owes whom a cup of tea",
        "`/tea served` · Mark tea that was owed to you as served",
        "`/tea forgive` · Forgive what is owed to you",
        "`/tea history` · See who changed which debt, and when",
    ]
    assert [line for line in lines if line.startswith(("`/shithead privacy", "`/shithead help"))] == [
        "`/shithead privacy show` · See, download or delete what is stored about you"
    ]
    said = "\n".join(lines)
    every = [topic.typed(formatter(), each.name) for topic in topics().values() for each in topic.commands.values()]
    assert {each for each in every if each not in said} == {
        *("`/shithead help`", "`/shithead privacy delete`", "`/shithead privacy export`"),
        *("`/tea correct`", "`/tea export`"),
    }
    assert len({line.split(" · ")[1] for line in lines}) == len(lines)


def test_a_table_can_be_opened_for_as_few_or_as_many_as_any_rules_can_seat(commands):
    options = [each for game in commands for command in game["options"] for each in command.get("options", [])]
    assert {(each["min_value"], each["max_value"]) for each in options if each["name"] == "seats"} == {(2, MOST_SEATS)}


def test_what_the_loser_owes_is_described_by_a_thing_because_sentences_name_it_like_one(commands):
    options = [each for game in commands for command in game["options"] for each in command.get("options", [])]
    [described] = {each["description"] for each in options if each["name"] == "forfeit"}
    assert described.endswith("for example a cake"), "Owes Bob a cake, not: Owes Bob wash the dishes"


def test_discord_takes_a_forfeit_as_long_as_the_refusal_of_a_bad_one_says(commands):
    options = [each for game in commands for command in game["options"] for each in command.get("options", [])]
    [most] = {each["max_length"] for each in options if each["name"] == "forfeit"}
    assert f"in one line of at most {most} characters." in decline_sentence(formatter(), Declined(Decline.BAD_FORFEIT))


def test_every_option_of_a_command_is_described():
    for topic in topics().values():
        for command in topic.commands.values():
            assert [*signature(command.act).parameters][2:] == [*command.options], command.name


@pytest.mark.parametrize("declare", [lambda topic: topic.button("greet"), lambda topic: topic.command("greet", "Hi")])
def test_declaring_a_name_twice_in_a_topic_is_refused_at_once(declare):
    topic = Topic()
    declare(topic)(greet)
    with pytest.raises(CollisionError, match="'greet' is declared twice"):
        declare(topic)(greet)


@pytest.mark.parametrize("verb", ["", "Greet", "with space", "x" * 17, "a:b"])
def test_a_verb_that_no_id_could_hold_is_refused(verb):
    with pytest.raises(ValueError, match="a verb has 1 to 16 lower-case letters"):
        Topic().button(verb)(greet)


def test_two_topics_with_the_same_button_are_refused_by_name():
    one, two = Topic(), Topic()
    one.button("greet")(greet)
    two.button("greet")(greet)
    with pytest.raises(CollisionError, match=r"the button 'greet' is declared in one.py and in two.py"):
        require_distinct({"one": one, "two": two})


def test_two_topics_with_the_same_command_are_refused_unless_their_groups_differ():
    one, two, apart = Topic(), Topic(), Topic("tea", "Tea", top=True)
    for topic in (one, two, apart):
        topic.command("greet", "Say hello")(greet)
    require_distinct({"one": one, "apart": apart})
    with pytest.raises(CollisionError, match=r"the command 'greet' is declared in one.py and in two.py"):
        require_distinct({"one": one, "two": two})


async def test_a_command_at_a_table_gets_the_channels_table_and_its_options():
    topic = Topic()
    topic.command("greet", "Say hello", at_table=True, whom="Who")(greet)
    handle = topic.commands["greet"].handler({"whom": "Bob"})
    nowhere = replace(CLICK, table_id=0, seen=0, verb="")
    assert (await handle(Ctx(), nowhere)).screen == [{"said": "9 Bob"}]
    with pytest.raises(Declined) as declined:
        await handle(Ctx(), replace(nowhere, channel_id=4))
    assert declined.value.why is Decline.NO_TABLE


@pytest.mark.parametrize(
    "verb",
    [
        *("settings", "guild", "debts", "debt", "correct", "setdebt"),
        *("keep", "keepas", "keepover", "houses", "saved", "unsave", "unsaved", "usual"),
    ],
)
async def test_these_buttons_are_only_for_people_who_manage_the_server(verb):
    answer = await handlers()[verb](SimpleNamespace(t=formatter()), CLICK)
    assert texts(answer.screen).startswith("**Only people who can manage this server can do that.**")


def test_commands_are_added_to_servers_and_used_there_not_by_accounts_elsewhere(commands):
    server, in_a_server = 0, 0  # of Discord's integration types and contexts
    assert {each["name"]: (each["integration_types"], each["contexts"]) for each in commands} == {
        name: ([server], [in_a_server]) for name in ("shithead", "palace", "tea")
    }
