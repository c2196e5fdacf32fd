"""The models: their defaults, which of their columns are nullable, and that they are frozen."""

from datetime import UTC, datetime
from types import NoneType
from typing import get_args

import pytest
from pydantic import BaseModel, ValidationError

from data import game_models, guild_models, models, packed, tea_models
from data.guild_models import GuildSettings, HouseRule, Preferences
from data.models import Match, MatchLine, Person, Player, Table
from data.schema import metadata
from data.tea_models import Tally, TeaDebt
from game import rules, variants
from game.rules import Rules
from game.text import record

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MODELS = sorted(
    {
        each
        for module in (game_models, guild_models, models, packed, tea_models, record, rules, variants)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, BaseModel) and each.__module__ == module.__name__
    },
    key=lambda each: each.__name__,
)


@pytest.mark.parametrize("model", MODELS, ids=lambda each: each.__name__)
def test_models_are_frozen(model):
    made = model.model_construct()
    for name in model.model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(made, name, None)


@pytest.mark.parametrize("number", [0, -1, 2**63])
def test_nobody_acts_under_a_number_that_no_account_can_have(number):
    with pytest.raises(ValidationError):
        Person(id=number, name="Ann")


def test_defaults_of_a_table():
    table = Table(id=1, guild_id=2, channel_id=3, host_id=4, rules=Rules(), seats=2, created_at=NOW)
    told = table.model_dump(exclude={"id", "guild_id", "channel_id", "host_id", "rules", "seats", "created_at"})
    usual = {"status": "lobby", "variant": "classic", "pace": "normal", "stretch": 1, "game": 1, "hints": True}
    assert {name: value for name, value in told.items() if value} == usual
    assert {name: told[name] for name in ("revision", "forfeit", "match")} == {
        "revision": 0,
        "forfeit": "",
        "match": None,
    }


def test_defaults_of_a_player_and_a_match_line():
    player = Player(user_id=1, name="Ann", joined_by=5)
    assert (player.level, player.left, player.away, player.wants_stop) == (None, False, False, False)
    assert MatchLine(user_id=1).model_dump() == {"user_id": 1, "name": "", "left": False, "places": (), "lost": ()}


def test_defaults_of_settings_and_preferences():
    assert GuildSettings(guild_id=1).model_dump() == {
        "guild_id": 1, "locale": None, "polite": False, "variant": "classic",
        "four_colours": False, "pictures": True, "nudge_seconds": 60,
    }  # fmt: skip
    assert Preferences(guild_id=1, user_id=2).model_dump() == {
        "guild_id": 1, "user_id": 2, "quiet": False, "called": False, "digest": False, "locale": None,
        "refused_at": None, "four_colours": False, "text_mode": False, "uncounted": False,
    }  # fmt: skip


def test_house_rules_have_no_id_before_they_are_stored():
    assert HouseRule(guild_id=1, name="Ours", variant="classic", rules=Rules(), saved_by=2, saved_at=NOW).id == 0


def test_defaults_of_a_debt_and_a_tally():
    debt = TeaDebt(id=1, guild_id=2, table_id=3, debtor_id=4, creditor_ids=(5,), forfeit="", made_at=NOW)
    assert (debt.state, debt.changes, debt.deed, debt.forgiven_by) == ("owed", 1, "made", ())
    assert Tally(4) == Tally(4, owed=0, served=0, forgiven=0, received=0)


@pytest.mark.parametrize(("target", "is_valid"), [(1, False), (2, True), (100, True), (101, False)])
def test_a_match_has_2_to_100_games(target, is_valid):
    if is_valid:
        assert Match(target=target).target == target
    else:
        with pytest.raises(ValidationError):
            Match(target=target)


RECORDS = {
    "guilds": (GuildSettings, {"left_at"}),
    "preferences": (Preferences, {"digest_at"}),
    "house_rules": (HouseRule, set()),
    "tables": (Table, set()),
    "players": (Player, set()),
    "standings": (MatchLine, set()),
    "tea_debts": (TeaDebt, set()),
}
BARE = {
    "games": {"rules", "joiners", "pack", "packed", "seats", "dealer", "last_winner", "last_shithead", "dealt_at"},
    "moves": {"seat", "interaction_id"},
    "results": {"shithead", "winner"},
    "places": {"user_id", "level"},
    "tea_history": {"user_id"},
}
"""Empty in games before the deal or after packing, and where nobody, or no person, did something."""


@pytest.mark.parametrize("name", metadata.tables)
def test_a_column_is_nullable_where_its_model_allows_none(name):
    empty = {column.name for column in metadata.tables[name].columns if column.nullable}
    if name in RECORDS:
        model, more = RECORDS[name]
        optional = {each for each, field in model.model_fields.items() if NoneType in get_args(field.annotation)}
        assert empty == optional | more
    else:
        assert empty == BARE.get(name, set())
