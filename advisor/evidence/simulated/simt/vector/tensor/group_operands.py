"""Routines that read the operands of a product of a group of warps; PTX ISA, "wgmma", "Matrix descriptor".

A descriptor has in bits 0 to 13 where the matrix begins, from 16 and from 32 on two steps, all in units of
16 bytes, and in bits 62 and 63 how rows are swizzled. Matrices lie as eight rows of 16 bytes, a step apart
that is as wide as the swizzle; such a row is one of the matrix or, where it is turned, a depth of eight rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.arithmetic.eight_bit_floats import widened_from_eight
from advisor.evidence.simulated.simt.vector.lanes import (
    FLOAT,
    HALF,
    I1,
    I8,
    I32,
    I64,
    LANES,
    POINTER,
    VOID,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import Context, Defect, Site
from advisor.evidence.simulated.simt.vector.routines.banks import passes
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.tensor.groups import ELEMENT_BYTES, SIDE

_UNIT = 16
_FIELD = 0x3FFF
_LEADING, _STRIDE, _SWIZZLE = 16, 32, 62
# The bytes of a swizzled row by the swizzle's number, and which bits of the address change.
_ROW_BYTES = (16, 128, 64, 32)
_CHANGED = (0, 7, 3, 1)
_LINE = 127
_TURNED_TYPES = ("f16", "bf16")
_EVEN_FIRST = [0, 2, 4, 6, 1, 3, 5, 7]
_ADDRESSES = vector(I64, SIDE)


class _Matrix:
    """The places of a matrix's pieces of 16 bytes by its descriptor."""

    def __init__(self, r: Routine, descriptor: Any, turned: Any) -> None:
        self.r = r
        self.begin = self._field(descriptor, 0)
        leading, stride = self._field(descriptor, _LEADING), self._field(descriptor, _STRIDE)
        swizzle = r.lshr(descriptor, r.number(_SWIZZLE))
        self.row = self._chosen(swizzle, _ROW_BYTES)
        self.changed = self._chosen(swizzle, _CHANGED)
        plain = r.icmp_unsigned("==", swizzle, r.number(0))
        self.plain = plain
        unit = r.number(_UNIT)
        self.across = r.select(plain, r.number(1), r.udiv(self.row, unit))
        # Steps between blocks of eight rows, between such that share a swizzled row, and along the depth.
        turned_block = r.select(plain, stride, leading)
        self.block = r.select(turned, turned_block, stride)
        self.inside = r.select(turned, unit, r.number(0))
        straight = r.select(plain, leading, unit)
        self.further = r.select(turned, r.select(plain, leading, stride), straight)
        self.across = r.select(turned, self.across, r.number(1))

    def _field(self, descriptor: Any, place: int) -> Any:
        r = self.r
        return r.mul(r.and_(r.lshr(descriptor, r.number(place)), r.number(_FIELD)), r.number(_UNIT))

    def _chosen(self, swizzle: Any, values: Sequence[int]) -> Any:
        r, found = self.r, self.r.number(values[0])
        for number, value in list(enumerate(values))[1:]:
            found = r.select(r.icmp_unsigned("==", swizzle, r.number(number)), r.number(value), found)
        return found

    def first(self, block: Any, part: Any) -> Any:
        """Where the first piece of a block of eight rows is in a part of the depth, before it is swizzled."""
        r = self.r
        inside = r.mul(r.urem(block, self.across), self.inside)
        outside = r.mul(r.udiv(block, self.across), self.block)
        return r.add(r.add(self.begin, r.add(inside, outside)), r.mul(part, self.further))

    def pieces(self, block: Any, part: Any) -> Any:
        """The offsets of the eight pieces of a block in a part of the depth."""
        r = self.r
        numbers = ir.Constant(_ADDRESSES, list(range(SIDE)))
        rows = r.mul(numbers, r.broadcast(self.row, SIDE))
        plain = r.add(r.broadcast(self.first(block, part), SIDE), rows)
        line = r.and_(r.lshr(plain, splat(I64, 7, SIDE)), r.broadcast(self.changed, SIDE))
        return r.xor(plain, r.shl(line, splat(I64, 4, SIDE)))


