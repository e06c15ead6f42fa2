"""What is asked of a synthesised launch, as plain values that travel to another process."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from advisor.evidence.simulated.simt.launch import Extent as Shape
from advisor.model.machine_code.kernel_code import KernelCode
from advisor.program.index_relations.relations import IndexRelations


@dataclass(frozen=True, slots=True)
class KnownLaunch:
    """What the source says of a launch of the kernel; None, and what is absent, is not known, of the `grid`
    also along single axes.

    `shapes` are those of array arguments, None for an extent that is not known; `where` is the place of the
    launch, empty where there is none in sight. `other_blocks` are blocks of further launches, and of the same
    where the host code chooses one; grid, shapes and scalars are what all of them have. `any_block` is
    whether there are launches of which the block is not known.
    """

    block: Shape | None = None
    grid: tuple[int | None, int | None, int | None] | None = None
    shapes: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    scalars: dict[str, float] = field(default_factory=dict)
    dynamic_shared: int | None = None
    where: str = ""
    other_blocks: tuple[Shape, ...] = ()
    any_block: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What one kernel may cost: processor seconds of all its launches together, bytes of memory and of what
    it prints, and PTX instructions that are translated.
    """

    seconds: float
    memory_bytes: int
    instructions: int


@dataclass(frozen=True, slots=True)
class Request:
    """A kernel for which launches are to be made up.

    `codes` holds its code for the typing that is taken, and for a second one where types are assumed. Where
    names have second values, all but the first are with these, and a third is for the typing that is taken;
    `second_relations` are those of the kernel with these values, None where there are none. `places` gives
    for each function of the unit, in order, its path and the line of its first line.
    """

    kernel: str
    codes: tuple[KernelCode, ...]
    relations: IndexRelations
    launch: KnownLaunch
    places: tuple[tuple[str, int], ...]
    limits: Limits
    second_relations: IndexRelations | None = None

    def of_code(self, number: int) -> Request:
        """The request with the relations of one of the codes."""
        second = self.second_relations
        return self if number == 0 or second is None else replace(self, relations=second)
