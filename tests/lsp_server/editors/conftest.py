"""The workspace that editors are tried on: the reference workloads, copied."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[3]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the package `kernels` and a configuration, and nothing else."""
    folder = tmp_path / "work"
    shutil.copytree(PROGRAM / "kernels", folder / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "advisor.toml").write_text('packs = ["house"]\n', encoding="utf-8")
    shutil.copytree(Path(__file__).parent / "house", folder / "house")
    return folder
