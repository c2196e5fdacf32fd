"""The cluster of deploy/cluster/, where Debian's packages for it are installed: nothing that was answered is lost."""

import asyncio
import os
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bench.cluster import tried
from deploy.cluster.cluster import Cluster, ClusterError, missing
from deploy.cluster.failover import faults, measured
from testkit.offline import MEMORY
from testkit.ports import free_port

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}"),
]
LONGEST = 60.0
"""Seconds in which writing goes on again; Patroni replaces a silent node after 20."""


def base_port():
    """The first of a hundred ports that no other test process on this machine is likely to use."""
    return 20_000 + os.getpid() % 100 * 100


@pytest.fixture(scope="module")
def cluster():
    """Three nodes, in a folder that the user `postgres` can reach whatever pytest's own may be."""
    with TemporaryDirectory(prefix="cluster-", dir=MEMORY) as folder:
        started = Cluster(Path(folder), base_port())
        try:
            started.start()
            yield started
        finally:
            started.stop()


def test_a_lost_primary_is_replaced_and_no_answered_write_is_lost(cluster):
    primary, fault = cluster.primary(), "node of the primary killed"
    outcome = asyncio.run(measured(cluster, fault, faults(cluster)[fault]))
    assert outcome.lost == 0
    assert outcome.answered > 100
    assert 0 < outcome.seconds < LONGEST
    assert cluster.primary() not in {0, primary}
    cluster.revive(primary)
    assert cluster.takes_writes()


def test_two_bots_outlive_a_kill_a_lost_primary_and_a_cut_network(cluster):
    found, books = asyncio.run(tried(cluster, processes=2, tables=4))
    assert books.is_even
    assert books.answered > len(found)
    assert all(seconds < LONGEST for each in found.values() for seconds in each)


@pytest.mark.parametrize("offset", [0, 60])
def test_a_cluster_does_not_start_where_one_of_its_ports_is_taken(offset, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ClusterError, match=rf"the ports .*\b{port}\b.* are taken: choose another --base-port"):
            Cluster(tmp_path / "second", port - offset).start()
    assert not (tmp_path / "second").exists()
