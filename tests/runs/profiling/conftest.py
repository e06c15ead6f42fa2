"""A project with a workload, and how it is profiled: the SIMT machine stands where the GPU's driver would."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

PROGRAM = """\
import numpy as np
from numba import cuda


@cuda.jit
def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def workload():
    x = cuda.to_device(np.ones(1000, np.float32))
    {body}
"""


@pytest.fixture(scope="session")
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    """The command of one user, with the caches of all tests."""
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def program(project: Path) -> Callable[[str], Path]:
    """A function that writes `work.py` with a kernel `twice` and a workload of some lines."""

    def write(body: str) -> Path:
        file = project / "work.py"
        file.write_text(PROGRAM.format(body=body.replace("\n", "\n    ")))
        return file

    return write
