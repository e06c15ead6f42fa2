"""Routines of the banks that shared memory and the data stage of L1 have.

Shared memory has 32 banks of four bytes (CUDA C++ Programming Guide, "Shared Memory", compute capability 5.x
and higher). Accesses of 8 and 16 bytes are served for those halves and quarters of a warp that have active
lanes. Two halves, or the two quarters of one half, are served at a time where all active lanes n and n xor 1,
or all n and n xor 2, access the same element (NVIDIA's answer in
https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228).

Loads that hit L1 pass the same banks: so do the data-stage wavefronts that were measured for strides and
shapes on A100, A40 and H200 (https://github.com/te42kyfo/gpu-benches, gpu-strides).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.instruction_lines import Written
from advisor.evidence.simulated.simt.vector.lanes import I8, I32, I64, LANES, splat, vector
from advisor.evidence.simulated.simt.vector.routines.builder import Routine


def passes(r: Routine, addresses: Any, mask: Any, size: int) -> tuple[Any, Any]:
    """The passes that the banks need, one for each unit that lies in one of them, and the least possible."""
    unit_bytes = max(4, size)
    shift = unit_bytes.bit_length() - 1
    units = r.trunc(r.lshr(addresses, splat(I64, shift)), vector(I32))
    banks = 128 // unit_bytes
    ways = _by_stride if size <= 4 else _most_in_a_bank
    count, least = r.number(0), r.number(0)
    for group in _served_together(r, units, mask, size):
        some = r.zext(r.icmp_unsigned("!=", group, r.number(0, I32)), I64)
        count = r.add(count, r.mul(some, ways(r, units, group, banks)))
        least = r.add(least, some)
    return count, least


def _served_together(r: Routine, units: Any, mask: Any, size: int) -> list[Any]:
    """The lanes of a mask in groups that the memory serves at a time, some of them empty."""
    if size <= 4:
        return [mask]
    lanes = LANES * 4 // size
    parts = [r.and_(mask, _lanes_from(r, first, lanes)) for first in range(0, LANES, lanes)]
    if size > 16:
        return parts
    groups: list[Any] = []
    for number in range(0, len(parts), 2):
        both = r.or_(parts[number], parts[number + 1])
        merged = r.or_(*(_agree(r, units, mask, both, step) for step in (1, 2)))
        groups.append(r.select(merged, both, parts[number]))
        groups.append(r.select(merged, r.number(0, I32), parts[number + 1]))
    return groups


def _lanes_from(r: Routine, first: int, count: int) -> Any:
    return r.number(((1 << count) - 1) << first, I32)


def _agree(r: Routine, units: Any, mask: Any, group: Any, step: int) -> Any:
    """Whether for each lane of a group the lane n xor step is inactive or accesses the same unit."""
    places = [lane ^ step for lane in range(LANES)]
    partners = r.shuffle_vector(units, units, ir.Constant(vector(I32), places))
    flags = r.lanes_of(mask)
    active = r.bits(r.shuffle_vector(flags, flags, ir.Constant(vector(I32), places)))
    different = r.bits(r.icmp_unsigned("!=", units, partners))
    apart = r.and_(r.and_(group, active), different)
    return r.icmp_unsigned("==", apart, r.number(0, I32))


def _by_stride(r: Routine, units: Any, mask: Any, banks: int) -> Any:
    """With a common step between all lanes the ways are its common divisor with the banks."""
    before = r.shuffle_vector(units, units, ir.Constant(vector(I32), [0, *range(LANES - 1)]))
    steps = r.sub(units, before)
    step = r.lane(steps, r.number(1, I32))
    other = r.icmp_unsigned("!=", steps, r.broadcast(step))
    odd_ones = r.and_(r.bits(other), r.number(0xFFFFFFFE, I32))
    full = r.icmp_signed("==", mask, r.number(-1, I32))
    even = r.and_(full, r.icmp_unsigned("==", odd_ones, r.number(0, I32)))
    result = r.variable(r.number(1))
    with r.if_else(even) as (then, otherwise):
        with then:
            zeros = r.intrinsic("llvm.cttz", I32, (step, ir.Constant(ir.IntType(1), False)), (I32,))
            most = r.elementwise("llvm.umin", zeros, r.number(banks.bit_length() - 1, I32))
            ways = r.shl(r.number(1, I32), most)
            still = r.icmp_unsigned("==", step, r.number(0, I32))
            r.store(r.zext(r.select(still, r.number(1, I32), ways), I64), result)
        with otherwise:
            # Units within one row of banks lie in different ones.
            highest = r.reduce("umax", r.select(r.lanes_of(mask), units, splat(I32, 0)))
            lowest = r.reduce("umin", r.select(r.lanes_of(mask), units, splat(I32, -1)))
            apart = r.icmp_unsigned(">=", r.sub(highest, lowest), r.number(banks, I32))
            with r.if_then(apart):
                r.store(_most_in_a_bank(r, units, mask, banks), result)
    return r.value(result)


def _most_in_a_bank(r: Routine, units: Any, mask: Any, banks: int) -> Any:
    """The largest number of different units in one bank; 1 at once where each lane has a bank of its own."""
    own = r.shl(splat(I32, 1), r.and_(units, splat(I32, banks - 1)))
    used = r.reduce("or", r.select(r.lanes_of(mask), own, splat(I32, 0)))
    apart = r.icmp_unsigned("==", r.population(used), r.population(mask))
    result = r.variable(r.number(1))
    with r.if_then(r.not_(apart)):
        r.store(_count_by_bank(r, units, mask, banks), result)
    return r.value(result)


def _count_by_bank(r: Routine, units: Any, mask: Any, banks: int) -> Any:
    """The largest number of different units in one bank, counted one by one."""
    with r.goto_entry_block():
        counts = r.alloca(vector(I8))
    r.store(Written(vector(I8), "zeroinitializer"), counts, align=32)
    most = r.variable(r.number(0))
    with r.each_group(units, mask) as (unit, _):
        bank = r.and_(unit, r.number(banks - 1, I32))
        place = r.element(counts, I8, bank)
        count = r.add(r.load(place, typ=I8), r.number(1, I8))
        r.store(count, place)
        r.store(r.elementwise("llvm.umax", r.value(most), r.zext(count, I64)), most)
    return r.value(most)
