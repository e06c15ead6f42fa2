"""Fingerprints: names for findings that stay the same when lines above them come and go."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from advisor.model.findings import Finding, Report
from advisor.reports.outputs.drawing.sources import lines_by_path


def fingerprints(report: Report) -> list[str]:
    """A fingerprint for each finding of `report`, in order, no two alike: 16 hexadecimal digits and a number.

    It follows from the rule, the path and the kernel: a cause stays the same when it gets one more place, or
    another one becomes the worst. Outside of kernels the text of the line, without its blanks, stands for the
    function. The number counts the findings that agree in all of these.
    """
    lines = lines_by_path(report)
    seen: Counter[str] = Counter()
    found: list[str] = []
    for finding in report.findings:
        digest = _digest(finding, lines.get(finding.path, ()))
        seen[digest] += 1
        found.append(f"{digest}:{seen[digest]}")
    return found


def problem_fingerprint(parts: Iterable[object]) -> str:
    """The 16 hexadecimal digits that stand for `parts`."""
    joined = "\0".join(str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _digest(finding: Finding, lines: tuple[str, ...]) -> str:
    if finding.kernel:
        return problem_fingerprint((finding.rule, finding.path, finding.kernel))
    text = lines[finding.span.line - 1] if 1 <= finding.span.line <= len(lines) else ""
    return problem_fingerprint((finding.rule, finding.path, "", "".join(text.split())))
