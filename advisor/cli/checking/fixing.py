"""`advisor check --fix`: fixes written to the files, until no more of them apply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from advisor.cli.checking.request import Request
from advisor.cli.checking.source_files import write_sources
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.model.findings import Finding, Fix, Report, Safety

# Each round fixes what the one before brought to light; more than this is a circle.
_ROUNDS = 40


def fix_files(request: Request, report: Report, unsafe: bool, check: Callable[[Request], Report]) -> Report:
    """The report on the files with all fixes applied; `check` looks at files again.

    A file that cannot be written, or that has changed since it was read, is left alone, with all fixes that
    would touch it, and a notice says so.
    """
    refused: dict[str, str] = {}
    count = apply_all(request, report, unsafe, check, refused)
    if count:
        # All that could be applied was; without --unsafe-fixes the others are counted.
        report = check(replace(request, options=replace(request.options, fixes=not unsafe)))
    waiting = sum(any(fix.edits for fix in finding.fixes) for finding in report.findings)
    report.notices += list(refused.values())
    if waiting and not unsafe:
        report.notices.append(
            f"{waiting} more can be fixed with --unsafe-fixes, after a look at their conditions."
        )
    report.notices.append(f"Fixed {count} finding{'' if count == 1 else 's'}.")
    return report


def apply_all(
    request: Request,
    report: Report,
    unsafe: bool,
    check: Callable[[Request], Report],
    refused: dict[str, str],
) -> int:
    """How many findings were fixed; files that cannot be written are added to `refused`, with sentences.

    After the first round only files that were written are looked at again.
    """
    count = 0
    for _ in range(_ROUNDS):
        pairs = _fix_once(request.options.root, report, unsafe, refused)
        if not pairs:
            break
        count += len(pairs)
        report = check(_only(request, edits_by_path(pairs)))
    return count


def allowed_safeties(unsafe: bool) -> tuple[Safety, ...]:
    """The safeties of fixes that may be applied."""
    return ("safe", "needs review") if unsafe else ("safe",)


def _only(request: Request, paths: Iterable[str]) -> Request:
    """The request for some files; the others are still looked at for launches."""
    return replace(request, files=tuple(request.options.root / path for path in paths))


def _fix_once(root: Path, report: Report, unsafe: bool, refused: dict[str, str]) -> list[tuple[Finding, Fix]]:
    """The findings that were fixed, with their fixes; those that touch a file of `refused` are left out."""
    while True:
        able = [finding.without_fixes_in(refused) for finding in report.findings]
        pairs = chosen(able, allowed_safeties(unsafe))
        reasons = write_fixes(root, report.texts, pairs)
        if not reasons:
            return pairs
        # What was chosen beside these fixes may touch other files only together with them.
        refused |= reasons


def write_fixes(root: Path, texts: Mapping[str, str], pairs: Iterable[tuple[Finding, Fix]]) -> dict[str, str]:
    """Sentences by file on those that cannot be written; then nothing was written, else all fixes."""
    return write_sources(root, texts, edited_texts(texts, pairs))


def edited_texts(texts: Mapping[str, str], pairs: Iterable[tuple[Finding, Fix]]) -> dict[str, str]:
    """The texts that fixes change, by file, with their edits."""
    return {path: edited(texts[path], edits) for path, edits in edits_by_path(pairs).items()}
