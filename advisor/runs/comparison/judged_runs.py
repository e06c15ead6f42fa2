"""What the rules say of what the history keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from advisor.check.pipeline import report_on
from advisor.evidence.source.analysis import ENTITIES as SOURCE_ENTITIES
from advisor.evidence.source.analysis import analyse
from advisor.model.devices import Device, find_device
from advisor.model.errors import UsageError
from advisor.model.findings import Finding, Report
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.records import Record, Source
from advisor.model.settings.check_options import CheckOptions
from advisor.model.text.source_text import SourceText
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces, Place
from advisor.runs.comparison.run_records import records_of_runs

_ENTITIES = ("run", "kernel", "line", "access", "branch", "atomic")

Chosen = Callable[[Fingerprint], bool]


def _always(_: Fingerprint) -> bool:
    return True


def findings_of(
    runs: Sequence[Run],
    source: Source,
    options: CheckOptions,
    places: KernelPlaces,
    with_source: Chosen = _always,
) -> list[Finding]:
    """The findings of `report_of_runs`."""
    return report_of_runs(runs, source, options, places, with_source).findings


def report_of_runs(
    runs: Sequence[Run],
    source: Source,
    options: CheckOptions,
    places: KernelPlaces,
    with_source: Chosen = _always,
) -> Report:
    """The findings on runs with their fingerprints that rest on at least one number of `source`.

    `options.device` is judged for. What the source tells of a kernel's structure is added where the text that
    was run is known and `with_source` has it so; without it the rules that need it stay open.
    """
    sourced = [(one, places.place(one, run)) for run in runs for one in run.fingerprints if with_source(one)]
    read = _source_records([place for _, place in sourced], places, options)
    chosen = {id(one) for one, place in sourced if place.text is not None}
    known = records_of_runs(runs, places, read, lambda one: id(one) in chosen)
    looked_for = (*_ENTITIES, *SOURCE_ENTITIES) if read else _ENTITIES
    own = replace(options, fixes=False, proofs=False)
    return report_on(known.records, looked_for, own, known.texts, [source])


def _source_records(those: Sequence[Place], places: KernelPlaces, options: CheckOptions) -> list[Record]:
    """What the source tells of the files of kernels, each as it was when they ran."""
    texts = {place.path: place.text for place in those if place.text is not None}
    found: list[Record] = []
    for path, text in texts.items():
        known = places.analysed.get((path, text))
        if known is None:
            source = (options.root / path, SourceText(path, text))
            known = analyse([], options.root, stdin=source).records
            places.analysed[path, text] = known
        found += known
    return found


def known_device(name: str, default: str) -> tuple[Device | None, Device]:
    """The device of a run, None for a GPU without a device file, and the one that stands for it."""
    try:
        device = find_device(name)
    except UsageError:
        return None, find_device(default)
    return device, device


def source_of(run: Run) -> Source:
    """Where the numbers of a run come from as a whole."""
    return "simulated" if run.facts.executed_on == "simt" else "measured"
