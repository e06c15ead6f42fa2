"""`advisor budget`: the kernels' latest times beside the budgets that the project sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.options import add_format

if TYPE_CHECKING:
    from advisor.model.history.fingerprint import Fingerprint, Run
    from advisor.model.history.store import HistoryStore
    from advisor.model.settings.check_options import CheckOptions
    from advisor.runs.comparison.ranking.budgets import Line

SUMMARY = "Compare the latest times of kernels with the budgets that the project sets."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor budget`."""
    parser.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="number, label, commit, `latest` or `latest~1` (default: the latest of every kernel)",
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with status 1 when a kernel is over budget"
    )
    parser.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        help="the budgets (default: [tool.advisor.budgets] in pyproject.toml, or budgets.toml)",
    )
    add_format(parser, "text", "json", "markdown")


def run(args: argparse.Namespace) -> int:
    """0 once the table is written; 1 when a measured kernel is over its budget and --check is given."""
    from advisor.cli.checking.report_file import write_to_stdout
    from advisor.cli.reporting.budget_page import budget_json, budget_page
    from advisor.cli.reporting.chosen_runs import chosen_runs, comparing_options, open_history
    from advisor.runs.comparison.ranking.budget_file import load_budgets
    from advisor.runs.comparison.ranking.budgets import judged

    options = comparing_options()
    budgets = load_budgets(options.settings, args.file)
    store = open_history(options)
    try:
        runs = chosen_runs(args.runs, store) if args.runs else store.latest()
        runs.sort(key=lambda run: -(run.id or 0))
        lines = judged(budgets, runs, lambda one, run: _exponent(store, one, run))
    finally:
        store.close()
    if any(line.fingerprint is None for line in lines):
        _refuse_unknown(lines, options)
    if args.format == "json":
        write_to_stdout(budget_json(lines), True)
    else:
        write_to_stdout(budget_page(lines, args.format == "markdown", args.quiet), False)
    return 1 if args.check and any(line.status == "over" for line in lines) else 0


def _exponent(store: HistoryStore, one: Fingerprint, run: Run) -> float | None:
    from advisor.runs.comparison.ranking.scaling import kept_scaling

    found = kept_scaling(store, one, run.facts.device)
    return None if found is None else found.exponent


def _refuse_unknown(lines: Sequence[Line], options: CheckOptions) -> None:
    """Raise BudgetErrors for budgets of kernels that neither the history nor the source has."""
    from advisor.cli.importing.project_kernels import project_of
    from advisor.model.settings.selectors import suggestion
    from advisor.runs.comparison.ranking.budget_file import BudgetErrors
    from advisor.runs.comparison.ranking.budgets import names

    kernels = [(kernel.path, kernel.name) for kernel in project_of(options).kernels]
    known = [line.fingerprint.identity.name for line in lines if line.fingerprint]
    known += [name for _, name in kernels]
    errors = []
    for budget in dict.fromkeys(line.budget for line in lines if line.fingerprint is None):
        if any(names(budget, path, name) for path, name in kernels):
            continue
        hint = suggestion(budget.pattern.rpartition("::")[2], known).strip()
        errors.append(
            budget.problem(f"No kernel is called `{budget.pattern}`, in the history or in the source.", hint)
        )
    if errors:
        raise BudgetErrors(errors)
