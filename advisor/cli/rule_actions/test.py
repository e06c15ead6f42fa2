"""`advisor rules test`: examples in rules, marks in kernel files, and mutants that nothing notices."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import say
from advisor.cli.options import add_format
from advisor.cli.pages.chosen_rules import add_rules_argument

if TYPE_CHECKING:
    from advisor.check.kernel_marks import MarkFailure
    from advisor.model.settings.config import Config
    from advisor.rules.model import Rule, Rulebook
    from advisor.rules.testing.coverage import RuleCoverage

SUMMARY = (
    "Run the examples in rules, compare kernel files with their `hit` and `ok` comments, and count "
    "mutants (changed rules) that no example notices."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules test`."""
    add_rules_argument(parser)
    parser.add_argument(
        "--min-coverage",
        type=float,
        default=0.0,
        metavar="PERCENT",
        help="exit with status 1 when the examples notice a smaller share of the mutants",
    )
    parser.add_argument(
        "--no-mutants", action="store_true", help="run only the examples and the kernel files"
    )
    parser.add_argument(
        "--run", action="store_true", dest="workloads", help="also run the workloads in the kernel files"
    )
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 when all agree and enough mutants are killed, else 1; 2 when a rule does not load."""
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.pages.chosen_rules import choose_rules
    from advisor.rules.testing.coverage import cover, share_killed

    chosen = choose_rules(args.rules)
    broken = chosen.tell_errors()
    config, rulebook, rules = chosen.config, chosen.rulebook, chosen.rules
    with TerminalProgress(args.quiet):
        covered = cover(rulebook, rules, not args.no_mutants)
        marks, failures = _marks(config, rulebook, rules, args.workloads)
    share = share_killed(covered)
    good = not failures and not any(one.failures for one in covered) and share * 100 >= args.min_coverage
    if args.format == "json":
        print(json.dumps(_as_json(covered, marks, failures, share), indent=2))
    else:
        _print(covered, marks, failures, share, args)
    return 2 if broken else 0 if good else 1


def _marks(
    config: Config, rulebook: Rulebook, rules: Sequence[Rule], run_workloads: bool
) -> tuple[int, list[MarkFailure]]:
    """How many marks and examples on files there are, and those that do not hold."""
    from advisor.check.kernel_marks import check_marks, example_failures, marked_files
    from advisor.model.settings.check_options import CheckOptions
    from advisor.rules.loading.packs import file_of

    options = CheckOptions(
        device=config.device, root=Path.cwd(), evidence=config.evidence, no_run=not run_workloads,
        settings=config,
    )  # fmt: skip
    count, failures = example_failures(rulebook, rules, options)
    chosen = {rule.id for rule in rules}
    for pack in rulebook.packs:
        folder = Path(pack.folder)
        if any(file_of(rule.path, [pack]) for rule in rules) and (files := marked_files(folder)):
            marks, failed = check_marks(files, replace(options, root=folder), chosen, rulebook)
            count += len(marks)
            failures += failed
    return count, failures


def _as_json(
    covered: Sequence[RuleCoverage], marks: int, failures: Sequence[MarkFailure], share: float
) -> dict[str, object]:
    return {
        "rules": [
            {
                "id": one.rule.id,
                "examples": one.examples,
                "failures": [str(failure) for failure in one.failures],
                "mutants": one.mutants,
                "surviving": [{"line": m.span.line, "sentence": m.sentence} for m in one.surviving],
            }
            for one in covered
        ],
        "marks": marks,
        "mark_failures": [str(failure) for failure in failures],
        "killed": round(share, 4),
    }


def _print(
    covered: Sequence[RuleCoverage],
    marks: int,
    failures: Sequence[MarkFailure],
    share: float,
    args: argparse.Namespace,
) -> None:
    for one in covered:
        for failure in one.failures:
            say(f"{one.rule.path}:{failure.example.span.line}: {failure}")
        for mutant in one.surviving:
            print(
                f"{one.rule.path}:{mutant.span.line}: {one.rule.id} {mutant.sentence}: "
                "every example keeps its verdict."
            )
    for failed in failures:
        print(failed)
    examples, failed_examples = (
        sum(one.examples for one in covered),
        sum(len(one.failures) for one in covered),
    )
    parts = [
        _count(len(covered), "rule"),
        f"{examples - failed_examples} of {_count(examples, 'example')} as expected",
    ]
    if marks:
        parts.append(f"{marks - len(failures)} of {_count(marks, 'mark')} as expected")
    if not args.no_mutants:
        total = sum(one.mutants for one in covered)
        parts.append(
            f"{sum(one.killed for one in covered)} of {_count(total, 'mutant')} killed ({share:.1%})"
        )
    if not args.quiet:
        print(", ".join(parts) + ".")
    if not args.no_mutants and share * 100 < args.min_coverage:
        print(f"Fewer mutants are killed than --min-coverage {args.min_coverage:g} asks for.")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
