"""Collects what indices, guards and loops say of sizes: union-find, and the uses of each axis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.program.index_relations.index_values import (
    Bound,
    Elements,
    Factor,
    Number,
    Share,
    Term,
    View,
    is_size,
    wholes,
)
from advisor.program.index_relations.relations import (
    AxisUse,
    EqualSizes,
    Extent,
    IndexRelations,
    IndexTerm,
    ScalarSize,
    Size,
    SumIndex,
)

_LARGEST = 1 << 31
# Of one size, more sums than these say nothing new.
_MOST_SUMS = 24


class CollectedRelations:
    """The relations that are found while a kernel is gone through; `relations` are all of them."""

    def __init__(self, arrays: Iterable[str]) -> None:
        """`arrays` are the names of the kernel's array parameters."""
        self._arrays = frozenset(arrays)
        self._parents: dict[Size, Size] = {}
        self._least: dict[Size, int] = {}
        self._thread_axes: dict[Size, int] = {}
        self._axes: dict[Extent, AxisUse] = defaultdict(AxisUse)
        self._sums: dict[Size, dict[SumIndex, None]] = defaultdict(dict)
        self._index_of: dict[str, set[Extent]] = defaultdict(set)
        self._steps: dict[str, tuple[Size | int, ...]] = {}
        self.row_bounds: set[str] = set()
        self.scaled_floats: set[str] = set()
        self.zeroed: set[str] = set()
        self.shared_shapes: dict[tuple[int | None, ...], None] = {}
        self.block_axes = self.grid_axes = 1

    # -- sizes that are equal ------------------------------------------------------------------------------
    def find(self, size: Size) -> Size:
        """The size that stands for all that are equal."""
        root = size
        while (parent := self._parents.setdefault(root, root)) != root:
            root = parent
        while self._parents[size] != root:
            self._parents[size], size = root, self._parents[size]
        return root

    def equal(self, one: Size, other: Size) -> None:
        """Note that two sizes are equal."""
        kept, joined = self.find(one), self.find(other)
        if kept != joined:
            self._parents[joined] = kept

    def at_least(self, size: Size, number: int) -> None:
        """Note the smallest value that a size may have."""
        if 0 < number < _LARGEST:
            self.find(size)
            self._least[size] = max(self._least.get(size, 0), number)

    def runs_along(self, size: Size, axis: int) -> None:
        """Note that threads of an axis of the launch run up to a size."""
        self.find(size)
        self._thread_axes.setdefault(size, axis)

    def uses_axes(self, of_block: int, of_grid: int) -> None:
        """Note how many axes of the block and of the grid are used."""
        self.block_axes = max(self.block_axes, min(of_block, 3))
        self.grid_axes = max(self.grid_axes, self.block_axes, min(of_grid, 3))

    def mention(self, factors: Iterable[Factor]) -> None:
        """Note that sizes bound something, so that they are as large as sizes are."""
        for one in factors:
            if isinstance(one, Extent | ScalarSize):
                self.find(one)

    # -- indices -------------------------------------------------------------------------------------------
    def index(self, view: View, number: Number, at: int = 0) -> None:
        """Note an index of the first axis of a view, or of a later one."""
        if at >= len(view.axes):
            return
        extent = Extent(view.array, view.axes[at])
        use = self._axes[extent]
        if (written := number.constant) is not None:
            size = written + 1 if written >= 0 else -written
            self._axes[extent] = replace(use, constants=max(use.constants, min(size, _LARGEST)))
            return
        self._axes[extent] = use = replace(use, varied=True)
        if number.uniform:
            self._same_for_all(extent, number)
            return
        for name in {name for term in number.terms for name in term.elements} | _bounding_arrays(number):
            self._index_of[name].add(extent)
        self._from_floats(extent, number)
        if self._bounded(extent, number):
            return
        position = number.position
        if number.single is not None or not number.terms:
            if number.single is not None and position is not None:
                if not number.single.bounds:
                    self._axes[extent] = replace(use, unguarded=use.unguarded | {position.axis})
            elif not _constants(number):
                self._axes[extent] = replace(use, scattered=True)
            return
        if any(term.elements or _arrays_below(term) for term in number.terms):
            # An offset that stands in an array: how far it reaches is for that array to say.
            self._axes[extent] = replace(use, scattered=True)
            self._advance(number)
            return
        if (tiled := _tiled(number)) is not None:
            self.equal(extent, tiled)
            return
        self._sum(extent, number)

    def _advance(self, number: Number) -> None:
        """Note by which factors an index advances with the elements of arrays."""
        for term in number.terms:
            widths = tuple(one for one in term.widths if isinstance(one, Extent | ScalarSize | int))
            for name in term.elements | _arrays_below(term) if widths else ():
                if len(widths) >= len(self._steps.get(name, ())):
                    self._steps[name] = widths
        terms = [one for term in number.terms if (one := _index_term(term)) is not None]
        for one in terms:
            self.mention((*one.rows, *one.widths))
        self._tie_widths(terms)

    def _same_for_all(self, extent: Extent, number: Number) -> None:
        """Note an index that all threads have, such as `n - 1` or a parameter."""
        factors = wholes(number.uniform)
        only = factors[0] if len(factors) == 1 else None
        if isinstance(only, Extent | ScalarSize):
            if number.offset < 0 or len(factors) < len(number.uniform):
                self.equal(extent, only)
            elif isinstance(only, ScalarSize):
                self._index_of[only.name].add(extent)
            return
        self._sum(extent, Number((), number.offset, (Term(frozenset({Bound((2,))}), widths=number.uniform),)))

    def _bounded(self, extent: Extent, number: Number) -> bool:
        """Note the sizes that bound a whole index; whether there are any."""
        single = number.single
        found = False
        for bound in single.bounds if single is not None else ():
            if isinstance(bound.of, Elements):
                continue
            factors = wholes(bound.of)
            only = factors[0] if len(factors) == 1 else None
            if isinstance(only, int):
                self.at_least(extent, only + bound.beyond + number.offset)
            elif isinstance(only, Extent | ScalarSize):
                found = True
                self._bounded_by(extent, only, bound.beyond + number.offset, number)
            elif factors and all(is_size(one) or isinstance(one, int) for one in factors):
                found = True
                self._sum(
                    extent,
                    Number((), number.offset, (Term(frozenset({Bound(factors[:1])}), widths=factors[1:]),)),
                )
        return found

    def _bounded_by(self, extent: Extent, size: Size, beyond: int, number: Number) -> None:
        self.equal(extent, size)
        if beyond > 0 and size != extent:
            use = self._axes[extent]
            self._axes[extent] = replace(use, beyond=max(use.beyond, min(beyond, _LARGEST)))
        if number.position is not None:
            self.runs_along(size, number.position.axis)

    def _from_floats(self, extent: Extent, number: Number) -> None:
        """Note which floating point numbers an index is computed from: those that something
        multiplies stay below 1, other arrays hold numbers up to the extent.
        """
        bounds = [bound for term in number.terms for bound in term.bounds]
        sized = any(not isinstance(bound.of, Elements) for bound in bounds)
        for name in number.floats:
            if name in self._arrays and not sized:
                self._index_of[name].add(extent)
            else:
                self.scaled_floats.add(name)

    # -- sums ----------------------------------------------------------------------------------------------
    def sum_below(self, size: Size, number: Number) -> None:
        """Note that a test compares a sum with a size."""
        self.find(size)
        self._sum(size, number, guards=True)

    def _sum(self, size: Size, number: Number, guards: bool = False) -> None:
        terms = tuple(one for term in number.terms if (one := _index_term(term)) is not None)
        if not terms:
            return
        for term in terms:
            # A number that all threads add is an offset: it may be of any size.
            alone = term.axis is None and all(isinstance(one, int) for one in term.rows) and term.rows
            self.mention(term.rows if alone and len(term.widths) == 1 else (*term.rows, *term.widths))
        found = self._sums[size]
        if len(found) < _MOST_SUMS:
            found[SumIndex(size, terms, number.offset, guards)] = None
        self._tie_widths(terms)

    def _tie_widths(self, terms: Sequence[IndexTerm]) -> None:
        """In `i * w + j` what bounds j is w."""
        for wide in terms:
            for narrow in terms:
                rest = list(wide.widths)
                for one in narrow.widths:
                    if one in rest:
                        rest.remove(one)
                if len(rest) == 1 and len(wide.widths) == len(narrow.widths) + 1 and len(narrow.rows) == 1:
                    width, rows = rest[0], narrow.rows[0]
                    if not isinstance(width, int) and not isinstance(rows, int):
                        self.equal(width, rows)

    # -- all of them ---------------------------------------------------------------------------------------
    def relations(
        self, data_branches: frozenset[tuple[str, int]], real_indices: frozenset[tuple[str, int, str]]
    ) -> IndexRelations:
        """All that was found."""
        return IndexRelations(
            equal=tuple(self._classes()),
            axes=dict(sorted(self._axes.items())),
            sums=tuple(one for found in self._sums.values() for one in found),
            index_of={name: tuple(sorted(found)) for name, found in sorted(self._index_of.items())},
            index_steps=dict(sorted(self._steps.items())),
            row_bounds=frozenset(self.row_bounds),
            scaled_floats=frozenset(self.scaled_floats),
            zeroed=frozenset(self.zeroed),
            block_axes=self.block_axes,
            grid_axes=self.grid_axes,
            shared_shapes=tuple(self.shared_shapes),
            data_branches=data_branches,
            real_indices=real_indices,
        )

    def _classes(self) -> Iterable[EqualSizes]:
        members: dict[Size, list[Size]] = defaultdict(list)
        for size in list(self._parents):
            members[self.find(size)].append(size)
        for sizes in members.values():
            ordered = sorted(sizes, key=_order)
            least = max(self._least.get(one, 0) for one in ordered)
            axes = [self._thread_axes[one] for one in ordered if one in self._thread_axes]
            yield EqualSizes(tuple(ordered), least, min(axes, default=None))


