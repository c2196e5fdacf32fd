"""A command with a button is one file and its screen, as CONTRIBUTING says it: everything else finds it by itself."""

from tests.extending.conftest import untranslated

PROBE = """
from testkit.made import labels, texts


async def test_the_command_is_there_its_button_answers_and_the_help_lists_it(room, speak):
    ann = room.people[0]
    said = texts((await ann.slash(room.channel, "shithead help")).response.components)
    assert "`/shithead coin` · Toss a coin" in said.splitlines()
    coin = (await ann.slash(room.channel, "palace coin")).response
    assert coin.ephemeral
    assert texts(coin.components) in {"### Heads", "### Tails"}
    assert labels(coin.components) == ["Toss again"]
    result = await room.press(ann, coin, "toss")
    assert result.acknowledged
    assert result.response.id == coin.id


async def test_its_words_are_in_the_language_of_its_reader(room, speak):
    bob = room.people[1]
    speak(bob, "de")
    (coin,) = [each for top in room.house.bot.tree.get_commands() for each in top.commands if each.name == "coin"][:1]
    translated = await coin.get_translated_payload(room.house.bot.tree, room.house.bot.tree.translator)
    assert translated["name_localizations"] == {"de": "münze"}
    assert translated["description_localizations"] == {"de": "Eine Münze werfen"}
    thrown = (await bob.slash(room.channel, "shithead coin")).response
    assert texts(thrown.components) in {"### Kopf", "### Tails"}
    assert labels(thrown.components) == ["Noch einmal werfen"]
"""
SPEAKING = "from tests.cogs.test_languages import speak  # noqa: F401 - a fixture\n"


def test_a_command_with_a_button_is_a_topic_and_a_screen(tree, lacking):
    added = tree.follow("A command with a button")
    assert added == ["cogs/screens/coin_screens.py", "cogs/coin_topic.py", "tests/cogs/test_coin.py"]
    tree.run("ruff", "check", "--quiet", *added)
    tree.run("ruff", "format", "--check", "--quiet", *added)
    assert "beyond" not in tree.run("tools.house"), "the bounds of the house leave room for it"
    listed = tree.run("tools.catalogues")
    assert untranslated(listed) == {code: count + 5 for code, count in lacking.items()}
    for text in ("Heads", "Tails", "Toss a coin", "Toss again", "coin  (command)"):
        assert f"    {text}\n" in listed
    german = {"Heads": "Kopf", "Toss a coin": "Eine Münze werfen", "Toss again": "Noch einmal werfen", "coin": "münze"}
    assert untranslated(tree.translate("de", german))["de"] == lacking["de"] + 1
    tree.write("tests/cogs/test_probe.py", SPEAKING + PROBE)
    paths = (f"tests/cogs/test_{each}.py" for each in ("probe", "coin", "topics", "translation"))
    assert tree.test("-rA", *paths).count("PASSED tests/cogs/test_probe.py::") == 2


def test_two_topics_that_declare_the_same_are_refused_by_name_at_the_start(tree):
    tree.follow("A command with a button")
    coin = (tree.root / "cogs/coin_topic.py").read_text(encoding="utf-8")
    tree.write("cogs/dice_topic.py", coin.replace('"coin"', '"dice"'))
    tree.write("start.py", "from cogs.topics import topics\n\ntopics()\n")
    why = tree.run("start", fails=True)
    assert "CollisionError: the button 'toss' is declared in coin_topic.py and in dice_topic.py: rename one" in why
