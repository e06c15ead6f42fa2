"""Loops whose iterations may run in any order, and loops where one needs what another one left."""

from __future__ import annotations

import ast
import textwrap

import pytest

from advisor.fixes.support.edits.source_module import read_module
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.values.independent_iterations import iterations_are_independent

KERNEL = """
from numba import cuda


@cuda.jit
def walk(a, out, places, n):
    i = cuda.grid(1)
    first = places[i]
    for j in range(n):
BODY
"""


def independent(body: str) -> bool:
    """Whether the iterations of a loop with a body are independent."""
    module = read_module(KERNEL.replace("BODY", textwrap.indent(body, " " * 8)))
    assert module is not None
    (function,) = module.nodes(ast.FunctionDef)
    loop = next(module.nodes(ast.For))
    return iterations_are_independent(KernelBody(module, function), loop, "j")


@pytest.mark.parametrize(
    "body",
    [
        "out[j] = a[j]",
        "out[j] = out[j] + 1",
        "out[2 * j + 1] = a[j]",
        "out[i, n - j] += a[j]",
        "out[first + j] = a[places[j]]",
        "at = first + 3 * j\nout[at] = a[j]",
        "for m in range(4):\n    out[j, m] = a[m]",
        "total = 0.0\nfor m in range(4):\n    total += a[m]\nout[j] = total",
        "if a[j] > 0:\n    x = 1\nelse:\n    x = 2\nout[j] = x",
        "cuda.atomic.add(out, i, a[j])",
    ],
)
def test_in_any_order(body: str) -> None:
    assert independent(body)


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = a[j]",
        "out[j] = out[j + 1]",
        "out[j // 2] = a[j]",
        "out[j % 4] = a[j]",
        "out[n * j] = a[j]",
        "out[places[j] + j] = a[j]",
        "at = places[j]\nout[at + j] = a[j]",
        "for m in range(4):\n    out[j + m] = a[m]",
        "x = a[j]\nif x > 0:\n    y = x\nout[j] = y",
        "for m in range(n):\n    x = a[m]\nout[j] = x",
        "x += a[j]\nout[j] = x",
        "first += 1\nout[first] = a[j]",
        "cuda.atomic.add(out, i, a[j])\nout[j] = 1",
        "out[j] = a[j]\nif a[j] > 0:\n    break",
        "out[j] = a[j]\ncuda.syncthreads()",
    ],
)
def test_in_this_order_only(body: str) -> None:
    assert not independent(body)
