"""Values that every thread stores to one element."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

SAME = """
if i < a.size:
    out[0] = b
""", """
if i >= a.size:
    return
out[1] = b * 2
""", """
out[cuda.blockIdx.x] = cuda.blockIdx.x
"""  # fmt: skip
OTHERS = """
if i == 0:
    out[0] = b
""", """
if b > a.size:
    out[0] = b
""", """
if a[i] > b:
    out[0] = b
""", """
out[0] = a[i]
""", """
out[i] = b
""", """
out[0] = cuda.blockIdx.x
""", """
out[0] = cuda.atomic.add(a, 0, 1)
""", """
out[0] += b
"""  # fmt: skip


def _same(folder: Path, body: str) -> object:
    head = "@cuda.jit\ndef kernel(a, b, out):\n    i = cuda.grid(1)\n"
    found = records(folder, "access", head + textwrap.indent(body, " " * 4))
    changes = [one for one in found if value(one, "array") == "out"]
    return value(changes[0], "same_in_all_threads")


@pytest.mark.parametrize("body", SAME)
def test_one_value_in_one_element(tmp_path: Path, body: str) -> None:
    assert _same(tmp_path, body) is True


@pytest.mark.parametrize("body", OTHERS)
def test_other_stores(tmp_path: Path, body: str) -> None:
    assert _same(tmp_path, body) is False
