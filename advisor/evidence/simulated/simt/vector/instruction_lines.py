"""LLVM instructions that are written as text at once.

llvmlite keeps an object with operands, attributes and metadata for each instruction and makes its text at the
end. Here most instructions are their line of text with a name and a type, which takes a third of the time and
memory. Those that get more operands later, and few others, stay llvmlite's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

_VOID = ir.VoidType()
_I1 = ir.IntType(1)
_COMPARISONS = {">": "gt", "<": "lt", "==": "eq", "!=": "ne", ">=": "ge", "<=": "le"}
_ZERO = "zeroinitializer"


class Line:
    """An instruction: its text, and the name and type of its result."""

    __slots__ = ("name", "text", "type")

    def __init__(self, kind: Any, text: str, name: str) -> None:
        self.type, self.text, self.name = kind, text, name

    def get_reference(self) -> str:
        """The name of the result as the text of other instructions gives it."""
        return self.name

    def __str__(self) -> str:
        return self.text

    @property
    def function_type(self) -> Any:
        """The type of the function that this pointer points to."""
        return self.type.pointee


class Branch(Line):
    """The branch at the end of a block, its `parent`."""

    __slots__ = ("parent",)

    def __init__(self, parent: Any, text: str) -> None:
        super().__init__(_VOID, text, "")
        self.parent = parent

    def set_weights(self, weights: Sequence[int]) -> None:
        """Say how often each way is taken beside the other."""
        module = self.parent.module
        numbers = (ir.Constant(ir.IntType(32), one) for one in weights)
        kept = module.add_metadata([ir.MetaDataString(module, "branch_weights"), *numbers])
        self.text += f", !prof {kept.get_reference()}"


class Written(ir.values.Constant):  # type: ignore[misc]
    """A constant given by its LLVM text, where the library's own text would list 32 elements."""

    def __init__(self, kind: Any, text: str) -> None:
        self.type = kind
        # What the library reads of a constant: the elements, checked where it is the mask of a shuffle.
        self.constant = ()
        self.text = text

    def get_reference(self) -> str:
        """The text of the constant."""
        return self.text


def _binary(operation: str) -> Callable[[LineBuilder, Any, Any], Line]:
    def write(self: LineBuilder, lhs: Any, rhs: Any) -> Line:
        kind = lhs.type
        if kind is not rhs.type and kind != rhs.type:
            raise ValueError(f"Operands must be the same type, got ({kind}, {rhs.type})")
        return self.line(kind, f"{operation} {kind} {lhs.get_reference()}, {rhs.get_reference()}")

    return write


def _cast(operation: str) -> Callable[[LineBuilder, Any, Any], Any]:
    def write(self: LineBuilder, value: Any, typ: Any) -> Any:
        kind = value.type
        if kind is typ or kind == typ:
            return value
        return self.line(typ, f"{operation} {kind} {value.get_reference()} to {typ}")

    return write