def _order(size: Size) -> tuple[int, str, int]:
    return (0, size.array, size.axis) if isinstance(size, Extent) else (1, size.name, 0)


def _is_number(bound: Bound) -> bool:
    return isinstance(bound.of, tuple) and all(isinstance(one, int) for one in bound.of)


def _constants(number: Number) -> bool:
    """Whether a number bounds a whole index."""
    return number.single is not None and any(_is_number(bound) for bound in number.single.bounds)


def _bounding_arrays(number: Number) -> set[str]:
    return {name for term in number.terms for name in _arrays_below(term)}


def _arrays_below(term: Term) -> set[str]:
    """The arrays whose elements bound a term."""
    return {bound.of.array for bound in term.bounds if isinstance(bound.of, Elements)}


def _tiled(number: Number) -> Size | None:
    """The size that an index goes along tile by tile, `t * 16 + x` with t below its 16th."""
    for term in number.terms:
        for bound in term.bounds if len(term.widths) == 1 else ():
            if isinstance(bound.of, tuple) and len(bound.of) == 2:
                size, share = bound.of
                tiles = isinstance(share, Share) and term.widths[0] == share.parts
                if tiles and isinstance(size, Extent | ScalarSize):
                    return size
    return None


def _index_term(term: Term) -> IndexTerm | None:
    """The term as other code reads it; None where it has a factor that only the launch knows."""
    widths = tuple(one for one in term.widths if isinstance(one, Extent | ScalarSize | int))
    if len(widths) != len(wholes(term.widths)):
        return None
    rows: list[Size | int] = []
    for bound in term.bounds:
        factors = wholes(bound.of) if isinstance(bound.of, tuple) else ()
        only = factors[0] if len(factors) == 1 else None
        if isinstance(only, int):
            rows.append(only + bound.beyond)
        elif isinstance(only, Extent | ScalarSize):
            rows.append(only)
    ordered = tuple(sorted(rows, key=repr))
    where = term.position
    if where is None:
        return IndexTerm(ordered, widths=widths)
    return IndexTerm(ordered, where.axis, where.unit, widths)
