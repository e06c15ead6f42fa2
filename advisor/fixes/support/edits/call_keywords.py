"""Edits of a call's keyword arguments."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def with_keyword(module: SourceModule, call: cst.Call, name: str, value: str) -> Edit | None:
    """The edit that gives a call a keyword argument, or another value where it has it.

    None where `*` or `**` may hold it already, or where it has that value.
    """
    if any(one.star for one in call.args):
        return None
    given = next((one for one in call.args if one.keyword is not None and one.keyword.value == name), None)
    if given is not None:
        same = module.code_of(given.value) == value
        return None if same else module.replaced(given.value, value)
    if not call.args:
        end = module.range_of(call)[1] - 1
        return Edit(end, end, f"{name}={value}") if module.text[end] == ")" else None
    last = module.range_of(call.args[-1].value)[1]
    behind = module.text[last : module.range_of(call)[1]]
    if behind.lstrip()[:1] not in (",", ")"):
        return None
    return Edit(last, last, f", {name}={value}")
