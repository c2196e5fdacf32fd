"""A house-rule option is a field, a check and its words, as CONTRIBUTING says it: players find it in the builder."""

import tomllib

from tests.test_house import MODULE_LINES

PROBE = """
from testkit.made import texts
from tests.cogs.test_saved import builder

SENTENCE = "A face-up card may only be swapped for one of a higher rank."


async def turned(room, who, page):
    # Turns the pages of the builder until the one that tells of swapping.
    for _ in range(9):
        if "Swap upwards" in texts(page.components) or SENTENCE in texts(page.components):
            break
        await room.press(who, page, "house", nth=-1)


async def test_a_host_sets_it_in_the_builder_and_everybody_reads_it(room):
    ann = room.people[0]
    page = await builder(room, ann, rules="classic")
    await turned(room, ann, page)
    assert "Swap upwards" in texts(page.components).partition("-# Off: ")[2]
    await room.choose(ann, page, "which", "deal.swap_up=True")
    assert f"**{SENTENCE}**" in texts(page.components)
    await room.idle()
    rules = (await room.press(room.people[1], room.public(), "rules")).response
    assert SENTENCE in texts(rules.components)


async def test_it_is_one_of_the_rules_written_as_a_text(room):
    page = await builder(room, room.people[0], rules="classic; deal.swap_up=true")
    await turned(room, room.people[0], page)
    assert f"**{SENTENCE}**" in texts(page.components)
"""


def test_an_option_is_a_field_a_check_and_its_words(tree):
    scenarios = "tests/scenarios/swap-up.toml"
    changed = tree.follow("A house-rule option")
    assert changed == [
        "game/rules.py",
        "game/moves/exchange.py",
        "cogs/screens/options.toml",
        "docs/rules.md",
        scenarios,
    ]
    tree.run("ruff", "check", "--quiet", "game")
    tree.run("ruff", "format", "--check", "--quiet", "game")
    tree.run("game.scenarios", scenarios)
    assert len((tree.root / "game/rules.py").read_text(encoding="utf-8").splitlines()) < MODULE_LINES - 20
    tree.follow("A command with a button")
    assert "beyond" not in tree.run("tools.house"), "the bounds of the house leave room for both"
    paths = ("docs/test_rules_page", "cogs/test_wording", "cogs/test_house", "game/test_never_hangs")
    tree.test(*(f"tests/{each}.py" for each in paths), "-k", "option")
    listed = tree.run("tools.catalogues")
    assert listed.count("    Swap upwards\n") == 1
    tree.write("tests/cogs/test_probe.py", PROBE)
    assert "2 passed" in tree.test("tests/cogs/test_probe.py")


def test_without_its_check_the_scenario_of_an_option_fails(tree):
    tree.follow("A house-rule option")
    module = tree.root / "game/moves/exchange.py"
    code = module.read_text(encoding="utf-8")
    module.write_text(code.replace("book.rules.deal.swap_up and", "False and"), encoding="utf-8")
    assert "may-not-be-swapped" in tree.run("game.scenarios", "tests/scenarios/swap-up.toml", fails=True)


def test_an_option_without_words_is_named_by_the_tests(tree):
    tree.follow("A house-rule option")
    words = tree.root / "cogs/screens/options.toml"
    text = words.read_text(encoding="utf-8")
    assert "swap_up" in tomllib.loads(text)["deal"]
    start = text.index("[deal.swap_up]")
    words.write_text(text[:start] + text[text.index("[start.by]") :], encoding="utf-8")
    assert "deal.swap_up" in tree.run("pytest", "-q", "tests/cogs/test_wording.py", fails=True)


LISTED = """
[[scenario]]
id = "a-lone-card-stays-where-something-can-be-played"
rules = {preset = "classic", play.lone_card = true}
seats = ["7h 9d 4c | - | 3c", "8h 4s 8d | - | 2c"]
pile = "5c"
expect.legal = ["play 7h", "play 9d"]

[[scenario]]
id = "a-lone-card-may-be-taken-where-nothing-can-be-played"
rules = {preset = "classic", play.lone_card = true}
seats = ["7h 9d 4c | - | 3c", "8h 4s 8d | - | 2c"]
pile = "Kc"
expect.legal = ["pickup"]
"""


def test_an_option_of_play_is_no_more_than_its_check(tree):
    tree.insert("game/rules.py", "below", "must_play: Switch = False", "    lone_card: Switch = False\n")
    lone = "book.play.lone_card and len(state.pile) == 1 and not is_stuck(state)"
    refused = f"    if {lone}:\n        return Refusal.MUST_PLAY\n"
    tree.insert("game/moves/pick_up.py", "above", "stuck = book.asks_if_stuck and is_stuck(state)", refused)
    tree.write("tests/scenarios/lone-card.toml", LISTED)
    tree.run("game.scenarios", "tests/scenarios/lone-card.toml")
