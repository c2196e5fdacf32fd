"""A channel in a simulated Discord with people in it and the real bot, whose painter and clock are driven by hand."""

import asyncio
import shutil
import tempfile
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import discord
import pytest
import simcord
from simcord.backend import serializers
from simcord.backend.models import Overwrite

from bot.client import CardBot
from bot.compose import compose
from bot.config import Settings
from bot.shards import Shards
from cogs import picture_messages
from cogs.interactions import add_topics
from cogs.pictures.table_picture import table_picture
from cogs.screens.components import BUTTON, SELECT, walk
from cogs.screens.formatter import FaceEmojis, face_names
from cogs.screens.ids import parse_id
from data.store import Store
from testkit.offline import MEMORY, Foretold

ROOT = Path(__file__).parents[1]
NAMES = ("Ann", "Bob", "Cy", "Dee", "Ed", "Flo", "Gus")
BEFORE = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = 200
"""Width of the pictures of tables. Rooms draw thousands of them; tests/pictures checks how they look."""
DRAWN = FaceEmojis({name: str(1456074443980800000 + at) for at, name in enumerate(face_names())})


class Room:
    """A channel with people in it, the real bot, and its painter and clock driven by hand."""

    def __init__(self, url, seed=1, commands=None):
        """Use this database. At startup the bot registers `commands`; without them it builds them, which takes long."""
        self.commands = commands
        self.settings = Settings(database_url=url, thinking_seconds=0, shard_count=1, _env_file=None)
        self.chance = Foretold(seed)
        self.opened, self.hands, self.houses = [], {}, AsyncExitStack()
        self.sync = "always"
        self.painting = self.env = None

    def now(self):
        """The simulated time, or `BEFORE`, because the bot is made before that time begins."""
        return self.env.now() if self.env else BEFORE

    async def build(self):
        """Make the bot, with what the database holds."""
        made = compose(self.settings, now=self.now, randomness=self.chance, gap=0, sync=self.sync)
        self.house = await self.houses.enter_async_context(made)
        if self.commands and self.sync == "always":
            self.house.bot.commands_loaded = partial(register, commands=self.commands)
        self.tables = self.house.tables
        self.tables.listeners.append(self._changed)

    def _changed(self, changed):
        if changed.table.id not in self.opened:
            self.opened.append(changed.table.id)

    def furnish(self, env, locale="en-US", people=7):
        """Create a server with a channel and people, and start the painter."""
        self.env = env
        self.guild = env.create_guild(preferred_locale=locale)
        self.channel = self.guild.create_text_channel("table")
        users = [env.create_user(name.lower(), global_name=name) for name in NAMES[:people]]
        self.people = [self.guild.add_member(user) for user in users]
        self.painting = asyncio.create_task(self.house.painter.run())

    async def restart(self):
        """Let the bot die and come back with nothing but the database."""
        await self.rest()
        self.tables.listeners.clear()
        await self.build()
        await self.env.restart_bot(self.house.bot)
        self.painting = asyncio.create_task(self.house.painter.run())
        await self.house.clock.start()
        await self.house.painter.reconcile(apart=0)
        await self.idle()

    async def rest(self):
        """Stop the painter."""
        while self.painting and not self.painting.done():
            self.painting.cancel()
            await asyncio.wait({self.painting}, timeout=0.1)

    async def idle(self):
        """Do and draw everything that is due."""
        await self.house.clock.tick()
        await self.house.painter.idle()

    @property
    def table_id(self):
        """The table of the last game that was opened."""
        return self.opened[-1]

    async def table(self):
        return (await self.tables.snapshot(self.table_id)).table

    def public(self):
        """The last message that everybody sees."""
        messages = self.env.backend.messages[self.channel.id].values()
        return simcord.ResponseMessage(self.env, max((m for m in messages if m.visible_to(None)), key=lambda m: m.id))

    def notes(self, person, channel_id=None):
        """The private messages that a person sees, oldest first."""
        held = self.env.backend.messages[channel_id or self.channel.id].values()
        mine = [each for each in held if each.visible_to(person.id) and not each.visible_to(None)]
        return [simcord.ResponseMessage(self.env, each) for each in sorted(mine, key=lambda each: each.id)]

    def attached(self):
        """The names of the files on the last public message."""
        message = self.env.backend.messages[self.channel.id][self.public().id]
        return [each["filename"] for each in message.attachments]

    def forbid(self, **permissions):
        """Take permissions from everybody in the channel: `attach_files=True`."""
        denied = discord.Permissions(**permissions).value
        overwrite = Overwrite(target_id=self.guild.id, type=0, allow=0, deny=denied)
        self.env.backend.set_overwrite(self.channel.id, overwrite)

    async def open(self, *, seats=2, **options):
        """Open a lobby with the first people in it."""
        await self.people[0].slash(self.channel, "shithead start", **options)
        await self.idle()
        for person in self.people[1:seats]:
            await self.press(person, self.public(), "join")
        return self.public()

    async def start(self, *, seats=2, **options):
        """Open a lobby and deal a game."""
        await self.open(seats=seats, **options)
        hand = await self.press(self.people[0], self.public(), "start")
        self.hands = {self.people[0]: hand.response}
        return self.public()

    async def again(self, person):
        """Ask for another game as `person`, and accept as everybody who is asked."""
        asked = await self.press(person, self.public(), "rematch")
        self.hands = {person: asked.response}
        for player in (await self.table()).unanswered:
            friend = next(each for each in self.people if each.id == player.user_id)
            self.hands[friend] = (await self.press(friend, self.public(), "join")).response
        return asked

    async def press(self, person, message, verb, argument=None, nth=0):
        """Click the button of a verb, as a person would; what changed is drawn afterwards."""
        ids = [id_ for id_ in ids_on(message) if matches(id_, verb, argument)]
        assert ids, f"no {verb} {argument} on {ids_on(message)}"
        result = await person.click(message, custom_id=ids[nth])
        await self.idle()
        return result

    async def confirm(self, person, verb):
        """Type the command that leaves or stops, and confirm it."""
        asked = (await person.slash(self.channel, f"shithead {verb}")).response
        return await self.press(person, asked, verb)

    async def choose(self, person, message, verb, *values):
        """Choose values in a select of the verb, the one that offers the first value."""
        selects = [each for each in walk(message.components) if each["type"] == SELECT]
        found = [each for each in selects if matches(each["custom_id"], verb)]
        offering = (each for each in found if values[0] in {option["value"] for option in each["options"]})
        id_ = next(offering, found[0])["custom_id"]
        result = await person.select(message, list(values), custom_id=id_)
        await self.idle()
        return result

    async def hand(self, person):
        """The person's private hand, redrawn."""
        old = self.hands.get(person)
        if old is not None and any(matches(id_, "refresh") for id_ in ids_on(old)):
            await person.click(old, custom_id=next(id_ for id_ in ids_on(old) if matches(id_, "refresh")))
        else:
            self.hands[person] = (await self.press(person, self.public(), "hand")).response
        return self.hands[person]


