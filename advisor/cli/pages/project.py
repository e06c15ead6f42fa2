"""The rules of the project that a command was started in."""

from __future__ import annotations

import sys
from pathlib import Path

from advisor.config import load_config
from advisor.pages.catalogue import AnyRule, catalogue_of
from advisor.rulebook import rulebook_for
from advisor.rules import RuleErrors
from advisor.rules.model import Rulebook


def project_rulebook() -> tuple[Rulebook, dict[str, AnyRule]]:
    """The rulebook and all rules for the working directory's configuration.

    Rules that do not load are left out; their errors are printed to standard error.
    """
    rulebook = rulebook_for(load_config(Path.cwd()), strict=False)
    if rulebook.errors:
        print(f"{RuleErrors(rulebook.errors)}\n", file=sys.stderr)
    return rulebook, catalogue_of(rulebook)
