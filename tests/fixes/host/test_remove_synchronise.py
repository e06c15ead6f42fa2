"""Waits in each iteration of a host loop, moved behind it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "remove-synchronise"
HEAD = """
import time
import numpy as np
from numba import cuda


@cuda.jit
def step(x, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = x[i] * 0.5 + x[0]


"""
PING_PONG = """
def run(steps, x):
    a, b = cuda.to_device(x), cuda.device_array_like(x)
    for k in range(steps):
        step[8, 64](a, b)
        # All of it
        cuda.synchronize()
        a, b = b, a
    return a.copy_to_host()
"""
PING_PONG_AFTER = """
def run(steps, x):
    a, b = cuda.to_device(x), cuda.device_array_like(x)
    for k in range(steps):
        step[8, 64](a, b)
        a, b = b, a
    # All of it
    cuda.synchronize()
    return a.copy_to_host()
"""
SUMS = """
def run(steps, x):
    a, b = cuda.to_device(x), cuda.device_array_like(x)
    sums = np.zeros(steps + 1)
    k = 0
    while k < steps:
        k += 1
        if k % 2:
            step[8, 64](a, b)
        else:
            step[8, 64](b, a)
        cuda.synchronize()
        sums[k] = a.copy_to_host()[0] + len(b.shape)
        print(k)
    cuda.synchronize()
    return sums
"""
NESTED = """
def run(steps, x):
    a, b = cuda.to_device(x), cuda.device_array_like(x)
    for i in range(2):
        for k in range(steps):
            step[8, 64](a, b)
            step[8, 64](b, a)
            cuda.synchronize()
    return a.copy_to_host()
"""
NESTED_AFTER = """
def run(steps, x):
    a, b = cuda.to_device(x), cuda.device_array_like(x)
    for i in range(2):
        for k in range(steps):
            step[8, 64](a, b)
            step[8, 64](b, a)
    cuda.synchronize()
    return a.copy_to_host()
"""
MOVED = {
    "ping-pong": (PING_PONG, PING_PONG_AFTER),
    "a wait stands behind the loop": (SUMS, SUMS.replace("        cuda.synchronize()\n", "", 1)),
}


def left(body: str) -> str:
    return (
        "def run(steps, x):\n    a, b = cuda.to_device(x), cuda.device_array_like(x)\n"
        + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        + "\n"
    )


LEFT = {
    "a clock": left("""
        for k in range(steps):
            begin = time.time()
            step[8, 64](a, b)
            cuda.synchronize()
            print(time.time() - begin)
    """),
    "an unknown function": left("""
        for k in range(steps):
            step[8, 64](a, b)
            cuda.synchronize()
            show(k)
    """),
    "a method": left("""
        for k in range(steps):
            step[8, 64](a, b)
            cuda.synchronize()
            steps.report()
    """),
    "memory that the host shares": left("""
        c = cuda.mapped_array(64, np.float32)
        for k in range(steps):
            step[8, 64](a, c)
            cuda.synchronize()
            d = c
    """),
    "streams": left("""
        for k in range(steps):
            step[8, 64, k](a, b)
            cuda.synchronize()
    """),
    "an element is looked at": left("""
        for k in range(steps):
            step[8, 64](a, b)
            cuda.synchronize()
            d = b[0] + 1
    """),
    "an array is given to NumPy": left("""
        for k in range(steps):
            step[8, 64](a, b)
            cuda.synchronize()
            d = np.sum(b)
    """),
    "a kernel of elsewhere": left("""
        for k in range(steps):
            step[8, 64](a, b)
            steps.kernel[k](a, b)
            cuda.synchronize()
    """),
    "it leaves the function": left("""
        for k in range(steps):
            step[8, 64](a, b)
            cuda.synchronize()
            if k > 3:
                return b
    """),
    "now and then": left("""
        for k in range(steps):
            step[8, 64](a, b)
            if k % 8 == 0:
                cuda.synchronize()
    """),
    "no launch": left("""
        for k in range(steps):
            b = cuda.device_array_like(a)
            cuda.synchronize()
    """),
    "a comparison that fails": left("""
        for k in range(steps):
            step[8, 64](a, b)
            cuda.synchronize()
            assert k < 3
    """),
}


@pytest.mark.parametrize("name", MOVED)
def test_moved(tmp_path: Path, name: str) -> None:
    before, after = MOVED[name]
    assert fixed(tmp_path, FIX, HEAD + before) == (HEAD + after).lstrip("\n")


def test_a_loop_of_nothing_but_a_loop_and_a_wait(tmp_path: Path) -> None:
    # After the first round the outer loop holds the inner one and the wait.
    assert fixed(tmp_path, FIX, HEAD + NESTED) == (HEAD + NESTED_AFTER).lstrip("\n")


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = HEAD + LEFT[name]
    assert fixed(tmp_path, FIX, text) == text.lstrip("\n")


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 4), st.integers(1, 400), st.sampled_from(sorted(MOVED)), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, steps: int, size: int, name: str, seed: int) -> None:
    x = np.random.default_rng(seed).random(size, np.float32)
    before, after = (simulated.call(HEAD + text, "run", steps, x) for text in MOVED[name])
    np.testing.assert_array_equal(before, after)
