"""Thread axes exchanged: the kernel and all launches together, or neither."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.check.pipeline import check
from advisor.model.settings.check_options import CheckOptions

FIX = "swap-thread-axes"
HEAD = "import numpy as np\nimport math\nfrom numba import cuda\n\n"
KERNEL = """
@cuda.jit
def scale(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] * 2
"""
LAUNCH = """
def run(a):
    out = cuda.device_array(a.shape, a.dtype)
    scale[(a.shape[0] // 16 + 1, a.shape[1] // 16 + 1), (16, 16)](cuda.to_device(a), out)
    return out.copy_to_host()
"""
NAMES = """
def run(a):
    out = cuda.device_array(a.shape, a.dtype)
    block = (16, 8)  # rows, columns
    grid = (a.shape[0] // block[0] + 1, a.shape[1] // block[1] + 1)
    scale[grid, block](cuda.to_device(a), out)
    return out.copy_to_host()
"""
BY_HAND = """
@cuda.jit
def scale(a, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x  # the row
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    for row in range(i, out.shape[0], cuda.gridDim.x * cuda.blockDim.x):
        if j < out.shape[1]:
            out[row, j] = twice(a[row, j])
"""
TWICE = """
@cuda.jit(device=True)
def twice(value):
    return math.fabs(value) * 2
"""
SWAPPED = KERNEL.replace("i, j = cuda", "j, i = cuda")
GRID = "(a.shape[0] // 16 + 1, a.shape[1] // 16 + 1)"
TURNED = LAUNCH.replace(GRID, "(a.shape[1] // 16 + 1, a.shape[0] // 16 + 1)")
BY_HAND_TURNED = """
@cuda.jit
def scale(a, out):
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y  # the row
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    for row in range(i, out.shape[0], cuda.gridDim.y * cuda.blockDim.y):
        if j < out.shape[1]:
            out[row, j] = twice(a[row, j])
"""
STRIDES = """
@cuda.jit
def scale(a, out):
    (i, j) = cuda.grid(2)
    down, right = cuda.gridsize(2)
    for row in range(i, out.shape[0], down):
        for column in range(j, out.shape[1], right):
            out[row, column] = a[row, column] * 2
"""
TILED = """
@cuda.jit
def scale(a, out):
    tile = cuda.shared.array((16, 16), np.float32)
    i, j = cuda.grid(2)
    p = cuda.threadIdx.x
    q = cuda.threadIdx.y
    if i < a.shape[0] and j < a.shape[1]:
        tile[p, q] = a[i, j]
    cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = tile[p, q] * 2
"""
MODULE_BLOCK = "BLOCK = (16, 8)\n" + KERNEL
CHANGES = {
    "tuples in the launch": (KERNEL + LAUNCH, SWAPPED + TURNED),
    "names in the launch": (
        KERNEL + NAMES,
        SWAPPED + NAMES.replace("[grid, block]", "[(grid[1], grid[0]), (block[1], block[0])]"),
    ),
    "a constant that others may use stays": (
        MODULE_BLOCK + LAUNCH.replace("(16, 16)", "BLOCK").replace("[1] // 16", "[1] // 8"),
        MODULE_BLOCK.replace("i, j = cuda", "j, i = cuda")
        + TURNED.replace("(16, 16)", "(BLOCK[1], BLOCK[0])").replace("[1] // 16", "[1] // 8"),
    ),
    "indices by hand, a device function": (TWICE + BY_HAND + LAUNCH, TWICE + BY_HAND_TURNED + TURNED),
    "the size of the grid": (
        STRIDES + LAUNCH,
        STRIDES.replace("(i, j)", "(j, i)").replace("down, right", "right, down") + TURNED,
    ),
    "two launches": (
        KERNEL + LAUNCH + NAMES.replace("run", "again"),
        SWAPPED
        + TURNED
        + NAMES.replace("run", "again").replace(
            "[grid, block]", "[(grid[1], grid[0]), (block[1], block[0])]"
        ),
    ),
    "a tile that the threads share": (
        TILED + LAUNCH,
        TILED.replace("i, j = cuda", "j, i = cuda")
        .replace("threadIdx.x", "threadIdx.-")
        .replace("threadIdx.y", "threadIdx.x")
        .replace("threadIdx.-", "threadIdx.y")
        + TURNED,
    ),
    "an extent of one behind": (
        KERNEL + LAUNCH.replace(" + 1), (16, 16)", " + 1, 1), (16, 16, 1)"),
        SWAPPED + TURNED.replace(" + 1), (16, 16)", " + 1, 1), (16, 16, 1)"),
    ),
}


def owned(function: str, kernel: str, launch: str) -> str:
    """A function that defines a kernel of its own and launches it."""
    inner = textwrap.indent(kernel.strip(), "    ")
    return launch.replace("def run(a):\n", f"def {function}(a):\n{inner}\n\n")


ALONG_ROWS = SWAPPED.replace("* 2", "* 3")
CHANGES |= {
    "another function has a kernel of the same name": (
        owned("first", ALONG_ROWS, TURNED) + owned("second", KERNEL, LAUNCH),
        owned("first", ALONG_ROWS, TURNED) + owned("second", SWAPPED, TURNED),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_exchanged(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, HEAD + before) == HEAD + after


TRANSPOSE = KERNEL.replace("a[i, j]", "a[j, i]")
CELL = """
@cuda.jit
def scale(a, out):
    unit, row = cuda.grid(2)
    if unit < a.shape[1] and row < a.shape[0]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[unit, k] * a[row, k]
        out[row, unit] = total
"""
KEPT = {
    "rows of one array become columns of another": CELL + LAUNCH,
    "a transpose, where as much is lost as won": TRANSPOSE + LAUNCH,
    "lanes that run along the rows already": SWAPPED + TURNED,
    "no launch is known": KERNEL,
    "a grid that may be anything": KERNEL
    + LAUNCH.replace(GRID, "grid_of(a)"),
    "a grid that a caller gives": KERNEL
    + LAUNCH.replace("run(a)", "run(a, grid)").replace(GRID, "grid"),
    "a block that a caller gives": KERNEL
    + LAUNCH.replace("run(a)", "run(a, block)").replace("(16, 16)]", "block]"),
    "threads along x only": KERNEL + LAUNCH.replace("(16, 16)]", "(256, 1)]"),
    "a kernel kept with its configuration": KERNEL
    + LAUNCH
    + "\ndef later(a, out):\n    ready = scale[(4, 4), (16, 16)]\n    return ready\n",
    "a kernel that is also started without a grid": KERNEL
    + LAUNCH
    + "\ndef later(a, out):\n    scale.forall(a.size)(a, out)\n",
    "another name for the kernel": KERNEL
    + "\nalias = scale\n"
    + LAUNCH.replace("    scale[", "    alias["),
    "warps are looked at": KERNEL.replace("* 2", "* cuda.laneid") + LAUNCH,
    "a shuffle": KERNEL.replace("a[i, j] * 2", "cuda.shfl_sync(0xffffffff, a[i, j], 0)") + LAUNCH,
    "a device function with the thread's index": TWICE.replace("* 2", "* cuda.threadIdx.x")
    + KERNEL.replace("a[i, j] * 2", "twice(a[i, j])")
    + LAUNCH,
    "a function from elsewhere": "from elsewhere import twice\n"
    + KERNEL.replace("a[i, j] * 2", "twice(a[i, j])")
    + LAUNCH,
    "an index with another name": KERNEL.replace(
        "i, j = cuda.grid(2)", "t = cuda.threadIdx\n    i, j = cuda.grid(2)"
    )
    + LAUNCH,
    "a place as one value": KERNEL.replace(
        "i, j = cuda.grid(2)", "p = cuda.grid(2)\n    i = p[0]\n    j = p[1]"
    )
    + LAUNCH,
    "depth": KERNEL.replace("* 2", "* cuda.threadIdx.z") + LAUNCH,
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    before = HEAD + KEPT[name]
    assert fixed(tmp_path, FIX, before) == before


def test_the_launch_may_lie_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(HEAD + KERNEL)
    (tmp_path / "host.py").write_text("from kernels import scale\nfrom numba import cuda\n" + LAUNCH)
    files = [tmp_path / "kernels.py", tmp_path / "host.py"]
    report = check(
        files, CheckOptions(device="a100-80gb", root=tmp_path, evidence="source", workspace_files=())
    )
    found = [fix for one in report.findings for fix in one.fixes if fix.id == FIX]
    assert found
    assert {edit.path for edit in found[0].edits} == {"", "host.py"}


RUNS = [
    "tuples in the launch",
    "names in the launch",
    "the size of the grid",
    "a tile that the threads share",
]


@given(
    rows=st.integers(1, 70), columns=st.integers(1, 70), name=st.sampled_from(RUNS), seed=st.integers(0, 99)
)
@settings(max_examples=10, deadline=None)
def test_same_results(simulated: SimulatedRuns, rows: int, columns: int, name: str, seed: int) -> None:
    a = np.random.default_rng(seed).standard_normal((rows, columns), dtype=np.float32)
    before, after = (simulated.call(HEAD + text, "run", a) for text in CHANGES[name])
    np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(before, a * 2)


def test_line_ends_stay(tmp_path: Path) -> None:
    before, after = CHANGES["tuples in the launch"]
    text = HEAD + before
    result = fixed(tmp_path, FIX, text.replace("\n", "\r\n"))
    assert result.replace("\r\n", "\n") == HEAD + after
