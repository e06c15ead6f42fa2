"""Checks of files with Triton kernels that nothing launches. Skipped where Triton is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

# The module's own code would leave a file; numbers of its masks are 600 of 1,024.
PROGRAM = """\
import torch
import triton
import triton.language as tl

open("imported", "w").close()


@triton.jit
def scale(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.program_id(0) * n + i
    tl.store(o + at, 2 * tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def exact(a, b, c, N, K, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        r = k + tl.arange(0, B)
        x = tl.load(a + i[:, None] * K + r[None, :])
        acc += tl.dot(x, tl.load(b + r[:, None] * N + i[None, :]), input_precision="ieee")
    tl.store(c + i[:, None] * N + i[None, :], acc)


def main():
    x = torch.randn((400, 608), dtype=torch.float32, device="cuda")
    scale[(400,)](x, torch.empty_like(x), 608, B=1024, num_warps=2)
    y = torch.randn((256, 256), dtype=torch.float32, device="cuda")
    exact[(8,)](y, y, torch.empty_like(y), 256, 256, B=32)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    if sys.platform != "linux":
        pytest.skip("the processes need Linux")
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache, synthesis=True)


def test_findings_rest_on_launches_that_are_made_up_and_say_so(advise: AdvisorCommand, project: Path):
    found = {one["rule"]: one for one in advise.check("--no-run", "program.py", cwd=project).findings}
    lanes, product = found["triton-masked-lanes"], found["triton-product-outside-tensor-cores"]
    assert "59.4% of the lanes" in lanes["message"]  # 608 / 1,024
    assert "tensor cores do 0% of its operations" in product["message"]
    assumed = " ".join(lanes["assumptions"])
    assert "Synthesised launch: grid 400, 2 warps [from program.py:28], *fp32, n=608, B=1024" in assumed
    assert not (project / "imported").exists()


def test_without_synthesis_nothing_is_counted(advise: AdvisorCommand, project: Path):
    report = advise.check("--no-run", "--no-synthesis", "program.py", cwd=project)
    counted = {"triton-masked-lanes", "triton-product-outside-tensor-cores"}
    assert counted.isdisjoint(one["rule"] for one in report.findings)
