"""Copies of bytes and of boxes of tensors by one lane; PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor".

What goes to shared memory is there once the phase of a barrier has ended. What goes to global memory is
copied at once, so groups of such copies need not be waited for.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Instruction, Integer, Symbol
from advisor.evidence.simulated.simt.vector.lanes import I32, I64, LANES, VOID, constant, same, splat, vector
from advisor.evidence.simulated.simt.vector.layout import Context
from advisor.evidence.simulated.simt.vector.memory.places import Place, addresses_of, site_of
from advisor.evidence.simulated.simt.vector.sites import BulkCopy, bulk_copy
from advisor.evidence.simulated.simt.vector.tensor.tensor_maps import MOST_AXES
from advisor.evidence.simulated.simt.vector.translation.emission import Emission

_GROUPS = ("commit_group", "wait_group", "prefetch")


def copy_in_bulk(e: Emission, item: Instruction) -> None:
    """Translate a copy in bulk, or what closes a group of them or waits for one."""
    if item.modifiers[2:3] in tuple((one,) for one in _GROUPS):
        return
    copy = bulk_copy(item)
    if copy is None:
        raise e.unsupported(item, "another form of copy in bulk")
    maps = _address(e, copy.in_global)
    begins = _begins(e, copy)
    sizes = splat(I32, 0) if copy.size is None else e.read_vector(copy.size, I32)
    axes, lanes = constant(I64, len(copy.begin)), e.active(item)
    number = 1 if copy.barrier is not None else 0
    shared = site_of(e, copy.in_shared, part=number)
    in_global = site_of(e, copy.in_global, part=1 - number).site
    if copy.barrier is None:
        e.call(
            "store_boxes", VOID, e.context, shared.site, in_global, lanes, maps, begins,
            addresses_of(e, shared), sizes, axes,
        )  # fmt: skip
        return
    barrier: Place = site_of(e, copy.barrier, part=2)
    e.call(
        "load_boxes", VOID, e.context, in_global, shared.site, barrier.site, lanes, maps, begins,
        addresses_of(e, shared), addresses_of(e, barrier), sizes, axes,
    )  # fmt: skip


def _address(e: Emission, address: Address) -> Any:
    """The address of a map, among the parameters too, or of bytes, for each lane."""
    value = e.read(address.base, I64)
    if isinstance(address.base, Symbol) and address.base.name in e.names.parameter_offsets:
        value = e.builder.add(value, e.context_word(Context.PARAMETERS))
    if address.offset:
        value = e.builder.add(value, same(value, address.offset))
    return e.builder.broadcast(value)


def _begins(e: Emission, copy: BulkCopy) -> Any:
    """Where the boxes begin: for each axis the numbers of all lanes."""
    place = e.names.kept_scratch(e, "begins", vector(I32, MOST_AXES * LANES))
    for number, one in enumerate(copy.begin or (Integer(0),)):
        e.builder.put(e.read_vector(one, I32), place, 4 * LANES * number)
    return place
