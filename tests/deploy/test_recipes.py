"""The recipes of deploy/ agree with the program, in settings, metrics and shards, and with the tools that read them."""

import json
import os
import re
import shlex
import shutil
import time
from pathlib import Path

import pytest
import yaml

from bot.config import BAD_CONFIGURATION, Settings, shards_in
from testkit.offline import settings_without_file
from testkit.waiting import run_to_end

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [DEPLOY / "systemd" / name for name in ("shithead.service", "shithead@.service")]
SETTINGS = {name.upper() for name in Settings.model_fields}
KNOWN = {
    *("shithead_changes_total", "shithead_answers_undelivered_total", "shithead_answers_put_off_total"),
    *("shithead_clicks_refused_total", "shithead_tables_waiting", "shithead_tables_cached", "shithead_tables_undrawn"),
    *("shithead_clicks_dropped_total", "shithead_pictures_failed_total"),
    *("shithead_tables_in_trouble", "shithead_ready", "shithead_latency_seconds"),
    *("shithead_answer_seconds_bucket", "shithead_answer_seconds_count", "shithead_build_info"),
    *("shithead_database_up", "shithead_discord_errors_total", "shithead_errors_total", "shithead_servers"),
    *("shithead_identifies_remaining", "shithead_shard_count", "shithead_shards_served", "shithead_tables"),
    *("process_start_time_seconds", "process_resident_memory_bytes", "process_cpu_seconds_total", "up"),
}
METRIC = re.compile(r"\b(?:shithead|process)_\w+|\bup\b")


def read(name):
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def name(path):
    return path.name


# systemd


def lines(path, key):
    return re.findall(rf"^{key}=(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", SERVICES, ids=name)
def test_a_service_is_started_again_whatever_happens_unless_it_cannot_work(path):
    assert lines(path, "Restart") == ["always"]
    assert lines(path, "StartLimitIntervalSec") == ["0"]
    of_systemd = (200, 203, 243)  # it may not enter the folder or run Python, or finds no token file
    assert lines(path, "RestartPreventExitStatus") == [" ".join(map(str, (BAD_CONFIGURATION, *of_systemd)))]


@pytest.mark.parametrize("path", SERVICES, ids=name)
def test_a_service_tells_that_it_is_alive_and_registers_the_commands(path):
    assert lines(path, "Type") == ["notify"]
    assert int(lines(path, "WatchdogSec")[0]) > 0
    assert "shithead-sync.service" in lines(path, "Wants")[0]
    assert lines(DEPLOY / "systemd" / "shithead-sync.service", "ExecStart") == [f"{lines(path, 'ExecStart')[0]} sync"]


def test_the_commands_are_registered_later_if_discord_is_not_reached_as_long_as_the_bot_is_to_run():
    path = DEPLOY / "systemd" / "shithead-sync.service"
    assert lines(path, "Restart") == ["on-failure"]
    assert lines(path, "RestartPreventExitStatus") == lines(SERVICES[0], "RestartPreventExitStatus")
    tries = int(lines(path, "StartLimitBurst")[0])
    assert lines(path, "StartLimitIntervalSec") == ["1h"]
    assert tries * int(lines(path, "RestartSec")[0]) < 3600  # else it would try for ever
    assert lines(path, "PartOf") == ["shithead.service"]


@pytest.mark.parametrize("path", SERVICES, ids=name)
def test_the_processes_that_draw_may_make_themselves_nicer(path):
    allowed, *later = lines(path, "SystemCallFilter")
    refused = [each for each in later if each.startswith("~")]
    assert (allowed, refused) == ("@system-service", ["~@privileged @resources"])
    assert later[later.index(refused[0]) + 1 :] == ["setpriority sched_setscheduler"]  # a later line wins


@pytest.mark.parametrize("path", SERVICES, ids=name)
@pytest.mark.parametrize(("result", "waits"), [("signal", False), ("success", False), ("exit-code", True)])
def test_a_service_that_was_killed_is_started_again_at_once_one_that_failed_after_a_pause(path, result, waits):
    assert lines(path, "RestartSec") == ["100ms"]
    (pause,) = lines(path, "ExecStopPost")
    said = run_line(pause.replace("sleep", "echo"), SERVICE_RESULT=result)
    assert bool(said) is waits