@routine("inspect_group_operand", I1, POINTER, POINTER, I64, I1, I64, I64, I1)
def _inspect(r: Routine) -> None:
    """Emit whether a matrix lies in shared memory; count its pieces, and follow them where blocks are looked
    at closely. Pieces of all blocks lie to each other as those of the first do.
    """
    context, site, descriptor, turned, first, blocks, counted = r.arguments
    matrix = _Matrix(r, descriptor, turned)
    shared = r.context_word(context, Context.SHARED)
    last = r.sub(r.add(first, blocks), r.number(1))
    rows = r.mul(matrix.row, r.number(SIDE - 1))
    whole = r.select(matrix.plain, r.number(_UNIT - 1), r.number(_LINE))
    highest = r.or_(r.add(matrix.first(last, r.number(1)), rows), whole)
    good = r.icmp_unsigned("<", highest, r.context_word(context, Context.SHARED_SIZE))
    with r.if_then(r.not_(good), likely=False):
        kind = r.number(Defect.OUT_OF_BOUNDS)
        address = r.add(shared, highest)
        r.call(r.module.globals["note_defect"], [context, kind, site, r.number(0, I32), address])
    with r.if_then(r.and_(good, counted)):
        _count(r, site, matrix, first, blocks)
    detailed = r.icmp_unsigned("!=", r.context_word(context, Context.SHADOW), r.number(0))
    with r.if_then(r.and_(good, detailed), likely=False), r.loop(blocks) as block:
        for part in range(2):
            offsets = matrix.pieces(r.add(first, block), r.number(part))
            place = r.spilled(r.add(offsets, r.broadcast(shared, SIDE)))
            lanes = r.number((1 << SIDE) - 1, I32)
            r.call(r.module.globals["follow_shared"], [context, site, place, lanes, r.number(_UNIT)])
    r.ret(good)


def _count(r: Routine, site: Any, matrix: _Matrix, first: Any, blocks: Any) -> None:
    """Count pieces as requests of 32 lanes of 16 bytes each."""
    offsets = matrix.pieces(first, r.number(0))
    wide = [*range(SIDE), *[0] * (LANES - SIDE)]
    addresses = r.shuffle_vector(offsets, offsets, ir.Constant(vector(I32), wide))
    count, least = passes(r, addresses, r.number((1 << SIDE) - 1, I32), _UNIT)
    parts = r.shl(blocks, r.number(1))
    requests = r.lshr(r.add(blocks, r.number(1)), r.number(1))
    for word, amount in (
        (Site.SLOW_REQUESTS, requests),
        (Site.REQUESTS, requests),
        (Site.LANES, r.mul(parts, r.number(SIDE))),
        (Site.WAVEFRONTS, r.mul(parts, count)),
        (Site.IDEAL_WAVEFRONTS, r.mul(parts, least)),
    ):
        r.count(site, word, amount)


