"""Routines of copies in bulk as instructions ask for them: a box or some bytes for each lane that runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import I1, I8, I32, I64, LANES, POINTER, VOID, vector
from advisor.evidence.simulated.simt.vector.layout import WORD, Context, Defect, Extent
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.memory import good_lanes
from advisor.evidence.simulated.simt.vector.tensor.barrier_phases import BARRIER_BYTES
from advisor.evidence.simulated.simt.vector.tensor.boxes import move
from advisor.evidence.simulated.simt.vector.tensor.tensor_maps import MAP_BYTES, MOST_AXES, TensorMap

_ADDRESSES = vector(I64)
# Where boxes of tensors and where bytes begin in shared memory.
_BOX_ALIGNMENT, _ALIGNMENT = 128, 16


@routine("is_map", I1, POINTER, I64)
def _is_map(r: Routine) -> None:
    """Emit whether a tensor map may lie at an address: among the parameters or in a buffer."""
    context, address = r.arguments
    result = r.variable(r.number(0, I1))
    end = r.add(address, r.number(MAP_BYTES))

    def within(low: Any, high: Any) -> Any:
        fits = r.and_(r.icmp_unsigned(">=", address, low), r.icmp_unsigned("<=", end, high))
        return r.and_(fits, r.icmp_unsigned("<", address, end))

    parameters = r.context_word(context, Context.PARAMETERS)
    r.store(within(parameters, r.add(parameters, r.context_word(context, Context.PARAMETER_BYTES))), result)
    table = r.context_word(context, Context.EXTENTS, POINTER)
    with r.loop(r.context_word(context, Context.EXTENT_COUNT)) as number:
        entry = r.gep(table, [r.mul(number, r.number(Extent.WORDS))], source_etype=I64)
        low, high = (r.get(entry, WORD * word, I64) for word in (Extent.LOW, Extent.HIGH))
        r.store(r.or_(r.value(result, I1), within(low, high)), result)
    r.ret(r.value(result, I1))


@routine("copy_map", VOID, POINTER, POINTER, POINTER, _ADDRESSES, _ADDRESSES, I32)
def _copy_map(r: Routine) -> None:
    """Copy a tensor map by the first lane of a mask, where both places are good."""
    context, target, source, targets, sources, mask = r.arguments
    some = r.icmp_unsigned("!=", mask, r.number(0, I32))
    with r.if_then(some):
        lane = r.first_lane(mask)
        bit = r.shl(r.number(1, I32), lane)
        into = r.call(r.module.globals["inspect_global_32"], [context, target, targets, bit])
        from_ = r.call(r.module.globals["inspect_shared_32"], [context, source, sources, bit])
        with r.if_then(r.icmp_unsigned("!=", r.and_(into, from_), r.number(0, I32)), likely=True):
            places = [r.inttoptr(r.lane(one, lane), POINTER) for one in (targets, sources)]
            move(r, places[1], places[0], MAP_BYTES)
    r.ret_void()


@routine(
    "load_boxes", VOID, POINTER, POINTER, POINTER, POINTER, I32, _ADDRESSES, POINTER, _ADDRESSES, _ADDRESSES,
    vector(I32), I64,
)  # fmt: skip
def _load_boxes(r: Routine) -> None:
    """Load a box of a tensor of so many axes for each lane, or of none so many bytes."""
    context, source, target, awaited, mask, maps, begins, places, barriers, sizes, axes = r.arguments
    good = good_lanes(r, context, awaited, barriers, mask, BARRIER_BYTES)
    into, ends = r.spilled(places), r.spilled(barriers)
    with _each_box(r, context, source, good, (maps, begins, sizes, axes)) as (lane, map_, begin, alignment):
        place, barrier = (r.load(r.element(one, I64, lane), typ=I64) for one in (into, ends))
        given = [context, source, target, map_, begin, place, barrier, alignment]
        r.call(r.module.globals["load_box"], given)
    r.ret_void()


@routine(
    "store_boxes", VOID, POINTER, POINTER, POINTER, I32, _ADDRESSES, POINTER, _ADDRESSES, vector(I32), I64
)
def _store_boxes(r: Routine) -> None:
    """Store a box of a tensor of so many axes for each lane, or of none so many bytes."""
    context, source, target, mask, maps, begins, places, sizes, axes = r.arguments
    from_ = r.spilled(places)
    with _each_box(r, context, target, mask, (maps, begins, sizes, axes)) as (lane, map_, begin, alignment):
        place = r.load(r.element(from_, I64, lane), typ=I64)
        given = [context, source, target, map_, begin, place, alignment]
        r.call(r.module.globals["store_box"], given)
    r.ret_void()


@contextmanager
def _each_box(
    r: Routine, context: Any, site: Any, mask: Any, given: tuple[Any, ...]
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """A loop over lanes: each with its map, where its box begins, and what that is a multiple of."""
    maps, begins, sizes, axes = given
    with r.goto_entry_block():
        begin, own = r.alloca(vector(I32, 8)), r.alloca(vector(I64, MAP_BYTES // WORD))
    held, counts = r.spilled(maps), r.spilled(sizes)
    is_tensor = r.icmp_unsigned("!=", axes, r.number(0))
    alignment = r.select(is_tensor, r.number(_BOX_ALIGNMENT), r.number(_ALIGNMENT))
    with r.each_lane(mask) as lane:
        for number in range(MOST_AXES):
            row = r.at(begins, 4 * LANES * number)
            r.put(r.load(r.element(row, I32, lane), typ=I32), begin, 4 * number)
        address = r.load(r.element(held, I64, lane), typ=I64)
        map_ = r.variable(r.ptrtoint(own, I64))
        fine = r.variable(r.number(1, I1))
        with r.if_else(is_tensor) as (then, otherwise):
            with then:
                r.store(address, map_)
                r.store(_is_good(r, context, address, axes), fine)
            with otherwise:
                _write_bytes(r, own, address, r.load(r.element(counts, I32, lane), typ=I32))
        with r.if_else(r.value(fine, I1), likely=True) as (then, otherwise):
            with then:
                yield lane, r.inttoptr(r.value(map_), POINTER), begin, alignment
            with otherwise:
                kind = r.number(Defect.OUT_OF_BOUNDS)
                r.call(r.module.globals["note_defect"], [context, kind, site, lane, address])


def _is_good(r: Routine, context: Any, address: Any, axes: Any) -> Any:
    """Whether a map of so many axes lies at an address."""
    result = r.variable(r.call(r.module.globals["is_map"], [context, address]))
    with r.if_then(r.value(result, I1), likely=True):
        rank = r.zext(r.get(r.inttoptr(address, POINTER), TensorMap.RANK, I8), I64)
        r.store(r.icmp_unsigned("==", r.add(rank, r.number(1)), axes), result)
    return r.value(result, I1)


def _write_bytes(r: Routine, map_: Any, address: Any, size: Any) -> None:
    """Write the map of a row of bytes."""
    zero = r.number(0, I8)
    no = ir.Constant(I1, False)
    r.intrinsic("llvm.memset", VOID, (map_, zero, r.number(MAP_BYTES), no), (POINTER, I64))
    r.put(address, map_, TensorMap.ADDRESS)
    for place in (TensorMap.EXTENTS, TensorMap.BOX):
        r.put(size, map_, place)
