"""Short rows that an outer loop reads again in each iteration, loaded once into a local array."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "row-in-registers"
HEAD = """
import math
import numpy as np
from numba import cuda

ORDER = 5


@cuda.jit
"""
RUN = """

def run(a, weights, x, n):
    out = np.zeros((a.shape[0], n + 1), a.dtype)
    work[(a.shape[0] + 63) // 64, 64](out, weights, x, n)
    return out
"""
STEPS = """
def work(out, weights, x, n):
    i = cuda.grid(1)
    if i < out.shape[0]:
        # Each step has the same weights.
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[i, k] * x[k, step % 7]
"""
STEPS_FIXED = """
def work(out, weights, x, n):
    i = cuda.grid(1)
    if i < out.shape[0]:
        # Each step has the same weights.
        weights_row = cuda.local.array(ORDER, weights.dtype)
        for k in range(ORDER):
            weights_row[k] = weights[i, k]
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights_row[k] * x[k, step % 7]
"""
WHILE = """
def work(out, weights, x, n):
    i = cuda.grid(1)
    weights_row = 2
    if i < out.shape[0]:
        step = 0
        while step < n:
            for k in range(4):
                out[i, step] += math.sqrt(weights[i, k + 1]) + (weights[i, k + 1] > 0.5)
            step += 1
            for k in range(4):
                out[i, step] -= weights[i, k + 1] * weights_row
"""
WHILE_FIXED = """
def work(out, weights, x, n):
    i = cuda.grid(1)
    weights_row = 2
    if i < out.shape[0]:
        step = 0
        weights_row_2 = cuda.local.array(4, weights.dtype)
        for k in range(4):
            weights_row_2[k] = weights[i, k + 1]
        while step < n:
            for k in range(4):
                out[i, step] += math.sqrt(weights_row_2[k]) + (weights_row_2[k] > 0.5)
            step += 1
            for k in range(4):
                out[i, step] -= weights_row_2[k] * weights_row
"""
OUTERMOST = """
def work(out, weights, x, n):
    i = cuda.grid(1)
    if i >= out.shape[0]:
        return
    for again in range(2):
        for step in range(n):
            for k in range(ORDER):
                if k != 2:
                    out[i, step] += x[k, 0] * weights[i, k]
                out[i, step + 1] -= x[k, 0]
"""
OUTERMOST_FIXED = """
def work(out, weights, x, n):
    i = cuda.grid(1)
    if i >= out.shape[0]:
        return
    x_row = cuda.local.array(ORDER, x.dtype)
    for k in range(ORDER):
        x_row[k] = x[k, 0]
    for again in range(2):
        for step in range(n):
            for k in range(ORDER):
                if k != 2:
                    out[i, step] += x_row[k] * weights[i, k]
                out[i, step + 1] -= x_row[k]
"""
LOADED_ONCE = {
    "weights of all steps": (STEPS, STEPS_FIXED),
    "a while loop around two walks": (WHILE, WHILE_FIXED),
    "two loops around, one load under a condition": (OUTERMOST, OUTERMOST_FIXED),
}


def left(body: str, head: str = "def work(out, weights, x, n):") -> str:
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "        ")
    return f"\n{head}\n    i = cuda.grid(1)\n    if i < out.shape[0]:\n{lines}\n"


LEFT = {
    "the row is stored to": left("""
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[i, k] * 2
                weights[i, k] = 0
    """),
    "the row is passed on": left("""
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[i, k] * 2
                cuda.atomic.add(weights, (i, k), 1)
    """),
    "only some threads come to it": left("""
        for step in range(n):
            for k in range(ORDER):
                if step > 3:
                    out[i, step] += weights[i, k] * 2
    """),
    "the loop may be left before": left("""
        for step in range(n):
            if x[0, step] < 0:
                break
            for k in range(ORDER):
                out[i, step] += weights[i, k] * 2
    """),
    "a barrier": left("""
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[i, k] * 2
            cuda.syncthreads()
    """),
    "a length that is given": left(
        """
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[i, k] * 2
        """,
        "def work(out, weights, x, n, ORDER):",
    ),
    "a start": left("""
        for step in range(n):
            for k in range(1, ORDER):
                out[i, step] += weights[i, k] * 2
    """),
    "a long row": left("""
        for step in range(n):
            for k in range(40):
                out[i, step] += weights[i, k] * 2
    """),
    "the row of the step": left("""
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[step, k] * 2
    """),
    "the counter is read behind": left("""
        for step in range(n):
            for k in range(ORDER):
                out[i, step] += weights[i, k] * 2
            out[i, 0] += k
    """),
    "the counter is changed": left("""
        for step in range(n):
            for k in range(ORDER):
                k = k // 2
                out[i, step] += weights[i, k] * 2
    """),
    "a row of rows": left("""
        for step in range(n):
            for k in range(ORDER):
                row = weights[k]
                out[i, step] += row[i]
    """),
    "stored behind the loops": left("""
        total = x[0, 0]
        for step in range(n):
            for k in range(ORDER):
                total += weights[i, k] * 2
        out[i, 0] = total
    """),
}


@pytest.mark.parametrize("name", LOADED_ONCE)
def test_loaded_once(tmp_path: Path, name: str) -> None:
    before, after = LOADED_ONCE[name]
    head = HEAD.rstrip("\n")
    assert fixed(tmp_path, FIX, head + before + RUN) == (head + after + RUN).lstrip("\n")


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = (HEAD.rstrip("\n") + LEFT[name] + RUN).lstrip("\n")
    assert fixed(tmp_path, FIX, text) == text


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(sorted(LOADED_ONCE)), st.integers(0, 6), st.integers(1, 90), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, name: str, n: int, rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    weights, x = random.random((rows, 5), np.float32), random.random((5, 7), np.float32)
    head = HEAD.rstrip("\n")
    before, after = (
        simulated.call(head + text + RUN, "run", weights, weights, x, n) for text in LOADED_ONCE[name]
    )
    np.testing.assert_array_equal(before, after)
