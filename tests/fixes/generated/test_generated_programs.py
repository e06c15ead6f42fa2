"""Every safe fix applied to generated programs: they print the same, and leave the same arrays.

`benchmarks/fixes/safe_fixes.py` does the same with thousands of programs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from generated_programs import program
from safe_fixes import SAFE, Losses
from simulated_runs import SimulatedRuns

PROGRAMS = 60
# In how many of the programs each fix is applied at least; a new safe fix needs a number of its own.
LEAST = {"device-arrays-once": 20, "barrier-after-exit": 8, "bounds-check": 4, "pad-shared-tile": 1}


def test_no_safe_fix_loses_data(tmp_path: Path, simulated: SimulatedRuns) -> None:
    losses = Losses(tmp_path, simulated)
    assert losses.of([program(seed) for seed in range(PROGRAMS)]) == []
    assert {fix: losses.programs[fix] >= least for fix, least in LEAST.items()} == dict.fromkeys(LEAST, True)


def test_each_safe_fix_is_counted() -> None:
    assert set(LEAST) == {fix.id for fix in SAFE}


PROGRAM = """
import numpy as np
from numba import cuda


@cuda.jit
def add(a, b):
    i = cuda.grid(1)
    if i < b.size:
        b[i] += a[i]


def main(given):
    a, b = np.ones(2048, np.float32), np.zeros(2048, np.float32)
    add[8, 256](a, b)
    print(b[0])
    return [a, b]
"""


def test_what_a_program_does_is_found_out(simulated: SimulatedRuns) -> None:
    text = Path(__file__).with_name("program_outcome.py").read_text()
    printed, (a, b) = simulated.call(text, "outcome", PROGRAM)
    assert printed == "1.0\n"
    np.testing.assert_array_equal(a, b)
    # Kernels that are written alike are the same one, others are not.
    assert simulated.call(text, "outcome", PROGRAM.replace("print(b", "print(2 * b"))[0] == "2.0\n"
    assert simulated.call(text, "outcome", PROGRAM.replace("+= a[i]", "+= 3 * a[i]"))[0] == "3.0\n"


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        ("+= 2 * a[i]", "printed"),
        ("+= a[i] if i < 9 else 0", "other arrays"),
        ("+= nothing[i]", "nothing"),
        ("+= a[i] + 0", None),
    ],
)
def test_a_loss_is_seen(tmp_path: Path, simulated: SimulatedRuns, after: str, lost: str | None) -> None:
    found = Losses(tmp_path, simulated)._difference(PROGRAM, PROGRAM.replace("+= a[i]", after))
    assert found is None if lost is None else lost in str(found)
