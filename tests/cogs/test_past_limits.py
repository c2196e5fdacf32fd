"""Whatever is replayed, counted or chosen, in whatever language: Discord takes the screens."""

from datetime import UTC, datetime

import pytest

from bot.past import Checked, Rank, Rewound, Score
from cogs.ui.faces import Faces, Pen, face_names
from cogs.ui.language import LANGUAGES, translator
from cogs.ui.past import (
    fair_screen,
    game_words,
    joined_screen,
    replay_screen,
    transcript_screen,
    verified_screen,
)
from cogs.ui.privacy import erase_screen, export_screen, stored_screen
from cogs.ui.settings import own_screen, settings_screen
from cogs.ui.stats import board_screen, score_screen
from data.models import GuildSettings, Preferences
from data.past import GameLine
from game.fairness import Verdict
from game.rules import Rules
from game.variants import variants
from tests.cogs.made import NAMES, Game, made_table, texts, within_limits
from tests.cogs.test_limits import LONG

DRAWN = Faces(dict.fromkeys(face_names(), "1456074443980800006"))
PENS = [Pen(translator(each), DRAWN, polite) for each in LANGUAGES for polite in (False, True)]
LARGEST = 9_223_372_036_854_775_807


def rewound(game, seat):
    return Rewound(game.hand(seat), game.moves, game.moves + 5)


@pytest.mark.parametrize("name", variants())
def test_every_step_of_a_replay_fits(name):
    rules = variants()[name].rules
    game = Game(rules, rules.most_seats(), 3, names=LONG)
    for turn in range(200):
        for seat in range(rules.most_seats()):
            within_limits(replay_screen(PENS[turn % len(PENS)], rewound(game, seat), 100))
        if game.over:
            break
        game.step()


def test_twelve_seats_of_six_fit():
    rules = Rules(seats=(2, 12), deal={"packs": 4, "jokers": 8, "face_down": 6, "face_up": 6, "hand": 6})
    game = Game(rules, 12, 1, names=LONG)
    for pen in PENS:
        within_limits(replay_screen(pen, rewound(game, 11), 100))


@pytest.mark.parametrize("pen", PENS, ids=lambda pen: f"{pen.t.language}-{pen.polite}")
def test_every_page_fits(pen):
    table = made_table(seats=3, names=NAMES)
    stored = {guild: {"tables": [{}] * 9999, "moves": [{}] * 99999} for guild in range(1, 200)}
    score = Score(99999, 9999, 0.1, 0.2, 999, 999, 208, 1, 9999)
    ranks = [Rank(LARGEST - n, 99999, 9999, 0.1, 0.2) for n in range(50)]
    settings = GuildSettings(guild_id=1, nudge_seconds=77)
    screens = [
        *(verified_screen(pen, (LARGEST, 99), Checked("1.1", "a" * 64, "b" * 64, 12, 224, each)) for each in Verdict),
        transcript_screen(pen, "game.txt"),
        fair_screen(pen, table, 100),
        fair_screen(pen, table, 5),
        joined_screen(pen, table, 101),
        *(stored_screen(pen, each, 1) for each in (stored, {}, {2: {}})),
        export_screen(pen),
        erase_screen(pen),
        *(
            score_screen(pen, LARGEST, each)
            for each in (score, None, Score(0, 0, 0.0, 1.0, 0, 0), Score(1, 1, 0.2, 1.0, 0, 1))
        ),
        *(board_screen(pen, each) for each in (ranks, ranks[:3], [])),
        settings_screen(pen, settings, "Saved"),
        own_screen(pen, Preferences(guild_id=1, user_id=2, quiet=True), "Saved"),
    ]
    for screen in screens:
        within_limits(screen)
    line = GameLine(LARGEST, 9, 1, "classic", "", 12, datetime(2026, 1, 1, tzinfo=UTC), None)
    assert len(game_words(pen.t, "W" * 40, line)) <= 100


def test_polite_pages_do_not_swear():
    pen = Pen(polite=True)
    game = Game(Rules(), 2, 5)
    while not game.over:
        game.step()
    pages = [
        replay_screen(pen, rewound(game, 0), 100),
        score_screen(pen, 1, Score(5, 2, 0.1, 0.9, 2, 1)),
        board_screen(pen, [Rank(1, 5, 2, 0.1, 0.9)]),
        fair_screen(pen, made_table(), 100),
    ]
    assert "shithead" not in "".join(map(texts, pages)).lower()
