"""`advisor rules ACTION`: lists, tests, checks, formats and documents rules."""

from __future__ import annotations

import argparse
import importlib
import pkgutil

from advisor.cli.options import add_quiet

SUMMARY = "List, write, test, lint, format, document, compare and explain rules."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments: the modules of `advisor.cli.rule_actions`."""
    from advisor.cli import rule_actions

    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for module in pkgutil.iter_modules(rule_actions.__path__):
        action = importlib.import_module(f"{rule_actions.__name__}.{module.name}")
        subparser = actions.add_parser(
            module.name, help=action.SUMMARY, description=action.SUMMARY, allow_abbrev=False
        )
        action.add_arguments(subparser)
        add_quiet(subparser)
        subparser.set_defaults(act=action.run)


def run(args: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(args.act(args))
