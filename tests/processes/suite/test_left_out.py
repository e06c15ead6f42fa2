"""Which tests a run leaves out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from left_out import patterns

TESTS = "import pytest\n\n@pytest.mark.parametrize('name', ['a', 'b', 'c'])\ndef test_one(name):\n    pass\n"
PLUGIN = """
from left_out import LeftOut

def pytest_configure(config):
    config.pluginmanager.register(LeftOut({}))
"""


def run(folder: Path, patterns: tuple[str, ...], *more: str) -> str:
    """What `pytest` prints in a folder of three tests."""
    (folder / "test_program.py").write_text(TESTS)
    (folder / "conftest.py").write_text(PLUGIN.format(patterns))
    (folder / "pytest.ini").write_text(f"[pytest]\ntestpaths = .\npythonpath = {Path(__file__).parent}\n")
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("patterns", "told"),
    [
        ((), "3 passed"),
        (("test_program.py::test_one[[][ab]]",), "1 passed, 2 deselected"),
        (("test_program.py::test_two",), "names tests that there are not: test_program.py::test_two"),
    ],
)
def test_named_tests_are_left_out(tmp_path: Path, patterns: tuple[str, ...], told: str) -> None:
    assert told in run(tmp_path, patterns)


def test_a_run_of_some_files_need_not_have_them(tmp_path: Path) -> None:
    assert "3 passed" in run(tmp_path, ("test_other.py::test_two",), "test_program.py")


def test_the_files_and_functions_of_the_list_are_there() -> None:
    root = Path(__file__).parents[3]
    for pattern in patterns():
        file, _, test = pattern.partition("::")
        function = test.partition("[")[0]
        assert function == "*" or f"def {function}(" in (root / file).read_text("utf-8"), pattern
