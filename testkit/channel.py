"""A channel in a simulated Discord with people in it and the real bot, whose painter and clock are driven by hand."""

# pyright: reportPrivateUsage=false
# `together` keeps SimCord from waiting for each click.

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

import discord
import pytest
from discord.ext import commands as framework
from simcord import ChannelHandle, Env, GuildHandle, InteractionResult, MemberActor, ResponseMessage
from simcord.backend import serializers
from simcord.backend.models import Message, Overwrite
from simcord.enums import OverwriteType

from bot.client import CardBot
from bot.compose import App, compose
from bot.config import Settings
from cogs import picture_messages
from cogs.interactions import add_topics
from cogs.pictures import final
from cogs.pictures.sheet import as_png
from cogs.pictures.table_picture import table_picture
from cogs.screens.components import BUTTON, SELECT, walk
from cogs.screens.formatter import FaceEmojis, face_names
from cogs.screens.ids import ButtonId, parse_id
from data.models import Table
from data.store import Store
from tables.services import Changed, Tables
from testkit.offline import MEMORY, up_to_date

if TYPE_CHECKING:
    from discord.types.message import Message as Payload  # when imported alone, it imports itself and fails

ROOT = Path(__file__).parents[1]
NAMES = ("Ann", "Bob", "Cy", "Dee", "Ed", "Flo", "Gus")
BEFORE = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = 200
"""Width of the pictures of tables. Rooms draw thousands of them; tests/pictures checks how they look."""
DRAWN = FaceEmojis({name: str(1456074443980800000 + at) for at, name in enumerate(face_names())})
Commands: TypeAlias = list[dict[str, Any]]
"""Commands as they are registered."""
P = ParamSpec("P")
T = TypeVar("T")


