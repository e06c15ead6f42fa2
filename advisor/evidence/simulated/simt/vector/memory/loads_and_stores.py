"""Loads and stores; PTX ISA, "ld", "st", "ldu".

Lanes that lie side by side or all at one place read and write at once and are counted with a few scalar
instructions; others go through functions of the runtime, as does all that is inspected in detail.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.control_flow import results
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Operand,
    Register,
    Symbol,
)
from advisor.evidence.simulated.simt.vector.instruction_lines import Written
from advisor.evidence.simulated.simt.vector.lanes import (
    I32,
    I64,
    LANES,
    constant,
    element_of,
    element_type,
    integer_of,
    is_vector,
    like,
    same,
    splat,
    vector,
    width_of,
)
from advisor.evidence.simulated.simt.vector.layout import Context, Space
from advisor.evidence.simulated.simt.vector.memory.access_ways import ONE_PLACE, SIDE_BY_SIDE, Ways
from advisor.evidence.simulated.simt.vector.memory.local_memory import local_load, local_store
from advisor.evidence.simulated.simt.vector.memory.places import Place, place_of, real_addresses
from advisor.evidence.simulated.simt.vector.memory.transfers import gather, scatter
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_INSPECTED_AS = {Space.SHARED: "shared", Space.GENERIC: "generic", Space.CONSTANT: "constant"}
# What looks at a store when it is done, where a word of the context says so.
_SETTLED = (
    ("settle_shared", Context.UNSETTLED, (Space.SHARED, Space.GENERIC)),
    ("settle_elements", Context.ELEMENTS_UNSETTLED, (Space.GLOBAL, Space.GENERIC)),
)


@handles("ld", "ldu")
def _load(e: Emission, item: Instruction) -> None:
    address = item.operands[1]
    assert isinstance(address, Address)
    if "param" in item.modifiers:
        _load_parameter(e, item, address)
        return
    kind = integer_of(width_of(element_type(item.types[-1])))
    targets = item.operands[0].items if isinstance(item.operands[0], Group) else (item.operands[0],)
    place = place_of(e, item, address)
    values = _loaded(e, place, kind, len(targets))
    for target, value in zip(targets, values, strict=True):
        e.write(item, _extended(e, item, target, value), target)


def _extended(e: Emission, item: Instruction, target: Operand, value: Any) -> Any:
    if item.types[-1][0] == "s" and isinstance(target, Register) and target.name != "_":
        width = width_of(e.names.type_of(target.name))
        if width > width_of(element_of(value)):
            return e.builder.sext(value, like(value, integer_of(width)))
    return value


def _load_parameter(e: Emission, item: Instruction, address: Address) -> None:
    chosen = _named_parameters(e.names.function, address.base, frozenset(e.names.parameter_offsets))
    if not chosen:
        raise e.unsupported(item, "the address of a parameter that the text does not name")
    kind = integer_of(width_of(element_type(item.types[-1])))
    targets = item.operands[0].items if isinstance(item.operands[0], Group) else (item.operands[0],)
    least = min(one.size for one in e.names.function.parameters if one.name in chosen)
    if not 0 <= address.offset <= least - len(targets) * kind.width // 8:
        raise e.unsupported(item, "a place outside of the parameter")
    for number, target in enumerate(targets):
        value = _parameter_at(e, kind, address.base, address.offset + number * kind.width // 8)
        e.write(item, _extended(e, item, target, value), target)


def _parameter_at(e: Emission, kind: Any, base: Operand, further: int) -> Any:
    """What stands so many bytes behind the begin of a parameter, the same one for all lanes or not."""
    parameters = e.context_word(Context.PARAMETERS, ir.PointerType())
    if isinstance(base, Symbol):
        return e.builder.get(parameters, e.names.parameter_offsets[base.name] + further, kind)
    offset = e.read(base, I64)
    offset = e.builder.add(offset, same(offset, further))
    if not is_vector(offset):
        return e.builder.get(e.builder.at(parameters, offset), 0, kind)
    begin = e.builder.broadcast(e.context_word(Context.PARAMETERS))
    return gather(e, kind, e.builder.add(begin, offset), e.mask)


def _named_parameters(
    function: Function, base: Operand, parameters: frozenset[str], within: frozenset[str] = frozenset()
) -> frozenset[str]:
    """The parameters that an address may be: one that is named, or a register that others are chosen for.

    Empty where the address may be anything else.
    """
    if isinstance(base, Symbol):
        return frozenset({base.name}) & parameters
    if not isinstance(base, Register) or base.name in within:
        return frozenset()
    found: frozenset[str] = frozenset()
    for item in function.instructions:
        if base.name not in results(item):
            continue
        taken = {"mov": item.operands[1:], "selp": item.operands[1:3]}.get(item.opcode, ())
        parts = [_named_parameters(function, one, parameters, within | {base.name}) for one in taken]
        if not parts or not all(parts):
            return frozenset()
        found = found.union(*parts)
    return found


def _loaded(e: Emission, place: Place, kind: Any, count: int) -> list[Any]:
    if place.access.space == Space.LOCAL:
        return local_load(e, place, kind, count)
    if not is_vector(place.base):
        return _load_one_place(e, place, kind, count)
    builder = e.builder
    ways = Ways(e, place, kind, count)
    with ways.way(SIDE_BY_SIDE) as (address, _):
        pointer = builder.inttoptr(address, ir.PointerType())
        parts = _consecutive(e, place, pointer, kind, count)
        ways.give(parts)
    with ways.way(ONE_PLACE) as (address, _):
        pointer = builder.inttoptr(address, ir.PointerType())
        size = kind.width // 8
        ways.give([builder.broadcast(builder.get(pointer, size * n, kind, size)) for n in range(count)])
    with ways.otherwise() as addresses:
        inside = inspect(e, place, addresses)
        ways.give(_gathered(e, place, kind, count, addresses, inside))
    return ways.joined()


def _gathered(e: Emission, place: Place, kind: Any, count: int, addresses: Any, inside: Any) -> list[Any]:
    """The elements of each lane, 0 for lanes that are not inside."""
    size = kind.width // 8
    return [gather(e, kind, _real(e, place, addresses, n * size), inside) for n in range(count)]


def _real(e: Emission, place: Place, addresses: Any, offset: int = 0) -> Any:
    """Where in the host the bytes of each lane are that lie so many bytes further on.

    The parts of a vector in local memory do not lie side by side.
    """
    further = e.builder.add(addresses, splat(I64, offset)) if offset else addresses
    return real_addresses(e, place, further)


def _consecutive(e: Emission, place: Place, pointer: Any, kind: Any, count: int) -> list[Any]:
    """What 32 lanes read side by side, one vector for each of their elements."""
    builder = e.builder
    size = kind.width // 8
    if count > 1 or size < 4:
        whole = builder.load(pointer, typ=vector(kind, LANES * count), align=size)
        return [_every(builder, whole, count, number) for number in range(count)]
    masked = builder.intrinsic(
        "llvm.masked.load",
        vector(kind),
        (pointer, _lanes(e, place), Written(vector(kind), "zeroinitializer")),
        (vector(kind), ir.PointerType()),
    )
    return [masked]


def _lanes(e: Emission, place: Place) -> Any:
    return e.lanes if place.mask is e.mask else e.builder.lanes_of(place.mask)


def _every(builder: Any, whole: Any, count: int, number: int) -> Any:
    if count == 1:
        return whole
    picks = ir.Constant(vector(I32), [lane * count + number for lane in range(LANES)])
    return builder.shuffle_vector(whole, whole, picks)


def _load_one_place(e: Emission, place: Place, kind: Any, count: int) -> list[Any]:
    """What all lanes read from one address: held once. A place that fails its check reads 0."""
    builder = e.builder
    ways = Ways(e, place, kind, count)
    with ways.way(None) as (address, _):
        pointer = builder.inttoptr(address, ir.PointerType())
        size = kind.width // 8
        ways.give([builder.get(pointer, size * number, kind, size) for number in range(count)])
    with ways.otherwise() as addresses:
        inside = inspect(e, place, addresses)
        found = _gathered(e, place, kind, count, addresses, inside)
        # Every good lane read the same, the others read 0.
        ways.give([builder.reduce("or", one) for one in found])
    return ways.joined()


def inspect(e: Emission, place: Place, addresses: Any) -> Any:
    """The bits of the lanes whose address is good; counts and checks them all."""
    space = _INSPECTED_AS.get(place.access.space, "global")
    return e.call(f"inspect_{space}_{place.access.size}", I32, e.context, place.site, addresses, place.mask)


@handles("st")
def _store(e: Emission, item: Instruction) -> None:
    address = item.operands[0]
    assert isinstance(address, Address)
    kind = integer_of(width_of(element_type(item.types[-1])))
    sources = item.operands[1].items if isinstance(item.operands[1], Group) else (item.operands[1],)
    values = [e.read(source, kind) for source in sources]
    place = place_of(e, item, address)
    if place.access.space == Space.LOCAL:
        local_store(e, place, [e.builder.broadcast(value) for value in values])
        return
    _stored(e, place, kind, values)


def _stored(e: Emission, place: Place, kind: Any, values: list[Any]) -> None:
    builder = e.builder
    size = kind.width // 8
    full = [builder.broadcast(value) for value in values]
    ways = Ways(e, place, kind, len(values))
    if is_vector(place.base):
        with ways.way(SIDE_BY_SIDE) as (address, _):
            _store_consecutive(e, place, builder.inttoptr(address, ir.PointerType()), kind, full)
            ways.give([])
        with ways.otherwise() as addresses:
            _store_apart(e, place, addresses, full, size)
            ways.give([])
    else:
        with ways.way(None) as (address, _):
            pointer = builder.inttoptr(address, ir.PointerType())
            for number, (value, one) in enumerate(zip(values, full, strict=True)):
                last = value if not is_vector(value) else builder.lane(one, e.last_lane(place.mask))
                builder.put(last, pointer, size * number, size)
            ways.give([])
        with ways.otherwise() as addresses:
            _store_apart(e, place, addresses, full, size)
            ways.give([])
    ways.joined()


def _store_apart(e: Emission, place: Place, addresses: Any, values: list[Any], size: int) -> None:
    inside = inspect(e, place, addresses)
    for number, value in enumerate(values):
        scatter(e, value, _real(e, place, addresses, size * number), inside)
    settle(e, place, addresses)


def settle(e: Emission, place: Place, addresses: Any) -> None:
    """Let what looks at a store know that it is done, where it asked to."""
    for routine, word, spaces in _SETTLED:
        if place.access.space in spaces:
            unsettled = e.context_word(word)
            with e.builder.if_then(e.builder.icmp_unsigned("!=", unsettled, constant(I64, 0)), likely=False):
                whole = constant(I64, place.access.size)
                real = _real(e, place, addresses)
                e.call(routine, ir.VoidType(), e.context, place.site, real, whole)


def _store_consecutive(e: Emission, place: Place, pointer: Any, kind: Any, values: list[Any]) -> None:
    builder = e.builder
    count = len(values)
    if count == 1 and kind.width >= 32:
        builder.intrinsic(
            "llvm.masked.store",
            ir.VoidType(),
            (values[0], pointer, _lanes(e, place)),
            (vector(kind), ir.PointerType()),
        )
        return
    builder.store(_woven(builder, values), pointer, align=kind.width // 8)


def _woven(builder: Any, values: list[Any]) -> Any:
    """One vector with the elements of each lane side by side."""
    count = len(values)
    if count == 1:
        return values[0]
    if count == 4:
        values = [_joined(builder, values[0], values[1]), _joined(builder, values[2], values[3])]
        picks = [
            part * 2 * LANES + half * LANES + lane
            for lane in range(LANES)
            for part in (0, 1)
            for half in (0, 1)
        ]
    else:
        picks = [half * LANES + lane for lane in range(LANES) for half in (0, 1)]
    return builder.shuffle_vector(values[0], values[1], ir.Constant(vector(I32, len(picks)), picks))


def _joined(builder: Any, one: Any, other: Any) -> Any:
    return builder.shuffle_vector(one, other, ir.Constant(vector(I32, 2 * LANES), list(range(2 * LANES))))
