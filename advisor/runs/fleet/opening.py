"""Connects to the cluster that `--cluster` names, or starts one on this machine."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from advisor.model.errors import UsageError

if TYPE_CHECKING:
    from advisor.model.processes.units_of_work import Executor

_CONNECT_SECONDS = 5
_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_ADDRESS = re.compile(r"[a-z]+://\S+|[^\s:/]+:[0-9]+")


@contextmanager
def opened(address: str | None) -> Iterator[Executor | None]:
    """A context with the executor of a cluster, None where no address is given: then this machine works.

    `local:N` starts N workers on this machine, which end with the context; anything else is the address of a
    scheduler. Raises UsageError where the package is missing, the address is none, or nobody answers.
    """
    if address is None:
        yield None
        return
    local = _LOCAL.fullmatch(address)
    if local is None and (address.startswith("local:") or not _ADDRESS.fullmatch(address)):
        raise UsageError(f"--cluster {address}: this is neither HOST:PORT, SCHEME://HOST:PORT nor local:N.")
    try:
        import distributed
    except ImportError:
        raise UsageError("--cluster needs dask.distributed: pip install 'kernel-advisor[cluster]'.") from None
    del distributed
    with _quiet(), _client(address, int(local[1]) if local else 0) as client:
        from advisor.runs.fleet.dask_cluster import DaskCluster

        yield DaskCluster(client, address)


@contextmanager
def _client(address: str, workers: int) -> Iterator[Any]:
    from distributed import Client

    cluster = _local_cluster(workers) if workers else None
    try:
        try:
            client = Client(
                cluster or address, timeout=_CONNECT_SECONDS, set_as_default=False, name="kernel-advisor"
            )
        except Exception as error:
            # Whatever is there that is no scheduler: what it says is read as one's, and fails in any way.
            said = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"--cluster {address}: no scheduler answers there ({said[:200]}).") from None
        try:
            yield client
        finally:
            client.close(timeout=1)
    finally:
        if cluster is not None:
            cluster.close(timeout=5)


def _local_cluster(workers: int) -> Any:
    from distributed import LocalCluster, Security

    # Whoever reaches a scheduler can have code run: others on this machine have no certificate.
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        security=Security.temporary(),
        silence_logs=logging.CRITICAL,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the library says of lost workers, which are replaced, and of large tasks."""
    import dask

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    former = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with (
            dask.config.set(
                {
                    "distributed.admin.large-graph-warning-threshold": "1GB",
                    "distributed.comm.retry.count": 2,
                    # A killed worker starts slowly on a busy machine, and is not given up meanwhile.
                    "distributed.deploy.lost-worker-timeout": "10 minutes",
                }
            ),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:
        for name, level in former.items():
            logging.getLogger(name).setLevel(level)
