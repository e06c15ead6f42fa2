"""The comparison of two versions for people and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from advisor.cli.verification.verification_output import judgement_object, times_in_words
from advisor.reports.outputs.wording.quantities import number

if TYPE_CHECKING:
    from advisor.runs.verification.verdicts import Judgement
    from advisor.runs.verification.versions import Version


def as_text(before: Version, after: Version, judgement: Judgement) -> str:
    """The verdict, the times, and how the outputs agree."""
    lines = [f"before  {before.shown}", f"after   {after.shown}", ""]
    shown = times_in_words(judgement)
    if shown:
        lines.append(f"time    {shown}, all kernels together")
    ratio = judgement.speedup if judgement.verdict != "cannot tell" else None
    times = "" if ratio is None else f" ({ratio:.2f} x, {_saved(ratio)})"
    lines += [f"outputs {judgement.detail}", f"verdict {judgement.verdict}{times}, {judgement.evidence}"]
    return "\n".join(lines)


def _saved(ratio: float) -> str:
    """A ratio of times as the share of the time before that is saved or added."""
    change = abs(1.0 - 1.0 / ratio) * 100.0
    return f"{number(float(f'{change:.3g}'))}% {'less' if ratio >= 1.0 else 'more'} time"


def as_json(before: Version, after: Version, judgement: Judgement) -> str:
    """The comparison as a JSON object."""
    data = {"version": 1, "before": before.shown, "after": after.shown} | judgement_object(judgement)
    return json.dumps(data, indent=2)
