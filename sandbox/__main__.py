"""`python -m sandbox`: play on this machine, without Discord."""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a loop to stop, Ctrl-C just ends it

try:
    from sandbox.run import main  # see above: loading takes a second
except ModuleNotFoundError as error:
    if error.name != "simcord":
        raise
    from sandbox.options import parse_options  # --help and a wrong option are answered all the same

    parse_options()
    sys.exit(
        "the simulated Discord is not installed. In a checkout: make play. Of a package: install it anew with [play] "
        "behind the name of its file or folder, such as pip install '.[play]'"
    )

if __name__ == "__main__":
    sys.exit(main())
