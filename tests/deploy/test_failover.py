"""The command that measures a failover ends with a status that says how it went."""

import pytest

from deploy.cluster import failover
from deploy.cluster.cluster import missing
from deploy.cluster.failover import Outcome


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["failover", str(tmp_path / "cluster")])
    return tmp_path / "cluster"


def test_where_programs_are_missing_a_sentence_says_which(monkeypatch, capsys, folder):
    monkeypatch.setattr("deploy.cluster.cluster.missing", lambda: ["etcd"])
    assert failover.main() == 1
    assert capsys.readouterr().err == "please install etcd\n"
    assert not folder.exists()


@pytest.mark.parametrize(("status", "lacks"), [(0, False), (1, True)])
def test_a_patroni_that_was_installed_without_the_client_for_etcd_lacks_it(status, lacks, monkeypatch, tmp_path):
    if " " in str(tmp_path):
        pytest.skip("the first line of a script cannot name a program in this temporary folder")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexit {status}\n")
    patroni = tmp_path / "patroni"
    patroni.write_text(f"#!{python}\n")
    for program in (python, patroni):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ("python3-etcd" in missing()) is lacks
    assert "patroni" not in missing()


@pytest.mark.parametrize(("lost", "status"), [(0, 0), (2, 1)])
def test_a_lost_write_makes_it_fail(lost, status, monkeypatch, capsys, folder):
    async def all_faults(_cluster):
        return [Outcome("node killed", 4.0, answered=9, lost=lost), Outcome("another made primary", 2.0, 9, 0)]

    monkeypatch.setattr(failover, "_all", all_faults)
    for name in ("start", "stop"):
        monkeypatch.setattr(failover.Cluster, name, lambda _cluster: None)
    assert failover.main() == status
    assert '"seconds": 4.0' in capsys.readouterr().out
