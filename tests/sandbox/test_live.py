"""The page follows the game, on a bot of two buttons."""

import ast
import asyncio
import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import discord
import pytest
import simcord
from discord.ext import commands
from simcord import Env

from cogs.pictures.card_faces import emoji_set
from sandbox.live import (
    DRAWINGS,
    IDLE,
    KEPT,
    MOST_TEXTS,
    PRIVATE,
    Trusting,
    aged,
    alike,
    cached,
    media,
    messages,
    place_of,
    plans,
    projection,
    run_clock,
    set_time,
    speed_up,
)
from sandbox.page import CHANGES
from sandbox.stage import on_stage, port_of
from sandbox.world import found
from testkit.waiting import HANG


@pytest.fixture
def accepted():
    """This bot is not ours, and sends messages of another kind."""


class Counting(discord.ui.View):
    """One button counts for all, one answers in private."""

    def __init__(self):
        super().__init__(timeout=None)
        self.presses = 0

    @discord.ui.button(label="Count", custom_id="count")
    async def count(self, interaction, _):
        self.presses += 1
        await interaction.response.edit_message(content=f"count {self.presses}")

    @discord.ui.button(label="Mine", custom_id="mine")
    async def mine(self, interaction, _):
        await interaction.response.send_message(f"secret of {interaction.user.display_name}", ephemeral=True)


class Swapped(discord.ui.View):
    """Another button where the first one was."""

    def __init__(self):
        super().__init__(timeout=None)
        self.pressed = False

    @discord.ui.button(label="Give up", custom_id="give up")
    async def give_up(self, interaction, _):
        self.pressed = True
        await interaction.response.defer()


def shown():
    view = discord.ui.LayoutView()
    return view.add_item(discord.ui.MediaGallery(discord.MediaGalleryItem("attachment://table.png")))


class Bot(commands.AutoShardedBot):
    def __init__(self):
        super().__init__("!", intents=discord.Intents(guilds=True), shard_count=1)

    async def setup_hook(self):
        self.tree.command(name="count", description="Count")(count)
        await self.tree.sync()


async def count(interaction: discord.Interaction):
    await interaction.response.send_message("count 0", view=Counting())


class Tab:
    """An open page, asked as its script asks."""

    def __init__(self, preview, viewer):
        self.preview = preview
        self.page = preview._open_page(str(viewer.id))

    def news(self):
        return self.preview._page_payload(self.page)

    def text(self):
        return json.dumps(self.news())

    def picture(self):
        (found,) = re.findall(r'"media": {[^}]*"asset_id": "([^"]+)"', self.text())
        return found

    def click(self, nth, news=None):
        news = news or self.news()
        message, key = next(
            (identity, keys[nth])
            for identity, message in news["messages"].items()
            if (keys := re.findall(r'"(message:\d+:component:[^"]+)"', json.dumps(message)))
        )
        return self.act(news, kind="click", target_id=message, control_key=key)

    def command(self, news):
        (entry,) = self.page.command_catalog["entries"]
        known = {
            "command_id": entry["commandId"],
            "path": entry["path"],
            "schema_fingerprint": entry["schemaFingerprint"],
        }
        return self.act(news, kind="run_command", options={}, **known)

    def act(self, news, **what):
        number = self.page.last_sequence + 1
        return self.preview._action(
            self.page.id,
            {
                "protocol_version": 3,
                "sequence": number,
                "request_id": f"{self.page.id}-{number}",
                "generation": news["context"]["generation"],
                "bot_generation": news["botGeneration"],
                "published_revision": news["publishedRevision"],
                **what,
            },
        )


@pytest.fixture
def simcord_bot():
    return Bot()


@pytest.fixture
async def stage(simcord_env: Env):
    world = found(simcord_env)
    async with on_stage(simcord_env, world, 0) as preview:
        yield simcord_env, world, preview


@pytest.fixture
async def tabs(stage):
    """Ann's and Bob's pages, with the counting message on them."""
    _, world, preview = stage
    ann, bob = world.people[:2]
    await ann.slash(world.channel, "count")
    return Tab(preview, ann), Tab(preview, bob)


