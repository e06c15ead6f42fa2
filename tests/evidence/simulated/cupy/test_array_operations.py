"""CuPy's operations on the simulated GPU, each beside NumPy's."""

from __future__ import annotations

import json
from pathlib import Path

import array_operations
import pytest
from advisor_command import AdvisorCommand


@pytest.fixture(scope="module")
def differences(cupy_command: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What all operations, in one run, say about themselves."""
    folder = tmp_path_factory.mktemp("operations")
    (folder / "pyproject.toml").touch()
    text = Path(array_operations.__file__).read_text()
    (folder / "main.py").write_text(text)
    done = cupy_command("run", "main.py", cwd=folder)
    assert done.status == 0, done.err
    assert "launches of kernels that CuPy makes" in done.err
    found: dict[str, str] = json.loads(done.out)
    return found


@pytest.mark.parametrize("name", [*array_operations.EXACT, *array_operations.ROUNDED])
def test_results_are_those_of_numpy(differences, name):
    assert differences[name] == ""
