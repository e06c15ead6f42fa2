"""`advisor history copy`: the runs of one history into another, whichever databases they are."""

from __future__ import annotations

import argparse

SUMMARY = "Copy the runs of one history into another, except those that are already there."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor history copy`."""
    what = "a project's folder, a file of SQLite, or postgresql://USER@HOST/DATABASE"
    parser.add_argument("source", metavar="FROM", help=what)
    parser.add_argument("target", metavar="TO", help="the same; created where it does not exist")


def run(args: argparse.Namespace) -> int:
    """0 once all runs are copied; raises UsageError where there is no history to copy."""
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.reporting.chosen_runs import history_at
    from advisor.model.errors import UsageError
    from advisor.model.history.copying import copy_history

    source, target = history_at(args.source), history_at(args.target)
    if source.name == target.name:
        raise UsageError(f"{source.name} cannot be copied into itself.")
    try:
        if not source.exists():
            raise UsageError(f"There is no history in {source.name}.")
        with TerminalProgress(args.quiet) as progress:
            done = copy_history(source.database, target.database, progress)
    finally:
        source.close()
        target.close()
    if not args.quiet:
        left = f"; {done.present} were there already" if done.present else ""
        still = f"; {done.running} that are still recorded were left out" if done.running else ""
        runs = "1 run" if done.copied == 1 else f"{done.copied} runs"
        print(f"Copied {runs} with {done.fingerprints} fingerprints to {target.name}{left}{still}.")
    return 0