def test_private_names_of_simcord_exist(stage):
    env, _, preview = stage
    modules = {"plans": plans, "projection": projection, "messages": messages, "media": media}
    owners = {"env": env, "clock": env.backend.clock, "preview": preview, "server": preview._server, **modules}
    assert owners.keys() == PRIVATE.keys()
    for owner, thing in owners.items():
        assert not [name for name in PRIVATE[owner] if not hasattr(thing, name)]
    assert {"transcript", "http_requests", "subscribers", "clock"} <= vars(env.backend).keys()


async def test_a_click_that_a_page_sends_twice_is_made_once_and_answered_alike(tabs, monkeypatch):
    ann, bob = tabs
    sent, action = [], ann.preview._action
    monkeypatch.setattr(ann.preview, "_action", lambda *given: (sent.append(given), action(*given))[1])
    first = await ann.click(0)
    await bob.click(0)
    ann.news()
    shown = bob.text()
    assert await action(*sent[0]) == first
    assert bob.text() == shown


def test_every_private_name_that_is_used_is_listed_and_no_other():
    nodes = list(ast.walk(ast.parse(Path(run_clock.__code__.co_filename).read_text(encoding="utf-8"))))
    named = [each.attr for each in nodes if isinstance(each, ast.Attribute) and ast.unparse(each.value) != "self"]
    named += [ast.unparse(each.slice).strip("'") for each in nodes if isinstance(each, ast.Subscript)]
    used = {each for each in named if re.fullmatch("_[a-z]\\w*", each)}
    assert {each for names in PRIVATE.values() for each in names if each[0] == "_"} == used


@pytest.mark.parametrize("name", CHANGES)
async def test_each_file_is_served_with_its_changes_and_otherwise_as_it_comes(stage, name):
    _, _, preview = stage
    origin = preview.url.partition("/#")[0]
    async with aiohttp.ClientSession() as session, session.get(f"{origin}/{name}") as answer:
        served = await answer.text()
    original = (Path(simcord.preview.__file__).parent / "static" / name).read_text(encoding="utf-8")
    assert served != original
    for old, new in CHANGES[name]:
        assert original.count(old) == 1
        assert new in served
        assert new != old
        original = original.replace(old, new)
    assert served == original


async def test_enter_chooses_no_option_that_may_be_left_out_and_commands_keep_their_order():
    (chosen, unchosen), (by_name, nothing), *_ = CHANGES["commands.js"]
    assert unchosen == chosen.replace("listItems.length", "listItems.length && !optional")
    assert ("localeCompare" in by_name, nothing) == (True, "")


async def test_what_one_presses_shows_on_the_page_of_another(tabs):
    ann, bob = tabs
    assert "count 1" not in bob.text()
    assert not (await ann.click(0))["rejected"]
    assert "count 1" in ann.text()
    assert "count 1" in bob.text()


async def test_what_the_bot_does_of_itself_shows_on_every_page(stage, tabs):
    _, world, _ = stage
    message = world.channel.last_message
    await message.channel.get_partial_message(message.id).edit(content="on its own <t:1:R>")
    for tab in tabs:
        assert "on its own" in tab.text()


async def test_a_page_is_drawn_anew_only_when_something_happened(tabs):
    ann, bob = tabs
    revision = bob.news()["publishedRevision"]
    assert bob.news()["publishedRevision"] == revision
    await ann.click(0)
    assert bob.news()["publishedRevision"] == revision + 1
    assert bob.news()["publishedRevision"] == revision + 1


async def test_of_two_who_press_at_once_neither_is_turned_away(tabs):
    ann, bob = tabs
    results = await asyncio.gather(ann.click(0), bob.click(0))
    assert [each["rejected"] for each in results] == [False, False]
    assert "count 2" in ann.text()
    assert "count 2" in bob.text()


async def test_a_press_on_a_drawing_that_another_one_was_on_its_way_to_replace_counts(tabs):
    ann, bob = tabs
    seen = bob.news()
    for nth in range(1, DRAWINGS):
        await ann.click(0)
        assert f"count {nth}" in bob.text()
    assert bob.news()["publishedRevision"] > seen["publishedRevision"]
    assert not (await bob.click(0, seen))["rejected"]
    assert f"count {DRAWINGS}" in ann.text()


