"""What expressions of host code may stand for, as far as launches of kernels rest on it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from advisor.program.kernels.declarations import Declaration
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

# A kernel's configuration has a grid, a block, a stream and dynamic shared memory.
PARTS = ("griddim", "blockdim", "stream", "sharedmem")


@dataclass(frozen=True, slots=True)
class Operand:
    """An expression with the module it stands in and the calls that led into its function."""

    node: ast.expr
    module: ModuleSyntax = field(compare=False, repr=False)
    frame: Frame | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One call of a function: what it gives the parameters, the rest of its positional arguments, and the
    frame of the function around, whose names it reads.
    """

    function: FunctionNode | ast.Lambda
    given: Mapping[str, Operand]
    rest: tuple[Operand, ...] = ()
    owner: Object | None = None
    outer: Frame | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function compiled for the GPU."""

    node: ast.AST
    declaration: Declaration = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A grid and a block, written one by one (`parts`) or as one expression; parts are None where the library
    chooses them, as in `forall`.
    """

    whole: Operand | None
    parts: tuple[Operand | None, ...] | None


@dataclass(frozen=True, slots=True)
class Configured:
    """A kernel with its configuration, and arguments that a partial call gave it; None for a kernel that is
    not known, and then whether it is known to be none of the name that stands in `target`.
    """

    kernel: Kernel | None
    configuration: Configuration
    target: Operand
    arguments: tuple[Operand, ...] = ()
    otherwise: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function or a method of an object, defined in a frame, with arguments that a partial call gave it."""

    definition: FunctionNode | ast.Lambda
    module: ModuleSyntax = field(compare=False, repr=False)
    frame: Frame | None = field(default=None, repr=False)
    owner: Object | None = None
    arguments: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the workspace."""

    definition: ast.ClassDef
    module: ModuleSyntax = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RecordType:
    """A type whose objects are made of the values of its fields, as `namedtuple` makes them, with what a
    field holds where a call gives nothing, None where it has to.
    """

    fields: tuple[tuple[str, Held | None], ...]
    is_tuple: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a class, with the call of `__init__` that made it or its fields where these are known;
    without a class one of fields alone. Those of a tuple are its items too.
    """

    of: Class | None
    made: Frame | None = None
    fields: tuple[tuple[str, Held], ...] = ()
    is_tuple: bool = False


class Place(Enum):
    """A place in a holder that may be any: what is put under a key that the source does not fix."""

    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Items:
    """What a list, a tuple or a dictionary holds, each with its literal key, None for a place that is not
    known and has no other item, or `Place.ANYWHERE`.
    """

    held: tuple[tuple[object, Held], ...]


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the workspace."""

    syntax: ModuleSyntax = field(compare=False, repr=False)
    file: str


class Other(Enum):
    """What is not one of these: UNKNOWN may be a kernel of the name that stands there, OTHERWISE is none of
    that name, whatever else it is, and NOTHING is known to be none.
    """

    UNKNOWN = "unknown"
    OTHERWISE = "otherwise"
    NOTHING = "nothing"


Value: TypeAlias = Kernel | Configured | Function | Class | RecordType | Object | Items | Module | Other
Values: TypeAlias = tuple[Value, ...]
Held: TypeAlias = Operand | Values
UNKNOWN: Values = (Other.UNKNOWN,)
OTHERWISE: Values = (Other.OTHERWISE,)
NOTHING: Values = (Other.NOTHING,)


def is_open(values: Values) -> bool:
    """Whether more than what is known may stand there."""
    return any(
        one is Other.UNKNOWN or one is Other.OTHERWISE or (isinstance(one, Configured) and one.kernel is None)
        for one in values
    )


def kernels_in(values: Values) -> tuple[Kernel, ...]:
    """The kernels among values."""
    return tuple(one for one in values if isinstance(one, Kernel))


def joined(values: Iterable[Values]) -> Values:
    """All values of several, each once."""
    return tuple(dict.fromkeys(one for each in values for one in each))
