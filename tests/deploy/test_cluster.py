"""The cluster of deploy/cluster/, where Debian's packages for it are installed: nothing that was answered is lost."""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bench.cluster import tried
from deploy.cluster.cluster import Cluster, ClusterError, missing
from deploy.cluster.failover import faults, measured
from testkit.offline import MEMORY

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}"),
]
LONGEST = 60.0
"""Seconds in which writing goes on again; Patroni replaces a silent node after 20."""


@pytest.fixture(scope="module")
def cluster():
    """Three nodes, in a folder that the user `postgres` can reach whatever pytest's own may be."""
    with TemporaryDirectory(prefix="cluster-", dir=MEMORY) as folder:
        started = Cluster(Path(folder), 20_000 + os.getpid() % 10_000)
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


def test_a_second_cluster_does_not_take_the_ports_of_the_first(cluster, tmp_path):
    with pytest.raises(ClusterError, match="choose another --base-port"):
        Cluster(tmp_path / "other", cluster.base_port).start()
