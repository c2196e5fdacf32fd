"""Libraries in C that a process loads before all others, to have another clock or a slower disk (Linux)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

_LOADS: Final = "LD_PRELOAD"
_FOUND_IN: Final = "LD_LIBRARY_PATH"
"""The folders where libraries are found by name; `LD_PRELOAD` itself cannot name a file whose path has a space."""


def preloaded(name: str, folder: Path, **settings: str) -> dict[str, str]:
    """Compile `bench/NAME.c` with `cc` into a folder; return the environment of a process that loads it, with settings.

    Raises:
        FileNotFoundError: there is no compiler `cc`. subprocess.CalledProcessError: the file cannot be compiled.
    """
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"], check=True)
    folders = [str(folder), *filter(None, [os.environ.get(_FOUND_IN)])]
    return {_LOADS: library.name, _FOUND_IN: ":".join(folders), **settings}


def inherited(*settings: str) -> dict[str, str]:
    """What a process has to be started with to load the library that this one has loaded, with these settings of it."""
    return {name: os.environ[name] for name in (_LOADS, _FOUND_IN, *settings) if name in os.environ}
