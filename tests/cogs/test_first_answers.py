"""First answers over real sockets: they arrive once, and refusals are left to discord.py."""

import asyncio
from collections import Counter
from itertools import product

import aiohttp
import discord
import pytest
from aiohttp import web
from discord.http import HTTPClient, Route
from discord.webhook.async_ import AsyncWebhookAdapter

from cogs import direct_answers
from cogs.direct_answers import DirectAnswers
from cogs.responder import REPEAT_AFTER, First, Prepared, Responder
from testkit.sockets.server import Discord, discord_on_sockets
from testkit.sockets.world import EPHEMERAL, LAYOUT, World

NOW = 1_780_000_000.0
"""When all of this happens: its clock stands still, or an answer would be too late on a busy machine."""
CALLBACK = ("POST", "/interactions/{number}/{token}/callback")
NEW = {"flags": LAYOUT, "components": [{"type": 10, "content": "It is Bob's turn. ♣"}]}
OLD = {"flags": LAYOUT | EPHEMERAL, "components": [{"type": 10, "content": "Your turn"}]}


class There:
    """A Discord with a private message that Ann clicks, and a bot's session."""

    def __init__(self, wire: Discord, session, errors):
        self.wire, self._session, self.errors = wire, session, errors
        ((self.channel,),) = (wire.world.add_guilds(1, 1),)
        self.hand = wire.world.post(self.channel, dict(OLD), seen_by=33)

    def click(self):
        """The `Responder` of one more click on the message."""
        who = {"number": 33, "name": "Ann"}
        self.kept, sent = self.wire.world.interaction(3, who, self.channel, {"custom_id": "x"}, self.hand)
        http = HTTPClient(asyncio.get_running_loop())
        setattr(http, "_HTTPClient__session", self._session)  # noqa: B010 - Python would mangle the attribute
        return Responder(http, sent, DirectAnswers(self.errors))

    @property
    def text(self):
        return self.hand.payload["components"][0]["content"]

    @property
    def asked(self):
        return self.wire.asked[CALLBACK]


@pytest.fixture
async def there(monkeypatch):
    async with discord_on_sockets(World(now=lambda: NOW)) as wire, aiohttp.ClientSession() as session:
        monkeypatch.setattr(Route, "BASE", f"http://127.0.0.1:{wire.port}/api/v10")
        errors = Counter()
        yield There(wire, session, errors)


@pytest.fixture
def slept(monkeypatch):
    """The pauses of discord.py, which take no time here."""
    found = []

    async def sleep(seconds):
        found.append(seconds)

    monkeypatch.setattr("asyncio.sleep", sleep)
    return found


async def test_answers_follow_one_another_on_one_connection(there: There):
    seen = set()
    there.wire.listeners.append(lambda _heard: seen.add(len(there._session.connector._acquired)))
    for _ in range(3):
        await there.click().respond(First.UPDATE, dict(NEW))
    assert (there.text, there.asked, seen) == ("It is Bob's turn. ♣", 3, {1})
    assert sum(map(len, there._session.connector._conns.values())) == 1


async def test_after_the_bot_has_disconnected_no_answer_is_sent(there: There):
    await there._session.close()
    assert not await DirectAnswers(Counter()).post(there._session, 1, "token", dict(NEW))


async def test_an_answer_with_a_picture_arrives(there: There):
    await there.click().respond(First.MESSAGE, dict(NEW), {"table.png": b"PNG"})
    assert there.kept.original.payload["components"][0]["content"] == "It is Bob's turn. ♣"


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_server_errors_are_retried_with_discord_pys_pauses(there: There, slept, status):
    there.wire.trouble.fails = [("POST", "/callback", status, 0)] * 3
    await there.click().respond(First.UPDATE, dict(NEW))
    assert (there.text, there.asked, slept) == ("It is Bob's turn. ♣", 4, [1, 3])


@pytest.mark.parametrize(("status", "code", "kind"), [
    (429, 0, discord.HTTPException), (403, 50013, discord.Forbidden), (404, 10062, discord.NotFound),
])  # fmt: skip
async def test_a_refusal_raises_discord_pys_error(there: There, status, code, kind):
    there.wire.trouble.fails = [("POST", "/callback", status, code)] * 2
    with pytest.raises(kind) as refused:
        await there.click().respond(First.UPDATE, dict(NEW))
    assert (refused.value.status, refused.value.code, there.text) == (status, code, "Your turn")
    assert there.errors == {status: 1}  # the session reports the retry's


async def test_an_answer_arrives_although_the_connection_closed_between_two_clicks(there: There):
    await there.click().respond(First.UPDATE, {**OLD, "flags": LAYOUT})
    there.wire.trouble.cuts = [("POST", "/callback", "before")]
    await there.click().respond(First.UPDATE, dict(NEW))
    assert (there.text, there.asked) == ("It is Bob's turn. ♣", 3)


async def test_an_answer_with_a_picture_whose_connection_breaks_is_sent_once_more(there: There):
    sizes = []
    there.wire.listeners.append(lambda heard: sizes.append(heard.uploaded))
    there.wire.trouble.cuts = [("POST", "/callback", "before")]
    await there.click().respond(First.MESSAGE, dict(NEW), {"table.png": b"PNG"})
    assert [each["filename"] for each in there.kept.original.payload["attachments"]] == ["table.png"]
    assert sizes == [3, 3]
    there.wire.trouble.cuts = [("POST", "/callback", "before")] * 2
    with pytest.raises(aiohttp.ClientError):
        await there.click().respond(First.MESSAGE, dict(NEW), {"table.png": b"PNG"})


