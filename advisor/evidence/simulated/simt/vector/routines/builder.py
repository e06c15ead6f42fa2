"""Writing functions of the runtime: a routine's builder with loops, and the table of all routines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    I64,
    KEEPING_CONVENTION,
    KEEPING_VECTORS,
    Builder,
    constant,
)
from advisor.evidence.simulated.simt.vector.layout import WORD, Context, Site

Write = Callable[["Routine"], None]
ROUTINES: dict[str, tuple[Any, tuple[Any, ...], Write]] = {}


class FunctionPointer(ir.PointerType):  # type: ignore[misc]
    """The type of an opaque pointer to a function; the library calls only what it knows to be one."""

    def __init__(self, pointee: Any) -> None:
        super().__init__()
        self.pointee = pointee


def routine(name: str, result: Any, *arguments: Any, keeps_vectors: bool = False) -> Callable[[Write], Write]:
    """A decorator that makes a function the writer of the routine with this name and type.

    A routine that keeps vectors saves all registers that it uses, so its caller need not.
    """

    def enter(write: Write) -> Write:
        ROUTINES[name] = (result, arguments, write)
        if keeps_vectors:
            KEEPING_VECTORS.add(name)
        return write

    return enter


def write_module() -> str:
    """The LLVM text of all routines."""
    module = ir.Module("runtime")
    for name, (result, arguments, _) in ROUTINES.items():
        function = ir.Function(module, ir.FunctionType(result, list(arguments)), name)
        if name in KEEPING_VECTORS:
            function.calling_convention = KEEPING_CONVENTION
    for name, (_, _, write) in ROUTINES.items():
        write(Routine(module.globals[name]))
    return str(module)


class Routine(Builder):
    """A builder at the begin of a routine; `arguments` are what it was called with."""

    def __init__(self, function: Any) -> None:
        super().__init__(function.append_basic_block("entry"))
        self.arguments: Sequence[Any] = function.args

    def number(self, value: int, kind: Any = I64) -> Any:
        """An integer constant."""
        return constant(kind, value)

    def variable(self, initial: Any) -> Any:
        """A place on the stack with a first value."""
        with self.goto_entry_block():
            place = self.alloca(initial.type)
        self.store(initial, place)
        return place

    def value(self, place: Any, kind: Any = I64) -> Any:
        """What a place on the stack holds."""
        return self.load(place, typ=kind)

    def context_word(self, context: Any, word: Context, kind: Any = I64) -> Any:
        """A word of the context."""
        return self.get(context, WORD * word, kind)

    def site_word(self, site: Any, word: Site) -> Any:
        """A word of a site's record."""
        return self.get(site, WORD * word, I64)

    def count(self, site: Any, word: Site, amount: Any) -> None:
        """Add to a counter of a site."""
        self.bump(site, WORD * word, amount)

    @contextmanager
    def loop(self, end: Any, begin: Any = None) -> Iterator[Any]:
        """A loop over the numbers from 0, or `begin`, up to an end, exclusive."""
        kind = end.type
        place = self.variable(constant(kind, 0) if begin is None else begin)
        with self.repeat(lambda: self.icmp_signed("<", self.value(place, kind), end)):
            number = self.value(place, kind)
            yield number
            self.store(self.add(self.value(place, kind), constant(kind, 1)), place)

    @contextmanager
    def repeat(self, condition: Callable[[], Any]) -> Iterator[None]:
        """A loop for as long as a condition holds that is asked before each round."""
        head = self.append_basic_block("head")
        body = self.append_basic_block("body")
        end = self.append_basic_block("end")
        self.branch(head)
        self.position_at_end(head)
        self.cbranch(condition(), body, end)
        self.position_at_end(body)
        yield
        self.branch(head)
        self.position_at_end(end)

    @contextmanager
    def each_lane(self, mask: Any) -> Iterator[Any]:
        """A loop over the numbers of the lanes in a mask, the lowest first, as 32-bit numbers."""
        pending = self.variable(mask)
        with self.repeat(lambda: self.icmp_unsigned("!=", self.value(pending, I32), self.number(0, I32))):
            now = self.value(pending, I32)
            lane = self.first_lane(now)
            yield lane
            rest = self.and_(now, self.sub(now, self.number(1, I32)))
            self.store(rest, pending)

    @contextmanager
    def each_group(self, values: Any, mask: Any) -> Iterator[tuple[Any, Any]]:
        """A loop over the different values among the lanes of a mask: the value and its lanes as bits."""
        pending = self.variable(mask)
        with self.repeat(lambda: self.icmp_unsigned("!=", self.value(pending, I32), self.number(0, I32))):
            now = self.value(pending, I32)
            one = self.lane(values, self.first_lane(now))
            equal = self.bits(self.icmp_unsigned("==", values, self.broadcast(one)))
            group = self.and_(now, equal)
            self.store(self.and_(now, self.not_(group)), pending)
            yield one, group

    def first_lane(self, bits: Any) -> Any:
        """The number of the lowest set bit of a 32-bit number that is not zero."""
        return self.intrinsic("llvm.cttz", I32, (bits, ir.Constant(I1, True)), (I32,))

    def spilled(self, value: Any) -> Any:
        """The address of a copy of a vector on the stack."""
        with self.goto_entry_block():
            place = self.alloca(value.type)
        self.store(value, place, align=64)
        return place

    def element(self, place: Any, kind: Any, lane: Any) -> Any:
        """The address of one element of a vector on the stack."""
        return self.gep(place, [lane], source_etype=kind)
