"""`advisor rules lint`: rules that load and yet are not right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import say, tell
from advisor.cli.options import add_format
from advisor.cli.pages.chosen_rules import Chosen, add_rules_argument
from advisor.model.settings.path_patterns import path_below
from advisor.reports.outputs.wording.counts import counted

if TYPE_CHECKING:
    from advisor.rules.lint import Remark
    from advisor.rules.model import Rulebook

SUMMARY = "Find rules that never or always fire, repeat another rule, or lack something."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules lint`."""
    add_rules_argument(parser)
    parser.add_argument("--fix", action="store_true", help="fix what can be fixed with certainty")
    parser.add_argument("--explain", metavar="CODE", help="say why a kind of remark is made, such as L101")
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 without remarks, 1 with some, 2 when a rule does not load."""
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.pages.chosen_rules import choose_rules
    from advisor.rules.lint import lint

    if args.explain:
        return _explain(args.explain)
    chosen = choose_rules(args.rules)
    broken = chosen.tell_errors()
    book, files = _with_projects(chosen, named=bool(args.rules))
    with TerminalProgress(args.quiet):
        remarks = lint(book, files)
    if args.fix:
        fixed = _fix(chosen.rulebook, remarks)
        if not args.quiet:
            print(f"Fixed {fixed} of {len(remarks)}.")
        remarks = [remark for remark in remarks if remark.replacement is None]
    if args.format == "json":
        print(json.dumps({"remarks": [_as_json(remark) for remark in remarks]}, indent=2))
    else:
        for remark in remarks:
            say(f"{remark.path}:{remark.span.line}:{remark.span.column}: {remark.code} {remark.sentence}")
            say(f"    help: {remark.help}")
        if not args.quiet:
            print(f"{counted(len(remarks), 'remark')} on {counted(len(chosen.rules), 'rule')}.")
    return 2 if broken else 1 if remarks else 0


def _with_projects(chosen: Chosen, named: bool) -> tuple[Rulebook, frozenset[str] | None]:
    """The rulebook with the overrides of the project's configuration, which is looked at unless rules are
    named. Raises UsageError for those that do not fit.
    """
    from advisor.check.rule_selection import settings_with_todays_names
    from advisor.rules.settings import RuleSettings, check_settings, project_overrides

    book = chosen.rulebook
    config, notices = settings_with_todays_names(chosen.config, book)
    for notice in notices:
        tell(f"advisor: {notice}")
    settings = RuleSettings(overrides=config.overrides)
    check_settings(book, settings)
    place = "" if config.file is None else path_below(Path.cwd(), config.file) or str(config.file)
    own = [
        replace(one, file=place)
        for rule in book.rules
        if any(given.rule == rule.id for given in config.overrides)
        for one in project_overrides(rule, settings)
    ]
    files = chosen.files if named or chosen.files is None else chosen.files | {place}
    return replace(book, overrides=(*book.overrides, *own)), files


def _explain(code: str) -> int:
    from advisor.model.errors import UsageError
    from advisor.rules.lint import explanation, remark_codes

    if code not in remark_codes():
        raise UsageError(f"there is no remark `{code}`. Known are {', '.join(remark_codes())}.")
    print(explanation(code))
    return 0


def _as_json(remark: Remark) -> dict[str, object]:
    return {
        "code": remark.code,
        "name": remark.name,
        "path": remark.path,
        "line": remark.span.line,
        "column": remark.span.column,
        "sentence": remark.sentence,
        "help": remark.help,
        "fix": remark.replacement,
    }


def _fix(rulebook: Rulebook, remarks: Sequence[Remark]) -> int:
    """How many remarks were fixed in their files, the last of a file first."""
    from advisor.cli.checking.report_file import write_atomically
    from advisor.rules.loading.packs import file_of

    count = 0
    for remark in reversed(remarks):
        file = file_of(remark.path, rulebook.packs)
        if remark.replacement is None or file is None or remark.span.end_line != remark.span.line:
            continue
        lines = file.read_text("utf-8").split("\n")
        line = lines[remark.span.line - 1]
        before, behind = line[: remark.span.column - 1], line[remark.span.end_column - 1 :]
        lines[remark.span.line - 1] = before + remark.replacement + behind
        write_atomically(Path(file), "\n".join(lines))
        count += 1
    return count
