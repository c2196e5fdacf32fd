"""The log: no token, no secret, no card, whoever logs it and at whatever level."""

import base64
import errno
import io
import json
import logging
import sys
from types import SimpleNamespace

import aiohttp
import discord
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from bot.logs import HIDDEN, redacted, set_up_logs, shorten_lost_suggestions, shorten_reconnects
from game.cards import RED_JOKER, format_card, make_pack

TOKEN = "MTk4NjIyNDgzNDcxOTI1MjQ4.Gx1-aB.ZnCjm1XVW7vRze4b7Cq4se7kKWs-x1yZ2A3b4C"
CLICK = base64.b64encode(b"interaction:1456074443980800011:" + b"aX9" * 40).decode()
SUITS = "♣♦♥♠"


@pytest.fixture(params=["console", "json"])
def log(request):
    """A stream that gets everything that is logged, from DEBUG on."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    set_up_logs("DEBUG", request.param, stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**before)


def spoken(card):
    rank = format_card(card)[0].replace("T", "10")
    return f"{rank}{SUITS[card & 3]}\ufe0e"


@pytest.mark.parametrize(
    "text",
    [
        f"logging in with {TOKEN}",
        f"POST https://discord.com/api/v10/interactions/145/{CLICK}/callback",
        f"PATCH /webhooks/145/{CLICK}/messages/@original",
        f"{{'token': '{CLICK}'}}",
        '{"token": "short-one"}',
        "postgresql://shithead:hunter2@db/shithead",
        "secret=" + "ab" * 32,
        "ab" * 32,
    ],
)
def test_tokens_and_secrets_are_hidden(text):
    clean = redacted(text)
    assert HIDDEN in clean
    for part in (TOKEN, CLICK, "short-one", "hunter2", "ab" * 32):
        assert part not in clean


@pytest.mark.parametrize("card", range(RED_JOKER))
def test_cards_are_hidden_in_every_spelling(card):
    for name in (format_card(card), format_card(card).lower(), spoken(card), f"sh:play:145:41:{format_card(card)}"):
        assert name not in redacted(f"Ann holds {name}, and")


@given(st.lists(st.sampled_from(make_pack(1, 2)), min_size=1, max_size=52))
def test_no_list_of_cards_passes(cards):
    names = [format_card(card) for card in cards]
    for text in (" ".join(names), ",".join(names), repr(names), "play " + " ".join(names), str(dict.fromkeys(names))):
        clean = redacted(text)
        assert not any(name in clean.replace(HIDDEN, "") for name in names), clean


def test_what_is_needed_to_find_a_fault_stays():
    for text in (
        "as soon as the lease ends, as many as may be", "As the database is locked, nothing was stored",
        "the token was not as expected. Ad hoc sessions are refused: ah well", "Task was destroyed as it was pending",
        "table 1456074443980800011 could not be drawn", "sh:play:1456074443980800011:41", "status 403, code 50013",
        "Can't keep up, shard ID 0 websocket is 41.7s behind.", "trying again in 2.5h",
        "the database is locked", "2026-05-01T12:00:00Z",
    ):  # fmt: skip
        assert redacted(text) == text


@pytest.mark.parametrize("ace", ["As", "Ad", "Ah", "as", "ad", "ah"])
def test_an_ace_that_is_a_word_too_is_hidden_where_cards_are_written(ace):
    for text in (
        ace,
        f"play {ace}", f"played {ace} and 7h", f"Ann holds {ace}, and", f"{ace} Kd", f"7h {ace} Kd", f"{ace} {ace}",
        f"['{ace}']", f"({ace})", f"hand: {ace} on the pile", f"{ace}=low",
    ):  # fmt: skip
        assert ace not in redacted(text).replace("has", "").replace(HIDDEN, ""), text


def test_fields_that_name_cards_are_never_written(log):
    said = "as it were"
    structlog.get_logger("tables").info("x", move=said, hand=[said], cards={"n": said}, deep={"pile": said}, pack=7)
    assert "as it were" not in log.getvalue()


def test_own_entries_are_cleaned_in_text_and_fields(log):
    structlog.get_logger("tables").info("played 7h", move="play 7h", table=145, deep={"hand": ["Tc", "9s"]})
    written = log.getvalue()
    assert "145" in written
    assert not any(card in written for card in ("7h", "Tc", "9s"))


def test_what_is_listed_in_a_field_and_what_is_no_text_are_cleaned_too(log):
    structlog.get_logger("tables").info("x", tried=["play 7h", (TOKEN,)], why=ValueError("there is no Tc"))
    written = log.getvalue()
    assert "there is no" in written
    assert not any(each in written for each in ("7h", TOKEN, "Tc"))


def test_what_libraries_say_at_debug_is_left_out(log):
    payload = {"d": {"token": CLICK, "data": {"custom_id": "sh:swap:1:2:7hTc"}}, "author": "Ann Example"}
    logging.getLogger("discord.gateway").debug("For Shard ID %s: WebSocket Event: %s", 0, payload)
    logging.getLogger("discord.http").debug("PATCH with {'x': 'Ann Example 7h'} has returned 200")
    logging.getLogger("aiohttp.client").debug("Row %s", "INSERT INTO moves VALUES ('play 7h')")
    assert log.getvalue() == ""
    logging.getLogger("asyncio").warning("a task of %s took long", "aiosqlite")
    logging.getLogger("cogs.interactions").debug("answered: name=%s", "play")
    written = log.getvalue()
    assert "a task of aiosqlite took long" in written
    assert "answered: name=play" in written


def test_the_text_of_an_error_is_cleaned_too(log):
    def fail():
        raise ValueError(f"no such card 7h in {TOKEN}")

    try:
        fail()
    except ValueError:
        structlog.get_logger("bot").exception("failed")
        logging.getLogger("asyncio").exception("Task exception was never retrieved")
    written = log.getvalue()
    assert written.count("ValueError") >= 2
    assert "7h" not in written
    assert TOKEN not in written


@pytest.mark.parametrize("log", ["json"], indirect=True)
def test_json_lines_are_json(log):
    structlog.get_logger("bot").warning("x", table=1)
    entry = json.loads(log.getvalue())
    assert (entry["event"], entry["level"], entry["table"], entry["logger"]) == ("x", "warning", 1, "bot")


@pytest.mark.usefixtures("log")
def test_where_nothing_can_be_said_nothing_fails(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw, and where it was closed
    set_up_logs("INFO", "console")
    structlog.get_logger().warning("unheard")


def of_a_shard(error, message, *values):
    return logging.LogRecord("discord.shard", logging.ERROR, "", 0, message, values, (type(error), error, None))


def test_a_lost_connection_is_a_warning_in_one_line(log):
    lost = of_a_shard(TimeoutError(), "Attempting a reconnect for shard ID %s in %.2fs", 3, 0.41)
    logging.getLogger("discord.shard").handle(lost)
    (line,) = log.getvalue().splitlines()
    assert "lost the connection to Discord (it did not answer in time), reconnecting in 0.4 s (shard 3)" in line
    assert "warning" in line


def test_the_login_of_discord_py_is_not_told(log):
    for line in ("logging in using static token", "something else"):
        logging.getLogger("discord.client").info(line)
    assert "static token" not in log.getvalue()
    assert "something else" in log.getvalue()


def of_a_suggestion(error, logger="discord.app_commands.tree"):
    """What discord.py says when a suggestion fails."""
    return logging.LogRecord(logger, logging.ERROR, "", 0, "Ignoring", (), (type(error), error, None))


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (aiohttp.ServerDisconnectedError(), "it closed the connection"),
        (TimeoutError(), "it did not answer in time"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "no connection: connection reset by peer"),
        (discord.DiscordServerError(SimpleNamespace(status=503, reason=""), None), "it answered with status 503"),
    ],
)
def test_a_suggestion_is_a_warning_in_one_line_if_discord_or_the_connection_fails(log, error, why):
    logging.getLogger("discord.app_commands.tree").handle(of_a_suggestion(error))
    (line,) = log.getvalue().splitlines()
    assert f"a suggestion did not arrive at Discord: {why}" in line
    assert "warning" in line


@pytest.mark.parametrize(
    ("logger", "kind", "code"),
    [
        ("discord.app_commands.tree", discord.NotFound, 10015),
        ("discord.app_commands.tree", discord.HTTPException, 10062),
        ("discord.app_commands.tree", discord.HTTPException, 50035),
        ("bot.painter", discord.NotFound, 10062),
        ("bot.painter", discord.DiscordServerError, 0),
    ],
)
def test_any_other_fault_of_a_suggestion_keeps_its_traceback(logger, kind, code):
    error = kind(SimpleNamespace(status=404, reason="Not Found"), {"code": code, "message": "on purpose"})
    other = of_a_suggestion(error, logger)
    assert shorten_lost_suggestions(other)
    assert (other.levelno, other.exc_info is None) == (logging.ERROR, False)


def test_any_other_error_of_the_connection_keeps_its_traceback():
    other = of_a_shard(ValueError(), "Something else")
    assert shorten_reconnects(other)
    assert (other.levelno, other.exc_info is None) == (logging.ERROR, False)
