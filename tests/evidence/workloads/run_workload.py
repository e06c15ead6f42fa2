"""Prints how far a workload's two versions are from its reference, as JSON, and keeps what they gave.

    run_workload.py NAME SCALE FOLDER

Under `advisor run` on the SIMT machine, with NUMBA_ENABLE_CUDASIM=1 on Numba's simulator.
"""

import importlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np


def deviation(found: np.ndarray, expected: np.ndarray) -> float:
    if found.shape != expected.shape:
        raise ValueError(f"The result has the shape {found.shape}, the reference {expected.shape}.")
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def main(name: str, scale: str, folder: str) -> None:
    warnings.simplefilter("error")
    # A reduced grid is small for any GPU.
    warnings.filterwarnings("ignore", "Grid size")
    warnings.filterwarnings("ignore", "Host array used in CUDA kernel")
    workload = importlib.import_module(f"kernels.{name}").WORKLOAD
    inputs = workload.make_inputs(scale)
    untouched = {key: array.copy() for key, array in inputs.items()}
    expected = workload.reference(inputs)
    report: dict[str, dict[str, float]] = {}
    for version, run in (("first", workload.run_first), ("improved", workload.run_improved)):
        found = run(inputs)
        if found.keys() != expected.keys():
            raise ValueError(f"The results are {sorted(found)}, the reference has {sorted(expected)}.")
        np.savez(Path(folder) / f"{name}-{version}-{scale}.npz", **found)
        report[version] = {key: deviation(found[key], expected[key]) for key in expected}
    for key, array in untouched.items():
        np.testing.assert_array_equal(array, inputs[key])
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
