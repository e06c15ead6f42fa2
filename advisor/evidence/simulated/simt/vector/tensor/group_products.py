"""Products of matrices by a group of four warps; PTX ISA, "wgmma".

The product is made where it is issued, so it is there before the group waits for it. Products of numbers of
16 bits or fewer are exact in f32, where they are added in the order of k, each sum rounded once (the ISA
leaves order and rounding open); a result of f16 is rounded at the end.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Group, Instruction, Integer, Operand
from advisor.evidence.simulated.simt.vector.lanes import (
    FLOAT,
    I1,
    I32,
    I64,
    POINTER,
    VOID,
    constant,
    is_vector,
    same,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import WORD, Context, GroupScratch, Site, State
from advisor.evidence.simulated.simt.vector.tensor.group_operands import reader_of
from advisor.evidence.simulated.simt.vector.tensor.groups import SIDE, GroupProduct, group_product
from advisor.evidence.simulated.simt.vector.tensor.products import elements_of, packed_halves
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

# Registers of A hold eight rows of 16 bytes each: those as matrices without a swizzle.
_IN_REGISTERS = (2 * SIDE * 16 >> 4 << 16) | (SIDE * 16 >> 4 << 32)
_ROW_BLOCKS = 2
_WARPS = 4
_WITHOUT_EFFECT = ("fence", "commit_group", "wait_group")


@handles("wgmma")
def _multiply(e: Emission, item: Instruction) -> None:
    if item.modifiers in tuple((one, "sync", "aligned") for one in _WITHOUT_EFFECT):
        return
    product = group_product(item)
    if product is None or item.predicate is not None:
        raise e.unsupported(item, "a product of this shape, layout or type")
    builder = e.builder
    scratch = e.context_word(Context.GROUPS, POINTER)
    sums = builder.at(scratch, GroupScratch.SUMS)
    targets = _items(item.operands[0])
    given = _given(e, item, product, targets)
    for number, value in enumerate(_beginning(e, product, given)):
        builder.put(value, sums, _step(number))
    _read_left(e, item, product, scratch)
    _read_right(e, item, product, scratch)
    kind = "integer" if product.whole_numbers else "float"
    e.call(
        f"multiply_group_{kind}", VOID, builder.at(scratch, GroupScratch.LEFT),
        builder.at(scratch, GroupScratch.RIGHT), sums, constant(I64, product.depth),
        constant(I64, product.columns // SIDE),
    )  # fmt: skip
    held = I32 if product.whole_numbers else FLOAT
    found = [builder.get(sums, _step(number), vector(held)) for number in range(product.columns // 2)]
    if product.saturates:
        found = [builder.elementwise("llvm.sadd.sat", *pair) for pair in zip(given, found, strict=True)]
    for target, value in zip(targets, packed_halves(builder, found) if product.result == "f16" else found,
                             strict=True):  # fmt: skip
        e.write(item, value, target)


def _step(number: int) -> int:
    return number * 4 * 32


def _items(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Group) else (operand,)


def _given(e: Emission, item: Instruction, product: GroupProduct, targets: tuple[Operand, ...]) -> list[Any]:
    """What the product is added to: the registers of the result, or zero where the scale of D is."""
    kind = {"f16": I32, "f32": FLOAT, "s32": I32}[product.result]
    scale = item.operands[3]
    if isinstance(scale, Integer):
        if scale.value:
            return [e.read_vector(one, kind) for one in targets]
        return [e.convert(same(e.read_vector(one, I32), 0), kind) for one in targets]
    wanted = e.read(scale, I1)
    found = []
    for one in targets:
        value = e.read_vector(one, I32)
        kept = e.builder.select(
            wanted if is_vector(wanted) else e.builder.broadcast(wanted), value, same(value, 0)
        )
        found.append(e.convert(kept, kind))
    return found


def _beginning(e: Emission, product: GroupProduct, given: list[Any]) -> list[Any]:
    """What the sums begin with: what is given, or 0 where it is added at last as the sum may not wrap."""
    if product.saturates:
        return [same(one, 0) for one in given]
    if product.result != "f16":
        return given
    return [one for register in given for one in elements_of(e.builder, "f16", register)]


def _site(e: Emission, part: int) -> Any:
    access = e.names.accesses[e.names.current][part]
    sites = e.once("sites", lambda: e.context_word(Context.SITES, POINTER))
    return e.builder.at(sites, WORD * Site.WORDS * access.number)


def _read_left(e: Emission, item: Instruction, product: GroupProduct, scratch: Any) -> None:
    """Read the sixteen rows of A that are this warp's."""
    builder = e.builder
    out = builder.at(scratch, GroupScratch.LEFT)
    scale = constant(FLOAT, 0xBF800000 if product.negated else 0x3F800000)
    read = reader_of(product.left, product.turned[0], left=True)
    blocks = constant(I64, _ROW_BLOCKS)
    if not product.left_in_shared:
        rows = builder.at(scratch, GroupScratch.ROWS)
        for number, one in enumerate(_items(item.operands[1])):
            builder.put(e.read_vector(one, I32), rows, _step(number))
        base = builder.ptrtoint(rows, I64)
        e.call(read, VOID, base, constant(I64, _IN_REGISTERS), constant(I64, 0), blocks, out, scale)
        return
    descriptor = _descriptor(e, item.operands[1])
    warp = builder.get(e.state, State.WARP, I64)
    first = builder.mul(builder.and_(warp, constant(I64, _WARPS - 1)), blocks)
    good = _inspected(e, 0, descriptor, product.turned[0], (first, blocks), constant(I1, 1))
    with builder.if_then(good, likely=True):
        base = e.context_word(Context.SHARED)
        e.call(read, VOID, base, descriptor, first, blocks, out, scale)


def _read_right(e: Emission, item: Instruction, product: GroupProduct, scratch: Any) -> None:
    """Read B, which the four warps share; the first of them counts it."""
    builder = e.builder
    descriptor = _descriptor(e, item.operands[2])
    warp = builder.get(e.state, State.WARP, I64)
    counted = builder.icmp_unsigned("==", builder.and_(warp, constant(I64, _WARPS - 1)), constant(I64, 0))
    first, blocks = constant(I64, 0), constant(I64, product.columns // SIDE)
    part = int(product.left_in_shared)
    good = _inspected(e, part, descriptor, product.turned[1], (first, blocks), counted)
    with builder.if_then(good, likely=True):
        read = reader_of(product.right, product.turned[1], left=False)
        out = builder.at(scratch, GroupScratch.RIGHT)
        base = e.context_word(Context.SHARED)
        e.call(read, VOID, base, descriptor, first, blocks, out, constant(FLOAT, 0x3F800000))


def _descriptor(e: Emission, operand: Operand) -> Any:
    """The descriptor of a matrix, which is the same for all lanes of a warp."""
    value = e.read(operand, I64)
    return e.builder.lane(value, e.reach(e.mask)[0]) if is_vector(value) else value


def _inspected(
    e: Emission, part: int, descriptor: Any, turned: bool, rows: tuple[Any, Any], counted: Any
) -> Any:
    return e.call(
        "inspect_group_operand", I1, e.context, _site(e, part), descriptor, constant(I1, int(turned)), *rows,
        counted,
    )  # fmt: skip
