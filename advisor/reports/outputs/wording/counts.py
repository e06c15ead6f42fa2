"""The counts of a report, as numbers and as the sentences that end it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from advisor.model.findings import SEVERITIES, Problem, Report, Severity

_PLURAL: dict[Severity, str] = {"info": "infos", "warning": "warnings", "error": "errors"}


def by_severity(report: Report) -> dict[Severity, int]:
    """The number of findings of each severity, the worst first."""
    counted = Counter(finding.severity for finding in report.findings)
    return {severity: counted[severity] for severity in reversed(SEVERITIES)}


def counted(count: int, singular: str, plural: str = "") -> str:
    """`count` with its noun: `1 file`, `2 files`."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def listed(words: Sequence[str]) -> str:
    """The words as a list in a sentence: `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def problem_name(problem: Problem) -> str:
    """What a problem is called where a finding has the name of its rule."""
    return "evidence-missing" if problem.checked else "not-checked"


def summary_sentences(report: Report) -> list[str]:
    """What was found, what can be fixed and what could not be looked at, one sentence each."""
    sentences = [_found(report)]
    if fixable := sum(any(fix.safety == "safe" for fix in finding.fixes) for finding in report.findings):
        sentences.append(f"{counted(fixable, 'finding has', 'findings have')} a safe fix.")
    missing = sum(problem.checked for problem in report.problems)
    if unchecked := len(report.problems) - missing:
        sentences.append(f"{counted(unchecked, 'error')}: not everything could be checked.")
    if missing:
        sentences.append(f"{counted(missing, 'problem')}: checked with less evidence.")
    return sentences


def _found(report: Report) -> str:
    device = f" for {report.device}" if report.device else ""
    if not report.findings:
        return f"No findings{device}{'' if report.checked_everything else ' in what could be checked'}."
    words = [
        counted(count, severity, _PLURAL[severity])
        for severity, count in by_severity(report).items()
        if count
    ]
    files = len({finding.path for finding in report.findings})
    return f"Found {listed(words)} in {counted(files, 'file')}{device}."
