"""A language is one folder, as CONTRIBUTING says it: it can be chosen, and what it does not say is said in English."""

import shutil

PROBE = """
import pytest

from testkit.made import labels, texts
from testkit.shortcuts import manager


async def test_it_is_the_language_of_a_server_and_says_the_rest_in_english(room, speak):
    boss = await manager(room)
    speak(boss, "nl")
    page = (await boss.slash(room.channel, "shithead settings")).response
    (select,) = [each for each in page.components[0]["components"] if "guild:0:0:locale" in str(each)]
    assert ("Language: Nederlands", "nl") in [
        (each["label"], each["value"]) for each in select["components"][0]["options"]
    ]
    await room.choose(boss, page, "guild", "nl")
    assert (await room.tables.servers.settings(room.guild.id)).locale == "nl"
    lobby = await room.open(seats=1)
    assert labels(lobby.components)[:4] == ["Meedoen", "Start", "Play against the computer", "Rules"]
    assert "1 of 6 seats" in texts(lobby.components)


@pytest.mark.parametrize(("locale", "said"), [("nl", "De bot"), ("de", "Shithead")])
async def test_its_readers_alone_are_spoken_to_in_it(room, speak, locale, said):
    speak(room.people[0], locale)
    first = texts((await room.people[0].slash(room.channel, "shithead help")).response.components).splitlines()[0]
    assert first == f"## {said}"
"""
SPOKEN = "(probe or test_locale or [nl or said_of_the_time) and not on_a_screen"
"""What asks for the new language, or for all that there are."""
SPEAKING = "from tests.cogs.test_languages import speak  # noqa: F401 - a fixture\n"


def test_a_language_is_a_folder_and_may_be_half_translated(tree, lacking):
    shutil.rmtree(tree.root / "locales" / "nl", ignore_errors=True)  # somebody may have added it already
    assert tree.follow("A language") == ["locales/nl/language.toml"]
    listed = next(line for line in tree.run("tools.catalogues").splitlines() if line.startswith("nl "))
    every = int(listed.split()[4])
    assert listed == f"nl Nederlands: {every} of {every} texts are not translated"
    assert every > 900
    lacking.pop("nl", None)
    it_alone = every - max(lacking.values())  # the others are listed by themselves
    assert f"    … and {it_alone - 60} more\n" in tree.run("tools.catalogues")
    translated = tree.translate("nl", {"Join": "Meedoen", "Shithead": "De bot"})
    assert f"nl Nederlands: {every - 2} of {every} texts are not translated\n" in translated
    assert "    **Already done.** Nothing changed.\n" in translated
    tree.write("tests/cogs/test_probe.py", SPEAKING + PROBE)
    paths = (f"tests/cogs/test_{each}.py" for each in ("probe", "locale", "tutorial", "wording"))
    assert tree.test("-rA", *paths, "-k", SPOKEN).count("PASSED tests/cogs/test_probe.py::") == 3
