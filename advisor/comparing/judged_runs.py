"""What the rules say of what the history keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.check_options import CheckOptions
from advisor.comparing.kernel_places import KernelPlaces
from advisor.comparing.run_records import records_of_runs
from advisor.devices import Device, find_device
from advisor.errors import UsageError
from advisor.facts.survey import ENTITIES as SOURCE_ENTITIES
from advisor.facts.survey import survey
from advisor.findings import Finding
from advisor.history.fingerprint import Run
from advisor.pipeline import report_on
from advisor.records import Record, Source

_ENTITIES = ("run", "kernel", "line", "access", "branch", "atomic")


def findings_of(
    runs: Sequence[Run], source: Source, options: CheckOptions, places: KernelPlaces, with_source: bool
) -> list[Finding]:
    """The findings on runs with their fingerprints that rest on at least one number of `source`.

    `options.device` is judged for. `with_source` adds what is known of the source of kernels that are still
    the same; without it rules that need its structure stay open.
    """
    read = _source_records(runs, places, options) if with_source else []
    known = records_of_runs(runs, places, read)
    looked_for = (*_ENTITIES, *SOURCE_ENTITIES) if with_source else _ENTITIES
    judged = report_on(known.records, looked_for, replace(options, fixes=False, proofs=False), known.texts)
    return [one for one in judged.findings if any(part.source == source for part in one.evidence)]


def _source_records(runs: Sequence[Run], places: KernelPlaces, options: CheckOptions) -> list[Record]:
    found = {
        place.path for run in runs for place in map(places.place, run.fingerprints) if place.state == "same"
    }
    return [] if not found else survey([options.root / path for path in sorted(found)], options.root).records


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
