"""The process that runs programs before and after a fix."""

from __future__ import annotations

import numpy as np
import pytest
from fixing import fixed
from simulated_runs import SimulatedRuns

SOURCE = """
import numpy as np
from numba import cuda

@cuda.jit
def twice(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] ** 2.0

def run(a):
    print("noise")
    out = np.zeros_like(a)
    twice[4, 32](a, out)
    return out

def broken(a):
    raise ValueError("no")
"""


def test_it_calls_functions_and_tells_errors(simulated: SimulatedRuns) -> None:
    a = np.arange(100.0)
    np.testing.assert_allclose(simulated.call(SOURCE, "run", a), a * a, rtol=1e-15)
    with pytest.raises(RuntimeError, match="ValueError: no"):
        simulated.call(SOURCE, "broken", a)
    np.testing.assert_allclose(simulated.call(SOURCE, "run", 2 * a), 4 * a * a, rtol=1e-15)


def test_one_fix_is_applied_until_it_has_nothing_to_say(tmp_path, simulated: SimulatedRuns) -> None:
    after = fixed(tmp_path, "power-to-product", SOURCE)
    assert "out[i] = a[i] * a[i]" in after
    a = np.arange(100.0)
    assert simulated.call(after, "run", a).tolist() == (a * a).tolist()
    assert fixed(tmp_path, "drop-debug-options", SOURCE) == SOURCE.lstrip("\n")
