"""`advisor report`: the kernels of runs by time and gain, and the order in which to go about them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.options import add_format, add_no_run
from advisor.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.model.history.store import HistoryStore
    from advisor.model.settings.check_options import CheckOptions
    from advisor.runs.comparison.differences import Difference
    from advisor.runs.comparison.ranking.ranking import Ranking
    from advisor.runs.comparison.ranking.scaling import Scaling

SUMMARY = "Rank the kernels that the history knows by time and gain, with what to do first."

_DEFAULT_TOP = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor report`."""
    parser.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="number, label, commit, `latest` or `latest~1` (default: the latest of every kernel)",
    )
    add_no_run(parser)
    add_format(parser, "text", "json", "markdown")
    parser.add_argument(
        "--top",
        type=_number,
        default=_DEFAULT_TOP,
        metavar="N",
        help=f"kernels shown (default: {_DEFAULT_TOP})",
    )
    parser.add_argument(
        "--since",
        metavar="RUN",
        help="show what changed since that run or report file (--html: by default since the run before)",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write a self-contained page with charts instead",
    )


def run(args: argparse.Namespace) -> int:
    """0 once the report is written; 2 where there is nothing to report on."""
    from dataclasses import replace

    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.reporting.chosen_runs import chosen_runs, comparing_options, open_history
    from advisor.runs.comparison.ranking.present_kernels import without_gone
    from advisor.runs.comparison.ranking.ranking import rankings
    from advisor.runs.comparison.ranking.remedies import with_remedies

    if args.html:
        _require_page(args.html)
    options = comparing_options()
    store = open_history(options)
    try:
        gone: list[str] = []
        if args.runs:
            runs = chosen_runs(args.runs, store)
        else:
            runs, gone = without_gone(store.latest(), options)
        if not runs:
            raise UsageError(
                "The history holds no kernel yet: `advisor profile PATH` measures or predicts some."
            )
        with TerminalProgress(args.quiet) as progress:
            found = with_remedies(
                rankings(runs, options), options, not args.no_run, progress, latest=not args.runs
            )
            scalings = [] if args.html else _scalings(found, store, args.top)
            differences = _differences(args, found, store, options)
    finally:
        store.close()
    if args.html:
        with TerminalProgress(args.quiet):
            _write_page(args.html, found, gone, differences, options)
    elif args.format == "json":
        from advisor.cli.reporting.ranking_json import ranking_json

        write_to_stdout(ranking_json(found, gone, scalings, differences), True)
    else:
        from advisor.cli.reporting.ranking_page import ranking_page

        if args.quiet:
            found = [replace(one, notes=()) for one in found]
        page = ranking_page(found, gone, scalings, differences, args.top, args.format == "markdown")
        write_to_stdout(page, False)
    return 0


def _differences(
    args: argparse.Namespace, found: Sequence[Ranking], store: HistoryStore, options: CheckOptions
) -> list[Difference]:
    """What changed since the run that is named; for a page without one since the run before."""
    from advisor.cli.reporting.chosen_runs import kept_or_imported
    from advisor.reports.html_report.amounts import amounts
    from advisor.runs.comparison.since_earlier import since_run, since_run_before

    most = amounts().compared_runs
    if args.since is not None:
        return since_run(kept_or_imported(args.since, options), found, store, options, most)
    return since_run_before(found, store, options, most) if args.html else []


def _scalings(found: Sequence[Ranking], store: HistoryStore, top: int) -> list[Scaling]:
    """How the times of the kernels that are shown grow, of those that ran with several sizes."""
    from advisor.runs.comparison.ranking.scaling import kept_scaling

    known = (
        kept_scaling(store, kernel.main.fingerprint, kernel.run.facts.device)
        for one in found
        for kernel in one.kernels[:top]
    )
    return [one for one in known if one is not None]


def _require_page(file: Path) -> None:
    """Raise UsageError where a page cannot be drawn or written there."""
    from advisor.cli.checking.report_file import check_target
    from advisor.reports.html_report.charts.canvas import require_matplotlib

    check_target(file, (), "--html")
    require_matplotlib()


def _write_page(
    file: Path,
    found: Sequence[Ranking],
    gone: Sequence[str],
    differences: Sequence[Difference],
    options: CheckOptions,
) -> None:
    from advisor.cli.checking.report_file import write_atomically
    from advisor.cli.reporting.chosen_runs import open_history
    from advisor.reports.html_report.gathering import gather
    from advisor.reports.html_report.page import report_html

    notices = [f"Not in the source any more: {', '.join(gone)}."] if gone else []
    store = open_history(options)
    try:
        material = gather(found, store, options, notices, differences)
    finally:
        store.close()
    write_atomically(file, report_html(material))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**6):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of kernels (1 or more)")
    return int(text)
