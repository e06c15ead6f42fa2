"""Searches on the SIMT machine: what is found, and what is never offered."""

from __future__ import annotations

import pytest
from tuned_programs import ATOMICS, GUARDED, MATRIX, SERIAL_SUMS, SUMS

from advisor.check.pipeline import gather
from advisor.cli.tuning.table import result_text
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config

pytestmark = pytest.mark.usefixtures("simulated")


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


@pytest.mark.parametrize("program", [GUARDED, ATOMICS], ids=["arithmetic", "atomics"])
def test_the_present_time_is_that_of_check(project, numbers, program):
    numbers(one_axis=())
    project.write(program)
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
    numbers(one_axis=(64,))
    project.write(SERIAL_SUMS)
    result = project.tune()
    exact, near = result.trials[1], project.tune(tolerance=1e-5).trials[1]
    assert (exact.outcome, near.outcome) == ("results differ", "equal")
    assert exact.reason == f"out deviates by {exact.deviation:.1e} of its largest value"
    assert 0.0 < exact.deviation < 1e-5
    assert "the rounding of sums in another order, --tolerance 1e-0" in result_text(result)


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


def test_a_limit_of_registers_that_spills_is_not_offered(project, numbers):
    numbers(one_axis=(), register_limits=(32,))
    loads = "".join(f"    v{n} = x[i + {n} * 1024]\n" for n in range(64))
    total = " + ".join(f"v{n}" for n in range(64))
    project.write(
        f"@cuda.jit\ndef kernel(x, out):\n    i = cuda.grid(1)\n{loads}    cuda.syncthreads()\n"
        f"    out[i] = {total}\n\n\ndef workload():\n    x = cuda.to_device(np.ones(65 * 1024, np.float32))\n"
        "    kernel[1024 // 256, 256](x, cuda.device_array(1024, np.float32))\n"
    )
    present, limited = project.tune().trials
    assert present.registers > 64 and present.limiter == "registers"
    assert limited.configuration["max_registers"] == limited.registers == 32
    assert limited.occupancy > present.occupancy
    assert limited.outcome == "failed"
    assert limited.reason.startswith("registers spill ")


def test_a_kernel_that_hangs_with_another_block_ends_with_its_trial(project, numbers):
    numbers(one_axis=(64, 128))
    (project.folder / "advisor.toml").write_text("workload-seconds = 4.0\n")
    project.write(
        "THREADS = 32\n\n\n@cuda.jit\ndef kernel(x):\n    i = cuda.grid(1)\n"
        "    while cuda.blockDim.x == 64 and x[i] > 0:\n        x[i] += 1\n    x[i] = 2\n\n\n"
        "def workload():\n    kernel[1024 // THREADS, THREADS](cuda.to_device(np.ones(1024, np.float64)))\n"
    )
    result = project.tune()
    assert [trial.outcome for trial in result.trials] == ["equal", "failed", "equal"]
    assert "did not end within 4 s" in result.trials[1].reason


def test_another_kernel_with_the_same_constant_is_told(project, numbers):
    numbers(one_axis=(128,), edit_gain=1.01)
    text = GUARDED.replace("THREADS = 100", "THREADS = 33")
    other = text[text.index("@cuda.jit") : text.index("def workload")].replace("def kernel", "def other")
    text = text.replace("def workload", f"{other}def workload")
    project.write(text + "    other[(x.size + THREADS - 1) // THREADS, THREADS](x, out)\n")
    result = project.tune()
    assert list(result.present.others) == list(result.best.others) == ["other"]
    assert result.best.block[0] == 128
    assert "This changes other too: " in result_text(result)


def test_launches_in_tests_are_left_alone(project, numbers):
    numbers(one_axis=(128,))
    project.write(GUARDED)
    (project.folder / "test_kernels.py").write_text(
        "from numba import cuda\nfrom kernels import kernel\n\n\n"
        "def test_kernel(x, out):\n    kernel[1, 8](x, out)\n"
    )
    result = project.tune()
    assert result.notes == ("test_kernels.py:6 launches it too; as a test it is left as it is.",)
    assert result.trials[1].outcome == "equal"
