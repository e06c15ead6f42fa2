"""The space of a search: for each coordinate, where it can go from a configuration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from advisor.model.devices import Device
from advisor.model.errors import EvidenceUnavailable
from advisor.model.occupancy import occupancy
from advisor.runs.tuning.numbers import TuningNumbers
from advisor.runs.tuning.slots.numbers_in_source import Configuration, Slot
from advisor.runs.tuning.target import Target
from advisor.runs.tuning.trials.trials import Trial


@dataclass(frozen=True)
class BlockMoves:
    """All block sizes that the axes can take; axes of one thread stay."""

    axes: tuple[Slot, ...]
    numbers: TuningNumbers
    most_threads: int

    def moves(self, best: Trial) -> list[Configuration]:
        """The configurations with another block."""
        now = [best.configuration[slot.name] for slot in self.axes]
        active = [axis for axis, slot in enumerate(self.axes) if slot.value > 1] or [0]
        found = []
        for wanted in self._wanted(len(active)):
            block = list(now)
            for axis, threads in zip(active, wanted, strict=False):
                block[axis] = threads
            changes = {slot.name: threads for slot, threads in zip(self.axes, block, strict=True)}
            # One slot for two axes can only hold what both want.
            fits = [changes[slot.name] for slot in self.axes] == block
            if fits and block != now and prod(block) <= self.most_threads:
                found.append(best.configuration.changed(changes))
        return found

    def _wanted(self, axes: int) -> Iterator[tuple[int, ...]]:
        if axes == 1:
            yield from ((threads,) for threads in self.numbers.one_axis)
        else:
            yield from self.numbers.two_axes


@dataclass(frozen=True)
class ScaledMoves:
    """Constants that are multiplied together: one tile size, or all numbers that are equal at present.

    `axes` are those of the block, which some of the constants may be.
    """

    names: tuple[str, ...]
    factors: tuple[float, ...]
    axes: tuple[Slot, ...]
    most_threads: int

    def moves(self, best: Trial) -> list[Configuration]:
        """The configurations with these constants larger or smaller by a factor, rounded down."""
        found = []
        for factor in self.factors:
            values = {name: int(best.configuration[name] * factor) for name in self.names}
            wanted = best.configuration.changed(values)
            if (
                min(values.values()) >= 1
                and prod(wanted[slot.name] for slot in self.axes) <= self.most_threads
            ):
                found.append(wanted)
        return found


@dataclass(frozen=True)
class RegisterMoves:
    """Limits of registers that let more warps be resident than the kernel's own number of registers does."""

    name: str
    numbers: TuningNumbers
    device: Device

    def moves(self, best: Trial) -> list[Configuration]:
        """For each occupancy above the present one that a limit gives, the highest such limit."""
        if best.registers is None or best.occupancy is None or best.limiter != "registers":
            return []
        found, reached = [], best.occupancy
        for limit in sorted(self.numbers.register_limits, reverse=True):
            if limit >= best.registers:
                continue
            ratio = self._occupancy(limit, best)
            if ratio is not None and ratio > reached:
                reached = ratio
                found.append(best.configuration.changed({self.name: limit}))
        return found

    def _occupancy(self, registers: int, best: Trial) -> float | None:
        try:
            return occupancy(
                self.device,
                registers=registers,
                shared_bytes=best.shared_bytes,
                block_threads=prod(best.block),
            ).ratio
        except (EvidenceUnavailable, ValueError):
            return None


Coordinate = BlockMoves | ScaledMoves | RegisterMoves


def coordinates(target: Target, device: Device, numbers: TuningNumbers) -> list[Coordinate]:
    """The coordinates in the order in which they are searched: block, tiles, equal numbers, registers."""
    found: list[Coordinate] = []
    axes, most = target.block.axes, device.max_threads_per_block or 1
    if axes:
        found.append(BlockMoves(axes, numbers, most))
    groups = [*((slot.name,) for slot in target.tiles), *_equal_numbers(target)]
    found += [ScaledMoves(names, numbers.tile_factors, axes, most) for names in groups]
    if target.registers is not None:
        found.append(RegisterMoves(target.registers.name, numbers, device))
    return found


def _equal_numbers(target: Target) -> list[tuple[str, ...]]:
    """Groups of a tile constant with other numbers of its size: a block of 16 x 16 and a tile of 16."""
    tiles = {slot.name: slot.value for slot in target.tiles}
    axes = {slot.name: slot.value for slot in target.block.axes}
    groups: dict[int, list[str]] = {}
    for name, value in {**axes, **tiles}.items():
        groups.setdefault(value, []).append(name)
    return [
        tuple(names)
        for value, names in groups.items()
        if value > 1 and len(names) > 1 and any(name in tiles for name in names)
    ]
