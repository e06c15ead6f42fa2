"""`advisor history ACTION`: copies a history, prepares one in PostgreSQL, says what its roles need."""

from __future__ import annotations

import argparse

from advisor.cli.options import add_actions

SUMMARY = "Copy a history, prepare one in PostgreSQL, or print the SQL for its roles."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments: the modules of `advisor.cli.history_actions`."""
    from advisor.cli import history_actions

    add_actions(parser, history_actions)


def run(args: argparse.Namespace) -> int:
    """The exit status of the action."""
    return int(args.act(args))
