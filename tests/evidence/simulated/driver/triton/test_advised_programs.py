"""Four programs with Triton kernels as they are first written: exact against NumPy, and advised on.

Skipped where Triton is not installed (`[triton]`).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

PROGRAMS = Path(__file__).parent / "programs"


class Advised:
    """What the programs printed, and what a check then said."""

    def __init__(self, apart: dict[str, float], findings: list[dict[str, Any]]) -> None:
        self.apart, self._findings = apart, findings

    def rules_of(self, kernel: str) -> set[str]:
        return {one["rule"] for one in self._findings if one["kernel"] == kernel}

    def message(self, rule: str) -> str:
        (found,) = (one["message"] for one in self._findings if one["rule"] == rule)
        return str(found)


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> Advised:
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    advise = AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)
    project = tmp_path_factory.mktemp("slow") / "project"
    shutil.copytree(PROGRAMS, project)
    (project / ".git").mkdir()
    done = advise("run", "slow_programs.py", cwd=project)
    assert done.status == 0, done.err
    apart = json.loads(done.out.decode().splitlines()[-1])["apart"]
    return Advised(apart, advise.check("slow_kernels.py", cwd=project).findings)


@pytest.mark.parametrize(
    ("name", "most"),
    # Sums of whole numbers are exact; exponentials and roots are approximated, attention rounds to float16.
    [("product", 0.0), ("softmax", 1e-7), ("layer norm", 2e-6), ("attention", 1e-3)],
)
def test_results_are_those_of_numpy(advised: Advised, name: str, most: float):
    assert advised.apart[name] <= most


@pytest.mark.parametrize(
    ("kernel", "rules"),
    [
        # 608 of 2,048 lanes have an element.
        ("wide_softmax", {"triton-masked-lanes"}),
        # Rows of 1,000 floats begin where a load of 16 bytes may not.
        ("layer_norm", {"triton-elements-one-by-one"}),
        # Products of float32 factors as they are, on the units for float32.
        ("product", {"triton-product-outside-tensor-cores", "triton-bank-conflicts"}),
        # Tiles of 16 by 16, one warp in each program.
        ("attention", {"triton-tensor-cores-little-used"}),
    ],
)
def test_what_slows_a_kernel_is_told_and_nothing_else(advised: Advised, kernel: str, rules: set[str]):
    assert advised.rules_of(kernel) == rules


def test_the_numbers_are_those_that_were_counted(advised: Advised):
    assert "29.7% of the lanes" in advised.message("triton-masked-lanes")  # 608 / 2,048
    assert "tensor cores do 0% of its operations" in advised.message("triton-product-outside-tensor-cores")
    # 4 * 256 * 64 operations of each of 2,048 rows are products, the softmax is the rest.
    assert "Tensor cores do 95% of the operations" in advised.message("triton-tensor-cores-little-used")
