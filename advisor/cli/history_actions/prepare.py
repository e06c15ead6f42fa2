"""`advisor history prepare`: the tables of a history, made or brought to this version."""

from __future__ import annotations

import argparse

SUMMARY = "Create the tables of a history, or upgrade those of an earlier version."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor history prepare`."""
    parser.add_argument(
        "address",
        nargs="?",
        metavar="ADDRESS",
        help="postgresql://USER@HOST/DATABASE, a file of SQLite or a project's folder (default: what the "
        "environment or the configuration names)",
    )


def run(args: argparse.Namespace) -> int:
    """0 once the tables are there."""
    from advisor.cli.reporting.chosen_runs import comparing_options, history_at
    from advisor.model.history.schema import VERSION
    from advisor.model.history.store import history_of

    store = history_at(args.address) if args.address else history_of(comparing_options().settings)
    try:
        store.database.prepare()
    finally:
        store.close()
    if not args.quiet:
        print(f"The history {store.name} is ready (format {VERSION}).")
    return 0
