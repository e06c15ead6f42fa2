"""`advisor check --fix`, `--unsafe-fixes` and `--diff` as a user runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from program_in_process import run_advisor

KERNEL = '''\
"""Two kernels."""
from numba import cuda
import numpy as np


@cuda.jit(debug=True, opt=False)
def norm(a, out):
    i = cuda.grid(1)
    if i < out.size:
        # A comment that stays.
        out[i] = 0.5 * a[i] ** 2.0 + a[i] ** 0.5   # and this


def workload():
    a = cuda.to_device(np.linspace(0, 3, 4096, dtype=np.float32))
    norm[16, 256](a, cuda.device_array(4096, np.float32))
'''
FIXED = '''\
"""Two kernels."""
import math
from numba import cuda
import numpy as np


@cuda.jit
def norm(a, out):
    i = cuda.grid(1)
    if i < out.size:
        # A comment that stays.
        out[i] = np.float32(0.5) * (a[i] * a[i]) + math.sqrt(a[i])   # and this


def workload():
    a = cuda.to_device(np.linspace(0, 3, 4096, dtype=np.float32))
    norm[16, 256](a, cuda.device_array(4096, np.float32))
'''
RULES = "slow-power,debug-build,float64-promotion"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.py").write_text(KERNEL)
    return tmp_path


def check(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return run_advisor(folder, "check", "--select", RULES, "--format", "concise", *argv, "k.py")


def test_all_fixes_until_none_is_left(project: Path) -> None:
    done = check(project, "--fix", "--unsafe-fixes")
    assert done.returncode == 0, done.stdout
    assert (project / "k.py").read_text() == FIXED
    assert "Fixed 4 findings." in done.stdout
    again = check(project, "--fix", "--unsafe-fixes")
    assert "Fixed 0 findings." in again.stdout
    assert (project / "k.py").read_text() == FIXED


def test_what_needs_review_is_not_written_unasked(project: Path) -> None:
    done = check(project, "--fix")
    assert done.returncode == 1
    assert (project / "k.py").read_text() == KERNEL
    assert "3 more can be fixed with --unsafe-fixes" in done.stdout


def test_differences_are_shown_and_nothing_is_written(project: Path) -> None:
    done = check(project, "--diff", "--unsafe-fixes")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[:2] == ["--- a/k.py", "+++ b/k.py"]
    assert "-@cuda.jit(debug=True, opt=False)" in lines and "+@cuda.jit" in lines
    assert (project / "k.py").read_text() == KERNEL
    assert check(project, "--diff").stdout == ""


def test_the_fixed_kernel_gives_the_same_results(project: Path) -> None:
    compare = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
from numba import cuda
import before, after
a = np.random.default_rng(3).random(1000, np.float32) * 9
found = []
for module in (before, after):
    out = cuda.device_array(1000, np.float32)
    module.norm[4, 256](cuda.to_device(a), out)
    found.append(out.copy_to_host())
np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
print("equal")
"""
    (project / "before.py").write_text(KERNEL.replace("debug=True, opt=False", ""))
    (project / "after.py").write_text(FIXED)
    (project / "compare.py").write_text(compare)
    command = [sys.executable, "-m", "advisor", "run", "--quiet", "compare.py"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "equal\n", done.stderr


def test_a_file_that_is_read_only_is_left_alone(project: Path) -> None:
    (project / "k.py").chmod(0o444)
    done = check(project, "--fix", "--unsafe-fixes")
    assert (project / "k.py").read_text() == KERNEL
    assert "k.py is left as it is: it is read-only." in done.stdout


def test_line_ends_stay_as_they_are(project: Path) -> None:
    (project / "k.py").write_bytes(KERNEL.replace("\n", "\r\n").encode())
    check(project, "--fix", "--unsafe-fixes")
    data = (project / "k.py").read_bytes()
    assert b"math.sqrt(a[i])" in data
    assert data.count(b"\r\n") == data.count(b"\n") == FIXED.count("\n")


WRONG = [
    (("--unsafe-fixes",), "--unsafe-fixes goes with --fix or --diff."),
    (("--fix", "-"), "--fix and --diff work on files"),
]


@pytest.mark.parametrize(("argv", "said"), WRONG)
def test_options_that_do_not_go_together(project: Path, argv: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "advisor", "check", *argv]
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, input="", check=False, timeout=300
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_a_file_with_a_syntax_error_is_not_written_and_the_others_are(project: Path) -> None:
    broken = KERNEL + "\n\ndef other():\n    x = (\n"
    (project / "broken.py").write_text(broken)
    done = check(project, "--fix", "--unsafe-fixes", "broken.py")
    assert done.returncode == 2
    assert (project / "broken.py").read_text() == broken
    assert (project / "k.py").read_text() == FIXED
    # The findings that are left are those of the broken file.
    assert "broken.py:11:" in done.stdout and "k.py:11:" not in done.stdout.replace("broken.py", "")


def test_a_kernel_that_a_broken_line_of_another_file_names_is_not_written(project: Path) -> None:
    (project / "use.py").write_text("from k import norm\n\n\ndef use(a, b):\n    norm[16, 256](a,\n")
    assert check(project, "--fix", "--unsafe-fixes", "use.py").returncode == 2
    assert (project / "k.py").read_text() == KERNEL
