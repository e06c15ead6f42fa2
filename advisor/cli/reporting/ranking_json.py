"""Rankings as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from advisor.check.speedup_bounds.actions import Action
from advisor.cli.reporting.content_json import finding_content, run_content
from advisor.cli.reporting.difference_json import difference_content
from advisor.reports.diagnosis.actions_in_words import gain_in_words, what_to_do
from advisor.runs.comparison.differences import Difference
from advisor.runs.comparison.ranking.order import Advice, Step
from advisor.runs.comparison.ranking.ranking import RankedKernel, RankedShape, Ranking
from advisor.runs.comparison.ranking.scaling import Scaling


def ranking_json(
    found: Sequence[Ranking],
    gone: Sequence[str],
    scalings: Sequence[Scaling],
    differences: Sequence[Difference],
) -> str:
    """A JSON object with one entry of `devices` for each device, and one of `changes` for each run that is
    compared with an earlier one; unknown numbers are null.
    """
    content = {
        "version": 1,
        "devices": [_ranking(one) for one in found],
        "gone": list(gone),
        "scaling": [asdict(one) for one in scalings],
        "changes": [difference_content(one) for one in differences],
    }
    return json.dumps(content, indent=2)


def _ranking(one: Ranking) -> dict[str, Any]:
    return {
        "device": one.device_name,
        "basis": "measured" if one.is_measured else "predicted",
        "judged_for": one.judged_for,
        "runs": [run_content(run) for run in one.runs],
        "kernels_ms": one.known_ms,
        "wall_ms": one.wall_ms,
        "kernels": [_kernel(kernel) for kernel in one.kernels],
        "findings": [finding_content(finding) for finding in one.findings],
        "actions": [_action(action) for action in one.actions],
        "steps": [_step(step) for step in one.steps],
        "notes": list(one.notes),
    }


def _kernel(kernel: RankedKernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "path": None if kernel.path is None else kernel.place.path,
        "line": kernel.place.line or None,
        "source": kernel.place.state,
        "run": kernel.run.id,
        "time_ms": kernel.time_ms,
        "share": kernel.share,
        "share_of_run": kernel.share_of_run,
        "headroom": kernel.headroom,
        "room": kernel.headroom,  # the former name, which programs may read
        "gain_of_run": kernel.gain_of_run,
        "marks": list(kernel.marks),
        "shapes": [_shape(shape) for shape in kernel.shapes],
        "findings": [finding_content(finding) for finding in kernel.findings],
    }


def _shape(shape: RankedShape) -> dict[str, Any]:
    one = shape.fingerprint
    timing = None
    if one.timing is not None:
        timing = {name: value for name, value in asdict(one.timing).items() if name != "samples"}
    return {
        "types": list(one.identity.types),
        "grid": one.identity.grid,
        "block": one.identity.block,
        "dynamic_shared": one.identity.dynamic_shared,
        "launches": one.launches,
        "time_ms": shape.time_ms,
        "timing_ms": timing,
        "limit": shape.limit,
        "bound": None if shape.bound is None else asdict(shape.bound),
        "ranges": list(one.ranges),
        "metrics": dict(one.metrics),
    }


def _action(one: Action) -> dict[str, Any]:
    """What to do, by the order and with the words of `advisor check`."""
    return {
        "rule": one.finding.rule,
        "path": one.finding.path,
        "line": one.finding.span.line,
        "kernel": one.finding.kernel_concerned(),
        "severity": one.finding.severity,
        "what": what_to_do(one),
        "fix": one.fix.title if one.fix else None,
        "speedup": one.speedup,
        "gain_of_run": one.gain_of_run,
        "gain": gain_in_words(one),
        "other_lines": list(one.other_lines),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "title": step.title,
        "text": step.text,
        "advice": [_advice(one) for one in step.advice],
    }


def _advice(one: Advice) -> dict[str, Any]:
    return {
        "finding": finding_content(one.finding),
        "kernel": one.kernel,
        "speedup": one.speedup,
        "gain_of_run": one.gain_of_run,
    }
