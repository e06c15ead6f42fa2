"""Products of small matrices by a warp; PTX ISA, "mma".

Products of f16, bf16 and tf32 are exact in f32, where they are added in the order of k, each sum rounded once
(the ISA leaves order and rounding open); a result of f16 is rounded at the end. Each kind of product is a
function of the kernel's own module, written where it is first met.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Group, Instruction, Operand
from advisor.evidence.simulated.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    HALF,
    I8,
    I16,
    I32,
    Builder,
    like,
    same,
    vector,
)
from advisor.evidence.simulated.simt.vector.tensor.fragments import (
    Product,
    lanes_of_columns,
    lanes_of_rows,
    product_of,
)
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

# The bits of a tf32 that count.
_TF32 = 0xFFFFE000
_BYTE = 8


@handles("mma")
def _multiply_matrices(e: Emission, item: Instruction) -> None:
    product = product_of(item)
    if product is None:
        raise e.unsupported(item, "a matrix product of this shape, layout or type")
    targets, *sources = (_registers(operand) for operand in item.operands)
    counts = (*product.registers, product.registers[2])
    if tuple(map(len, (*sources, targets))) != counts:
        raise e.unsupported(item, "another number of registers")
    kinds = (_held_as(product.left), _held_as(product.right), _held_as(product.result))
    values = [e.read_vector(one, kind) for group, kind in zip(sources, kinds, strict=True) for one in group]
    results = ir.LiteralStructType([vector(kinds[2])] * len(targets))
    if product.name not in e.builder.module.globals:
        _write(e.builder.module, product, [value.type for value in values], results)
    found = e.call(product.name, results, *values)
    for number, target in enumerate(targets):
        e.write(item, e.builder.extract_value(found, number), target)


def _registers(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Group) else (operand,)


def _held_as(name: str) -> Any:
    """The type of a register that holds elements of a type."""
    return {"f32": FLOAT, "f64": DOUBLE}.get(name, I32)


def _write(module: Any, product: Product, kinds: list[Any], results: Any) -> None:
    """Write the function of a kind of product: registers of A, B and C to those of the result."""
    function = ir.Function(module, ir.FunctionType(results, kinds), product.name)
    function.linkage = "internal"
    builder = Builder(function.append_basic_block("entry"))
    of_left, of_right, _ = product.registers
    left = function.args[:of_left]
    right = function.args[of_left : of_left + of_right]
    sums = _added(builder, product, list(function.args[of_left + of_right :]))
    for number in range(product.depth_halves):
        rows = left[number * product.row_halves : (number + 1) * product.row_halves]
        sums = _depth_added(builder, product, number, (rows, right[number]), sums)
    if product.saturates:
        added = function.args[of_left + of_right :]
        sums = [builder.elementwise("llvm.sadd.sat", *pair) for pair in zip(added, sums, strict=True)]
    given = packed_halves(builder, sums) if product.result == "f16" else sums
    whole = ir.Constant(results, ir.Undefined)
    for number, value in enumerate(given):
        whole = builder.insert_value(whole, value, number)
    builder.ret(whole)


def _added(builder: Builder, product: Product, registers: list[Any]) -> list[Any]:
    """What the sums begin with: C, or 0 where it is added at last because the sum may not wrap."""
    if product.saturates:
        return [same(one, 0) for one in registers]
    if product.result != "f16":
        return registers
    return [one for register in registers for one in elements_of(builder, "f16", register)]


def _depth_added(
    builder: Builder, product: Product, half: int, registers: tuple[Any, Any], sums: list[Any]
) -> list[Any]:
    """The sums with the products of one register of each row of A and of each column of B."""
    rows = [elements_of(builder, product.left, one) for one in registers[0]]
    columns = elements_of(builder, product.right, registers[1])
    sums = list(sums)
    for step in product.steps():
        if step.half != half:
            continue
        left = [_taken(builder, row[step.element], lanes_of_rows(step)) for row in rows]
        column = columns[step.element]
        right = [_taken(builder, column, lanes_of_columns(step, parity)) for parity in (0, 1)]
        for number, value in enumerate(sums):
            sums[number] = _product_added(builder, left[number // 2], right[number % 2], value)
    return sums


def _product_added(builder: Builder, one: Any, other: Any, added: Any) -> Any:
    if isinstance(added.type.element, ir.IntType):
        return builder.add(added, builder.mul(one, other))
    return builder.elementwise("llvm.fma", one, other, added)


def _taken(builder: Builder, value: Any, lanes: list[int]) -> Any:
    """The elements of these lanes."""
    return builder.shuffle_vector(value, value, ir.Constant(vector(I32), lanes))


def elements_of(builder: Builder, name: str, register: Any) -> list[Any]:
    """The elements in a register of a type, as what they are multiplied in."""
    if name == "f64":
        return [register]
    if name == "tf32":
        return [builder.bitcast(builder.and_(register, same(register, _TF32)), vector(FLOAT))]
    if name == "bf16":
        low = builder.shl(register, same(register, 16))
        high = builder.and_(register, same(register, 0xFFFF0000))
        return [builder.bitcast(one, vector(FLOAT)) for one in (low, high)]
    if name == "f16":
        parts = _halves(builder, register)
        return [builder.fpext(builder.bitcast(one, vector(HALF)), vector(FLOAT)) for one in parts]
    extend = builder.sext if name == "s8" else builder.zext
    places = [builder.lshr(register, same(register, _BYTE * place)) for place in range(4)]
    return [extend(builder.trunc(one, vector(I8)), vector(I32)) for one in places]


def _halves(builder: Builder, register: Any) -> list[Any]:
    """The low and the high 16 bits of each lane."""
    high = builder.lshr(register, same(register, 16))
    return [builder.trunc(one, like(one, I16)) for one in (register, high)]


def packed_halves(builder: Builder, sums: list[Any]) -> list[Any]:
    """Registers of two f16 each."""
    bits = [builder.bitcast(builder.fptrunc(one, vector(HALF)), vector(I16)) for one in sums]
    wide = [builder.zext(one, vector(I32)) for one in bits]
    return [
        builder.or_(low, builder.shl(high, same(high, 16)))
        for low, high in zip(wide[::2], wide[1::2], strict=True)
    ]
