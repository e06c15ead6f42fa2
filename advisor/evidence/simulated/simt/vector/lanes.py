"""LLVM types and operations on values that are held once for a warp or once for each of its 32 lanes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.instruction_lines import LineBuilder, Written

LANES = 32
# The convention of functions that save every register they use, and the routines that follow it.
KEEPING_CONVENTION = "preserve_allcc"
KEEPING_VECTORS: set[str] = set()
I1, I8, I16, I32, I64, I128 = (ir.IntType(width) for width in (1, 8, 16, 32, 64, 128))
HALF, FLOAT, DOUBLE = ir.HalfType(), ir.FloatType(), ir.DoubleType()
POINTER = ir.PointerType()
VOID = ir.VoidType()

_FLOATS = {16: HALF, 32: FLOAT, 64: DOUBLE}
_INTEGERS = {8: I8, 16: I16, 32: I32, 64: I64, 128: I128}


def element_type(name: str) -> Any:
    """The LLVM type of a PTX type such as `u32`, `b64`, `f16` or `pred`; raises KeyError for another."""
    if name == "pred":
        return I1
    width = int(name.lstrip("busf"))
    return _FLOATS[width] if name[0] == "f" else _INTEGERS[width]


def width_of(kind: Any) -> int:
    """The bits of an element type."""
    if isinstance(kind, ir.IntType):
        return int(kind.width)
    widths: dict[Any, int] = {HALF: 16, FLOAT: 32, DOUBLE: 64}
    return widths[kind]


def integer_of(width: int) -> Any:
    """The integer type of so many bits."""
    return I1 if width == 1 else _INTEGERS[width]


def is_float(kind: Any) -> bool:
    """Whether an element type is a floating point one."""
    return kind in (HALF, FLOAT, DOUBLE)


@cache
def vector(kind: Any, count: int = LANES) -> Any:
    """The type of a value with one element for each lane."""
    return ir.VectorType(kind, count)


def is_vector(value: Any) -> bool:
    """Whether a value has one element for each lane."""
    return isinstance(value.type, ir.VectorType)


def element_of(value: Any) -> Any:
    """The element type of a value."""
    return value.type.element if is_vector(value) else value.type


def like(value: Any, kind: Any) -> Any:
    """The type with another element and the shape of a value."""
    return vector(kind, value.type.count) if is_vector(value) else kind


@lru_cache(maxsize=10_000)
def constant(kind: Any, number: int) -> Any:
    """An integer constant; for a floating point type the value that has these bits."""
    if is_float(kind):
        return ir.Constant(integer_of(width_of(kind)), number).bitcast(kind)
    if kind is I1:
        return ir.Constant(I1, bool(number))
    masked = number & ((1 << kind.width) - 1)
    signed = masked - (1 << kind.width) if masked >> (kind.width - 1) else masked
    return ir.Constant(kind, signed)


def splat(kind: Any, number: int, count: int = LANES) -> Any:
    """The vector constant with one integer in all lanes."""
    inner = constant(kind, number)
    return Written(vector(kind, count), f"splat ({kind} {inner.get_reference()})")


def same(value: Any, number: int) -> Any:
    """The integer constant with the type and shape of a value."""
    kind = element_of(value)
    return splat(kind, number, value.type.count) if is_vector(value) else constant(kind, number)


def lane_numbers(kind: Any = I32, factor: int = 1) -> Any:
    """The vector 0, factor, 2 factor … of the 32 lanes."""
    return ir.Constant(vector(kind), [lane * factor for lane in range(LANES)])


def intrinsic_name(name: str, *kinds: Any) -> str:
    """The name of an LLVM intrinsic overloaded for types."""
    return ".".join((name, *(_mangled(kind) for kind in kinds)))


def _mangled(kind: Any) -> str:
    if isinstance(kind, ir.VectorType):
        return f"v{kind.count}{_mangled(kind.element)}"
    if isinstance(kind, ir.IntType):
        return f"i{kind.width}"
    if isinstance(kind, ir.PointerType):
        return "p0"
    return {HALF: "f16", FLOAT: "f32", DOUBLE: "f64"}[kind]


class Builder(LineBuilder):
    """An instruction builder that knows lanes."""

    def alloca(self, typ: Any, size: Any = None, name: str = "") -> Any:
        """Memory on the stack for one value of a type."""
        made = super().alloca(typ, size, name)
        made.type = POINTER
        return made

    def declare(self, name: str, result: Any, arguments: Sequence[Any]) -> Any:
        """A function of the module by name, declared when it is not there yet."""
        known = self.module.globals.get(name)
        if known is not None:
            return known
        function = ir.Function(self.module, ir.FunctionType(result, list(arguments)), name)
        if name in KEEPING_VECTORS:
            function.calling_convention = KEEPING_CONVENTION
        return function

    def intrinsic(self, name: str, result: Any, arguments: Sequence[Any], overloads: Sequence[Any]) -> Any:
        """The result of an LLVM intrinsic."""
        function = self.declare(
            intrinsic_name(name, *overloads), result, [argument.type for argument in arguments]
        )
        return self.call(function, list(arguments))

    def elementwise(self, name: str, *arguments: Any) -> Any:
        """The result of an intrinsic whose result and arguments all have one type."""
        kind = arguments[0].type
        return self.intrinsic(name, kind, arguments, (kind,))

    def broadcast(self, value: Any, count: int = LANES) -> Any:
        """A value in all lanes; a vector as it is."""
        if is_vector(value):
            return value
        if isinstance(value, ir.Constant):
            return Written(vector(value.type, count), f"splat ({value.type} {value.get_reference()})")
        poison = Written(vector(value.type, count), "poison")
        first = self.insert_element(poison, value, ir.Constant(I32, 0))
        return self.shuffle_vector(first, poison, Written(vector(I32, count), "zeroinitializer"))

    def alike(self, *values: Any) -> tuple[Any, ...]:
        """The values, all for each lane when one of them is, else as they are."""
        if any(is_vector(value) for value in values):
            return tuple(self.broadcast(value) for value in values)
        return values

    def lane(self, value: Any, number: Any) -> Any:
        """The element of one lane."""
        return self.extract_element(value, number)

    def reduce(self, operation: str, value: Any) -> Any:
        """One element from all lanes by `umin`, `umax`, `add`, `or` …"""
        return self.intrinsic(f"llvm.vector.reduce.{operation}", value.type.element, (value,), (value.type,))

    def at(self, pointer: Any, offset: int | Any) -> Any:
        """The pointer so many bytes further on."""
        if isinstance(offset, int):
            if offset == 0:
                return pointer
            offset = ir.Constant(I64, offset)
        return self.gep(pointer, [offset], source_etype=I8)

    def get(self, pointer: Any, offset: int, kind: Any, align: int | None = None) -> Any:
        """The value of a type at a number of bytes behind a pointer."""
        return self.load(self.at(pointer, offset), typ=kind, align=align or _natural(kind))

    def put(self, value: Any, pointer: Any, offset: int, align: int | None = None) -> None:
        """Store a value a number of bytes behind a pointer."""
        self.store(value, self.at(pointer, offset), align=align or _natural(value.type))

    def bump(self, pointer: Any, offset: int, amount: Any) -> None:
        """Add to the 64-bit counter behind a pointer."""
        place = self.at(pointer, offset)
        self.store(self.add(self.load(place, typ=I64, align=8), amount), place, align=8)

    def bits(self, mask: Any) -> Any:
        """The 32-bit number with a bit for each lane of a vector of predicates."""
        return self.bitcast(mask, I32)

    def lanes_of(self, bits: Any) -> Any:
        """The vector of predicates of a 32-bit number."""
        return self.bitcast(bits, vector(I1))

    def population(self, bits: Any) -> Any:
        """The number of set bits."""
        return self.elementwise("llvm.ctpop", bits)


def _natural(kind: Any) -> int:
    if isinstance(kind, ir.VectorType):
        return min(64, max(1, int(kind.count) * width_of(kind.element) // 8))
    return 8 if isinstance(kind, ir.PointerType) else max(1, width_of(kind) // 8)
