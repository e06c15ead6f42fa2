"""The ways of a memory access in the code: fast ones that a test opens, and the general one.

A warp's addresses are classed once for each address register of a block: all lanes side by side, all at one
place, or neither.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.simt.vector.emission import Emission
from advisor.simt.vector.lanes import I8, I32, I64, constant, is_vector, splat, vector
from advisor.simt.vector.layout import WORD, Context, Site, Space
from advisor.simt.vector.places import Place

SIDE_BY_SIDE, ONE_PLACE = 1, 2


class Ways:
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
    def __init__(self, ways: Ways, shape: int | None) -> None:
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
    def __init__(self, ways: Ways) -> None:
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
