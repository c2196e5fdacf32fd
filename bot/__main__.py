"""`python -m bot`: run the bot. Exit status 78 and one line on stderr where the settings cannot work."""

from __future__ import annotations

import asyncio
import sys

from bot.config import BAD_CONFIGURATION, ConfigError, load_settings
from bot.logs import set_up_logs
from bot.service import run
from data.errors import SchemaError, UnavailableError
from data.lease_rows import LeaseTakenError

TRY_LATER = 75
"""Exit status where another process runs the same shards (EX_TEMPFAIL)."""


def main() -> int:
    """Run until told to stop; the exit status.

    0 then, 78 for bad settings, 75 when another process has the shards, 1 for a database that cannot be used.
    """
    try:
        settings = load_settings()
        set_up_logs(settings.log_level, settings.log_format)
        asyncio.run(run(settings))
    except ConfigError as error:
        print(f"cannot start: {'; '.join(error.faults)}", file=sys.stderr)
        return BAD_CONFIGURATION
    except LeaseTakenError as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return TRY_LATER
    except (SchemaError, UnavailableError) as error:
        print(f"cannot start: the database cannot be used: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
