"""`python -m data`: bring the database of `DATABASE_URL` to the newest schema and say so."""

from __future__ import annotations

import asyncio
import os
import sys

from data.errors import SchemaError, UnavailableError
from data.migrate import NEWEST
from data.store import Store

DEFAULT_URL = "sqlite:///shithead.sqlite3"


async def _migrate(url: str) -> None:
    store = await Store.open(url)
    await store.close()


def main() -> int:
    """Migrate; 0 when done, 78 for an address that is none, 1 for anything else."""
    url = os.environ.get("DATABASE_URL", DEFAULT_URL)
    try:
        asyncio.run(_migrate(url))
    except ValueError as error:
        sys.stderr.write(f"DATABASE_URL {error}\n")
        return 78
    except (SchemaError, UnavailableError) as error:
        sys.stderr.write(f"the database cannot be used: {error}\n")
        return 1
    sys.stdout.write(f"the database is at schema {NEWEST}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
