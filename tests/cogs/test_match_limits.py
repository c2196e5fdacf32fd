"""Discord accepts every screen of a match in every language, with the most players and the longest names."""

import asyncio

import pytest

from cogs.picture_messages import MATCH_PICTURE, end_with_picture, match_in_words
from cogs.responder import Prepared
from cogs.screens.components import ALT_TEXT, GALLERY, SELECT, walk
from cogs.screens.end_screens import your_end_screen
from cogs.screens.formatter import formatter
from cogs.screens.lobby_screens import more_screen
from cogs.screens.match_words import OFFERED, match_key, match_of_key
from cogs.screens.table_screens import public_screen
from data.guild_models import HouseRule
from data.models import Match, Table
from game.rules import Rules
from game.variants import variants
from tables.lobby_changes import of_variant
from tables.match import first_standings
from tables.snapshots import TableSnapshot
from testkit.made import LONG_NAMES, NAMES, START, Game, labels, made_debt, made_table, replaced, texts, within_limits
from testkit.scenes import DRAWN_LANGUAGES
from tests.cogs.test_limits import FORMATTERS

THREE = Match(target=3)
FIRST_OUT = variants()["first-out"].rules
PAIR = Match(target=2, variants=("reverse-first", "reverse-second"))


def standings(table: Table, games):
    """Standings in which everybody comes first and last in turn."""
    lines, count = first_standings(table.players), len(table.players)
    return tuple(
        line.model_copy(
            update={
                "places": tuple((n + game) % count + 1 for game in range(games)),
                "lost": tuple(game + 1 for game in range(games) if (n + game) % count + 1 == count),
            }
        )
        for n, line in enumerate(lines)
    )


def snapshot(match: Match | None, games, status="over", *, seats=3, names=NAMES, **changes):
    """A table in a match of which `games` games have counted."""
    game = Game(Rules(seats=(2, 12), deal={"packs": 4, "jokers": 8}) if seats > 6 else Rules(), seats, 3, names=names)
    table = game.table.model_copy(
        update={"match": match, "status": status, "ended_at": START, "secret": "x", **changes}
    )
    table = table.model_copy(update={"standings": standings(table, games)})
    debt = made_debt(1, 100, *range(101, 100 + seats), forfeit="W" * 60)
    return replaced(game.snapshot(), table=table, debt=debt)


@pytest.mark.parametrize("match", [None, PAIR, *OFFERED[1:], Match(target=100)], ids=match_key)
def test_the_lobby_and_the_choice_of_a_match_are_within_limits(match):
    saved = [
        HouseRule(guild_id=1, id=n, name="W" * 30, variant="classic", rules=Rules(), saved_by=1, saved_at=START)
        for n in range(1, 11)
    ]
    for changes in ({}, of_variant("first-out"), of_variant("superjoker")):
        table = made_table(seats=6, names=LONG_NAMES, **{"match": match, "forfeit": "W" * 60, **changes})
        lobby = replaced(snapshot(match, 0), table=table.model_copy(update={"status": "lobby"}))
        for fmt in FORMATTERS:
            within_limits(public_screen(fmt, lobby))
            page = more_screen(fmt, table, 100, saved)
            within_limits(page)
            selects = [each for each in walk(page) if each["type"] == SELECT and ":match:" in each["custom_id"]]
            (chosen,) = [each for each in selects[0]["options"] if each.get("default")]
            assert chosen["value"] == match_key(match)
            assert all(len(each["label"]) <= 34 for each in selects[0]["options"])


@pytest.mark.parametrize("seats", [2, 6, 12])
@pytest.mark.parametrize("names", [NAMES, LONG_NAMES], ids=["names", "long names"])
def test_running_games_ends_and_stopped_games_are_within_limits(seats, names):
    for match, games in ((THREE, 2), (THREE, 3), (Match(target=100), 100), (OFFERED[-1], 40), (PAIR, 1)):
        for status in ("playing", "over", "stopped", "aborted"):
            shown = snapshot(match, games, status, seats=seats, names=names)
            for fmt in FORMATTERS:
                within_limits(public_screen(fmt, shown))


@pytest.mark.parametrize("language", DRAWN_LANGUAGES)
@pytest.mark.parametrize("match", [THREE, Match(target=3, scoring="losses")], ids=match_key)
async def test_the_end_of_a_match_has_a_picture_and_an_alt_text_with_all_of_it(language, match):
    fmt = formatter(language)
    drawn = await end_with_picture(fmt, snapshot(match, 3))
    screen, pictures = drawn.screen, drawn.pictures
    within_limits(screen)
    (item,) = next(each for each in walk(screen) if each["type"] == GALLERY)["items"]
    assert item["description"] == match_in_words(fmt, snapshot(match, 3).table)
    assert list(pictures) == [MATCH_PICTURE]
    for name in NAMES[:3]:
        assert name in item["description"]


