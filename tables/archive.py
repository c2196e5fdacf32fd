"""The doorway to games that have ended: step by step, as a transcript, and their shuffle worked out again.

Open to everybody in the channel where a game was played, and to those who played it. A game that still runs is never
handed out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

import structlog
from pydantic import ValidationError

from data.ended import GameLine, PastGame
from data.models import Player
from game.fairness import Shuffle, judge
from game.text.notation import parse_cards
from game.moves import parse_move
from game.text.record import Record, format_line
from game.text.record import replay as replay_record
from game.transcript import REMARK, Transcript, annotated, format_transcript
from tables.asking import asking
from tables.cache import replay
from tables.doorway import Doorway
from tables.history import Checked, Rewound, Which
from tables.loaded import LoadedTable
from tables.randomness import seal_of
from tables.scoring import finishing_order

_LARGEST: Final = 1 << 63
_LARGEST_GAME: Final = 1 << 31
_log = structlog.get_logger(__name__)


class Archive(Doorway):
    """Ended games of a server."""

    async def past_games(self, guild_id: int, channel_id: int, user_id: int, limit: int) -> Sequence[GameLine]:
        """The last games that somebody in a channel may look at, newest first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.past.latest(guild_id, channel_id, user_id, limit)

    async def rewound(self, which: Which, seat: int, step: int) -> Rewound | None:
        """A game as a seat saw it after so many moves; the nearest there are. None where there is no such game.

        Raises:
            Declined: the store does not answer.
        """
        past = await self._past(which)
        if past is None:
            return None
        players = await asyncio.to_thread(self._players, past)
        changes = {"players": players, "rules": past.deal.rules, "status": "over", "game": past.game, "deadline": None}
        step, seat = max(0, min(step, len(past.moves))), max(0, min(seat, past.deal.seats - 1))
        table = LoadedTable(past.table.model_copy(update=changes), "")
        loaded = await asyncio.to_thread(replay, table, past.deal, past.moves[:step])
        return None if loaded.state is None else Rewound(loaded.hand(seat), step, len(past.moves))

    async def transcript(self, which: Which) -> str | None:
        """A game as text, with everything that verifies its shuffle. None where there is no such game.

        Raises:
            Declined: the store does not answer.
        """
        past = await self._past(which)
        return None if past is None else await asyncio.to_thread(_written, past)

    async def checked(self, which: Which) -> Checked | None:
        """The shuffle of a game worked out again. None where there is no such game.

        Raises:
            Declined: the store does not answer.
        """
        past = await self._past(which)
        if past is None:
            return None
        shuffle = _shuffle(past)
        return Checked(
            name=shuffle.table,
            seal=shuffle.seal,
            secret=past.secret,
            joiners=len(shuffle.joiners),
            cards=len(shuffle.pack),
            verdict=judge(shuffle),
        )

    async def _past(self, which: Which) -> PastGame | None:
        if not (0 < which.table_id < _LARGEST and 0 < which.game < _LARGEST_GAME):
            return None
        try:
            with asking():
                past = await self._store.past.get(which.guild_id, which.table_id, which.game)
        except ValidationError:
            _log.error("an ended game cannot be read", table=which.table_id, game=which.game)
            return None
        return past if past is not None and _may_see(past, which) else None

    def _players(self, past: PastGame) -> tuple[Player, ...]:
        """Who sat where, with names while they are still known. Who left before a later game is known by the result."""
        loaded = self._cache.peek(past.table.id)
        known = {each.joined_by: each for each in (loaded.table if loaded else past.table).players}
        unknown = tuple(_unknown(past)) if set(past.deal.joiners) - set(known) else ()
        return tuple(known[click] if click in known else unknown[seat] for seat, click in enumerate(past.deal.joiners))


def _unknown(past: PastGame) -> Iterable[Player]:
    users: dict[int, int | None] = {}
    if past.result is not None:
        users = dict(zip(finishing_order(past), past.result.places, strict=False))
    for seat, click in enumerate(past.deal.joiners):
        yield Player(user_id=users.get(seat), name="", joined_by=click)


def _may_see(past: PastGame, which: Which) -> bool:
    played = any(player.user_id == which.user_id for player in past.table.players)
    placed = past.result is not None and which.user_id in past.result.places
    return past.table.channel_id == which.channel_id or played or placed


def _shuffle(past: PastGame) -> Shuffle:
    """What the game was dealt from; the seal is the one that was shown, where it is still known."""
    rules, seats = past.deal.rules, past.deal.seats
    return Shuffle(
        table=f"{past.table.id}.{past.game}",
        joiners=past.deal.joiners,
        seal=past.table.seal if past.game == past.table.game else seal_of(past.secret),
        secret=bytes.fromhex(past.secret),
        packs=rules.deal.packs,
        jokers=rules.jokers_with(seats),
        pack=parse_cards(past.deal.pack),
    )


def _written(past: PastGame) -> str:
    shuffle, deal = _shuffle(past), past.deal
    tags = {
        "Table": shuffle.table,
        "Joiners": " ".join(map(str, shuffle.joiners)),
        "Seal": shuffle.seal,
        "Secret": past.secret,
    }
    record = Record(
        rules=deal.rules,
        seats=deal.seats,
        dealer=deal.dealer,
        pack=shuffle.pack,
        moves=tuple(format_line(made.seat, parse_move(made.move)) for made in past.moves),
        last_winner=deal.last_winner,
        last_shithead=deal.last_shithead,
    )
    transcript = Transcript(record, past.table.variant, tags)
    if replay_record(record).frame.phase == "over":
        return format_transcript(transcript)
    # A stopped game has been opened too, so nothing is left out.
    return "\n".join(line for line in annotated(transcript) if not line.startswith(REMARK.strip())) + "\n"
