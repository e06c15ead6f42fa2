"""The option `max_registers` of a kernel's decorator, present or to be added."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.program.syntax.calls import keyword_value, last_name
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode
from advisor.runs.tuning.slots.numbers_in_source import NO_LIMIT, REGISTERS, RegisterSlot


def register_slot(module: SourceModule, path: str, kernel: FunctionNode) -> RegisterSlot | None:
    """Where the limit stands or would stand; None for a decorator that it cannot be added to."""
    for made in kernel.decorator_list:
        if isinstance(made, ast.Call) and last_name(made.func) == "jit":
            return _of_call(module, path, made)
        if last_name(made) == "jit":
            _, end = module.range_of(made)
            return RegisterSlot(NO_LIMIT, path, end, end, f"({REGISTERS}=", ")")
    return None


def _of_call(module: SourceModule, path: str, call: ast.Call) -> RegisterSlot | None:
    if any(one.arg is None for one in call.keywords):
        return None
    value = keyword_value(call, REGISTERS)
    if value is not None:
        limit = written_integer(value)
        return RegisterSlot(limit, path, *module.range_of(value), "", "") if limit is not None else None
    given = [*call.args, *(one.value for one in call.keywords)]
    if not given:
        _, end = module.range_of(call)
        return RegisterSlot(NO_LIMIT, path, end - 1, end - 1, f"{REGISTERS}=", "")
    end = max(module.outer_range(one)[1] for one in given)
    return RegisterSlot(NO_LIMIT, path, end, end, f", {REGISTERS}=", "")
