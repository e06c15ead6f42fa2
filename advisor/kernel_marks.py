"""What kernel files say that rules find in them: `# hit: rule[, rule]` and `# ok: rule` behind a line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check_options import CheckOptions
from advisor.errors import UsageError
from advisor.findings import Finding, Report
from advisor.pipeline import check

_MARK = re.compile(r"# (hit|ok): ([a-z0-9-]+(?:, [a-z0-9-]+)*)(?=\s*(?:#|$))")


@dataclass(frozen=True, slots=True)
class Mark:
    """What is expected of one rule at one line: "hit" or "ok"."""

    expected: str
    rule: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class MarkFailure:
    """A place where a rule says something else than its mark."""

    rule: str
    path: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule} {self.sentence}"


def read_marks(file: Path, path: str | None = None) -> list[Mark]:
    """The marks of a file in order of line, with `path` as its name; raises UsageError for a misspelt one."""
    marks = []
    shown = path or file.name
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        found = [
            Mark(match[1], rule, shown, number)
            for match in _MARK.finditer(line)
            for rule in match[2].split(", ")
        ]
        if len(_MARK.findall(line)) != len(re.findall(r"#\s*(?:hit|ok)\b", line)):
            raise UsageError(f"{shown}:{number}: this annotation cannot be read: {line.strip()}")
        marks += found
    return marks


def marked_files(folder: Path) -> list[Path]:
    """The Python files below a folder that have marks."""
    files = sorted(folder.rglob("*.py"))
    return [file for file in files if _MARK.search(file.read_text("utf-8", errors="replace"))]


def check_marks(
    files: Sequence[Path], options: CheckOptions, rules: Collection[str]
) -> tuple[list[Mark], list[MarkFailure], Report]:
    """The marks of files that are of `rules`, what does not agree with them, and the report of the check.

    A finding of these rules at a line without a mark of its rule is no failure. Raises UsageError for marks
    that cannot be read or that name no rule.
    """
    names = {file: file.relative_to(options.root).as_posix() for file in files}
    marks = [mark for file in files for mark in read_marks(file, names[file])]
    own = [mark for mark in marks if mark.rule in rules]
    report = check(files, replace(options, neighbours=()))
    return own, mark_failures(own, report.findings), report


def mark_failures(marks: Sequence[Mark], findings: Iterable[Finding]) -> list[MarkFailure]:
    """Where findings and marks disagree."""
    found = {(finding.rule, finding.path, finding.span.line): finding for finding in findings}
    failures = []
    for mark in marks:
        finding = found.get((mark.rule, mark.path, mark.line))
        if mark.expected == "hit" and finding is None:
            failures.append(
                MarkFailure(mark.rule, mark.path, mark.line, "should find something here, and is silent.")
            )
        elif mark.expected == "ok" and finding is not None:
            failures.append(
                MarkFailure(
                    mark.rule, mark.path, mark.line, f"should be silent here, and says: {finding.message}"
                )
            )
    return failures
