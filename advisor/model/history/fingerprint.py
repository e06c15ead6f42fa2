"""What the history keeps: runs, and fingerprints of the kernels that they launched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.model.records import Source, Value

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class KernelIdentity:
    """What makes two fingerprints comparable.

    `name` is the qualified name in the source, or the one that a report gives; `path` is relative to the root
    of the project, None when only a report knows the kernel; `source_hash` is that of the text of the `def`
    (`identity.functions`); `types` are Numba's types of the arguments. Unknown grids and blocks are None.
    """

    name: str
    path: str | None = None
    source_hash: str | None = None
    types: tuple[str, ...] = ()
    grid: Extent | None = None
    block: Extent | None = None
    dynamic_shared: int = 0


@dataclass(frozen=True)
class Timing:
    """Times of one kernel's launches, in milliseconds; `samples` are empty where only statistics are known.

    `deviation` is the standard deviation of the sample (n - 1), 0 for one time.
    """

    iterations: int
    mean: float
    median: float
    deviation: float
    least: float
    most: float
    samples: tuple[float, ...] = ()

    @property
    def variation(self) -> float | None:
        """The coefficient of variation, None for one time alone: it has no variation that could be known."""
        return self.deviation / self.mean if self.iterations > 1 and self.mean > 0 else None


@dataclass(frozen=True)
class LineMetrics:
    """The metrics of a place in the source; `entity` is "line", "access", "branch" or "atomic"."""

    path: str
    line: int
    entity: str
    metrics: Mapping[str, Value]


@dataclass(frozen=True)
class Fingerprint:
    """One kernel with one shape of its launch in one run.

    `launches` are those of one iteration of what was run. `source` is "measured", or "simulated" for what was
    predicted. `metrics` have names and base units of the entity `kernel` in the knowledge base; `ranges` are
    the NVTX ranges around the launches, outermost first; `line` is that of the `def`.
    """

    identity: KernelIdentity
    source: Source
    launches: int
    timing: Timing | None
    metrics: Mapping[str, Value] = field(default_factory=dict)
    lines: tuple[LineMetrics, ...] = ()
    ranges: tuple[str, ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class RunFacts:
    """Where fingerprints come from.

    `kind` is "profile", "import" or "recording"; `label` is what the user calls the run; `started` is in
    seconds since the epoch; `device` is a device of the knowledge base, or the name that a report gives;
    `executed_on` is "simt" or the GPU's name. `dirty` says whether files differed from the commit.
    """

    kind: str
    label: str
    command: str
    started: float
    device: str
    executed_on: str
    toolchain: Mapping[str, str] = field(default_factory=dict)
    commit: str | None = None
    dirty: bool | None = None


@dataclass(frozen=True)
class Run:
    """A run with what was found in it, as it is written and read.

    `metrics` are those of the entity `run`; `notes` say what could not be had and why; `host` holds samples
    of NVML, transfers and calls as JSON. `status` is "running", "done", "failed" or "broken off".
    """

    facts: RunFacts
    metrics: Mapping[str, Value] = field(default_factory=dict)
    fingerprints: tuple[Fingerprint, ...] = ()
    notes: tuple[str, ...] = ()
    host: Mapping[str, Any] = field(default_factory=dict)
    id: int | None = None
    status: str = "done"


@dataclass(frozen=True)
class KernelRun:
    """A run that measured a kernel, and the hash of the text that it was of, None where that is not known."""

    run: int
    device: str
    source_hash: str | None
