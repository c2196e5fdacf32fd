"""A whole game as text: a header of tags, then numbered moves (docs/rules.md section 6), like PGN for chess.

    [Game "Shithead"]
    [Variant "classic"]
    [Rules "{}"]
    [Seats "2"]
    [Dealer "B"]
    [Packs "1"]
    [Jokers "0"]
    [Pack "7h 2c ..."]

    1. A: swap 3c Kd
    2. A: ready

`Rules` holds the differences from the classic game as TOML; without this tag the variant's rules apply. A transcript
contains every card, so it is only for games that have ended. `game.fairness` verifies the tags of the shuffle.

    python -m game.transcript FILE

replays a transcript and prints it with remarks (lines that begin with a semicolon). After every move they tell the
events, and what each seat saw: its own hand, and counts for the others. The output is a transcript, too.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from textwrap import indent
from typing import Final

from game.events import Event
from game.rules import MOST_SEATS, Rules, is_list, is_table
from game.shell import read_file, reason_of, run_command
from game.showing import redacted, seat_view
from game.state import State
from game.text.notation import format_cards, format_seat_letter, parse_cards, parse_seat_letter
from game.text.record import Record, RefusedAtError, format_line, parse_line
from game.text.sight import format_sight
from game.variants import UnknownVariantError, variant

GAME: Final = "Shithead"
REMARK: Final = "; "
"""The prefix of a line that is not a move."""
_TAG: Final = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
_RECORD_TAGS: Final = frozenset(
    {"Game", "Variant", "Rules", "Seats", "Dealer", "LastWinner", "LastShithead", "Packs", "Jokers", "Pack"}
)
"""The tags that are derived from the record."""


class NotATranscriptError(ValueError):
    """Text that is not a transcript; `args[0]` names the tag or the move at fault, and `words` says what is wrong."""

    def __init__(self, place: str, why: str = "") -> None:
        """Without `why`, `place` is a tag that is missing, occurs twice or has a bad value."""
        super().__init__(place)
        self.words = f"{place} {why}" if why else f"tag {place} is missing, repeated or malformed"


@dataclass(frozen=True, slots=True, repr=False)
class Transcript:
    """A game; `tags` are those tags of its header that are not derived from the record."""

    record: Record
    variant: str
    tags: Mapping[str, str]


def format_transcript(transcript: Transcript) -> str:
    moves = (f"{number}. {line}" for number, line in enumerate(transcript.record.moves, 1))
    return "\n".join((*_header(transcript), "", *moves)) + "\n"


def annotated(transcript: Transcript) -> Iterator[str]:
    """Yield the lines of a transcript and, after every move, what each seat saw as remarks.

    Raises `NotATranscriptError` if a move is refused, or the cards cannot be dealt.
    """
    yield from _header(transcript)
    yield ""
    record = transcript.record
    try:
        steps = record.steps()
    except ValueError as error:  # too few cards, or too many copies of one
        raise NotATranscriptError("Pack", "has too few cards for these rules, or one of them too often") from error
    except RefusedAtError as error:
        raise NotATranscriptError(f"move {error.number} ({record.moves[error.number - 1]}):", str(error)) from error
    yield indent(_sight(steps[0].before if steps else record.dealt(), ()), REMARK)
    for number, (line, step) in enumerate(zip(record.moves, steps, strict=True), 1):
        yield f"{number}. {line}"
        yield indent(_sight(step.after, step.events()), REMARK)


def _sight(state: State, events: Sequence[Event]) -> str:
    seats = [(seat_view(state, seat), redacted(events, state, seat)) for seat in range(len(state.seats))]
    return format_sight(redacted(events, state), seats)


def _header(transcript: Transcript) -> list[str]:
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in _tags(transcript))
    return [f'[{name} "{value}"]' for name, value in escaped]


def _tags(transcript: Transcript) -> Iterator[tuple[str, str]]:
    record = transcript.record
    yield "Game", GAME
    yield "Variant", transcript.variant
    yield "Rules", _as_toml(record.rules.differences())
    yield "Seats", str(record.seats)
    yield "Dealer", format_seat_letter(record.dealer)
    for name, seat in (("LastWinner", record.last_winner), ("LastShithead", record.last_shithead)):
        if seat is not None:
            yield name, format_seat_letter(seat)
    yield from transcript.tags.items()
    yield "Packs", str(record.rules.packs_with(record.seats))
    yield "Jokers", str(record.rules.jokers_with(record.seats))
    yield "Pack", format_cards(record.pack)


def _as_toml(value: object) -> str:
    """A value of the rules as TOML on one line, in single quotes, so that nothing in a tag has to be escaped."""
    if is_table(value):
        return f"{{{', '.join(f'{key} = {_as_toml(each)}' for key, each in value.items())}}}"
    if is_list(value):
        return f"[{', '.join(map(_as_toml, value))}]"
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


# -- reading


def parse_transcript(text: str) -> Transcript:
    """Read a transcript. Moves are parsed but not checked against the rules.

    Raises `NotATranscriptError` if a tag is missing, occurs twice or has a bad value, or a line is not a move.
    """
    lines = [line.strip() for line in text.removeprefix("\ufeff").strip().splitlines()]
    found_tags = [tag for tag in takewhile(bool, map(_TAG.fullmatch, lines)) if tag]
    tags: dict[str, str] = {}
    for tag in found_tags:
        if tag[1] in tags:
            raise NotATranscriptError(tag[1])
        tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
    seats = int(tags["Seats"]) if re.fullmatch("[0-9]{1,2}", tags.get("Seats", "")) else 0
    if not 2 <= seats <= MOST_SEATS:  # noqa: PLR2004 - nobody plays alone
        raise NotATranscriptError("Seats")
    record = Record(
        rules=_rules(tags),
        seats=seats,
        dealer=_seat(tags, "Dealer", seats),
        pack=_pack(tags),
        moves=tuple(_moves(line for line in lines[len(found_tags) :] if line and not line.startswith(REMARK.strip()))),
        last_winner=_seat(tags, "LastWinner", seats) if "LastWinner" in tags else None,
        last_shithead=_seat(tags, "LastShithead", seats) if "LastShithead" in tags else None,
    )
    others = {name: value for name, value in tags.items() if name not in _RECORD_TAGS}
    return Transcript(record, tags.get("Variant", ""), others)


def _seat(tags: Mapping[str, str], name: str, seats: int) -> int:
    with suppress(ValueError):
        seat = parse_seat_letter(tags.get(name, ""))
        if seat < seats:
            return seat
    raise NotATranscriptError(name)


def _pack(tags: Mapping[str, str]) -> tuple[int, ...]:
    with suppress(ValueError):
        if pack := parse_cards(tags.get("Pack", "")):
            return pack
    raise NotATranscriptError("Pack")


def _rules(tags: Mapping[str, str]) -> Rules:
    if "Rules" not in tags:
        try:
            return variant(tags.get("Variant", "")).rules
        except UnknownVariantError as error:
            raise NotATranscriptError("Variant") from error
    try:
        changes: object = tomllib.loads(f"rules = {tags['Rules']}")["rules"]
        # A value that is not a table is passed as an unknown option, so that validation refuses it.
        return Rules().changed_with(changes if is_table(changes) else {"": changes})
    except (ValueError, RecursionError) as error:  # not TOML, not rules, or nested too deep
        raise NotATranscriptError("Rules") from error


def _moves(lines: Iterator[str]) -> Iterator[str]:
    """Yield the moves in the bot's own spelling; where a move has a number, it must be the right one."""
    for number, line in enumerate(lines, 1):
        try:
            yield format_line(*parse_line(line.removeprefix(f"{number}.")))
        except ValueError as error:
            raise NotATranscriptError(f"move {number}", "is not a move, or its number is wrong") from error


def main(arguments: Sequence[str]) -> int:
    """Print what each seat saw; return 0, or 1 if a move is refused or the cards cannot be dealt, 2 if unreadable."""
    parser = argparse.ArgumentParser(prog="python -m game.transcript", description="Replay a transcript, with remarks.")
    parser.add_argument("file", type=Path)
    file: Path = parser.parse_args(arguments).file
    try:
        transcript = parse_transcript(read_file(file).decode())
    except (OSError, UnicodeDecodeError, NotATranscriptError) as error:
        why = error.words if isinstance(error, NotATranscriptError) else reason_of(error)
        sys.stderr.write(f"{file}: cannot be read: {why}\n")
        return 2
    try:
        print(*annotated(transcript), sep="\n")
    except NotATranscriptError as error:
        sys.stderr.write(f"{file}: {error.words}\n")
        return 1
    return 0


if __name__ == "__main__":
    run_command(main)
