"""Programs whose blocks race in global memory, as `check` says it, and programs whose blocks do not."""

from __future__ import annotations

import textwrap

import pytest

HEAD = """\
import numpy as np
from numba import cuda, float32, int32

"""
WRONG = {
    "a stencil in place": (
        """
        @cuda.jit
        def smooth(a):
            i = cuda.grid(1)
            if 0 < i < a.size - 1:
                a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3  # hit: global-memory-race

        def workload():
            smooth[8, 32](cuda.to_device(np.arange(256, dtype=np.float32) ** 2))
        """,
        "Thread (0, 0, 0) of block (1, 0, 0) uses an element (load)|another block uses|(store at line 9)",
    ),
    "a sum that the kernel sets to zero": (
        """
        @cuda.jit
        def total(x, out):
            i = cuda.grid(1)
            if i == 0:
                out[0] = 0
            if i < x.size:
                cuda.atomic.add(out, 0, x[i])  # hit: plain-access-beside-atomic

        def workload():
            total[4, 32](np.ones(128, np.float32), np.zeros(1, np.float32))
        """,
        "uses an element (atomic) that another block uses|(store at line 9)",
    ),
    "the last block without a fence": (
        """
        @cuda.jit
        def total(x, parts, done, out):
            i = cuda.grid(1)
            if cuda.threadIdx.x == 0:
                parts[cuda.blockIdx.x] = x[i]
                if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:
                    all_parts = float32(0)
                    for k in range(cuda.gridDim.x):
                        all_parts += parts[k]  # hit: flag-without-fence
                    out[0] = all_parts

        def workload():
            x = np.arange(1, 129, dtype=np.float32)
            total[4, 32](x, np.zeros(4, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32))
        """,
        "of block (3, 0, 0)|stored at line 9",
    ),
}
RIGHT = {
    "a stencil to another array": """
        @cuda.jit
        def smooth(a, b):
            i = cuda.grid(1)
            if 0 < i < a.size - 1:
                b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3

        def workload():
            a, b = (cuda.to_device(np.arange(256, dtype=np.float32) ** 2) for _ in range(2))
            for _ in range(3):
                smooth[8, 32](a, b)
                a, b = b, a
        """,
    "a sum that the host sets to zero": """
        @cuda.jit
        def total(x, out):
            i = cuda.grid(1)
            if i < x.size:
                cuda.atomic.add(out, 0, x[i])

        @cuda.jit
        def scale(x, out):
            i = cuda.grid(1)
            if i < x.size:
                x[i] /= out[0]

        def workload():
            x, out = cuda.to_device(np.ones(128, np.float32)), cuda.to_device(np.zeros(1, np.float32))
            total[4, 32](x, out)
            scale[4, 32](x, out)
        """,
    "the last block": """
        @cuda.jit
        def total(x, parts, done, out):
            i = cuda.grid(1)
            if cuda.threadIdx.x == 0:
                parts[cuda.blockIdx.x] = x[i]
                cuda.threadfence()
                if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:
                    cuda.threadfence()
                    all_parts = float32(0)
                    for k in range(cuda.gridDim.x):
                        all_parts += parts[k]
                    out[0] = all_parts

        def workload():
            x = np.arange(1, 129, dtype=np.float32)
            total[4, 32](x, np.zeros(4, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32))
        """,
    "steps between barriers of the grid": """
        @cuda.jit
        def smooth(a, b):
            i = cuda.grid(1)
            grid = cuda.cg.this_grid()
            for _ in range(3):
                b[i] = a[max(i - 1, 0)] + a[min(i + 1, 127)]
                grid.sync()
                a[i] = b[i]
                grid.sync()

        def workload():
            smooth[4, 32](np.arange(128, dtype=np.float32), np.zeros(128, np.float32))
        """,
}
RACES = "global-memory-race,plain-access-beside-atomic,flag-without-fence,shared-memory-race"


def program(text):
    return HEAD + textwrap.dedent(text)


@pytest.mark.parametrize("name", WRONG)
def test_a_race_names_both_places(checked, marked, name):
    text, words = WRONG[name]
    found = checked(program(text), RACES)
    assert found.places == marked(), found.out
    (finding,) = found.findings
    assert all(part in finding["message"] for part in words.split("|")), finding["message"]
    assert finding["severity"] == "warning"


@pytest.mark.parametrize("name", RIGHT)
def test_no_race_where_launches_fences_or_the_grid_order(checked, name):
    found = checked(program(RIGHT[name]), RACES)
    assert found.status == 0, found.out
    assert (found.findings, found.errors) == ([], [])
