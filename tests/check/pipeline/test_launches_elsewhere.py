"""A kernel in one file and its launches in others."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

KERNEL = """\
from numba import cuda


@cuda.jit
def kernel(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j]
"""
LAUNCH = """\
from numba import cuda

from kernels import kernel


def main(a, n):
    out = cuda.device_array((n, n))
    kernel[(n // 20, n // 5), (20, 5)](a, out)
"""
TRANSPOSED = ("transposed-index", "kernels.py", 8)
FAST = ("--evidence", "source", "--no-cache")


@pytest.fixture
def project(workspace: Path) -> Path:
    (workspace / "kernels.py").write_text(KERNEL)
    (workspace / "launches.py").write_text(LAUNCH)
    return workspace


def test_a_launch_is_judged_where_it_stands(advise: AdvisorCommand, project: Path) -> None:
    outcome = advise.check(*FAST, cwd=project)
    (finding,) = [row for row in outcome.findings if row["rule"] == "block-not-warp-multiple"]
    assert (finding["path"], finding["line"]) == ("launches.py", 8)
    assert [(place["path"], place["line"]) for place in finding["related"]] == [("kernels.py", 5)]
    assert TRANSPOSED in outcome.places


@pytest.mark.parametrize(("block", "transposed"), [("(1, 64)", False), ("(32, 8)", True)])
def test_the_block_of_another_file_says_how_a_warp_lies(
    advise: AdvisorCommand, project: Path, block: str, transposed: bool
) -> None:
    (project / "launches.py").write_text(LAUNCH.replace("(20, 5)", block))
    assert (TRANSPOSED in advise.check(*FAST, cwd=project).places) is transposed
    # Also when the launch is in a file that is not checked itself.
    outcome = advise.check(*FAST, "kernels.py", cwd=project)
    assert (TRANSPOSED in outcome.places) is transposed
    assert {path for _, path, _ in outcome.places} <= {"kernels.py"}


def test_a_file_that_only_launches_has_excerpts_and_suppressions(
    advise: AdvisorCommand, project: Path
) -> None:
    launch = LAUNCH.replace("from numba import cuda\n\n", "").replace("cuda.device_array((n, n))", "a.cuda()")
    (project / "launches.py").write_text(launch)
    line = launch.splitlines().index("    kernel[(n // 20, n // 5), (20, 5)](a, out)") + 1
    assert ("block-not-warp-multiple", "launches.py", line) in advise.check(*FAST, cwd=project).places
    text = advise("check", *FAST, "--select", "block-not-warp-multiple", cwd=project).out.decode()
    assert "kernel[(n // 20, n // 5), (20, 5)](a, out)" in text
    suppression = "  # advisor: ignore[block-not-warp-multiple] the size of the stencil\n"
    (project / "launches.py").write_text(launch.rstrip("\n") + suppression)
    assert "block-not-warp-multiple" not in advise.check(*FAST, cwd=project).rules
