"""The number of processes changes how long a check takes and nothing else."""

from __future__ import annotations

from pathlib import Path

from advisor_command import AdvisorCommand

MODULE = """\
import numpy as np
from numba import cuda

THREADS = {threads}


@cuda.jit
def kernel_{number}(a, out):
    i = cuda.grid(1)
    out[i] = a[{stride} * i] * 0.1


def main(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    kernel_{number}[n // THREADS, THREADS](a, cuda.device_array_like(a))
"""
BROKEN = "from numba import cuda\n\n\n@cuda.jit\ndef broken(a:\n    pass\n"
# Launches stand in other files than their kernels.
LAUNCHES = """\
from numba import cuda
from package.module_07 import kernel_7


def main(n):
    a = cuda.device_array(n)
    kernel_7[n // 48, 48](a, a)
"""


def fill(workspace: Path, modules: int) -> None:
    (workspace / "package").mkdir()
    for number in range(modules):
        text = MODULE.format(number=number, threads=32 * (number % 8) + 16, stride=1 + number % 5)
        (workspace / "package" / f"module_{number:02}.py").write_text(text)
    (workspace / "package" / "broken.py").write_text(BROKEN)
    (workspace / "launches.py").write_text(LAUNCHES)


def test_source_evidence_of_many_files(advise: AdvisorCommand, workspace: Path) -> None:
    fill(workspace, 60)
    one, two, many = (
        advise.check("--evidence", "source", "--no-cache", "--jobs", jobs, cwd=workspace)
        for jobs in ("1", "2", "5")
    )
    assert one.report["summary"]["kernels"] == 60
    assert [error[0] for error in one.errors] == ["package/broken.py"]
    assert ("block-not-warp-multiple", "launches.py", 7) in one.places
    assert one == two == many


def test_compiled_evidence(advise: AdvisorCommand, compiler: None, workspace: Path) -> None:
    fill(workspace, 8)
    one, many = (advise.check("--no-cache", "--jobs", jobs, cwd=workspace) for jobs in ("1", "3"))
    assert {path for rule, path, _ in one.places if rule == "float64-promotion"} == {
        f"package/module_{number:02}.py" for number in range(8)
    }
    assert one == many


def test_the_order_of_the_paths_says_nothing(advise: AdvisorCommand, workspace: Path) -> None:
    fill(workspace, 8)
    flags = ("--evidence", "source", "--no-cache")
    whole = advise.check(*flags, cwd=workspace)
    parts = advise.check(*flags, "package", "launches.py", "package/module_03.py", cwd=workspace)
    turned = advise.check(*flags, "launches.py", "./package", str(workspace / "package"), cwd=workspace)
    assert whole == parts == turned
