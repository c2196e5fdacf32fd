"""A simulated Discord with two servers, the real bot in it, and somebody who forges interactions.

They arrive over the gateway as Discord's own would: any id on any message, by anybody, from any channel.
"""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import discord
import simcord
from simcord import ChannelHandle, GuildHandle, MemberActor
from simcord.backend import serializers
from simcord.backend.models import Interaction
from simcord.interactions import base_payload

from bot.compose import App, compose
from bot.config import Settings
from cogs.screens.ids import format_button
from cogs.topics import handlers
from data.models import Table
from game.cards import format_card
from game.players import quick_player
from game.rules import is_list, is_table
from tables.services import Changed
from tables.snapshots import Declined
from testkit.channel import register
from testkit.debts import VERBS as TEA
from testkit.debts import Debts, id_at_a_debt, lend
from testkit.offline import request_at
from testkit.rights import Asked

CLICK, FORM, COMMAND, TYPING = 3, 5, 2, 4
CHANNELS: Final = 3
PEOPLE: Final = 5
LEGAL: Final = 0.2
ODD: Final = (
    "", "0", "-1", "~", "a" * 100, "x" * 5_000, "\u202egnp", "\x00", "🂡" * 40, "7c7d", "Xr=K", "7c.high", "1.low",
    "@everyone <@1> **b** `c` ||d||", "'; DROP TABLE tables; --", "../../etc/passwd", "{0.__class__}", "%s%n", "é" * 90,
    "9" * 400, "deal.method", "play.must_play", "1e9", "None", "true", "\n\r\t", "٣", "²", "classic", "normal*2",
    "games-3-order", "first-to-2-losses", "single", "reverse-second",
)  # fmt: skip


@dataclass(slots=True)
class Forged:
    """An interaction on the wire."""

    record: Interaction
    payload: dict[str, Any]
    asked: Asked
    texts: list[str] = field(default_factory=list)


