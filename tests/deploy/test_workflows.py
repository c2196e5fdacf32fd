"""The workflows of .github/ can be read, call verbs that exist, and try the Pythons that the package names."""

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERBS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PROGRAMS = {"awk", "docker", "gh", "git", "printenv", "sudo", "test"}
"""What a step may start beside make: everything that is work stands in the Makefile."""


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def name(path):
    return path.stem


def jobs(path):
    return read(path)["jobs"]


def steps(path):
    return [step for job in jobs(path).values() for step in job.get("steps", [])]


def commands(path):
    return [line for step in steps(path) for line in step.get("run", "").splitlines()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_commands_are_verbs_of_the_makefile_or_known_programs(path):
    programs = [command.split()[0] for command in commands(path)]
    assert set(programs) - PROGRAMS <= {"make"}
    assert {command.split()[1] for command in commands(path) if command.startswith("make")} <= VERBS


def test_ci_does_what_the_readme_promises_for_every_change():
    path = ROOT / ".github" / "workflows" / "test.yml"
    assert {"make check", "make test", "make long", "make lock", "make recipes"} <= set(commands(path))
    assert {"push", "pull_request"} <= set(read(path)[True])  # YAML reads the word `on` as true


def test_the_pythons_are_those_that_the_package_names():
    """A newer one, which uv would otherwise take, may have no built packages yet for what `make play` needs."""
    tried = jobs(ROOT / ".github" / "workflows" / "test.yml")["test"]["strategy"]["matrix"]["python"]
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert tried == named
    first, after = int(named[0].removeprefix("3.")), int(named[-1].removeprefix("3.")) + 1
    assert PROJECT["requires-python"] == f">=3.{first},<3.{after}"
    setup = (ROOT / "tools" / "setup.sh").read_text(encoding="utf-8")
    assert f"(3, {first}) <= sys.version_info < (3, {after})" in setup


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_actions_are_pinned_by_commit_with_their_version(path):
    used = re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
    foreign = [(action, comment) for action, comment in used if not action.startswith("./")]
    assert foreign
    for action, comment in foreign:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_nothing_may_be_written_that_is_not_named(path):
    """The token of a workflow may read; a job that writes says what."""
    assert read(path)["permissions"] == {"contents": "read"}
    written = {
        right for job in jobs(path).values() for right, how in job.get("permissions", {}).items() if how == "write"
    }
    allowed = {"release": {"contents", "id-token", "packages"}, "codeql": {"security-events"}}
    assert written == allowed.get(path.stem, set())


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_every_job_ends_by_itself(path):
    assert [key for key, job in jobs(path).items() if "uses" not in job and "timeout-minutes" not in job] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_foreign_text_never_becomes_a_command(path):
    """A branch may be called `; rm -rf /`: commands take such words from the environment."""
    assert [command for command in commands(path) if "${{" in command] == []


def test_the_notes_of_a_release_are_its_page_of_the_changelog(tmp_path):
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(
        "# New\n\n## Unreleased\n\nnew\n\n## 1.2.0 (May)\n\n- this\n\n### For operators\n\n- that\n\n## 1.1.0\n\nold\n"
    )
    command = next(each for each in commands(ROOT / ".github/workflows/release.yml") if each.startswith("awk"))
    environment = {"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": "v1.2.0"}
    run_to_end("bash", "-c", command, cwd=tmp_path, env=environment, check=True)
    notes = (tmp_path / "notes.md").read_text()
    assert notes == "## 1.2.0 (May)\n\n- this\n\n### For operators\n\n- that\n\n"


@pytest.mark.parametrize("path", [path for path in FORMS if path.stem != "config"], ids=name)
def test_forms_ask_under_names_of_their_own(path):
    fields = [field["id"] for field in read(path)["body"]]
    assert fields
    assert len(fields) == len(set(fields))


SCHEMAS = [
    *(("vendor.github-workflows", path) for path in WORKFLOWS),
    *(("vendor.github-issue-forms", path) for path in FORMS if path.stem != "config"),
    ("vendor.github-issue-config", ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"),
    ("vendor.dependabot", ROOT / ".github" / "dependabot.yml"),
    ("vendor.compose-spec", ROOT / "deploy" / "compose.yaml"),
    ("vendor.compose-spec", ROOT / "deploy" / "compose.shards.yaml"),
]


@pytest.mark.parametrize(("schema", "path"), SCHEMAS, ids=[path.name for _, path in SCHEMAS])
def test_files_keep_to_their_schema(schema, path):
    main = pytest.importorskip("check_jsonschema", reason="make recipes installs it").main
    with pytest.raises(SystemExit) as ended:
        main(["--builtin-schema", schema, str(path)])
    assert not ended.value.code


def program(name):
    """Where a program is: beside this Python, where `make recipes` installs it, or on the path; None if nowhere."""
    return shutil.which(str(name), path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))


@pytest.mark.skipif(program("zizmor") is None, reason="make recipes installs it")
def test_nobody_can_make_a_workflow_do_something_else():
    found = run_to_end(program("zizmor"), "--offline", "--quiet", "--min-severity", "medium", ".github")
    assert found.returncode == 0, found.stdout


@pytest.mark.skipif(program("actionlint") is None, reason="actionlint is not here to ask")
def test_actionlint_finds_nothing_wrong():
    found = run_to_end(program("actionlint"), *map(str, WORKFLOWS))
    assert found.returncode == 0, found.stdout
