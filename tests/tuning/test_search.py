"""Searches on the SIMT machine: what is found, and what is never offered."""

from __future__ import annotations

import pytest

from advisor.check_options import CheckOptions
from advisor.config import load_config
from advisor.errors import AdvisorError, SourceProblem, UsageError
from advisor.pipeline import gather

pytestmark = pytest.mark.usefixtures("simulated")

# 64 steps of arithmetic for each element: what idle lanes of a warp cost is felt.
GUARDED = """\
THREADS = 100


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = x[i]
        for _ in range(64):
            total = total * x[i] + x[i]
        out[i] = total


def workload():
    x = cuda.to_device(np.arange(100_000, dtype=np.float32))
    out = cuda.device_array_like(x)
    kernel[(x.size + THREADS - 1) // THREADS, THREADS](x, out)
"""

# Each thread stages one element of `a` and of `b`: the tile must be as wide as the block.
MATRIX = """\
TILE = 4


@cuda.jit
def kernel(a, b, out):
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    b_tile = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0.0)
    for start in range(0, a.shape[1], TILE):
        a_tile[y, x] = a[row, start + x]
        b_tile[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    out[row, column] = total


def workload():
    random = np.random.default_rng(1)
    a, b = (cuda.to_device(random.random((64, 64), dtype=np.float32)) for _ in range(2))
    kernel[(64 // TILE, 64 // TILE), (TILE, TILE)](a, b, cuda.device_array((64, 64), np.float32))
"""

# The sum of each block is what it is because of the block.
SUMS = """\
THREADS = 32


@cuda.jit
def kernel(x, sums):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(sums, cuda.blockIdx.x, x[i])


def workload():
    x = cuda.to_device(np.ones(4096, np.int32))
    kernel[(x.size + THREADS - 1) // THREADS, THREADS](x, cuda.to_device(np.zeros(128, np.int32)))
"""


def by_block(result):
    return {trial.block[0]: trial for trial in result.trials}


def test_a_block_becomes_a_multiple_of_a_warp(project, numbers):
    numbers(one_axis=(64, 128), edit_gain=1.01)
    project.write(GUARDED)
    result = project.tune()
    assert {trial.outcome for trial in result.trials} == {"equal"}
    assert [trial.block[0] for trial in result.trials] == [100, 64, 128]
    assert result.best.block[0] in (64, 128)
    assert result.best.predicted_ms == min(trial.predicted_ms for trial in result.trials)
    text = project.file.read_text()
    assert result.edited["kernels.py"] == text.replace("THREADS = 100", f"THREADS = {result.best.block[0]}")


def test_the_present_time_is_that_of_check(project, numbers):
    numbers(one_axis=())
    project.write(GUARDED)
    options = CheckOptions(
        "a100-80gb", project.folder, evidence="simulated", settings=load_config(project.folder)
    )
    tables, _, _ = gather([project.file], options)
    (checked,) = tables["kernel"].columns["predicted_ms"].values
    (occupancy,) = tables["kernel"].columns["theoretical_occupancy"].values
    present = project.tune().present
    assert (present.predicted_ms, present.occupancy) == (checked, occupancy)


def test_a_tile_of_a_matrix_multiplication(project, numbers):
    numbers(two_axes=((8, 4), (8, 8), (2, 2)))
    project.write(MATRIX)
    result = project.tune()
    # The tile is the block, which can only be square.
    tried = {trial.configuration["TILE"]: trial for trial in result.trials}
    assert list(tried) == [4, 8, 2]
    assert {trial.outcome for trial in result.trials} == {"equal"}
    assert tried[8].predicted_ms < tried[4].predicted_ms < tried[2].predicted_ms
    assert f"TILE = {result.best.configuration['TILE']}\n" in result.edited["kernels.py"]
    assert result.best is tried[8]


def test_a_tile_and_a_block_of_one_size_change_together(project, numbers):
    numbers(two_axes=((8, 8),))
    text = MATRIX.replace("TILE = 4\n", "TILE = 4\nB = (4, 4)\n")
    project.write(text.replace("(64 // TILE, 64 // TILE), (TILE, TILE)", "(64 // B[0], 64 // B[1]), B"))
    result = project.tune()
    outcomes = {(trial.configuration["B[0]"], trial.configuration["TILE"]): trial for trial in result.trials}
    # Threads beside a tile that is too small read beyond it, a tile that is too large stays empty in part.
    assert "out of bounds" in outcomes[8, 4].reason
    assert "uninitialised" in outcomes[4, 8].reason
    assert outcomes[8, 8].outcome == outcomes[16, 16].outcome == "equal"
    assert (result.best.configuration["B[0]"], result.best.configuration["TILE"]) == (16, 16)
    assert "TILE = 16\nB = (16, 16)\n" in result.edited["kernels.py"]


def test_a_kernel_that_depends_on_its_block_is_left_alone(project, numbers):
    numbers(one_axis=(64, 128), edit_gain=1.0, step_gain=1.0)
    project.write(SUMS)
    result = project.tune()
    assert [trial.outcome for trial in result.trials] == ["equal", "results differ", "results differ"]
    assert "sums holds other values" in result.trials[1].reason
    assert result.best is result.present
    assert result.edited == {}


