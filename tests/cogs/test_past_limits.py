"""Discord accepts every screen of replays, statistics, settings and privacy, in every language."""

from datetime import UTC, datetime

import pytest

from cogs.screens.components import ACTION_ROW, SELECT, walk
from cogs.screens.formatter import FaceEmojis, face_names, formatter
from cogs.screens.joining_screens import joined_screen
from cogs.screens.language import LANGUAGES
from cogs.screens.replay_screens import (
    end_words,
    fair_screen,
    game_words,
    replay_screen,
    transcript_screen,
    verified_screen,
)
from cogs.screens.settings_screens import (
    STORED_FILE,
    export_screen,
    forget_screen,
    own_screen,
    ranks_screen,
    score_screen,
    settings_screen,
    stored_screen,
)
from data.game_models import GameLine, Losses
from data.guild_models import GuildSettings, Preferences
from game.cards import make_pack
from game.events import Ended, PickedUp
from game.fairness import Shuffle, Verdict
from game.rules import Rules
from game.variants import variants
from tables.snapshots import ReplayStep, Score, Verification, Watched
from testkit.made import LONG_NAMES, NAMES, Game, made_table, replaced, texts, within_limits
from tests.cogs.test_limits import some_seats

DRAWN = FaceEmojis(dict.fromkeys(face_names(), "1456074443980800006"))
FORMATTERS = [formatter(each, DRAWN, polite=polite) for each in LANGUAGES for polite in (False, True)]
VARIANTS = [name if name == "classic" else pytest.param(name, marks=pytest.mark.long) for name in variants()]
"""A whole game of one of them in `make test`, of each in `make long`."""
LARGEST = 9_223_372_036_854_775_807


def replay_step(game: Game, seat):
    hand, last = game.hand(seat), (PickedUp(0, 3), Ended(0, None))
    return ReplayStep(hand, game.moves, game.moves + 5, Watched(hand.snapshot.table, [(hand.view, last)]))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_steps_of_a_replay_fit(name):
    rules = variants()[name].rules
    game = Game(rules, rules.most_seats(), 3, names=LONG_NAMES)
    for turn in range(200):
        if turn % 2 or game.over:
            for seat in some_seats(game, turn):
                within_limits(replay_screen(FORMATTERS[turn % len(FORMATTERS)], replay_step(game, seat), 100))
        if game.over:
            break
        game.step()


def test_the_replay_of_a_stopped_game_can_jump_to_its_start_and_end():
    game = Game(Rules(), 2, 5)
    shown = replay_step(game, 0)
    shown = replaced(shown, game=Watched(shown.hand.snapshot.table, [(shown.hand.view, ())]))
    moments = next(each for each in walk(replay_screen(formatter(), shown, 100)) if each.get("type") == SELECT)
    assert [each["label"] for each in moments["options"]] == ["0 · Before play", "5 · Stopped"]


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ({"shithead": 1, "winner": 0}, "**Bob** is the shithead"),
        ({"shithead": None, "winner": 0}, "**Ann** wins"),
        ({"shithead": None, "winner": None}, "A draw"),
    ],
)
def test_the_last_step_of_a_replay_and_its_film_say_how_the_game_ended(ended, said):
    shown = replay_step(Game(Rules(), 2, 5), 0)
    table = replaced(shown.hand.view.table, phase="over", **ended)
    hand = replaced(shown.hand, view=replaced(shown.hand.view, table=table))
    assert said in texts(replay_screen(formatter(), replaced(shown, hand=hand), 100))
    watched = Watched(shown.hand.snapshot.table, ((table, ()),))
    assert end_words(formatter(), watched) == said.replace("**", "")


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_steps_of_a_replay_are_in_one_row_on_a_phone(code):
    screen = replay_screen(formatter(code), replay_step(Game(Rules(), 2, 5), 0), 100)
    first = next(each for each in walk(screen) if each["type"] == ACTION_ROW)
    assert len(first["components"]) == 4


def test_twelve_seats_of_six_fit():
    rules = Rules(seats=(2, 12), deal={"packs": 4, "jokers": 8, "face_down": 6, "face_up": 6, "hand": 6})
    game = Game(rules, 12, 1, names=LONG_NAMES)
    for fmt in FORMATTERS:
        within_limits(replay_screen(fmt, replay_step(game, 11), 100))


@pytest.mark.parametrize("fmt", FORMATTERS, ids=lambda fmt: f"{fmt.language}-{fmt.polite}")
def test_every_page_fits(fmt):
    table, full = made_table(seats=3, names=NAMES), made_table(seats=12, names=LONG_NAMES)
    rows = {"tables": [{}] * 9999, "moves": [{}] * 99999}
    stored = dict.fromkeys(range(1, 200), rows)
    shuffle = Shuffle("1.1", (LARGEST,) * 12, "a" * 64, bytes(32), 4, 16, make_pack(4, 16))
    score = Score(99999, 9999, 0.1, 0.2, 999, 999, 208, 1, 9999)
    ranks = [Losses(LARGEST - n, 99999, 9999) for n in range(50)]
    settings = GuildSettings(guild_id=1, nudge_seconds=77)
    screens = [
        *(verified_screen(fmt, Verification(full, shuffle, each)) for each in Verdict),
        transcript_screen(fmt, "game.txt"),
        fair_screen(fmt, table, 100),
        fair_screen(fmt, table, 100, noting=True),
        fair_screen(fmt, table, 5, noting=True),
        joined_screen(fmt, table),
        *(stored_screen(fmt, each, 1) for each in (stored, {}, {2: {}})),
        export_screen(fmt, STORED_FILE),
        forget_screen(fmt),
        *(
            score_screen(fmt, LARGEST, each)
            for each in (score, None, Score(0, 0, 0.0, 1.0, 0, 0), Score(1, 1, 0.2, 1.0, 0, 1))
        ),
        *(ranks_screen(fmt, each) for each in (ranks, ranks[:3], [])),
        settings_screen(fmt, settings, "Saved"),
        own_screen(fmt, Preferences(guild_id=1, user_id=2, quiet=True), "Saved"),
    ]
    for screen in screens:
        within_limits(screen)
    line = GameLine(LARGEST, 9, "classic", "W" * 40, 12, datetime(2026, 1, 1, tzinfo=UTC), None)
    assert len(game_words(fmt, line)) <= 100


def test_the_time_of_a_game_in_the_list_says_its_zone():
    line = GameLine(LARGEST, 9, "classic", "", 3, datetime(2026, 1, 1, 20, 5, 37, tzinfo=UTC), 61)
    assert game_words(formatter(), line) == "Classic · 2026-01-01 20:05:37 UTC · 3 players · 61 moves"


def test_polite_pages_do_not_swear():
    fmt = formatter(polite=True)
    game = Game(Rules(), 2, 5)
    while not game.over:
        game.step()
    pages = [
        replay_screen(fmt, replay_step(game, 0), 100),
        score_screen(fmt, 1, Score(5, 2, 0.1, 0.9, 2, 1)),
        ranks_screen(fmt, [Losses(1, 5, 2)]),
        fair_screen(fmt, made_table(), 100),
    ]
    assert "shithead" not in "".join(map(texts, pages)).lower()


def test_the_leaderboard_counts_games_in_plain_numbers_and_says_how_it_is_sorted():
    said = texts(ranks_screen(formatter(), [Losses(1, 12, 3), Losses(2, 1, 0)])).splitlines()
    assert said[-2:] == ["1\\. <@1> · lost 3 of 12 games (25%)", "2\\. <@2> · lost 0 of 1 game (0%)"]
    assert "so one lucky game does not put you on top" in said[1]
