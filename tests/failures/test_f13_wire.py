"""The real process on a wire: resumed, lost and refused sessions, answers that fail: F2 to F4, F11, F13 to F15, F41."""

import asyncio
import shutil
import sqlite3
from contextlib import closing

import pytest

from testkit.waiting import ANSWER, HANG
from testkit.wire import BOB, CHANNEL, INVALID, RECONNECT, Bot, Wire, discord_there

pytestmark = pytest.mark.long  # discord.py and the bot wait for seconds before they try again

BAD_CONFIGURATION, TRY_LATER = 78, 75
DEFERRED = 6


@pytest.fixture
async def wire():
    """A Discord; what stands in front of the real one may refuse requests that do not say which bot makes them."""
    async with discord_there() as wire:
        yield wire
    assert not wire.nameless


@pytest.fixture
async def bot(wire: Wire, tmp_path, empty_database):
    bot = Bot(wire, shutil.copy(empty_database, tmp_path / "tables.sqlite3"))
    yield bot
    await bot.kill()


@pytest.fixture
async def table(wire: Wire, bot: Bot):
    """The id of a lobby that Ann opened."""
    return await opened(wire, bot)


async def opened(wire, bot):
    await bot.begin("run")
    await wire.until(lambda: wire.sessions["identify"])
    await wire.command("shithead", "start")
    await wire.until(lambda: wire.asked_for("POST", "/messages"))
    ((table,),) = bot.stored("SELECT id FROM tables")
    return table


async def seated(bot):
    return len(bot.stored("SELECT user_id FROM players"))


CLOSED_FOR_GOOD = [(4010, "SHARD_IDS"), (4011, "SHARD_COUNT"), (4012, "update"), (4014, "report it")]


@pytest.mark.parametrize(
    ("shards", "code", "word"),
    [("0", 4004, "token"), *(("1", *each) for each in CLOSED_FOR_GOOD)],
)
async def test_f14_a_connection_that_is_closed_for_good_ends_the_bot_with_one_line(
    wire: Wire, bot: Bot, shards, code, word
):
    wire.closes = code
    await bot.begin("run", SHARD_COUNT=shards)
    status, _, said = await bot.ended()
    assert status == BAD_CONFIGURATION, "\n".join(said[-12:])
    assert len(said) == 1
    assert word in said[0]
    assert wire.sessions["connected"] == 1


async def test_f14_a_bot_that_takes_as_many_shards_as_there_are_is_started_again_where_that_is_too_few(
    wire: Wire, bot: Bot
):
    wire.closes = 4011
    await bot.begin("run")
    status, _, said = await bot.ended()
    assert (status, len(said)) == (1, 1)
    assert "Discord wants more shards" in said[0]


async def test_a_server_that_removes_the_bot_while_its_session_is_lost_is_noticed_at_once(wire: Wire, bot: Bot, table):
    wire.servers = []
    await wire.order(INVALID, said=False)
    await wire.until(lambda: wire.sessions["identify"] == 2)
    async with asyncio.timeout(HANG):
        while bot.stored("SELECT left_at FROM guilds") in ([], [(None,)]):
            await bot.page("/livez")


async def test_f13_a_session_that_is_resumed_or_lost_begins_nothing_twice(wire: Wire, bot: Bot, table):
    assert await bot.number("shithead_tables_waiting") == 1
    await wire.order(RECONNECT)
    await wire.until(lambda: wire.sessions["resume"])
    assert wire.sessions == {"connected": 2, "identify": 1, "resume": 1}
    asked, _ = await wire.click(f"sh:join:{table}:0", BOB)
    assert await seated(bot) == 2
    # What was delivered before the connection broke is delivered again after it (F11).
    await wire.tell("INTERACTION_CREATE", asked)
    await wire.order(INVALID, said=False)
    await wire.until(lambda: wire.sessions["identify"] == 2)
    _, (_, body, _) = await wire.click(f"sh:join:{table}:1", BOB)
    assert "You are in" in str(body)
    assert await seated(bot) == 2
    assert await bot.number("shithead_tables_waiting") == 1
    assert not wire.asked_for("PUT", "/commands")
    assert len(wire.asked_for("POST", "/messages")) == 1
    status, _, said = await bot.stop()
    assert (status, said) == (0, [])


async def test_f13_a_session_that_discord_does_not_resume_is_soon_followed_by_a_new_one(wire: Wire, bot: Bot, table):
    wire.forgets = 4007
    await wire.order(RECONNECT)
    await wire.until(lambda: wire.sessions["identify"] == 2)
    assert wire.sessions["resume"] == 2
    await wire.click(f"sh:join:{table}:0", BOB)
    assert await seated(bot) == 2


