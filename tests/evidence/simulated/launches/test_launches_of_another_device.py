"""Launches simulated for one device and looked at for another: counts hold, caches and times do not."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from advisor.evidence.metrics.derived import derive_all
from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.evidence import LaunchEvidence, launch_evidence
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.model.devices import find_device
from advisor.model.records import Record

HEAD = """\
import numpy as np
from numba import cuda


@cuda.jit
def add(a, o):
    i = cuda.grid(1)
    if i < o.size:
        o[i] = a[i] + 1


def launch(n):
    a, o = (cuda.to_device(np.zeros(n, np.float64)) for _ in range(2))
    add[(n + 255) // 256, 256](a, o)


"""
# 2 x 4 MiB: more than the 6 MiB of L2 of an RTX 3090, less than the 40 MiB of an A100.
LAUNCH = "launch(1 << 19)\n"
CACHED = ("l1_hit_rate", "l2_hit_rate", "l2_sectors", "loads_past_l1", "loads_past_l2")


@pytest.fixture
def simulated_for(advise, project, script):
    """A function that runs the program for a device."""

    def run(device: str) -> None:
        script(LAUNCH, head=HEAD)
        done = advise("run", "--device", device, "main.py", cwd=project)
        assert done.status == 0, done.err

    return run


def evidence(project: Path, device_name: str) -> LaunchEvidence:
    device = find_device(device_name)
    texts = {"main.py": (project / "main.py").read_text()}
    store = LaunchStore(project)
    found = launch_evidence(store, project, device, texts, partial(launch_weight, device=device))
    store.close()
    return found


def kernel_on(project: Path, device_name: str) -> Record:
    """The kernel with what follows from its counts for a device."""
    kernel, *_ = evidence(project, device_name).records
    kernel.know("compiled", registers=16.0, shared_bytes=0.0)
    derive_all([kernel], find_device(device_name))
    return kernel


@pytest.mark.parametrize("other", ["a100-80gb", "t4"])
def test_counts_hold_for_another_device_but_no_time_does(simulated_for, project, other):
    simulated_for("rtx-3090")
    kernel = kernel_on(project, other)
    # 2^19 elements of 8 bytes lie in 2^17 sectors, loaded once and stored once.
    assert kernel.value("l1_sectors") == 2 * 2**17
    assert kernel.value("global_sectors_per_request") == 8.0
    assert {name: kernel.value(name) for name in CACHED} == dict.fromkeys(CACHED)
    assert kernel.value("predicted_ms") is None
    assert kernel.value("time_limiter") is None
    assert kernel.value("launches_as_long") == 1.0


def test_what_is_missing_is_said_with_how_to_get_it(simulated_for, project):
    simulated_for("rtx-3090")
    found = evidence(project, "t4")
    (notice,) = found.notices
    assert "Simulated for rtx-3090" in notice
    assert "`advisor run --device t4 main.py`" in notice
    assert notice in found.records[0].readings["l1_sectors"].assumptions


def test_on_the_device_of_the_record_the_time_has_dram_in_it(simulated_for, project):
    simulated_for("rtx-3090")
    kernel = kernel_on(project, "rtx-3090")
    assert evidence(project, "rtx-3090").notices == []
    assert kernel.value("dram_bytes") == 2 * 2**22
    # 8 MiB at 92% of 936 GB/s
    assert kernel.value("predicted_ms") > 2 * 2**22 / (0.92 * 936e9) * 1e3
    assert kernel.value("time_limiter") == "dram"


def test_the_latest_run_for_the_device_is_taken_before_a_later_one_for_another(simulated_for, project):
    simulated_for("a100-80gb")
    simulated_for("t4")
    for device in ("a100-80gb", "t4"):
        assert kernel_on(project, device).value("predicted_ms") is not None
        assert evidence(project, device).notices == []


def test_a_run_of_older_code_is_not_taken_for_its_device(simulated_for, project, advise):
    simulated_for("a100-80gb")
    file = project / "main.py"
    file.write_text(file.read_text().replace("a[i] + 1", "a[i] + 2"))
    assert advise("run", "--device", "t4", "main.py", cwd=project).status == 0
    assert kernel_on(project, "a100-80gb").value("predicted_ms") is None
    assert len(evidence(project, "a100-80gb").notices) == 1


def test_a_kernel_without_accesses_has_its_time_on_any_device(advise, project, script):
    script(
        "spin[80, 256](7)\n",
        head=(
            "from numba import cuda\n\n\n@cuda.jit\ndef spin(n):\n    for _ in range(n):\n"
            "        cuda.syncthreads()\n\n\n"
        ),
    )
    assert advise("run", "--device", "t4", "main.py", cwd=project).status == 0
    assert kernel_on(project, "a100-80gb").value("predicted_ms") > 0.0


@pytest.mark.parametrize(("device", "known"), [("t4", False), ("rtx-3090", True)])
def test_what_a_kernel_waits_for_is_said_only_where_its_traffic_is_known(
    simulated_for, project, advise, device, known
):
    simulated_for("rtx-3090")
    done = advise("explain", "main.py::add", "--device", device, "--format", "json", cwd=project)
    bound = json.loads(done.out)["bound"]
    assert (bound["time_ms"] is not None, bool(bound["parts"])) == (known, known)
    assert ("is not known: simulate it" in (bound["reason"] or "")) != known
