"""`python -m sandbox`: play on this machine, without Discord."""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a loop to stop, Ctrl-C just ends it

try:
    from sandbox.run import main  # see above: loading takes a second
except ModuleNotFoundError as error:
    if error.name != "simcord":
        raise
    sys.exit("the simulated Discord is not installed: install shithead[play]")

if __name__ == "__main__":
    sys.exit(main())
