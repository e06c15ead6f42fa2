"""`advisor rules list`: the rules that a check can apply."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import TYPE_CHECKING

from advisor.cli.options import add_format

if TYPE_CHECKING:
    from advisor.reports.rule_pages.catalogue import AnyRule

SUMMARY = "List the rules, and count them by category and by the document that they cite."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules list`."""
    add_format(parser, "text", "json")
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="how often the fixes of each rule helped when `advisor verify` tried them in this project",
    )


def run(args: argparse.Namespace) -> int:
    """0 after printing the rules."""
    from advisor.cli.pages.project import project_rulebook
    from advisor.cli.pages.tables import plain_table
    from advisor.reports.rule_pages.catalogue import rule_as_json

    _, catalogue = project_rulebook()
    if args.calibration:
        return _show_calibration(sorted(catalogue), args.format)
    if args.format == "json":
        print(json.dumps({"rules": [rule_as_json(rule) for rule in catalogue.values()]}, indent=2))
        return 0
    header = ("rule", "category", "severity", "confidence", "effort", "title")
    rows = [
        (rule.id, rule.category, rule.severity, rule.confidence, rule.effort, rule.title)
        for rule in catalogue.values()
    ]
    print(plain_table(header, rows))
    documents = Counter(text for rule in catalogue.values() for text in _documents(rule))
    for name, counts in (("category", Counter(row[1] for row in rows)), ("document", documents)):
        counted = [(text, str(count)) for text, count in counts.most_common()]
        print("\n" + plain_table((name, "rules"), counted, right=(1,)))
    return 0


def _documents(rule: AnyRule) -> list[str]:
    """The documents that a rule cites, each once."""
    from advisor.rules.model import Rule

    cited = rule.sources if isinstance(rule, Rule) else ()
    return list(dict.fromkeys(source.text for source in cited)) or ["(none)"]


def _show_calibration(rules: list[str], form: str) -> int:
    from dataclasses import asdict
    from pathlib import Path

    from advisor.cli.pages.tables import plain_table
    from advisor.fixes.calibration import calibrated
    from advisor.fixes.proofs import ProofStore
    from advisor.model.settings.config import load_config

    known = calibrated(ProofStore(load_config(Path.cwd()).root).ledger())
    if form == "json":
        shown = [
            {"id": rule, "calibration": asdict(known[rule]) if rule in known else None} for rule in rules
        ]
        print(json.dumps({"rules": shown}, indent=2))
        return 0
    rows = []
    for rule in rules:
        one = known.get(rule)
        if one is None:
            rows.append((rule, "no estimate", "", ""))
            continue
        gain = "" if one.achieved is None else f"{one.achieved:.2f} x"
        off = (
            "no estimate"
            if one.estimate_off_by is None
            else f"{one.estimate_off_by:.2f} x of {one.estimates}"
        )
        rows.append((rule, f"{one.faster} of {one.tried}", gain, off))
    print(plain_table(("rule", "fixes that helped", "median gain", "estimate off by"), rows))
    return 0