@pytest.mark.parametrize("path", SERVICES, ids=name)
def test_a_service_goes_on_when_a_process_that_draws_was_killed_for_lack_of_memory(path):
    assert lines(path, "OOMPolicy") == ["continue"]


def run_line(line, folder=DEPLOY, **env):
    """What a command of a unit prints."""
    command = shlex.split(line.replace("%%", "%"))
    return run_to_end(*command, cwd=folder, env={"PATH": os.environ["PATH"], **env}, check=True).stdout


@pytest.mark.parametrize(("copies", "left"), [(16, 14), (3, 3)])
def test_old_backups_are_removed(tmp_path, copies, left):
    for days in (*range(copies), 31):
        copy = tmp_path / f"backup-{days}"
        copy.touch()
        os.utime(copy, (0, time.time() - days * 86_400 - 60))
    (tmp_path / "shithead.sqlite3").touch()
    for line in lines(DEPLOY / "systemd" / "shithead-backup.service", "ExecStartPost"):
        run_line(line, tmp_path, STATE_DIRECTORY=".")  # the whole path may have spaces, unlike that of systemd
    assert {path.name for path in tmp_path.iterdir()} == {"shithead.sqlite3", *(f"backup-{day}" for day in range(left))}


@pytest.mark.parametrize("path", UNITS, ids=name)
def test_units_name_settings_that_exist(path):
    assert {each.partition("=")[0] for each in lines(path, "Environment")} <= SETTINGS


@pytest.mark.parametrize("instance", ["0-3", "4-7", "8", "0,2,4-5"])
def test_the_instance_of_the_template_is_its_shards(instance):
    (shards,) = (each for each in lines(SERVICES[1], "Environment") if each.startswith("SHARD_IDS="))
    assert shards == "SHARD_IDS=%i"
    assert shards_in(instance)


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    """The units as systemd would see them, with a program that exists here."""
    folder = tmp_path_factory.mktemp("units")
    for path in UNITS:
        text = path.read_text(encoding="utf-8").replace("/opt/shithead/.venv/bin/python", "/bin/true")
        (folder / path.name.replace("@", "@0-3")).write_text(text, encoding="utf-8")
    return folder


needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here to ask")


@needs_systemd
@pytest.mark.parametrize("unit", [path.name.replace("@", "@0-3") for path in UNITS])
def test_systemd_finds_nothing_wrong(units, unit):
    found = run_to_end("systemd-analyze", "verify", "--man=no", str(units / unit))
    assert [line for line in found.stderr.splitlines() if "shithead" in line] == []


@needs_systemd
@pytest.mark.parametrize("unit", [path.name.replace("@", "@0-3") for path in UNITS if path.suffix == ".service"])
def test_a_unit_may_do_next_to_nothing(units, unit):
    """The measure of systemd itself for what a unit could do if it were taken over: 0 nothing, 10 everything."""
    command = ["systemd-analyze", "security", "--offline=yes", "--threshold=15", str(units / unit)]
    found = run_to_end(*command)
    assert found.returncode == 0, found.stdout[-500:]


# Containers


def test_processes_of_compose_share_out_all_shards_and_name_no_shard_twice():
    services = read("compose.shards.yaml")["services"].values()
    counts = {service["environment"]["SHARD_COUNT"] for service in services}
    shards = [shard for service in services for shard in shards_in(service["environment"]["SHARD_IDS"])]
    assert [*map(str, [len(shards)])] == [*counts]
    assert sorted(shards) == list(range(len(shards)))


