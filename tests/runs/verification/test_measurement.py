"""Versions timed in pairs. The simulated GPU stands for a real one: its own time is what is measured here."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.runs.verification.measurement import MeasurementFailed, measured_pairs

SOURCE = """\
import numpy as np
from numba import cuda

print("noise")

@cuda.jit
def rows(a, n):
    i = cuda.grid(1)
    for _ in range(n):
        a[i] += 1.0

def workload():
    rows[64, 128](cuda.device_array(64 * 128, np.float32), 50)
"""
WORKLOAD = WorkloadFunction("k.py", "workload", 11)


def pairs(folder: Path, before: str, after: str, kernels=("rows",)):
    (folder / "k.py").write_text(SOURCE)
    versions = ({"k.py": before}, {"k.py": after})
    return measured_pairs(folder, versions, WORKLOAD, kernels, "a100-80gb", 60.0, gpu=False)


def test_the_longer_loop_takes_longer(tmp_path: Path) -> None:
    found = pairs(tmp_path, SOURCE.replace(", 50)", ", 20_000)"), SOURCE)
    assert len(found.before) == len(found.after) == found.ratio.pairs == 20
    assert found.ratio.low > 1.0


WRONG = [
    (SOURCE.replace("rows[64", "raise ValueError('no'); rows[64"), "ValueError: no"),
    (SOURCE.replace("rows[64", "import os; os._exit(3); rows[64"), "its process ended"),
    (SOURCE.replace("rows", "columns"), "no launch of the kernel was timed"),
]


@pytest.mark.parametrize(("after", "said"), WRONG)
def test_a_version_that_cannot_be_timed(tmp_path: Path, after: str, said: str) -> None:
    with pytest.raises(MeasurementFailed, match=said):
        pairs(tmp_path, SOURCE, after)
