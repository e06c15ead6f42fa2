"""A cluster that is reached with certificates: with its own work is done, with any other nobody gets in."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from conftest import left_to_garbage
from program_in_process import run_advisor
from work_on_workers import length

from advisor.model.processes.units_of_work import Task
from advisor.runs.fleet.opening import opened

if shutil.which("openssl") is None:
    pytest.skip("there is no openssl here to make a certificate with", allow_module_level=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificate of the cluster and one of somebody else's."""
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("own", "other"):
        subprocess.run(
            ["openssl", "req", "-new", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=IP:127.0.0.1", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt")],
            check=True, capture_output=True,
        )  # fmt: skip
    return folder


def configured(folder: Path, name: str) -> AbstractContextManager[object]:
    """Dask's configuration with the certificate of that name, as its files and variables give it."""
    import dask

    said = {"distributed.comm.tls.ca-file": str(folder / f"{name}.crt")}
    for who in ("scheduler", "worker", "client"):
        said[f"distributed.comm.tls.{who}.cert"] = str(folder / f"{name}.crt")
        said[f"distributed.comm.tls.{who}.key"] = str(folder / f"{name}.key")
    return dask.config.set(said)


@pytest.fixture(scope="module")
def address(certificates: Path) -> Iterator[str]:
    """The address of a scheduler that has one worker and speaks TLS only."""
    from distributed import LocalCluster, Security

    with left_to_garbage():
        with configured(certificates, "own"):
            security = Security(require_encryption=True)
        with LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", security=security
        ) as cluster:
            yield cluster.scheduler_address


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.py").write_text("from numba import cuda\n\n\n@cuda.jit\ndef f(x):\n    x[0] = 1\n")
    return tmp_path


def test_work_is_done_with_the_certificate_of_the_cluster(address: str, certificates: Path) -> None:
    assert address.startswith("tls://")
    with left_to_garbage(), configured(certificates, "own"), opened(address) as executor:
        assert executor is not None
        assert executor.result(Task("length-of-five", length, (b"12345",))) == 5


@pytest.mark.parametrize(
    ("certificate", "said"),
    [("other", "TLS certificate does not match"), (None, "TLS expects"), ("plain", "")],
    ids=["somebody else's certificate", "no certificate", "no encryption"],
)
def test_nobody_else_gets_in(
    address: str,
    certificates: Path,
    kernels: Path,
    monkeypatch: pytest.MonkeyPatch,
    certificate: Any,
    said: str,
) -> None:
    monkeypatch.setattr("advisor.runs.fleet.opening._CONNECT_SECONDS", 3)
    asked = address.replace("tls:", "tcp:") if certificate == "plain" else address
    argv = ("check", "k.py", "--evidence", "source", "--cluster", asked)
    with configured(certificates, "other") if certificate == "other" else nullcontext():
        done = run_advisor(kernels, *argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"advisor: error: --cluster {asked}: no scheduler answers there (")
    assert said in done.stderr and "Traceback" not in done.stderr
