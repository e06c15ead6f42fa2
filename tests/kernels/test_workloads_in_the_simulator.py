"""Both versions of each workload, run reduced through Numba's simulator, against the NumPy reference."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kernels

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("simulate_workload.py")


@pytest.mark.parametrize("workload", kernels.workloads(), ids=lambda workload: workload.name)
def test_both_versions_agree_with_the_reference(workload: kernels.Workload) -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), workload.name],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report) == {"first", "improved"}
    for version, deviations in report.items():
        for output, deviation in deviations.items():
            assert deviation <= workload.tolerance, f"{output} of the {version} version is off by {deviation}"
