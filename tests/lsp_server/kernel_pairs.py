"""Kernels written for these tests, in pairs: one that earns a finding, and the same work done well."""

from __future__ import annotations

from typing import NamedTuple

HEAD = "from numba import cuda\n\n\n"

# Lanes run along the rows of both arrays; a rule speaks once of a line, here of `b`, which is read first.
TRANSPOSED = HEAD + (
    "@cuda.jit\n"
    "def scale(a, b):\n"
    "    i, j = cuda.grid(2)\n"
    "    if i < a.shape[0] and j < a.shape[1]:\n"
    "        a[i, j] = b[i, j] * 2\n"
)
STRAIGHT = TRANSPOSED.replace("i, j = cuda.grid(2)", "j, i = cuda.grid(2)")

SQUARE = "\n\ndef run(a, b):\n    side = max(a.shape) // 16 + 1\n    scale[(side, side), (16, 16)](a, b)\n"

_BARRIER = HEAD + (
    "@cuda.jit\n"
    "def shift(a, n):\n"
    "    i = cuda.grid(1)\n"
    "    t = cuda.shared.array(128, 'float32')\n"
    "    if cuda.threadIdx.x % 2 == 0 and i < n:\n"
    "        t[cuda.threadIdx.x] = a[i]\n"
    "        cuda.syncthreads()\n"
    "    if cuda.threadIdx.x % 2 == 1 and i < n:\n"
    "        a[i] = t[cuda.threadIdx.x - 1]\n"
)
_UNGUARDED = HEAD + (
    "@cuda.jit\n"
    "def double(a):\n"
    "    i = cuda.grid(1)\n"
    "    a[i] = a[i] * 2\n"
)  # fmt: skip
_GUARDED = _UNGUARDED.replace("    a[i] = a[i] * 2\n", "    if i < a.size:\n        a[i] = a[i] * 2\n")
_LAUNCH = _GUARDED + (
    "\n\ndef run(a):\n    d = cuda.to_device(a)\n    double[1024, 100](d)\n    return d.copy_to_host()\n"
)
_INDEX = HEAD + (
    "@cuda.jit\ndef pick(a, b):\n    i = cuda.grid(1)\n    if i < b.size:\n        b[i] = a[int(i / 4)]\n"
)


class Case(NamedTuple):
    """A text, the rule that speaks of it, the line (from 1) and the protocol's severity; and it fixed."""

    rule: str
    line: int
    severity: int
    text: str
    fixed: str


ERROR, WARNING, INFORMATION = 1, 2, 3
CASES = [
    # In each block of usual shape, 16 or more threads along x, the lanes of a warp lie in as many rows.
    Case("transposed-index", 8, WARNING, TRANSPOSED, STRAIGHT),
    Case("transposed-index", 8, WARNING, TRANSPOSED + SQUARE, STRAIGHT + SQUARE),
    Case(
        "barrier-in-divergent-branch",
        10,
        ERROR,
        _BARRIER,
        _BARRIER.replace("        cuda.syncthreads()\n", "    cuda.syncthreads()\n"),
    ),
    Case("unchecked-index", 7, INFORMATION, _UNGUARDED, _GUARDED),
    Case("block-not-warp-multiple", 13, WARNING, _LAUNCH, _LAUNCH.replace("100]", "128]")),
    Case("float-division-index", 8, INFORMATION, _INDEX, _INDEX.replace("int(i / 4)", "i // 4")),
]
