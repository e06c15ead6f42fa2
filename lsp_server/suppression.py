"""The action that silences one rule on one line, by a comment that says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pygls.workspace.position_codec import ServerTextPosition, ServerTextRange

from advisor.findings import Finding

_DIRECTIVE = re.compile(r"#\s*advisor:\s*ignore\s*\[(?P<rules>[^\]]*)\]")


@dataclass(frozen=True)
class Insertion:
    """A text to be put in at one place."""

    place: ServerTextRange
    text: str


def suppression(finding: Finding, lines: Sequence[str]) -> Insertion | None:
    """The comment for the finding's first line; None where a comment cannot stand."""
    at = finding.span.line - 1
    if not 0 <= at < len(lines):
        return None
    text = lines[at].rstrip("\r\n")
    if text.endswith("\\"):
        return None
    present = _DIRECTIVE.search(text)
    if present is None:
        return _at(at, len(text), f"  # advisor: ignore[{finding.rule}] reason")
    return _at(at, present.end("rules"), f", {finding.rule}" if present["rules"].strip() else finding.rule)


def _at(line: int, column: int, text: str) -> Insertion:
    place = ServerTextPosition(line, column)
    return Insertion(ServerTextRange(place, place), text)