async def test_without_a_picture_the_text_says_all_of_it(monkeypatch):
    ended = snapshot(THREE, 3)
    monkeypatch.setattr("cogs.drawing_pool.PICTURE_PATIENCE", 0)
    monkeypatch.setattr("cogs.end_drawing.match_picture", lambda *_: asyncio.run(asyncio.sleep(0.01)))
    assert await end_with_picture(formatter(), ended) == Prepared(public_screen(formatter(), ended))


async def test_a_name_that_cannot_be_drawn_does_not_cost_the_picture():
    drawn = await end_with_picture(formatter(), snapshot(THREE, 3, names=("Ann", "نور", "Cy")))
    screen, pictures = drawn.screen, drawn.pictures
    assert list(pictures) == [MATCH_PICTURE]
    (item,) = next(each for each in walk(screen) if each["type"] == GALLERY)["items"]
    assert "نور" in item["description"]


async def test_the_alt_text_of_the_largest_match_fits():
    screen = (await end_with_picture(formatter(), snapshot(Match(target=100), 100, seats=12))).screen
    (item,) = next(each for each in walk(screen) if each["type"] == GALLERY)["items"]
    assert len(item["description"]) <= ALT_TEXT


def test_the_end_of_a_match_names_first_and_last_with_everybodys_places():
    said = texts(public_screen(formatter(), snapshot(THREE, 3))).splitlines()
    assert said[0] == "# Ann is the grand shithead"
    assert said[1] == "Grand winner: **Bob**, 3 points"
    assert said[2:6] == [
        "1st **Bob** · 3 points · finished 2nd, 3rd, 1st",
        "2nd **Cy** · 3 points · finished 3rd, 1st, 2nd",
        "3rd **Ann** · 3 points · finished 1st, 2nd, 3rd",
        "-# With equal points, fewer losses rank higher, then the better place in the latest game.",
    ]
    assert not any(
        "shithead" in line for line in texts(public_screen(formatter(polite=True), snapshot(THREE, 3))).splitlines()
    )


def test_the_places_of_a_player_are_listed_as_their_language_lists_things():
    said = texts(public_screen(formatter("ja"), snapshot(THREE, 3))).splitlines()
    assert said[2] == "1位 **Bob** · 3ポイント · 順位：2位、3位、1位"


def test_between_games_the_score_is_below_the_order():
    screen = public_screen(formatter(), snapshot(THREE, 2))
    assert "-# After game 2 of 3: **Ann**\u00a03 · **Cy**\u00a02 · **Bob**\u00a01" in texts(screen)
    assert labels(screen)[0] == "Next game"
    losses = public_screen(formatter(), snapshot(OFFERED[-1], 2))
    assert "-# Losses after game 2, up to 5 losses: **Ann**\u00a00 · **Cy**\u00a01 · **Bob**\u00a01" in texts(losses)


def test_a_match_whose_first_game_was_stopped_goes_on_without_a_score():
    said = texts(public_screen(formatter(), snapshot(THREE, 0, "stopped", seats=2)))
    assert "This game does not count, the match goes on" in said
    assert "After game" not in said


def test_players_without_a_name_are_mentioned_and_those_who_left_are_marked():
    ended = snapshot(THREE, 3)
    players = tuple(player.model_copy(update={"name": ""}) for player in ended.table.players)
    lines = (ended.table.standings[0].model_copy(update={"left": True, "name": "Ann"}), *ended.table.standings[1:])
    nameless = replaced(ended, table=ended.table.model_copy(update={"players": players[1:], "standings": lines}))
    assert "Grand winner: <@101>, 3 points" in match_words(nameless)
    assert "**Ann**, left · 3 points" in match_words(nameless)
    assert "Grand winner: player 2, 3 points" in match_in_words(formatter(), nameless.table)


def test_a_match_that_ends_before_its_first_game_counts_has_no_winner():
    stopped = snapshot(THREE, 0, "stopped", seats=2)
    gone = stopped.table.with_player(1, left=True)
    assert "winner" not in texts(public_screen(formatter(), replaced(stopped, table=gone)))


def match_words(ended: TableSnapshot):
    return texts(public_screen(formatter(), replaced(ended, view=None)))


