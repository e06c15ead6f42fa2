"""What fixes ask of the walk through a kernel and of the definitions that reach its places."""

from __future__ import annotations

import ast
import textwrap

import pytest

from advisor.fixes.support.edits.source_module import SourceModule, read_module
from advisor.fixes.support.kernel.block_free_kernel import checked_axes
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.last_values import is_read_after
from advisor.fixes.support.kernel.walked_kernel import has_one_value

HEAD = """
import math
from numba import cuda
from elsewhere import unknown


@cuda.jit(device=True)
def store(array, place):
    array[place] = 1.0


@cuda.jit(device=True)
def lane():
    return cuda.threadIdx.x


"""


def kernel(body: str) -> tuple[SourceModule, ast.FunctionDef]:
    inner = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    module = read_module(f"{HEAD}@cuda.jit\ndef kernel(a, out, n):\n{inner}\n")
    assert module is not None
    found = module.nodes(ast.FunctionDef)
    return module, next(one for one in found if one.name == "kernel")


INDICES = {
    "i = cuda.grid(1)": {"i": "x"},
    "x, y = cuda.grid(2)": {"x": "x", "y": "y"},
    "i = cuda.blockDim.y * cuda.blockIdx.y + cuda.threadIdx.y": {"i": "y"},
    "t = cuda.threadIdx.x\nb = cuda.blockIdx.x\ni = t + b * cuda.blockDim.x": {"i": "x"},
    "i = cuda.threadIdx.x": {},
    "i = cuda.threadIdx.x + cuda.blockIdx.y * cuda.blockDim.x": {},
    "i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.gridDim.x": {},
    "i = 2 * cuda.grid(1)": {},
    "i = cuda.grid(1)\ni += 1": {},
    "n = cuda.grid(1)": {},
    "i = cuda.grid(1)\nj = i": {"i": "x"},
    "if n > 0:\n    i = cuda.grid(1)": {},
    "i = cuda.grid(1)\ntry:\n    pass\nexcept Exception:\n    pass": {},
}


@pytest.mark.parametrize("body", INDICES)
def test_the_names_and_axes_of_grid_indices(body: str) -> None:
    found = grid_indices(KernelBody(*kernel(body)))
    assert {name: index.axis for name, index in found.items()} == INDICES[body]


CHECKED = {
    "i = cuda.grid(1)\nif i < n:\n    out[i] = a[i]": "x",
    "i = cuda.grid(1)\nif i >= n:\n    return\nout[i] = a[i]": "x",
    "i = cuda.grid(1)\nif n > i and a[i] > 0:\n    out[i] = 1": "x",
    "x, y = cuda.grid(2)\nif x < a.shape[0]:\n    if y < n // 2:\n        out[x, y] = 1": "xy",
    "i = cuda.grid(1)\nif i < n:\n    store(out, i)": "x",
    "i = cuda.grid(1)\nif i + 1 < n:\n    cuda.atomic.add(out, 0, a[i])": "x",
    "x, y = cuda.grid(2)\nif x < n:\n    out[x, y] = 1": "",
    "i = cuda.grid(1)\nif a[i] > 0 and i < n:\n    out[i] = 1": "",
    "i = cuda.grid(1)\nif i < a[0]:\n    out[i] = 1": "",
    "i = cuda.grid(1)\nif i > n:\n    out[i] = 1": "",
    "i = cuda.grid(1)\nif i < n:\n    out[i] = a[i]\nout[0] = 1": "",
    "i = cuda.grid(1)\nstore(out, i)": "",
    "i = cuda.grid(1)\nif i < n:\n    out[i] = lane()": "",
    "i = cuda.grid(1)\nif i < n:\n    unknown(out, i)": "",
    "i = cuda.grid(1)\nif i < n:\n    out[i] = cuda.blockDim.x": "",
    "i = cuda.grid(1)\nprint(i)\nif i < n:\n    out[i] = 1": "",
}


@pytest.mark.parametrize("body", CHECKED)
def test_axes_whose_indices_are_checked_before_arrays_are_touched(body: str) -> None:
    assert checked_axes(*kernel(body)) == frozenset(CHECKED[body])


VALUES = {
    "n // 2": True,
    "a.shape[0] - 1": True,
    "min(n, 8)": True,
    "a": True,
    "i": False,
    "n + i": False,
    "a[0]": False,
    "cuda.blockDim.x": False,
    "later": False,
}


@pytest.mark.parametrize("value", VALUES)
def test_values_that_are_one_for_all_threads(value: str) -> None:
    module, function = kernel(f"i = cuda.grid(1)\nlater = 0\nif i < 4:\n    later = 1\nx = {value}")
    line = function.body[-1]
    assert isinstance(line, ast.Assign)
    assert has_one_value(module, function, line.value) is VALUES[value]


AFTER = {
    "for k in range(n):\n    out[k] = 1\nout[0] = k": True,
    "for k in range(n):\n    out[k] = 1\nk += 1": True,
    "while n > 0:\n    out[k] = 1\n    for k in range(n):\n        out[k] = 1": True,
    "for k in range(n):\n    out[k] = 1": False,
    "for k in range(n):\n    out[k] = 1\nk = 0\nout[0] = k": False,
    "for k in range(n):\n    out[k] = 1\nfor k in range(3):\n    out[k] = 1": False,
    "for k in range(n):\n    out[k] = 1\nif n:\n    k = 1\nelse:\n    k = 2\nout[0] = k": False,
}


@pytest.mark.parametrize("body", AFTER)
def test_whether_the_last_value_of_a_counter_is_read(body: str) -> None:
    module, function = kernel(body)
    loop = next(one for one in module.nodes_in(ast.For, function) if isinstance(one.target, ast.Name))
    assert is_read_after(module, function, loop, "k") is AFTER[body]
