"""The settings of the process, from the environment and `.env`.

Owns their names, ranges and defaults (`.env.example` lists them).
"""

from __future__ import annotations

import errno
import logging
import os
import re
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Annotated, Final, Literal

from dotenv.parser import Binding, parse_stream
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.logs import redacted
from data.addresses import exposure_warning, parse_url
from game.shell import read_file, reason_of
from game.variants import BadVariantError, describe_error, variants

BAD_CONFIGURATION: Final = 78
"""Exit status for settings or a token that cannot work (EX_CONFIG): restarting would not help."""

MOST_SHARDS: Final = 100_000
NEAR: Final = 0.8
"""The similarity (0 to 1) from which a name counts as a misspelt setting."""
FILE: Final = Path(".env")
_TOKEN: Final = re.compile(r"[.-]*\w[\w.-]*", re.ASCII)


class ConfigError(Exception):
    """The settings cannot be used. `faults` has a sentence for each fault."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class TokenSettings(BaseSettings):
    """The settings for the token."""

    model_config = SettingsConfigDict(env_file=FILE, env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True)

    discord_token: SecretStr | None = None
    token_file: str | None = None  # no `Path`, which would drop a slash of an address that was written here

    def token(self) -> str:
        """The token of the bot, from `DISCORD_TOKEN` or the file that `TOKEN_FILE` names.

        Raises `ConfigError` if there is no token, its file cannot be read, or the text cannot be a token.
        """
        if self.discord_token is not None and self.token_file is not None:
            raise ConfigError(["DISCORD_TOKEN and TOKEN_FILE are both set: keep one of them"])
        token = self.discord_token.get_secret_value().strip() if self.discord_token else ""
        if self.token_file is not None:
            token = _read(self.token_file, "TOKEN_FILE", "the token")
        if not token:
            raise ConfigError(["no token: set DISCORD_TOKEN, or TOKEN_FILE to a file with it (README, Invite it)"])
        named = "DISCORD_TOKEN" if self.token_file is None else f"TOKEN_FILE {self.token_file}"
        if not _TOKEN.fullmatch(token):
            raise ConfigError([f"{named} must hold the token and nothing else, without quotes"])
        return token


class Settings(TokenSettings):
    """All settings. In the environment their names are in capitals."""

    database_url_file: str | None = None  # no `Path` either
    database_url: Annotated[str, Field(validate_default=True)] = "sqlite:///shithead.sqlite3"
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(str.upper)] = "INFO"
    log_format: Literal["console", "json"] = "console"
    tables_as: Literal["picture", "text"] = "picture"
    thinking_seconds: Annotated[float, Field(ge=0, le=30, allow_inf_nan=False)] = 1.2
    health_port: Annotated[int, Field(ge=0, le=65535)] = 0
    health_host: str = "127.0.0.1"
    shard_count: Annotated[int, Field(ge=0, le=MOST_SHARDS)] = 0
    shards_per_process: Annotated[int, Field(ge=0, le=MOST_SHARDS)] = 0
    shard_ids: str = ""
    lease_wait_seconds: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 45.0

    @field_validator("database_url")
    @classmethod
    def _check_database_url(cls, value: str, info: ValidationInfo) -> str:
        file = info.data.get("database_url_file")
        if not file:
            parse_url(value)
            return value
        try:
            address = _read(file, "DATABASE_URL_FILE", "the address")
        except ConfigError as error:
            raise ValueError(f"has no value: {error}") from None
        try:
            parse_url(address)
        except ValueError as error:
            raise ValueError(f"in DATABASE_URL_FILE {redacted(file)} {error}") from None
        return address

    @field_validator("health_host")
    @classmethod
    def _check_health_host(cls, value: str, info: ValidationInfo) -> str:
        port = info.data.get("health_port")  # None if it is at fault itself
        if port == 0:  # there are no health pages
            return value
        if not value.isprintable():  # bytes that are no text cannot be shown either
            raise ValueError("is not an address or a host name")
        for error in _listen_errors(value, port or 0):
            if error.errno not in {errno.EADDRINUSE, errno.EADDRNOTAVAIL, socket.EAI_AGAIN}:  # may be free soon
                why = "there is no such host" if isinstance(error, socket.gaierror) else reason_of(error)
                use = f" for HEALTH_PORT {port}" if port else ""
                raise ValueError(f"{value} cannot be used{use}: {why}")
        return value

    @field_validator("shards_per_process")
    @classmethod
    def _check_host_number(cls, value: int, info: ValidationInfo) -> int:
        if value:
            shards_of_host(socket.gethostname(), value, info.data.get("shard_count", MOST_SHARDS))
        return value

    @field_validator("shard_ids")
    @classmethod
    def _check_shard_ids(cls, value: str, info: ValidationInfo) -> str:
        shards = shards_in(value)
        if shards and info.data.get("shards_per_process") != 0:  # set, or missing because it is at fault itself
            raise ValueError("is set beside SHARDS_PER_PROCESS: keep one of them")
        if shards and shards[-1] >= info.data.get("shard_count", MOST_SHARDS):
            raise ValueError("must be below SHARD_COUNT: set that to the number of all shards")
        return value

    def exposure_warnings(self) -> list[str]:
        """A warning for each secret file that other users of this machine can read."""
        secret_files = {FILE, Path(self.token_file or FILE), Path(self.database_url_file or FILE)}
        return [warning for warning in map(exposure_warning, secret_files) if warning]

    def shards(self) -> tuple[int, ...]:
        """The shards of this process; empty means all."""
        if self.shards_per_process:
            return shards_of_host(socket.gethostname(), self.shards_per_process, self.shard_count)
        return shards_in(self.shard_ids)


def _read(file: Path | str, setting: str, what: str) -> str:
    try:
        text = read_file(Path(file)).decode("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        # Redacted, because somebody may have put the secret itself where the path belongs.
        raise ConfigError([f"{setting} {redacted(str(file))} cannot be read: {reason_of(error)}"]) from None
    if not text:
        raise ConfigError([f"{setting} {redacted(str(file))} is empty: write {what} into it"])
    return text


def _listen_errors(host: str, port: int) -> list[OSError]:
    """The errors with which a server cannot listen at a host: those of its addresses, or of looking up its name.

    Address families that this machine lacks, such as IPv6, are ignored if there are others.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise ValueError(f"{host} is not an address or a host name") from None
    except OSError as error:
        return [error]
    errors: list[OSError] = []
    can_listen = False
    for family, kind, *_, address in addresses:
        try:
            with socket.socket(family, kind) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # so that this trial blocks nobody else
                trial.bind(address)
            can_listen = True
        except OSError as error:
            errors.append(error)
    serious = [error for error in errors if error.errno != errno.EAFNOSUPPORT]
    return serious if serious or can_listen else errors


