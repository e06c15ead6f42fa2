"""Products of small matrices by a warp, each kind against NumPy.

Where each element lies is written here as the PTX ISA does it, kind by kind: "Matrix Fragments for mma".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from warp_program import LANES, execute, names

from advisor.evidence.simulated.simt.machine import compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported


@dataclass(frozen=True)
class Kind:
    """An mma: sizes, types of A, B and the result; elements of A in a register and in a lane."""

    m: int
    n: int
    k: int
    left: str
    right: str
    result: str
    end: str = ""

    @property
    def name(self) -> str:
        shape = f"m{self.m}n{self.n}k{self.k}"
        types = f"{self.result}.{self.left}.{self.right}.{self.result}"
        return f"mma.sync.aligned.{shape}.row.col{self.end}.{types}"


KINDS = [
    Kind(16, 8, 16, "f16", "f16", "f32"),
    Kind(16, 8, 8, "f16", "f16", "f32"),
    Kind(16, 8, 16, "f16", "f16", "f16"),
    Kind(16, 8, 8, "f16", "f16", "f16"),
    Kind(16, 8, 16, "bf16", "bf16", "f32"),
    Kind(16, 8, 8, "bf16", "bf16", "f32"),
    Kind(16, 8, 8, "tf32", "tf32", "f32"),
    Kind(16, 8, 4, "tf32", "tf32", "f32"),
    Kind(16, 8, 32, "s8", "s8", "s32"),
    Kind(16, 8, 32, "u8", "u8", "s32"),
    Kind(16, 8, 32, "u8", "s8", "s32"),
    Kind(16, 8, 32, "s8", "u8", "s32", ".satfinite"),
    Kind(16, 8, 16, "s8", "s8", "s32"),
    Kind(16, 8, 16, "u8", "u8", "s32", ".satfinite"),
    Kind(8, 8, 4, "f64", "f64", "f64"),
]
EVERY = pytest.mark.parametrize("kind", KINDS, ids=[one.name[17:] for one in KINDS])
HELD = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "f64": 64, "f32": 32, "s32": 32}


def place_of_left(kind: Kind, lane: int, i: int) -> tuple[int, int]:
    """Row and column of the element a_i of a lane, as the ISA lists them."""
    group, thread = lane >> 2, lane % 4
    if kind.left == "f64":
        return group, thread
    if kind.left == "tf32":
        return (group if i % 2 == 0 else group + 8), (thread if i < 2 else thread + 4)
    if kind.left in ("f16", "bf16"):
        row = group if i < 2 or 4 <= i < 6 else group + 8
        return row, thread * 2 + (i & 1) + (8 if i >= 4 else 0)
    row = group if i < 4 or 8 <= i < 12 else group + 8
    return row, thread * 4 + (i & 3) + (16 if i >= 8 else 0)


def place_of_right(kind: Kind, lane: int, i: int) -> tuple[int, int]:
    """Row and column of the element b_i of a lane."""
    group, thread = lane >> 2, lane % 4
    if kind.right in ("f64", "tf32"):
        return thread + (4 if i else 0), group
    if kind.right in ("f16", "bf16"):
        return thread * 2 + (i & 1) + (8 if i >= 2 else 0), group
    return thread * 4 + (i & 3) + (16 if i >= 4 else 0), group


def place_of_result(lane: int, i: int) -> tuple[int, int]:
    """Row and column of the elements c_i and d_i of a lane."""
    return (lane >> 2) + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)


def bits_of(values: np.ndarray, name: str) -> np.ndarray:
    """The bits of numbers as unsigned integers of their width."""
    if name == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    dtype = {"f16": "f2", "f32": "f4", "tf32": "f4", "f64": "f8", "s8": "i1", "u8": "u1", "s32": "i4"}[name]
    return values.astype(dtype).view(f"u{HELD[name] // 8}")


def registers(elements: np.ndarray, width: int) -> np.ndarray:
    """Rows of elements packed into registers, the first in the low bits."""
    return np.ascontiguousarray(elements).view(f"u{width // 8}")


def product(kind: Kind, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """What a warp finds for A B + C."""
    width = 64 if kind.left == "f64" else 32
    parts = []
    for matrix, name, place in (
        (a, kind.left, lambda lane, i: place_of_left(kind, lane, i)),
        (b, kind.right, lambda lane, i: place_of_right(kind, lane, i)),
        (c, kind.result, place_of_result),
    ):
        count = matrix.size // LANES
        held = np.array([[matrix[place(lane, i)] for i in range(count)] for lane in range(LANES)])
        parts.append(registers(bits_of(held, name), width))
    counts = [part.shape[1] for part in parts]
    begin = np.cumsum([0, *counts])
    groups = [names("a", range(begin[n], begin[n + 1])) for n in range(3)]
    line = f"{kind.name} {names('d', range(counts[2]))}, {', '.join(groups)};"
    found, execution, _ = execute(line, np.concatenate(parts, 1), counts[2])
    assert execution.defect_count == 0
    dtype = {"f32": "f4", "f16": "f2", "s32": "i4", "f64": "f8"}[kind.result]
    values = np.ascontiguousarray(found).view(dtype)
    result = np.zeros((kind.m, kind.n), dtype)
    for lane in range(LANES):
        for i in range(values.shape[1]):
            result[place_of_result(lane, i)] = values[lane, i]
    return result


def drawn(kind: Kind, seed: int, low: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    sizes = ((kind.m, kind.k), (kind.k, kind.n), (kind.m, kind.n))
    lows = [0 if name == "u8" else low for name in (kind.left, kind.right, kind.result)]
    a, b, c = (random.integers(one, high, size) for one, size in zip(lows, sizes, strict=True))
    return a, b, c


@EVERY
def test_a_product_of_small_integers_is_exact(kind):
    # Of f16 sums of 16 products below 9 * 9 and one number stay below 2048, where all integers are numbers.
    a, b, c = drawn(kind, 1, -8, 9)
    assert np.array_equal(product(kind, a, b, c), a @ b + c)


@EVERY
def test_each_element_is_at_its_place(kind):
    """Of a single one in A and different numbers in B, by hand: the row of B moves to that row."""
    for row, depth in ((0, 0), (kind.m - 1, kind.k - 1), (kind.m // 2 - 1, 1)):
        a = np.zeros((kind.m, kind.k), int)
        a[row, depth] = 1
        b = np.arange(kind.k * kind.n).reshape(kind.k, kind.n) % 100
        expected = np.zeros((kind.m, kind.n), int)
        expected[row] = b[depth]
        assert np.array_equal(product(kind, a, b, np.zeros((kind.m, kind.n), int)), expected)


# Half of the last place of a result's type, for each of the sums; inputs are rounded to their type first.
TOLERANCE = {"f32": 2.0**-24, "f16": 2.0**-11, "f64": 2.0**-53}
FLOATS = [one for one in KINDS if one.result in TOLERANCE]


@pytest.mark.parametrize("kind", FLOATS, ids=[one.name[17:] for one in FLOATS])
def test_a_product_of_random_numbers(kind):
    random = np.random.default_rng(2)
    sizes = ((kind.m, kind.k), (kind.k, kind.n), (kind.m, kind.n))
    a, b, c = (random.normal(size=size) for size in sizes)
    a, b = (rounded(one, kind.left) for one in (a, b))
    c = rounded(c, kind.result)
    exact = a @ b + c
    size = np.abs(a) @ np.abs(b) + np.abs(c)
    found = product(kind, a, b, c).astype(np.float64)
    assert (np.abs(found - exact) <= size * TOLERANCE[kind.result] * (kind.k + 1)).all()


def rounded(values: np.ndarray, name: str) -> np.ndarray:
    """Numbers that a type has."""
    if name in ("bf16", "tf32"):
        kept = 0xFFFF0000 if name == "bf16" else 0xFFFFE000
        return (values.astype("f4").view("u4") & np.uint32(kept)).view("f4").astype("f8")
    return values.astype({"f16": "f2", "f32": "f4", "f64": "f8"}[name]).astype("f8")


def test_the_low_bits_of_tf32_do_not_count():
    kind = Kind(16, 8, 8, "tf32", "tf32", "f32")
    a = np.full((16, 8), np.uint32(0x3F801FFF)).view("f4")
    b, c = np.ones((8, 8)), np.zeros((16, 8))
    assert (product(kind, a, b, c) == 8).all()


@pytest.mark.parametrize(("end", "expected"), [("", -(2**31) + 31), (".satfinite", 2**31 - 1)])
def test_sums_of_integers_wrap_or_stay_at_the_limit(end, expected):
    kind = Kind(16, 8, 32, "s8", "s8", "s32", end)
    a, b = np.ones((16, 32), int), np.ones((32, 8), int)
    assert (product(kind, a, b, np.full((16, 8), 2**31 - 1)) == expected).all()


def test_the_smallest_products_of_bytes():
    kind = Kind(16, 8, 16, "s8", "s8", "s32")
    a, b = np.full((16, 16), -128), np.full((16, 8), -128)
    assert (product(kind, a, b, np.zeros((16, 8), int)) == 16 * 2**14).all()


def test_sums_of_f16_are_rounded_once():
    """2048 + 16 ones: each alone would be lost in f16, where 2049 is no number."""
    kind = Kind(16, 8, 16, "f16", "f16", "f16")
    a, b = np.ones((16, 16)), np.ones((16, 8))
    assert (product(kind, a, b, np.full((16, 8), 2048)) == 2064).all()


def test_a_predicate_keeps_what_the_lanes_had():
    registers_ = np.zeros((LANES, 10), np.uint32)
    registers_[:, 6:] = 7
    lines = (
        "mov.b32 %d0, 5; mov.b32 %d1, 5; mov.b32 %d2, 5; mov.b32 %d3, 5; setp.eq.s32 %c0, %r0, 999; @%c0 "
        f"{KINDS[0].name} {names('d', range(4))}, {names('a', range(4))}, {names('a', (4, 5))}, "
        f"{names('a', range(6, 10))};"
    )
    found, _, _ = execute(lines, registers_, 4)
    assert (found == 5).all()


HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<40>;\n"
REFUSED = [
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r0, %r1}, {%r2, %r3}, {%r4, %r5}, {%r6, %r7};",
    "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},{%r8,%r9},"
    "{%r0,%r1,%r2,%r3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},{%r8,%r9},"
    "{%r0,%r1,%r2,%r3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1},{%r4,%r5,%r6,%r7},{%r8,%r9},{%r0,%r1};",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},{%r8,%r9},"
    "{%r0,%r1,%r2,%r3};",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3},{%r4,%r5},{%r8,%r9},"
    "{%r0,%r1,%r2,%r3}, %r10, 0;",
]


@pytest.mark.parametrize("line", REFUSED, ids=[one.split()[0] for one in REFUSED])
def test_other_products_are_refused(line):
    with pytest.raises(Unsupported) as caught:
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
    assert caught.value.instruction == line.split()[0].rstrip(";")
