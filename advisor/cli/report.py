"""`advisor report`: the kernels of runs by time and gain, and the order in which to go about them."""

from __future__ import annotations

import argparse

from advisor.errors import UsageError

SUMMARY = "Rank the kernels that the history knows by time and gain, with what to do first."

_DEFAULT_TOP = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `advisor report`."""
    parser.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="number, label, commit, `latest` or `latest~1` (default: the latest of every kernel)",
    )
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument(
        "--top",
        type=_number,
        default=_DEFAULT_TOP,
        metavar="N",
        help=f"kernels shown (default: {_DEFAULT_TOP})",
    )


def run(args: argparse.Namespace) -> int:
    """0 once the report is written; 2 where there is nothing to report on."""
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.reporting.chosen_runs import chosen_runs, comparing_options, open_history
    from advisor.comparing.present_kernels import without_gone
    from advisor.comparing.ranking import rankings

    options = comparing_options()
    store = open_history(options)
    try:
        gone: list[str] = []
        if args.runs:
            runs = chosen_runs(args.runs, store)
        else:
            runs, gone = without_gone(store.latest(), options)
    finally:
        store.close()
    if not runs:
        raise UsageError("The history holds no kernel yet: `advisor profile PATH` measures or predicts some.")
    found = rankings(runs, options)
    if args.format == "json":
        from advisor.cli.reporting.ranking_json import ranking_json

        write_to_stdout(ranking_json(found, gone), True)
    else:
        from advisor.cli.reporting.ranking_page import ranking_page

        write_to_stdout(ranking_page(found, gone, args.top, args.format == "markdown"), False)
    return 0


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**6):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of kernels (1 or more)")
    return int(text)
