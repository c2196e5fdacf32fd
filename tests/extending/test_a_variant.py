"""A variant is one file, as CONTRIBUTING says it: it is offered, explained, and English until it is translated."""

from tests.extending.conftest import untranslated

PROBE = """
from testkit.made import texts
from tests.cogs.test_languages import speak  # noqa: F401 - a fixture

TITLE, SENTENCE = {title!r}, {sentence!r}


async def test_a_german_finds_it_and_opens_a_table_with_it(room, speak):
    ann = room.people[0]
    speak(ann, "de")
    (found,) = await ann.autocomplete(room.channel, "shithead start", "variant", "kitchen")
    assert found == {{"name": f"{{TITLE}} · 2–6 Spieler · Üblich · {{SENTENCE}}", "value": "kitchen"}}
    await ann.slash(room.channel, "shithead start", variant="kitchen")
    await room.idle()
    rules = texts((await room.press(ann, room.public(), "rules")).response.components)
    assert TITLE in rules
    assert SENTENCE in rules
    number = await room.tables.play.in_channel(room.guild.id, room.channel.id)
    assert (await room.tables.snapshot(number)).table.rules.powers["8"].does == ("skip",)
"""
SENTENCE = "Eights skip, sevens ask for seven or lower."
GERMAN = "Achten setzen aus, auf Siebenen geht nur sieben oder tiefer."


def test_a_variant_is_one_file_and_english_until_it_is_translated(tree, lacking):
    scenarios = "tests/scenarios/kitchen.toml"
    assert tree.follow("A new variant") == ["game/variants/kitchen.toml", scenarios, "docs/rules.md"]
    assert tree.run("game.scenarios", scenarios) == "1 passed, 0 failed\n"
    tree.run("tools.variants_page")
    tree.write("tests/cogs/test_probe.py", PROBE.format(title="Kitchen", sentence=SENTENCE))
    paths = ("docs/test_variants_page", "cogs/test_variants", "cogs/test_locale", "cogs/test_probe")
    wanted = "kitchen or committed or test_probe or (test_locale and not on_a_screen)"
    tree.test(*(f"tests/{each}.py" for each in paths), "-k", wanted)
    listed = tree.run("tools.catalogues")
    assert untranslated(listed) == {code: count + 2 for code, count in lacking.items()}
    assert f"    {SENTENCE}\n" in listed
    assert "    Kitchen  (variant)\n" in listed
    tree.translate("de", {"Kitchen": "Küche", SENTENCE: GERMAN})
    tree.write("tests/cogs/test_probe.py", PROBE.format(title="Küche", sentence=GERMAN))
    assert "1 passed" in tree.test("tests/cogs/test_probe.py")
