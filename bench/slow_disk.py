"""Runs another bench as if the disk took longer to store.

    python -m bench slow_disk [--ms 4] NAME [options of that bench]

The disks of virtual machines often say at once that something is stored; the flash disk of a small server takes some
milliseconds. Each fsync of the bench and of bots that it starts by `bench.bots` waits so much longer, by a library in C
that is compiled with `cc` and preloaded (Linux). The last line is that of the other bench.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Final

from bench.arguments import above_zero, bench_parser
from bench.preloaded import preloaded

DELAY: Final = "SYNC_MICROSECONDS"
"""The setting of `slow_disk.c`: how much longer a sync takes."""


def main(argv: Sequence[str]) -> int:
    """Run the bench named with its options; returns its exit status."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--ms", type=above_zero, default=4.0, help="milliseconds that a sync takes longer")
    parser.add_argument("name", help="the other bench")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="its options")
    options = parser.parse_args(argv)
    if which("cc") is None:
        parser.error("there is no C compiler cc")
    with tempfile.TemporaryDirectory(prefix="slow-disk") as folder:
        slow = preloaded("slow_disk", Path(folder), **{DELAY: str(round(options.ms * 1000))})
        command = [sys.executable, "-m", "bench", options.name, *options.options]
        print(f"each fsync takes {options.ms:g} ms longer", flush=True)
        # In a group of its own, so that it is told to end once, from here: who hears it twice does not tidy up.
        with subprocess.Popen(command, env=os.environ | slow, process_group=0) as bench:
            try:
                return bench.wait()
            except KeyboardInterrupt:
                bench.terminate()
                return bench.wait()
