"""`advisor diff`: what changed between two runs or since a commit, and whether it became slower."""

from __future__ import annotations

import argparse

from advisor.cli.options import add_base, add_device, add_evidence, add_format

SUMMARY = (
    "Compare two runs, or the sources with those of a commit: what changed, which kernels became faster "
    "or slower, which findings are new or gone."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor diff`."""
    what = "number, label, commit, `latest`, `latest~1`, or the file of a profiler's report"
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="A B | PATH",
        help=f"two runs, the earlier one first: {what}; with --base files and folders (default: here)",
    )
    add_format(parser, "text", "json", "markdown")
    parser.add_argument(
        "--fail-on-regression", action="store_true", help="exit with status 1 when a kernel became slower"
    )
    sources = parser.add_argument_group("to compare sources instead of runs")
    add_base(sources)
    add_device(sources)
    add_evidence(sources)


def run(args: argparse.Namespace) -> int:
    """0 once the difference is written; 1 when a kernel became slower and --fail-on-regression is given, 2
    when not all sources could be checked.
    """
    from advisor.model.errors import UsageError

    if args.base is not None or args.base_folder is not None:
        return _compare_sources(args)
    if len(args.paths) != 2:
        raise UsageError(
            "two runs to compare are needed, A and B; or --base REVISION compares the sources with a commit."
        )
    return _compare_runs(args)


def _compare_sources(args: argparse.Namespace) -> int:
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.reporting.source_difference import source_difference
    from advisor.cli.reporting.source_difference_page import source_difference_json, source_difference_page

    with TerminalProgress(args.quiet):
        found, base = source_difference(args)
    if args.format == "json":
        write_to_stdout(source_difference_json(found, base) + "\n", True)
    else:
        write_to_stdout(source_difference_page(found, base, args.format == "markdown"), False)
    if not found.after.checked_everything:
        return 2
    return 1 if args.fail_on_regression and found.slower else 0


def _compare_runs(args: argparse.Namespace) -> int:
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.reporting.chosen_runs import comparing_options, kept_or_imported
    from advisor.runs.comparison.differences import difference

    options = comparing_options()
    with TerminalProgress(args.quiet):
        runs = [kept_or_imported(name, options) for name in args.paths]
        found = difference(runs[0], runs[1], options)
    if args.format == "json":
        from advisor.cli.reporting.difference_json import difference_json

        write_to_stdout(difference_json(found), True)
    else:
        from advisor.cli.reporting.difference_page import difference_page

        write_to_stdout(difference_page(found, args.format == "markdown"), False)
    return 1 if args.fail_on_regression and found.regressions else 0
