"""`advisor diff`: what changed between two runs, and whether it became slower."""

from __future__ import annotations

import argparse

SUMMARY = "Compare two runs: what changed, how times and metrics moved, which rules changed their verdict."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor diff`."""
    what = "number, label, commit, `latest`, `latest~1`, or the file of a profiler's report"
    parser.add_argument("before", metavar="A", help=f"the earlier run: {what}")
    parser.add_argument("after", metavar="B", help="the later run, named alike")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument(
        "--fail-on-regression", action="store_true", help="exit with status 1 when a kernel became slower"
    )


def run(args: argparse.Namespace) -> int:
    """0 once the difference is written; 1 when a kernel became slower and --fail-on-regression is given."""
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.reporting.chosen_runs import comparing_options, kept_or_imported
    from advisor.runs.comparison.differences import difference

    options = comparing_options()
    runs = [kept_or_imported(name, options) for name in (args.before, args.after)]
    found = difference(runs[0], runs[1], options)
    if args.format == "json":
        from advisor.cli.reporting.difference_json import difference_json

        write_to_stdout(difference_json(found), True)
    else:
        from advisor.cli.reporting.difference_page import difference_page

        write_to_stdout(difference_page(found, args.format == "markdown"), False)
    return 1 if args.fail_on_regression and found.regressions else 0
