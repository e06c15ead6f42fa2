"""The arguments of `advisor check`."""

from __future__ import annotations

import argparse
from pathlib import Path

from advisor.cli.options import (
    add_cluster,
    add_device,
    add_evidence,
    add_jobs,
    add_no_cache,
    add_selection,
    rule_names,
)
from advisor.model.findings import SEVERITIES
from advisor.reports.outputs import available_formats

DEFAULT_FORMAT, WHOLE_FORMAT = "short", "text"


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare everything that `advisor check` understands."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (default: here); `-` reads stdin"
    )
    _add_evidence(parser.add_argument_group("what to look at"))
    _add_rules(parser.add_argument_group("which rules"))
    _add_output(parser.add_argument_group("what to print"))
    _add_fixes(parser.add_argument_group("what to fix"))
    _add_verdict(parser.add_argument_group("when to fail"))
    _add_surroundings(parser.add_argument_group("configuration"))


def _add_evidence(group: argparse._ArgumentGroup) -> None:
    add_device(group)
    add_evidence(group)
    group.add_argument("--stdin-filename", metavar="NAME", help="the path of the text on stdin (with `-`)")


def _add_rules(group: argparse._ArgumentGroup) -> None:
    add_selection(group)
    group.add_argument(
        "--extend-select", type=rule_names, action="extend", metavar="RULE,...", help="these as well"
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    formats = ", ".join(name for name in available_formats() if name != DEFAULT_FORMAT)
    extent = group.add_mutually_exclusive_group()
    extent.add_argument(
        "--format", default=DEFAULT_FORMAT, metavar="FORMAT", help=f"{DEFAULT_FORMAT} (default), {formats}"
    )
    extent.add_argument(
        "--all",
        action="store_const",
        dest="format",
        const=WHOLE_FORMAT,
        help="every finding with all that is known of it, not only what matters most "
        f"(the same as --format {WHOLE_FORMAT})",
    )
    group.add_argument("--output", type=Path, metavar="FILE", help="write the report to FILE")
    group.add_argument(
        "--statistics",
        action="store_true",
        help="count findings by rule, and the rules that stayed undecided",
    )
    loudness = group.add_mutually_exclusive_group()
    loudness.add_argument(
        "-q", "--quiet", action="store_true", help="only results: no progress, notices or counts"
    )
    loudness.add_argument(
        "-v", "--verbose", action="store_true", help="more: what was used, and what stayed undecided"
    )


def _add_fixes(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fix", action="store_true", help="write the fixes that are safe to the files")
    group.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix or --diff also those that need review"
    )
    group.add_argument("--diff", action="store_true", help="show what --fix would change, and change nothing")


def _add_verdict(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--fail-level",
        choices=SEVERITIES,
        help="the least severity that makes exit status 1 (default: warning)",
    )
    group.add_argument(
        "--strict", action="store_true", help="stop at a rule that does not load, instead of leaving it out"
    )
    group.add_argument(
        "--exit-zero", action="store_true", help="exit with status 0 instead of 1, whatever was found"
    )
    group.add_argument("--baseline", type=Path, metavar="FILE", help="leave out the findings listed in FILE")
    group.add_argument(
        "--write-baseline",
        action="store_true",
        help="accept today's findings: write them to the baseline file",
    )


def _add_surroundings(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--isolated", action="store_true", help="read no configuration file")
    group.add_argument(
        "--config", action="append", default=[], metavar="KEY=VALUE", help="one setting, written as TOML"
    )
    add_no_cache(group)
    add_jobs(group)
    add_cluster(group)
