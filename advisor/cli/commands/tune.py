"""`advisor tune`: searches a kernel's block size, tile sizes and register limit by predicted time.

Of a kernel of Triton it ranks the configurations.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import tell
from advisor.cli.options import add_cluster, add_device, add_format, add_no_cache
from advisor.model.errors import AdvisorError, UsageError

if TYPE_CHECKING:
    from advisor.runs.tuning.search import TuningRequest, TuningResult
    from advisor.runs.tuning.triton.target import TritonTarget

SUMMARY = "Search a kernel's sizes, or rank a Triton kernel's configurations, by predicted time."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor tune`."""
    parser.add_argument("target", metavar="PATH::KERNEL", help="the file and the kernel in it")
    add_device(parser, "the GPU to tune for")
    parser.add_argument("--seconds", type=_seconds, metavar="S", help="time limit of the search")
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        metavar="T",
        help="how far results may deviate, relative to an array's largest value (default: not at all; for a "
        "Triton kernel, as far as rounding explains)",
    )
    parser.add_argument(
        "--set",
        action="append",
        type=_values,
        default=[],
        metavar="NAME=V,V",
        help="for a Triton kernel: values to try for a constant, num_warps, num_stages or maxnreg",
    )
    parser.add_argument(
        "--configs",
        default="",
        metavar="NAME",
        help="for a Triton kernel: a list of triton.Config in its file",
    )
    parser.add_argument("--fresh", action="store_true", help="search again even if nothing has changed")
    add_no_cache(parser)
    add_cluster(parser)
    edit = parser.add_mutually_exclusive_group()
    edit.add_argument(
        "--diff", action="store_true", default=True, help="show the edit, and change nothing (default)"
    )
    edit.add_argument("--write", action="store_true", help="write the edit to the files")
    parser.add_argument("--no-diff", action="store_false", dest="diff", help="do not show the edit")
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 when the search was made or was kept, whatever it found."""
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.source_files import unified_diff, write_sources
    from advisor.model.machine_code.gpu_extra import require_translator
    from advisor.runs.fleet.opening import opened
    from advisor.runs.tuning.search import tune

    require_translator()
    request = _request(args)
    triton = _triton_target(args, request)
    if triton is not None and args.cluster:
        raise UsageError("--cluster: the configurations of a Triton kernel are tried on this machine alone.")
    if triton is not None:
        return _rank(args, request, triton)
    with opened(args.cluster) as executor, TerminalProgress(args.quiet) as progress:
        result = tune(replace(request, options=replace(request.options, executor=executor)), progress)
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
    write_to_stdout(result_text(result, args.quiet), False)
    if diff and args.diff:
        write_to_stdout(f"\n{diff}", False)
    if diff and not args.quiet:
        said = "Written." if args.write else "--write applies the edit."
        tell(f"advisor: {said}")


def _triton_target(args: argparse.Namespace, request: TuningRequest) -> TritonTarget | None:
    """The Triton kernel that is meant, None for another; raises UsageError for options of the other kind."""
    from advisor.runs.tuning.triton.target import triton_target

    found = triton_target(request.path, request.kernel, request.options)
    if found is None and (args.set or args.configs):
        raise UsageError(f"--set and --configs are for kernels of Triton, and {args.target} is none.")
    if found is not None and args.write:
        raise UsageError("--write: the configurations of a Triton kernel are ranked, and no file is edited.")
    return found


def _rank(args: argparse.Namespace, request: TuningRequest, target: TritonTarget) -> int:
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.tuning.ranking_output import ranking_json, ranking_text
    from advisor.runs.tuning.triton.ranking import RankingRequest, rank

    asked = RankingRequest(
        target, request.options, request.seconds, args.tolerance, dict(args.set), args.configs
    )
    with TerminalProgress(args.quiet) as progress:
        ranking = rank(asked, progress)
    if args.format == "json":
        write_to_stdout(json.dumps(ranking_json(ranking), indent=2), True)
    else:
        write_to_stdout(ranking_text(ranking), False)
    return 0


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


def _values(text: str) -> tuple[str, list[int | float | bool | str]]:
    """A name and the values to try: `BLOCK=64,128`."""
    name, mark, listed = text.partition("=")
    values = [one.strip() for one in listed.split(",")]
    if not mark or not name.strip().isidentifier() or not all(values):
        raise argparse.ArgumentTypeError(f"{text!r} is not written NAME=VALUE,VALUE")
    return name.strip(), [_value(one) for one in values]


def _value(text: str) -> int | float | bool | str:
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


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
