"""Two people at a table of the bot, who know no more of it than their clients show them: messages and what is on them.

All that is known of the bot here is the form of its ids, `sh:verb:table:revision[:argument]`, and the verbs below.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from bench.table_copies import moved_message
from testkit.sockets.clicker import Answered, Clicker
from testkit.sockets.server import Discord
from testkit.sockets.world import Message
from testkit.waiting import HANG

MOVES: Final = ("play", "pickup", "flip", "follow", "clear", "chance")
"""Buttons of a turn, in the order in which they are looked for."""
PREPARING: Final = ("ready", "call", "best", "adding", "select")
"""What else may stand in the way of a turn."""
MOST_STEPS: Final = 40
FEW: Final = 10
REST: Final = 0.4
"""So many clicks at once, later one in so many seconds: the bot allows 15 and three a second."""
NAMES: Final = ("Ann", "Bob")


def pressable(message: Message, *verbs: str) -> str | None:
    """The id of the first button with one of these verbs."""
    ids = message.ids()
    return next((each for verb in verbs for each in ids if each.startswith(f"sh:{verb}:")), None)


def newest(discord: Discord, *verbs: str, channel: int | None = None) -> Message | None:
    """The newest public message with one of these verbs, of one channel or of all."""
    there = reversed(list(discord.world.messages.values()))
    public = (each for each in there if each.seen_by is None and channel in {None, each.channel})
    return next((each for each in public if pressable(each, *verbs)), None)


def revision(message: Message) -> int:
    """The revision of the table that a message shows."""
    return max((int(each.split(":")[3]) for each in message.ids() if each.startswith("sh:")), default=-1)


class Turn(NamedTuple):
    """A person who is on turn, the private message with the move on it, and the move."""

    person: Clicker
    hand: Message
    move: str

    async def made(self) -> Answered:
        """Press it."""
        return await self.person.press(self.hand, self.move)


class Fingers:
    """How fast a person clicks: never so fast that the bot would ask them to slow down."""

    def __init__(self) -> None:
        self._clicks: deque[float] = deque(maxlen=FEW)

    async def rest(self) -> None:
        """Wait until they may click again, and count the click."""
        if len(self._clicks) == FEW:
            await asyncio.sleep(max(0.0, self._clicks[0] + FEW * REST - time.perf_counter()))
        self._clicks.append(time.perf_counter())


class AtTable:
    """A channel with a table and the people at it."""

    def __init__(self, discord: Discord, channel: int, first: int, computers: int = 0) -> None:
        """`first` is the number of the first person, who is alone with computers if there are some. Nothing is open."""
        self.discord, self.channel = discord, channel
        self.public: Message | None = None
        self._computers = computers
        self._fingers = [Fingers() for _ in NAMES]
        names = NAMES[:1] if computers else NAMES
        self.people = [Clicker(discord, first + nth, name) for nth, name in enumerate(names)]

    async def open(self) -> None:
        """From the command to the deal."""
        await self.people[0].command(self.channel, "shithead", "start", pace="slow")
        message = await self._shows("join")
        for person in self.people[1:]:
            await person.press(message, str(pressable(message, "join")))
        if self._computers:
            panel = (await self.people[0].press(message, str(pressable(message, "more")))).message
            assert panel is not None, "it has the page behind the button"
            for _ in range(self._computers):
                await self.people[0].press(panel, str(pressable(panel, "computer")))
        message = await self._shows("start")
        await self.people[0].press(message, str(pressable(message, "start")))
        await self._shows("hand")

    def copied(self, discord: Discord, step: int) -> AtTable:
        """The same people at the copy of this table on another Discord, all ids `step` further on."""
        found = AtTable(discord, self.channel + step, self.people[0].number)
        found._fingers = self._fingers
        if self.public is not None:
            found.public = Message(moved_message(self.public.payload, step), found.channel, discord.world.now())
            discord.world.messages[found.public.id] = found.public
        return found

    async def _shows(self, verb: str) -> Message:
        """The public message as soon as a verb is on it; it may be posted anew."""

        def shown() -> Message | None:
            for message in filter(None, (self.public, self.discord.world.public(self.channel))):
                if pressable(message, verb):
                    return message
            return None

        async with asyncio.timeout(HANG):
            self.public = await self.discord.until(shown)
        return self.public

    async def turn(self) -> Turn:
        """Look at the hands until somebody can make a move; a game that is over is followed by the next."""
        for _ in range(MOST_STEPS):
            message = self.public
            if message is None or message.id not in self.discord.world.messages or not pressable(message, "hand"):
                message = await self._goes_on()
            for person, fingers in zip(self.people, self._fingers, strict=False):
                await fingers.rest()
                hand = (await person.press(message, str(pressable(message, "hand")))).message
                if hand is not None and not pressable(hand, *MOVES) and (step := pressable(hand, *PREPARING)):
                    await fingers.rest()
                    hand = (await person.press(hand, step)).message  # which may offer the move
                if hand is not None and (move := pressable(hand, *MOVES)):
                    await fingers.rest()
                    return Turn(person, hand, move)
        raise LookupError(f"nobody can move in channel {self.channel}")

    async def _goes_on(self) -> Message:
        """The public message of a game that runs, for which the next may have to be dealt."""
        verbs = ("rematch", *("join" for _ in self.people[1:]))
        for person, fingers, verb in zip(self.people, self._fingers, verbs, strict=False):
            message = await self._shows(verb)
            await fingers.rest()
            await person.press(message, str(pressable(message, verb)))
        return await self._shows("hand")


async def opened(discord: Discord, channels: Sequence[int], first: int = 1_000) -> list[AtTable]:
    """A table in each of these channels, all dealt, with two people each whom no other table has."""
    tables = [AtTable(discord, channel, first + 2 * nth) for nth, channel in enumerate(channels)]
    await all_at_once([table.open() for table in tables], 50)
    await all_at_once([table.turn() for table in tables], 10)
    return tables


async def all_at_once(doing: Sequence[Any], people: int) -> list[Any]:
    """What came of these, `people` of them at a time."""
    free = asyncio.Semaphore(people)

    async def one(each: Any) -> Any:
        async with free:
            return await each

    return await asyncio.gather(*map(one, doing))


def shuffled(some: Sequence[Any], rng: random.Random) -> list[Any]:
    """The same in another order."""
    return rng.sample(list(some), len(some))
