"""The diagnosis of a kernel as JSON data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from advisor.evidence.metrics.prediction_error import time_interval
from advisor.model.text.notebooks import is_notebook
from advisor.reports.diagnosis.made_up_launches import synthesis_as_json

if TYPE_CHECKING:
    from advisor.check.speedup_bounds.actions import Action
    from advisor.model.findings import Finding
    from advisor.reports.diagnosis.kernel_diagnosis import KernelDiagnosis


def diagnosis_as_json(found: KernelDiagnosis) -> dict[str, Any]:
    """The diagnosis in JSON values; times in ms, shares from 0 to 1."""
    bound = found.bound
    return {
        "version": 1,
        "kernel": found.kernel.label,
        "path": found.kernel.path,
        "line": found.kernel.span.line,
        "device": found.device.name,
        "bound": {
            "class": bound.found.id if bound.found else None,
            "reason": bound.reason or None,
            "time_ms": bound.time_ms,
            "time_interval_ms": _interval(found),
            "source": bound.source,
            "parts": [asdict(part) for part in bound.parts],
            "memory_use": bound.memory_use,
            "compute_use": bound.compute_use,
            "intensity": bound.intensity,
            "balance": bound.balance,
        },
        "share_of_run": found.share_of_run,
        "overhead": found.overhead,
        "answers": [
            {
                "id": one.question.id,
                "question": one.question.question,
                "verdict": one.verdict,
                "values": [asdict(value) for value in one.values],
                "findings": [_finding(finding) for finding in one.findings],
                "needs": list(one.needs),
            }
            for one in found.answers
        ],
        "actions": [_action(one) for one in found.actions],
        "order": None if found.order is None else asdict(found.order),
        "assumptions": list(found.assumptions),
        "element_time": found.element_time or None,
        "synthesised": None if found.synthesis is None else synthesis_as_json(found.synthesis),
    }


def _interval(found: KernelDiagnosis) -> list[float] | None:
    """The ends of the interval of a predicted time; None for a measured one and without a time."""
    bound = found.bound
    if bound.time_ms is None or not bound.is_predicted:
        return None
    interval = time_interval(bound.time_ms)
    return [interval.low, interval.high]


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "path": finding.path,
        "line": finding.span.line,
        "places": [{"path": one.path, "line": one.span.line} for one in finding.further_places],
        "message": finding.message,
    }


def _action(action: Action) -> dict[str, Any]:
    return {
        **_finding(action.finding),
        "fix": action.fix.title if action.fix else None,
        **_edits(action),
        "speedup": action.speedup,
        "gain_of_run": action.gain_of_run,
        "tried": action.tried,
        "confidence": action.finding.confidence,
        "effort": action.finding.effort,
        "other_lines": list(action.other_lines),
    }


def _edits(action: Action) -> dict[str, Any]:
    """The fix as it would be written: its id, its condition, and edits by offsets into their file, whose path
    stands beside those of another file than the finding's. Those of a notebook are in the report of a check.
    """
    fix = action.fix
    if fix is None or not fix.edits or is_notebook(action.finding.path):
        return {}
    edits = [
        {"start": one.start, "end": one.end, "text": one.text} | ({"path": one.path} if one.path else {})
        for one in fix.edits
    ]
    return {"fix_id": fix.id, "safety": fix.safety, "condition": fix.condition, "edits": edits}
