"""The rules and metrics of configurations, kept from one question to the next."""

from __future__ import annotations

from advisor.model.settings.config import Config
from advisor.rules import Rulebook
from lsp_server.analysis.kept_settings import KeptRulebooks

_kept = KeptRulebooks()


def rules_in_use(settings: Config) -> Rulebook:
    """The rulebook of a configuration, without the rules that cannot be read.

    Raises UsageError for a pack that does not exist.
    """
    return rulebook_in_use(settings, strict=False)


def rulebook_in_use(settings: Config, strict: bool) -> Rulebook:
    """The rulebook of a configuration; a `strict` one raises RuleErrors for a rule that cannot be read."""
    return _kept.of(settings, strict)
