"""What the launches of a kernel show of it, over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.model.compilation_unit import StatedLaunch
from advisor.program.arrays.host_values import Order, agreed
from advisor.program.arrays.launch_arguments import Extents, Given
from advisor.program.effects.argument_types import OF_SOME_DIMENSIONS
from advisor.program.launches.block_shape import BlockShape


@dataclass
class LaunchedAs:
    """What the launches of one kernel show: block shapes, axes along which a grid is rounded up, one whose
    blocks share the data, arguments (types, sizes, orders, whether they are NumPy arrays, which the launch
    copies, and whether two are the same array); and whether tests alone launch it, or nothing does and no
    code names it (`never`). `stated` has the launches one by one.
    """

    blocks: list[BlockShape] = field(default_factory=list)
    rounded_axes: frozenset[str] = frozenset()
    cuts_data: bool = False
    by_tests: bool = False
    never: bool = False
    types: list[tuple[str | None, ...]] = field(default_factory=list)
    extents: list[tuple[Extents | None, ...]] = field(default_factory=list)
    orders: list[tuple[Order, ...]] = field(default_factory=list)
    given: list[tuple[Given, ...]] = field(default_factory=list)
    same: list[tuple[bool, ...]] = field(default_factory=list)
    stated: list[StatedLaunch] = field(default_factory=list)

    @property
    def everything(self) -> tuple[object, ...]:
        """All that decides what the source says of the kernel, to be compared."""
        arguments = (
            tuple(self.types),
            tuple(self.extents),
            tuple(self.orders),
            tuple(self.given),
            tuple(self.same),
            tuple((one.block, one.grid) for one in self.stated),
        )
        stated = tuple(
            (one.grid, one.block, one.arguments, one.block_is_share, one.sized_grid) for one in self.stated
        )
        return (
            tuple(self.blocks),
            self.rounded_axes,
            self.cuts_data,
            self.by_tests,
            self.never,
            *arguments,
            stated,
        )

    @property
    def single_axes(self) -> frozenset[str]:
        """The axes, x, y or z, along which each launch has one thread, in one block. None where a grid or
        a block is not known, and of launches by tests, which do not tell what a program's are.
        """
        if not self.stated or self.by_tests:
            return frozenset()
        return frozenset("xyz").intersection(*map(_single_axes, self.stated))

    def note(
        self,
        block: BlockShape | None,
        rounded_axes: frozenset[str],
        types: tuple[str | None, ...],
        extents: tuple[Extents | None, ...] = (),
        orders: tuple[Order, ...] = (),
        given: tuple[Given, ...] = (),
        same: tuple[bool, ...] = (),
        cuts_data: bool = False,
    ) -> None:
        """Add what one launch shows."""
        self.cuts_data |= cuts_data
        if same not in self.same:
            self.same.append(same)
        if given not in self.given:
            self.given.append(given)
        if orders not in self.orders:
            self.orders.append(orders)
        if extents not in self.extents:
            self.extents.append(extents)
        self.rounded_axes |= rounded_axes
        if block is not None and block not in self.blocks:
            self.blocks.append(block)
        if types not in self.types:
            self.types.append(types)

    def extents_of(self, parameters: Sequence[str]) -> dict[str, Extents]:
        """The sizes of those array parameters that all launches agree on."""
        if any(len(extents) != len(parameters) for extents in self.extents):
            return {}
        columns = zip(parameters, *self.extents, strict=True)
        return {name: found[0] for name, *found in columns if len(set(found)) == 1 and found[0]}

    def orders_of(self, parameters: Sequence[str]) -> dict[str, Order]:
        """The order in memory of each array parameter, over all launches."""
        fitting = [orders for orders in self.orders if len(orders) == len(parameters)]
        return {name: agreed(found) for name, *found in zip(parameters, *fitting, strict=True) if found}

    def same_of(self, parameters: Sequence[str]) -> frozenset[str]:
        """The parameters that a launch gives the same array as another one, or parts of one."""
        return frozenset(
            name for same in self.same for name, one in zip(parameters, same, strict=False) if one
        )

    def given_of(self, parameters: Sequence[str]) -> dict[str, Given]:
        """What all launches that tell give for a parameter, where one tells.

        A launch with another number of arguments would fail, and tells nothing; nor do tests tell what a
        program gives, since theirs is what is made in a line.
        """
        if () in self.given or self.by_tests:
            return {}
        fitting = [given for given in self.given if len(given) == len(parameters)]
        columns = zip(parameters, *fitting, strict=True)
        found = {name: {one for one in given if one} for name, *given in columns}
        # How many elements an array has that is no NumPy array stays open.
        empty: dict[str, Given] = {name: "empty" for name, one in found.items() if one == {"empty", "other"}}
        return {**{name: one.pop() for name, one in found.items() if len(one) == 1}, **empty}

    def variants(self) -> float | None:
        """How many combinations of argument types the launches show at least, None where no type is known."""
        if len({len(types) for types in self.types}) != 1:
            return None
        columns = [
            {one for one in column if one is not None and not one.endswith(OF_SOME_DIMENSIONS)}
            for column in zip(*self.types, strict=True)
        ]
        return float(max(map(len, columns), default=0)) or None

    def types_of(self, parameters: Sequence[str]) -> dict[str, str]:
        """The Numba types of those parameters that all launches agree on."""
        fitting = [types for types in self.types if len(types) == len(parameters)]
        if not fitting or len(fitting) < len(self.types):
            return {}
        columns = zip(parameters, *fitting, strict=True)
        return {name: text for name, *found in columns if (text := _agreed(found))}


def _single_axes(launch: StatedLaunch) -> frozenset[str]:
    grid, block = launch.sized_grid or launch.grid, launch.block
    if grid is None or block is None:
        return frozenset()
    counts = zip("xyz", [*grid, 1, 1][:3], [*block, 1, 1][:3], strict=True)
    return frozenset(axis for axis, blocks, threads in counts if blocks == threads == 1)


def _agreed(types: Sequence[str | None]) -> str | None:
    """The type that all of several are; one that lacks the dimensions may be any with its elements."""
    found = set(types)
    if None in found or len({str(one).partition("[")[0] for one in found}) > 1:
        return None
    whole = [one for one in found if one and not one.endswith(OF_SOME_DIMENSIONS)]
    return whole[0] if len(whole) == 1 else found.pop() if len(found) == 1 else None
