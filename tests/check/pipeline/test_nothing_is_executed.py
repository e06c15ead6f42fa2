"""Modules that leave a trace when they are imported: after a check there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, contents

# The division is by a constant of a second module, and the machine code shows that it was found there.
MODULE = """\
import os
from pathlib import Path

import numpy as np
from numba import cuda

from constants import SIDE, half

(Path(__file__).parent / "trace-of-module").write_text("imported")
os.environ["KERNEL_TRACE"] = "imported"
FACTOR = 0.1


@cuda.jit("void(float32[:], float32[:])")
def scale(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * FACTOR + half(a[i % SIDE])


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    scale[n // 256, 256](a, cuda.device_array_like(a))


main()
"""
CONSTANTS = """\
from pathlib import Path

from numba import cuda

(Path(__file__).parent / "trace-of-constants").write_text("imported")
SIDE = 64


@cuda.jit(device=True)
def half(x):
    return x * 0.3 + 0.7
"""


@pytest.mark.parametrize(
    "argv",
    [[], ["--no-run"], ["--evidence", "source"], ["--evidence", "source", "--no-run"], ["--no-cache"]],
    ids=" ".join,
)
def test_a_check_imports_no_module_of_the_workspace(
    advise: AdvisorCommand, compiler: None, workspace: Path, argv: list[str]
) -> None:
    (workspace / "module.py").write_text(MODULE)
    (workspace / "constants.py").write_text(CONSTANTS)
    before = contents(workspace)
    outcome = advise.check(*argv, cwd=workspace)
    assert contents(workspace) == before
    assert outcome.errors == []
    assert outcome.report["summary"]["kernels"] == 1
    if "source" in argv:
        return
    # Both the module's own constant and the other module's function went into the machine code.
    assert {
        ("float64-promotion", "module.py", 18),
        ("float64-promotion", "constants.py", 11),
    } <= outcome.places


# What `WIDTH` is, only the program's run would tell: writing the trace gives it.
UNKNOWN = """\
from pathlib import Path

from numba import cuda

WIDTH = (Path(__file__).parent / "trace-of-width").write_text("imported")


@cuda.jit("void(float32[:], float32[:])")
def scale(a, out):
    i = cuda.grid(1)
    if i < WIDTH:
        out[i] = a[i] * 0.1
"""


@pytest.mark.parametrize("argv", [[], ["--no-run"], ["--no-cache"]], ids=" ".join)
def test_a_value_that_the_program_computes_is_assumed_and_not_computed(
    advise: AdvisorCommand, compiler: None, workspace: Path, argv: list[str]
) -> None:
    (workspace / "module.py").write_text(UNKNOWN)
    before = contents(workspace)
    outcome = advise.check(*argv, cwd=workspace)
    assert contents(workspace) == before
    assert outcome.errors == []
    (finding,) = [one for one in outcome.findings if one["rule"] == "float64-promotion"]
    assert finding["assumptions"] == [
        "`WIDTH` (the result of a call) is taken to be 32, int64 as its use shows; what is otherwise with 48 "
        "is left out."
    ]


@pytest.mark.parametrize("argv", [["--no-run"], ["--evidence", "synthesised"]], ids=" ".join)
def test_made_up_launches_import_no_module_of_the_workspace(
    advise: AdvisorCommand, compiler: None, workspace: Path, argv: list[str]
) -> None:
    (workspace / "module.py").write_text(MODULE)
    (workspace / "constants.py").write_text(CONSTANTS)
    before = contents(workspace)
    # A device function of another module adds its constant to the sectors of no access.
    outcome = replace(advise, synthesis=True).check(*argv, cwd=workspace)
    assert contents(workspace) == before
    assert outcome.errors == []
    why = replace(advise, synthesis=True)(
        *("rules", "why", "uncoalesced-access", "module.py", "--no-run", "--format", "json"), cwd=workspace
    )
    made = json.loads(why.out)["synthesised"]
    assert contents(workspace) == before
    # The launch is that in `main`, which is called when the module is imported.
    assert {tuple(one["block"]) for one in made["launches"]} == {(256, 1, 1)}
    assert all(one["ended"] and not one["out_of_bounds"] for one in made["launches"])


def test_made_up_launches_import_no_module_with_the_name_of_a_library(
    advise: AdvisorCommand, compiler: None, workspace: Path
) -> None:
    advise = replace(advise, forked=False, synthesis=True)
    for name in ("numba", "numpy", "llvmlite", "json", "sitecustomize", "usercustomize"):
        (workspace / f"{name}.py").write_text(
            "from pathlib import Path\n(Path(__file__).parent / 'trace').write_text('imported')\n"
        )
    (workspace / "kernel.py").write_text(
        "from numba import cuda\n\n\n@cuda.jit('void(float32[:, ::1])')\n"
        "def k(a):\n    i = cuda.grid(1)\n    if i < a.shape[0]:\n"
        "        for j in range(a.shape[1]):\n            a[i, j] = 1\n"
    )
    before = contents(workspace)
    outcome = advise.check("--select", "uncoalesced-access", cwd=workspace)
    assert contents(workspace) == before
    (finding,) = outcome.findings
    sources = {one["metric"]: one["source"] for one in finding["evidence"]}
    assert sources["sectors_per_request"] == "synthesised"


def test_a_module_with_the_name_of_a_library_is_not_imported(
    advise: AdvisorCommand, compiler: None, workspace: Path
) -> None:
    advise = replace(advise, forked=False)  # What it imports at its start is what may go wrong.
    for name in ("numba", "numpy", "lark", "json", "sitecustomize"):
        (workspace / f"{name}.py").write_text(
            "from pathlib import Path\n(Path(__file__).parent / 'trace').write_text('imported')\n"
        )
    (workspace / "kernel.py").write_text(
        "import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit('void(float32[:])')\n"
        "def k(a):\n    a[cuda.grid(1)] *= 0.1\n"
    )
    before = contents(workspace)
    outcome = advise.check(cwd=workspace)
    assert contents(workspace) == before
    assert ("float64-promotion", "kernel.py", 7) in outcome.places
