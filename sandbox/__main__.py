"""`python -m sandbox`: play on this machine, without Discord."""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a loop to stop, Ctrl-C just ends it

from sandbox.run import main  # noqa: E402 - see above: loading takes a second

if __name__ == "__main__":
    sys.exit(main())
