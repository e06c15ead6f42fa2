"""Kernels the compiler refuses: a finding with the line and the cause, and the other kernels go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorHere

HEAD = "import math\n\nimport numpy as np\nfrom numba import cuda, float32\n\n\n"
# The source, the line at fault in its file, and what the message names.
REFUSED = {
    "attribute": (
        '@cuda.jit("void(float32[::1])")\ndef refused(a):\n    i = cuda.grid(1)\n    if i < a.size:\n'
        "        # no such method\n        a[i] = a.median()\n",
        12,
        "median",
    ),
    "name": (
        '@cuda.jit("void(float32[::1])")\ndef refused(a):\n    i = cuda.grid(1)\n    if i < a.size:\n'
        "        # no such name\n        a[i] = nowhere(a[i])\n",
        12,
        "nowhere",
    ),
    "types": (
        '@cuda.jit("void(float32[::1])")\ndef refused(a):\n    i = cuda.grid(1)\n    if i < a.size:\n'
        "        # a text\n        a[i] = a[i] + 'x'\n",
        12,
        "add(float32, Literal[str](x))",
    ),
    "size": (
        '@cuda.jit("void(float32[::1], int32)")\ndef refused(a, n):\n    i = cuda.grid(1)\n'
        "    if i < a.size:\n"
        "        # not a constant\n        tile = cuda.shared.array(n, float32)\n"
        "        tile[cuda.threadIdx.x] = a[i]\n        a[i] = tile[cuda.threadIdx.x] * 2\n",
        12,
        "array(int32, class(float32))",
    ),
}


@pytest.fixture
def advise() -> AdvisorHere:
    """The command in this process: a check has no process of its own to be tested here."""
    return AdvisorHere()


@pytest.mark.parametrize("cause", REFUSED)
def test_the_place_and_the_cause_are_told(
    advise: AdvisorHere, compiler: None, workspace: Path, cause: str
) -> None:
    source, line, word = REFUSED[cause]
    (workspace / "refused.py").write_text(HEAD + source)
    both, alone = (advise.check(*paths, cwd=workspace) for paths in ((), ("refused.py",)))
    rule = "undefined-name" if cause == "name" else "kernel-not-compilable"
    for outcome in (both, alone):
        # It is told once: as a finding.
        assert outcome.errors == []
        (told,) = (one for one in outcome.findings if one["path"] == "refused.py")
        assert (told["rule"], told["severity"], told["line"]) == (rule, "error", line)
        assert "`refused`" in told["message"]
        assert word in told["message"]
        assert "\n" not in told["message"]
    # The other file was compiled all the same.
    assert {("slow-power", "good.py", 8), ("float64-promotion", "good.py", 8)} <= both.places
    assert (alone.status, both.status) == (1, 1)


def test_a_finding_that_is_not_wanted_leaves_the_problem(
    advise: AdvisorHere, compiler: None, workspace: Path
) -> None:
    (workspace / "refused.py").write_text(HEAD + REFUSED["attribute"][0])
    outcome = advise.check("refused.py", "--ignore", "kernel-not-compilable", cwd=workspace)
    ((path, line, message),) = outcome.errors
    assert (outcome.status, path, line) == (0, "refused.py", 12)
    assert "The kernel `refused` was not compiled: " in message


def test_source_evidence_of_a_refused_kernel_stays(
    advise: AdvisorHere, compiler: None, workspace: Path
) -> None:
    (workspace / "refused.py").write_text(
        HEAD + '@cuda.jit("void(float32[::1])")\ndef refused(a):\n    a[0] = a[1] ** 0.5 + a.median()\n'
    )
    outcome = advise.check("refused.py", cwd=workspace)
    refused, slow = (("kernel-not-compilable", "refused.py", 9), ("slow-power", "refused.py", 9))
    assert (outcome.status, outcome.errors, outcome.places) == (1, [], {refused, slow})


def test_the_text_report_names_the_kernel(advise: AdvisorHere, compiler: None, workspace: Path) -> None:
    (workspace / "refused.py").write_text(HEAD + REFUSED["attribute"][0])
    outcome = advise("check", cwd=workspace)
    text = outcome.out.decode() + outcome.err
    assert "refused.py:12" in text
    assert "median" in text
    assert "Traceback" not in text


def test_a_device_function_at_fault_is_named_where_it_stands(
    advise: AdvisorHere, compiler: None, workspace: Path
) -> None:
    (workspace / "inner.py").write_text(
        "from numba import cuda\n\n\n@cuda.jit(device=True)\ndef inner(x):\n    return x.nothing\n"
    )
    (workspace / "refused.py").write_text(
        'from numba import cuda\n\nfrom inner import inner\n\n\n@cuda.jit("void(float32[::1])")\n'
        "def refused(a):\n    a[0] = inner(a[1])\n"
    )
    outcome = advise.check(cwd=workspace)
    (told,) = (one for one in outcome.findings if one["path"] != "good.py")
    assert (told["rule"], told["path"], told["line"]) == ("kernel-not-compilable", "inner.py", 6)
    assert outcome.errors == []
    assert told["message"] == "Numba cannot compile `refused`: Unknown attribute 'nothing' of type float32."


@pytest.mark.parametrize(("defined", "told"), [("OTHER = 1.0", 1), ("missing = 1.0", 0)])
def test_modules_that_import_all_of_each_other(
    advise: AdvisorHere, compiler: None, workspace: Path, defined: str, told: int
) -> None:
    kernel = '@cuda.jit("void(float32[::1])")\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.size:\n'
    head = "from second import *\nfrom numba import cuda\n\n\n"
    (workspace / "first.py").write_text(head + kernel + "        a[i] = missing\n")
    (workspace / "second.py").write_text(f"from first import *\n{defined}\n")
    outcome = advise.check("first.py", "second.py", cwd=workspace)
    assert [(path, line) for path, line, message in outcome.errors] == [("first.py", 9)] * told
    assert all("`missing` is not defined" in message for _, _, message in outcome.errors)
