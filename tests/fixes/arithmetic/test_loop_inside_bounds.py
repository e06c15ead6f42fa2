"""Questions of a loop's counter become bounds of the loop: forms, what is left alone, equal results."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "loop-inside-bounds"
HEAD = "import numpy as np\nfrom numba import cuda\n\nR = 4\n\n\n"
RUN = """

def run(a, w, n):
    out = cuda.to_device(np.zeros(a.shape))
    k[(3, 3), (8, 8)](cuda.to_device(a), cuda.to_device(w), n, out)
    return out.copy_to_host()
"""


def kernel(body: str) -> str:
    inner = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    return (
        f"{HEAD}@cuda.jit\ndef k(a, w, n, out):\n    j, i = cuda.grid(2)\n"
        f"    if i < a.shape[0] and j < a.shape[1]:\n        total = 0.0\n{inner}\n"
        f"        out[i, j] = total\n{RUN}"
    )


CHANGES = {
    "a window, counted by the index itself": (
        """
        for di in range(-R, R):
            for dj in range(-R, R):
                y = i + di
                x = j + dj
                if y >= 0 and y < a.shape[0] and x >= 0 and x < a.shape[1]:
                    total += a[y, x]
        """,
        """
        y_end = min(i + R, a.shape[0])
        y = max(i - R, 0)
        while y < y_end:
            x_end = min(j + R, a.shape[1])
            x = max(j - R, 0)
            while x < x_end:
                total += a[y, x]
                x += 1
            y += 1
        """,
    ),
    "the counter is an index as well": (
        """
        for di in range(w.shape[0]):
            for dj in range(w.shape[0]):
                y = i + di - w.shape[0] // 2
                x = j + dj - w.shape[0] // 2
                if y >= 0 and y < a.shape[0]:
                    total += a[y, 0] * w[di] * w[dj]
        """,
        """
        di_end = min(w.shape[0], w.shape[0] // 2 + a.shape[0] - i)
        di = max(w.shape[0] // 2 - i, 0)
        while di < di_end:
            for dj in range(w.shape[0]):
                y = i + di - w.shape[0] // 2
                x = j + dj - w.shape[0] // 2
                total += a[y, 0] * w[di] * w[dj]
            di += 1
        """,
    ),
    "sums compared in a chain, comments, a line that goes on": (
        """
        for k in range(-R, R + 1):  # up and down
            # inside of it
            if 0 <= i + k < a.shape[0] and \\
                    (0 <= j - k < a.shape[1]):  # the diagonal
                # once
                total += a[i + k, j - k]
                # and that is all
        """,
        """
        k_end = min(R + 1, a.shape[0] - i, j + 1)
        k = max(-R, -i, j - a.shape[1] + 1)
        while k < k_end:  # up and down
            # inside of it
            # the diagonal
            # once
            total += a[i + k, j - k]
            # and that is all
            k += 1
        """,
    ),
    "a triangle": (
        """
        for q in range(n):
            if q > i and q <= j:
                total += w[q % w.shape[0]] * q
        """,
        """
        q_end = min(n, j + 1)
        q = max(i + 1, 0)
        while q < q_end:
            total += w[q % w.shape[0]] * q
            q += 1
        """,
    ),
    "what asks for something else stays": (
        """
        for dj in range(-R, R):
            x = j + dj
            weight = w[(dj + R) % w.shape[0]]
            if 0 <= x < a.shape[1] and weight > 0 and a[i, x] > total:
                total = weight
        """,
        """
        dj_end = min(R, a.shape[1] - j)
        dj = max(-R, -j)
        while dj < dj_end:
            x = j + dj
            weight = w[(dj + R) % w.shape[0]]
            if weight > 0 and a[i, x] > total:
                total = weight
            dj += 1
        """,
    ),
    "numbers are compared at once": (
        """
        for q in range(2, 20):
            if q >= 3 and 17 > q:
                total += q * i
        """,
        """
        q_end = 17
        q = 3
        while q < q_end:
            total += q * i
            q += 1
        """,
    ),
    "the body leaves the loop, other loops in it go on": (
        """
        q_end = n
        for q in range(R * 3):
            x = q + i
            if x < a.shape[0]:
                for dj in range(3):
                    if dj == 1:
                        continue
                    total += a[x, dj % a.shape[1]]
                if total > q_end:
                    break
        """,
        """
        q_end = n
        x_end = min(i + R * 3, a.shape[0])
        x = i
        while x < x_end:
            for dj in range(3):
                if dj == 1:
                    continue
                total += a[x, dj % a.shape[1]]
            if total > q_end:
                break
            x += 1
        """,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_bounded(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, kernel(before)) == kernel(after).lstrip("\n")


WINDOW = CHANGES["a window, counted by the index itself"][0]
ROW = """
for dj in range(-R, R):
    x = j + dj
    if x >= 0 and x < a.shape[1]:
        total += a[i, x]
"""
KEPT = {
    "something else is done outside": ROW.replace("+= a[i, x]", "+= a[i, x]\n    else:\n        total -= 1"),
    "the loop does more": ROW + "    total += 1\n",
    "the loop does more before": ROW.replace("    x =", "    total += 1\n    x ="),
    "in steps": ROW.replace("(-R, R)", "(-R, R, 2)"),
    "one of two": ROW.replace(" and ", " or "),
    "two alternatives in brackets": ROW.replace("x >= 0 and x <", "(x >= 0 or n > 3) and n <"),
    "another element": ROW.replace("x >= 0 and x < a.shape[1]", "x != j"),
    "the bound changes": ROW.replace("x >= 0 and x < a.shape[1]", "x < n").replace("+= a", "+= n; n -= a"),
    "the array changes": ROW.replace("x >= 0 and", "n > 0 and").replace("+= a[i, x]", "+= a[i, x]; a = w"),
    "a bound that is loaded": ROW.replace("x >= 0 and x < a.shape[1]", "x < w[0]"),
    "a bound that is loaded before": "most = w[0]\n" + ROW.replace("x >= 0 and x < a.shape[1]", "x < most"),
    "a bound that is a float": "most = n / 2\n" + ROW.replace("x >= 0 and x < a.shape[1]", "x < most"),
    "a field of a record": "most = w[0]\n" + ROW.replace("x >= 0 and x < a.shape[1]", "x < most.n"),
    "the counter is read behind the loop": ROW + "total += dj\n",
    "the index is read behind the loop": ROW + "total += x\n",
    "the body counts": ROW.replace("+= a[i, x]", "+= a[i, x]\n        dj += 1"),
    "the count would be left out": ROW.replace("+= a", "+= 1\n        if i: continue\n        total += a"),
    "few iterations": ROW.replace("(-R, R)", "(-2, 3)"),
    "a call that may do more": ROW.replace("x = j", "old = cuda.atomic.add(out, 0, 1)\n    x = j"),
    "twice the counter": ROW.replace("j + dj", "dj + dj"),
    "a product": ROW.replace("j + dj", "j * dj"),
    "a quotient": ROW.replace("j + dj", "(j + dj) // 2"),
    "no counter": ROW.replace("j + dj", "j + i"),
    "an array, not a range": ROW.replace("range(-R, R)", "w"),
    "a while loop": "dj = -R\n" + ROW.replace("for dj in range(-R, R):", "while dj < R:") + "    dj += 1\n",
    "a range of one's own": "range = w\n" + ROW,
    "a maximum of one's own": "max = n\n" + ROW,
    "a text over several lines": ROW.replace("+= a[i, x]", "+= len('''\n''')"),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    before = kernel(KEPT[name])
    assert fixed(tmp_path, FIX, before) == before.lstrip("\n")


@pytest.mark.parametrize("given", ["2.5", "np.float32(3)"])
def test_a_float_of_a_launch_is_no_bound(tmp_path: Path, given: str) -> None:
    text = kernel(ROW.replace("x >= 0 and x < a.shape[1]", "x < n"))
    assert "while" in fixed(tmp_path, FIX, text.replace("to_device(w), n", "to_device(w), 7"))
    before = text.replace("to_device(w), n", f"to_device(w), {given}")
    assert fixed(tmp_path, FIX, before) == before.lstrip("\n")


@pytest.mark.parametrize("name", CHANGES)
@given(
    shape=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    width=st.integers(1, 9),
    n=st.integers(-1, 30),
    seed=st.integers(0, 99),
)
@settings(max_examples=3, deadline=None)
def test_same_results(
    simulated: SimulatedRuns, name: str, shape: tuple[int, int], width: int, n: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    a, w = random.standard_normal(shape), random.standard_normal(width)
    before, after = (simulated.call(kernel(text), "run", a, w, n) for text in CHANGES[name])
    np.testing.assert_array_equal(before, after)


def test_the_window_is_that_of_its_definition(simulated: SimulatedRuns) -> None:
    a = np.arange(30.0).reshape(5, 6)
    found = simulated.call(kernel(CHANGES["a window, counted by the index itself"][1]), "run", a, a[0], 0)
    want = [[a[max(i - 4, 0) : i + 4, max(j - 4, 0) : j + 4].sum() for j in range(6)] for i in range(5)]
    np.testing.assert_array_equal(found, want)
