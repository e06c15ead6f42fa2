"""What a check says of `cuda.jit` that it recognises no kernel from, and with which status it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorHere

FAST = ("--evidence", "source")
FACTORY = """\
from numba import cuda
import plugins


def load(name):
    return cuda.jit(getattr(plugins, name))


first = cuda.jit("void(float32[:])")(plugins.table["first"])
"""
KERNEL = """\
from numba import cuda


@cuda.jit
def k(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 1
"""
WRAPPER = """\
from numba import cuda


def compiled(function):
    return cuda.jit(function)
"""
SAID = "2 uses of cuda.jit were not recognised as kernels: lines 6, 9."


@pytest.fixture
def advise() -> AdvisorHere:
    """The command, in this process."""
    return AdvisorHere()


def test_a_run_without_any_kernel_is_no_all_clear(advise: AdvisorHere, workspace: Path) -> None:
    (workspace / "factory.py").write_text(FACTORY)
    for _ in range(2):
        # The second time it may be the report that was kept.
        outcome = advise.check(*FAST, cwd=workspace)
        assert (outcome.status, outcome.errors) == (2, [("factory.py", 6, SAID)])
        assert outcome.report["notices"] == []


def test_beside_a_kernel_that_was_checked_it_is_a_notice(advise: AdvisorHere, workspace: Path) -> None:
    (workspace / "factory.py").write_text(FACTORY)
    (workspace / "kernels.py").write_text(KERNEL)
    outcome = advise.check(*FAST, cwd=workspace)
    assert (outcome.status, outcome.errors) == (0, [])
    assert outcome.report["notices"] == [f"factory.py:6: {SAID}"]


def test_a_wrapper_is_known_by_the_files_that_use_it(advise: AdvisorHere, workspace: Path) -> None:
    (workspace / "tools.py").write_text(WRAPPER)
    outcome = advise.check(*FAST, "tools.py", cwd=workspace)
    assert outcome.errors == [("tools.py", 5, "1 use of cuda.jit was not recognised as a kernel: line 5.")]
    (workspace / "kernels.py").write_text(
        KERNEL.replace("@cuda.jit", "@compiled").replace(
            "import cuda", "import cuda\nfrom tools import compiled"
        )
    )
    outcome = advise.check(*FAST, "tools.py", cwd=workspace)
    assert (outcome.status, outcome.errors, outcome.report["notices"]) == (0, [], [])


@pytest.mark.parametrize("text", ["x = 1\n", "# cuda.jit\nfrom numba import cuda\n", KERNEL])
def test_where_all_is_recognised_nothing_is_said(advise: AdvisorHere, workspace: Path, text: str) -> None:
    (workspace / "k.py").write_text(text)
    outcome = advise.check(*FAST, cwd=workspace)
    assert (outcome.status, outcome.errors, outcome.report["notices"]) == (0, [], [])


def test_an_undefined_name_is_called_so(advise: AdvisorHere, workspace: Path) -> None:
    (workspace / "k.py").write_text(KERNEL.replace("= 1", "= WIDTH"))
    outcome = advise.check("--evidence", "compiled", cwd=workspace)
    assert (outcome.places, outcome.errors) == ({("undefined-name", "k.py", 8)}, [])
