"""`python -m sandbox`: play on this machine, without Discord."""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a loop to stop, Ctrl-C just ends it

try:
    from game.shell import run_command
    from sandbox.run import main as play  # see above: loading takes a second
except ModuleNotFoundError as error:
    if error.name != "simcord":
        raise
    from sandbox.options import parse_options  # --help and a wrong option are answered all the same

    parse_options()
    sys.exit(
        "the simulated Discord is not installed. In a checkout: make play. Of a package: install it anew with [play] "
        "behind the name of its file or folder, such as pip install '.[play]'"
    )


def main() -> None:
    """Play until Ctrl-C; what `python -m sandbox` and the command `shithead-play` do."""
    run_command(play)


if __name__ == "__main__":
    main()
