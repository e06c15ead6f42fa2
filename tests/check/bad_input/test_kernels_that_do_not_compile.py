"""Kernels the compiler refuses: an entry with the line and the cause, and the other kernels go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

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
        "        tile[cuda.threadIdx.x] = a[i]\n",
        12,
        "array(int32, class(float32))",
    ),
}


@pytest.mark.parametrize("cause", REFUSED)
def test_the_place_and_the_cause_are_told(
    advise: AdvisorCommand, compiler: None, workspace: Path, cause: str
) -> None:
    source, line, word = REFUSED[cause]
    (workspace / "refused.py").write_text(HEAD + source)
    both, alone = (advise.check(*paths, cwd=workspace) for paths in ((), ("refused.py",)))
    for outcome in (both, alone):
        ((path, at, message),) = outcome.errors
        assert (path, at) == ("refused.py", line)
        assert "kernel `refused`" in message
        assert word in message
        assert "\n" not in message
    # The other file was compiled all the same.
    assert {("slow-power", "good.py", 8), ("float64-promotion", "good.py", 8)} <= both.places
    # The source of the kernel was read, so something was checked: a name that nothing defines stands there.
    undefined = {("undefined-name", "refused.py", line)} if cause == "name" else set()
    assert (alone.status, alone.places) == (1 if undefined else 0, undefined)
    assert both.status == 1


def test_source_evidence_of_a_refused_kernel_stays(
    advise: AdvisorCommand, compiler: None, workspace: Path
) -> None:
    (workspace / "refused.py").write_text(
        HEAD + '@cuda.jit("void(float32[::1])")\ndef refused(a):\n    a[0] = a[1] ** 0.5 + a.median()\n'
    )
    outcome = advise.check("refused.py", cwd=workspace)
    assert [error[:2] for error in outcome.errors] == [("refused.py", 9)]
    assert (outcome.status, outcome.places) == (1, {("slow-power", "refused.py", 9)})


def test_the_text_report_names_the_kernel(advise: AdvisorCommand, compiler: None, workspace: Path) -> None:
    (workspace / "refused.py").write_text(HEAD + REFUSED["attribute"][0])
    outcome = advise("check", cwd=workspace)
    text = outcome.out.decode() + outcome.err
    assert "refused.py:12" in text
    assert "median" in text
    assert "Traceback" not in text


def test_a_device_function_at_fault_is_named_where_it_stands(
    advise: AdvisorCommand, compiler: None, workspace: Path
) -> None:
    (workspace / "inner.py").write_text(
        "from numba import cuda\n\n\n@cuda.jit(device=True)\ndef inner(x):\n    return x.nothing\n"
    )
    (workspace / "refused.py").write_text(
        'from numba import cuda\n\nfrom inner import inner\n\n\n@cuda.jit("void(float32[::1])")\n'
        "def refused(a):\n    a[0] = inner(a[1])\n"
    )
    outcome = advise.check(cwd=workspace)
    ((path, line, message),) = outcome.errors
    assert (path, line) == ("inner.py", 6)
    assert message == "The kernel `refused` was not compiled: Unknown attribute 'nothing' of type float32."


@pytest.mark.parametrize(("defined", "told"), [("OTHER = 1.0", 1), ("missing = 1.0", 0)])
def test_modules_that_import_all_of_each_other(
    advise: AdvisorCommand, compiler: None, workspace: Path, defined: str, told: int
) -> None:
    kernel = '@cuda.jit("void(float32[::1])")\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.size:\n'
    head = "from second import *\nfrom numba import cuda\n\n\n"
    (workspace / "first.py").write_text(head + kernel + "        a[i] = missing\n")
    (workspace / "second.py").write_text(f"from first import *\n{defined}\n")
    outcome = advise.check("first.py", "second.py", cwd=workspace)
    assert [(path, line) for path, line, message in outcome.errors] == [("first.py", 9)] * told
    assert all("`missing` is not defined" in message for _, _, message in outcome.errors)
