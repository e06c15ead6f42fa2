"""Products of matrices by groups of four warps, against NumPy.

Where elements lie in shared memory is written here as the canonical layouts of the PTX ISA have it ("Matrix
Descriptor Format" and "Strides" of wgmma), element by element; where lanes hold results as its "Register
Fragments" do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from block_program import DETAILED, PLAIN, Ran, copied, group, run_block

from advisor.evidence.simulated.simt.machine import Settings, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Defect

THREADS, ROWS = 128, 64
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1}
# The number of a swizzle in a descriptor, by the bytes of its rows.
SWIZZLES = {16: 0, 128: 1, 64: 2, 32: 3}
B_AT = 32768
MOST = Settings(seconds=20, most_defects=4)


@dataclass(frozen=True)
class Matrix:
    """How a matrix lies in shared memory: its swizzle's bytes, whether rows lie together at each depth."""

    swizzle: int = 128
    turned: bool = False


def steps(matrix: Matrix, rows: int) -> tuple[int, int]:
    """The leading and the stride byte offset that the tests choose for a matrix of one product's depth."""
    width = matrix.swizzle
    if not matrix.turned:
        # Groups of eight rows follow each other; without a swizzle a half of the depth comes behind all rows.
        return (rows * 16, 128) if width == 16 else (16, 8 * width)
    if width == 16:
        # Eight depths of eight elements each; eights of rows follow each other, the second half behind them.
        return rows * 16, 128
    # What one swizzled row holds of the rows, for all 16 depths; the next ones behind that.
    return 16 * width, 8 * width


