"""One rulebook for all that a command judges: loading it takes as long as judging a run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from advisor.check.rulebook import rulebook_for
from advisor.check.steps import Means
from advisor.model.settings.config import Config
from advisor.rules import Rulebook


def shared_rulebook(settings: Config, strict: bool = False) -> Rulebook:
    """The rulebook of `rulebook_for`, loaded once."""
    return _loaded(settings.packs, settings.root, strict)


@cache
def _loaded(packs: tuple[str, ...], root: Path, strict: bool) -> Rulebook:
    return rulebook_for(Config(packs=packs, root=root), strict=strict)


MEANS = Means(rulebook=shared_rulebook)
