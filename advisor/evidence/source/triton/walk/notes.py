"""What the walk through a Triton kernel notes: accesses, products, atomics, branches, loops, blocks."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form
from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.walk.quantities import Quantity


@dataclass(frozen=True)
class LoopAround:
    """A loop around a place: the name of its counter, and whether `tl.static_range` unrolls it."""

    counter: str
    node: ast.For | ast.While
    unrolled: bool = False


@dataclass(frozen=True)
class Where:
    """Where something stands: the loops around it, the blocks of statements, and whether an `if` decides.

    `inside` is 0 in the kernel's own text, and more in functions that it calls. `settings` are the conditions
    around it that are known in compilation, as they are written.
    """

    loops: tuple[LoopAround, ...] = ()
    blocks: tuple[int, ...] = ()
    guarded: bool = False
    inside: int = 0
    order: int = 0
    settings: frozenset[str] = frozenset()


@dataclass
class AccessNote:
    """A load or a store; `reached` are the reductions that its undefined lanes flow into, by what route."""

    node: ast.Call
    where: Where
    kind: str
    address: Quantity
    mask: Quantity | None
    has_mask: bool
    has_other: bool
    checked: bool
    number: int
    volatile: bool = False
    zeros: bool = False
    reached: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class DotNote:
    """A `tl.dot`: shapes of its factors, and what is said of precision."""

    node: ast.Call
    where: Where
    left: Quantity
    right: Quantity
    precision_chosen: bool
    result_type: str | None
    accumulator: Quantity | None


@dataclass
class AtomicNote:
    """An atomic operation."""

    node: ast.Call
    where: Where
    operation: str
    address: Quantity
    result_used: bool


@dataclass
class ChoiceNote:
    """An `if` or `while` over a value, or a `tl.where`."""

    node: ast.expr
    where: Where
    kind: str
    condition: Quantity
    costly_sides: int = 0


@dataclass
class LoopNote:
    """A loop over a range: how many iterations it has, and what stands in it."""

    node: ast.For
    where: Where
    around: LoopAround
    iterations: int | None
    last: Quantity | None = None
    dots: int = 0


@dataclass
class ExtentNote:
    """A place where a number becomes the extent of a block: `tl.arange`, `tl.zeros`, `tl.full`."""

    node: ast.expr
    where: Where
    value: Quantity
    name: str | None


@dataclass
class PrintNote:
    """A print or a breakpoint of a kernel."""

    node: ast.Call
    where: Where
    name: str


@dataclass
class KernelNotes:
    """All that the walk through one function found.

    `bounds` are the positions that a size of the data bounds.
    """

    function: TritonFunction
    atoms: Atoms = field(default_factory=Atoms)
    accesses: list[AccessNote] = field(default_factory=list)
    dots: list[DotNote] = field(default_factory=list)
    atomics: list[AtomicNote] = field(default_factory=list)
    choices: list[ChoiceNote] = field(default_factory=list)
    loops: list[LoopNote] = field(default_factory=list)
    extents: list[ExtentNote] = field(default_factory=list)
    prints: list[PrintNote] = field(default_factory=list)
    reductions: int = 0
    assumed: bool = False
    complete: bool = True
    called: set[str] = field(default_factory=set)
    limits: set[str] = field(default_factory=set)
    bounds: set[Form] = field(default_factory=set)


def has_arange(form: Form) -> bool:
    """Whether a form holds a `tl.arange`."""
    return any(name.startswith("arange") for name in form.atoms())
