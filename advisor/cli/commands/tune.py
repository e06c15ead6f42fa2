"""`advisor tune`: searches a kernel's block size, tile sizes and register limit by predicted time."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.errors import AdvisorError, UsageError

if TYPE_CHECKING:
    from advisor.runs.tuning.search import TuningRequest, TuningResult

SUMMARY = "Search block size, tile sizes and max_registers of a kernel by predicted time; offer the edit."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor tune`."""
    parser.add_argument("target", metavar="PATH::KERNEL", help="the file and the kernel in it")
    parser.add_argument("--device", metavar="NAME", help="the GPU to tune for (see `advisor devices`)")
    parser.add_argument("--seconds", type=_seconds, metavar="S", help="time limit of the search")
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        metavar="T",
        help="how far results may deviate, relative to an array's largest value (default: not at all)",
    )
    parser.add_argument("--fresh", action="store_true", help="search again although nothing has changed")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write cached results")
    parser.add_argument(
        "--diff",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="show the edit where something better was found (default: yes)",
    )
    parser.add_argument("--write", action="store_true", help="write the edit to the files")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """0 when the search was made or was kept, whatever it found."""
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.source_files import unified_diff, write_sources
    from advisor.runs.tuning.search import tune

    request = _request(args)
    with TerminalProgress(args.quiet) as progress:
        result = tune(request, progress)
    diff = unified_diff(result.target.texts, result.edited)
    if args.write and result.edited:
        refused = write_sources(request.options.root, result.target.texts, result.edited)
        if refused:
            raise AdvisorError(" ".join(refused.values()))
    _print(args, result, diff)
    return 0


def _print(args: argparse.Namespace, result: TuningResult, diff: str) -> None:
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.tuning.as_json import result_json
    from advisor.cli.tuning.table import result_text

    if args.format == "json":
        content = result_json(result, diff, args.write and bool(result.edited))
        write_to_stdout(json.dumps(content, indent=2), True)
        return
    write_to_stdout(result_text(result), False)
    if diff and args.diff:
        write_to_stdout(f"\n{diff}", False)
    if diff:
        said = "Written." if args.write else "--write applies the edit."
        print(f"advisor: {said}", file=sys.stderr)


def _request(args: argparse.Namespace) -> TuningRequest:
    from advisor.cli.verification.python_files import refuse_notebooks
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import command_config, prepare_cache_folder
    from advisor.runs.tuning.numbers import tuning_numbers
    from advisor.runs.tuning.search import TuningRequest

    shown, mark, kernel = args.target.partition("::")
    path = Path(shown)
    if not path.is_file():
        raise UsageError(f"{shown}: there is no such file; the target is written PATH::KERNEL.")
    if not mark or not kernel:
        raise UsageError(f"{args.target}: the kernel is missing; the target is written PATH::KERNEL.")
    refuse_notebooks([shown], "tune")
    config, numbers = command_config(path), tuning_numbers()
    options = CheckOptions(
        device=args.device or config.device,
        root=Path.cwd(),
        evidence="source",
        no_run=True,
        settings=config,
        cache_folder=None if args.no_cache else prepare_cache_folder(config),
    )
    return TuningRequest(
        path=path,
        kernel=kernel,
        options=options,
        seconds=numbers.seconds if args.seconds is None else args.seconds,
        tolerance=numbers.tolerance if args.tolerance is None else args.tolerance,
        fresh=args.fresh,
    )


def _seconds(text: str) -> float:
    return _number(text, "seconds")


def _tolerance(text: str) -> float:
    return _number(text, "a tolerance")


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of {what} (0 or more)")
    return value