async def test_a_press_reaches_the_bot_as_the_button_that_was_seen_not_as_the_one_that_came_in_its_place(stage, tabs):
    _, world, _ = stage
    _, bob = tabs
    seen, other, message = bob.news(), Swapped(), world.channel.last_message
    await message.channel.get_partial_message(message.id).edit(view=other)
    assert not (await bob.click(0, seen))["rejected"]
    assert not other.pressed
    assert "count 1" in bob.text(), "the bot heard what was pressed, and it alone says whether that still counts"
    await message.channel.get_partial_message(message.id).edit(view=other)
    assert "Give up" in bob.text()
    assert not (await bob.click(0))["rejected"]
    assert other.pressed


async def test_a_button_is_found_where_it_has_moved_to(stage, tabs):
    _, world, _ = stage
    _, bob = tabs
    seen, moved, message = bob.news(), Counting(), world.channel.last_message
    (count,) = [each for each in moved.children if isinstance(each, discord.ui.Button) and each.custom_id == "count"]
    moved.remove_item(count).add_item(count)
    await message.channel.get_partial_message(message.id).edit(view=moved)
    assert not (await bob.click(0, seen))["rejected"]
    assert "count 1" in bob.text()
    assert "secret of Bob" not in bob.text()


async def test_a_press_on_what_is_gone_is_refused_and_the_page_drawn_anew(stage, tabs):
    _, world, _ = stage
    _, bob = tabs
    seen, message = bob.news(), world.channel.last_message
    await message.channel.get_partial_message(message.id).edit(content="nothing to press", view=None)
    result = await bob.click(0, seen)
    assert (result["rejected"], result["diagnostics"][0]["code"]) == (True, "stale-revision")
    assert "nothing to press" in bob.text()


async def test_a_command_is_run_whatever_came_while_it_was_typed(tabs):
    ann, bob = tabs
    seen = bob.news()
    await ann.click(0)
    assert bob.news()["publishedRevision"] > seen["publishedRevision"]
    assert not (await bob.command(seen))["rejected"]
    assert "count 0" in bob.text()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("sh:play:7:41:7C", "sh:play:7:42:7C", True),
        ("sh:play:7:41:7C", "sh:play:7:41:8C", False),
        ("sh:play:7:41:7C", "sh:pickup:7:41", False),
        ("sh:hand:7:41", "sh:hand:8:41", False),
        ("count", "count", True),
        ("count", "sh:hand:8:41", False),
    ],
)
def test_two_buttons_are_alike_when_they_ask_for_the_same(one, other, same):
    assert alike(one, other) is same


@pytest.mark.parametrize(("seen", "first", "second", "found"), [(3, 2, 3, 1), (2, 2, 3, 0), (3, 1, 4, 1), (2, 1, 4, 0)])
def test_of_two_selects_for_one_choice_the_one_that_was_seen_is_found(seen, first, second, found):
    """The variants fill two; each has another number as soon as it has what is chosen."""
    there = {f"message:5:component:{n}": (3, f"sh:variant:7:42:rules~{nth}") for n, nth in enumerate((first, second))}
    assert place_of((3, f"sh:variant:7:41:rules~{seen}"), "message:5:component:99", there) == list(there)[found]


def test_no_other_select_stands_in_for_one_that_is_gone():
    there = {"message:5:component:1": (3, "sh:set:7:42:hints")}
    assert place_of((3, "sh:variant:7:41:rules"), "message:5:component:1", there) is None


async def test_a_private_answer_is_on_no_other_page(tabs):
    ann, bob = tabs
    await bob.click(1)
    assert "secret of Bob" in bob.text()
    assert "secret of Bob" not in ann.text()


def test_a_time_is_shown_anew_when_it_has_become_another():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    token = {"type": "timestamp", "unix": int(now.timestamp()) + 130, "style": "R"}

    def seen(seconds):
        payload = {"profile": {}, "messages": {"1": {"content": [dict(token)]}, "2": {"content": []}}}
        return aged(payload, now + timedelta(seconds=seconds))

    assert seen(0)["profile"]["presentationTime"] == now.isoformat()
    assert seen(0)["messages"]["1"] == seen(5)["messages"]["1"] != seen(60)["messages"]["1"]
    assert seen(80)["messages"]["1"] != seen(95)["messages"]["1"]
    assert seen(0)["messages"]["2"] == {"content": []}


def test_no_text_is_parsed_twice():
    asked = []

    def parse(value, profile, *, context):
        asked.append(value)
        return [{"type": "text", "content": value}]

    once = cached(parse)
    once("a")[0]["content"] = "changed"
    assert once("a", "message", context=None) == [{"type": "text", "content": "a"}]
    assert asked == ["a"]
    once("a", context={"users": {"1": "Ann"}})
    once("a", "embed")
    assert asked == ["a", "a", "a"]
    for n in range(MOST_TEXTS):
        once(str(n))
    once("a")
    assert asked[-1] == "a"


