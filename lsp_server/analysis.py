"""One check of the text that an editor holds, from its source alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from advisor.config import load_config
from advisor.findings import Report
from advisor.meta_rules import MetaRule, load_meta_rules
from advisor.pipeline import CheckOptions, check
from advisor.rulebook import rulebook_for
from advisor.rules.model import Rule
from advisor.text import SourceText


@dataclass(frozen=True)
class Analysis:
    """The report on one version of a document, and the rules it speaks of, by id."""

    version: int | None
    report: Report
    rules: dict[str, Rule | MetaRule]


def analyse(file: Path, text: str, version: int | None, root: Path) -> Analysis:
    """The analysis of `text`, which stands for `file` in the workspace `root`.

    Only source evidence: nothing is compiled, imported or run, nothing is written. Raises AdvisorError for a
    configuration or a rule that cannot be read.
    """
    config = load_config(file.parent)
    options = CheckOptions(
        device=config.device,
        root=root,
        evidence="source",
        no_run=True,
        select=config.select,
        extend_select=config.extend_select,
        ignore=config.ignore,
        settings=replace(config, select=(), extend_select=(), ignore=()),
        jobs=1,
        stdin=SourceText(_relative(file, root), text),
    )
    report = check([], options)
    rules: dict[str, Rule | MetaRule] = {rule.id: rule for rule in rulebook_for(config).rules}
    return Analysis(version, report, {**rules, **load_meta_rules()})


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
