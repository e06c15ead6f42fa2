"""Where a memory instruction goes: the addresses of its lanes and the record of its site."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Instruction, Operand, Register, Symbol
from advisor.evidence.simulated.simt.vector.lanes import I32, I64, constant, same, vector, width_of
from advisor.evidence.simulated.simt.vector.layout import (
    LOCAL_WINDOW,
    SHARED_WINDOW,
    WORD,
    Context,
    Site,
    Space,
)
from advisor.evidence.simulated.simt.vector.sites import Access
from advisor.evidence.simulated.simt.vector.translation.emission import Emission


@dataclass(frozen=True)
class Place:
    """Where an access goes: real addresses (`base` plus `offset` bytes) and its site's record."""

    access: Access
    base: Any
    offset: int
    site: Any
    mask: Any


def place_of(e: Emission, item: Instruction, address: Address, part: int = 0, lanes: Any = None) -> Place:
    """The place of an access; addresses of shared memory are made real here, local ones by the runtime.

    `part` is the number of the access among those of its instruction; `lanes` are the bits of the lanes that
    go to memory where these are not those that run the instruction.
    """
    place = site_of(e, address, part)
    mask = e.active(item) if lanes is None else lanes
    if mask is not e.mask:
        some = e.builder.icmp_unsigned("!=", mask, constant(I32, 0))
        e.builder.bump(place.site, WORD * Site.REQUESTS, e.builder.zext(some, I64))
        e.builder.bump(place.site, WORD * Site.LANES, e.builder.zext(e.builder.population(mask), I64))
    return replace(place, mask=mask)


def site_of(e: Emission, address: Address, part: int = 0) -> Place:
    """The place of an access whose requests and lanes are not counted here, for all lanes of the block."""
    access = e.names.accesses[e.names.current][part]
    base = _base(e, access, address.base)
    if access.space == Space.GENERIC:
        base = e.builder.broadcast(base)
    sites = e.once("sites", lambda: e.context_word(Context.SITES, ir.PointerType()))
    site = e.builder.at(sites, WORD * Site.WORDS * access.number)
    return Place(access, base, address.offset, site, e.mask)


def addresses_of(e: Emission, place: Place) -> Any:
    """The address of each lane, as it is held: not real for local and generic memory."""
    base = e.builder.broadcast(place.base)
    return e.builder.add(base, same(base, place.offset)) if place.offset else base


def real_addresses(e: Emission, place: Place, addresses: Any) -> Any:
    """Where in the host the addresses of the lanes of an access are; for good lanes only."""
    if place.access.space != Space.GENERIC:
        return addresses
    return e.call("generic_addresses", vector(I64), e.context, addresses)


def _offset_in(e: Emission, value: Any, window: int) -> Any:
    """The offset of an address in a window; one before the memory's begin stays so, an offset may follow."""
    negative = e.builder.ashr(value, same(value, 63))
    return e.builder.and_(value, e.builder.or_(negative, same(value, ~window & (1 << 64) - 1)))


def _base(e: Emission, access: Access, operand: Operand) -> Any:
    builder = e.builder
    if access.space != Space.SHARED:
        value = e.read(operand, I64)
        if access.space == Space.LOCAL and not isinstance(operand, Symbol):
            return _offset_in(e, value, LOCAL_WINDOW)
        return value
    shared = e.once("shared", lambda: e.context_word(Context.SHARED))
    key = ("shared", operand.name if isinstance(operand, Register | Symbol) else operand)
    known = e.memo.get(key)
    value = e.read(operand, I64)
    if known is not None and known[0] is value:
        return known[1]
    inside = value
    if isinstance(operand, Register) and width_of(e.names.type_of(operand.name)) == 64:
        inside = _offset_in(e, value, SHARED_WINDOW)
    real = builder.add(*builder.alike(inside, shared))
    e.memo[key] = (value, real)
    return real
