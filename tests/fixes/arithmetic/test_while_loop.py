"""Loops over a range become loops that count: forms, what is left alone, equal results."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.fixes import with_fixes
from advisor.fixes.application import applied
from advisor.model.findings import Finding
from advisor.model.text.source_text import Span

FIX = "while-loop"
HEAD = "import numpy as np\nfrom numba import cuda\n\nSTEP = 4\n\n\n"


def kernel(body: str) -> str:
    return f"{HEAD}@cuda.jit\ndef k(a, out, n):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def written(text: str) -> str:
    """The text after every loop that can be rewritten has been, as if the rule spoke of each of them."""
    while True:
        for loop in [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.For)]:
            span = Span(loop.lineno, loop.col_offset + 1, loop.iter.end_lineno, loop.iter.end_col_offset)  # type: ignore[arg-type]
            finding = Finding("range-loop", "k.py", span, "k", "info", "medium", "")
            fixes = [one for one in with_fixes([finding], {"k.py": text})[0].fixes if one.edits]
            if fixes:
                text = applied(text, fixes)
                ast.parse(text)
                break
        else:
            return text


CHANGES = {
    "with its comments": (
        """
        total = 0.0
        # along the row
        for j in range(a.shape[1]):  # all of it
            total += a[0, j]
            # the last word
        out[0] = total
        """,
        """
        total = 0.0
        # along the row
        j = 0
        while j < a.shape[1]:  # all of it
            total += a[0, j]
            # the last word
            j += 1
        out[0] = total
        """,
    ),
    "one in another, both bounds": (
        """
        for i in range(1, n - 1):
            for j in range(i, n):
                out[i, j] = a[j]
        """,
        """
        i = 1
        while i < n - 1:
            j = i
            while j < n:
                out[i, j] = a[j]
                j += 1
            i += 1
        """,
    ),
    "steps that are positive": (
        """
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            for j in range(cuda.threadIdx.x, n, STEP * cuda.blockDim.x):
                out[i, j] = 1
        """,
        """
        i_step = cuda.gridsize(1)
        i = cuda.grid(1)
        while i < n:
            j = cuda.threadIdx.x
            while j < n:
                out[i, j] = 1
                j += STEP * cuda.blockDim.x
            i += i_step
        """,
    ),
    "a step that is positive when the loop begins": (
        """
        s = 1
        for j in range(0, 9, s):
            s = 0
            out[j] = 1
        """,
        """
        s = 1
        j_step = s
        j = 0
        while j < 9:
            s = 0
            out[j] = 1
            j += j_step
        """,
    ),
    "an end that is loaded, and one that changes": (
        """
        j_end = 3
        for j in range(a[0], a[1]):
            out[j] = j_end
        for q in range(n):
            n = out[q]
        """,
        """
        j_end = 3
        j_end_2 = a[1]
        j = a[0]
        while j < j_end_2:
            out[j] = j_end
            j += 1
        q_end = n
        q = 0
        while q < q_end:
            n = out[q]
            q += 1
        """,
    ),
    "an end in a record, which the loop may store to": (
        """
        record = a[0]
        for j in range(record.n):
            record.n = 1
            out[j] = 1
        """,
        """
        record = a[0]
        j_end = record.n
        j = 0
        while j < j_end:
            record.n = 1
            out[j] = 1
            j += 1
        """,
    ),
    "begins where the name stands": (
        """
        i = cuda.grid(1)
        for i in range(i, n, 32):
            out[i] = 1
        """,
        """
        i = cuda.grid(1)
        while i < n:
            out[i] = 1
            i += 32
        """,
    ),
    "one name for two loops": (
        """
        for j in range(n):
            out[j] = 1
        for j in range(a.shape[0]):
            out[j] += a[j]
            if a[j] > 3:
                break
        """,
        """
        j = 0
        while j < n:
            out[j] = 1
            j += 1
        j = 0
        while j < a.shape[0]:
            out[j] += a[j]
            if a[j] > 3:
                break
            j += 1
        """,
    ),
    "a new value before it is read": (
        """
        for q in range(n):
            j = q
            out[j] = 2
            for j in range(q):
                out[j] = 1
            j = 3
            out[j] = 4
        """,
        """
        q = 0
        while q < n:
            j = q
            out[j] = 2
            j = 0
            while j < q:
                out[j] = 1
                j += 1
            j = 3
            out[j] = 4
            q += 1
        """,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_loops_that_count(name: str) -> None:
    before, after = CHANGES[name]
    assert written(kernel(before)) == kernel(after)


BODY = "for j in range(n):\n    out[j] = 1\n"
SAME = {
    "read behind it": f"{BODY}out[0] = j",
    "added to behind it": f"{BODY}j += 1\nout[j] = 3",
    "read when an outer loop comes back": f"j = 0\nwhile n > a[0]:\n    out[j] = 2\n    {BODY}".replace(
        "\n    out[j] = 1", "\n        out[j] = 1"
    ),
    "set behind it in a condition only": f"{BODY}if n > 3:\n    j = 0\nout[j] = 1",
    "set before it, not behind it": f"j = 0\n{BODY}out[j] = 1",
    "moved in the body": "for j in range(n):\n    j = j + 1\n    out[j] = 1",
    "an iteration ends early": "for j in range(n):\n    if a[j] > 1:\n        continue\n    out[j] = 1",
    "an else": f"{BODY}else:\n    out[0] = 1",
    "down": "for j in range(n, 0, -1):\n    out[j] = 1",
    "a step of any sign": "for j in range(0, 9, n):\n    out[j] = 1",
    "a step that may change before": "s = 1\nif n > 3:\n    s = n\nfor j in range(0, 9, s):\n    out[j] = 1",
    "a step that changes in a loop around": (
        "s = 1\nwhile s < n:\n    for j in range(0, 9, s):\n        out[j] = 1\n    s = n - 4"
    ),
    "not over a range": "for j in a:\n    out[0] += j",
    "two names": "for j, q in a:\n    out[j] = q",
    "a range of one's own": f"range = f\n{BODY}",
    "on one line": "for j in range(n): out[j] = 1",
    "the end follows the counter": "j = 5\nfor j in range(j + 1):\n    out[j] = 1",
}


@pytest.mark.parametrize("name", SAME)
def test_loops_that_stay(name: str) -> None:
    assert written(kernel(SAME[name])) == kernel(SAME[name])


PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def windows(a, first, out):
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        total = np.float32(0.0)
        for j in range(first[i], first[i + 1]):
            if a[j] > 2.5:
                break
            for q in range(-1, 2):
                if 0 <= j + q < a.shape[0]:
                    total += a[j + q] * (q + 2)
        out[i] = total

def run(a, first):
    out = np.zeros(len(first) - 1, dtype=np.float32)
    windows[2, 32](a, first, out)
    return out
"""


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 60), min_size=2, max_size=90), st.integers(0, 2**32 - 1))
def test_results_stay_the_same(simulated: SimulatedRuns, bounds: list[int], seed: int) -> None:
    after = written(PROGRAM)
    assert "for " not in after and after.count("while") == 3
    a = np.random.default_rng(seed).standard_normal(61, dtype=np.float32)
    first = np.array(bounds, dtype=np.int32)
    expected = simulated.call(PROGRAM, "run", a, first)
    assert np.array_equal(simulated.call(after, "run", a, first), expected)


def test_the_rule_speaks_of_a_run_and_then_no_more(tmp_path: Path) -> None:
    program = kernel(
        """
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = np.float32(0.0)
            for j in range(a.shape[1]):
                total += a[i, j]
            out[i] = total
        """
    )
    program += (
        "\n\ndef workload():\n    k[1, 64](np.ones((64, 40), np.float32), np.ones(64, np.float32), 1)\n"
    )
    assert "while j < a.shape[1]:" in fixed(tmp_path, FIX, program, "simulated")
