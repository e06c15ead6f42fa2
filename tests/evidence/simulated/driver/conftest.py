"""The driver is installed for a whole process, so each test of it runs a program of its own.

`advisor run` of a process of its own, in other tests, installs it before Numba is imported.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_programs import start_script

_ROOT = Path(__file__).parents[4]
_PRELUDE = """
import os
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
        process = start_script(file, tmp_path, os.environ)
        out, err = (stream.decode() for stream in process.communicate(timeout=200))
        assert process.wait() == 0, out + err
        assert err == "", err
        return out

    return run