def _read(r: Routine, name: str, turned: bool, left: bool) -> None:
    """Write a matrix's elements as what is multiplied: for each block and depth eight rows.

    Those of A are written for each lane: four lanes side by side have one row.
    """
    base, descriptor, first, blocks, out, scale = r.arguments
    matrix = _Matrix(r, descriptor, r.number(int(turned), I1))
    depth = 32 // ELEMENT_BYTES[name]
    size = LANES if left else SIDE
    with r.loop(blocks) as block:
        for eight in range(depth // SIDE):
            rows = _eight(r, name, turned, (matrix, base, r.add(first, block)), eight)
            for number, row in enumerate(rows):
                at = r.add(r.mul(block, r.number(depth)), r.number(eight * SIDE + number))
                place = r.gep(out, [r.mul(at, r.number(4 * size))], source_etype=I8)
                r.store(_for_lanes(r, row, scale) if left else _even_first(r, row), place, align=32)
    r.ret_void()


def _for_lanes(r: Routine, row: Any, scale: Any) -> Any:
    if row.type.element is FLOAT:
        row = r.fmul(row, r.broadcast(scale, SIDE))
    return r.shuffle_vector(row, row, ir.Constant(vector(I32), [lane // 4 for lane in range(LANES)]))


def _even_first(r: Routine, row: Any) -> Any:
    return r.shuffle_vector(row, row, ir.Constant(vector(I32, SIDE), _EVEN_FIRST))


def _eight(r: Routine, name: str, turned: bool, at: tuple[Any, ...], eight: int) -> list[Any]:
    """Eight depths of a block, each with the elements of its eight rows."""
    matrix, base, block = at
    size = ELEMENT_BYTES[name]
    kind = vector(ir.IntType(8 * size), SIDE)
    if turned:
        places = _addresses(r, matrix.pieces(block, r.number(eight)), base)
        return [_numbers(r, name, r.load(one, typ=kind, align=1)) for one in places]
    if size == 4:
        halves = [_addresses(r, matrix.pieces(block, r.number(part)), base) for part in range(2)]
        half = vector(I32, 4)
        joined = ir.Constant(vector(I32, SIDE), list(range(SIDE)))
        rows = [
            r.shuffle_vector(r.load(low, typ=half, align=1), r.load(high, typ=half, align=1), joined)
            for low, high in zip(*halves, strict=True)
        ]
        return _turned(r, [_numbers(r, name, one) for one in rows])
    part, offset = divmod(eight * SIDE * size, _UNIT)
    places = _addresses(r, matrix.pieces(block, r.number(part)), base)
    loaded = [r.load(r.at(one, offset), typ=kind, align=1) for one in places]
    return _turned(r, [_numbers(r, name, one) for one in loaded])


def _addresses(r: Routine, offsets: Any, base: Any) -> list[Any]:
    real = r.add(offsets, r.broadcast(base, SIDE))
    return [r.inttoptr(r.lane(real, r.number(row, I32)), POINTER) for row in range(SIDE)]


def _turned(r: Routine, rows: list[Any]) -> list[Any]:
    """Eight columns of eight rows; each round moves the highest bit of an element's place to the lowest."""
    low = ir.Constant(vector(I32, SIDE), [0, 8, 1, 9, 2, 10, 3, 11])
    high = ir.Constant(vector(I32, SIDE), [4, 12, 5, 13, 6, 14, 7, 15])
    for _ in range(3):
        pairs = zip(rows[:4], rows[4:], strict=True)
        rows = [r.shuffle_vector(one, other, half) for one, other in pairs for half in (low, high)]
    return rows


def _numbers(r: Routine, name: str, bits: Any) -> Any:
    """Eight elements as float32 or, of integers, as 32 bits."""
    wide, floats = vector(I32, SIDE), vector(FLOAT, SIDE)
    if name in ("s8", "u8"):
        return (r.sext if name == "s8" else r.zext)(bits, wide)
    if name == "tf32":
        return r.bitcast(r.and_(bits, splat(I32, 0xFFFFE000, SIDE)), floats)
    if name == "bf16":
        return r.bitcast(r.shl(r.zext(bits, wide), splat(I32, 16, SIDE)), floats)
    if name == "f16":
        return r.fpext(r.bitcast(bits, vector(HALF, SIDE)), floats)
    return widened_from_eight(r, name, bits)


def reader_of(name: str, turned: bool, left: bool) -> str:
    """The name of the routine that reads a matrix of a type."""
    return f"read_group_{'left' if left else 'right'}_{name}{'_turned' if turned else ''}"


def _enter(name: str, turned: bool, left: bool) -> None:
    routine(reader_of(name, turned, left), VOID, I64, I64, I64, I64, POINTER, FLOAT)(
        lambda r: _read(r, name, turned, left)
    )


for _name in ELEMENT_BYTES:
    for _turns in (False, True) if _name in _TURNED_TYPES else (False,):
        for _is_left in (False, True):
            _enter(_name, _turns, _is_left)


def _multiply(r: Routine, kind: Any) -> None:
    """Add to the sums of each eight columns the products of all depths, in their order."""
    left, right, sums, depth, blocks = r.arguments
    lanes, quarter = vector(kind), vector(kind, 4)
    with r.loop(blocks) as block:
        own = r.gep(sums, [r.mul(block, r.number(4 * 4 * LANES))], source_etype=I8)
        places = [r.variable(r.get(own, 4 * LANES * number, lanes, 64)) for number in range(4)]
        columns = r.gep(right, [r.mul(r.mul(block, depth), r.number(4 * SIDE))], source_etype=I8)
        with r.loop(depth) as k:
            row = r.gep(left, [r.mul(k, r.number(4 * LANES))], source_etype=I8)
            half = r.gep(row, [r.mul(depth, r.number(4 * LANES))], source_etype=I8)
            rows = [r.load(one, typ=lanes, align=64) for one in (row, half)]
            column = r.gep(columns, [r.mul(k, r.number(4 * SIDE))], source_etype=I8)
            repeated = ir.Constant(vector(I32), [lane % 4 for lane in range(LANES)])
            pairs = [r.get(column, 16 * parity, quarter, 16) for parity in (0, 1)]
            pairs = [r.shuffle_vector(one, one, repeated) for one in pairs]
            for number, place in enumerate(places):
                one, other, old = rows[number // 2], pairs[number % 2], r.load(place, typ=lanes)
                r.store(_added(r, kind, one, other, old), place)
        for number, place in enumerate(places):
            r.put(r.load(place, typ=lanes), own, 4 * LANES * number, 64)
    r.ret_void()


def _added(r: Routine, kind: Any, one: Any, other: Any, old: Any) -> Any:
    if kind is FLOAT:
        return r.elementwise("llvm.fma", one, other, old)
    return r.add(old, r.mul(one, other))


for _kind, _word in ((FLOAT, "float"), (I32, "integer")):
    routine(f"multiply_group_{_word}", VOID, POINTER, POINTER, POINTER, I64, I64)(
        (lambda kind: lambda r: _multiply(r, kind))(_kind)
    )
