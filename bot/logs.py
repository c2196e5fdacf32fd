"""The log: console or JSON lines, in which neither tokens nor cards can appear. Owns the redaction.

There are two filters. Messages of libraries at DEBUG are dropped, because they may quote a payload or the parameters of
a statement. Everything else is searched for what looks like a token, a secret or a card.

The second filter works on the finished text, because an exception may quote a card: the text of a database error has
the row in it. It would rather hide a word too many than show a card, and no other code has to care.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from typing import Any, Final, Literal, TextIO

import aiohttp
import discord
import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from cogs.responder import TOO_LATE, connection_error_words

HIDDEN: Final = "[hidden]"
_OURS: Final = ("bot", "cogs", "tables", "data", "game", "sandbox")
_SECRETS: Final = frozenset({"card", "cards", "hand", "move", "moves", "pack", "pile", "custom_id", "secret", "token"})
"""Fields whose values are always hidden."""
# "Ad", "Ah" and "As" are cards or words. After these words they are cards; before a lower-case word they are words.
_BEFORE_CARDS: Final = r"(?:play|flip|lay|swap|choose|chance|hold|has|card|hand|draw|drew|take)(?:s|ed)?:?"
_WORD: Final = r"\s+(?!a[dhs]\b)[a-z]{2}"
_PATTERNS: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # The order matters: button ids and tokens are hidden whole before a part of them can look like a card.
        # Button ids: the argument may be cards.
        (r"\b(sh:[a-z-]{1,16}:\d+:\d+):[^\s\"',}\]]+", rf"\1:{HIDDEN}"),
        # Tokens: of a bot, of an interaction, in a URL, as a field.
        (r"[\w-]{20,}\.[\w-]{6,}\.[\w-]{20,}", HIDDEN),
        (r"aW50ZXJhY3Rpb2[\w+/=-]*", HIDDEN),
        (r"((?:/webhooks|/interactions)/\d+/)[\w.=-]+", rf"\1{HIDDEN}"),
        (r"(?i)(['\"]?(?:token|secret|password|authorization)['\"]?\s*[:=]\s*)(['\"]?)[^\s'\",}&]+\2", rf"\1{HIDDEN}"),
        (r"(//[^/\s:@]+:)[^/\s@]+@", rf"\1{HIDDEN}@"),
        # Secrets of shuffles and other long hexadecimal or opaque runs.
        (r"\b[0-9a-fA-F]{32,}\b", HIDDEN),
        (r"\b[A-Za-z0-9_-]{60,}\b", HIDDEN),
        # Cards: 7h, Tc, 10♠, ♠K, Xr, king_hearts, joker_red. Variation selectors (\ufe0e, \ufe0f) may follow a suit.
        # Digits after a decimal point are durations: 41.7s.
        (r"(?<![\w-])(?<!\d\.)(?:(?:10|[2-9TJQKtjqk])[cdhs]|[Aa]c)(?:=(?:low|high))?(?![\w-])", HIDDEN),
        # The three aces that are also words: after a verb, in lower case, in the middle of a sentence, anywhere.
        (rf"\b({_BEFORE_CARDS}\s+)[Aa][dhs]\b", rf"\1{HIDDEN}"),
        (rf"(?<![\w-])a[dhs](?:=(?:low|high))?(?![\w-])(?!{_WORD})", HIDDEN),
        (r"(?<![\w-])(?<!^)(?<![.:;!?]\s)A[dhs](?![\w-])", HIDDEN),
        (rf"(?<![\w-])A[dhs](?:=(?:low|high))?(?![\w-])(?!{_WORD})", HIDDEN),
        (r"(?<![\w-])X[rb](?:=[2-9TJQKA])?(?![\w-])", HIDDEN),
        (r"(?:10|[2-9TJQKA])?\s?[♠♣♥♦](?:[\ufe0e\ufe0f])?\s?(?:10|[2-9TJQKA])?", HIDDEN),
        (r"(?:\d+|jack|queen|king|ace|joker)_(?:clubs|diamonds|hearts|spades|red|black)(?:_4c)?", HIDDEN),
    )
)


def redacted(text: str) -> str:
    """The text with tokens, secrets and cards hidden, or what looks like one, and bytes that are no text escaped."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text.encode(errors="backslashreplace").decode()


def _clean(value: Any) -> Any:
    match value:
        case str():
            return redacted(value)
        case bool() | int() | float() | None:
            return value
        case Mapping():
            return {str(key): _field(str(key), each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple() | set() | frozenset():
            return [_clean(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return redacted(str(value))


def _field(key: str, value: Any) -> Any:
    return HIDDEN if key in _SECRETS and not isinstance(value, bool | int | float | None) else _clean(value)


def redact(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
    """Redact all fields of a log entry; a structlog processor, the last before the renderer."""
    of_structlog = {"_record", "_from_structlog"}
    return {key: value if key in of_structlog else _field(key, value) for key, value in entry.items()}


def ours_at_debug(record: logging.LogRecord) -> bool:
    """Drop DEBUG messages of libraries; a filter.

    discord.py logs whole payloads there, including hands and interaction tokens, and SQLAlchemy the rows it writes.
    """
    return record.levelno > logging.DEBUG or record.name.partition(".")[0] in _OURS


def shorten_reconnects(record: logging.LogRecord) -> bool:
    """Log lost connections to Discord, which discord.py mends by itself, in a line each, and no logins; a filter."""
    if record.name in {"discord.shard", "discord.client"} and record.exc_info and "reconnect" in str(record.msg):
        error = record.exc_info[1]
        reason = connection_error_words(error) if isinstance(error, Exception) else "it was cancelled"
        *shard, seconds = record.args if isinstance(record.args, tuple) else (0,)  # "discord.client" names no shard
        lost = f"lost the connection to Discord ({reason}), reconnecting in %.1f s"
        record.msg, record.args, record.exc_info = lost + " (shard %s)" * len(shard), (seconds, *shard), None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return record.msg != "logging in using static token"


def shorten_lost_suggestions(record: logging.LogRecord) -> bool:
    """Log a suggestion that does not reach Discord in time in a line: nobody is harmed or can mend it; a filter."""
    error = record.exc_info[1] if record.exc_info else None
    is_late = isinstance(error, discord.NotFound) and error.code == TOO_LATE
    is_lost = isinstance(error, discord.DiscordServerError | aiohttp.ClientError | OSError)
    if record.name == "discord.app_commands.tree" and (is_late or is_lost):
        where = f" at Discord: {connection_error_words(error)}" if is_lost else ": it came too late"
        record.msg, record.args, record.exc_info = f"a suggestion did not arrive{where}", (), None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True


_SHARED: Final[tuple[Processor, ...]] = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
)


def set_up_logs(level: str, form: Literal["console", "json"], stream: TextIO | None = None) -> None:
    """Send all logs, including those of libraries, to a stream (stderr by default)."""
    out = stream or sys.stderr
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    for each in (ours_at_debug, shorten_reconnects, shorten_lost_suggestions):
        handler.addFilter(each)
    handler.setFormatter(_formatter(form, colours=bool(out and out.isatty())))  # stderr is None under pythonw
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


def _formatter(form: Literal["console", "json"], *, colours: bool) -> logging.Formatter:
    """A formatter that redacts every entry, then renders it."""
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=colours, exception_formatter=structlog.dev.plain_traceback)
    )
    first = (structlog.stdlib.ProcessorFormatter.remove_processors_meta, structlog.processors.format_exc_info)
    return structlog.stdlib.ProcessorFormatter(foreign_pre_chain=_SHARED, processors=[*first, redact, renderer])
