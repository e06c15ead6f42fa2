"""The values of one block while its instructions are translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Float,
    Instruction,
    Integer,
    Operand,
    Register,
    SpecialRegister,
    Symbol,
)
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    I1,
    I32,
    I64,
    Builder,
    constant,
    element_of,
    integer_of,
    is_float,
    is_vector,
    like,
    vector,
    width_of,
)
from advisor.evidence.simulated.simt.vector.layout import WORD, Context
from advisor.evidence.simulated.simt.vector.translation.names import Names

Handler = Callable[["Emission", Instruction], None]
HANDLERS: dict[str, Handler] = {}


def handles(*opcodes: str) -> Callable[[Handler], Handler]:
    """A decorator that makes a function the translation of these opcodes."""

    def enter(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(opcodes, handler))
        return handler

    return enter


class Emission:
    """Reads and writes of PTX operands as LLVM values, for one block at a time.

    A value is held once (an LLVM scalar) where all lanes have the same, else as a vector of 32.
    """

    def __init__(self, builder: Builder, names: Names, state: Any, context: Any) -> None:
        self.builder = builder
        self.names = names
        self.state = state
        self.context = context
        self.mask: Any = None
        self.lanes: Any = None
        self.reach_places: tuple[Any, Any] = (None, None)
        self.values: dict[str, Any] = {}
        self.memo: dict[Any, Any] = {}

    def enter_block(self, mask: Any) -> None:
        """Forget the values of the block before. `mask` holds a bit for each running lane."""
        self.mask = mask
        self.values = {}
        self.memo = {}
        self.lanes = self.builder.lanes_of(mask)

    def reach(self, mask: Any) -> tuple[Any, Any]:
        """The number of the first lane of a mask and that behind its last one, 64 bits."""
        if mask is not self.mask:
            return self._reach_of(mask)
        first, behind = (self.builder.load(place, typ=I64) for place in self.reach_places)
        return first, behind

    def keep_reach(self, mask: Any) -> None:
        """Keep the reach of the lanes that run next."""
        for value, place in zip(self._reach_of(mask), self.reach_places, strict=True):
            self.builder.store(value, place)

    def _reach_of(self, mask: Any) -> tuple[Any, Any]:
        builder, flag = self.builder, ir.Constant(I1, False)
        first = builder.intrinsic("llvm.cttz", I32, (mask, flag), (I32,))
        zeros = builder.intrinsic("llvm.ctlz", I32, (mask, flag), (I32,))
        behind = builder.sub(ir.Constant(I32, 32), zeros)
        return builder.zext(first, I64), builder.zext(behind, I64)

    def last_lane(self, mask: Any) -> Any:
        """The number of the last lane of a mask."""
        return self.builder.sub(self.reach(mask)[1], ir.Constant(I64, 1))

    def keep_alive(self, value: Any) -> None:
        """Keep a value that a memo knows by its identity."""
        self.memo.setdefault("kept", []).append(value)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once in this block; only for what dominates the rest of the block."""
        if key not in self.memo:
            self.memo[key] = make()
        return self.memo[key]

    def context_word(self, word: Context, kind: Any = I64) -> Any:
        """A word of the context, an integer or pointer."""
        return self.builder.get(self.context, WORD * word, kind)

    def special(self, word: Context) -> Any:
        """A 32-bit special register that the context holds."""
        return self.once(word, lambda: self.context_word(word, I32))

    # Reading

    def read(self, operand: Operand, kind: Any) -> Any:
        """The value of an operand as an element type, a vector or not."""
        if isinstance(operand, Register):
            value = self.register(operand.name)
            value = self.convert(value, kind)
            return self.builder.not_(value) if operand.negated else value
        if isinstance(operand, Integer):
            return constant(kind, operand.value)
        if isinstance(operand, Float):
            return self._float(operand, kind)
        if isinstance(operand, SpecialRegister):
            return self.convert(self.names.special(self, operand.name), kind)
        if isinstance(operand, Symbol):
            return self.convert(self.names.address(self, operand.name), kind)
        raise TypeError(f"{operand} is not a value")

    def read_vector(self, operand: Operand, kind: Any) -> Any:
        """The value of an operand for each lane."""
        return self.builder.broadcast(self.read(operand, kind))

    def reads(self, item: Instruction, kind: Any, first: int = 1) -> tuple[Any, ...]:
        """The values of the operands from number `first` on, alike in shape."""
        return self.builder.alike(*(self.read(operand, kind) for operand in item.operands[first:]))

    def register(self, name: str) -> Any:
        """The value of a register."""
        if name not in self.values:
            self.values[name] = self.names.load(self, name)
        return self.values[name]

    def convert(self, value: Any, kind: Any) -> Any:
        """The bits of a value as another type; a narrower one takes the low bits."""
        has = element_of(value)
        if has is kind or has == kind:
            return value
        builder = self.builder
        if is_float(has):
            value = builder.bitcast(value, like(value, integer_of(width_of(has))))
        have, want = width_of(element_of(value)), width_of(kind)
        if have > want:
            value = builder.trunc(value, like(value, integer_of(want)))
        elif have < want:
            value = builder.zext(value, like(value, integer_of(want)))
        return builder.bitcast(value, like(value, kind)) if is_float(kind) else value

    def _float(self, operand: Float, kind: Any) -> Any:
        own = FLOAT if operand.width == 32 else DOUBLE
        if is_float(kind) and kind is not own:
            raise ValueError("a constant of another width")
        return constant(kind if is_float(kind) else integer_of(operand.width), operand.bits)

    # Writing

    def write(self, item: Instruction, value: Any, operand: Operand | None = None) -> None:
        """Make a value the result of an instruction, for the lanes of its predicate."""
        target = item.operands[0] if operand is None else operand
        if not isinstance(target, Register):
            raise TypeError(f"{target} is not a register")
        if target.name == "_":
            return
        kind = self.names.type_of(target.name)
        has = element_of(value)
        if width_of(has) < width_of(kind):
            value = self.builder.zext(self.as_integer(value), like(value, integer_of(width_of(kind))))
        value = self.convert(value, kind)
        if item.predicate is not None:
            value = self.choose(self.read(item.predicate, I1), value, self.register(target.name))
        self.values[target.name] = value

    def as_integer(self, value: Any) -> Any:
        """The bits of a value as an integer of its width."""
        return self.convert(value, integer_of(width_of(element_of(value))))

    def choose(self, predicate: Any, one: Any, other: Any) -> Any:
        """One value where the predicate holds, elsewhere the other."""
        builder = self.builder
        if is_vector(predicate):
            return builder.select(predicate, builder.broadcast(one), builder.broadcast(other))
        return builder.select(predicate, *builder.alike(one, other))

    def active(self, item: Instruction) -> Any:
        """The bits of the lanes that run an instruction: those of the block under its predicate."""
        if item.predicate is None:
            return self.mask
        predicate = self.read(item.predicate, I1)
        if is_vector(predicate):
            return self.builder.and_(self.mask, self.builder.bits(predicate))
        return self.builder.select(predicate, self.mask, ir.Constant(I32, 0))

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """The result of a function of the runtime."""
        function = self.builder.declare(name, result, [argument.type for argument in arguments])
        return self.builder.call(function, list(arguments))

    def lanes_pointer(self, key: str, kind: Any) -> Any:
        """Scratch memory for one vector, on the stack of the warp's function."""
        return self.once(("scratch", key), lambda: self.names.scratch(self, vector(kind)))

    def unsupported(self, item: Instruction, reason: str = "") -> Unsupported:
        """The error for an instruction that is not executed."""
        return Unsupported(item, reason)
