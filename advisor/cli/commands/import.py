"""`advisor import`: reports of Nsight Compute, Nsight Systems and torch.profiler, kept and judged."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.options import add_device, add_format, add_label, add_no_store, add_selection, selected
from advisor.model.errors import UsageError
from advisor.model.findings import SEVERITIES

if TYPE_CHECKING:
    from advisor.cli.importing.imported_run import Imported
    from advisor.model.settings.check_options import CheckOptions

SUMMARY = "Read reports of Nsight Compute, Nsight Systems, torch.profiler or rocprof, keep and judge them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor import`."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="reports of one run; import each further run separately"
    )
    add_device(parser, "the GPU of a report that names none")
    add_label(parser)
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="'REGEX=PATH::KERNEL'",
        help="take kernels whose name in the report matches REGEX for this kernel of the project",
    )
    add_no_store(parser)
    add_selection(parser)
    parser.add_argument(
        "--fail-level",
        choices=SEVERITIES,
        help="the least severity that makes exit status 1 (default: none does)",
    )
    add_format(parser, "text", "json")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument(
        "-q", "--quiet", action="store_true", help="only results: no progress, notices or counts"
    )
    loudness.add_argument(
        "-v", "--verbose", action="store_true", help="more: the metrics of the reports that are not used, too"
    )


def run(args: argparse.Namespace) -> int:
    """0 once the reports are read and kept, 1 for findings at or above the fail level that was asked for.

    2 where not all could be read or judged; nothing is kept of reports of which one cannot be read.
    """
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.checking.verdict import status_of
    from advisor.cli.importing.as_json import import_json
    from advisor.cli.importing.as_text import import_text
    from advisor.cli.importing.imported_run import import_reports
    from advisor.cli.importing.project_kernels import project_of

    options = _options(args)
    files = [Path(name) for name in args.files]
    absent = [
        f"{file}: {'this is a folder, not a report' if file.is_dir() else 'there is no such file'}."
        for file in files
        if not file.is_file()
    ]
    if absent:
        raise UsageError("\n".join(absent))
    with TerminalProgress(args.quiet):
        imported = import_reports(
            files, options, project_of(options), args.label, args.map, args.device or ""
        )
    if not args.no_store:
        imported = _kept(imported, options)
    if args.format == "json":
        write_to_stdout(import_json(imported, options), True)
    else:
        write_to_stdout(import_text(imported, options, args.verbose, args.quiet), False, is_painted=True)
    return status_of(imported.report, imported.report.findings, args.fail_level)


def _kept(imported: Imported, options: CheckOptions) -> Imported:
    from advisor.model.history.store import history_of

    store = history_of(options.settings)
    try:
        number = store.add_run(imported.run)
    finally:
        store.close()
    return replace(imported, run=replace(imported.run, id=number))


def _options(args: argparse.Namespace) -> CheckOptions:
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import load_config

    config = load_config(Path.cwd())
    select, extend_select, ignore = selected(args, config)
    return CheckOptions(
        device=args.device or config.device,
        evidence="measured",
        no_run=True,
        root=Path.cwd(),
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        settings=replace(config, select=(), extend_select=(), ignore=()),
    )
