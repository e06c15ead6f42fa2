"""What the rules say of what the history keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.check_options import CheckOptions
from advisor.comparing.kernel_places import KernelPlaces
from advisor.comparing.run_records import records_of_runs
from advisor.devices import Device, find_device
from advisor.errors import UsageError
from advisor.findings import Finding
from advisor.history.fingerprint import Run
from advisor.pipeline import report_on
from advisor.records import Source

_ENTITIES = ("run", "kernel", "line", "access", "branch", "atomic")


def findings_of(
    runs: Sequence[Run], source: Source, options: CheckOptions, places: KernelPlaces
) -> list[Finding]:
    """The findings on runs with their fingerprints that rest on at least one number of `source`.

    `options.device` is judged for; rules that need the source's structure stay open.
    """
    known = records_of_runs(runs, places)
    judged = report_on(known.records, _ENTITIES, replace(options, fixes=False, proofs=False), known.texts)
    return [one for one in judged.findings if any(part.source == source for part in one.evidence)]


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
