"""`advisor history roles`: the SQL that gives roles of PostgreSQL what they need."""

from __future__ import annotations

import argparse

SUMMARY = "Print the SQL that creates roles for reading and for recording a history in PostgreSQL."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor history roles`."""
    from advisor.model.history.postgresql.roles import READER, RECORDER

    parser.add_argument("--reader", default=READER, metavar="NAME", help=f"default: {READER}")
    parser.add_argument("--recorder", default=RECORDER, metavar="NAME", help=f"default: {RECORDER}")


def run(args: argparse.Namespace) -> int:
    """0 once the SQL is printed; nothing is connected to."""
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.model.history.postgresql.roles import roles_sql

    write_to_stdout(roles_sql(args.reader, args.recorder), False)
    return 0
