"""The one form of a rule file as edits of its text."""

from __future__ import annotations

from lsprotocol import types

from advisor.rules.formatting import format_text
from advisor.rules.language.problems import RuleErrors
from lsp_server.rule_files.snapshot import Snapshot


def formatting_of(snapshot: Snapshot) -> list[types.TextEdit]:
    """The edit that brings a document into its form; none for one that does not parse or has it already.

    Lines at the beginning and the end that stay the same are left out, so that the cursor stays in its place.
    """
    content = snapshot.document.content
    try:
        formatted = format_text(snapshot.document.file.name, content)
    except RuleErrors:
        return []
    if formatted == content:
        return []
    before, after = content.splitlines(keepends=True), formatted.splitlines(keepends=True)
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    start = sum(map(len, before[:first]))
    end = len(content) - sum(map(len, before[len(before) - last :]))
    text = "".join(after[first : len(after) - last])
    if "\r\n" in snapshot.document.text:
        text = text.replace("\n", "\r\n")
    return [types.TextEdit(snapshot.range(start, end), text)]


def _common(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count
