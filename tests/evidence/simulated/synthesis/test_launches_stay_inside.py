"""Launches whose sizes follow from a kernel's text stay within its arrays, without one that has to grow."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from numba import cuda, float32, int32, int64
from numba.cuda import dispatcher
from numba.cuda.random import xoroshiro128p_type, xoroshiro128p_uniform_float32
from requests_of_functions import request_of

from advisor.evidence.simulated.synthesis.sizes import sizes, variants_of
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.model.compilation_unit import CompilationUnit, FunctionText
from advisor.program.index_relations.index_relations import index_relations
from advisor.program.index_relations.relations import IndexRelations

ALIASES = {
    "cuda": "numba.cuda",
    "float32": "numba.float32",
    "xoroshiro128p_uniform_float32": "numba.cuda.random.xoroshiro128p_uniform_float32",
}
TEXTS = {
    float32[::1]: "float32[::1]",
    float32[:, ::1]: "float32[:,::1]",
    int32[::1]: "int32[::1]",
    int64: "int64",
    xoroshiro128p_type[::1]: "xoroshiro128p_type[::1]",
}


def relations_of(function: Callable[..., Any], *types: Any) -> IndexRelations:
    source = textwrap.dedent(inspect.getsource(function))
    assert isinstance(ast.parse(source).body[0], ast.FunctionDef)
    text = FunctionText(function.__name__, source, "m.py", 1, device=False)
    unit = CompilationUnit("m.py::k", "m.py", (text,), {}, ALIASES)
    return index_relations(unit, [TEXTS[one] for one in types])


def volume(a, n, w, h):
    i, j, k = cuda.grid(3)
    if i < n and j < w and k < h:
        a[(i * w + j) * h + k] = 1


def histogram(a, bins, n):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(bins, int(a[i] * n), 1)


def noise(states, a):
    i = cuda.grid(1)
    a[i] = xoroshiro128p_uniform_float32(states, i)


def rows(begins, columns, values, x, y):
    i = cuda.grid(1)
    if i < y.size:
        total = float32(0)
        for j in range(begins[i], begins[i + 1]):
            total += values[j] * x[columns[j]]
        y[i] = total


def compacted(count, a, b, n):
    i = cuda.grid(1)
    if i < n and b[i] > 0.5:
        a[cuda.atomic.add(count, 0, 1)] = i


def doubled(a, n):
    i = cuda.grid(1)
    if i < n:
        a[i + n] = a[i]


def tiled(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = float32(0)
    for t in range(a.shape[1] // 16):
        left[ty, tx] = a[y, t * 16 + tx]
        right[ty, tx] = b[t * 16 + ty, x]
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    c[y, x] = total


def filtered(a, weights, out, n, width):
    i = cuda.grid(1)
    if i < n:
        total = float32(0)
        for k in range(width):
            total += a[i + k] * weights[k]
        out[i] = total


LINE, PLANE, INDICES = float32[::1], float32[:, ::1], int32[::1]


@pytest.mark.parametrize(
    ("function", "types"),
    [
        (volume, (LINE, int64, int64, int64)),
        (histogram, (LINE, INDICES, int64)),
        (noise, (xoroshiro128p_type[::1], LINE)),
        (rows, (INDICES, INDICES, LINE, LINE, LINE)),
        (compacted, (INDICES, LINE, LINE, int64)),
        (doubled, (LINE, int64)),
        (tiled, (PLANE, PLANE, PLANE)),
        (filtered, (LINE, LINE, LINE, int64, int64)),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_no_array_has_to_grow(
    function: Callable[..., Any], types: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Numba asks for the device where a kernel calls a device function.
    device = SimpleNamespace(compute_capability=(8, 0), id=0)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)
    request = request_of(function, *types, relations=relations_of(function, *types))
    found = synthesise(request)
    assert found.unknown == ""
    assert len(found.launches) >= 3
    assert not any(one.out_of_bounds for one in found.launches)
    assert all(one.ended for one in found.launches)
    for launch, variant in zip((*found.launches, *found.edges), variants_of(request), strict=True):
        assert launch.shapes == sizes(request, request.codes[0], variant).shapes
