"""The driver is installed for a whole process, so each test of it runs a program of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[4]
_PRELUDE = """
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
sys.path[:0] = [{root!r}, {here!r}]
from numpy_machine import start

"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., str]:
    """A function that runs a program and gives its output; it fails when the program does."""
    pytest.importorskip("numba_cuda")
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")

    def run(text: str, before: str = "machine = start()\nfrom numba import cuda\n") -> str:
        file = tmp_path / "program.py"
        prelude = _PRELUDE.format(root=str(_ROOT), here=str(Path(__file__).parent))
        file.write_text(prelude + before + textwrap.dedent(text), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(file)], capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == "", done.stderr
        return done.stdout

    return run
