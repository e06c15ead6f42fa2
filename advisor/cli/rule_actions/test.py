"""`advisor rules test`: examples in rules, marks in kernel files, and mutants that nothing notices."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.config import Config
    from advisor.kernel_marks import Mark, MarkFailure
    from advisor.rules.coverage import RuleCoverage
    from advisor.rules.model import Rule, Rulebook

SUMMARY = (
    "Run the examples in rules and the marks in kernel files, and count mutants that no example notices."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `advisor rules test`."""
    parser.add_argument(
        "rules", nargs="*", metavar="RULE|PATH",
        help="rules by id, rule files or folders (default: those of the project's packs, else all)",
    )  # fmt: skip
    parser.add_argument(
        "--min-coverage",
        type=float,
        default=0.0,
        metavar="PERCENT",
        help="share of mutants to kill",
    )
    parser.add_argument("--no-mutants", action="store_true", help="run examples and marks only")
    parser.add_argument(
        "--run", action="store_true", dest="workloads", help="run workloads of the marked kernel files, too"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """0 when all agree and enough mutants are killed, else 1."""
    from advisor.config import load_config
    from advisor.rulebook import rulebook_for
    from advisor.rules.coverage import cover, share_killed

    config = load_config(Path.cwd())
    folders = [Path(name) for name in args.rules if Path(name).exists()]
    config = _with_packs(config, folders)
    rulebook = rulebook_for(config)
    rules = _chosen(rulebook, config, args.rules)
    covered = cover(rulebook, rules, not args.no_mutants)
    marks, failures = _marks(config, rulebook, rules, args.workloads)
    share = share_killed(covered)
    good = not failures and not any(one.failures for one in covered) and share * 100 >= args.min_coverage
    if args.format == "json":
        print(json.dumps(_as_json(covered, marks, failures, share), indent=2))
    else:
        _print(covered, marks, failures, share, args)
    return 0 if good else 1


def _with_packs(config: Config, paths: Sequence[Path]) -> Config:
    """The configuration with the folders of the paths as packs."""
    from dataclasses import replace

    known = [(config.root / name).resolve() for name in config.packs]
    found = list(config.packs)
    for path in paths:
        folder = path.resolve() if path.is_dir() else path.resolve().parent
        shipped = any(folder.is_relative_to(one) or one.is_relative_to(folder) for one in _shipped())
        if not shipped and not any(folder.is_relative_to(one) for one in known):
            found.append(str(folder))
    return replace(config, packs=tuple(found))


def _shipped() -> list[Path]:
    from advisor.data_files import knowledge_folder

    return [(knowledge_folder() / "rules").resolve(), (knowledge_folder() / "metrics").resolve()]


def _chosen(rulebook: Rulebook, config: Config, names: Sequence[str]) -> list[Rule]:
    from advisor.errors import UsageError
    from advisor.rules.packs import rule_file
    from advisor.selectors import suggestion

    if not names:
        packs = [pack for pack in rulebook.packs if Path(pack.folder).resolve() not in _shipped()]
        own = [rule for rule in rulebook.rules if any(rule_file(rule, [pack]) for pack in packs)]
        return own if config.packs else list(rulebook.rules)
    found: dict[str, Rule] = {}
    for name in names:
        path = Path(name)
        if path.exists():
            inside = [
                rule
                for rule in rulebook.rules
                if (file := rule_file(rule, rulebook.packs)) is not None
                and file.resolve().is_relative_to(path.resolve())
            ]
        else:
            inside = [rule for rule in rulebook.rules if name in (rule.id, rule.category)]
        if not inside:
            known = [rule.id for rule in rulebook.rules]
            raise UsageError(
                f"`{name}` is no rule, category, rule file or folder of rules.{suggestion(name, known)}"
            )
        found.update((rule.id, rule) for rule in inside)
    return list(found.values())


def _marks(
    config: Config, rulebook: Rulebook, rules: Sequence[Rule], run_workloads: bool
) -> tuple[list[Mark], list[MarkFailure]]:
    from advisor.check_options import CheckOptions
    from advisor.kernel_marks import check_marks, marked_files
    from advisor.rules.packs import rule_file

    marks: list[Mark] = []
    failures: list[MarkFailure] = []
    chosen = {rule.id for rule in rules}
    for pack in rulebook.packs:
        folder = Path(pack.folder)
        if not any(rule_file(rule, [pack]) for rule in rules) or not (files := marked_files(folder)):
            continue
        options = CheckOptions(
            device=config.device,
            root=folder,
            evidence=config.evidence,
            no_run=not run_workloads,
            settings=config,
        )
        of_pack, failed, _ = check_marks(files, options, chosen)
        marks += of_pack
        failures += failed
    return marks, failures


def _as_json(
    covered: Sequence[RuleCoverage], marks: Sequence[Mark], failures: Sequence[MarkFailure], share: float
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
        "marks": len(marks),
        "mark_failures": [str(failure) for failure in failures],
        "killed": round(share, 4),
    }


def _print(
    covered: Sequence[RuleCoverage],
    marks: Sequence[Mark],
    failures: Sequence[MarkFailure],
    share: float,
    args: argparse.Namespace,
) -> None:
    for one in covered:
        for failure in one.failures:
            print(f"{one.rule.path}:{failure.example.span.line}: {failure}")
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
        parts.append(f"{len(marks) - len(failures)} of {_count(len(marks), 'mark')} as expected")
    if not args.no_mutants:
        total = sum(one.mutants for one in covered)
        parts.append(
            f"{sum(one.killed for one in covered)} of {_count(total, 'mutant')} killed ({share:.1%})"
        )
    print(", ".join(parts) + ".")
    if not args.no_mutants and share * 100 < args.min_coverage:
        print(f"Fewer mutants are killed than --min-coverage {args.min_coverage:g} asks for.")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
