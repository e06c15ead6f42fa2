"""`advisor import`: reports of Nsight Compute, Nsight Systems and torch.profiler, kept and judged."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.errors import UsageError
from advisor.model.findings import SEVERITIES

if TYPE_CHECKING:
    from advisor.cli.importing.imported_run import Imported
    from advisor.model.settings.check_options import CheckOptions

SUMMARY = "Read reports of Nsight Compute, Nsight Systems or torch.profiler, keep them and judge them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor import`."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="reports of one run; import another run by another command"
    )
    parser.add_argument(
        "--device", default="", metavar="NAME", help="the GPU (default: the one in the report)"
    )
    parser.add_argument("--label", default="", metavar="TEXT", help="what the history calls this run")
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="'REGEX=PATH::KERNEL'",
        help="kernels whose name in the report matches are this one of the project",
    )
    parser.add_argument("--no-store", action="store_true", help="keep nothing in the history")
    parser.add_argument(
        "--select", action="append", metavar="RULE,...", help="only these rules or categories"
    )
    parser.add_argument("--ignore", action="append", metavar="RULE,...", help="leave out these rules")
    parser.add_argument(
        "--fail-level",
        choices=SEVERITIES,
        help="the least severity of a finding that makes exit status 1 (default: none does)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every metric that is not used")


def run(args: argparse.Namespace) -> int:
    """0 once the reports are read and kept, 1 for findings at or above the fail level that was asked for.

    2 where not all could be read or judged; nothing is kept of reports of which one cannot be read.
    """
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
    imported = import_reports(files, options, project_of(options), args.label, args.map, args.device)
    if not args.no_store:
        imported = _kept(imported, options)
    if args.format == "json":
        write_to_stdout(import_json(imported, options), True)
    else:
        write_to_stdout(import_text(imported, options, args.verbose), False)
    return status_of(imported.report, imported.report.findings, args.fail_level)


def _kept(imported: Imported, options: CheckOptions) -> Imported:
    from advisor.model.history.store import HistoryStore

    store = HistoryStore(options.settings.root)
    try:
        number = store.add_run(imported.run)
    finally:
        store.close()
    return replace(imported, run=replace(imported.run, id=number))


def _options(args: argparse.Namespace) -> CheckOptions:
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import load_config

    config = load_config(Path.cwd())
    select = _names(args.select) or config.select
    return CheckOptions(
        device=args.device or config.device,
        evidence="measured",
        no_run=True,
        root=Path.cwd(),
        select=select,
        extend_select=() if args.select else config.extend_select,
        ignore=(*config.ignore, *_names(args.ignore)),
        settings=replace(config, select=(), extend_select=(), ignore=()),
    )


def _names(given: list[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for part in given or () for name in part.split(",") if name.strip())
