"""`advisor history ACTION`: copies a history, prepares one in PostgreSQL, says what its roles need."""

from __future__ import annotations

import argparse
import importlib
import pkgutil

from advisor.cli.options import add_quiet

SUMMARY = "Copy a history, prepare one in PostgreSQL, or print the SQL for its roles."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments: the modules of `advisor.cli.history_actions`."""
    from advisor.cli import history_actions

    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for module in pkgutil.iter_modules(history_actions.__path__):
        action = importlib.import_module(f"{history_actions.__name__}.{module.name}")
        subparser = actions.add_parser(
            module.name, help=action.SUMMARY, description=action.SUMMARY, allow_abbrev=False
        )
        action.add_arguments(subparser)
        add_quiet(subparser)
        subparser.set_defaults(act=action.run)


def run(args: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(args.act(args))
