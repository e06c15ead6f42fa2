"""Nothing of the simulated GPU is there for a program that `advisor run` did not start."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from textwrap import dedent

import pytest


def started(text: str, *, cwd) -> str:
    done = subprocess.run(
        [sys.executable, "-c", dedent(text)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_programs_modules_change_nothing(tmp_path):
    said = started(
        """\
        import os, sys
        import advisor.cli.commands.run, advisor.evidence.simulated.cupy.serving
        print([name for name in os.environ if name.startswith("CUPY")], "cupy" in sys.modules)
        print([one for one in sys.meta_path if "advisor" in type(one).__module__])
        """,
        cwd=tmp_path,
    )
    assert said == "[] False\n[]\n"


def test_cupy_is_as_it_was(tmp_path):
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("cupy is not installed (pip install 'kernel-advisor[cupy]')")
    said = started(
        """\
        import advisor.evidence.simulated.cupy.serving
        import cupy
        print(cupy.RawKernel.__module__, cupy.cuda.thrust.__file__ is not None)
        print(type(cupy.cuda.runtime.getDeviceCount).__name__ == "function")
        """,
        cwd=tmp_path,
    )
    assert said == "cupy._core.raw True\nFalse\n"


def test_a_program_without_cupy_does_not_import_it(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "main.py").write_text(
        "import sys\nprint([one for one in sys.modules if one.startswith('cupy')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "run", "main.py"],
        capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
