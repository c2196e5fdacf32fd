"""A person with a client, who sees the messages that Discord shows them and presses what is on them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from testkit.sockets.server import Discord
from testkit.sockets.world import LATER_MESSAGE, LATER_UPDATE, SELECT, Interaction, Json, Message, walk
from testkit.waiting import HANG


@dataclass
class Answered:
    """The first answer to a command or a click: the seconds it took, its type, and the message it made.

    `asked` is the interaction that was answered, `heard_at` the time of the answer, by `time.perf_counter`.
    """

    seconds: float
    kind: int
    message: Message | None
    asked: Interaction
    heard_at: float

    @property
    def is_deferred(self) -> bool:
        """Whether the bot has only deferred its answer."""
        return self.kind in {LATER_MESSAGE, LATER_UPDATE}


class Clicker:
    """Somebody on this Discord, who waits `patience` seconds for an answer."""

    def __init__(self, discord: Discord, number: int, name: str, patience: float = HANG) -> None:
        self.discord, self.number, self.name, self.patience = discord, number, name, patience

    async def command(self, channel: int, name: str, sub: str, **options: str) -> Answered:
        """Type `/name sub`."""
        said = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
        data: Json = {"id": "9", "name": name, "type": 1, "options": [{"name": sub, "type": 1, "options": said}]}
        return await self._ask(2, channel, data)

    async def press(self, message: Message, custom_id: str, *values: str) -> Answered:
        """Press a button of a message, or choose values in a select, the first one if none are named."""
        if custom_id not in message.ids() or message.seen_by not in {None, self.number}:
            raise LookupError(f"{self.name} cannot press that")
        found = next(each for each in walk(message.payload["components"]) if each.get("custom_id") == custom_id)
        data: Json = {"custom_id": custom_id, "component_type": found["type"], "id": found["id"]}
        if found["type"] == SELECT:
            data["values"] = list(values) or message.options(custom_id)[: max(found.get("min_values", 1), 1)]
        return await self._ask(3, message.channel, data, message)

    async def _ask(self, kind: int, channel: int, data: Json, message: Message | None = None) -> Answered:
        world = self.discord.world
        who = {"number": self.number, "name": self.name}
        kept, sent = world.interaction(kind, who, channel, data, message)
        begun = time.perf_counter()
        await self.discord.gateway.tell(world.guild_of(channel), "INTERACTION_CREATE", sent)
        async with asyncio.timeout(self.patience):
            body, at = await asyncio.shield(kept.answered)  # shielded, because giving up must not cancel the answer
        return Answered(at - begun, body["type"], kept.original, kept, at)
