"""What the walk through a kernel finds: accesses, atomics, branches, loops, barriers, operations."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form, number
from advisor.program.arrays.host_values import Order
from advisor.program.arrays.launch_arguments import Given
from advisor.program.kernels.declarations import Declaration
from advisor.program.syntax.module import ModuleSyntax

Space: TypeAlias = Literal["global", "shared", "local", "constant", "unknown"]
Kind: TypeAlias = Literal["int", "float", "complex", "bool"] | None
# Single and double precision.
_REAL_ITEMSIZES = (4, 8)
_COMPLEX_ITEMSIZES = (8, 16)
_TRUTH_ITEMSIZES = (1, 1)


@dataclass
class Array:
    """An array parameter or one declared in the kernel; `dims` are constant extents, None when unknown.

    `made` are the sizes of the array that the launches pass, as far as they are known, and `order` how its
    elements lie in memory, None where nothing speaks against C order. `given` is what the launches in
    sight hand over for it, a NumPy array that they copy or one without elements. `complex_parts` says that
    the real or the imaginary part of an element is read, `truths` that elements are only tested.
    """

    name: str
    space: Space
    parameter: bool
    module: ModuleSyntax
    node: ast.AST
    dims: tuple[int | None, ...] = ()
    itemsize: int | None = None
    dtype: str | None = None
    made: tuple[int | None, ...] = ()
    order: Order = None
    given: Given = None
    complex_parts: bool = False
    truths: bool = False

    @property
    def likely_itemsizes(self) -> tuple[int, int]:
        """The bytes that an element has at least and at most, of usual types where the source tells none."""
        if self.itemsize:
            return self.itemsize, self.itemsize
        if self.truths:
            return _TRUTH_ITEMSIZES
        return _COMPLEX_ITEMSIZES if self.complex_parts else _REAL_ITEMSIZES


_ONE = number(1)


@dataclass(frozen=True)
class Index:
    """One index; `is_slice` marks a slice still to be indexed, from `form` on by `step`."""

    form: Form
    is_slice: bool = False
    step: Form = _ONE


@dataclass(frozen=True)
class View:
    """An array with its leading indices given, as `a[i]` or `a[i, :]` are."""

    array: Array
    prefix: tuple[Index, ...] = ()


@dataclass(frozen=True)
class Scalar:
    """A number: its form, its kind, and the view it was loaded through (it may turn out to be a row)."""

    form: Form
    kind: Kind = None
    view: View | None = None
    constant: float | str | None = None


@dataclass(frozen=True)
class Tuple:
    """A tuple of values."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Opaque:
    """Anything else: modules, functions, types; `name` is its dotted name when it has one."""

    name: str = ""


Value: TypeAlias = Scalar | View | Tuple | Opaque


@dataclass(frozen=True)
class Condition:
    """A test that encloses a place or left the kernel before it; `bounds` are the differences that it keeps
    below a bound (`advisor.evidence.source.kernel_walk.index_bounds`), `negated` says that the place is
    reached where the test fails, `alternatives` are those that each part of it keeps there where one part is
    enough.
    """

    depends: frozenset[str]
    loaded: bool
    single_lane: bool
    exit: bool
    node: ast.AST
    bounds: frozenset[Form] = frozenset()
    negated: bool = False
    alternatives: tuple[frozenset[Form], ...] = ()


@dataclass(frozen=True)
class LoopContext:
    """A loop around a place: its counter, what its trip count depends on, whether that follows from values
    in the kernel, whether it takes steps of the grid's size, and whether it has one iteration for each block
    along an axis of the grid; `stop`, `step` and `start` are those of its `range`, None without one.
    """

    counter: str
    trips: frozenset[str]
    trips_loaded: bool
    is_while: bool
    node: ast.AST
    trip_count: int | None = None
    over_range: bool = False
    of_values: bool = True
    steps_by_grid: bool = False
    counts_blocks: bool = False
    stop: Form | None = None
    step: Form | None = None
    start: Form | None = None


