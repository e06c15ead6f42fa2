"""Barriers in shared memory that count arrivals and bytes; PTX ISA, "mbarrier".

Where the lanes of a warp run in order, a warp that waits for a phase does not run until it has ended. Where
they do not, `try_wait` answers at once, as `test_wait` does, and other lanes and warps run soon.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.control_flow import awaits_phase
from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Instruction, Operand
from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    I64,
    VOID,
    constant,
    is_vector,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.memory.places import addresses_of, site_of
from advisor.evidence.simulated.simt.vector.tensor.barrier_phases import PHASE
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_ORDERS = frozenset({"acquire", "release", "relaxed", "cta", "cluster", "shared", "shared::cluster"})
_NUMBERS = vector(I32)


@handles("mbarrier")
def _barrier(e: Emission, item: Instruction) -> None:
    what = tuple(one for one in item.modifiers if one not in _ORDERS)
    handler = _HANDLERS.get(what)
    in_shared = "shared" in item.modifiers or "shared::cluster" in item.modifiers
    if handler is None or item.types != ("b64",) or not in_shared:
        raise e.unsupported(item, "another form of a barrier in shared memory")
    handler(e, item)


def _address(item: Instruction) -> tuple[int, Address]:
    """Where the address stands among the operands, and the address."""
    return next((place, one) for place, one in enumerate(item.operands) if isinstance(one, Address))


def _given(e: Emission, item: Instruction) -> tuple[Any, Any]:
    """The site and the addresses of a barrier."""
    _, address = _address(item)
    place = site_of(e, address)
    return place.site, addresses_of(e, place)


def _behind(item: Instruction) -> list[Operand]:
    """The operands behind the address."""
    return list(item.operands[_address(item)[0] + 1 :])


def _numbers(e: Emission, operands: list[Operand], otherwise: int) -> Any:
    return e.read_vector(operands[0], I32) if operands else splat(I32, otherwise)


def _begin(e: Emission, item: Instruction) -> None:
    counts = _numbers(e, _behind(item), 0)
    e.call("begin_barrier", VOID, e.context, *_given(e, item), e.active(item), counts)


def _arrive(e: Emission, item: Instruction) -> None:
    _change(e, item, _numbers(e, _behind(item), 1), splat(I32, 0))


def _drop(e: Emission, item: Instruction) -> None:
    _change(e, item, _numbers(e, _behind(item), 1), splat(I32, 0), drops=True)


def _arrive_expecting(e: Emission, item: Instruction) -> None:
    _change(e, item, splat(I32, 1), _numbers(e, _behind(item), 0))


def _expect(e: Emission, item: Instruction) -> None:
    _change(e, item, splat(I32, 0), _numbers(e, _behind(item), 0))


def _complete(e: Emission, item: Instruction) -> None:
    bytes_ = _numbers(e, _behind(item), 0)
    _change(e, item, splat(I32, 0), e.builder.neg(bytes_))


def _change(e: Emission, item: Instruction, counts: Any, bytes_: Any, drops: bool = False) -> None:
    before = e.call(
        "arrive_at_barrier", vector(I64), e.context, *_given(e, item), e.active(item), counts, bytes_,
        constant(I1, int(drops)),
    )  # fmt: skip
    if not isinstance(item.operands[0], Address):
        e.write(item, before)


def _wait(e: Emission, item: Instruction) -> None:
    if awaits_phase(item) and e.names.ordered:
        # The block begins where the phase has ended.
        e.write(item, constant(I1, 1))
        return
    ended = e.call("ended_phases", I32, e.context, *_given(e, item), e.active(item), _parities(e, item))
    lanes = e.builder.lanes_of(ended)
    whole = not any(is_vector(e.read(one, I64)) for one in _waited(item))
    e.write(item, e.builder.icmp_unsigned("!=", ended, constant(I32, 0)) if whole else lanes)


def _waited(item: Instruction) -> list[Operand]:
    _, address = _address(item)
    return [address.base, _behind(item)[0]]


def _parities(e: Emission, item: Instruction) -> Any:
    """The parities of the phases that are waited for: given, or those of the words of an arrival."""
    value = e.read_vector(_behind(item)[0], I64 if "parity" not in item.modifiers else I32)
    if "parity" in item.modifiers:
        return e.builder.zext(value, vector(I64))
    return e.builder.lshr(value, splat(I64, PHASE))


def awaited(e: Emission, item: Instruction) -> Any:
    """Whether the phase has ended that a block begins by waiting for; else the warp's state tells of it."""
    site, addresses = _given(e, item)
    return e.call("await_phase", I1, e.context, e.state, site, addresses, e.mask, _parities(e, item))


_HANDLERS = {
    ("init",): _begin,
    ("inval",): _begin,
    ("arrive",): _arrive,
    ("arrive", "expect_tx"): _arrive_expecting,
    ("arrive_drop",): _drop,
    ("expect_tx",): _expect,
    ("complete_tx",): _complete,
    ("test_wait",): _wait,
    ("test_wait", "parity"): _wait,
    ("try_wait",): _wait,
    ("try_wait", "parity"): _wait,
}