async def test_an_answer_whose_response_is_lost_is_known_to_have_arrived(there: There):
    there.wire.trouble.cuts = [("POST", "/callback", "after")]
    with pytest.raises(discord.HTTPException) as refused:
        await there.click().respond(First.UPDATE, dict(NEW))
    assert (refused.value.code, there.text) == (40060, "It is Bob's turn. ♣")  # Discord has it already


async def test_while_discord_is_down_an_answer_fails_like_any_request(there: There):
    there.wire.leave()
    with pytest.raises(aiohttp.ClientError):
        await there.click().respond(First.UPDATE, dict(NEW))
    there.wire.come_back()
    await there.click().respond(First.UPDATE, dict(NEW))
    assert there.text == "It is Bob's turn. ♣"


async def test_an_answer_without_a_response_in_time_is_left_to_discord_py(there: There, monkeypatch):
    await there.click().respond(First.UPDATE, {**OLD, "flags": LAYOUT})  # from now on there is a connection
    monkeypatch.setattr(direct_answers, "_TIMEOUT", 0.02)
    there.wire.trouble.silent = True
    there.wire.listeners.append(lambda _heard: setattr(there.wire.trouble, "silent", there.asked == 2))
    with pytest.raises(discord.HTTPException) as refused:
        await there.click().respond(First.UPDATE, dict(NEW))
    assert (refused.value.code, there.text, there.asked) == (40060, "It is Bob's turn. ♣", 3)


async def test_an_answer_without_a_connection_in_time_is_left_to_discord_py(there: There, monkeypatch):
    connector, real = there._session.connector, there._session.connector.connect

    async def never(*_):
        monkeypatch.setattr(connector, "connect", real)
        await asyncio.Event().wait()

    monkeypatch.setattr(connector, "connect", never)
    monkeypatch.setattr(direct_answers, "_TIMEOUT", 0.02)
    await there.click().respond(First.UPDATE, dict(NEW))
    assert (there.text, there.asked) == ("It is Bob's turn. ♣", 1)


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        *product(("edit", "add", "bring_down", "delete", "respond"), (b"", b'{"id": "1')),
        *product(("add", "bring_down"), (b"null", b'"1"', b"{}")),
    ],
)
async def test_an_answer_that_cannot_be_read_is_one_that_did_not_come(there: There, monkeypatch, verb, body):
    clicked, prepared = there.click(), Prepared(NEW["components"], {"table.png": b"PNG"})
    monkeypatch.setattr(there.wire, "_answer", lambda *_: web.Response(body=body, content_type="application/json"))
    given = {"delete": (), "respond": (First.MESSAGE, dict(NEW), prepared.pictures)}.get(verb, (prepared,))
    with pytest.raises(aiohttp.ClientPayloadError):
        await getattr(clicked, verb)(*given)


@pytest.mark.parametrize(
    ("error", "pauses"), [(ConnectionResetError(104, "reset"), [0, REPEAT_AFTER]), (TimeoutError(), [])]
)
async def test_an_edit_that_took_too_long_already_is_not_tried_once_more(
    there: There, monkeypatch, slept, error, pauses
):
    async def fails(*_, **__):
        tried.append(error)
        raise error

    tried = []
    monkeypatch.setattr(AsyncWebhookAdapter, "edit_original_interaction_response", fails)
    with pytest.raises(type(error)):
        await there.click().edit(Prepared(NEW["components"]))
    assert len(tried) == 1 + len(pauses)
    assert slept == pauses


async def test_an_edit_whose_connection_breaks_is_tried_once_more_at_once_and_once_after_a_pause(there: There, slept):
    clicked = there.click()
    await clicked.respond(First.DEFER_UPDATE)
    there.wire.trouble.cuts = [("PATCH", "/webhooks", "before")]
    await clicked.edit(Prepared(NEW["components"]))
    assert (there.text, slept) == ("It is Bob's turn. ♣", [0])
    there.wire.trouble.cuts = [("PATCH", "/webhooks", "before")] * 2
    await clicked.edit(Prepared(OLD["components"]))
    assert (there.text, slept) == ("Your turn", [0, 0, REPEAT_AFTER])
    there.wire.trouble.cuts = [("PATCH", "/webhooks", "before")] * 3
    with pytest.raises(aiohttp.ClientError):
        await clicked.edit(Prepared(NEW["components"]))


async def test_an_answer_that_is_no_http_is_left_to_discord_py(there: There, monkeypatch):
    async def babble(_reader, writer):
        writer.write(b"HTTP/9 \xff\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(babble, "127.0.0.1", 0) as server:
        monkeypatch.setattr(Route, "BASE", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(aiohttp.ClientError):
            await there.click().respond(First.UPDATE, dict(NEW))


async def test_a_first_answer_that_discord_never_responds_to_is_given_up(there: There, monkeypatch):
    monkeypatch.setattr("cogs.responder.FIRST_PATIENCE", 0.02)
    monkeypatch.setattr(direct_answers, "_TIMEOUT", 0.02)
    there.wire.trouble.silent = True
    with pytest.raises(TimeoutError):
        await there.click().respond(First.UPDATE, dict(NEW))
