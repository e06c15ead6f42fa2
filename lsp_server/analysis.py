"""One check of the text that an editor holds, from its source alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.check_options import CheckOptions
from advisor.config import Config, load_config
from advisor.findings import Finding, Problem, Report
from advisor.metrics.tables import Tables
from advisor.path_patterns import path_matcher
from advisor.pipeline import check_with_tables
from lsp_server.documents import Document
from lsp_server.surroundings import Surroundings, concerns_kernels


@dataclass(frozen=True)
class Analysis:
    """What is to be said about one version of a document, under the settings that hold for it.

    `broken_rules` tells of rules that were left out because they cannot be read; `texts` are those of all
    files that fixes edit, by path from the document's root; `tables` hold the metrics of all entities.
    """

    document: Document
    settings: Config
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    broken_rules: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    tables: Tables = field(default_factory=dict)


def analyse(document: Document, surroundings: Surroundings) -> Analysis:
    """The analysis of a document's text as it is in the editor.

    Only source evidence: nothing is compiled, imported or run, nothing is written to the workspace. Text that
    has nothing to do with kernels is not looked at, so that its syntax is nobody's concern here. Raises
    AdvisorError for a configuration that cannot be read.
    """
    settings = load_config(document.file.parent)
    if _excluded(document, settings) or not concerns_kernels(document.text.encode(errors="replace")):
        return Analysis(document, settings)
    checked = check_with_tables([], _options(document, settings, surroundings))
    report = checked.report
    return Analysis(document, settings, *_about(document, report), report.texts, checked.tables or {})


def _excluded(document: Document, settings: Config) -> bool:
    """Whether the configuration excludes the file, as it would in a check of its folder."""
    if not settings.exclude or not document.file.is_relative_to(settings.root):
        return False
    return path_matcher(settings.exclude)(document.file.relative_to(settings.root).as_posix())


def _options(document: Document, settings: Config, surroundings: Surroundings) -> CheckOptions:
    return CheckOptions(
        device=settings.device,
        root=document.root,
        evidence="source",
        no_run=True,
        settings=settings,
        jobs=1,
        stdin=document.source,
        neighbours=surroundings.of(document),
    )


def _about(document: Document, report: Report) -> tuple[tuple[Finding, ...], tuple[Problem, ...], str]:
    """What the report says about the document, and about broken rules; one thing is said once."""
    once: dict[tuple[object, ...], Finding] = {}
    for finding in report.findings:
        if finding.path == document.path:
            once.setdefault((finding.rule, finding.span, finding.message), finding)
    problems = [problem for problem in report.problems if problem.path == document.path]
    broken = [
        f"{one.path}:{one.line}: {one.message}" for one in report.problems if one.path.endswith(".rules")
    ]
    return tuple(once.values()), tuple(problems), "\n".join(broken)
