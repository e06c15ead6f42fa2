"""`advisor check --fix` and `--diff`: fixes written to the files, until no more of them apply."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from advisor.cli.checking.report_file import write_atomically
from advisor.cli.checking.request import Request
from advisor.errors import SourceProblem
from advisor.findings import Finding, Fix, Report, Safety
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.text import decode_source

# Each round mends what the one before brought to light; more than this is a circle.
_ROUNDS = 40


def fix_files(request: Request, report: Report, unsafe: bool, check: Callable[[Request], Report]) -> Report:
    """The report on the files with all fixes applied; `check` looks at files anew.

    After the first round only files that were written are looked at again, and in the end all of them.

    A file that cannot be written, or that has changed since it was read, is left alone, with all fixes that
    would touch it, and a notice says so.
    """
    refused: dict[str, str] = {}
    count = 0
    last = report
    for _ in range(_ROUNDS):
        pairs = _fix_once(request.options.root, last, unsafe, refused)
        if not pairs:
            break
        count += len(pairs)
        last = check(_only(request, edits_by_path(pairs)))
    if count:
        # All that could be applied was; without --unsafe-fixes the others are counted.
        report = check(replace(request, options=replace(request.options, fixes=not unsafe)))
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
    for path, edits in edits_by_path(chosen(report.findings, allowed_safeties(unsafe))).items():
        text = report.texts[path]
        parts = (text.splitlines(keepends=True), edited(text, edits).splitlines(keepends=True))
        lines += difflib.unified_diff(*parts, f"a/{path}", f"b/{path}")
    return "".join(lines)


def allowed_safeties(unsafe: bool) -> tuple[Safety, ...]:
    """The safeties of fixes that may be applied."""
    return ("safe", "needs review") if unsafe else ("safe",)


def _only(request: Request, paths: Iterable[str]) -> Request:
    """The request for some files; the others are still looked at for launches."""
    return replace(request, files=tuple(request.options.root / path for path in paths))


def _fix_once(root: Path, report: Report, unsafe: bool, refused: dict[str, str]) -> list[tuple[Finding, Fix]]:
    """The findings that were mended, with their fixes; those that touch a file of `refused` are left out."""
    while True:
        able = [_without(finding, refused) for finding in report.findings]
        pairs = chosen(able, allowed_safeties(unsafe))
        reasons = _write(root, report.texts, pairs)
        if not reasons:
            return pairs
        # What was chosen beside these fixes may touch other files only together with them.
        refused |= reasons


def write_fixes(root: Path, texts: Mapping[str, str], pairs: Iterable[tuple[Finding, Fix]]) -> list[str]:
    """Sentences on files that cannot be written, an empty list after all fixes were written: all or none."""
    return list(_write(root, texts, pairs).values())


def _write(root: Path, texts: Mapping[str, str], pairs: Iterable[tuple[Finding, Fix]]) -> dict[str, str]:
    after: dict[str, str] = {}
    refused: dict[str, str] = {}
    for path, edits in edits_by_path(pairs).items():
        reason = _obstacle(root / path, path, texts[path])
        if reason is None:
            try:
                after[path] = edited(texts[path], edits)
            except SyntaxError as error:
                reason = f"the fixes together would break it (line {error.lineno})"
        if reason is not None:
            refused[path] = f"{path} is left as it is: {reason}."
    for path, text in after.items() if not refused else ():
        write_atomically(root / path, text)
    return refused


def _without(finding: Finding, refused: Mapping[str, str]) -> Finding:
    """The finding without the fixes that touch a file."""
    kept = tuple(
        fix for fix in finding.fixes if not any((edit.path or finding.path) in refused for edit in fix.edits)
    )
    return replace(finding, fixes=kept)


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
