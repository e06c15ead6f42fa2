"""The edit that silences one rule where it has found something, by a comment in the project's own syntax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.check.suppressions import parse_suppressions
from advisor.model.findings import Finding
from advisor.model.text.logical_lines import read_logical_lines
from advisor.model.text.source_text import SourceText, Span
from advisor.model.text.syntax_trees import syntax_tree

_DIRECTIVE = re.compile(r"#\s*advisor:\s*ignore\s*\[(?P<rules>[^\]#]*)\]")


@dataclass(frozen=True)
class Insertion:
    """A text to put in at a line and a column, both from 1."""

    line: int
    column: int
    text: str


def suppression(finding: Finding, source: SourceText) -> Insertion | None:
    """The first insertion that silences the finding and leaves the program as it is; None without any.

    Behind the finding's first line, else behind its statement, else on a line of its own before it. No reason
    is written: only the user knows it, and a finding asks for it.
    """
    try:
        first, last = _piece(syntax_tree(source.text), finding.span.line, len(source.lines))
        piece = SourceText(source.path, "\n".join(source.lines[first - 1 : last]) + "\n")
        meaning = ast.dump(syntax_tree(piece.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    above = first - 1
    inside = replace(finding, span=_shifted(finding.span, -above))
    found = (item for item in _candidates(inside, piece) if _works(item, inside, piece, meaning))
    item = next(found, None)
    return None if item is None else replace(item, line=item.line + above)


def _piece(tree: ast.Module, line: int, lines: int) -> tuple[int, int]:
    """The first and last line of the outermost statements that a line is part of, of the whole text for none.

    What stands in one of them means the same whatever stands around it, and is quickly read.
    """
    first, last = line, line
    found = False
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        begin = min([node.lineno, *(one.lineno for one in decorators)])
        end = node.end_lineno or node.lineno
        if begin <= last and end >= first:
            first, last, found = min(first, begin), max(last, end), True
    return (first, last) if found else (1, lines)


def _candidates(finding: Finding, source: SourceText) -> Iterator[Insertion]:
    comment = f"# advisor: ignore[{finding.rule}]"
    line = finding.span.line
    present = _DIRECTIVE.search(_line(source, line))
    if present is not None:
        more = f", {finding.rule}" if present["rules"].strip() else finding.rule
        yield Insertion(line, present.end("rules") + 1, more)
    yield _behind(source, line, comment)
    for statement in read_logical_lines(source).lines:
        if statement.first <= line <= statement.last:
            yield _behind(source, statement.last, comment)
            indent = _line(source, statement.first)[: statement.indent]
            yield Insertion(statement.first, 1, f"{indent}{comment}\n")


def _behind(source: SourceText, line: int, comment: str) -> Insertion:
    text = _line(source, line)
    return Insertion(line, len(text) + 1, f"{'' if text.endswith(' ') else '  '}{comment}")


def _works(item: Insertion, finding: Finding, source: SourceText, meaning: str) -> bool:
    """Whether the text with the insertion parses to the same program and its comment covers the finding."""
    lines = list(source.lines)
    if not 1 <= item.line <= len(lines):
        return False
    before = lines[item.line - 1]
    lines[item.line - 1] = before[: item.column - 1] + item.text + before[item.column - 1 :]
    changed = SourceText(source.path, "\n".join(lines) + "\n")
    try:
        if ast.dump(syntax_tree(changed.text)) != meaning:
            return False
    except (SyntaxError, ValueError):
        return False
    moved = replace(finding, span=_moved(finding.span, item))
    found = parse_suppressions(changed, {finding.rule}).items
    return any(suppressed.covers(moved) for suppressed in found)


def _moved(span: Span, item: Insertion) -> Span:
    return _shifted(span, item.text.count("\n") if item.line <= span.line else 0)


def _shifted(span: Span, lines: int) -> Span:
    return Span(span.line + lines, span.column, span.end_line + lines, span.end_column)


def _line(source: SourceText, line: int) -> str:
    return source.lines[line - 1] if 1 <= line <= len(source.lines) else ""
