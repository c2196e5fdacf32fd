"""What all bots of the tests share of their commands changes nothing in the commands of a bot."""

from importlib.util import find_spec, module_from_spec

import discord
import pytest
from discord.ext import commands as framework

from cogs import interactions


async def tree_with(add_topics):
    bot = framework.AutoShardedBot("!", intents=discord.Intents.none(), help_command=None)
    await add_topics(bot)
    return bot.tree


async def payloads(tree):
    return [await each.get_translated_payload(tree, tree.translator) for each in tree.get_commands()]


def leaves(tree):
    return [each for each in tree.walk_commands() if isinstance(each, discord.app_commands.Command)]


@pytest.fixture
def as_it_comes():
    """The module with nothing in it exchanged."""
    spec = find_spec("cogs.interactions")
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


async def test_shared_commands_are_registered_as_others_are(as_it_comes):
    shared, own = await tree_with(interactions.add_topics), await tree_with(as_it_comes.add_topics)
    assert interactions._registered.__module__ != as_it_comes._registered.__module__
    assert await payloads(shared) == await payloads(own)


async def test_each_bot_has_commands_of_its_own():
    one, other = [leaves(await tree_with(interactions.add_topics)) for _ in range(2)]
    assert [each.qualified_name for each in one] == [each.qualified_name for each in other]
    assert not {*map(id, one)} & {*map(id, other)}
    assert not {id(each.parent) for each in one} & {id(each.parent) for each in other}
