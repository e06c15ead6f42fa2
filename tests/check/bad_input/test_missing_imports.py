"""Modules that use `cuda.jit` and do not import `cuda`: they end at the first decorator."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorHere

KERNEL = """

@cuda.jit
def k(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2
"""
# What binds `cuda`, or may do so.
BOUND = {
    "an import": "from numba import cuda",
    "another import": "import numba.cuda as cuda",
    "an import that may fail": "try:\n    from numba import cuda\nexcept ImportError:\n    cuda = None",
    "an assignment": "import numba\n\ncuda = numba.cuda",
    "all of a module": "from settings import *",
    "names of the run": "globals().update(names())",
    "a parameter": "def made(cuda):\n    return cuda.jit(print)",
}


@pytest.fixture
def advise() -> AdvisorHere:
    """The command in this process: a check has no process of its own to be tested here."""
    return AdvisorHere()


def test_a_decorator_that_nothing_imports(advise: AdvisorHere, compiler: None, workspace: Path) -> None:
    (workspace / "k.py").write_text("import numpy as np\n" + KERNEL)
    outcome = advise.check("k.py", cwd=workspace)
    (told,) = (one for one in outcome.findings if one["rule"] == "undefined-name")
    assert (told["line"], told["severity"], [one["line"] for one in told["places"]]) == (4, "error", [6])
    assert (outcome.status, outcome.errors) == (1, [])


def test_a_cell_of_a_notebook_may_import_it(advise: AdvisorHere, compiler: None, workspace: Path) -> None:
    (workspace / "k.py").write_text("# %%\nfrom numba import cuda\n# %%" + KERNEL)
    assert "undefined-name" not in advise.check("k.py", cwd=workspace).rules


@pytest.mark.parametrize("name", BOUND)
def test_a_name_that_may_be_bound_is_no_finding(
    advise: AdvisorHere, compiler: None, workspace: Path, name: str
) -> None:
    (workspace / "k.py").write_text(BOUND[name] + "\n" + KERNEL)
    assert "undefined-name" not in advise.check("k.py", cwd=workspace).rules


def test_another_library_of_that_name(advise: AdvisorHere, compiler: None, workspace: Path) -> None:
    (workspace / "k.py").write_text("import torch\n\ntorch.cuda.synchronize()\nprint(cuda.stream())\n")
    assert advise.check("k.py", cwd=workspace).findings == []
