"""`advisor rules diff`: which kernels get another verdict under an edit or under other thresholds."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import say, tell
from advisor.cli.options import add_device, add_format
from advisor.reports.outputs.wording.locations import place_of_line

if TYPE_CHECKING:
    from advisor.rules.model import Rulebook
    from advisor.rules.settings import RuleSettings
    from advisor.rules.testing.difference import Change

SUMMARY = "Say for which kernels an edit of the rules, or other thresholds, change the verdict."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules diff`."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: here)")
    parser.add_argument(
        "--against", default="HEAD", metavar="REVISION", help="compare with the rules of a git revision"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="RULE.PARAM=VALUE", dest="changes",
        help="instead of an edit, try another threshold (or RULE=off, or RULE=LEVEL)",
    )  # fmt: skip
    add_device(parser)
    parser.add_argument(
        "--run",
        action="store_true",
        dest="workloads",
        help="run the workloads of kernels without a recorded launch",
    )
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 when no verdict changes, else 1; 2 when not all could be checked."""
    from advisor.check.pipeline import gather
    from advisor.check.rule_selection import settings_with_todays_names
    from advisor.cli.checking.problem_lines import print_problems
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.evidence.metrics.tables import KERNEL_ENTITIES
    from advisor.model.devices import find_device
    from advisor.model.errors import UsageError
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import load_config, prepare_cache_folder
    from advisor.model.settings.file_discovery import find_files
    from advisor.rules.settings import RuleSettings
    from advisor.rules.testing.difference import differences

    config = load_config(Path.cwd())
    device = args.device or config.device
    settings = RuleSettings.of_project(config, find_device(device).id, Path.cwd())
    found = find_files([Path(path) for path in args.paths] or [Path()], config.exclude, config.root)
    options = CheckOptions(
        device=device, root=Path.cwd(), evidence=config.evidence, no_run=not args.workloads, settings=config,
        cache_folder=prepare_cache_folder(config),
    )  # fmt: skip
    with TerminalProgress(args.quiet):
        tables, rulebook, report = gather(found.files, options)
    report.problems[:0] = found.problems
    todays, notices = settings_with_todays_names(config, rulebook)
    settings = replace(settings, config=todays.rules, overrides=todays.overrides)
    for notice in () if args.quiet else (*report.notices, *notices):
        tell(f"advisor: {notice}")
    if args.changes:
        before, after = (rulebook, settings), (rulebook, _changed(rulebook, settings, args.changes))
    else:
        before, after = (_earlier(rulebook, args.against), settings), (rulebook, settings)
    changes = differences(before, after, tables)
    kernels = sum(len(tables.get(entity, ())) for entity in KERNEL_ENTITIES)
    if not kernels and report.checked_everything:
        raise UsageError("there is no kernel in these files, so no verdict could be compared.")
    if args.format == "json":
        print(json.dumps({"changes": [asdict(change) for change in changes]}, indent=2))
    else:
        _print(changes, kernels, args.quiet)
    print_problems(report)
    if not report.checked_everything:
        return 2
    return 1 if changes else 0


def _changed(rulebook: Rulebook, settings: RuleSettings, changes: Sequence[str]) -> RuleSettings:
    """The settings with changes written as `rule.param=value`, `rule=off` or `rule=level`."""
    from advisor.check.rule_selection import params_with_todays_names
    from advisor.model.errors import UsageError
    from advisor.model.findings import SEVERITIES
    from advisor.model.settings.config import RuleSetting
    from advisor.rules.settings import check_settings

    config = dict(settings.config)
    for text in changes:
        name, equal, value = text.partition("=")
        rule, _, param = name.strip().partition(".")
        known = config.get(rule, RuleSetting())
        if not equal or (not param and value not in (*SEVERITIES, "off")):
            raise UsageError(f"--set {text}: write RULE.PARAM=VALUE, RULE=off or RULE=level.")
        if param:
            given, notices = params_with_todays_names(
                rulebook, rule, {param: value.strip()}, f"--set {name.strip()}: "
            )
            for notice in notices:
                tell(f"advisor: {notice}")
            config[rule] = replace(known, params={**known.params, **given})
        else:
            config[rule] = replace(known, level=value)  # type: ignore[arg-type]
    changed = replace(settings, config=config)
    check_settings(rulebook, changed)
    return changed


def _earlier(rulebook: Rulebook, revision: str) -> Rulebook:
    """The rulebook of a revision; packs that lie in no repository are as they are."""
    from advisor.cli.pages.earlier_rules import write_earlier
    from advisor.model.errors import UsageError
    from advisor.rules import load_rulebook

    with tempfile.TemporaryDirectory() as scratch:
        folders, old = [], 0
        for number, pack in enumerate(rulebook.packs):
            target = Path(scratch) / str(number) / Path(pack.folder).name
            is_old = write_earlier(Path(pack.folder), revision, target)
            old += is_old
            folders.append(target if is_old else Path(pack.folder))
        if not old:
            raise UsageError("no rules of this project lie in a git repository; preview changes with --set.")
        return load_rulebook(folders)


def _print(changes: Sequence[Change], kernels: int, quiet: bool) -> None:
    for change in changes:
        where = place_of_line(change.path, change.line) if change.path else change.label
        about = f"{change.entity} `{change.label}` in {change.kernel}" if change.kernel else change.label
        if change.entity == "kernel":
            about = f"kernel {change.kernel}"
        mark = {"fires": "+", "unknown": "?"}.get(change.after, "-")
        say(f"{mark} {change.rule}: {about} ({where}) {change.before} -> {change.after}")
    if quiet:
        return
    if changes:
        rules, count = len({change.rule for change in changes}), len(changes)
        verdicts = f"{count} verdict{'' if count == 1 else 's'} of {rules} rule{'' if rules == 1 else 's'}"
        print(f"{verdicts} change{'s' if count == 1 else ''} on {kernels} kernels.")
    else:
        print(f"No verdict changes on {kernels} kernels.")
