"""What the compiler made of the kernels, as plain values that travel and can be cached."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.model.compilation_unit import Rejection
from advisor.model.errors import EvidenceUnavailable
from advisor.model.findings import Problem


@dataclass(frozen=True, slots=True)
class Target:
    """What to compile for: the device's compute capability, (9, 0) for an H100."""

    compute_capability: tuple[int, int]

    @classmethod
    def parse(cls, text: str) -> Target:
        """The target that a device file names, "9.0"; raises ValueError for other text."""
        major, minor = text.split(".")
        return cls((int(major), int(minor)))


@dataclass(frozen=True, slots=True)
class CodeLine:
    """The metrics of one source line: path, 1-based line, counts by the names of entity `line`."""

    path: str
    line: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Promotion:
    """The operations of a line that are float64 beside float32 data for a reason that is no float64 data.

    `cause` says which, in words, and `data` what is computed with or for. `known` is whether the source or a
    launch shows that some of that data is narrower, `assumed` whether that is a guess for some, and
    `reads_assumed` for some that they compute with; `from_guess` is whether the cause is one. `rounded` says
    that all that comes of them is whole numbers.
    """

    path: str
    line: int
    operations: int
    cause: str
    known: bool
    assumed: bool
    from_guess: bool
    reads_assumed: bool = False
    data: str = "on float32 data"
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The float64 data of arrays, by their names, that a line rounds to float32, and float64 results come of.

    `into` is the kernel's own array that it stores to, empty where it converts by name; `computed` is whether
    the kernel computes with such values in float32.
    """

    path: str
    line: int
    data: tuple[str, ...]
    into: str
    computed: bool


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One kernel's machine code in numbers.

    `types` is the typing that was compiled, `launch` the launch that showed it, if one did, and `assumptions`
    what it rests on (none when the source states it); `resources` are registers, and bytes of stack, spills,
    local and shared memory; `instructions` counts by class, absent classes are unknown; `lines`,
    `promotions` and `narrowings` in order of path and line.
    """

    types: tuple[str, ...]
    assumptions: tuple[str, ...]
    resources: dict[str, int]
    instructions: dict[str, int]
    lines: tuple[CodeLine, ...] = ()
    launch: str = ""
    promotions: tuple[Promotion, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()

    @property
    def assumed(self) -> bool:
        """Whether some parameter's type is a guess."""
        return bool(self.assumptions) and not self.launch


@dataclass
class CompiledEvidence:
    """What the compiler says of all units; `unavailable` when this machine lacks a part of the toolchain.

    `lost` are the problems, by kernel, of units that a compiler process did not live through; `rejections`
    say, by kernel, why no compiler takes it, where that is certain.
    """

    by_kernel: dict[str, CompiledKernel] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    lost: dict[str, Problem] = field(default_factory=dict)
    rejections: dict[str, tuple[Rejection, ...]] = field(default_factory=dict)
    unavailable: EvidenceUnavailable | None = None
