"""`advisor diff --base`: what the sources here change in comparison with a commit, or with another folder."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.errors import UsageError

if TYPE_CHECKING:
    from advisor.check.pipeline import Checked
    from advisor.model.settings.check_options import CheckOptions
    from advisor.reports.changes.source_changes import SourceChanges


def source_difference(args: argparse.Namespace) -> tuple[SourceChanges, str]:
    """What changed, and what it was compared with. Raises UsageError for what cannot be compared."""
    from advisor.cli.reporting.base_of_sources import base_of_sources
    from advisor.model.devices import find_device
    from advisor.model.settings.file_discovery import find_files
    from advisor.reports.changes.source_changes import source_changes

    options = _options(args)
    paths = [Path(path) for path in args.paths] or [Path()]
    with base_of_sources(args.base, args.base_folder, options.settings.root) as base:
        present = [path for path in paths if path.exists()]
        earlier = [place for place in map(base.place_of, paths) if place.exists()]
        if not present and not earlier:
            raise UsageError(
                "\n".join(f"{path}: no such file or folder, here or in the base" for path in paths)
            )
        settings = options.settings
        after = find_files(present, settings.exclude, settings.root).files if present else ()
        before = find_files(earlier, settings.exclude, base.project).files if earlier else ()
        # Files above the working directory have absolute paths, which are other ones in the base.
        below = all(not os.path.relpath(path).startswith(os.pardir) for path in paths)
        options = options if below else replace(options, root=settings.root)
        root = base.working if below else base.project
        there = replace(options, root=root, settings=replace(settings, root=base.project))
        changes = source_changes(
            _checked(before, there), _checked(after, options), find_device(options.device)
        )
        return changes, base.shown


def _checked(files: tuple[Path, ...], options: CheckOptions) -> Checked:
    from advisor.check.pipeline import check_with_tables

    return check_with_tables(files, options)


def _options(args: argparse.Namespace) -> CheckOptions:
    """Those of `advisor check`, on both sides: of the configuration that is here now."""
    from advisor.cli.checking.request import common_folder
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import command_config, prepare_cache_folder

    config = command_config(common_folder([Path(path) for path in args.paths] or [Path()]))
    evidence = args.evidence or config.evidence
    return CheckOptions(
        device=args.device or config.device,
        any_device=not args.device and not config.device_named,
        evidence=evidence,
        no_run=args.no_run,
        synthesis=config.synthesis and not args.no_synthesis,
        select=config.select,
        extend_select=config.extend_select,
        ignore=config.ignore,
        settings=replace(config, select=(), extend_select=(), ignore=()),
        # A report that was kept has no tables, and such are kept of the source's evidence alone.
        cache_folder=None if evidence == "source" else prepare_cache_folder(config),
        root=Path.cwd(),
        fixes=False,
    )
