"""From the command line and the configuration to what the check is asked for."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.report_file import check_target
from advisor.cli.options import selected
from advisor.model.errors import UsageError
from advisor.model.findings import Problem, Severity
from advisor.model.settings.config import Config, command_config, prepare_cache_folder
from advisor.model.settings.file_discovery import Discovery, find_files
from advisor.model.settings.selectors import suggestion
from advisor.model.text.source_text import SourceText, decode_source

if TYPE_CHECKING:
    from advisor.model.processes.units_of_work import Executor
    from advisor.model.settings.check_options import CheckOptions

STDIN = "-"


@dataclass(frozen=True)
class Request:
    """The files to check (none when stdin is), the options for it, and the problems met in finding them."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]
    options: CheckOptions
    fail_level: Severity

    def by(self, executor: Executor | None) -> Request:
        """The request with what takes long done by an executor."""
        return replace(self, options=replace(self.options, executor=executor))

    def checked_paths(self) -> set[str]:
        """The paths that findings can carry: relative to the working directory, with `/`."""
        stdin = self.options.stdin
        return {_relative(file, self.options.root) for file in self.files} | (
            {stdin.path} if stdin else set()
        )


def build_request(args: argparse.Namespace) -> Request:
    """The request that `args` describe. Raises UsageError for arguments that do not go together."""
    _check_arguments(args)
    stdin = _read_stdin(args)
    paths = [Path(stdin.path)] if stdin else [Path(path) for path in args.paths] or [Path()]
    config = command_config(common_folder(paths), args.config, args.isolated)
    found = Discovery((), ()) if stdin else find_files(paths, config.exclude, config.root)
    if args.output:
        check_target(args.output, found.files)
    return Request(
        found.files, found.problems, _options(args, config, stdin), args.fail_level or config.fail_level
    )


def _check_arguments(args: argparse.Namespace) -> None:
    from advisor.reports.outputs import available_formats

    formats = list(available_formats())
    if args.format not in formats:
        raise UsageError(
            f"unknown format `{args.format}`.{suggestion(args.format, formats)} "
            f"Formats: {', '.join(formats)}."
        )
    if args.write_baseline and not args.baseline:
        raise UsageError("--write-baseline needs --baseline FILE, the file to write.")
    if STDIN in args.paths and len(args.paths) > 1:
        raise UsageError("`-` reads one file from stdin; no other path can stand beside it.")
    if (args.fix or args.diff) and STDIN in args.paths:
        raise UsageError("--fix and --diff work on files; stdin has none to write to.")
    if args.unsafe_fixes and not (args.fix or args.diff):
        raise UsageError("--unsafe-fixes goes with --fix or --diff.")
    if args.stdin_filename and STDIN not in args.paths:
        raise UsageError("--stdin-filename names the text on stdin; add `-` as the path.")


def _read_stdin(args: argparse.Namespace) -> SourceText | None:
    if STDIN not in args.paths:
        return None
    if sys.stdin is None:
        raise UsageError("`-` reads stdin, which is closed.")
    name = Path(args.stdin_filename or "stdin.py")
    return decode_source(sys.stdin.buffer.read(), _relative(name, Path.cwd()))


def _options(args: argparse.Namespace, config: Config, stdin: SourceText | None) -> CheckOptions:
    from advisor.model.settings.check_options import CheckOptions
    from advisor.reports.outputs import load_format

    select, extend_select, ignore = selected(args, config)
    return CheckOptions(
        device=args.device or config.device,
        any_device=not args.device and not config.device_named,
        strict=args.strict,
        evidence=args.evidence or config.evidence,
        no_run=args.no_run,
        synthesis=config.synthesis and not args.no_synthesis,
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        settings=replace(config, select=(), extend_select=(), ignore=()),
        cache_folder=None if args.no_cache else prepare_cache_folder(config),
        root=Path.cwd(),
        jobs=args.jobs,
        stdin=stdin,
        fixes=args.fix or args.diff or load_format(args.format).SHOWS_FIXES,
    )


def common_folder(paths: list[Path]) -> Path:
    """The folder that holds all of `paths`, where the configuration is looked for."""
    folders = {str(path.absolute() if path.is_dir() else path.absolute().parent) for path in paths}
    try:
        common = Path(os.path.commonpath(folders))
    except ValueError:  # on different drives
        return Path.cwd()
    return common if common.is_dir() else Path.cwd()


def _relative(file: Path, root: Path) -> str:
    try:
        return os.path.relpath(file, root).replace(os.sep, "/")
    except ValueError:  # on another drive
        return file.absolute().as_posix()
