"""`advisor rules docs`: the pages of all rules as a site of static files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.options import add_format
from advisor.model.errors import UsageError

if TYPE_CHECKING:
    from advisor.reports.rule_pages.catalogue import AnyRule

SUMMARY = "Write the pages of all rules and metrics as a static site."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules docs`."""
    parser.add_argument(
        "output",
        type=Path,
        metavar="OUTPUT",
        help="the folder to write to: new, empty, or written by an earlier run",
    )
    add_format(parser, "html", "markdown")
    parser.add_argument("--only-packs", action="store_true", help="only the rules of the project's own packs")


def run(args: argparse.Namespace) -> int:
    """0 after writing the pages."""
    from advisor.cli.pages.project import project_rulebook
    from advisor.cli.pages.site import site_files
    from advisor.cli.pages.site_folder import write_site

    rulebook, catalogue = project_rulebook()
    rules = _of_packs(catalogue) if args.only_packs else catalogue
    files = site_files(rulebook, rules, args.format)
    removed = write_site(args.output, files)
    if not args.quiet:
        print(f"{len(files)} files written to {args.output}.")
    if removed and not args.quiet:
        print(f"{len(removed)} removed, which no rule has any more: {', '.join(removed)}.")
    return 0


def _of_packs(catalogue: Mapping[str, AnyRule]) -> dict[str, AnyRule]:
    """The rules that are not shipped; raises UsageError when there are none."""
    from advisor.model.data_files import knowledge_folder
    from advisor.rules.model import Rule

    shipped = {file.stem for file in (knowledge_folder() / "rules").rglob("*.rules")}
    rules: dict[str, AnyRule] = {
        name: rule for name, rule in catalogue.items() if isinstance(rule, Rule) and name not in shipped
    }
    if not rules:
        raise UsageError("--only-packs: the configuration names no packs with rules (key `packs`).")
    return rules