def test_a_remembered_text_is_what_it_was():
    speed_up()
    parse = vars(messages)["markdown_tokens"]
    text = "# Ann\n-# **x** <t:1:R> `y` [z](https://example.org) ||s||\n> q\n1. one\n```py\nx\n```"
    assert parse(text, "text_display") == parse(text, "text_display")
    speed_up()
    assert parse is vars(messages)["markdown_tokens"] is vars(projection)["markdown_tokens"]
    assert simcord.Env._settle_internal.__kwdefaults__["idle"] == IDLE


async def test_a_picture_that_was_drawn_here_is_not_looked_at_by_another_process(monkeypatch):
    monkeypatch.delattr(media.MediaWorker, "_decode")
    png = emoji_set()["7_clubs"]
    found = await asyncio.gather(*(Trusting().validate(str(n), png) for n in range(50)))
    assert all(each.memory_limited for each in found), "no page warns of what reads no picture"
    assert {(each.width, each.height, each.content_type, each.normalized) for each in found} == {
        (128, 128, "image/png", png)
    }
    with pytest.raises(AttributeError, match="_decode"):
        await Trusting().validate("other", b"GIF89a")


async def test_a_page_keeps_the_picture_that_is_on_it_until_it_is_redrawn(stage, monkeypatch):
    env, world, preview = stage
    first, second = (emoji_set()[card] for card in ("7_clubs", "8_clubs"))
    channel = env.bot.get_channel(world.channel.id)
    message = await channel.send(view=shown(), file=discord.File(io.BytesIO(first), "table.png"))
    tab = Tab(preview, world.people[0])
    old = tab.picture()
    with monkeypatch.context() as pressed:
        pressed.setattr(env, "_operation_task", asyncio.current_task())  # while somebody presses, nothing is redrawn
        await message.edit(view=shown(), attachments=[discord.File(io.BytesIO(second), "table.png")])
        assert tab.picture() == old
        assert (await preview._prepare_asset(tab.page.id, old))[1] == first
    new = tab.picture()
    assert (await preview._prepare_asset(tab.page.id, new))[1] == second
    with pytest.raises(simcord.SetupError):
        await preview._prepare_asset(tab.page.id, old)


async def test_the_clock_runs_with_the_real_one_but_not_during_a_click(stage):
    env, _, _ = stage
    assert abs(datetime.now(UTC) - env.now()) < timedelta(seconds=HANG)
    env.backend.transcript.extend([("HTTP", "", None)] * (2 * KEPT))
    set_time(env, datetime(2026, 1, 1, tzinfo=UTC))
    async with asyncio.timeout(HANG):
        while (env.now().year, env.now().month) == (2026, 1):  # noqa: ASYNC110 - nothing announces a tick
            await asyncio.sleep(0)
        env._begin_operation("a click")
        held = env.now()
        ticking = asyncio.create_task(run_clock(env))
        await asyncio.sleep(0)
        assert env.now() == held
        env._end_operation()
        ticking.cancel()
    assert len(env.backend.transcript) <= KEPT


async def test_a_clock_that_has_run_can_be_set_to_any_time(simcord_env):
    await simcord_env.advance_time(100)
    for moment in (datetime(2025, 6, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)):
        set_time(simcord_env, moment)
        assert simcord_env.now() == moment


async def test_ids_are_the_same_each_time_whatever_was_made_before(stage):
    _, world, _ = stage
    ids = [world.server.id, world.channel.id, *(each.id for each in world.people)]
    first = min(ids)
    assert ids == [first + 4, first + 6, first, first + 1, first + 2, first + 3]
    assert discord.utils.snowflake_time(first) == datetime(2025, 6, 1, tzinfo=UTC)


async def test_a_taken_port_gives_way_to_a_free_one(stage):
    _, _, preview = stage
    taken = port_of(preview)
    await preview.close()
    blocker = await asyncio.start_server(lambda *_: None, "127.0.0.1", taken)
    try:
        async with on_stage(stage[0], stage[1], taken) as other:
            assert port_of(other) not in {0, taken}
    finally:
        blocker.close()
