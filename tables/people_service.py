"""People: their preferences, their statistics, everything that is stored about them, and forgetting them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from math import sqrt
from statistics import mean
from typing import Final, TypeAlias

import structlog

from data.errors import UnavailableError
from data.game_models import Feat, Finish, LevelName, Played, Standing
from data.guild_models import GuildFiles, GuildSettings, Preferences
from data.models import PastGame
from game.showing import table_view
from tables.cache import LRUCache
from tables.doorway import Doorway, uncancellable
from tables.gameplay import record_of
from tables.match import finishing_order
from tables.snapshots import Declined, Score, Strength, TableSnapshot, declining

MOST_COUNTED: Final = 60
"""The most games that are replayed for one request."""
CONFIDENCE: Final = 1.959964
"""How many standard deviations on either side of the mean hold 95 % of a normal distribution."""
MOST_RATED: Final = 2_000
"""How many of the newest games are rated for strength; more would keep people waiting too long."""
POINTS: Final = 40
"""How many points make one unit of the model, so that a newcomer has 1,000."""
DAY: Final = timedelta(days=1)
"""The time from one digest to the next."""
_PREFERENCES: Final = 20_000
_STRENGTHS: Final = 500
_Rated: TypeAlias = tuple[int | None, LevelName | None]
"""A person or a level. Both None: a former player, or a computer of unknown level; rated as a newcomer each time."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Digest:
    """The slow games that wait for a person, in all servers, and their preferences in one of these.

    `guild_ids` are the servers in which the person wants the digest.
    """

    chosen: Preferences
    tables: Sequence[TableSnapshot]
    guild_ids: Sequence[int]


