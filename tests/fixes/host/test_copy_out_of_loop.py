"""Copies and allocations that each iteration of a host loop repeats, moved in front of it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "copy-out-of-loop"
HEAD = """
import math
import numpy as np
from numba import cuda


@cuda.jit
def weigh(x, w, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = x[i] * w[i] + math.sqrt(w[i])


@cuda.jit
def grow(w, factor):
    i = cuda.grid(1)
    if i < w.shape[0]:
        w[i] *= factor


@cuda.jit(device=True)
def put(row, i, value):
    row[i] = value


@cuda.jit
def hide(w, value):
    i = cuda.grid(1)
    if i < w.shape[0]:
        put(w, i, value)


"""
COPY = """
def run(steps, x, w):
    blocks = (x.shape[0] + 63) // 64
    results = []
    # One result for each step.
    for x in steps:
        # The weights
        d_w = cuda.to_device(w)  # always the same
        d_x = cuda.to_device(x)
        d_out = cuda.device_array(w.shape, np.float32)
        weigh[blocks, 64](d_x, d_w, d_out)
        results.append(d_out.copy_to_host())
    return np.array(results)
"""
COPIED = """
def run(steps, x, w):
    blocks = (x.shape[0] + 63) // 64
    results = []
    # The weights
    d_w = cuda.to_device(w)  # always the same
    d_out = cuda.device_array(w.shape, np.float32)
    # One result for each step.
    for x in steps:
        d_x = cuda.to_device(x)
        weigh[blocks, 64](d_x, d_w, d_out)
        results.append(d_out.copy_to_host())
    return np.array(results)
"""
NESTED = """
def run(steps, x, w):
    total = np.zeros_like(x)
    k = 0
    while k < 2:
        for x in steps:
            d_x, n = cuda.to_device(x), len(w)
            d_w = cuda.to_device(
                w
            )
            d_out = cuda.device_array_like(w)
            weigh[(n + 63) // 64, 64](d_x, d_w, d_out)
            total += d_out.copy_to_host()
        k += 1
    return total
"""
NESTED_MOVED = """
def run(steps, x, w):
    total = np.zeros_like(x)
    k = 0
    d_w = cuda.to_device(
        w
    )
    d_out = cuda.device_array_like(w)
    while k < 2:
        for x in steps:
            d_x, n = cuda.to_device(x), len(w)
            weigh[(n + 63) // 64, 64](d_x, d_w, d_out)
            total += d_out.copy_to_host()
        k += 1
    return total
"""
SHARED = """
FIXED = np.linspace(0, 1, 200).astype(np.float32)


def run(steps, x, w):
    for x in steps:
        d_f = cuda.to_device(FIXED)
        weigh[4, 64](x, d_f, w)
        last = d_f.copy_to_host()
        grow[4, 64](w, 2)
    return w + last.sum()
"""


def with_old_array(text: str) -> str:
    """A program that changes a copy of the weights in its loop."""
    old = "    old = np.array(w, dtype=np.float32)\n    results = []"
    return text.replace("    results = []", old).replace("d_x = cuda", "old += 1\n        d_x = cuda")


MOVED = {
    "weights of all steps": (COPY, COPIED),
    "out of two loops": (NESTED, NESTED_MOVED),
    "memory like that of an array that is changed": (
        COPY.replace("(w.shape, np.float32)", "_like(w)").replace(
            "d_x = cuda", "w[0] += 1\n        d_x = cuda"
        ),
        COPY.replace("(w.shape, np.float32)", "_like(w)")
        .replace("d_x = cuda", "w[0] += 1\n        d_x = cuda")
        .replace("        d_out = cuda.device_array_like(w)\n", "")
        .replace("    # One result", "    d_out = cuda.device_array_like(w)\n    # One result"),
    ),
    "an array that was copied before": (with_old_array(COPY), with_old_array(COPIED)),
    "an array of the module": (
        SHARED,
        SHARED.replace("        d_f = cuda.to_device(FIXED)\n", "").replace(
            "    for x in", "    d_f = cuda.to_device(FIXED)\n    for x in"
        ),
    ),
}


def left(body: str, head: str = "def run(steps, x, w):\n    d_x = cuda.to_device(x)\n") -> str:
    return head + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


LEFT = {
    "the kernel writes the copy": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            grow[4, 64](d_w, 2)
            x = x + d_w.copy_to_host()
    """),
    "a device function writes it": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            hide[4, 64](d_w, 2)
            x = x + d_w.copy_to_host()
    """),
    "the array is changed": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            w[0] = step[0]
    """),
    "a part of the array is changed": left("""
        part = w[2:]
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            part += 1
    """),
    "a launch writes the array itself": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, w)
    """),
    "copied back into the array": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            d_x.copy_to_host(w)
    """),
    "a function is given it": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            np.add(w, 1, out=w)
    """),
    "an attribute holds it": left("""
        step.w = w
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
    """),
    "another array each time": left("""
        for w in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
    """),
    "a generator": left("""
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            yield d_x
    """),
    "only sometimes": left("""
        for step in steps:
            if step[0] > 0:
                d_w = cuda.to_device(w)
                weigh[4, 64](d_x, d_w, d_x)
    """),
    "a stream": left("""
        stream = cuda.stream()
        for step in steps:
            d_w = cuda.to_device(w, stream=stream)
            weigh[4, 64, stream](d_x, d_w, d_x)
    """),
    "two copies of one name": left("""
        d_w = cuda.to_device(x)
        for step in steps:
            weigh[4, 64](d_x, d_w, d_x)
            d_w = cuda.to_device(w)
    """),
    "results that are kept": left("""
        for step in steps:
            d_out = cuda.device_array(w.shape, np.float32)
            weigh[4, 64](d_x, d_x, d_out)
            x.append(d_out)
    """),
    "read before it is written": left("""
        for step in steps:
            d_out = cuda.device_array(w.shape, np.float32)
            grow[4, 64](d_out, 0)
            weigh[4, 64](d_x, d_x, d_out)
            w += d_out.copy_to_host()
    """),
    "written only sometimes": left("""
        for step in steps:
            d_out = cuda.device_array(w.shape, np.float32)
            if step[0] > 0:
                weigh[4, 64](d_x, d_x, d_out)
            w += d_out.copy_to_host()
    """),
    "an attribute of another size each time": left("""
        for step in steps:
            d_out = cuda.device_array(w.count, np.float32)
            weigh[4, 64](d_x, d_x, d_out)
            w.count += 1
    """),
    "an attribute that a method may change": left("""
        for step in steps:
            d_out = cuda.device_array(w.count, np.float32)
            weigh[4, 64](d_x, d_x, d_out)
            w.go_on()
    """),
    "a list that grows": left("""
        for step in steps:
            d_out = cuda.device_array(len(w), np.float32)
            weigh[4, 64](d_x, d_x, d_out)
            w.append(step)
    """),
    "rows of the array are changed": left("""
        for step, row in zip(steps, w):
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            row += 1
    """),
    "rows of the array are changed in a list": left("""
        rows = [row for row in w]
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            rows[0] += 1
    """),
    "the largest row of the array is changed": left("""
        row = max(w)
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            row += 1
    """),
    "the array's real part is changed": left("""
        part = np.real(w)
        for step in steps:
            d_w = cuda.to_device(w)
            weigh[4, 64](d_x, d_w, d_x)
            part += 1
    """),
    "another size each time": left("""
        for step in steps:
            d_out = cuda.device_array(step.shape, np.float32)
            weigh[4, 64](d_x, d_x, d_out)
            w += d_out.copy_to_host()
    """),
    "on several streams": left("""
        for step in steps:
            d_out = cuda.device_array(w.shape, np.float32)
            weigh[4, 64, step](d_x, d_x, d_out)
            w += d_out.copy_to_host()
    """),
}


@pytest.mark.parametrize("name", MOVED)
def test_moved(tmp_path: Path, name: str) -> None:
    before, after = MOVED[name]
    assert fixed(tmp_path, FIX, HEAD + before) == (HEAD + after).lstrip("\n")


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = HEAD + LEFT[name]
    assert fixed(tmp_path, FIX, text) == text.lstrip("\n")


def test_line_ends_stay(tmp_path: Path) -> None:
    before, after = ((HEAD + text).lstrip("\n").replace("\n", "\r\n") for text in (COPY, COPIED))
    assert fixed(tmp_path, FIX, before) == after


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 4), st.sampled_from(sorted(MOVED)), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, count: int, name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    steps, w = random.random((count, 200), np.float32), random.random(200, np.float32)
    before, after = (simulated.call(HEAD + text, "run", list(steps), w * 3, w) for text in MOVED[name])
    np.testing.assert_array_equal(before, after)
