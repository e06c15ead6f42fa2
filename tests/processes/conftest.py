"""The wheel of this checkout, and an empty environment that it is installed into."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_command import PROGRAM
from environments import make_environment


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout without network."""
    if not (PROGRAM / "pyproject.toml").exists():
        pytest.skip("only a checkout can be built")
    for module in ("build", "hatchling"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"the package {module} is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment that holds the dependencies and, from its wheel, the program."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    python = make_environment(folder, with_pip=True)
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile", str(wheel)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return folder
