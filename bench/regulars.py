"""People who play on whatever happens, note what they were answered, and compare it with the database afterwards.

They do what people do: who gets no answer within Discord's three seconds looks at the table again and tries once more.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import sqlalchemy as sa

from bench.at_table import MOVES, PREPARING, AtTable, newest, pressable, revision
from data.packed import unpack
from data.store import database_at
from testkit.sockets.clicker import Answered
from testkit.sockets.server import Discord
from testkit.sockets.world import FIRST_ANSWER, UPDATE, Message, walk
from testkit.waiting import HANG

AGAIN: Final = 0.5
"""Seconds before somebody who got no answer, or nothing to press, tries again."""
LOOK: Final = 0.2
WHIM: Final = 0.1
"""How often somebody plays whatever comes to mind."""
KEPT: Final = "3456789JQKA2T"
"""Ranks by how long people keep them: twos and tens go on anything."""
BETWEEN_GAMES: Final = ("rematch", "join", "start")
PAGES: Final = 2
"""So many pages of a hand lead to a move at most: what is picked up may first have to be added to."""
OUT_OF_DATE: Final = "That hand was out of date"
"""What a hand says that was drawn anew because a press came too late for it to be a move."""
AT_ONCE: Final = 10
"""Tables that are opened at the same time."""
NOTED: Final = "SELECT id, channel_id, revision, message_id, nudge_id FROM tables"
STORED: Final = "SELECT interaction_id FROM moves WHERE interaction_id IS NOT NULL"
CLICKS: Final = "SELECT interaction_id FROM clicks"
PACKED: Final = "SELECT table_id, packed FROM games WHERE packed IS NOT NULL"


@dataclass
class Notes:
    """What was answered: when each move, by its click; and the newest revision that somebody saw of each table.

    `steps` says of a click at which table it was and from which revision to which it led, `ended` which messages showed
    the end of a game.
    """

    moves: dict[int, float] = field(default_factory=dict[int, float])
    channels: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    seen: Counter[int] = field(default_factory=Counter[int])
    seconds: list[float] = field(default_factory=list[float])
    steps: dict[int, tuple[int, int, int]] = field(default_factory=dict[int, tuple[int, int, int]])
    ended: set[int] = field(default_factory=set[int])
    unanswered: int = 0

    def silence(self, since: float, until: float) -> float:
        """The longest time in which nobody was answered between two moments."""
        times = [since, *sorted(at for at in self.moves.values() if since < at < until), until]
        return max(later - earlier for earlier, later in pairwise(times))

    def first(self, since: float) -> float:
        """Seconds until somebody was answered."""
        return min(at for at in self.moves.values() if at > since) - since

    def have_gone_on(self, since: float) -> bool:
        """Whether somebody was answered at every table."""
        return all(times and times[-1] > since for times in self.channels.values())


class Regulars(AtTable):
    """Two people at a table who play until they are cancelled."""

    def __init__(self, at: AtTable, notes: Notes, pause: float, patience: float) -> None:
        """They rest for `pause` seconds between two moves, and wait `patience` seconds for an answer."""
        first = at.people[0].number
        super().__init__(at.discord, at.channel, first)
        self._notes, self._pause, self._patience = notes, pause, patience
        self._rng = random.Random(first)
        notes.channels[at.channel] = []

    async def play(self, opening: asyncio.Semaphore) -> None:
        """Open a table, which not too many do at once, and play game after game."""
        async with opening:
            await self.open()
        for person in self.people:
            person.patience = self._patience
        while True:
            try:
                await self._step()
            except (TimeoutError, LookupError, RuntimeError):
                self._notes.unanswered += 1
                await asyncio.sleep(AGAIN)
            await asyncio.sleep(self._pause * self._rng.uniform(0.5, 1.5))

    async def _step(self) -> None:
        """Look at the hands, and make a move or whatever must come before it."""
        message = self._newest("hand", *BETWEEN_GAMES)
        if message is None:
            raise LookupError("no table is shown")
        if not pressable(message, "hand"):
            if pressable(message, "rematch"):
                self._notes.ended.add(message.id)
            await self._deal_again(message)
            return
        for person, fingers in zip(self.people, self._fingers, strict=True):
            await fingers.rest()
            answered = await person.press(message, str(pressable(message, "hand")))
            hand = await self._shown(answered)
            if hand is None:
                continue
            try:
                for _ in range(PAGES):
                    if not (button := self._chosen(hand)):
                        break
                    await fingers.rest()
                    if self._note(button, await person.press(hand, button)) or not pressable(hand, *MOVES):
                        return
            finally:
                self.discord.world.messages.pop(hand.id, None)
        raise LookupError("nobody can move")

    def _chosen(self, hand: Message) -> str | None:
        """What they press: low cards first and many of them, but not always, or two people may go round for ever."""
        plays = [each for each in hand.ids() if each.startswith("sh:play:")]
        if not plays:
            return pressable(hand, *MOVES, *PREPARING)
        return self._rng.choice(plays) if self._rng.random() < WHIM else min(plays, key=cheapest)

    async def _deal_again(self, message: Message) -> None:
        """Say yes to another game, or ask for the deal: a lobby where somebody was late waits for its host."""
        for person, fingers in zip(self.people, self._fingers, strict=True):
            if there := [verb for verb in BETWEEN_GAMES if pressable(message, verb)]:
                await fingers.rest()
                await person.press(message, str(pressable(message, self._rng.choice(there))))
                await asyncio.sleep(AGAIN)
            message = self._newest("hand", *BETWEEN_GAMES) or message

    async def _shown(self, answered: Answered) -> Message | None:
        """The hand; where it was put off, as soon as it comes."""
        kept = answered.asked
        if answered.is_deferred:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience):
                    await self.discord.until(lambda: kept.original)
        return kept.original

    def _note(self, button: str, answered: Answered) -> bool:
        """Note the answer to a button; whether it changed the table."""
        if answered.kind != UPDATE:
            return False  # put off or refused
        body, _ = answered.asked.answered.result()  # not the message, which may have been drawn anew since
        hand = Message(body["data"], answered.asked.channel, answered.heard_at)
        if revision(hand) <= int(button.split(":")[3]):
            return False  # one more page
        verb, table = button.split(":")[1:3]
        self._notes.seen[int(table)] = max(self._notes.seen[int(table)], revision(hand))
        if any(OUT_OF_DATE in each.get("content", "") for each in walk(hand.payload["components"])):
            return False  # the table had gone on, often by a press of theirs that was answered too late for them
        if verb != "select":
            self._notes.moves[answered.asked.id] = answered.heard_at
            self._notes.steps[answered.asked.id] = int(table), int(button.split(":")[3]), revision(hand)
            self._notes.channels[self.channel].append(answered.heard_at)
            self._notes.seconds.append(answered.seconds)
        return True

    def _newest(self, *verbs: str) -> Message | None:
        return newest(self.discord, *verbs, channel=self.channel)


@dataclass(frozen=True)
class Balance:
    """What the database says: answered moves that are missing, clicks that are twice, messages that no table knows.

    Of a game that has ended only the clicks of its last quarter of an hour are kept; earlier moves are looked for by
    table and the revision that they led to. The result of a game stays when another begins, and then no table knows it:
    it offers a rematch and is no orphan.
    """

    answered: int
    lost: int
    doubled: int
    orphans: int

    @property
    def is_even(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.doubled or self.orphans)


async def balance(url: str, discord: Discord, notes: Notes) -> Balance:
    """Compare what people were answered and see with the database."""
    database = database_at(url)
    try:
        selects = [sa.text(each) for each in (NOTED, STORED, CLICKS, PACKED)]
        tables, moves, clicks, games = await database.read(lambda db: [db.execute(each).all() for each in selects])
    finally:
        await database.close()
    stored = Counter(click for (click,) in (*moves, *clicks))
    packed = {(row.table_id, made.revision) for row in games for made in unpack(row.packed).moves}
    lost = [click for click in notes.moves.keys() - stored.keys() if not _is_packed(notes.steps.get(click), packed)]
    stands = {row.id: row.revision for row in tables}
    behind = [table for table, seen in notes.seen.items() if stands.get(table, -1) < seen]
    noted = {number for row in tables for number in (row.message_id, row.nudge_id)}
    messages = [each for each in discord.world.messages.values() if each.seen_by is None]
    orphans = [each for each in messages if each.id not in noted and not pressable(each, "rematch")]
    doubled = [number for number, often in stored.items() if often > 1]
    return Balance(len(notes.moves), len(lost) + len(behind), len(doubled), len(orphans))


def cheapest(play: str) -> tuple[int, int]:
    """What a play costs: the rank of its first card, then how few they are."""
    cards = play.split(":")[4]
    return KEPT.find(cards[:1]), -len(cards)


def _is_packed(step: tuple[int, int, int] | None, packed: set[tuple[int, int]]) -> bool:
    """Whether a move that led to one of the revisions that a click led to is in a game that has ended."""
    if step is None:
        return False
    table, before, after = step
    return any((table, made) in packed for made in range(before + 1, after + 1))


async def playing(
    discord: Discord, channels: Sequence[int], notes: Notes, pause: float, patience: float = FIRST_ANSWER
) -> list[asyncio.Task[None]]:
    """People at a table in each of these channels, who have made a move each; they play until they are cancelled."""
    places = [AtTable(discord, channel, 1_000 + 2 * nth) for nth, channel in enumerate(channels)]
    opening = asyncio.Semaphore(AT_ONCE)
    tasks = [asyncio.create_task(Regulars(at, notes, pause, patience).play(opening)) for at in places]
    async with asyncio.timeout(HANG + 2 * len(channels)):
        await until(lambda: notes.have_gone_on(0.0), tasks)
    return tasks


async def until(happened: Callable[[], bool], players: Sequence[asyncio.Task[None]]) -> None:
    """Wait until something has happened, while people play; what ended one of them is raised."""
    while not happened():
        for player in players:
            if player.done():
                player.result()
        await asyncio.sleep(LOOK)
