"""A workspace with one good kernel, to which each test adds something bad."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

GOOD = """\
from numba import cuda


@cuda.jit("void(float32[::1])")
def good(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] ** 0.5
"""


@pytest.fixture(scope="session")
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    """The command of one user, with the caches of all tests."""
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A project with one kernel that has one finding: slow-power at line 8 of good.py."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "good.py").write_text(GOOD)
    return folder


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skips where NVIDIA publishes no compiler packages."""
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
