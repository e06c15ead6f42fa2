"""Boxes of tensors that are copied by tensor maps, against slices of NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from block_program import DETAILED, PLAIN, Ran, copied, run_block

from advisor.evidence.simulated.simt.machine import Settings, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Defect, Status
from advisor.evidence.simulated.simt.vector.tensor.tensor_maps import MAP_BYTES, encoded

BOTH = pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
# The number of a type in `tensormap.replace`.
ELEMENTS = {"u1": 0, "u2": 1, "u4": 2, "u8": 4, "f2": 6, "f4": 7, "f8": 9}
BEGIN = "@%p0 mbarrier.init.shared.b64 [%r2], 1;\nbar.sync 0;\n"
WAIT = "wait: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra wait;\n"


def mapped(
    tensor: np.ndarray, box: Sequence[int], swizzle: int = 0, fill: int = 0, element: int | None = None
):
    """What makes the map of a tensor that is the first buffer; the box in NumPy's order of axes."""
    number = ELEMENTS[tensor.dtype.str[1:]] if element is None else element
    strides = list(reversed(tensor.strides[:-1]))
    return lambda addresses: encoded(
        addresses[0], list(reversed(tensor.shape)), strides, list(reversed(box)), number, swizzle, fill
    )


def coordinates(begin: Sequence[int]) -> tuple[str, str]:
    """Lines that load where a box begins into registers, and the operand of these."""
    numbers = list(reversed(begin))
    lines = "".join(f"mov.b32 %r{20 + n}, {value};\n" for n, value in enumerate(numbers))
    return lines, "{" + ", ".join(f"%r{20 + n}" for n in range(len(numbers))) + "}"


def load(begin: Sequence[int], size: int, source: str = "%x70") -> str:
    lines, operand = coordinates(begin)
    axes = f"{len(begin)}d"
    return (
        f"mov.b64 %x70, m0; cvta.param.u64 %x70, %x70;\n{lines}"
        f"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {size};\n"
        f"@%p0 cp.async.bulk.tensor.{axes}.shared::cta.global.mbarrier::complete_tx::bytes "
        f"[%r1], [{source}, {operand}], [%r2];\n"
    )


def out(size: int) -> str:
    lines = "mad.wide.u32 %x10, %r0, 4, %x1;\nshl.b32 %r10, %r0, 2;\nadd.s32 %r10, %r10, %r1;\n"
    for offset in range(0, size, 128):
        lines += f"ld.shared.b32 %r11, [%r10+{offset}];\nst.global.b32 [%x10+{offset}], %r11;\n"
    return lines


def loaded(
    tensor: np.ndarray, box: Sequence[int], begin: Sequence[int], how: Settings = PLAIN, **options: int
) -> tuple[np.ndarray, Ran]:
    """A box as it lies in shared memory."""
    size = int(np.prod(box)) * tensor.itemsize
    whole = -(-size // 128) * 128
    lines = BEGIN + load(begin, size) + WAIT + out(whole)
    ran = run_block(
        lines, [tensor, np.zeros(whole, np.uint8)], how=how, maps=[mapped(tensor, box, **options)]
    )
    assert ran.execution.status == Status.DONE
    found = ran.buffers[1][:size].view(tensor.dtype).reshape(box)
    return found, ran


def sliced(tensor: np.ndarray, box: Sequence[int], begin: Sequence[int], outside: float = 0) -> np.ndarray:
    """A box of a tensor, element by element."""
    found = np.full(box, outside, tensor.dtype)
    for place in np.ndindex(*box):
        at = tuple(first + one for first, one in zip(begin, place, strict=True))
        if all(0 <= one < extent for one, extent in zip(at, tensor.shape, strict=True)):
            found[place] = tensor[at]
    return found


def numbered(shape: Sequence[int], dtype: str) -> np.ndarray:
    return (np.arange(int(np.prod(shape))) % 251 + 1).astype(dtype).reshape(shape)


CASES = [
    ((64,), (32,), (16,)),
    ((16, 64), (8, 32), (4, 32)),
    ((4, 8, 32), (2, 4, 16), (1, 3, 8)),
    ((2, 3, 4, 32), (2, 2, 2, 16), (0, 1, 1, 16)),
    ((2, 2, 3, 4, 16), (1, 2, 2, 2, 16), (1, 0, 1, 2, 0)),
]


@BOTH
@pytest.mark.parametrize(("shape", "box", "begin"), CASES, ids=lambda one: str(len(one)))
def test_boxes_of_one_to_five_axes(shape, box, begin, how):
    tensor = numbered(shape, "f4")
    found, ran = loaded(tensor, box, begin, how)
    assert np.array_equal(found, sliced(tensor, box, begin))
    assert ran.execution.defect_count == 0


@BOTH
@pytest.mark.parametrize("begin", [(-3, 0), (0, -5), (6, 0), (0, 20), (-1, -1), (7, 31), (50, 0), (0, -99)])
def test_what_lies_outside_of_the_tensor_is_zero(begin, how):
    tensor = numbered((8, 32), "f2")
    found, ran = loaded(tensor, (4, 16), begin, how)
    assert np.array_equal(found, sliced(tensor, (4, 16), begin))
    assert ran.execution.defect_count == 0


@pytest.mark.parametrize(("dtype", "element"), [("f2", 6), ("u2", 10), ("f4", 7), ("f8", 9)])
def test_what_lies_outside_may_be_no_number(dtype, element):
    tensor = numbered((4, 16), dtype)
    found, _ = loaded(tensor, (4, 16), (2, 0), fill=1, element=element)
    assert np.array_equal(found[:2], tensor[2:])
    outside = found[2:]
    if dtype == "u2":
        outside = (outside.astype("u4") << 16).view("f4")
    assert np.isnan(outside).all()


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "f8"])
def test_elements_of_each_size(dtype):
    tensor = numbered((6, 64), dtype)
    found, _ = loaded(tensor, (4, 32), (1, 7))
    assert np.array_equal(found, sliced(tensor, (4, 32), (1, 7)))