class Room:
    """A channel with people in it, the real bot, and its painter and clock driven by hand."""

    house: App
    tables: Tables
    env: Env
    guild: GuildHandle
    channel: ChannelHandle
    people: list[MemberActor]

    def __init__(self, url: str, seed: int = 1, commands: Commands | None = None) -> None:
        """Use this database. At startup the bot registers `commands`; without them it builds them, which takes long."""
        self.commands = commands
        self.settings = Settings.model_construct(database_url=url, thinking_seconds=0, shard_count=1)
        self.chance = Random(seed)
        self.opened, self.houses = list[int](), AsyncExitStack()
        self.hands = dict[MemberActor, ResponseMessage]()
        self.at_start = register  # what the bot does before it connects
        self.painting: asyncio.Task[None] | None = None
        self.is_furnished = False

    def now(self) -> datetime:
        """The simulated time, or `BEFORE`, because the bot is made before that time begins."""
        return self.env.now() if self.is_furnished else BEFORE

    async def build(self) -> None:
        """Make the bot, with what the database holds."""
        made = compose(self.settings, now=self.now, randomness=self.chance, gap=0)
        self.house = await self.houses.enter_async_context(made)
        bot = self.house.bot
        bot.setup_hook = partial(self.at_start, bot, self.commands)
        self.tables = self.house.tables
        self.tables.listeners.append(self._changed)

    def _changed(self, changed: Changed) -> None:
        if changed.table.id not in self.opened:
            self.opened.append(changed.table.id)

    def furnish(self, env: Env) -> None:
        """Create a server with a channel and people, and start the painter."""
        self.env, self.is_furnished = env, True
        self.guild = env.create_guild(preferred_locale="en-US")
        self.channel = self.guild.create_text_channel("table")
        users = [env.create_user(name.lower(), global_name=name) for name in NAMES]
        self.people = [self.guild.add_member(user) for user in users]
        self.painting = asyncio.create_task(self.house.painter.run())

    async def restart(self) -> None:
        """Let the bot die and come back with nothing but the database."""
        await self.rest()
        self.tables.listeners.clear()
        await self.build()
        await self.env.restart_bot(self.house.bot)
        self.painting = asyncio.create_task(self.house.painter.run())
        await self.house.clock.start()
        await self.house.painter.reconcile(apart=0)
        await self.idle()

    async def rest(self) -> None:
        """Stop the painter."""
        while self.painting and not self.painting.done():
            self.painting.cancel()
            await asyncio.wait({self.painting}, timeout=0.1)

    async def idle(self) -> None:
        """Do and draw everything that is due."""
        await self.house.clock.tick()
        await self.house.painter.idle()

    @property
    def table_id(self) -> int:
        """The table of the last game that was opened."""
        return self.opened[-1]

    async def table(self) -> Table:
        return (await self.tables.snapshot(self.table_id)).table

    def public(self) -> ResponseMessage:
        """The last message that everybody sees."""
        messages = self.env.backend.messages[self.channel.id].values()
        return ResponseMessage(self.env, max((m for m in messages if m.visible_to(None)), key=lambda m: m.id))

    def notes(self, person: MemberActor, channel_id: int | None = None) -> list[ResponseMessage]:
        """The private messages that a person sees, oldest first."""
        held = self.env.backend.messages[channel_id or self.channel.id].values()
        mine = [each for each in held if each.visible_to(person.id) and not each.visible_to(None)]
        return [ResponseMessage(self.env, each) for each in sorted(mine, key=lambda each: each.id)]

    def attached(self) -> list[str]:
        """The names of the files on the last public message."""
        message = self.env.backend.messages[self.channel.id][self.public().id]
        return [each["filename"] for each in message.attachments]

    def forbid(self, **permissions: bool) -> None:
        """Take permissions from everybody in the channel: `attach_files=True`."""
        denied = discord.Permissions(**permissions).value
        overwrite = Overwrite(target_id=self.guild.id, type=OverwriteType.ROLE, allow=0, deny=denied)
        self.env.backend.set_overwrite(self.channel.id, overwrite)

    async def open(self, *, seats: int = 2, **options: Any) -> ResponseMessage:
        """Open a lobby with the first people in it."""
        await self.people[0].slash(self.channel, "shithead start", **options)
        await self.idle()
        for person in self.people[1:seats]:
            await self.press(person, self.public(), "join")
        return self.public()

    async def start(self, *, seats: int = 2, **options: Any) -> ResponseMessage:
        """Open a lobby and deal a game."""
        await self.open(seats=seats, **options)
        self.hands = hand_of(self.people[0], await self.press(self.people[0], self.public(), "start"))
        return self.public()

    async def again(self, person: MemberActor) -> InteractionResult:
        """Ask for another game as `person`, and accept as everybody who is asked."""
        asked = await self.press(person, self.public(), "rematch")
        self.hands = hand_of(person, asked)
        for player in (await self.table()).unanswered:
            friend = next(each for each in self.people if each.id == player.user_id)
            self.hands |= hand_of(friend, await self.press(friend, self.public(), "join"))
        return asked

    async def press(
        self, person: MemberActor, message: ResponseMessage, verb: str, argument: str | None = None, nth: int = 0
    ) -> InteractionResult:
        """Click the button of a verb, as a person would; what changed is drawn afterwards."""
        ids = [id_ for id_ in ids_on(message) if matches(id_, verb, argument)]
        assert ids, f"no {verb} {argument} on {ids_on(message)}"
        result = await person.click(message, custom_id=ids[nth])
        await self.idle()
        return result

    async def confirm(self, person: MemberActor, verb: str) -> InteractionResult:
        """Type the command that leaves or stops, and confirm it."""
        asked = (await person.slash(self.channel, f"shithead {verb}")).response
        assert asked is not None, "no question"
        return await self.press(person, asked, verb)

    async def choose(self, person: MemberActor, message: ResponseMessage, verb: str, *values: str) -> InteractionResult:
        """Choose values in a select of the verb, the one that offers the first value."""
        selects = [each for each in walk(message.components) if each["type"] == SELECT]
        found = [each for each in selects if matches(each["custom_id"], verb)]
        offering = (each for each in found if values[0] in {option["value"] for option in each["options"]})
        id_ = next(offering, found[0])["custom_id"]
        result = await person.select(message, list(values), custom_id=id_)
        await self.idle()
        return result

    async def hand(self, person: MemberActor) -> ResponseMessage:
        """The person's private hand, redrawn."""
        old = self.hands.get(person)
        if old is not None and any(matches(id_, "refresh") for id_ in ids_on(old)):
            await person.click(old, custom_id=next(id_ for id_ in ids_on(old) if matches(id_, "refresh")))
        else:
            self.hands[person] = hand_of(person, await self.press(person, self.public(), "hand"))[person]
        return self.hands[person]


