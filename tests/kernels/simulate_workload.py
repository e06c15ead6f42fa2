"""Prints how far a workload's two versions are from its reference, as JSON; needs NUMBA_ENABLE_CUDASIM=1."""

import importlib
import json
import sys
import warnings

import numpy as np


def deviation(found: np.ndarray, expected: np.ndarray) -> float:
    if found.shape != expected.shape:
        raise ValueError(f"The result has the shape {found.shape}, the reference {expected.shape}.")
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def main(name: str) -> None:
    warnings.simplefilter("error")
    workload = importlib.import_module(f"kernels.{name}").WORKLOAD
    inputs = workload.make_inputs("reduced")
    untouched = {key: array.copy() for key, array in inputs.items()}
    expected = workload.reference(inputs)
    report: dict[str, dict[str, float]] = {}
    for version, run in (("first", workload.run_first), ("improved", workload.run_improved)):
        found = run(inputs)
        if found.keys() != expected.keys():
            raise ValueError(f"The results are {sorted(found)}, the reference has {sorted(expected)}.")
        report[version] = {key: deviation(found[key], expected[key]) for key in expected}
    for key, array in untouched.items():
        np.testing.assert_array_equal(array, inputs[key])
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
