"""`advisor check --fix` and `--diff`: fixes written to the files, until no more of them apply."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from advisor.cli.checking.report_file import write_atomically
from advisor.cli.checking.request import Request
from advisor.errors import SourceProblem
from advisor.findings import Finding, Report, Safety
from advisor.fixes.application import applied, chosen
from advisor.text import decode_source

# Each round mends what the one before brought to light; more than this is a circle.
_ROUNDS = 10


def fix_files(request: Request, report: Report, unsafe: bool, check: Callable[[], Report]) -> Report:
    """The report on the files with all fixes applied; `check` looks at them anew.

    A file that cannot be written, or that has changed since it was read, is left alone, and a notice says so.
    """
    refused: dict[str, str] = {}
    count = 0
    for _ in range(_ROUNDS):
        written = 0
        for path, findings in _by_path(report.findings).items():
            if path not in refused:
                written += _fix(request.options.root / path, path, findings, report, unsafe, refused)
        if not written:
            break
        count += written
        report = check()
    waiting = sum(any(fix.edits for fix in finding.fixes) for finding in report.findings)
    report.notices += list(refused.values())
    if waiting and not unsafe:
        report.notices.append(
            f"{waiting} more can be mended with --unsafe-fixes, after a look at their conditions."
        )
    report.notices.append(f"Mended {count} finding{'' if count == 1 else 's'}.")
    return report


def differences(report: Report, unsafe: bool) -> str:
    """What the fixes that apply at once would change, as unified diffs."""
    lines: list[str] = []
    for path, findings in _by_path(report.findings).items():
        text = report.texts.get(path)
        pairs = chosen(findings, _allowed(unsafe))
        if text is not None and pairs:
            after = applied(text, [fix for _, fix in pairs])
            parts = (text.splitlines(keepends=True), after.splitlines(keepends=True))
            lines += difflib.unified_diff(*parts, f"a/{path}", f"b/{path}")
    return "".join(lines)


def _allowed(unsafe: bool) -> tuple[Safety, ...]:
    return ("safe", "needs review") if unsafe else ("safe",)


def _by_path(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if any(fix.edits for fix in finding.fixes):
            found.setdefault(finding.path, []).append(finding)
    return found


def _fix(
    file: Path, path: str, findings: list[Finding], report: Report, unsafe: bool, refused: dict[str, str]
) -> int:
    """How many findings of a file were mended."""
    text = report.texts.get(path)
    pairs = chosen(findings, _allowed(unsafe))
    if text is None or not pairs:
        return 0
    reason = _obstacle(file, path, text)
    if reason is None:
        try:
            after = applied(text, [fix for _, fix in pairs])
        except SyntaxError as error:
            reason = f"the fixes together would break it (line {error.lineno})"
    if reason is not None:
        refused[path] = f"{path} is left as it is: {reason}."
        return 0
    write_atomically(file, after)
    return len(pairs)


def _obstacle(file: Path, path: str, text: str) -> str | None:
    """Why a file must not be written, None where it may be."""
    try:
        data = file.read_bytes()
        if decode_source(data, path).text != text:
            return "it has changed since it was read"
        if text.encode("utf-8") != data:
            return "it is not plain UTF-8"
        if not file.stat().st_mode & stat.S_IWUSR:
            return "it is read-only"
    except (OSError, SourceProblem) as error:
        return str(error)
    return None
