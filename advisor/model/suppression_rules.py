"""The rules about suppressions: their texts are data, their conditions in `advisor.check.suppressions`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import AdvisorError
from advisor.model.findings import SEVERITIES, Confidence, Finding, Severity
from advisor.model.text.source_text import Span

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TEXTS = ("title", "doc", "category", "severity", "confidence", "effort", "say", "why")


@dataclass(frozen=True, slots=True)
class SuppressionRule:
    """The texts of one rule about suppressions; `say` and `advice` have fields in braces."""

    id: str
    title: str
    doc: str
    category: str
    severity: Severity
    confidence: Confidence
    effort: str
    say: str
    why: str
    advice: tuple[str, ...]

    @property
    def url(self) -> str:
        """Always "": these rules rest on no outside source."""
        return ""

    def finding(self, path: str, span: Span, **fields: str) -> Finding:
        """The finding at `span` of `path`, its texts filled in with `fields`."""
        return Finding(
            rule=self.id,
            path=path,
            span=span,
            kernel=None,
            severity=self.severity,
            confidence=self.confidence,
            message=self.say.format(**fields),
            why=self.why,
            advice=tuple(line.format(**fields) for line in self.advice),
            effort=self.effort,
            title=self.title,
            category=self.category,
        )


@cache
def load_suppression_rules(folder: Path | None = None) -> Mapping[str, SuppressionRule]:
    """The rules about suppressions by id (the file's name). Raises AdvisorError for a broken file."""
    files = sorted((folder or knowledge_folder() / "suppressions").glob("*.toml"))
    return {file.stem: _read(file) for file in files}


def _read(file: Path) -> SuppressionRule:
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise AdvisorError(f"{file}: {error}") from None
    wrong = [key for key in _TEXTS if not isinstance(content.get(key), str)]
    wrong += sorted(set(content) - {*_TEXTS, "try"})
    advice = content.get("try")
    if wrong or content["severity"] not in SEVERITIES or not isinstance(advice, list):
        raise AdvisorError(f"{file}: wrong or missing: {', '.join(wrong) or 'severity or try'}.")
    return SuppressionRule(
        id=file.stem,
        title=content["title"],
        doc=content["doc"],
        category=content["category"],
        severity=cast(Severity, content["severity"]),
        confidence=cast(Confidence, content["confidence"]),
        effort=content["effort"],
        say=content["say"],
        why=content["why"],
        advice=tuple(str(line) for line in advice),
    )
