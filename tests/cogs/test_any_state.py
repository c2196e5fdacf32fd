"""Discord accepts every screen, whatever the rules, the state, the language and the reader's settings."""

import random
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.screens.formatter import FaceEmojis, Formatter, face_names, formatter
from cogs.screens.hand_screens import adding_screen, hand_screen
from cogs.screens.house_rule_screens import house_screen
from cogs.screens.language import LANGUAGES
from cogs.screens.lobby_screens import lobby_screen, more_screen, running_screen
from cogs.screens.rule_edits import PAGES
from cogs.screens.rules_screens import rules_screen
from cogs.screens.table_screens import public_screen
from game.events import redact
from game.moves import PickUp, advance, events
from game.rules import Rules
from game.showing import seat_view, table_view, unseen
from game.state import State
from tables.snapshots import RECENT, HandSnapshot, TableSnapshot
from testkit.made import LONG_NAMES, START, made_table, within_limits
from testkit.random_games import random_deal, random_move, random_position, random_seats
from testkit.rule_sets import RULES, VARIANTS

DRAWN = FaceEmojis(dict.fromkeys(face_names(), "1456074443980800006"))
FORMATTERS = st.builds(
    formatter,
    st.sampled_from(list(LANGUAGES)),
    st.sampled_from([DRAWN, FaceEmojis()]),
    polite=st.booleans(),
    text=st.booleans(),
)
SEEDS = st.integers(0, 2**32 - 1)
STEPS = 6


def screens(fmt: Formatter, snapshot: TableSnapshot, state: State):
    """All screens of a table in play."""
    yield public_screen(fmt, snapshot)
    yield running_screen(fmt, snapshot.table, 100, moderator=True)
    for seat in range(len(state.seats)):
        hand = HandSnapshot(snapshot, seat_view(state, seat))
        yield hand_screen(fmt, hand, "A notice")
        if any(isinstance(move, PickUp) and move.cards for move in hand.view.moves):
            yield adding_screen(fmt, hand)


def shown_of(rules: Rules, state: State, recent, moves):
    over = state.frame.phase == "over"
    ended = {"ended_at": START + timedelta(hours=1), "secret": "ab" * 32} if over else {}
    status = "over" if over else "playing"
    table = made_table(rules, len(state.seats), LONG_NAMES, status=status, started_at=START, **ended)
    return TableSnapshot(table, table_view(state), recent, moves)


@given(SEEDS, RULES | VARIANTS, FORMATTERS, st.booleans())
@settings(max_examples=60)
def test_every_screen_of_any_game_is_within_discords_limits(seed, rules, fmt, dealt):
    rng = random.Random(seed)
    seats = random_seats(rng, rules)
    state, recent = (random_deal if dealt else random_position)(rng, rules, seats), ()
    for moves in range(STEPS):
        for screen in screens(fmt, shown_of(rules, state, recent, moves), state):
            within_limits(screen)
        if state.frame.phase == "over":
            return
        who, move = random_move(rng, state)
        before, state = state, advance(state, who, move)
        told = (redact(each, None, unseen=unseen(state)) for each in events(before, who, move, state))
        recent = (*recent, *told)[-RECENT:]


@given(RULES | VARIANTS, FORMATTERS)
@settings(max_examples=40)
def test_every_page_about_any_rules_is_within_discords_limits(rules, fmt):
    seats = rules.seats[0]
    table = made_table(rules, seats, LONG_NAMES, forfeit="W" * 60)
    within_limits(rules_screen(fmt, "classic", rules, seats))
    within_limits(lobby_screen(fmt, table))
    asked = tuple(player.but(left=seat > 0) for seat, player in enumerate(table.players))
    within_limits(lobby_screen(fmt, table.but(game=2, turn_since=table.created_at, players=asked)))
    within_limits(more_screen(fmt, table, 100, ()))
    for page in PAGES:
        within_limits(house_screen(fmt, table, page, PAGES[page][0], manager=True))
