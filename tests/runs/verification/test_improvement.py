"""`advisor verify --write`: what is proven to help is written, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from pathlib import Path

import pytest
from program_in_process import run_advisor

import advisor.fixes as fixes
from advisor.fixes import FixData
from advisor.model.findings import Edit
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.runs.verification.improvement import improve, may_help
from advisor.runs.verification.verdicts import Judgement

KERNEL = '''\
"""A kernel with a power."""
import numpy as np
from numba import cuda


@cuda.jit
def cube(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] ** 3.0  # cubes


def workload():
    a = np.linspace(0, 2, 200_000, dtype=np.float32)
    cube[1024, 256](cuda.to_device(a), cuda.device_array(200_000, np.float32))
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    (tmp_path / "k.py").write_text(KERNEL)
    return tmp_path


def verify(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return run_advisor(folder, "verify", "--write", "--select", "slow-power", *argv, "k.py")


def test_a_proven_fix_is_written_once(project: Path) -> None:
    done = verify(project)
    assert done.returncode == 0, done.stderr
    assert "Wrote 1 fix predicted to help (for NVIDIA A100 80GB)." in done.stdout
    assert "power-to-product" in done.stdout
    expected = KERNEL.replace("a[i] ** 3.0", "a[i] * a[i] * a[i]")
    assert (project / "k.py").read_text() == expected
    done = verify(project, "--format", "json")
    assert json.loads(done.stdout)["steps"] == []
    assert (project / "k.py").read_text() == expected


def test_a_file_that_cannot_be_written_stays(project: Path) -> None:
    (project / "k.py").chmod(0o444)
    done = verify(project)
    assert done.returncode == 2
    assert "k.py is left as it is: it is read-only." in done.stdout
    assert (project / "k.py").read_text() == KERNEL


# Two fixes that replace one text each; what they do alone and together.
SLOW = "(a[i] ** 3.0)"
BOTH = KERNEL.replace("a[i] ** 3.0", "u(a[i]) if MODE else v(a[i])").replace(
    "@cuda.jit\n", "MODE = True\n\n\n@cuda.jit(device=True)\ndef u(x):\n    return x ** 3.0\n\n\n"
    "@cuda.jit(device=True)\ndef v(x):\n    return x ** 3.00\n\n\n@cuda.jit\n", 1
)  # fmt: skip
ALONE_AND_TOGETHER = [
    # Neither line is reached before the other is changed: alone they make no difference, together they help.
    (("MODE = True", "MODE = False"), ("return x ** 3.00", "return x * x * x"), True),
    # Each is the same as before, also together.
    (("MODE = True", "MODE = 1"), ("return x ** 3.00", "return x ** 3.000"), False),
]


@pytest.mark.parametrize(("first", "second", "written"), ALONE_AND_TOGETHER)
def test_fixes_that_help_only_together(project: Path, monkeypatch, first, second, written: bool) -> None:
    (project / "k.py").write_text(BOTH)
    known = []
    for number, (old, new) in enumerate((first, second)):

        def edits(place, old=old, new=new):
            at = place.module.text.find(old)
            return [Edit(at, at + len(old), new)] if at >= 0 and new not in place.module.text else None

        module = types.ModuleType(f"advisor.fixes.replacing_{number}")
        module.edits = edits
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(
            "advisor.fixes.writing.module_name", lambda name: f"advisor.fixes.{name.replace('-', '_')}"
        )
        rules = ("slow-power",)
        known.append(FixData(f"replacing-{number}", "Replace it", "needs review", rules, "a test"))
    monkeypatch.setattr(fixes, "known_fixes", lambda: tuple(known))
    settings = load_config(project)
    options = CheckOptions(
        "a100-80gb", project, "simulated", select=("slow-power",), settings=settings, workspace_files=()
    )
    seen = []

    def write(verification, pairs):
        seen.append(pairs)
        text = (project / "k.py").read_text()
        for old, new in (first, second):
            text = text.replace(old, new)
        (project / "k.py").write_text(text)
        return []

    found = improve([project / "k.py"], options, write)
    assert bool(seen) == written
    if written:
        assert set(found.steps[0].fixes) == {"replacing-0", "replacing-1"}
        assert found.steps[0].judgement.verdict == "predicted faster"


@pytest.mark.parametrize(
    ("verdict", "before_ms", "agree", "helps"),
    [
        ("no difference", 1.0, True, True),
        ("cannot tell", 1.2, True, True),  # faster within the model's error
        ("cannot tell", 0.8, True, False),
        ("cannot tell", None, True, False),
        ("cannot tell", 1.2, False, False),
        ("predicted slower", 0.5, True, False),
        ("results differ", 2.0, False, False),
    ],
)
def test_what_is_tried_together(verdict, before_ms, agree: bool, helps: bool) -> None:
    after_ms = None if before_ms is None else 1.0
    judgement = Judgement(verdict, before_ms, after_ms, None, "", "simulated on X", outputs_agree=agree)
    assert may_help(judgement) is helps
