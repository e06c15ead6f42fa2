"""What `advisor verify --write` wrote, for people and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from advisor.cli.verification.verification_output import judgement_object, programs_run, times_in_words

if TYPE_CHECKING:
    from advisor.runs.verification.improvement import Improvement, Step


def as_text(improvement: Improvement) -> str:
    """The steps by file with the times of their kernels, and what was left alone."""
    lines = []
    for path, steps in _by_path(improvement).items():
        lines.append(path)
        for step in steps:
            judgement = step.judgement
            times = times_in_words(judgement)
            lines.append(f"  {judgement.speedup:.2f} x  {times}: {', '.join(step.fixes)}; {judgement.detail}")
    lines += improvement.refused
    lines += programs_run(improvement.programs_run)
    count = sum(len(step.fixes) for step in improvement.steps)
    if improvement.last is not None:
        device = improvement.last.report.device
        lines.append(
            f"Wrote {count} fix{'' if count == 1 else 'es'} {_basis(improvement)} to help (for {device})."
            if count
            else f"No fix is known to make a kernel faster on {device}; nothing was written."
        )
    return "\n".join(lines)


def as_json(improvement: Improvement) -> str:
    """The steps as a JSON object."""
    steps = [
        {"path": step.path, "fixes": list(step.fixes)} | judgement_object(step.judgement)
        for step in improvement.steps
    ]
    data = {"version": 1, "steps": steps, "left_alone": improvement.refused}
    return json.dumps(data | {"programs_run": dict(sorted(improvement.programs_run.items()))}, indent=2)


def _basis(improvement: Improvement) -> str:
    """Whether what was written is measured or predicted."""
    measured = all(step.judgement.verdict == "measured faster" for step in improvement.steps)
    return "measured" if measured else "predicted"


def _by_path(improvement: Improvement) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in improvement.steps:
        found.setdefault(step.path, []).append(step)
    return found
