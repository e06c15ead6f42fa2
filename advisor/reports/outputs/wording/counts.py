"""The counts of a report, as numbers and as the sentences that end it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from advisor.model.findings import SEVERITIES, Finding, Problem, Report, Severity

_NOUNS: dict[Severity, str] = {"info": "info finding", "warning": "warning", "error": "error"}


def by_severity(report: Report) -> dict[Severity, int]:
    """The number of findings of each severity, the worst first."""
    return _severities(report.findings)


def _severities(findings: Iterable[Finding]) -> dict[Severity, int]:
    counted = Counter(finding.severity for finding in findings)
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


def severities_in_words(findings: Iterable[Finding]) -> str:
    """How many findings of each severity there are: `1 error and 2 warnings`."""
    counts = _severities(findings).items()
    return listed([counted(count, _NOUNS[severity]) for severity, count in counts if count])


def undecided_sentence(report: Report, asked: bool) -> str:
    """How many rules stayed undecided, and how to be told what is missing; empty where there are none, and
    where the statistics that say so were `asked` for.
    """
    undecided = len({entry.rule for entry in report.undecided})
    if not undecided or asked:
        return ""
    rules = counted(undecided, "rule")
    return f"{rules} could not be decided for lack of evidence; --statistics says what is missing."


def _found(report: Report) -> str:
    device = f" for {report.device}" if report.device else ""
    if not report.findings:
        return f"No findings{device}{'' if report.checked_everything else ' in what could be checked'}."
    files = len({finding.path for finding in report.findings})
    return f"Found {severities_in_words(report.findings)} in {counted(files, 'file')}{device}."
