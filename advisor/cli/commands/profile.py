"""`advisor profile`: runs workloads, measures kernels or predicts their times, keeps fingerprints."""

from __future__ import annotations

import argparse
import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import tell
from advisor.cli.options import (
    add_cluster,
    add_device,
    add_format,
    add_label,
    add_no_cache,
    add_no_store,
    add_simulate,
)
from advisor.model.errors import UsageError

if TYPE_CHECKING:
    from advisor.evidence.simulated.launches.workloads import WorkloadFunction
    from advisor.model.settings.config import Config
    from advisor.runs.profiling.profile import Profile, ProfileRequest

SUMMARY = "Run workloads many times, measure their kernels (without a GPU: predict), keep fingerprints."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor profile`."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders with workloads (default: here)"
    )
    add_label(parser)
    add_device(parser, "the GPU to predict for, or whose peak rates measured ones are compared with")
    parser.add_argument(
        "--iterations", type=_number_of, metavar="N", help="least number of timed runs (default: 20)"
    )
    parser.add_argument(
        "--warmup", type=_number_or_none, metavar="N", help="runs before the first timed one (default: 3)"
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help="beyond these runs, add none to a workload after S seconds",
    )
    add_simulate(parser)
    parser.add_argument("--ncu", metavar="PATH", help="Nsight Compute (default: the one on PATH)")
    parser.add_argument(
        "--no-counters", action="store_true", help="leave out hardware counters, which take extra time"
    )
    parser.add_argument(
        "--no-counts",
        action="store_true",
        help="where there are no counters, do not count bytes and operations on the simulated GPU",
    )
    add_no_store(parser)
    add_no_cache(parser)
    add_cluster(parser)
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 when all workloads ran and were kept, 1 when some failed, 2 when not all was read or kept."""
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.profiling.as_json import profile_json
    from advisor.cli.profiling.as_text import profile_text
    from advisor.model.machine_code.gpu_extra import require_translator
    from advisor.runs.fleet.opening import opened
    from advisor.runs.profiling.profile import profile

    require_translator()
    unread = _tell_unread(args)
    request = _request(args)
    if args.cluster and request.gpu:
        raise UsageError(
            "--cluster: what a GPU takes is measured on the GPU of this machine; add --simulate to predict."
        )
    with opened(args.cluster) as executor, TerminalProgress(args.quiet) as progress:
        found = profile(replace(request, options=replace(request.options, executor=executor)), progress)
    if args.format == "json":
        write_to_stdout(profile_json(found), True)
    else:
        write_to_stdout(profile_text(found, args.quiet), False)
    return 2 if unread else _status(found)


def _status(found: Profile) -> int:
    if found.store_problem:
        tell(f"advisor: not all of it was kept: {found.store_problem}")
    failed = [one for one in found.workloads if one.problem]
    if found.store_problem or len(failed) == len(found.workloads):
        return 2
    return 1 if failed else 0


def _request(args: argparse.Namespace) -> ProfileRequest:
    from advisor.cli.checking.request import common_folder
    from advisor.cli.verification.python_files import python_files, refuse_notebooks
    from advisor.evidence.simulated.launches.recording.gpu_launches import gpu_name
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import command_config, prepare_cache_folder
    from advisor.runs.profiling.gpu.measured_workload import Amount
    from advisor.runs.profiling.numbers import profiling_numbers
    from advisor.runs.profiling.profile import ProfileRequest

    paths = [Path(path) for path in args.paths] or [Path()]
    refuse_notebooks(paths, "profile")
    config, numbers = command_config(common_folder(paths)), profiling_numbers()
    return ProfileRequest(
        workloads=_workloads(python_files(paths, config), config),
        options=CheckOptions(
            device=args.device or config.device,
            root=Path.cwd(),
            settings=config,
            cache_folder=None if args.no_cache else prepare_cache_folder(config),
        ),
        command=shlex.join(["advisor", "profile", *args.paths]),
        label=args.label,
        amount=Amount(
            numbers.warm_ups if args.warmup is None else args.warmup,
            numbers.least if args.iterations is None else args.iterations,
            numbers.seconds if args.seconds is None else args.seconds,
        ),
        gpu="" if args.simulate else gpu_name(),
        named_device=args.device is not None,
        ncu=_ncu(args),
        counts=not args.no_counts,
        keep=not args.no_store,
    )


def _ncu(args: argparse.Namespace) -> str | None:
    from advisor.runs.profiling.gpu.counters import find_ncu

    if args.no_counters:
        return None
    found = find_ncu(args.ncu or "")
    if args.ncu and found is None:
        raise UsageError(f"--ncu {args.ncu}: there is no such program.")
    return found or ""


def _workloads(files: list[Path], config: Config) -> list[WorkloadFunction]:
    """The workloads in files; paths are from the project's root."""
    import os

    from advisor.evidence.simulated.launches.workloads import find_workloads
    from advisor.model.text.source_text import read_source

    found = []
    for file in files:
        path = os.path.relpath(file, config.root).replace(os.sep, "/")
        found += find_workloads(path, read_source(file, str(file)).text)
    return found


def _tell_unread(args: argparse.Namespace) -> bool:
    """Whether a file that speaks of a workload does not parse; each is named on standard error."""
    from advisor.cli.checking.request import common_folder
    from advisor.cli.verification.python_files import python_files
    from advisor.model.settings.config import command_config
    from advisor.model.text.source_text import read_source
    from advisor.model.text.syntax_recovery import fault_of

    paths = [Path(path) for path in args.paths] or [Path()]
    texts = {
        file: read_source(file, str(file)).text
        for file in python_files(paths, command_config(common_folder(paths)))
    }
    faults = {file: fault_of(text) for file, text in texts.items() if "workload" in text}
    for file, fault in faults.items():
        if fault is not None:
            tell(f"advisor: error: {file}:{fault.line}:{fault.column}: {fault.message}")
    return any(faults.values())


def _number_of(text: str) -> int:
    return _whole(text, 1)


def _number_or_none(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) >= least):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs ({least} or more)")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds (0 or more)")
    return value
