"""Elements whose index is loaded in a loop: one element for all iterations, or another in each."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def k(a, rows, more, out, n):
    i = cuda.grid(1)
    mine = cuda.local.array(4, np.int32)
    part = cuda.shared.array(4, np.int32)
    mine[0] = i
    for step in range(n):
{body}
"""
ONE = [
    "for j in range(4):\n    out[rows[j], i] += a[step, j]",
    "out[rows[0], i] += a[step]",
    "out[mine[0], i] += a[step]",
    "mine[1] = step\nfor j in range(4):\n    out[rows[j], i] += a[step, j]",
]
ANOTHER = [
    "out[rows[step], i] += a[step]",
    "for j in range(4):\n    mine[j] = rows[step + j]\nfor j in range(4):\n    out[mine[j], i] += a[j]",
    "for j in range(4):\n    part[j] = more[step, j]\nfor j in range(4):\n    out[part[j], i] += a[j]",
    "out[mine[0], i] += a[step]\nmine[0] = rows[mine[0]]",
    "for j in range(4):\n    out[rows[j], i] += a[step]\n    rows[j] += 1",
]


def _same_again(folder: Path, body: str) -> object:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    (update,) = [
        one
        for one in records(folder, "access", PROGRAM.format(body=lines))
        if value(one, "array") == "out" and value(one, "kind") == "update"
    ]
    return value(update, "loop_invariant")


@pytest.mark.parametrize("body", ONE)
def test_a_looked_up_element_stays_the_same_in_a_loop(tmp_path: Path, body: str) -> None:
    assert _same_again(tmp_path, body) is True


@pytest.mark.parametrize("body", ANOTHER)
def test_a_loop_that_changes_what_it_looks_up_meets_other_elements(tmp_path: Path, body: str) -> None:
    assert _same_again(tmp_path, body) is False