def hand_of(person: MemberActor, result: InteractionResult) -> dict[MemberActor, ResponseMessage]:
    """The private message with which a click was answered, if it was, by the person who sees it."""
    return {person: result.response} if result.response else {}


def ids_on(message: ResponseMessage) -> list[str]:
    """The ids of everything that can be pressed on a message."""
    return [
        each["custom_id"]
        for each in walk(message.components)
        if each["type"] in {BUTTON, SELECT} and "custom_id" in each and not each.get("disabled")
    ]


def parsed(id_: str) -> ButtonId:
    """The parts of an id of the bot's."""
    ids = parse_id(id_)
    assert ids is not None, f"no id of the bot's: {id_}"
    return ids


def matches(id_: str, verb: str, argument: str | None = None) -> bool:
    ids = parsed(id_)
    return ids.verb == verb and (argument is None or ids.argument == argument)


def journal(env: Env) -> list[tuple[Message, Payload]]:
    """Record every version of every message; returns a list that grows by a pair (message, payload) for each."""
    log: list[tuple[Message, Payload]] = []
    backend = env.backend

    def noting(do: Callable[P, Message]) -> Callable[P, Message]:
        def done(*args: P.args, **options: P.kwargs) -> Message:
            message = do(*args, **options)
            log.append((message, serializers.message_payload(backend, message)))
            return message

        return done

    backend.commit_message = noting(backend.commit_message)
    backend.edit_message = noting(backend.edit_message)
    return log


async def together(env: Env, *verbs: Awaitable[T]) -> list[T]:
    """Make several clicks that are all on the wire before the bot sees the first."""

    async def skip(**_: object) -> None:
        pass

    env._settle_internal = skip
    try:
        found = [await verb for verb in verbs]
    finally:
        del env._settle_internal
    await env.settle()
    return found


async def register(bot: CardBot, commands: Commands | None) -> None:
    """Register these commands with Discord, or all that the bot has."""
    if not commands:
        await bot.tree.sync()
        return
    assert bot.application_id is not None, "it has logged in"
    await bot.http.bulk_upsert_global_commands(bot.application_id, payload=commands)


@pytest.fixture(scope="session")
def commands() -> Commands:
    """All commands in all languages, as they are registered."""

    async def worded() -> Commands:
        bot = framework.AutoShardedBot("!", intents=discord.Intents.none(), help_command=None)
        await add_topics(bot)
        assert bot.tree.translator is not None, "it came with the topics"
        return [await each.get_translated_payload(bot.tree, bot.tree.translator) for each in bot.tree.get_commands()]

    return asyncio.run(worded())


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database at the newest schema, to be copied."""
    path = tmp_path_factory.mktemp("database") / "empty.sqlite3"

    async def make() -> None:
        await (await Store.open(f"sqlite:///{path}")).close()

    asyncio.run(make())
    return path


@pytest.fixture
def small_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of tables are small, and those of ends are packed less tightly."""
    monkeypatch.setattr(picture_messages, "table_picture", partial(table_picture, across=SMALL))
    monkeypatch.setattr(final, "as_png", partial(as_png, level=1))


@pytest.fixture
async def unfurnished(
    empty_database: Path, commands: Commands, tmp_path: Path, request: pytest.FixtureRequest, small_pictures: None
) -> AsyncGenerator[Room]:
    with tempfile.TemporaryDirectory(dir=MEMORY or tmp_path) as folder:
        path = Path(shutil.copy(empty_database, Path(folder) / "test.sqlite3"))
        room = Room(f"sqlite:///{path}", getattr(request, "param", 1), commands)
        async with room.houses:
            with up_to_date():
                await room.build()
            yield room
            await room.rest()


@pytest.fixture
def simcord_bot(unfurnished: Room) -> CardBot:
    return unfurnished.house.bot


@pytest.fixture
async def room(unfurnished: Room, simcord_env: Env) -> AsyncGenerator[Room]:
    """A furnished room."""
    unfurnished.furnish(simcord_env)
    yield unfurnished
    await unfurnished.rest()


@pytest.fixture
async def followed(room: Room) -> AsyncGenerator[Room]:
    """A room in which open private messages are redrawn as the game goes on."""
    following = asyncio.create_task(room.house.hands.run())
    yield room
    following.cancel()
    await asyncio.wait({following})
