from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one slow kernel and a workload that launches it."""
    served = pytest.importorskip("served_tools")
    (tmp_path / ".git").mkdir()
    (tmp_path / "rows.py").write_text(served.KERNEL)
    return tmp_path


@pytest.fixture
def plain_project(project: Path) -> Path:
    """The same, where no launches are made up: for tests that need none of their numbers."""
    (project / "advisor.toml").write_text("synthesis = false\n")
    return project
