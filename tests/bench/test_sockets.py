"""The Discord made of sockets does what Discord does: gateway, routes, limits, clicks, and trouble on demand."""

import asyncio
import json
import zlib
from contextlib import AsyncExitStack

import aiohttp
import pytest
from aiohttp import WSMsgType

from testkit.sockets.clicker import Clicker
from testkit.sockets.gateway import ACK, DISPATCH, HEARTBEAT, HELLO, IDENTIFY, INVALID, RECONNECT, RESUME
from testkit.sockets.server import discord_on_sockets
from testkit.sockets.world import EPHEMERAL, EPOCH, LAYOUT, World
from testkit.waiting import HANG


def pressed(custom_id):
    return {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": custom_id}]}


PRESS = pressed("go")
SCREEN = {"flags": LAYOUT, "components": [{"type": 10, "content": "Hello"}, PRESS]}
HIDDEN = SCREEN | {"flags": LAYOUT | EPHEMERAL}


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.at = 1_800_000_000.0

    def __call__(self):
        return self.at


class Line:
    """A bot's end of a gateway connection."""

    def __init__(self, socket):
        self.socket = socket

    async def say(self, op, said=None):
        await self.socket.send_json({"op": op, "d": said})

    async def hear(self):
        async with asyncio.timeout(HANG):
            message = await self.socket.receive()
        return json.loads(message.data) if message.type is WSMsgType.TEXT else message

    async def identify(self, shard=0, count=1):
        await self.say(IDENTIFY, {"token": "good", "shard": [shard, count]})
        return await self.hear()


class Raw:
    """A bot without any library."""

    def __init__(self, session, discord, lines):
        self._session, self.discord, self._lines = session, discord, lines

    async def ask(self, method, path, body=None):
        url = f"http://127.0.0.1:{self.discord.port}/api/v10{path}"
        async with self._session.request(method, url, json=body) as answer:
            self.headers = answer.headers
            return answer.status, await answer.json() if answer.status != 204 else None

    async def code(self, method, path, body=None):
        status, said = await self.ask(method, path, body)
        return status, said["code"]

    async def connect(self, query=""):
        opening = self._session.ws_connect(self.discord.gateway.url + query)
        return Line(await self._lines.enter_async_context(opening))

    async def begin(self, **shard):
        """A connection that has identified itself; READY is heard."""
        line = await self.connect()
        assert (await line.hear())["op"] == HELLO
        return line, await line.identify(**shard)

    async def answer(self, asked, kind, data=None):
        body = {"type": kind, "data": data or {}}
        return await self.ask("POST", f"/interactions/{asked['id']}/{asked['token']}/callback", body)


@pytest.fixture
def time():
    return Time()


@pytest.fixture
async def raw(time):
    async with (
        discord_on_sockets(World(now=time), monotonic=time, shards=2) as discord,
        aiohttp.ClientSession() as session,
        AsyncExitStack() as lines,  # closes them: what is left open, Python complains of at any time later
    ):
        discord.world.add_guilds(4, 2)
        yield Raw(session, discord, lines)


@pytest.fixture
def world(raw: Raw):
    return raw.discord.world


@pytest.fixture
def channel(world):
    return next(iter(world.channels))


@pytest.fixture
async def posted(raw: Raw, channel):
    """The path of a public message."""
    _, said = await raw.ask("POST", f"/channels/{channel}/messages", SCREEN)
    return f"/channels/{channel}/messages/{said['id']}"


@pytest.fixture
async def line(raw: Raw):
    """A connection of the only shard, on which all servers have been told."""
    line, _ = await raw.begin()
    for _ in raw.discord.world.guilds:
        assert (await line.hear())["t"] == "GUILD_CREATE"
    return line


async def clicked(raw, line, channel, message=None):
    """Somebody's command, or their click on a message: the task that waits for the answer, and what the bot is sent."""
    ann = Clicker(raw.discord, 33, "Ann")
    doing = ann.press(message, "go") if message else ann.command(channel, "shithead", "start")
    task = asyncio.create_task(doing)
    return task, (await line.hear())["d"]


# The gateway.


async def test_a_shard_is_told_its_own_servers_and_no_others(raw: Raw, time):
    for shard in (0, 1):
        line, ready = await raw.begin(shard=shard, count=2)
        mine = [int(each["id"]) for each in ready["d"]["guilds"]]
        assert len(mine) == 2
        assert {(each >> 22) % 2 for each in mine} == {shard}
        assert [int((await line.hear())["d"]["id"]) for _ in mine] == mine
        time.at += 5


async def test_of_two_shards_that_identify_at_once_the_second_is_invalid(raw: Raw, time):
    await raw.begin(shard=0, count=2)
    late, said = await raw.begin(shard=1, count=2)
    assert (said["op"], said["d"]) == (INVALID, False)
    time.at += 5
    assert (await late.identify(shard=1, count=2))["t"] == "READY"


async def test_shards_of_different_buckets_identify_together(raw: Raw):
    raw.discord.gateway.max_concurrency = 2
    for shard in (0, 1):
        assert (await raw.begin(shard=shard, count=2))[1]["t"] == "READY"


async def test_a_resumed_session_hears_what_it_has_missed(raw: Raw, line, channel):
    gateway, guild = raw.discord.gateway, raw.discord.world.guild_of(channel)
    session = gateway.session_of(guild)
    seen = session.sequence
    gateway.cut()
    await gateway.tell(guild, "SOMETHING", {"number": 1})
    again = await raw.connect()
    await again.hear()
    await again.say(RESUME, {"token": "good", "session_id": session.name, "seq": seen})
    assert [(await again.hear())["t"] for _ in range(2)] == ["SOMETHING", "RESUMED"]
    assert gateway.seen["resume"] == 1


@pytest.mark.parametrize("resumes", [True, False])
async def test_an_unknown_session_is_not_resumed_and_none_where_that_is_switched_off(raw: Raw, line, resumes):
    gateway = raw.discord.gateway
    gateway.resumes = resumes
    again = await raw.connect()
    await again.hear()
    await again.say(RESUME, {"session_id": "nobody" if resumes else gateway.sessions[0].name, "seq": 1})
    assert (await again.hear())["op"] == INVALID


async def test_heartbeats_are_acknowledged_unless_the_connection_is_a_zombie(raw: Raw, line):
    await line.say(HEARTBEAT)
    assert (await line.hear())["op"] == ACK
    raw.discord.gateway.beats = False
    await line.say(HEARTBEAT)
    await raw.discord.until(lambda: raw.discord.gateway.seen["heartbeat"] == 2)
    await raw.discord.gateway.order(RECONNECT)
    assert (await line.hear())["op"] == RECONNECT


async def test_a_session_is_closed_with_the_code_that_is_wanted(raw: Raw):
    raw.discord.gateway.closes = 4014
    _, said = await raw.begin()
    assert (said.type, said.data) == (WSMsgType.CLOSE, 4014)


async def test_nobody_connects_to_a_gateway_that_is_not_there(raw: Raw):
    raw.discord.gateway.is_there = False
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await raw.connect()


async def test_a_bot_that_asks_for_it_gets_one_compressed_stream(raw: Raw):
    line = await raw.connect("?compress=zlib-stream")
    inflate = zlib.decompressobj()
    assert json.loads(inflate.decompress((await line.hear()).data))["op"] == HELLO
    await line.say(HEARTBEAT)
    assert json.loads(inflate.decompress((await line.hear()).data))["op"] == ACK


async def test_garbage_arrives_as_it_is_and_a_cut_connection_ends_without_a_word(raw: Raw, line):
    await raw.discord.gateway.garbage("{")
    assert (await line.socket.receive()).data == "{"
    raw.discord.gateway.cut()
    ended = await line.hear()
    assert ended.type in {WSMsgType.CLOSED, WSMsgType.ERROR, WSMsgType.CLOSE}


async def test_an_event_that_is_delivered_again_has_a_number_of_its_own(raw: Raw, line, channel):
    gateway, guild = raw.discord.gateway, raw.discord.world.guild_of(channel)
    await gateway.tell(guild, "SOMETHING", {})
    await gateway.tell_again(guild)
    first, second = await line.hear(), await line.hear()
    assert (first["op"], first["t"], second["t"]) == (DISPATCH, "SOMETHING", "SOMETHING")
    assert second["s"] == first["s"] + 1


# Messages.


async def test_a_message_is_posted_read_edited_and_deleted(raw: Raw, posted):
    assert (await raw.ask("GET", posted))[1]["components"][0]["content"] == "Hello"
    body = {"components": [{"type": 10, "content": "Bye"}]}
    assert (await raw.ask("PATCH", posted, body))[1]["components"][0]["content"] == "Bye"
    assert (await raw.ask("DELETE", posted))[0] == 204
    assert await raw.code("GET", posted) == (404, 10008)


async def test_a_message_that_is_sent_twice_with_its_nonce_is_there_once(raw: Raw, channel):
    body = SCREEN | {"nonce": "7", "enforce_nonce": True}
    ids = {(await raw.ask("POST", f"/channels/{channel}/messages", body))[1]["id"] for _ in range(2)}
    assert len(ids) == 1


async def test_a_nonce_that_discord_is_not_told_to_enforce_keeps_no_message_from_being_there_twice(raw: Raw, channel):
    body = SCREEN | {"nonce": "7"}
    ids = {(await raw.ask("POST", f"/channels/{channel}/messages", body))[1]["id"] for _ in range(2)}
    assert len(ids) == 2


async def test_attachments_are_named_in_the_message(raw: Raw, channel):
    form = aiohttp.FormData()
    said = SCREEN | {"attachments": [{"id": "0", "filename": "end.png"}]}
    form.add_field("payload_json", json.dumps(said))
    form.add_field("files[0]", b"png", filename="end.png", content_type="image/png")
    url = f"http://127.0.0.1:{raw.discord.port}/api/v10/channels/{channel}/messages"
    async with raw._session.post(url, data=form) as answer:
        (attachment,) = (await answer.json())["attachments"]
    assert attachment["filename"] == "end.png"
    assert int(attachment["id"]) > 1 << 60


async def test_where_the_bot_may_not_write_it_is_told_why(raw: Raw, world, channel, posted):
    url = "/channels/{}/messages".format
    assert await raw.code("POST", url(1), SCREEN) == (404, 10003)
    thread = world.add_thread(channel, archived=True)
    assert await raw.code("POST", url(thread), SCREEN) == (400, 50083)
    assert (await raw.ask("PATCH", f"/channels/{thread}", {"archived": False}))[0] == 200
    assert (await raw.ask("POST", url(thread), SCREEN))[0] == 200
    world.closed.add(channel)
    assert await raw.code("POST", url(channel), SCREEN) == (403, 50013)
    assert await raw.code("PATCH", posted, SCREEN) == (403, 50001)


TWICE = {"flags": LAYOUT, "components": [PRESS, PRESS]}
MANY = {"flags": LAYOUT, "components": [{"type": 10, "content": "x"}] * 41}
LONG = {"flags": LAYOUT, "components": [{"type": 10, "content": "x" * 4001}]}
MIXED = SCREEN | {"content": "old"}
UNNAMED, VERBOSE = ({"flags": LAYOUT, "components": [pressed("x" * length)]} for length in (0, 101))


@pytest.mark.parametrize(
    "body",
    [TWICE, MANY, LONG, MIXED, UNNAMED, VERBOSE],
    ids=["twice", "many", "long", "mixed", "without an id", "with too long an id"],
)
async def test_a_message_that_discord_could_not_show_is_refused_and_changes_nothing(raw: Raw, posted, body):
    assert await raw.code("PATCH", posted, body) == (400, 50035)
    assert (await raw.ask("GET", posted))[1]["components"][0]["content"] == "Hello"


async def test_automod_takes_offence_at_its_words(raw: Raw, world, channel):
    world.forbidden.add("Hell")
    assert await raw.code("POST", f"/channels/{channel}/messages", SCREEN) == (400, 200000)


async def test_an_emoji_and_the_commands_are_there_once_they_were_sent(raw: Raw):
    assert (await raw.ask("POST", "/applications/5/emojis", {"name": "AS", "image": "data:"}))[0] == 200
    assert await raw.code("POST", "/applications/5/emojis", {"name": "AS", "image": "data:"}) == (400, 50035)
    await raw.ask("PUT", "/applications/5/commands", [{"name": "shithead", "type": 1}])
    assert [each["name"] for each in (await raw.ask("GET", "/applications/5/emojis"))[1]["items"]] == ["AS"]
    assert [each["name"] for each in (await raw.ask("GET", "/applications/5/commands"))[1]] == ["shithead"]


def test_ids_tell_their_time_and_are_never_the_same(time):
    world = World(now=time)
    ids = {world.snowflake() for _ in range(1000)}
    assert len(ids) == 1000
    assert {(each >> 22) + EPOCH for each in ids} == {1_800_000_000_000}


# Limits.


async def test_the_sixth_edit_in_a_channel_within_five_seconds_is_one_too_many(raw: Raw, time, world, posted):
    assert [(await raw.ask("PATCH", posted, SCREEN))[0] for _ in range(6)] == [200] * 5 + [429]
    assert raw.headers["Via"]
    assert raw.headers["X-RateLimit-Scope"] == "user"
    assert 0 < float(raw.headers["Retry-After"]) <= 5
    other = world.post(list(world.channels)[1], SCREEN)
    assert (await raw.ask("PATCH", f"/channels/{other.channel}/messages/{other.id}", SCREEN))[0] == 200
    time.at += 5
    assert (await raw.ask("PATCH", posted, SCREEN))[0] == 200
    assert raw.discord.limits.refused.total() == 1


async def test_discord_takes_fifty_requests_a_second_of_a_bot(raw: Raw, time):
    found = [(await raw.ask("GET", "/users/@me"))[0] for _ in range(51)]
    assert found == [200] * 50 + [429]
    assert raw.headers["X-RateLimit-Scope"] == "global"
    time.at += 1
    assert (await raw.ask("GET", "/users/@me"))[0] == 200


@pytest.mark.parametrize("path", ["/interactions/1/{}/callback", "/webhooks/5/{}"])
async def test_answers_to_clicks_do_not_count_among_the_fifty(raw: Raw, path):
    for number in range(60):
        assert await raw.code("POST", path.format(number), {"type": 6}) == (404, 10062)
    assert (await raw.ask("GET", "/users/@me"))[0] == 200


async def test_without_limits_nothing_is_too_many(raw: Raw, posted):
    raw.discord.limits.is_on = False
    assert {(await raw.ask("PATCH", posted, SCREEN))[0] for _ in range(60)} == {200}


async def test_a_message_of_more_than_an_hour_can_hardly_be_edited(raw: Raw, time, posted):
    time.at += 3_601
    for _ in range(3):
        assert (await raw.ask("PATCH", posted, SCREEN))[0] == 200
    assert await raw.code("PATCH", posted, SCREEN) == (429, 30046)


# Clicks.


async def test_a_private_answer_is_seen_by_its_owner_alone_and_found_by_nobody(raw: Raw, line, world, channel):
    task, asked = await clicked(raw, line, channel)
    await raw.answer(asked, 4, HIDDEN)
    answered = await task
    message = answered.message
    assert (answered.kind, message.seen_by, world.public(channel)) == (4, 33, None)
    assert message.payload["flags"] & EPHEMERAL
    assert await raw.code("GET", f"/channels/{channel}/messages/{message.id}") == (404, 10008)
    with pytest.raises(LookupError):
        await Clicker(raw.discord, 44, "Bob").press(message, "go")


async def test_a_click_carries_its_message_and_is_answered_by_changing_it(raw: Raw, line, world, channel):
    message = world.post(channel, SCREEN)
    task, asked = await clicked(raw, line, channel, message)
    assert asked["message"]["components"][1]["components"][0]["custom_id"] == "go"
    assert asked["data"] == {"custom_id": "go", "component_type": 2, "id": 3}
    assert asked["member"]["user"]["id"] == "33"
    _, said = await raw.answer(asked, 7, {"components": [{"type": 10, "content": "Gone"}]})
    assert said["resource"]["message"]["components"][0]["content"] == "Gone"
    assert (await task).message is message
    with pytest.raises(LookupError):
        await Clicker(raw.discord, 33, "Ann").press(message, "go")


async def test_a_select_is_answered_with_its_first_value_unless_another_is_named(raw: Raw, line, world, channel):
    options = [{"label": each, "value": each} for each in "ab"]
    row = {"type": 1, "components": [{"type": 3, "custom_id": "go", "options": options}]}
    message = world.post(channel, {"flags": LAYOUT, "components": [row]})
    task, asked = await clicked(raw, line, channel, message)
    assert asked["data"]["values"] == ["a"]
    await raw.answer(asked, 6)
    assert (await task).is_deferred


async def test_a_click_is_answered_once_and_in_three_seconds(raw: Raw, line, time, channel):
    task, asked = await clicked(raw, line, channel)
    assert (await raw.answer(asked, 4, SCREEN))[0] == 200
    status, said = await raw.answer(asked, 4, SCREEN)
    assert (status, said["code"]) == (400, 40060)
    await task
    task, asked = await clicked(raw, line, channel)
    time.at += 3.1
    status, said = await raw.answer(asked, 4, SCREEN)
    assert (status, said["code"]) == (404, 10062)
    task.cancel()


async def test_what_follows_a_defer_is_as_hidden_as_that_was_and_can_be_edited_for_fifteen_minutes(
    raw: Raw, line, time, channel
):
    task, asked = await clicked(raw, line, channel)
    await raw.answer(asked, 5, {"flags": EPHEMERAL})
    await task
    original = f"/webhooks/5/{asked['token']}/messages/@original"
    _, said = await raw.ask("PATCH", original, SCREEN)
    assert said["flags"] & EPHEMERAL
    status, said = await raw.ask("POST", f"/webhooks/5/{asked['token']}", SCREEN)
    assert (status, said["flags"] & EPHEMERAL) == (200, 0)
    time.at += 901
    assert await raw.code("PATCH", original, SCREEN) == (401, 50027)


async def test_an_answer_can_be_changed_and_deleted_by_its_token(raw: Raw, line, world, channel):
    task, asked = await clicked(raw, line, channel)
    await raw.answer(asked, 4, HIDDEN)
    message = (await task).message
    original = f"/webhooks/5/{asked['token']}/messages/@original"
    await raw.ask("PATCH", original, {"components": [{"type": 10, "content": "Bye"}]})
    assert (await raw.ask("GET", original))[1]["components"][0]["content"] == "Bye"
    assert message.payload["components"][0]["content"] == "Bye"
    assert (await raw.ask("DELETE", original))[0] == 204
    assert message.id not in world.messages
    assert await raw.code("GET", original) == (404, 10008)


async def test_an_answer_is_accepted_although_the_person_has_given_up_waiting(raw: Raw, line, channel):
    task, asked = await clicked(raw, line, channel)
    task.cancel()
    await asyncio.wait([task])
    assert (await raw.answer(asked, 4, SCREEN))[0] == 200


async def test_nothing_follows_before_the_first_answer(raw: Raw, line, channel):
    task, asked = await clicked(raw, line, channel)
    assert await raw.code("POST", f"/webhooks/5/{asked['token']}", SCREEN) == (404, 10015)
    task.cancel()


async def test_a_token_reaches_private_messages_of_its_own_person_alone(raw: Raw, line, world, channel):
    of_bob = world.post(channel, HIDDEN, seen_by=44)
    task, asked = await clicked(raw, line, channel)
    await raw.answer(asked, 4, HIDDEN)
    await task
    path = f"/webhooks/5/{asked['token']}/messages/{of_bob.id}"
    assert await raw.code("PATCH", path, SCREEN) == (404, 10008)
    own = world.post(channel, HIDDEN, seen_by=33)
    assert (await raw.ask("PATCH", f"/webhooks/5/{asked['token']}/messages/{own.id}", SCREEN))[0] == 200


# Trouble.


async def test_an_answer_takes_as_long_as_it_is_told_to(raw: Raw, monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    raw.discord.trouble.latency = 2.5
    monkeypatch.setattr("asyncio.sleep", sleep)
    assert (await raw.ask("GET", "/users/@me"))[0] == 200
    assert slept == [2.5]


async def test_what_is_asked_is_heard_with_its_route_and_what_came_of_it(raw: Raw, posted, channel):
    heard = []
    raw.discord.listeners.append(heard.append)
    await raw.ask("GET", posted)
    await raw.ask("GET", f"/channels/{channel}/messages/1")
    assert [(each.method, each.parts["channel"], each.status) for each in heard] == [
        ("GET", str(channel), 200),
        ("GET", str(channel), 404),
    ]


async def test_a_request_fails_as_often_as_it_is_told_to(raw: Raw, posted):
    raw.discord.trouble.fails = [("PATCH", "/messages/", 503, 0)]
    assert [(await raw.ask("PATCH", posted, SCREEN))[0] for _ in range(2)] == [503, 200]


@pytest.mark.parametrize(("when", "is_done"), [("before", False), ("after", True)])
async def test_a_connection_breaks_before_or_after_the_request_was_done(raw: Raw, world, channel, when, is_done):
    raw.discord.trouble.cuts = [("POST", "/messages", when)]
    with pytest.raises(aiohttp.ClientConnectionError):
        await raw.ask("POST", f"/channels/{channel}/messages", SCREEN)
    assert (world.public(channel) is not None) == is_done


async def test_a_discord_that_is_away_cuts_every_connection_and_does_nothing(raw: Raw, world, channel):
    raw.discord.trouble.away = True
    with pytest.raises(aiohttp.ClientConnectionError):
        await raw.ask("POST", f"/channels/{channel}/messages", SCREEN)
    assert world.public(channel) is None


async def test_a_silent_discord_does_what_it_is_asked_and_does_not_say_so(raw: Raw, world, channel):
    raw.discord.trouble.silent = True
    asking = asyncio.create_task(raw.ask("POST", f"/channels/{channel}/messages", SCREEN))
    assert await raw.discord.until(lambda: world.public(channel)) is world.public(channel)
    assert not asking.done()
    asking.cancel()
