"""Sums in global memory become sums in a register: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "accumulate-in-register"
HEAD = "import numpy as np\nfrom numba import cuda\n\n\n"


def kernel(body: str, parameters: str = "a, out, n") -> str:
    return (
        f"{HEAD}@cuda.jit\ndef k({parameters}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    )


CHANGES = {
    "from the element": (
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            for j in range(n):
                out[i] += a[i, j]  # row
                # behind
            n = 0
        """,
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = out[i]
            for j in range(n):
                total += a[i, j]  # row
                # behind
            out[i] = total
            n = 0
        """,
    ),
    "from a constant, two loops, a condition on the data": (
        """
        i = cuda.grid(1)
        if i >= out.shape[0]:
            return
        out[i] = 0.0
        half = n / 2
        for j in range(n):
            for k in range(n):
                if a[i, j, k] > 0.5:
                    out[ i] -= a[i, j, k]
        """,
        """
        i = cuda.grid(1)
        if i >= out.shape[0]:
            return
        out[i] = 0.0
        half = n / 2
        total = out[ i]
        for j in range(n):
            for k in range(n):
                if a[i, j, k] > 0.5:
                    total -= a[i, j, k]
        out[ i] = total
        """,
    ),
    "an element is read that no thread adds to, a grid's width on": (
        """
        i = cuda.grid(1)
        if i + cuda.gridsize(1) < out.shape[0]:
            for j in range(n):
                out[i] += a[i, j] * out[i + cuda.gridsize(1)]
        """,
        """
        i = cuda.grid(1)
        if i + cuda.gridsize(1) < out.shape[0]:
            total = out[i]
            for j in range(n):
                total += a[i, j] * out[i + cuda.gridsize(1)]
            out[i] = total
        """,
    ),
    "the element is read as well, the loop ends early": (
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = 1
            for j in range(n):
                out[i] *= a[i, j]
                if out[i] > out.shape[0]:
                    break
        """,
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = 1
            product = out[i]
            for j in range(n):
                product *= a[i, j]
                if product > out.shape[0]:
                    break
            out[i] = product
        """,
    ),
    "the loop that keeps the index": (
        """
        total = 0
        for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
            for j in range(n):
                out[i] += a[i, j]
        """,
        """
        total = 0
        for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
            total_2 = out[i]
            for j in range(n):
                total_2 += a[i, j]
            out[i] = total_2
        """,
    ),
    "earlier elements of the array": (
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            for k in range(3):
                before = n - 1 - k
                if before >= 0:
                    out[i, n] += a[k] * out[i, before]
        """,
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = out[i, n]
            for k in range(3):
                before = n - 1 - k
                if before >= 0:
                    total += a[k] * out[i, before]
            out[i, n] = total
        """,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_sums_become_local(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after)


SAME = {
    "a counter that falls behind": """
        i = cuda.grid(1)
        first = 0
        last = 0
        for k in range(n):
            first += 1
            if a[i, k] < 0:
                continue
            last += 1
            for j in range(n):
                out[i, first] += out[i, last + 1] * a[i, j]
        """,
    "the index changes": "i = cuda.grid(1)\nfor j in range(n):\n    out[i] += a[j]\n    i += 1",
    "one element of all threads": "for j in range(n):\n    out[0] += a[j]",
    "a neighbour's sum is read": "i = cuda.grid(1)\nfor j in range(n):\n    out[i] += out[j]",
    "a neighbour's sum, in a name": (
        "i = cuda.grid(1)\nfor j in range(n):\n    k = i - j\n    out[i] += out[k] * a[j]"
    ),
    "the array goes elsewhere": "i = cuda.grid(1)\nfor j in range(n):\n    out[i] += a[j]\n    f(out)",
    "a return in the loop": (
        "i = cuda.grid(1)\nfor j in range(n):\n    out[i] += a[j]\n    if a[j] < 0:\n        return"
    ),
    "a guard in the loop": "i = cuda.grid(1)\nfor j in range(n):\n    if i < n:\n        out[i] += a[j]",
    "a guard's name in the loop": (
        "i = cuda.grid(1)\ninside = i < n\nfor j in range(n):\n    if inside:\n        out[i] += a[j]"
    ),
    "a barrier in the loop": (
        "i = cuda.grid(1)\nfor j in range(n):\n    out[i] += a[j]\n    cuda.syncthreads()"
    ),
    "while the loop may not run": "i = cuda.grid(1)\nwhile a[i] > 0:\n    out[i] += a[i]",
    "another operator": "i = cuda.grid(1)\nfor j in range(n):\n    out[i] //= a[j]",
    "the index is an element": "i = cuda.grid(1)\nfor j in range(n):\n    out[a[i]] += 1.0",
}


# The rule does not fire on these.
SILENT = {"the index changes"}


@pytest.mark.parametrize("name", SAME)
def test_other_sums_stay(tmp_path: Path, name: str) -> None:
    assert (name in SILENT) != bool(
        {"global-accumulation-in-loop"}
        & {one.rule for one in report_on(tmp_path, kernel(SAME[name])).findings}
    )
    assert fixed(tmp_path, FIX, kernel(SAME[name])) == kernel(SAME[name])


PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def smooth(image, mask, out):
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        out[i, j] = 0.0
        for di in range(mask.shape[0]):
            for dj in range(mask.shape[1]):
                y = i + di - mask.shape[0] // 2
                x = j + dj - mask.shape[1] // 2
                if y >= 0 and y < image.shape[0] and x >= 0 and x < image.shape[1]:
                    out[i, j] += image[y, x] * mask[di, dj]

def run(image, mask):
    image, mask = cuda.to_device(image), cuda.to_device(mask)
    out = cuda.device_array(image.shape, dtype=np.float32)
    grid = ((image.shape[0] + 7) // 8, (image.shape[1] + 7) // 8)
    smooth[grid, (8, 8)](image, mask, out)
    return out.copy_to_host()
"""


def test_the_type_of_the_array_is_that_of_the_launches(tmp_path: Path) -> None:
    after = fixed(tmp_path, FIX, PROGRAM)
    assert "        total = np.float32(0.0)\n" in after and "out[i, j] = 0.0" not in after
    either = PROGRAM + "\ndef other(a, b):\n    smooth[1, (8, 8)](a, a, b)\n"
    assert "        out[i, j] = 0.0\n        total = out[i, j]\n" in fixed(tmp_path, FIX, either)
    wide = PROGRAM.replace("dtype=np.float32", "dtype='float64'")
    assert "total = np.float64(0.0)" in fixed(tmp_path, FIX, wide)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 19), st.integers(1, 13), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(
    simulated: SimulatedRuns, after: str, height: int, width: int, side: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    image = random.standard_normal((height, width), dtype=np.float32)
    mask = random.standard_normal((side, side), dtype=np.float32)
    assert after != PROGRAM.lstrip("\n")
    expected = simulated.call(PROGRAM, "run", image, mask)
    np.testing.assert_allclose(simulated.call(after, "run", image, mask), expected, rtol=1e-6, atol=1e-6)


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fixed(tmp_path_factory.mktemp("after"), FIX, PROGRAM)
