"""The program as a process of its own, and workspaces to run it in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand
from house_pack import KERNEL, configure, write_pack


@pytest.fixture(scope="session")
def advise(tmp_path_factory: pytest.TempPathFactory, user_cache: Path) -> AdvisorCommand:
    """The command of one user, with the caches of all tests."""
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty project, under a name that is no test's."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def project(workspace: Path) -> Path:
    """A project with the kernel and the pack."""
    (workspace / "k.py").write_text(KERNEL)
    write_pack(workspace / "house")
    configure(workspace, 'packs = ["house"]')
    return workspace


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skips where NVIDIA publishes no compiler packages."""
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
