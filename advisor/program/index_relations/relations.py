"""What a kernel's text says of the sizes that it can be launched with: values that other code reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Extent:
    """The size of an array parameter along one axis, from 0; `array` is `t.0` for an item of a tuple."""

    array: str
    axis: int


@dataclass(frozen=True, slots=True, order=True)
class ScalarSize:
    """The value of an integer parameter; `name` is `t.0` for an item of a tuple."""

    name: str


Size: TypeAlias = "Extent | ScalarSize"
Unit: TypeAlias = Literal["grid", "block", "thread"]


@dataclass(frozen=True, slots=True)
class EqualSizes:
    """Sizes that must be equal, since one index is bounded by one of them and used with another.

    `least` is the smallest size that constant indices and constant trip counts allow; `thread_axis` (0, 1, 2
    for x, y, z) is the axis of the launch that runs along these sizes, None where none does.
    """

    sizes: tuple[Size, ...]
    least: int = 0
    thread_axis: int | None = None


@dataclass(frozen=True, slots=True)
class AxisUse:
    """How one axis of an array is indexed.

    `constants` is the largest constant index plus one, 0 where there is none; `varied` whether anything that
    is not constant is used; `unguarded` are the axes of the launch that index it without a bound; `beyond` is
    how many elements an index may lie beyond the equal sizes that the axis belongs to (`a[i + 1]`, i < n);
    `scattered` whether indices are used that no size and no number bounds, such as elements of arrays.
    """

    constants: int = 0
    varied: bool = False
    unguarded: frozenset[int] = frozenset()
    beyond: int = 0
    scattered: bool = False


@dataclass(frozen=True, slots=True)
class IndexTerm:
    """A term `x * w * …` of an index: `rows` bound x from above, each of them, `widths` are its factors.

    `axis` is the axis of the launch that x runs along, if it does; `unit` says whether x is then the number
    of the thread in the grid, of the block, or of the thread in its block.
    """

    rows: tuple[Size | int, ...] = ()
    axis: int | None = None
    unit: Unit = "grid"
    widths: tuple[Size | int, ...] = ()


@dataclass(frozen=True, slots=True)
class SumIndex:
    """An extent that a sum indexes: at least 1 + `offset` + the sum of (rows - 1) times widths.

    Where it `guards`, it is a size that a test compares the sum with, and may be smaller: threads whose sum
    is not below it do nothing.
    """

    size: Size
    terms: tuple[IndexTerm, ...]
    offset: int = 0
    guards: bool = False


@dataclass(frozen=True, slots=True)
class IndexRelations:
    """All that the text of a kernel and its device functions says of sizes.

    `index_of` gives for an array, or a scalar, the extents that its values are used as indices of;
    `index_steps` are the factors by which an index advances with these values (`a[3 * index[i]]`).
    `row_bounds` are arrays of which neighbouring elements bound a range (`range(p[i], p[i + 1])`).
    `scaled_floats` are floating point parameters from which an index is computed, `int(x[i] * n)`: values
    from 0 to 1 keep it below the size that they are multiplied by. `zeroed` are arrays whose elements begin
    as zero: locks that compare-and-swap changes, counters of which atomic operations hand out the values.
    `block_axes` and `grid_axes` are how many axes of the block and of the grid the kernel uses, 1 to 3, never
    more of the block than of the grid; `shared_shapes` the shapes of its
    arrays in shared memory, None for an extent that is not known. `data_branches` are places, path and line,
    where what a branch decides, or how often a loop runs, hangs on what arrays of the kernel hold, on real
    numbers that are computed for each thread, or on a constant whose value is a guess. `real_indices` are
    those of elements that such real numbers pick, with their array's name.
    """

    equal: tuple[EqualSizes, ...] = ()
    axes: dict[Extent, AxisUse] = field(default_factory=dict)
    sums: tuple[SumIndex, ...] = ()
    index_of: dict[str, tuple[Extent, ...]] = field(default_factory=dict)
    index_steps: dict[str, tuple[Size | int, ...]] = field(default_factory=dict)
    row_bounds: frozenset[str] = frozenset()
    scaled_floats: frozenset[str] = frozenset()
    zeroed: frozenset[str] = frozenset()
    block_axes: int = 1
    grid_axes: int = 1
    shared_shapes: tuple[tuple[int | None, ...], ...] = ()
    data_branches: frozenset[tuple[str, int]] = frozenset()
    real_indices: frozenset[tuple[str, int, str]] = frozenset()
