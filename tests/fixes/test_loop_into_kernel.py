"""Host loops over launches of one kernel that become a loop inside of it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.check_options import CheckOptions
from advisor.config import Config
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.pipeline import check

FIX = "loop-into-kernel"
HEAD = """
import math
import numpy as np
from numba import cuda, float32

ORDER = 3
BLOCK = (16, 8)


"""
FORECAST = """
@cuda.jit
def forecast(past, weights, out, step):
    # One thread for each row and origin.
    row, origin = cuda.grid(2)
    if row < out.shape[0] and origin < out.shape[2]:
        # The newest comes first.
        out[row, step, origin] = 0.0
        for k in range(ORDER):
            earlier = step - 1 - k
            if earlier >= 0:
                value = out[row, earlier, origin]
            else:
                value = past[row, origin + ORDER + earlier]
            out[row, step, origin] += weights[row, k] * value
        # Nothing is left.


def run(past, weights, steps):
    rows, points = past.shape
    count = int(steps)
    grid = ((rows + BLOCK[0] - 1) // BLOCK[0], (points + BLOCK[1] - 1) // BLOCK[1])
    out = cuda.device_array((rows, count, points - ORDER + 1), np.float32)
    for step in range(count):  # each from the ones before
        # One step
        forecast[grid, BLOCK](
            past, weights,
            out, step,
        )  # no wait
    return out.copy_to_host()
"""
FORECAST_FIXED = """
@cuda.jit
def forecast(past, weights, out, count):
    # One thread for each row and origin.
    row, origin = cuda.grid(2)
    if row < out.shape[0] and origin < out.shape[2]:
        for step in range(count):
            # The newest comes first.
            out[row, step, origin] = 0.0
            for k in range(ORDER):
                earlier = step - 1 - k
                if earlier >= 0:
                    value = out[row, earlier, origin]
                else:
                    value = past[row, origin + ORDER + earlier]
                out[row, step, origin] += weights[row, k] * value
            # Nothing is left.


def run(past, weights, steps):
    rows, points = past.shape
    count = int(steps)
    grid = ((rows + BLOCK[0] - 1) // BLOCK[0], (points + BLOCK[1] - 1) // BLOCK[1])
    out = cuda.device_array((rows, count, points - ORDER + 1), np.float32)
    # each from the ones before
    # One step
    forecast[grid, BLOCK](
        past, weights,
        out, count,
    )  # no wait
    return out.copy_to_host()
"""
RETURNS = """
@cuda.jit(fastmath=False)
def settle(past, state, t):
    i = cuda.grid(1)
    if i >= state.shape[0]:
        return
    n = past.shape[1]
    if past[i, t % n] < 0.5:
        return
    change = past[i, t % n] - state[i]
    if change > 0:
        state[i] += change * 0.25


def run(past, weights, steps):
    state = cuda.to_device(past[:, 0].copy())
    for t in range(1, steps + 1): settle[(len(past) + 31) // 32, 32](past, state, t)
    return state.copy_to_host()
"""
RETURNS_FIXED = """
@cuda.jit(fastmath=False)
def settle(past, state, t_start, t_stop):
    i = cuda.grid(1)
    if i >= state.shape[0]:
        return
    n = past.shape[1]
    for t in range(t_start, t_stop):
        if past[i, t % n] < 0.5:
            continue
        change = past[i, t % n] - state[i]
        if change > 0:
            state[i] += change * 0.25


def run(past, weights, steps):
    state = cuda.to_device(past[:, 0].copy())
    settle[(len(past) + 31) // 32, 32](past, state, 1, int(steps + 1))
    return state.copy_to_host()
"""
STRIDES = """
@cuda.jit
def decay(state, k, counts, bins):
    total = 0.0
    first = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    for i in range(first, state.shape[0], cuda.gridsize(1)):
        state[i, 0] = state[i, 0] * 0.5 + math.sqrt(float(k))
        total += state[i, 0]
        cuda.atomic.add(counts, k % bins, 1)
    if total < 0:
        cuda.atomic.add(counts, 0, 1)


def run(past, weights, steps):
    state, counts = cuda.to_device(past), cuda.to_device(np.zeros(4, np.int32))
    bins = 4
    for round in range(2):
        for k in range(round, 9, 3):
            decay[2, 32](state, k, counts, bins)
    for k in range(steps):
        print(k)
    return state.copy_to_host() + counts.copy_to_host()[0]
"""
STRIDES_FIXED = """
@cuda.jit
def decay(state, k_start, k_stop, k_stride, counts, bins):
    for k in range(k_start, k_stop, k_stride):
        total = 0.0
        first = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        for i in range(first, state.shape[0], cuda.gridsize(1)):
            state[i, 0] = state[i, 0] * 0.5 + math.sqrt(float(k))
            total += state[i, 0]
            cuda.atomic.add(counts, k % bins, 1)
        if total < 0:
            cuda.atomic.add(counts, 0, 1)


def run(past, weights, steps):
    state, counts = cuda.to_device(past), cuda.to_device(np.zeros(4, np.int32))
    bins = 4
    for round in range(2):
        decay[2, 32](state, int(round), 9, 3, counts, bins)
    for k in range(steps):
        print(k)
    return state.copy_to_host() + counts.copy_to_host()[0]
"""
BLOCKS = """
@cuda.jit
def spread(state, past, step):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    kept = cuda.local.array(2, float32)
    for j in range(2):
        kept[j] = past[row, j] * step
    state[row, column] += kept[0] - kept[1]


def run(past, weights, steps: int):
    state = cuda.to_device(past)
    for step in range(0, steps, 1):
        spread[past.shape[0], (past.shape[1], 1)](state, past, step)
    return state.copy_to_host()
"""
BLOCKS_FIXED = """
@cuda.jit
def spread(state, past, steps):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    kept = cuda.local.array(2, float32)
    for step in range(steps):
        for j in range(2):
            kept[j] = past[row, j] * step
        state[row, column] += kept[0] - kept[1]


def run(past, weights, steps: int):
    state = cuda.to_device(past)
    spread[past.shape[0], (past.shape[1], 1)](state, past, steps)
    return state.copy_to_host()
"""
INSIDE = {
    "steps that read the steps before": (FORECAST, FORECAST_FIXED),
    "early returns and a start": (RETURNS, RETURNS_FIXED),
    "grid-stride loops, atomics, a stride": (STRIDES, STRIDES_FIXED),
    "a block for each row": (BLOCKS, BLOCKS_FIXED),
}
KERNEL = """
@cuda.jit
def advance(x, out, n, step):
    i = cuda.grid(1)
    if i < n:
        out[i] += x[i] * step
"""
LAUNCH = """
def run(x, out, steps):
    blocks = (len(x) + 63) // 64
    for step in range(steps):
        advance[blocks, 64](x, out, len(x), step)
"""


def kernel(body: str, head: str = "def advance(x, out, n, step):") -> str:
    """A program whose kernel has another body, so that the launches stay in their loop."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"\n@cuda.jit\n{head}\n{lines}\n\n{LAUNCH}"


def host(body: str, kernel_text: str = KERNEL) -> str:
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"{kernel_text}\n\ndef run(x, out, steps):\n    blocks = (len(x) + 63) // 64\n{lines}\n"


LEFT = {
    "the neighbour's element": kernel("""
        i = cuda.grid(1)
        if 0 < i < n:
            out[i] += out[i - 1] * step
    """),
    "another one's element is read": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[i] = x[i] * step + out[n - 1 - i]
    """),
    "an index that is no thread's": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[x[i]] += step
    """),
    "indices of two kinds": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[i] += out[cuda.threadIdx.x] * step
    """),
    "threads of the block share an element": kernel("""
        i = cuda.blockIdx.x
        if i < n:
            out[i] += step
    """),
    "a barrier": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[i] += x[i] * step
        cuda.syncthreads()
    """),
    "shared memory": kernel("""
        tile = cuda.shared.array(64, float32)
        i = cuda.grid(1)
        tile[cuda.threadIdx.x] = step
        if i < n:
            out[i] += tile[cuda.threadIdx.x]
    """),
    "the result of an atomic": kernel("""
        i = cuda.grid(1)
        if i < n:
            x[i] = cuda.atomic.add(out, 0, 1) + step
    """),
    "atomics of two kinds": kernel("""
        i = cuda.grid(1)
        if i < n:
            cuda.atomic.add(out, 0, step)
            cuda.atomic.max(out, 0, i)
    """),
    "a value that only some steps set": kernel("""
        i = cuda.grid(1)
        if i < n:
            if step == 0:
                value = x[i]
            out[i] += value
    """),
    "the step is changed": kernel("""
        i = cuda.grid(1)
        step = step + 1
        if i < n:
            out[i] += x[i] * step
    """),
    "another parameter is changed": kernel("""
        i = cuda.grid(1)
        n -= step
        if i < n:
            out[i] += x[i]
    """),
    "a return from an inner loop": kernel("""
        i = cuda.grid(1)
        for k in range(3):
            if i + k >= n:
                return
            out[i] += x[i] * step
    """),
    "a function that stores": "\n@cuda.jit(device=True)\ndef put(a, i, v):\n    a[i + 1] = v\n\n"
    + kernel("""
        i = cuda.grid(1)
        if i < n:
            put(out, i, x[i] * step)
    """),
    "printing": kernel("""
        i = cuda.grid(1)
        if i < n:
            print(i, step)
            out[i] += step
    """),
    "a default": kernel("out[cuda.grid(1)] += x[0] * step + n", "def advance(x, out, n, step=0):"),
    "a signature": host(
        "for step in range(steps):\n    advance[blocks, 64](x, out, len(x), step)",
        KERNEL.replace("@cuda.jit", '@cuda.jit("void(float32[:], float32[:], int64, int64)")'),
    ),
    "two axes of the launch": host(
        "for step in range(steps):\n    advance[(blocks, blocks), 64](x, out, len(x), step)"
    ),
    "an unknown grid": host(
        "blocks, threads = x.launch\nfor step in range(steps):\n"
        "    advance[blocks, threads](x, out, len(x), step)"
    ),
    "one array twice": host("for step in range(steps):\n    advance[blocks, 64](out, out, len(x), step)"),
    "a part of the array": host("""
        part = out[1:]
        for step in range(steps):
            advance[blocks, 64](part, out, len(x), step)
    """),
    "a copy after each launch": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
            x = out.copy_to_host()
    """),
    "two launches": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
            advance[blocks, 64](out, x, len(x), step)
    """),
    "another launch outside": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        advance[blocks, 64](x, out, len(x), 7)
    """),
    "launched by forall": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        advance.forall(9)(x, out, len(x), 7)
    """),
    "the counter is used behind": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        return step
    """),
    "the size follows the counter": host(
        "for step in range(steps):\n    advance[blocks, 64](x, out, len(x) - step, step)"
    ),
    "the grid follows the counter": host(
        "for step in range(steps):\n    advance[blocks + step, 64](x, out, len(x), step)"
    ),
    "another stream each time": host(
        "for step in range(steps):\n    advance[blocks, 64, cuda.stream()](x, out, len(x), step)"
    ),
    "no counter": host("for _ in range(steps):\n    advance[blocks, 64](x, out, len(x), 1)"),
    "elements of a list": host("for step in steps:\n    advance[blocks, 64](x, out, len(x), step)"),
    "an else": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        else:
            x = out
    """),
    "a comment below": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
            # advance[blocks, 64](out, x, len(x), step)
        return out
    """),
}


@pytest.mark.parametrize("name", INSIDE)
def test_goes_inside(tmp_path: Path, name: str) -> None:
    before, after = INSIDE[name]
    assert fixed(tmp_path, FIX, HEAD + before) == (HEAD + after).lstrip("\n")


def test_the_simple_form_goes_inside(tmp_path: Path) -> None:
    """All that are left alone differ from this one in a single thing."""
    after = fixed(tmp_path, FIX, HEAD + KERNEL + "\n" + LAUNCH)
    assert "    for step in" not in after.split("def run")[1]
    assert "        for step in range(steps):\n            out[i] += x[i] * step\n" in after


@pytest.mark.parametrize(
    "sizes",
    [
        "blocks, threads = (len(x) + 63) // 64, 64",
        "(blocks, rest), threads = x.shape, 64\n    blocks = 3",
        "blocks, rest = x.shape\n    threads = (64, 1)",
    ],
)
def test_sizes_of_the_launch_that_are_unpacked(tmp_path: Path, sizes: str) -> None:
    text = f"{HEAD}{KERNEL}{LAUNCH}".replace("blocks = (len(x) + 63) // 64", sizes).replace(
        "blocks, 64", "blocks, threads"
    )
    known = "rest), " not in sizes
    assert ("    for step in" not in fixed(tmp_path, FIX, text).split("def run")[1]) is known


def test_kernel_and_loops_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text((HEAD + KERNEL).lstrip("\n"))
    host_text = (
        "from numba import cuda\nfrom k import advance\n"
        + LAUNCH
        + LAUNCH.replace("def run", "def again").replace("range(steps)", "range(7)")
    )
    (tmp_path / "host.py").write_text(host_text)
    options = CheckOptions("a100-80gb", tmp_path, "source", settings=Config(root=tmp_path), neighbours=())
    report = check([tmp_path / "k.py", tmp_path / "host.py"], options)
    edits = edits_by_path(chosen(report.findings, ("needs review",)))
    kernel_after, host_after = (
        edited((tmp_path / name).read_text(), edits[name]) for name in ("k.py", "host.py")
    )
    assert "def advance(x, out, n, step_count):" in kernel_after
    assert "        for step in range(step_count):\n            out[i] += x[i] * step\n" in kernel_after
    assert "for " not in host_after
    assert "    advance[blocks, 64](x, out, len(x), int(steps))\n" in host_after
    assert "    advance[blocks, 64](x, out, len(x), 7)\n" in host_after


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = (HEAD + LEFT[name]).lstrip("\n")
    assert fixed(tmp_path, FIX, text) == text


def test_line_ends_stay(tmp_path: Path) -> None:
    before, after = ((HEAD + text).lstrip("\n").replace("\n", "\r\n") for text in (FORECAST, FORECAST_FIXED))
    assert fixed(tmp_path, FIX, before) == after


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(sorted(INSIDE)), st.integers(0, 6), st.integers(3, 70), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, name: str, steps: int, rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    past, weights = random.random((rows, 21), np.float32), random.random((rows, 3), np.float32)
    before, after = (simulated.call(HEAD + text, "run", past, weights, steps) for text in INSIDE[name])
    assert before.dtype == after.dtype
    np.testing.assert_array_equal(before, after)
