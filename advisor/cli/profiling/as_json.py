"""A profile as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.profiling.profile import Profile, WorkloadProfile
from advisor.runs.profiling.totals import Totals


def profile_json(profile: Profile) -> str:
    """The profile as a JSON object; `basis` is "measured" or "predicted", of the whole and of each kernel."""
    facts = profile.run.facts
    content = {
        "version": 1,
        "basis": "measured" if profile.is_measured else "predicted",
        "device": facts.device,
        "executed_on": facts.executed_on,
        "label": facts.label,
        "started": facts.started,
        "toolchain": dict(facts.toolchain),
        "commit": facts.commit,
        "dirty": facts.dirty,
        "run": None if profile.store_problem else profile.run.id,
        "metrics": dict(profile.run.metrics),
        "notes": list(profile.run.notes),
        "workloads": [_workload(one, profile.is_measured) for one in profile.workloads],
        "store_problem": profile.store_problem or None,
    }
    return json.dumps(content, indent=2)


def _workload(one: WorkloadProfile, measured: bool) -> dict[str, Any]:
    return {
        "path": one.workload.path,
        "name": one.workload.name,
        "line": one.workload.line,
        "problem": one.problem or None,
        "iterations": one.totals.iterations if one.totals and measured else None,
        "profiling_slowdown": one.slowdown,
        "copies": _copies(one.totals, measured) if one.totals else {},
        "kernels": [_kernel(each) for each in one.fingerprints],
    }


def _copies(totals: Totals, measured: bool) -> dict[str, Any]:
    """Bytes and time of an iteration's copies by direction; the SIMT machine's times are no GPU's."""
    return {
        name: {"bytes": size / totals.iterations, "ms": time / totals.iterations if measured else None}
        for name, (size, time) in totals.copies.items()
    }


def _kernel(one: Fingerprint) -> dict[str, Any]:
    timing = None if one.timing is None else asdict(one.timing)
    return {
        "basis": "measured" if one.source == "measured" else "predicted",
        **asdict(one.identity),
        "line": one.line,
        "launches": one.launches,
        "timing_ms": timing,
        "metrics": dict(one.metrics),
    }
