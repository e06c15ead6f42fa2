"""Both versions of each workload on Numba's simulator and on the SIMT machine, against the reference."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kernels

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(__file__).with_name("run_workload.py")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the simulated driver needs Linux")
WORKLOADS = pytest.mark.parametrize("workload", kernels.workloads(), ids=lambda workload: workload.name)


def deviations(workload: kernels.Workload, scale: str, folder: Path, simulator: bool) -> dict[str, float]:
    """How far the outputs lie from the reference, by version and name; the outputs are in the folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    # Its launches are recorded where it lies: not in the checkout, whose kernels other tests look at.
    script = shutil.copy(SCRIPT, folder)
    program = [str(script), workload.name, scale, str(folder)]
    if simulator:
        environment["NUMBA_ENABLE_CUDASIM"] = "1"
    else:
        program[:0] = ["-m", "advisor", "run"]
    done = subprocess.run(
        [sys.executable, *program],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report) == {"first", "improved"}
    return {f"{name} {output}": far for name, one in report.items() for output, far in one.items()}


@WORKLOADS
def test_the_simulator_the_machine_and_the_reference_agree(
    workload: kernels.Workload, tmp_path: Path
) -> None:
    found = {}
    for place, simulator in (("simulator", True), ("machine", False)):
        (tmp_path / place).mkdir()
        far = deviations(workload, "reduced", tmp_path / place, simulator)
        assert max(far.values()) <= workload.tolerance, (place, far)
        for file in sorted((tmp_path / place).glob("*.npz")):
            found.setdefault(file.name, []).append(np.load(file))
    assert len(found) == 2
    for one, other in found.values():
        for name in one.files:
            assert one[name].dtype == other[name].dtype
            if one[name].dtype.kind == "f":
                # The simulator calculates some float32 sums with 64 bits.
                largest = np.max(np.abs(one[name]))
                assert np.max(np.abs(one[name] - other[name])) <= workload.tolerance * largest
            else:
                np.testing.assert_array_equal(one[name], other[name])


@WORKLOADS
def test_the_machine_agrees_with_the_reference_at_full_size(
    workload: kernels.Workload, tmp_path: Path
) -> None:
    far = deviations(workload, "full", tmp_path, simulator=False)
    assert max(far.values()) <= workload.tolerance, far
