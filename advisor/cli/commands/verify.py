"""`advisor verify`: applies each fix to a copy, runs before and after, and compares outputs and time."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import tell
from advisor.cli.options import (
    add_base,
    add_cluster,
    add_device,
    add_format,
    add_jobs,
    add_no_cache,
    add_selection,
    add_simulate,
    selected,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.cli.checking.progress import TerminalProgress
    from advisor.model.processes.units_of_work import Executor
    from advisor.model.settings.check_options import CheckOptions

SUMMARY = "Apply each fix to a copy, run before and after, and compare outputs and time."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor verify`."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: here)")
    parser.add_argument(
        "--before", metavar="FILE[::FUNCTION]", help="with --after: compare two versions that you wrote"
    )
    parser.add_argument("--after", metavar="FILE[::FUNCTION]", help="the version to compare with --before")
    add_base(parser)
    add_device(parser, "the GPU to predict for")
    add_simulate(parser)
    parser.add_argument(
        "--no-programs",
        action="store_true",
        help="for kernels without a workload, do not rerun the programs that `advisor run` recorded (by "
        "default they run in copies of the project)",
    )
    add_selection(parser)
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the fixes that are measured or predicted to help, until none is left",
    )
    add_jobs(parser)
    add_cluster(parser)
    add_no_cache(parser)
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """2 when not all could be checked, 1 when something was slower or gave other results, else 0."""
    from advisor.model.errors import UsageError
    from advisor.model.machine_code.gpu_extra import require_translator

    require_translator()
    if bool(args.before) != bool(args.after):
        raise UsageError("--before and --after go together: two versions to compare.")
    if args.before and args.paths:
        raise UsageError("--before and --after name the files themselves; leave out the other paths.")
    from advisor.runs.fleet.opening import opened

    with opened(args.cluster) as executor:
        if args.before:
            return _compare(args, executor)
        if args.base is not None or args.base_folder is not None:
            return _compare_with_base(args, executor)
        return _verify(args, executor)


def _verify(args: argparse.Namespace, executor: Executor | None) -> int:
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.verification.python_files import python_files, refuse_notebooks
    from advisor.cli.verification.verification_output import as_json, as_text
    from advisor.model.findings import SLOWER
    from advisor.runs.verification.verification import verify

    paths = [Path(path) for path in args.paths] or [Path()]
    options = _options(args, paths, executor)
    refuse_notebooks(paths, "verify")
    found = python_files(paths, options.settings)
    with TerminalProgress(args.quiet) as progress:
        if args.write:
            return _improve(args, found, options, progress, executor)
        verification = verify(found, options, progress, _gpu(args, executor), args.no_programs)
    text = as_json(verification) if args.format == "json" else as_text(verification, args.quiet)
    print(text, end="\n" if text else "")
    if not verification.report.checked_everything:
        return 2
    verdicts = {one.judgement.verdict for one in verification.verified}
    return 1 if verdicts & {*SLOWER, "results differ"} else 0


def _improve(
    args: argparse.Namespace,
    files: Sequence[Path],
    options: CheckOptions,
    progress: TerminalProgress,
    executor: Executor | None,
) -> int:
    from advisor.cli.checking.fixing import write_fixes
    from advisor.cli.verification.improvement_output import as_json, as_text
    from advisor.runs.verification.improvement import improve

    found = improve(
        files,
        options,
        lambda seen, pairs: list(write_fixes(options.root, seen.report.texts, pairs).values()),
        progress,
        _gpu(args, executor),
        args.no_programs,
    )
    print((as_json if args.format == "json" else as_text)(found))
    return 2 if found.refused else 0


def _gpu(args: argparse.Namespace, executor: Executor | None) -> str:
    """The name of the GPU that times are measured on, empty without one."""
    from advisor.evidence.simulated.launches.recording.gpu_launches import gpu_name
    from advisor.model.processes.units_of_work import Task, ThisMachine, content_key

    found = executor or ThisMachine(1)
    if args.simulate or not found.gpus:
        return ""
    return found.result(Task(content_key("gpu"), gpu_name, on_gpu=True))


def _compare(args: argparse.Namespace, executor: Executor | None) -> int:
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.verification.comparison_output import as_json, as_text
    from advisor.model.findings import SLOWER
    from advisor.runs.verification.versions import compare_versions, named_version

    before, after = named_version(args.before), named_version(args.after)
    options = _options(args, [before.file, after.file], executor)
    with TerminalProgress(args.quiet):
        judgement = compare_versions(before, after, options)
    print((as_json if args.format == "json" else as_text)(before, after, judgement))
    if judgement.verdict == "cannot tell":
        tell(f"advisor: {judgement.detail}")
    return 1 if judgement.verdict in {*SLOWER, "results differ"} else 0


def _compare_with_base(args: argparse.Namespace, executor: Executor | None) -> int:
    from advisor.cli.reporting.base_of_sources import base_of_sources
    from advisor.cli.verification.base_output import as_json, as_text
    from advisor.cli.verification.python_files import python_files, refuse_notebooks
    from advisor.model.findings import SLOWER
    from advisor.runs.verification.earlier_version import compare_with_earlier
    from advisor.runs.verification.runs import from_root

    paths = [Path(path) for path in args.paths] or [Path()]
    options = _options(args, paths, executor)
    refuse_notebooks(paths, "verify")
    files = [from_root(str(file), options) for file in python_files(paths, options.settings)]
    with base_of_sources(args.base, args.base_folder, options.settings.root) as base:
        found = compare_with_earlier(files, base.project, options)
    print((as_json if args.format == "json" else as_text)(found, base.shown))
    verdicts = {one.judgement.verdict for one in found}
    return 1 if verdicts & {*SLOWER, "results differ"} else 0


def _options(args: argparse.Namespace, paths: list[Path], executor: Executor | None) -> CheckOptions:
    from dataclasses import replace

    from advisor.cli.checking.request import common_folder
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import command_config, prepare_cache_folder

    config = command_config(common_folder(paths))
    select, extend_select, ignore = selected(args, config)
    return CheckOptions(
        device=args.device or config.device,
        evidence="simulated",
        root=Path.cwd(),
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        settings=replace(config, select=(), extend_select=(), ignore=()),
        cache_folder=None if args.no_cache else prepare_cache_folder(config),
        jobs=args.jobs,
        executor=executor,
    )
