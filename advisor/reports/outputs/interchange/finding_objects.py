"""Findings and problems as JSON objects, in the shape that the command line promises."""

from __future__ import annotations

from dataclasses import asdict

from advisor.model.findings import (
    Edit,
    Evidence,
    Finding,
    Fix,
    Gain,
    Problem,
    Related,
    RemedyOrder,
    RemedyStep,
    Report,
)
from advisor.model.text.source_text import Span
from advisor.reports.outputs.interchange.plain import json_value
from advisor.reports.outputs.wording.counts import by_severity
from advisor.reports.outputs.wording.locations import Locations


def finding_object(finding: Finding, fingerprint: str, locations: Locations) -> dict[str, object]:
    """The JSON object of one finding; lines and columns count from 1, the end is exclusive.

    In a notebook `cell` counts its cells from 1, and lines are those of the cell; elsewhere it is null.
    """
    location = locations.of(finding.path, finding.span)
    span = location.span
    return {
        "rule": finding.rule,
        "title": finding.title,
        "category": finding.category,
        "path": finding.path,
        "cell": location.cell,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "kernel": finding.kernel,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "message": finding.message,
        "why": finding.why,
        "advice": finding.advice,
        "evidence": [evidence_object(item) for item in finding.evidence],
        "gain": gain_object(finding.gain),
        "launches": None if finding.launches is None else asdict(finding.launches),
        "effort": finding.effort,
        "assumptions": finding.assumptions,
        "fixes": [_fix_object(fix, finding.path, locations) for fix in finding.fixes],
        "related": [_related(related, locations) for related in finding.related],
        "places": [_place(further, locations) for further in finding.further_places],
        "url": finding.url,
        "fingerprint": fingerprint,
    }


def problem_object(problem: Problem, locations: Locations) -> dict[str, object]:
    """The JSON object of one problem; `checked` where only evidence beside the source's is missing."""
    location = locations.of_problem(problem)
    return {
        "path": problem.path,
        "cell": location.cell,
        "line": location.span.line,
        "column": location.span.column,
        "message": problem.message,
        "checked": problem.checked,
    }


def summary_object(report: Report) -> dict[str, object]:
    """The counts of the report, and what its summary adds to them."""
    counts: dict[str, object] = {
        "findings": len(report.findings),
        "by_severity": by_severity(report),
        "errors": len(report.problems),
    }
    return counts | report.summary


def evidence_object(item: Evidence) -> dict[str, object]:
    """The JSON object of one number behind a finding."""
    return {
        "metric": item.metric,
        "value": json_value(item.value),
        "unit": item.unit,
        "threshold": json_value(item.threshold),
        "source": item.source,
    }


def gain_object(gain: Gain | None) -> dict[str, object] | None:
    """The JSON object of an expected gain, None when there is none."""
    if gain is None:
        return None
    shown: dict[str, object] = {"speedup": json_value(gain.speedup), "basis": gain.basis}
    if gain.is_predicted:
        shown |= {
            "interval": [gain.low, gain.high],
            "by_counts": [gain.least, gain.most],
            "device": gain.device,
            "of_run": gain.of_run,
            "limiter_left": gain.left,
        }
    return shown


def order_object(order: RemedyOrder, locations: Locations) -> dict[str, object]:
    """The JSON object of the remedies of a kernel, best first; each step is with all before it."""
    return {
        "kernel": order.kernel,
        "path": order.path,
        "device": order.device,
        "steps": [_remedy_step(one, locations) for one in order.steps],
    }


def _remedy_step(step: RemedyStep, locations: Locations) -> dict[str, object]:
    location = locations.of(step.path, Span(step.line))
    return {
        "rule": step.rule,
        "path": step.path,
        "cell": location.cell,
        "line": location.span.line,
        "speedup": json_value(round(step.speedup, 3)),
        "by_counts": [step.least, step.most],
        "limiter_left": step.left,
    }


def _related(related: Related, locations: Locations) -> dict[str, object]:
    location = locations.of(related.path, related.span)
    span = location.span
    return {
        "path": related.path,
        "cell": location.cell,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "message": related.message,
    }


def _place(further: Related, locations: Locations) -> dict[str, object]:
    location = locations.of(further.path, further.span)
    return {
        "path": further.path,
        "cell": location.cell,
        "line": location.span.line,
        "message": further.message,
    }


def _fix_object(fix: Fix, path: str, locations: Locations) -> dict[str, object]:
    """The JSON object of a fix; edits are given by offsets into the characters of their file, which is the
    finding's own (`path`) where no path is given, or into the source of a notebook's cell.
    """
    shown: dict[str, object] = {"title": fix.title, "safety": fix.safety}
    if fix.edits:
        edits = [_edit(edit, edit.path or path, locations) for edit in fix.edits]
        shown |= {"id": fix.id, "condition": fix.condition, "edits": edits}
    if fix.proof is not None:
        shown |= {"id": fix.id, "proof": asdict(fix.proof), "withdrawn": fix.proof.withdraws}
    return shown


def _edit(edit: Edit, path: str, locations: Locations) -> dict[str, object]:
    cell, own = locations.edit(path, edit)
    shown: dict[str, object] = {"start": own.start, "end": own.end, "text": own.text}
    return shown | ({"path": own.path} if own.path else {}) | ({} if cell is None else {"cell": cell})