async def test_f13_a_bot_is_ready_while_it_is_connected_and_not_because_it_once_was(wire: Wire, bot: Bot, table):
    async def hears(said):
        async with asyncio.timeout(HANG):
            while await bot.page("/readyz") != f"{said}\n":
                pass

    await hears("ready")
    wire.has_gateway = False
    await wire.line.close(code=1012)
    await hears("not connected to Discord")


async def test_a_gateway_that_refuses_is_told_as_such_and_not_as_failing_requests(wire: Wire, bot: Bot):
    wire.has_gateway = False
    await bot.begin("run", level="WARNING")
    said = []
    async with asyncio.timeout(HANG):
        while "no connection to Discord, retrying" not in "".join(said):
            said.append((await bot.process.stderr.readline()).decode())
    assert not [line for line in said if "Discord answers with status" in line]
    assert (await bot.stop())[0] == 0


async def test_what_cannot_be_read_is_logged_and_the_session_goes_on(wire: Wire, bot: Bot, table):
    for resumed, garbage in enumerate(('{"op": 0, "t": "CHANNEL_UPDATE", "s": 9, "d": 5}', "}{"), start=1):
        await wire.line.send_str(garbage)
        await wire.until(lambda resumed=resumed: wire.sessions["resume"] == resumed)
    await wire.click(f"sh:join:{table}:0", BOB)
    assert await seated(bot) == 2
    assert wire.sessions["identify"] == 1
    status, _, said = await bot.stop()
    assert status == 0
    assert len([line for line in said if "could not be read" in line]) == 2


@pytest.mark.parametrize(("trouble", "identified"), [("broken", 2), ("babbles", 1)])
async def test_a_session_that_cannot_begin_begins_anew(wire: Wire, bot: Bot, trouble, identified):
    setattr(wire, trouble, True)
    await bot.begin("run")
    await wire.until(lambda: wire.sessions["identify"] == identified)
    await wire.command("shithead", "start")
    assert "resume" not in wire.sessions
    status, _, said = await bot.stop()
    assert status == 0, "\n".join(said)