@declining
class PeopleService:
    """The preferences, the statistics and the stored data of people.

    All methods raise `Declined` with SAVING_FAILED if the store does not answer.
    """

    def __init__(self, doorway: Doorway) -> None:
        self._doorway, self._serves, self._store = doorway, doorway.serves, doorway.store
        self._preferences: LRUCache[tuple[int, int], Preferences] = LRUCache(_PREFERENCES)
        self._strengths: LRUCache[int, tuple[int, list[Strength]]] = LRUCache(_STRENGTHS)
        """The strengths in a server, with the number of games they were worked out from."""

    async def preferences(self, guild_id: int, user_id: int) -> Preferences:
        """The preferences of a person in a server."""
        return await self._preferences.fetch((guild_id, user_id), lambda: self._store.people.get(guild_id, user_id))

    async def choices(self, guild_id: int, user_id: int) -> tuple[GuildSettings, Preferences]:
        """The settings of the server and the preferences of the person, for drawing a private answer."""
        return await self._doorway.settings.get(guild_id), await self.preferences(guild_id, user_id)

    @uncancellable
    async def choose(self, chosen: Preferences) -> None:
        """Store the preferences of a person."""
        try:
            await self._store.people.put(chosen, self._doorway.now() + DAY)
        finally:
            self._preferences.drop((chosen.guild_id, chosen.user_id))

    async def gets_digest_instead(self, guild_id: int, user_id: int) -> bool:
        """Whether a person gets a digest instead of reminders of slow games, and Discord delivers it.

        Always read from the store, because another process may have sent the digest.
        """
        person = await self._store.people.get(guild_id, user_id)
        return person.digest and person.refused_at is None

    async def digests_due(self) -> Mapping[int, datetime]:
        """The people whose digest is due, each with the time since when it has been."""
        return await self._store.people.digests_due(self._doorway.now())

    async def digest(self, user_id: int, due: datetime) -> Digest | None:
        """Claim the digest of a person for today: a second request, in any process, gets None."""
        now = self._doorway.now()
        chosen = await self._store.people.claim_digest(user_id, now, due + ((now - due) // DAY + 1) * DAY)
        if not chosen:
            return None
        places = await self._store.people.slow_tables(user_id, [each.guild_id for each in chosen])
        waiting = [await self._waiting(user_id, *at) for at in places]
        return Digest(chosen[-1], [each for each in waiting if each], [each.guild_id for each in chosen])

    async def _waiting(self, user_id: int, guild_id: int, table_id: int) -> TableSnapshot | None:
        """A table if it waits for this person. Cached only if it was before, as another process may be serving it."""
        was_cached = self._doorway.peek(table_id) is not None
        try:
            snapshot = (await self._doorway.get(table_id, guild_id)).snapshot()
        except Declined:  # this one cannot be read; the others can
            return None
        if not was_cached:
            await self._doorway.drop(table_id)
        waits = [snapshot.table.players[seat].user_id for seat in snapshot.awaited]
        return snapshot if user_id in waits else None

    async def digest_sent(self, digest: Digest, *, arrived: bool) -> None:
        """Record whether a digest was delivered. If not, its tables go back to reminding the person in the channel."""
        user_id = digest.chosen.user_id
        await self._store.people.digest_refused(user_id, None if arrived else self._doorway.now())
        for guild_id in digest.guild_ids:
            self._preferences.drop((guild_id, user_id))
        for snapshot in digest.tables:
            guild_id = snapshot.table.guild_id
            if not arrived and self._serves(guild_id):  # other processes read the store, see `gets_digest_instead`
                with suppress(Declined):
                    self._doorway.publish(await self._doorway.get(snapshot.table.id, guild_id))

    async def score(self, guild_id: int, user_id: int) -> Score | None:
        """A person's statistics in a server; None if the person opted out of them."""
        if (await self.preferences(guild_id, user_id)).uncounted:
            return None
        for table_id, game, place in await self._store.scores.without_feats(guild_id, user_id, MOST_COUNTED):
            try:
                past = await self._store.games.past(guild_id, table_id, game)
                counted = await asyncio.to_thread(feats_of, past) if past else []
            except ValueError:
                counted = [Feat(place, 0, 0)]  # as when the record cannot be replayed
            await self._store.scores.put_feats(guild_id, table_id, game, counted)
        return score_of(await self._store.scores.played(guild_id, user_id))

    async def leaderboard(self, guild_id: int) -> list[Standing]:
        """Everybody in a server who has not opted out of statistics; see `ranked` for the order."""
        return ranked(await self._store.scores.standings(guild_id))

    async def strengths(self, guild_id: int) -> list[Strength]:
        """The strengths of levels, and of people who have not opted out, in a server; see `strengths_of`."""
        count, cached = await self._store.scores.rated(guild_id), self._strengths.get(guild_id)
        if cached is None or cached[0] != count:
            finishes = await self._store.scores.finishes(guild_id, MOST_RATED)
            cached = count, await asyncio.to_thread(strengths_of, finishes)
            self._strengths.put(guild_id, cached)
        counted = {each.user_id for each in await self._store.scores.standings(guild_id)}
        return [each for each in cached[1] if each.level or each.user_id in counted]

    async def stored(self, user_id: int) -> Mapping[int, GuildFiles]:
        """Everything that is stored about a person, by server."""
        return await self._store.people.stored(user_id)

    @uncancellable
    async def forget(self, user_id: int) -> bool:
        """Replace a person by a former player everywhere. False, with nothing changed, if they are at an open table."""
        changed = await self._store.people.forget(user_id)
        if changed is None:
            return False
        self._strengths.clear()
        self._preferences.clear()
        for guild_id, table_id in changed:
            await self._redraw_without_name(guild_id, table_id)
        return True

    async def _redraw_without_name(self, guild_id: int, table_id: int) -> None:
        """Redraw the message of an ended table if it may still show the name, that is if the table was cached."""
        self._doorway.learn(guild_id, table_id)
        if not await self._doorway.drop(table_id):
            return
        try:
            self._doorway.publish(await self._doorway.get(table_id))
        except (Declined, UnavailableError) as error:
            _log.warning("a table could not be read again", table=table_id, why=str(error))


# -- statistics, pure


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Wilson's score interval: the bounds of the true share, with 95 % confidence."""
    if whole == 0:
        return 0.0, 1.0
    share, square = part / whole, CONFIDENCE**2
    middle = share + square / (2 * whole)
    reach = CONFIDENCE * sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    scale = 1 + square / whole
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def score_of(played: Sequence[Played]) -> Score:
    """The statistics of a person's games, given oldest first."""
    lost = sum(each.lost for each in played)
    runs = [(value, sum(1 for _ in run)) for value, run in groupby(played, lambda each: each.lost)]
    low, high = wilson(lost, len(played))
    held = [each.most_held for each in played if each.most_held]
    turns = [each.turns for each in played if each.turns and not each.lost]
    return Score(
        games=len(played),
        lost=lost,
        low=low,
        high=high,
        unbeaten=max((length for value, length in runs if not value), default=0),
        losing=max((length for value, length in runs if value), default=0),
        most_held=max(held, default=None),
        fastest=min(turns, default=None),
        uncounted=sum(each.most_held is None for each in played),
    )


def ranked(standings: Iterable[Standing]) -> list[Standing]:
    """Rank by the upper bound of the share of lost games, lowest first, so that one lucky game does not lead."""
    return sorted(standings, key=lambda each: (wilson(each.lost, each.games)[1], -each.games, each.user_id))


def strengths_of(finishes: Iterable[Finish]) -> list[Strength]:
    """Rate people and levels by the finishing orders of games, oldest first (Plackett-Luce); sorted by lower bound."""
    from openskill.models import PlackettLuce, PlackettLuceRating  # noqa: PLC0415 - 1 MB, seldom used

    model = PlackettLuce()
    known: dict[_Rated, PlackettLuceRating] = {}
    games: Counter[_Rated] = Counter()
    for _, lines in groupby(finishes, lambda each: (each.table_id, each.game)):
        game = list(lines)
        who: list[_Rated] = [(max(each.user_id or 0, 0) or None, each.level) for each in game]
        after = model.rate([[known.get(each) or model.rating()] for each in who], _ranks(game))
        for each in set(who) - {(None, None)}:
            # Several computers of one level are rated as one player, with the mean of their new ratings.
            own = [rating for name, (rating,) in zip(who, after, strict=True) if name == each]
            known[each] = model.rating(mean(one.mu for one in own), mean(one.sigma for one in own))
            games[each] += 1
    strengths = [
        Strength(*each, games[each], POINTS * rating.mu, POINTS * CONFIDENCE * rating.sigma)
        for each, rating in known.items()
    ]
    return sorted(strengths, key=lambda each: (each.doubt - each.points, each.user_id or 0, each.level or ""))


def _ranks(game: Sequence[Finish]) -> list[float]:
    """The rank of each place. Places that the game did not tell apart are equal (a stand-still, only a winner)."""
    shithead, winner = game[-1].shithead, game[-1].winner
    places = range(1, len(game) + 1)
    return [float(place) if shithead is not None else 2.0 - (place == winner) for place in places]


def feats_of(past: PastGame) -> list[Feat]:
    """The feats of each player of a finished game; zeros if the record cannot be replayed."""
    seats = past.game.deal["seats"]
    try:
        record = record_of(past.game)
        state, turns = record.dealt(), [0] * seats
        held = [seat.hand.bit_count() for seat in state.seats]
        for before, seat, _, state in record.steps():
            if seat is not None:
                turns[seat] += before.frame.phase == "play"
            held = [max(most, each.hand.bit_count()) for most, each in zip(held, state.seats, strict=True)]
        order = finishing_order(table_view(state))
    except Exception:  # noqa: BLE001 - a damaged record is no reason to refuse statistics
        return [Feat(place, 0, 0) for place in range(1, seats + 1)]
    return [Feat(place, held[seat], turns[seat]) for place, seat in enumerate(order, start=1)]
