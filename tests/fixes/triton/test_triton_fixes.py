"""Fixes of Triton kernels: values of masked lanes, constant parameters, possible blocks, grids rounded up."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixing import fixed

HEAD = "import triton\nimport triton.language as tl\n\n\n"
REDUCED = HEAD + (
    "@triton.jit\n"
    "def total(x, out, n, BLOCK: tl.constexpr):\n"
    "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    mask = at < n\n"
    "    v = {load}\n"
    "    tl.store(out + tl.program_id(0), {reduced})\n"
    "\n\n"
    "def run(x, out, n):\n"
    "    total[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)\n"
)
MASKED = [
    ("tl.load(x + at, mask=mask)", "tl.load(x + at, mask=mask, other=0.0)", "tl.sum(v)"),
    ("tl.load(x + at, mask)", "tl.load(x + at, mask, other=0.0)", "tl.sum(v, axis=0)"),
    ("tl.load(x + at, mask=mask,)", "tl.load(x + at, mask=mask, other=0.0,)", "tl.sum(v * v)"),
    ("tl.load(x + at, mask=mask)", 'tl.load(x + at, mask=mask, other=float("-inf"))', "tl.max(v, 0)"),
    ("tl.load(x + at, mask=mask)", 'tl.load(x + at, mask=mask, other=float("inf"))', "tl.min(v)"),
]


@pytest.mark.parametrize(("before", "after", "reduced"), MASKED)
def test_masked_lanes_get_a_value(tmp_path: Path, before: str, after: str, reduced: str) -> None:
    text = REDUCED.format(load=before, reduced=reduced)
    found = fixed(tmp_path, "value-of-masked-lanes", text)
    assert found == REDUCED.format(load=after, reduced=reduced)


@pytest.mark.parametrize(
    ("load", "reduced"),
    [
        ("tl.load(x + at, mask=mask, other=1.0)", "tl.sum(v)"),
        ("tl.load(x + at, mask, 0.0)", "tl.sum(v)"),
        ("tl.load(x + at, mask=mask, **options)", "tl.sum(v)"),
        ("tl.load(x + at)", "tl.sum(v)"),
        ("tl.load(x + at, mask=mask)", "tl.sum(tl.where(mask, v, 0.0))"),
        ("tl.load(x + at, mask=mask)", "tl.sort(v)"),
        ("tl.load(x + at, mask=mask)", "tl.max(tl.abs(v))"),
        ("tl.load(x + at, mask=mask)", "tl.max(v * 2.0)"),
        ("tl.load(x + at, mask=mask)", "tl.max(v) - tl.min(v)"),
    ],
)
def test_loads_left_alone(tmp_path: Path, load: str, reduced: str) -> None:
    text = REDUCED.format(load=load, reduced=reduced)
    assert fixed(tmp_path, "value-of-masked-lanes", text) == text


EXTENT = HEAD + (
    "@triton.jit\n"
    "def copy(x, y, {parameter}):\n"
    "    at = tl.arange(0, n)\n"
    "    tl.store(y + at, tl.load(x + at))\n"
    "\n\n"
    "copy[(1,)](x, y, n=64)\n"
)
ANNOTATED = [
    ("n", "n: tl.constexpr"),
    ("n=64", "n: tl.constexpr = 64"),
    ("*, n = 64", "*, n: tl.constexpr = 64"),
]


@pytest.mark.parametrize(("before", "after"), ANNOTATED)
def test_extents_become_constants(tmp_path: Path, before: str, after: str) -> None:
    text = EXTENT.format(parameter=before)
    assert fixed(tmp_path, "constant-parameter", text) == EXTENT.format(parameter=after)


def test_the_annotation_is_written_as_beside_it(tmp_path: Path) -> None:
    text = (
        "from triton import jit\nfrom triton.language import arange, constexpr, load, store\n\n\n"
        "@jit\ndef copy(x, {parameter}, F: constexpr):\n    store(x + arange(0, n), F)\n\n\n"
        "copy[(1,)](x, 8, 2)\n"
    )
    found = fixed(tmp_path, "constant-parameter", text.format(parameter="n"))
    assert found == text.format(parameter="n: constexpr")


@pytest.mark.parametrize("parameter", ["n: int", "n: tl.constexpr", "n: 'tl.constexpr' = 4"])
def test_annotations_left_alone(tmp_path: Path, parameter: str) -> None:
    text = EXTENT.format(parameter=parameter)
    assert fixed(tmp_path, "constant-parameter", text) == text


SIZES = HEAD + (
    "@triton.jit\n"
    "def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr):\n"
    "    m, n = tl.arange(0, M), tl.arange(0, N)\n"
    "    acc = tl.zeros((M, N), dtype=tl.float32)\n"
    "    for k in range(0, K, 16):\n"
    "        j = k + tl.arange(0, 16)\n"
    "        x = tl.load(a + m[:, None] * K + j[None, :])\n"
    "        acc += tl.dot(x, tl.load(b + j[:, None] * N + n[None, :]))\n"
    "    tl.store(c + m[:, None] * N + n[None, :], acc)\n"
    "\n\n"
    "SIDE = 48\n"
    "product[(1,)](a, b, c, 64, {sizes})\n"
)
POSSIBLE = [
    ("M=48, N=32", "M=64, N=32"),
    ("M=8, N=32", "M=16, N=32"),
    ("3, 16", "16, 16"),
    ("M=8, N=100", "M=16, N=128"),
]


@pytest.mark.parametrize(("before", "after"), POSSIBLE)
def test_blocks_become_possible(tmp_path: Path, before: str, after: str) -> None:
    assert fixed(tmp_path, "possible-block-size", SIZES.format(sizes=before)) == SIZES.format(sizes=after)


@pytest.mark.parametrize("sizes", ["M=64, N=16", "M=SIDE, N=32", "M=48 * 2, N=32", "**sizes", "M=0, N=32"])
def test_sizes_left_alone(tmp_path: Path, sizes: str) -> None:
    text = SIZES.format(sizes=sizes)
    assert fixed(tmp_path, "possible-block-size", text) == text


GRID = HEAD + (
    "@triton.jit\n"
    "def scale(x, n, BLOCK: tl.constexpr):\n"
    "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(x + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)\n"
    "\n\n"
    "def run(x, n, block=1024):\n"
    "{lines}\n"
)
GRIDS = [
    ("    scale[(n // block,)](x, n, BLOCK=block)", "    scale[(triton.cdiv(n, block),)](x, n, BLOCK=block)"),
    (
        "    grid = lambda meta: (n // meta['BLOCK'],)\n    scale[grid](x, n, BLOCK=block)",
        "    grid = lambda meta: (triton.cdiv(n, meta['BLOCK']),)\n    scale[grid](x, n, BLOCK=block)",
    ),
    (
        "    grid = (x.numel() // block, 1)\n    scale[grid](x, n, BLOCK=block)",
        "    grid = (triton.cdiv(x.numel(), block), 1)\n    scale[grid](x, n, BLOCK=block)",
    ),
]


@pytest.mark.parametrize(("before", "after"), GRIDS)
def test_grids_are_rounded_up(tmp_path: Path, before: str, after: str) -> None:
    assert fixed(tmp_path, "round-grid-up", GRID.format(lines=before)) == GRID.format(lines=after)


@pytest.mark.parametrize(
    "lines",
    [
        "    scale[((n + block - 1) // block,)](x, n, BLOCK=block)",
        "    assert n % block == 0\n    scale[(n // block,)](x, n, BLOCK=block)",
        "    scale[(triton.cdiv(n, block),)](x, n, BLOCK=block)",
        "    scale[(n // block + 1,)](x, n, BLOCK=block)",
        "    scale[(n // 7,)](x, n, BLOCK=block)",
        "    scale[grid_of(n)](x, n, BLOCK=block)",
        "    scale[(-(-n // block),)](x, n, BLOCK=block)",
    ],
)
def test_grids_left_alone(tmp_path: Path, lines: str) -> None:
    text = GRID.format(lines=lines)
    assert fixed(tmp_path, "round-grid-up", text) == text
