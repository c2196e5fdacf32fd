"""Commands of the project end with an exit status and without a traceback, whatever happens to their output."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from game.shell import LARGEST, read_file, run_command
from testkit.waiting import HANG, run_to_end

ROOT = Path(__file__).parents[2]
GAME = str(ROOT / "tests" / "transcripts" / "classic-2.txt")
COMMANDS = [
    ["game.scenarios", str(ROOT / "tests" / "scenarios" / "tribute.toml")],
    ["game.transcript", GAME],
    ["game.fairness", "--help"],
    ["bench.learning.train", "--help"],
    ["bench"],
    ["bot", "--version"],
    ["sandbox", "--help"],
]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def ended(words, *before, **output):
    """Run a command with buffered output; return its exit status and its stderr."""
    command = [*before, sys.executable, "-m", *words]
    done = run_to_end(*command, env=BUFFERED, capture_output=False, stderr=subprocess.PIPE, **output)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_closed_pipe_ends_a_command_silently(words):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing) as nobody:
        assert ended(words, stdout=nobody) == (1, "")


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_reported_in_one_line(words):
    with Path("/dev/full").open("w") as full:
        status, said = ended(words, stdout=full)
    assert (status, said.count("\n")) == (1, 1)
    assert said.startswith("cannot continue: ")


@pytest.mark.parametrize("words", COMMANDS[:2], ids=lambda words: words[0])
def test_a_command_without_stdout_ends_as_usual(words):
    assert ended(words, "/bin/sh", "-c", 'exec "$@" >&-', "sh") == (0, "")


READERS = pytest.mark.parametrize("words", [["game.scenarios"], ["game.transcript"], ["game.fairness", "verify"]])


@READERS
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
def test_a_file_without_an_end_is_reported_in_one_line(words):
    done = run_to_end(sys.executable, "-m", *words, "/dev/zero")
    assert (done.returncode, (done.stdout + done.stderr).count("\n")) == (2, 1)
    assert "cannot be read: " in done.stdout + done.stderr
    assert "it is larger than 16 MiB" in done.stdout + done.stderr


def test_a_file_of_the_largest_size_is_read(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(bytes(LARGEST))
    assert read_file(path) == bytes(LARGEST)


@READERS
def test_ctrl_c_exits_with_130_and_no_traceback(tmp_path, words):
    file = tmp_path / "slow.txt"
    os.mkfifo(file)
    command = [sys.executable, "-m", *words, str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        with file.open("w"):  # blocks until the command reads
            run.send_signal(signal.SIGINT)
            assert run.communicate(timeout=HANG) == ("", "")
        assert run.returncode == 130


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 1, ""),
        (
            FileNotFoundError(2, "No such file or directory", "x"),
            1,
            "cannot continue: [Errno 2] No such file",
        ),
        (SystemExit(2), 2, ""),
    ],
)
def test_an_interruption_becomes_a_status_and_at_most_one_line(monkeypatch, capsys, error, status, said):
    def stopped(_arguments):
        raise error

    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SystemExit, match=str(status)):
        run_command(stopped, [])
    assert capsys.readouterr().err.startswith(said)


def test_a_bug_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        run_command(lambda words: 1 // len(words), [])
