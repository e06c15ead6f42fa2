"""`advisor rules ACTION`: lists, tests, checks, formats and documents rules."""

from __future__ import annotations

import argparse

from advisor.cli.options import add_actions

SUMMARY = "List, write, test, lint, format, document, compare and explain rules."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments: the modules of `advisor.cli.rule_actions`."""
    from advisor.cli import rule_actions

    add_actions(parser, rule_actions)


def run(args: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(args.act(args))
