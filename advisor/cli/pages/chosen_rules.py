"""The rules that an action of `advisor rules` is about."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import tell

if TYPE_CHECKING:
    from advisor.model.settings.config import Config
    from advisor.rules.model import Rule, Rulebook


@dataclass(frozen=True)
class Chosen:
    """The configuration with the packs looked at, its rulebook, the rules, and the files that are looked at.

    `files` are those of the rulebook's names; None stands for all.
    """

    config: Config
    rulebook: Rulebook
    rules: list[Rule]
    files: frozenset[str] | None

    def tell_errors(self) -> bool:
        """Whether some rules did not load; their errors are printed to standard error."""
        from advisor.rules.language.problems import RuleErrors

        if self.rulebook.errors:
            tell(f"{RuleErrors(self.rulebook.errors)}\n")
        return bool(self.rulebook.errors)


def add_rules_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the rules that an action is about."""
    parser.add_argument(
        "rules", nargs="*", metavar="RULE|PATH",
        help="rules by id or category, rule files, folders (default: the project's packs, else all)",
    )  # fmt: skip


def choose_rules(names: Sequence[str]) -> Chosen:
    """The rules of these names; those of the project's packs where there are any, else all.

    Paths that are no part of the configured packs are looked at as packs of their own. Rules that do not load
    are left out; the rulebook has their errors. Raises UsageError for names that are nothing.
    """
    from advisor.check.rulebook import rulebook_for
    from advisor.model.settings.config import load_config

    config = _with_packs(load_config(Path.cwd()), [Path(name) for name in names if Path(name).exists()])
    rulebook = rulebook_for(config, strict=False)
    if not names and not config.packs:
        return Chosen(config, rulebook, list(rulebook.rules), None)
    if names:
        rules, files = _named(rulebook, names)
    else:
        packs = tuple(
            f"{pack.prefix}/" for pack in rulebook.packs if Path(pack.folder).resolve() not in _shipped()
        )
        rules = [rule for rule in rulebook.rules if rule.path.startswith(packs)]
        files = frozenset(path for path in _paths(rulebook) if path.startswith(packs))
    return Chosen(config, rulebook, rules, files)


def _with_packs(config: Config, paths: Sequence[Path]) -> Config:
    """The configuration with the folders of the paths as packs."""
    known = [(config.root / name).resolve() for name in config.packs]
    found = list(config.packs)
    for path in paths:
        folder = path.resolve() if path.is_dir() else path.resolve().parent
        shipped = any(folder.is_relative_to(one) or one.is_relative_to(folder) for one in _shipped())
        if not shipped and not any(folder.is_relative_to(one) for one in known):
            found.append(str(folder))
    return replace(config, packs=tuple(found))


def _shipped() -> list[Path]:
    from advisor.model.data_files import knowledge_folder

    return [(knowledge_folder() / "rules").resolve(), (knowledge_folder() / "metrics").resolve()]


def _paths(rulebook: Rulebook) -> set[str]:
    """The files that anything in a rulebook stands in."""
    found = {rule.path for rule in rulebook.rules}
    found |= {override.file for override in rulebook.overrides}
    found |= {definition.file for definition in rulebook.definitions}
    found |= {error.path for error in rulebook.errors}
    return found | {suppression.file for suppression in rulebook.suppressions}


def _named(rulebook: Rulebook, names: Sequence[str]) -> tuple[list[Rule], frozenset[str]]:
    from advisor.model.errors import UsageError
    from advisor.model.settings.selectors import suggestion
    from advisor.rules.loading.packs import file_of

    rules: dict[str, Rule] = {}
    files: set[str] = set()
    for name in names:
        path = Path(name)
        if path.exists():
            inside = {
                one
                for one in _paths(rulebook)
                if (file := file_of(one, rulebook.packs)) and file.resolve().is_relative_to(path.resolve())
            }
            found = [rule for rule in rulebook.rules if rule.path in inside]
        else:
            found = [rule for rule in rulebook.rules if name in (rule.id, rule.category)]
            # A rule that did not load is known by its file alone.
            broken = {one.path for one in rulebook.errors if PurePath(one.path).stem == name}
            inside = {rule.path for rule in found} | broken
        if not inside:
            hint = suggestion(name, [rule.id for rule in rulebook.rules])
            raise UsageError(f"`{name}` is no rule, category, rule file or folder of rules.{hint}")
        rules.update((rule.id, rule) for rule in found)
        files |= inside
    return list(rules.values()), frozenset(files)