def place(matrix: Matrix, rows: int, row: int, depth: int, size: int) -> int:
    """The byte of an element, from the begin of its matrix, which is a multiple of 1,024."""
    width, (leading, stride) = matrix.swizzle, steps(matrix, rows)
    if not matrix.turned:
        piece, inside = divmod(depth * size, 16)
        at = row % 8 * width + row // 8 * stride + piece * (leading if width == 16 else 16) + inside
    else:
        piece, inside = divmod(row, 8)
        at = depth % 8 * width + 2 * inside
        if width == 16:
            at += piece * stride + depth // 8 * leading
        else:
            at += piece % (width // 16) * 16 + piece // (width // 16) * leading + depth // 8 * stride
    changed = {16: 0, 32: 1, 64: 3, 128: 7}[width]
    return at ^ ((at >> 7 & changed) << 4)


def bits_of(values: np.ndarray, name: str) -> np.ndarray:
    """The bytes of numbers that a type has: a row of bytes for each number."""
    if name == "bf16":
        bits = (values.astype("f4").view("u4") >> 16).astype("u2")
    elif name in ("e4m3", "e5m2"):
        codes = {number(code, name): code for code in range(256) if code != 128}
        bits = np.vectorize(lambda one: codes[float(one)])(values).astype("u1")
    else:
        bits = values.astype({"f16": "f2", "tf32": "f4", "s8": "i1", "u8": "u1"}[name])
    return np.ascontiguousarray(bits).view("u1").reshape(*values.shape, BYTES[name])


def number(code: int, name: str) -> float:
    """The number of eight bits, by hand."""
    fraction, bias = (3, 7) if name == "e4m3" else (2, 15)
    sign, exponent, rest = code >> 7, (code & 127) >> fraction, code & (1 << fraction) - 1
    size = rest / 2**fraction + (exponent > 0)
    return (-1) ** sign * size * 2.0 ** (max(exponent, 1) - bias)


def image_of(values: np.ndarray, name: str, matrix: Matrix) -> np.ndarray:
    """Shared memory with a matrix, whose rows are those of A or the columns of B."""
    held, bits = np.zeros(B_AT, np.uint8), bits_of(values, name)
    for row in range(values.shape[0]):
        for depth in range(values.shape[1]):
            at = place(matrix, values.shape[0], row, depth, BYTES[name])
            held[at : at + BYTES[name]] = bits[row, depth]
    return held


def descriptor(matrix: Matrix, rows: int, begin: int = 0) -> int:
    leading, stride = steps(matrix, rows)
    return begin >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | SWIZZLES[matrix.swizzle] << 62


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


@dataclass(frozen=True)
class Product:
    """A product of 64 rows: columns, types, how A and B lie (A in registers without a layout), the flags."""

    columns: int
    left: str
    right: str
    result: str = "f32"
    a: Matrix | None = Matrix()
    b: Matrix = Matrix()
    scale: str = "1"
    signs: tuple[int, int] = (1, 1)
    end: str = ""
    a_further: int = 0

    @property
    def depth(self) -> int:
        return 32 // BYTES[self.left]

    @property
    def registers(self) -> int:
        return self.columns // (4 if self.result == "f16" else 2)

    def lines(self) -> str:
        shape = f"m64n{self.columns}k{self.depth}"
        name = f"wgmma.mma_async.sync.aligned.{shape}{self.end}.{self.result}.{self.left}.{self.right}"
        flags = [self.scale]
        if self.result != "s32":
            flags += [str(one) for one in self.signs]
        if self.left in ("f16", "bf16"):
            flags += [str(int(one.turned)) for one in (self.a, self.b) if one is not None]
        a = "%x80" if self.a is not None else "{%a0, %a1, %a2, %a3}"
        matrix = f"mov.b64 %x80, {signed(descriptor(self.a, ROWS, self.a_further))};\n" if self.a else ""
        b = f"mov.b64 %x81, {signed(descriptor(self.b, self.columns, B_AT))};\n"
        product = f"{name} {group('d', self.registers)}, {a}, %x81, {', '.join(flags)};\n"
        return matrix + b + "wgmma.fence.sync.aligned;\n" + product + (
            "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        )  # fmt: skip


def place_of_result(thread: int, i: int) -> tuple[int, int]:
    """Row and column of the element d_i of a thread."""
    row = thread // 32 * 16 + thread % 32 // 4 + (8 if i % 4 >= 2 else 0)
    return row, i // 4 * 8 + thread % 4 * 2 + i % 2


def place_of_left(thread: int, i: int, size: int) -> tuple[int, int]:
    """Row and depth of the element a_i of a thread; a register has four bytes."""
    in_register = 4 // size
    register, inside = divmod(i, in_register)
    row = thread // 32 * 16 + thread % 32 // 4 + (8 if register % 2 else 0)
    return row, (register // 2 * 4 + thread % 4) * in_register + inside


DTYPES = {"f32": "f4", "f16": "f2", "s32": "i4"}


def made(product: Product, a: np.ndarray, b: np.ndarray, c: np.ndarray, how: Settings = PLAIN) -> np.ndarray:
    result, ran = made_by(product, a, b, c, how)
    assert ran.execution.defect_count == 0, ran.execution.defects[:3]
    return result


def made_by(
    product: Product, a: np.ndarray, b: np.ndarray, c: np.ndarray, how: Settings = PLAIN
) -> tuple[np.ndarray, Ran]:
    """What the group finds for A B + C."""
    dtype, count = DTYPES[product.result], product.columns // 2
    held = np.array([[c[place_of_result(t, i)] for i in range(count)] for t in range(THREADS)]).astype(dtype)
    left = np.zeros((THREADS, 16 // BYTES[product.left], BYTES[product.left]), np.uint8)
    bits = bits_of(a, product.left)
    for thread in range(THREADS):
        for i in range(left.shape[1]):
            left[thread, i] = bits[place_of_left(thread, i, BYTES[product.left])]
    layout = product.a or Matrix()
    image = np.concatenate([image_of(a, product.left, layout), image_of(b.T, product.right, product.b)])
    registers = product.registers
    step = 4 * registers
    lines = copied(len(image), THREADS) + f"mad.wide.u32 %x10, %r0, {step}, %x1;\n"
    lines += "mad.wide.u32 %x11, %r0, 16, %x2;\nsetp.lt.u32 %p1, %r0, 0;\nsetp.ge.u32 %p2, %r0, 0;\n"
    lines += "".join(f"ld.global.b32 %d{n}, [%x10+{4 * n}];\n" for n in range(registers))
    lines += "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x11];\n"
    lines += product.lines()
    lines += "".join(f"st.global.b32 [%x10+{4 * n}], %d{n};\n" for n in range(registers))
    given = [image, np.ascontiguousarray(held).view("u4"), left.reshape(THREADS, 16)]
    ran = run_block(lines, given, THREADS, how)
    values = ran.buffers[1].view(dtype)
    found = np.zeros((ROWS, product.columns), dtype)
    for thread in range(THREADS):
        for i in range(count):
            found[place_of_result(thread, i)] = values[thread, i]
    return found, ran


def drawn(product: Product, seed: int = 1, most: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    lows = [0 if one == "u8" else -most for one in (product.left, product.right, product.result)]
    sizes = ((ROWS, product.depth), (product.depth, product.columns), (ROWS, product.columns))
    a, b, c = (random.integers(low, most + 1, size) for low, size in zip(lows, sizes, strict=True))
    return a, b, c


TYPES = [
    ("f16", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "f32"), ("tf32", "tf32", "f32"),
    ("e4m3", "e4m3", "f32"), ("e5m2", "e5m2", "f32"), ("e4m3", "e5m2", "f16"), ("e5m2", "e4m3", "f32"),
    ("s8", "s8", "s32"), ("u8", "u8", "s32"), ("s8", "u8", "s32"), ("u8", "s8", "s32"),
]  # fmt: skip


@pytest.mark.parametrize("columns", [8, 64, 256])
@pytest.mark.parametrize("types", TYPES, ids=".".join)
def test_a_group_product_of_small_integers_is_exact(types, columns):
    product = Product(columns, *types)
    a, b, c = drawn(product)
    assert np.array_equal(made(product, a, b, c), a @ b + c)


@pytest.mark.parametrize("types", TYPES, ids=".".join)
def test_a_may_lie_in_registers(types):
    product = Product(24, *types, a=None)
    a, b, c = drawn(product, 2)
    assert np.array_equal(made(product, a, b, c), a @ b + c)


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("widths", [(16, 16), (32, 32), (64, 64), (128, 128), (16, 128), (64, 32)])
def test_each_layout_of_shared_memory(widths, turned):
    a_layout, b_layout = (Matrix(*one) for one in zip(widths, turned, strict=True))
    product = Product(64, "f16", "f16", a=a_layout, b=b_layout)
    a, b, c = drawn(product, 3)
    assert np.array_equal(made(product, a, b, c), a @ b + c)


@pytest.mark.parametrize("width", [16, 32, 64, 128])
def test_layouts_of_elements_of_other_sizes(width):
    for types in (("tf32", "tf32", "f32"), ("s8", "s8", "s32")):
        product = Product(32, *types, a=Matrix(width), b=Matrix(width))
        a, b, c = drawn(product, 4)
        assert np.array_equal(made(product, a, b, c), a @ b + c)


def test_a_single_one_moves_a_row_of_b():
    """By hand: a one in row 37, depth 5 of A makes row 5 of B the row 37 of the result."""
    product = Product(16, "f16", "f16")
    a, c = np.zeros((64, 16), int), np.zeros((64, 16), int)
    a[37, 5] = 1
    b = np.arange(256).reshape(16, 16)
    expected = np.zeros((64, 16))
    expected[37] = np.arange(80, 96)
    assert np.array_equal(made(product, a, b, c), expected)


def test_the_next_depths_begin_32_bytes_further_in_a_swizzled_row():
    """A row of 128 bytes holds four products' depths; the second one's begin 32 bytes behind the first's."""
    first, further = Product(8, "f16", "f16"), Product(8, "f16", "f16", a_further=32)
    a, b, _ = drawn(first, 5)
    wide = np.zeros((64, 64), int)
    wide[:, 16:32] = a
    image = np.concatenate([image_of(wide, "f16", Matrix()), image_of(b.T, "f16", Matrix())])
    lines = copied(len(image), THREADS) + "mad.wide.u32 %x10, %r0, 16, %x1;\n"
    lines += further.lines().replace("%x81, 1,", "%x81, 0,")
    lines += "".join(f"st.global.b32 [%x10+{4 * n}], %d{n};\n" for n in range(4))
    found = run_block(lines, [image, np.zeros((THREADS, 4), "f4")], THREADS).buffers[1]
    expected = a @ b
    assert all(found[t, i] == expected[place_of_result(t, i)] for t in range(THREADS) for i in range(4))


@pytest.mark.parametrize("scale", ["0", "%p1", "%p2", "1"])
def test_the_scale_of_d_says_whether_it_is_added_to(scale):
    product = Product(8, "bf16", "bf16", scale=scale)
    a, b, c = drawn(product, 6)
    added = c if scale in ("%p2", "1") else 0
    assert np.array_equal(made(product, a, b, c), a @ b + added)


@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize("a_layout", [Matrix(), None], ids=["shared", "registers"])
def test_a_and_b_may_be_negated(signs, a_layout):
    product = Product(8, "f16", "f16", signs=signs, a=a_layout)
    a, b, c = drawn(product, 7)
    assert np.array_equal(made(product, a, b, c), signs[0] * signs[1] * (a @ b) + c)


@pytest.mark.parametrize(("end", "expected"), [("", -(2**31) + 31), (".satfinite", 2**31 - 1)])
def test_sums_of_bytes_wrap_or_stay_at_the_limit(end, expected):
    product = Product(8, "u8", "u8", "s32", end=end)
    a, b = np.ones((64, 32), int), np.ones((32, 8), int)
    assert (made(product, a, b, np.full((64, 8), 2**31 - 1)) == expected).all()


def test_the_low_bits_of_tf32_are_left_out():
    product = Product(8, "tf32", "tf32")
    a = np.full((64, 8), np.uint32(0x3F801FFF)).view("f4")
    assert (made(product, a, np.ones((8, 8)), np.zeros((64, 8))) == 8).all()


def test_sums_of_f16_are_rounded_once_in_a_group():
    """2048 + 16 ones: each alone would be lost in f16, where 2049 is no number."""
    product = Product(8, "f16", "f16", "f16")
    assert (made(product, np.ones((64, 16)), np.ones((16, 8)), np.full((64, 8), 2048)) == 2064).all()


def test_a_group_product_of_random_numbers():
    random = np.random.default_rng(8)
    product = Product(128, "f16", "f16")
    a, b = (random.normal(size=size).astype("f2").astype("f8") for size in ((64, 16), (16, 128)))
    c = random.normal(size=(64, 128)).astype("f4").astype("f8")
    size = np.abs(a) @ np.abs(b) + np.abs(c)
    assert (np.abs(made(product, a, b, c) - (a @ b + c)) <= size * 17 * 2.0**-24).all()


@pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
def test_what_group_products_count(how):
    """64 rows and 64 columns of 32 bytes: 2,048 bytes each, four requests of 32 lanes of 16 bytes; the
    columns are read once for the four warps. Eight rows of 16 bytes lie in all 32 banks: one pass each.
    """
    product = Product(64, "f16", "f16")
    _, ran = made_by(product, *drawn(product), how)
    assert ran.execution.defect_count == 0
    counted = ran.counted
    (loads,) = (one for one in counted.accesses if one.space == "shared" and one.kind == "load")
    assert (loads.requests, loads.lanes, loads.bytes) == (8, 256, 4096)
    assert (loads.wavefronts, loads.ideal_wavefronts) == (32, 32)
    assert counted.products == {"f16": 2 * 64 * 64 * 16}
    assert counted.flops["f16"] == 2 * 64 * 64 * 16
    assert counted.slots["tensor"] == 4


def test_a_group_product_counts_one_instruction_of_each_warp():
    product = Product(256, "s8", "s8", "s32")
    _, ran = made_by(product, *drawn(product))
    assert ran.counted.products == {"s8": 2 * 64 * 256 * 32}
    assert "s8" not in ran.counted.flops


def test_a_matrix_beyond_shared_memory_is_noted():
    far = Product(8, "f16", "f16", a_further=69632 - 1024)
    _, ran = made_by(far, *drawn(far), MOST)
    assert ran.kinds == {Defect.OUT_OF_BOUNDS}


def test_a_store_of_another_warp_without_a_barrier_is_a_race():
    lines = "shl.b32 %r90, %r0, 4; add.s32 %r90, %r90, %r1; mov.b32 %r5, 0;\n"
    lines += "".join(f"st.shared.v4.b32 [%r90+{2048 * n}], {{%r5, %r5, %r5, %r5}};\n" for n in range(32))
    product = Product(8, "f16", "f16")
    for between, expected in (("", {Defect.RACE}), ("bar.sync 0;\n", set())):
        ran = run_block(lines + between + product.lines(), [], THREADS, DETAILED)
        assert ran.kinds - {Defect.UNINITIALISED} == expected


HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
HEAD += ".reg .b32 %d<9>;\n.reg .b64 %x<9>;\n.reg .pred %p<3>;\n"
SHAPE = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"
REFUSED = [
    SHAPE.replace("aligned", "aligned.sp") + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 1, 1, 0, 0;",
    SHAPE.replace("mma_async", "mma_async.sp") + " {%d0,%d1,%d2,%d3}, %x0, %x1, %d4, 0, %p0, 1, 1, 0, 0;",
    SHAPE.replace("n8", "n12") + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 1, 1, 0, 0;",
    SHAPE.replace("k16", "k8") + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 1, 1, 0, 0;",
    SHAPE.replace("f16.f16", "f16.bf16") + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 1, 1, 0, 0;",
    SHAPE + " {%d0,%d1,%d2}, %x0, %x1, %p0, 1, 1, 0, 0;",
    SHAPE + " {%d0,%d1,%d2,%d3}, {%d4,%d5}, %x1, %p0, 1, 1, 0;",
    SHAPE + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 1, 1;",
    SHAPE + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 2, 1, 0, 0;",
    "@%p1 " + SHAPE + " {%d0,%d1,%d2,%d3}, %x0, %x1, %p0, 1, 1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%d0,%d1,%d2,%d3}, %x0, %x1, %p0;",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_group_products_are_refused(line):
    with pytest.raises(Unsupported, match="wgmma"):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
