"""`advisor check`: finds what is slow in the kernels of files and folders."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from advisor.cli.checking.arguments import add_check_arguments
from advisor.cli.checking.request import Request, build_request
from advisor.cli.checking.telling import tell
from advisor.cli.checking.verdict import exit_status
from advisor.model.processes.gc_paused import gc_paused

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.check.collectors import Collectors
    from advisor.model.findings import Report

SUMMARY = "Find what is slow in the kernels of files and folders, and say why."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor check`."""
    add_check_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """0 when nothing is at or above the fail level, 1 for findings, 2 when not all could be checked."""
    if args.fix or args.diff:
        return _run(args)  # of several checks, each leaves much that the next has no use for
    with gc_paused():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from advisor.runs.fleet.opening import opened

    request = build_request(args)
    with opened(args.cluster) as executor:
        return _run_by(args, request.by(executor))


def _run_by(args: argparse.Namespace, request: Request) -> int:
    collectors = _collectors(args)

    def check(request: Request) -> Report:
        return _check(args, request, collectors)

    report = check(request)
    if args.diff:
        return _show_differences(args, request, report, check)
    if args.fix:
        from advisor.cli.checking.fixing import fix_files

        report = fix_files(request, report, args.unsafe_fixes, check)
    findings_before = list(report.findings)
    if args.baseline:
        _use_baseline(args, request, report)
    if args.write_baseline:
        return exit_status(request, report, findings=[])
    if args.quiet:
        report.notices.clear()
    _write(args, request, report)
    if args.verbose:
        _tell_more(request, report, len(findings_before))
    if args.exit_zero:
        return exit_status(request, report, findings=[])
    return exit_status(request, report, report.findings)


def _collectors(args: argparse.Namespace) -> Collectors:
    """The collectors of the command: fixes are followed by further checks, mostly of unchanged files."""
    from advisor.check.collectors import DefaultCollectors
    from advisor.evidence.source.analysis_memory import AnalysisMemory

    return DefaultCollectors(AnalysisMemory() if args.fix or args.diff else None)


def _check(args: argparse.Namespace, request: Request, collectors: Collectors) -> Report:
    from advisor.check.pipeline import check_with_tables
    from advisor.cli.checking.progress import TerminalProgress

    with TerminalProgress(args.quiet) as progress:
        report = check_with_tables(request.files, request.options, progress, collectors).report
    report.problems[:0] = request.problems
    return report


def _show_differences(
    args: argparse.Namespace, request: Request, report: Report, check: Callable[[Request], Report]
) -> int:
    """1 after printing what fixes would change, 0 where that is nothing, 2 when not all could be checked."""
    from advisor.cli.checking.fixed_copy import differences
    from advisor.cli.checking.problem_lines import print_problems
    from advisor.cli.checking.report_file import write_to_stdout

    told = len(report.notices)
    text = differences(request, report, args.unsafe_fixes, check)
    write_to_stdout(text, True)
    for notice in report.notices[told:]:
        tell(f"advisor: {notice}")
    print_problems(report)
    if not report.checked_everything:
        return 2
    return 1 if text else 0


def _use_baseline(args: argparse.Namespace, request: Request, report: Report) -> None:
    from advisor.cli.checking import baseline

    checked = request.checked_paths()
    if args.write_baseline:
        count = baseline.write_baseline(args.baseline, report, checked)
        tell(f"{args.baseline}: {count} finding{'' if count == 1 else 's'} accepted.")
        return
    accepted = baseline.read_baseline(args.baseline)
    found = [entry for finding in report.findings for entry in baseline.entries_of(finding, report.texts)]
    gone = baseline.vanished(accepted, found, checked)
    baseline.apply_baseline(report, accepted)
    if gone:
        report.notices.append(
            f"{gone} of the findings in {args.baseline} no longer exist; "
            "--write-baseline drops them, so that they cannot come back unnoticed."
        )


def _write(args: argparse.Namespace, request: Request, report: Report) -> None:
    from advisor.check.rulebook import rulebook_for
    from advisor.cli.checking.report_file import write_atomically, write_to_stdout
    from advisor.reports.outputs import RenderOptions, load_format, options_for, render_report
    from advisor.reports.rule_pages.catalogue import catalogue_of

    settings = request.options.settings
    causes = settings.report_causes
    options = RenderOptions(statistics=args.statistics, quiet=args.quiet, causes=causes)
    if args.output is None and sys.stdout is not None:
        options = options_for(sys.stdout, statistics=args.statistics, quiet=args.quiet, causes=causes)
    rules = catalogue_of(rulebook_for(settings, strict=False))
    text = render_report(args.format, report, rules, options)
    if args.output is None:
        write_to_stdout(text, load_format(args.format).FOR_MACHINES, is_painted=options.color)
    else:
        write_atomically(args.output, text)


def _tell_more(request: Request, report: Report, found: int) -> None:
    config = request.options.settings
    lines = [
        f"configuration: {config.file or 'none'}",
        f"cache: {request.options.cache_folder or 'none'}",
        f"device: {report.device}",
        f"files: {len(request.files)}, findings before the baseline: {found}",
        *(
            f"undecided: {item.rule} at {item.places} places needs {', '.join(item.needs)}"
            for item in report.undecided
        ),
    ]
    for line in lines:
        tell(f"advisor: {line}")
