"""Where the evidence of a check comes from: the source, the compiler, launches and the history."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from advisor.check.inputs import Inputs
from advisor.evidence.metrics.joining import join
from advisor.evidence.source.analysis import ENTITIES as SOURCE_ENTITIES
from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.evidence.source.analysis_memory import AnalysisMemory
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit
from advisor.model.devices import Device
from advisor.model.errors import AdvisorError, EvidenceUnavailable, SourceProblem, UsageError
from advisor.model.findings import Problem, Report
from advisor.model.machine_code.gpu_extra import missing_translator
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.records import LineReading, Record
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.text.source_text import read_source

if TYPE_CHECKING:
    from advisor.evidence.compiled import CompiledEvidence
    from advisor.evidence.compiled.kernel_codes import KernelCodes
    from advisor.evidence.measured.evidence import MeasuredShape
    from advisor.evidence.simulated.launches.evidence import LaunchEvidence
    from advisor.evidence.simulated.launches.store import LaunchStore
    from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
    from advisor.model.storage.cache import Cache

_COMPILE_SECONDS = 60.0
# What a record of the source is told of the machine code of its line, by entity.
_OF_LINE = {"loop": "head_instructions", "operation": "line_instructions"}


@dataclass(frozen=True)
class MeasuredRecords:
    """Records of what was measured, and the shapes of the launches of kernels that have several."""

    records: Sequence[Record] = ()
    shapes: Mapping[str, Sequence[MeasuredShape]] = field(default_factory=dict)


class Collectors(Protocol):
    """Collects the evidence of a check from each source; what went wrong is added to the report.

    `DefaultCollectors` is the one of the command line. The language server has others, which look again only
    at what an edit has changed, and run nothing.
    """

    def source(self, inputs: Inputs, options: CheckOptions, progress: Progress | None) -> SourceEvidence:
        """What the source says. Raises SourceProblem where the text on standard input cannot be read."""

    def launches(
        self, texts: dict[str, str], device: Device, options: CheckOptions, report: Report
    ) -> list[LaunchEvidence]:
        """What launches of kernels in the files show that were recorded, or that a workload makes.

        `texts` are the checked files by path.
        """

    def compiled(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        options: CheckOptions,
        report: Report,
        progress: Progress | None,
    ) -> list[Record]:
        """The records of compiled kernels and of their lines."""

    def synthesised(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        options: CheckOptions,
        report: Report,
        progress: Progress | None,
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for kernels, of the code that `compiled` made of them."""

    def synthesised_of_triton(
        self,
        units: Sequence[TritonUnit],
        device: Device,
        options: CheckOptions,
        report: Report,
        progress: Progress | None,
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for kernels of Triton."""

    def measured(
        self,
        records: Sequence[Record],
        texts: dict[str, str],
        device: Device,
        options: CheckOptions,
        report: Report,
    ) -> MeasuredRecords:
        """What the latest measurements of the kernels in `records` tell."""


class DefaultCollectors:
    """The collectors of the command line: files on the disk, worker processes, the project's history.

    `memory` keeps what files said for the next check of the same command. `asks_servers` says whether a
    history on a server is asked.
    """

    asks_servers = True

    def __init__(self, memory: AnalysisMemory | None = None) -> None:
        self._memory = memory
        self._codes: KernelCodes | None = None

    def source(self, inputs: Inputs, options: CheckOptions, progress: Progress | None) -> SourceEvidence:
        """What the source says; what `memory` holds of unchanged files is not looked for again."""
        return analyse(
            inputs.checked,
            options.root,
            workspace_files=inputs.workspace_files,
            stdin=inputs.stdin,
            with_units=options.wants("compiled"),
            jobs=_jobs(options),
            step=(lambda done, total: progress("reading source", done, total)) if progress else None,
            memory=self._memory,
        )

    def launches(
        self,
        texts: dict[str, str],
        device: Device,
        options: CheckOptions,
        report: Report,
    ) -> list[LaunchEvidence]:
        """What launches tell: those of workloads in the files, then those recorded by `advisor run`.

        Workloads are run where simulated evidence is wanted and code may be run. Without that evidence the
        launches serve for their types alone, so nothing else is told of them.
        """
        from advisor.evidence.metrics.launch_weight import launch_weight
        from advisor.evidence.simulated.launches.evidence import launch_evidence
        from advisor.evidence.simulated.launches.store import LaunchStore

        stores = [LaunchStore(options.settings.root)]
        if options.wants("simulated") and not options.no_run and options.stdin is None:
            stores.insert(0, _with_workloads(texts, device, options, report))
        found = []
        for store in stores:
            try:
                weigh = partial(launch_weight, device=device)
                evidence = launch_evidence(store, options.root, device, texts, weigh)
            except UsageError as error:
                if options.wants("simulated"):
                    raise
                report.notices.append(f"{error} The check goes on without it.")
                continue
            finally:
                store.close()
            found.append(evidence)
            if options.wants("simulated"):
                report.notices += evidence.notices
                report.problems += [Problem(*item, checked=True) for item in evidence.problems]
        return found

    def compiled(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        options: CheckOptions,
        report: Report,
        progress: Progress | None,
    ) -> list[Record]:
        """The records of compiled kernels; what went wrong is added to the report."""
        from advisor.evidence.compiled import Target, compile_units, records, rejection_records
        from advisor.evidence.compiled.compilers.worker_pool import own_stock

        evidence: CompiledEvidence = compile_units(
            units,
            Target.parse(device.compute_capability),
            cache=_cache(options),
            timeout=_COMPILE_SECONDS,
            jobs=_jobs(options),
            progress=progress,
            stock=own_stock(),
            codes=self._kept_codes(options) if options.wants("synthesised") else None,
            executor=options.executor,
        )
        if evidence.unavailable is not None:
            _note(report, evidence.unavailable)
        report.problems += [replace(item, checked=True) for item in evidence.problems]
        compiled = [
            record
            for unit in units
            if (kernel := evidence.by_kernel.get(unit.kernel)) is not None
            for record in records(unit, kernel)
        ]
        return [*compiled, *(record for unit in units for record in rejection_records(unit, evidence))]

    def synthesised(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        options: CheckOptions,
        report: Report,
        progress: Progress | None,
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for kernels, in contained processes and within the time that
        the configuration gives.
        """
        from advisor.check.launches.synthesised_launches import SynthesisedLaunches
        from advisor.evidence.compiled.compilers.worker_pool import own_stock
        from advisor.evidence.simulated.synthesis.processes.contained_runs import own_runs

        launches = SynthesisedLaunches(
            self._kept_codes(options),
            _cache(options),
            own_runs(keep_code=options.cache_folder is not None),
            own_stock(),
            _COMPILE_SECONDS,
            options.executor,
        )
        return launches.evidence(
            units,
            device,
            report,
            jobs=_jobs(options),
            seconds=options.settings.synthesis_seconds,
            progress=progress,
        )

    def synthesised_of_triton(
        self,
        units: Sequence[TritonUnit],
        device: Device,
        options: CheckOptions,
        report: Report,
        progress: Progress | None,
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for kernels of Triton, in contained processes and within the
        time that the configuration gives; nothing where Triton is not installed.
        """
        from advisor.check.launches.triton_launches import PROGRAM, TritonLaunches, triton_is_installed
        from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
        from advisor.evidence.simulated.synthesis.processes.contained_runs import own_runs

        if not units or not triton_is_installed() or missing_translator() is not None:
            return SynthesisedEvidence()
        launches = TritonLaunches(
            _cache(options),
            own_runs(keep_code=options.cache_folder is not None, program=PROGRAM),
        )
        return launches.evidence(
            units,
            device,
            report,
            jobs=_jobs(options),
            seconds=options.settings.synthesis_seconds,
            progress=progress,
        )

    def _kept_codes(self, options: CheckOptions) -> KernelCodes:
        """The code of kernels, kept from `compiled` to `synthesised` and, with a cache, beyond."""
        from advisor.evidence.compiled.kernel_codes import KernelCodes

        if self._codes is None:
            self._codes = KernelCodes(options.cache_folder)
        return self._codes

    def measured(
        self,
        records: Sequence[Record],
        texts: dict[str, str],
        device: Device,
        options: CheckOptions,
        report: Report,
    ) -> MeasuredRecords:
        """What the latest measurements of kernels in the files tell, from the project's history."""
        from advisor.evidence.measured.evidence import measured_evidence
        from advisor.model.history.store import history_of

        store = history_of(options.settings)
        if store.is_on_server and not self.asks_servers:
            report.notices.append(_NOT_ASKED)
            return MeasuredRecords()
        simulated = {one.key for one in records if one.entity == "kernel" and _is_simulated(one)}
        try:
            evidence = measured_evidence(store, options.root, device, texts, simulated)
        except AdvisorError as error:
            report.notices.append(f"{error} The check goes on without it.")
            return MeasuredRecords()
        finally:
            store.close()
        report.notices += evidence.notices
        lines = join([*records, *evidence.records], evidence.lines, "measured")
        return MeasuredRecords((*evidence.records, *lines), evidence.shapes)


_NOT_ASKED = (
    "The editor asks no server for its history; `advisor check --evidence measured` shows what it knows."
)


def line_code_records(records: Sequence[Record], compiled: Sequence[Record]) -> list[Record]:
    """Records of the loops and operations in `records` with the machine instructions of their lines."""
    readings = [
        LineReading(
            entity, line.owner or "", line.path, line.span.line, "", "", "",
            {metric: line.readings["instructions"].value},
            line.readings["instructions"].assumptions,
        )
        for line in compiled
        if line.entity == "line" and "instructions" in line.readings
        for entity, metric in _OF_LINE.items()
    ]  # fmt: skip
    return join([one for one in records if one.entity in _OF_LINE], readings, "compiled")


def simulated_records(records: Sequence[Record], launches: Sequence[LaunchEvidence]) -> list[Record]:
    """The records of what was counted in launches, with the keys of `records` that stand at their lines."""
    new: list[Record] = []
    for evidence in launches:
        new += [*evidence.records, *join([*records, *new], evidence.lines, "simulated")]
    return new


def counted_kernels(launches: Sequence[LaunchEvidence], entity: str = "kernel") -> frozenset[str]:
    """The keys of the kernels of which launches were counted."""
    return frozenset(
        record.key
        for evidence in launches
        for record in evidence.records
        if record.entity == entity and _is_simulated(record)
    )


def launched_types(launches: Sequence[LaunchEvidence]) -> dict[str, tuple[ArgumentTypes, ...]]:
    """The typings that launches show, by the key of their kernel; first those of the latest evidence, whose
    numbers hold too.
    """
    found: dict[str, tuple[ArgumentTypes, ...]] = {}
    for evidence in reversed(launches):
        for kernel, types in evidence.types.items():
            known = {one.types for one in found.get(kernel, ())}
            found[kernel] = (*found.get(kernel, ()), *(one for one in types if one.types not in known))
    return found


def _is_simulated(kernel: Record) -> bool:
    reading = kernel.readings.get("grid_blocks")
    return reading is not None and reading.source == "simulated"


def _jobs(options: CheckOptions) -> int:
    """How many processes work at a time."""
    return options.jobs or min(os.cpu_count() or 1, 4)


def _cache(options: CheckOptions) -> Cache | None:
    from advisor.model.storage.cache import Cache

    return Cache(options.cache_folder) if options.cache_folder else None


def _note(report: Report, missing: EvidenceUnavailable) -> None:
    """Say once that evidence is missing, whichever of its uses found that first."""
    if (notice := missing.as_notice()) not in report.notices:
        report.notices.append(notice)


def _with_workloads(
    texts: dict[str, str], device: Device, options: CheckOptions, report: Report
) -> LaunchStore:
    """The record of the files' workloads, those run that have no fresh one."""
    from advisor.evidence.metrics.predicted_times import NAME as PREDICTOR
    from advisor.evidence.simulated.launches.evidence import Names
    from advisor.evidence.simulated.launches.store import LaunchStore
    from advisor.evidence.simulated.launches.workloads import run_workloads, stale_workloads, workload_folder

    root = options.settings.root
    store = LaunchStore(root, workload_folder(options.cache_folder))
    names = Names(root, options.root)
    # What is run is the file on the disk: one whose text is another here is unsaved or broken.
    named = [
        (names.recorded(path), text)
        for path, text in sorted(texts.items())
        if _lies_on_disk(options.root / path, path, text)
    ]
    stale = stale_workloads(store, named, device.id)
    if stale and (missing := missing_translator()) is not None:
        _note(report, missing)
    elif stale:
        seconds = options.settings.workload_seconds
        problems = run_workloads(
            store,
            stale,
            device.id,
            seconds,
            _jobs(options),
            options.cache_folder,
            predictor=PREDICTOR,
            executor=options.executor,
        )
        report.problems += [
            Problem(names.shown(one.path), one.line, one.message, checked=True) for one in problems
        ]
    return store


def _lies_on_disk(file: Path, path: str, text: str) -> bool:
    try:
        return read_source(file, path).text == text
    except SourceProblem:
        return False


def looked_for(source: SourceEvidence, compiled: Sequence[Record], defects_sought: bool) -> set[str]:
    """The entities that were searched for, whether or not there are any."""
    found = {*SOURCE_ENTITIES, *(record.entity for record in compiled)}
    found |= {"rejection"} if compiled else set()
    if defects_sought or not any("cupy" in text for text in source.texts.values()):
        found.add("array_statement")
    return found | {"defect", "triton_defect"} if defects_sought else found
