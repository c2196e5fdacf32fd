"""People: their preferences, their statistics, everything that is stored about them, and forgetting them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from math import sqrt
from statistics import mean
from typing import Final, TypeAlias

import structlog

from data.errors import UnavailableError
from data.game_models import Feat, Finish, LevelName, Losses, Played
from data.guild_models import GuildFiles, Preferences
from data.models import PastGame, Table
from game.showing import table_view
from tables.cache import LRUCache
from tables.doorway import Doorway, uncancellable
from tables.gameplay import record_of
from tables.snapshots import Decline, Declined, Score, Strength, TableSnapshot, declining, one_at_a_time

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
_MOST_STRENGTHS: Final = 500  # of servers whose players are rated
_Rated: TypeAlias = tuple[int | None, LevelName | None]
"""A person or a level. Both None: a former player (id below 0) or a computer of unknown level, always a newcomer."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Digest:
    """The slow games that wait for a person, in all servers, and their preferences in one of these.

    `guild_ids` are the servers in which the person wants the digest, `due` is the time since when it has been due.
    """

    chosen: Preferences
    tables: Sequence[TableSnapshot]
    guild_ids: Sequence[int]
    due: datetime


@declining
class PeopleService:
    """The preferences, the statistics and the stored data of people.

    All methods raise `Declined` with SAVING_FAILED if the store does not answer.
    """

    def __init__(self, doorway: Doorway) -> None:
        self._doorway, self._store, self._preferences = doorway, doorway.store, doorway.preferences
        self._strengths: LRUCache[int, tuple[Sequence[object], list[Strength]]] = LRUCache(_MOST_STRENGTHS)
        self._collecting = set[int]()  # the people whose data are being read

    async def preferences(self, guild_id: int, user_id: int) -> Preferences:
        """The preferences of a person in a server."""
        return await self._preferences.fetch((guild_id, user_id), lambda: self._store.people.get(guild_id, user_id))

    @uncancellable
    async def choose(self, before: Preferences, chosen: Preferences) -> None:
        """Store what a person changed in `before`, the preferences that they saw, and redraw their open hands."""
        # Asked first: once the choice is stored, nobody must read that saving failed.
        own_tables = await self._store.tables.at_which_sits(chosen.guild_id, chosen.user_id)
        try:
            await self._store.people.put(before, chosen, first_digest=self._doorway.now() + DAY)
        finally:
            self._preferences.drop((chosen.guild_id, chosen.user_id))
        reminds = (chosen.quiet, chosen.digest) != (before.quiet, before.digest)  # else nobody else sees a change
        await self._doorway.redraw(own_tables, chosen.user_id, news=reminds)

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
        # Read before the claim: a claimed digest that cannot be read would be lost for a day.
        slow_tables = await self._store.people.slow_tables(user_id)
        found = [(guild_id, await self._waiting(guild_id, table_id, user_id)) for guild_id, table_id in slow_tables]
        now = self._doorway.now()
        next_due = due + ((now - due) // DAY + 1) * DAY  # at the same time of day
        chosen = await self._store.people.claim_digest(user_id, now, next_due)
        if not chosen:
            return None
        guild_ids = [preferences.guild_id for preferences in chosen]
        waiting = [snapshot for guild_id, snapshot in found if snapshot and guild_id in guild_ids]
        return Digest(chosen[-1], waiting, guild_ids, due)

    async def _waiting(self, guild_id: int, table_id: int, user_id: int) -> TableSnapshot | None:
        """A table if it waits for this person. Cached only if it was before, as another process may be serving it."""
        was_cached = self._doorway.peek(table_id) is not None
        try:
            snapshot = (await self._doorway.get(table_id, guild_id)).snapshot()
        except Declined:  # this one cannot be read; the others can
            return None
        if not was_cached:
            await self._doorway.drop(table_id)
        awaited = [snapshot.table.players[seat].user_id for seat in snapshot.awaited]
        return snapshot if user_id in awaited else None

    async def digest_failed(self, digest: Digest) -> None:
        """Make a digest that was claimed due again, because it could not be sent now."""
        await self._store.people.claim_digest(digest.chosen.user_id, self._doorway.now() + DAY, digest.due)

    async def digest_sent(self, digest: Digest, *, arrived: bool) -> None:
        """Record whether a digest was delivered. If not, its tables go back to reminding the person in the channel."""
        user_id = digest.chosen.user_id
        await self._store.people.digest_refused(user_id, None if arrived else self._doorway.now())
        for guild_id in digest.guild_ids:
            self._preferences.drop((guild_id, user_id))
        tables = () if arrived else [(each.table.guild_id, each.table.id) for each in digest.tables]
        # Other processes read it: `gets_digest_instead`.
        await self._doorway.redraw([found for found in tables if self._doorway.serves(found[0])])

    async def score(self, guild_id: int, user_id: int) -> Score | None:
        """A person's statistics in a server; None if the person opted out of them.

        Before that, replays up to `MOST_COUNTED` of their games whose feats are not counted yet, and stores those.
        """
        if (await self.preferences(guild_id, user_id)).uncounted:
            return None
        for table_id, game, place in await self._store.scores.without_feats(guild_id, user_id, MOST_COUNTED):
            try:
                past = await self._store.games.past(guild_id, table_id, game)
                counted = await asyncio.to_thread(feats_of, past) if past else []
            except (TypeError, ValueError):
                counted = [Feat(place, 0, 0)]  # as when the record cannot be replayed
            await self._store.scores.put_feats(guild_id, table_id, game, counted)
        return score_of(await self._store.scores.played(guild_id, user_id))

    async def leaderboard(self, guild_id: int) -> list[Losses]:
        """Everybody in a server who has not opted out of statistics; see `ranked` for the order."""
        return ranked(await self._store.scores.losses(guild_id))

    async def strengths(self, guild_id: int) -> list[Strength]:
        """The strengths of levels, and of people who have not opted out, in a server; see `strengths_of`."""
        rated_now = await self._store.scores.rated(guild_id)
        rated_then, strengths = self._strengths.get(guild_id) or (None, [])
        if rated_then != rated_now:
            strengths = await asyncio.to_thread(strengths_of, await self._store.scores.finishes(guild_id, MOST_RATED))
            self._strengths.put(guild_id, (rated_now, strengths))
        listed = {each.user_id for each in await self._store.scores.losses(guild_id)}
        return [strength for strength in strengths if strength.level or strength.user_id in listed]

    async def stored(self, user_id: int) -> Mapping[int, GuildFiles]:
        """Everything that is stored about a person, by server. Declined: COLLECTING while it is being read for them."""
        with one_at_a_time(user_id, self._collecting, Decline.COLLECTING):
            return await self._store.people.stored(user_id)

    @uncancellable
    async def forget(self, user_id: int, *, is_confirmed: bool = True) -> Table | None:
        """Replace a person by a former player, if it `is_confirmed`. While they are at a table, return its place."""
        forgetting = partial(self._store.people.forget, user_id, is_confirmed=is_confirmed)
        try:
            changed = await forgetting()
        except UnavailableError:  # it may be done nevertheless: then there is nothing left to do
            changed = await forgetting()
        if changed is None or isinstance(changed, Table):
            return changed
        self._strengths.clear()
        self._preferences.clear()
        # The message of an ended table may still show the name if the table was cached.
        named = [(each.guild_id, each.id) for each in self._doorway.cached_tables() if _names(each, user_id)]
        await self._doorway.redraw([found for found in (*changed, *named) if await self._doorway.drop(found[1])])
        return None


def _names(table: Table, user_id: int) -> bool:
    return user_id in {table.host_id, *(each.user_id for each in (*table.players, *table.standings))}


# -- statistics, pure


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Wilson's score interval: bounds of the true share, with 95 % confidence; rounded, so that 0 and 1 are exact."""
    if whole == 0:
        return 0.0, 1.0
    share, square = part / whole, CONFIDENCE**2
    middle = share + square / (2 * whole)
    reach = CONFIDENCE * sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    scale = 1 + square / whole
    return max(0.0, round((middle - reach) / scale, 9)), round((middle + reach) / scale, 9)


def score_of(played: Sequence[Played]) -> Score:
    """The statistics of a person's games, given oldest first."""
    lost = sum(game.lost for game in played)
    streaks = [(is_lost, len(list(games))) for is_lost, games in groupby(played, lambda game: game.lost)]
    low, high = wilson(lost, len(played))
    held = [game.most_held for game in played if game.most_held]
    turns = [game.turns for game in played if game.turns and not game.lost]
    return Score(
        games=len(played),
        lost=lost,
        low=low,
        high=high,
        unbeaten=max((length for is_lost, length in streaks if not is_lost), default=0),
        losing=max((length for is_lost, length in streaks if is_lost), default=0),
        most_held=max(held, default=None),
        fastest=min(turns, default=None),
        to_count=sum(game.most_held is None for game in played),
    )


def ranked(losses: Iterable[Losses]) -> list[Losses]:
    """Rank by the upper bound of the share of lost games, lowest first, so that one lucky game does not lead."""
    return sorted(losses, key=lambda each: (wilson(each.lost, each.games)[1], -each.games, each.user_id))


def strengths_of(finishes: Iterable[Finish]) -> list[Strength]:
    """Rate people and levels by the finishing orders of games, oldest first (Plackett-Luce); sorted by lower bound."""
    from openskill.models import PlackettLuce, PlackettLuceRating  # noqa: PLC0415 - 1 MB, seldom used

    model = PlackettLuce()
    rating_of: dict[_Rated, PlackettLuceRating] = {}
    games_of: Counter[_Rated] = Counter()
    for _, places in groupby(finishes, lambda finish: (finish.table_id, finish.game)):
        game = list(places)
        players: list[_Rated] = [(each.user_id if (each.user_id or 0) > 0 else None, each.level) for each in game]
        teams = [[rating_of.get(player) or model.rating()] for player in players]  # the model rates teams: here, of one
        new_ratings = [rating for (rating,) in model.rate(teams, _ranks(game))]
        for player in set(players) - {(None, None)}:
            # Several computers of one level are rated as one player, with the mean of their new ratings.
            own = [rating for rated, rating in zip(players, new_ratings, strict=True) if rated == player]
            rating_of[player] = model.rating(mean(each.mu for each in own), mean(each.sigma for each in own))
            games_of[player] += 1
    strengths = [
        Strength(user_id, level, games_of[user_id, level], POINTS * rating.mu, POINTS * CONFIDENCE * rating.sigma)
        for (user_id, level), rating in rating_of.items()
    ]
    return sorted(strengths, key=lambda each: (each.doubt - each.points, each.user_id or 0, each.level or ""))


def _ranks(game: Sequence[Finish]) -> list[float]:
    """The rank of each place. Places that the game did not tell apart are equal (a stand-still, only a winner)."""
    places = range(1, len(game) + 1)
    if game[-1].shithead is not None:
        return [float(place) for place in places]
    return [1.0 if place == game[-1].winner else 2.0 for place in places]


def feats_of(past: PastGame) -> list[Feat]:
    """The feats of each player of a finished game; zeros if the record cannot be replayed."""
    seats = past.game.deal["seats"]
    try:
        record = record_of(past.game)
        state = record.dealt()
        most_held = [seat.hand.bit_count() for seat in state.seats]
        turns = [0] * seats
        for step in record.steps():
            state = step.after
            if step.seat is not None and step.before.frame.phase == "play" and step.move.on_turn:
                turns[step.seat] += 1
            most_held = [max(most, seat.hand.bit_count()) for most, seat in zip(most_held, state.seats, strict=True)]
        view = table_view(state)
    except Exception:  # noqa: BLE001 - a damaged record is no reason to refuse statistics
        _log.exception("the feats of a game cannot be counted", table=past.table.id, game=past.number)
        return [Feat(place, 0, 0) for place in range(1, seats + 1)]
    if view.shithead is None:  # then the others were never out
        turns = [count if seat in view.out else 0 for seat, count in enumerate(turns)]
    return [Feat(place, most_held[seat], turns[seat]) for place, seat in enumerate(view.finishing_order, start=1)]
