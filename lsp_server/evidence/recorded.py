"""Simulated evidence that lies on the disk: launches that were recorded, and former runs of workloads."""

from __future__ import annotations

from functools import partial

from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.evidence import LaunchEvidence, launch_evidence
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.evidence.simulated.launches.workloads import workload_folder
from advisor.model.devices import Device
from advisor.model.errors import UsageError
from advisor.model.findings import Problem, Report
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import cache_folder


def stores_of(options: CheckOptions) -> list[LaunchStore]:
    """The records of launches that exist in a project; those of workloads first."""
    root = options.settings.root
    stores = [LaunchStore(root, workload_folder(cache_folder(options.settings))), LaunchStore(root)]
    return [store for store in stores if store.exists()]


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