def stood(*places, lost=(), rules=None, match=THREE):
    """A finished match, with each player's places in its games."""
    ended = snapshot(match, 0, seats=len(places))
    lines = tuple(
        line.model_copy(update={"places": each, "lost": tuple(n + 1 for n, at in enumerate(lost) if at == nth)})
        for nth, (line, each) in enumerate(zip(ended.table.standings, places, strict=True))
    )
    rules = rules or ended.table.rules
    return replaced(ended, table=ended.table.model_copy(update={"standings": lines, "rules": rules}))


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (stood((2, 2, 2), (2, 2, 2)), ["# The match is a draw"]),
        (stood((1, 1, 2), (3, 3, 3), (3, 3, 3)),
         ["# Bob and Cy are the grand shitheads", "Grand winner: **Ann**, 5 points"]),
        (stood((3, 1, 2), (3, 2, 2), (1, 3, 1), lost=(1, 2, 1)), ["# Bob is the grand shithead"]),
        (stood((2, 3, 3), (3, 2, 2), (1, 1, 1)), ["# Ann is the grand shithead", "Grand winner: **Cy**, 6 points"]),
        (stood((1, 3, 1), (3, 1, 3), (3, 3, 3), rules=FIRST_OUT), ["# Ann is the grand winner"]),
        (stood((1, 3, 3), (3, 1, 3), (3, 3, 3), rules=FIRST_OUT), ["# Ann and Bob are the grand winners"]),
        (stood((1, 3, 3), (3, 1, 3), (3, 3, 3)), ["# Cy is the grand shithead", "Grand winners: Ann and Bob"]),
        (stood((1, 2, 1), (2, 1, 2), lost=(1, 0, 1), match=THREE.model_copy(update={"scoring": "losses"})),
         ["# Bob is the grand shithead", "Grand winner: **Ann**, 1 loss"]),
    ],
)  # fmt: skip
def test_first_and_last_may_be_several_or_nobody(ended, said):
    first, second = texts(public_screen(formatter(), ended)).splitlines()[:2]
    assert [first, second.replace("**Ann** and **Bob**", "Ann and Bob")][: len(said)] == said
    for fmt in FORMATTERS:
        within_limits(public_screen(fmt, ended))


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (stood((3, 2, 1), (1, 3, 2), (2, 1, 3), lost=(0, 1, 2), match=THREE.model_copy(update={"scoring": "losses"})),
         "With equal losses, the better place in the latest game ranks higher."),
        (stood((2, 2, 2), (2, 2, 2)), ""),
        (stood((1, 1, 2), (3, 3, 3), (3, 3, 3)), ""),
    ],
)  # fmt: skip
def test_how_equal_players_were_ranked_is_said_only_where_their_ranks_differ(ended, why):
    said = texts(public_screen(formatter(), ended))
    described = match_in_words(formatter(), ended.table)
    hand = texts(your_end_screen(formatter(), replaced(Game(seats=3).hand(0), snapshot=ended)))
    if why:
        assert f"\n-# {why}\n" in said
        assert f"\n-# {why}" in hand
        assert described.endswith(f"; {why}")
    for each in (said, described, hand):
        assert ("With equal" in each) == bool(why)


@pytest.mark.parametrize(
    ("ended", "seat", "title"),
    [
        (stood((2, 3, 3), (3, 2, 2), (1, 1, 1)), 0, "You are the grand shithead"),
        (stood((2, 3, 3), (3, 2, 2), (1, 1, 1)), 1, "Ann is the grand shithead"),
        (stood((1, 1, 2), (3, 3, 3), (3, 3, 3)), 1, "Bob and Cy are the grand shitheads"),
        (stood((1, 3, 1), (3, 1, 3), (3, 3, 3), rules=FIRST_OUT), 0, "You are the grand winner"),
    ],
)
def test_a_hand_tells_its_player_alone_how_they_did_in_the_match(ended, seat, title):
    hand = replaced(Game(seats=3).hand(seat), snapshot=ended)
    assert f"\n**{title}**\n" in texts(your_end_screen(formatter(), hand)) + "\n"
    if title == "You are the grand shithead":
        assert "**You come last in the match**" in texts(your_end_screen(formatter(polite=True), hand))


def test_a_hand_calls_the_grand_winner_you_who_reads_it():
    for ended, seat, crown in [
        (stood((2, 3, 3), (3, 2, 2), (1, 1, 1)), 2, "Grand winner: you, 6 points"),
        (stood((1, 3, 3), (3, 1, 3), (3, 3, 3)), 0, "Grand winners: you and **Bob**"),
    ]:
        hand = replaced(Game(seats=3).hand(seat), snapshot=ended)
        assert crown in texts(your_end_screen(formatter(), hand)).splitlines()


def test_in_polite_words_nobody_is_a_shithead():
    several = stood((1, 1, 2), (3, 3, 3), (3, 3, 3))
    assert texts(public_screen(formatter(polite=True), several)).startswith("# Bob and Cy come last in the match\n")


def test_a_match_played_for_fewest_losses_says_so_while_it_runs():
    between = public_screen(formatter(), snapshot(Match(target=5, scoring="losses"), 2))
    assert "-# Losses after game 2 of 5: **Ann**\u00a00 · " in texts(between)
    running = public_screen(formatter(), snapshot(OFFERED[-1], 2, "playing"))
    assert "-# Game 3, up to 5 losses" in texts(running)


def test_a_match_to_so_many_points_says_so_while_it_runs():
    to_ten = Match(kind="first-to", target=10)
    between = public_screen(formatter(), snapshot(to_ten, 2))
    assert "-# After game 2, first to 10 points: **Ann**\u00a03 · **Cy**\u00a02 · **Bob**\u00a01" in texts(between)
    assert "-# Game 3, first to 10 points" in texts(public_screen(formatter(), snapshot(to_ten, 2, "playing")))


def test_the_keys_of_offered_matches_can_be_parsed():
    for match in OFFERED:
        assert match_of_key(match_key(match)) == match
    assert match_of_key("single") is None
    assert match_of_key("games-1000-order") is None
