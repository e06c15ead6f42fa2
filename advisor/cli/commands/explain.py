"""`advisor explain NAME`: the page of one rule or fix, or the diagnosis of a kernel (PATH::kernel)."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import tell
from advisor.cli.options import add_device, add_evidence, add_format

if TYPE_CHECKING:
    from advisor.fixes import FixData
    from advisor.reports.rule_pages.catalogue import AnyRule
    from advisor.reports.rule_pages.page_model import Page

SUMMARY = "Explain a rule or fix (what, why, what to try), or a kernel: what it waits for and what to do."

_WIDEST = 110


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor explain`."""
    parser.add_argument(
        "rule",
        metavar="NAME|PATH::KERNEL",
        help="a rule's id (see `advisor rules list`), a fix's as findings show it, or a kernel of a file",
    )
    kernel = parser.add_argument_group("for a kernel")
    add_device(kernel)
    add_evidence(kernel)
    add_format(parser, "text", "json", "markdown")


def run(args: argparse.Namespace) -> int:
    """0 after printing the page."""
    if "::" in args.rule or args.rule.endswith(".py"):
        return _explain_kernel(args)
    from advisor.cli.pages.page_text import page_as_text
    from advisor.cli.pages.project import project_rulebook
    from advisor.reports.rule_pages.catalogue import find_rule
    from advisor.reports.rule_pages.fix_page import find_fix
    from advisor.reports.rule_pages.page_markdown import page_as_markdown
    from advisor.reports.rule_pages.rule_page import build_page

    rulebook, catalogue = project_rulebook()
    fix = find_fix(args.rule) if args.rule not in catalogue else None
    if fix is not None:
        return _explain_fix(fix, args.format)
    rule = find_rule(catalogue, args.rule, rulebook)
    page = build_page(rule, rulebook)
    if args.format == "json":
        print(json.dumps(_as_json(rule, page), indent=2))
    elif args.format == "markdown":
        print(page_as_markdown(page))
    else:
        print(page_as_text(page, _width()))
    return 0


def _explain_kernel(args: argparse.Namespace) -> int:
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.pages.diagnosis_json import diagnosis_as_json
    from advisor.cli.pages.diagnosis_text import diagnosis_as_text
    from advisor.model.errors import UsageError
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import command_config, prepare_cache_folder
    from advisor.reports.diagnosis.kernel_diagnosis import diagnose

    shown, _, name = args.rule.partition("::")
    path = Path(shown)
    if not path.is_file():
        raise UsageError(f"there is no file `{shown}`; a kernel is written PATH::KERNEL.")
    config = command_config(path)
    options = CheckOptions(
        device=args.device or config.device,
        any_device=not args.device and not config.device_named,
        root=Path.cwd(),
        evidence=args.evidence or config.evidence,
        no_run=args.no_run,
        synthesis=config.synthesis and not args.no_synthesis,
        settings=config,
        cache_folder=prepare_cache_folder(config),
    )
    with TerminalProgress(args.quiet):
        found = diagnose(path, name, options)
    for notice in () if args.quiet else found.notices:
        tell(f"advisor: {notice}")
    if args.format == "json":
        print(json.dumps(diagnosis_as_json(found), indent=2))
    else:
        print(diagnosis_as_text(found, _width()), end="")
    return 0


def _width() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, _WIDEST)


def _explain_fix(fix: FixData, form: str) -> int:
    from advisor.cli.pages.page_text import page_as_text
    from advisor.reports.rule_pages.fix_page import build_fix_page, fix_as_json
    from advisor.reports.rule_pages.page_markdown import page_as_markdown

    page = build_fix_page(fix)
    if form == "json":
        print(fix_as_json(fix))
    else:
        print(page_as_markdown(page) if form == "markdown" else page_as_text(page, _width()))
    return 0


def _as_json(rule: AnyRule, page: Page) -> dict[str, object]:
    from advisor.reports.rule_pages.catalogue import rule_as_json
    from advisor.reports.rule_pages.page_model import plain, plain_rows

    content = rule_as_json(rule)
    for name, value in page.keywords:
        content.setdefault(name, value)
    for section in page.sections:
        key = section.heading.lower().replace(" ", "_")
        if len(section.table) > 1:
            header, *rows = plain_rows(section.table)
            content[key] = [dict(zip(header, row, strict=True)) for row in rows]
        else:
            items = [plain(item) for item in section.items]
            content[key] = section.code or items or "\n\n".join(section.paragraphs)
    return content