def test_a_row_that_is_no_multiple_of_a_piece():
    """30 numbers of 16 bits in rows of 64 bytes: the last piece of a row has six of them."""
    whole = numbered((8, 32), "u2")
    lines = BEGIN + load((0, 0), 512) + WAIT + out(512)
    ran = run_block(lines, [whole, np.zeros(512, np.uint8)], maps=[mapped(whole[:, :30], (8, 32))])
    found = ran.buffers[1].view("u2").reshape(8, 32)
    assert (found[:, 30:] == 0).all()
    assert np.array_equal(found[:, :30], whole[:, :30])
    assert ran.execution.defect_count == 0


@pytest.mark.parametrize(("swizzle", "bits"), [(0, 0), (1, 1), (2, 3), (3, 7)])
def test_swizzles_of_boxes(swizzle, bits):
    """In the line of 128 bytes at 128 n the piece p of 16 bytes lies at p xor n, of as many bits as said."""
    tensor = numbered((16, 64), "u2")
    box = (16, {0: 64, 1: 16, 2: 32, 3: 64}[swizzle])
    found, _ = loaded(tensor, box, (0, 0), swizzle=swizzle)
    pieces = found.reshape(-1, 8)
    expected = tensor[:, : box[1]].reshape(-1, 8)
    for number, piece in enumerate(expected):
        line, place = divmod(number, 8)
        assert np.array_equal(pieces[line * 8 + (place ^ (line & bits))], piece)


def test_numbers_may_be_rounded_to_tf32():
    tensor = np.array([[0x3F800FFF, 0x3F801000, 0xBF803FFF, 0x3F800000]], np.uint32).view("f4")
    found, _ = loaded(tensor, (1, 4), (0, 0), element=11)
    assert [hex(one) for one in found.view(np.uint32)[0]] == [
        "0x3f800000", "0x3f802000", "0xbf804000", "0x3f800000",
    ]  # fmt: skip


def store(begin: Sequence[int]) -> str:
    lines, operand = coordinates(begin)
    return (
        f"mov.b64 %x70, m0; cvta.param.u64 %x70, %x70;\n{lines}fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        f"@%p0 cp.async.bulk.tensor.{len(begin)}d.global.shared::cta.bulk_group [%x70, {operand}], [%r1];\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
    )


@BOTH
@pytest.mark.parametrize("begin", [(0, 0), (4, 16), (-2, 3), (6, 30), (7, -15)])
def test_a_box_is_stored_as_far_as_it_lies_in_the_tensor(begin, how):
    target, box = np.zeros((8, 32), "u2"), numbered((4, 16), "u2")
    lines = copied(512, 32, source="%x1") + store(begin)
    padded = np.zeros(512, np.uint8)
    padded[:128] = box.reshape(-1).view(np.uint8)
    ran = run_block(lines, [target, padded], how=how, maps=[mapped(target, (4, 16))])
    expected = np.zeros_like(target)
    for row, column in np.ndindex(4, 16):
        at = begin[0] + row, begin[1] + column
        if 0 <= at[0] < 8 and 0 <= at[1] < 32:
            expected[at] = box[row, column]
    assert np.array_equal(ran.buffers[0], expected)
    assert ran.execution.defect_count == 0


def test_a_swizzled_box_comes_back_as_it_was():
    source, target = numbered((16, 64), "u2"), np.zeros((16, 64), "u2")
    maps = [mapped(source, (16, 64), swizzle=3), lambda at: mapped(target, (16, 64), swizzle=3)(at[1:])]
    back = store((0, 0)).replace("m0", "m1")
    ran = run_block(BEGIN + load((0, 0), 2048) + WAIT + back, [source, target], maps=maps)
    assert np.array_equal(ran.buffers[1], source)


