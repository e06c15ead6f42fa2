"""The sum over a block in shared memory: what becomes of atomic additions, what stays, equal sums."""

from __future__ import annotations

import numpy as np
import pytest
from fixing import fixed, report_on
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.fixes.application import applied

HEAD = "import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit\n"
LAUNCH = "\n\ndef run(a, out):\n    kernel[10, 100](a, out)\n"
TREE = """
    partial = cuda.shared.array(128, out.dtype)
    thread = cuda.threadIdx.x
    partial[thread] = total
    cuda.syncthreads()
    stride = 64
    while stride > 0:
        if thread < stride and thread + stride < cuda.blockDim.x:
            partial[thread] += partial[thread + stride]
        cuda.syncthreads()
        stride >>= 1
    if thread == 0:
        cuda.atomic.add(out, 0, partial[0])
"""

PLAIN = """def kernel(a, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, a[i])  # the sum
"""
GUARDED = """def kernel(a, out):
    i = cuda.grid(1)
    # inside
    if i < a.size:
        cuda.atomic.add(out, 0, a[i])
        # behind
"""
LOOP = """def kernel(a, out):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        if a[i] > 1.0:
            cuda.atomic.add(
                out,
                0,
                a[i],  # one
            )
        else:
            a[i] = 0.0
            cuda.atomic.add(out, 0, 1)
"""
BREAK = "\n" + " " * 16
CHANGES = [
    (PLAIN, PLAIN.replace("cuda.atomic.add(out, 0, a[i])", "total = out.dtype.type(a[i])") + TREE),
    (
        GUARDED,
        GUARDED.replace("    if i", "    total = out.dtype.type(0)\n    if i").replace(
            "cuda.atomic.add(out, 0, a[i])", "total += out.dtype.type(a[i])"
        )
        + TREE,
    ),
    (
        LOOP,
        LOOP.replace("    for", "    total = out.dtype.type(0)\n    for")
        .replace(f"cuda.atomic.add({BREAK}out,{BREAK}0,{BREAK}a", "total += out.dtype.type(a")
        .replace("cuda.atomic.add(out, 0, 1)", "total += out.dtype.type(1)")
        + TREE,
    ),
    (
        PLAIN.replace("out, 0", "out, cuda.blockIdx.x"),
        PLAIN.replace("cuda.atomic.add(out, 0, a[i])", "total = out.dtype.type(a[i])")
        + TREE.replace("out, 0", "out, cuda.blockIdx.x"),
    ),
    (
        PLAIN.replace("i = ", "total = "),
        PLAIN.replace("cuda.atomic.add(out, 0, a[i])", "total_2 = out.dtype.type(a[i])").replace(
            "i = ", "total = "
        )
        + TREE.replace("= total", "= total_2"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_it_sums_within_the_block_first(tmp_path, before: str, after: str) -> None:
    assert fixed(tmp_path, "block-reduction", HEAD + before + LAUNCH) == HEAD + after + LAUNCH


def test_blocks_of_two_and_three_dimensions_and_the_largest_launch_are_counted(tmp_path) -> None:
    kernel = GUARDED.replace("cuda.grid(1)", "cuda.threadIdx.x + cuda.threadIdx.y")
    flat = HEAD + kernel + LAUNCH
    square = fixed(tmp_path, "block-reduction", flat.replace("[10, 100]", "[10, (16, 8)]"))
    assert "thread = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y\n" in square
    assert "threads = cuda.blockDim.x * cuda.blockDim.y\n" in square
    assert "thread + stride < threads:" in square
    cube = fixed(tmp_path, "block-reduction", flat.replace("[10, 100]", "[10, (4, 4, 8)]"))
    thread = "cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)"
    assert f"thread = {thread}\n" in cube
    two = fixed(tmp_path, "block-reduction", flat + "\n\ndef more(a, out):\n    kernel[3, 300](a, out)\n")
    assert "cuda.shared.array(512, out.dtype)" in two and "stride = 256\n" in two


def test_line_ends_of_windows_stay(tmp_path) -> None:
    text = (HEAD + GUARDED + LAUNCH).replace("\n", "\r\n")
    fix = next(fix for one in report_on(tmp_path, text).findings for fix in one.fixes)
    after = applied(text, [fix])
    assert "\r\n        stride >>= 1\r\n" in after
    assert after.count("\n") == after.count("\r\n")


ALONE = [
    GUARDED.replace("if i < a.size:", "if i >= a.size:\n        return\n    else:"),
    PLAIN.replace("cuda.atomic", "old = cuda.atomic"),
    PLAIN + "    a[i] = out[0]\n",
    PLAIN + "    b = out\n    b[0] = 1\n",
    PLAIN + "    cuda.threadfence()\n",
    PLAIN.replace("out, 0", "out, i"),
    PLAIN.replace("out, 0", "out, i % 2"),
    PLAIN.replace("    cuda", "    for k in range(3):\n        cuda").replace("out, 0", "out, k"),
    PLAIN.replace("cuda.atomic.add", "cuda.atomic.max"),
    PLAIN.replace("    i", "    out = out[1:]\n    i"),
    PLAIN.replace("cuda.atomic", "if cuda.threadIdx.x == 0:\n        cuda.atomic"),
    PLAIN.replace("    i", "    s = cuda.shared.array(1, np.float32)\n    i").replace("(out", "(s"),
    PLAIN.replace("    i", "    assert a.size > 0\n    i"),
]


@pytest.mark.parametrize("kernel", ALONE)
def test_it_leaves_alone(tmp_path, kernel: str) -> None:
    assert fixed(tmp_path, "block-reduction", HEAD + kernel + LAUNCH) == HEAD + kernel + LAUNCH


@pytest.mark.parametrize(
    "launch",
    [
        "",
        "\n\ndef run(a, out, threads):\n    kernel[10, threads](a, out)\n",
        "\n\ndef run(a, out):\n    kernel[10, 1](a, out)\n",
        LAUNCH + "\n\n@cuda.jit\ndef other(a, out):\n    kernel(a, out)\n",
    ],
)
def test_it_leaves_kernels_alone_whose_blocks_are_not_known(tmp_path, launch: str) -> None:
    assert fixed(tmp_path, "block-reduction", HEAD + PLAIN + launch) == HEAD + PLAIN + launch


PROGRAM = """import numpy as np
from numba import cuda

@cuda.jit
def kernel(a, out, count):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        if a[i] > 2:
            cuda.atomic.add(out, 0, a[i])
        else:
            cuda.atomic.add(out, 0, 1)
            cuda.atomic.add(count, 0, a[i] < 0)

@cuda.jit
def square(a, out):
    i = cuda.threadIdx.x + 7 * cuda.threadIdx.y + 21 * cuda.blockIdx.x
    if i < a.size:
        cuda.atomic.add(out, (0, 1), (a[i] + 1))

def run(a):
    out = np.ones(1, a.dtype)
    count = np.zeros(1, np.int32)
    kernel[3, 50](a, out, count)
    kernel[1, 64](a, out, count)
    both = np.zeros((1, 2), a.dtype)
    square[(a.size + 20) // 21, (7, 3)](a, both)
    return out, count, both
"""


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 500),
    st.sampled_from(["int32", "int64", "uint32", "float32", "float64"]),
    st.integers(0, 9),
)
def test_sums_stay_equal(tmp_path, simulated: SimulatedRuns, size: int, dtype: str, seed: int) -> None:
    after = _after(tmp_path)
    random = np.random.default_rng(seed)
    whole = dtype.endswith(("int32", "int64"))
    a = random.integers(0, 2**31 - 1, size) if whole else random.normal(size=size) * 3
    a = a.astype(dtype)
    expected, found = (simulated.call(text, "run", a) for text in (PROGRAM, after))
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        if whole or one.dtype == np.int32:
            assert one.tolist() == other.tolist()
        else:
            np.testing.assert_allclose(one, other, rtol=1e-4 if dtype == "float32" else 1e-12, atol=1e-3)


def _after(folder) -> str:
    if "text" not in _KEPT:
        _KEPT["text"] = fixed(folder, "block-reduction", PROGRAM)
        assert _KEPT["text"].count("cuda.syncthreads()") == 6
    return _KEPT["text"]


_KEPT: dict[str, str] = {}
