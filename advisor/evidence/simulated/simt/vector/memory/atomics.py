"""Atomic operations; PTX ISA, "atom" and "red". Lanes take effect one after the other, the lowest first."""

from __future__ import annotations

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Instruction
from advisor.evidence.simulated.simt.vector.lanes import (
    I16,
    I32,
    I64,
    constant,
    element_type,
    integer_of,
    is_vector,
    splat,
    vector,
    width_of,
)
from advisor.evidence.simulated.simt.vector.layout import Space
from advisor.evidence.simulated.simt.vector.memory.places import place_of, real_addresses
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

# Sums of float16 are those of the bits that hold them.
_OF_HALVES = {"f16": I16, "f16x2": I32}
_OPERATIONS = frozenset({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"})


def atomic_name(item: Instruction) -> str | None:
    """The runtime's function for an atomic operation such as `add_f32`, None where it has none."""
    operation = next((one for one in item.modifiers if one in _OPERATIONS), None)
    kind = item.types[-1]
    if operation == "add" and kind in _OF_HALVES:
        return f"add_{kind}"
    if operation == "cas" and kind == "b16":
        return "cas_b16"
    if operation is None or kind not in ("b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"):
        return None
    if kind[0] == "f" and operation not in ("add", "exch", "min", "max"):
        return None
    if kind[0] == "f" and operation != "exch":
        return f"{operation}_{kind}"
    sign = kind[0] if operation in ("min", "max") else "b"
    return f"{operation}_{sign}{kind[1:]}"


def _added_up(name: str, one_value: bool) -> bool:
    """Whether ptxas makes one update of a warp's at an address that it knows to be one for all lanes.

    In machine code of compute capability 8.0 it does for 32-bit integers (REDUX) and for a sum of 64-bit
    integers that all add the same (POPC), not for floats, exchanges, and compare and swap.
    """
    operation, kind = name.split("_")
    if operation not in ("add", "min", "max", "and", "or", "xor") or kind[0] == "f":
        return False
    return kind.endswith("32") or (operation == "add" and one_value)


@handles("atom", "red")
def _atomic(e: Emission, item: Instruction) -> None:
    name = atomic_name(item)
    if name is None or "v2" in item.modifiers or "v4" in item.modifiers:
        raise e.unsupported(item)
    builder = e.builder
    first = 0 if item.opcode == "red" else 1
    address = item.operands[first]
    assert isinstance(address, Address)
    kind = _OF_HALVES.get(item.types[-1])
    if kind is None:
        own = element_type(item.types[-1])
        kind = own if name.endswith(("f32", "f64")) else integer_of(width_of(own))
    # The policy of the caches stands last.
    behind = item.operands[first + 1 : -1 if "L2::cache_hint" in item.modifiers else None]
    given = [e.read(operand, kind) for operand in behind]
    values = [builder.broadcast(value) for value in given]
    place = place_of(e, item, address)
    together = not is_vector(place.base) and _added_up(name, all(not is_vector(one) for one in given))
    addresses = builder.broadcast(place.base)
    if place.offset:
        addresses = builder.add(addresses, splat(I64, place.offset))
    inspect = "inspect_generic_atomic" if place.access.space == Space.GENERIC else "inspect_atomic"
    inside = e.call(
        f"{inspect}_{place.access.size}",
        I32,
        e.context,
        place.site,
        addresses,
        place.mask,
        constant(I32, int(together)),
    )
    real = real_addresses(e, place, addresses)
    values = [e.as_integer(one) for one in values] if item.types[-1] in _OF_HALVES else values
    old = e.call(f"atom_{name}", vector(kind), e.context, real, *values, inside)
    if item.opcode == "atom":
        e.write(item, old)


@handles(
    "membar", "fence", "prefetch", "prefetchu", "nanosleep", "brkpt", "pmevent", "discard", "applypriority",
    "setmaxnreg",
)  # fmt: skip
def _nothing(e: Emission, item: Instruction) -> None:
    """Leave out orders and hints that one warp after the other does not need."""


@handles("createpolicy")
def _policy(e: Emission, item: Instruction) -> None:
    """Make a policy of the caches, a hint that nothing here follows (PTX ISA, "createpolicy")."""
    e.write(item, constant(I64, 0))
