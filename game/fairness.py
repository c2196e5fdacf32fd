"""The sealed shuffle: anybody with a transcript can work out the pack again (docs/fairness.md explains how).

The secret is sealed before anyone joins. The pack follows from the secret and from the ids that Discord gave to the
clicks of the joiners; callers provide both. All functions are pure except the command, which reads a transcript:
`python -m game.fairness verify FILE`.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from game.cards import Card, NotACardError, format_card, make_pack, parse_card
from game.shell import read_file, reason_of, run_command

SECRET_BYTES: Final = 32
_LABEL: Final = "shithead shuffle 1"
_WORD: Final = 1 << 16
"""Random numbers are made from words of 16 bits, so a pack may hold up to this many cards."""
_TABLE: Final = re.compile(r"[0-9A-Za-z_.:-]{1,64}")
_IDS: Final = re.compile(r"[1-9][0-9]{0,19}( [1-9][0-9]{0,19})*")
_COUNT: Final = re.compile(r"0|[1-9][0-9]?")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_TAG: Final = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
_TAGS: Final = ("Table", "Joiners", "Seal", "Secret", "Packs", "Jokers", "Pack")


class NotAShuffleError(ValueError):
    """A shuffle that cannot be read or made; `args[0]` names the part at fault."""


class Verdict(Enum):
    """The result of checking a shuffle; the value is what the command prints."""

    VERIFIED = "verified"
    SEAL_DIFFERS = "does not verify: the secret is not the one that was sealed"
    PACK_DIFFERS = "does not verify: the secret and the joiners give a different pack"


@dataclass(frozen=True, slots=True, repr=False)
class Shuffle:
    """What a transcript says about its shuffle; the joiners are in seat order, the pack is top card first."""

    table: str
    joiners: tuple[int, ...]
    seal: str
    secret: bytes
    packs: int
    jokers: int
    pack: tuple[Card, ...]


def seal(secret: bytes) -> str:
    """The seal, which is shown before anyone joins: the SHA-256 of the secret as 64 hexadecimal digits.

    Raises `NotAShuffleError` if the secret is not 32 bytes long.
    """
    return hashlib.sha256(_checked(secret)).hexdigest()


def pack_from(secret: bytes, table: str, joiners: tuple[int, ...], pack: tuple[Card, ...]) -> tuple[Card, ...]:
    """Shuffle `pack`, top card first, by Fisher-Yates from the last place to the second, without bias.

    Raises `NotAShuffleError` if the secret is not 32 bytes long, the table's name or a joiner's id is malformed, nobody
    joined, or the pack is too large.
    """
    # From the secret alone, the operator could work out the pack before anybody joins, and seal another secret instead.
    # From the ids alone, everybody could. With both, neither side can until everybody has joined.
    if len(pack) > _WORD:
        raise NotAShuffleError("pack")
    words = _words(_checked(secret), _message(table, joiners))
    cards = list(pack)
    for last in range(len(cards) - 1, 0, -1):
        place = _draw_below(last + 1, words)
        cards[last], cards[place] = cards[place], cards[last]
    return tuple(cards)


def judge(shuffle: Shuffle) -> Verdict:
    """Check that the seal matches the secret, and that the pack follows from the secret and the joiners."""
    if not hmac.compare_digest(seal(shuffle.secret), shuffle.seal):
        return Verdict.SEAL_DIFFERS
    derived = pack_from(shuffle.secret, shuffle.table, shuffle.joiners, make_pack(shuffle.packs, shuffle.jokers))
    return Verdict.VERIFIED if derived == shuffle.pack else Verdict.PACK_DIFFERS


def parse_shuffle(transcript: str) -> Shuffle:
    """Read the shuffle from the header of a transcript, the tag lines at its beginning.

    Raises `NotAShuffleError` if a tag of the shuffle is missing, occurs twice or cannot be read.
    """
    tags = _header(transcript)
    return Shuffle(
        table=_matched("Table", tags["Table"], _TABLE),
        joiners=tuple(map(int, _matched("Joiners", tags["Joiners"], _IDS).split())),
        seal=_matched("Seal", tags["Seal"], _HEX),
        secret=bytes.fromhex(_matched("Secret", tags["Secret"], _HEX)),
        packs=int(_matched("Packs", tags["Packs"], _COUNT)),
        jokers=int(_matched("Jokers", tags["Jokers"], _COUNT)),
        pack=_parse_pack(tags["Pack"]),
    )


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        raise NotAShuffleError("Secret")
    return secret


def _message(table: str, joiners: tuple[int, ...]) -> str:
    """Label, table and joiners, a line each. None contains a line break, so no two shuffles share a message."""
    ids = _matched("Joiners", " ".join(map(str, joiners)), _IDS)
    return f"{_LABEL}\n{_matched('Table', table, _TABLE)}\n{ids}\n"


def _words(secret: bytes, message: str) -> Iterator[int]:
    """Yield endless 16-bit numbers: HMACs of the message with counter 0, 1, 2 ..., read two bytes at a time."""
    counter = 0
    while True:
        block = hmac.digest(secret, f"{message}{counter}".encode("ascii"), "sha256")
        for start in range(0, len(block), 2):
            yield int.from_bytes(block[start : start + 2], "big")
        counter += 1


def _draw_below(bound: int, words: Iterator[int]) -> int:
    """Draw a number from 0 ... bound - 1, all equally likely: words beyond the last multiple of `bound` are skipped."""
    limit = _WORD - _WORD % bound
    return next(word for word in words if word < limit) % bound


def _header(transcript: str) -> dict[str, str]:
    tags: dict[str, str] = {}
    for line in transcript.lstrip("\ufeff\n\r ").split("\n"):
        tag = _TAG.fullmatch(line.strip())
        if tag is None:
            break
        if tag[1] in tags:
            raise NotAShuffleError(tag[1])
        tags[tag[1]] = tag[2]
    for name in _TAGS:
        if name not in tags:
            raise NotAShuffleError(name)
    return tags


def _matched(name: str, text: str, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(text):
        raise NotAShuffleError(name)
    return text


def _parse_pack(text: str) -> tuple[Card, ...]:
    """Parse the pack. Only the bot's own spelling is accepted: `format_card`, with one space between cards."""
    try:
        cards = tuple(map(parse_card, text.split(" ")))
    except NotACardError:
        cards = ()
    if not cards or " ".join(map(format_card, cards)) != text:
        raise NotAShuffleError("Pack")
    return cards


def main(arguments: Sequence[str]) -> int:
    """Print the verdict; return 0 if the shuffle verifies, 1 if it does not, 2 if it cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m game.fairness", description="Recompute a shuffle.")
    commands = parser.add_subparsers(required=True)
    commands.add_parser("verify", help="verify the pack of a transcript").add_argument("file", type=Path)
    file: Path = parser.parse_args(arguments).file
    try:
        shuffle = parse_shuffle(read_file(file).decode())
        verdict = judge(shuffle)
    except NotAShuffleError as error:
        print(f"cannot be read: tag {error.args[0]} is missing, repeated or malformed")
        return 2
    except (OSError, UnicodeDecodeError) as error:
        print(f"cannot be read: {reason_of(error)}")
        return 2
    print(verdict.value + (_summary(shuffle) if verdict is Verdict.VERIFIED else ""))
    return 0 if verdict is Verdict.VERIFIED else 1


def _summary(shuffle: Shuffle) -> str:
    joiners = "1 joiner" if len(shuffle.joiners) == 1 else f"{len(shuffle.joiners)} joiners"
    return f": {len(shuffle.pack)} cards follow from the secret and {joiners}; the lobby must have shown {shuffle.seal}"


if __name__ == "__main__":
    run_command(main)
