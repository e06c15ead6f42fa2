"""Routines that copy boxes of tensors between global and shared memory; PTX ISA, "cp.async.bulk.tensor".

A box lies in shared memory row by row, the fastest axis first; what it has outside of the tensor is filled. A
box that is loaded is noted and counted when its copy begins, and copied once somebody asks for the end of its
barrier's phase. A box that is stored is copied at once. `cp.async.bulk` copies a box of one row of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import (
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
from advisor.evidence.simulated.simt.vector.layout import WORD, Box, Context, Defect, Site
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.tensor.tensor_maps import (
    ELEMENT_SIZES,
    ELEMENT_TF32,
    MAP_BYTES,
    MOST_AXES,
    TensorMap,
)

_ADDRESSES = vector(I64)
_PIECE = 16
_PIECES = (1, 2, 4, 8, 16)
# Of a box that is noted: whether it lies well, or only its place in shared memory does; 0 for neither.
_GOOD, _BAD_SOURCE = 1, 2
_REQUEST = LANES * _PIECE
_WAVEFRONT = 128
# What stands for no number, by the element's number: two f16, two bf16, a f32 twice, a f64.
_NANS = {6: 0x7FFF7FFF7FFF7FFF, 10: 0x7FFF7FFF7FFF7FFF, 9: 0x7FFFFFFFFFFFFFFF}
_NAN_32 = 0x7FFFFFFF7FFFFFFF


@dataclass(frozen=True)
class _Axis:
    extent: Any
    box: Any
    begin: Any
    stride: Any


class _Rows:
    """The rows of the box of an entry: `pieces` of 16 bytes each, of elements of `size` bytes."""

    def __init__(self, r: Routine, entry: Any) -> None:
        self.r, self.entry = r, entry
        self.element = self._byte(TensorMap.ELEMENT)
        self.size = self._by_element(dict(enumerate(ELEMENT_SIZES)), 1)
        rank = self._byte(TensorMap.RANK)
        self.axes = [self._axis(number, rank) for number in range(MOST_AXES)]
        self.address = r.get(entry, TensorMap.ADDRESS, I64)
        swizzle = self._byte(TensorMap.SWIZZLE)
        self.changed = r.sub(r.shl(r.number(1), r.and_(swizzle, r.number(3))), r.number(1))
        first = self.axes[0]
        self.row_bytes = r.mul(first.box, self.size)
        self.rows = r.number(1)
        for axis in self.axes[1:]:
            self.rows = r.mul(self.rows, axis.box)
        zero = r.number(0)
        self.low = self._limited(r.sub(zero, first.begin))
        self.high = r.elementwise("llvm.smax", self.low, self._limited(r.sub(first.extent, first.begin)))

    def _byte(self, field: TensorMap) -> Any:
        return self.r.zext(self.r.get(self.entry, field, I8), I64)

    def _by_element(self, values: dict[int, int], otherwise: int) -> Any:
        r, found = self.r, self.r.number(otherwise)
        for number, value in values.items():
            found = r.select(r.icmp_unsigned("==", self.element, r.number(number)), r.number(value), found)
        return found

    def _axis(self, number: int, rank: Any) -> _Axis:
        """An axis; those that the tensor does not have are one element long."""
        r = self.r
        there = r.icmp_unsigned(">=", rank, r.number(number))
        extent = r.zext(r.get(self.entry, TensorMap.EXTENTS + 4 * number, I32), I64)
        box = r.zext(r.get(self.entry, TensorMap.BOX + 4 * number, I32), I64)
        begin = r.sext(r.get(self.entry, Box.BEGIN + 4 * number, I32), I64)
        step = TensorMap.STRIDES + WORD * (number - 1)
        stride = r.get(self.entry, step, I64) if number else r.number(0)
        one, zero = r.number(1), r.number(0)
        return _Axis(
            r.select(there, extent, one), r.select(there, r.elementwise("llvm.umax", box, one), one),
            r.select(there, begin, zero), r.select(there, stride, zero),
        )  # fmt: skip

    def _limited(self, elements: Any) -> Any:
        """A number of elements within a row, in bytes."""
        r = self.r
        most = r.elementwise("llvm.smin", elements, self.axes[0].box)
        return r.mul(r.elementwise("llvm.smax", most, r.number(0)), self.size)

    @property
    def bytes(self) -> Any:
        """The bytes of the box in shared memory."""
        return self.r.mul(self.rows, self.row_bytes)

    def step(self) -> Any:
        """The largest piece, up to 16 bytes, in which rows may be read: where they begin and end."""
        r = self.r
        parts = r.or_(r.or_(self.low, self.high), r.mul(self.axes[0].begin, self.size))
        parts = r.or_(r.or_(parts, self.address), r.number(_PIECE))
        for axis in self.axes[1:]:
            parts = r.or_(parts, axis.stride)
        return r.and_(parts, r.sub(r.number(0), parts))

    @contextmanager
    def each(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """A loop over rows: where the first element would be, the row's offset in the box, and the first byte
        in the tensor and the one behind the last.
        """
        r = self.r
        with r.loop(self.rows) as number:
            rest, inside, address = number, r.number(1, I1), self.address
            for axis in self.axes[1:]:
                place = r.add(axis.begin, r.urem(rest, axis.box))
                rest = r.udiv(rest, axis.box)
                inside = r.and_(inside, r.icmp_unsigned("<", place, axis.extent))
                address = r.add(address, r.mul(place, axis.stride))
            begin = r.add(address, r.mul(self.axes[0].begin, self.size))
            nothing = r.number(0)
            low, high = (r.select(inside, one, nothing) for one in (self.low, self.high))
            yield begin, r.mul(number, self.row_bytes), low, high

    def swizzled(self, offset: Any) -> Any:
        """Where in shared memory the bytes at an offset lie."""
        r = self.r
        line = r.and_(r.lshr(offset, r.number(7)), self.changed)
        return r.xor(offset, r.shl(line, r.number(4)))

    def fill(self) -> Any:
        """Eight bytes of what stands for elements outside of the tensor."""
        r = self.r
        missing = self._by_element(_NANS, _NAN_32)
        numbers = r.icmp_unsigned("==", self._byte(TensorMap.FILL), r.number(0))
        return r.select(numbers, r.number(0), missing)


def move(r: Routine, source: Any, target: Any, size: int) -> None:
    """Copy so many bytes, a power of two or a multiple of eight."""
    kind = ir.IntType(8 * size) if size <= 8 else vector(I64, size // 8)
    r.store(r.load(source, typ=kind, align=1), target, align=1)


@routine("load_box", VOID, POINTER, POINTER, POINTER, POINTER, POINTER, I64, I64, I64)
def _load(r: Routine) -> None:
    """Note a box that shall be copied into shared memory, and count what it reads and writes."""
    context, source, target, map_, begin, place, barrier, alignment = r.arguments
    entry = _new_entry(r, context)
    _enter(r, entry, map_, begin, place)
    rows = _Rows(r, entry)
    fits = _fits(r, context, target, place, rows.bytes, alignment)
    good = r.variable(r.zext(fits, I64))
    with r.if_then(fits, likely=True):
        batch = _Batch(r, context, source, rows.step())
        with batch.each_piece(rows) as (address, _):
            batch.add(address, r.number(0))
        batch.flush()
        r.store(r.select(batch.good(), r.number(_GOOD), r.number(_BAD_SOURCE)), good)
        _count(r, source, batch.bytes())
        _count(r, target, rows.bytes)
        _count_wavefronts(r, target, rows.bytes)
    r.put(barrier, entry, Box.BARRIER)
    r.put(r.value(good), entry, Box.GOOD)
    r.ret_void()


def _new_entry(r: Routine, context: Any) -> Any:
    """The place of a new entry; without room the oldest box is copied first: a copy may end at any time."""
    table = r.context_word(context, Context.BOXES, POINTER)
    full = r.icmp_unsigned(">=", r.context_word(context, Context.BOX_COUNT), r.number(Box.CAPACITY))
    with r.if_then(full, likely=False):
        r.call(r.module.globals["copy_boxes"], [context, r.get(table, Box.BARRIER, I64)])
    count = r.context_word(context, Context.BOX_COUNT)
    r.bump(context, WORD * Context.BOX_COUNT, r.number(1))
    return r.gep(table, [r.mul(count, r.number(Box.BYTES))], source_etype=I8)


def _enter(r: Routine, entry: Any, map_: Any, begin: Any, place: Any) -> None:
    move(r, map_, entry, MAP_BYTES)
    for number in range(MOST_AXES):
        r.put(r.get(begin, 4 * number, I32), entry, Box.BEGIN + 4 * number)
    r.put(place, entry, Box.PLACE)


def _fits(r: Routine, context: Any, site: Any, place: Any, size: Any, alignment: Any) -> Any:
    """Whether a box lies well in shared memory; notes where it does not."""
    low, high = r.site_word(site, Site.LOW), r.site_word(site, Site.HIGH)
    room = r.and_(r.icmp_unsigned(">=", place, low), r.icmp_unsigned("<=", r.add(place, size), high))
    offset = r.sub(place, r.context_word(context, Context.SHARED))
    aligned = r.icmp_unsigned("==", r.and_(offset, r.sub(alignment, r.number(1))), r.number(0))
    for fine, kind in ((room, Defect.OUT_OF_BOUNDS), (r.or_(aligned, r.not_(room)), Defect.MISALIGNED)):
        with r.if_then(r.not_(fine), likely=False):
            r.call(r.module.globals["note_defect"], [context, r.number(kind), site, r.number(0, I32), place])
    return r.and_(room, aligned)


def _count(r: Routine, site: Any, size: Any) -> None:
    """Count bytes as requests of 32 lanes of 16 bytes each."""
    for word, unit in ((Site.REQUESTS, _REQUEST), (Site.LANES, _PIECE)):
        r.count(site, word, r.udiv(r.add(size, r.number(unit - 1)), r.number(unit)))


def _count_wavefronts(r: Routine, site: Any, size: Any) -> None:
    passes = r.udiv(r.add(size, r.number(_WAVEFRONT - 1)), r.number(_WAVEFRONT))
    for word in (Site.WAVEFRONTS, Site.IDEAL_WAVEFRONTS):
        r.count(site, word, passes)
    r.count(site, Site.SLOW_REQUESTS, r.udiv(r.add(size, r.number(_REQUEST - 1)), r.number(_REQUEST)))


class _Batch:
    """Pieces of rows that are inspected together, 32 at a time, as an access by 32 lanes would be."""

    def __init__(self, r: Routine, context: Any, site: Any, step: Any, stores_from: Any = None) -> None:
        self.r, self.context, self.site, self.step, self.stores_from = r, context, site, step, stores_from
        self.places = [r.spilled(splat(I64, 0)) for _ in range(2)]
        self.count = r.variable(r.number(0))
        self.total = r.variable(r.number(0))
        self.fine = r.variable(r.number(1, I1))

    @contextmanager
    def each_piece(self, rows: _Rows) -> Iterator[tuple[Any, Any]]:
        """A loop over the pieces that lie in the tensor: the address and the offset in shared memory."""
        r = self.r
        with rows.each() as (begin, offset, low, high):
            pieces = r.udiv(r.sub(high, low), self.step)
            with r.loop(pieces) as number:
                inside = r.add(low, r.mul(number, self.step))
                yield r.add(begin, inside), r.add(offset, inside)

    def add(self, address: Any, shared: Any) -> None:
        """Add a piece."""
        r = self.r
        count = r.value(self.count)
        for place, value in zip(self.places, (address, shared), strict=True):
            r.store(value, r.element(place, I64, count))
        r.store(r.add(count, r.number(1)), self.count)
        with r.if_then(r.icmp_unsigned("==", count, r.number(LANES - 1)), likely=False):
            self.flush()

    def flush(self) -> None:
        """Inspect the pieces that are there, and store them where they are stored."""
        r = self.r
        count = r.value(self.count)
        given = [self.context, self.site, *self.places, count, self.step]
        if self.stores_from is None:
            good = r.call(r.module.globals["inspect_pieces"], given)
        else:
            good = r.call(r.module.globals["store_pieces"], [*given, self.stores_from])
        r.store(r.and_(r.value(self.fine, I1), good), self.fine)
        r.store(r.add(r.value(self.total), r.mul(count, self.step)), self.total)
        r.store(r.number(0), self.count)

    def good(self) -> Any:
        """Whether all pieces lay well."""
        return self.r.value(self.fine, I1)

    def bytes(self) -> Any:
        """The bytes of all pieces."""
        return self.r.value(self.total)


def _lanes(r: Routine, count: Any) -> Any:
    """The bits of so many lanes."""
    return r.trunc(r.sub(r.shl(r.number(1), count), r.number(1)), I32)


@routine("inspect_pieces", I1, POINTER, POINTER, POINTER, POINTER, I64, I64)
def _inspect_pieces(r: Routine) -> None:
    """Emit whether an access of so many lanes of a size is good, counted and followed as one."""
    context, site, place, _, count, step = r.arguments
    r.ret(r.icmp_unsigned("==", _inspected(r, context, site, place, count, step), _lanes(r, count)))


def _inspected(r: Routine, context: Any, site: Any, place: Any, count: Any, step: Any) -> Any:
    good = r.variable(r.number(0, I32))
    mask = _lanes(r, count)
    addresses = r.load(place, typ=_ADDRESSES, align=64)
    some = r.icmp_unsigned("!=", count, r.number(0))
    for size in _PIECES:
        with r.if_then(r.and_(some, r.icmp_unsigned("==", step, r.number(size)))):
            found = r.call(r.module.globals[f"inspect_global_{size}"], [context, site, addresses, mask])
            r.store(found, good)
    return r.value(good, I32)


@routine("store_pieces", I1, POINTER, POINTER, POINTER, POINTER, I64, I64, POINTER)
def _store_pieces(r: Routine) -> None:
    """Store the pieces of lanes whose places are good, and look at what others read and wrote there."""
    context, site, place, shared_place, count, step, shared_site = r.arguments
    mask = _lanes(r, count)
    shadow = r.context_word(context, Context.SHADOW)
    with r.if_then(r.icmp_unsigned("!=", shadow, r.number(0)), likely=False):
        r.call(r.module.globals["follow_shared"], [context, shared_site, shared_place, mask, step])
    good = _inspected(r, context, site, place, count, step)
    for size in _PIECES:
        with r.if_then(r.icmp_unsigned("==", step, r.number(size))), r.each_lane(good) as lane:
            into, from_ = (
                r.inttoptr(r.load(r.element(one, I64, lane), typ=I64), POINTER)
                for one in (place, shared_place)
            )
            move(r, from_, into, size)
    unsettled = r.context_word(context, Context.ELEMENTS_UNSETTLED)
    with r.if_then(r.icmp_unsigned("!=", unsettled, r.number(0)), likely=False):
        addresses = r.load(place, typ=_ADDRESSES, align=64)
        r.call(r.module.globals["settle_elements"], [context, site, addresses, step])
    r.ret(r.icmp_unsigned("==", good, mask))


@routine("store_box", VOID, POINTER, POINTER, POINTER, POINTER, POINTER, I64, I64)
def _store(r: Routine) -> None:
    """Copy a box from shared memory, as far as it lies in the tensor."""
    context, source, target, map_, begin, place, alignment = r.arguments
    with r.goto_entry_block():
        entry = r.alloca(vector(I64, Box.BYTES // WORD))
    _enter(r, entry, map_, begin, place)
    rows = _Rows(r, entry)
    with r.if_then(_fits(r, context, source, place, rows.bytes, alignment), likely=True):
        batch = _Batch(r, context, target, rows.step(), source)
        shared = r.context_word(context, Context.SHARED)
        own = r.sub(place, shared)
        with batch.each_piece(rows) as (address, offset):
            batch.add(address, r.add(shared, rows.swizzled(r.add(own, offset))))
        batch.flush()
        _count(r, target, batch.bytes())
        _count(r, source, batch.bytes())
        _count_wavefronts(r, source, batch.bytes())
    r.ret_void()


@routine("copy_boxes", VOID, POINTER, I64)
def _copy_boxes(r: Routine) -> None:
    """Copy the boxes of a barrier, the first first, and take their bytes from what its phase waits for."""
    context, barrier = r.arguments
    table = r.context_word(context, Context.BOXES, POINTER)
    kept = r.variable(r.number(0))
    with r.loop(r.context_word(context, Context.BOX_COUNT)) as number:
        entry = r.gep(table, [r.mul(number, r.number(Box.BYTES))], source_etype=I8)
        mine = r.icmp_unsigned("==", r.get(entry, Box.BARRIER, I64), barrier)
        with r.if_else(mine) as (then, otherwise):
            with then:
                r.call(r.module.globals["copy_box"], [context, entry])
            with otherwise:
                room = r.gep(table, [r.mul(r.value(kept), r.number(Box.BYTES))], source_etype=I8)
                moved = r.icmp_unsigned("!=", r.value(kept), number)
                with r.if_then(moved):
                    move(r, entry, room, Box.BYTES)
                r.store(r.add(r.value(kept), r.number(1)), kept)
    r.put(r.value(kept), context, WORD * Context.BOX_COUNT)
    r.ret_void()


@routine("copy_box", VOID, POINTER, POINTER)
def _copy_box(r: Routine) -> None:
    """Copy a box into shared memory; of one that lies badly only its bytes count."""
    context, entry = r.arguments
    rows = _Rows(r, entry)
    good, place = r.get(entry, Box.GOOD, I64), r.get(entry, Box.PLACE, I64)
    with r.if_then(r.icmp_unsigned("==", good, r.number(_GOOD)), likely=True):
        _copy_rows(r, context, rows, place)
    followed = r.icmp_unsigned("!=", r.context_word(context, Context.SHADOW), r.number(0))
    with r.if_then(r.and_(followed, r.icmp_unsigned("!=", good, r.number(0))), likely=False):
        r.call(r.module.globals["mark_copied"], [context, place, rows.bytes])
    barrier = r.inttoptr(r.get(entry, Box.BARRIER, I64), POINTER)
    taken = r.sub(r.number(0), rows.bytes)
    zero = r.number(0)
    r.call(r.module.globals["change_barrier"], [context, barrier, zero, taken, zero])
    r.ret_void()


def _copy_rows(r: Routine, context: Any, rows: _Rows, place: Any) -> None:
    shared = r.context_word(context, Context.SHARED)
    own = r.sub(place, shared)
    fill = r.spilled(r.broadcast(rows.fill(), 2))
    is_tf32 = r.number(0, I1)
    for number in ELEMENT_TF32:
        is_tf32 = r.or_(is_tf32, r.icmp_unsigned("==", rows.element, r.number(number)))
    pieces = r.udiv(rows.row_bytes, r.number(_PIECE))
    with rows.each() as (begin, offset, low, high), r.loop(pieces) as number:
        first = r.mul(number, r.number(_PIECE))
        into = r.inttoptr(r.add(shared, rows.swizzled(r.add(own, r.add(offset, first)))), POINTER)
        from_ = r.inttoptr(r.add(begin, first), POINTER)
        whole = r.and_(
            r.icmp_signed(">=", first, low), r.icmp_signed("<=", r.add(first, r.number(_PIECE)), high)
        )
        with r.if_else(whole, likely=True) as (then, otherwise):
            with then:
                move(r, from_, into, _PIECE)
            with otherwise:
                move(r, fill, into, _PIECE)
                begin_ = r.elementwise("llvm.smax", r.sub(low, first), r.number(0))
                last = r.elementwise("llvm.smin", r.sub(high, first), r.number(_PIECE))
                with r.loop(last, begin_) as byte:
                    one, other = (r.gep(place_, [byte], source_etype=I8) for place_ in (from_, into))
                    r.store(r.load(one, typ=I8), other)
        with r.if_then(is_tf32, likely=False):
            _round(r, into)


def _round(r: Routine, place: Any) -> None:
    """Round four f32 to tf32, halves away from zero."""
    four = vector(I32, 4)
    bits = r.load(place, typ=four, align=1)
    more = r.add(bits, splat(I32, 0x1000, 4))
    r.store(r.and_(more, splat(I32, 0xFFFFE000, 4)), place, align=1)