class Stage:
    """Two servers with three channels each; some people are in both."""

    def __init__(self, env: simcord.Env, house: App, seed: int) -> None:
        """Build the servers."""
        self.env, self.house, self.rng = env, house, random.Random(seed)
        users = [env.create_user(f"p{number}") for number in range(PEOPLE)]
        self.guilds = [env.create_guild(), env.create_guild()]
        self.members: dict[int, list[MemberActor]] = {}
        self.channels: dict[int, list[ChannelHandle]] = {}
        for at, guild in enumerate(self.guilds):
            boss = guild.create_role("boss", permissions=discord.Permissions(manage_messages=True))
            own = [*users[: PEOPLE - 1], env.create_user(f"q{at}")]
            self.members[guild.id] = [guild.add_member(user, roles=[boss] if user is own[-1] else []) for user in own]
            self.channels[guild.id] = [guild.create_text_channel(f"c{number}") for number in range(CHANNELS)]
        self.last: Forged | None = None
        self.at: dict[tuple[int, int], int] = {}
        house.tables.listeners.append(self._changed)

    def _changed(self, changed: Changed) -> None:
        """Remember the table in use in each channel, else the last one there."""
        table = changed.table
        if table.is_open:
            self.at[table.guild_id, table.channel_id] = table.id

    async def tables(self) -> list[Table]:
        """The last table of each channel; a new one if there is none, and half of the time if none is in use."""
        places = [(guild, channel) for guild in self.guilds for channel in self.channels[guild.id]]
        return [await self._table(*place) for place in places]

    async def _table(self, guild: GuildHandle, channel: ChannelHandle) -> Table:
        tables = self.house.tables
        table_id = self.at.get((guild.id, channel.id))
        snapshot = await tables.snapshot(table_id) if table_id else None
        if snapshot is None or (not snapshot.table.is_open and self.rng.random() < 0.5):
            for host in self.rng.sample(self.members[guild.id], PEOPLE):  # one may have too many tables
                await host.slash(channel, "shithead start")
                if self.at.get((guild.id, channel.id), table_id) != table_id:
                    break
            await self.settled()
        return (await tables.snapshot(self.at[guild.id, channel.id])).table

    async def lend(self) -> None:
        """Create debts among the people, before anything is forged."""
        for guild, members in self.members.items():
            await lend(self.house.store, guild, [member.id for member in members], self.rng)

    async def debts(self) -> Debts:
        """All debts of both servers."""
        found = [await self.house.tables.tea.all(guild) for guild in self.members]
        return {(debt.guild_id, debt.id): debt for debts in found for debt in debts}

    async def settled(self) -> None:
        """Let the computers move, and wait until everything is drawn."""
        await self.house.clock.tick()
        await self.house.painter.idle()

    async def go_on(self, table: Table) -> None:
        """Make an honest move for somebody, or deal the game, so that there is something to disturb."""
        tables, rng = self.house.tables, self.rng
        number = self.env.backend.snowflake()
        try:
            if table.status == "lobby" and len(table.players) > 1:
                await tables.play.start(request_at(table, table.host_id, id=number))
            for player in table.players if table.status == "playing" else ():
                if player.user_id is None or player.left:
                    continue
                hand = await tables.play.hand(request_at(table, player.user_id, id=number))
                if hand.view.moves or hand.view.may_choose:
                    move, seen = quick_player.choose(hand.view, rng), hand.snapshot.table.revision
                    await tables.play.act(request_at(table, player.user_id, id=number, seen=seen), move)
                    break
        except Declined:
            pass
        await self.settled()

    async def forge(self, tables: list[Table]) -> Forged:
        """Forge a click, a form, a command or an autocompletion, by a random person in a random channel."""
        rng = self.rng
        guild = rng.choice(self.guilds)
        member = rng.choice(self.members[guild.id])
        channel = rng.choice(self.channels[guild.id])
        at_table = rng.random() < 0.5
        table = rng.choice(tables)
        if at_table:
            guild = next(each for each in self.guilds if each.id == table.guild_id)
            channel = next(each for each in self.channels[guild.id] if each.id == table.channel_id)
            sitting = [each for each in self.members[guild.id] if table.seat_of(each.id) is not None]
            member = rng.choice(sitting or self.members[guild.id])
        kind = rng.choices((CLICK, FORM, COMMAND, TYPING), (20, 4, 2, 1))[0]
        if kind in {COMMAND, TYPING}:
            return self._command(kind, guild, channel, member)
        ids = await self._legal(table) if rng.random() < LEGAL else self._id(table)
        return self._click(kind, guild, channel, member, ids)

    async def _legal(self, table: Table) -> str:
        """The id of a button that somebody at the table, not necessarily the sender, could press now."""
        tables, rng = self.house.tables, self.rng
        people = [player.user_id for player in table.players if player.user_id is not None and not player.left]
        if table.status != "playing" or not people:
            return self._id(table)
        view = (await tables.play.hand(request_at(table, rng.choice(people), id=0))).view
        if not view.moves:
            return self._id(table)
        verb, argument = format_button(rng.choice(view.moves))
        return f"sh:{verb}:{table.id}:{table.revision}" + (f":{argument}" if argument else "")

    def _click(self, kind: int, guild: GuildHandle, channel: ChannelHandle, member: MemberActor, ids: str) -> Forged:
        rng = self.rng
        messages = [m for m in self.env.backend.messages[channel.id].values() if m.visible_to(member.id)]
        message = rng.choice(messages) if messages else None
        if message is not None and rng.random() < 0.3:
            ids = rng.choice(list(_ids(message.components)) or [ids])
        values = [self._odd() for _ in range(rng.choice((0, 1, 1, 1, 2, 25)))]
        data: dict[str, Any] = {"custom_id": ids}
        if kind == CLICK:
            data |= {"component_type": 3, "values": values} if rng.random() < 0.4 else {"component_type": 2}
        else:
            name = rng.choice(("rules", "text", "x" * 100))
            part = {"type": 4, "custom_id": name, "value": self._odd()}
            data["components"] = [rng.choice(({"type": 1, "components": [part]}, {"type": 18, "component": part}))]
        forged = self._sent(kind, guild, channel, member, data)
        if message is not None:
            forged.payload["message"] = dict(serializers.message_payload(self.env.backend, message))
            forged.record.source_message_id = message.id
        forged.texts = [ids, *values]
        return forged

    def _id(self, table: Table) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice((self._odd()[:100], "sh:", "sh:play:1", f"sh:play:{10**25}:1:7c", "sh:PLAY:1:1"))
        number = rng.choices((table.id, 0, 1, rng.randrange(1 << 63), 10**18), (20, 1, 1, 1, 1))[0]
        now = table.revision
        revision = rng.choices((now, max(0, now - rng.randrange(9)), now + 1, 0, 10**18), (10, 4, 1, 1, 1))[0]
        verb = rng.choice(list(handlers())) if rng.random() < 0.95 else "dance"
        if verb in TEA and rng.random() < 0.8:
            return id_at_a_debt(verb, rng)
        argument = self._odd()[:80] if rng.random() < 0.7 else ""
        return f"sh:{verb}:{number}:{revision}" + (f":{argument}" if argument else "")

    def _odd(self) -> str:
        rng = self.rng
        if rng.random() < 0.5:
            return "".join(format_card(rng.randrange(52)) for _ in range(rng.choice((1, 1, 1, 2, 3))))
        everybody = [member.id for members in self.members.values() for member in members]
        return rng.choice((*ODD, str(rng.choice(everybody)), str(rng.randrange(1, 13))))

    def _command(self, kind: int, guild: GuildHandle, channel: ChannelHandle, member: MemberActor) -> Forged:
        rng = self.rng
        name = rng.choice(("start", "table", "leave", "stop", "hand", "rules", "help")) if kind == COMMAND else "start"
        options = []
        if name == "start":
            options = [{"name": "variant", "type": 3, "value": self._odd()}]
            options[0] |= {"focused": True} if kind == TYPING else {}
            if kind == COMMAND:
                options.append({"name": "forfeit", "type": 3, "value": (self._odd() or "x")[:60]})
        root = rng.choice(("shithead", "palace"))
        if kind == COMMAND and rng.random() < 0.2:
            root, options = "tea", []
            name = rng.choice(("owed", "served", "forgive", "history", "correct", "export"))
        leaf = {"name": name, "type": 1, "options": options}
        data = {"id": "1", "name": root, "type": 1, "options": [leaf]}
        forged = self._sent(kind, guild, channel, member, data)
        forged.texts = [str(each["value"]) for each in options]
        return forged

    def _sent(
        self, kind: int, guild: GuildHandle, channel: ChannelHandle, member: MemberActor, data: dict[str, Any]
    ) -> Forged:
        backend = self.env.backend
        record, payload = base_payload(
            backend, type=kind, channel_id=channel.id, guild_id=guild.id, user_id=member.id, data=data
        )
        rights = discord.Permissions(int(payload["member"]["permissions"]))
        moderator = rights.manage_messages or rights.manage_guild or rights.administrator
        verb, table, revision = _read(data)
        asked = Asked(member.id, guild.id, channel.id, moderator, verb, table, revision)
        return Forged(record, payload, asked)

    async def send(self, forged: Forged) -> None:
        """Send an interaction and wait until the bot is done with it."""
        self.env.backend.emit("INTERACTION_CREATE", forged.payload)
        await self.env.settle(idle=0.001)
        self.last = forged


def _ids(part: object) -> Iterator[str]:
    """All ids anywhere in components."""
    for each in part if is_list(part) else part.values() if is_table(part) else ():
        yield from _ids(each)
    if is_table(part) and "custom_id" in part:
        yield part["custom_id"]


def _read(data: dict[str, Any]) -> tuple[str, int, int]:
    """Verb, table and revision of an id, parsed without the bot's code."""
    if "options" in data:
        return str(data["options"][0]["name"]), 0, 0
    parts = str(data["custom_id"]).partition("~")[0].split(":")
    if len(parts) < 4 or not (parts[2].isdecimal() and parts[3].isdecimal()):
        return "", 0, 0
    return parts[1], int(parts[2]), int(parts[3])


@asynccontextmanager
async def staged(url: str, seed: int) -> AsyncGenerator[Stage]:
    """The bot at work in two servers."""
    settings = Settings.model_construct(database_url=url, thinking_seconds=0, shard_count=1)
    async with compose(settings, now=discord.utils.utcnow, gap=0) as house:
        house.bot.setup_hook = partial(register, house.bot, None)
        async with simcord.run(house.bot) as env:
            stage = Stage(env, house, seed)
            await stage.lend()
            yield stage
