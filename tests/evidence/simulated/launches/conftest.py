"""Programs of users in projects of their own, run by `advisor run` and read by `advisor check`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

HEAD = """\
import sys
import warnings

import numpy as np
from numba import cuda

warnings.simplefilter("ignore")


@cuda.jit
def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


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
def script(project: Path) -> Callable[..., Path]:
    """A function that writes a program with a kernel `twice` into the project."""

    def write(body: str, name: str = "main.py", head: str = HEAD) -> Path:
        file = project / name
        file.write_text(head + textwrap.dedent(body))
        return file

    return write
