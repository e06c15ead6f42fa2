"""Loads and stores; PTX ISA, "ld", "st", "ldu".

A warp's addresses are classed once for each address register of a block: all lanes side by side, all at one
place, or neither. The first two read and write at once and are counted with a few scalar instructions; the
third goes through functions of the runtime, as does all that is inspected in detail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from advisor.simt.ptx_program import Address, Group, Instruction, Operand, Register, Symbol
from advisor.simt.vector.emission import Emission, handles
from advisor.simt.vector.lanes import (
    I1,
    I8,
    I32,
    I64,
    LANES,
    Written,
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
from advisor.simt.vector.layout import LOCAL_WINDOW, SHARED_WINDOW, WORD, Context, Site, Space
from advisor.simt.vector.sites import Access

SIDE_BY_SIDE, ONE_PLACE = 1, 2
_POINTERS = vector(ir.PointerType())


@dataclass(frozen=True)
class Place:
    """Where an access goes: real addresses (`base` plus `offset` bytes) and its site's record."""

    access: Access
    base: Any
    offset: int
    site: Any
    mask: Any


def place_of(e: Emission, item: Instruction, address: Address) -> Place:
    """The place of an access; addresses of shared memory are made real here, local ones by the runtime."""
    access = e.names.accesses[e.names.current]
    base = _base(e, access, address.base)
    if access.space == Space.GENERIC:
        base = e.builder.broadcast(base)
    offset = address.offset
    sites = e.once("sites", lambda: e.context_word(Context.SITES, ir.PointerType()))
    site = e.builder.at(sites, WORD * Site.WORDS * access.number)
    mask = e.active(item)
    if mask is not e.mask:
        some = e.builder.icmp_unsigned("!=", mask, constant(I32, 0))
        e.builder.bump(site, WORD * Site.REQUESTS, e.builder.zext(some, I64))
        e.builder.bump(site, WORD * Site.LANES, e.builder.zext(e.builder.population(mask), I64))
    return Place(access, base, offset, site, mask)


