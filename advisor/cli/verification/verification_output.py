"""Verdicts on fixes as a table for people and as JSON."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from typing import TYPE_CHECKING

from advisor.model.findings import SLOWER
from advisor.reports.outputs.wording.numbers import time_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.evidence.metrics.prediction_error import Interval
    from advisor.model.findings import Verdict
    from advisor.runs.verification.runs import Verified
    from advisor.runs.verification.verdicts import Judgement
    from advisor.runs.verification.verification import Verification

_ORDER: tuple[Verdict, ...] = (
    "results differ", "measured slower", "predicted slower", "measured faster", "predicted faster",
    "no difference", "cannot tell",
)  # fmt: skip


def as_text(verification: Verification, quiet: bool = False) -> str:
    """The verdicts by kernel, with what decided; then, unless quiet, how many there are of each."""
    lines = []
    kernels: dict[tuple[str, str | None], list[Verified]] = {}
    for one in verification.verified:
        kernels.setdefault((one.candidate.path, one.candidate.kernel), []).append(one)
    for (path, kernel), verified in sorted(kernels.items(), key=lambda item: (item[0][0], item[0][1] or "")):
        lines += [f"{path}: {kernel}" if kernel else path]
        for one in sorted(
            verified, key=lambda each: (_ORDER.index(each.judgement.verdict), each.candidate.line)
        ):
            lines += _lines(one)
        lines.append("")
    lines += [f"{problem.path}:{problem.line}: {problem.message}" for problem in verification.report.problems]
    if quiet:
        return "\n".join(lines).rstrip()
    lines += programs_run(verification.runs.programs_run)
    counts = Counter(one.judgement.verdict for one in verification.verified)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _ORDER if counts[verdict])
    total = len(verification.verified)
    if not total:
        lines.append("There is no fix to verify: no finding has one that can be written as an edit.")
    else:
        device = verification.report.device
        lines.append(f"Verified {total} fix{'' if total == 1 else 'es'} on a simulated {device}: {told}.")
    if any(counts[verdict] for verdict in ("results differ", *SLOWER)):
        lines.append(
            "Fixes that are slower or give other results are withdrawn: `advisor check` offers them no more."
        )
    return "\n".join(lines)


def programs_run(counts: Mapping[str, int]) -> list[str]:
    """A sentence for each recorded program that was run again, in copies of the project."""
    return [
        f"Ran `{command}` again, {'once' if count == 1 else f'{count} times'}, in copies of the project."
        for command, count in sorted(counts.items())
    ]


def _lines(one: Verified) -> list[str]:
    candidate, judgement = one.candidate, one.judgement
    places = f"{len(candidate.pairs)} places" if len(candidate.pairs) > 1 else f"line {candidate.line}"
    return [
        f"  {_verdict(judgement):32} {candidate.title} ({places}) [{candidate.fix}]",
        f"  {_times(judgement):32} {judgement.detail}",
    ]


def _verdict(judgement: Judgement) -> str:
    ratio = judgement.speedup if judgement.verdict != "cannot tell" else None
    return judgement.verdict if ratio is None else f"{judgement.verdict} ({ratio:.2f} x)"


def _times(judgement: Judgement) -> str:
    return "" if judgement.verdict == "cannot tell" else times_in_words(judgement)


def times_in_words(judgement: Judgement) -> str:
    """The times before and after, and whether they are predicted; an empty text where one is not known."""
    if judgement.before_ms is None or judgement.after_ms is None:
        return ""
    predicted = "" if judgement.is_measured else "predicted "
    return f"{predicted}{time_in_words(judgement.before_ms)} -> {time_in_words(judgement.after_ms)}"


def as_json(verification: Verification) -> str:
    """The verdicts as a JSON object."""
    data = {
        "version": 1,
        "device": verification.report.device,
        "fixes": [_object(one) for one in verification.verified],
        "programs_run": dict(sorted(verification.runs.programs_run.items())),
        "errors": [
            {"path": one.path, "line": one.line, "message": one.message}
            for one in verification.report.problems
        ],
    }
    out = io.StringIO()
    json.dump(data, out, indent=2)
    return out.getvalue()


def _object(one: Verified) -> dict[str, object]:
    candidate = one.candidate
    return {
        "path": candidate.path,
        "line": candidate.line,
        "lines": list(candidate.lines),
        "kernel": candidate.kernel,
        "rules": sorted(candidate.estimates()),
        "fix": candidate.fix,
        "title": candidate.title,
        "estimated_speedup": max(filter(None, candidate.estimates().values()), default=None),
    } | judgement_object(one.judgement)


def judgement_object(judgement: Judgement) -> dict[str, object]:
    """The JSON object of one judgement."""
    comparison = judgement.comparison
    return {
        "verdict": judgement.verdict,
        "speedup": judgement.speedup,
        "speedup_interval": _ends(judgement.interval),
        "before_ms": judgement.before_ms,
        "after_ms": judgement.after_ms,
        "evidence": judgement.evidence,
        "outputs": comparison.agreement if comparison else None,
        "largest_difference": comparison.largest if comparison else None,
        "detail": judgement.detail,
    }


def _ends(interval: Interval | None) -> list[float | None] | None:
    """The ends of an interval, None for an infinite one."""
    if interval is None:
        return None
    return [end if math.isfinite(end) else None for end in (interval.low, interval.high)]
