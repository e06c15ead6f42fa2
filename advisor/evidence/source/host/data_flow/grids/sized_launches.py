"""A launch by the sizes that its grid, its block and its arguments are computed from."""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence.source.host.data_flow.grid_extents import HostFrame
from advisor.evidence.source.host.data_flow.grids.size_reader import SizeReader
from advisor.evidence.source.host.data_flow.grids.sizes import (
    Known,
    Leaf,
    Size,
    in_order,
    leaves,
    part_of,
    whole,
)
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name

AXES = "xyz"
# Primes, so that no usual block divides them, each size once larger and once smaller than the others.
_SAMPLES = ((1000003, 100003, 300007, 700001), (100003, 1000003, 700001, 300007))
_BLOCKS = 16, 8


@dataclass(frozen=True)
class SizedLaunch:
    """The sides of a launch's grid and block, and its numbers and sizes of arrays by the names that the walk
    through the kernel has for them.
    """

    grid: tuple[Size | None, ...]
    block: tuple[Size | None, ...]
    sizes: Mapping[str, Size]

    def samples(self) -> list[Sample]:
        """The launch for several choices of the sizes that the source leaves open."""
        every = [one for one in (*self.grid, *self.block, *self.sizes.values()) if one is not None]
        named = dict.fromkeys(leaf for one in every for leaf in in_order(one))
        found = [one for one in named if one not in self.threads]
        return [self._sample(found, *one) for one in zip(_SAMPLES, _BLOCKS, strict=True)]

    @property
    def threads(self) -> frozenset[Leaf]:
        """What the block is computed from."""
        return frozenset[Leaf]().union(*(leaves(one) for one in self.block if one is not None))

    def data(self, number: int) -> frozenset[Leaf]:
        """The sizes that a side of the grid is computed from, those of the block left out."""
        side = self.grid[number]
        return frozenset() if side is None else leaves(side) - self.threads

    def _sample(self, found: Iterable[Leaf], numbers: tuple[int, ...], block: int) -> Sample:
        given = {
            leaf: numbers[place % len(numbers)] + 30030 * (place // len(numbers))
            for place, leaf in enumerate(found)
        }
        given |= dict.fromkeys(self.threads, block)
        known = {name: whole(size, given) for name, size in self.sizes.items()}
        return Sample(
            tuple(whole(one, given) for one in self.grid),
            tuple(whole(one, given) for one in self.block),
            {name: size for name, size in known.items() if size is not None},
        )


@dataclass(frozen=True)
class Sample:
    """The numbers of a launch for one choice of sizes."""

    grid: tuple[int | None, ...]
    block: tuple[int | None, ...]
    sizes: Mapping[str, int]

    def threads(self, axis: int) -> int | None:
        """The threads of the grid along an axis."""
        blocks, threads = self.grid[axis], self.block[axis]
        return None if blocks is None or threads is None else blocks * threads


def sized_launch(launch: Launch, facts: KernelFacts, values: HostValues) -> SizedLaunch | None:
    """The launch by its sizes, None where the source does not show its configuration or its arguments."""
    configured = _configured(launch)
    here = not launch.in_helper and len(launch.arguments) == len(launch.node.args)
    if not here or not facts.complete:
        return None
    frame = HostFrame(launch.module, {})
    reader = SizeReader(values, _axes(launch, facts, SizeReader(values), frame))
    grid, block = _grid_and_block(configured, reader, frame)
    if not grid or not block:
        return None
    sizes = dict(_sizes(launch, facts, reader, frame))
    data = set[Leaf]().union(*(leaves(one) for one in sizes.values()))
    sides = set[Leaf]().union(*(leaves(one) for one in grid if one is not None and not _is_name(grid)))
    return SizedLaunch(_three(grid, data), _three(block, data | sides), sizes)


def _is_name(sides: Sequence[Size | None]) -> bool:
    """Whether sides are one name, which may stand for a number or for several."""
    return len(sides) == 1 and isinstance(sides[0], Leaf)


def _configured(launch: Launch) -> ast.expr:
    """The configured kernel that a launch calls, also where a name stands for it."""
    function = launch.node.func
    if isinstance(function, ast.Name):
        values = values_at(launch.module, function)
        function = values[0] if len(values) == 1 and values[0] is not None else function
    return function


def _grid_and_block(
    configured: ast.expr, reader: SizeReader, frame: HostFrame
) -> tuple[Sequence[Size | None], Sequence[Size | None]]:
    """The sides of a launch's grid and block, empty where they are not shown. `forall` has a thread for each
    of its tasks, in blocks of whatever size: here of one thread.
    """
    if isinstance(configured, ast.Subscript):
        grid, block = reader.configuration(configured.slice, frame) or ([], [])
        return grid, block
    if isinstance(configured, ast.Call) and called_name(configured) == "forall" and configured.args:
        return [reader.size(configured.args[0], frame)], [Known(1)]
    return [], []


def _three(sides: Sequence[Size | None], sizes: Collection[Leaf]) -> tuple[Size | None, ...]:
    """The sides along x, y and z. A name is a number where it is one of the known sizes, and that of several
    sides where its items are.
    """
    if _is_name(sides) and sides[0] not in sizes:
        assert isinstance(sides[0], Leaf)
        items = [part_of(sides[0], place) for place in range(len(AXES))]
        return tuple(one if one in sizes else None for one in items)
    return tuple([*sides, *[Known(1)] * (len(AXES) - len(sides))][: len(AXES)])


def _given(launch: Launch) -> Iterator[tuple[str, ast.expr]]:
    assert launch.kernel is not None
    yield from zip(launch.kernel.parameters, launch.arguments, strict=False)


def _axes(launch: Launch, facts: KernelFacts, reader: SizeReader, frame: HostFrame) -> dict[Hashable, int]:
    """How many axes the arrays of a launch have, by how its kernel indexes them."""
    found: dict[Hashable, int] = {}
    for parameter, argument in _given(launch):
        count = _indices(parameter, facts)
        array = reader.array(argument, frame) if count else None
        if array is not None and array.shape is None:
            found[array.key] = count
    return found


def _indices(parameter: str, facts: KernelFacts) -> int:
    accesses = (one for one in facts.accesses if one.array.parameter and one.array.name == parameter)
    return max((len(one.indices) for one in accesses), default=0)


def _sizes(
    launch: Launch, facts: KernelFacts, reader: SizeReader, frame: HostFrame
) -> Iterator[tuple[str, Size]]:
    for parameter, argument in _given(launch):
        count = _indices(parameter, facts)
        array = reader.array(argument, frame)
        if array is not None:
            for axis in range(max(count, 4 if array.shape is None else len(array.shape))):
                extent = array.extent(axis)
                if extent is not None:
                    yield f"{parameter}.shape[{axis}]", extent
            if array.elements is not None:
                yield f"{parameter}.size", array.elements
        number = None if count else reader.size(argument, frame)
        if number is not None:
            yield parameter, number