def ids_on(message):
    """The ids of everything that can be pressed on a message."""
    return [
        each["custom_id"]
        for each in walk(message.components)
        if each["type"] in {BUTTON, SELECT} and "custom_id" in each and not each.get("disabled")
    ]


def matches(id_, verb, argument=None):
    ids = parse_id(id_)
    return ids.verb == verb and (argument is None or ids.argument == argument)


def journal(env):
    """Record every version of every message; returns a list that grows by a pair (message, payload) for each."""
    log, backend = [], env.backend
    make, edit = backend.commit_message, backend.edit_message

    def note(message):
        log.append((message, serializers.message_payload(backend, message)))
        return message

    backend.commit_message = lambda *args, **options: note(make(*args, **options))
    backend.edit_message = lambda *args, **options: note(edit(*args, **options))
    return log


async def together(env, *verbs):
    """Make several clicks that are all on the wire before the bot sees the first."""

    async def skip(**_):
        pass

    env._settle_internal = skip
    try:
        found = [await verb for verb in verbs]
    finally:
        del env._settle_internal
    await env.settle()
    return found


async def register(bot, commands):
    """Register these commands with Discord."""
    await bot.http.bulk_upsert_global_commands(bot.application_id, payload=commands)


@pytest.fixture(scope="session")
def commands():
    """All commands in all languages, as they are registered."""

    async def worded():
        bot = CardBot(None, Shards())
        await add_topics(bot)
        return [await each.get_translated_payload(bot.tree, bot.tree.translator) for each in bot.tree.get_commands()]

    return asyncio.run(worded())


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    """A database at the newest schema, to be copied."""
    path = tmp_path_factory.mktemp("database") / "empty.sqlite3"

    async def make():
        await (await Store.open(f"sqlite:///{path}")).close()

    asyncio.run(make())
    return path


@pytest.fixture
def small_pictures(monkeypatch):
    monkeypatch.setattr(picture_messages, "table_picture", partial(table_picture, across=SMALL))


@pytest.fixture
async def unfurnished(empty_database, commands, tmp_path, request, small_pictures):
    with tempfile.TemporaryDirectory(dir=MEMORY or tmp_path) as folder:
        path = Path(shutil.copy(empty_database, Path(folder) / "test.sqlite3"))
        room = Room(f"sqlite:///{path}", getattr(request, "param", 1), commands)
        async with room.houses:
            await room.build()
            yield room
            await room.rest()


@pytest.fixture
def simcord_bot(unfurnished):
    return unfurnished.house.bot


@pytest.fixture
async def room(unfurnished, simcord_env):
    """A furnished room."""
    unfurnished.furnish(simcord_env)
    yield unfurnished
    await unfurnished.rest()


@pytest.fixture
async def followed(room):
    """A room in which open private messages are redrawn as the game goes on."""
    following = asyncio.create_task(room.house.hands.run())
    yield room
    following.cancel()
    await asyncio.wait({following})
