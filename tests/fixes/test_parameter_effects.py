"""What a kernel does with an array: reads its elements, writes them, or cannot be told."""

from __future__ import annotations

import pytest

from advisor.fixes.parameter_effects import parameter_effect
from advisor.fixes.source_module import read_module

HEAD = """
import math
from numba import cuda, float32
from other import unknown


@cuda.jit(device=True)
def total(row, n):
    s = 0.0
    for k in range(n):
        s += row[k]
    return s


@cuda.jit(device=True)
def fill(row, n):
    row[n] = 1


"""
EFFECTS = [
    ("x = a[i]", "r"),
    ("x = a[i]\ny = x\nb[i] = math.sqrt(y) + min(x, 2)", "r"),
    ("b[i] = a[i, 2] * float32(a[i, 3])", "r"),
    ("b[int(a[i])] = a.shape[0] + len(a)", "r"),
    ("a[i] = b[i]", "w"),
    ("a[1:] = 0", "w"),
    ("a[i]['x'] = 2", "w"),
    ("a[i].x = 2", "w"),
    ("a[i] += 1", "rw"),
    ("cuda.atomic.add(a, i, 1)", "rw"),
    ("cuda.atomic.add(b, i, a[i])", "r"),
    ("b[i] = total(a, 3)", "r"),
    ("fill(a, 3)", "w"),
    ("fill(n=i, row=a)", "w"),
    ("b[i] = a.size", ""),
    ("b[i] = a + 1", ""),
]
UNCLEAR = [
    "c = a\nc[i] = 1",
    "row = a[i]\nrow[0] = 1",
    "row = a[i]\nother = row\nfill(other, 2)",
    "row = a[1:]",
    "unknown(a)",
    "unknown(a[i])",
    "a = b",
    "for row in a:\n    row[0] = 1",
    "x, y = a[i], a[i + 1]",
    "a.fill(2)",
    "b[i] = (lambda: a[i])()",
    "cuda.unheard_of(a)",
]


def effect(body: str) -> str | None:
    lines = "\n    ".join(body.split("\n"))
    text = f"{HEAD}@cuda.jit\ndef k(a, b, i):\n    {lines}\n"
    module = read_module(text)
    assert module is not None
    kernel = module.function_around(text.index("def k"))
    assert kernel is not None
    found = parameter_effect(module, kernel, 0)
    return None if found is None else "".join(word[0] for word in sorted(found))


@pytest.mark.parametrize(("body", "expected"), EFFECTS)
def test_effects(body: str, expected: str) -> None:
    assert effect(body) == expected


@pytest.mark.parametrize("body", UNCLEAR)
def test_what_cannot_be_told(body: str) -> None:
    assert effect(body) is None
