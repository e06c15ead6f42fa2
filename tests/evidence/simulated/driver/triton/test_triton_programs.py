"""Programs with Triton kernels under `advisor run`; skipped where Triton is not installed (`[triton]`)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

PROGRAMS = Path(__file__).parent / "programs"


class Run:
    """A program that ran, what it printed, and its project."""

    def __init__(self, project: Path, out: str, err: str) -> None:
        self.project, self.lines, self.err = project, out.splitlines(), err
        self.answer: dict[str, Any] = json.loads(self.lines[-1])


@pytest.fixture(scope="session")
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


def ran(advise: AdvisorCommand, project: Path, name: str, *options: str) -> Run:
    shutil.copytree(PROGRAMS, project)
    (project / ".git").mkdir()
    done = advise("run", *options, name, cwd=project)
    assert done.status == 0, done.err
    return Run(project, done.out.decode(), done.err)


@pytest.fixture(scope="session")
def five(advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return ran(advise, tmp_path_factory.mktemp("five") / "project", "five_programs.py")


@pytest.fixture(scope="session")
def ways(advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return ran(advise, tmp_path_factory.mktemp("ways") / "project", "ways_to_pass.py")


@pytest.mark.parametrize("name", ["add", "add to views", "matmul"])
def test_what_can_be_exact_is_exact(five: Run, name: str):
    assert five.answer["apart"][name] == 0.0


@pytest.mark.parametrize(
    ("name", "most"),
    # ex2.approx.f32 and rsqrt.approx.f32 are right to 2 units in the last place; attention rounds to float16.
    [("softmax", 1e-7), ("layer norm", 2e-6), ("attention", 1e-3)],
)
def test_what_the_gpu_approximates_is_as_near_as_it_says(five: Run, name: str, most: float):
    assert five.answer["apart"][name] <= most


def test_launches_are_noted_at_the_lines_of_the_program(five: Run):
    from sqlite3 import connect

    with connect(five.project / ".advisor" / "launches.sqlite") as record:
        rows = record.execute(
            "SELECT DISTINCT kernel, path, launch_path FROM launches ORDER BY id"
        ).fetchall()
        (counts,) = record.execute(
            "SELECT statistics FROM launches JOIN counts ON counts.id = counts WHERE kernel = 'softmax'"
        ).fetchone()
        (arguments,) = record.execute("SELECT arguments FROM launches WHERE kernel = 'softmax'").fetchone()
    record.close()
    names = ["add", "softmax", "layer_norm", "matmul", "attention"]
    assert rows == [(name, "kernels.py", "five_programs.py") for name in names]
    text = (PROGRAMS / "kernels.py").read_text().splitlines()
    found = {
        (one["array"], one["kind"]): (
            one["path"],
            text[one["line"] - 1].strip(),
            one["requests"],
            one["sectors"],
        )
        for one in json.loads(counts)["accesses"]
        if one["space"] == "global"
    }
    # 64 rows of 4,000 bytes: 32 requests of 128 bytes, the last one of 32; 125 sectors.
    load = 'v = tl.load(x + r * s + i, mask=i < n, other=-float("inf"))'
    store = "tl.store(o + r * s + i, e / tl.sum(e, 0), mask=i < n)"
    assert found == {
        ("x", "load"): ("kernels.py", load, 64 * 32, 64 * 125),
        ("o", "store"): ("kernels.py", store, 64 * 32, 64 * 125),
    }
    kinds = {one["name"]: one["type"] for one in json.loads(arguments)}
    assert kinds == {"x": "*fp32", "o": "*fp32", "n": "i32", "s": "i32", "B": "constexpr[1024]"}


def test_a_check_tells_what_the_launches_counted(advise: AdvisorCommand, five: Run):
    found = advise.check("kernels.py", cwd=five.project).findings
    text = (PROGRAMS / "kernels.py").read_text().splitlines()
    (told,) = (one for one in found if one["rule"] == "triton-elements-one-by-one")
    # Rows of 1,000 elements: what begins at a multiple of 16 bytes in one row does not in the next.
    assert {text[one["line"] - 1].strip() for one in (told, *told["places"])} == {
        "v = tl.load(x + r * n + i, mask=m, other=0.0)",
        "y = d * tl.rsqrt(var + eps) * tl.load(w + i, mask=m) + tl.load(b + i, mask=m)",
    }
    assert told["message"] == (
        "Each thread has 4 neighbouring elements of this load and moves them one by one: "
        "15.6 sectors/request where 4 sectors/request would do. In 2 places."
    )
    simulated = [one for one in found if one["rule"].startswith("triton-") and one["kernel"] == "softmax"]
    assert simulated == []
    assert not [one for one in found if not one["rule"].startswith("triton-")]


def test_a_check_tells_what_was_wrong_in_a_launch(advise: AdvisorCommand, tmp_path: Path):
    project = tmp_path / "project"
    assert ran(advise, project, "defects.py").answer == (
        "Triton Error [CUDA]: past: store of o out of bounds"
    )
    found = advise.check("defects.py", cwd=project).findings
    told = {one["rule"]: (one["kernel"], one["line"], one["severity"]) for one in found}
    assert told["triton-access-out-of-bounds"] == ("past", 18, "error")
    assert told["triton-race-between-programs"] == ("total", 12, "warning")


def test_tuning_chooses_by_predicted_times_and_says_so(five: Run):
    assert "num_warps: " in five.answer["best"]
    assert "elapsed times of events are predicted for NVIDIA A100 80GB" in five.err


@pytest.mark.parametrize(
    "way",
    [
        "scalars", "tuple", "two parts of an array", "device array of Numba", "managed memory", "data_ptr",
        "descriptor", "tuning that restores", "read-only array",
    ],
)  # fmt: skip
def test_a_way_to_pass_an_argument(ways: Run, way: str):
    assert ways.answer[way] is True


def test_what_cannot_be_passed_is_said(ways: Run):
    assert ways.answer["no size"] == (
        "TypeError: pair[0] of add_pair leads to memory of the host whose size is not known "
        "(Tensor has no nbytes)."
    )
    assert (
        ways.answer["complex numbers"] == "TypeError: Triton has no type for elements of NumPy's complex64."
    )


def test_a_grid_of_nothing_launches_nothing(ways: Run):
    assert ways.answer["grid of nothing"] == ""


def test_an_access_outside_of_its_array_ends_the_launch_with_its_place(ways: Run):
    assert ways.answer["out of bounds"].startswith(
        "RuntimeError: Triton Error [CUDA]: far: store of x out of bounds at ways_to_pass.py:"
    )


def test_a_kernel_prints(ways: Run):
    assert "pid (0, 0, 0) idx (3) value: 7" in ways.lines


def test_what_warps_do_alike_is_no_race(ways: Run):
    assert "race" not in ways.err


@pytest.fixture(scope="session")
def hopper(advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    project = tmp_path_factory.mktemp("hopper") / "project"
    return ran(advise, project, "hopper_programs.py", "--device", "h100")


def test_the_five_programs_run_as_compiled_for_9_0(advise: AdvisorCommand, tmp_path: Path):
    on_hopper = ran(advise, tmp_path / "project", "five_programs.py", "--device", "h100")
    apart = on_hopper.answer["apart"]
    assert (apart["add"], apart["matmul"]) == (0.0, 0.0)
    assert apart["softmax"] <= 1e-7 and apart["layer norm"] <= 2e-6 and apart["attention"] <= 1e-3
    assert "runs as compiled for" not in on_hopper.err


@pytest.mark.parametrize(
    "name",
    [
        "float16", "float16 in float16", "bfloat16", "tf32", "e4m3", "e5m2", "int8",
        "descriptors of the host", "descriptors of the kernel", "array of the device", "specialised warps",
        "sums", "to e4m3", "to e5m2",
    ],
)  # fmt: skip
def test_what_is_exact_for_9_0(hopper: Run, name: str):
    assert hopper.answer["apart"][name] == 0.0


def test_what_the_machine_lacks_of_a_gpu_is_compiled_for_another(hopper: Run):
    (said,) = (line for line in hopper.err.splitlines() if "compiled for" in line)
    assert said.startswith(
        "advisor: add_up runs as compiled for sm_80, its counts are those of that code: the simulated NVIDIA "
        "H100 SXM does not execute cp.reduce.async.bulk.tensor.2d.global.shared.add.bulk_group at "
        "hopper_kernels.py:"
    )


def test_a_descriptor_of_more_than_its_array_is_out_of_bounds(hopper: Run):
    assert hopper.answer["beyond"].startswith(
        "RuntimeError: Triton Error [CUDA]: described: load of a[0] out of bounds at "
    )
    assert "uninitialised" not in hopper.err


def test_what_descriptors_move_is_counted_at_its_line(hopper: Run):
    """Boxes of 64 x 64 float16 of 100 x 96 and 96 x 120 elements for four programs; by hand: two steps of 64
    and 32 of the depth for each, rows of 192 bytes of a are six sectors, each read by two programs.
    """
    from sqlite3 import connect

    with connect(hopper.project / ".advisor" / "launches.sqlite") as record:
        (counts,) = record.execute(
            "SELECT statistics FROM launches JOIN counts ON counts.id = counts WHERE kernel = 'described'"
        ).fetchone()
    record.close()
    counted = json.loads(counts)
    text = (PROGRAMS / "hopper_kernels.py").read_text().splitlines()
    found = {
        text[one["line"] - 1].strip(): (one["array"], one["kind"], one["bytes"], one["sectors"])
        for one in counted["accesses"]
        if one["space"] == "global"
    }
    assert found["x = a.load([m, k])"] == ("a[0]", "load", 2 * 100 * 192, 2 * 100 * 6)
    # Rows of 240 bytes begin at a sector or in its middle: 64 elements lie in four or in five sectors,
    # the other 56 in four.
    right = found["y = b.load([k, n])"]
    assert right[:3] == ("b[0]", "load", 2 * 96 * 240)
    assert right[3] == 2 * (48 * (4 + 4) + 48 * (5 + 4))
    stored = found["c.store([m, n], total)"]
    assert stored[:3] == ("c[0]", "store", 100 * 480)
    assert stored[3] == 100 * 15
    assert counted["products"] == {"f16": 4 * 2 * 2 * 64 * 64 * 64}


def test_programs_that_a_program_starts_use_the_simulated_gpu_too(advise: AdvisorCommand, tmp_path: Path):
    shutil.copytree(PROGRAMS, tmp_path / "project")
    (tmp_path / "project" / "main.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'], check=True)\n"
    )
    (tmp_path / "project" / "child.py").write_text(
        "import numpy as np\nfrom kernels import add\nx = np.ones(32, np.float32)\n"
        "add[(1,)](x, x, x, 32, B=32)\nprint(x.sum())\n"
    )
    done = advise("run", "main.py", cwd=tmp_path / "project")
    assert done.out == b"64.0\n", done.err
    assert done.err.endswith("advisor: 1 launch recorded.\n")


def test_programs_without_triton_do_not_load_it(advise: AdvisorCommand, tmp_path: Path):
    (tmp_path / "main.py").write_text("import sys, numba.cuda\nprint('triton' in sys.modules)\n")
    (tmp_path / ".git").mkdir()
    assert advise("run", "main.py", cwd=tmp_path).out == b"False\n"


def test_outside_of_a_run_triton_keeps_its_own_driver(tmp_path: Path):
    text = "import triton, advisor\nprint(triton.runtime.driver._active)"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout == "None\n"


def test_a_diagnosis_tells_what_a_kernel_waits_for(advise: AdvisorCommand, five: Run):
    told = advise("explain", "kernels.py::matmul", "--format", "json", cwd=five.project).report
    bound = told["bound"]
    assert (told["kernel"], bound["source"], bound["class"]) == ("matmul", "simulated", "latency")
    low, high = bound["time_interval_ms"]
    assert low < bound["time_ms"] < high
    assert "tensor" in {one["resource"] for one in bound["parts"]}
    assert 0.0 < told["share_of_run"] < 1.0
    values = {one["name"]: one["value"] for each in told["answers"] for one in each["values"]}
    # The launches that take longest together are of 4 x 4 programs with 2 warps.
    assert (values["programs"], values["warps"]) == ("16", "2")
    assert {one["rule"] for one in told["actions"]} == {"triton-few-configurations"}


def test_tensor_cores_do_the_products(advise: AdvisorCommand, five: Run):
    why = advise(
        "rules", "why", "triton-product-outside-tensor-cores", "kernels.py::matmul", cwd=five.project
    )
    assert b"k.tensor_share" in why.out and b"100%" in why.out
