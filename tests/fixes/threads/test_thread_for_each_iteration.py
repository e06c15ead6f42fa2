"""Loops that a few threads walk: each iteration gets a thread, along the axis where lanes are neighbours."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "thread-for-each-iteration"
RULES = {"grid-too-small", "block-too-small"}
HEAD = "import math\n\nfrom numba import cuda\n\nROWS = 10\nSTEPS = 4000\n\n\n"


def program(body: str, launch: str = "walk[30, ROWS](a, out, n)", before: str = "") -> str:
    inner = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    host = textwrap.indent(textwrap.dedent(launch).strip(), "    ")
    return f"{HEAD}{before}@cuda.jit\ndef walk(a, out, n):\n{inner}\n\n\ndef run(a, out, n):\n{host}\n"


# Small blocks, and threads enough for larger ones on all multiprocessors.
MANY_BLOCKS = "walk[2000, ROWS](a, out, n)"
PLAIN = """
row = cuda.grid(1)  # one for each thread
if row < out.shape[0]:
    for step in range(out.shape[1]):  # long
        # in units of a
        out[row, step] = 2 * a[row, step]
"""
PLAIN_AFTER = """
step, row = cuda.grid(2)  # one for each thread
if row < out.shape[0]:
    if step < out.shape[1]:  # long
        # in units of a
        out[row, step] = 2 * a[row, step]
"""
RETURNS = """
row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
if row >= out.shape[0]:
    return
rows, steps = a.shape
scale = math.sqrt(a[row, 0])
for step in range(1, steps - 1):
    if step > n:
        continue
    total = 0.0
    for other in range(rows):
        if other == row:
            continue
        total += a[other, step] * scale
    out[row, step] += total
"""
RETURNS_AFTER = """
step, row = cuda.grid(2)
if row >= out.shape[0]:
    return
rows, steps = a.shape
scale = math.sqrt(a[row, 0])
if 1 <= step < steps - 1:
    if step > n:
        return
    total = 0.0
    for other in range(rows):
        if other == row:
            continue
        total += a[other, step] * scale
    out[row, step] += total
"""
DOWN = PLAIN.replace("[row, step]", "[step, row]").replace("shape[0]", "shape[2]")
DOWN = DOWN.replace("shape[1]", "shape[0]").replace("shape[2]", "shape[1]")
DOWN_AFTER = DOWN.replace("row = cuda.grid(1)", "row, step = cuda.grid(2)")
DOWN_AFTER = DOWN_AFTER.replace("for step in range(out.shape[0])", "if step < out.shape[0]")
FLAT = """
row = cuda.grid(1)
for step in range(n):
    cuda.atomic.add(out, 0, a[row * n + step])
"""
FLAT_AFTER = """
step, row = cuda.grid(2)
if step < n:
    cuda.atomic.add(out, 0, a[row * n + step])
"""
ALONE = """
for i in range(STEPS):
    out[i, 0] = a[i, 0]
    out[i, 1] = a[i, 1]
"""
ALONE_AFTER = """
i = cuda.grid(1)
if i < STEPS:
    out[i, 0] = a[i, 0]
    out[i, 1] = a[i, 1]
