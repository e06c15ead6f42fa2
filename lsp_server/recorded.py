"""Simulated evidence that lies on the disk: launches that were recorded, and former runs of workloads."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.check_options import CheckOptions
from advisor.config import cache_folder
from advisor.devices import Device
from advisor.errors import UsageError
from advisor.findings import Problem, Report
from advisor.launches.evidence import launch_evidence
from advisor.launches.store import LaunchStore
from advisor.launches.workloads import workload_folder
from advisor.metrics.joining import join
from advisor.records import Record


def stores_of(options: CheckOptions) -> list[LaunchStore]:
    """The records of launches that exist in a project; those of workloads first."""
    root = options.settings.root
    stores = [LaunchStore(root, workload_folder(cache_folder(options.settings))), LaunchStore(root)]
    return [store for store in stores if store.exists()]


def recorded_records(
    records: Sequence[Record], texts: dict[str, str], device: Device, options: CheckOptions, report: Report
) -> list[Record]:
    """The records of launches, with what went wrong added to the report; nothing is run."""
    new: list[Record] = []
    for store in stores_of(options):
        try:
            evidence = launch_evidence(store, options.root, device, texts)
        except UsageError as error:
            report.notices.append(str(error))
            continue
        finally:
            store.close()
        report.notices += evidence.notices
        report.problems += [Problem(*item) for item in evidence.problems]
        new += [*evidence.records, *join([*records, *new], evidence.lines, "simulated")]
    return new
