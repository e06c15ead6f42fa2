"""Commands whose work a cluster does: what they print is what they print without it, byte for byte."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace

import pytest
from program_in_process import run_advisor

from advisor.runs.tuning import search
from advisor.runs.tuning.numbers import tuning_numbers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the simulated driver needs Linux")

KERNELS = """\
import numpy as np
from numba import cuda

THREADS = 33


@cuda.jit
def scale(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * x[i] / 2.0


@cuda.jit
def never_launched(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


def workload():
    x = cuda.to_device(np.arange(3000, dtype=np.float32))
    out = cuda.device_array_like(x)
    scale[(x.size + THREADS - 1) // THREADS, THREADS](x, out)
    return out.copy_to_host()


def workload_that_fails():
    raise ValueError(f"no data beside {__file__}")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / ".git").mkdir()
    (folder / "kernels.py").write_text(KERNELS)
    return folder


def both(project, cluster, *argv, **more):
    """What a command does by itself and by the cluster, each with nothing kept."""
    found = []
    for extra in ((), ("--cluster", cluster.scheduler_address)):
        shutil.rmtree(project / ".advisor", ignore_errors=True)
        found.append(run_advisor(project, *argv, *extra, **more))
    return found


def test_check_with_simulation_and_made_up_launches(project, cluster):
    here, there = both(project, cluster, "check", ".", "--format", "json", synthesis=True)
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
    assert f"no data beside {project / 'kernels.py'}" in there.stdout
    assert '"source": "synthesised"' in there.stdout and '"source": "simulated"' in there.stdout
    # The record is kept as if it had been made here.
    again = run_advisor(project, "check", ".", "--format", "json", "--evidence", "simulated")
    assert again.returncode == here.returncode


def test_tune(project, cluster, monkeypatch):
    few = replace(tuning_numbers(), one_axis=(64, 128), register_limits=(32,))
    monkeypatch.setattr(search, "tuning_numbers", lambda: few)
    argv = ("tune", "kernels.py::scale", "--format", "json", "--seconds", "600")
    (project / "kernels.py").write_text(KERNELS.partition("\n\ndef workload_that_fails")[0] + "\n")
    here, there = both(project, cluster, *argv)
    (project / "kernels.py").write_text(KERNELS)
    assert (there.returncode, there.stdout) == (0, here.stdout), there.stderr
    assert [one["outcome"] for one in json.loads(there.stdout)["trials"]].count("equal") >= 3


def test_verify_and_profile(project, cluster):
    (project / "kernels.py").write_text(KERNELS.partition("\n\ndef workload_that_fails")[0] + "\n")
    here, there = both(project, cluster, "verify", "kernels.py", "--simulate")
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    assert "scale" in there.stdout
    here, there = both(project, cluster, "profile", ".", "--simulate", "--no-store")
    (project / "kernels.py").write_text(KERNELS)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    assert "scale" in there.stdout


def test_no_run_holds_on_workers_too(tmp_path, cluster):
    (tmp_path / ".git").mkdir()
    mark = tmp_path / "ran"
    text = KERNELS.replace("def workload():\n", f"def workload():\n    open({str(mark)!r}, 'w').close()\n")
    (tmp_path / "kernels.py").write_text(f"open({str(mark)!r}, 'w').close()\n{text}")
    address = ("--cluster", cluster.scheduler_address)
    for argv in (("--no-run",), ("--evidence", "compiled")):
        done = run_advisor(tmp_path, "check", ".", *argv, *address)
        assert done.returncode in (0, 1), done.stderr
        assert not mark.exists()
    run_advisor(tmp_path, "check", ".", *address)
    assert mark.exists()


def test_what_a_cluster_is_not_asked_for(project, cluster, monkeypatch):
    from advisor.evidence.simulated.launches.recording import gpu_launches

    monkeypatch.setattr(gpu_launches, "gpu_name", lambda: "a GPU")
    done = run_advisor(project, "profile", ".", "--cluster", cluster.scheduler_address)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is measured on the GPU of this machine; add --simulate to predict" in done.stderr
