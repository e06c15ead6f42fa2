"""Launches as they are noted on a GPU, tried on the simulated driver, whose events are the host's clock."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

PROGRAM = """
import json, sys
from advisor.model.devices import find_device
from advisor.evidence.simulated.driver.device_properties import device_properties
from advisor.evidence.simulated.driver.install import install
from advisor.evidence.simulated.launches.recording.gpu_launches import GpuLaunches
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor

device = find_device("A100")
install(SimtExecutor(device, lambda outcome: None, Limits(threads=1)), device_properties(device))
found, calls = [], []
launches = GpuLaunches(found.append, [])
launches.install()

import warnings
warnings.simplefilter("ignore")
import numpy as np
from numba import cuda
from numba.cuda.cudadrv import driver

for name in ("cuMemcpyHtoD", "cuMemcpyHtoDAsync", "cuMemcpyDtoH", "cuMemcpyDtoHAsync", "cuEventRecord"):
    def noted(*arguments, name=name, original=getattr(driver.driver, name)):
        calls.append(name[:12])
        return original(*arguments)
    setattr(driver.driver, name, noted)

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

x = np.ones(100, np.float32)
double[4, 32](x)
assert x.sum() == 200
device_x = cuda.to_device(x)
double[2, 64](device_x)
launches.finish()
notes = [[one.note.function, one.note.grid, one.note.block, one.note.order, one.seconds] for one in found]
json.dump({"notes": notes, "calls": calls}, sys.stdout)
"""


def told() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_each_launch_is_noted_with_its_time_and_copies_lie_outside_of_the_events():
    found = told()
    notes = [tuple(one[:4]) for one in found["notes"]]
    assert notes == [("double", [4, 1, 1], [32, 1, 1], 1), ("double", [2, 1, 1], [64, 1, 1], 2)]
    assert all(0.0 <= one[4] < 60.0 for one in found["notes"])
    # The array goes to the device before the first event, and back after the second.
    launch = ["cuEventRecor", "cuEventRecor"]
    assert found["calls"] == ["cuMemcpyHtoD", *launch, "cuMemcpyDtoH", "cuMemcpyHtoD", *launch]