@BOTH
def test_what_boxes_count(how):
    """Eight rows of 64 bytes of a tensor with rows of 256: two sectors and one line each, 512 bytes in all.
    Two rows lie outside.
    """
    tensor = numbered((16, 128), "u2")
    _, ran = loaded(tensor, (8, 32), (10, 0), how)
    (read,) = (one for one in ran.counted.accesses if (one.space, one.kind) == ("global", "load"))
    assert (read.requests, read.lanes, read.bytes) == (1, 24, 384)
    assert (read.sectors, read.ideal, read.lines) == (12, 12, 6)
    assert ran.counted.loaded_sectors == 12
    (written,) = (one for one in ran.counted.accesses if (one.space, one.kind) == ("shared", "store"))
    assert (written.bytes, written.wavefronts) == (512, 4)


MADE = """
shl.b32 %r9, %r0, 2; add.s32 %r9, %r9, %r3; st.shared.b32 [%r9], %r4;
@%p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%x60], %x0;
@%p0 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%x60], 1;
@%p0 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%x60], 0, %r5;
@%p0 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%x60], 1, %r6;
@%p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%x60], 0, %r7;
@%p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%x60], 1, %r8;
@%p0 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%x60], 0, %x61;
@%p0 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%x60], 0, 1;
@%p0 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%x60], 1, 1;
@%p0 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%x60], 1;
@%p0 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%x60], 0;
@%p0 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%x60], 0;
@%p0 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%x60], 0;
bar.warp.sync -1;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%x2], [%x60], 128;
fence.proxy.tensormap::generic.acquire.gpu [%x2], 128;
bar.sync 0;
"""


@BOTH
def test_a_map_that_the_kernel_makes(how):
    tensor = numbered((8, 32), "u2")
    box, begin = (4, 16), (3, 24)
    numbers = zip((4, 5, 6, 7, 8), (0, 16, 4, 32, 8), strict=True)
    lines = "add.s32 %r3, %r1, 32768; cvt.u64.u32 %x60, %r3; mov.b64 %x61, 64;\n"
    lines += "".join(f"mov.b32 %r{register}, {value};\n" for register, value in numbers)
    fetch = load(begin, 128, source="%x2").replace("mov.b64 %x70, m0; cvta.param.u64 %x70, %x70;\n", "")
    lines += MADE + BEGIN + fetch + WAIT + out(128)
    ran = run_block(lines, [tensor, np.zeros(128, np.uint8), np.zeros(MAP_BYTES, np.uint8)], how=how)
    assert np.array_equal(ran.buffers[1].view("u2").reshape(box), sliced(tensor, box, begin))
    assert ran.execution.defect_count == 0
    assert {one.line for one in ran.counted.accesses if one.kind == "store" and one.space == "global"} == {0}


@pytest.mark.parametrize(
    ("axes", "source"), [(1, "%x70"), (2, "%x0"), (2, "%x71")], ids=["axes", "no map", "nowhere"]
)
def test_what_is_no_map_of_so_many_axes_is_noted(axes, source):
    tensor = numbered((8, 4), "u2")
    lines = BEGIN + "mov.b64 %x71, 64;\n" + load((0,) * axes, 64, source)
    ran = run_block(lines, [tensor], maps=[mapped(tensor, (8, 4))])
    assert ran.kinds == {Defect.OUT_OF_BOUNDS}


def test_a_tensor_beyond_its_buffer_is_noted_and_nothing_of_it_read():
    tensor = numbered((8, 32), "u2")
    longer = lambda at: encoded(at[0], [32, 64], [64], [32, 16], 1, 0)  # noqa: E731
    lines = BEGIN + load((0, 0), 1024) + WAIT
    ran = run_block(lines, [tensor], how=Settings(seconds=20, most_defects=4), maps=[longer])
    assert ran.kinds == {Defect.OUT_OF_BOUNDS}
    assert ran.execution.status == Status.DONE


def test_boxes_lie_at_multiples_of_128_bytes():
    tensor = numbered((8, 32), "u2")
    lines = "add.s32 %r1, %r1, 64;\n" + BEGIN + load((0, 0), 512)
    assert run_block(lines, [tensor], maps=[mapped(tensor, (8, 32))]).kinds == {Defect.MISALIGNED}


@pytest.mark.parametrize(
    ("extents", "strides", "box", "element"),
    [
        ([], [], [], 1),
        ([8] * 6, [16] * 5, [8] * 6, 1),
        ([8], [], [8, 8], 1),
        ([8], [16], [8], 1),
        ([8], [], [8], 13),
    ],
)
def test_what_no_map_holds_is_said(extents, strides, box, element):
    with pytest.raises(ValueError, match=r"tensor map|elements"):
        encoded(0, extents, strides, box, element, 0)


HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
HEAD += ".reg .b64 %x<9>;\n"
REFUSED = [
    "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%x1], 1;",
    "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%x1], %r1, %r2;",
    "tensormap.replace.tile.box_dim.b1024.b32 [%x1], 0, %r2;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
    "[%x1], [%x2], 64;",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_changes_of_maps_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