def test_compose_asks_for_the_password_where_every_command_finds_it():
    """`docker compose run` wants it as well as `up`; a file beside compose.yaml serves both."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert text.count("${POSTGRES_PASSWORD:?") == text.count("${") == 2


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here to ask")
def test_git_ignores_the_password_and_the_token_of_compose(tmp_path):
    (tmp_path / "deploy").mkdir()
    for file in (".gitignore", "deploy/.gitignore"):
        shutil.copy(DEPLOY.parent / file, tmp_path / file)
    run_to_end("git", "init", cwd=tmp_path, check=True)
    command = ["git", "check-ignore", "deploy/.env", "deploy/token"]
    ignored = run_to_end(*command, cwd=tmp_path, check=True).stdout.split()
    assert ignored == ["deploy/.env", "deploy/token"]


def test_compose_registers_the_commands_and_keeps_the_bot_running():
    services = read("compose.yaml")["services"]
    assert services["sync"]["command"] == ["sync"]
    assert services["bot"]["restart"] == services["database"]["restart"] == "unless-stopped"
    assert services["bot"]["read_only"] is services["sync"]["read_only"] is True


def test_no_log_of_a_container_grows_for_ever():
    for service in read("compose.yaml")["services"].values():
        assert service["logging"]["driver"] == "json-file"
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    page = (DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8")
    (run,) = re.findall(r"^docker run --detach (.*?[^\\])$", page, re.MULTILINE | re.DOTALL)
    assert {"json-file", "max-size=10m", "max-file=5"} <= set(run.split())


def test_docker_runs_the_bot_as_confined_as_compose_does():
    page = (DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8")
    (run,) = re.findall(r"^docker run --detach (.*?[^\\])$", page, re.MULTILINE | re.DOTALL)
    bot = read("compose.yaml")["x-bot"]
    options = [
        "--read-only",
        *(f"--tmpfs {each}" for each in bot["tmpfs"]),
        *(f"--cap-drop {each}" for each in bot["cap_drop"]),
        *(f"--security-opt {each.removesuffix(':true')}" for each in bot["security_opt"]),
        f"--stop-timeout {bot['stop_grace_period'].removesuffix('s')}",
    ]
    assert [option for option in options if option not in run] == []


def test_a_restore_by_docker_fills_the_volume_that_the_bot_runs_on():
    page = (DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8")
    section = page.partition("\n## Docker\n")[2].partition("\n## ")[0]
    volumes = re.findall(r"--volume ([\w-]+):/data", section)
    assert len(volumes) >= 4
    assert set(volumes) == {"shithead"}


def test_the_update_by_systemd_changes_files_only_while_the_bot_is_stopped():
    page = (DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8")
    section = page.partition("\n## Linux with systemd\n")[2].partition("\n## ")[0]
    (update,) = (block for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL) if "git pull" in block)
    steps = ("systemctl stop shithead &&", "git pull", "pip install", "compileall", "systemctl start shithead\n")
    assert [*map(update.index, steps)] == sorted(map(update.index, steps))
    assert section.count("git pull") == 1


# Kubernetes


def manifests():
    return [read(f"kubernetes/{file}") for file in read("kubernetes/kustomization.yaml")["resources"]]


def stateful():
    return next(each for each in manifests() if each["kind"] == "StatefulSet")["spec"]


def environment():
    return {each["name"]: each.get("value") for each in stateful()["template"]["spec"]["containers"][0]["env"]}


def test_pods_share_out_all_shards():
    shards, each = (int(environment()[key]) for key in ("SHARD_COUNT", "SHARDS_PER_PROCESS"))
    assert stateful()["replicas"] * each == shards


def test_a_single_pod_without_numbers_runs_all_shards(monkeypatch):
    page = " ".join((DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8").split())
    (said,) = re.findall(r"set `replicas` to 1, (.*?), and it runs all", page)
    settings = re.findall(r'`(\w+)` to `"0"`', said)
    assert set(settings) == {"SHARD_COUNT", "SHARDS_PER_PROCESS"} <= set(environment())
    for setting in settings:
        monkeypatch.setenv(setting, "0")
    settings = settings_without_file()
    assert (settings.shard_count, settings.shards()) == (0, ())


def test_no_command_has_a_password_in_it():
    page = (DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if not line.startswith("#")]
    assert [line for line in commands if re.search("://[^ /]+:[^ /]+@", line)] == []


def test_pods_name_settings_that_exist():
    assert set(environment()) <= SETTINGS


def test_probes_ask_what_the_process_answers_and_wait_for_it(real_budgets):
    bot = stateful()["template"]["spec"]["containers"][0]
    asked = {key: bot[key]["httpGet"]["path"] for key in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert asked == {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
    assert bot["readinessProbe"]["timeoutSeconds"] > real_budgets["bot.health.ANSWERS_WITHIN"] + 1
    assert str(bot["ports"][0]["containerPort"]) == environment()["HEALTH_PORT"]
    assert environment()["HEALTH_HOST"] == "0.0.0.0"


def test_secrets_stand_in_no_file():
    assert {each["kind"] for each in manifests()} == {"StatefulSet", "Service", "PodDisruptionBudget"}
    assert environment()["DATABASE_URL"] is None
    assert "DISCORD_TOKEN" not in environment()


def test_no_recipe_kills_the_bot_while_it_may_still_finish_what_it_has_begun(real_budgets):
    keys = r"(?:TimeoutStopSec=|stop_grace_period: |terminationGracePeriodSeconds: )(\d+)"
    files = [path for path in DEPLOY.rglob("*") if path.suffix in {".service", ".yaml"}]
    seconds = [int(found) for path in files for found in re.findall(keys, path.read_text(encoding="utf-8"))]
    assert len(seconds) >= 4
    assert min(seconds) >= real_budgets["bot.compose.DRAIN"] + 10, "other limits follow this one"


def test_pods_are_no_root_and_end_within_their_time():
    pod = stateful()["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["terminationGracePeriodSeconds"] >= 20
    for container in [*pod["containers"], *pod["initContainers"]]:
        assert container["securityContext"]["readOnlyRootFilesystem"] is True


@pytest.mark.parametrize("version", ["1.29", "1.33", "1.37"])
def test_manifests_keep_to_the_schema_of_kubernetes(version):
    validate = pytest.importorskip("kubernetes_validate", reason="make recipes installs it").validate
    for manifest in manifests():
        validate(manifest, version, strict=True)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not here to ask")
def test_kubectl_puts_the_manifests_together():
    command = ["kubectl", "kustomize", str(DEPLOY / "kubernetes")]
    made = run_to_end(*command, check=True).stdout
    kinds = {each["kind"]: each for each in yaml.safe_load_all(made)}
    assert kinds.keys() == {"StatefulSet", "Service", "PodDisruptionBudget"}
    labels = kinds["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    for kind in ("Service", "PodDisruptionBudget"):
        selector = kinds[kind]["spec"]["selector"]
        assert (selector.get("matchLabels") or selector).items() <= labels.items()


# Prometheus and Grafana


def alert_rules():
    return [rule for group in read("prometheus/alerts.yml")["groups"] for rule in group["rules"]]


def dashboard():
    return json.loads((DEPLOY / "grafana" / "dashboard.json").read_text(encoding="utf-8"))


def asked_for():
    shown = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    return set(METRIC.findall(" ".join([*shown, *(rule["expr"] for rule in alert_rules())])))


def test_alerts_and_dashboard_ask_for_metrics_that_exist():
    assert asked_for() == KNOWN, "list in KNOWN, above, what the alerts and the dashboard ask for"


def test_metrics_called_known_are_in_the_program():
    health = "".join(path.read_text(encoding="utf-8") for path in (DEPLOY.parent / "bot").rglob("*.py"))
    ours = {re.sub(r"_(total|bucket|seconds_count|info)$", "", each) for each in KNOWN if each.startswith("shithead_")}
    assert {metric for metric in ours if f'"{metric}' not in health} == set()


def test_every_alert_says_what_to_do():
    for rule in alert_rules():
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert {"summary", "action"} == rule["annotations"].keys()


def test_every_alert_is_tested():
    cases = [case for test in read("prometheus/alerts_test.yml")["tests"] for case in test["alert_rule_test"]]
    names = {rule["alert"] for rule in alert_rules()}
    fired, silent = (
        {case["alertname"] for case in cases if bool(case["exp_alerts"]) is fires} for fires in (True, False)
    )
    assert fired == names, "alerts_test.yml has a case of each in which it fires"
    assert silent == names, "alerts_test.yml has a case of each in which it does not fire"


def test_single_numbers_are_of_now_so_that_a_process_that_is_gone_does_not_show_its_last_ones():
    asked = [target for panel in dashboard()["panels"] if panel["type"] == "stat" for target in panel["targets"]]
    assert asked
    assert all(target["instant"] and not target["range"] for target in asked)


def test_panels_lie_beside_each_other():
    """Grafana's page is 24 columns wide; no panel lies on another."""
    taken = set()
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells


@pytest.mark.skipif(shutil.which("promtool") is None, reason="Prometheus is not here to ask")
@pytest.mark.parametrize(
    "arguments",
    [("test", "rules", "alerts_test.yml"), ("check", "rules", "alerts.yml"), ("check", "config", "prometheus.yml")],
    ids=" ".join,
)
def test_prometheus_takes_the_files(arguments):
    found = run_to_end("promtool", *arguments, cwd=DEPLOY / "prometheus")
    assert found.returncode == 0, found.stderr
