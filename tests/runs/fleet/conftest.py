"""One cluster of two workers on this machine for the tests of this folder."""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the library leave sockets to the garbage collector."""
    for item in items:
        if item.path.parent.name == "fleet":
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


@contextmanager
def left_to_garbage() -> Iterator[None]:
    """Collect at the end what the library has left, so that no other test hears of it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """The cluster; a task whose worker dies is given up at once, so that giving it again is seen.

    It ends with its module: what its processes do while they wait costs the tests of other folders time.
    """
    import dask
    from distributed import LocalCluster

    with (
        left_to_garbage(),
        dask.config.set(
            {
                "distributed.scheduler.allowed-failures": 0,
                "distributed.deploy.lost-worker-timeout": "10 minutes",
            }
        ),
        LocalCluster(
            n_workers=2,
            resources={"GPU": 1},
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as found,
    ):
        yield found


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time for workers that other tests have killed: on a busy machine they start slowly."""
    from advisor.runs.fleet import dask_cluster

    monkeypatch.setattr(dask_cluster, "_WORKERS_SECONDS", 60.0)


@pytest.fixture
def executor(cluster: Any) -> Iterator[Any]:
    """What has tasks done by the cluster. A worker that is killed while it starts would not come back."""
    from advisor.runs.fleet.opening import opened

    cluster.wait_for_workers(2, timeout=60)
    with left_to_garbage(), opened(cluster.scheduler_address) as found:
        yield found