class LineBuilder(ir.IRBuilder):  # type: ignore[misc]
    """llvmlite's builder, of which most instructions are lines."""

    _numbers = itertools.count()

    add, sub, mul = _binary("add"), _binary("sub"), _binary("mul")
    udiv, sdiv, urem, srem = _binary("udiv"), _binary("sdiv"), _binary("urem"), _binary("srem")
    and_, or_, xor = _binary("and"), _binary("or"), _binary("xor")
    shl, lshr, ashr = _binary("shl"), _binary("lshr"), _binary("ashr")
    fadd, fsub, fmul, fdiv = _binary("fadd"), _binary("fsub"), _binary("fmul"), _binary("fdiv")
    trunc, zext, sext, bitcast = _cast("trunc"), _cast("zext"), _cast("sext"), _cast("bitcast")
    fptrunc, fpext = _cast("fptrunc"), _cast("fpext")
    fptosi, fptoui, sitofp, uitofp = _cast("fptosi"), _cast("fptoui"), _cast("sitofp"), _cast("uitofp")
    inttoptr, ptrtoint = _cast("inttoptr"), _cast("ptrtoint")

    def line(self, kind: Any, text: str) -> Line:
        """Add an instruction with a result."""
        # No name that llvmlite gives begins so.
        name = f"%v{next(self._numbers)}"
        made = Line(kind, f"{name} = {text}", name)
        self._insert(made)
        return made

    def effect(self, text: str) -> Line:
        """Add an instruction without a result."""
        made = Line(_VOID, text, "")
        self._insert(made)
        return made

    def branch(self, target: Any) -> Branch:
        """Go to a block."""
        made = Branch(self.block, f"br label {target.get_reference()}")
        self._set_terminator(made)
        return made

    def cbranch(self, cond: Any, truebr: Any, falsebr: Any) -> Branch:
        """Go to one block where a condition holds, else to another."""
        ways = f"label {truebr.get_reference()}, label {falsebr.get_reference()}"
        made = Branch(self.block, f"br {cond.type} {cond.get_reference()}, {ways}")
        self._set_terminator(made)
        return made

    def not_(self, value: Any) -> Line:
        """Each bit of a value the other way."""
        kind = value.type
        ones = f"splat ({kind.element} -1)" if isinstance(kind, ir.VectorType) else "-1"
        return self.line(kind, f"xor {kind} {value.get_reference()}, {ones}")

    def neg(self, value: Any) -> Line:
        """Zero less an integer."""
        kind = value.type
        zero = _ZERO if isinstance(kind, ir.VectorType) else "0"
        return self.line(kind, f"sub {kind} {zero}, {value.get_reference()}")

    def fneg(self, value: Any) -> Line:
        """A floating point value with the other sign."""
        return self.line(value.type, f"fneg {value.type} {value.get_reference()}")

    def icmp_signed(self, cmpop: str, lhs: Any, rhs: Any) -> Line:
        """Whether two integers compare so, as signed ones."""
        return self._compared("icmp", "" if cmpop in ("==", "!=") else "s", cmpop, lhs, rhs)

    def icmp_unsigned(self, cmpop: str, lhs: Any, rhs: Any) -> Line:
        """Whether two integers compare so, as unsigned ones."""
        return self._compared("icmp", "" if cmpop in ("==", "!=") else "u", cmpop, lhs, rhs)

    def fcmp_ordered(self, cmpop: str, lhs: Any, rhs: Any) -> Line:
        """Whether two values compare so and none is a NaN; also by `ord` and `uno`."""
        return self._compared("fcmp", "o" if cmpop in _COMPARISONS else "", cmpop, lhs, rhs)

    def fcmp_unordered(self, cmpop: str, lhs: Any, rhs: Any) -> Line:
        """Whether two values compare so or one is a NaN; also by `ord` and `uno`."""
        return self._compared("fcmp", "u" if cmpop in _COMPARISONS else "", cmpop, lhs, rhs)

    def _compared(self, operation: str, prefix: str, comparison: str, lhs: Any, rhs: Any) -> Line:
        kind = lhs.type
        result = ir.VectorType(_I1, kind.count) if isinstance(kind, ir.VectorType) else _I1
        name = prefix + _COMPARISONS.get(comparison, comparison)
        return self.line(result, f"{operation} {name} {kind} {lhs.get_reference()}, {rhs.get_reference()}")

    def select(self, cond: Any, lhs: Any, rhs: Any) -> Line:
        """One value where the condition holds, elsewhere the other."""
        kind = lhs.type
        assert kind == rhs.type
        one, other = lhs.get_reference(), rhs.get_reference()
        return self.line(kind, f"select {cond.type} {cond.get_reference()}, {kind} {one}, {kind} {other}")

    def load(self, ptr: Any, *, typ: Any, align: int | None = None) -> Line:
        """The value of a type behind a pointer."""
        if not isinstance(ptr.type, ir.PointerType):
            raise TypeError(f"cannot load from value of type {ptr.type}: not a pointer")
        aligned = f", align {align}" if align is not None else ""
        return self.line(typ, f"load {typ}, ptr {ptr.get_reference()}{aligned}")

    def store(self, value: Any, ptr: Any, align: int | None = None) -> Line:
        """Store a value behind a pointer."""
        if not isinstance(ptr.type, ir.PointerType):
            raise TypeError(f"cannot store to value of type {ptr.type}: not a pointer")
        aligned = f", align {align}" if align is not None else ""
        return self.effect(f"store {value.type} {value.get_reference()}, ptr {ptr.get_reference()}{aligned}")

    def gep(self, ptr: Any, indices: Sequence[Any], source_etype: Any) -> Line:
        """The address of an element behind a pointer."""
        places = ", ".join(f"{one.type} {one.get_reference()}" for one in indices)
        return self.line(ptr.type, f"getelementptr {source_etype}, ptr {ptr.get_reference()}, {places}")

    def call(self, fn: Any, args: Sequence[Any]) -> Line:
        """The result of a function."""
        kind = fn.function_type
        for number, (wanted, given) in enumerate(zip(kind.args, args, strict=True), 1):
            if wanted is not given.type and wanted != given.type:
                raise TypeError(f"Type of #{number} arg mismatch: {wanted} != {given.type}")
        convention = fn.calling_convention if isinstance(fn, ir.Function) else ""
        passed = ", ".join(f"{one.type} {one.get_reference()}" for one in args)
        result = kind.return_type
        text = f"call {convention} {result} {fn.get_reference()}({passed})"
        return self.effect(text) if isinstance(result, ir.VoidType) else self.line(result, text)

    def extract_element(self, vector: Any, idx: Any) -> Line:
        """One element of a vector."""
        if not isinstance(vector.type, ir.VectorType):
            raise TypeError("vector needs to be of VectorType.")
        if not isinstance(idx.type, ir.IntType):
            raise TypeError("index needs to be of IntType.")
        place = f"{idx.type} {idx.get_reference()}"
        return self.line(
            vector.type.element, f"extractelement {vector.type} {vector.get_reference()}, {place}"
        )

    def insert_element(self, vector: Any, value: Any, idx: Any) -> Line:
        """A vector with another element at a place."""
        kind = vector.type
        if not isinstance(kind, ir.VectorType):
            raise TypeError("vector needs to be of VectorType.")
        if value.type != kind.element:
            raise TypeError(f"value needs to be of type {kind.element}, not {value.type}.")
        element, place = f"{value.type} {value.get_reference()}", f"{idx.type} {idx.get_reference()}"
        return self.line(kind, f"insertelement {kind} {vector.get_reference()}, {element}, {place}")

    def shuffle_vector(self, vector1: Any, vector2: Any, mask: Any) -> Line:
        """Elements of two vectors by their numbers."""
        kind = vector1.type
        if kind != vector2.type:
            raise TypeError("vector1 needs to be the same type as vector2.")
        result = ir.VectorType(kind.element, mask.type.count)
        one, other = vector1.get_reference(), vector2.get_reference()
        chosen = f"{mask.type} {mask.get_reference()}"
        return self.line(result, f"shufflevector {kind} {one}, {kind} {other}, {chosen}")

    def extract_value(self, agg: Any, idx: int) -> Line:
        """One member of a structure."""
        return self.line(agg.type.elements[idx], f"extractvalue {agg.type} {agg.get_reference()}, {idx}")
