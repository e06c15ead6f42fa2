"""A recorded project for the tests of this folder; those that need another have their own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from recorded_project import ARGUMENTS, KERNEL, LAUNCH, options, run_advisor, write

from advisor.runs.verification.verification import Verification, verify


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose program was recorded once."""
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")
    project = tmp_path_factory.mktemp("recorded") / "project"
    (project / ".git").mkdir(parents=True)
    (project / "pyproject.toml").write_text("[tool.advisor]\n")
    (project / "k.py").write_text(KERNEL)
    write(project, LAUNCH)
    done = run_advisor(project, "run", "--simulate", "main.py", *ARGUMENTS)
    assert done.returncode == 0, done.stderr
    return project


@pytest.fixture
def project(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the recorded project."""
    return Path(shutil.copytree(recorded, tmp_path / "project"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all these tests share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def verified(cache: Path) -> Callable[..., Verification]:
    """A function that verifies the fixes of a project's file."""
    return lambda project, file="k.py": verify([project / file], options(project, cache))