"""
GRID = "(out.shape[1] + 127) // 128"
CHANGES = {
    "a block for all rows": (
        PLAIN,
        "walk[1, ROWS](a, out, n)",
        PLAIN_AFTER,
        f"walk[({GRID}, ROWS), (128, 1)](a, out, n)",
    ),
    "several blocks, two launches": (
        PLAIN,
        "blocks = 2\nwalk[blocks, 8](a, out, n)\nfor part in out:\n    walk[(3,), (16, 1), 0](a, part, n)",
        PLAIN_AFTER,
        f"blocks = 2\nwalk[({GRID}, blocks * 8), (128, 1)](a, out, n)\nfor part in out:\n"
        "    walk[((part.shape[1] + 127) // 128, 48), (128, 1), 0](a, part, n)",
    ),
    "an early end, an index by hand, a first step": (
        RETURNS,
        "walk[ROWS // 5, 5](a, out, n)",
        RETURNS_AFTER,
        "walk[(((a.shape[1] - 1) + 127) // 128, (ROWS // 5) * 5), (128, 1)](a, out, n)",
    ),
    "lanes along the rows": (
        DOWN,
        "walk[1 + 1, 32](a, out, n)",
        DOWN_AFTER,
        "walk[(1 + 1, out.shape[0]), 32](a, out, n)",
    ),
    "one dimension, a sum by atomics": (
        FLAT,
        "walk[1, 16](a, out, n - 1)",
        FLAT_AFTER,
        "walk[(((n - 1) + 127) // 128, 16), (128, 1)](a, out, n - 1)",
    ),
    "an end in the shape, a list": (
        PLAIN.replace("shape[1]", "shape[1] - len(a)"),
        "walk[2, 5](a, out, [n])",
        PLAIN_AFTER.replace("shape[1]", "shape[1] - len(a)"),
        "walk[(((out.shape[1] - a.shape[0]) + 127) // 128, 10), (128, 1)](a, out, [n])",
    ),
    "a thread alone": (
        ALONE,
        "walk[1, 1](a, out, n)",
        ALONE_AFTER,
        "walk[(STEPS + 127) // 128, 128](a, out, n)",
    ),
    "a thread alone, a number": (
        ALONE.replace("STEPS", "4000"),
        "walk[(1,), 1](a, out, n)",
        ALONE_AFTER.replace("STEPS", "4000"),
        "walk[32, 128](a, out, n)",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_iteration_gets_a_thread(tmp_path: Path, name: str) -> None:
    before, launch, after, more = CHANGES[name]
    assert fixed(tmp_path, FIX, program(before, launch)) == program(after, more)


def within(line: str, loop: str = "range(out.shape[1])") -> str:
    """A kernel with a line of its own in the loop of each thread."""
    body = textwrap.indent(textwrap.dedent(line).strip(), "        ")
    return f"row = cuda.grid(1)\nif row < out.shape[0]:\n    for step in {loop}:\n{body}"


DEVICE = "@cuda.jit(device=True)\ndef put(x, i):\n    x[i] = 1.0\n\n\n"
STORE = "out[row, step] = a[row, step]"
NEEDS_ANOTHER = {
    "the step before": "out[row, step] = out[row, step - 1] + a[row, step]",
    "a running sum": "n += 1\nout[row, step] = n",
    "one element for all": "out[row, 0] += a[row, step]",
    "an element of another array": "out[row, int(a[row, step])] = 1.0",
    "one row for all threads": "a[0, step] += out[row, step]",
    "the index changed": "step = 3\nout[row, step] = a[row, step]",
    "an index that takes turns": "out[row, step % 7] = a[row, step]",
    "a sum and its use": "cuda.atomic.add(out, (row, 0), 1.0)\na[row, step] = out[row, 0]",
    "a search": f"if a[row, step] > 1.0:\n    break\n{STORE}",
    "an end for the rest": f"if a[row, step] > 1.0:\n    return\n{STORE}",
    "a function that stores": f"{STORE}\nput(a[row], step)",
    "a barrier": f"cuda.syncthreads()\n{STORE}",
    "warps": f"{STORE}\ncuda.syncwarp()",
    "the place in the block": "out[row, step] = cuda.threadIdx.x",
    "a view": "line = out[row]\nline[step] = line[step - 1]",
}


def test_the_loop_without_such_a_line_changes(tmp_path: Path) -> None:
    assert "step, row = cuda.grid(2)" in fixed(tmp_path, FIX, program(within(STORE), before=DEVICE))


@pytest.mark.parametrize("name", NEEDS_ANOTHER)
def test_iterations_that_need_others_stay(tmp_path: Path, name: str) -> None:
    stays(tmp_path, program(within(NEEDS_ANOTHER[name]), MANY_BLOCKS, DEVICE))


HALF = within(STORE).rpartition("for step")
BODIES = {
    "work before the loop": f"row = cuda.grid(1)\nout[row, 0] = 1.0\n{HALF[0][19:]}for step{HALF[2]}",
    "work behind the loop": within(STORE) + "\n    out[row, 0] = 1.0",
    "a look at what changes": PLAIN.replace("\nif row", "\nfirst = out[row, 0]\nif row").replace(
        "2 *", "first *"
    ),
    "a value that goes on": f"total = 0.0\n{within('total += a[row, step]')}\nout[row, 0] = total",
    "a length of each row": within(STORE, "range(int(a[row, 0]))"),
    "a stride": within(STORE, "range(0, out.shape[1], 2)"),
    "the number of threads": f"m = cuda.gridsize(1)\n{within('out[row, step] = m')}",
    "shared memory": f"s = cuda.shared.array(4, 'f8')\n{within(STORE)}",
    "an axis y": PLAIN.replace("cuda.grid(1)", "cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y"),
    "a condition with another side": within(STORE) + "\nelse:\n    a[0, 0] = 1.0",
    "a short loop": within(STORE, "range(16)"),
}


@pytest.mark.parametrize("name", BODIES)
def test_kernels_that_do_more_stay(tmp_path: Path, name: str) -> None:
    stays(tmp_path, program(BODIES[name], MANY_BLOCKS))


LAUNCHES = {
    "a grid that may be a tuple": "walk[1, 9](a, out, n)\nwalk[n, 8](a, out, n)",
    "threads enough": "walk[1, 10](a, out, n)\nwalk[1000, 1000](a, out, n)",
    "arguments by star": "walk[1, 10](*a)",
    "an array that is made in the launch": "walk[1, 10](a, cuda.to_device(out), n)",
    "an axis y": "walk[1, (5, 2)](a, out, n)",
    "one that is kept": "go = walk[1, 10]\ngo(a, out, n)\nwalk[1, 10](a, out, n)",
    "for all": "walk.forall(n)(a, out, n)\nwalk[1, 10](a, out, n)",
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_launches_that_do_not_tell_stay(tmp_path: Path, name: str) -> None:
    stays(tmp_path, program(PLAIN, LAUNCHES[name]))


def test_all_of_several_threads_without_numbers_do_the_same(tmp_path: Path) -> None:
    text = program(ALONE, "walk[1, 2](a, out, n)")
    assert {one.rule for one in report_on(tmp_path, text).findings} == {"same-work-in-every-thread"}
    assert fixed(tmp_path, FIX, text) == text


def test_a_constant_of_the_function_hides_the_one_of_the_module(tmp_path: Path) -> None:
    stays(tmp_path, program(ALONE, "STEPS = 7\nwalk[1, 1](a, out, STEPS)"))


def stays(folder: Path, text: str) -> None:
    """Asserts that rules of the fix fire on a text, and that the fix leaves it as it is."""
    assert {one.rule for one in report_on(folder, text).findings} & RULES
    assert fixed(folder, FIX, text) == text


WORKLOAD = """