def shards_in(text: str) -> tuple[int, ...]:
    """Parse shard numbers such as `0,1,4-6`; sorted. `ValueError` if a part is not a number or a range."""
    shards: set[int] = set()
    for part in text.split(","):
        if not part.strip():
            continue
        numbers = re.fullmatch("([0-9]{1,6})(?:-([0-9]{1,6}))?", part.strip())
        first, last = (int(numbers[1]), int(numbers[2] or numbers[1])) if numbers else (0, -1)
        if last < first:
            raise ValueError("must be shard numbers such as 0,1,4-6")
        shards.update(range(first, last + 1))
    return tuple(sorted(shards))


def shards_of_host(host: str, each: int, count: int) -> tuple[int, ...]:
    """The shards of the process on a host whose name ends in n: `each` of the `count` shards, from n × `each` on.

    Raises `ValueError` if the name does not end in a number, or no shards are left for it.
    """
    number = re.search(r"\d+$", host.partition(".")[0])
    if number is None:
        raise ValueError(f"needs a host whose name ends in a number, such as shithead-0, not {host}")
    first = int(number[0]) * each
    if first >= count:
        raise ValueError(f"leaves no shard of SHARD_COUNT={count} for the host {host}")
    return tuple(range(first, min(first + each, count)))


def load_settings(*, with_token: bool = False, forgive: Callable[[str], object] | None = None) -> Settings:
    """Load and check the settings; `with_token` also checks the token.

    A backup and `doctor` need only the address of the database. If that is valid and `forgive` is given, `forgive` is
    called with each other fault; if a setting is invalid, all but the address and the token's get their defaults.

    Raises `ConfigError` if settings, or the files of variants, have faults; it lists all of them.
    """
    faults = _faults_of_file()  # first, because this silences the warnings of python-dotenv about the same lines
    faults += _faults_of(TokenSettings().token) if with_token else []
    faults += _faults_of(variants)
    settings = None
    try:
        settings = Settings()
    except ValidationError as error:
        for fault in error.errors():
            sentence = describe_error(fault["type"], fault.get("ctx", {}))
            faults.append(f"{'_'.join(map(str, fault['loc'])).upper()} {sentence}")
    if faults and (forgive is None or any("DATABASE_URL" in fault for fault in faults)):
        raise ConfigError(faults)
    if forgive is not None:
        for fault in faults:
            forgive(fault)
    kept = {"database_url", "database_url_file", *TokenSettings.model_fields}
    others = {name: field.default for name, field in Settings.model_fields.items() if name not in kept}
    return settings or Settings(**others)


