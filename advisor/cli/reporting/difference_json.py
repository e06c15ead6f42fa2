"""The difference of two runs as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from advisor.cli.reporting.content_json import finding_content, run_content
from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.comparison.differences import Difference, KernelChange


def difference_json(found: Difference) -> str:
    """The difference as a JSON object; numbers that are not known are null."""
    return json.dumps({"version": 1, **difference_content(found)}, indent=2)


def difference_content(found: Difference) -> dict[str, Any]:
    """What two runs differ in, as it stands in JSON."""
    return {
        "before": run_content(found.before),
        "after": run_content(found.after),
        "conditions": [asdict(one) for one in found.conditions],
        "not_comparable": found.why_not or None,
        "regressions": [one.name for one in found.regressions],
        "kernels": [_kernel(one) for one in found.kernels],
        "gone": [_who(one) for one in found.gone],
        "new": [_who(one) for one in found.new],
        "metrics": [asdict(one) for one in found.metrics],
        "findings_ended": [finding_content(one) for one in found.ended],
        "findings_begun": [finding_content(one) for one in found.begun],
    }


def _who(one: Fingerprint) -> dict[str, Any]:
    return asdict(one.identity)


def _kernel(one: KernelChange) -> dict[str, Any]:
    time = None if one.time is None else {**asdict(one.time), "interval": one.time.interval}
    return {
        "name": one.name,
        "before": _who(one.before),
        "after": _who(one.after),
        "basis": "measured" if one.after.source == "measured" else "predicted",
        "changed": list(one.changed),
        "time_ms": time,
        "is_regression": one.is_regression,
        "metrics": [asdict(change) for change in one.metrics],
        "findings_ended": [finding_content(finding) for finding in one.ended],
        "findings_begun": [finding_content(finding) for finding in one.begun],
    }
