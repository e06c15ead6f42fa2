"""A PTX module as data: functions, variables, instructions with their operands and source lines.

Names are those of the PTX ISA, https://docs.nvidia.com/cuda/parallel-thread-execution/.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source file; `inlined_at` is the call that this code was inlined into, None for none."""

    file: str
    line: int
    column: int
    inlined_at: Location | None = None

    @property
    def outermost(self) -> Location:
        """The place in the function that was not inlined."""
        return self.inlined_at.outermost if self.inlined_at else self


@dataclass(frozen=True, slots=True)
class Register:
    """A register of the function; `negated` for a predicate that is read as its opposite."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class SpecialRegister:
    """A register that the machine sets: `tid.x`, `laneid`, `clock64` …, without its percent sign."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer constant as written; it takes the width of the instruction's type."""

    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating point constant by its exact bits, 32 or 64 of them (`0f…`, `0d…`)."""

    bits: int
    width: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """The name of a variable, parameter, function or label."""

    name: str


@dataclass(frozen=True, slots=True)
class Address:
    """What stands in square brackets: a base and a number of bytes."""

    base: Register | Symbol | Integer
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Operands in braces (a vector), in brackets (a call's list), or on both sides of a bar (two results)."""

    items: tuple[Operand, ...]


Operand: TypeAlias = Register | SpecialRegister | Integer | Float | Symbol | Address | Group


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: `ld.global.v4.f32` has the opcode ld, modifiers (global, v4) and types (f32,)."""

    opcode: str
    modifiers: tuple[str, ...]
    types: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicate: Register | None
    location: Location | None
    text_line: int

    @property
    def name(self) -> str:
        """The opcode with its modifiers and types, as written."""
        return ".".join((self.opcode, *self.modifiers, *self.types))


# Python reads no number of thousands of digits, and no text has so many registers.
_LONGEST_NUMBER = 18


@dataclass(frozen=True, slots=True)
class Variable:
    """Memory with a name; `initial` are its bytes where they are given, a size of 0 is a dynamic one."""

    name: str
    space: str
    type: str
    align: int
    size: int
    initial: bytes | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter or result of a function, `size` and `align` in bytes; a `pointer` is declared as one."""

    name: str
    type: str
    align: int
    size: int
    pointer: bool = False


@dataclass
class Function:
    """A kernel (`entry`) or device function; `labels` gives the number of the instruction behind each label.

    A function without a body (`instructions` empty and `external`) is answered by the machine itself.
    `registers` gives the type of each register, single ones and ranges expanded on demand by `type_of`.
    """

    name: str
    entry: bool
    parameters: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    external: bool = False
    registers: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, tuple[str, int]] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def type_of(self, register: str) -> str | None:
        """The declared type of a register, None for one that is not declared."""
        known = self.registers.get(register)
        if known is not None:
            return known
        stem = register.rstrip("0123456789")
        declared = self.ranges.get(stem)
        number = register[len(stem) :]
        if declared is None or not 0 < len(number) <= _LONGEST_NUMBER:
            return None
        return declared[0] if int(number) < declared[1] else None


@dataclass
class Module:
    """One PTX text: its version and target, and what it declares, by name.

    `digest` is that of the text, `code_digest` that of the text without the places of the source.
    """

    digest: str = ""
    code_digest: str = ""
    version: str = ""
    target: str = ""
    address_size: int = 64
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
