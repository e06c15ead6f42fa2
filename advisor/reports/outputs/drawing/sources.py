"""The lines of the files that a report speaks of."""

from __future__ import annotations

from advisor.model.findings import Report
from advisor.model.text.source_text import SourceText


def lines_by_path(report: Report) -> dict[str, tuple[str, ...]]:
    """The lines of every file whose text the report holds."""
    return {path: SourceText(path, text).lines for path, text in report.texts.items()}
