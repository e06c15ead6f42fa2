"""What is forked is the program as it starts by itself; its streams, environment and end are its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from forked_programs import POSSIBLE, ForkedProgram, start_advisor, start_script

pytestmark = pytest.mark.skipif(not POSSIBLE, reason="processes are forked on Linux alone")
RUN = """\
import sys
import numpy as np
from numba import cuda

@cuda.jit
def twice(a):
    a[cuda.grid(1)] *= 2

a = np.arange(4, dtype=np.float32)
twice[1, 4](a)
print(__name__, __file__, sys.argv, sys.path[0], a)
raise SystemExit(5)
"""
KERNEL = "from numba import cuda\n\n\n@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = a[0] ** 0.5\n"


def started(folder: Path, *argv: str, **environment: str) -> ForkedProgram:
    process = start_advisor(*argv, cwd=folder, env=os.environ | environment)
    assert isinstance(process, ForkedProgram)
    return process


@pytest.mark.parametrize(
    "argv",
    [
        ("--version",),
        ("check", "--evidence", "source", "k.py"),
        ("check", "nothing.py"),
        ("chek",),
        ("run", "--simulate", "run.py", "one", "--two"),
    ],
    ids=" ".join,
)
def test_it_prints_and_ends_as_one_that_is_started(tmp_path: Path, argv: tuple[str, ...]) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    (tmp_path / "run.py").write_text(RUN)
    command = [sys.executable, "-m", "advisor", *argv]
    expected = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    process = started(tmp_path, *argv)
    assert process.communicate(120) == (expected.stdout, expected.stderr)
    assert process.wait() == expected.returncode


def test_a_script_prints_and_ends_as_one_that_is_started(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("HERE = __file__\n")
    file = tmp_path / "script.py"
    file.write_text(
        "import sys, beside\nprint(__name__, __file__, sys.argv, sys.path[0], beside.HERE)\n1 / 0\n"
    )
    expected = subprocess.run(
        [sys.executable, file], cwd=tmp_path, capture_output=True, check=False, timeout=120
    )
    process = start_script(file, tmp_path, os.environ)
    out, err = process.communicate(120)
    assert out == expected.stdout
    # Behind the frames of what runs it, its own stand as they would.
    assert err.splitlines()[-3:] == expected.stderr.splitlines()[-3:]
    assert process.wait() == expected.returncode == 1


def test_its_environment_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    argv = ("check", "--evidence", "source", "--exit-zero", "k.py")
    for name in ("first", "second"):
        process = started(tmp_path, *argv, XDG_CACHE_HOME=str(tmp_path / name))
        assert process.communicate(120)[1] == b""
        # The parsed rules are kept there.
        assert list((tmp_path / name).rglob("rulebook-*"))


def test_it_can_be_killed_and_is_then_gone(tmp_path: Path) -> None:
    process = started(tmp_path, "server")
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.1)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL
    process.communicate(1)
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
