"""What synthesised launches of a kernel have in common, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.evidence.simulated.simt.launch import Extent as Shape
from advisor.model.records import LineReading, Value


@dataclass(frozen=True, slots=True)
class MadeLaunch:
    """One launch that was made up, and how it went.

    `variant` says what is special about it ("odd sizes"); `ended` is whether it came to its end in time,
    `out_of_bounds` how many accesses left their array, `active` the part of lanes that were active.
    """

    variant: str
    grid: Shape
    block: Shape
    shapes: dict[str, tuple[int, ...]]
    scalars: dict[str, float]
    types: tuple[str, ...]
    ended: bool
    out_of_bounds: int
    active: float


@dataclass(frozen=True, slots=True)
class LineCounts:
    """What the launches agree about at one line: an access, an atomic operation or a branch.

    `values` are by metric of that entity; `most` gives what some of them are instead in launches that differ
    in where rows of arrays begin within sectors, in assumed types, or in how large a part of the data its
    edges are. `seen` gives, for each metric that they
    do not agree about, its value in each of the launches.
    """

    entity: str
    path: str
    line: int
    array: str
    space: str
    kind: str
    values: dict[str, Value | None]
    seen: dict[str, tuple[float | None, ...]] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What is known of a kernel by launches that were made up.

    `edges` are launches of which only branches count: how often a warp parts at the edges of the data.
    `values` are metrics of the kernel that all others agree about. `unknown` says why nothing is told, in a
    sentence, and is empty otherwise; `assumptions` are full sentences that hold for all values. `work` has
    the counts of a mean block of each launch (`block_work`), and is empty unless all of them are clean.
    """

    kernel: str
    launches: tuple[MadeLaunch, ...] = ()
    lines: tuple[LineCounts, ...] = ()
    values: dict[str, Value | None] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    unknown: str = ""
    edges: tuple[MadeLaunch, ...] = ()
    work: tuple[dict[str, float], ...] = ()

    def line_readings(self) -> list[LineReading]:
        """What is known of the kernel's lines, as readings for the records that stand there."""
        return [
            LineReading(
                one.entity, self.kernel, one.path, one.line, one.array, one.space, one.kind,
                dict(one.values), self.assumptions, dict(one.most),
            )
            for one in self.lines
            if one.values
        ]  # fmt: skip
