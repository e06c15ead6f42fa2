"""`advisor verify` of Triton kernels; skipped where Triton is not installed (`[triton]`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

OLD = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def softmax(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + r * n + i, e / tl.sum(e, 0), mask=i < n)


def workload():
    x = np.random.default_rng(0).standard_normal((128, 600)).astype(np.float32)
    o = np.empty_like(x)
    softmax[(128,)](x, o, 600, B=4096, num_warps=8)
    return o
"""
MASKED = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def total(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o, tl.sum(v, 0))
"""
LAUNCH = """
    x = np.ones(600, np.float32)
    o = np.zeros(1, np.float32)
    total[(1,)](x, o, 600, B=1024)
"""


@pytest.fixture(scope="module")
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "old.py").write_text(OLD)
    return tmp_path


def test_two_versions_are_compared_in_results_and_time(advise: AdvisorCommand, project: Path):
    (project / "new.py").write_text(OLD.replace("B=4096, num_warps=8", "B=1024, num_warps=4"))
    found = advise("verify", "--before", "old.py", "--after", "new.py", "--format", "json", cwd=project)
    report = found.report
    assert report["before_ms"] > 1.3 * report["after_ms"] > 0.0
    assert report["verdict"] in ("predicted faster", "cannot tell"), found.err
    assert "1 output equal" in report["detail"]


def test_other_results_are_told(advise: AdvisorCommand, project: Path):
    (project / "new.py").write_text(OLD.replace("tl.sum(e, 0)", "tl.sum(v, 0)"))
    found = advise("verify", "--before", "old.py", "--after", "new.py", cwd=project)
    assert found.status == 1 and b"results differ" in found.out


def test_a_new_defect_is_told(advise: AdvisorCommand, project: Path):
    (project / "new.py").write_text(OLD.replace("e / tl.sum(e, 0), mask=i < n", "e / tl.sum(e, 0)"))
    found = advise("verify", "--before", "old.py", "--after", "new.py", cwd=project)
    assert found.status == 1
    assert b"it fails after the change" in found.out or b"brings a defect" in found.out


def test_a_fix_is_applied_to_a_copy_and_run(advise: AdvisorCommand, project: Path):
    (project / "masked.py").write_text(f"{MASKED}\n\ndef workload():{LAUNCH}    return o\n")
    found = advise("verify", "masked.py", cwd=project)
    assert found.status == 0, found.err
    text = found.out.decode()
    assert "masked.py: total" in text and "value-of-masked-lanes" in text and "equal bit by bit" in text
    assert "mask=i < n)" in (project / "masked.py").read_text()


def test_a_recorded_program_is_run_again(advise: AdvisorCommand, project: Path):
    # A kernel that no other test has compiled, so that the changed one has to be.
    (project / "masked.py").write_text(MASKED.replace("tl.sum(v, 0)", "tl.sum(v, 0) + 3"))
    (project / "main.py").write_text(f"import numpy as np\nfrom masked import total\nif True:{LAUNCH}")
    assert advise("run", "main.py", cwd=project).status == 0
    found = advise("verify", "masked.py", cwd=project)
    assert found.status == 0, found.err
    assert "equal bit by bit" in found.out.decode()
