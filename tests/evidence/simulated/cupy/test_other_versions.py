"""A CuPy that was never tried, or lacks what it needs: said in a sentence, and the program goes on."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

from advisor.evidence.simulated.cupy.compiler_library import load_compiler
from advisor.evidence.simulated.cupy.runtime.capsules import offer
from advisor.model.errors import AdvisorError


@pytest.fixture
def other_cupy(tmp_path):
    """A project whose folder has a package of CuPy's name, of a later version and built differently."""
    (tmp_path / "pyproject.toml").touch()
    files = {
        "cupy/__init__.py": "__version__ = '15.1.0'\nfrom cupy_backends.cuda.api import runtime\n",
        "cupy_backends/__init__.py": "",
        "cupy_backends/cuda/__init__.py": "",
        "cupy_backends/cuda/api/__init__.py": "",
        "cupy_backends/cuda/api/runtime.py": "def runtimeGetVersion():\n    return 13000\n",
        "main.py": "import cupy\nprint(cupy.__version__, cupy.runtime.runtimeGetVersion())\n",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_another_version_is_said_and_the_program_goes_on(other_cupy):
    run = AdvisorCommand(other_cupy / "home", caches=other_cupy / "cache")
    done = run("run", "main.py", cwd=other_cupy)
    assert (done.status, done.out) == (0, b"15.1.0 13000\n"), done.err
    assert "advisor: CuPy 15.1.0 was never tried on the simulated GPU, 13 and 14 were" in done.err
    assert "advisor: this CuPy is built differently (cupy_backends.cuda.api.runtime)" in done.err
    assert "Traceback" not in done.err


def test_a_compiler_that_is_missing_is_named_with_its_package(capsys):
    load_compiler(99)
    said = capsys.readouterr().err
    assert said == (
        "advisor: CuPy compiles its kernels with libnvrtc.so.99, which is not installed: "
        "`pip install 'nvidia-cuda-nvrtc>=99,<100'`.\n"
    )


def test_both_parts_of_the_compiler_are_loaded():
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(one) / "cu13" / "lib" for one in (spec.submodule_search_locations or ())] if spec else []
    if not any((folder / "libnvrtc.so.13").is_file() for folder in folders):
        pytest.skip("NVRTC of CUDA 13 is not installed")
    code = (
        "from advisor.evidence.simulated.cupy.compiler_library import load_compiler\n"
        "load_compiler(13)\n"
        "print('libnvrtc-builtins.so' in open('/proc/self/maps').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_module_without_a_table_of_functions_is_said():
    with pytest.raises(AdvisorError, match="no table"):
        offer(pytest, {})
