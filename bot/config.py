"""The settings of the process, from the environment and `.env`.

Owns their names, ranges and defaults (`.env.example` lists them).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from data.connect import parse_url

BAD_CONFIGURATION: Final = 78
"""Exit status for settings or a token that cannot work (EX_CONFIG): restarting would not help."""


class ConfigError(Exception):
    """The settings cannot be used; `faults` says everything that is wrong, a sentence each."""

    def __init__(self, faults: list[str]) -> None:
        """Keep the faults."""
        super().__init__("; ".join(faults))
        self.faults = faults


class Settings(BaseSettings):
    """What can be set. Names in the environment are these in capitals."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True)

    discord_token: SecretStr | None = None
    token_file: Path | None = None
    database_url: str = "sqlite:///shithead.sqlite3"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["console", "json"] = "console"
    tables_as: Literal["picture", "text"] = "picture"
    thinking_seconds: Annotated[float, Field(ge=0, le=30)] = 1.2
    health_port: Annotated[int, Field(ge=0, le=65535)] = 0
    shard_count: Annotated[int, Field(ge=0, le=100_000)] = 0
    shard_ids: str = ""
    lease_wait_seconds: Annotated[float, Field(ge=0, le=3600)] = 45.0

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _known(cls, value: str) -> str:
        parse_url(value)
        return value

    @field_validator("shard_ids")
    @classmethod
    def _numbers(cls, value: str) -> str:
        shards_in(value)
        return value

    def token(self) -> str:
        """The token of the bot, from `DISCORD_TOKEN` or the file that `TOKEN_FILE` names.

        Raises:
            ConfigError: there is none, or the file cannot be read.
        """
        if self.discord_token is not None and self.token_file is not None:
            raise ConfigError(["DISCORD_TOKEN and TOKEN_FILE are both set: keep one of them"])
        found = self.discord_token.get_secret_value().strip() if self.discord_token else ""
        if self.token_file is not None:
            found = _read(self.token_file)
        if not found:
            raise ConfigError(["no token: set DISCORD_TOKEN, or TOKEN_FILE to a file that holds it (README, Invite)"])
        return found


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"TOKEN_FILE {file} cannot be read: {type(error).__name__}"]) from None


def shards_in(text: str) -> tuple[int, ...]:
    """The shards that `0,1,4-6` names, in order.

    Raises:
        ValueError: it names none.
    """
    found: set[int] = set()
    for part in filter(None, (each.strip() for each in text.split(","))):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()) or int(last or first) < int(first):
            raise ValueError("must be shard numbers such as 0,1,4-6")
        found.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def load_settings() -> Settings:
    """The settings as they are set now.

    Raises:
        ConfigError: something is wrong with them; all of it is named.
    """
    try:
        return Settings()
    except ValidationError as error:
        faults = [f"{'_'.join(map(str, fault['loc'])).upper()}: {_worded(fault['msg'])}" for fault in error.errors()]
        raise ConfigError(faults) from None


def _worded(message: str) -> str:
    text = message.removeprefix("Value error, ")
    return text[:1].lower() + text[1:]