def _faults_of(read: Callable[[], object]) -> list[str]:
    try:
        read()
    except ConfigError as error:
        return error.faults
    except BadVariantError as error:
        return [str(error)]
    return []


def _faults_of_file() -> list[str]:
    """The faults of `.env`: unreadable lines and misspelt settings."""
    lines = _lines_of_file()
    unreadable = [line for line in lines if line.error or (line.key is not None and line.value is None)]
    names = [line.key for line in lines if line.key is not None]
    return [*map(_unreadable_line, unreadable), *_misspelt(names, FILE).values()]


def _lines_of_file() -> list[Binding]:
    """The lines of `.env`; raises `ConfigError` if it cannot be read at all."""
    logging.getLogger("dotenv").setLevel(logging.ERROR)  # it would warn about the same lines, less helpfully
    try:
        text = read_file(FILE).replace(b"\0", b"\xff").decode()  # zero bytes mean UTF-16; make decoding fail
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        where = FILE if os.access(Path(), os.R_OK | os.X_OK) else "the folder in which the bot was started"
        raise ConfigError([f"{where} cannot be read: {reason_of(error)}"]) from None
    return list(parse_stream(StringIO(text)))


def _unreadable_line(line: Binding) -> str:
    text = line.original.string
    number = line.original.line + text[: -len(text.lstrip())].count("\n")
    first = re.search(r"(?:\bexport\s+)?(\w+)", text.lower())
    like = get_close_matches(first[1], Settings.model_fields, 1, NEAR) if first else []
    name = like[0].upper() if like else "NAME"
    return f"line {number} of {FILE} cannot be read: write {name}=VALUE, the value with or without quotes around it"


def passed_over() -> list[str]:
    """Sentences about names that are no settings. These are no faults: they may be meant for other programs."""
    sentences = [*_misspelt(os.environ, "the environment").values()]
    with suppress(ConfigError):
        # Only identifiers: other text before an = may be part of an address with a password.
        lines = [line for line in _lines_of_file() if line.value is not None]  # the others are reported as unreadable
        names = {line.key.lower() for line in lines if line.key and line.key.isidentifier()}
        if others := sorted(names - Settings.model_fields.keys() - _misspelt(names, FILE).keys()):
            sentences.append(f"ignored in {FILE}, not settings of this program: {', '.join(others).upper()}")
    return sentences


def _like(name: str, names: Sequence[str]) -> list[str]:
    """The setting that a name was probably meant for, if there is one."""
    similar = get_close_matches(name, names, 1, NEAR)
    without_prefix = [each for each in names if name.endswith(f"_{each}")]  # DISCORD_TOKEN_FILE means TOKEN_FILE
    return without_prefix if similar and without_prefix else similar


def _misspelt(given: Iterable[str], where: object) -> dict[str, str]:
    """A sentence for each of these names that looks like a misspelt setting, by name."""
    settings = list(Settings.model_fields)
    sentences: dict[str, str] = {}
    for name in given:
        meant = [] if name.lower() in settings else _like(name.lower(), settings)
        if meant:
            sentences[name] = f"{name.upper()} in {where} is not a setting: did you mean {meant[0].upper()}?"
    return sentences