def workload():
    run(numpy.ones((40, 300)), numpy.ones((40, 300)), 0)
"""
PLAIN_BODY, PLAIN_AFTER_BODY = (textwrap.indent(one.strip(), "    ") for one in (PLAIN, PLAIN_AFTER))
FOR_DATA = "walk[(a.shape[0] + 63) // 64, 64](a, out, n)"
FOR_DATA_AFTER = f"walk[({GRID}, ((a.shape[0] + 63) // 64) * 64), (128, 1)](a, out, n)"


def test_a_run_tells_that_a_grid_for_the_data_is_small(tmp_path: Path) -> None:
    text = program(PLAIN, FOR_DATA) + WORKLOAD
    text = text.replace("import math\n", "import math\n\nimport numpy")
    after = fixed(tmp_path, FIX, text, "simulated")
    assert after == text.replace(PLAIN_BODY, PLAIN_AFTER_BODY).replace(FOR_DATA, FOR_DATA_AFTER)
    assert fixed(tmp_path, FIX, text) == text


@settings(max_examples=5, deadline=None)
@given(st.integers(2, 10), st.integers(3, 300), st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("name", ["a block for all rows", "an early end, an index by hand, a first step"])
def test_results_stay_the_same(simulated: SimulatedRuns, name: str, rows: int, steps: int, seed: int) -> None:
    before, launch, after, more = CHANGES[name]
    a = np.random.default_rng(seed).random((rows, steps))
    found = [
        simulated.call(text, "run", a, np.zeros((rows, steps)), steps // 2)[1]
        for text in (program(before, launch), program(after, more))
    ]
    assert np.any(found[0]) and np.array_equal(found[0], found[1])


@settings(max_examples=5, deadline=None)
@given(st.integers(1, 64), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_results_stay_the_same_along_the_rows(
    simulated: SimulatedRuns, rows: int, steps: int, seed: int
) -> None:
    before, launch, after, more = CHANGES["lanes along the rows"]
    a = np.random.default_rng(seed).random((steps, rows))
    for text in (program(before, launch), program(after, more)):
        assert np.array_equal(simulated.call(text, "run", a, np.zeros((steps, rows)), 0)[1], 2 * a)


@settings(max_examples=4, deadline=None)
@given(st.integers(2, 200), st.integers(0, 2**32 - 1))
def test_whole_numbers_are_summed_alike(simulated: SimulatedRuns, n: int, seed: int) -> None:
    before, launch, after, more = CHANGES["one dimension, a sum by atomics"]
    a = np.random.default_rng(seed).integers(-99, 99, 16 * n)
    for text in (program(before, launch), program(after, more)):
        assert simulated.call(text, "run", a, np.zeros(1, np.int64), n)[1][0] == a[: 16 * (n - 1)].sum()
