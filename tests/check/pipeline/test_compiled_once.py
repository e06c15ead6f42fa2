"""What was compiled is kept: a second run compiles nothing, a changed kernel is compiled alone."""

from __future__ import annotations

from pathlib import Path

from advisor.check.pipeline import check
from advisor.model.findings import Report
from advisor.model.settings.check_options import CheckOptions

KERNELS = """\
from numba import cuda


@cuda.jit("void(float32[:])")
def narrow(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 0.1


@cuda.jit("void(float32[:], int32)")
def wraps(a, n):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i % n]
"""


def run(workspace: Path, device: str = "a100-80gb") -> tuple[Report, int]:
    """The report, and how many kernels the compiler was started for."""
    steps: list[tuple[str, int, int]] = []
    options = CheckOptions(device=device, root=workspace, cache_folder=workspace / ".cache", jobs=1)
    report = check(
        sorted(workspace.glob("*.py")), options, lambda phase, done, total: steps.append((phase, done, total))
    )
    compiling = [(done, total) for phase, done, total in steps if phase == "compiling"]
    return report, compiling[-1][1] - compiling[0][0]


def test_a_second_run_compiles_nothing(compiler: None, workspace: Path) -> None:
    source = workspace / "kernels.py"
    source.write_text(KERNELS)
    cold, compiled = run(workspace)
    assert compiled == 2
    assert "float64-promotion" in {finding.rule for finding in cold.findings}
    warm, compiled = run(workspace)
    assert compiled == 0
    assert warm == cold

    source.write_text("import math\n\n" + KERNELS)
    moved, compiled = run(workspace)
    assert compiled == 0
    assert [finding.span.line - 2 for finding in moved.findings] == [f.span.line for f in cold.findings]

    source.write_text(KERNELS.replace("0.1", "0.3"))
    assert run(workspace)[1] == 1
    assert run(workspace)[1] == 0
    assert run(workspace, device="h100-sxm")[1] == 2
    source.write_text(KERNELS)
    assert run(workspace)[1] == 0


def test_a_constant_elsewhere_is_part_of_what_is_kept(compiler: None, workspace: Path) -> None:
    (workspace / "kernels.py").write_text(KERNELS.replace("0.1", "SCALE").replace(
        "from numba import cuda\n", "from numba import cuda\n\nfrom constants import SCALE\n"
    ))  # fmt: skip
    (workspace / "constants.py").write_text("import numpy as np\n\nSCALE = 0.1\n")
    first, compiled = run(workspace)
    assert compiled == 2
    assert [finding.rule for finding in first.findings].count("float64-promotion") == 1
    (workspace / "constants.py").write_text("import numpy as np\n\nSCALE = np.float32(0.1)\n")
    second, compiled = run(workspace)
    assert compiled == 1
    assert "float64-promotion" not in {finding.rule for finding in second.findings}


def test_a_kernel_that_does_not_compile_is_not_tried_again(compiler: None, workspace: Path) -> None:
    (workspace / "kernels.py").write_text(KERNELS.replace("a[i % n]", "a.nothing"))
    cold, compiled = run(workspace)
    assert compiled == 2
    assert cold.problems == []
    refusals = [one for one in cold.findings if one.rule == "kernel-not-compilable"]
    assert [(one.path, one.span.line) for one in refusals] == [("kernels.py", 15)]
    warm, compiled = run(workspace)
    assert compiled == 0
    assert warm == cold