async def test_f02_discord_is_told_to_wait_after_a_second_while_another_process_holds_the_disk(
    wire: Wire, bot: Bot, real_budgets
):
    bot.patience = None
    table = await opened(wire, bot)
    deferred = await bot.number("shithead_answers_put_off_total")
    await wire.click(f"sh:hand:{table}:0")  # what is needed once is read
    await wire.until(lambda: wire.asked_for("DELETE", "/@original"))  # the answer takes the place of an older message
    with closing(sqlite3.connect(bot.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        _, (kind, _, seconds) = await wire.click(f"sh:join:{table}:0", BOB)
        assert await seated(bot) == 1  # still held, so only the budget can have brought the answer
        other.execute("ROLLBACK")
    assert kind in {5, DEFERRED}
    assert seconds >= real_budgets[ANSWER] == 1.0
    await wire.until(
        lambda: wire.asked_for("PATCH", "/messages/@original") or len(wire.asked_for("DELETE", "/@original")) > 1
    )
    assert await seated(bot) == 2
    assert await bot.number("shithead_answers_put_off_total") > deferred


async def test_f03_an_answer_that_arrived_but_is_sent_again_is_a_success(wire: Wire, bot: Bot, table):
    wire.fails = [("POST", "/callback", 502, 0), ("POST", "/callback", 400, 40060)]
    _, (_, body, _) = await wire.click(f"sh:join:{table}:0", BOB)
    await wire.until(lambda: wire.asked_for("PATCH", "/messages/@original"))
    assert not wire.fails
    assert wire.asked_for("PATCH", "/messages/@original")[0]["components"] == body["data"]["components"]
    assert await seated(bot) == 2
    assert await bot.number("shithead_answers_undelivered_total") == 0
    assert await bot.number("shithead_answer_seconds_count") == 2
    assert await bot.number('shithead_discord_errors_total{status="502"}') == 1
    assert (await bot.stop())[::2] == (0, [])


async def test_f15_a_message_that_is_sent_again_is_posted_once(wire: Wire, bot: Bot):
    wire.fails = [("POST", f"/channels/{CHANNEL}/messages", 502, 0)] * 3
    await bot.begin("run", level="INFO")
    await wire.until(lambda: wire.sessions["identify"])
    await wire.command("shithead", "start")
    await wire.until(lambda: len(wire.asked_for("POST", "/messages")) == 4)
    sent = wire.asked_for("POST", "/messages")
    assert len({each["nonce"] for each in sent}) == 1
    assert sent[0]["nonce"]
    assert sent[0]["enforce_nonce"] is True
    status, _, said = await bot.stop()
    assert (status, sum("Discord answers with status 502, trying again" in line for line in said)) == (0, 1)


async def test_f04_f52_of_two_processes_the_second_ends_and_each_click_is_answered_once(wire: Wire, bot: Bot, table):
    second = Bot(wire, bot.file)
    await second.begin("run")
    status, _, said = await second.ended()
    assert status == TRY_LATER
    assert len(said) == 1
    assert "another process" in said[0]
    assert wire.sessions["connected"] == 1
    await wire.click(f"sh:join:{table}:0", BOB)
    assert len(wire.asked_for("POST", "/callback")) == 2
    assert await seated(bot) == 2


async def test_f14_f15_f34_an_answer_that_is_tried_again_while_the_bot_ends_adds_no_traceback(
    wire: Wire, bot: Bot, table
):
    await wire.click(f"sh:hand:{table}:0")  # what is needed once is read
    wire.fails = [("POST", "/callback", 502, 0)] * 2
    pressed = {"custom_id": f"sh:hand:{table}:0", "component_type": 2}
    await wire.tell("INTERACTION_CREATE", wire.interaction(3, pressed, message=wire.message(table)))
    await wire.until(lambda: not wire.fails)
    with closing(sqlite3.connect(bot.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # so that the end takes longer than the pause before the next try
        await wire.line.close(code=4004)
        status, _, said = await bot.ended()
    assert (status, len(said)) == (BAD_CONFIGURATION, 1), "\n".join(said)


async def test_f14_f15_a_connection_that_is_closed_for_good_while_the_bot_ends_adds_no_traceback(
    wire: Wire, bot: Bot, table
):
    wire.fails = [("PATCH", "/messages/", 502, 0)] * 3
    await wire.click(f"sh:join:{table}:0", BOB)
    await wire.until(lambda: len(wire.fails) < 3)  # the table is still to be drawn when the bot is told to end
    bot.process.terminate()
    async with asyncio.timeout(HANG):
        while "closing" not in await bot.page("/readyz"):
            pass
    await wire.line.close(code=4014)
    status, _, said = await bot.ended()
    assert (status, said) == (0, [])


@pytest.mark.parametrize("end", ["", "-wal"], ids=["file", "WAL"])
async def test_a_bot_whose_file_is_moved_away_ends_and_is_not_started_again(wire: Wire, bot: Bot, table, end):
    bot.file.with_name(bot.file.name + end).rename(bot.file.with_name("moved.sqlite3"))
    _, (_, body, _) = await wire.click(f"sh:join:{table}:0", BOB)
    assert "nothing changed" in str(body)
    status, _, said = await bot.ended()
    assert status == BAD_CONFIGURATION
    assert "was moved, replaced or deleted while the bot ran" in said[-1]


async def test_f14_a_token_that_discord_does_not_know_ends_the_bot_with_one_line(wire: Wire, bot: Bot):
    wire.fails = [("GET", "/users/@me", 401, 0)]
    await bot.begin("run")
    status, _, said = await bot.ended()
    assert status == BAD_CONFIGURATION
    assert len(said) == 1
    assert "does not know this token" in said[0]
    assert wire.sessions["connected"] == 0


async def test_f14_f41_the_commands_are_registered_by_their_own_word(wire: Wire, bot: Bot):
    await bot.begin("sync")
    status, out, said = await bot.ended()
    assert (status, said) == (0, [])
    assert "new     /shithead" in out
    assert len(wire.asked_for("PUT", "/commands")) == 1
    await bot.begin("sync")
    assert (await bot.ended())[1] == ["nothing changed"]
    assert len(wire.asked_for("PUT", "/commands")) == 1
    assert wire.sessions["connected"] == 0


async def test_a_start_without_discord_in_reach_goes_on_trying_and_can_be_ended(bot: Bot):
    await bot.begin("run", port=9, level="WARNING")
    async with asyncio.timeout(HANG):
        first, second = [await bot.process.stderr.readline() for _ in range(2)]
    assert b"Discord cannot be reached, retrying" in first
    assert (b"seconds=1.0" in first, b"seconds=2.0" in second) == (True, True)
    status, _, said = await bot.stop()
    assert (status, said) == (0, [])


async def test_a_start_that_discord_leaves_without_an_answer_can_be_ended(wire: Wire, bot: Bot):
    wire.silent = True
    await bot.begin("run")
    await wire.until(lambda: wire.asked)
    status, _, said = await bot.stop()
    assert (status, said) == (0, [])


async def test_a_start_with_no_introductions_left_holds_back_and_can_be_ended(wire: Wire, bot: Bot):
    wire.remaining = 0
    await bot.begin("run", level="WARNING")
    await bot.says("few new sessions are left")
    assert await bot.number("shithead_identifies_remaining") == 0
    status, _, said = await bot.stop()
    assert (status, wire.sessions["connected"]) == (0, 0), said


async def test_a_start_waits_for_discord_and_registers_the_commands_then(wire: Wire, bot: Bot):
    wire.fails = [("GET", "/users/@me", 503, 0)]
    await bot.begin("run", "--sync")
    await wire.until(lambda: wire.sessions["identify"])
    assert len(wire.asked_for("PUT", "/commands")) == 1
    assert (await bot.stop())[::2] == (0, [])
    await bot.begin("run", "--sync")
    await wire.until(lambda: wire.sessions["identify"] == 2)
    assert len(wire.asked_for("PUT", "/commands")) == 1
    assert (await bot.stop())[::2] == (0, [])


async def test_a_start_where_something_else_answers_for_discord_is_tried_again(wire: Wire, bot: Bot):
    wire.fails = [("GET", path, 200, 0) for path in ("/users/@me", "/applications/@me", "/gateway/bot")]
    await bot.begin("run", level="WARNING")
    await wire.until(lambda: wire.sessions["identify"])
    status, _, said = await bot.stop()
    assert (status, sum("cannot be reached, retrying" in line for line in said)) == (0, 2)
    assert sum("did not send the gateway's address, retrying" in line for line in said) == 1
    assert sum("does something else answer in its place?" in line for line in said) == 3


@pytest.mark.parametrize("asked", [("GET", "/commands"), ("PUT", "/commands"), ("GET", "/emojis"), ("POST", "/emojis")])
async def test_whatever_something_else_answers_for_discord_after_the_login_ends_nothing(wire: Wire, bot: Bot, asked):
    wire.fails = [(*asked, 200, 0)]
    await bot.begin("run", "--sync", level="WARNING")
    await wire.until(lambda: wire.sessions["identify"])
    await wire.until(lambda: not wire.fails)
    assert len(wire.asked_for("GET", "/users/@me")) == 1
    assert (await bot.stop())[0] == 0


async def test_a_command_that_cannot_be_parsed_is_answered_and_ends_no_session(wire: Wire, bot: Bot, table):
    asked = wire.interaction(2, {"id": "9", "name": "shithead", "type": 1, "options": []})
    del asked["attachment_size_limit"]
    _, body, _ = await wire.deliver(asked)
    assert "I do not know that command any more" in str(body)
    await wire.click(f"sh:join:{table}:0", BOB)
    assert wire.sessions == {"connected": 1, "identify": 1}


async def test_f11_a_second_delivery_that_comes_too_fast_leaves_the_first_answer_alone(wire: Wire, bot: Bot, table):
    wire.fails = [("POST", "/callback", 400, 40060)] * 2
    _, (_, body, _) = await wire.click("sh:join:999999:0", BOB)
    assert "This table is gone" in str(body)
    await wire.until(lambda: not wire.fails)
    await wire.click(f"sh:join:{table}:0", BOB)
    assert (await bot.stop())[0] == 0
    assert not [*wire.asked_for("PATCH", "/webhooks"), *wire.asked_for("DELETE", "/webhooks")]


async def test_a_start_without_its_commands_goes_on(wire: Wire, bot: Bot):
    wire.fails = [("PUT", "/commands", 403, 50001)]
    await bot.begin("run", "--sync", level="WARNING")
    await wire.until(lambda: wire.sessions["identify"])
    status, _, said = await bot.stop()
    assert status == 0
    assert "could not be compared or registered" in "".join(said)


@pytest.mark.parametrize("path", ["/users/@me", "/commands"])
async def test_a_registration_that_something_else_answers_is_one_line(wire: Wire, bot: Bot, path):
    wire.fails = [("GET", path, 200, 0)]
    await bot.begin("sync")
    status, _, said = await bot.ended()
    why = "its answer cannot be read (does something else answer in its place?)"
    assert (status, said) == (1, [f"Discord cannot be reached: {why}"])


async def test_a_registration_without_discord_in_reach_is_one_line(bot: Bot):
    await bot.begin("sync", port=9)
    status, _, said = await bot.ended()
    assert status == 1
    assert [line.partition(":")[0] for line in said] == ["Discord cannot be reached"]
