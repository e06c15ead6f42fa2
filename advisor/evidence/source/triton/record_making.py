"""Records of Triton's entities at nodes of a module."""

from __future__ import annotations

import ast

from advisor.model.records import Record, Value
from advisor.model.text.source_text import Span
from advisor.program.syntax.module import ModuleSyntax


def record_at(
    module: ModuleSyntax,
    entity: str,
    node: ast.AST,
    label: str,
    owner: str | None,
    values: dict[str, Value | None],
    span: Span | None = None,
) -> Record:
    """A record of an entity at a node."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end = getattr(node, "end_col_offset", 0)
    key = f"{module.path}:{line}:{column}:{end}:{entity}"
    record = Record(entity, key, module.path, span or module.span(node), label, owner)
    record.know("source", (), **values)
    return record


def is_power_of_two(size: int) -> bool:
    """Whether a number is 1, 2, 4, 8 …"""
    return size > 0 and size & (size - 1) == 0
