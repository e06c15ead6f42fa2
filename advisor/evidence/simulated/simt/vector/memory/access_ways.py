"""The ways of a memory access in the code: fast ones that a test opens, and the general one.

A warp's addresses are classed once for each address register of a block: all lanes side by side, all at one
place, or neither.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import I1, I32, I64, is_vector, splat
from advisor.evidence.simulated.simt.vector.layout import Space
from advisor.evidence.simulated.simt.vector.memory.places import Place
from advisor.evidence.simulated.simt.vector.translation.emission import Emission

SIDE_BY_SIDE, ONE_PLACE = 1, 2
# The spaces whose accesses are not counted as those of global memory are.
_COUNTED_AS = {Space.SHARED: "shared", Space.CONSTANT: "constant"}


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
        """A context in which the code of the general way is written; gives the lanes' addresses as they are.

        Those of a generic access are generic ones.
        """
        return _Otherwise(self)

    def give(self, values: list[Any]) -> None:
        """End a way with what it read."""
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
        builder = e.builder
        self.next = builder.append_basic_block("other")
        inner = builder.append_basic_block("way")
        if self.shape is not None:
            check = builder.append_basic_block("check")
            builder.cbranch(
                builder.icmp_unsigned("==", ways.shape, ir.Constant(I32, self.shape)), check, self.next
            )
            builder.position_at_end(check)
        address = self._address()
        builder.cbranch(self._passes(address), inner, ways.slow)
        builder.position_at_end(inner)
        return address, None

    def _address(self) -> Any:
        ways = self.ways
        start = ways.place.base if self.shape is None else ways.start
        offset = ways.place.offset
        return ways.e.builder.add(start, ir.Constant(I64, offset)) if offset else start

    def _passes(self, address: Any) -> Any:
        """Whether the access is within bounds and may take the fast way; it is counted then."""
        e, place = self.ways.e, self.ways.place
        space = _COUNTED_AS.get(place.access.space, "global")
        kind = f"{space}_{place.access.size}"
        if self.shape == SIDE_BY_SIDE:
            return e.call(f"row_{kind}", I1, place.site, address, *e.reach(place.mask))
        if self.shape == ONE_PLACE:
            return e.call(f"one_{kind}", I1, place.site, address)
        return e.call(f"alone_{kind}", I1, place.site, address, e.context, place.mask)

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
        return builder.add(base, splat(I64, place.offset)) if place.offset else base

    def __exit__(self, *exception: object) -> None:
        return None
