"""Edits that put lines before and after statements, and indent or remove them."""

from __future__ import annotations

import ast
import re

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit

_LINE = re.compile(r"[^\r\n]*(\r\n|\r|\n)?")


def line_before(module: SourceModule, statement: ast.stmt, text: str) -> Edit:
    """The edit that puts a line before a statement, indented as it is."""
    begin, _ = module.range_of(statement)
    return Edit(begin, begin, f"{text}{module.line_end}{module.indentation(statement)}")


def line_behind(module: SourceModule, statement: ast.stmt, text: str) -> Edit:
    """The edit that puts a line behind a statement, indented as it is; comments of its block stay with it."""
    indent = module.indentation(statement)
    place = end_with_comments(module.text, module.range_of(statement)[1], indent)
    return Edit(place, place, f"{module.line_end}{indent}{text}")


def end_with_comments(text: str, offset: int, indent: str) -> int:
    """The end of the line of an offset, or of the last comment below it that is indented deeper."""
    found = _LINE.match(text, offset)
    while found is not None:
        end = found.end() - len(found.group(1) or "")
        following = _LINE.match(text, found.end())
        comment = following.group().strip().startswith("#") if following else False
        deeper = (
            following is not None and re.match(rf"{re.escape(indent)}[ \t]", following.group()) is not None
        )
        if following is None or not (comment and deeper):
            return end
        found = following
    return len(text)


def whole_lines(module: SourceModule, statement: ast.stmt) -> tuple[int, int]:
    """The offsets of the lines of a statement, the last line's end included."""
    begin, end = module.range_of(statement)
    found = _LINE.match(module.text, end)
    return module.line_start(begin), found.end() if found else end


def without_line(module: SourceModule, statement: ast.stmt) -> Edit | None:
    """The edit that removes a statement with its line; None where a comment stands on the line as well."""
    begin, end = whole_lines(module, statement)
    first, last = module.range_of(statement)
    alone = not module.text[begin:first].strip() and not module.text[last:end].strip()
    return Edit(begin, end, "") if alone else None


def indented(module: SourceModule, begin: int, end: int, step: str) -> list[Edit] | None:
    """The edits that indent the lines between two offsets by one step more; None where a text runs over
    several of them.
    """
    if has_long_text(module, begin, end):
        return None
    found, place = [], begin
    while place < end:
        line = _LINE.match(module.text, place)
        if line is None or line.end() == place:
            break
        if line.group().strip():
            found.append(Edit(place, place, step))
        place = line.end()
    return found


def unindented(module: SourceModule, begin: int, end: int, indent: str, deeper: str) -> list[Edit] | None:
    """The edits that give the lines between two offsets the indentation around their block for their own,
    deeper one; None where code is not as deep, or where a text runs over several lines.
    """
    if has_long_text(module, begin, end):
        return None
    found, place = [], begin
    for line in module.text[begin:end].splitlines(keepends=True):
        if line.startswith(deeper):
            found.append(Edit(place, place + len(deeper) - len(indent), ""))
        elif line.strip() and not line.strip().startswith("#"):
            return None
        place += len(line)
    return found


def has_long_text(module: SourceModule, begin: int, end: int) -> bool:
    """Whether a text between two offsets runs over several lines."""
    texts = module.nodes_between((ast.Constant, ast.JoinedStr), begin, end)
    return any(module.line_of(one) != module.line_of(last) for one, last in map(module.range_of, texts))
