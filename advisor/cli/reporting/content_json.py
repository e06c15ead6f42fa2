"""Runs and findings as JSON, as rankings and differences hold them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Run


def run_content(run: Run) -> dict[str, Any]:
    """A run without its fingerprints."""
    return {"id": run.id, "status": run.status, **asdict(run.facts)}


def finding_content(one: Finding) -> dict[str, Any]:
    """What tells a finding apart, its message and its gain."""
    return {
        "rule": one.rule,
        "path": one.path,
        "line": one.span.line,
        "places": [{"path": place.path, "line": place.span.line} for place in one.further_places],
        "kernel": one.kernel_concerned(),
        "severity": one.severity,
        "message": one.message,
        "gain": None if one.gain is None else {"speedup": one.gain.speedup, "basis": one.gain.basis},
        "effort": one.effort or None,
    }
