"""Edits of a call's keyword arguments."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def with_keyword(module: SourceModule, call: ast.Call, name: str, value: str) -> Edit | None:
    """The edit that gives a call a keyword argument, or another value where it has it.

    None where `*` or `**` may hold it already, or where it has that value.
    """
    given = next((one for one in call.keywords if one.arg == name), None)
    if given is None:
        return with_argument(module, call, f"{name}={value}")
    if has_stars(call) or module.code_of(given.value) == value:
        return None
    return module.replaced(given.value, value)


def with_argument(module: SourceModule, call: ast.Call, text: str) -> Edit | None:
    """The edit that adds an argument behind the last one, on a line of its own where that has one.

    None where `*` or `**` may hold any argument, and where the only one is a generator without parentheses.
    """
    begin, end = module.range_of(call)
    if has_stars(call):
        return None
    if not call.args and not call.keywords:
        return Edit(end - 1, end - 1, text)
    last = [*call.args, *call.keywords][-1]
    first, place = module.outer_range(last)
    if place == end:
        return None
    own_line = not module.text[module.line_start(first) : first].strip()
    if own_line and module.line_of(first) != module.line_of(begin):
        return Edit(place, place, f",{module.line_end}{module.indentation(last)}{text}")
    return Edit(place, place, f", {text}")


def has_stars(call: ast.Call) -> bool:
    """Whether a call passes `*` or `**` something."""
    return any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    )