def test_sums_in_another_order_need_a_tolerance(project, numbers):
    numbers(one_axis=(256,))
    text = SUMS.replace("cuda.blockIdx.x", "0").replace("np.ones(4096, np.int32)", "DATA")
    data = "DATA = np.random.default_rng(3).random(4096).astype(np.float32) ** 8\n\n\n"
    project.write(data + text.replace("np.zeros(128, np.int32)", "np.zeros(1, np.float32)"))
    exact, near = project.tune().trials[1], project.tune(tolerance=1e-3).trials[1]
    # The warps of a larger block add in another order.
    if exact.outcome != "equal":
        assert (exact.outcome, "deviates by" in exact.reason) == ("results differ", True)
    assert near.outcome == "equal"


def test_an_access_out_of_bounds_and_a_race_are_failures(project, numbers):
    numbers(one_axis=(64,))
    project.write(
        """\
THREADS = 32


@cuda.jit
def kernel(x):
    tile = cuda.shared.array(32, np.float32)
    tile[cuda.threadIdx.x] = x[cuda.grid(1)]
    x[cuda.grid(1)] = tile[cuda.threadIdx.x] + 1


def workload():
    kernel[1024 // THREADS, THREADS](cuda.to_device(np.ones(1024, np.float32)))
"""
    )
    trial = project.tune().trials[1]
    assert trial.outcome == "failed"
    assert "out of bounds at kernels.py:10" in trial.reason


def test_a_changed_kernel_of_a_package_imports_its_neighbours(project, numbers):
    numbers(one_axis=(128,))
    package = project.folder / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sizes.py").write_text("THREADS_AT_FIRST = 64\n")
    text = GUARDED.replace("100_000", "sizes.THREADS_AT_FIRST * 100")
    project.file = package / "kernels.py"
    project.write("from . import sizes\n" + text)
    result = project.tune()
    assert [trial.outcome for trial in result.trials] == ["equal", "equal"]
    assert result.arguments[0][2] == [6400]
    names = sorted(path.name for path in package.rglob("*") if "__pycache__" not in path.parts)
    assert names == ["__init__.py", "kernels.py", "sizes.py"]


def test_the_workload_may_lie_in_the_file_that_launches(project, numbers):
    numbers(one_axis=(128,))
    head, workload = GUARDED.split("def workload")
    (project.folder / "main.py").write_text(
        "import numpy as np\nfrom numba import cuda\nfrom kernels import kernel\n\n"
        "THREADS = 100\n\n\ndef workload" + workload
    )
    project.write(head.replace("THREADS = 100\n\n\n", ""))
    result = project.tune()
    assert [trial.block[0] for trial in result.trials] == [100, 128]
    assert result.trials[1].outcome == "equal"


def test_a_second_search_is_answered_from_the_cache(project, numbers):
    numbers(one_axis=(64, 128))
    project.write(GUARDED)
    first = project.tune(cache=True)
    # Nothing is run again: with what is kept, no limit of time is felt.
    again = project.tune(cache=True, seconds=0.0)
    assert (first.kept, again.kept) == (False, True)
    assert (again.trials, again.edited, again.arguments) == (first.trials, first.edited, first.arguments)
    numbers(one_axis=(64,))
    assert not project.tune(cache=True, fresh=True).kept
    assert len(project.tune(cache=True).trials) == 2
    project.write(GUARDED.replace("100_000", "200_000"))
    changed = project.tune(cache=True)
    assert (changed.kept, changed.arguments[0][2]) == (False, [200_000])


def test_a_search_that_was_cut_short_serves_no_longer_one(project, numbers):
    numbers(one_axis=(64,))
    project.write(GUARDED)
    short = project.tune(cache=True, seconds=0.0)
    assert (short.complete, len(short.trials), short.edited) == (False, 1, {})
    assert project.tune(cache=True, seconds=0.0).kept
    longer = project.tune(cache=True)
    assert (longer.kept, longer.complete, len(longer.trials)) == (False, True, 2)


@pytest.mark.parametrize(
    ("text", "kernel", "kind", "message"),
    [
        (
            GUARDED,
            "kernal",
            UsageError,
            "kernels.py has no kernel `kernal`. Did you mean `kernel`? Its kernels: kernel.",
        ),
        ("def f():\n    pass\n", "f", UsageError, "kernels.py has no kernel."),
        ("def f(:\n", "f", SourceProblem, "kernels.py:4: "),
        (
            GUARDED.replace("def workload", "def other"),
            "kernel",
            AdvisorError,
            "has no workload that launches",
        ),
        (
            GUARDED.replace("    out = ", "    raise OSError('no data')\n    out = "),
            "kernel",
            AdvisorError,
            "kernels.py::workload() failed: OSError: no data",
        ),
        (
            GUARDED + "\n\n@cuda.jit\ndef idle(x):\n    x[cuda.grid(1)] = 1\n",
            "idle",
            AdvisorError,
            "kernels.py::workload() does not launch idle.",
        ),
        (
            GUARDED + "    kernel[(x.size + 63) // 64, 64](x, out)\n",
            "kernel",
            AdvisorError,
            "blocks that contradict each other: kernels.py:20 with 100, kernels.py:21 with 64",
        ),
    ],
)
def test_errors(project, text, kernel, kind, message):
    project.write(text)
    with pytest.raises(kind) as caught:
        project.tune(kernel)
    assert message in str(caught.value)
