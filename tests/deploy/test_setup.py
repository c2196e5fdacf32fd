"""`tools/setup.sh` says what it does while it installs, wherever it stands and whatever Python it is given."""

import os
import pty
import shutil
import subprocess
import sys
import zipfile
from contextlib import suppress
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from testkit.waiting import HANG, run_to_end

ROOT = Path(__file__).parents[2]
PACKAGES = 12
LOCKS = {"requirements.lock": PACKAGES, "deploy/play.lock": 8, "deploy/requirements.lock": 4}
INSTALLS = "for number in $(seq 12); do echo Collecting $number; done; echo Installing all"
PYTHON = f"""#!/bin/sh
case "$*" in
    --version) echo Python 3.99 ;;
    *venv*--clear*) rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    *pip*install*--require-hashes*--no-deps*) {INSTALLS} ;;
    *pytest*) echo "pytest: CHROMIUM=$CHROMIUM, noted $(cat .venv/browser)" ;;
    *fcntl*) exec '{sys.executable}' "$@" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path):
    """A checkout in a folder whose name has a space, and a Python beside it that only says what it installs."""
    place = tmp_path / "my cards"
    (place / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "setup.sh", place / "tools")
    shutil.copy(ROOT / "Makefile", place)
    (place / "deploy").mkdir()
    for lock, packages in LOCKS.items():
        (place / lock).write_text("".join(f"package{number}==1\n" for number in range(packages)))
    python = tmp_path / "my python" / "python3"
    python.parent.mkdir()
    python.write_text(PYTHON)
    python.chmod(0o755)
    return place, os.environ | {"PYTHON": str(python)}


def test_the_python_that_was_named_is_taken_and_every_tenth_package_is_said(checkout):
    place, environment = checkout
    said = run_to_end("tools/setup.sh", cwd=place, env=environment, check=True).stdout.splitlines()
    assert said[0].startswith("setup: building .venv with Python 3.99 and up to 12 packages")
    assert said[1:] == ["setup: package 10", "setup: installing them", "setup: done"]


def test_on_a_terminal_every_package_is_counted(checkout):
    place, environment = checkout
    ours, its = pty.openpty()
    run_to_end("tools/setup.sh", cwd=place, env=environment, check=True, capture_output=False, stdout=its)
    os.close(its)
    said = b""
    with suppress(OSError):  # Linux says so where nobody writes any more
        while piece := os.read(ours, 4096):
            said += piece
    os.close(ours)
    assert [f"setup: package {number}" in said.decode() for number in range(1, PACKAGES + 1)] == [True] * PACKAGES


def test_what_is_installed_already_is_not_installed_again(checkout):
    place, environment = checkout
    run_to_end("tools/setup.sh", cwd=place, env=environment, check=True)
    assert run_to_end("tools/setup.sh", cwd=place, env=environment, check=True).stdout == ""


@pytest.mark.parametrize(("more", "less"), [*combinations(LOCKS, 2)])
def test_what_is_a_part_of_what_is_installed_is_not_installed_again(checkout, more, less):
    place, environment = checkout
    run_to_end("tools/setup.sh", more, cwd=place, env=environment, check=True)
    assert run_to_end("tools/setup.sh", less, cwd=place, env=environment, check=True).stdout == ""


@pytest.mark.parametrize(("more", "less"), [*combinations(LOCKS, 2)])
def test_the_rest_is_added_to_a_part_that_somebody_may_be_playing_with(checkout, more, less):
    place, environment = checkout
    run_to_end("tools/setup.sh", less, cwd=place, env=environment, check=True)
    (place / ".venv" / "in use").touch()
    said = run_to_end("tools/setup.sh", more, cwd=place, env=environment, check=True).stdout.splitlines()
    assert said[0].startswith(f"setup: adding to .venv, which then has up to {LOCKS[more]} packages")
    assert said[-1] == "setup: done"
    assert (place / ".venv" / "in use").exists()


def test_a_part_that_was_added_to_halfway_is_built_again(checkout):
    place, environment = checkout
    run_to_end("tools/setup.sh", "deploy/play.lock", cwd=place, env=environment, check=True)
    (place / ".venv" / "bin" / "python").write_text(PYTHON.replace(INSTALLS, "echo Installing all; exit 1"))
    assert run_to_end("tools/setup.sh", cwd=place, env=environment).returncode == 1
    said = run_to_end("tools/setup.sh", cwd=place, env=environment, check=True).stdout
    assert said.startswith("setup: building .venv with Python 3.99")


def test_what_was_installed_is_of_use_even_if_the_rest_cannot_be_downloaded(checkout):
    place, environment = checkout
    run_to_end("tools/setup.sh", "deploy/play.lock", cwd=place, env=environment, check=True)
    (place / ".venv" / "bin" / "python").write_text(PYTHON.replace(INSTALLS, "echo Collecting 1; exit 1"))
    assert run_to_end("tools/setup.sh", cwd=place, env=environment).returncode == 1
    assert run_to_end("tools/setup.sh", "deploy/play.lock", cwd=place, env=environment, check=True).stdout == ""


@pytest.mark.parametrize("lock", ["requirements.lock", "deploy/play.lock"])
def test_what_was_installed_in_other_versions_is_built_again(checkout, lock):
    place, environment = checkout
    for each in (lock, "deploy/play.lock"):
        run_to_end("tools/setup.sh", each, cwd=place, env=environment, check=True)
    (place / lock).write_text("package0==2\n")
    said = run_to_end("tools/setup.sh", cwd=place, env=environment, check=True).stdout
    assert said.startswith("setup: building .venv with Python 3.99")


def test_the_set_up_runs_even_if_unpacking_has_lost_which_files_are_programs(checkout):
    place, environment = checkout
    (place / "tools" / "setup.sh").chmod(0o644)
    assert "setup: done" in run_to_end("make", "setup", cwd=place, env=environment, check=True).stdout


def test_a_second_set_up_waits_for_the_first_and_installs_nothing_again(checkout):
    place, environment = checkout
    Path(environment["PYTHON"]).write_text(PYTHON.replace(INSTALLS, "echo Installing all; read go"))

    def set_up():
        pipe = subprocess.PIPE
        return subprocess.Popen("tools/setup.sh", cwd=place, env=environment, stdin=pipe, stdout=pipe, text=True)

    with set_up() as first:
        assert [first.stdout.readline() for _ in range(2)][1] == "setup: installing them\n"
        with set_up() as second:
            assert second.stdout.readline() == "setup: waiting for another set-up of this checkout\n"
            assert first.communicate("go\n", HANG)[0] == "setup: done\n"
            assert second.communicate(timeout=HANG)[0] == ""
    assert (first.returncode, second.returncode) == (0, 0)


def test_ctrl_c_in_a_set_up_leaves_no_traceback(checkout):
    place, environment = checkout
    interrupted = PYTHON.replace("mkdir -p .venv/bin;", "echo KeyboardInterrupt >&2; kill -INT 0;")
    Path(environment["PYTHON"]).write_text(interrupted)
    done = run_to_end("tools/setup.sh", cwd=place, env=environment, start_new_session=True)
    assert (done.returncode, done.stderr) == (130, "\nsetup: stopped; the next make begins again\n")


def test_a_named_python_that_cannot_be_used_is_reported_and_another_one_taken(checkout):
    place, environment = checkout
    path = f"{Path(environment['PYTHON']).parent}:{environment['PATH']}"
    done = run_to_end("tools/setup.sh", cwd=place, env=environment | {"PYTHON": "/none", "PATH": path}, check=True)
    assert "setup: PYTHON=/none is no Python 3.11 to 3.14" in done.stderr
    assert "setup: done" in done.stdout


@pytest.mark.parametrize("python", [None, "#!/bin/sh\nexit 1\n"])
def test_a_venv_whose_python_is_gone_or_finds_no_packages_is_built_again(checkout, python):
    place, environment = checkout
    run_to_end("make", "setup", cwd=place, env=environment, check=True)
    assert "setup:" not in run_to_end("make", "setup", cwd=place, env=environment, check=True).stdout
    broken = place / ".venv" / "bin" / "python"
    broken.unlink()
    if python is not None:
        broken.write_text(python)
        broken.chmod(0o755)
    assert "setup: done" in run_to_end("make", "setup", cwd=place, env=environment, check=True).stdout


@pytest.mark.long
def test_make_heeds_no_settings_of_the_shell_for_another_python(tmp_path):
    (tmp_path / "discord.py").write_text("raise RuntimeError('another Discord')")
    settings = {"PYTHONHOME": "/nowhere", "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "error"}
    done = run_to_end("make", "play", "ARGS=--help", cwd=ROOT, env=os.environ | settings, check=True)
    assert "usage: make play" in done.stdout


def test_the_tests_use_the_browser_that_was_found_where_the_named_one_does_not_start(checkout):
    place, environment = checkout
    shutil.copy(ROOT / "tools" / "browser.sh", place / "tools")
    chromium = Path(environment["PYTHON"]).parent / "chromium"
    shutil.copy("/bin/true", chromium)
    environment |= {"CHROMIUM": "/nowhere", "PATH": f"{chromium.parent}{os.pathsep}{os.environ['PATH']}"}
    done = run_to_end("make", "long", cwd=place, env=environment, check=True)
    assert "browser: CHROMIUM=/nowhere does not start; looking for another\n" in done.stderr
    assert f"pytest: CHROMIUM=, noted {chromium}\n" in done.stdout


def test_the_reason_of_a_failure_is_said_even_if_no_temporary_file_can_be_written(checkout):
    place, environment = checkout
    python = Path(environment["PYTHON"])
    python.write_text(PYTHON.replace(INSTALLS, "echo Collecting 1; echo 'ERROR: no space left' >&2; exit 1"))
    done = run_to_end("tools/setup.sh", cwd=place, env=environment | {"TMPDIR": str(place / "missing")})
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "ERROR: no space left",
        "setup: the packages could not be set up; the reason is above",
    ]
    assert not (place / ".venv" / "ready").exists()


def test_why_pip_cannot_be_put_into_the_venv_is_said_in_a_line(checkout):
    place, environment = checkout
    said = "echo 'ERROR: no space left'; echo Traceback; echo subprocess.CalledProcessError: a command"
    failing = f'case "$*" in *ensurepip*--default-pip*) {{ {said}; }} >&2; exit 1 ;; esac\ncase'
    Path(environment["PYTHON"]).write_text(PYTHON.replace("case", failing, 1))
    done = run_to_end("tools/setup.sh", cwd=place, env=environment)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["ERROR: no space left", "setup: .venv could not be set up; the reason is above"]


@pytest.mark.long
def test_the_packages_are_installed_into_the_checkout_wherever_pip_is_set_to_put_them(checkout, tmp_path):
    place, environment = checkout
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("tiny.py", "")
        made.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        made.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr("tiny-1.dist-info/RECORD", "")
    (place / "requirements.lock").write_text(f"tiny==1 --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n")
    # Beside the environment, pip reads the settings of the user from a file.
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[install]\nuser = true\ntarget = {tmp_path / 'elsewhere'}\n")
    environment |= {"PYTHON": sys.executable, "PIP_CONFIG_FILE": str(settings), "PIP_USER": "1"}
    environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": tmp_path.as_uri()}
    (tmp_path / "constraints.txt").write_text("tiny<1\n")
    environment |= {"PIP_CONSTRAINT": str(tmp_path / "constraints.txt"), "PIP_DRY_RUN": "1"}
    environment |= {"PIP_PREFIX": str(tmp_path / "prefix"), "PIP_ROOT": str(tmp_path / "root")}
    environment |= {"PIP_PYTHON": str(tmp_path / "another python")}
    run_to_end("tools/setup.sh", cwd=place, env=environment, check=True)
    run_to_end(".venv/bin/python", "-c", "import tiny", cwd=place, check=True)


BACKEND = """
from pathlib import Path
from zipfile import ZipFile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    with ZipFile(Path(folder) / "chess-1-py3-none-any.whl", "w") as made:
        made.writestr("chess.py", "")
        made.writestr("chess-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: chess\\nVersion: 1\\n")
        made.writestr("chess-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        made.writestr("chess-1.dist-info/RECORD", "")
    return "chess-1-py3-none-any.whl"
"""


@pytest.mark.long
def test_the_one_package_without_a_wheel_is_installed_even_if_pip_is_set_to_build_nothing(checkout, tmp_path):
    place, environment = checkout
    source = tmp_path / "chess-1"
    source.mkdir()
    (source / "backend.py").write_text(BACKEND)
    about = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    (source / "pyproject.toml").write_text(about)
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: chess\nVersion: 1\n")
    packed = Path(shutil.make_archive(str(source), "gztar", tmp_path, source.name))
    (place / "requirements.lock").write_text(f"chess==1 --hash=sha256:{sha256(packed.read_bytes()).hexdigest()}\n")
    environment |= {"PYTHON": sys.executable, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": tmp_path.as_uri()}
    run_to_end("tools/setup.sh", cwd=place, env=environment | {"PIP_ONLY_BINARY": ":all:"}, check=True)
    run_to_end(".venv/bin/python", "-c", "import chess", cwd=place, check=True)
