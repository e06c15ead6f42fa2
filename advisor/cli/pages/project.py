"""The rules of the project that a command was started in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from advisor.check.rulebook import rulebook_for
from advisor.cli.checking.telling import tell
from advisor.model.settings.config import load_config
from advisor.reports.rule_pages.catalogue import AnyRule, catalogue_of
from advisor.rules import RuleErrors
from advisor.rules.loading.packs import is_there
from advisor.rules.model import Rulebook


def project_rulebook(to_begin_with: bool = False) -> tuple[Rulebook, dict[str, AnyRule]]:
    """The rulebook and all rules for the working directory's configuration.

    Rules that do not load are left out; their errors are printed to standard error. So are, for who begins to
    write a pack, packs that are not there yet; else they raise UsageError.
    """
    config = load_config(Path.cwd())
    missing = [name for name in config.packs if to_begin_with and not is_there(name, config.root)]
    for name in missing:
        tell(f"packs: `{name}` is not there yet; it is left out.")
    config = replace(config, packs=tuple(name for name in config.packs if name not in missing))
    rulebook = rulebook_for(config, strict=False)
    if rulebook.errors:
        tell(f"{RuleErrors(rulebook.errors)}\n")
    return rulebook, catalogue_of(rulebook)