def _base(e: Emission, access: Access, operand: Operand) -> Any:
    builder = e.builder
    if access.space != Space.SHARED:
        value = e.read(operand, I64)
        if access.space == Space.LOCAL and not isinstance(operand, Symbol):
            window = same(value, LOCAL_WINDOW)
            return builder.and_(value, builder.not_(window))
        return value
    shared = e.once("shared", lambda: e.context_word(Context.SHARED))
    key = ("shared", operand.name if isinstance(operand, Register | Symbol) else operand)
    known = e.memo.get(key)
    value = e.read(operand, I64)
    if known is not None and known[0] is value:
        return known[1]
    inside = value
    if isinstance(operand, Register) and width_of(e.names.type_of(operand.name)) == 64:
        inside = builder.and_(value, same(value, ~SHARED_WINDOW & (1 << 64) - 1))
    real = builder.add(*builder.alike(inside, shared))
    e.memo[key] = (value, real)
    return real


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
    assert isinstance(address.base, Symbol)
    offset = e.names.parameter_offsets[address.base.name] + address.offset
    parameters = e.context_word(Context.PARAMETERS, ir.PointerType())
    kind = integer_of(width_of(element_type(item.types[-1])))
    targets = item.operands[0].items if isinstance(item.operands[0], Group) else (item.operands[0],)
    for number, target in enumerate(targets):
        value = e.builder.get(parameters, offset + number * kind.width // 8, kind)
        e.write(item, _extended(e, item, target, value), target)


def _loaded(e: Emission, place: Place, kind: Any, count: int) -> list[Any]:
    if place.access.space == Space.LOCAL:
        return [_local_load(e, place, kind, number) for number in range(count)]
    if not is_vector(place.base):
        return _load_one_place(e, place, kind, count)
    builder = e.builder
    ways = _Ways(e, place, kind, count)
    with ways.way(ways.side_by_side) as (address, _):
        pointer = builder.inttoptr(address, ir.PointerType())
        parts = _consecutive(e, place, pointer, kind, count)
        ways.give(parts)
    with ways.way(ways.one_place) as (address, _):
        pointer = builder.inttoptr(address, ir.PointerType())
        size = kind.width // 8
        ways.give([builder.broadcast(builder.get(pointer, size * n, kind, size)) for n in range(count)])
    with ways.otherwise() as addresses:
        inside = _inspect(e, place, addresses)
        ways.give(
            [gather(e, kind, _further(e, addresses, n * kind.width // 8), inside) for n in range(count)]
        )
    return ways.joined()


def _further(e: Emission, addresses: Any, offset: int) -> Any:
    return e.builder.add(addresses, splat(I64, offset)) if offset else addresses


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
    ways = _Ways(e, place, kind, count)
    with ways.way(None) as (address, _):
        pointer = builder.inttoptr(address, ir.PointerType())
        size = kind.width // 8
        ways.give([builder.get(pointer, size * number, kind, size) for number in range(count)])
    with ways.otherwise() as addresses:
        inside = _inspect(e, place, addresses)
        found = [gather(e, kind, _further(e, addresses, n * kind.width // 8), inside) for n in range(count)]
        # Every good lane read the same, the others read 0.
        ways.give([builder.reduce("or", one) for one in found])
    return ways.joined()


def gather(e: Emission, kind: Any, addresses: Any, mask: Any) -> Any:
    """The elements at one address for each lane of a mask, 0 for the others."""
    return e.call(f"gather_{kind.width}", vector(kind), addresses, mask)


def scatter(e: Emission, value: Any, addresses: Any, mask: Any) -> None:
    """Nothing; stores an element for each lane of a mask, that of the last lane where addresses meet."""
    e.call(f"scatter_{element_of(value).width}", ir.VoidType(), value, addresses, mask)


def _inspect(e: Emission, place: Place, addresses: Any) -> Any:
    """The bits of the lanes whose address is good; counts and checks them all."""
    space = "shared" if place.access.space == Space.SHARED else "global"
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
        for number, value in enumerate(values):
            _local_store(e, place, e.builder.broadcast(value), number)
        return
    _stored(e, place, kind, values)


def _stored(e: Emission, place: Place, kind: Any, values: list[Any]) -> None:
    builder = e.builder
    size = kind.width // 8
    full = [builder.broadcast(value) for value in values]
    ways = _Ways(e, place, kind, len(values))
    if is_vector(place.base):
        with ways.way(ways.side_by_side) as (address, _):
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
    inside = _inspect(e, place, addresses)
    for number, value in enumerate(values):
        scatter(e, value, _further(e, addresses, size * number), inside)


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


# Local memory: eight bytes of each lane side by side, so that a place that is the same for all lies together.


def _local_addresses(e: Emission, place: Place, number: int, size: int) -> Any:
    builder = e.builder
    offset = builder.add(place.base, same(place.base, place.offset + number * size))
    base = e.context_word(Context.LOCAL)
    granule = builder.shl(builder.lshr(offset, same(offset, 3)), same(offset, 8))
    within = builder.and_(offset, same(offset, 7))
    real = builder.add(*builder.alike(builder.add(granule, within), base))
    lanes = ir.Constant(vector(I64), [8 * lane for lane in range(LANES)])
    return offset, builder.add(builder.broadcast(real), lanes)


def _local_inside(e: Emission, place: Place, offset: Any) -> Any:
    return e.call("inspect_local", I32, e.context, place.site, e.builder.broadcast(offset), place.mask)


def _local_load(e: Emission, place: Place, kind: Any, number: int) -> Any:
    offset, addresses = _local_addresses(e, place, number, kind.width // 8)
    return gather(e, kind, addresses, _local_inside(e, place, offset))


def _local_store(e: Emission, place: Place, value: Any, number: int) -> None:
    offset, addresses = _local_addresses(e, place, number, element_of(value).width // 8)
    scatter(e, value, addresses, _local_inside(e, place, offset))


class _Ways:
    """The ways of one access in the code: fast ones that a test opens, and the general one."""

    def __init__(self, e: Emission, place: Place, kind: Any, count: int) -> None:
        self.e = e
        self.place = place
        # Elements that are woven, or narrower than a masked access can be, need all lanes.
        self.whole = count > 1 or kind.width < 32
        builder = e.builder
        self.end = builder.append_basic_block("accessed")
        self.slow = builder.append_basic_block("apart")
        self.given: list[tuple[Any, list[Any]]] = []
        self.start: Any = None
        self.shape: Any = None
        if is_vector(place.base):
            self.start, self.shape = self._classed()

    def _classed(self) -> tuple[Any, Any]:
        e, place = self.e, self.place
        key = ("class", id(place.base), place.access.size, self.whole)
        if place.mask is not e.mask:
            return self._ask()
        return e.once(key, self._ask)  # type: ignore[no-any-return]

    def _ask(self) -> tuple[Any, Any]:
        e, place = self.e, self.place
        pair = ir.LiteralStructType([I64, I32])
        whole = ir.Constant(I32, int(self.whole))
        name = f"classify_{place.access.size}"
        found = e.call(name, pair, e.context, place.base, place.mask, whole)
        e.keep_alive(place.base)
        return e.builder.extract_value(found, 0), e.builder.extract_value(found, 1)

    @property
    def side_by_side(self) -> int:
        return SIDE_BY_SIDE

    @property
    def one_place(self) -> int:
        return ONE_PLACE

    def way(self, shape: int | None) -> Any:
        """A context in which the code of a fast way is written; gives the address of lane 0 or of all."""
        return _Way(self, shape)

    def otherwise(self) -> Any:
        """A context in which the code of the general way is written; gives the addresses of the lanes."""
        return _Otherwise(self)

    def give(self, values: list[Any]) -> None:
        """Nothing; ends a way with what it read."""
        self.given.append((self.e.builder.block, values))
        self.e.builder.branch(self.end)

    def joined(self) -> list[Any]:
        """What was read, whichever way was taken."""
        builder = self.e.builder
        builder.position_at_end(self.end)
        results = []
        for number in range(len(self.given[0][1])):
            phi = builder.phi(self.given[0][1][number].type)
            for block, values in self.given:
                phi.add_incoming(values[number], block)
            results.append(phi)
        return results


class _Way:
    def __init__(self, ways: _Ways, shape: int | None) -> None:
        self.ways, self.shape = ways, shape

    def __enter__(self) -> tuple[Any, Any]:
        ways, e = self.ways, self.ways.e
        builder, place = e.builder, self.ways.place
        self.next = builder.append_basic_block("other")
        inner = builder.append_basic_block("way")
        if self.shape is not None:
            check = builder.append_basic_block("check")
            builder.cbranch(
                builder.icmp_unsigned("==", ways.shape, ir.Constant(I32, self.shape)), check, self.next
            )
            builder.position_at_end(check)
        address, low, high = self._span()
        fits = _fits(e, place, low, high, address, detailed=self.shape is None)
        builder.cbranch(fits, inner, ways.slow)
        builder.position_at_end(inner)
        _count(e, place, self.shape, low, high)
        return address, None

    def _span(self) -> tuple[Any, Any, Any]:
        e, place = self.ways.e, self.ways.place
        builder = e.builder
        start = place.base if self.shape is None else self.ways.start
        address = builder.add(start, ir.Constant(I64, place.offset)) if place.offset else start
        size = place.access.size
        if self.shape != SIDE_BY_SIDE:
            return address, address, builder.add(address, ir.Constant(I64, size))
        first, behind = e.reach(place.mask)
        low = builder.add(address, builder.mul(first, ir.Constant(I64, size)))
        return address, low, builder.add(address, builder.mul(behind, ir.Constant(I64, size)))

    def __exit__(self, *exception: object) -> None:
        self.ways.e.builder.position_at_end(self.next)
        if self.shape is None:
            self.ways.e.builder.branch(self.ways.slow)


class _Otherwise:
    def __init__(self, ways: _Ways) -> None:
        self.ways = ways

    def __enter__(self) -> Any:
        ways = self.ways
        builder = ways.e.builder
        if not builder.block.is_terminated:
            builder.branch(ways.slow)
        builder.position_at_end(ways.slow)
        place = ways.place
        base = builder.broadcast(place.base)
        addresses = builder.add(base, splat(I64, place.offset)) if place.offset else base
        if place.access.space == Space.GENERIC:
            return ways.e.call("generic_addresses", vector(I64), ways.e.context, addresses)
        return addresses

    def __exit__(self, *exception: object) -> None:
        return None


def _fits(e: Emission, place: Place, low: Any, high: Any, address: Any, detailed: bool) -> Any:
    """Whether an access lies within the bounds of its site and on its alignment, and may take a fast way."""
    builder = e.builder
    bottom = builder.get(place.site, WORD * Site.LOW, I64)
    top = builder.get(place.site, WORD * Site.HIGH, I64)
    fits = builder.and_(builder.icmp_unsigned(">=", low, bottom), builder.icmp_unsigned("<=", high, top))
    if place.access.size > 1:
        rest = builder.and_(address, ir.Constant(I64, place.access.size - 1))
        fits = builder.and_(fits, builder.icmp_unsigned("==", rest, ir.Constant(I64, 0)))
    if detailed:
        fits = builder.and_(fits, e.once("plain", lambda: _not_detailed(e)))
        if place.mask is not e.mask:
            fits = builder.and_(fits, builder.icmp_unsigned("!=", place.mask, ir.Constant(I32, 0)))
    return fits


def _not_detailed(e: Emission) -> Any:
    word = e.context_word(Context.DETAILED)
    return e.builder.icmp_unsigned("==", word, ir.Constant(I64, 0))


def _count(e: Emission, place: Place, shape: int | None, low: Any, high: Any) -> None:
    """Nothing; counts the sectors or wavefronts of a fast access. All lanes at one place need one of each."""
    builder = e.builder
    one = ir.Constant(I64, 1)
    size = place.access.size
    if place.access.space == Space.SHARED:
        waves = one if shape != SIDE_BY_SIDE else ir.Constant(I64, max(1, size // 4))
        builder.bump(place.site, WORD * Site.WAVEFRONTS, waves)
    elif shape != SIDE_BY_SIDE:
        builder.bump(place.site, WORD * Site.SECTORS, one)
        builder.bump(place.site, WORD * Site.IDEAL, one)
        _touch(e, place, builder.lshr(low, ir.Constant(I64, 5)), None)
    else:
        last = builder.lshr(builder.sub(high, one), ir.Constant(I64, 5))
        first = builder.lshr(low, ir.Constant(I64, 5))
        builder.bump(place.site, WORD * Site.SECTORS, builder.add(builder.sub(last, first), one))
        _touch(e, place, first, last)
        rounded = builder.add(builder.sub(high, low), ir.Constant(I64, 31))
        builder.bump(place.site, WORD * Site.IDEAL, builder.lshr(rounded, ir.Constant(I64, 5)))


def _touch(e: Emission, place: Place, first: Any, last: Any) -> None:
    """Nothing; marks sectors in the map of the buffer: one, or those of a row of elements."""
    builder = e.builder
    base = builder.get(place.site, WORD * Site.TOUCHED, I64)
    begin = builder.inttoptr(builder.add(base, first), ir.PointerType())
    if last is None:
        builder.store(constant(I8, 1), begin, align=1)
        return
    # 32 elements of 1, 2, 4, 8 and 16 bytes lie in so many sectors, or one more; the map has room behind it.
    width = max(1, place.access.size)
    builder.store(splat(I8, 1, width), begin, align=1)
    builder.store(constant(I8, 1), builder.inttoptr(builder.add(base, last), ir.PointerType()), align=1)


__all__ = ["I1", "Place", "constant", "gather", "place_of", "scatter"]