@dataclass(frozen=True)
class Place:
    """Where something stands: module, node, the loops and conditions around it."""

    module: ModuleSyntax
    node: ast.AST
    loops: tuple[LoopContext, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class RowUse:
    """A part of an array that a kernel hands to a device function: where, and to which function."""

    place: Place
    function: str
    prefix: tuple[Index, ...]


@dataclass(frozen=True)
class Access:
    """A load, store or update of an array element; `value_depends` is what a stored value depends on, and
    `changes_loaded` tells one that is computed from the element itself, which was loaded before.
    """

    place: Place
    array: Array
    indices: tuple[Index, ...]
    kind: Literal["load", "store", "update"]
    whole: bool = False
    row: RowUse | None = None
    value_depends: frozenset[str] = frozenset()
    changes_loaded: bool = False

    @cached_property
    def element(self) -> tuple[object, ...]:
        """What accesses to one element share: its array and the forms of its indices."""
        return (id(self.array), *(index.form for index in self.indices))

    @property
    def fastest(self) -> Index | None:
        """The index along which elements lie together, None where it is not known."""
        if not self.indices or (self.array.order == "unknown" and len(self.indices) > 1):
            return None
        return self.indices[0 if self.array.order == "F" else -1]


@dataclass(frozen=True)
class AtomicUse:
    """An atomic operation, behind how many of the kernel's accesses."""

    place: Place
    operation: str
    array: Array | None
    indices: tuple[Index, ...]
    spins: bool
    accesses: int = 0


@dataclass(frozen=True)
class DrawUse:
    """A call that draws a random number from one state of an array of states, and changes that state."""

    place: Place
    array: Array
    indices: tuple[Index, ...]


@dataclass(frozen=True)
class BranchUse:
    """An `if`, `while` or conditional expression."""

    place: Place
    depends: frozenset[str]
    loaded: bool
    is_loop: bool
    single_lane: bool
    serial_loop: bool


@dataclass(frozen=True)
class LoopUse:
    """A loop with what its trip count depends on, and in `takes` what the values do that it reads."""

    place: Place
    context: LoopContext
    body_depends_on_thread: bool
    stores: bool
    takes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class BarrierUse:
    """A barrier of the block, or `of_grid` one of all blocks; behind how many of the kernel's accesses."""

    place: Place
    accesses: int = 0
    of_grid: bool = False


@dataclass(frozen=True)
class Operands:
    """How the operands of a power or a division are written: exponent and base of a power, divisor of a
    division; `integers` is None where their types are not known, `wraps` is whether a modulo wraps a sum.
    `same_exponent` is whether all threads raise to the same power in all iterations.
    """

    exponent: str | None = None
    same_exponent: bool | None = None
    base: str | None = None
    divisor: str | None = None
    integers: bool | None = None
    wraps: bool = False


@dataclass(frozen=True)
class OperationUse:
    """A power, division or library call; `result` is the atom that stands for its value."""

    place: Place
    operator: str
    name: str
    operands: Operands
    depends: frozenset[str]
    loaded: bool
    truncated: bool
    constant_operands: bool
    result: str


@dataclass
class KernelFacts:
    """All that the walk through one kernel found; `complete` is False when the walk had to stop early."""

    declaration: Declaration
    atoms: Atoms = field(default_factory=Atoms)
    arrays: list[Array] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    atomics: list[AtomicUse] = field(default_factory=list)
    draws: list[DrawUse] = field(default_factory=list)
    branches: list[BranchUse] = field(default_factory=list)
    loops: list[LoopUse] = field(default_factory=list)
    barriers: list[BarrierUse] = field(default_factory=list)
    operations: list[OperationUse] = field(default_factory=list)
    index_atoms: set[str] = field(default_factory=set)
    thread_dimensions: set[str] = field(default_factory=set)
    # Behind how many accesses the lanes of a warp wait for each other.
    warp_barriers: list[int] = field(default_factory=list)
    # A memory fence stands in it, which orders what a thread does before and behind it.
    fenced: bool = False
    # The device functions that it calls, as often as it does.
    called: list[Declaration] = field(default_factory=list)
    # Comparisons that ask whether a fraction rounded toward zero is negative.
    truncated_tests: set[ast.AST] = field(default_factory=set)
    # Of global memory, by a warp; known once the accesses have records.
    estimated_sectors: float | None = None
    block_index_read: bool = False
    float64_cast: bool = False
    narrow_cast: bool = False
    # Threads of a block work together: shared memory, barriers, shuffles, or a function that is not known.
    threads_meet: bool = False
    # Rows that go to functions that are not known: the array and the leading indices, as `element` has them.
    rows_handed_on: set[tuple[object, ...]] = field(default_factory=set)
    # A function is called that is not known, which may ask for the thread's position.
    calls_unknown: bool = False
    complete: bool = True
    # Array parameters with atomics of which all uses are known, and which no launch gives twice.
    followed: frozenset[str] = frozenset()


class AccessGroups:
    """The accesses of a kernel that was walked to its end, each group in order of the walk."""

    def __init__(self, facts: KernelFacts) -> None:
        self._by_array: dict[int, list[Access]] = defaultdict(list)
        self._by_counter: dict[str, list[Access]] = defaultdict(list)
        for access in facts.accesses:
            self._by_array[id(access.array)].append(access)
            for counter in {loop.counter for loop in access.place.loops}:
                self._by_counter[counter].append(access)

    def of(self, array: Array) -> list[Access]:
        """The accesses to an array."""
        return self._by_array.get(id(array), [])

    def inside(self, counter: str) -> list[Access]:
        """The accesses in the loop with a counter."""
        return self._by_counter.get(counter, [])
