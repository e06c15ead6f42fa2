"""Routines that move rows of 16 bytes, one for each lane, between memory and a scratch in their order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import I1, I8, I32, I64, LANES, POINTER, VOID, vector
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.sites import ROW_BYTES

_ROW = vector(I64, 2)


@contextmanager
def _each_row(r: Routine, addresses: Any, mask: Any, scratch: Any) -> Iterator[tuple[Any, Any]]:
    """A loop over the lanes of a mask: the lane's address and its row in the scratch."""
    place = r.spilled(addresses)
    with r.each_lane(mask) as lane:
        address = r.inttoptr(r.load(r.element(place, I64, lane), typ=I64), POINTER)
        yield address, r.gep(scratch, [r.mul(r.zext(lane, I64), r.number(ROW_BYTES))], source_etype=I8)


@routine("load_rows", VOID, vector(I64), I32, POINTER)
def _load_rows(r: Routine) -> None:
    """Copy the rows of the lanes of a mask into the scratch; those of others are zero."""
    addresses, mask, scratch = r.arguments
    size = r.number(LANES * ROW_BYTES)
    r.intrinsic("llvm.memset", VOID, (scratch, r.number(0, I8), size, ir.Constant(I1, False)), (POINTER, I64))
    with _each_row(r, addresses, mask, scratch) as (address, row):
        r.store(r.load(address, typ=_ROW, align=1), row, align=ROW_BYTES)
    r.ret_void()


@routine("store_rows", VOID, vector(I64), I32, POINTER)
def _store_rows(r: Routine) -> None:
    """Copy the rows of the lanes of a mask from the scratch."""
    addresses, mask, scratch = r.arguments
    with _each_row(r, addresses, mask, scratch) as (address, row):
        r.store(r.load(row, typ=_ROW, align=ROW_BYTES), address, align=1)
    r.ret_void()
