"""The PostgreSQL server that tests share."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONE = "tests/data/test_addresses.py::test_options_of_an_address_reach_postgresql"


def test_the_server_takes_no_lock_that_other_users_of_the_machine_may_hold_not_even_as_its_process_ends(tmp_path):
    (tmp_path / ".lockfile").mkdir()  # so that it cannot be opened
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV"))}
    places = {"TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ONE]
    ran = subprocess.run(command, cwd=ROOT, env=kept | places, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
