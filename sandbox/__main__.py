"""`python -m sandbox`: play on this machine, without Discord."""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is an event loop to stop, Ctrl-C just ends the process

try:
    from game.shell import run_command
    from sandbox.run import main as play  # after the line above, because loading takes a second
except ModuleNotFoundError as error:
    if error.name != "simcord":
        raise
    from sandbox.options import parse_options  # --help and wrong options are answered even so

    parse_options()
    sys.exit(
        "the simulated Discord is not installed. In a checkout: make play. For a package: reinstall it with [play] "
        "after the name of its file or folder, such as pip install '.[play]'"
    )


def main() -> None:
    """Play until Ctrl-C: the entry point of `python -m sandbox` and of the command `shithead-play`."""
    run_command(play)


if __name__ == "__main__":
    main()
