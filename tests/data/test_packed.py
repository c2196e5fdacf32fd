"""An ended game is packed into one short text, and unpacked without loss."""

import base64
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from data.game_models import StoredMove
from data.models import Change, Table
from data.packed import _DICTIONARY, Packed, packed_text, unpack
from data.schema import games, moves
from data.store import Store
from game.rules import Rules
from game.variants import variants
from testkit.stored import stored_game, stored_rows
from tests.data.test_tables import NOW, following, playing

SAID = ("ready", "play 2c 2d", "pickup", "timeout")


def game_of(rules: Rules, made, own=lambda _: True):
    written = tuple(
        StoredMove(n, None if said == "timeout" else n % 3, said, 4 + 2 * n, NOW + timedelta(seconds=n * n), own(n))
        for n, said in enumerate(made, start=1)
    )
    return Packed(rules.model_dump(mode="json", exclude_defaults=True), "2c 3c 4c", written)


@pytest.mark.parametrize("name", variants())
def test_a_game_of_every_variant_comes_back_equal(name):
    game = game_of(variants()[name].rules, SAID, lambda n: n % 2 == 0)
    assert unpack(packed_text(game)) == game


def test_a_game_without_moves_comes_back_equal():
    game = game_of(Rules(), ())
    assert unpack(packed_text(game)) == game


def test_a_text_packed_by_the_first_version_is_still_readable():
    # Databases hold such texts. If this fails, a change of `data.packed` has made them unreadable.
    text = (
        "?Ub<*fFKM-S7Cq@0t(AW;Q<AA0)<*wxVt|&hp^z%P$Zuu@E=Ti?OA@?;MCyM;MCyMFF8d5A|#loY*ce(Uw**SWN0G3"
        "1nt)@9bmpK-D_i?D%6;SvzTCQXQ{bg{EApYIZAJ=;-G>EtQ&hvqU^n~&drl1OAGn%yZ"
    )
    found = unpack(text)  # its rules have all options that there were
    rules = Rules.model_validate(found.rules).model_dump(mode="json", exclude_defaults=True)
    assert replace(found, rules=rules) == game_of(Rules(), SAID), "of which no move is known to be the computer's"


def test_the_defaults_that_stored_rules_leave_out_never_change():
    # Databases hold rules without them: with another default, running games and saved house rules would change.
    assert Rules.model_validate_json(_DICTIONARY) == Rules()


@pytest.mark.parametrize("harm", [lambda text: text[:-10], lambda text: text[5:], lambda _: "", lambda _: "~ä"])
def test_a_damaged_text_is_a_value_error(harm):
    with pytest.raises(ValueError):  # noqa: PT011 - the sentence is for logs
        unpack(harm(packed_text(game_of(Rules(), SAID))))


A_TIME: Final = '{"rules":{},"pack":"","seats":[0],"moves":"ready","revisions":[1],"seconds":[%d]}'


@pytest.mark.parametrize("plain", [*(A_TIME % 10**power for power in (12, 18, 30)), "[" * 100_000])
def test_a_time_in_no_calendar_and_lists_that_are_nested_too_deep_are_value_errors(plain):
    packer = zlib.compressobj(wbits=-15, zdict=_DICTIONARY)
    with pytest.raises(ValueError):  # noqa: PT011 - the sentence is for logs
        unpack(base64.b85encode(packer.compress(plain.encode()) + packer.flush()).decode())


def test_a_long_game_of_the_longest_rules_takes_less_than_1500_characters():
    longest = max((each.rules for each in variants().values()), key=lambda rules: len(rules.model_dump_json()))
    said = [f"play {'23456789TJQKA'[n * n % 13]}{'cdhs'[n * 7 // 3 % 4]}" for n in range(200)]
    assert len(packed_text(game_of(longest, said, lambda n: n * n % 7 % 3 == 0))) < 1500


def test_the_repr_of_a_packed_game_shows_no_card():
    assert "2c" not in repr(game_of(Rules(), SAID)).partition(" object at ")[0], "after it comes an address"


async def rows(store: Store, table):
    return (await stored_rows(store.database))[table.name]


async def moved(store: Store, table: Table, number, **changes):
    """Store another move, `number` minutes after the deal, by click 100 + `number`."""
    after = following(table, **changes)
    at = NOW + timedelta(minutes=number)
    made = StoredMove(number, number % 2, "pickup", after.revision, at)
    await store.tables.save(Change(before=table, after=after, at=at, move=made, interaction_id=100 + number))
    return after


@pytest.mark.parametrize("status", ["over", "stopped", "aborted"])
async def test_an_ended_game_is_one_row_and_reads_the_same(store: Store, status):
    table = await playing(store)
    for number in range(1, 21):
        table = await moved(store, table, number)
    before = await stored_game(store, table, 1)
    assert len(await rows(store, moves)) == len(before.moves) == 20
    table = await moved(store, table, 21, status=status)
    after = await stored_game(store, table, 1)
    assert await rows(store, moves) == []
    assert (after.deal, after.joiners, after.secret) == (before.deal, before.joiners, before.secret)
    last = StoredMove(21, 1, "pickup", table.revision, datetime(2026, 3, 1, 12, 21, tzinfo=UTC))
    assert after.moves == (*before.moves, last)
    (row,) = await rows(store, games)
    assert (row["rules"], row["pack"]) == (None, None)
    assert unpack(row["packed"]).moves == after.moves


async def test_f11_recent_clicks_of_an_ended_game_are_still_known(store: Store):
    table = await playing(store)
    for number in range(1, 21):
        table = await moved(store, table, number)
    await moved(store, table, 21, status="over")
    # Discord accepts an answer for 15 minutes; older clicks cannot be redelivered.
    assert [n for n in range(1, 22) if await store.clicks.was_applied(table.guild_id, 100 + n)] == [*range(6, 22)]
