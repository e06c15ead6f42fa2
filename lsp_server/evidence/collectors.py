"""The collectors of the editor's later levels of evidence: recorded launches, compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from advisor.check.collectors import DefaultCollectors
from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.evidence import LaunchEvidence, launch_evidence
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.evidence.simulated.launches.workloads import workload_folder
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import Device
from advisor.model.errors import UsageError
from advisor.model.findings import Problem, Report
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.config import cache_folder

if TYPE_CHECKING:
    from lsp_server.evidence.compiling import KernelCompiler
    from lsp_server.evidence.launching import KernelLauncher


def stores_of(options: CheckOptions) -> list[LaunchStore]:
    """The records of launches that exist in a project; those of workloads first."""
    root = options.settings.root
    stores = [LaunchStore(root, workload_folder(cache_folder(options.settings))), LaunchStore(root)]
    return [store for store in stores if store.exists()]


def has_measurements(options: CheckOptions) -> bool:
    """Whether a project that wants to be judged by measurements keeps any on this machine."""
    if not options.wants("measured"):
        return False
    from advisor.model.history.store import history_of

    store = history_of(options.settings)
    try:
        return not store.is_on_server and store.exists()
    finally:
        store.close()


def recorded_launches(
    texts: dict[str, str], device: Device, options: CheckOptions, report: Report
) -> list[LaunchEvidence]:
    """What recorded launches tell, with what went wrong added to the report; nothing is run."""
    found = []
    for store in stores_of(options):
        try:
            weigh = partial(launch_weight, device=device)
            evidence = launch_evidence(store, options.root, device, texts, weigh)
        except UsageError as error:
            report.notices.append(str(error))
            continue
        finally:
            store.close()
        report.notices += evidence.notices
        report.problems += [Problem(*item) for item in evidence.problems]
        found.append(evidence)
    return found


class DiskCollectors(DefaultCollectors):
    """Takes launches from the disk and machine code from `compiler`, or none; nothing is run.

    Launches that are made up come from `launcher`: those that it knows, and new ones where it `runs`.
    """

    # A workspace is not to send an editor to a server that it names, nor is typing to wait for one.
    asks_servers = False

    def __init__(
        self, compiler: KernelCompiler | None, launcher: KernelLauncher | None = None, runs: bool = False
    ) -> None:
        super().__init__()
        self._compiler, self._launcher, self._runs = compiler, launcher, runs

    @property
    def launches_are_made_up(self) -> bool:
        """Whether launches are made up for kernels of which none is known."""
        return self._launcher is not None

    def launches(
        self, texts: dict[str, str], device: Device, options: CheckOptions, report: Report
    ) -> list[LaunchEvidence]:
        """What recorded launches tell."""
        return recorded_launches(texts, device, options, report)

    def compiled(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        options: CheckOptions,  # noqa: ARG002
        report: Report,
        progress: Progress | None,
    ) -> list[Record]:
        """The records of the kernels that the compiler knows or compiles now."""
        if self._compiler is None:
            return []
        return self._compiler.records(units, device, report, progress)

    def synthesised(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        options: CheckOptions,  # noqa: ARG002
        report: Report,  # noqa: ARG002
        progress: Progress | None,
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for the kernels."""
        if self._launcher is None:
            return SynthesisedEvidence()
        return self._launcher.evidence(units, device, progress, runs=self._runs)

    def synthesised_of_triton(
        self,
        units: Sequence[TritonUnit],
        device: Device,
        options: CheckOptions,  # noqa: ARG002
        report: Report,  # noqa: ARG002
        progress: Progress | None,
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for kernels of Triton."""
        if self._launcher is None:
            return SynthesisedEvidence()
        return self._launcher.evidence_of_triton(units, device, progress, runs=self._runs)


class UnitsOnly(DefaultCollectors):
    """Compiles nothing, and keeps in `units` what would have been compiled."""

    asks_servers = False

    def __init__(self) -> None:
        super().__init__()
        self.units: list[CompilationUnit] = []

    def compiled(
        self,
        units: Sequence[CompilationUnit],
        device: Device,  # noqa: ARG002
        options: CheckOptions,  # noqa: ARG002
        report: Report,  # noqa: ARG002
        progress: Progress | None,  # noqa: ARG002
    ) -> list[Record]:
        """No records."""
        self.units += units
        return []
