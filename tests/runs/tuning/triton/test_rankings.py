"""`advisor tune` of Triton kernels; skipped where Triton is not installed (`[triton]`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand, contents

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

KERNELS = """
import numpy as np
import triton
import triton.language as tl

NARROW = [triton.Config({"B": 128}), triton.Config({"B": 256}, num_warps=8)]
NUMBERS = [1, 2]


@triton.jit
def scale(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def marked(o, B: tl.constexpr):
    tl.store(o, B)


@triton.autotune(
    configs=[triton.Config({"B": 64}, num_warps=1), triton.Config({"B": 1024}, num_warps=4),
             triton.Config({"B": 1024}, num_warps=64)],
    key=["n"], reset_to_zero=["o"],
)
@triton.jit
def tuned(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + i, tl.load(x + i, mask=i < n), mask=i < n)
"""

WORKLOAD = """

def workload():
    x = np.arange(200_000, dtype=np.float32)
    o = np.zeros_like(x)
    scale[lambda meta: (triton.cdiv(x.size, meta["B"]),)](x, o, x.size, 64, num_warps=1)
    tuned[lambda meta: (triton.cdiv(x.size, meta["B"]),)](x, o, x.size)
    marked[(1,)](o, B=4)
"""


@pytest.fixture(scope="module")
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".git").mkdir()
    (folder / "kernels.py").write_text(KERNELS + WORKLOAD)
    return folder


def ranked(advise: AdvisorCommand, project: Path, kernel: str, *options: str) -> dict[str, Any]:
    return advise("tune", f"kernels.py::{kernel}", "--format", "json", *options, cwd=project).report


def said(advise: AdvisorCommand, project: Path, kernel: str, *options: str) -> str:
    found = advise("tune", f"kernels.py::{kernel}", *options, cwd=project)
    assert found.status == 2
    return found.err


def test_values_of_a_constant_are_ranked_by_predicted_time(advise: AdvisorCommand, project: Path):
    before = contents(project)
    found = ranked(advise, project, "scale", "--set", "B=64,1024", "--set", "num_warps=1,4")
    assert (found["kernel"], found["first"], found["complete"]) == ("scale", {"B": 64, "num_warps": 1}, True)
    times = [one["predicted_ms"] for one in found["ranked"]]
    assert len(times) == 4 and times == sorted(times)
    # Blocks of 64 elements are 3,125 programs of one warp, which leave most of a multiprocessor empty.
    assert found["best"]["B"] == 1024 and found["ranked"][0]["ratio"] < 1.0
    of_four = next(one for one in found["ranked"] if one["values"] == {"B": 1024, "num_warps": 4})
    assert (of_four["grid"], of_four["warps"], of_four["outcome"]) == ([196, 1, 1], 4, "equal")
    assert of_four["limiter"] and of_four["registers"] > 0
    assert contents(project) == before


def test_configurations_of_the_tuner_are_each_run_alone(advise: AdvisorCommand, project: Path):
    found = ranked(advise, project, "tuned")
    assert found["first"]["B"] == 64
    outcomes = {(one["values"]["B"], one["values"]["num_warps"]): one["outcome"] for one in found["ranked"]}
    # The sums would be others if trials of one process added to each other's.
    assert outcomes == {(64, 1): "equal", (1024, 4): "equal", (1024, 64): "failed"}
    (failed,) = (one for one in found["ranked"] if one["outcome"] == "failed")
    assert "OutOfResources: out of resource: threads" in failed["reason"]


def test_a_list_beside_the_kernel_is_ranked(advise: AdvisorCommand, project: Path):
    found = ranked(advise, project, "scale", "--configs", "NARROW")
    assert {(one["values"]["B"], one["warps"]) for one in found["ranked"]} == {(128, 4), (256, 8)}


def test_other_results_are_told_and_never_the_best(advise: AdvisorCommand, project: Path):
    found = ranked(advise, project, "marked", "--set", "B=4,8")
    assert {one["values"]["B"]: one["outcome"] for one in found["ranked"]} == {
        4: "equal",
        8: "results differ",
    }
    assert found["best"] == {"B": 4}


def test_the_table(advise: AdvisorCommand, project: Path):
    found = advise("tune", "kernels.py::scale", "--set", "B=1024", cwd=project)
    lines = found.out.decode().splitlines()
    assert lines[0] == "kernels.py:11: scale on NVIDIA A100 80GB"
    assert lines[1] == "  with x 200000, o 200000, n i32"
    assert lines[3].split() == ["B", "registers", "occupancy", "predicted", "ms", "of", "first", "limit"]
    rows = sorted(line.split() for line in lines[4:6])
    assert (rows[0][0], rows[1][0], rows[1][-1]) == ("1024", "64", "first")
    assert "2 configurations simulated, each with its results compared with the first's." in lines


@pytest.mark.parametrize(
    ("kernel", "options", "words"),
    [
        (
            "scale",
            (),
            "scale does not stand below @triton.autotune. Say what to try: --set NAME=VALUE,VALUE (B,",
        ),
        ("scale", ("--set", "BB=1"), "scale has no constant `BB`. Did you mean `B`?"),
        ("scale", ("--set", "n=1"), "scale has no constant `n`."),
        ("scale", ("--set", "B"), "'B' is not written NAME=VALUE,VALUE"),
        ("scale", ("--set", "B=1,,2"), "is not written NAME=VALUE,VALUE"),
        ("scale", ("--configs", "NUMBERS"), "NUMBERS beside scale is no list of triton.Config"),
        ("scale", ("--configs", "MISSING"), "MISSING beside scale is no list of triton.Config"),
        ("tuned", ("--write",), "--write: the configurations of a Triton kernel are ranked"),
        ("missing", (), "kernels.py has no kernel"),
        ("missing", ("--set", "B=1"), "--set and --configs are for kernels of Triton"),
    ],
)
def test_what_cannot_be_ranked_is_said(
    advise: AdvisorCommand, project: Path, kernel: str, options: tuple[str, ...], words: str
):
    assert words in said(advise, project, kernel, *options)


def test_a_kernel_that_nothing_launches(advise: AdvisorCommand, tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernels.py").write_text(KERNELS)
    words = said(advise, tmp_path, "tuned")
    assert "nothing is known that launches tuned: write a function `def workload():`" in words


def test_a_workload_that_fails_or_leaves_the_kernel_out(advise: AdvisorCommand, tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernels.py").write_text(f"{KERNELS}\n\ndef workload():\n    pass\n")
    assert "kernels.py::workload() does not launch tuned." in said(advise, tmp_path, "tuned")
    (tmp_path / "kernels.py").write_text(f"{KERNELS}\n\ndef workload():\n    raise ValueError('no')\n")
    assert "kernels.py::workload() failed: ValueError: no" in said(advise, tmp_path, "tuned")


def test_a_recorded_program_launches_it_in_a_copy(advise: AdvisorCommand, tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "main.py").write_text(
        "import sys\nimport numpy as np\nfrom kernels import tuned\n"
        "x, o = np.ones(4096, np.float32), np.zeros(4096, np.float32)\n"
        "tuned[lambda meta: (4096 // meta['B'],)](x, o, int(sys.argv[1]))\n"
        "open('written', 'a').write('once\\n')\nsys.exit(0)\n"
    )
    assert advise("run", "main.py", "4000", cwd=tmp_path).status == 0
    found = ranked(advise, tmp_path, "tuned")
    assert [one["outcome"] for one in found["ranked"]].count("equal") == 2
    assert found["arguments"][0]["shape"] == [4096]
    assert (tmp_path / "written").read_text() == "once\n"


def test_no_time_is_left(advise: AdvisorCommand, project: Path):
    found = ranked(advise, project, "scale", "--set", "B=64,128,256", "--seconds", "0")
    assert not found["complete"] and len(found["ranked"]) == 1
