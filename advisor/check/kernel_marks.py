"""What kernel files say that rules find in them: `# hit: rule[, rule]` and `# ok: rule` behind a line.

`# fix: fix[, fix]` says that a finding of the line can be fixed automatically.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check.looked_at import LookedAt
from advisor.check.pipeline import Checked, check_with_tables
from advisor.fixes import known_fixes
from advisor.model.errors import UsageError
from advisor.model.findings import Finding
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.selectors import suggestion
from advisor.rules.model import Example, Pack, Rule, Rulebook

_MARK = re.compile(r"# (hit|ok|fix): ([a-z0-9-]+(?:, [a-z0-9-]+)*)(?=\s*(?:#|$))")


@dataclass(frozen=True, slots=True)
class Mark:
    """What is expected of one rule at one line: "hit" or "ok", or of one fix: "fix"."""

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
    for number, line in enumerate(file.read_text("utf-8", errors="replace").splitlines(), 1):
        found = [
            Mark(match[1], rule, shown, number)
            for match in _MARK.finditer(line)
            for rule in match[2].split(", ")
        ]
        if len(_MARK.findall(line)) != len(re.findall(r"#\s*(?:hit|ok|fix)\b", line)):
            raise UsageError(f"{shown}:{number}: this annotation cannot be read: {line.strip()}")
        marks += found
    return marks


def marked_files(folder: Path) -> list[Path]:
    """The Python files below a folder that have marks."""
    return [file for file in sorted(folder.rglob("*.py")) if _has_marks(file)]


def _has_marks(file: Path) -> bool:
    return any(map(_MARK.search, file.read_text("utf-8", errors="replace").splitlines()))


def check_marks(
    files: Sequence[Path], options: CheckOptions, rules: Collection[str], rulebook: Rulebook
) -> tuple[list[Mark], list[MarkFailure]]:
    """The marks of files that are of `rules` and of fixes, and where the findings do not agree with them.

    A mark of a line that was not looked at is a failure; a finding of these rules at a line without a mark of
    its rule is none. Raises UsageError for marks that cannot be read or that name no rule of the rulebook and
    no fix.
    """
    known = {rule.id: rule for rule in rulebook.rules}
    names = {file: file.relative_to(options.root).as_posix() for file in files}
    marks = [mark for file in files for mark in read_marks(file, names[file])]
    fixes = {fix.id for fix in known_fixes()}
    for mark in marks:
        every = fixes if mark.expected == "fix" else known.keys()
        if mark.rule not in every:
            what = "fix" if mark.expected == "fix" else "rule"
            hint = suggestion(mark.rule, every)
            raise UsageError(f"{mark.path}:{mark.line}: there is no {what} `{mark.rule}`.{hint}")
    own = [mark for mark in marks if mark.expected == "fix" or mark.rule in rules]
    checked = _checked(files, options, tuple(sorted(known)))
    looked_at = LookedAt(checked, options.root, rulebook)
    failures, seen = [], []
    for mark in own:
        reason = looked_at.line_left_out(mark.path, mark.line, known.get(mark.rule))
        if reason:
            said = f"is marked `{mark.expected}` where nothing was looked at: {reason}."
            failures.append(MarkFailure(mark.rule, mark.path, mark.line, said))
        else:
            seen.append(mark)
    return own, [*failures, *mark_failures(seen, checked.report.findings)]


def _checked(files: Sequence[Path], options: CheckOptions, rules: tuple[str, ...]) -> Checked:
    """A check for some rules as they are in their packs, whatever the project changes in them."""
    settings = replace(
        options.settings, select=(), extend_select=(), ignore=(), per_file_ignores={}, rules={}, overrides=()
    )
    return check_with_tables(files, replace(options, workspace_files=(), select=rules, settings=settings))


def mark_failures(marks: Sequence[Mark], findings: Iterable[Finding]) -> list[MarkFailure]:
    """Where findings and marks disagree."""
    found = {
        (one.rule, one.path, one.span.line): one for finding in findings for one in finding.at_each_place()
    }
    fixed = {
        (fix.id, finding.path, line)
        for finding in found.values()
        for fix in finding.fixes
        if fix.edits
        for line in fix.lines
    }
    failures = []
    for mark in marks:
        place = (mark.rule, mark.path, mark.line)
        said = None
        if mark.expected == "hit" and place not in found:
            said = "should find something here, and is silent."
        elif mark.expected == "ok" and place in found:
            said = f"should be silent here, and says: {found[place].message}"
        elif mark.expected == "fix" and place not in fixed:
            said = "should fix what is found here, and cannot."
        if said is not None:
            failures.append(MarkFailure(mark.rule, mark.path, mark.line, said))
    return failures


def example_failures(
    rulebook: Rulebook, rules: Iterable[Rule], options: CheckOptions
) -> tuple[int, list[MarkFailure]]:
    """How many examples stand on kernel files (`example … on "file"`), and those that do not hold.

    Files are named from the rule's own. A rule fires on a file when it finds something there, and is unknown
    when it finds nothing and stays undecided. An example does not hold either where its file is not there,
    does not parse, has a kernel that could not be looked at, or none at all.
    """
    failures, count = [], 0
    for rule in rules:
        for example in rule.examples:
            if example.file:
                count += 1
                said = _example_fails(rulebook, rule, example, options)
                if said:
                    failures.append(MarkFailure(rule.id, rule.path, example.span.line, said))
    return count, failures


def _example_fails(rulebook: Rulebook, rule: Rule, example: Example, options: CheckOptions) -> str:
    """What is wrong with an example on a file, "" where it holds."""
    target = _file_of(example, rule, rulebook.packs)
    if not target.is_file():
        return f"has an example on {example.file}, which is not there."
    checked = _checked([target], replace(options, root=target.parent), (rule.id,))
    report = checked.report
    fires = any(finding.rule == rule.id for finding in report.findings)
    unknown = any(item.rule == rule.id for item in report.undecided)
    verdict = "fires" if fires else "unknown" if unknown else "silent"
    may_be_unknown = example.verdict == verdict == "unknown"
    reason = LookedAt(checked, target.parent, rulebook).file_left_out(target.name, rule, may_be_unknown)
    if reason:
        return f"should be {example.verdict} on {example.file}, which was not looked at: {reason}."
    if verdict != example.verdict:
        return f"should be {example.verdict} on {example.file}, and is {verdict}."
    return ""


def _file_of(example: Example, rule: Rule, packs: Sequence[Pack]) -> Path:
    own = next((file for pack in packs if (file := pack.file_of(rule.path)) is not None), None)
    return own.parent / example.file if own is not None else Path(example.file)
