"""Options of calls, where they are constants of the source."""

from __future__ import annotations

import ast

from advisor.program.syntax.calls import keyword_value


def loader_pins(node: ast.Call) -> bool | None:
    """Whether a DataLoader puts its batches into page-locked memory; None where that is not a constant."""
    if any(one.arg is None for one in node.keywords):
        return None
    value = keyword_value(node, "pin_memory")
    if value is None:
        return None if len(node.args) > 7 else False
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, bool) else None


def constant_truth(value: ast.expr | None) -> bool | None:
    """The truth of an option: False where it is left out, None where it is no constant."""
    if value is None:
        return False
    return bool(value.value) if isinstance(value, ast.Constant) else None


def non_blocking(call: ast.Call) -> bool | None:
    """Whether a copy says `non_blocking=True`; None where that is not a constant."""
    value = keyword_value(call, "non_blocking")
    if value is None:
        return None if any(one.arg is None for one in call.keywords) or len(call.args) > 1 else False
    return bool(value.value) if isinstance(value, ast.Constant) else None
