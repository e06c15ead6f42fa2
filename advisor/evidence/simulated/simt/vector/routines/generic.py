"""Routines of generic addresses: of the lanes of one access some may lie in each of the three memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I32, I64, POINTER, lane_numbers, splat, vector
from advisor.evidence.simulated.simt.vector.layout import (
    LOCAL_WINDOW,
    SHARED_WINDOW,
    WINDOW_BITS,
    Context,
    Site,
)
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.memory import (
    SIZES,
    count_global,
    count_local,
    good_lanes,
)
from advisor.evidence.simulated.simt.vector.routines.shared import count_shared

_ADDRESSES = vector(I64)
# The bits above tell the windows of the generic address space apart.
_TOP_SHIFT = 56


@routine("generic_addresses", _ADDRESSES, POINTER, _ADDRESSES)
def _generic(r: Routine) -> None:
    """Emit addresses with those in the windows of shared and local memory made real."""
    context, addresses = r.arguments
    top = r.lshr(addresses, splat(I64, _TOP_SHIFT))
    offset = lane_offsets(r, addresses)
    shared = r.add(offset, r.broadcast(r.context_word(context, Context.SHARED)))
    granule = r.shl(r.lshr(offset, splat(I64, 3)), splat(I64, 8))
    within = r.add(r.and_(offset, splat(I64, 7)), lane_numbers(I64, 8))
    local = r.add(r.add(granule, within), r.broadcast(r.context_word(context, Context.LOCAL)))
    real = r.select(r.icmp_unsigned("==", top, splat(I64, SHARED_WINDOW >> _TOP_SHIFT)), shared, addresses)
    r.ret(r.select(r.icmp_unsigned("==", top, splat(I64, LOCAL_WINDOW >> _TOP_SHIFT)), local, real))


def lane_offsets(r: Routine, addresses: Any) -> Any:
    """The offsets of generic addresses in their windows."""
    return r.and_(addresses, splat(I64, (1 << WINDOW_BITS) - 1))


def lanes_by_space(r: Routine, addresses: Any, good: Any) -> tuple[Any, Any, Any]:
    """The bits of the good lanes whose generic address is one of shared, of local and of global memory."""
    top = r.lshr(addresses, splat(I64, _TOP_SHIFT))
    shared, local = (
        r.and_(good, r.bits(r.icmp_unsigned("==", top, splat(I64, window >> _TOP_SHIFT))))
        for window in (SHARED_WINDOW, LOCAL_WINDOW)
    )
    return shared, local, r.and_(good, r.not_(r.or_(shared, local)))


@contextmanager
def some_lanes(r: Routine, mask: Any) -> Iterator[None]:
    """Code that runs where a mask has any lane."""
    with r.if_then(r.icmp_unsigned("!=", mask, r.number(0, I32))):
        yield


def _inspect_generic(r: Routine, size: int) -> None:
    """Check lanes by their generic addresses and count each in the space that it lies in."""
    context, site, addresses, mask = r.arguments
    good = good_lanes(r, context, site, addresses, mask, size)
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    real = r.call(r.module.globals["generic_addresses"], [context, addresses])
    shared, local, rest = lanes_by_space(r, addresses, good)
    with some_lanes(r, shared):
        count_shared(r, context, site, real, shared, size)
    with some_lanes(r, local):
        count_local(r, site, lane_offsets(r, addresses), local, r.number(size))
    with some_lanes(r, rest):
        count_global(r, context, site, real, rest, size)
    r.ret(good)


for _size in SIZES:
    routine(f"inspect_generic_{_size}", I32, POINTER, POINTER, _ADDRESSES, I32)(
        (lambda size: lambda r: _inspect_generic(r, size))(_size)
    )
