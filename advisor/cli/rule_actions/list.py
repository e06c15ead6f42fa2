"""`advisor rules list`: the rules that a check can apply."""

from __future__ import annotations

import argparse
import json

SUMMARY = "List the rules."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `advisor rules list`."""
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """0 after printing the rules."""
    from advisor.cli.pages.catalogue import project_rulebook, rule_as_json
    from advisor.cli.pages.tables import plain_table

    _, catalogue = project_rulebook()
    if args.format == "json":
        print(json.dumps({"rules": [rule_as_json(rule) for rule in catalogue.values()]}, indent=2))
        return 0
    header = ("rule", "category", "severity", "confidence", "effort", "title")
    rows = [
        (rule.id, rule.category, rule.severity, rule.confidence, rule.effort, rule.title)
        for rule in catalogue.values()
    ]
    print(plain_table(header, rows))
    return 0
