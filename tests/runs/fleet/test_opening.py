"""`--cluster` with addresses at which no work is done: one sentence within seconds, and status 2."""

from __future__ import annotations

import socket
import sys
import time

import pytest
from program_in_process import run_advisor

from advisor.runs.fleet import opening
from advisor.runs.fleet.opening import opened


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.py").write_text("from numba import cuda\n\n\n@cuda.jit\ndef f(x):\n    x[0] = 1\n")
    return tmp_path


def test_without_an_address_this_machine_works():
    with opened(None) as executor:
        assert executor is None


@pytest.mark.parametrize("address", ["here", "local", "local:0", "local:-1", "local:two", "tcp://", ":", ""])
def test_what_is_no_address(project, address):
    done = run_advisor(project, "check", "k.py", "--evidence", "source", "--cluster", address)
    assert done.returncode == 2
    assert done.stderr == (
        f"advisor: error: --cluster {address}: this is neither HOST:PORT, SCHEME://HOST:PORT nor local:N.\n"
    )


@pytest.mark.parametrize(
    "argv", [("check", "k.py"), ("verify", "k.py"), ("profile", "k.py"), ("tune", "k.py::f")]
)
def test_without_the_extra(project, monkeypatch, argv):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run_advisor(project, *argv, "--cluster", "local:2")
    assert done.returncode == 2
    assert done.stderr == (
        "advisor: error: --cluster needs dask.distributed: pip install 'kernel-advisor[cluster]'.\n"
    )


@pytest.mark.parametrize(
    ("scheme", "said"), [("tcp", "Timed out"), ("blah", "unknown address scheme"), ("tls", "TLS expects")]
)
def test_where_nobody_answers(project, monkeypatch, scheme, said):
    monkeypatch.setattr(opening, "_CONNECT_SECONDS", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening
        address = f"{scheme}://127.0.0.1:{taken.getsockname()[1]}"
        begin = time.monotonic()
        done = run_advisor(project, "check", "k.py", "--evidence", "source", "--cluster", address)
    assert time.monotonic() - begin < 8.0
    assert done.returncode == 2
    assert done.stderr.startswith(f"advisor: error: --cluster {address}: no scheduler answers there (")
    assert said in done.stderr and "Traceback" not in done.stderr


def test_a_cluster_without_workers(project, monkeypatch):
    from distributed import LocalCluster

    from advisor.runs.fleet import dask_cluster

    monkeypatch.setattr(dask_cluster, "_WORKERS_SECONDS", 0.2)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty:
        address = empty.scheduler_address
        done = run_advisor(project, "check", "k.py", "--evidence", "source", "--cluster", address)
    assert (done.returncode, done.stderr) == (2, f"advisor: error: The cluster {address} has no worker.\n")
